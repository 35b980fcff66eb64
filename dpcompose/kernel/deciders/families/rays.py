"""Rays: why a comparison over all k and all e[1], …, e[k] is one over a few letters.

Let T_m be the sum of the m largest members and S the sum of all.  Both do not change when
members change places, so let e[1] ≥ … ≥ e[k] ≥ 0.  Such a vector is Σ_j α_j·(1, …, 1, 0, …, 0)
with j ones and α_j ≥ 0, where T_m = Σ_j min(m, j)·α_j and S = Σ_j j·α_j.  Let M be the largest m
that occurs.  For j ≥ M the value of every T_m is m, and S = j lies between M and k, so these
rays are mixtures of the ones with M and with k members:

    T_m = Σ_{j<M} min(m, j)·a_j + m·(b + c),    S = Σ_{j<M} j·a_j + M·b + k·c,

with a_j, b, c ≥ 0.  A family may also be composite: its members g[i] ≥ 0 are made of others, as
e[i]**2, or g[i] = α·e[i] + β·f[i] with α, β > 0; its T_m are those of the vector g.  Where T_m(g)
of such a sum stands on the lesser side only, it is at most α·T_m(e) + β·T_m(f), and equal to it where
both are in descending order; else g is taken as a family of its own, of which nothing more is
known than that it is ≥ 0.  T_m(e)² on the greater side is at least T_m(e²).  Where k is a letter,
k·a_j = max(j, least k)·a_j + (something ≥ 0), and the same for b and c with M in place of j.  What
holds for all values of these letters holds for all k and all members.  Nothing is written out.

Numbers of largest members may also be multiples of one letter, c_1·L < … < c_n·L, if M ≤ c_1·L for all L.
T_m at a ray of j members, min(m, j), and S, j, are linear in j between neighbours among 1, …, M, c_1·L, …,
c_n·L, k, where k is left out if it is not the largest.  So every ray is a mixture of those of the
neighbours, which need not be rays of k members themselves: then only "all" knows that k ≥ c_n·L, and the
others that k ≥ j for j ≤ M.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions import forms, substitution, terms
from dpcompose.kernel.expressions.certificates import BadCertificate, entries, formula, word
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.forms import Form, Known, Monomial, NotAForm, Peak
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

LARGEST_TOP = 1_000
"""The most members that a top(m, …) may add up."""
Family = tuple[Term, Term]
"""The general member and the number of members."""


@frozen
class Largest:
    """How many largest members are added up: at most a number, and some multiples of one letter."""

    most: int
    multiples: tuple[Term, ...] = ()

    def with_size(self, m: Term) -> Largest:
        """The same with one more number.  Raises NotAForm where the order of the numbers is not known."""
        if m.number is not None:
            made = Largest(max(self.most, int(m.number)), self.multiples)
        else:
            every = sorted({*self.multiples, m}, key=lambda one: one.split[0])
            made = Largest(self.most, tuple(every))
        if made.multiples:
            factor, letter = made.multiples[0].split
            alike = all(multiple.split[1] == letter for multiple in made.multiples)
            if not alike or factor * (letter.of[1].least or 0) < made.most:
                raise NotAForm("which of two numbers of largest members is larger is not known")
        return made


@frozen
class _Rays:
    """The letters of one family: M rays of j equal members, those of multiples of a letter, and the one of
    all k; named after `prefix`."""

    count: Term
    of: Largest
    prefix: str

    def letter(self, j: int | str) -> Term:
        """The letter of j equal members, "all" for k of them, "times_n" for the n-th multiple."""
        return terms.letter(f"{self.prefix}_{j}", NONNEGATIVE)

    @property
    def most(self) -> int:
        return self.of.most

    @property
    def letters(self) -> list[int | str]:
        return [*range(1, self.most + 1), *self.multiples, "all"]

    @property
    def multiples(self) -> dict[str, Term]:
        """The multiples of a letter, by what their rays are called."""
        return {f"times_{n}": multiple for n, multiple in enumerate(self.of.multiples, start=1)}

    def size(self, j: int | str) -> Term:
        """How many equal members a ray has; of all k those that it has at least."""
        if isinstance(j, int):
            return terms.number(j)
        if j != "all":
            return self.multiples[j]
        return self.of.multiples[-1] if self.of.multiples else terms.number(self.most)

    @property
    def every(self) -> list[Term]:
        """All letters, and those of what is more."""
        return [self.letter(f"{j}{more}") for j in self.letters for more in ("", "_more")]

    def times_count(self, j: int | str) -> Form:
        """k times the letter."""
        letter, more = Form.letter(self.letter(j)), Form.letter(self.letter(f"{j}_more"))
        if j == "all" and self.of.multiples:
            return forms.read(self.size(j)) * letter + more
        if (number := self.count.number) is not None:
            return letter.scaled(number)
        least = self.count.of[1].least or Fraction(1)
        known = self.size(j).number
        return letter.scaled(least if known is None else max(least, known)) + more

    def value(self, m: Term | None, by_count: bool) -> Form:
        """T_m, or S for m = None, in the letters; `by_count`: k times it."""
        parts = []
        for j in self.letters:
            unit = self.times_count(j) if by_count else Form.letter(self.letter(j))
            if m is None and j == "all":
                if by_count:
                    raise NotAForm("a sum over a family is multiplied by the number of its members")
                parts.append(self.times_count(j))
            else:
                parts.append(unit * forms.read(self.size(j) if m is None else self.fewer(m, self.size(j))))
        return forms.total(parts)

    def fewer(self, m: Term, size: Term) -> Term:
        """The smaller one of two numbers of members: whole numbers are at most multiples of the letter."""
        if (m.number is None) == (size.number is None):
            return min(m, size, key=lambda one: one.split[0])
        return size if m.number is None else m


def on_rays(
    difference: Form,
    data: Any,
    symbols: Mapping[str, Term],
    known: Known = forms.NOTHING,
    assumed: tuple[Form, ...] = (),
) -> tuple[Form, dict[str, Term], tuple[Form, ...]]:
    """A form that is at most the difference, without families, the new letters by name, and what is assumed.

    data -- for each family its member, its number of members and how its letters are called;
    assumed -- forms ≥ 0: each is said in the new letters, and times the number of members of each family.
    Raises NotAForm where a product with k is not covered, BadCertificate for other families.
    """
    below = prepared(difference, known)
    families = {}
    for member, count, prefix in entries(data, 3):
        families[formula(member, symbols), formula(count, symbols)] = word(prefix)
    most = largest(below, known)
    if set(families) != set(most) or len(set(families.values())) != len(families):
        raise BadCertificate("the families are others")
    rays = {family: _Rays(family[1], m, families[family]) for family, m in most.items()}
    new = [letter for ray in rays.values() for letter in ray.every]
    names = {letter.of[0]: letter for letter in new}
    if len(names) != len(new) or names.keys() & symbols.keys() or not all(map(str.isidentifier, names)):
        raise BadCertificate("a new letter has the name of another one")
    every = [one for form in assumed for one in (form, *(forms.read(count) * form for _, count in families))]
    return _replaced(below, rays, known), names, tuple(_assumed(form, rays, known) for form in every)


def _assumed(form: Form, rays: Mapping[Family, _Rays], known: Known) -> Form:
    """A form ≥ 0 in the letters of rays; nothing is said where it adds up more members than these tell."""
    try:
        told = {family: of.most for family, of in largest(form, known).items()}
        if form.peaks or any(family not in rays or most > rays[family].most for family, most in told.items()):
            return Form()
        return _replaced(form, rays, known)
    except NotAForm:
        return Form()


def prepared(difference: Form, known: Known = forms.NOTHING) -> Form:
    """A form that is at most the difference: squares inside, and sums of families apart."""
    lower = _squares_inside(difference, known)
    return _separated(lower, _sums_above(lower, known), known)


def largest(form: Form, known: Known = forms.NOTHING) -> dict[Family, Largest]:
    """The families whose members are ≥ 0, each with how many are added up; at most its size."""
    most: dict[Family, Largest] = {}
    for letter in sorted(overs(form), key=lambda over: over.key):
        m, member, count = letter.of
        if forms.term_sign(member, known) < 0:
            continue
        size = terms.ONE if m == count else m
        if size.number is not None and size.number > LARGEST_TOP:
            raise NotAForm("a sum of that many largest members")
        if count.number is not None and size.number is not None:
            size = min(size, count, key=lambda one: one.number or 0)
        most[member, count] = most.get((member, count), Largest(1)).with_size(size)
    return most


def overs(form: Form) -> list[Term]:
    """The worst cases over families that are letters of a form."""
    return [letter for letter in form.letters if letter.kind == "over"]


def _replaced(form: Form, rays: Mapping[Family, _Rays], known: Known) -> Form:
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            parts.append(forms.top(term.m, [_replaced(inner, rays, known) for inner in term.of]).scaled(c))
        else:
            parts.append(_monomial(term, rays).scaled(c))
    return forms.total(parts)


def _monomial(term: Monomial, rays: Mapping[Family, _Rays]) -> Form:
    powers = dict(term)
    value = Form.constant(1)
    for letter, power in term:
        if letter.kind != "over" or letter.of[1:] not in rays:
            continue
        if power > 1:
            raise NotAForm("a worst case over a family is raised to a power")
        m, member, count = letter.of
        ray = rays[member, count]
        by_count = powers.get(count, 0) > 0
        if by_count:
            powers[count] -= 1
        del powers[letter]
        value = value * ray.value(None if m == count else _at_most(m, ray.most), by_count)
    rest = tuple((letter, power) for letter, power in powers.items() if power)
    return value * _of(rest)


def _at_most(m: Term, most: int) -> Term:
    """m, or the most members that are added up where that is a smaller number."""
    return m if m.number is None or m.number <= most else terms.number(most)


def _of(term: Iterable[tuple[Term, int]]) -> Form:
    return Form(((tuple(sorted(term, key=lambda pair: pair[0].key)), Fraction(1)),))


def _changed(term: Monomial, change: Mapping[Term, Form]) -> Form:
    """A monomial with forms in place of some letters."""
    value = _of((letter, power) for letter, power in term if letter not in change)
    for letter, power in term:
        for _ in range(power if letter in change else 0):
            value = value * change[letter]
    return value


def _squares_inside(form: Form, known: Known) -> Form:
    """A form that is at most this one: T_m(e²) for T_m(e)² where that is added, for members e[i] ≥ 0."""
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            inside = [_squares_inside(inner, known) for inner in term.of] if c > 0 else list(term.of)
            parts.append(forms.top(term.m, inside).scaled(c))
            continue
        value = Form.constant(c)
        for letter, power in term:
            squares = 0
            if letter.kind == "over" and power > 1 and c > 0 and forms.nonnegative(term, known):
                m, member, count = letter.of
                if forms.term_sign(member, known) >= 0:
                    squares = power // 2
                    square = forms.read(terms.over(m, substitution.expanded(member**2), count), known)
                    for _ in range(squares):
                        value = value * square
            if power > 2 * squares:
                value = value * _of([(letter, power - 2 * squares)])
        parts.append(value)
    return forms.total(parts)


def _sums_above(form: Form, known: Known, sign: int = 1) -> frozenset[Family]:
    """The families of sums that stand anywhere with a positive sign."""
    families: set[Family] = set()
    for term, c in form.terms:
        if isinstance(term, Peak):
            for inner in term.of:
                families |= _sums_above(inner, known, sign if c > 0 else -sign)
        elif c * sign > 0 or not forms.nonnegative(term, known):
            families |= {letter.of[1:] for letter, _ in term if letter.kind == "over"}
    return frozenset(families)


def _separated(form: Form, kept: frozenset[Family], known: Known) -> Form:
    """A form that is at most this one: α·T_m(e) + β·T_m(f) for each T_m(α·e + β·f) with a negative sign.

    kept -- the families that are left as they are.
    """
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            inner = [_separated(one, kept, known) for one in term.of]
            parts.append(forms.top(term.m, inner).scaled(c))
            continue
        apart = {
            letter: forms.total(
                Form.letter(terms.over(letter.of[0], one, letter.of[2])).scaled(factor)
                for one, factor in _summands(letter.of[1]).items()
            )
            for letter, power in term
            if letter.kind == "over" and power == 1 and letter.of[1:] not in kept and _summands(letter.of[1])
        }
        parts.append(_changed(term, apart).scaled(c))
    return forms.total(parts)


def _summands(member: Term) -> dict[Term, Fraction]:
    """The members e[i] that a composite one is a sum of, with positive rational factors; {} if it is none."""
    values = {}
    for part in member.summands:
        factor, letter = part.split
        if member.kind != "sum" or letter.kind != "letter" or not terms.moves(letter.of[0]) or factor <= 0:
            return {}
        values[letter] = factor
    return values
