"""Studies as mechanisms of problems about metrics: their mechanisms one by one, on what the study reads.

What a study loses is what its mechanisms lose together, so nothing is lost by stating them one by one.  A
metric on what the study reads is one on the whole: that of what is read.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.metrics.distances import Distances
from dpcompose.privacy.metrics.setting import MetricMechanism
from dpcompose.spaces.canonical.graphs import graph_of_inputs
from dpcompose.spaces.canonical.points import (
    AnyTwo,
    Apart,
    Counted,
    Declared,
    Distance,
    Enumerated,
    Lost,
    Made,
    Norm,
    Own,
    Part,
    Points,
    Steps,
    Tabled,
    Values,
    class_of,
)
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.composed import composed
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.restrictions import Positions, Restriction
from dpcompose.spaces.moves.built_in import free_lunch
from dpcompose.spaces.moves.granularities import Granularity


class NotOutside(ValueError):
    """A metric on what a study reads cannot be stated on the whole; the message says which."""


class Outside:
    """Mechanisms and metrics of a study, stated on the class of what it is part of.

    study -- its name; part -- the one that it reads, "" for the whole; reads -- the map, if it reads one;
    inner, outer -- the class of the study with its metrics, and that of what it is part of; shared -- the
    metrics outside that the study has, too.
    """

    def __init__(
        self,
        study: str,
        part: str,
        reads: Map,
        inner: Distances,
        outer: Distances,
        shared: Set[str],
    ) -> None:
        self.study, self.part, self.reads, self.shared = study, part, reads, shared
        self.inner, self.outer = inner.alone, outer.alone
        self.metrics, self.values, self.named = inner.names.metrics, outer.values, outer.named

    def mechanism(self, called: str, one: MetricMechanism) -> MetricMechanism:
        """One of its mechanisms, where the study is called something.  Raises NotOutside."""
        metric = self.formula(one.metric)
        delta = None if one.delta is None else self.formula(one.delta)
        values = None if one.values is None else self._values(one.values)
        lost = None if one.lost is None else self._lost(one.lost)
        name = f"{called}.{one.name}"
        return replace(one, name=name, metric=metric, delta=delta, values=values, lost=lost)

    def formula(self, it: Term) -> Term:
        """A formula in the metrics of the study, in those outside."""
        used = [name for name in self.metrics if name in it.letters]
        return substitution.substituted(it, {name: self._letter(name) for name in used})

    def _letter(self, name: str) -> Term:
        metric = self.metrics[name]
        bound = None if metric.at_most is None else self.formula(metric.at_most)
        whole = self.reads == everything and not self.part
        called = name if whole else f"{self.study}_{name}"  # d_bounded is that of the whole outside
        return self.named(called, self._distance(metric.distance), at_most=bound)

    def _values(self, of: Values) -> Values:
        """The same values outside; a map of the study alone under a name of its own."""
        if not of.name:
            return self.values[self.part]
        return of if self.values.get(of.name) == of else replace(of, name=f"{self.study}.{of.name}")

    def _distance(self, distance: Distance) -> Distance:
        match distance:
            case Made(formula) | Apart(formula):
                return replace(distance, formula=self.formula(formula))
            case Declared(of):
                whose = f"{self.study} of {self.part or self.reads.written('D')}"
                return distance if of in self.shared else Declared(f"{of} in {whose}")
            case Lost():
                return self._lost(distance)
        if self.reads == everything:
            return self._of_part(distance)
        match distance:
            case AnyTwo():
                return Steps(free_lunch, "", self.reads)
            case Counted(reads=g):
                return Counted("", composed(g, self.reads))
            case Tabled(of=g, reads=closed) if closed == everything:
                return replace(distance, of=composed(g, self.reads))
            case Steps(granularity, _, g, domain):
                return self._steps(granularity, g, domain)
        raise NotOutside(f"{type(distance).__name__} is about what the study reads, which is no part")

    def _of_part(self, distance: Distance) -> Distance:
        """The same of the part that the study reads."""
        if isinstance(distance, Norm | Own | AnyTwo):
            return replace(distance, of=self._values(distance.of))
        if self.part and isinstance(distance, Steps | Counted | Tabled):
            return replace(distance, part=self.part)
        return distance

    def _steps(self, granularity: Granularity, g: Map, domain: str) -> Distance:
        """A canonical metric: of classes that are gone through as a table, else the own one of g∘f."""
        if isinstance(self.inner, Enumerated) and isinstance(self.outer, Enumerated):
            far = shortest(self.inner.of, granularity, g, domain == "own")
            return Tabled("", far, composed(g, self.reads))
        if domain == "common" and g != everything:
            raise NotOutside(
                f"{g.written('D')} is read on the common domain of a study, which is another one outside; "
                'domain = "own", or a class of few databases, would do'
            )
        if not isinstance(self.reads, Restriction | Positions) or not isinstance(
            g, Restriction | Positions | type(everything)
        ):
            raise NotOutside("a study reads some records, or positions, or everything")
        return Steps(granularity, "", composed(g, self.reads))

    def _lost(self, lost: Lost) -> Lost:
        if self.reads == everything:
            return lost
        if not isinstance(self.outer, Enumerated):
            raise NotOutside("a table of probabilities needs a listed class")
        return replace(lost, rows={D: lost.rows[self.reads(D)] for D in self.outer.elements})


def shortest(
    databases: DatabaseClass, granularity: Granularity, g: Map, own: bool
) -> dict[frozenset[Any], Fraction]:
    """How many steps two values of a map are apart at least, where there is a path."""
    import networkx

    graph = graph_of_inputs(databases, granularity, g, own)
    lengths = networkx.all_pairs_shortest_path_length(graph)
    return {frozenset((x, y)): Fraction(n) for x, row in lengths for y, n in row.items() if n}


def unlike(inner: Part | None, image: DatabaseClass) -> bool:
    """Whether the class of a study is another one than what it reads."""
    if inner is None or isinstance(inner, Points):
        return True
    own = class_of(inner)
    return own != image and not (
        own.count() is not None
        and image.count() is not None
        and own.kind == image.kind
        and set(own.databases()) == set(image.databases())
    )
