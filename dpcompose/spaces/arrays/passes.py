"""Passes over the edges of a graph, block by block: what neighbours do to values at the nodes.

A pass takes the memory of a block and of its result.  Its parts are tasks that an executor of
`concurrent.futures` may run elsewhere, in threads, processes or on other machines; results are joined in
the order of the blocks, so they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import starmap
from typing import Any, TypeAlias

import numpy

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.arrays.layouts import Array, Block, Layout
from dpcompose.spaces.arrays.sizes import progress

PARTS = 64
"""Into how many tasks a pass is divided, where it has enough blocks."""
BLOCKS = 16
"""The fewest blocks of a task: about a million edges, gone through in some hundredths of a second."""
LARGEST_KEY_TABLE = 2**22
"""How many combinations of values are marked in a table; more are sorted."""
DIFFERENCES = 2**17
"""How many differences of values are made at once."""
FEW_NEW = 512
"""Among how many values new ones are looked for by sorting."""
Vector: TypeAlias = tuple[int, ...]
Edge: TypeAlias = tuple[int, int]


def run(
    task: Callable[..., Any], layout: Layout, arguments: Sequence[Any], executor: Executor | None, words: str
) -> Iterator[Any]:
    """task(layout, range of blocks, *arguments) for all blocks, in their order.

    executor -- where the tasks run; None: here, one after the other.  Where one fails, or the work is
    interrupted, the tasks that have not begun are cancelled.
    """
    total = layout.blocks
    width = max(BLOCKS, -(-total // PARTS))
    ranges = [range(first, min(first + width, total)) for first in range(0, total, width)]
    if executor is None:
        yield from progress(
            starmap(task, ((layout, some, *arguments) for some in ranges)), len(ranges), words
        )
        return
    tasks = [executor.submit(task, layout, some, *arguments) for some in ranges]
    try:
        yield from progress((one.result() for one in tasks), len(tasks), words)
    finally:
        for one in tasks:
            one.cancel()


# how far integers at the nodes move


def moves(layout: Layout, values: Sequence[Array], executor: Executor | None = None) -> dict[Vector, Edge]:
    """The vectors (|x_1(u) − x_1(v)|, …, |x_k(u) − x_k(v)|) over all edges, each with its first edge.

    values -- for each of x_1, …, x_k, k ≥ 1, integers with an entry for each node.

    >>> from dpcompose.spaces.arrays.layouts import TupleLayout
    >>> moves(TupleLayout(2, 2, 2), numpy.array([[0, 0, 1, 1], [0, 5, 0, 5]]))
    {(1, 0): (0, 2), (0, 5): (0, 1)}
    """
    edges: dict[Vector, Edge] = {}
    for part in run(_moves, layout, [narrowed(values)], executor, "sensitivity profile"):
        for vector, edge in part.items():
            edges.setdefault(vector, edge)
    return edges


def narrowed(values: Sequence[Array]) -> Array:
    """Integers as rows of a type that holds their differences too; the same up to a constant in each row."""
    bounds = list(map(bounds_of, values))
    width = max(most - least for least, most in bounds)
    narrow = next(one for one in (numpy.int16, numpy.int32, numpy.int64) if width <= numpy.iinfo(one).max)
    array = numpy.empty((len(values), len(values[0])), narrow)
    for row, given, (least, most) in zip(array, values, bounds, strict=True):
        fits = numpy.iinfo(narrow).min <= least and most <= numpy.iinfo(narrow).max
        row[:] = given if fits else given.astype(numpy.int64) - least
    return array


def bounds_of(row: Array) -> tuple[int, int]:
    """The least and the largest of some integers.  Raises OverflowError where these are too far apart."""
    least, most = int(row.min(initial=0)), int(row.max(initial=0))
    if most - least >= 2**62:
        raise OverflowError("values that are 2^62 and more apart are not compared; divide them")
    return least, most


def _moves(layout: Layout, blocks: range, values: Array) -> dict[Vector, Edge]:
    seen = _Seen(len(values))
    for number in blocks:
        block = layout.block(number)
        at = numpy.take(values, block.rows.astype(numpy.int64), axis=1, mode="clip")
        width = max(1, DIFFERENCES // max(1, values.shape[0] * block.rows.shape[1]))
        for start in range(0, len(block.pairs), width):
            pairs = block.pairs[start : start + width]
            firsts, seconds = (_places([pair[side] for pair in pairs]) for side in (0, 1))
            apart = numpy.subtract(at[:, firsts], at[:, seconds])
            numpy.abs(apart, out=apart)
            new = seen.add(apart.reshape(len(values), -1))
            for vector, place in new:
                pair, column = divmod(place, block.rows.shape[1])
                a, b = pairs[pair]
                seen.first[vector] = (int(block.rows[a, column]), int(block.rows[b, column]))
    return seen.first


def seen_pairs(layout: Layout, values: Array, sizes: Array) -> dict[Edge, Edge]:
    """The pairs (size of u, |x(u) − x(v)|) over all edges (u, v) of a layout, each with its first edge."""
    first: dict[Edge, Edge] = {}
    for number in range(layout.blocks):
        block = layout.block(number)
        ones, others = (block.rows[[pair[side] for pair in block.pairs]].ravel() for side in (0, 1))
        moved, codes = numpy.unique(numpy.abs(values[ones] - values[others]), return_inverse=True)
        keys, places = numpy.unique(sizes[ones] * len(moved) + codes, return_index=True)
        ends = zip(ones[places].tolist(), others[places].tolist(), strict=True)
        for key, edge in zip(keys.tolist(), ends, strict=True):
            size, code = divmod(key, len(moved))
            first.setdefault((size, int(moved[code])), edge)
    return first


def _places(numbers: list[int]) -> Any:
    """Numbers as an index; as a slice, which copies nothing, where they are one after the other."""
    if len(set(numbers)) == 1:
        return slice(numbers[0], numbers[0] + 1)
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return slice(numbers[0], numbers[-1] + 1)
    return numbers


class _Seen:
    """The vectors that came so far, as marks in a table with a side for each entry of a vector."""

    def __init__(self, k: int) -> None:
        self.first: dict[Vector, Edge] = {}
        self.sides = [1] * k
        self.table = numpy.zeros(1, bool)

    def add(self, vectors: Array) -> list[tuple[Vector, int]]:
        """The vectors (columns) that are new, each with the place of its first column."""
        self._widen([int(most) + 1 for most in vectors.max(axis=1)])
        if not len(self.table):
            _, places = numpy.unique(vectors, axis=1, return_index=True)
            places = numpy.sort(places)
            return [
                (vector, int(place))
                for vector, place in zip(map(tuple, vectors[:, places].T.tolist()), places, strict=True)
                if vector not in self.first
            ]
        keys = vectors[0].astype(numpy.int32)
        for side, entries in zip(self.sides[1:], vectors[1:], strict=True):
            keys *= side
            keys += entries.astype(numpy.int32)
        places = self._new(keys.astype(numpy.int64))
        return list(zip(map(tuple, vectors[:, places].T.tolist()), places.tolist(), strict=True))

    def _new(self, keys: Array) -> Array:
        """The first places of keys that are not marked; marks them."""
        left = numpy.flatnonzero(~numpy.take(self.table, keys, mode="clip"))
        firsts = []
        while len(left):
            some = left[:FEW_NEW]  # what is new is mostly seen among the first ones
            _, places = numpy.unique(keys[some], return_index=True)
            firsts.append(some[numpy.sort(places)])
            self.table[keys[some]] = True
            left = left[~numpy.take(self.table, keys[left], mode="clip")]
        return numpy.concatenate(firsts) if firsts else left

    def _widen(self, needed: list[int]) -> None:
        if all(n <= side for n, side in zip(needed, self.sides, strict=True)):
            return
        self.sides = [max(n, side) for n, side in zip(needed, self.sides, strict=True)]
        size = 1
        for side in self.sides:
            size *= side
        self.table = numpy.zeros(size if size <= LARGEST_KEY_TABLE else 0, bool)
        for vector in self.first if len(self.table) else ():
            key = 0
            for side, entry in zip(self.sides, vector, strict=True):
                key = key * side + entry
            self.table[key] = True


# how labels of the nodes change


@frozen(eq=False)
class Changes:
    """Edges (D, E), one for each way in which the labels of the nodes change; the smallest one of its way.

    D, E -- the ends; codes -- a row for each labelling: which change it is, −1 for none; keys -- the order.
    """

    D: Array
    E: Array
    codes: Array
    keys: Array


@frozen(eq=False)
class Order:
    """Which of two edges is smaller: by the sizes of their ends together, then by the names of these.

    sizes -- of each node; names -- the place of each node in alphabetical order.
    The larger end, and of two ends of one size the one with the earlier name, is D, the other one is E.
    """

    sizes: Array
    names: Array

    def oriented(self, array: Array, other: Array) -> tuple[Array, Array]:
        """The ends of some edges as D and E."""
        nodes = len(self.sizes)
        rank = self.sizes * nodes - self.names
        swap = rank[array] < rank[other]
        return numpy.where(swap, other, array), numpy.where(swap, array, other)

    def keys(self, D: Array, E: Array) -> Array:
        """Numbers in the order of the edges."""
        nodes = len(self.sizes)
        if 2 * int(self.sizes.max(initial=0) + 1) * nodes**2 >= 2**63:
            raise OverflowError("so many databases, of such sizes, cannot be put in order")
        return ((self.sizes[D] + self.sizes[E]) * nodes + self.names[D]) * nodes + self.names[E]


def changes(layout: Layout, labels: Array, order: Order, executor: Executor | None = None) -> Changes:
    """For each way (x_1(D) → x_1(E), …) in which neighbours change the labels, the smallest neighbours.

    labels -- numbers from 0, a row for each x_i and a column for each node.  Edges that change no label
    are one way.  What depends on the labels of two neighbours only is decided by these edges.
    """
    parts = list(run(_changes, layout, [labels, order], executor, "neighbouring pairs"))
    if not parts:
        none = numpy.zeros(0, numpy.int64)
        return Changes(none, none, numpy.zeros((len(labels), 0), numpy.int64), none)
    return _smallest(
        *(
            numpy.concatenate([getattr(part, name) for part in parts], axis=-1)
            for name in ("D", "E", "codes", "keys")
        )
    )


def _changes(layout: Layout, blocks: range, labels: Array, order: Order) -> Changes:
    parts = []
    count = int(labels.max(initial=0)) + 1
    for number in blocks:
        for one, other in _edges(layout.block(number)):
            D, E = order.oriented(one, other)
            before, after = (
                numpy.take(labels, ends, axis=1, mode="clip").astype(numpy.int64) for ends in (D, E)
            )
            codes = numpy.where(before == after, -1, before * count + after)
            parts.append(_smallest(D, E, codes, order.keys(D, E)))
    return _smallest(
        *(
            numpy.concatenate([getattr(part, name) for part in parts], axis=-1)
            for name in ("D", "E", "codes", "keys")
        )
    )


def _edges(block: Block) -> Iterator[tuple[Array, Array]]:
    for a, b in block.pairs:
        yield block.rows[a].astype(numpy.int64), block.rows[b].astype(numpy.int64)


def _smallest(D: Array, E: Array, codes: Array, keys: Array) -> Changes:
    """Of the edges with equal codes the one with the least key, in the order of the keys."""
    mixed = numpy.zeros(len(D), numpy.uint64)
    for n, row in enumerate(codes):
        mixed = (mixed ^ row.astype(numpy.uint64)) * numpy.uint64(0x9E3779B97F4A7C15 + 2 * n)
        mixed ^= mixed >> numpy.uint64(29)
    sorted_by = numpy.lexsort((keys, mixed))
    if not _runs_are_equal(codes, mixed, sorted_by):  # two different changes were mixed to one number
        sorted_by = numpy.lexsort((keys, *codes))
    ordered = codes[:, sorted_by]
    first = numpy.ones(len(D), bool)
    first[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    kept = sorted_by[first]
    kept = kept[numpy.argsort(keys[kept])]
    return Changes(D[kept], E[kept], codes[:, kept], keys[kept])


def _runs_are_equal(codes: Array, mixed: Array, order: Array) -> bool:
    same = mixed[order[1:]] == mixed[order[:-1]]
    return all(bool((row[order[1:]] == row[order[:-1]])[same].all()) for row in codes)


# the graph of labels


def quotient(
    layout: Layout, labels: Array, count: int, executor: Executor | None = None
) -> tuple[Array, Array]:
    """The edges (a, b), a < b, of the graph in which the nodes of each label are one node.

    labels -- 0, …, count − 1.

    >>> from dpcompose.spaces.arrays.layouts import TupleLayout
    >>> [ends.tolist() for ends in quotient(TupleLayout(2, 2, 2), numpy.array([0, 1, 1, 2]), 3)]
    [[0, 1], [1, 2]]
    """
    parts = run(_quotient, layout, [labels, count], executor, "neighbouring images")
    keys = numpy.zeros(0, numpy.int64)
    for part in parts:
        keys = numpy.union1d(keys, part)
    return keys // max(1, count), keys % max(1, count)


def _quotient(layout: Layout, blocks: range, labels: Array, count: int) -> Array:
    dense = count**2 <= LARGEST_KEY_TABLE
    marked = numpy.zeros(count**2 if dense else 0, bool)
    found = numpy.zeros(0, numpy.int64)
    for number in blocks:
        block = layout.block(number)
        at = numpy.take(labels, block.rows.astype(numpy.int64), mode="clip").astype(numpy.int64)
        for a, b in block.pairs:
            keys = numpy.minimum(at[a], at[b]) * count + numpy.maximum(at[a], at[b])
            if dense:
                marked[keys] = True
            else:
                found = numpy.union1d(found, keys)
    keys = numpy.flatnonzero(marked) if dense else found
    different: Array = keys[keys // count != keys % count]
    return different
