"""Neighbouring pairs by exhaustion: all of them, on a finite class and for that class only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.spaces.databases import Database, DatabaseClass

if TYPE_CHECKING:
    from networkx import Graph

Pair = tuple[Database, Database]


def pairs(databases: DatabaseClass, graph: Graph) -> tuple[Pair, ...]:
    """All edges of a neighbourhood graph, smallest databases first, each once."""

    def order(pair: Pair) -> tuple[int, str]:
        D, E = pair
        return databases.size(D) + databases.size(E), str(pair)

    oriented = [max((D, E), (E, D), key=lambda p: (databases.size(p[0]), str(p[1]))) for D, E in graph.edges]
    return tuple(sorted(oriented, key=order))
