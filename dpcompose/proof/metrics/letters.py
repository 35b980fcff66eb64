"""Metrics as formulas in the letters of two databases, and "d ≥ d′ everywhere" as comparisons of forms.

The letters are the coordinates of D and E, how many records of each kind differ, and one for every
root of a sum of squares.  What is proved of all values of the letters holds for all databases:

* a coordinate in [l, u] is l + (u − l)·t with t in [0, 1];
* of a norm n = ‖v‖₂ it is used that max |v_j| ≤ n ≤ Σ |v_j|, and n ≤ w for points of a disc of diameter w:
  so n may be replaced by max(n, |v_j|), and by min(n, Σ |v_j|, w); of m entries also that n ≥ Σ |v_j|/√m;
* of |Σ c_j·δ_j| that it is at most Σ |c_j|·|δ_j|, and ‖c‖₂·‖δ‖₂; of ‖Aδ‖₂ that it is at most Σ ‖A_j‖₂·|δ_j|;
* where a metric is 1 between any two different databases, both cases are looked at: equal and different.

How much of this is used is a level: 0, norms and absolute values are letters ≥ 0 of which nothing is
known; 1, letters with these inequalities; 2, letters, and what they are at most is put for them; 3, absolute
values are written out in the coordinates; 4, the same case by case, as each coordinate is larger at D or E.

Nothing is refuted by letters: see `composition`, where two databases are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import sympy

from dpcompose.kernel.forms import NotAForm
from dpcompose.kernel.terms import Term
from dpcompose.language import exchange, formulas
from dpcompose.language.symbols import NONNEGATIVE, REAL, UNIT_INTERVAL, Domain, symbol
from dpcompose.language.worstcase import Top, largest, least
from dpcompose.language.writing import absolute, as_top
from dpcompose.privacy.metrics.reading import MetricSetting
from dpcompose.proof.hypotheses.inputs import closed_form
from dpcompose.proof.registry import Theory
from dpcompose.spaces.databases import Multisets, Tuples
from dpcompose.spaces.maps import Positions, Restriction
from dpcompose.spaces.metrics import ClosedForm
from dpcompose.spaces.points import AnyTwo, Declared, Euclid, Made, Points, Steps, Values, letter

COUNT = Domain.read("integer >= 0")


class NoForm(ValueError):
    """A metric has no formula in letters here; the message says which and what would do."""


@dataclass(frozen=True)
class Cell:
    """Records, or positions, that the metrics on a part do not tell apart, and how many of them differ.

    counts -- letters: how many records D has more, and E; or how many positions differ;
    holds -- the records or positions, as far as they are named.
    """

    counts: tuple[sympy.Symbol, ...]
    holds: tuple[Any, ...]
    domain: Domain


@dataclass(frozen=True)
class Case:
    """One comparison of terms, which the comparison of metrics falls into.

    of -- what the coordinates are in terms of the letters of the terms.
    """

    greater: Term
    lesser: Term
    of: Mapping[sympy.Symbol, sympy.Expr]


@dataclass(frozen=True, eq=False)
class Letters:
    """The letters of pairs of databases of a setting, and metrics as formulas in them."""

    setting: MetricSetting
    theory: Theory
    _known: dict[Any, sympy.Expr] = field(default_factory=dict, repr=False)

    # metrics

    def of(self, metric: sympy.Expr, one: str = "D", two: str = "E", bounded: bool = False) -> sympy.Expr:
        """A formula in named metrics as one in the letters of two databases.

        bounded -- with the bounds that are declared: min(d, bound) in place of d.
        """
        asked = (metric, one, two, bounded)
        if asked not in self._known:
            named = self.setting.letters
            used = [name for name, one_of in named.items() if one_of in metric.free_symbols]
            values = {named[name]: self._named(name, one, two, bounded) for name in used}
            self._known[asked] = metric.xreplace(values)
        return self._known[asked]

    def _named(self, name: str, one: str, two: str, bounded: bool) -> sympy.Expr:
        metric = self.setting.metrics[name]
        match metric.distance:
            case Made(formula):
                value = self.of(formula, one, two, bounded)
            case Declared():
                value = symbol(f"declared__{name}", NONNEGATIVE)
            case AnyTwo(of):
                value = self.differ(of)
            case Steps() as steps:
                value = self._steps(name, steps)
            case known:
                value = known.between(one, two)
        if bounded and metric.at_most is not None:
            value = least(value, self.of(metric.at_most, one, two, bounded))
        return as_top(value)

    def differ(self, of: Values) -> sympy.Symbol:
        """The letter that is 1 where two databases differ in these values, else 0."""
        return symbol(f"differ__{of.name}", NONNEGATIVE)

    @cached_property
    def differing(self) -> dict[sympy.Symbol, Values]:
        """These letters, of all metrics that are 1 between any two."""
        found = (metric.distance for metric in self.setting.metrics.values())
        return {self.differ(one.of): one.of for one in found if isinstance(one, AnyTwo)}

    def _steps(self, name: str, steps: Steps) -> sympy.Expr:
        """The canonical metric of the image class, by its closed form in counts of records."""
        part = self.setting.databases[steps.part]
        assert not isinstance(part, Points)
        image = steps.reads.image(part)
        if image.count() == 1 or (isinstance(image, Tuples) and image.sizes.n == 0):
            return sympy.Integer(0)
        edits = steps.granularity.edits(image)
        stated = None if edits is None else closed_form(self.theory, image, edits)
        metric = None if stated is None else stated.metric
        if not isinstance(metric, ClosedForm) or metric.same_size or metric.at_once > 1:
            raise NoForm(
                f"the {steps.granularity} distance on {image}, which {name} is, is no formula in how many "
                "records differ, all of which are possible; unbounded neighbours on multisets of any size "
                "would do, or bounded ones on tuples of a fixed length"
            )
        inside = [cell for cell in self.cells[steps.part] if self._reads(steps, cell)]
        names = ("changed",) if metric.ordered else ("removed", "added")
        totals = {one: sympy.Add(*(cell.counts[n] for cell in inside)) for n, one in enumerate(names)}
        value = formulas.parse(metric.formula, totals)
        if value is sympy.oo:
            raise NoForm(
                f"the {steps.granularity} distance on {image}, which {name} is, is never finite but 0"
            )
        return value

    @property
    def pages(self) -> set[str]:
        """The pages that state the closed forms of the setting's metrics."""
        found: set[str] = set()
        for metric in self.setting.metrics.values():
            if isinstance(metric.distance, Steps):
                part = self.setting.databases[metric.distance.part]
                assert not isinstance(part, Points)
                image = metric.distance.reads.image(part)
                edits = metric.distance.granularity.edits(image)
                stated = None if edits is None else closed_form(self.theory, image, edits)
                found |= set() if stated is None else set(stated.pages)
        return found

    def _reads(self, steps: Steps, cell: Cell) -> bool:
        return _inside(steps.reads, cell.holds[0] if cell.holds else None)

    @cached_property
    def cells(self) -> dict[str, tuple[Cell, ...]]:
        """For each part of records the kinds of records that metrics tell apart."""
        return {
            name: tuple(self._cells(name, part))
            for name, part in self.setting.databases.parts
            if not isinstance(part, Points)
        }

    def _cells(self, name: str, part: Multisets | Tuples) -> Iterator[Cell]:
        found = (metric.distance for metric in self.setting.metrics.values())
        reads = [one.reads for one in found if isinstance(one, Steps) and one.part == name]
        if isinstance(part, Tuples):
            if not part.sizes.exactly:
                raise NoForm(f'{part} of different lengths are infinitely far apart; size = "= n" would do')
            every: list[Any] = list(range(1, (part.sizes.n or 0) + 1))
        else:
            every = list(self.universe(name).records)
            if part.arbitrary:
                every.append(None)
        groups: dict[tuple[bool, ...], list[Any]] = {}
        for one in every:
            groups.setdefault(tuple(_inside(f, one) for f in reads), []).append(one)
        for n, some in enumerate(groups.values(), start=1):
            named = tuple(one for one in some if one is not None)
            if isinstance(part, Tuples):
                domain = replace(COUNT, greatest=Fraction(len(named)))
                yield Cell((symbol(f"{name}__changed_{n}", domain),), named, domain)
            else:
                letters = tuple(symbol(f"{name}__{way}_{n}", COUNT) for way in ("removed", "added"))
                yield Cell(letters, () if None in some else named, COUNT)

    def universe(self, name: str) -> Multisets:
        """The class of a part of multisets, with all records that metrics name."""
        part = self.setting.databases[name]
        assert isinstance(part, Multisets)
        found = (metric.distance for metric in self.setting.metrics.values())
        named = {
            record
            for one in found
            if isinstance(one, Steps) and one.part == name and isinstance(one.reads, Restriction)
            for record in one.reads.records
        }
        return replace(part, records=tuple(sorted({*part.records, *named}))) if part.arbitrary else part

    # comparisons

    def cases(self, greater: sympy.Expr, lesser: sympy.Expr, level: int) -> Iterator[Case]:
        """Comparisons of terms that together say: greater ≥ lesser for all databases and parameters.

        level -- one of LEVELS, how much is used of norms and absolute values.
        Raises NotAForm where a formula is none of these letters.
        """
        used = [one for one in self.differing if one in greater.free_symbols | lesser.free_symbols]
        for differ in product((1, 0), repeat=len(used)):
            values: dict[sympy.Symbol, sympy.Expr] = {}
            for one, value in zip(used, differ, strict=True):
                values[one] = sympy.Integer(value)
                if value == 0:
                    values |= self._equal(self.differing[one])
            of = self._coordinates(values)
            sides = [side.xreplace(values) for side in (greater, lesser)]
            for ordered in self._orders(sides, of) if level == LEVELS[-1] else (of,):
                reader = _Reader(self, ordered, level)
                more, less = (
                    reader.term(side.xreplace(ordered), upper)
                    for side, upper in zip(sides, (False, True), strict=True)
                )
                yield Case(more, less, ordered)

    def groups(
        self, greater: sympy.Expr, lesser: sympy.Expr
    ) -> list[tuple[sympy.Expr, sympy.Expr, sympy.Expr]]:
        """Comparisons g ≥ l, each with a factor f ≥ 0 of parameters: greater = Σ f·g and lesser = Σ f·l.

        Together they say that greater ≥ lesser.  A single one, with the factor 1, where some factor is not
        seen to be ≥ 0.
        """
        sides: dict[sympy.Expr, list[sympy.Expr]] = {}
        for n, side in enumerate((greater, lesser)):
            for term in sympy.Add.make_args(sympy.expand_mul(side)):
                factors = [one for one in sympy.Mul.make_args(term) if not one.is_Number]
                own = [
                    one for one in factors if {str(x) for x in one.free_symbols} <= set(self.setting.domains)
                ]
                factor = sympy.Mul(*own)
                sums = sides.setdefault(factor, [sympy.Integer(0), sympy.Integer(0)])
                sums[n] += term / factor
        if not all(self.never_negative(factor) for factor in sides):
            return [(sympy.Integer(1), greater, lesser)]
        return [(factor, *sides[factor]) for factor in sorted(sides, key=sympy.default_sort_key)]

    def _is_constant(self, it: sympy.Expr) -> bool:
        """Whether an expression depends on parameters only, and on no database."""
        return all(str(one) in self.setting.domains for one in it.free_symbols)

    def never_negative(self, factor: sympy.Expr) -> bool:
        """Whether a formula in the parameters is seen to be ≥ 0."""
        return exchange.is_never_negative(factor, self.setting.domains)

    def _equal(self, values: Values) -> dict[sympy.Symbol, sympy.Expr]:
        """What the letters of E are where the parts are equal; of maps nothing follows for coordinates."""
        equal: dict[sympy.Symbol, sympy.Expr] = {}
        for name in values.parts:
            part = self.setting.databases[name]
            if isinstance(part, Points):
                equal |= {letter(one, "E"): letter(one, "D") for one in part.coordinates}
            else:
                equal |= {one: sympy.Integer(0) for cell in self.cells[name] for one in cell.counts}
        return equal

    def _coordinates(self, equal: Mapping[sympy.Symbol, sympy.Expr]) -> dict[sympy.Symbol, sympy.Expr]:
        """Every coordinate that lies in an interval, in terms of a letter t in [0, 1] or from 0 on."""
        found = {}
        for _, part in self.setting.databases.points:
            for name, interval in zip(part.coordinates, part.box, strict=True):
                low, high = interval.least, interval.greatest
                if part.disc is not None:
                    low, high = -part.disc / 2, part.disc / 2
                for who in "DEF":
                    t = self.parameter_of(name, who)
                    if low is not None and high is not None:
                        found[letter(name, who)] = low + (high - low) * t
                    elif low is not None:
                        found[letter(name, who)] = low + t
                    elif high is not None:
                        found[letter(name, who)] = high - t
        return {one: value for one, value in found.items() if one not in equal}

    def _orders(
        self, sides: Sequence[sympy.Expr], of: Mapping[sympy.Symbol, sympy.Expr]
    ) -> Iterator[dict[sympy.Symbol, sympy.Expr]]:
        """The coordinates in all orders of D and E: the larger one is the smaller one and a letter g ≥ 0.

        Where both are l + (u − l)·t, that of the larger is t + (1 − t)·g with g in [0, 1].
        """
        used = {one for side in sides for one in side.free_symbols}
        both = [
            name
            for name in self.setting.databases.intervals
            if {letter(name, "D"), letter(name, "E")} <= used
        ]
        if len(both) > MOST_ORDERED:
            raise NotAForm(f"more than {MOST_ORDERED} coordinates are not looked at order by order")
        for larger in product("DE", repeat=len(both)):
            ordered = dict(of)
            for name, who in zip(both, larger, strict=True):
                smaller = letter(name, "E" if who == "D" else "D")
                g, t = self._gap(name), self.parameter_of(name, "E" if who == "D" else "D")
                low = of.get(smaller, smaller)
                width = sympy.diff(low, t) if low.has(t) else sympy.Integer(1)
                end = self.domains[g.name].greatest is not None
                ordered[letter(name, who)] = low + width * (1 - t) * g if end else low + g
            yield ordered

    def _gap(self, coordinate: str) -> sympy.Symbol:
        """The letter that says how much larger a coordinate is at one of D, E."""
        return symbol(f"{coordinate}__gap", NONNEGATIVE)

    def parameter_of(self, coordinate: str, who: str) -> sympy.Symbol:
        """The letter t that says where in its interval a coordinate lies."""
        return symbol(f"{coordinate}__{who}_t", NONNEGATIVE)

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """The values of all letters but those of norms, and of the parameters."""
        made = dict(self.setting.domains)
        for _, part in self.setting.databases.points:
            for name, interval in zip(part.coordinates, part.box, strict=True):
                ends = [interval.least, interval.greatest] if part.disc is None else [part.disc, part.disc]
                made[self._gap(name).name] = NONNEGATIVE if None in ends else UNIT_INTERVAL
                for who in "DEF":
                    made[str(letter(name, who))] = REAL
                    made[str(self.parameter_of(name, who))] = (
                        UNIT_INTERVAL if None not in ends else NONNEGATIVE
                    )
        for cells in self.cells.values():
            made |= {str(one): cell.domain for cell in cells for one in cell.counts}
        return made | {f"declared__{name}": NONNEGATIVE for name in self.setting.metrics}


def _inside(reads: Any, one: Any) -> bool:
    """Whether a map reads a record (None: one that is not named), or a position."""
    if isinstance(reads, Restriction):
        return one in reads.records
    return one in reads.positions if isinstance(reads, Positions) else True


LEVELS = (0, 1, 2, 3, 4)
"""How much a comparison uses of norms and absolute values, from nothing on."""
IN_COORDINATES = (3, 4)
"""The levels at which absolute values are written out."""
MOST_ORDERED = 3
"""The most coordinates that are looked at in all orders of D and E."""


class _Reader:
    """Formulas with norms as terms: a letter for every norm, the same on both sides."""

    def __init__(self, letters: Letters, of: Mapping[sympy.Symbol, sympy.Expr], level: int) -> None:
        self.letters, self.level = letters, level
        self.norms: dict[sympy.Expr, sympy.Symbol] = {}
        self.parameters = letters.setting.domains
        self.domains = dict(letters.domains)
        self.discs = {}
        for _, part in letters.setting.databases.points:
            for one, two in ("DE", "EF", "DF") if part.disc is not None else ():
                moved = [letter(name, one) - letter(name, two) for name in part.coordinates]
                self.discs[Euclid(*moved).xreplace(of)] = part.disc

    def term(self, side: sympy.Expr, upper: bool) -> Term:
        """One side as a term; `upper` -- whether norms are replaced by what they are at most.

        So are only those that the side grows with: 3 - n is at least 3 - (what n is at most), not at most.
        """
        side = as_top(side)
        fixed = self._fixed(side, 1) if upper else frozenset()
        known = {
            norm: self._norm(norm, upper and norm not in fixed)
            for norm in sorted(side.atoms(Euclid, Top), key=str)
            if self._is_norm(norm)
        }
        return exchange.in_domains(as_top(side.xreplace(known)), self.domains)

    def _is_norm(self, it: sympy.Expr) -> bool:
        """Whether a letter is put for an expression."""
        written = self.level in IN_COORDINATES
        return isinstance(it, Euclid) or (not written and isinstance(it, Top) and self._is_absolute(it))

    def _fixed(self, it: sympy.Expr, way: int) -> frozenset[sympy.Expr]:
        """The norms with which `it` is not seen to grow (way = 1), or to fall (way = −1)."""
        if self._is_norm(it):
            return frozenset() if way > 0 else frozenset({it})
        inside = [one for one in it.args if any(map(self._is_norm, one.atoms(Euclid, Top)))]
        if it.is_Mul and len(inside) == 1:
            factor = sympy.Mul(*(one for one in it.args if one != inside[0]))
            for sign in (1, -1):
                if self.letters.never_negative(sign * factor):
                    return self._fixed(inside[0], way * sign)
        monotone = it.is_Add or isinstance(it, Top) or (it.is_Pow and it.exp == sympy.Rational(1, 2))
        if monotone or (it.is_Pow and it.exp.is_Rational and it.exp > 0 and self._is_norm(it.base)):
            return frozenset().union(*(self._fixed(one, way) for one in inside))
        return frozenset(one for one in it.atoms(Euclid, Top) if self._is_norm(one))

    def _is_absolute(self, it: sympy.Expr) -> bool:
        """Whether an expression is |v| for some v that depends on the databases."""
        both = it.args[0] == 1 and len(it.terms) == 2 and sympy.expand(it.terms[0] + it.terms[1]) == 0
        return both and not self._is_constant(it)

    def _is_constant(self, it: sympy.Expr) -> bool:
        return all(one.name in self.parameters for one in it.free_symbols)

    def _norm(self, norm: sympy.Expr, upper: bool) -> sympy.Expr:
        """The letter of a norm, with what it is at least, or at most."""
        if not isinstance(norm, Euclid):
            return self._absolute(norm.terms[0], upper)
        n = self._letter(norm)
        if self.level == 0:
            return n
        written = self.level in IN_COORDINATES
        entries = [absolute(one) if written else self._absolute(one, False) for one in norm.args]
        total = sympy.Add(*entries)
        if not upper:  # (Σ |v_j|)² ≤ m Σ v_j²
            mean = [total * sympy.sqrt(len(entries)) / len(entries)] if self.level == 1 else []
            return largest(n, *entries, *mean)
        known = [self.discs[norm]] if norm in self.discs else []
        columns = [] if written else self._by_columns(norm)
        if self.level == 2:
            return next(iter([*columns, *known]), n)
        return least(n, total, *known, *columns)

    def _by_columns(self, norm: sympy.Expr) -> list[sympy.Expr]:
        """What ‖Aδ‖₂ is at most where entries are sums: Σ_j ‖A_j‖₂·|δ_j|, A_j being the columns of A."""
        rows = [self._steps(one) for one in norm.args]
        if not all(rows) or all(len(row) == 1 for row in rows):
            return []
        every = dict.fromkeys(delta for row in rows for delta in row)
        lengths = {
            delta: sympy.sqrt(sympy.Add(*(row.get(delta, sympy.Integer(0)) ** 2 for row in rows)))
            for delta in every
        }
        return [sympy.Add(*(c * self._letter(absolute(delta)) for delta, c in lengths.items()))]

    def _absolute(self, v: sympy.Expr, upper: bool) -> sympy.Expr:
        """|v| as a letter: of Σ c_j·δ_j, δ_j being how far coordinates move, it is at most Σ |c_j|·|δ_j|, and
        at most √(Σ c_j²)·√(Σ δ_j²)."""
        steps = self._steps(v)
        if len(steps) == 1:
            ((delta, c),) = steps.items()
            return self._size(c) * self._letter(absolute(delta))
        n = self._letter(absolute(v))
        if self.level == 0 or not upper or not steps:
            return n
        total = sympy.Add(*(self._size(c) * self._letter(absolute(delta)) for delta, c in steps.items()))
        together = Euclid(*steps)
        if self.level == 2 and together not in self.norms:
            return total
        if together not in self.norms:
            return least(n, total)
        turned = sympy.sqrt(sympy.Add(*(c**2 for c in steps.values()))) * self.norms[together]
        return turned if self.level == 2 else least(n, total, turned)

    def _steps(self, v: sympy.Expr) -> dict[sympy.Expr, sympy.Expr]:
        """v as Σ c_j·δ_j, δ_j being a coordinate of D minus that of E, by δ_j; {} where it is none."""
        v = sympy.expand(v)
        found = {}
        for one in sorted(v.free_symbols, key=str):
            if "__D" in one.name:
                delta = one - symbol(one.name.replace("__D", "__E"), _domain(one))
                found[delta] = v.coeff(one)
        rest = sympy.expand(v - sympy.Add(*(c * delta for delta, c in found.items())))
        return found if rest == 0 and all(map(self._is_constant, found.values())) else {}

    def _size(self, c: sympy.Expr) -> sympy.Expr:
        """|c| for a formula in the parameters."""
        for one in (c, -c):
            if exchange.is_never_negative(one, self.parameters):
                return one
        return absolute(c)

    def _letter(self, norm: sympy.Expr) -> sympy.Symbol:
        if isinstance(norm, Top):
            first, second = sorted((sympy.expand(one) for one in norm.terms), key=sympy.default_sort_key)
            norm = Top(1, first, second)
        if norm not in self.norms:
            self.norms[norm] = symbol(f"norm__{len(self.norms) + 1}", NONNEGATIVE)
            self.domains[str(self.norms[norm])] = NONNEGATIVE
        return self.norms[norm]


def _domain(one: sympy.Symbol) -> Domain:
    """The values that a letter of a coordinate may take, by its assumptions."""
    return NONNEGATIVE if one.is_nonnegative else REAL
