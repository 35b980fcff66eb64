"""Maps that read some of the cells that databases are made of: edges at a vertex, attributes of records."""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Cell, Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map, Signs
from dpcompose.spaces.inputs.parts import Part


@frozen(repr=False)
class OfGraphs(Map):
    """D ↦ some of the edges of a graph D, by the vertices that they join."""

    reads_vertices = True

    vertices: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", tuple(sorted(set(self.vertices))))
        if any(type(v) is not int or v < 1 for v in self.vertices):
            raise ValueError(f"vertices are whole numbers from 1, not {self.vertices}")

    @property
    def which(self) -> str:
        """The graphs that are read, in words."""
        raise NotImplementedError

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple):
            raise TypeError(f"{D!r} is no graph")
        return self.among(D)

    def among(self, edges: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of some edges that are read."""
        raise NotImplementedError

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        edges = shape.joined()
        return None if edges is None else frozenset(self.among(edges))

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return databases.with_edges(self, tuple(sorted(self.kept(databases) or ())), self.which)

    @property
    def names(self) -> frozenset[object]:
        return frozenset(self.vertices)

    def unfit(self, databases: DatabaseClass) -> str | None:
        return databases.lacking(self.vertices)


@frozen(repr=False)
class AtVertex(OfGraphs):
    """D ↦ the edges of D at a vertex.

    >>> vertex(2)(((1, 2), (1, 3), (2, 3)))
    ((1, 2), (2, 3))
    """

    def among(self, edges: tuple[Any, ...]) -> tuple[Any, ...]:
        v = self.vertices[0]
        return tuple([pair for pair in edges if v in pair and len(pair) == 2])

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        edges = shape.joined(self.vertices[0])
        return None if edges is None else frozenset(edges)

    @property
    def which(self) -> str:
        return f"whose edges all meet {self.vertices[0]}"

    def shown(self, D: str, signs: Signs) -> str:
        return signs.beside(D, f" at {self.vertices[0]}")

    def data(self) -> str | dict[str, object]:
        return {"vertex": self.vertices[0]}


@frozen(repr=False)
class Among(OfGraphs):
    """D ↦ the edges of D that join two of some vertices: the induced subgraph.

    >>> among(1, 2, 3)(((1, 2), (1, 4)))
    ((1, 2),)
    """

    def among(self, edges: tuple[Any, ...]) -> tuple[Any, ...]:
        known = frozenset(self.vertices)
        return tuple([pair for pair in edges if len(pair) == 2 and known.issuperset(pair)])

    @property
    def which(self) -> str:
        return f"with edges among {', '.join(map(str, self.vertices))} only"

    def shown(self, D: str, signs: Signs) -> str:
        return signs.beside(D, f"[{', '.join(map(str, self.vertices))}]")

    def data(self) -> str | dict[str, object]:
        return {"vertices": list(self.vertices)}


@frozen(repr=False)
class EachVertex(Part):
    """D ↦ the edges of a graph D at the vertex i, inside a family of one mechanism for each of k vertices.

    An edge lies at two of them, so these are no parts of a partition; but like parts they are all alike.
    """

    partition: str = "the vertices"
    parts: str = "k"
    of: str = "graphs"

    def unfit(self, databases: DatabaseClass) -> str | None:
        if databases.on_vertices and databases.arbitrary:
            return None
        return (
            "reads the edges at each of some vertices: that needs graphs on any number of vertices "
            "(leave out vertices)"
        )

    def table(self) -> dict[str, Any]:
        return {}

    def shown(self, D: str, signs: Signs) -> str:
        return signs.beside(D, " at i")

    def data(self) -> str | dict[str, Any]:
        return {"vertex": "i"}


def vertex(v: int) -> AtVertex:
    """D ↦ the edges of a graph D at the vertex v: its neighbours, what a person knows of a social network.

    v -- a label, a whole number from 1.  Images of a class are the graphs whose edges all meet v.

    `compose` raises InvalidSetting on a class that has none.  Raises ValueError for numbers below 1.

    >>> vertex(2)(((1, 2), (3, 4)))
    ((1, 2),)
    """
    return AtVertex((v,))


def among(*vertices: int) -> Among:
    """D ↦ the subgraph of D that some vertices induce: the edges that join two of them.

    vertices -- labels, whole numbers from 1; those of several maps may overlap.

    `compose` raises InvalidSetting on a class that has none.  Raises ValueError for numbers below 1.

    >>> among(1, 2, 3).written("D")
    'D[1, 2, 3]'
    """
    return Among(tuple(vertices))
