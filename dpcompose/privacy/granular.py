"""Claims in one canonical metric, as claims for the neighbours whose steps it counts (GB Prop. III.3).

Or for groups of such steps: for any two databases that are r steps apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.moves.granularities import Granularity

ANY_NUMBER = "integer >= 1"
"""The domain of a letter for how many steps there are."""


@frozen
class Granular:
    """A claim in the canonical metric of a granularity on the whole class.

    metric -- the name of that metric; values -- the parameters of the claim, formulas in it alone.
    """

    notion: str
    granularity: Granularity
    metric: str
    values: Mapping[str, Term]

    def problem(self, data: Mapping[str, Any], steps: int | str = 1) -> dict[str, Any]:
        """The data of a problem as one for these neighbours, with this claim alone; steps -- or for groups of
        so many steps of these, a number or a letter: then at databases so far apart."""
        target = {"group": steps, "of": self.granularity.data()} if steps != 1 else self.granularity.data()
        letter = {steps: ANY_NUMBER} if isinstance(steps, str) else {}
        apart = (
            terms.number(steps) if isinstance(steps, int) else terms.letter(steps, Domain.read(ANY_NUMBER))
        )
        values = {key: substitution.substituted(x, {self.metric: apart}) for key, x in self.values.items()}
        claim = {"notion": self.notion} | {key: to_text(value) for key, value in values.items()}
        about = {"parameters": {**data.get("parameters", {}), **letter}, "target": {"granularity": target}}
        return {**data, **about, "claims": [claim]}


def granular(setting: Setting, claimed: Guarantee) -> Granular | None:
    """A claim as one in the canonical metric of a granularity; None where it is in others, or in several.

    Metrics that are formulas in others stand there as these.
    """
    metrics = setting.metrics or {metric.name: metric for metric in claimed.in_metric.distances}
    equal = ((name, metric.distance.equal_to) for name, metric in metrics.items())
    made = {name: formula for name, formula in equal if formula is not None}
    values = claimed.at_pair
    for _ in made:
        values = {key: substitution.substituted(value, made) for key, value in values.items()}
    used = {name for value in values.values() for name in value.letters}
    named = [name for name in metrics if name in used]
    strange = used - {*setting.domains, *metrics}
    if len(named) != 1 or strange or any(value.has("oo") for value in values.values()):
        return None
    parts = dict(setting.databases.parts)
    whole = list(parts) == [""] and parts[""].points is None  # it is no product, and has neighbours
    counted = metrics[named[0]].distance.counted if whole else None
    return None if counted is None else Granular(claimed.notion, counted, named[0], values)
