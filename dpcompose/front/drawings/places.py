"""In which layers the databases of a picture stand: by their sizes, by their entries, or by steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.spaces.classes.databases import Database

if TYPE_CHECKING:
    from networkx import Graph


def _is_multiset(D: Database) -> bool:
    return isinstance(D, tuple) and all(isinstance(record, str) for record in D) and list(D) == sorted(D)


def _is_point(D: Database) -> bool:
    """Whether a database is two whole numbers, which say where it is drawn."""
    return isinstance(D, tuple) and len(D) == 2 and all(type(x) is int for x in D)


def layers_of(graph: Graph) -> dict[Database, int]:
    """In which layer each database stands: by how many records it has, else by steps from the first."""
    nodes = list(graph.nodes)
    if all(isinstance(D, tuple) for D in nodes) and len({len(D) for D in nodes}) > 1:
        return {D: len(D) for D in nodes}
    if all(map(_is_point, nodes)):
        return {D: D[1] for D in nodes}
    if all(isinstance(D, tuple) for D in nodes) and not all(map(_is_multiset, nodes)):
        first = min(record for D in nodes for record in D)
        return {D: sum(record != first for record in D) for D in nodes}
    return _steps(graph)


def _steps(graph: Graph) -> dict[Database, int]:
    """How many steps each database is from the first of those it is joined to."""
    import networkx

    numbers: dict[Database, int] = {}
    for D in graph:
        if D not in numbers:
            numbers |= networkx.single_source_shortest_path_length(graph, D)
    return numbers
