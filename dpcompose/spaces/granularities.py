"""Granularities: which databases are neighbours (GB Def. III.1).

A granularity is a symmetric relation, and one method says it: `are_neighbours(D, E)`.
Everything else, the neighbourhood graph, the canonical metric, the profile of a
composition, follows.  To add one, write a class with that method, or use `relation`
(from a predicate), `steps` (from an edit function) or `pairs` (from a list); `group` makes
a coarser one of another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from dpcompose.spaces.databases import Counts, Database, DatabaseClass, Multisets, Tuples, difference
from dpcompose.spaces.edits import Edits


class NotSymmetric(ValueError):
    """The relation holds from D to E and not from E to D; the message names the pair."""


class Granularity(ABC):
    """A symmetric relation on databases; a database is not its own neighbour."""

    name: str

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

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        """Whether D and E are neighbours inside the class."""
        edits = self.edits(databases)
        if edits is None:
            return D != E and self.are_neighbours(D, E)
        if edits.single is None:
            return D != E
        counts = databases.counts(D, E)
        return counts is not None and D != E and edits.within(databases).fewest(counts) is not None

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
        if not (isinstance(databases, Multisets) and isinstance(D, tuple)):
            yield from super().neighbours(D, databases)
            return
        universe = (*databases.records, *databases.spare)
        for removed, added in sorted(self.kinds):
            for a in sorted(set(D)) if removed else [None]:
                rest = list(D)
                if a is not None:
                    rest.remove(a)
                for b in universe if added else [None]:
                    if b != a or b is None:
                        E = tuple(sorted(rest if b is None else [*rest, b]))
                        if databases.sizes.allows(len(E)):
                            yield E

    def edits(self, databases: DatabaseClass) -> Edits | None:
        if databases.kind in self.ordered:
            return Edits(frozenset({(1,)}))
        return Edits(self.kinds) if self.kinds and isinstance(databases, Multisets) else None

    def unfit(self, databases: DatabaseClass) -> str | None:
        if self.edits(databases) is not None:
            return None
        if databases.kind == "listed":
            return f"the granularity {self.name} is about records; a listed class has none"
        fitting = sorted({*self.ordered, *(["multisets"] if self.kinds else [])})
        return (
            f"the granularity {self.name} has no meaning on {databases.kind}: it is about "
            f"{' and '.join(fitting)}"
        )


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


@dataclass(frozen=True, repr=False)
class Group(Granularity):
    """G^m: different databases that at most m steps of G, inside the class, lead to each other.

    of -- G; m -- at least 1.  A group of groups counts the steps of the innermost one.

    >>> from dpcompose.spaces.databases import multisets
    >>> pairs_at_once = group(2, bounded)
    >>> str(pairs_at_once), pairs_at_once.relates(("a", "a"), ("b", "c"), multisets("abc"))
    ('group of 2 bounded', True)
    """

    m: int
    of: Granularity

    def __post_init__(self) -> None:
        if type(self.m) is not int or self.m < 1 or self.innermost()[1] > LARGEST_GROUP:
            raise ValueError(f"a group counts 1 to {LARGEST_GROUP:,} steps in all, not {self.m!r}")

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

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        if self.edits(databases) is not None:
            return super().relates(D, E, databases)
        return D != E and any(found == E for found in self.neighbours(D, databases))

    def unfit(self, databases: DatabaseClass) -> str | None:
        return self.of.unfit(databases)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.innermost() == other.innermost()

    def __hash__(self) -> int:
        return hash(self.innermost())


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
    frozenset({"tuples", "streams"}),
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

BUILT_IN = {granularity.name: granularity for granularity in (unbounded, bounded, event, free_lunch)}

__test__ = {name: granularity.__doc__ for name, granularity in BUILT_IN.items()}
"""The examples in these docstrings, for doctest."""


@dataclass(frozen=True, repr=False)
class Pairs(Granularity):
    """Neighbours as a list of unordered pairs; the symmetric closure is taken.

    >>> pairs("mine", [("a", "b")]).are_neighbours("b", "a")
    True
    """

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
    >>> from dpcompose.spaces.databases import listed
    >>> list(next_to.neighbours(0, listed(range(3))))
    [1]
    """
    return Steps(name, step)


def group(m: int, of: Granularity) -> Group:
    """G^m: different databases that at most m steps of the granularity `of` lead to each other.

    m -- a whole number of steps, from 1; a group of groups counts the innermost steps, up to 1,000.
    The canonical metric is ⌈d_G/m⌉.  As a target it is what G-privacy says of m people at once.

    >>> import dpcompose as dpc
    >>> pairs_at_once = dpc.group(2, dpc.bounded)
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), pairs_at_once)(["a"] * 5, ["b"] * 5)
    3
    """
    return Group(m, of)
