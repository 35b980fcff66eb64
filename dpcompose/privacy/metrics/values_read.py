"""Guarantees of mechanisms that read the values of a map of points: in metrics of these, or of the points.

On the common domain a norm of the points becomes, of a map that reads some coordinates, that of these: points
that agree in all others are nearest, in every norm at once (GB Prop. IV.10).  So what grows with some norms
is least there.
"""

from __future__ import annotations

from collections.abc import Mapping

from dpcompose.kernel.expressions import metrics, naming, substitution
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.readers.distances import Distances


def about_values(to: Distances, name: str, formula: Term, domain: str | None, path: Path_) -> Term | None:
    """A formula in metrics as one about the values of a map that is read; None where it is none."""
    of, put = to.values[name], dict[str, Term]()
    for metric in [one for one in to.names.metrics if one in formula.letters]:
        distance = to.names.metrics[metric].distance
        if distance.is_of(of):
            continue
        closed = distance.over(of, to.coordinates) if domain == "common" else None
        if closed is not None:
            put[metric] = to.named(f"{metric}_over_{name}", closed)
            continue
        to.wrong(
            path,
            f'{metric} is not about {name}, which is read: name a metric of it, [metrics.NAME] of = "{name}"'
            '; with domain = "common" norms of coordinates do, where it reads some coordinates',
        )
        return None
    if put and not _grows(formula, put):
        to.wrong(path, "over the fibres of a map what grows with norms of points is known, and nothing else")
        return None
    return substitution.substituted(formula, put)


def _grows(formula: Term, norms: Mapping[str, Term]) -> bool:
    """Whether a formula is seen never to fall as norms grow."""
    moving = {one: metrics.letter(naming.of_distance(one)) for one in norms}
    return metrics.grows(substitution.substituted(formula, moving))
