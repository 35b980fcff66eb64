"""What Clifton, Merrill and Merrill state, and the talk CSF, against all neighbours of small classes: exactly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, product

import pytest
from theorem_settings import ROOT

import dpcompose as dpc

PROBLEMS = ROOT / "notebooks" / "problems"
Rows = tuple[int, ...]
"""A database of people: what each one's record is."""


def guarantee(name: str) -> str:
    """The bound of a shipped file."""
    (file,) = PROBLEMS.glob(f"{name}-*.toml")
    return str(dpc.load(file)[0].guarantee().epsilon)


# parts that a change moves one of, or two


def ratio(parts: Iterable[Sequence[int]], D: Rows, E: Rows) -> Fraction:
    """exp of the loss at D, E where each part publishes its number of records by noise that loses a factor 3 for each
    step: the outputs are independent, so factors are multiplied."""
    moved = sum(abs(sum(x in part for x in D) - sum(x in part for x in E)) for part in parts)
    return Fraction(3**moved)


@pytest.mark.parametrize(
    ("change", "factor"), [("comes or goes", 3), ("modified within", 3), ("modified across", 9)]
)
def test_one_part_or_two(change: str, factor: int) -> None:
    """Records 0 and 1 are the people of the north, well and ill, 2 and 3 those of the south; the ill are counted."""
    counted = [(1,), (3,)]
    lost = []
    for n in range(3):
        for D in combinations_with_replacement(range(4), n):
            if change == "comes or goes":
                lost += [ratio(counted, D, (*D, x)) for x in range(4)]
                continue
            for i, y in product(range(n), range(4)):
                if change == "modified across" or D[i] // 2 == y // 2:
                    lost.append(ratio(counted, D, (*D[:i], y, *D[i + 1 :])))
    assert max(lost) == factor


def test_the_files_say_the_same() -> None:
    assert guarantee("193") == "max(a, b, c)"
    assert guarantee("194") == "2*e"


def moves(f: Callable[[Rows], Sequence[int]], pairs: Iterable[tuple[Rows, Rows]]) -> int:
    """The L1 sensitivity of f on pairs of databases."""
    return max(sum(abs(x - y) for x, y in zip(f(D), f(E), strict=True)) for D, E in pairs)


@pytest.mark.parametrize("seed", range(10))
def test_coordinates_of_disjoint_regions(seed: int) -> None:
    """Random tables f_i of what is in their region: S(f) is at most the two largest, and the largest where records
    come and go; over all multisets of up to three of six records in three regions."""
    chance = random.Random(seed)
    regions = ((0, 1), (2, 3), (4, 5))
    every = [D for n in range(4) for D in combinations_with_replacement(range(6), n)]
    tables: list[dict[Rows, int]] = [{} for _ in regions]

    def f(D: Rows) -> list[int]:
        read = [tuple(x for x in D if x in region) for region in regions]
        return [table.setdefault(part, chance.randrange(9)) for table, part in zip(tables, read, strict=True)]

    replaced = [
        (D, tuple(sorted((*D[:i], y, *D[i + 1 :])))) for D in every for i in range(len(D)) for y in range(6)
    ]
    came = [(D, tuple(sorted((*D, y)))) for D in every if len(D) < 3 for y in range(6)]
    for pairs, many in ((replaced, 2), (came, 1)):
        each = sorted(moves(lambda D, i=i: f(D)[i : i + 1], pairs) for i in range(3))
        assert moves(f, pairs) <= sum(each[-many:]) <= many * each[-1]
    assert moves(lambda D: [sum(x in region for x in D) for region in regions], replaced) == 2


# what a replacement moves


def test_size_and_mean() -> None:
    """Values are quarters of the interval from -1 to 3, whose length is 4."""
    values = [Fraction(n) for n in range(-1, 4)]
    for n in (1, 2, 3):
        every = list(combinations_with_replacement(values, n))
        replaced = [(D, (*D[:-1], y)) for D in every for y in values]
        added = [(D, (*D, y)) for D in every for y in values]
        assert max(abs(sum(D) - sum(E)) / n for D, E in replaced) == Fraction(4, n)
        assert max(abs(sum(D) / n - sum(E) / (n + 1)) for D, E in added) == Fraction(4, n + 1)
        assert {len(E) - len(D) for D, E in replaced} == {0}
        assert {len(E) - len(D) for D, E in added} == {1}


def test_the_program_knows_how_far_they_move() -> None:
    exactly, some = dpc.multisets(size="= 5"), dpc.multisets(size=">= 5")
    mean = dpc.mean(-1, 3)
    found = [
        dpc.sensitivity(query, databases, granularity).value
        for query, databases, granularity in (
            (dpc.count, exactly, dpc.bounded),
            (dpc.count, some, dpc.unbounded),
            (mean, exactly, dpc.bounded),
            (mean, some, dpc.unbounded),
        )
    ]
    assert [str(one) for one in found] == ["0", "1", "4/5", "2/3"]


# k-anonymity


def local(D: Rows, k: int = 2) -> tuple[tuple[int, int], ...]:
    """Local recoding: groups of k in order, each person's cell is the interval of their group."""
    order = sorted(D)
    groups = [order[i : i + k] for i in range(0, len(order), k)]
    return tuple((group[0], group[-1]) for group in groups for _ in group)


def divisions(values: range) -> Iterable[list[range]]:
    """The divisions of values into intervals, the finest ones first."""
    inner = values[1:]
    for many in range(len(inner), -1, -1):
        for cuts in combinations(inner, many):
            ends = [values.start, *cuts, values.stop]
            yield [range(a, b) for a, b in pairwise(ends)]


def global_(D: Rows, values: range, k: int = 2) -> tuple[tuple[int, int], ...]:
    """Global recoding: the cells are those of the finest division in which no cell has some people, but fewer than k."""
    for cells in divisions(values):
        if all(sum(x in cell for x in D) not in range(1, k) for cell in cells):
            return tuple((cell.start, cell.stop - 1) for x in sorted(D) for cell in cells if x in cell)
    raise AssertionError("one cell holds all")


VALUES = range(5)
EVERY = list(combinations_with_replacement(VALUES, 4))


def is_anonymous(D: Rows, output: tuple[tuple[int, int], ...], k: int = 2) -> bool:
    """Whether each person's cell holds their value and stands there k times."""
    return all(a <= x <= b for x, (a, b) in zip(sorted(D), output, strict=True)) and all(
        output.count(cell) >= k for cell in output
    )


@pytest.mark.parametrize("recoded", [local, lambda D: global_(D, VALUES)], ids=["local", "global"])
def test_anonymous_tables_have_no_finite_loss(recoded: Callable[[Rows], tuple[tuple[int, int], ...]]) -> None:
    """All databases of four numbers below 5: 2-anonymous, and next to each one there is one with another output,
    which is certain at the one and impossible at the other."""
    output = {D: recoded(D) for D in EVERY}
    assert all(is_anonymous(D, output[D]) for D in EVERY)
    for D in EVERY:
        replaced = {tuple(sorted((*D[:i], y, *D[i + 1 :]))) for i in range(4) for y in VALUES}
        assert any(output[E] != output[D] for E in replaced)


def test_parts_of_anonymous_tables() -> None:
    """Two parts that are 2-anonymous each: together as well. Of global recodings of the parts some are none."""
    none = 0
    for D, E in product(combinations_with_replacement(range(4), 2), repeat=2):
        together = local(D) + local(E)
        assert all(together.count(cell) >= 2 for cell in together)
        cells = {*global_(D, range(4)), *global_(E, range(4))}
        none += any(
            a < c <= b or a <= d < b for (a, b), (c, d) in product(cells, repeat=2) if (a, b) != (c, d)
        )
    assert none > 0


# the talk of GB's authors


def test_a_partition_that_turns_is_worse_than_any_pair() -> None:
    """Three parts change by one replacement, so three budgets are spent: file 205, by hand."""
    study, _ = dpc.load(PROBLEMS / "205-a-partition-that-turns.toml")
    maps = [one.reads for one in study.setting.mechanisms]
    assert [f("a b c") for f in maps] == ["a", "b", "c"]
    assert [f("a b turn") for f in maps] == ["b", "turn", "a"]
    assert str(study.guarantee().epsilon) == "e1 + e2 + e3"


def test_a_replacement_of_a_part_on_its_own_domain() -> None:
    """A count of a part may be published as it is: replacements within the part never move it."""
    assert guarantee("03") == "oo"
