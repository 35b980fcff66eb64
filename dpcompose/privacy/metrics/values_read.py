"""Guarantees of mechanisms that read the values of a map of points: in metrics of these, or of the points.

On the common domain a norm of the points becomes, of a map that keeps some coordinates, that of these: at
points that agree in all others it is no more, and these are nearest (GB Prop. IV.10).
"""

from __future__ import annotations

import sympy

from dpcompose.language.symbols import NONNEGATIVE, REAL, symbol
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.metrics.distances import Distances
from dpcompose.spaces.points import Norm, Points, Values


def about_values(
    to: Distances, name: str, formula: sympy.Expr, domain: str | None, path: Path_
) -> sympy.Expr | None:
    """A formula in metrics as one about the values of a map that is read; None where it is none."""
    of, put = to.values[name], dict[sympy.Expr, sympy.Expr]()
    for metric in [one for one in to.metrics if symbol(one, NONNEGATIVE) in formula.free_symbols]:
        distance = to.metrics[metric].distance
        if getattr(distance, "of", None) == of or getattr(distance, "part", None) == name:
            continue
        if domain == "common" and isinstance(distance, Norm) and _keeps(to, of, distance.of):
            found = to.norm(distance.word, of, path)
            if found is None:
                return None
            put[symbol(metric, NONNEGATIVE)] = found
            continue
        to.wrong(
            path,
            f'{metric} is not about {name}, which is read: name a metric of it, [metrics.NAME] of = "{name}"'
            '; with domain = "common" norms of points do, where it keeps some coordinates of points in a box',
        )
        return None
    return formula.xreplace(put)


def _keeps(to: Distances, of: Values, whole: Values) -> bool:
    """Whether a map keeps some coordinates of the points of a part, of which all values go together."""
    assert to.databases is not None
    part = dict(to.databases.parts).get(whole.name)
    if not isinstance(part, Points) or part.disc is not None or whole.parts != (whole.name,):
        return False
    kept = of.formulas or ()
    return len(set(kept)) == len(kept) > 0 and {*kept} <= {symbol(x, REAL) for x in part.coordinates}
