"""Witness mechanisms: what attains a distance, exactly.  A page of kind witness says which for a notion.

Probabilities are sums of rational multiples of powers of e with rational exponents, so the
loss of an outcome is computed exactly: c·e^q against c'·e^q' with single terms.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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


class Row(ABC):
    """What one witness mechanism does at the two inputs of D and E; it is built at E's."""

    mechanism: int

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """As JSON."""

    @abstractmethod
    def words(self) -> str:
        """In words, for results."""


@dataclass(frozen=True)
class Ratio(Row):
    """Two outcomes: P(M = 1) at D and at E; P(M = 0) is the rest."""

    mechanism: int
    at_D: Exponential
    at_E: Exponential

    def data(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "at D": _data(self.at_D), "at E": _data(self.at_E)}

    def words(self) -> str:
        return f"with outcomes 1, 0 and P(1) = {_data(self.at_D)} at D, {_data(self.at_E)} at D'"


@dataclass(frozen=True)
class Noise(Row):
    """Normal noise of a variance around √(d²) at D and around 0 at E; d² = None: another outcome at D."""

    mechanism: int
    distance: Fraction | None
    variance: Fraction

    def data(self) -> dict[str, Any]:
        at_D = "another outcome" if self.distance is None else root(self.distance)
        return {"mechanism": self.mechanism, "mean at D": at_D, "mean at E": "0"} | {
            "variance": str(self.variance)
        }

    def words(self) -> str:
        if self.distance is None:
            return "which has other outcomes at D than at D'"
        return f"as normal noise of variance {self.variance} around {root(self.distance)} at D, 0 at D'"


@dataclass(frozen=True)
class Event(Row):
    """Two outcomes, of which 1 is impossible at E: P(M = 1) at D."""

    mechanism: int
    at_D: Fraction

    def data(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "at D": str(self.at_D), "at E": "0"}

    def words(self) -> str:
        return f"with outcomes 1, 0 and P(1) = {self.at_D} at D, 0 at D'"


def root(square: Fraction) -> str:
    """√ of a rational number as a formula: 2, sqrt(2), 1/2*sqrt(3)."""
    from dpcompose.language import formulas

    return formulas.to_text(sympy.sqrt(sympy.Rational(square.numerator, square.denominator)))


def row(page: Any, mechanism: int, distance: sympy.Expr | None, point: Mapping[str, Fraction]) -> Row:
    """The witness of a page that is built at E's input, `distance` (None: ∞) from D's, at a point.

    Raises ValueError where it is not computed exactly there.
    """
    from dpcompose.language import formulas
    from dpcompose.language.forms import squared
    from dpcompose.language.symbols import NONNEGATIVE, symbol

    d = symbol("d", NONNEGATIVE)
    if page.head.by == "noise":
        variance = formulas.evaluate(formulas.parse(page.head.variance, {}), {})
        assert variance is not None
        square = None
        if distance is not None:
            square = squared(distance, {}).at(point)
        return Noise(mechanism, square, variance)
    value = None if distance is None else formulas.evaluate(distance, point)
    if distance is not None and value is None:
        raise ValueError("the guarantee is not rational there")
    probability = formulas.parse(page.head.probability, {"d": d})
    if page.head.by == "event":
        p = Fraction(1) if value is None else formulas.evaluate(probability, {"d": value})
        assert p is not None
        return Event(mechanism, p)
    at_D = ZERO if value is None else evaluate(probability, value)
    return Ratio(mechanism, at_D, evaluate(probability, Fraction(0)))


def loss(rows: Sequence[Row]) -> Fraction | None:
    """What independent witness mechanisms lose together, of one kind; None for ∞.

    Ratio: ln(P(1, …, 1 | E) / P(1, …, 1 | D)).  Noise: Σ d²; its page says for which variance that is a
    parameter, or its square.  Event: the probability at D that some outcome is 1, which never
    happens at E.
    Raises ValueError where a ratio is no power of e.
    """
    total, none = Fraction(0), Fraction(1)
    for one in rows:
        if isinstance(one, Event):
            none *= 1 - one.at_D
        elif isinstance(one, Noise):
            if one.distance is None:
                return None
            total += one.distance
        elif isinstance(one, Ratio):
            if one.at_D == ZERO:
                return None
            (q, c), (r, b) = _single(one.at_D), _single(one.at_E)
            if b != c:
                raise ValueError("the ratio of the probabilities is no power of e")
            total += r - q
    return total if none == 1 else 1 - none


def _single(value: Exponential) -> tuple[Fraction, Fraction]:
    if len(value) != 1 or value[0][1] <= 0:
        raise ValueError("the probability of the outcome is no single power of e")
    return value[0]


def _data(value: Exponential) -> str:
    """As a formula: 1/2*exp(-3)."""
    if not value:
        return "0"
    return " + ".join(f"{c}" if q == 0 else f"{c}*exp({q})" for q, c in value)
