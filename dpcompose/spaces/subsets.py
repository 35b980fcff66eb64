"""Classes of subsets: sets of records, and labelled graphs, which are sets of edges.

A database is the sorted tuple of its elements.  Each possible element is a cell that is there or not, so
that sets of any size, and graphs on fixed vertices, are products.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise, product
from math import comb
from typing import Any

from dpcompose.kernel.assumptions import Assumed
from dpcompose.kernel.covers.sizes import with_most_room
from dpcompose.spaces.attributes import Attributes
from dpcompose.spaces.attributes import attributes as read_attributes
from dpcompose.spaces.databases import Cell, Database, DatabaseClass, TooLarge, refuse_if_large
from dpcompose.spaces.listed import Listed
from dpcompose.spaces.records import Collections, records_of, universe, unnamed
from dpcompose.spaces.sizes import ANY_SIZE, Size, refuse_letter


class Subsets(DatabaseClass):
    """All subsets, of the allowed sizes, of some possible elements."""

    sizes: Size = ANY_SIZE

    @property
    @abstractmethod
    def elements(self) -> tuple[Any, ...]:
        """The possible elements, in order; in an arbitrary universe some that stand for all."""

    @cached_property
    def _possible(self) -> frozenset[Any]:
        return frozenset(self.elements)

    def __contains__(self, D: object) -> bool:
        if not isinstance(D, tuple) or D[: len(self.always)] != self.always:
            return False
        free = D[len(self.always) :]
        return (
            self.sizes.allows(len(free))
            and self._possible.issuperset(free)
            and all(a < b for a, b in pairwise(free))
        )

    def count(self) -> int | None:
        if self.unlimited or self.sizes.letters:
            return None
        return sum(comb(len(self.elements), size) for size in self._sizes)

    @property
    def _sizes(self) -> Sequence[int]:
        """How many elements a database can have."""
        m, sizes = len(self.elements), self.sizes
        if sizes.exactly:
            return [sizes.n or 0]
        return range(sizes.least, (m if sizes.n is None else min(m, sizes.n)) + 1)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        for size in self._sizes:
            yield from (self.always + free for free in combinations(self.elements, size))

    def size(self, D: Database) -> int:
        return len(D) if isinstance(D, tuple) else 0

    def show(self, D: Database) -> str | list[str]:
        return [self.written(one) for one in D] if isinstance(D, tuple) else str(D)

    def written(self, element: Any) -> str:
        """An element as a problem file writes it."""
        return str(element)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple):
            known = {self.written(one): one for one in self.elements}
            if all(isinstance(text, str) and text in known for text in shown):
                D = tuple(sorted(known[text] for text in shown))
                if D in self:
                    return D
        return super().parse(shown)

    @property
    def cells(self) -> tuple[Cell, ...] | None:
        return self.elements if self.sizes == ANY_SIZE else None

    def shape_of_both(self, D: Database, E: Database) -> DatabaseClass | None:
        shape = self.holding(D, E)
        return shape if D in shape and E in shape else None

    def blank(self) -> Database:
        return self.always

    @property
    def always(self) -> tuple[Any, ...]:
        """What every database has."""
        return ()

    def values(self, cell: Cell) -> tuple[Any, ...]:
        return False, True

    def value(self, D: Database, cell: Cell) -> Any:
        assert isinstance(D, tuple)
        return cell in D

    def put(self, D: Database, changes: Mapping[Cell, Any]) -> Database:
        assert isinstance(D, tuple)
        there: set[Any] = {cell for cell, value in changes.items() if value}
        free = (set(D[len(self.always) :]) - changes.keys()) | there
        return (*self.always, *sorted(free))

    def differing(self, D: Database, E: Database) -> frozenset[Cell]:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        return frozenset(D) ^ frozenset(E)


@dataclass(frozen=True, repr=False)
class Sets(Collections, Subsets):
    """All sets of records: a record is there or not, and never twice.

    records -- the record universe X; where `arbitrary`, X holds these and others, as many as matter.
    Raises ValueError where no set has so many records: a class has a database, or every claim would hold.

    >>> list(Sets(("a", "b")).databases())
    [(), ('a',), ('b',), ('a', 'b')]
    """

    kind = "sets"

    records: tuple[str, ...]
    sizes: Size = ANY_SIZE
    arbitrary: bool = False
    others: int = 2
    """How many unnamed records of an arbitrary universe stand for all of them."""
    attributes: Attributes | None = None
    """What records are made of, if anything: where no records are given, all combinations are."""

    def __post_init__(self) -> None:
        if self.attributes is not None and not self.records:
            object.__setattr__(self, "records", tuple(self.attributes.by_record))
        object.__setattr__(self, "records", universe(self.records, self.arbitrary))
        n, m = self.sizes.n if self.sizes.exactly else self.sizes.least, len(self.records)
        if n is not None and n > m and not self.unlimited:
            raise ValueError(
                f"no set has {n:,} different records of the {m:,} in the universe; "
                f'size = "= {m}" at most, or more records, would do'
            )

    @property
    def _limit(self) -> int | None:
        return None if self.unlimited else len(self.records)

    def with_room(self, steps: int, places: int = 0) -> Sets:
        if not (self.parameters and self.sizes.exactly):
            return super().with_room(steps)
        n = with_most_room(self.sizes.n or 0, steps, *([] if self.unlimited else [len(self.records)]))
        return replace(self, sizes=replace(self.sizes, n=n))

    def unknown(self, assumed: Assumed) -> str:
        return self.sizes.unknown(assumed, self._limit)

    @cached_property
    def spare(self) -> tuple[str, ...]:
        return unnamed(self.records, self.others) if self.arbitrary else ()

    @property
    def elements(self) -> tuple[str, ...]:
        return tuple(sorted((*self.records, *self.spare)))

    @property
    def unlimited(self) -> bool:
        return self.arbitrary or (self.attributes is not None and self.attributes.unlimited)

    @property
    def cells(self) -> tuple[Cell, ...] | None:
        return super().cells if self.arbitrary or not self.unlimited else None

    def values_of(self, record: str) -> Mapping[str, str]:
        return {} if self.attributes is None else self.attributes.by_record[record]

    def holding(self, *databases: Database) -> DatabaseClass:
        found = records_of(databases)
        if not self.arbitrary or self.sizes.n is not None or found <= self._possible:
            return self
        return replace(self, records=tuple(sorted(found.union(self.records))))

    @property
    def filling(self) -> int:
        """How many records the smallest databases have."""
        return (self.sizes.n or 0) if self.sizes.exactly else self.sizes.least

    @property
    def by_record(self) -> Iterable[frozenset[Cell]] | None:
        return (frozenset({cell}) for cell in self.cells or ())

    def cells_of(self, records: frozenset[str]) -> frozenset[Cell] | None:
        return records.intersection(self.elements)

    @property
    def described(self) -> Attributes | None:
        return self.attributes

    @property
    def not_recoded(self) -> str | None:
        if self.sizes != ANY_SIZE:
            return f"recodes records of sets of any size, as two may become one: not of {self}"
        return f"recodes records that are listed, and those of {self} are not" if self.arbitrary else None

    def restricted(self, records: Collection[str]) -> Sets:
        """The sets over some of the records that sets of the class have there: of these sizes.

        >>> str(Sets(("a", "b", "c"), Size(2, exactly=True)).restricted(["a", "b"]))
        'all sets of size >= 1 over {a, b}'
        """
        records = [one for one in records if one in self._possible]
        if self.parameters and (self.unlimited or len(records) < len(self.records)):
            return Sets(
                tuple(records), attributes=self.attributes
            )  # whatever numbers they have, of several sizes
        outside = self.filling if self.unlimited else len(self.records) - len(records)
        least = max(0, self.filling - outside)
        most = len(records) if self.sizes.n is None else min(self.sizes.n, len(records))
        if least == most:
            return Sets(tuple(records), Size(most, exactly=True), attributes=self.attributes)
        sizes = Size(None if most == len(records) else most, least=least)
        return Sets(tuple(records), sizes, attributes=self.attributes)

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        if self.attributes is not None and self.unlimited:
            values = sorted((one for one in names if isinstance(one, tuple)), key=str)
            many = max(self.sizes.n or 0, self.sizes.least) + 2 * most + 1  # also what fills databases up
            return replace(self, records=(), attributes=self.attributes.naming(values, many))
        if not self.arbitrary:
            return self
        others = self.filling + 2 * most if self.filling else max(2, most)
        return replace(self, records=tuple(sorted(map(str, names))), others=others)

    def larger(self) -> DatabaseClass:
        return replace(self, others=self.others + 1) if self.arbitrary else self

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": self.kind, "size": str(self.sizes)}
        if self.attributes is not None:
            return data | self.attributes.data()
        return data if self.arbitrary else data | {"records": list(self.records)}

    def __str__(self) -> str:
        size = {"any": f" of size {self.sizes}" if self.sizes != ANY_SIZE else ""}
        size |= {"at most": f" of size {self.sizes}", "exactly": f" of size {self.sizes.most}"}
        if self.attributes is not None and len(self.records) == len(self.attributes.by_record):
            return f"all sets{size[self.sizes.kind]} {self.attributes}"
        named = f" that holds {', '.join(self.records)}" if self.records else ""
        over = f"an arbitrary record universe{named}" if self.arbitrary else f"{{{', '.join(self.records)}}}"
        return f"all sets{size[self.sizes.kind]} over {over}"


def sets(
    records: Iterable[str] | None = None,
    size: str = "any",
    attributes: Mapping[str, str | Iterable[str]] | None = None,
) -> Sets:
    """The class of all sets of `records`: a record is there or not.

    Add/remove and replace-one neighbours are those of multisets, inside this class.

    records -- the record universe; None: an arbitrary one, and verdicts are worst cases over large ones;
    size -- how many records a database has: "any", "<= n" or "= n";
    attributes -- instead of records: for each name the values that it can have, or "any".

    >>> import dpcompose as dpc
    >>> sets({"a", "b", "c"}, "<= 2")
    all sets of size <= 2 over {a, b, c}
    >>> dpc.canonical_metric(sets("ab"), dpc.unbounded)(("a",), ("b",))
    2
    """
    if records is not None and attributes is not None:
        raise ValueError("attributes make the records: leave out the one or the other")
    made = None if attributes is None else read_attributes(attributes)
    if made is not None and made.lines:
        raise ValueError("attributes of sets list their values, or have any; numbers are for multisets")
    names = tuple(str(record) for record in records) if records is not None else ()
    return Sets(names, Size.read(size), arbitrary=records is None and made is None, attributes=made)


Pair = tuple[int, int]
LARGEST_GRAPHS = 400
"""The most vertices of a graph."""


@dataclass(frozen=True, repr=False)
class Graphs(Subsets):
    """All simple undirected graphs on fixed vertices: the sorted tuples of their edges (u, v), u < v.

    vertices -- the labels; where `arbitrary`, these and any number of others;
    only -- the pairs that can be edges, where a mechanism reads a part of a graph; None: all pairs;
    which -- that part in words.

    >>> list(Graphs((1, 2, 3), only=((1, 2), (2, 3))).databases())
    [(), ((1, 2),), ((2, 3),), ((1, 2), (2, 3))]
    """

    kind = "graphs"

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

    @cached_property
    def stars(self) -> list[list[Pair]]:
        """For each vertex the pairs that it is in."""
        found: dict[int, list[Pair]] = {v: [] for v in self.labels}
        for u, v in self.elements:
            found[u].append((u, v))
            found[v].append((u, v))
        return list(found.values())

    @property
    def joined(self) -> tuple[Pair, ...]:
        return self.elements

    def with_edges(self, f: Callable[[Database], Database], which: str) -> DatabaseClass:
        kept = f(self.elements)
        assert isinstance(kept, tuple)
        return replace(self, only=kept, which=which) if kept else Listed(((),))

    def lacking(self, vertices: Iterable[int]) -> str | None:
        strange = () if self.arbitrary else sorted(set(vertices) - set(self.vertices))
        return f"reads the vertex {strange[0]}, which {self} do not have" if strange else None

    def holding(self, *databases: Database) -> Graphs:
        pairs = (pair for D in databases if isinstance(D, tuple) for pair in D if isinstance(pair, tuple))
        found = {v for pair in pairs for v in pair if type(v) is int and v > 0}
        if not self.arbitrary or self.only is not None or found <= set(self.labels):
            return self
        return replace(self, vertices=tuple(sorted(found.union(self.vertices))))

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


@dataclass(frozen=True, repr=False)
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

    def unjoined(self, m: int) -> Database | None:
        return None if m > (self.labels or m) else tuple((v,) for v in range(1, m + 1))

    def one_vertex_away(self, D: Database) -> Iterator[Database]:
        assert isinstance(D, tuple)
        there = self.vertices(D)
        for v in there:
            yield tuple(one for one in D if v not in one)
        for v in range(1, (self.labels or 0) + 1):
            if v not in there:
                whole = Graphs(tuple(sorted((*there, v))), listing=True)
                old = {one: True for one in D if len(one) == 2}
                new = [pair for pair in whole.elements if v in pair]
                for values in product((False, True), repeat=len(new)):
                    yield whole.put(whole.blank(), old | dict(zip(new, values, strict=True)))

    def vertices(self, D: Database) -> tuple[int, ...]:
        """The vertices of a graph."""
        assert isinstance(D, tuple)
        return tuple(one[0] for one in D if len(one) == 1)

    def shape_of(self, D: Database) -> DatabaseClass | None:
        return Graphs(self.vertices(D), listing=True)

    def with_edges(self, f: Callable[[Database], Database], which: str) -> DatabaseClass:
        return Listed(tuple(dict.fromkeys(map(f, self.databases()))))

    def lacking(self, vertices: Iterable[int]) -> str | None:
        if self.labels is None:
            return f'reads edges at some vertices of {self}: not supported; vertices = "<= 4" would do'
        strange = [v for v in vertices if v > (self.labels or v)]
        return f"reads the vertex {strange[0]}, which {self} do not have" if strange else None

    def __contains__(self, D: object) -> bool:
        if not isinstance(D, tuple) or not all(isinstance(one, tuple) and len(one) in (1, 2) for one in D):
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
        return ["-".join(map(str, one)) for one in D] if isinstance(D, tuple) else str(D)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(text, str) for text in shown):
            found = [text.split("-") for text in shown]
            if all(v.isdecimal() and len(v) < 10 for one in found for v in one):
                D = tuple(tuple(map(int, one)) for one in found)
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


def graphs(vertices: int | str | None = None) -> Graphs | VaryingGraphs:
    """The class of all simple undirected graphs on the vertices 1, 2, …, n; a database is a tuple of edges.

    vertices -- n, from 1; None: any number, and what is said holds for all of them.  "<= n", or "any":
    graphs on any of n labels, or of all whole numbers, for vertices that come and go (`node_removal`).

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
    if type(vertices) is not int or not 1 <= vertices <= LARGEST_GRAPHS:
        raise ValueError(f"graphs have 1 to {LARGEST_GRAPHS} vertices, not {vertices!r}")
    return Graphs(tuple(range(1, vertices + 1)))
