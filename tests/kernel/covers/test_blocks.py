"""The fewest blocks that cover some cells, and the largest sets that some make up: by hand, and by enumeration."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import pytest

from dpcompose.kernel.covers import blocks
from dpcompose.kernel.covers.blocks import (
    Block,
    TooManyBlocks,
    by_cell,
    fewest_blocks,
    largest_unions,
    maximal,
)


def sets(*words: str) -> list[Block]:
    """Sets of cells, each written by its digits."""
    return [frozenset(map(int, word)) for word in words]


WINDOWS = ("12", "23", "34")
HEXAGON = ("12", "23", "34", "45", "56", "16")


@pytest.mark.parametrize(
    "some, wanted, fewest",
    [
        (WINDOWS, "", 0),
        (WINDOWS, "2", 1),
        (WINDOWS, "34", 1),
        (WINDOWS, "134", 2),  # 3 lies in 23 as well, which 34 makes needless
        (WINDOWS, "1234", 2),
        (WINDOWS, "15", None),
        ((), "1", None),
        (("12", "3", "45"), "1345", 3),
        (HEXAGON, "123456", 3),  # no cell leaves no choice
        (HEXAGON, "12345", 3),
        (HEXAGON, "135", 3),
        (HEXAGON, "1245", 2),
        (("123", "14", "25", "36", "456"), "123456", 2),
        (("1234", "125", "346", "56"), "123456", 2),  # the largest block first needs two more
        (("123", "345", "561", "246"), "123456", 3),  # no two of them hold all
    ],
)
def test_fewest_blocks(some: Sequence[str], wanted: str, fewest: int | None) -> None:
    (cells,) = sets(wanted)
    assert fewest_blocks(by_cell(sets(*some)), cells) == fewest


def drawn(rng: random.Random) -> list[Block]:
    """Some blocks of six cells."""
    return [frozenset(rng.sample(range(6), rng.randint(1, 3))) for _ in range(rng.randint(1, 7))]


def test_fewest_blocks_by_enumeration() -> None:
    rng = random.Random(1)
    for _ in range(150):
        some = drawn(rng)
        wanted = frozenset(rng.sample(range(6), rng.randint(1, 6)))
        covers = (
            n
            for n in range(1, len(some) + 1)
            if any(wanted <= frozenset().union(*chosen) for chosen in combinations(some, n))
        )
        assert fewest_blocks(by_cell(some), wanted) == next(covers, None)


def unions(some: Sequence[str], steps: int, roles: str = "", most: int = 1_000) -> set[str]:
    """The largest unions, each by its digits; roles -- of the cells from 0 on, each by a letter."""
    found = largest_unions(sets(*some), steps, lambda cell: roles[cell] if roles else cell, most)
    assert len(found) == len({*found})
    return {"".join(map(str, sorted(one))) for one in found}


@pytest.mark.parametrize(
    "some, steps, largest",
    [
        (WINDOWS, 1, {"12", "23", "34"}),
        (WINDOWS, 2, {"1234"}),
        (("12", "34", "56"), 2, {"1234", "1256", "3456"}),
        (("12", "34", "56"), 3, {"123456"}),
        (("12", "34", "56"), 9, {"123456"}),
        (("1", "23"), 1, {"1", "23"}),
        (("1", "23"), 2, {"123"}),
        (("1", "2", "12"), 1, {"12"}),
        (("1", "2", "3"), 2, {"12", "13", "23"}),
        (("1", "2", "3"), 5, {"123"}),
        ((), 1, set()),
    ],
)
def test_largest_unions(some: Sequence[str], steps: int, largest: set[str]) -> None:
    assert unions(some, steps) == largest


def test_single_cells_are_exchanged_for_others_of_one_role() -> None:
    """One of each role, or two of that which has two: the first ones stand for all."""
    cells = ("0", "1", "2", "3")
    assert unions(cells, 1, "aabc") == {"0", "2", "3"}
    assert unions(cells, 2, "aabc") == {"01", "02", "03", "23"}
    assert unions(cells, 3, "aabb") == {"012", "023"}
    assert unions(("01", "23"), 1, "aaaa") == {"01", "23"}  # cells of larger blocks are not exchanged


def test_largest_unions_by_enumeration() -> None:
    rng = random.Random(2)
    for _ in range(100):
        some, steps = drawn(rng), rng.randint(1, 3)
        every = {
            frozenset[int]().union(*chosen)
            for n in range(1, steps + 1)
            for chosen in combinations(some, min(n, len(some)))
        }
        largest = {one for one in every if not any(one < other for other in every)}
        assert {*largest_unions(some, steps, lambda cell: cell, 1_000)} == largest


def test_what_is_too_much_to_go_through_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooManyBlocks, match="2 cells of 4 kinds"):  # 10 ways of 2 cells
        unions(("0", "1", "2", "3"), 2, most=19)
    assert len(unions(("0", "1", "2", "3"), 2, most=20)) == 6
    monkeypatch.setattr(blocks, "MOST_UNIONS", 2)
    with pytest.raises(TooManyBlocks, match="2 of 3 blocks"):
        unions(WINDOWS, 2)
    assert unions(WINDOWS, 1) == {*WINDOWS}
    monkeypatch.setattr(blocks, "MOST_UNIONS", 3)
    assert unions(WINDOWS, 2) == {"1234"}


def test_maximal_sets_are_there_once_and_large_ones_first() -> None:
    assert maximal(sets("12", "1", "2", "12", "345", "", "36", "6")) == sets("345", "12", "36")
    assert maximal(sets("", "")) == [] and maximal(sets("1", "1")) == sets("1")
    assert maximal(sets("12", "34", "13", "123")) == sets("123", "34")
    assert by_cell(sets("12", "2", "23")) == {1: sets("12"), 2: sets("12", "23"), 3: sets("23")}
