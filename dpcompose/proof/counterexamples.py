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

from dpcompose.language import forms, formulas
from dpcompose.language.symbols import Domain, family_of
from dpcompose.privacy.notions import Guarantee
from dpcompose.proof import certificates, witnesses
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Page
from dpcompose.proof.witnesses import Row
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.metrics import INFINITE


@dataclass(frozen=True)
class Alone:
    """One of several mechanisms that loses more than is claimed by itself; `by`: why this is enough."""

    mechanism: str
    loss: str
    by: str

    def data(self) -> dict[str, str]:
        return {"mechanism": self.mechanism, "loss": self.loss, "by": self.by}


@dataclass(frozen=True)
class Counterexample:
    """D ~ E and a point at which mechanisms that fit the assumptions lose more than is claimed.

    actual -- the exact loss at (D, E), None for ∞; claimed -- the claim's value there;
    squared -- whether these are squares: those of the parameter that is composed by squares;
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
    squared: bool = False

    def data(self) -> dict[str, Any]:
        """As JSON, with the databases as the class shows them."""
        data: dict[str, Any] = {
            "databases": [self.databases.show(D) for D in self.pair],
            "parameters": {name: str(x) for name, x in sorted(self.point.items())},
            "claimed": self.shown(self.claimed),
            "actual": self.shown(self.actual),
            "mechanisms": [row.data() for row in self.rows],
        }
        return data | ({"alone": self.alone.data()} if self.alone is not None else {})

    def shown(self, loss: Fraction | None) -> str:
        """A loss, or a claimed value, as a formula."""
        return _shown(loss, self.squared)


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
    claimed: Guarantee,
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
    free = {str(one) for _, value in claimed.values for one in value.free_symbols}
    needed = setting.used | {name for name in free if family_of(name) is None}
    certificates.check_allowed(point, setting.domains, needed)
    page = inputs.theory.witness(claimed.notion)
    if page is None:
        raise BadCertificate(f"there is no witness page for {claimed.notion}")
    if setting.notion != claimed.notion:
        raise BadCertificate(f"the witnesses of {setting.notion} say nothing of {claimed.notion}")
    if any(value is sympy.oo for _, value in claimed.values):
        raise BadCertificate("the claim says nothing: it is oo")
    rows = [_row(inputs, page, i, r, point) for i, r in inputs.distances(pair).items()]
    actual = witnesses.loss(rows)
    is_square = page.head.shows in inputs.theory.rule(claimed.notion).head.squared
    value = _claimed(claimed[page.head.shows], point, setting.domains, is_square)
    if actual is not None and actual <= value:
        raise BadCertificate(
            f"the loss {_shown(actual, is_square)} is not above the claimed {_shown(value, is_square)}"
        )
    names = tuple(setting.mechanisms[row.mechanism - 1].name for row in rows)
    alone = _alone(inputs, rows, value, is_square)
    databases = setting.databases
    return Counterexample(pair, dict(point), value, actual, tuple(rows), names, databases, alone, is_square)


def _row(inputs: Inputs, page: Page, i: int, r: int, point: Mapping[str, Fraction]) -> Row:
    """The witness of M_i for inputs that are r apart."""
    stated = dict(inputs.setting.mechanisms[i - 1].satisfies.values)
    distance = None
    if r != INFINITE and sympy.oo not in stated.values():
        distance = formulas.parse(page.head.distance, stated | {"r": sympy.Integer(r)})
    try:
        return witnesses.row(page, i, distance, point)
    except formulas.FormulaError as error:
        raise BadCertificate(f"the guarantee {error.message}") from None
    except ValueError as error:
        raise BadCertificate(str(error)) from None


def _claimed(
    expression: sympy.Expr, point: Mapping[str, Fraction], domains: Mapping[str, Domain], is_square: bool
) -> Fraction:
    """The value of a claimed parameter, or its square, of a negative value −x²: so the order is kept."""
    try:
        value = formulas.evaluate(expression, point)
        if not is_square:
            if value is None:
                raise BadCertificate("the claim is not rational there")
            return value
        if value is not None:
            return value * abs(value)
        if not forms.is_nonnegative(forms.read(expression, domains), domains):
            raise BadCertificate("it is not known that the claim is at least 0 there")
        return forms.squared(expression, domains).at(point)
    except formulas.FormulaError as error:
        raise BadCertificate(f"the claim {error.message}") from None
    except forms.NotAForm as error:
        raise BadCertificate(str(error)) from None


def _alone(inputs: Inputs, rows: Sequence[Row], claimed: Fraction, is_square: bool) -> Alone | None:
    """The mechanism of several that loses most by itself, if that is more than is claimed."""
    page, setting = inputs.theory.processing("parts"), inputs.setting
    if page is None or len(rows) < 2:
        return None
    losses = [(witnesses.loss((row,)), setting.mechanisms[row.mechanism - 1].name) for row in rows]
    loss, name = max(losses, key=lambda one: (one[0] is None, one[0] or 0))
    if loss is not None and loss <= claimed:
        return None
    return Alone(name, _shown(loss, is_square), page.cite("any", setting.adaptive))


def _shown(loss: Fraction | None, is_square: bool) -> str:
    if loss is None:
        return "oo"
    if not is_square:
        return str(loss)
    return witnesses.root(loss) if loss >= 0 else f"-{witnesses.root(-loss)}"
