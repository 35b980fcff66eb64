"""Whether one formula is at least another one wherever some facts hold, found anew without a certificate.

Worst cases are told apart: in each case one member is the largest, which is a fact more.  What is left is a
sum of monomials.  It is ≥ 0 if it is a sum, with factors ≥ 0, of monomials that are ≥ 0 and of products of
facts with such monomials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, permutations
from math import floor
from random import Random
from typing import Any

from second_checker.algebra import Algebra
from second_checker.enclosures import INF
from second_checker.forms import UNIT, ZERO, Form, add, letters, made, minus, number, of_atom
from second_checker.linear import is_combination
from second_checker.outcomes import NotRead
from second_checker.rewriting import rewritten

DEEP, WIDE, POINTS, FEW = 14, 500, 300, 8
GRID = 2**40
Monomial = frozenset[Any]


class Everywhere:
    """Letters with domains, and facts: formulas that are ≥ 0."""

    def __init__(self, algebra: Algebra, facts: Sequence[Form]) -> None:
        self.algebra, self.facts = algebra, [*facts, *(form for form, _ in algebra.assumed)]

    def is_at_least(self, greater: Form, lesser: Form) -> bool:
        """Whether greater ≥ lesser is shown."""
        difference = minus(greater, lesser)
        by_parameters: dict[frozenset[str], Form] = {}
        for term in difference:
            own = frozenset(name for name in letters(frozenset([term])) if "__" not in name)
            by_parameters[own] = add(by_parameters.get(own, ZERO), frozenset([term]))
        apart = all(self.is_shown(form, self.facts, DEEP) for form in by_parameters.values())
        return apart or self.is_shown(difference, self.facts, DEEP)

    def is_shown(self, form: Form, facts: list[Form], deep: int) -> bool:
        """Whether a formula is shown to be ≥ 0 where facts hold."""
        if self.algebra.sign(form) >= 1 or self.is_by_squares(form):
            return True
        worst = innermost([form]) or innermost(facts)
        if worst is None:
            return self.is_sum(form, facts)
        plain = [fact for fact in facts if innermost([fact]) is None]
        if len(plain) > len(self.facts) and is_combination({UNIT: Fraction(-1)}, self.columns([UNIT], plain)):
            return True
        _, m, members = worst
        every = list(Counter(dict(members)).elements())
        for chosen in combinations(range(len(every)), m) if deep else ():
            largest = [every[n] for n in chosen]
            others = [every[n] for n in range(len(every)) if n not in chosen]
            value = add(*largest)
            more = [minus(x, y) for x in largest for y in others]
            there = [one if one in plain else self.replaced(one, worst, value) for one in facts]
            if not self.is_shown(self.replaced(form, worst, value), [*there, *more], deep - 1):
                return False
        return bool(deep)

    def is_by_squares(self, form: Form) -> bool:
        """Whether a formula is x − y for products x, y ≥ 0, of which the squares differ by what is ≥ 0."""
        more, less = (made((m, way * c) for m, c in form if way * c > 0) for way in (1, -1))
        if len(more) != 1 or len(less) != 1 or min(map(self.algebra.sign, (more, less))) < 1:
            return False
        with suppress(NotRead):
            return (
                self.algebra.sign(minus(self.algebra.times(more, more), self.algebra.times(less, less))) >= 1
            )
        return False

    def replaced(self, form: Form, worst: Any, value: Form) -> Form:
        """A formula with one of its members in place of a worst case."""
        return rewritten(self.algebra, form, lambda a: value if a == worst else None)

    # -- sums of products of facts -----------------------------------------------------------------------

    def is_sum(self, form: Form, facts: list[Form]) -> bool:
        """Whether a formula is a sum of products of facts, or the facts contradict each other."""
        known = [
            *facts,
            *self.of_squares(facts),
            *self.of_roots([form, *facts]),
            *self.of_constants([form, *facts]),
        ]
        for facts_there in (known, [*known, *self.of_pairs(known)]):
            if is_combination(dict(form), self.columns([m for m, _ in form], facts_there)):
                return True
        return is_combination({UNIT: Fraction(-1)}, self.columns([UNIT], known))

    def columns(self, wanted: Sequence[Monomial], known: Sequence[Form]) -> list[dict[Any, Fraction]]:
        """Products of facts with monomials that lead to those that are wanted, and all monomials ≥ 0."""
        found: dict[Form, None] = {}
        for fact in known:
            for factor in {self.quotient(m, n) for m in wanted for n, _ in fact} | {UNIT}:
                if factor is not None and len(found) < WIDE:
                    with suppress(NotRead):
                        found[self.algebra.times(fact, made([(factor, Fraction(1))]))] = None
        rows = [dict(one) for one in found]
        monomials = {m for row in rows for m in row} | {*wanted}
        return rows + [{m: Fraction(1)} for m in monomials if self.is_positive(m)]

    def quotient(self, m: Monomial, n: Monomial) -> Monomial | None:
        """m/n, if that is ≥ 0."""
        powers = dict(m)
        for a, p in n:
            powers[a] = powers.get(a, Fraction(0)) - p
        found = frozenset((a, p) for a, p in powers.items() if p)
        return found if self.is_positive(found) else None

    def is_positive(self, m: Monomial) -> bool:
        """Whether a monomial is seen to be ≥ 0."""
        return all(self.algebra.atom_sign(a) >= (2 if p < 0 else 1) or (p > 0 and p % 2 == 0) for a, p in m)

    # -- what is always true -----------------------------------------------------------------------------

    def of_squares(self, facts: Sequence[Form]) -> Iterator[Form]:
        """x² ≥ y² where x ≥ y, for products x, y ≥ 0."""
        for fact in facts:
            more, less = (made((m, way * c) for m, c in fact if way * c > 0) for way in (1, -1))
            if len(more) == len(less) == 1 and all(self.is_positive(m) for m, _ in fact):
                yield minus(self.algebra.times(more, more), self.algebra.times(less, less))

    def of_pairs(self, facts: Sequence[Form]) -> Iterator[Form]:
        """Products of two facts, of few."""
        for one, other in combinations(list(dict.fromkeys(facts))[:FEW], 2):
            with suppress(NotRead):
                yield self.algebra.times(one, other)

    def of_constants(self, forms: Sequence[Form]) -> Iterator[Form]:
        """Numbers between which roots and logarithms of numbers lie."""
        parts = {frozenset((a, p) for a, p in m if not of_atom(a)) for form in forms for m, _ in form}
        for part in parts - {UNIT}:
            form = made([(part, Fraction(1))])
            low, high = self.algebra.enclose(form, {})
            if low > -INF and high < INF:
                yield minus(form, number(Fraction(floor(low * GRID), GRID)))
                yield minus(number(Fraction(floor(high * GRID) + 1, GRID)), form)

    def of_roots(self, forms: Sequence[Form]) -> Iterator[Form]:
        """Of √(Σ v²): each v, their sum, and Σ c·v ≤ √(Σ c²)·√(Σ v²); of families the mean."""
        atoms = {a for form in forms for m, _ in form for a, p in m}
        roots = {a: entries for a in atoms if a[0] == "sum" and (entries := self.squares(a[1])) is not None}
        for a, entries in roots.items():
            root = made([(frozenset([(a, Fraction(1, 2))]), Fraction(1))])
            yield minus(add(*entries), root)
            yield from (minus(root, v) for v in entries)
            yield from (self.algebra.power(minus(x, y), Fraction(2)) for x, y in combinations(entries, 2))
            yield minus(self.algebra.times(root, self.length([number(1)] * len(entries))), add(*entries))
            for other, lengths in roots.items():
                if other != a and len(lengths) == len(entries):
                    whole = made([(frozenset([(other, Fraction(1, 2))]), Fraction(1))])
                    for ordered in permutations(lengths):
                        products = (self.algebra.times(c, v) for c, v in zip(ordered, entries, strict=True))
                        yield minus(self.algebra.times(whole, root), add(*products))
        for a in atoms:
            if a[0] == "family" and a[1] is not None and self.algebra.sign(a[2]) >= 1:
                yield from self.of_largest(a)

    def of_largest(self, a: Any) -> Iterator[Form]:
        """Of the m largest members: at least one, at most all, and m times the largest."""
        _, m, member, count = a
        own = made([(frozenset([(a, Fraction(1))]), Fraction(1))])
        whole, most = self.algebra.family(None, member, count), self.algebra.family(1, member, count)
        many = number(m) if isinstance(m, int) else m
        yield from (minus(self.algebra.times(count, most), whole), minus(whole, most), minus(whole, own))
        if self.algebra.sign(minus(many, number(1))) >= 1:
            yield from (minus(self.algebra.times(many, most), own), minus(own, most))

    def length(self, entries: Sequence[Form]) -> Form:
        """√(Σ c²)."""
        return self.algebra.power(add(*(self.algebra.times(c, c) for c in entries)), Fraction(1, 2))

    def squares(self, form: Form) -> list[Form] | None:
        """What are the squares of what is ≥ 0, if a form is the sum of these."""
        found = []
        for m, c in form:
            if c < 0 or not self.is_positive(frozenset((a, p / 2) for a, p in m)):
                return None
            found.append(self.algebra.power(made([(m, c)]), Fraction(1, 2)))
        return found


def sampled(algebra: Algebra, facts: Sequence[Form]) -> Iterator[dict[str, Fraction]]:
    """Some points at which all facts hold."""
    drawn = Random(1)
    known = [*facts, *(form for form, _ in algebra.assumed)]
    for _ in range(POINTS):
        point: dict[str, Fraction] = {}
        for name in sorted(algebra.domains):
            for own in [name] if "[i]" not in name else [name.replace("[i]", f"[{j}]") for j in range(1, 9)]:
                point[own] = value_of(algebra, name, Fraction(drawn.randrange(21), drawn.choice((1, 10))))
        if all(algebra.enclose(form, point)[0] >= 0 for form in known):
            yield point


def value_of(algebra: Algebra, name: str, x: Fraction) -> Fraction:
    """A value of a letter for each number from 0 on."""
    (low, high), box = algebra.ends(name), algebra.domains[name]
    if box.get("integer"):
        return Fraction(low if low > -INF else 0) + x.numerator % 3
    if low == -INF:
        return 2 * x - 1 if high == INF else Fraction(high) - x
    x = Fraction(1, 3) if not x and box.get("open-least") else x
    if high == INF:
        return Fraction(low) + x
    return Fraction(low) + (Fraction(high) - Fraction(low)) * x / (20 if not box.get("open-greatest") else 21)


def innermost(forms: Sequence[Form]) -> Any:
    """A worst case that has no other one in it."""
    for form in forms:
        for monomial, _ in form:
            for a, _ in monomial:
                if a[0] == "top":
                    return innermost([x for x, _ in a[2]]) or a
                if a[0] in ("sum", "power", "exp", "log") and (found := innermost([a[1]])):
                    return found
    return None


__all__ = ["Everywhere", "sampled"]
