"""Neighbourhood graphs of finite classes, as networkx graphs, and their push-forward along maps.

The neighbourhood graph of (𝔻, G) has the databases as nodes and the neighbouring pairs as
edges.  Its push-forward along f has the values of f as nodes and the pairs (f(D), f(E)) of
neighbours as edges: the graph with each fibre of f contracted to one node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dpcompose.spaces.databases import (
    Database,
    DatabaseClass,
    Multisets,
    TooLarge,
    Tuples,
    refuse_if_large,
)
from dpcompose.spaces.granularities import Granularity, Group, NotSymmetric, Pairs, RecordEdits, Steps, pairs
from dpcompose.spaces.maps import Map

if TYPE_CHECKING:
    from networkx import Graph

LARGEST_PREDICATE_CLASS = 3_000
"""The most databases for which a predicate is asked about every pair."""
LARGEST_GRAPH = 3_000_000
"""The most neighbouring pairs of a group."""


def neighbourhood_graph(databases: DatabaseClass, granularity: Granularity) -> Graph:
    """The graph with the databases as nodes and an edge between neighbours.

    Raises NotSymmetric with the pair where the relation is not symmetric, TooLarge (before
    any work) where the class is.

    >>> from dpcompose.spaces.databases import multisets
    >>> from dpcompose.spaces.granularities import bounded
    >>> sorted(neighbourhood_graph(multisets({"a", "b"}, size="<= 1"), bounded).edges)
    [(('a',), ('b',))]
    """
    import networkx

    refuse_if_large(databases)
    if isinstance(granularity, Group):
        return power(neighbourhood_graph(databases, granularity.of), granularity.m)
    graph: Graph = networkx.Graph()
    nodes = list(databases.databases())
    graph.add_nodes_from(nodes)
    if isinstance(granularity, Pairs):
        for D, E in granularity.listed:
            for one in (D, E):
                if one not in graph:
                    raise ValueError(
                        f"the granularity {granularity} names {one!r}, which is no database of the class"
                    )
        graph.add_edges_from(sorted(granularity.listed, key=str))
        return graph
    if not isinstance(granularity, RecordEdits | Steps) and len(nodes) > LARGEST_PREDICATE_CLASS:
        raise TooLarge(
            f"{databases}: {len(nodes):,} databases, and the granularity {granularity} must be asked "
            f"about every pair; that is done for up to {LARGEST_PREDICATE_CLASS:,} databases. An edit "
            "function (dpcompose.steps) instead of a predicate would do"
        )
    found = {D: set(granularity.neighbours(D, databases)) for D in nodes}
    for D in nodes:
        for E in found[D]:
            if D not in found[E]:
                raise NotSymmetric(
                    f"the granularity {granularity} is not symmetric: {databases.show(E)} is a neighbour of "
                    f"{databases.show(D)}, but {databases.show(D)} is none of {databases.show(E)}"
                )
            graph.add_edge(D, E)
    return graph


def power(graph: Graph, m: int) -> Graph:
    """The graph in which nodes are joined where at most m edges lead from one to the other.

    Raises TooLarge beyond LARGEST_GRAPH edges.
    """
    import networkx

    joined: Graph = networkx.Graph()
    joined.add_nodes_from(graph.nodes)
    for D in graph.nodes:
        near = networkx.single_source_shortest_path_length(graph, D, cutoff=m)
        joined.add_edges_from((D, E) for E in near if E != D)
        if joined.number_of_edges() > LARGEST_GRAPH:
            raise TooLarge(
                f"groups of {m} neighbours make more than {LARGEST_GRAPH:,} pairs of {len(graph)} databases; "
                "a smaller class or group would do"
            )
    return joined


def push_forward(graph: Graph, f: Map) -> Graph:
    """The graph of the images: f(D) and f(E), where they differ, are joined where D and E are.

    >>> from dpcompose.spaces.databases import multisets
    >>> from dpcompose.spaces.granularities import unbounded
    >>> from dpcompose.spaces.maps import restriction
    >>> graph = neighbourhood_graph(multisets({"a", "b"}, size="<= 1"), unbounded)
    >>> sorted(push_forward(graph, restriction(["a"])).edges)
    [((), ('a',))]
    """
    import networkx

    image: Graph = networkx.Graph()
    values = {D: f(D) for D in graph.nodes}
    image.add_nodes_from(values.values())
    image.add_edges_from((values[D], values[E]) for D, E in graph.edges if values[D] != values[E])
    return image


def graph_of_inputs(
    databases: DatabaseClass,
    granularity: Granularity,
    f: Map,
    own: bool,
    graph: Callable[[DatabaseClass, Granularity], Graph] = neighbourhood_graph,
) -> Graph:
    """The neighbouring inputs that a guarantee of M∘f is about, for neighbours of a granularity.

    own -- whether it is stated on the own domain, the class of images: for the pairs that the map lists,
    or the neighbours inside of a class of records; else, and for other images, for the push-forward;
    graph -- makes the neighbourhood graph of a class.
    """
    if own and not f.is_identity(databases):
        image = f.image(databases)
        single, steps = granularity.innermost()
        given = f.neighbours_for(single.name)
        if given is not None:
            return power(neighbourhood_graph(image, pairs(single.name, given)), steps)
        if isinstance(image, Multisets | Tuples):
            return graph(image, granularity)
    return push_forward(graph(databases, granularity), f)


def fibres(graph: Graph, f: Map) -> Mapping[Database, tuple[Database, ...]]:
    """For each value of f the databases that have it."""
    found: dict[Database, list[Database]] = {}
    for D in graph.nodes:
        found.setdefault(f(D), []).append(D)
    return {x: tuple(Ds) for x, Ds in found.items()}
