"""The signs of terms, as seen from those of their parts: x·y + 1 is positive where x and y are ≥ 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpcompose.kernel.expressions.terms import Term


def is_seen(term: Term, strict: bool) -> bool:
    """Whether a term is seen to be ≥ 0, or > 0, wherever it has a value."""
    kind, of = term.kind, term.of
    if kind == "number":
        return bool(of[0] > 0 or (not strict and of[0] == 0))
    if kind == "letter":
        return bool(of[1].positive if strict else of[1].nonnegative)
    if kind == "sum":
        every = all(one.nonnegative for one in of) and (not strict or any(one.positive for one in of))
        return every or _grows(term, strict)
    if kind == "product":
        return all(_has(one, strict) for one in of) or _is_least(term, strict)
    if kind == "power":
        exponent = of[1].number
        even = exponent is not None and exponent.denominator == 1 and exponent.numerator % 2 == 0
        return _has(of[0], strict) or (even and not strict)
    if kind == "top":
        return _is_greatest(term, strict)
    if kind == "log":
        return _has(of[0] - 1, strict)
    return kind in ("exp", "oo") or (kind == "over" and _has(of[1], strict))


def _has(term: Term, strict: bool) -> bool:
    return term.positive if strict else term.nonnegative


def _is_greatest(term: Term, strict: bool) -> bool:
    """Whether as many members as are added up have the sign, or −x is a member beside x."""
    m, *members = term.of
    if sum(_has(one, strict) for one in members) >= m >= strict:
        return True
    return m == 1 and not strict and any(-one in members for one in members)


def _grows(term: Term, strict: bool) -> bool:
    """Whether a sum is c + b·exp(t) = (c + b) + b·(exp(t) − 1) with c + b ≥ 0, and b·t has the sign."""
    constants = [one.of[0] for one in term.of if one.kind == "number"]
    if len(term.of) != 2 or len(constants) != 1:
        return False
    b, grown = next(one for one in term.of if one.kind != "number").split
    if grown.kind != "exp" or constants[0] + b < 0:
        return False
    t = grown.of[0]
    return _has(t if b > 0 else -t, strict)


def _is_least(term: Term, strict: bool) -> bool:
    """Whether a product is a minimum −c·max(−x, −y)·z, c > 0, of which all x, y and z have the sign."""
    (c, rest), worst = term.split, [one for one in term.of if one.kind == "top"]
    others = [factor for factor in rest.factors if factor.kind != "top"]
    inside = [-part for peak in worst for part in peak.parts]
    return c < 0 and len(worst) == 1 and all(_has(one, strict) for one in [*inside, *others])
