"""Guarantees in metrics on the common domain that are no multiple of one: those of the nearest databases.

Of a formula F in one metric d, with a delta that may be in another one, F(d) and the delta are taken at the
databases that d has nearest to each other, among all with the same values of the map (GB Prop. IV.10, A.12).
"""

from __future__ import annotations

from collections.abc import Sequence

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.privacy import fibres
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.readers.distances import Distances
from dpcompose.spaces.canonical.named import Made, NamedMetric
from dpcompose.spaces.canonical.points import gone_through
from dpcompose.spaces.inputs.maps import Map


def of_the_nearest(
    to: Distances, metric: Term, delta: Term | None, reads: Map, path: Path_
) -> tuple[Term, Term | None] | None:
    """The metric and the delta as formulas about what a map reads; None where they are none: that is told."""
    used = _names(to, metric)
    besides = [] if delta is None else [one for one in _names(to, delta) if one not in used]
    part = to.alone
    called = {f"{name}_{reads.written('')}".rstrip("()"): name for name in (*used, *besides)}
    metrics = {new: to.names.metrics[name].distance for new, name in called.items()}
    tables = None
    if len(used) == 1 and len(besides) <= 1 and part is not None and gone_through(part) is not None:
        tables = fibres.at_the_nearest(metrics, part, reads)
    if tables is None:
        few = len(used) == 1 and delta not in (None, ZERO)
        to.wrong((*path, "delta") if few else path, fibres.ONE_DELTA if few else fibres.ONE_METRIC)
        return None
    put = {called[new]: _letter(to, new, some) for new, some in tables.items()}
    return substitution.substituted(metric, put), delta and substitution.substituted(delta, put)


def _names(to: Distances, value: Term) -> list[str]:
    return [name for name in to.names.metrics if name in value.letters]


def _letter(to: Distances, name: str, some: Sequence[NamedMetric]) -> Term:
    """The letter of the least of some metrics."""
    made = [to.named(one.name, one.distance) for one in some]
    return made[0] if len(made) == 1 else to.named(name, Made(terms.least(*made)))
