"""Neighbourhood graphs of finite classes, as networkx graphs, and their push-forward along maps.

The neighbourhood graph of (𝔻, G) has the databases as nodes and the neighbouring pairs as
edges.  Its push-forward along f has the values of f as nodes and the pairs (f(D), f(E)) of
neighbours as edges: the graph with each fibre of f contracted to one node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpcompose.spaces.arrays.sizes import Limits
from dpcompose.spaces.canonical.finite import finite
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge, refuse_if_large
from dpcompose.spaces.given import Neighbours, neighbours
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import Group
from dpcompose.spaces.moves.neighbours import check_pairs, not_symmetric
from dpcompose.spaces.moves.relations import pairs

if TYPE_CHECKING:
    from networkx import Graph

SMALL_CLASS = 1_000
"""Up to how many databases a graph is filled database by database; larger ones are made of arrays."""
LARGEST_GRAPH = 3_000_000
"""The most neighbouring pairs of a group."""


def neighbourhood_graph(
    databases: DatabaseClass, granularity: Neighbours, limits: Limits | None = None
) -> Graph:
    """The graph with the databases as nodes and an edge between neighbours; it knows the class.

    limits -- how much it may take, where that is less than usual.

    Raises NotSymmetric with the pair where the relation is not symmetric, TooLarge (before
    any work) where the class is.

    granularity -- the neighbours.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> from dpcompose.spaces.moves.built_in import bounded
    >>> sorted(neighbourhood_graph(multisets({"a", "b"}, size="<= 1"), bounded).edges)
    [(('a',), ('b',))]
    """
    import networkx

    granularity = neighbours(granularity)
    refuse_if_large(databases)
    if is_large(databases):
        return finite(databases, granularity, limits).to_networkx()
    single, m = granularity.innermost()
    graph: Graph = networkx.Graph(databases=databases)
    nodes = list(databases.databases())
    graph.add_nodes_from(nodes)
    graph.add_edges_from(_single_pairs(databases, single, nodes))
    return graph if m == 1 else power(graph, m)


def _single_pairs(
    databases: DatabaseClass, granularity: Granularity, nodes: Sequence[Database]
) -> Iterable[tuple[Database, Database]]:
    """The neighbours of a small class, some of them both ways; granularity -- no group."""
    if granularity.neighbour_pairs is not None:
        return check_pairs(databases, granularity)
    found = {D: dict.fromkeys(granularity.neighbours(D, databases)) for D in nodes}
    for D in nodes:
        for E in found[D]:
            if D not in found[E]:
                raise not_symmetric(granularity, databases, D, E)
    return ((D, E) for D in nodes for E in found[D])


def neighbouring_pairs(
    databases: DatabaseClass, granularity: Granularity, limits: Limits | None = None
) -> Iterable[tuple[Database, Database]]:
    """The edges of the neighbourhood graph, some of them both ways; of a small class without networkx.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> from dpcompose.spaces.moves.built_in import unbounded
    >>> found = neighbouring_pairs(multisets({"a"}, size="<= 2"), unbounded)
    >>> sorted({tuple(sorted(pair)) for pair in found})
    [((), ('a',)), (('a',), ('a', 'a'))]
    """
    refuse_if_large(databases)
    if granularity.innermost()[1] > 1 or is_large(databases):
        edges: Iterable[tuple[Database, Database]] = neighbourhood_graph(databases, granularity, limits).edges
        return edges
    return _single_pairs(databases, granularity.innermost()[0], list(databases.databases()))


def pairs_of_inputs(
    databases: DatabaseClass, granularity: Granularity, f: Map, own: bool, limits: Limits | None = None
) -> Iterable[tuple[Database, Database]]:
    """The edges of `graph_of_inputs`, some of them several times."""
    where, neighbours, along = neighbours_of_inputs(databases, granularity, f, own)
    found = neighbouring_pairs(where, neighbours, limits)
    if along is None:
        return found
    images = ((along(D), along(E)) for D, E in found)
    return ((x, y) for x, y in images if x != y)


def power(graph: Graph, m: int) -> Graph:
    """The graph in which nodes are joined where at most m edges lead from one to the other.

    Raises TooLarge beyond LARGEST_GRAPH edges.
    """
    import networkx

    joined: Graph = networkx.Graph(**graph.graph)
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

    What f has no value for raises its error.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> from dpcompose.spaces.moves.built_in import unbounded
    >>> from dpcompose.spaces.inputs.restrictions import restriction
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


def graph_of_inputs(databases: DatabaseClass, granularity: Granularity, f: Map, own: bool) -> Graph:
    """The neighbouring inputs that a guarantee of M∘f is about, for neighbours of a granularity.

    own -- whether it is stated on the own domain, the class of images: for the pairs that the map lists,
    or the neighbours inside of a class of records; else, and for other images, for the push-forward.
    """
    where, neighbours, along = neighbours_of_inputs(databases, granularity, f, own)
    found = neighbourhood_graph(where, neighbours)
    return found if along is None else push_forward(found, along)


def shortest(
    databases: DatabaseClass, granularity: Granularity, f: Map, own: bool
) -> dict[frozenset[Any], Fraction]:
    """How many steps two inputs are apart at least, where there is a path; see `graph_of_inputs`."""
    import networkx

    lengths = networkx.all_pairs_shortest_path_length(graph_of_inputs(databases, granularity, f, own))
    return {frozenset((x, y)): Fraction(n) for x, row in lengths for y, n in row.items() if n}


def neighbours_of_inputs(
    databases: DatabaseClass, granularity: Granularity, f: Map, own: bool
) -> tuple[DatabaseClass, Granularity, Map | None]:
    """The same as a class, its neighbours, and a map along which these are pushed forward, if any."""
    if own and not f.is_identity(databases):
        image = f.image(databases)
        single, steps = granularity.innermost()
        given = f.neighbours_for(single.name)
        if given is not None:
            listed = pairs(single.name, given)
            return image, listed if steps == 1 else Group(steps, listed), None
        if not image.is_listed:
            return image, granularity, None
    return databases, granularity, None if f.is_identity(databases) else f


def is_large(databases: DatabaseClass) -> bool:
    """Whether a class is gone through on arrays: see `finite`."""
    return (databases.count() or 0) > SMALL_CLASS
