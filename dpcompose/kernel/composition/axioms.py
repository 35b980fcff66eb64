"""The axioms of a metric, of distances that are formulas in coordinates.

Most are seen from how they are made: of sizes |v| of differences that add up, v(D, E) + v(E, F) = v(D, F), by
sums, maxima, roots of sums of squares, and minima with numbers.  Of others each axiom is a comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.core.distances import Distance
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.norms.squares import inside_of_size
from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import Points, coordinate
from dpcompose.kernel.expressions.terms import ZERO, Term


@frozen
class Obligation:
    """One axiom of a metric as a comparison, greater ≥ lesser for all D, E, F."""

    words: str
    greater: Term
    lesser: Term


def between(formula: Term, one: str, two: str, points: Sequence[Points]) -> Term:
    """A formula in the coordinates of D and E as one of two others of the databases D, E, F."""
    names = [name for part in points for name in part.coordinates]
    ends = {naming.at(x, old): coordinate(x, new) for x in names for old, new in (("D", one), ("E", two))}
    return substitution.substituted(formula, ends)


def obligations(formula: Term, points: Sequence[Points]) -> tuple[Obligation, ...]:
    """What a formula in coordinates must satisfy to be a metric."""

    def d(first: str, second: str) -> Term:
        return between(formula, first, second, points)

    return (
        Obligation("d(D, E) >= 0", d("D", "E"), ZERO),
        Obligation("d(D, D) <= 0", ZERO, d("D", "D")),
        Obligation("d(D, E) >= d(E, D)", d("D", "E"), d("E", "D")),
        Obligation("d(D, E) + d(E, F) >= d(D, F)", d("D", "E") + d("E", "F"), d("D", "F")),
    )


def are_metrics(setting: Setting, shown: Collection[str]) -> frozenset[str]:
    """The distances that are seen to be metrics, or are shown to be."""
    names = set[str]()
    for name, distance in setting.distances:
        if name in shown or _is_seen(distance, names, setting.databases.points):
            names.add(name)
    return frozenset(names)


def _is_seen(distance: Distance, before: Collection[str], points: Sequence[Points]) -> bool:
    if distance.declared or distance.within is not None:
        return False
    if distance.formula is None:
        return all(adds_up(difference, points) for difference in distance.differences)
    return metrics.is_metric(distance.formula, lambda term: _is_basic(term, before, points))


def _is_basic(term: Term, before: Collection[str], points: Sequence[Points]) -> bool:
    """Whether a term is a metric that is known, or |v| for differences that add up."""
    if term.kind == "letter":
        return term.of[0] in before
    v = inside_of_size(term)
    return v is not None and adds_up(v, points)


def adds_up(v: Term, points: Sequence[Points]) -> bool:
    """Whether v(D, E) + v(E, F) = v(D, F)."""
    ways = [between(v, first, second, points) for first, second in ("DE", "EF", "DF")]
    return substitution.expanded(ways[0] + ways[1] - ways[2]) == ZERO


def check_witnesses(
    setting: Setting, by: Collection[int], shown: Collection[str], key: str = "metric"
) -> None:
    """Raises NoLoss where some mechanisms that lose what they are stated in are not seen to be as stated.

    by -- their numbers; shown -- distances that are shown to be metrics; key -- which formula is lost.  The
    others may be anything that is as stated: of each something is, if it is nowhere negative.
    """
    if not setting.distances:
        return
    known = are_metrics(setting, shown)
    for i, mechanism in enumerate(setting.mechanisms, start=1):
        assert mechanism.metric is not None
        for _, value in mechanism.metric.formulas:
            if not metrics.is_positive_part(value):
                raise NoLoss(
                    f"it is not known that {to_text(value)}, stated of {mechanism.name}, is never negative"
                )
        named = dict(mechanism.metric.formulas)
        value = terms.add([named["metric"], named.get(key, ZERO)])
        itself = mechanism.noise is not None or mechanism.table is not None
        unknown = [name for name in metrics.in_letters(value.letters) if name not in known]
        if i in by and unknown and not itself:
            raise NoLoss(f"{unknown[0]}, in which {mechanism.name} is stated, is not known to be a metric")
