"""Which records may take the place of which others: all, those of groups, by attributes, within a distance.

Each is a graph on the records of a class, said in few words.  `alike` gathers records that it does not tell
apart, so that a class with many records is decided by few.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement, islice
from math import lcm
from typing import Any, ClassVar

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import near
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.lines import NUMBER
from dpcompose.spaces.inputs.parts import Part

EVERY = "all"
Placed = Mapping[str, tuple[frozenset[str], ...]]
"""The records of the parts of partitions, by the names of these."""
Copies = Mapping[str, Iterable[str]]
"""For each record with a name its copies, one for each way to lie among the parts."""
Pair = tuple[int, int]


@frozen
class Change:
    """Some attributes of a record change at once: by at most a length; None: to anything."""

    attributes: frozenset[str]
    length: Fraction | None


class Replacement(ABC):
    """A graph on records: x may become y."""

    complete = False
    """Whether any two records are joined, whichever there are."""

    @abstractmethod
    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        """Whether two different records of a class may take each other's place."""

    @abstractmethod
    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        """Records of which this is equal have the same edges, and all or none of them are joined."""

    def joined(self, atoms: Sequence[Sequence[str]], databases: DatabaseClass | None) -> set[Pair]:
        """Which atoms, records that are alike, are joined: pairs of numbers, the smaller one first."""
        return {
            (n, m)
            for (n, records), (m, others) in combinations_with_replacement(enumerate(atoms), 2)
            if records[0] != others[-1] and self.joins(records[0], others[-1], databases)
        }

    @abstractmethod
    def data(self) -> object:
        """As `replace` of a problem file says it."""

    @property
    def names(self) -> frozenset[str]:
        """The records that are named."""
        return frozenset()

    @property
    def partial(self) -> bool:
        """Whether it joins some records, and not all."""
        return True

    any_values: ClassVar[bool] = False
    """Whether a record that takes another's place may have any values of attributes that are asked for."""

    def told(self, names: Collection[str]) -> Collection[str]:
        """The attributes, of these, whose values matter otherwise than by whether they are equal."""
        return ()

    def changes(self, names: frozenset[str]) -> list[Change]:
        """The sets of attributes, of those with some names, that may change at once."""
        return [Change(names, None)]

    @property
    def divisions(self) -> tuple[Part, ...]:
        """The partitions with a symbolic number of parts of which it speaks."""
        return ()

    def placed(self, partitions: Placed, copies: Copies, databases: DatabaseClass) -> Replacement:
        """The same where it is known which sets of records are the parts, and copies stand for records of a
        class."""
        return self

    def unfit(self, databases: DatabaseClass) -> str | None:
        """Why it says nothing of the records of a class, in words; None where it does."""
        return None


@frozen
class Every(Replacement):
    """Any two records are joined."""

    complete = True
    any_values = True
    partial = False

    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        return True

    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        return None

    def data(self) -> object:
        return EVERY


@frozen
class Groups(Replacement):
    """Two records of one group are joined.

    >>> county = Groups(frozenset({frozenset({"a1", "a2"}), frozenset({"b1", "b2"})}))
    >>> county.joins("a1", "a2", None), county.joins("a1", "b1", None)
    (True, False)
    """

    groups: frozenset[frozenset[str]]

    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        return not self._holding(x).isdisjoint(self._holding(y))

    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        return self._holding(x)

    def joined(self, atoms: Sequence[Sequence[str]], databases: DatabaseClass | None) -> set[Pair]:
        """By going through the groups, and not through all pairs."""
        members: dict[int, list[int]] = {}
        for n, records in enumerate(atoms):
            for group in self._holding(records[0]):
                members.setdefault(group, []).append(n)
        pairs = {pair for some in members.values() for pair in combinations_with_replacement(some, 2)}
        return {(n, m) for n, m in pairs if n != m or len(atoms[n]) > 1}

    def _holding(self, x: str) -> frozenset[int]:
        """The numbers of the groups that a record is in."""
        return self._by_record.get(x, frozenset())

    @cached_property
    def _by_record(self) -> Mapping[str, frozenset[int]]:
        groups: dict[str, set[int]] = {}
        for n, group in enumerate(self.groups):
            for x in group:
                groups.setdefault(x, set()).add(n)
        return {x: frozenset(numbers) for x, numbers in groups.items()}

    def placed(self, partitions: Placed, copies: Copies, databases: DatabaseClass) -> Replacement:
        return Groups(frozenset(copied(group, copies) for group in self.groups))

    def data(self) -> object:
        return {"within": sorted(map(sorted, self.groups))}

    @property
    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*self.groups)

    def told(self, names: Collection[str]) -> Collection[str]:
        return names if self.groups else ()

    def changes(self, names: frozenset[str]) -> list[Change]:
        return super().changes(names) if self.groups else []

    @property
    def partial(self) -> bool:
        return bool(self.groups)


Blocks = list[frozenset[str]]
"""Sets of attributes, of which all of one may change at once."""
BLOCKS: Mapping[str, Callable[[frozenset[str], frozenset[str]], Blocks]] = {
    "changes": lambda named, every: [named & every],
    "keeps": lambda named, every: [every - named],
    "one-of": lambda named, every: [frozenset({attribute}) for attribute in sorted(named & every)],
}
"""What the words of problem files say of the attributes that they name, among those that records have."""


@frozen
class OfAttributes(Replacement):
    """Two records are joined that are equal but for the attributes of one block.

    word, named -- "changes": these may change, together; "keeps": all others may; "one-of": one of these may;
    None for all attributes.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> people = multisets(attributes={"age": ["young", "old"], "sick": ["no", "yes"]})
    >>> label = OfAttributes("changes", ("sick",))
    >>> label.joins("(young, no)", "(young, yes)", people), label.joins("(young, no)", "(old, no)", people)
    (True, False)
    """

    word: str
    named: tuple[str, ...] | None

    def blocks(self, databases: DatabaseClass, x: str) -> Blocks:
        """The sets of attributes of which all may change at once, on what records of a class have."""
        return self._blocks(frozenset(databases.values_of(x)))

    def _blocks(self, every: frozenset[str]) -> Blocks:
        return BLOCKS[self.word](every if self.named is None else frozenset(self.named), every)

    def changes(self, names: frozenset[str]) -> list[Change]:
        return [Change(block, None) for block in self._blocks(names)]

    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        if databases is None:
            raise TypeError("what attributes a record has is known of a class: ask relates(D, E, databases)")
        of_x, of_y = databases.values_of(x), databases.values_of(y)
        if not of_x:
            raise TypeError(f"{x!r} has no attributes, and which records are equal in these is not known")
        changed = {name for name, value in of_x.items() if of_y[name] != value}
        return any(changed <= block for block in self.blocks(databases, x))

    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        blocks = self.blocks(databases, x)
        stays = blocks[0] if len(blocks) == 1 else frozenset[str]()
        return tuple(value for name, value in databases.values_of(x).items() if name not in stays)

    def placed(self, partitions: Placed, copies: Copies, databases: DatabaseClass) -> Replacement:
        return OfCopies.of(self, copies, databases)

    def data(self) -> object:
        return {self.word: EVERY if self.named is None else list(self.named)}

    def unfit(self, databases: DatabaseClass) -> str | None:
        return _no_attributes(databases, self.named or ())


@frozen
class Near(Replacement):
    """Two records are joined that are at most so far apart, and equal but for their coordinates.

    norm -- "L1", "L2" or "max"; of -- the attributes that are coordinates; None: all, or what records are by
    their names: numbers such as 3 and 1/2, or points such as (0, 1).

    >>> Near(Fraction(1), "L1", None).joins("(0, 1)", "(1, 1)", None)
    True
    """

    distance: Fraction
    norm: str
    of: tuple[str, ...] | None

    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        rest_x, a = self._told(x, databases)
        rest_y, b = self._told(y, databases)
        moves = [abs(s - t) for s, t in zip(a, b, strict=True)]
        return rest_x == rest_y and NORMS[self.norm](moves, self.distance)

    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        return x

    def joined(self, atoms: Sequence[Sequence[str]], databases: DatabaseClass | None) -> set[Pair]:
        """By sweeping along the first coordinate: each record is an atom.  Parts of one whole are counted."""
        places = [self._told(x, databases) for (x,) in atoms]
        parts = lcm(self.distance.denominator, *(c.denominator for _, at in places for c in at))
        distance = int(self.distance * parts)
        rows: dict[tuple[str, ...], list[tuple[tuple[int, ...], int]]] = {}
        for n, (rest, at) in enumerate(places):
            rows.setdefault(tuple(rest), []).append((tuple(int(c * parts) for c in at), n))
        pairs: set[Pair] = set()
        for row in map(sorted, rows.values()):
            for k, (a, n) in enumerate(row):
                for b, m in islice(row, k + 1, None):
                    if b[0] - a[0] > distance:
                        break
                    if NORMS[self.norm]([abs(s - t) for s, t in zip(a, b, strict=True)], distance):
                        pairs.add((min(n, m), max(n, m)))
        return pairs

    def _told(self, x: str, databases: DatabaseClass | None) -> tuple[list[str], tuple[Fraction, ...]]:
        """What must stay of a record, and its coordinates."""
        values = {} if databases is None else databases.values_of(x)
        if not values:
            return [], point(x)
        own = values if self.of is None else self.of
        rest = [value for name, value in values.items() if name not in own]
        return rest, tuple(c for name, value in values.items() if name in own for c in point(value))

    def placed(self, partitions: Placed, copies: Copies, databases: DatabaseClass) -> Replacement:
        return OfCopies.of(self, copies, databases)

    def data(self) -> object:
        data: dict[str, Any] = {"within-distance": str(self.distance), "norm": self.norm}
        return data | ({} if self.of is None else {"of": list(self.of)})

    def told(self, names: Collection[str]) -> Collection[str]:
        return names if self.of is None else self.of

    def changes(self, names: frozenset[str]) -> list[Change]:
        return [Change(frozenset(self.told(names)) & names, self.distance)]

    def unfit(self, databases: DatabaseClass) -> str | None:
        """Only listed records have coordinates, as many each."""
        if self.of is not None and (why := _no_attributes(databases, self.of)):
            return why
        records = databases.records
        if not records or databases.arbitrary:
            return 'distances are those of listed records: records = ["0", "1"] or ["(0, 1)", "(1, 1)"]'
        try:
            many = {len(self._told(x, databases)[1]) for x in records}
        except ValueError as error:
            return str(error)
        return None if len(many) == 1 else "records have numbers of coordinates that differ"


@frozen
class OfCopies(Replacement):
    """Copies of two records are joined where these are, and any two of one record.

    copies -- each with the record that it is one of.
    """

    replacement: Replacement
    databases: DatabaseClass
    copies: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, replacement: Replacement, copies: Copies, databases: DatabaseClass) -> Replacement:
        """The same on copies of records of a class, where there are some."""
        original = tuple((copy, record) for record, names in copies.items() for copy in names)
        return cls(replacement, databases, original) if original else replacement

    @cached_property
    def _original(self) -> Mapping[str, str]:
        return dict(self.copies)

    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        both = self._original[x], self._original[y]
        return both[0] == both[1] or self.replacement.joins(*both, self.databases)

    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        return x

    def data(self) -> object:
        raise ValueError("a policy on copies of records has no words of its own")


NORMS: Mapping[str, Callable[[Sequence[Fraction | int], Fraction | int], bool]] = {
    "L1": lambda moves, most: sum(moves) <= most,
    "L2": lambda moves, most: sum(move * move for move in moves) <= most * most,
    "max": lambda moves, most: max(moves, default=Fraction(0)) <= most,
}
"""Whether a move by so much in each coordinate is at most so long."""


@frozen
class Either(Replacement):
    """The edges of both."""

    one: Replacement
    other: Replacement

    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        return self.one.joins(x, y, databases) or self.other.joins(x, y, databases)

    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        return self.one.alike(x, databases), self.other.alike(x, databases)

    def joined(self, atoms: Sequence[Sequence[str]], databases: DatabaseClass | None) -> set[Pair]:
        return self.one.joined(atoms, databases) | self.other.joined(atoms, databases)

    def data(self) -> object:
        raise ValueError("a union of policies has no words of its own")

    @property
    def names(self) -> frozenset[str]:
        return self.one.names | self.other.names

    @property
    def partial(self) -> bool:
        return self.one.partial or self.other.partial

    def told(self, names: Collection[str]) -> Collection[str]:
        return {*self.one.told(names), *self.other.told(names)}

    def changes(self, names: frozenset[str]) -> list[Change]:
        return self.one.changes(names) + self.other.changes(names)

    @property
    def divisions(self) -> tuple[Part, ...]:
        return self.one.divisions + self.other.divisions

    def placed(self, partitions: Placed, copies: Copies, databases: DatabaseClass) -> Replacement:
        about = (partitions, copies, databases)
        return together(self.one.placed(*about), self.other.placed(*about))


def together(replacement: Replacement, other: Replacement) -> Replacement:
    """The edges of both, as plainly as can be.

    >>> together(Every(), Groups(frozenset()))
    Every()
    """
    for side in (replacement, other):
        if isinstance(side, Every):
            return side
    if type(replacement) is type(other) is Groups:
        return Groups(replacement.groups | other.groups)
    return Either(replacement, other)


def copied(records: Iterable[str], copies: Copies) -> frozenset[str]:
    """Records with all their copies in their place."""
    return frozenset(copy for record in records for copy in copies.get(record, (record,)))


_NUMBER = rf"\s*{NUMBER}\s*"


@cache
def point(text: str) -> tuple[Fraction, ...]:
    """The coordinates that a text is: a number, or several in brackets.  Raises ValueError.

    >>> point("1/2"), point("(0, -1.5)")
    ((Fraction(1, 2),), (Fraction(0, 1), Fraction(-3, 2)))
    """
    if not re.fullmatch(rf"{_NUMBER}|\({_NUMBER}(?:,{_NUMBER})*\)", text):
        raise ValueError(f"{text!r} is no number, and no point: 3, 1/2 and (0, 1) are")
    return tuple(Fraction(entry.strip()) for entry in text.strip("( )").split(","))


def _no_attributes(databases: DatabaseClass, named: Iterable[str]) -> str | None:
    """Why some attributes are none of a class's records; None where all are."""
    records = databases.records
    known = databases.values_of(next(iter(records))) if records else {}
    if not known:
        return 'records have no attributes here: attributes = { age = ["young", "old"] } makes them'
    for name in named:
        if name not in known:
            return f"there is no attribute {name!r}{near(name, known)}"
    return None
