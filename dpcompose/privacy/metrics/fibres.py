"""Guarantees in metrics on the common domain that are no multiple of one: those of the nearest databases.

Of a formula F in one metric d, with a delta that may be in another one, F(d) and the delta are taken at the
databases that d has nearest to each other, among all with the same values of the map (GB Prop. IV.10, A.12).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy

from dpcompose.language import formulas
from dpcompose.language.symbols import NONNEGATIVE, symbol
from dpcompose.privacy import fibres
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.metrics.distances import Distances
from dpcompose.spaces.maps import Map, everything
from dpcompose.spaces.points import Distance, Enumerated, Made, Steps, Tabled


def of_the_nearest(
    to: Distances, metric: sympy.Expr, delta: sympy.Expr | None, reads: Map, path: Path_
) -> tuple[sympy.Expr, sympy.Expr | None] | None:
    """The metric and the delta as formulas about what a map reads; None where they are none: that is told."""
    used = _names(to, metric)
    besides = [] if delta is None else [one for one in _names(to, delta) if one not in used]
    part = None if to.databases is None else dict(to.databases.parts).get("")
    far = [_far(to.metrics[name].distance, part) for name in (*used, *besides)]
    if len(used) != 1 or len(besides) > 1 or None in far or not isinstance(part, Enumerated):
        few = len(used) == 1 and delta
        to.wrong((*path, "delta") if few else path, fibres.ONE_DELTA if few else fibres.ONE_METRIC)
        return None
    tables = fibres.nearest(part.elements, reads, [one for one in far if one is not None])
    put = {
        symbol(name, NONNEGATIVE): _letter(to, f"{name}_{reads.written('')}".rstrip("()"), table, reads)
        for name, table in zip((*used, *besides), tables, strict=True)
    }
    return metric.xreplace(put), None if delta is None else delta.xreplace(put)


def _names(to: Distances, value: sympy.Expr) -> list[str]:
    return [name for name in to.metrics if symbol(name, NONNEGATIVE) in value.free_symbols]


def _far(distance: Distance, part: Any) -> Callable[[Any, Any], fibres.Far] | None:
    """How far apart databases are, where that is known pair by pair."""
    match distance:
        case Tabled() as table if table.of == table.reads == everything:
            return table.between
        case Steps(granularity, "", reads, _) if reads == everything and isinstance(part, Enumerated):
            steps = fibres.steps_between(part.of, granularity)
            return lambda D, E: steps[D].get(E)
    return None


def _letter(to: Distances, name: str, table: fibres.Table, reads: Map) -> sympy.Expr:
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
    least = formulas.parse(f"min({', '.join(map(str, made))})", {str(one): one for one in made})
    return to.named(name, Made(least))
