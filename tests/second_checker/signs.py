"""Forms that are ≥ 0 by the signs of their terms, or of their coefficients in Bernstein's polynomials."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from second_checker.algebra import Algebra
from second_checker.forms import ZERO, Form, add, letters, made, scale
from second_checker.outcomes import Rejected, demand


def demand_signs(algebra: Algebra, form: Form) -> None:
    """Rejects where the form is not seen to be >= 0 by the signs of its terms."""
    if algebra.lower(form) == 0:
        if not letters(form) or algebra.range(form)[1] < 0:
            raise Rejected("a constant that should be >= 0 is below 0")
        raise Rejected("the rest is not seen to be >= 0")


def bernstein(algebra: Algebra, form: Form, unit: list[str]) -> None:
    """The coefficients in the products of x^j·(1 − x)^(n−j), all of whose terms must be >= 0."""
    for name in unit:
        box = algebra.domains.get(name, {})
        demand(Fraction(box.get("least", 1)) == 0 and Fraction(box.get("greatest", 0)) == 1, "no unit letter")
    split: dict[tuple[int, ...], Form] = {}
    for monomial, factor in form:
        powers = {a[1]: p for a, p in monomial if a[0] == "letter" and a[1] in unit}
        demand(
            all(p.denominator == 1 and p > 0 for p in powers.values()), "no polynomial in the unit letters"
        )
        rest = frozenset((a, p) for a, p in monomial if not (a[0] == "letter" and a[1] in unit))
        demand(not letters(made([(rest, Fraction(1))])) & set(unit), "no polynomial in the unit letters")
        key = tuple(int(powers.get(name, 0)) for name in unit)
        split[key] = add(split.get(key, ZERO), made([(rest, factor)]))
    degrees = [max((key[i] for key in split), default=0) for i in range(len(unit))]
    for j in product(*(range(n + 1) for n in degrees)):
        total = ZERO
        for p, c in split.items():
            share = Fraction(1)
            for ji, pi, n in zip(j, p, degrees, strict=True):
                share *= Fraction(comb(ji, pi), comb(n, pi))
            total = add(total, scale(c, share))
        demand_signs(algebra, total)


def seen(algebra: Algebra, form: Form) -> bool:
    """Whether a form is seen to be >= 0, as a polynomial in the letters from 0 to 1 where signs do not say it."""
    if algebra.sign(form) > 0:
        return True
    ends = {name: algebra.ends(name) for name in letters(form)}
    unit = [name for name, (low, high) in ends.items() if low == 0 and high == 1]
    try:
        bernstein(algebra, form, unit)
    except Rejected:
        return False
    return True
