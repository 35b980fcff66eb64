"""Granularities by blocks of cells: neighbours differ, in any way, within one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import in_series
from dpcompose.spaces.classes.databases import Cell, Database, DatabaseClass
from dpcompose.spaces.moves.blocks import Blocks, one_block_away
from dpcompose.spaces.moves.granularities import Granularity, Meaning


@frozen(repr=False)
class Changes(Granularity):
    """Neighbours differ, in any way, in cells of one block: one edge, one user, one window of time steps.

    kinds -- for each kind of class that it is about: the blocks of a product of this kind;
    reach -- in how many positions a block lies at most, where that has a limit;
    lacks -- why a class of such a kind has no such blocks, if it has none;
    written -- what a problem file calls it, where that is not its name.

    >>> from dpcompose.spaces.classes.tuples import streams
    >>> twins = w_event(2)
    >>> T = streams({"on", "off"}, "= 3")
    >>> twins.relates(("on", "on", "on"), ("off", "off", "on"), T)
    True
    >>> twins.relates(("on", "on", "on"), ("off", "on", "off"), T)
    False
    """

    by_asking = False
    by_cells = True

    name: str
    kinds: Mapping[str, Callable[[Any], Iterable[Iterable[Cell]]]] = field(repr=False, compare=False)
    means: Meaning = field(default=Meaning(), repr=False, compare=False)
    reach: int | None = None
    lacks: Callable[[Any], str | None] | None = field(default=None, repr=False, compare=False)
    written: str | tuple[tuple[str, int], ...] = ""

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        if shape.kind not in self.kinds or shape.cells is None:
            return None
        return _blocks(self, shape)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError(f"{self.name} neighbours are those of a class: ask relates(D, E, databases)")

    def reaches(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        return False

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        shape = databases.shape_of(D)
        blocks = None if shape is None else self.blocks(shape)
        return iter(()) if shape is None or blocks is None else one_block_away(shape, blocks, D)

    def unfit(self, databases: DatabaseClass) -> str | None:
        if databases.kind in self.kinds:
            return None if self.lacks is None else self.lacks(databases)
        kinds = in_series(list(self.kinds))
        if databases.is_listed:
            return f"the granularity {self.name} is about {kinds}; a listed class has none"
        return f"the granularity {self.name} has no meaning on {databases.kind}: it is about {kinds}"

    def data(self) -> str | dict[str, Any]:
        return self.name if isinstance(self.written, str) else dict(self.written)

    def is_known(self, named: Mapping[str, Granularity]) -> bool:
        return super().is_known(named) or bool(self.written)


@lru_cache(maxsize=4)
def _blocks(granularity: Changes, shape: DatabaseClass) -> Blocks:
    """The blocks of a product, which many questions ask for."""
    cells = shape.cells
    assert cells is not None
    words = f"{granularity.name} neighbours of {shape}"
    return Blocks.of(granularity.kinds[shape.kind](shape), len(cells), words).within(cells)


LARGEST_WINDOW = 1_000
"""The most time steps of a window."""


def w_event(w: int) -> Changes:
    """The granularity of streams that differ, arbitrarily, within w consecutive time steps.

    w -- the length of the window, a whole number from 1; 1 is the same as event.  On what is kept of a
    stream windows are those of the original time steps.  The canonical metric is the fewest windows that
    hold all the time steps at which two streams differ; oo for different lengths.

    `compose` raises InvalidSetting on a class where it has no meaning.  Raises ValueError for windows below
    1.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.streams("ab", "= 6"), dpc.w_event(3))
    >>> d(tuple("aaaaaa"), tuple("babaaa")), d(tuple("aaaaaa"), tuple("baabab"))
    (1, 2)
    """
    if type(w) is not int or not 1 <= w <= LARGEST_WINDOW:
        raise ValueError(f"a window has 1 to {LARGEST_WINDOW:,} time steps, not {w!r}")

    def windows(streams: Any) -> Iterator[list[Cell]]:
        steps = list(streams.identifiers)
        end = 0
        for start, first in enumerate(steps):  # a window that starts between two kept steps holds no more
            while end < len(steps) and steps[end] < first + w:
                end += 1
            yield steps[start:end]

    return Changes(
        f"{w}-event", {"streams": windows}, Meaning(more=w_event.__doc__ or ""), w, written=(("w-event", w),)
    )
