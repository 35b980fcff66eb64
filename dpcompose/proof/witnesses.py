"""Witness mechanisms: tables of exact probabilities that attain a distance.

Probabilities are sums of rational multiples of powers of e with rational exponents, so the
loss of an outcome is computed exactly: c·e^q against c'·e^q' with single terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

Exponential = tuple[tuple[Fraction, Fraction], ...]
"""Σ c·e^q as the pairs (q, c) with c ≠ 0, q increasing."""

ZERO: Exponential = ()


def exponential(terms: Mapping[Fraction, Fraction]) -> Exponential:
    return tuple(sorted((q, c) for q, c in terms.items() if c))


def evaluate(expression: sympy.Expr, d: Fraction) -> Exponential:
    """A probability formula in d, made of rationals, products, sums and exp, at a rational d.

    Raises ValueError for anything else: a witness page states nothing else.
    """
    if expression.is_Rational:
        return exponential({Fraction(0): Fraction(int(expression.p), int(expression.q))})
    if expression.is_Add:
        total: dict[Fraction, Fraction] = {}
        for part in expression.args:
            for r, c in evaluate(part, d):
                total[r] = total.get(r, Fraction(0)) + c
        return exponential(total)
    if expression.is_Mul:
        product: Exponential = ((Fraction(0), Fraction(1)),)
        for part in expression.args:
            terms: dict[Fraction, Fraction] = {}
            for r, c in product:
                for s, b in evaluate(part, d):
                    terms[r + s] = terms.get(r + s, Fraction(0)) + c * b
            product = exponential(terms)
        return product
    if isinstance(expression, sympy.exp):
        from dpcompose.language import formulas

        q = formulas.evaluate(expression.args[0], {"d": d})
        if q is not None:
            return ((q, Fraction(1)),)
    raise ValueError(f"{expression} is no probability that is computed exactly")


@dataclass(frozen=True)
class Row:
    """The table of one witness mechanism at two inputs: P(M = 1) at D and at E; P(M = 0) is the rest."""

    mechanism: int
    at_D: Exponential
    at_E: Exponential

    def data(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "at D": _data(self.at_D), "at E": _data(self.at_E)}


def row(probability: sympy.Expr, mechanism: int, distance: Fraction | None) -> Row:
    """The table of the mechanism that is built at E's input, at distance `distance` (None: ∞) from D's."""
    at_D = ZERO if distance is None else evaluate(probability, distance)
    return Row(mechanism, at_D, evaluate(probability, Fraction(0)))


def loss(rows: tuple[Row, ...]) -> Fraction | None:
    """ln(P(1, …, 1 | E) / P(1, …, 1 | D)) of independent mechanisms; None for ∞.

    Raises ValueError where a ratio is no power of e.
    """
    total = Fraction(0)
    for one in rows:
        if one.at_D == ZERO:
            return None
        (q, c), (r, b) = _single(one.at_D), _single(one.at_E)
        if b != c:
            raise ValueError("the ratio of the probabilities is no power of e")
        total += r - q
    return total


def _single(value: Exponential) -> tuple[Fraction, Fraction]:
    if len(value) != 1 or value[0][1] <= 0:
        raise ValueError("the probability of the outcome is no single power of e")
    return value[0]


def _data(value: Exponential) -> str:
    """As a formula: 1/2*exp(-3)."""
    if not value:
        return "0"
    return " + ".join(f"{c}" if q == 0 else f"{c}*exp({q})" for q, c in value)
