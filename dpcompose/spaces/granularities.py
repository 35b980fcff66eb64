"""Granularities: which databases are neighbours (GB Def. III.1).

A granularity is a symmetric relation, and one method says it: `are_neighbours(D, E)`.
Everything else, the neighbourhood graph, the canonical metric, the profile of a
composition, follows.  To add one, write a class with that method, or use `relation`
(from a predicate), `steps` (from an edit function) or `pairs` (from a list).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dpcompose.spaces.databases import Database, DatabaseClass

Edit = tuple[int, int]
"""(removed, added): how many records an edit takes away and how many it puts in, each 0 or 1."""


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
        return (E for E in databases.databases() if E != D and self.are_neighbours(D, E))

    @property
    def edits(self) -> frozenset[Edit] | None:
        """The record edits that lead from a database to its neighbours, where these say all.

        None for relations that are not given by edits of single records.
        """
        return None

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))


@dataclass(frozen=True)
class RecordEdits(Granularity):
    """Neighbours differ by one edit of records: (removed, added) is one of `kinds`.

    kinds -- a symmetric set of edits out of (1, 0), (0, 1), (1, 1).

    >>> bounded.are_neighbours(("a", "a"), ("a", "b")), unbounded.are_neighbours(("a",), ("a", "b"))
    (True, True)
    """

    name: str
    kinds: frozenset[Edit]

    def __post_init__(self) -> None:
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
        from dpcompose.spaces.databases import Multisets

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

    @property
    def edits(self) -> frozenset[Edit]:
        return self.kinds


unbounded = RecordEdits("unbounded", frozenset({(1, 0), (0, 1)}))
"""Add or remove one record: |D △ E| = 1 (GB Def. II.3)."""

bounded = RecordEdits("bounded", frozenset({(1, 1)}))
"""Change one record: |D| = |E| and |D △ E| = 2 (GB Def. II.4)."""

BUILT_IN = {granularity.name: granularity for granularity in (unbounded, bounded)}


def difference(D: Database, E: Database) -> tuple[int, int]:
    """(|D∖E|, |E∖D|) of two multisets.

    >>> difference(("a", "a", "b"), ("a", "c"))
    (2, 1)
    """
    if not (isinstance(D, tuple) and isinstance(E, tuple)):
        raise TypeError(f"{D!r} and {E!r} are not both multisets of records")
    removed, added = Counter(D), Counter(E)
    return (removed - added).total(), (added - removed).total()


@dataclass(frozen=True)
class Pairs(Granularity):
    """Neighbours as a list of unordered pairs; the symmetric closure is taken.

    >>> pairs("mine", [("a", "b")]).are_neighbours("b", "a")
    True
    """

    name: str
    listed: frozenset[tuple[Database, Database]]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and ((D, E) in self.listed or (E, D) in self.listed)


@dataclass(frozen=True)
class Relation(Granularity):
    """Neighbours by a predicate of the user's; its symmetry is checked on the class it is used on."""

    name: str
    holds: Callable[[Database, Database], bool]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and bool(self.holds(D, E))


@dataclass(frozen=True)
class Steps(Granularity):
    """Neighbours by an edit function of the user's: D ↦ the databases one step away."""

    name: str
    step: Callable[[Database], Iterable[Database]]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and E in set(self.step(D))

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        return (E for E in dict.fromkeys(self.step(D)) if E != D and E in databases)


def pairs(name: str, listed: Iterable[tuple[Database, Database]]) -> Pairs:
    """A granularity from unordered pairs; a database paired with itself is ignored."""
    return Pairs(name, frozenset((D, E) if str(D) <= str(E) else (E, D) for D, E in listed if D != E))


def relation(name: str, holds: Callable[[Database, Database], bool]) -> Relation:
    """A granularity from a predicate on two databases.

    >>> near = relation("near", lambda D, E: abs(D - E) == 1)
    >>> near.are_neighbours(2, 3)
    True
    """
    return Relation(name, holds)


def steps(name: str, step: Callable[[Database], Iterable[Database]]) -> Steps:
    """A granularity from a function that lists the databases one step away."""
    return Steps(name, step)
