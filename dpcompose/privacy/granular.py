"""Claims in one canonical metric, as claims for the neighbours whose steps it counts (GB Prop. III.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.moves.granularities import Granularity


@frozen
class Granular:
    """A claim in the canonical metric of a granularity on the whole class.

    metric -- the name of that metric; values -- the parameters of the claim, formulas in it alone.
    """

    notion: str
    granularity: Granularity
    metric: str
    values: Mapping[str, Term]

    @property
    def claim(self) -> dict[str, str]:
        """The same for neighbours, which are at distance 1, as a problem file says it."""
        values = self.values.items()
        there = {key: substitution.substituted(value, {self.metric: ONE}) for key, value in values}
        return {"notion": self.notion} | {key: to_text(value) for key, value in there.items()}

    def problem(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The data of a problem in metrics as one for these neighbours, with this claim alone."""
        return {**data, "target": {"granularity": self.granularity.data()}, "claims": [self.claim]}


def granular(setting: Setting, claimed: Guarantee) -> Granular | None:
    """A claim as one in the canonical metric of a granularity; None where it is in others, or in several.

    Metrics that are formulas in others stand there as these.
    """
    metrics = setting.metrics
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
