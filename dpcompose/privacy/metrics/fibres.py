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
from dpcompose.privacy.metrics.distances import Distances
from dpcompose.spaces.canonical.compared import Tabled
from dpcompose.spaces.canonical.named import Distance, Made, Pairwise
from dpcompose.spaces.canonical.points import Part
from dpcompose.spaces.inputs.maps import Map


def of_the_nearest(
    to: Distances, metric: Term, delta: Term | None, reads: Map, path: Path_
) -> tuple[Term, Term | None] | None:
    """The metric and the delta as formulas about what a map reads; None where they are none: that is told."""
    used = _names(to, metric)
    besides = [] if delta is None else [one for one in _names(to, delta) if one not in used]
    part = to.alone
    far = [_far(to.names.metrics[name].distance, part) for name in (*used, *besides)]
    if len(used) != 1 or len(besides) > 1 or None in far or part is None or part.elements is None:
        few = len(used) == 1 and delta not in (None, ZERO)
        to.wrong((*path, "delta") if few else path, fibres.ONE_DELTA if few else fibres.ONE_METRIC)
        return None
    tables = fibres.nearest(part.elements, reads, [one for one in far if one is not None])
    put = {
        name: _letter(to, f"{name}_{reads.written('')}".rstrip("()"), table, reads)
        for name, table in zip((*used, *besides), tables, strict=True)
    }
    return substitution.substituted(metric, put), delta and substitution.substituted(delta, put)


def _names(to: Distances, value: Term) -> list[str]:
    return [name for name in to.names.metrics if name in value.letters]


def _far(distance: Distance, part: Part | None) -> Pairwise | None:
    """How far apart databases are, where that is known pair by pair."""
    if (counted := distance.counted) is None or part is None or part.of is None or part.elements is None:
        return distance.pairwise
    steps = fibres.steps_between(part.of, counted)
    return lambda D, E: steps[D].get(E)


def _letter(to: Distances, name: str, table: fibres.Table, reads: Map) -> Term:
    """The letter of a table on the values of a map: of the least of metrics where it is none."""
    some: Sequence[fibres.Table] = fibres.metrics(table)
    made = [
        to.named(
            name if len(some) == 1 else f"{name}_{n}",
            Tabled("", {frozenset(pair): far for pair, far in one.items()}, of=reads),
        )
        for n, one in enumerate(some, start=1)
    ]
    if len(made) == 1:
        return made[0]
    return to.named(name, Made(terms.least(*made)))
