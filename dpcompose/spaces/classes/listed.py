"""Finite classes given by their databases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any, TypeGuard

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.attributes import values_of
from dpcompose.spaces.classes.databases import Database, DatabaseClass, refuse_if_large


@frozen(repr=False)
class Listed(DatabaseClass):
    """A finite class given by its databases, any hashable values, each with its own text.

    >>> str(Listed(("a", "b")))
    'the 2 listed databases'
    """

    kind = "listed"
    is_listed = True

    elements: tuple[Database, ...]

    def __post_init__(self) -> None:
        shown = Counter(str(D) for D in self.elements)
        twice = [text for text, times in shown.items() if times > 1]
        if twice:
            raise ValueError(f"database {twice[0]!r} is listed twice")
        if len(set(self.elements)) < len(self.elements):
            raise ValueError("two of the listed databases are equal, as 1 and True are in Python")
        if not self.elements:
            raise ValueError("a listed class needs at least one database")

    @cached_property
    def _members(self) -> frozenset[Database]:
        return frozenset(self.elements)

    def __contains__(self, D: object) -> bool:
        return isinstance(D, Hashable) and D in self._members

    def count(self) -> int:
        return len(self.elements)

    def parse(self, shown: object) -> Database:
        for D in self.elements:
            if str(D) == shown:
                return D
        return super().parse(shown)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        yield from self.elements

    def __str__(self) -> str:
        return (
            f"the {len(self.elements)} listed databases"
            if len(self.elements) > 1
            else "the one listed database"
        )


def is_graph(given: object) -> TypeGuard[Any]:
    """Whether this is a graph of networkx, which need not be loaded for it."""
    return hasattr(given, "edges") and hasattr(given, "nodes")


def edges_of(graph: Any) -> list[tuple[Any, Any]]:
    """The edges of a networkx graph, each once; of a directed one they go both ways.

    Raises ValueError for an edge that goes one way: databases, or records, are neighbours of each other.
    """
    edges = dict.fromkeys(graph.edges())
    for D, E in edges if graph.is_directed() else ():
        if (E, D) not in edges:
            raise ValueError(
                f"the graph has an edge from {D!r} to {E!r} and none back, and neighbours are so both ways; "
                "G.to_undirected() has no directions"
            )
    return list(edges)


def listed(elements: Iterable[Database]) -> Listed:
    """The finite class of the given databases: any hashable values, no two of which print alike; of a
    networkx graph its nodes.

    What is found out about it holds for these databases and says nothing of others.

    elements -- the databases; of a column of pandas its values.  Raises ValueError where there is none, or
    two print alike.

    >>> str(listed((x, y) for x in range(3) for y in range(3)))
    'the 9 listed databases'
    """
    return Listed(tuple(values_of(elements)))
