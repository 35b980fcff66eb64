"""The databases of a finite class as 0, 1, …, in the order in which the class lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge, refuse_if_large
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.tuples import Tuples
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:
    from dpcompose.spaces.arrays.layouts import Array


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

    def restricted(self, f: Map) -> tuple[Array, Sequence[Database]] | None:
        """What a restriction to records reads of each database, as places in a list of the values, and that
        list, where no call for each database is needed."""
        return None


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
        number: int = self.layout.number(tuple(D.count(record) for record in self.databases.records))
        return number

    def database(self, number: int) -> Database:
        if "elements" in vars(self):
            return self.elements[number]
        counts = self.layout.counts_of(number)
        return tuple(
            record for record, times in zip(self.databases.records, counts, strict=True) for _ in range(times)
        )

    def restricted(self, f: Map) -> tuple[Array, Sequence[Database]] | None:
        import numpy

        kept = [n for n, record in enumerate(self.databases.records) if record in f.inside]
        of_each = self.layout.counts()[kept]
        size = self.databases.sizes.n or 0
        numbers, total = numpy.zeros(self.nodes, numpy.int64), numpy.zeros(self.nodes, numpy.int64)
        if comb(size + len(kept), len(kept)) >= 2**62:
            raise TooLarge(f"the values of {f!r} are too many to number")
        for j, counts in enumerate(reversed(of_each), start=1):
            total += counts
            numbers += numpy.array([comb(s + j - 1, j) for s in range(size + 1)])[total]
        _, first, labels = numpy.unique(numbers, return_index=True, return_inverse=True)
        return labels.reshape(-1), tuple(f(self.database(n)) for n in first.tolist())


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
        number = 0
        for record in D:
            number = number * base + self.databases.records.index(record)
        return number + sum(int(base**n) for n in range(self._shortest, len(D)))

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


LARGEST_NUMBERED = 10**10
"""The most databases that have numbers by a formula; `estimate` says what can be asked about them."""


def numbered(databases: DatabaseClass) -> Numbering:
    """The databases of a class by number.  Raises TooLarge where it is infinite, or too large to list."""
    if not (databases.by_counts or databases.by_digits) or databases.sizes.least:
        refuse_if_large(databases)
        return Numbering(databases)
    refuse_if_large(databases, LARGEST_NUMBERED)
    return (CountedMultisets if databases.by_counts else DigitsOfTuples)(databases)
