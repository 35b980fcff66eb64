"""Labelled graphs: sets of edges on fixed vertices, or on vertices that come and go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations, islice, product
from math import comb
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge, refuse_if_large
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.classes.sizes import Size, refuse_letter
from dpcompose.spaces.classes.subsets import Subsets

Pair = tuple[int, int]
Edges = tuple[Pair, ...]
SMALL_GRAPH = 3
"""Of how many vertices graphs are shown, where there is no number."""
Picturable = tuple[Collection[int], list[Pair]]
MOST_IN_A_NODE = 6
"""The most vertices of a graph that is drawn inside a picture."""

LARGEST_GRAPHS = 400
"""The most vertices of a graph."""


@frozen(repr=False)
class Graphs(Subsets):
    """All simple undirected graphs on fixed vertices: the sorted tuples of their edges (u, v), u < v.

    vertices -- the labels; where `arbitrary`, these and any number of others;
    only -- the pairs that can be edges, where a mechanism reads a part of a graph; None: all pairs;
    which -- that part in words.

    >>> list(Graphs((1, 2, 3), only=((1, 2), (2, 3))).databases())
    [(), ((1, 2),), ((2, 3),), ((1, 2), (2, 3))]
    """

    kind = "graphs"
    on_vertices = True

    vertices: tuple[int, ...]
    arbitrary: bool = False
    others: int = 2
    """How many unnamed vertices stand for all of them, where there may be any number."""
    only: tuple[Pair, ...] | None = None
    which: str = field(default="", compare=False)
    listing: bool = False
    """Whether a database lists its vertices before its edges, as graphs on varying vertices do."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", tuple(sorted(set(self.vertices))))

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The vertices, and those that stand for the others."""
        if not self.arbitrary:
            return self.vertices
        if len(self.vertices) + self.others > LARGEST_GRAPHS:
            raise TooLarge(
                f"{len(self.vertices) + self.others:,} vertices are needed to stand for all, and up to "
                f"{LARGEST_GRAPHS} are supported; smaller groups would do"
            )
        free = (v for v in range(1, len(self.vertices) + self.others + 1) if v not in self.vertices)
        return tuple(sorted((*self.vertices, *list(free)[: self.others])))

    @cached_property
    def elements(self) -> tuple[Pair, ...]:
        return tuple(combinations(self.labels, 2)) if self.only is None else self.only

    @property
    def unlimited(self) -> bool:
        return self.arbitrary

    @property
    def always(self) -> tuple[Any, ...]:
        return tuple((v,) for v in self.vertices) if self.listing else ()

    def written(self, element: Any) -> str:
        return "-".join(map(str, element))

    def as_graph(self, D: Database) -> Picturable | None:
        return drawable(self.labels, D)

    @property
    def stars(self) -> list[list[Pair]]:
        """For each vertex the pairs that it is in."""
        return list(self._stars.values())

    @cached_property
    def _stars(self) -> dict[int, list[Pair]]:
        stars: dict[int, list[Pair]] = {v: [] for v in self.labels}
        for u, v in self.elements:
            stars[u].append((u, v))
            stars[v].append((u, v))
        return stars

    def excerpt(self, *databases: Database, sizes: Size | None = None) -> Graphs:
        if not self.arbitrary:
            return self
        named = self.holding(*databases).vertices
        others = (v for v in range(1, len(named) + SMALL_GRAPH + 1) if v not in named)
        return Graphs((*named, *islice(others, max(0, SMALL_GRAPH - len(named)))))

    def reduced(self, few: int) -> DatabaseClass:
        return Graphs(self.excerpt().vertices[:few], listing=self.listing)

    def joined(self, at: int | None = None) -> Edges:
        return self.elements if at is None else tuple(self._stars.get(at, ()))

    def with_edges(self, f: Callable[[Database], Database], kept: Edges, which: str) -> DatabaseClass:
        return replace(self, only=kept, which=which) if kept else Listed(((),))

    def lacking(self, vertices: Iterable[int]) -> str | None:
        strange = () if self.arbitrary else sorted(set(vertices) - set(self.vertices))
        return f"reads the vertex {strange[0]}, which {self} do not have" if strange else None

    def holding(self, *databases: Database) -> Graphs:
        pairs = (pair for D in databases if isinstance(D, tuple) for pair in D if isinstance(pair, tuple))
        numbers = {v for pair in pairs for v in pair if type(v) is int and v > 0}
        if not self.arbitrary or self.only is not None or numbers <= set(self.labels):
            return self
        return replace(self, vertices=tuple(sorted(numbers.union(self.vertices))))

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        if not self.arbitrary:
            return self
        vertices = tuple(sorted(v for v in names if isinstance(v, int)))
        return replace(self, vertices=vertices, others=2 * max(1, most))

    def larger(self) -> DatabaseClass:
        return replace(self, others=self.others + 1) if self.arbitrary else self

    def data(self) -> dict[str, Any]:
        return {"kind": self.kind} if self.arbitrary else {"kind": self.kind, "vertices": len(self.vertices)}

    def __str__(self) -> str:
        n = len(self.vertices)
        on = "any number of vertices" if self.arbitrary else f"{n} vert{'ex' if n == 1 else 'ices'}"
        return f"all graphs on {on}{self.which and ' '}{self.which}"


@frozen(repr=False)
class VaryingGraphs(DatabaseClass):
    """All simple undirected graphs on any of some labels: vertices come and go with their edges.

    A database is a tuple of its vertices (v,), in order, and then of its edges (u, v), u < v.

    labels -- n, for the labels 1, …, n; None: any number of them.

    >>> list(VaryingGraphs(2).databases())
    [(), ((1,),), ((2,),), ((1,), (2,)), ((1,), (2,), (1, 2))]
    """

    kind = "graphs"
    varying = True

    labels: int | None = None

    def excerpt(self, *databases: Database, sizes: Size | None = None) -> DatabaseClass:
        if self.labels is not None:
            return self
        return VaryingGraphs(max([SMALL_GRAPH, *(v for D in databases for v in self.vertices(D))]))

    def reduced(self, few: int) -> DatabaseClass:
        return VaryingGraphs(few if self.labels is None else min(few, self.labels))

    def unjoined(self, m: int) -> Database | None:
        return None if m > (self.labels or m) else tuple((v,) for v in range(1, m + 1))

    def one_vertex_away(self, D: Database) -> Iterator[Database]:
        assert isinstance(D, tuple)
        there = self.vertices(D)
        for v in there:
            yield tuple(part for part in D if v not in part)
        for v in range(1, (self.labels or 0) + 1):
            if v not in there:
                whole = Graphs(tuple(sorted((*there, v))), listing=True)
                old = {part: True for part in D if len(part) == 2}
                new = [pair for pair in whole.elements if v in pair]
                for values in product((False, True), repeat=len(new)):
                    yield whole.put(whole.blank(), old | dict(zip(new, values, strict=True)))

    def vertices(self, D: Database) -> tuple[int, ...]:
        """The vertices of a graph."""
        assert isinstance(D, tuple)
        return tuple(part[0] for part in D if len(part) == 1)

    def as_graph(self, D: Database) -> Picturable | None:
        return drawable(self.vertices(D), D)

    def shape_of(self, D: Database) -> DatabaseClass | None:
        return Graphs(self.vertices(D), listing=True)

    def with_edges(self, f: Callable[[Database], Database], kept: Edges, which: str) -> DatabaseClass:
        return Listed(tuple(dict.fromkeys(map(f, self.databases()))))

    def lacking(self, vertices: Iterable[int]) -> str | None:
        if self.labels is None:
            return f'reads edges at some vertices of {self}: not supported; vertices = "<= 4" would do'
        strange = [v for v in vertices if v > (self.labels or v)]
        return f"reads the vertex {strange[0]}, which {self} do not have" if strange else None

    def __contains__(self, D: object) -> bool:
        if not isinstance(D, tuple) or not all(isinstance(part, tuple) and len(part) in (1, 2) for part in D):
            return False
        vertices = self.vertices(D)
        known = all(type(v) is int and 1 <= v <= (self.labels or v) for v in vertices)
        return known and len(set(vertices)) == len(vertices) and D in Graphs(vertices, listing=True)

    def count(self) -> int | None:
        n = self.labels
        return None if n is None else sum(comb(n, k) * 2 ** comb(k, 2) for k in range(min(n, 100) + 1))

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        for k in range((self.labels or 0) + 1):
            for vertices in combinations(range(1, (self.labels or 0) + 1), k):
                yield from Graphs(vertices, listing=True).databases()

    def show(self, D: Database) -> str | list[str]:
        return ["-".join(map(str, part)) for part in D] if isinstance(D, tuple) else str(D)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(text, str) for text in shown):
            parts = [text.split("-") for text in shown]
            if all(v.isdecimal() and len(v) < 10 for part in parts for v in part):
                D = tuple(tuple(map(int, part)) for part in parts)
                if D in self:
                    return D
        return super().parse(shown)

    def size(self, D: Database) -> int:
        return len(D) if isinstance(D, tuple) else 0

    def data(self) -> dict[str, Any]:
        return {"kind": self.kind, "vertices": "any" if self.labels is None else f"<= {self.labels}"}

    def __str__(self) -> str:
        on = "any vertices" if self.labels is None else f"any of {self.labels} vertices"
        return f"all graphs on {on}, which may come and go"


def drawable(vertices: Collection[int], D: Database) -> Picturable | None:
    """The vertices and edges of a graph, if these are few enough to be drawn."""
    assert isinstance(D, tuple)
    return (vertices, [part for part in D if len(part) == 2]) if len(vertices) <= MOST_IN_A_NODE else None


def graphs(vertices: int | str | None = None) -> Graphs | VaryingGraphs:
    """The class of all simple undirected graphs on the vertices 1, 2, …, n; a database is a tuple of edges.

    vertices -- n, from 1; None: any number, and what is said holds for all of them.  "<= n", or "any":
    graphs on any of n labels, or of all whole numbers, for vertices that come and go (`node_removal`).

    Raises ValueError for numbers of vertices that are none.

    >>> import dpcompose as dpc
    >>> triangles = graphs(3)
    >>> triangles.printed(((1, 2), (2, 3))), len(list(triangles.databases()))
    ('{1-2, 2-3}', 8)
    >>> at_2 = dpc.vertex(2)
    >>> at_2(((1, 2), (1, 3)))
    ((1, 2),)
    """
    if vertices is None:
        return Graphs((), arbitrary=True)
    if isinstance(vertices, str):
        size = Size.read(vertices)
        refuse_letter("graphs", size)
        if not size.exactly and size.n != 0:
            return VaryingGraphs(size.n)
        raise ValueError(f'{vertices!r} are no vertices; use 4, "<= 4" or "any"')
    if hasattr(vertices, "nodes"):
        n = len(vertices.nodes)
        raise ValueError(
            f"a class has all graphs on some vertices, and this is one of them: dpcompose.graphs({n})"
        )
    if type(vertices) is not int or not 1 <= vertices <= LARGEST_GRAPHS:
        raise ValueError(f"graphs have 1 to {LARGEST_GRAPHS} vertices, not {vertices!r}")
    return Graphs(tuple(range(1, vertices + 1)))
