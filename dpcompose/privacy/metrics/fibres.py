"""Guarantees in metrics on the common domain that are no multiple of one: those of the nearest databases.

Of a formula F in one metric d, with a delta that may be in another one, F(d) and the delta are taken at the
databases that d has nearest to each other, among all with the same values of the map (GB Prop. IV.10, A.12).
"""

from __future__ import annotations

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.privacy import fibres
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.metrics.distances import Distances
from dpcompose.spaces.canonical.named import Made
from dpcompose.spaces.inputs.maps import Map


def of_the_nearest(
    to: Distances, metric: Term, delta: Term | None, reads: Map, path: Path_
) -> tuple[Term, Term | None] | None:
    """The metric and the delta as formulas about what a map reads; None where they are none: that is told."""
    used = _names(to, metric)
    besides = [] if delta is None else [one for one in _names(to, delta) if one not in used]
    part = to.alone
    of = None if part is None or part.elements is None else part.of
    metrics = [to.names.metrics[name].distance for name in (*used, *besides)]
    far = [None if of is None else fibres.far(one, of) for one in metrics]
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


def _letter(to: Distances, name: str, table: fibres.Table, reads: Map) -> Term:
    """The letter of a table on the values of a map: of the least of metrics where it is none."""
    made = [to.named(one.name, one.distance) for one in fibres.tabled(name, table, reads)]
    return made[0] if len(made) == 1 else to.named(name, Made(terms.least(*made)))
