"""Guarantees in metrics: a formula in distances of the inputs, in place of one distance (GB Def. III.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dpcompose.kernel.expressions import metrics, substitution
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.spaces.canonical.named import Distance, NamedMetric, Within
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity


@frozen
class Metric:
    """d(D, E) as a formula in distances, and what else is one: a mechanism has its guarantee at distance d.

    besides -- parameters that are formulas of their own, such as δ(D, E); bounded -- whether some distances
    are only known to be at most these; said -- the formulas as a file has them, by their keys;
    distances -- those of what one mechanism reads; () where the formula is in the metrics of the setting;
    words -- what it follows from, where that is no formula; near -- where a claim is about the pairs within a
    distance alone, which these are.
    """

    formula: Term
    distances: tuple[NamedMetric, ...] = ()
    besides: tuple[tuple[str, Term], ...] = ()
    bounded: bool = False
    said: tuple[tuple[str, str], ...] = ()
    words: str = ""
    near: Within | None = None

    @property
    def delta(self) -> Term | None:
        """The δ(D, E), where the notion has one."""
        return dict(self.besides).get("delta")

    @property
    def terms(self) -> tuple[Term, ...]:
        """The formulas that it is made of."""
        return (self.formula, *(value for _, value in self.besides))

    @property
    def parameters(self) -> list[Term]:
        """The letters in it that are parameters."""
        return [parameter for value in self.terms for parameter in metrics.parameters(value)]

    @property
    def in_tables(self) -> bool:
        """Whether some distance is stated pair by pair."""
        return any(distance.distance.in_a_table for distance in self.distances)

    def regarding(self, change: Callable[[Granularity], Granularity]) -> Metric:
        """The same in steps of other neighbours."""
        return self._with(lambda distance: distance.regarding(change))

    def _with(self, change: Callable[[Distance], Distance]) -> Metric:
        named_metrics = tuple(replace(metric, distance=change(metric.distance)) for metric in self.distances)
        return replace(self, distances=named_metrics)

    def with_letters(self, named: Mapping[str, Term]) -> Metric:
        """The same with other terms for some parameters."""
        return self.changed(lambda value: substitution.substituted(value, named))

    def changed(self, change: Callable[[Term], Term]) -> Metric:
        """The same by other formulas."""
        besides = tuple((key, change(value)) for key, value in self.besides)
        return replace(self, formula=change(self.formula), besides=besides)

    def reading(self, read: Callable[[Map], Map]) -> Metric:
        """The same of other inputs."""
        return self._with(lambda distance: distance.reading(read))

    def __str__(self) -> str:
        return ", with delta ".join(text for _, text in self.said)
