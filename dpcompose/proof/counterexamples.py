"""Counterexamples: two neighbours, parameter values, and mechanisms whose loss exceeds a claim.

A counterexample is checked from the setting alone: the pair are neighbours, the values are
allowed, and the witness mechanisms at these values, each private as its guarantee says, have
a loss at the pair that is computed exactly from their tables and lies above the claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language import formulas
from dpcompose.language.symbols import family_of
from dpcompose.proof import certificates, witnesses
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.witnesses import Row
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.metrics import INFINITE


@dataclass(frozen=True)
class Alone:
    """One of several mechanisms that loses more than is claimed by itself; `by`: why this is enough."""

    mechanism: str
    loss: Fraction | None
    by: str

    def data(self) -> dict[str, str]:
        return {"mechanism": self.mechanism, "loss": _shown(self.loss), "by": self.by}


@dataclass(frozen=True)
class Counterexample:
    """D ~ E and a point at which mechanisms that fit the assumptions lose more than is claimed.

    actual -- the exact loss at (D, E), None for ∞; claimed -- the claim's value there;
    names -- the mechanisms of the rows; databases -- the class of the pair;
    alone -- one of several mechanisms that loses too much by itself, if there is one (GB Prop. VII.2).
    """

    pair: tuple[Database, Database]
    point: Mapping[str, Fraction]
    claimed: Fraction
    actual: Fraction | None
    rows: tuple[Row, ...]
    names: tuple[str, ...]
    databases: DatabaseClass
    alone: Alone | None = None

    def data(self) -> dict[str, Any]:
        """As JSON, with the databases as the class shows them."""
        data: dict[str, Any] = {
            "databases": [self.databases.show(D) for D in self.pair],
            "parameters": {name: str(x) for name, x in sorted(self.point.items())},
            "claimed": str(self.claimed),
            "actual": _shown(self.actual),
            "mechanisms": [row.data() for row in self.rows],
        }
        return data | ({"alone": self.alone.data()} if self.alone is not None else {})


LARGEST_INSTANCE = 1_000
"""The most mechanisms that a counterexample to a claim over families writes out."""


def instance(inputs: Inputs, point: Mapping[str, Fraction]) -> Inputs:
    """The inputs of the setting, families written out with as many members as the point says.

    Raises BadCertificate where it says nothing, or too many.
    """
    stated = inputs.stated
    if stated is None:
        return inputs
    sizes = {}
    for count in {str(m.count): m.count for m in stated.mechanisms if m.count is not None}:
        size = Fraction(int(count)) if count.isdigit() else point.get(count, Fraction(0))
        if size.denominator != 1 or not 1 <= size <= LARGEST_INSTANCE:
            raise BadCertificate(f"{count} = {size} members are none, or too many to write out")
        sizes[count] = int(size)
    return Inputs(stated.written_out(sizes)[0], inputs.theory)


def make(
    inputs: Inputs,
    notion: str,
    claimed: sympy.Expr,
    pair: tuple[Database, Database],
    point: Mapping[str, Fraction],
) -> Counterexample:
    """The counterexample at a pair and a point; raises BadCertificate where it is none.

    inputs -- those of the setting with all families written out, see `instance`.
    """
    setting = inputs.setting
    D, E = pair
    if D not in setting.databases or E not in setting.databases:
        raise BadCertificate(f"{inputs.show(pair)} are no databases of the class")
    related = (setting.target.relates(*some, setting.databases) for some in ((D, E), (E, D)))
    if D == E or not all(related):
        raise BadCertificate(f"{inputs.show(pair)} are no {setting.target} neighbours")
    needed = setting.used | {str(one) for one in claimed.free_symbols if family_of(str(one)) is None}
    certificates.check_allowed(point, setting.domains, needed)
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
    names = tuple(setting.mechanisms[row.mechanism - 1].name for row in rows)
    alone = _alone(inputs, rows, value)
    return Counterexample(pair, dict(point), value, actual, tuple(rows), names, setting.databases, alone)


def _alone(inputs: Inputs, rows: Sequence[Row], claimed: Fraction) -> Alone | None:
    """The mechanism of several that loses most by itself, if that is more than is claimed."""
    page, setting = inputs.theory.processing("parts"), inputs.setting
    if page is None or len(rows) == 1:
        return None
    losses = [(witnesses.loss((row,)), setting.mechanisms[row.mechanism - 1].name) for row in rows]
    loss, name = max(losses, key=lambda one: (one[0] is None, one[0] or 0))
    if loss is not None and loss <= claimed:
        return None
    return Alone(name, loss, page.cite("any", setting.adaptive))


def _shown(loss: Fraction | None) -> str:
    return "oo" if loss is None else str(loss)


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
