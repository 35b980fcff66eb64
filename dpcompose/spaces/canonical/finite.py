"""Finite classes with their neighbourhood graph on integer arrays, for 10^5 databases and more.

The databases are numbered 0, 1, … in the order in which the class lists them; edges are made in blocks and
stored only where a question needs them.  Answers are the same as those of networkx on `to_networkx()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces import given
from dpcompose.spaces.arrays.numberings import CountedMultisets, Numbering, numbered
from dpcompose.spaces.arrays.sizes import (
    PER_DATABASE,
    PER_NEIGHBOUR,
    PER_RECORD,
    SMALLER,
    Estimate,
    Limits,
    costs,
    progress,
)
from dpcompose.spaces.canonical.profiles import MadePairs, Profile, whole_pair
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.listed import listed
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.built_in import misfit
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.neighbours import Pair, by_pairs, by_steps, refuse_predicate, step_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from networkx import Graph

    from dpcompose.spaces.arrays.layouts import Array, Layout
    from dpcompose.spaces.arrays.searches import Adjacency
    from dpcompose.spaces.given import Neighbours


MANY = 20_000
"""From how many databases on it may take a second to read them."""
SAMPLE = 32
"""Of how many databases the neighbours are listed to see how large a graph is."""


@frozen(eq=False)
class FiniteSpace:
    """A finite class with a granularity, on arrays; `finite` makes it.

    Numbers of databases are those of `number` and `database`.  Distances are whole numbers, −1 for ∞.

    >>> import dpcompose as dpc
    >>> space = dpc.finite(dpc.multisets("ab", "<= 2"), dpc.unbounded)
    >>> space
    unbounded neighbours on all multisets of size <= 2 over {a, b}
    >>> [ends.tolist() for ends in space.edges()]
    [[0, 1, 2, 0, 1, 2], [1, 3, 4, 2, 4, 5]]
    >>> [space.database(n) for n in (0, 1, 4)], space.number(("b", "b"))
    ([(), ('a',), ('a', 'b')], 5)
    >>> space.distances(("a", "a")).tolist(), space.diameter()
    ([2, 1, 3, 0, 2, 4], 4)
    """

    databases: DatabaseClass
    granularity: Granularity
    numbering: Numbering
    limits: Limits | None = None

    @property
    def nodes(self) -> int:
        """How many databases there are."""
        return self.numbering.nodes

    @property
    def pairs(self) -> int:
        """How many neighbouring pairs there are."""
        return self.layout.edges

    def __len__(self) -> int:
        return self.nodes

    def __repr__(self) -> str:
        return f"{self.granularity.name} neighbours on {self.databases}"

    def number(self, D: Database) -> int:
        """The number of a database.  Raises ValueError where it is none of the class."""
        return self.numbering.number(D)

    def database(self, number: int) -> Database:
        """The database with a number."""
        return self.numbering.database(int(number))

    # size

    @cached_property
    def _quick(self) -> Layout | None:
        """The graph by a formula, where there is one."""
        layout: Layout | None = self.granularity.arrays(self.databases)
        assert layout is None or layout.nodes == self.nodes, f"{self!r}: {layout} does not fit the class"
        return layout

    @cached_property
    def _sampled(self) -> tuple[int, int]:
        """(edges, nanoseconds) of listing all neighbours, by how many some databases have."""
        if self._quick is not None:
            return self._quick.edges, 20 * self._quick.edges
        if (listed := self.granularity.neighbour_pairs) is not None:
            return len(listed), 10**3 * len(listed)
        elements, step = self.numbering.elements, step_of(self.granularity, self.databases)
        some = elements[:: max(1, len(elements) // SAMPLE)]
        size = self.databases.size
        listing = [PER_NEIGHBOUR + PER_RECORD * size(D) for D in some for _ in step(D)]
        ends, spent = (len(elements) * total // len(some) for total in (len(listing), sum(listing)))
        return ends // 2, spent + len(elements) * PER_DATABASE

    def estimate(self, question: str = "edges") -> Estimate:
        """How large a question is, before any work on it.

        question -- "edges", "profile", "changes", "image", "distances" (from one database), "diameter", "all
        pairs" or "graph" (networkx).

        >>> import dpcompose as dpc
        >>> dpc.finite(dpc.multisets("abcd", "<= 200"), dpc.bounded).estimate("all pairs").fits
        False
        """
        edges, listing = self._sampled
        bytes_, nanoseconds = costs(question, self.nodes, edges, listing, self._quick is not None)
        return Estimate(f"{question} of {self!r}", self.nodes, edges, bytes_, nanoseconds, self.limits)

    def _refuse(self, question: str, *smaller: str) -> None:
        """Raises TooLarge where a question is too large; and which smaller ones are not."""
        estimate = self.estimate(question)
        if not estimate.fits:
            fitting = [SMALLER[one] for one in smaller if self.estimate(one).fits]
            estimate.refuse(", ".join([*fitting, "a smaller class"]))

    # the graph

    @cached_property
    def layout(self) -> Layout:
        """The neighbourhood graph on numbers, in blocks.

        Raises NotSymmetric with a pair where the relation is not symmetric, TooLarge where listing it takes
        too long.
        """
        if self._quick is not None:
            return self._quick
        single, m = self.granularity.innermost()
        if m > 1:
            return self._group(single, m)
        if self.granularity.neighbour_pairs is not None:
            return by_pairs(self.numbering, self.granularity)
        refuse_predicate(self.databases, self.granularity)
        self._refuse("edges")
        return by_steps(self.numbering, self.granularity)

    def _group(self, single: Granularity, m: int) -> Layout:
        import numpy

        from dpcompose.spaces.arrays.layouts import StoredLayout
        from dpcompose.spaces.arrays.searches import within

        space = FiniteSpace(self.databases, single, self.numbering, self.limits)
        space._refuse("all pairs")
        ends = list(within(space._adjacency, m))
        if not ends:
            none = numpy.zeros(0, numpy.int32)
            return StoredLayout(self.nodes, none, none)
        first, second = (numpy.concatenate(some) for some in zip(*ends, strict=True))
        return StoredLayout(self.nodes, first, second)

    def edges(self) -> tuple[Array, Array]:
        """The neighbouring pairs, each once, as the numbers of their two ends."""
        self._refuse("edges", "profile")
        return self.layout.all_edges()

    @cached_property
    def _adjacency(self) -> Adjacency:
        from dpcompose.spaces.arrays.searches import neighbours

        self._refuse("distances")
        return neighbours(self.layout)

    def to_networkx(self) -> Graph:
        """The neighbourhood graph as networkx has it, with the databases as nodes."""
        import networkx

        self._refuse("graph", "edges")
        graph: Graph = networkx.Graph(databases=self.databases)
        elements = self.numbering.elements
        graph.add_nodes_from(elements)
        first, second = self.layout.all_edges()
        graph.add_edges_from(
            (elements[u], elements[v]) for u, v in zip(first.tolist(), second.tolist(), strict=True)
        )
        return graph

    # distances

    def distances(self, *sources: Database) -> Array:
        """d(D, E) for each E, by its number: the fewest steps from the nearest of the sources D; −1 for ∞."""
        if not sources:
            raise ValueError("distances are from at least one database")
        return self._adjacency.distances(*map(self.number, sources))

    def distance(self, D: Database, E: Database) -> int:
        """d(D, E); −1 for ∞.  Near ones are found at once, a search from D else."""
        u, v = self.number(D), self.number(E)
        if u == v:
            return 0
        here, there = (set(self._adjacency.of_one(n).tolist()) for n in (u, v))
        if v in here:
            return 1
        if not here.isdisjoint(there):
            return 2
        return self._adjacency.distance(u, v)

    def all_pairs(self) -> Array:
        """The canonical metric as a square array, one byte a pair; the largest value of its type for ∞.

        >>> import dpcompose as dpc
        >>> dpc.finite(dpc.multisets("ab", "= 2"), dpc.bounded).all_pairs().tolist()
        [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
        """
        from dpcompose.spaces.arrays.searches import all_pairs

        self._refuse("all pairs", "distances", "diameter")
        return all_pairs(self._adjacency)

    def diameter(self) -> int:
        """The largest distance of two databases, −1 for ∞: of two that no chain of neighbours joins.

        >>> import dpcompose as dpc
        >>> dpc.finite(dpc.tuples("abc", "= 5"), dpc.bounded).diameter()
        5
        """
        from dpcompose.spaces.arrays.searches import diameter

        if self.layout.transitive and self.nodes:
            found = self.distances(self.database(0))  # from every other database they are the same
            return -1 if found.min() < 0 else int(found.max())
        self._refuse("diameter")
        return diameter(self._adjacency)

    def components(self) -> Array:
        """For each database the number of the first one that a chain of neighbours leads to.

        >>> import dpcompose as dpc
        >>> dpc.finite(dpc.multisets("ab", "<= 2"), dpc.bounded).components().tolist()
        [0, 1, 1, 3, 3, 3]
        """
        return self._adjacency.components()

    # what maps make of it

    def labels(self, f: Any) -> tuple[Array, Sequence[Database]]:
        """f(D) for each database, as places in a list of the values; and that list.

        f -- a map, a function of a database, or a sequence of integers, one for each database.

        >>> import dpcompose as dpc
        >>> space = dpc.finite(dpc.multisets("ab", "<= 1"), dpc.unbounded)
        >>> numbers, values = space.labels(len)
        >>> numbers.tolist(), values
        ([0, 1, 1], (0, 1))
        """
        import numpy

        if isinstance(f, Map) and f.restricts and (read := self.numbering.restricted(f)) is not None:
            return read
        if not (isinstance(f, Map) or callable(f)):
            given, labels = numpy.unique(self._given(f), return_inverse=True)
            return labels.reshape(-1), given.tolist()
        found: dict[Database, int] = {}
        elements = self._elements("what is read")
        numbers = numpy.fromiter(
            (found.setdefault(f(D), len(found)) for D in elements), numpy.int64, self.nodes
        )
        return numbers, tuple(found)

    def _elements(self, words: str) -> Iterable[Database]:
        """All databases, with a bar where there are many."""
        elements = self.numbering.elements
        return elements if self.nodes <= MANY else progress(elements, self.nodes, words)

    def smallest_changes(self, *maps: Any, executor: Executor | None = None) -> tuple[Pair, ...]:
        """Of each way in which neighbours change (f_1(D), …, f_k(D)) the smallest pair (D, E).

        What depends on the values of the maps at two neighbours only is decided by these pairs: whether maps
        are compatible, their sensitivities, their profile.  D is the larger database; pairs are in the
        order of the sizes of both together, then of their texts.

        >>> import dpcompose as dpc
        >>> space = dpc.finite(dpc.multisets("ab", "<= 9"), dpc.bounded)
        >>> space.smallest_changes(lambda D: "a" in D)
        ((('a',), ('b',)), (('a', 'a'), ('a', 'b')))
        """
        import numpy

        from dpcompose.spaces.arrays.passes import changes

        self._refuse("changes")
        labels = numpy.zeros((len(maps), self.nodes), numpy.int64)
        for row, f in zip(labels, maps, strict=True):
            row[:] = self.labels(f)[0]
        found = changes(self.layout, labels, self._order, executor)
        return tuple(
            (self.database(D), self.database(E))
            for D, E in zip(found.D.tolist(), found.E.tolist(), strict=True)
        )

    @cached_property
    def _order(self) -> Any:
        import numpy

        from dpcompose.spaces.arrays.passes import Order

        elements, size = self.numbering.elements, self.databases.size
        texts = [str(D) for D in elements]
        names = numpy.empty(len(texts), numpy.int64)
        names[sorted(range(len(texts)), key=texts.__getitem__)] = numpy.arange(len(texts))
        return Order(numpy.fromiter(map(size, elements), numpy.int64, len(elements)), names)

    def integers(self, f: Any) -> Array:
        """f(D) for each database, for f with integer values; an array with an entry for each is as given."""
        import numpy

        if isinstance(f, Map) or callable(f):
            at_once = isinstance(f, Map) and self.nodes <= MANY
            elements = self.numbering.elements if at_once else self._elements("what is asked for")
            values = f.values_at(elements) if at_once else list(map(f, elements))
            if not set(map(type, values)) <= {int, bool}:
                strange = next(x for x in values if type(x) not in (int, bool))
                raise TypeError(
                    f"how far {strange!r} moves is no difference of integers; dpcompose.sensitivity(f, on, "
                    "neighbours, to) compares other values"
                )
            return numpy.array(values, numpy.int64)
        return self._given(f)

    def _given(self, values: Any) -> Array:
        """Integers with an entry for each database.  Raises ValueError for anything else."""
        import numpy

        array = numpy.asarray(values)
        if array.shape != (self.nodes,) or array.dtype.kind not in "iub":
            given = f"{array.shape} {array.dtype}"
            raise ValueError(f"values are {self.nodes:,} integers, one a database, not {given}")
        if array.dtype == numpy.uint64 and array.max() >= 2**63:
            raise OverflowError("values of 2^63 and more are not compared; divide them")
        return array

    def profile(self, *maps: Any, executor: Executor | None = None) -> Profile:
        """Which vectors (|f_1(D) − f_1(E)|, …, |f_k(D) − f_k(E)|) neighbours have, in one pass.

        maps -- with integer values: maps, functions of a database, or arrays with a value for each database.
        Where all are functions of restrictions of a multiset to disjoint record sets (`composed`), only the
        multisets over these sets are gone through.
        executor -- a concurrent.futures.Executor that the pass is divided among.

        >>> import dpcompose as dpc
        >>> space = dpc.finite(dpc.multisets("abc", "<= 6"), dpc.bounded)
        >>> found = space.profile(lambda D: D.count("a"), lambda D: min(2, D.count("b")))
        >>> found.maximal, found.sensitivities, found.compatible
        (((1, 1),), (1, 1), False)
        """

        from dpcompose.spaces.arrays.passes import moves

        if not maps:
            raise ValueError("a profile is that of at least one map")
        if executor is None and (apart := self._by_parts(maps)) is not None:
            return apart
        self._refuse("profile")
        found = moves(self.layout, [self.integers(f) for f in maps], executor)
        pairs = {v: (self.database(a), self.database(b)) for v, (a, b) in sorted(found.items())}
        return Profile(MappingProxyType(pairs), self.layout.edges)

    def _by_parts(self, maps: Sequence[Any]) -> Profile | None:
        """The profile by the multisets over disjoint record sets, where the maps are functions of these."""
        from dpcompose.spaces.arrays.parts import Part, moves_of_parts

        databases = self.databases
        whole = None if self._quick is None else self._quick.of_multisets
        if whole is None or not databases.twice:
            return None
        universe = frozenset(databases.records)
        inside = [f.read_through & universe if isinstance(f, Map) else frozenset[str]() for f in maps]
        known = [some for some in inside if some]
        if len(known) < len(maps) or sum(map(len, known)) > len(frozenset().union(*known)):
            return None
        parts = []
        for f, some in zip(maps, known, strict=True):
            class_ = Multisets(tuple(some), Size(databases.sizes.n))
            alone = FiniteSpace(class_, self.granularity, CountedMultisets(class_))
            parts.append(Part(len(some), alone.integers(f.outer)))
        found = dict(sorted(moves_of_parts(whole, parts).items()))
        pairs = MadePairs(found, lambda edits: whole_pair(databases, whole.adds, known, edits))
        return Profile(pairs, whole.edges)

    def minimum_over_fibres(self, f: Any) -> tuple[Array, Sequence[Database]]:
        """d^f(x, y), the least distance of databases with f(D) = x and f(E) = y, for all values; −1 for ∞.

        Of the result the rows and columns are the values that come second (GB Prop. IV.10).

        >>> import dpcompose as dpc
        >>> space = dpc.finite(dpc.multisets("ab", "<= 3"), dpc.unbounded)
        >>> space.minimum_over_fibres(lambda D: len(D) // 2)[0].tolist()
        [[0, 1], [1, 0]]
        """
        from dpcompose.spaces.arrays.searches import between_fibres

        labels, values = self.labels(f)
        self._refuse("distances")
        return between_fibres(self._adjacency, labels, len(values)), values

    def from_fibre(self, x: Database, labels: Array, values: Sequence[Database]) -> dict[Database, int]:
        """d^f(x, y) for the values y that can be reached from the fibre of x, with what `labels(f)` gave."""
        import numpy

        fibre = numpy.flatnonzero(labels == values.index(x))
        distances = self._adjacency.distances(*fibre.tolist())
        reached = numpy.flatnonzero(distances >= 0)
        least = numpy.full(len(values), self.nodes)
        numpy.minimum.at(least, labels[reached], distances[reached])
        return {y: int(d) for y, d in zip(values, least.tolist(), strict=True) if d < self.nodes}

    def push_forward(self, f: Any, executor: Executor | None = None) -> FiniteSpace:
        """The graph of the images: f(D) and f(E), where they differ, are joined where D and E are.

        Its canonical metric is the metric closure of d^f.

        >>> import dpcompose as dpc
        >>> space = dpc.finite(dpc.multisets("ab", "<= 3"), dpc.unbounded)
        >>> space.push_forward(lambda D: len(D)).all_pairs().tolist()[0]
        [0, 1, 2, 3]
        """
        from dpcompose.spaces.arrays.layouts import StoredLayout
        from dpcompose.spaces.arrays.passes import quotient

        self._refuse("image")
        labels, values = self.labels(f)
        first, second = quotient(self.layout, labels, len(values), executor)
        numbering = Numbering(self.databases, values)
        image = FiniteSpace(self.databases, self.granularity, numbering, self.limits)
        vars(image)["layout"] = StoredLayout(len(values), first, second)
        vars(image)["_quick"] = image.layout
        return image

    def __iter__(self) -> Iterator[Database]:
        return iter(self.numbering.elements)


def finite(
    databases: DatabaseClass | Iterable[Database] | Graph,
    granularity: Neighbours | None = None,
    limits: Limits | None = None,
) -> FiniteSpace:
    """A finite class and a granularity on integer arrays: edges, canonical metric, profiles of maps.

    databases -- a class, or any hashable values; granularity -- which of them are neighbours; of a networkx
    graph its nodes, and its edges where nothing else is said;
    limits -- how much one question may take, where that is less than usual.

    Nothing is computed yet; `estimate` says how large a question is.  Raises TooLarge where the class is
    infinite or cannot be listed, ValueError where the granularity has no meaning on it.

    >>> import dpcompose as dpc
    >>> line = dpc.finite(range(5), dpc.steps("next", lambda n: [n - 1, n + 1]))
    >>> line.all_pairs().tolist()[0], line.diameter(), len(line.edges()[0])
    ([0, 1, 2, 3, 4], 4, 4)
    """
    about = given.neighbours(databases if granularity is None else granularity)
    if not isinstance(databases, DatabaseClass):
        databases = listed(databases)
    if unfit := misfit(about, databases):
        raise ValueError(unfit)
    return FiniteSpace(databases, about, numbered(databases), limits)
