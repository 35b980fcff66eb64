"""Finite classes of few databases as graphs, where there are no arrays: a browser may have no numpy."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.arrays.sizes import Limits
from dpcompose.spaces.canonical.finite import FiniteSpace, finite
from dpcompose.spaces.canonical.graphs import is_large, neighbourhood_graph, push_forward
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.neighbours import Pair

if TYPE_CHECKING:
    from networkx import Graph


@frozen(eq=False)
class GraphSpace:
    """A finite class with a granularity, by its graph; it answers what a proof asks of a `FiniteSpace`.

    >>> import dpcompose as dpc
    >>> on = dpc.multisets("ab", "<= 9")
    >>> space = GraphSpace(on, neighbourhood_graph(on, dpc.bounded))
    >>> space.smallest_changes(lambda D: "a" in D)
    ((('a',), ('b',)), (('a', 'a'), ('a', 'b')))
    >>> space.push_forward(len).pairs, space.distances(("a", "a")).tolist()[:6]
    (0, [-1, -1, -1, 0, 1, 2])
    """

    databases: DatabaseClass
    graph: Graph

    @property
    def nodes(self) -> int:
        """How many databases there are."""
        return len(self.graph)

    @property
    def pairs(self) -> int:
        """How many neighbouring pairs there are."""
        found: int = self.graph.number_of_edges()
        return found

    @cached_property
    def number(self) -> Callable[[Database], int]:
        """The number of a database."""
        return {D: n for n, D in enumerate(self.graph)}.__getitem__

    def distances(self, *sources: Database) -> array[int]:
        """d(D, E) for each E, by its number, from the nearest of the sources D; −1 for ∞."""
        found, layer, steps = dict.fromkeys(sources, 0), set(sources), 0
        while layer:
            steps += 1
            layer = {E for D in layer for E in self.graph.adj[D]} - found.keys()
            found |= dict.fromkeys(layer, steps)
        return array("q", (found.get(D, -1) for D in self.graph))

    def distance(self, D: Database, E: Database) -> int:
        """d(D, E); −1 for ∞."""
        return self.distances(D)[self.number(E)]

    def smallest_changes(self, *maps: Callable[[Database], Database]) -> tuple[Pair, ...]:
        """Of each way in which neighbours change (f_1(D), …, f_k(D)) the smallest pair, in order."""
        size, found = self.databases.size, dict[Any, Pair]()
        oriented = (max(pair, pair[::-1], key=lambda p: (size(p[0]), str(p[1]))) for pair in self.graph.edges)
        for D, E in sorted(oriented, key=lambda p: (size(p[0]) + size(p[1]), str(p[0]), str(p[1]))):
            change = tuple((f(D), f(E)) if f(D) != f(E) else None for f in maps)
            found.setdefault(change, (D, E))
        return tuple(found.values())

    def labels(self, f: Callable[[Database], Database]) -> tuple[Sequence[Database], Sequence[Database]]:
        """f(D) for each database; and all values."""
        read = [f(D) for D in self.graph]
        return read, tuple(dict.fromkeys(read))

    def from_fibre(
        self, x: Database, read: Sequence[Database], values: Sequence[Database]
    ) -> dict[Database, int]:
        """d^f(x, y) for the values y that can be reached from the fibre of x, with what `labels(f)` gave."""
        fibre = (D for D, y in zip(self.graph, read, strict=True) if y == x)
        found = dict[Database, int]()
        for y, d in sorted(zip(read, self.distances(*fibre), strict=True), key=lambda pair: pair[1]):
            if d >= 0:
                found.setdefault(y, d)
        return found

    def push_forward(self, f: Any) -> GraphSpace:
        """The graph of the images: f(D) and f(E), where they differ, are joined where D and E are."""
        import networkx

        image: Graph = networkx.Graph()
        image.add_nodes_from(dict.fromkeys(map(f, self.graph)))
        image.add_edges_from(push_forward(self.graph, f).edges)
        return GraphSpace(self.databases, image)


Space: TypeAlias = FiniteSpace | GraphSpace


def space(databases: DatabaseClass, granularity: Granularity, limits: Limits | None = None) -> Space:
    """A finite class with its neighbours: on arrays, or, a small one where there is no numpy, as a graph."""
    if find_spec("numpy") is None and not is_large(databases):
        return GraphSpace(databases, neighbourhood_graph(databases, granularity, limits))
    return finite(databases, granularity, limits)
