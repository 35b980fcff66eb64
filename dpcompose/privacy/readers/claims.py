"""Claims of problem files, in the parameters of the problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dpcompose.kernel.core.lines import RATE
from dpcompose.kernel.core.orders import ALPHA, reciprocal
from dpcompose.kernel.deciders import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.privacy import checks, fibres, tradeoffs
from dpcompose.privacy.metric_tables import canonical_names
from dpcompose.privacy.notions import OF_LINES, POWERS, Guarantee, in_orders
from dpcompose.privacy.readers.parameters import Parameters
from dpcompose.privacy.schema import PARTITIONS, ClaimTable, Notions, StudyTable
from dpcompose.privacy.settings.orders import IS_ORDER

if TYPE_CHECKING:
    import sympy


@frozen(repr=False)
class Claim(Shown):
    """A guarantee that somebody claims for the composition, and the verdict they expect."""

    guarantee: Guarantee
    """What is claimed, of neighbours, or of all databases in a metric."""
    text: Mapping[str, str]
    expect: str | None = None
    doubt: str = ""
    """Why a formula may have no real value for some allowed parameters, if it may."""

    @property
    def notion(self) -> str:
        return str(self.guarantee.notion)

    @property
    def written(self) -> str:
        """Its formulas as they are written, by their names."""
        return ", ".join(f"{key} = {value}" for key, value in self.text.items() if key != "notion")

    @property
    def _in_words(self) -> str:
        """The guarantee; of one in a metric as it is written."""
        if self.guarantee.metric is None:
            return str(self.guarantee)
        said = ", ".join(f"{key} {value}" for key, value in self.text.items() if key != "notion")
        return said if self.notion == "pure" else f"{said}, {self.notion} privacy"

    def __repr__(self) -> str:
        return f"claim of {self._in_words}{f', expected: {self.expect}' if self.expect else ''}"

    def _line(self) -> Sequence[str | sympy.Expr]:
        expected = f", expected: {self.expect}" if self.expect else ""
        said = self.guarantee._line() if self.guarantee.metric is None else [self._in_words]
        return ["claim of ", *said, expected]


def claim_of(
    i: int, given: ClaimTable, notions: Notions, parameters: Parameters, found: checks.Found
) -> Claim | None:
    """A claim for neighbours, in the parameters of the problem."""
    if given.notion in OF_LINES:
        return _of_tradeoff(i, given, notions, parameters, found)
    claimed = []
    text = {"notion": given.notion}
    doubts = []
    orders, symbols = given.of_orders, parameters.symbols
    if orders is not None:
        symbols = {**symbols, ALPHA: orders.order}
    for key in notions[given.notion]:
        said = str(given.value(key))
        text |= [given.written(key)]
        try:
            value = kernel.parse(said, symbols)
            claimed.append((key, value if key in text else reciprocal(value)))
            doubts.append(values.doubt(said, symbols, assumed=parameters.known_so_far))
        except formulas.FormulaError as error:
            found.wrong(("claims", i, key), error)
            return None
    guarantee = Guarantee(given.notion, tuple(claimed))
    if orders is not None:
        text["orders"], guarantee = str(orders), in_orders(guarantee, orders)
        if ALPHA in parameters.domains or ALPHA in parameters.numbers:
            found.wrong(("parameters", ALPHA), IS_ORDER)
    return Claim(guarantee, MappingProxyType(text), given.expect, next(filter(None, doubts), ""))


def _of_tradeoff(
    i: int, given: ClaimTable, notions: Notions, parameters: Parameters, found: checks.Found
) -> Claim | None:
    """A claim that is a trade-off function, in whatever form."""
    symbols, doubts = {**parameters.symbols, ALPHA: RATE}, []

    def read(text: str) -> terms.Term:
        doubts.append(values.doubt(text, symbols, assumed=parameters.known_so_far))
        return kernel.parse(text, symbols)

    try:
        notion, value = tradeoffs.values(given.function, read) or ("", terms.ZERO)
    except ValueError as error:
        found.wrong(("claims", i, "tradeoff"), error)
        return None
    if ALPHA in parameters.given:
        found.wrong(("parameters", ALPHA), tradeoffs.IS_RATE)
    guarantee = Guarantee(notion, ((notions[notion][0], value),))
    return Claim(
        guarantee, MappingProxyType(guarantee.written()), given.expect, next(filter(None, doubts), "")
    )


def in_steps(
    i: int, said: ClaimTable, given: StudyTable, parameters: Parameters, found: checks.Found
) -> Claim | None:
    """A claim in a metric X*d_NAME, X times the steps that lie between, as one for the neighbours of NAME.

    What neighbours lose adds up along steps, in zCDP its root (GB Prop. III.3): it is a bound for all
    databases where X is one for neighbours, and the other way round.
    """
    canonical = canonical_names(given.granularities)
    letters = {name: terms.letter(name, NONNEGATIVE) for name in (*canonical, *given.metrics)}
    known = {**letters, **parameters.symbols}
    text = str(said.metric)
    try:
        value = kernel.parse(text, known)
        doubt = values.doubt(text, known, assumed=parameters.known_so_far)
    except formulas.FormulaError as error:
        found.wrong(("claims", i, "metric"), error)
        return None
    key, power = POWERS.get(said.notion, ("", 1))
    factor = fibres.factor(value, letters)
    used = [canonical.get(name) for name in letters if name in value.letters]
    target = None if given.target is None else given.target.granularity
    signed = power != 1 and not (factor and values.surely(factor, strictly=False))  # a square says no sign
    if factor is None or not key or used != [target] or said.delta is not None or signed:
        found.wrong(("partitions",), PARTITIONS)
        return None
    claimed = terms.power(factor, power)
    stated = {"notion": said.notion, key: kernel.to_text(claimed)}
    guarantee = Guarantee(said.notion, ((key, claimed),))
    return Claim(guarantee, MappingProxyType(stated), said.expect, doubt)
