"""Neighbouring pairs by exhaustion: all of them, on a finite class and for that class only.

Of a large class those are kept that decide what is asked: what depends on the values of some maps at two
neighbours is the same for all neighbours between which the maps change alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dpcompose.spaces.canonical.finite import FiniteSpace
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:
    from networkx import Graph

Pair = tuple[Database, Database]


def pairs(databases: DatabaseClass, graph: Graph) -> tuple[Pair, ...]:
    """All edges of a neighbourhood graph, smallest databases first, each once."""

    def order(pair: Pair) -> tuple[int, str, str]:
        D, E = pair
        return databases.size(D) + databases.size(E), str(D), str(E)

    oriented = [max((D, E), (E, D), key=lambda p: (databases.size(p[0]), str(p[1]))) for D, E in graph.edges]
    return tuple(sorted(oriented, key=order))


def deciding(
    space: FiniteSpace | None, databases: DatabaseClass, maps: Sequence[Map], graph: Callable[[], Graph]
) -> tuple[tuple[Pair, ...], int]:
    """Pairs that decide what depends on the maps' values at neighbours; and how many pairs they stand for.

    space -- a large class on arrays: of the pairs between which the maps change alike the first one is
    kept; None: all pairs, by the edges of the graph.
    """
    if space is None:
        found = pairs(databases, graph())
        return found, len(found)
    return space.smallest_changes(*maps), space.layout.edges
