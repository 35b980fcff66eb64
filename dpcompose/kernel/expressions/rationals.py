"""Terms at points where every part is a rational number: only numbers are computed, and no terms are made."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

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
    return _value(term, point) if _is_rational(term) else None


@lru_cache(maxsize=8_192)
def _is_rational(term: Term) -> bool:
    """Whether a term is made of numbers and letters by sums, products, whole powers and worst cases."""
    if term.kind in ("number", "letter"):
        return True
    if term.kind == "power":
        r = term.of[1].number
        return r is not None and r.denominator == 1 and abs(r) <= MOST_POWER and _is_rational(term.of[0])
    return term.kind in ("sum", "product", "top") and all(map(_is_rational, term.parts))


def _value(term: Term, point: Mapping[str, Fraction]) -> Fraction | None:
    kind, of = term.kind, term.of
    if kind == "number":
        return of[0]  # type: ignore[no-any-return]
    if kind == "letter":
        given = point.get(of[0])
        return given if type(given) is Fraction and _is_short(given) else None
    if kind == "power":
        base, n = _value(of[0], point), of[1].of[0].numerator
        if base is None or (not base and n < 0):
            return None
        found = base**n
        return found if _is_short(found) else None
    values = []
    for part in of if kind != "top" else of[1:]:
        one = _value(part, point)
        if one is None:
            return None
        values.append(one)
    if kind == "product":
        found, *others = values
        for one in others:
            found *= one
    elif kind == "top" and of[0] == 1:
        found = max(values)
    else:
        found = sum(values if kind == "sum" else sorted(values)[-of[0] :], Fraction(0))
    return found if _is_short(found) else None


def _is_short(x: Fraction) -> bool:
    """Whether a number can be written down in a term."""
    return max(x.numerator.bit_length(), x.denominator.bit_length()) <= MOST_BITS
