"""Two formulas at points: where they differ they are not the same, and where they agree nothing is known."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from second_checker.algebra import Algebra
from second_checker.enclosures import INF
from second_checker.forms import Form, add, letters, made, minus, scale
from second_checker.outcomes import NotRead, Rejected

STEPS = (Fraction(1, 7), Fraction(2, 3), Fraction(9, 5))
WAYS = [*((step, 0) for step in STEPS), *((STEPS[1], k) for k in (2, 3, 5, 6))]
"""How far letters are from their ends, and by which of their numbers modulo 7 they are ordered; 0: as they come."""


def points(algebra: Algebra, names: set[str]) -> Iterator[dict[str, Fraction]]:
    """Some allowed points of letters; families have up to four members."""
    for shifted, (step, way) in enumerate(WAYS):
        point: dict[str, Fraction] = {}
        for place, name in enumerate(sorted(names), 1):
            n = way * place % 7 + 1 if way else place
            low, high = algebra.ends(name)
            least = Fraction(low) if low != -INF else Fraction(-1)
            if algebra.domains[name].get("integer"):
                point[name] = least + (n + shifted) % 3
                continue
            for j in range(1, 9) if "[i]" in name else [(8, 1, 2, 4)[shifted % 4]]:
                far = step * n / j
                value = least + far if high == INF else least + (Fraction(high) - least) * far / (1 + far)
                point[name.replace("[i]", f"[{j}]")] = value
        yield point


def differ(algebra: Algebra, x: Form, y: Form) -> bool:
    """Whether two formulas have different values at some point."""
    for point in points(algebra, letters(x) | letters(y)):
        (low, high), (least, most) = algebra.enclose(x, point), algebra.enclose(y, point)
        if high < least or most < low:
            return True
    return False


def demand_same(algebra: Algebra, x: Form, y: Form, reason: str) -> None:
    """Rejects two formulas that differ at a point; refuses those that have other forms only."""
    if same_cleared(algebra, x, y):
        return
    if differ(algebra, x, y):
        raise Rejected(reason)
    raise NotRead("formula", reason)


def same_cleared(algebra: Algebra, x: Form, y: Form) -> bool:
    """Whether two formulas are one function, seen after multiplying by denominators."""
    try:
        difference = add(inward(algebra, x), scale(inward(algebra, y), -1))
        same = x == y or not difference or not without_quotients(algebra, minus(x, y))
        return same or same_squares(algebra, difference)
    except NotRead:
        return False


def same_squares(algebra: Algebra, form: Form) -> bool:
    """Whether a form is x − y for products x, y ≥ 0 with the same square."""
    more, less = (made((m, way * c) for m, c in form if way * c > 0) for way in (1, -1))
    if len(more) != 1 or len(less) != 1 or min(map(algebra.sign, (more, less))) < 1:
        return False
    return not minus(algebra.times(more, more), algebra.times(less, less))


def inward(algebra: Algebra, form: Form) -> Form:
    """The form with the numbers in front of worst cases in their members, and so on inside of these."""
    total = []
    for monomial, factor in form:
        term = frozenset([(monomial, factor)])
        if len(monomial) == 1:
            ((a, p),) = monomial
            if a[0] == "top" and p == 1:
                every = [inward(algebra, scale(x, abs(factor))) for x, n in a[2] for _ in range(n)]
                term = scale(algebra.top(a[1], every), 1 if factor > 0 else -1)
        total.append(term)
    return add(*total)


def without_quotients(algebra: Algebra, form: Form) -> Form:
    """The form times its denominators, where they are seen to be > 0."""
    for _ in range(8):
        below = {(a, p) for monomial, _ in form for a, p in monomial if a[0] == "sum" and p < 0}
        if not below:
            return form
        a, p = min(below, key=lambda one: one[1])
        if algebra.atom_sign(a) != 2:
            return form
        form = algebra.times(form, frozenset([(frozenset([(a, -p)]), Fraction(1))]))
    return form


def demand_sign(algebra: Algebra, form: Form, strict: bool, reason: str) -> None:
    """Rejects what is below 0 at a point; refuses what is not seen to be >= 0, or > 0."""
    if max(algebra.sign(form), algebra.sign(without_quotients(algebra, form))) >= 1 + strict:
        return
    for point in points(algebra, letters(form)):
        high = algebra.enclose(form, point)[1]
        if high < 0 or (strict and high == 0):
            raise Rejected(reason)
    raise NotRead("formula", reason)


__all__ = ["demand_same", "demand_sign", "differ"]
