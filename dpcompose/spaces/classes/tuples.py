"""Tuples of records, whose positions are identifiers: those of persons, or of the time steps of a stream.

A database is the tuple of the records in the order of their positions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import LARGEST_SHAPE, Cell, Database, DatabaseClass, TooLarge
from dpcompose.spaces.classes.records import OrderedRecords, names_of
from dpcompose.spaces.classes.sizes import Size


@frozen(repr=False)
class Tuples(OrderedRecords):
    """All tuples of records: each record carries an identifier, its position 1, 2, ….

    sizes -- the length: any, at most n, or exactly n;
    positions -- the identifiers of a class that keeps some positions of longer tuples;
    owners -- whose the record at each position of the whole tuples is, where users own records.

    >>> list(Tuples(("a", "b"), Size(1, exactly=True)).databases())
    [('a',), ('b',)]
    """

    kind = "tuples"
    from_some_size_on = True
    identified = True
    queried = True

    positions: tuple[int, ...] | None = None
    owners: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.owners and self.positions is None and self.sizes != Size(len(self.owners), exactly=True):
            raise ValueError(
                f"{len(self.owners)} {self.entry}s have owners: all {self.kind} need as many records, "
                f'size = "= {len(self.owners)}"'
            )
        if self.positions is not None and self.sizes != Size(len(self.positions), exactly=True):
            raise ValueError(f"{len(self.positions)} {self.entry}s need tuples of as many records")

    @property
    def several_records(self) -> bool:
        """Whether a record can be changed at all."""
        return self.arbitrary or len(self.records) > 1

    def changed(self, D: Database, E: Database) -> list[bool]:
        if not (isinstance(D, tuple) and isinstance(E, tuple)):
            return []
        return [at >= len(E) or record != E[at] for at, record in enumerate(D)]

    def edited(
        self, D: Database, removed: int, added: int
    ) -> Iterator[tuple[str | None, str | None, Database]]:
        """What one other record at a position makes of D; none comes or goes."""
        assert isinstance(D, tuple)
        for at, x in enumerate(D) if removed and added else ():
            others = (y for y in (*self.records, *self.spare) if y != x)
            yield from ((x, y, (*D[:at], y, *D[at + 1 :])) for y in others)

    def exchanged(self, D: Database, E: Database) -> tuple[str | None, str | None] | None:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        both = zip(D, E, strict=True) if len(D) == len(E) else ()
        differing = [(x, y) for x, y in both if x != y]
        return differing[0] if len(differing) == 1 else None

    def recoded(self, records: tuple[str, ...], arbitrary: bool) -> DatabaseClass:
        return replace(self, records=records, arbitrary=arbitrary)

    @property
    def not_recoded(self) -> str | None:
        return f"recodes records that are listed, and those of {self} are not" if self.arbitrary else None

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        return self

    def data(self) -> dict[str, Any]:
        users = {user: list(self.positions_of(user)) for user in dict.fromkeys(self.owners)}
        return super().data() | ({"users": users} if users else {})

    @cached_property
    def cells(self) -> tuple[Cell, ...] | None:
        """The positions, where all tuples have the same.  Raises TooLarge beyond LARGEST_SHAPE."""
        if not self.sizes.exactly:
            return None
        if self.several_records and (self.sizes.n or 0) > LARGEST_SHAPE:
            raise TooLarge(
                f"{self}: {self.sizes.n:,} {self.entry}s are too many to go through; shorter ones would do"
            )
        return tuple(cell for at in self.identifiers for cell in self.at(at)) if self.several_records else ()

    @property
    def identifiers(self) -> Sequence[int]:
        """The positions of the tuples, where all have one length."""
        return range(1, (self.sizes.n or 0) + 1) if self.positions is None else self.positions

    @property
    def not_divided(self) -> str | None:
        return None if self.sizes == Size() else f"{self.kind} of any length (leave out size)"

    def renumbered(self) -> DatabaseClass:
        return replace(self, positions=None)

    @property
    def length(self) -> int | None:
        return self.sizes.n if self.sizes.exactly and not self.parameters else None

    def at_positions(self, positions: tuple[int, ...]) -> DatabaseClass:
        return replace(self, sizes=Size(len(positions), exactly=True), positions=positions)

    def cells_at(self, positions: Iterable[int]) -> frozenset[Cell] | None:
        return frozenset(cell for at in positions for cell in self.at(at)).intersection(self.cells or ())

    def at(self, position: int) -> tuple[Cell, ...]:
        """The cells of the record at a position."""
        return (position,)

    @property
    def by_record(self) -> Iterable[frozenset[Cell]] | None:
        return (frozenset(self.at(at)) for at in self.identifiers)

    @property
    def by_digits(self) -> bool:
        return type(self) in (Tuples, Streams)

    @property
    def by_owner(self) -> list[list[Cell]]:
        """For each user the cells of what they own.  Raises ValueError where that is not said."""
        if not self.owners:
            raise ValueError(f"{self} have no owners: users = {{...}} says whose the records are")
        owned: dict[str, list[Cell]] = {}
        for position in self.identifiers:
            owned.setdefault(self.owners[position - 1], []).extend(self.at(position))
        return list(owned.values())

    def positions_of(self, user: str) -> tuple[int, ...]:
        """The positions of the records that a user owns."""
        return tuple(at for at, owner in enumerate(self.owners, start=1) if owner == user)

    def shape_of(self, D: Database) -> DatabaseClass | None:
        if self.sizes.exactly:
            return self
        length = len(D) if isinstance(D, tuple) else 0
        return replace(self, sizes=Size(length, exactly=True))

    def with_room(self, steps: int, places: int = 0) -> Tuples:
        sizes = self.sizes
        if not sizes.letters or sizes.n is None:
            return self
        return replace(self, sizes=replace(sizes, n=max(sizes.n, places)))

    def largest_shape(self, n: int) -> DatabaseClass | None:
        if self.sizes.exactly:
            return self
        n = max(n, self.sizes.least)
        return replace(self, sizes=Size(n if self.sizes.n is None else min(n, self.sizes.n), exactly=True))

    def blank(self) -> Database:
        return (self.records or self.spare)[:1] * len(self.identifiers)

    def values(self, cell: Cell) -> tuple[Any, ...]:
        return (*self.records, *self.spare)

    def _index(self, position: Any) -> int:
        return int(position) - 1 if self.positions is None else self.positions.index(position)

    def value(self, D: Database, cell: Cell) -> Any:
        assert isinstance(D, tuple)
        return D[self._index(cell)]

    def differing(self, D: Database, E: Database) -> frozenset[Cell]:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        return frozenset(
            cell
            for at, a, b in zip(self.identifiers, D, E, strict=True)
            if a != b
            for cell in self.at(at)
            if self.differ(a, b, cell)
        )

    def differ(self, a: str, b: str, cell: Cell) -> bool:
        """Whether two different records at one position differ in one of its cells."""
        return True

    def put(self, D: Database, changes: Mapping[Cell, Any]) -> Database:
        assert isinstance(D, tuple)
        made = list(D)
        for cell, value in changes.items():
            made[self._index(cell)] = value
        return tuple(made)

    def with_records(self, D: Database, records: Mapping[int, str]) -> Database:
        """D with other records at some positions."""
        assert isinstance(D, tuple)
        made = list(D)
        for position, record in records.items():
            made[self._index(position)] = record
        return tuple(made)

    def __str__(self) -> str:
        length = {
            "any": f"all {self.kind} of {'any length' if self.sizes == Size() else f'length {self.sizes}'}",
            "at most": f"all {self.kind} of length {self.sizes}",
            "exactly": f"all {self.kind} of length {self.sizes.most}",
        }[self.sizes.kind]
        over = "an arbitrary record universe" if self.arbitrary else f"{{{', '.join(self.records)}}}"
        at = "" if self.positions is None else f" at the {self.entry}s {', '.join(map(str, self.positions))}"
        of = f" of {len(set(self.owners))} users" if self.owners and self.positions is None else ""
        return f"{length} over {over}{at}{of}"


@frozen(repr=False)
class Streams(Tuples):
    """Tuples over time steps: one record at each of the steps 1, 2, …, T."""

    kind = "streams"
    entry = "time step"


def owners_of(users: Mapping[str, Iterable[int]] | None) -> tuple[str, ...]:
    """Whose each position is, from the positions that each user owns.  Raises ValueError for gaps."""
    owned = [(at, str(user)) for user, positions in (users or {}).items() for at in positions]
    if sorted(at for at, _ in owned) != list(range(1, len(owned) + 1)):
        raise ValueError("every position from 1 to the length is owned by one user, and by no other one")
    return tuple(user for _, user in sorted(owned))


def tuples(
    records: Iterable[str] | None = None,
    size: str = "any",
    users: Mapping[str, Iterable[int]] | None = None,
) -> Tuples:
    """The class of all tuples of `records`: the record at position i is that of the person i (GB Ex. IV.7).

    Positions 1, 2, … are identifiers: unlike in multisets it counts whose record is which.

    records -- the record universe; None: an arbitrary one of at least two records;
    size -- the length: "any", "<= 4", "= 4", ">= 2" or "2..4", and with letters for numbers, such as "= n".
    Mechanisms that read `positions` need all of one length;
    users -- which positions belong to which user, for `user` neighbours: each to one, and size = "= n".

    Raises ValueError for a size that is none, or where users do not own every position once.

    >>> answers = tuples({"yes", "no"}, size="= 4")
    >>> str(answers), ("yes", "no", "no", "no") in answers
    ('all tuples of length 4 over {no, yes}', True)
    """
    return Tuples(names_of(records), Size.read(size), arbitrary=records is None, owners=owners_of(users))


def streams(
    records: Iterable[str] | None = None,
    size: str = "any",
    users: Mapping[str, Iterable[int]] | None = None,
) -> Streams:
    """The class of all streams: tuples over the time steps 1, 2, …, T, with one of `records` at each.

    What is said of `tuples` holds, positions being time steps; and there are `event` neighbours.

    records -- the record universe; None: an arbitrary one of at least two records;
    size -- the length T: "any", "<= n" or "= n"; users -- which time steps belong to which user, if any.

    Raises ValueError for a size that is none, or where users do not own every position once.

    >>> import dpcompose as dpc
    >>> str(dpc.positions(1, 3).image(dpc.streams({"on", "off"}, "= 3")))
    'all streams of length 2 over {off, on} at the time steps 1, 3'
    """
    return Streams(names_of(records), Size.read(size), arbitrary=records is None, owners=owners_of(users))
