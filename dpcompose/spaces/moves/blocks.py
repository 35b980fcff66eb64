"""Relations by blocks of cells: what edges, nodes, attributes, users and windows have in common.

In a class of databases that are made of cells (positions, pairs of vertices, attributes of records) a
block is a set of cells, and D and E are neighbours where all cells in which they differ lie in one block.
The canonical metric is the fewest blocks that cover the cells in which D and E differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import comb, isqrt

from dpcompose.kernel.covers.blocks import (
    Block,
    TooManyBlocks,
    by_cell,
    fewest_blocks,
    largest_unions,
    maximal,
)
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Cell, Database, DatabaseClass, TooLarge

LARGEST_SETS = 2_000_000
"""The most cells that all blocks of a relation have together."""


@frozen
class Blocks:
    """D and E are neighbours where they differ, and `most` of the blocks cover the cells where they do.

    sets -- the blocks, sets of cells that cover the whole database;
    most -- how many of them a neighbour may change: m for groups of m steps.

    >>> windows = Blocks(frozenset({frozenset({1, 2}), frozenset({2, 3}), frozenset({3, 4})}))
    >>> windows.fewest({1, 4}), windows.fewest({2, 3}), windows.fewest(())
    (2, 1, 0)
    """

    sets: frozenset[frozenset[Cell]]
    most: int = 1

    def within(self, kept: Iterable[Cell]) -> Blocks:
        """The relation on what is kept of the databases: the blocks with the kept cells only."""
        inside = frozenset(kept)
        touched = {block for cell in inside for block in self._at.get(cell, ())}
        return Blocks(frozenset(block & inside for block in touched), self.most)

    @cached_property
    def _at(self) -> Mapping[Cell, Sequence[frozenset[Cell]]]:
        """For each cell the blocks that hold it."""
        found: dict[Cell, list[frozenset[Cell]]] = {}
        for block in self.sets:
            for cell in block:
                found.setdefault(cell, []).append(block)
        return found

    def largest_within(self, kept: Iterable[Cell]) -> list[frozenset[Cell]]:
        """The blocks of the same that lie in no other one: one block, where one holds all that is kept."""
        inside = frozenset(kept)
        whole = inside and any(inside <= block for block in self.sets)
        return [inside] if whole else self.within(inside).largest

    def fewest(self, cells: Iterable[Cell]) -> int:
        """The fewest blocks that together hold all the cells.  Raises TooLarge where that takes too long."""
        covered = frozenset(cells)
        if any(covered <= block for block in self.sets):
            return 1 if covered else 0
        wanted = frozenset(map(self._number.__getitem__, covered))
        try:
            number = fewest_blocks(self._holding, wanted)
        except TooManyBlocks as error:
            raise TooLarge(str(error)) from None
        assert number is not None
        return number

    def unions(self) -> list[frozenset[Cell]]:
        """The largest sets of cells in which neighbours differ: unions of `most` blocks, maximal ones only.

        Raises TooLarge where there are too many.
        """
        blocks = self._largest
        many = min(self.most, len(blocks))
        if many > 1 and (cells := comb(len(blocks), many) * many * len(blocks[0])) > LARGEST_SETS:
            raise TooLarge(
                f"{many:,} of {len(blocks):,} blocks have up to {cells:,} cells in all choices, more than "
                f"the {LARGEST_SETS:,} that are gone through; smaller groups or databases would do"
            )
        try:
            unions = largest_unions(blocks, self.most, lambda cell: cell, LARGEST_SETS)
        except TooManyBlocks as error:
            raise TooLarge(str(error)) from None
        return [self._named(numbers) for numbers in unions]

    @staticmethod
    def of(sets: Iterable[Iterable[Cell]], cells: int, words: str) -> Blocks:
        """The relation by some blocks, counted while they are made.

        cells -- how many a database has; words -- whose blocks they are.
        Raises TooLarge beyond LARGEST_SETS.
        """
        blocks: set[frozenset[Cell]] = set()
        total = largest = 0
        for block in map(frozenset, sets):
            total, largest = total + len(block), max(largest, len(block))
            if total > LARGEST_SETS:
                raise TooLarge(
                    f"{words}: blocks of {largest:,} cells in databases of {cells:,} have more than the "
                    f"{LARGEST_SETS:,} cells together that are gone through; databases of "
                    f"{isqrt(LARGEST_SETS):,} cells would do"
                )
            blocks.add(block)
        return Blocks(frozenset(blocks))

    @cached_property
    def largest(self) -> list[frozenset[Cell]]:
        """The blocks that lie in no other one."""
        return [self._named(numbers) for numbers in self._largest]

    @cached_property
    def _cells(self) -> list[Cell]:
        """All cells: positions in the order of their numbers, others in that of their names."""
        return sorted(frozenset[Cell]().union(*self.sets), key=_order)

    @cached_property
    def _number(self) -> Mapping[Cell, int]:
        return {cell: n for n, cell in enumerate(self._cells)}

    @cached_property
    def _largest(self) -> list[Block]:
        return maximal(frozenset(map(self._number.__getitem__, block)) for block in self.sets)

    @cached_property
    def _holding(self) -> Mapping[int, list[Block]]:
        return by_cell(self._largest)

    def _named(self, block: Block) -> frozenset[Cell]:
        return frozenset(self._cells[n] for n in block)


def _order(cell: Cell) -> tuple[int, str]:
    """Positions by their numbers, other cells by their names."""
    return (cell, "") if isinstance(cell, int) else (0, str(cell))


def differing_in(databases: DatabaseClass, cells: Iterable[Cell]) -> tuple[Database, Database]:
    """Two databases of a product that differ in some cells, and in no other ones.

    >>> from dpcompose.spaces.classes.tuples import tuples
    >>> differing_in(tuples("ab", "= 3"), [1, 3])
    (('a', 'a', 'a'), ('b', 'a', 'b'))
    """
    D = databases.blank()
    other = {cell: next(v for v in databases.values(cell) if v != databases.value(D, cell)) for cell in cells}
    return D, databases.put(D, other)


def one_block_away(databases: DatabaseClass, blocks: Blocks, D: Database) -> Iterator[Database]:
    """The databases that differ from D in cells of one block only, each once."""
    seen = {D}
    for block in blocks.largest:
        cells = sorted(block, key=str)
        for values in product(*map(databases.values, cells)):
            E = databases.put(D, dict(zip(cells, values, strict=True)))
            if E not in seen:
                seen.add(E)
                yield E
