"""All subsets of a few things by a formula, such as graphs on given vertices."""

from __future__ import annotations

from functools import cached_property
from math import comb

import numpy

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.arrays.layouts import BLOCK, Array, Block, Layout


@frozen
class SubsetLayout(Layout):
    """All subsets of `bits` things, as bit masks, where an edit changes which things of one span belong.

    spans -- masks: an edit of a span puts in and takes out any of its things.  Labelled graphs are sets of
    edges; see `edge_changes` and `rewirings`.  The distance of two subsets is that of their difference from
    the empty one, as taking the difference with a third subset keeps neighbours.

    >>> SubsetLayout(2, (1, 2)).all_edges()[1].tolist()
    [1, 3, 2, 3]
    """

    bits: int
    spans: tuple[int, ...]

    transitive = True

    @property
    def nodes(self) -> int:
        return int(2**self.bits)

    @property
    def edges(self) -> int:
        return len(self._changes) * self.nodes // 2

    @cached_property
    def _changes(self) -> tuple[int, ...]:
        """The masks of single edits."""
        numbers: set[int] = set()
        for span in self.spans:
            number = span
            while number:
                numbers.add(number)
                number = (number - 1) & span
        return tuple(sorted(numbers))

    @cached_property
    def _plan(self) -> list[tuple[int, tuple[int, ...], int, int]]:
        """(highest thing that changes, changes, first, length) of each block."""
        plan = []
        for top in range(self.bits):
            changes = tuple(change for change in self._changes if change.bit_length() == top + 1)
            if changes:
                length = max(256, BLOCK // (len(changes) + 1))
                plan += [(top, changes, first, length) for first in range(0, self.nodes // 2, length)]
        return plan

    @property
    def blocks(self) -> int:
        return len(self._plan)

    def block(self, number: int) -> Block:
        top, changes, first, length = self._plan[number]
        others = numpy.arange(first, min(first + length, self.nodes // 2), dtype=self.type)
        rows = numpy.empty((len(changes) + 1, len(others)), self.type)
        rows[0] = ((others >> top) << (top + 1)) | (others & ((1 << top) - 1))
        for n, change in enumerate(changes, start=1):
            numpy.bitwise_xor(rows[0], change, out=rows[n])
        return Block(rows, tuple((0, n) for n in range(1, len(changes) + 1)))

    def distances_from(self, node: int) -> Array:
        array: Array = self.distances_from_the_empty_one()[numpy.arange(self.nodes) ^ node]
        return array

    def distances_from_the_empty_one(self) -> Array:
        """The fewest edits to each subset, −1 where none lead there, by one search in all.

        An edit of a span reaches everything that agrees outside of it: layer by layer, what is reached is
        spread along the things of each span.
        """
        reached = numpy.zeros(self.nodes, bool)
        reached[0] = True
        distances = numpy.full(self.nodes, -1, numpy.int8)
        distances[0] = steps = 0
        while True:
            further = reached.copy()
            for span in self.spans:
                spread = reached.copy()
                for bit in range(self.bits):
                    if span >> bit & 1:
                        halves = spread.reshape(-1, 2, 2**bit)
                        either = halves[:, 0] | halves[:, 1]
                        halves[:, 0] = halves[:, 1] = either
                further |= spread
            new = further & ~reached
            if not new.any():
                return distances
            steps += 1
            distances[new] = steps
            reached = further


def _edge(i: int, j: int) -> int:
    """The bit of the edge of two vertices, i < j: edges are counted by their larger vertex."""
    return 1 << (j * (j - 1) // 2 + i)


def edge_changes(vertices: int) -> SubsetLayout:
    """All graphs on numbered vertices, where one edge is added or removed.

    A graph is the sum of the bits j(j−1)/2 + i of its edges {i, j}, i < j from 0.

    >>> edge_changes(3).edges
    12
    """
    bits = comb(vertices, 2)
    return SubsetLayout(bits, tuple(1 << bit for bit in range(bits)))


def rewirings(vertices: int) -> SubsetLayout:
    """All graphs on numbered vertices, where the edges of one vertex change at will (node neighbours).

    >>> int(rewirings(4).distances_from_the_empty_one().max())
    3
    """
    stars = [sum(_edge(min(i, j), max(i, j)) for i in range(vertices) if i != j) for j in range(vertices)]
    return SubsetLayout(comb(vertices, 2), tuple(star for star in stars if star))
