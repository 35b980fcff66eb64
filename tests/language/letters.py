"""The letters of formulas in tests."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy

from dpcompose.kernel.expressions import formulas
from dpcompose.language import exchange
from dpcompose.language.symbols import Domain, symbol

e, e1, e2, e3, e10, x, y = (symbol(name) for name in ["e", "e1", "e2", "e3", "e10", "x", "y"])
r = symbol("r", Domain.read("real"))


def short(value: object) -> str | None:
    """A test's name: the default one would hold a million characters."""
    if isinstance(value, int):
        return type(value).__name__
    return ascii(value)[:24] if isinstance(value, str) else None


KNOWN: Mapping[str, sympy.Expr] = {one.name: one for one in (e, e1, e2, e3, e10, x, y, r)}
Q = sympy.Rational


def evaluate(value: sympy.Expr, point: Mapping[str, Fraction]) -> Fraction | None:
    """The exact value of an expression at a point, where it is rational."""
    return formulas.evaluate(exchange.of_sympy(value), point)
