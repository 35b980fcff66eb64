"""Granularities: which databases are neighbours (GB Def. III.1).

A granularity is a symmetric relation, and one method says it: `are_neighbours(D, E)`.
Everything else, the neighbourhood graph, the canonical metric, the profile of a
composition, follows.  To add one, write a class with that method, or use `relation`
(from a predicate), `steps` (from an edit function) or `pairs` (from a list); `group` makes
a coarser one of another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from dpcompose.kernel.domains import Domain
from dpcompose.kernel.terms import Term
from dpcompose.language.shown import Shown
from dpcompose.spaces.blocks import Blocks, one_block_away
from dpcompose.spaces.databases import Cell, Counts, Database, DatabaseClass
from dpcompose.spaces.edits import Edits
from dpcompose.spaces.multisets import Multisets, difference
from dpcompose.spaces.sequences import Sequences, aligned
from dpcompose.spaces.subsets import Graphs, Sets, VaryingGraphs
from dpcompose.spaces.tuples import Streams, Tuples

if TYPE_CHECKING:
    from dpcompose.spaces.arrays.layouts import Layout


class NotSymmetric(ValueError):
    """The relation holds from D to E and not from E to D; the message names the pair."""


class Granularity(Shown, ABC):
    """A symmetric relation on databases; a database is not its own neighbour."""

    name: str
    by_asking: ClassVar[bool] = True
    """Whether its neighbours are found by asking about every pair of databases."""

    @abstractmethod
    def are_neighbours(self, D: Database, E: Database) -> bool:
        """Whether D and E are neighbours."""

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The neighbours of D in a finite class.  Override where they can be listed directly."""
        return (E for E in databases.databases() if E != D and self.relates(D, E, databases))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        """The counted edits that lead from a database of the class to its neighbours, where these say all.

        None for relations that are not given by counted edits.
        """
        return None

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        """The blocks of cells, in a class that is a product, that neighbours differ in; None where they are
        not given by blocks."""
        return None

    @property
    def reach(self) -> int | None:
        """In how many positions, one after the other, neighbours differ at most, whatever the length; None
        where that has no limit, or they need not be one after the other."""
        return None

    def data(self) -> str | dict[str, Any]:
        """The granularity as a problem file names it."""
        return str(self)

    form: ClassVar[str | None] = None
    """The closed form of the canonical metric that `distance` is, as fact pages call it; None without one."""

    def distance(self, D: Database, E: Database) -> int:
        """The canonical metric in closed form, where there is a form."""
        raise TypeError(f"no closed form of the {self.name} metric is known")

    def pair_apart(self, databases: DatabaseClass, m: int) -> tuple[Database, Database] | None:
        """Two databases of the class that are m steps apart, where these are easily named."""
        return None

    @property
    def built_in(self) -> bool:
        """Whether problem files know it, by name or by how it is made."""
        return BUILT_IN.get(self.name) == self

    @property
    def names(self) -> frozenset[str]:
        """The records that it names."""
        return frozenset()

    by_rows: ClassVar[bool] = False
    """Whether neighbours are told by how many rows a person has in how many parts."""

    is_counted_elsewhere: ClassVar[bool] = False
    """Whether its steps lead through databases that the class may not have."""

    @property
    def letters(self) -> Mapping[str, Domain]:
        """The parameters on which it depends, with their values."""
        return {}

    def placed(self, partitions: Sequence[tuple[frozenset[str], ...]]) -> Granularity:
        """The same where it is known which sets of records are the parts."""
        return self

    def at(self, point: Mapping[str, Fraction]) -> Granularity:
        """The same with numbers in place of parameters."""
        return self

    @property
    def times(self) -> Term | None:
        """A parameter for how many steps it counts, where it counts as many."""
        return None

    @property
    def single_step(self) -> Granularity:
        """One of as many steps as a parameter says; itself where it is no such group."""
        return self

    @property
    def touched(self) -> int | None:
        """In how many parts of a partition neighbours differ at most; None where it does not say so."""
        return None

    @property
    def partial(self) -> bool:
        """Whether it says of some records and not of others that they may become each other, come or go."""
        return bool(self.names)

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        """Whether D and E are neighbours inside the class."""
        edits = self.edits(databases)
        if edits is None:
            return D != E and self.are_neighbours(D, E)
        if edits.single is None:
            return D != E
        counts = databases.counts(D, E)
        return counts is not None and D != E and edits.within(databases).fewest(counts) is not None

    def arrays(self, databases: DatabaseClass) -> Layout | None:
        """The neighbourhood graph of a finite class by a formula, where there is one: see `arrays.layouts`.

        Its nodes 0, 1, … stand for the databases in the order in which the class lists them.
        """
        return None

    def innermost(self) -> tuple[Granularity, int]:
        """G and m, where the granularity is a group of m steps of G; itself and 1 where it is no group."""
        return self, 1

    def unfit(self, databases: DatabaseClass) -> str | None:
        """Why the granularity has no meaning on the class, in words; None where it has one."""
        return None

    @property
    def words(self) -> str:
        """What its neighbours are called in sentences."""
        return self.name

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{self} neighbours"

    def _line(self) -> Sequence[str]:
        """The name, and how its definition begins."""
        means = " ".join((self.__doc__ or "").split("\n\n")[0].split())
        return [f"{self.words} neighbours: {means}"]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))


@dataclass(frozen=True, repr=False)
class RecordEdits(Granularity):
    """Neighbours differ by one edit of records.

    kinds -- on multisets: the edits (removed, added), a symmetric set out of (1, 0), (0, 1), (1, 1);
    ordered -- the kinds of classes with positions on which neighbours differ at one position;
    called -- what people call such neighbours;
    means -- the definition, which `help` shows.

    >>> bounded.are_neighbours(("a", "a"), ("a", "b")), unbounded.are_neighbours(("a",), ("a", "b"))
    (True, True)
    """

    by_asking = False

    name: str
    kinds: frozenset[Counts] = frozenset()
    ordered: frozenset[str] = frozenset()
    called: str = ""
    means: str = field(default="", repr=False, compare=False)

    @property
    def words(self) -> str:
        return f"{self.called} ({self.name})" if self.called else self.name

    def __post_init__(self) -> None:
        _explain(self, self.means)
        if not self.kinds <= {(1, 0), (0, 1), (1, 1)}:
            raise ValueError(
                f"{self.name}: an edit removes at most one record and adds at most one, not neither"
            )
        if ((1, 0) in self.kinds) != ((0, 1) in self.kinds):
            raise NotSymmetric(f"{self.name} is not symmetric: removing a record and adding one go together")

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return difference(D, E) in self.kinds

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The neighbours of D, made by its edits."""
        if isinstance(databases, Tuples) and databases.kind in self.ordered and isinstance(D, tuple):
            for at, record in enumerate(D):
                others = (a for a in (*databases.records, *databases.spare) if a != record)
                yield from ((*D[:at], a, *D[at + 1 :]) for a in others)
            return
        if not (isinstance(databases, Multisets | Sets) and isinstance(D, tuple)):
            yield from super().neighbours(D, databases)
            return
        universe = (*databases.records, *databases.spare)
        for removed, added in sorted(self.kinds):
            for a in sorted(set(D)) if removed else [None]:
                rest = list(D)
                if a is not None:
                    rest.remove(a)
                if not databases.sizes.allows(len(rest) + added):
                    continue
                for b in universe if added else [None]:
                    if (b != a or b is None) and (b not in rest or databases.twice):
                        yield tuple(sorted(rest if b is None else [*rest, b]))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        if databases.kind in self.ordered:
            return Edits(frozenset({(1,)}))
        return Edits(self.kinds) if self.kinds and isinstance(databases, Multisets) else None

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        if isinstance(shape, Sets) and self.kinds == {(1, 0), (0, 1)}:
            return Blocks(frozenset(frozenset({cell}) for cell in shape.cells or ()))
        if shape.kind not in self.ordered or not isinstance(shape, Tuples):
            return None
        held = {*(shape.cells or ())}
        return Blocks(frozenset(frozenset(shape.at(at)) for at in shape.identifiers)).within(held)

    @property
    def reach(self) -> int | None:
        return 1 if self.ordered else None

    def arrays(self, databases: DatabaseClass) -> Layout | None:
        from dpcompose.spaces.arrays.layouts import MultisetLayout, TupleLayout

        if databases.count() is None:
            return None
        if type(databases) is Multisets and self.kinds and not databases.sizes.least:
            n, exactly = databases.sizes.n or 0, databases.sizes.exactly
            adds, replaces = (1, 0) in self.kinds, (1, 1) in self.kinds
            return MultisetLayout(len(databases.records), n, exactly, adds, replaces)
        if type(databases) in (Tuples, Streams) and databases.kind in self.ordered:
            assert isinstance(databases, Tuples)
            n = databases.sizes.n or 0
            return TupleLayout(len(databases.records), n if databases.sizes.exactly else 0, n)
        return None

    def unfit(self, databases: DatabaseClass) -> str | None:
        if self.edits(databases) is not None or (self.kinds and isinstance(databases, Sets)):
            return None
        if databases.kind == "listed":
            return f"the granularity {self.name} is about records; a listed class has none"
        fitting = sorted({*self.ordered, *(["multisets", "sets"] if self.kinds else [])})
        return (
            f"the granularity {self.name} has no meaning on {databases.kind}: it is about "
            f"{' and '.join(fitting)}"
        )


@dataclass(frozen=True, repr=False)
class EntryEdits(Granularity):
    """Neighbours differ by one inserted or deleted entry of a sequence.

    means -- the definition, which `help` shows.
    """

    by_asking = False

    name: str
    means: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        _explain(self, self.means)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return aligned(D, E) in ((1, 0), (0, 1))

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        assert isinstance(D, tuple) and isinstance(databases, Sequences)
        places = range(len(D) + 1)
        universe = (*databases.records, *databases.spare)
        found = [D[:at] + D[at + 1 :] for at in places[:-1]]
        found += [(*D[:at], a, *D[at:]) for at in places for a in universe]
        return (E for E in dict.fromkeys(found) if databases.sizes.allows(len(E)))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        return Edits(frozenset({(1, 0), (0, 1)})) if isinstance(databases, Sequences) else None

    def unfit(self, databases: DatabaseClass) -> str | None:
        if isinstance(databases, Sequences):
            return None
        return f"the granularity {self.name} has no meaning on {databases.kind}: it is about sequences"


@dataclass(frozen=True, repr=False)
class VertexEdits(Granularity):
    """Neighbours differ by one vertex, which comes or goes with all its edges.

    means -- the definition, which `help` shows.
    """

    by_asking = False
    form = "vertices and twice a cover"

    name: str
    means: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        _explain(self, self.means)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        gone = {one for one in {*D} ^ {*E} if len(one) == 1}
        return len(gone) == 1 and all(one[0] in pair for (one,) in [gone] for pair in {*D} ^ {*E})

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        assert isinstance(D, tuple) and isinstance(databases, VaryingGraphs)
        there = databases.vertices(D)
        for v in there:
            yield tuple(one for one in D if v not in one)
        for v in range(1, (databases.labels or 0) + 1):
            if v not in there:
                whole = Graphs(tuple(sorted((*there, v))), listing=True)
                old = {one: True for one in D if len(one) == 2}
                new = [pair for pair in whole.elements if v in pair]
                for values in product((False, True), repeat=len(new)):
                    yield whole.put(whole.blank(), old | dict(zip(new, values, strict=True)))

    def distance(self, D: Database, E: Database) -> int:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        of_D, of_E = ({one[0] for one in some if len(one) == 1} for some in (D, E))
        both = Graphs(tuple(of_D & of_E))
        changed = ({*D} ^ {*E}) & {*both.elements}
        stars = Blocks(frozenset(map(frozenset, both.stars)) - {frozenset()})
        return len(of_D ^ of_E) + 2 * stars.fewest(changed)

    def pair_apart(self, databases: DatabaseClass, m: int) -> tuple[Database, Database] | None:
        if not isinstance(databases, VaryingGraphs) or m > (databases.labels or m):
            return None
        return tuple((v,) for v in range(1, m + 1)), ()

    def unfit(self, databases: DatabaseClass) -> str | None:
        if isinstance(databases, VaryingGraphs):
            return None
        if databases.kind == "graphs":
            return f'the granularity {self.name} needs vertices that come and go: vertices = "<= 4" or "any"'
        return f"the granularity {self.name} has no meaning on {databases.kind}: it is about graphs"


@dataclass(frozen=True, repr=False)
class AnyTwo(Granularity):
    """Any two different databases are neighbours (free lunch).

    means -- the definition, which `help` shows.
    """

    name: str
    means: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        _explain(self, self.means)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E

    def edits(self, databases: DatabaseClass) -> Edits:
        return Edits(None)

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        return None if shape.cells is None else Blocks(frozenset({frozenset(shape.cells)}) - {frozenset()})

    def arrays(self, databases: DatabaseClass) -> Layout | None:
        from dpcompose.spaces.arrays.layouts import CompleteLayout

        return None if (count := databases.count()) is None else CompleteLayout(count)


@dataclass(frozen=True, repr=False)
class Changes(Granularity):
    """Neighbours differ, in any way, in cells of one block: one edge, one user, one window of time steps.

    kinds -- for each kind of class that it is about: the blocks of a product of this kind;
    reach -- in how many positions a block lies at most, where that has a limit;
    lacks -- why a class of such a kind has no such blocks, if it has none;
    written -- what a problem file calls it, where that is not its name.

    >>> from dpcompose.spaces.tuples import streams
    >>> twins = w_event(2)
    >>> T = streams({"on", "off"}, "= 3")
    >>> twins.relates(("on", "on", "on"), ("off", "off", "on"), T)
    True
    >>> twins.relates(("on", "on", "on"), ("off", "on", "off"), T)
    False
    """

    by_asking = False

    name: str
    kinds: Mapping[str, Callable[[Any], Iterable[Iterable[Cell]]]] = field(repr=False, compare=False)
    means: str = field(default="", repr=False, compare=False)
    reach: int | None = None
    lacks: Callable[[Any], str | None] | None = field(default=None, repr=False, compare=False)
    written: str | tuple[tuple[str, int], ...] = ""

    def __post_init__(self) -> None:
        _explain(self, self.means)

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        if shape.kind not in self.kinds or shape.cells is None:
            return None
        return _blocks(self, shape)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError(f"{self.name} neighbours are those of a class: ask relates(D, E, databases)")

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        shape = databases.shape_of_both(D, E)
        if D == E or shape is None:
            return False
        blocks = self.blocks(shape)
        return blocks is not None and blocks.fewest(shape.differing(D, E)) == 1

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        shape = databases.shape_of(D)
        blocks = None if shape is None else self.blocks(shape)
        return iter(()) if shape is None or blocks is None else one_block_away(shape, blocks, D)

    def unfit(self, databases: DatabaseClass) -> str | None:
        if databases.kind in self.kinds:
            return None if self.lacks is None else self.lacks(databases)
        if databases.kind == "listed":
            return f"the granularity {self.name} is about {' and '.join(self.kinds)}; a listed class has none"
        return (
            f"the granularity {self.name} has no meaning on {databases.kind}: it is about "
            f"{' and '.join(self.kinds)}"
        )

    def data(self) -> str | dict[str, Any]:
        return self.name if isinstance(self.written, str) else dict(self.written)

    @property
    def built_in(self) -> bool:
        return super().built_in or bool(self.written)


@lru_cache(maxsize=4)
def _blocks(granularity: Changes, shape: DatabaseClass) -> Blocks:
    """The blocks of a product, which many questions ask for."""
    cells = shape.cells
    assert cells is not None
    words = f"{granularity.name} neighbours of {shape}"
    return Blocks.of(granularity.kinds[shape.kind](shape), len(cells), words).within(cells)


@dataclass(frozen=True, repr=False)
class Union(Granularity):
    """Neighbours of either of two granularities.

    one, other -- the two, in the order of their names.
    """

    one: Granularity
    other: Granularity

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.one} or {self.other}"

    @property
    def by_asking(self) -> bool:  # type: ignore[override]
        return self.one.by_asking or self.other.by_asking

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError("a union may count steps inside a class: ask relates(D, E, databases)")

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        return any(one.relates(D, E, databases) for one in (self.one, self.other))

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        found = (E for one in (self.one, self.other) for E in one.neighbours(D, databases))
        return iter(dict.fromkeys(found))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        both = self.one.edits(databases), self.other.edits(databases)
        if any(edits is not None and edits.single is None for edits in both):
            return Edits(None)
        singles = [edits.single for edits in both if edits is not None and edits.most == 1]
        if len(singles) < 2 or singles[0] is None or singles[1] is None:
            return None
        return Edits(singles[0] | singles[1])

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        both = [one.blocks(shape) for one in (self.one, self.other)]
        sets = [blocks.sets for blocks in both if blocks is not None and blocks.most == 1]
        return None if len(sets) < 2 else Blocks(sets[0] | sets[1])

    @property
    def reach(self) -> int | None:
        both = [one.reach for one in (self.one, self.other)]
        return None if None in both else max(reach for reach in both if reach is not None)

    def unfit(self, databases: DatabaseClass) -> str | None:
        return self.one.unfit(databases) or self.other.unfit(databases)

    def data(self) -> str | dict[str, Any]:
        return {"union": [self.one.data(), self.other.data()]}

    @property
    def built_in(self) -> bool:
        return all(one.innermost()[0].built_in for one in (self.one, self.other))

    @property
    def names(self) -> frozenset[str]:
        return self.one.names | self.other.names

    @property
    def partial(self) -> bool:
        return self.one.partial or self.other.partial

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Union) and (self.one, self.other) == (other.one, other.other)

    def __hash__(self) -> int:
        return hash((self.one, self.other))


@dataclass(frozen=True, repr=False)
class Group(Granularity):
    """G^m: different databases that at most m steps of G, inside the class, lead to each other.

    of -- G; m -- at least 1.  A group of groups counts the steps of the innermost one.

    >>> from dpcompose.spaces.multisets import multisets
    >>> pairs_at_once = Group(2, bounded)
    >>> str(pairs_at_once), pairs_at_once.relates(("a", "a"), ("b", "c"), multisets("abc"))
    ('group of 2 bounded', True)
    """

    by_asking = False

    m: int
    of: Granularity

    def __post_init__(self) -> None:
        if type(self.m) is not int or self.m < 1 or self.innermost()[1] > LARGEST_GROUP:
            raise ValueError(f"a group counts 1 to {LARGEST_GROUP:,} steps in all, not {self.m!r}")
        if self.of.single_step is not self.of:
            raise ValueError(f"a group of a group of {self.of.times} steps is not supported")
        if self.m > 1 and self.of.is_counted_elsewhere:
            raise ValueError(f"groups are of steps inside of the class, which {self.of} are not")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The innermost granularity with the number of its steps."""
        single, steps = self.innermost()
        return f"group of {steps} {single}"

    def innermost(self) -> tuple[Granularity, int]:
        single, steps = self.of.innermost()
        return single, steps * self.m

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError("a group counts steps inside a class: ask relates(D, E, databases)")

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The databases at most m steps away, nearest first."""
        seen = layer = {D: None}
        for _ in range(self.m):
            layer = {E: None for at in layer for E in self.of.neighbours(at, databases) if E not in seen}
            seen = seen | layer
            yield from layer

    def edits(self, databases: DatabaseClass) -> Edits | None:
        single = self.of.edits(databases)
        if single is None or single.single is None:
            return single
        return Edits(single.single, single.most * self.m)

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        single = self.of.blocks(shape)
        return None if single is None else replace(single, most=single.most * self.m)

    def data(self) -> str | dict[str, Any]:
        single, steps = self.innermost()
        return {"group": steps, "of": single.data()}

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        if self.edits(databases) is not None:
            return super().relates(D, E, databases)
        single, steps = self.innermost()
        if single.form is not None and D in databases and E in databases:
            return 0 < single.distance(D, E) <= steps
        return D != E and any(found == E for found in self.neighbours(D, databases))

    def unfit(self, databases: DatabaseClass) -> str | None:
        return self.of.unfit(databases)

    @property
    def names(self) -> frozenset[str]:
        return self.of.names

    @property
    def partial(self) -> bool:
        return self.of.partial

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.innermost() == other.innermost()

    def __hash__(self) -> int:
        return hash(self.innermost())

    @property
    def letters(self) -> Mapping[str, Domain]:
        return self.of.letters

    def placed(self, partitions: Sequence[tuple[frozenset[str], ...]]) -> Group:
        return replace(self, of=self.of.placed(partitions))

    def at(self, point: Mapping[str, Fraction]) -> Group:
        return replace(self, of=self.of.at(point))


LARGEST_GROUP = 1_000
"""The most steps that a group counts."""


def _explain(granularity: Granularity, means: str) -> None:
    """Gives one value a docstring of its own."""
    if means:
        object.__setattr__(granularity, "__doc__", means)


unbounded = RecordEdits(
    "unbounded",
    frozenset({(1, 0), (0, 1)}),
    called="add/remove",
    means="""Add or remove one record: |D △ E| = 1 (GB Def. II.3).  About multisets.

    Its canonical metric is |D △ E| (GB Prop. A.1), if databases may have any size up to a limit; where
    all have one size there are no such neighbours, and a study says so.

    >>> import dpcompose as dpc
    >>> dpc.unbounded.are_neighbours(("a",), ("a", "b"))
    True
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), dpc.unbounded)(("a", "a"), ("b",))
    3
    """,
)

bounded = RecordEdits(
    "bounded",
    frozenset({(1, 1)}),
    frozenset({"tuples", "streams", "tables"}),
    "replace-one",
    """Change one record: |D| = |E| and |D △ E| = 2 (GB Def. II.4); on tuples and streams, at one position.

    On multisets a record is replaced by another, and nobody can say whose it was; on tuples the record at
    one identifier changes (GB Ex. IV.7).  The canonical metric is |D∖E|, or the number of positions at
    which tuples differ; oo between databases of different size.

    >>> import dpcompose as dpc
    >>> dpc.bounded.are_neighbours(("a", "a"), ("a", "b"))
    True
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), dpc.bounded)(("a", "b"), ("b", "a"))
    0
    >>> dpc.canonical_metric(dpc.tuples({"a", "b"}), dpc.bounded)(("a", "b"), ("b", "a"))
    2
    """,
)

event = RecordEdits(
    "event",
    ordered=frozenset({"streams"}),
    means="""Streams of one length that differ, arbitrarily, at one time step.

    The canonical metric is the number of time steps at which they differ; oo for different lengths.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.streams({"on", "off"}, "= 3"), dpc.event)
    >>> d(("on", "on", "off"), ("off", "on", "on"))
    2
    """,
)

node_removal = VertexEdits(
    "node-removal",
    """Graphs one of which is the other without one vertex and its edges.

    The canonical metric is |V△V'| plus twice the fewest vertices of V∩V' at which all edges between such
    vertices lie that only one of the graphs has: these vertices go and come back.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.graphs("<= 3"), dpc.node_removal)
    >>> d(((1,), (2,), (1, 2)), ((1,),)), d(((1,), (2,), (1, 2)), ((1,), (2,)))
    (1, 2)
    """,
)

insert_delete = EntryEdits(
    "insert-delete",
    """Sequences one of which is the other with one entry deleted.

    The canonical metric is |D| + |E| minus twice the length of a longest common subsequence.

    >>> import dpcompose as dpc
    >>> dpc.insert_delete.are_neighbours(("a", "b", "a"), ("a", "a"))
    True
    >>> dpc.canonical_metric(dpc.sequences("ab"), dpc.insert_delete)(("a", "b"), ("b", "a"))
    2
    """,
)

free_lunch = AnyTwo(
    "free-lunch",
    """Any two different databases are neighbours (GB Rem. III.7), on every class.

    Its canonical metric is 1 for different databases.  A guarantee for these neighbours implies one for
    all others, with the same parameter; the converse depends on how far databases can be apart:

    >>> import dpcompose as dpc
    >>> dpc.compare(dpc.bounded, dpc.free_lunch, dpc.multisets(size="= 6")).forth.value
    6
    """,
)

edge = Changes(
    "edge",
    {"graphs": lambda graphs: ([pair] for pair in graphs.cells)},
    """Graphs on the same vertices that differ in one edge.

    The canonical metric is |E△E'|, the number of pairs of vertices that are joined in one of the two only.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.graphs(4), dpc.edge)
    >>> d(((1, 2), (2, 3)), ((1, 2), (3, 4)))
    2
    """,
)

node = Changes(
    "node",
    {"graphs": lambda graphs: graphs.stars},
    """Graphs on the same vertices that differ only in edges at one vertex: one person's links change.

    The canonical metric is the fewest vertices at which all edges of E△E' lie, a vertex cover of it.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.graphs(4), dpc.node)
    >>> d((), ((1, 2), (1, 3), (1, 4))), d((), ((1, 2), (3, 4)))
    (1, 2)
    """,
)

attribute = Changes(
    "attribute",
    {"tables": lambda tables: ([cell] for cell in tables.cells)},
    reach=1,
    means="""Tables that differ in one attribute of one record.

    The canonical metric is the number of differing cells; oo for different numbers of records.

    >>> import dpcompose as dpc
    >>> people = dpc.tables({"age": ["young", "old"], "sick": ["no", "yes"]}, "= 2")
    >>> d = dpc.canonical_metric(people, dpc.attribute)
    >>> d(("(young, no)", "(old, no)"), ("(old, yes)", "(old, no)"))
    2
    """,
)

user = Changes(
    "user",
    {kind: lambda tuples: tuples.by_owner for kind in ("tuples", "streams")},
    """Tuples or streams that differ only in records of one user: all that a person contributed may change.

    The canonical metric is the number of users whose records differ.

    >>> import dpcompose as dpc
    >>> visits = dpc.tuples({"no", "yes"}, "= 3", users={"Ann": [1, 3], "Bob": [2]})
    >>> dpc.canonical_metric(visits, dpc.user)(("no", "no", "no"), ("yes", "no", "yes"))
    1
    """,
    lacks=lambda databases: None if databases.owners else NO_USERS,
)


def w_event(w: int) -> Changes:
    """The granularity of streams that differ, arbitrarily, within w consecutive time steps.

    w -- the length of the window, a whole number from 1; 1 is the same as event.  On what is kept of a
    stream windows are those of the original time steps.  The canonical metric is the fewest windows that
    hold all the time steps at which two streams differ; oo for different lengths.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.streams("ab", "= 6"), dpc.w_event(3))
    >>> d(tuple("aaaaaa"), tuple("babaaa")), d(tuple("aaaaaa"), tuple("baabab"))
    (1, 2)
    """
    if type(w) is not int or not 1 <= w <= LARGEST_WINDOW:
        raise ValueError(f"a window has 1 to {LARGEST_WINDOW:,} time steps, not {w!r}")

    def windows(streams: Any) -> Iterator[list[Cell]]:
        steps = list(streams.identifiers)
        end = 0
        for start, first in enumerate(steps):  # a window that starts between two kept steps holds no more
            while end < len(steps) and steps[end] < first + w:
                end += 1
            yield steps[start:end]

    return Changes(f"{w}-event", {"streams": windows}, w_event.__doc__ or "", w, written=(("w-event", w),))


def union(one: Granularity, other: Granularity) -> Granularity:
    """The granularity whose neighbours are those of either of two.

    Its canonical metric is by shortest paths; for add/remove or replace-one neighbours on multisets it is
    max(|D∖E|, |E∖D|).  The order of the two does not matter.

    >>> import dpcompose as dpc
    >>> either = dpc.union(dpc.unbounded, dpc.bounded)
    >>> either
    bounded or unbounded neighbours
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), either)(("a", "a", "a"), ("b",))
    3
    """
    if one == other:
        return one
    first, second = sorted((one, other), key=str)
    return Union(first, second)


NO_USERS = (
    "it is not said whose the records are: users = { Ann = [1, 3], Bob = [2] } says which positions are whose"
)
LARGEST_WINDOW = 1_000
"""The most time steps of a window."""

BUILT_IN = {
    granularity.name: granularity
    for granularity in (
        unbounded,
        bounded,
        event,
        user,
        attribute,
        edge,
        node,
        node_removal,
        insert_delete,
        free_lunch,
    )
}

__test__ = {name: granularity.__doc__ for name, granularity in BUILT_IN.items()}
"""The examples in these docstrings, for doctest."""


@dataclass(frozen=True, repr=False)
class Pairs(Granularity):
    """Neighbours as a list of unordered pairs; the symmetric closure is taken.

    >>> pairs("mine", [("a", "b")]).are_neighbours("b", "a")
    True
    """

    by_asking = False

    name: str
    listed: frozenset[tuple[Database, Database]]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and ((D, E) in self.listed or (E, D) in self.listed)


@dataclass(frozen=True, repr=False)
class Relation(Granularity):
    """Neighbours by a predicate of the user's; its symmetry is checked on the class it is used on."""

    name: str
    holds: Callable[[Database, Database], bool]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and bool(self.holds(D, E))


@dataclass(frozen=True, repr=False)
class Steps(Granularity):
    """Neighbours by an edit function of the user's: D ↦ the databases one step away."""

    by_asking = False

    name: str
    step: Callable[[Database], Iterable[Database]]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and E in set(self.step(D))

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        return (E for E in dict.fromkeys(self.step(D)) if E != D and E in databases)


def pairs(name: str, listed: Iterable[tuple[Database, Database]]) -> Pairs:
    """The granularity with the listed unordered pairs as neighbours; used on listed classes.

    name -- what results call it; listed -- pairs of databases, each in one order; a database paired with
    itself is ignored.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.listed("abc"), dpc.pairs("line", [("a", "b"), ("b", "c")]))
    >>> d("a", "c")
    2
    """
    return Pairs(name, frozenset((D, E) if str(D) <= str(E) else (E, D) for D, E in listed if D != E))


def relation(name: str, holds: Callable[[Database, Database], bool]) -> Relation:
    """The granularity in which D and E are neighbours where a predicate of the two holds.

    holds -- called on all pairs of a finite class, and must be symmetric: else the pair is named.

    >>> near = relation("near", lambda D, E: abs(D - E) == 1)
    >>> near.are_neighbours(2, 3)
    True
    """
    return Relation(name, holds)


def steps(name: str, step: Callable[[Database], Iterable[Database]]) -> Steps:
    """The granularity in which the neighbours of D are the databases that a function of D lists.

    step -- D ↦ the databases one step away; those outside of the class, and D itself, do not count.  On
    large finite classes this is faster than a predicate.

    >>> next_to = steps("next to", lambda n: [n - 1, n + 1])
    >>> from dpcompose.spaces.listed import listed
    >>> list(next_to.neighbours(0, listed(range(3))))
    [1]
    """
    return Steps(name, step)
