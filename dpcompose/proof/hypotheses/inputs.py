"""The inputs of a composition: in which metric each mechanism's input moves, over which pairs.

M_i's guarantee speaks of a metric on what M_i reads: on its own domain the canonical metric
of the image class; on the common domain, by the push-forward lemma, the canonical metric of
the neighbourhood graph with each fibre of f_i contracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpcompose.privacy.settings import Setting
from dpcompose.proof.hypotheses import edit_types, exhaustion
from dpcompose.proof.registry import Theory
from dpcompose.spaces.databases import DatabaseClass, Listed, Multisets, TooLarge
from dpcompose.spaces.granularities import Edit, Granularity, pairs
from dpcompose.spaces.graphs import neighbourhood_graph, push_forward
from dpcompose.spaces.maps import Map, Restriction, Table
from dpcompose.spaces.metrics import (
    ClosedForm,
    Metric,
    MinimumOverFibres,
    ShortestPaths,
    edits_of_images,
    edits_within,
)

if TYPE_CHECKING:
    from networkx import Graph


class NotDecidable(ValueError):
    """No lemma lifts a finite check to this class; the message says what is missing."""


@dataclass(frozen=True)
class InputMetric:
    """The metric of one input, in words where it is from, and the fact page that states it, if any."""

    metric: Metric
    words: str
    page: str | None = None


@dataclass(frozen=True)
class NeighbouringPairs:
    """Pairs of neighbours that stand for all of them, and in words what they cover."""

    pairs: tuple[edit_types.Pair, ...]
    procedure: str
    covered: str


def closed_form(theory: Theory, databases: Multisets, edits: frozenset[Edit]) -> InputMetric | None:
    """The canonical metric that a fact page states for a relation by edits on a class of multisets."""
    edits = edits_within(edits, databases)
    for page in theory.of_kind("fact"):
        head = page.head
        if head.metric is None or head.edits is None or databases.sizes.kind not in head.sizes:
            continue
        if frozenset(head.edits) | frozenset((s, r) for r, s in head.edits) == edits:
            return InputMetric(ClosedForm(head.metric, head.same_size), f"{page.id}, on {databases}", page.id)
    return None


@dataclass(frozen=True, eq=False)
class Inputs:
    """The metrics and neighbouring pairs of a setting, computed when asked for and kept.

    stated -- where the setting has the families of another one written out, that other one.
    """

    setting: Setting
    theory: Theory
    stated: Setting | None = None
    _graphs: dict[tuple[DatabaseClass, Granularity], Graph] = field(default_factory=dict, repr=False)
    _metrics: dict[int, InputMetric] = field(default_factory=dict, repr=False)
    _pairs: dict[Granularity, NeighbouringPairs] = field(default_factory=dict, repr=False)

    def graph(self, databases: DatabaseClass, granularity: Granularity) -> Graph:
        """The neighbourhood graph of a finite class."""
        key = (databases, granularity)
        if key not in self._graphs:
            self._graphs[key] = neighbourhood_graph(databases, granularity)
        return self._graphs[key]

    def domain(self, i: int) -> str:
        """Where M_i's guarantee is stated; a mechanism that reads everything has both domains alike."""
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.reads.is_identity(self.setting.databases):
            return "own"
        return mechanism.satisfies.domain or "own"

    def metric(self, i: int) -> InputMetric:
        """The metric in which the guarantee of M_i reads its input; i from 1 to k."""
        if i not in self._metrics:
            mechanism = self.setting.mechanisms[i - 1]
            stated = mechanism.satisfies.about_granularity
            self._metrics[i] = self.metric_of(mechanism.reads, stated, self.domain(i))
        return self._metrics[i]

    def metric_of(self, f: Map, stated: Granularity, domain: str) -> InputMetric:
        """The metric on the values of f for guarantees stated in a granularity, on a domain."""
        databases = self.setting.databases
        if isinstance(databases, Multisets) and stated.edits is not None and edit_types.apply_to([f]):
            image = f.image(databases)
            if isinstance(image, Listed):
                return InputMetric(ClosedForm("oo"), "one possible input")
            assert isinstance(image, Multisets)
            edits = stated.edits if domain == "own" else edits_of_images(stated.edits, databases, f)
            if (found := closed_form(self.theory, image, edits)) is not None:
                return found
        if databases.count() is None:
            raise NotDecidable(
                f"no closed form is known for the {stated} metric on the values of {f.written('D')}, and "
                f"{databases} cannot be gone through; a finite class would do"
            )
        graph = self._graph_of_inputs(f, stated, domain)
        return InputMetric(ShortestPaths(graph), f"shortest paths over {graph.number_of_nodes()} inputs")

    def _graph_of_inputs(self, f: Map, stated: Granularity, domain: str) -> Graph:
        databases = self.setting.databases
        if domain == "own" and not f.is_identity(databases):
            image = f.image(databases)
            if isinstance(f, Table):
                given = f.neighbours_for(stated.name)
                if given is not None:
                    return neighbourhood_graph(image, pairs(stated.name, given))
            elif isinstance(image, Multisets):
                return self.graph(image, stated)
        return push_forward(self.graph(databases, stated), f)

    def minimum_over_fibres(self, i: int) -> Metric:
        """d^f of M_i (GB Prop. IV.10).  On multisets and restrictions it is the push-forward's metric."""
        mechanism = self.setting.mechanisms[i - 1]
        found = self.metric(i).metric
        stated = mechanism.satisfies.about_granularity
        if isinstance(found, ClosedForm):
            return found
        return MinimumOverFibres(self.graph(self.setting.databases, stated), mechanism.reads)

    def neighbouring_pairs(self, granularity: Granularity | None = None) -> NeighbouringPairs:
        """Pairs that stand for all neighbours (of the target, where none is named).

        Raises NotDecidable where the class is infinite and no lemma applies.
        """
        granularity = granularity or self.setting.target
        if granularity not in self._pairs:
            self._pairs[granularity] = self._find_pairs(granularity)
        return self._pairs[granularity]

    def _find_pairs(self, granularity: Granularity) -> NeighbouringPairs:
        setting = self.setting
        maps = [mechanism.reads for mechanism in setting.mechanisms]
        by_types = (
            isinstance(setting.databases, Multisets)
            and granularity.edits is not None
            and edit_types.apply_to(maps)
            and all(isinstance(self.metric(i).metric, ClosedForm) for i in range(1, len(maps) + 1))
        )
        if by_types:
            assert isinstance(setting.databases, Multisets) and granularity.edits is not None
            found = edit_types.pairs(setting.databases, granularity.edits, maps)
            return NeighbouringPairs(found, "edit types", _count(len(found), "edit type"))
        if setting.databases.count() is None:
            raise NotDecidable(
                f"{setting.databases} are infinitely many, and no lemma says that finitely many pairs of "
                f"{granularity} neighbours stand for all; a finite class would do"
            )
        found = exhaustion.pairs(setting.databases, self.graph(setting.databases, granularity))
        if len(found) * len(maps) > LARGEST_EXHAUSTION:
            raise TooLarge(
                f"{len(found):,} neighbouring pairs for {len(maps)} mechanisms are too many to go through; "
                "a smaller class would do"
            )
        return NeighbouringPairs(
            found, "exhaustion", f"all {_count(len(found), 'neighbouring pair')} of {setting.databases}"
        )

    def distances(self, pair: edit_types.Pair) -> dict[int, int]:
        """How far each input moves between D and E; inputs that do not move are left out."""
        return {
            i: self.metric(i).metric(f(pair[0]), f(pair[1]))
            for i, f in self._that_move(pair, [mechanism.reads for mechanism in self.setting.mechanisms])
        }

    def _that_move(self, pair: edit_types.Pair, maps: Sequence[Map]) -> Iterator[tuple[int, Map]]:
        """The maps, numbered from 1, with different values at D and E; restrictions by the edited records."""
        D, E = pair
        edited: set[str] | None = None
        if isinstance(self.setting.databases, Multisets) and isinstance(D, tuple) and isinstance(E, tuple):
            edited = {record for record in {*D, *E} if D.count(record) != E.count(record)}
        for i, f in enumerate(maps, start=1):
            if isinstance(f, Restriction) and edited is not None:
                if not f.inside.isdisjoint(edited):
                    yield i, f
            elif f(D) != f(E):
                yield i, f

    def changed(self, pair: edit_types.Pair, maps: Sequence[Map]) -> list[int]:
        """Which of the maps, from 1, take different values at D and E."""
        return [i for i, _ in self._that_move(pair, maps)]

    def show(self, pair: edit_types.Pair) -> str:
        """The pair as D = {…} and E = {…}."""
        shown = [self.setting.databases.show(D) for D in pair]
        D, E = (f"{{{', '.join(one)}}}" if isinstance(one, list) else one for one in shown)
        return f"D = {D} and E = {E}"


LARGEST_EXHAUSTION = 5_000_000
"""The most pairs times mechanisms that are gone through."""


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
