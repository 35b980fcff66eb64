"""Relations by blocks of cells: what edges, nodes, attributes, users and windows have in common.

In a class of databases that are made of cells (positions, pairs of vertices, attributes of records) a
block is a set of cells, and D and E are neighbours where all cells in which they differ lie in one block.
The canonical metric is the fewest blocks that cover the cells in which D and E differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache, cached_property
from itertools import combinations, product
from math import comb, isqrt

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Cell, Database, DatabaseClass, TooLarge

LARGEST_COVER = 5_000_000
"""How many cells of blocks are looked at, at most, to find the fewest blocks that cover some."""
LARGEST_SETS = 2_000_000
"""The most cells that all blocks of a relation have together."""
LARGEST_UNIONS = 20_000
"""The most unions of blocks that are gone through."""


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
        some = {one for cell in inside for one in self._at.get(cell, ())}
        return Blocks(frozenset(one if one <= inside else one & inside for one in some), self.most)

    def fewest(self, cells: Iterable[Cell]) -> int:
        """The fewest blocks that together hold all the cells.  Raises TooLarge where that takes too long."""
        wanted = frozenset(cells)
        if not wanted:
            return 0
        if any(wanted <= one for one in self.sets):
            return 1
        if all(len(self._holding[cell]) == 1 for cell in wanted):
            return len({self._holding[cell][0] for cell in wanted})
        return _Search(self._holding, wanted).least

    def unions(self) -> list[frozenset[Cell]]:
        """The largest sets of cells in which neighbours differ: unions of `most` blocks, maximal ones only.

        Raises TooLarge where there are too many.
        """
        some = self.largest
        if self.most == 1 or not some:
            return some
        many = min(self.most, len(some))
        if comb(len(some), many) > LARGEST_UNIONS:
            raise TooLarge(
                f"{many:,} of {len(some):,} blocks can be chosen in more than the {LARGEST_UNIONS:,} ways "
                "that are gone through; smaller groups or databases would do"
            )
        if (cells := comb(len(some), many) * many * len(some[0])) > LARGEST_SETS:
            raise TooLarge(
                f"{many:,} of {len(some):,} blocks have up to {cells:,} cells in all choices, more than the "
                f"{LARGEST_SETS:,} that are gone through; smaller groups or databases would do"
            )
        return _maximal(frozenset().union(*chosen) for chosen in combinations(some, many))

    @staticmethod
    def of(sets: Iterable[Iterable[Cell]], cells: int, words: str) -> Blocks:
        """The relation by some blocks, counted while they are made.

        cells -- how many a database has; words -- whose blocks they are.
        Raises TooLarge beyond LARGEST_SETS.
        """
        found: set[frozenset[Cell]] = set()
        total = largest = 0
        for some in sets:
            one = frozenset(some)
            total, largest = total + len(one), max(largest, len(one))
            if total > LARGEST_SETS:
                raise TooLarge(
                    f"{words}: blocks of {largest:,} cells in databases of {cells:,} have more than the "
                    f"{LARGEST_SETS:,} cells together that are gone through; databases of "
                    f"{isqrt(LARGEST_SETS):,} cells would do"
                )
            found.add(one)
        return Blocks(frozenset(found))

    @cached_property
    def _at(self) -> Mapping[Cell, list[frozenset[Cell]]]:
        """For each cell all blocks that hold it."""
        found: dict[Cell, list[frozenset[Cell]]] = defaultdict(list)
        for one in self.sets:
            for cell in one:
                found[cell].append(one)
        return found

    @cached_property
    def _holding(self) -> Mapping[Cell, list[frozenset[Cell]]]:
        """For each cell the blocks that hold it, without those that lie in another one."""
        found: dict[Cell, list[frozenset[Cell]]] = defaultdict(list)
        for one in self.largest:
            for cell in one:
                found[cell].append(one)
        return found

    @cached_property
    def largest(self) -> list[frozenset[Cell]]:
        """The blocks that lie in no other one."""
        return _maximal(self.sets)


class _Search:
    """The least number of blocks that cover some cells: fewest choices first, cut off by a lower bound.

    Cells are taken in order, so that of windows each next one is the only choice.
    """

    def __init__(self, holding: Mapping[Cell, list[frozenset[Cell]]], wanted: frozenset[Cell]) -> None:
        self.holding = holding
        self.cells = sorted(wanted, key=_order)
        self.looked = 0
        self.least = len(wanted)
        self._cover(wanted, 0)

    def _cover(self, left: frozenset[Cell], used: int) -> None:
        left, used = self._forced(left, used)
        if not left:
            self.least = min(self.least, used)
            return
        if used + self._at_least(left) >= self.least:
            return
        best: list[frozenset[Cell]] | None = None
        for cell in self.cells:
            if cell in left:
                choices = self._choices(cell, left)
                if best is None or len(choices) < len(best):
                    best = choices
                if len(best) == 1:
                    break
        for one in sorted(best or [], key=len, reverse=True):
            self._cover(left - one, used + 1)

    def _forced(self, left: frozenset[Cell], used: int) -> tuple[frozenset[Cell], int]:
        """What is left once the first cell that is left has no single best block, and the blocks used."""
        remaining = set(left)
        for cell in self.cells:
            if cell not in remaining:
                continue
            self._look(cell)
            shares = [one & remaining for one in self.holding[cell]]
            best = max(shares, key=len)
            if not all(one <= best for one in shares):
                break
            remaining -= best
            used += 1
        return frozenset(remaining), used

    def _choices(self, cell: Cell, left: Set[Cell]) -> list[frozenset[Cell]]:
        """What the blocks that hold a cell cover of what is left, maximal ones only."""
        self._look(cell)
        shares = list(dict.fromkeys(one & left for one in self.holding[cell]))
        return [one for one in shares if not any(one < other for other in shares)]

    def _look(self, cell: Cell) -> None:
        self.looked += sum(map(len, self.holding[cell]))
        if self.looked > LARGEST_COVER:
            raise TooLarge(
                f"the fewest blocks that cover {len(self.cells):,} cells are not found in {LARGEST_COVER:,} "
                "looks at a cell; smaller databases would do"
            )

    def _at_least(self, left: frozenset[Cell]) -> int:
        """How many cells there are of which no two lie in one block: each needs a block of its own."""
        free, found = set(left), 0
        for cell in self.cells:
            if cell in free:
                free.discard(cell)
                found += 1
                self._look(cell)
                for one in self.holding[cell]:
                    free -= one
        return found


@cache
def _order(cell: Cell) -> tuple[int, str]:
    """Positions by their numbers, other cells by their names."""
    return (cell, "") if isinstance(cell, int) else (0, str(cell))


def _maximal(sets: Iterable[frozenset[Cell]]) -> list[frozenset[Cell]]:
    """The sets that lie in no other one, each once, large ones first."""
    every = set(sets)
    cells = len(frozenset().union(*every))
    if any(len(one) == cells for one in every):
        return [one for one in every if len(one) == cells]
    different = sorted(every, key=lambda one: (-len(one), sorted(map(_order, one))))
    if all(different) and sum(map(len, different)) == cells:
        return different  # no two have a cell in common
    kept: list[frozenset[Cell]] = []
    holding: dict[Cell, list[frozenset[Cell]]] = defaultdict(list)
    for one in different:
        few = min((holding[cell] for cell in one), key=len, default=kept)
        if not any(one <= other for other in few):
            kept.append(one)
            for cell in one:
                holding[cell].append(one)
    return kept


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
    for one in _maximal(blocks.sets):
        cells = sorted(one, key=str)
        for values in product(*map(databases.values, cells)):
            E = databases.put(D, dict(zip(cells, values, strict=True)))
            if E not in seen:
                seen.add(E)
                yield E
