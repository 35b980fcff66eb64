"""Restrictions: maps that keep the records of a set, or those at some positions, and leave out all others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Cell, Database, DatabaseClass, Symbolic
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.inputs.maps import Map, Signs


@frozen(repr=False)
class Restriction(Map):
    """D ↦ D|A: the records of D that lie in A, with their multiplicities.

    >>> Restriction(("a", "b"))(("a", "a", "c"))
    ('a', 'a')
    """

    restricts = True

    records: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", tuple(sorted(set(self.records))))

    @cached_property
    def inside(self) -> frozenset[str]:
        if not self.told:
            raise TypeError(f"which records {self.written('D')} has is known of a class: ask f.on(databases)")
        return frozenset(self.records)

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple):
            if isinstance(D, Symbolic):
                return D.read_by(self)
            raise TypeError(f"{D!r} is no multiset of records")
        return tuple(record for record in D if record in self.inside)

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """Multisets, sets or sequences over A: of any size, or at most n where 𝔻 limits it (A = X: 𝔻 itself).

        Sets of at least m records have at least m − |X∖A| in A.
        """
        if self.is_identity(databases):
            return databases
        if databases.restrictable and not self.records:
            return Listed(((),))
        return databases.restricted(self.records)

    def shown(self, D: str, signs: Signs) -> str:
        return signs.restricted(D, self.records)

    def is_identity(self, databases: DatabaseClass) -> bool:
        return (
            databases.restrictable and not databases.arbitrary and self.inside.issuperset(databases.records)
        )

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        return shape.cells_of(self.inside)

    def joined_to(self, inner: Map) -> Map | None:
        if not (inner.restricts and self.told and inner.told):
            return None
        return Restriction(tuple(self.inside & inner.inside))

    @property
    def names(self) -> frozenset[object]:
        return self.inside

    @property
    def passes_groups(self) -> bool:
        return not self.records  # who reads nothing never sees a move

    def data(self) -> str | dict[str, Any]:
        return {"records": list(self.records)}


@frozen(repr=False)
class Positions(Map):
    """D ↦ the records of a tuple D at some positions (1, 2, …), which keep their identifiers.

    >>> Positions((1, 3))(("a", "b", "c"))
    ('a', 'c')
    """

    keeps_positions = True

    positions: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", tuple(sorted(set(self.positions))))
        if any(type(at) is not int or at < 1 for at in self.positions):
            raise ValueError(f"positions are whole numbers from 1, not {self.positions}")

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple) or (self.positions and self.positions[-1] > len(D)):
            raise TypeError(f"{D!r} is no tuple that has the positions {self.positions}")
        return tuple(D[at - 1] for at in self.positions)

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """Tuples at the chosen positions."""
        if self.is_identity(databases):
            return databases
        if databases.identified and not self.positions:
            return Listed(((),))
        return databases.at_positions(self.positions)

    def joined_to(self, inner: Map) -> Map | None:
        if not inner.keeps_positions or (self.positions and self.positions[-1] > len(inner.positions)):
            return None
        return Positions(tuple(inner.positions[at - 1] for at in self.positions))

    def shown(self, D: str, signs: Signs) -> str:
        return signs.beside(D, f"[{', '.join(map(str, self.positions))}]")

    def is_identity(self, databases: DatabaseClass) -> bool:
        return databases.identified and databases.length == len(self.positions)

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        return shape.cells_at(self.positions)

    passes_groups = True

    def data(self) -> str | dict[str, Any]:
        return {"positions": list(self.positions)}


def restriction(records: Iterable[str]) -> Restriction:
    """D ↦ D|A, the part of a multiset D that lies in the record set A (GB Ex. IV.4).

    records -- A, a collection of records; sets of several maps may overlap.

    Raises TypeError for a text; `compose` raises InvalidSetting for records that the class has not.

    >>> restriction(["a", "b"])(("a", "a", "c"))
    ('a', 'a')
    """
    if isinstance(records, str):
        raise TypeError(f"a record set is a list of records, not the text {records!r}: write [{records!r}]")
    return Restriction(tuple(str(record) for record in records))


def positions(*at: int) -> Positions:
    """D ↦ the records of a tuple or stream at some positions, which keep their identifiers (GB Ex. IV.7).

    at -- the positions, whole numbers from 1 to the length, which all databases of the class must share.
    Their order does not matter; sets of several maps may overlap.

    `compose` raises InvalidSetting on a class that has none.  Raises ValueError for numbers below 1.

    >>> positions(2, 1)(("a", "b", "c"))
    ('a', 'b')
    >>> positions(2, 3).written("D")
    'D[2, 3]'
    """
    return Positions(tuple(at))


def record_partition(databases: Multisets, *parts: Iterable[str]) -> tuple[Restriction, ...]:
    """The restrictions to disjoint record sets A_1, …, A_k (GB Ex. IV.4).

    databases -- the class; parts -- the sets.  Raises ValueError where two sets share a record, or a record
    is not in the universe.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> record_partition(multisets({"a", "b", "c"}), {"a"}, {"b", "c"})[1].records
    ('b', 'c')
    """
    sets = [frozenset(map(str, part)) for part in parts]
    for i, part in enumerate(sets):
        for j in range(i):
            if shared := sorted(part & sets[j]):
                raise ValueError(f"parts {j + 1} and {i + 1} share the record {shared[0]!r}")
        if not databases.arbitrary and (strange := sorted(part - set(databases.records))):
            raise ValueError(f"part {i + 1} holds {strange[0]!r}, which is no record of {databases}")
    return tuple(restriction(part) for part in sets)
