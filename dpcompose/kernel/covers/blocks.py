"""Blocks of cells: the fewest that cover a set, and the largest sets that some of them make up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb

from dpcompose.kernel.covers.types import NoCover

Block = frozenset[int]

MOST_WORK = 4_000_000
"""How many cells are looked at to find a least cover, those of all tries together."""
MOST_UNIONS = 20_000
"""The most unions of blocks that are gone through."""


class TooManyBlocks(NoCover):
    """A least cover, or all unions, would take too long to find; the message says which."""


def fewest_blocks(blocks: Mapping[int, Sequence[Block]], wanted: Block) -> int | None:
    """The fewest blocks that together hold all wanted cells; None where some cell lies in none.

    blocks -- for each cell those that hold it, as `by_cell` gives them.

    >>> windows = by_cell([frozenset({1, 2}), frozenset({2, 3}), frozenset({3, 4})])
    >>> fewest_blocks(windows, frozenset({1, 4})), fewest_blocks(windows, frozenset({2, 3}))
    (2, 1)
    """
    for numbers in blocks.get(next(iter(wanted)), ()) if wanted else ():
        if wanted <= numbers:
            return 1
    if any(cell not in blocks for cell in wanted):
        return None
    if all(len(blocks[cell]) == 1 for cell in wanted):
        return len({blocks[cell][0] for cell in wanted})
    search = _Search(blocks, len(wanted))
    search.cover(wanted, 0)
    return search.least


class _Search:
    """The least number of blocks that cover some cells: fewest choices first, cut off by a lower bound."""

    def __init__(self, holding: Mapping[int, Sequence[Block]], most: int) -> None:
        self.holding, self.least, self.work = holding, most, 0

    def cover(self, left: Block, used: int) -> None:
        """Tries all covers of what is left that may use fewer blocks than the best so far."""
        self.work += 1 + len(left)
        if self.work > MOST_WORK:
            raise TooManyBlocks(
                "the fewest blocks that cover some cells are not found by looking at "
                f"{MOST_WORK:,} cells; smaller databases would do"
            )
        left, used = self._forced(left, used)
        if not left:
            self.least = min(self.least, used)
            return
        if used + self._at_least(left) >= self.least:
            return
        cell = min(left, key=lambda one: (len(self.holding[one]), one))
        choices = maximal(numbers & left for numbers in self.holding[cell])
        for choice in sorted(choices, key=len, reverse=True):
            self.cover(left - choice, used + 1)

    def _forced(self, left: Block, used: int) -> tuple[Block, int]:
        """What is left, and how many blocks are used, once cells that leave no choice are covered."""
        while left:
            choices = maximal(numbers & left for numbers in self.holding[min(left)])
            if len(choices) > 1:
                break
            left, used = left - choices[0], used + 1
        return left, used

    def _at_least(self, left: Block) -> int:
        """How many cells there are of which no two lie in one block: each needs a block of its own."""
        free, number = set(left), 0
        while free:
            number += 1
            for numbers in self.holding[free.pop()]:
                free -= numbers
        return number


def largest_unions(
    blocks: Sequence[Block], steps: int, roles: Callable[[int], Hashable], most: int
) -> list[Block]:
    """The largest sets of cells that at most so many blocks make up, those that no other one holds.

    roles -- what there is to say of each cell: where every block is one cell, sets that differ only by
    exchanging cells of one role are one of them; most -- of how many cells these sets may consist.

    >>> largest_unions([frozenset({1}), frozenset({2}), frozenset({1, 2})], 1, lambda cell: (), 100)
    [frozenset({1, 2})]
    """
    some = maximal(blocks)
    many = min(steps, len(some))
    if all(len(numbers) == 1 for numbers in some):
        return of_single_cells([cell for numbers in some for cell in numbers], many, roles, most)
    if many <= 1:
        return some
    if comb(len(some), many) > MOST_UNIONS:
        raise TooManyBlocks(
            f"{many:,} of {len(some):,} blocks can be chosen in too many ways to go through; smaller "
            "groups or databases would do"
        )
    return maximal(frozenset().union(*chosen) for chosen in combinations(some, many))


def of_single_cells(
    cells: Iterable[int], many: int, roles: Callable[[int], Hashable], most: int
) -> list[Block]:
    """So many cells, in each way in which they can have roles."""
    alike: dict[Hashable, list[int]] = defaultdict(list)
    for cell in sorted(cells):
        alike[roles(cell)].append(cell)
    kinds = list(alike.values())
    if not kinds:
        return []
    if comb(len(kinds) + many - 1, many) * many > most:
        raise TooManyBlocks(
            f"{many:,} cells of {len(kinds):,} kinds can change in too many ways; smaller groups would do"
        )
    blocks = []
    for chosen in combinations_with_replacement(range(len(kinds)), many):
        times = {n: chosen.count(n) for n in chosen}
        if all(count <= len(kinds[n]) for n, count in times.items()):
            blocks.append(frozenset(cell for n, count in times.items() for cell in kinds[n][:count]))
    return blocks


def by_cell(blocks: Iterable[Block]) -> dict[int, list[Block]]:
    """For each cell the blocks that hold it, without those that lie in another one."""
    found: dict[int, list[Block]] = defaultdict(list)
    for numbers in maximal(blocks):
        for cell in numbers:
            found[cell].append(numbers)
    return dict(found)


def maximal(sets: Iterable[Block]) -> list[Block]:
    """The sets that lie in no other one, each once, large ones first."""
    some = {numbers for numbers in sets if numbers}
    if len(some) == 1:
        return [*some]
    kept: list[Block] = []
    holding: dict[int, list[Block]] = defaultdict(list)
    for one in sorted(some, key=lambda one: (-len(one), sorted(one))):
        few = min((holding[cell] for cell in one), key=len)
        if not any(one <= other for other in few):
            kept.append(one)
            for cell in one:
                holding[cell].append(one)
    return kept
