"""Guarantees in each notion, of numbers or letters, and what their values are to 50 digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import sympy

import dpcompose as dpc
from dpcompose.language.worstcase import Over, Top
from dpcompose.privacy.guarantees.notions import Guarantee

DIGITS = 50
CLOSE = mpmath.mpf(10) ** -40
MAKE: dict[str, Callable[..., Guarantee]] = {
    "pure": dpc.pure,
    "approximate": dpc.approximate,
    "zcdp": dpc.zcdp,
    "gaussian": dpc.gaussian,
}


def values(notion: str, i: int) -> tuple[str, ...]:
    """The parameters of the i-th mechanism: e1, d1; r1; m1."""
    return {
        "pure": (f"e{i}",),
        "approximate": (f"e{i}", f"d{i}"),
        "zcdp": (f"r{i}",),
        "gaussian": (f"m{i}",),
    }[notion]


def claim(notion: str, *texts: object) -> Guarantee:
    return MAKE[notion](*texts)


ABC = dpc.multisets({"a", "b", "c"})


def number(expression: sympy.Expr, point: Mapping[str, Any]) -> Any:
    """An expression's value to DIGITS digits, by itself."""
    if expression is sympy.oo:
        return mpmath.inf
    if expression is sympy.E:
        return mpmath.e
    if expression.is_Rational:
        return mpmath.mpf(int(expression.p)) / int(expression.q)
    if expression.is_Symbol:
        return (
            mpmath.mpf(Fraction(point[str(expression)]).numerator)
            / Fraction(point[str(expression)]).denominator
            if isinstance(point[str(expression)], Fraction | int)
            else point[str(expression)]
        )
    if expression is sympy.E:
        return +mpmath.e
    parts = [number(one, point) for one in expression.args]
    if expression.is_Add:
        return mpmath.fsum(parts)
    if expression.is_Mul:
        return mpmath.fprod(parts)
    if isinstance(expression, Top):
        return mpmath.fsum(sorted(parts[1:], reverse=True)[: int(expression.args[0])])
    if isinstance(expression, sympy.exp):
        return mpmath.exp(parts[0])
    if isinstance(expression, sympy.log):
        return mpmath.log(parts[0])
    if expression is sympy.E:
        return mpmath.e
    assert expression.is_Pow and not isinstance(expression, Over), expression
    return parts[0] ** parts[1]


def close(x: Any, y: Any) -> bool:
    return bool(x == y or abs(x - y) < CLOSE * max(1, abs(x)))
