"""The databases of a finite class as 0, 1, …, in the order in which the class lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from dpcompose.spaces.databases import Database, DatabaseClass, refuse_if_large
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.records import OfRecords
from dpcompose.spaces.tuples import Streams, Tuples


class Numbering:
    """The databases of a finite class as 0, 1, …, in the order in which the class lists them."""

    def __init__(self, databases: DatabaseClass, elements: Sequence[Database] | None = None) -> None:
        self.databases = databases
        if elements is not None:
            vars(self)["elements"] = elements

    @cached_property
    def elements(self) -> Sequence[Database]:
        """All databases, in order."""
        return tuple(self.databases.databases())

    @cached_property
    def _numbers(self) -> Mapping[Database, int]:
        return {D: n for n, D in enumerate(self.elements)}

    def number(self, D: Database) -> int:
        """The number of a database.  Raises ValueError where it is none of the class."""
        try:
            return self._numbers[D]
        except KeyError:
            raise ValueError(f"{D!r} is no database of {self.databases}") from None

    def database(self, number: int) -> Database:
        """The database with a number."""
        return self.elements[number]

    @property
    def nodes(self) -> int:
        """How many databases there are."""
        count = len(self.elements) if "elements" in vars(self) else self.databases.count()
        assert count is not None
        return count


class CountedMultisets(Numbering):
    """Multisets are counted, not looked up: see `MultisetLayout`."""

    databases: Multisets

    @cached_property
    def layout(self) -> Any:
        from dpcompose.spaces.arrays.layouts import MultisetLayout

        sizes = self.databases.sizes
        return MultisetLayout(len(self.databases.records), sizes.n or 0, sizes.exactly, True, True)

    def number(self, D: Database) -> int:
        if D not in self.databases or not isinstance(D, tuple):
            raise ValueError(f"{D!r} is no database of {self.databases}")
        found: int = self.layout.number(tuple(D.count(record) for record in self.databases.records))
        return found

    def database(self, number: int) -> Database:
        if "elements" in vars(self):
            return self.elements[number]
        counts = self.layout.counts_of(number)
        return tuple(
            record for record, times in zip(self.databases.records, counts, strict=True) for _ in range(times)
        )


class DigitsOfTuples(Numbering):
    """Tuples are read as numbers with a digit for each position, after all shorter ones."""

    databases: Tuples

    @property
    def _shortest(self) -> int:
        sizes = self.databases.sizes
        return (sizes.n or 0) if sizes.exactly else 0

    def number(self, D: Database) -> int:
        if D not in self.databases or not isinstance(D, tuple):
            raise ValueError(f"{D!r} is no database of {self.databases}")
        base = len(self.databases.records)
        found = 0
        for record in D:
            found = found * base + self.databases.records.index(record)
        return found + sum(int(base**n) for n in range(self._shortest, len(D)))

    def database(self, number: int) -> Database:
        records, length = self.databases.records, self._shortest
        while number >= len(records) ** length:
            number -= int(len(records) ** length)
            length += 1
        digits = []
        for _ in range(length):
            number, digit = divmod(number, len(records))
            digits.append(records[digit])
        return tuple(reversed(digits))


NUMBERINGS: Mapping[type[DatabaseClass], type[Numbering]] = MappingProxyType(
    {Multisets: CountedMultisets, Tuples: DigitsOfTuples, Streams: DigitsOfTuples}
)
"""Classes, without their subclasses, whose databases are numbered by a formula."""
LARGEST_NUMBERED = 10**10
"""The most databases that have numbers by a formula; `estimate` says what can be asked about them."""


def numbered(databases: DatabaseClass) -> Numbering:
    """The databases of a class by number.  Raises TooLarge where it is infinite, or too large to list."""
    from_some_size_on = isinstance(databases, OfRecords) and databases.sizes.least > 0
    numbering = Numbering if from_some_size_on else NUMBERINGS.get(type(databases), Numbering)
    refuse_if_large(databases, None if numbering is Numbering else LARGEST_NUMBERED)
    return numbering(databases)
