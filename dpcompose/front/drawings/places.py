"""Where the databases of a picture stand: by their sizes, by their entries, or freely."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

from dpcompose.spaces.classes.databases import Database

if TYPE_CHECKING:
    from networkx import Graph


LAYER_GAP = 1.3
Places = dict[Database, tuple[float, float]]


Label = Callable[[Database], str]
"""How a database is written in a picture."""


def _is_multiset(D: Database) -> bool:
    return isinstance(D, tuple) and all(isinstance(record, str) for record in D) and list(D) == sorted(D)


def _is_point(D: Database) -> bool:
    """Whether a database is two whole numbers, which say where it is drawn."""
    return isinstance(D, tuple) and len(D) == 2 and all(type(x) is int for x in D)


def _corner(j: int, m: int, width: float) -> tuple[float, float]:
    """Where the record number j of m stands: a flat polygon, a bit skew so that databases do not meet."""
    if m <= 2:
        return (2 * width * j, 0.3 * j)
    skew = 0.0 if m == 3 else 0.06 if m == 4 else 0.03 if m <= 6 else 0.02
    turn = 2 * pi * (j / m - 0.4) + skew * j * j
    return 1.25 * width * cos(turn), (0.7 if m == 3 else 1.1) * sin(turn)


def places_of(graph: Graph, label: Label) -> Places:
    """Where each database stands.

    Multisets in layers by size, so that replacing a record is one step in a layer; two numbers where they
    say; other tuples in layers by length and by how many entries are not the first record; others freely.
    """
    nodes = list(graph.nodes)
    if all(map(_is_multiset, nodes)):
        return _lattice(nodes, label)
    if len(nodes) == 1:
        return {nodes[0]: (0.0, 0.0)}
    if all(map(_is_point, nodes)):
        return {(x, y): (2.0 * x, 1.5 * y) for x, y in nodes}
    if all(isinstance(D, tuple) for D in nodes):
        return _layers(nodes, label)
    return _freely(graph)


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

    found: dict[Database, int] = {}
    for D in graph:
        if D not in found:
            found |= networkx.single_source_shortest_path_length(graph, D)
    return found


def _freely(graph: Graph) -> Places:
    """Neighbours close to each other; what nothing joins side by side."""
    import networkx

    found: Places = {}
    left = 0.0
    for component in networkx.connected_components(graph):
        some: Graph = (
            networkx.Graph()
        )  # in the order of the databases, so that the picture is the same each time
        some.add_nodes_from(D for D in graph if D in component)
        some.add_edges_from(pair for pair in graph.edges if pair[0] in component)
        wide = 1.0 + len(some) ** 0.5 if len(some) > 1 else 0.0
        spread = networkx.spring_layout(some, seed=1, iterations=300, scale=wide or None)
        for D, (x, y) in spread.items():
            found[D] = (left + wide + float(x), float(y))
        left += 2 * wide + LAYER_GAP
    return found


def _layers(nodes: list[Any], label: Label) -> Places:
    """Tuples in rows, each sorted; rows are bent a bit, so that no line runs through a database."""
    first = min(record for D in nodes for record in D)
    rows: dict[tuple[int, int], list[Any]] = {}
    for D in sorted(nodes):
        rows.setdefault((len(D), sum(record != first for record in D)), []).append(D)
    width = 0.6 + max(len(label(D)) for D in nodes) / 8
    found: Places = {}
    for y, key in enumerate(sorted(rows)):
        row = rows[key]
        for j, D in enumerate(row):
            x = j - (len(row) - 1) / 2
            found[D] = (width * x, 1.5 * y + 0.05 * x * x)
    return found


def _lattice(nodes: list[Any], label: Label) -> Places:
    """A record is a corner of a polygon, a database the sum of its records; sizes one above another."""
    records = sorted({record for D in nodes for record in D})
    width = max(1.0, max(len(label(D)) for D in nodes) / 9)
    corners = {a: _corner(j, len(records), width) for j, a in enumerate(records)}
    inside = {D: (sum(corners[a][0] for a in D), sum(corners[a][1] for a in D)) for D in nodes}
    found: Places = {}
    floor = 0.0
    for size in sorted({len(D) for D in nodes}):
        layer = [D for D in nodes if len(D) == size]
        lowest = min(inside[D][1] for D in layer)
        for D in layer:
            found[D] = (inside[D][0], floor + inside[D][1] - lowest)
        floor = max(found[D][1] for D in layer) + LAYER_GAP
    return found
