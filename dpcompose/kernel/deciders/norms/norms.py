"""Norms and absolute values in formulas as letters, with what is known of these.

Of a norm n = ‖v‖₂ it is used that max |v_j| ≤ n ≤ Σ |v_j|, and n ≤ w for points of a disc of diameter w: so n
may be replaced by max(n, |v_j|), and by min(n, Σ |v_j|, w); of m entries also that n ≥ Σ |v_j|/√m; of |Σ
c_j·δ_j| that it is at most Σ |c_j|·|δ_j|, and ‖c‖₂·‖δ‖₂; of ‖Aδ‖₂ that it is at most Σ ‖A_j‖₂·|δ_j|.

How much of this is used is a level: 0, norms and absolute values are letters ≥ 0 of which nothing is known;
1, letters with these inequalities; 2, letters, and what they are at most is put for them; 3, absolute values
are written out in the coordinates; 4, the same case by case, as each coordinate is larger at D or E; 5, norms
are roots of sums of squares of absolute values, and these as at 2; 6, all is as it is written.

At the true values of all letters the greater side is what it was, and the lesser one no less.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import count

from dpcompose.kernel.core.assumptions import NOTHING, Assumed
from dpcompose.kernel.deciders.calculus import coordinates, values
from dpcompose.kernel.deciders.calculus.coordinates import UNIT, steps
from dpcompose.kernel.deciders.norms import squares
from dpcompose.kernel.deciders.norms.squares import Vector
from dpcompose.kernel.expressions import forms, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.metrics import is_constant
from dpcompose.kernel.expressions.points import Points, coordinate
from dpcompose.kernel.expressions.terms import (
    ONE,
    ZERO,
    Term,
    TermError,
    add,
    largest,
    least,
    multiply,
    number,
    sqrt,
)

LEVELS = (0, 1, 2, 5, 3, 4, 6)
"""How much a comparison uses of norms and absolute values, in the order in which they are tried."""
WITH_ALL_KNOWN, AT_MOST = 1, 2
IN_COORDINATES = (3, 4)
"""The levels at which absolute values are written out."""
AS_ROOTS = 5
"""The level at which norms are roots of sums of squares: by it ‖c‖·‖v‖ is at least Σ c_j·|v_j|."""
AS_WRITTEN = 6


def cases(
    greater: Term, lesser: Term, places: Sequence[Points], level: int, assumed: Assumed = NOTHING
) -> Sequence[tuple[Term, Term]]:
    """Comparisons that together say: greater ≥ lesser for all points of some places and all other letters.

    level -- one of LEVELS.  Raises NotAForm where it is none, and for what has no normal form.

    >>> x, y = coordinate("x", "D") - coordinate("x", "E"), coordinate("y", "D") - coordinate("y", "E")
    >>> cases(terms.letter("e") * sqrt(x**2 + y**2), largest(x, -x), [], 0)
    (((product e norm__1), norm__2),)
    """
    return _cases(greater, lesser, tuple(places), level, assumed)


@lru_cache(maxsize=256)
def _cases(
    greater: Term, lesser: Term, places: tuple[Points, ...], level: int, assumed: Assumed
) -> tuple[tuple[Term, Term], ...]:
    """The same, kept: what is found is read again when it is checked."""
    used = {**greater.letters, **lesser.letters}
    if level not in LEVELS or greater.has("oo") or lesser.has("oo"):
        raise NotAForm("oo is no number" if level in LEVELS else f"there is no level {level}")
    if wrong := sorted(used.keys() & coordinates.fresh(places)):
        raise NotAForm(f"{wrong[0]} is a letter already")
    in_order = level == IN_COORDINATES[1]
    try:
        ways = coordinates.orders(places, used) if in_order else [coordinates.within(places)]
        found = [_case((greater, lesser), places, of, Norms(level, assumed, frozenset(used))) for of in ways]
    except TermError as error:
        raise NotAForm(str(error)) from None
    return tuple(dict.fromkeys(found))


def _case(
    sides: tuple[Term, Term], places: Sequence[Points], of: Mapping[str, Term], norms: Norms
) -> tuple[Term, Term]:
    greater, lesser = (substitution.substituted(side, of) for side in sides)
    norms.know((greater, lesser), _discs(places, of, greater.letters.keys() | lesser.letters.keys()))
    more, less = norms.named(greater), norms.named(lesser)
    return norms.exact(more), norms.enlarged(less)


def _discs(
    places: Sequence[Points], of: Mapping[str, Term], used: Collection[str]
) -> Iterator[tuple[Term, Term]]:
    """The squares of the distances of points in discs, with their diameters; of those whose letters occur."""
    for part in places:
        if part.disc is not None:
            for one, two in ("DE", "EF", "DF"):
                moved = [coordinate(name, one) - coordinate(name, two) for name in part.coordinates]
                steps_of = [substitution.substituted(v, of) for v in moved]
                if all(name in used for v in steps_of for name in v.letters):
                    yield add(v**2 for v in steps_of), part.disc


@dataclass
class Norms:
    """Formulas with norms as terms: a letter for every norm, the same on both sides.

    taken -- names of other letters; vectors -- those whose lengths the letters are, |p| being that of (p);
    known -- the vectors whose lengths occur; discs -- what such lengths are at most.
    """

    level: int
    assumed: Assumed = NOTHING
    taken: frozenset[str] = frozenset()
    vectors: dict[str, Vector] = field(default_factory=dict)
    known: list[Vector] = field(default_factory=list)
    discs: dict[Vector, Term] = field(default_factory=dict)

    def know(self, sides: Iterable[Term], discs: Iterable[tuple[Term, Term]]) -> None:
        """Notes the norms that occur, and those of discs."""
        for squared, diameter in discs:
            if entries := squares.squares(squared):
                factor, vector = squares.scaled(entries)
                self.discs[vector] = diameter / sqrt(number(factor))
        occurring = [vector for side in sides for vector in squares.vectors(side)]
        occurring += [] if self._is_written else self.discs
        self.known = sorted(dict.fromkeys(occurring), key=len, reverse=True)

    @property
    def _is_written(self) -> bool:
        return self.level in (*IN_COORDINATES, AS_WRITTEN)

    # letters for norms, and equal formulas with these

    def named(self, term: Term) -> Term:
        """The same with letters for norms and absolute values."""
        if is_constant(term) or self.level == AS_WRITTEN or term.kind == "letter":
            return term
        if (letter := self._named_root(term) or self._named_size(term)) is not None:
            return letter
        if term.kind == "sum":
            return self._named_sum(term)
        made = substitution.made_of(term, list(map(self.named, term.parts)))
        return _outside(made) if made.kind == "over" else made

    def _named_root(self, term: Term) -> Term | None:
        """A power of a norm: of a sum of squares with an exponent that is no whole number, but its half."""
        if (root := squares.root(term)) is None:
            return None
        entries, exponent = root
        if len(entries) == 1:
            ((p, q),) = entries.items()
            return self.size(sqrt(number(q)) * p) ** exponent
        factor, vector = squares.scaled(entries)
        if self.level not in (WITH_ALL_KNOWN, AS_ROOTS) and [*self._within(entries, vector)]:
            return self._named_sum(term.parts[0], vector) ** (exponent / 2)
        return (sqrt(number(factor)) * self._letter_of(vector)) ** exponent

    def _within(self, entries: squares.Squares, but: Vector | None) -> Iterator[tuple[Vector, Fraction]]:
        """The known vectors of which a multiple is among some squares, and the factor of their squares."""
        left = dict(entries)
        for vector in self.known:
            if vector != but and (factor := squares.ratio(left, vector)) is not None:
                yield vector, factor
                left = {p: q for p, q in left.items() if p not in dict(vector)}

    def _named_sum(self, term: Term, but: Vector | None = None) -> Term:
        """A sum with squares of letters for squares of known norms, except for one."""
        entries = {summand: squares.square(summand) for summand in term.summands if not is_constant(summand)}
        some: dict[Term, Fraction] = {}
        for entry in entries.values():
            if entry is not None:
                some[entry[0]] = some.get(entry[0], Fraction(0)) + entry[1]
        found = list(self._within(some, but))
        gone = {p for vector, _ in found for p, _ in vector}
        left = [
            summand
            for summand in term.summands
            if (entry := entries.get(summand)) is None or entry[0] not in gone
        ]
        return add(
            [*(factor * self._letter_of(vector) ** 2 for vector, factor in found), *map(self.named, left)]
        )

    def _named_size(self, term: Term) -> Term | None:
        """|v|, or an even power of steps, as one of |v|."""
        if self._is_written:
            return None
        if (v := squares.inside_of_size(term)) is not None:
            return self.size(v)
        base, exponent = term.base_and_exponent
        n = exponent.number if term.kind == "power" else None
        even = n is not None and n.denominator == 1 and n % 2 == 0
        return self.size(base) ** exponent if even and steps(base) else None

    def size(self, v: Term) -> Term:
        """|v|, with letters: for a multiple of one step that of the step."""
        factor, p = squares.leading(v)
        if is_constant(p):
            return abs(factor) * self._size_of_parameters(p)
        inside = self.named(p)
        for term in (inside, -inside):
            if term.nonnegative:
                return abs(factor) * term
        coefficients = steps(p)
        if self._is_written or (len(coefficients) != 1 and any(map(terms.moves, p.letters))):
            return abs(factor) * _size(inside)
        for delta, c in coefficients.items() if len(coefficients) == 1 else ():
            return abs(factor) * self._size_of_parameters(c) * self._letter_of_size(delta)
        return abs(factor) * self._letter_of_size(p)

    def _size_of_parameters(self, c: Term) -> Term:
        return next((term for term in (c, -c) if values.surely(term, False, self.assumed)), _size(c))

    def _letter_of(self, vector: Vector) -> Term:
        """The letter of the length of a vector."""
        free = (f"norm__{n}" for n in count(1) if f"norm__{n}" not in self.taken | self.vectors.keys())
        name = next((name for name, known in self.vectors.items() if known == vector), None) or next(free)
        self.vectors[name] = vector
        return terms.letter(name, UNIT if _is_short(vector) else NONNEGATIVE)

    def _letter_of_size(self, p: Term) -> Term:
        return self._letter_of(((p, Fraction(1)),))

    # what is put for the letters

    def exact(self, term: Term) -> Term:
        """The same with what is known of norms being at least something."""
        return substitution.substituted(
            term, {name: self._exact(name) for name in sorted(self._letters(term))}
        )

    def enlarged(self, term: Term) -> Term:
        """At least as much: with what is known of norms being at most something, where the term grows with
        them.  3 - n is at least 3 - (what n is at most), not at most.
        """
        fixed = self._fixed(term, 1)
        every = sorted(self._letters(term))  # new letters come in this order, wherever it is checked
        put = {name: self._exact(name) if name in fixed else self._at_most(name) for name in every}
        return substitution.substituted(term, put)

    def _letters(self, term: Term) -> frozenset[str]:
        return frozenset(term.letters.keys() & self.vectors.keys())

    def _fixed(self, term: Term, way: int) -> frozenset[str]:
        """The norms with which a term is not seen to grow (way = 1), or to fall (way = −1)."""
        inside = self._letters(term)
        if not inside or term.kind == "letter":
            return inside if way < 0 else frozenset()
        moving = [part for part in term.parts if self._letters(part)]
        if term.kind == "product":
            sign = self._sign([part for part in term.parts if part not in moving])
            if sign is None or (len(moving) > 1 and not all(one.nonnegative for one in moving)):
                return inside
            way *= sign
        elif not _grows(term, moving):
            return inside
        return frozenset().union(*(self._fixed(one, way) for one in moving))

    def _sign(self, factors: Sequence[Term]) -> int | None:
        """1 where a product is seen to be ≥ 0, −1 where it is ≤ 0, None where neither is."""
        product = multiply(factors)
        return next((one for one in (1, -1) if self._is_never_negative(product * one)), None)

    def _is_never_negative(self, term: Term) -> bool:
        """Whether a formula is seen to be ≥ 0; one in coordinates from its signs alone."""
        if is_constant(term):
            return values.surely(term, False, self.assumed)
        if term.nonnegative or squares.inside_of_size(term) is not None:
            return True
        if term.kind in ("sum", "product") and all(map(self._is_never_negative, term.parts)):
            return True
        return forms.term_sign(term) >= 0

    def _exact(self, name: str) -> Term:
        """The letter of a norm, with what it is at least; that of an absolute value as it is."""
        vector = self.vectors[name]
        n = self._letter_of(vector)
        if self.level == 0 or len(vector) == 1:
            return n
        sizes = list(map(self.size, squares.entries(vector)))
        if self.level == AS_ROOTS:
            return self.exact(sqrt(add(term**2 for term in sizes)))
        mean = [add(sizes) / sqrt(number(len(sizes)))] if self.level == WITH_ALL_KNOWN else []
        return largest(n, *sizes, *mean)  # (Σ |v_j|)² ≤ m Σ v_j²

    def _at_most(self, name: str) -> Term:
        """What a norm or an absolute value is at most."""
        vector = self.vectors[name]
        n = self._letter_of(vector)
        if self.level == 0 or len(vector) == 1:
            return n if self.level == 0 else self._size_at_most(n, vector[0][0])
        sizes = list(map(self.size, squares.entries(vector)))
        if self.level == AS_ROOTS:
            return self.enlarged(sqrt(add(term**2 for term in sizes)))
        disc = [self.discs[vector]] if vector in self.discs else []
        columns = [] if self._is_written else self._by_columns(vector)
        return [*columns, *disc, n][0] if self.level == AT_MOST else least(n, add(sizes), *disc, *columns)

    def _by_columns(self, vector: Vector) -> list[Term]:
        """What ‖Aδ‖₂ is at most where entries are sums: Σ_j ‖A_j‖₂·|δ_j|, A_j being the columns of A."""
        rows = [steps(v) for v in squares.entries(vector)]
        if not all(rows) or all(len(row) == 1 for row in rows):
            return []
        columns = {delta: [row[delta] for row in rows if delta in row] for row in rows for delta in row}
        return [add(self._length(column) * self._letter_of_size(delta) for delta, column in columns.items())]

    def _length(self, c: Sequence[Term]) -> Term:
        """√(Σ c_j²) of formulas in the parameters."""
        return self._size_of_parameters(c[0]) if len(c) == 1 else sqrt(add(term**2 for term in c))

    def _size_at_most(self, n: Term, p: Term) -> Term:
        """What |p| is at most: |Σ c_j·δ_j| ≤ Σ |c_j|·|δ_j|, and ≤ ‖c‖·‖δ‖; of counts their sum."""
        if (counted := _counts(p)) is not None:
            return least(n, counted) if self.level == WITH_ALL_KNOWN else counted
        if len(coefficients := steps(p)) <= 1:
            return n
        total = add(
            self._size_of_parameters(c) * self._letter_of_size(delta) for delta, c in coefficients.items()
        )
        _, together = squares.scaled(dict.fromkeys(coefficients, Fraction(1)))
        if self.level == AS_ROOTS or together not in self.vectors.values():
            return least(n, total) if self.level == WITH_ALL_KNOWN else total
        turned = self._length([*coefficients.values()]) * self._letter_of(together)
        return turned if self.level == AT_MOST else least(n, total, turned)


def _is_short(vector: Vector) -> bool:
    return len(vector) == 1 and coordinates.is_short(vector[0][0])


def _size(v: Term) -> Term:
    return largest(v, -v)


def _grows(term: Term, moving: Sequence[Term]) -> bool:
    """Whether a term that is no product grows with all of the parts that move."""
    if term.kind == "power":
        r = term.parts[1].number
        return r is not None and r > 0 and (r.denominator != 1 or term.parts[0].nonnegative)
    return term.kind in ("sum", "top", "exp", "log") or (term.kind == "over" and moving == [term.parts[1]])


def _counts(v: Term) -> Term | None:
    """What |c_0 + Σ c_j·n_j| is at most for counts n_j: |c_0| + Σ |c_j|·n_j; None for no such sum."""
    summands = [summand.split for summand in substitution.expanded(v).summands]
    counts = (
        x == ONE or (x.kind == "letter" and x.of[1].integer and x.of[1].nonnegative) for _, x in summands
    )
    return add(abs(c) * x for c, x in summands) if all(counts) else None


def _outside(family: Term) -> Term:
    """Factors ≥ 0 that all members of a family share in front of it."""
    m, member, members = family.parts
    shared = [
        factor
        for factor in member.factors
        if factor.nonnegative and not any(map(terms.moves, factor.letters))
    ]
    own = multiply(factor for factor in member.factors if factor not in shared)
    return multiply([*shared, terms.over(m, own, members)])


# comparisons by their factors


def groups(
    greater: Term, lesser: Term, parameters: Collection[str], assumed: Assumed = NOTHING
) -> list[tuple[Term, Term, Term]]:
    """Comparisons g ≥ l, each with a factor f ≥ 0 of parameters: greater = Σ f·g and lesser = Σ f·l.

    Together they say that greater ≥ lesser.  A single one, with the factor 1, where some factor is not seen
    to be ≥ 0.

    >>> e, f, d = terms.letter("e"), terms.letter("f"), terms.letter("d__1")
    >>> groups(2 * e * d + f, e * d, {"e", "f"})
    [(e, (product 2 d__1), d__1), (f, 1, 0)]
    """
    sides: dict[Term, tuple[list[Term], list[Term]]] = {}
    for n, side in enumerate((greater, lesser)):
        for term in distributed(side).summands if side != ZERO else ():
            own = _is_own(parameters)
            factor = multiply(filter(own, term.factors))
            rest = multiply(other for other in term.factors if not own(other))
            sides.setdefault(factor, ([], []))[n].append(rest)
    if not sides or not all(values.surely(factor, False, assumed) for factor in sides):
        return [(ONE, greater, lesser)]
    return [
        (factor, add(sides[factor][0]), add(sides[factor][1]))
        for factor in sorted(sides, key=lambda f: f.key)
    ]


def _is_own(parameters: Collection[str]) -> Callable[[Term], bool]:
    return lambda factor: bool(factor.letters) and all(name in parameters for name in factor.letters)


def distributed(term: Term) -> Term:
    """Products of sums multiplied out, powers left as they are."""
    if term.kind == "sum":
        return add(map(distributed, term.parts))
    products = [ONE]
    for factor in map(distributed, term.parts) if term.kind == "product" else [term]:
        products = [product * other for product in products for other in factor.summands]
    return add(products)
