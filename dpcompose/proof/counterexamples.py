"""Counterexamples: two neighbours, parameter values, and mechanisms whose loss exceeds a claim.

A counterexample is checked from the setting alone: the pair are neighbours, the values are
allowed, and the witness mechanisms at these values, each private as its guarantee says, have
a loss at the pair that is computed exactly from their tables and lies above the claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language import formulas
from dpcompose.proof import certificates, witnesses
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.witnesses import Row
from dpcompose.spaces.databases import Database
from dpcompose.spaces.metrics import INFINITE


@dataclass(frozen=True)
class Counterexample:
    """D ~ E and a point at which mechanisms that fit the assumptions lose more than is claimed.

    actual -- the exact loss at (D, E), None for ∞; claimed -- the claim's value there.
    """

    pair: tuple[Database, Database]
    point: Mapping[str, Fraction]
    claimed: Fraction
    actual: Fraction | None
    rows: tuple[Row, ...]

    def data(self, show: Any) -> dict[str, Any]:
        """As JSON, with the databases as the class shows them."""
        return {
            "databases": [show(D) for D in self.pair],
            "parameters": {name: str(x) for name, x in sorted(self.point.items())},
            "claimed": str(self.claimed),
            "actual": "oo" if self.actual is None else str(self.actual),
            "mechanisms": [row.data() for row in self.rows],
        }


def make(
    inputs: Inputs,
    notion: str,
    claimed: sympy.Expr,
    pair: tuple[Database, Database],
    point: Mapping[str, Fraction],
) -> Counterexample:
    """The counterexample at a pair and a point; raises BadCertificate where it is none."""
    setting = inputs.setting
    D, E = pair
    if D not in setting.databases or E not in setting.databases:
        raise BadCertificate(f"{inputs.show(pair)} are no databases of the class")
    if D == E or not (setting.target.are_neighbours(D, E) and setting.target.are_neighbours(E, D)):
        raise BadCertificate(f"{inputs.show(pair)} are no {setting.target} neighbours")
    certificates.check_allowed(point, setting.domains, setting.used | {str(s) for s in claimed.free_symbols})
    page = inputs.theory.witness(notion)
    if page is None:
        raise BadCertificate(f"there is no witness page for {notion}")
    probability = formulas.parse(page.head.probability, {"d": _d()})
    rows = []
    for i, r in inputs.distances(pair).items():
        stated = dict(setting.mechanisms[i - 1].satisfies.values)
        distance = None
        if r != INFINITE and sympy.oo not in stated.values():
            moved = formulas.parse(page.head.distance, stated | {"r": sympy.Integer(r)})
            distance = _value(moved, point, "guarantee")
        rows.append(witnesses.row(probability, i, distance))
    actual = witnesses.loss(tuple(rows))
    value = _value(claimed, point, "claim")
    if actual is not None and actual <= value:
        raise BadCertificate(f"the loss {actual} is not above the claimed {value}")
    return Counterexample(pair, dict(point), value, actual, tuple(rows))


def _value(expression: sympy.Expr, point: Mapping[str, Fraction], what: str) -> Fraction:
    if expression is sympy.oo:
        raise BadCertificate(f"the {what} is oo there")
    try:
        value = formulas.evaluate(expression, point)
    except formulas.FormulaError as error:
        raise BadCertificate(f"the {what} {error.message}") from None
    if value is None:
        raise BadCertificate(f"the {what} is not rational there")
    return value


def _d() -> sympy.Symbol:
    from dpcompose.language.symbols import NONNEGATIVE, symbol

    return symbol("d", NONNEGATIVE)
