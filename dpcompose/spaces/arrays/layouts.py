"""Neighbourhood graphs on the numbers 0, 1, …, whose edges are made in blocks and need not be stored.

A block is a few rows of numbers of one length, and pairs of these rows: entries at one place in the two
rows of a pair are neighbours.  Each neighbouring pair is in one block, once.  Multisets A with one of their
records x, y, … more are such rows: A and A + x are add/remove neighbours, A + x and A + y differ by one
replacement.  What is looked up for the entries of a row is looked up once for all its pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from dpcompose.kernel.expressions.keeping import frozen

Array = NDArray[Any]
RowPairs = tuple[tuple[int, int], ...]

BLOCK = 2**16
"""About how many entries a block has: it stays in a processor's cache, and takes half a megabyte."""
TABLE = 2**21
"""The most entries of a table of successors."""


@frozen(eq=False)
class Block:
    """Neighbouring pairs: the entries of rows[a] and rows[b], place by place, for each pair (a, b)."""

    rows: Array
    pairs: RowPairs


class Layout(ABC):
    """A graph on 0, …, nodes − 1, its edges in blocks; small to send to another process.

    transitive -- whether symmetries of the graph lead from every node to every other, by its definition.
    """

    transitive: ClassVar[bool] = False

    @property
    def of_multisets(self) -> MultisetLayout | None:
        """The same as one of multisets, where it is such."""
        return None

    @property
    @abstractmethod
    def nodes(self) -> int:
        """How many databases there are."""

    @property
    @abstractmethod
    def edges(self) -> int:
        """How many neighbouring pairs there are."""

    @property
    @abstractmethod
    def blocks(self) -> int:
        """How many blocks there are; may take work in proportion to it."""

    @abstractmethod
    def block(self, number: int) -> Block:
        """One block, by its number from 0."""

    @property
    def type(self) -> type[numpy.signedinteger[Any]]:
        """Integers that hold the numbers of all nodes."""
        return numpy.int32 if self.nodes < 2**31 else numpy.int64

    def all_edges(self) -> tuple[Array, Array]:
        """The two ends of each edge, in the order of the blocks.

        >>> [ends.tolist() for ends in TupleLayout(2, 2, 2).all_edges()]
        [[0, 1, 0, 2], [2, 3, 1, 3]]
        """
        ends = numpy.empty((2, self.edges), self.type)
        at = 0
        for number in range(self.blocks):
            block = self.block(number)
            width = block.rows.shape[1]
            for a, b in block.pairs:
                ends[0, at : at + width] = block.rows[a]
                ends[1, at : at + width] = block.rows[b]
                at += width
        assert at == self.edges
        return ends[0], ends[1]


def _slices(total: int, length: int) -> int:
    """Into how many slices of at most this length a total is cut."""
    return -(-total // max(1, length))


# multisets


@frozen
class MultisetLayout(Layout):
    """Multisets of at most (or exactly) `size` records of `types` types, where a record is added or replaced.

    With s_j the number of records of the last j types, the number of a multiset is Σ_j C(s_j + j − 1, j):
    smaller ones come first, those of one size in lexicographic order.  One more record of type x, the x-th
    from the end, moves the number by Σ_{j ≥ x} C(s_j + j − 1, j − 1), so no number is searched for.

    >>> MultisetLayout(2, 1, False, True, False).all_edges()[1].tolist()
    [1, 2]
    """

    types: int
    size: int
    exactly: bool
    adds: bool
    replaces: bool

    @property
    def of_multisets(self) -> MultisetLayout:
        return self

    @property
    def nodes(self) -> int:
        return self._up_to(self.size) - self._skipped

    @property
    def _skipped(self) -> int:
        """The number of smaller multisets, where these do not belong to the class."""
        return self._up_to(self.size - 1) if self.exactly else 0

    def _up_to(self, size: int) -> int:
        return comb(size + self.types, self.types) if size >= 0 else 0

    @property
    def smaller(self) -> int:
        """How many multisets have a neighbour, or two, that has one record more."""
        return self._up_to(self.size - 1) - (self._up_to(self.size - 2) if self.exactly else 0)

    @cached_property
    def _pairs(self) -> RowPairs:
        first = int(self._grows)
        records = range(first, first + self.types)
        added = tuple((0, x) for x in records) if self._grows else ()
        return added + (tuple(combinations(records, 2)) if self.replaces else ())

    @property
    def _grows(self) -> bool:
        return self.adds and not self.exactly

    @property
    def edges(self) -> int:
        number = self.types if self._grows else 0
        two = comb(self.types, 2) if self.replaces else 0
        return (number + two) * self.smaller

    @property
    def blocks(self) -> int:
        return len(_plan(self)) if self.edges else 0

    def block(self, number: int) -> Block:
        pieces = _plan(self)[number]
        first = int(self._grows)
        width = sum(stop - start for _, start, stop in pieces)
        rows = numpy.empty((first + self.types, width), self.type)
        within, table = _successors(self)
        at = 0
        for larger, start, stop in pieces:
            here = slice(at, at + stop - start)
            base, moved = -self._skipped, 0
            for j, s in enumerate(larger, start=within + 1):
                base += comb(s + j - 1, j)
            for j, s in zip(range(self.types, within, -1), reversed(larger), strict=True):
                moved += comb(s + j - 1, j - 1)
                rows[first + self.types - j, here] = numpy.arange(
                    start + base + moved, stop + base + moved, dtype=self.type
                )
            for x in range(1, within + 1):
                numpy.add(table[x - 1, start:stop], base + moved, out=rows[first + self.types - x, here])
            if first:
                rows[0, here] = numpy.arange(start + base, stop + base, dtype=self.type)
            at += stop - start
        return Block(rows, self._pairs)

    # the databases

    def number(self, counts: tuple[int, ...]) -> int:
        """The number of the multiset with so many records of each type, the first type first."""
        s = 0
        number = -self._skipped
        for j, count in enumerate(reversed(counts), start=1):
            s += count
            number += comb(s + j - 1, j)
        return number

    def counts_of(self, number: int) -> tuple[int, ...]:
        """How many records of each type the multiset of this number has."""
        left, sums = number + self._skipped, []
        for j in range(self.types, 0, -1):
            low, high = 0, self.size
            while low < high:  # the largest s with C(s + j − 1, j) ≤ left
                middle = (low + high + 1) // 2
                low, high = (middle, high) if comb(middle + j - 1, j) <= left else (low, middle - 1)
            left -= comb(low + j - 1, j)
            sums.append(low)
        return tuple(s - t for s, t in zip(sums, [*sums[1:], 0], strict=True))

    def counts(self) -> Array:
        """How many records of each type each multiset has: a row for each type, a column for each multiset.

        >>> MultisetLayout(2, 2, True, False, True).counts().tolist()
        [[2, 1, 0], [0, 1, 2]]
        """
        sums = _sums(self.types, self.size)[:, self._skipped :]
        sums[:-1] -= sums[1:]
        return sums


def _sums(types: int, size: int) -> Array:
    """For each multiset the numbers s_m ≥ … ≥ s_1 of its records of the last j types, a row for each j."""
    narrow = numpy.int16 if size < 2**15 else numpy.int32
    sums = numpy.empty((types, comb(size + types, types)), narrow)
    sums[-1, : size + 1] = numpy.arange(size + 1)
    for j in range(2, types + 1):
        # Multisets of the last j − 1 types with at most s records are the first ones, for every s; the
        # largest s comes last, and is written first, over what no smaller one needs.
        for s in range(size, -1, -1):
            start, width = comb(s + j - 1, j), comb(s + j - 1, j - 1)
            sums[types - j + 1 :, start : start + width] = sums[types - j + 1 :, :width]
            sums[types - j, start : start + width] = s
    return sums


Piece = tuple[tuple[int, ...], int, int]
"""s_j, … of the types beyond the table, smaller j first; and from which to which of the table's columns."""


@lru_cache(maxsize=4)
def _plan(layout: MultisetLayout) -> list[list[Piece]]:
    """Which of the smaller multisets are in which block."""
    within, _ = _successors(layout)
    length = max(256, BLOCK // (layout.types + 1))
    plan: list[list[Piece]] = [[]]
    filled = 0
    for larger in _larger(layout, within):
        start, stop = 0, comb((larger[0] if larger else layout.size - 1) + within, within)
        if not larger and layout.exactly:
            start = comb(layout.size - 2 + within, within) if layout.size > 1 else 0
        while start < stop:
            end = min(stop, start + length - filled)
            plan[-1].append((larger, start, end))
            filled, start = filled + end - start, end
            if filled == length:
                plan.append([])
                filled = 0
    return [pieces for pieces in plan if pieces]


def _larger(layout: MultisetLayout, within: int) -> Iterator[tuple[int, ...]]:
    """(s_j, …, s_m) for j = within + 1, in the order of the numbers."""

    def below(j: int, at_most: int) -> Iterator[tuple[int, ...]]:
        if j == within:
            yield ()
            return
        least = at_most if j == layout.types and layout.exactly else 0
        for s in range(least, at_most + 1):
            for rest in below(j - 1, s):
                yield (*rest, s)

    yield from below(layout.types, layout.size - 1)


@lru_cache(maxsize=4)
def _successors(layout: MultisetLayout) -> tuple[int, Array]:
    """(j, the numbers of A + x) for the multisets A of the last j types, x the first of these and so on.

    The last j types make a table that is small and serves every number of records of the others.
    """
    n = layout.size - 1
    within = max([1, *(j for j in range(1, layout.types + 1) if j * comb(n + j, j) <= TABLE)], default=1)
    table = numpy.empty((within, comb(n + within, within)), layout.type)
    table[0, : n + 1] = numpy.arange(1, n + 2)
    for j in range(2, within + 1):
        for s in range(n, -1, -1):  # from the largest, as in _sums
            start, width = comb(s + j - 1, j), comb(s + j - 1, j - 1)
            numpy.add(table[: j - 1, :width], start + width, out=table[: j - 1, start : start + width])
            table[j - 1, start : start + width] = numpy.arange(start + width, start + 2 * width)
    return within, table


# tuples


@frozen
class TupleLayout(Layout):
    """Tuples of `types` records, of lengths from `shortest` to `longest`, where one position changes.

    Shorter ones come first, those of one length in lexicographic order.
    """

    types: int
    shortest: int
    longest: int

    @property
    def transitive(self) -> bool:  # type: ignore[override]
        return self.shortest == self.longest

    @property
    def nodes(self) -> int:
        return self._before(self.longest + 1)

    @property
    def edges(self) -> int:
        pairs = comb(self.types, 2)
        return sum(
            n * int(self.types ** (n - 1)) * pairs for n in range(max(1, self.shortest), self.longest + 1)
        )

    def _before(self, length: int) -> int:
        """How many tuples are shorter."""
        return sum(int(self.types**n) for n in range(self.shortest, length))

    @property
    def _length(self) -> int:
        return max(256, BLOCK // self.types)

    @cached_property
    def _plan(self) -> list[tuple[int, int, int]]:
        """(length, position, first) of each block."""
        if self.types < 2:
            return []
        return [
            (n, position, first)
            for n in range(max(1, self.shortest), self.longest + 1)
            for position in range(n)
            for first in range(0, int(self.types ** (n - 1)), self._length)
        ]

    @property
    def blocks(self) -> int:
        return len(self._plan)

    def block(self, number: int) -> Block:
        n, position, first = self._plan[number]
        step = int(self.types ** (n - 1 - position))
        others = numpy.arange(first, min(first + self._length, int(self.types ** (n - 1))), dtype=self.type)
        rows = numpy.empty((self.types, len(others)), self.type)
        rows[0] = self._before(n) + (others // step) * (step * self.types) + others % step
        for record in range(1, self.types):
            numpy.add(rows[0], record * step, out=rows[record])
        return Block(rows, tuple(combinations(range(self.types), 2)))


# listed edges, and all pairs


@frozen(eq=False)
class StoredLayout(Layout):
    """A graph with its edges in two arrays of ends, each edge once."""

    count: int
    first: Array
    second: Array

    @property
    def nodes(self) -> int:
        return self.count

    @property
    def edges(self) -> int:
        return len(self.first)

    @property
    def blocks(self) -> int:
        return _slices(self.edges, BLOCK)

    def block(self, number: int) -> Block:
        here = slice(number * BLOCK, (number + 1) * BLOCK)
        return Block(numpy.stack([self.first[here], self.second[here]]), ((0, 1),))

    def all_edges(self) -> tuple[Array, Array]:
        return self.first, self.second


@frozen
class CompleteLayout(Layout):
    """Any two nodes are neighbours."""

    count: int

    transitive = True

    @property
    def nodes(self) -> int:
        return self.count

    @property
    def edges(self) -> int:
        return comb(self.count, 2)

    @property
    def _rows(self) -> int:
        return max(1, BLOCK // self.count)

    @property
    def blocks(self) -> int:
        return _slices(self.count - 1, self._rows)

    def block(self, number: int) -> Block:
        some = range(number * self._rows, min((number + 1) * self._rows, self.count - 1))
        first = numpy.concatenate([numpy.full(self.count - 1 - u, u, self.type) for u in some])
        second = numpy.concatenate([numpy.arange(u + 1, self.count, dtype=self.type) for u in some])
        return Block(numpy.stack([first, second]), ((0, 1),))
