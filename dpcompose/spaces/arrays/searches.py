"""Distances in a graph by breadth-first search on arrays: from one node, for all pairs, between fibres.

Where many searches are wanted, 64 run at once: each node has a word of 64 bits, one for each source, and in
one step takes over the bits of its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

import numpy

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.arrays.layouts import Array, Layout
from dpcompose.spaces.arrays.sizes import progress

UNREACHABLE = -1
"""Stands for ∞ among distances from one node."""
WORD = numpy.dtype("<u8")
"""64 bits, the first of them in the first byte."""
SOURCES = 256
"""From how many sources searches run at once: four words a node are looked up together."""
KEPT = 2**25
"""How many distances from single nodes are kept."""
NEAR = 500
"""How many nodes are looked at before a search from one node alone is tried, whose results are kept."""
SHORT_COLUMN = 256
"""Nodes of so high a degree that fewer have it are not gone through column by column."""


def neighbours(layout: Layout) -> Adjacency:
    """The neighbours of each node of a layout.

    >>> from dpcompose.spaces.arrays.layouts import CompleteLayout
    >>> neighbours(CompleteLayout(3)).ends.tolist()
    [1, 2, 0, 2, 0, 1]
    """
    return adjacency(layout.nodes, *layout.all_edges())


def adjacency(nodes: int, first: Array, second: Array) -> Adjacency:
    """The same of a graph on 0, …, nodes − 1 whose edges have these ends; each edge once."""
    shift = max(1, (nodes - 1).bit_length())
    count = len(first)
    keys = numpy.empty(2 * count, numpy.int64)
    for half, one, other in ((keys[:count], first, second), (keys[count:], second, first)):
        half[:] = one
        half <<= shift
        half |= other
    keys.sort()
    starts = numpy.searchsorted(keys, numpy.arange(nodes + 1, dtype=numpy.int64) << shift)
    keys &= (1 << shift) - 1
    return Adjacency(starts, keys.astype(numpy.int32 if nodes < 2**31 else numpy.int64))


@frozen(eq=False)
class Adjacency:
    """The neighbours of node n are ends[starts[n] : starts[n + 1]], in increasing order."""

    starts: Array
    ends: Array

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.starts) - 1

    def degrees(self) -> Array:
        """How many neighbours each node has."""
        return numpy.diff(self.starts)

    def of(self, nodes: Array) -> Array:
        """The neighbours of several nodes, one node after the other."""
        starts = self.starts[nodes]
        widths = self.starts[nodes + 1] - starts
        before = numpy.cumsum(widths)
        if not len(before) or before[-1] == 0:
            return self.ends[:0]
        places = numpy.arange(before[-1])
        places += numpy.repeat(starts - (before - widths), widths)
        return self.ends[places]

    def distances(self, *sources: int) -> Array:
        """The fewest edges from any of the sources to each node; UNREACHABLE where none lead there."""
        array = numpy.full(self.nodes, UNREACHABLE, numpy.int32)
        layer = numpy.array(sorted(set(sources)))
        array[layer] = steps = 0
        while len(layer):
            steps += 1
            reached = self.of(layer)
            reached = reached[array[reached] == UNREACHABLE]
            array[reached] = steps
            # Of a node that is reached twice one entry is kept: the one that is written last.
            if len(reached) > 1:
                self._place[reached] = numpy.arange(len(reached), dtype=numpy.int32)
                reached = reached[self._place[reached] == numpy.arange(len(reached))]
            layer = reached.astype(numpy.int64)
        return array

    def of_one(self, node: int) -> Array:
        """The neighbours of a node, in increasing order."""
        return self.ends[self.starts[node] : self.starts[node + 1]]

    def distances_kept(self, source: int) -> Array:
        """The distances from one node; of the last ones that were asked for, without a new search."""
        if source not in self._kept:
            while len(self._kept) * self.nodes > KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[source] = self.distances(source)
        return self._kept[source]

    def distance(self, u: int, v: int) -> int:
        """The fewest edges between two nodes: by searches from both, or from u where these grow large."""
        if u not in self._kept and (near := self._near(u, v)) is not None:
            return near
        return int(self.distances_kept(u)[v])

    def _near(self, u: int, v: int) -> int | None:
        """The same by searches from both, layer by layer; None where NEAR nodes are met first.

        Where the nodes that are at most a from u and at most b from v first have one in common, u and v are
        a + b apart: if they were less, they would have had one before.
        """
        seen, layers, steps = ({u}, {v}), [{u}, {v}], 0
        while u != v:
            side = 0 if len(layers[0]) <= len(layers[1]) else 1
            steps += 1
            layers[side] = set(self.of(numpy.array(sorted(layers[side]))).tolist()) - seen[side]
            if not layers[side].isdisjoint(seen[1 - side]):
                return steps
            if not layers[side]:
                return UNREACHABLE
            seen[side].update(layers[side])
            if len(seen[0]) + len(seen[1]) > NEAR:
                return None
        return 0

    @cached_property
    def _kept(self) -> dict[int, Array]:
        return {}

    @cached_property
    def _place(self) -> Array:
        return numpy.zeros(self.nodes, numpy.int32)

    def components(self) -> Array:
        """For each node the smallest one that paths lead to: nodes are connected where these are equal."""
        labels = numpy.arange(self.nodes)
        some = numpy.flatnonzero(self.degrees())
        while len(some):
            least = numpy.minimum.reduceat(labels[self.ends], self.starts[some])
            better = least < labels[some]
            if not better.any():
                break
            old = labels[some][better]
            numpy.minimum.at(labels, old, least[better])
            numpy.minimum.at(labels, some, least)
            while (jumped := labels[labels]).tobytes() != labels.tobytes():
                labels = jumped
        return labels

    @cached_property
    def columns(self) -> Columns:
        """The neighbours by column, for 64 searches at once."""
        degrees = self.degrees()
        order = numpy.argsort(-degrees, kind="stable")
        place = numpy.empty(self.nodes, numpy.int64)
        place[order] = numpy.arange(self.nodes)
        falling = degrees[order]
        columns: list[Array] = []
        for column in range(int(falling[0]) if self.nodes else 0):
            count = int(numpy.searchsorted(-falling, -column, side="left"))
            if count < SHORT_COLUMN and column:
                break
            columns.append(place[self.ends[self.starts[order[:count]] + column]])
        rest = falling - len(columns)
        heavy = order[: int((rest > 0).sum())]
        widths = rest[: len(heavy)]
        ends = [
            place[self.ends[self.starts[node] + len(columns) : self.starts[node + 1]]]
            for node in heavy.tolist()
        ]
        starts = numpy.concatenate([[0], numpy.cumsum(widths)[:-1]]) if len(heavy) else widths
        return Columns(order, place, columns, numpy.concatenate(ends) if ends else heavy, starts)


@frozen(eq=False)
class Columns:
    """A graph with its nodes in the order of falling degree; column c holds the (c+1)-th neighbours.

    order -- the nodes in that order; place -- where each node stands in it;
    columns -- each for those first nodes that have so many neighbours;
    rest, starts -- the further neighbours of the few nodes that have more.
    """

    order: Array
    place: Array
    columns: list[Array]
    rest: Array
    starts: Array

    def marked(self, sources: Array) -> Array:
        """A row of words for each node; that of the n-th source has the n-th bit."""
        words = numpy.zeros((len(self.order), -(-len(sources) // 64)), WORD)
        numbers = numpy.arange(len(sources), dtype=WORD)
        words[self.place[sources], numbers // 64] = WORD.type(1) << numbers % 64
        return words

    def spread(self, words: Array, into: Array, buffer: Array) -> None:
        """into[n] = words[n], with the bits of all neighbours of n."""
        into[:] = words
        for column in self.columns:
            count = len(column)
            numpy.take(words, column, axis=0, out=buffer[:count], mode="clip")
            numpy.bitwise_or(into[:count], buffer[:count], out=into[:count])
        if len(self.starts):
            into[: len(self.starts)] |= numpy.bitwise_or.reduceat(words[self.rest], self.starts, axis=0)

    def levels(self, words: Array) -> Iterator[Array]:
        """The bits that have arrived after 0, 1, … steps, while there are new ones; kept for one step."""
        words, into, buffer = words.copy(), numpy.empty_like(words), numpy.empty_like(words)
        while True:
            yield words
            self.spread(words, into, buffer)
            if numpy.array_equal(into, words):
                return
            words, into = into, words

    def from_sources(self, sources: Array) -> Array:
        """The distances to some sources: a row for each node, a column for each source.

        The largest value of the type stands for ∞.
        """
        words = self.marked(sources)
        # How often a bit is missing is its distance: it is counted in binary, a word for each digit.
        digits: list[Array] = []
        steps = -1
        for arrived in self.levels(words):
            steps += 1
            carry = ~arrived
            last = arrived
            for n, digit in enumerate(digits):
                digits[n], carry = digit ^ carry, digit & carry
            if carry.any():
                digits.append(carry)
        narrow = numpy.uint8 if steps < 255 else numpy.uint16
        found = numpy.zeros((len(self.order), len(sources)), narrow)
        for digit in reversed(digits):
            numpy.add(found, found, out=found)
            found |= _bits(digit, len(sources))
        if (missing := _bits(~last, len(sources))).any():
            found[missing != 0] = numpy.iinfo(narrow).max
        return found[self.place]


def _bits(words: Array, count: int) -> Array:
    """The first bits of each row of words, as a row of 0 and 1."""
    return numpy.unpackbits(
        words.view(numpy.uint8).reshape(len(words), -1), axis=1, count=count, bitorder="little"
    )


def all_pairs(graph: Adjacency) -> Array:
    """The distance of every two nodes, a byte each; the largest value of the type stands for ∞.

    >>> from dpcompose.spaces.arrays.layouts import TupleLayout
    >>> all_pairs(neighbours(TupleLayout(2, 0, 1))).tolist()
    [[0, 255, 255], [255, 0, 1], [255, 1, 0]]
    """
    nodes = graph.nodes
    array = numpy.empty((nodes, nodes), numpy.uint8)
    parts = range(0, nodes, SOURCES)
    for first in progress(parts, len(parts), "distances of all pairs"):
        here = slice(first, min(first + SOURCES, nodes))
        rows = graph.columns.from_sources(numpy.arange(here.start, here.stop))
        if rows.dtype != array.dtype:  # one of them holds distances above 254
            array, rows = _widened(array), _widened(rows)
        array[:, here] = rows
    return array


def within(graph: Adjacency, steps: int) -> Iterator[tuple[Array, Array]]:
    """The pairs (u, v), u < v, of different nodes that at most so many steps lead from one to the other."""
    parts = range(0, graph.nodes, SOURCES)
    for first in progress(parts, len(parts), "groups of neighbours"):
        sources = numpy.arange(first, min(first + SOURCES, graph.nodes))
        arrived = next(islice(graph.columns.levels(graph.columns.marked(sources)), steps, None), None)
        if arrived is None:  # everything that can be reached is, in fewer steps
            *_, arrived = graph.columns.levels(graph.columns.marked(sources))
        places, near = numpy.nonzero(_bits(arrived, len(sources)))
        others, near = graph.columns.order[places], near + first
        later = near < others
        yield near[later].astype(numpy.int32), others[later].astype(numpy.int32)


def _widened(distances: Array) -> Array:
    """The same distances in 16 bits."""
    wide = distances.astype(numpy.uint16)
    if distances.dtype == numpy.uint8:
        wide[distances == 255] = 2**16 - 1
    return wide


def diameter(graph: Adjacency) -> int:
    """The largest distance of two nodes; UNREACHABLE where two are not connected, 0 for one node or none.

    Between a lower bound from searches and the upper bound 2·(d − 1) for nodes nearer than d to a middle
    node, searches from the nodes farthest from the middle first; 64 at once where the bounds stay apart.
    """
    if graph.nodes < 2:
        return 0
    first = graph.distances(int(graph.degrees().argmax()))
    if first.min() == UNREACHABLE:
        return UNREACHABLE
    one = graph.distances(int(first.argmax()))
    other_end = int(one.argmax())
    least = int(one.max())
    two = graph.distances(other_end)
    middle = int(numpy.flatnonzero((one + two == least) & (one == least // 2))[0])
    from_middle = graph.distances(middle)
    order = numpy.argsort(-from_middle, kind="stable")
    falling = from_middle[order]
    at, searches = 0, 0
    while at < len(order) and least < 2 * int(falling[at]):
        # Two nodes at most d from the middle are at most 2d apart: others matter while 2d > least.
        if searches < FEW_SEARCHES:
            farthest, width = int(graph.distances(int(order[at])).max()), 1
        else:
            width = min(64, len(order) - at)
            marked = graph.columns.marked(order[at : at + width])
            farthest = sum(1 for _ in graph.columns.levels(marked)) - 1
        least, at, searches = max(least, farthest), at + width, searches + 1
    return least


FEW_SEARCHES = 8
"""After how many searches one by one 64 are made at once."""


def between_fibres(graph: Adjacency, labels: Array, count: int) -> Array:
    """d^f(a, b), the least distance of a node labelled a and one labelled b, for all labels 0, …, count − 1.

    UNREACHABLE stands for ∞.  One bit a fibre: when a bit first arrives at a node of another fibre, that is
    how far they are apart.
    """
    array = numpy.full((count, count), UNREACHABLE, numpy.int32)
    columns = graph.columns
    there = labels[columns.order]
    by_label = numpy.argsort(there, kind="stable")
    sizes = numpy.bincount(labels, minlength=count)
    starts = numpy.cumsum(sizes) - sizes
    parts = range(0, count, SOURCES)
    for first in progress(parts, len(parts), "distances of fibres"):
        width = min(SOURCES, count - first)
        start = numpy.zeros((graph.nodes, -(-width // 64)), WORD)
        inside = numpy.flatnonzero((there >= first) & (there < first + width))
        bits = (there[inside] - first).astype(WORD)
        start[inside, bits // 64] = WORD.type(1) << bits % 64
        seen = numpy.zeros((count, width), bool)
        for steps, arrived in enumerate(columns.levels(start)):
            here = numpy.bitwise_or.reduceat(numpy.take(arrived, by_label, axis=0, mode="clip"), starts)
            new = _bits(here, width).astype(bool) & ~seen
            array[:, first : first + width][new] = steps
            seen |= new
            if seen.all():
                break
    return array
