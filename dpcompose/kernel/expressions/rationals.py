"""Terms at points where every part is a rational number: only numbers are computed, and no terms are made."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm, prod

from dpcompose.kernel.expressions.refusals import MOST_BITS
from dpcompose.kernel.expressions.terms import Term

MOST_POWER = 64
"""The highest power that is computed here."""


def value(term: Term, point: Mapping[str, Fraction]) -> Fraction | None:
    """The exact value at a point; None says nothing: a part may be irrational, too large, or without a value.

    >>> from dpcompose.kernel.expressions.terms import letter, sqrt
    >>> x = letter("x")
    >>> value((x + 1) / x, {"x": Fraction(1, 2)})
    Fraction(3, 1)
    >>> value(1 / x, {"x": Fraction(0)}) is None, value(sqrt(x), {"x": Fraction(4)}) is None
    (True, True)
    """
    found = _value(term, point) if _is_rational(term) else None
    return None if found is None else Fraction(*found)


@lru_cache(maxsize=8_192)
def _is_rational(term: Term) -> bool:
    """Whether a term is made of numbers and letters by sums, products, whole powers and worst cases."""
    if term.kind in ("number", "letter"):
        return True
    if term.kind == "power":
        r = term.of[1].number
        return r is not None and r.denominator == 1 and abs(r) <= MOST_POWER and _is_rational(term.of[0])
    return term.kind in ("sum", "product", "top") and all(map(_is_rational, term.parts))


def _value(term: Term, point: Mapping[str, Fraction]) -> tuple[int, int] | None:
    """The value n/d, d > 0, as n and d: lowest terms are looked for once, at the end, and in products."""
    kind, of = term.kind, term.of
    if kind == "number":
        return of[0].as_integer_ratio()  # type: ignore[no-any-return]
    if kind == "letter":
        given = point.get(of[0])
        return _short(*given.as_integer_ratio()) if type(given) is Fraction else None
    if kind == "power":
        base, exponent = _value(of[0], point), of[1].of[0].numerator
        if base is None or (not base[0] and exponent < 0):
            return None
        n, d = (x ** abs(exponent) for x in base)
        return _short(n, d) if exponent > 0 else _short(d, n) if n > 0 else _short(-d, -n)
    values = []
    for part in of if kind != "top" else of[1:]:
        each = _value(part, point)
        if each is None:
            return None
        values.append(each)
    if kind == "product":
        n, d = prod(n for n, _ in values), prod(d for _, d in values)
        shared = gcd(n, d)
        return _short(n // shared, d // shared)
    common = lcm(*(d for _, d in values))
    numerators = [n * (common // d) for n, d in values]
    return _short(sum(numerators if kind == "sum" else sorted(numerators)[-of[0] :]), common)


def _short(n: int, d: int) -> tuple[int, int] | None:
    """n and d where both can be written down in a term."""
    return (n, d) if n.bit_length() <= MOST_BITS and d.bit_length() <= MOST_BITS else None
