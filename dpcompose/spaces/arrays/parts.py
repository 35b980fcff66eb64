"""How far values of disjoint parts of a multiset move, from the multisets over each part alone.

A function of the records in a part changes with an edit of these records only, and to the same values
whatever the other records are.  So what an edit does is found on the multisets over the part; an edit of two
parts, a replacement, is possible where what they hold besides fits into the size together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import comb

import numpy

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.arrays.layouts import Array, MultisetLayout
from dpcompose.spaces.arrays.passes import Edge, Vector, bounds_of, seen_pairs

Counts = tuple[int, ...]


@frozen
class PartEdge:
    """An edit inside one part: the numbers of two multisets over it, with `size` records in common."""

    layout: MultisetLayout
    size: int
    moved: int
    ends: Edge

    @property
    def before(self) -> Counts:
        """How many records of each type the first one has."""
        return self.layout.counts_of(self.ends[0])

    @property
    def after(self) -> Counts:
        """How many records of each type the second one has."""
        return self.layout.counts_of(self.ends[1])


@frozen(eq=False)
class Part:
    """One part: how many types of records it has, and an integer for each multiset over it.

    values -- for the multisets of at most n records, in the order of `MultisetLayout`.
    """

    types: int
    values: Array


def moves_of_parts(layout: MultisetLayout, parts: Sequence[Part]) -> dict[Vector, list[tuple[int, PartEdge]]]:
    """The vectors of `passes.moves` for values of the parts, each with an edit of one or two parts.

    layout -- that of the whole class; records in none of the parts may come and go as well: an edit of them
    is an empty list, and what fills a database up to its size is not said.
    """
    n = layout.size
    others = layout.types - sum(part.types for part in parts)
    zero = [0] * len(parts)
    found: dict[Vector, list[tuple[int, PartEdge]]] = {}

    def vector(*moved: tuple[int, int]) -> Vector:
        entries = list(zero)
        for i, r in moved:
            entries[i] = r
        return tuple(entries)

    def fits(size: int, *which: int) -> bool:
        """Whether databases have the common records, with others to fill up where their size is fixed."""
        more = layout.types - sum(parts[i].types for i in which)
        return size == n - 1 or (size < n - 1 and (more > 0 or not layout.exactly))

    if n < 1:
        return found
    # The fewer records are common before and after, the more room there is: the smallest edits do.
    every = layout.exactly and not others and len(parts) <= 2
    grown = list(_of_parts(parts, n, True, every))
    if (layout.adds and not layout.exactly and others) or (layout.replaces and others > 1):
        found.setdefault(vector(), [])
    for i, edges in enumerate(grown):
        for edge in edges:
            if (layout.adds and not layout.exactly) or (layout.replaces and others):
                found.setdefault(vector((i, edge.moved)), [(i, edge)])
    for i, edges in enumerate(_of_parts(parts, n, False, every) if layout.replaces else ()):
        for one in edges:
            if fits(one.size, i):
                found.setdefault(vector((i, one.moved)), [(i, one)])
        for j in range(i):
            for one, two in product(grown[i], grown[j]):
                both = vector((i, one.moved), (j, two.moved))
                if both not in found and fits(one.size + two.size, i, j):
                    back = PartEdge(two.layout, two.size, two.moved, two.ends[::-1])
                    found[both] = [(i, one), (j, back)]
    return found


def _of_parts(parts: Sequence[Part], n: int, adds: bool, every: bool) -> Iterator[list[PartEdge]]:
    """The edits of each part, found once of those that have the same values."""
    known: dict[tuple[int, bytes], list[PartEdge]] = {}
    for part in parts:
        key = part.types, part.values.tobytes()
        if key not in known:
            known[key] = list(_edits(part, n, adds, every))
        yield known[key]


def _edits(part: Part, n: int, adds: bool, every: bool) -> Iterator[PartEdge]:
    """The edits of a part with the fewest common records, one a move; every -- one for each such number."""
    layout = MultisetLayout(part.types, n, False, adds, not adds)
    sizes = numpy.repeat(numpy.arange(n + 1), [comb(s + part.types - 1, s) for s in range(n + 1)])
    known = set[int]()
    bounds_of(part.values)
    for (size, moved), ends in sorted(seen_pairs(layout, part.values, sizes).items()):
        if every or moved not in known:
            known.add(moved)
            yield PartEdge(layout, size - int(not adds), moved, ends)
