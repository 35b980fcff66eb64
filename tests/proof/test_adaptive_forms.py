"""The adaptive forms that pages derive hold for random mechanisms that read earlier outputs, by enumeration."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pytest

Database = tuple[str, ...]
Outputs = tuple[int, ...]
Row = tuple[Fraction, Fraction]
"""The probabilities of the outputs 0 and 1."""

RECORDS = "abc"
SIZED = list(combinations_with_replacement(RECORDS, 2))
UP_TO = [D for n in range(3) for D in combinations_with_replacement(RECORDS, n)]


def are_bounded(D: Database, E: Database) -> bool:
    return len(D) == len(E) and sum(max(0, D.count(x) - E.count(x)) for x in RECORDS) == 1


def are_unbounded(D: Database, E: Database) -> bool:
    return sum(abs(D.count(x) - E.count(x)) for x in RECORDS) == 1


Mechanism = dict[tuple[Outputs, int], Row]
"""A row for each value of the earlier outputs, and each number of records that are read."""


def mechanisms(rng: random.Random) -> list[Mechanism]:
    """M_i reads how many records of its own the database has, and all earlier outputs."""

    def row() -> Row:
        p = Fraction(rng.randint(1, 9), 10)
        return p, 1 - p

    return [{(s, n): row() for s in product((0, 1), repeat=i) for n in range(3)} for i in range(3)]


def factor(M: Mechanism, distance: int = 1) -> Fraction:
    """e^ε for the least ε: the largest ratio at numbers 1 apart, for every value of the earlier outputs."""
    return max(
        M[s, n][o] / M[s, m][o] for (s, n), m, o in product(M, range(3), (0, 1)) if abs(n - m) == distance
    )


def joint(parts: list[Mechanism], D: Database) -> Iterator[Fraction]:
    """The probabilities of all outputs together, in order."""
    for outputs in product((0, 1), repeat=3):
        p = Fraction(1)
        for i, (M, x) in enumerate(zip(parts, RECORDS, strict=True)):
            p *= M[outputs[:i], D.count(x)][outputs[i]]
        yield p


def lost(
    parts: list[Mechanism], databases: list[Database], are: Callable[[Database, Database], bool]
) -> Fraction:
    """e to the largest loss over neighbours."""
    pairs = ((D, E) for D, E in product(databases, repeat=2) if are(D, E))
    return max(p / q for D, E in pairs for p, q in zip(joint(parts, D), joint(parts, E), strict=True))


@pytest.mark.parametrize("seed", range(25))
def test_parallel_composition_of_adaptive_mechanisms(seed: int) -> None:
    """GB:IV.13, adaptively: the two largest add up."""
    parts = mechanisms(random.Random(seed))
    each = [factor(M) for M in parts]
    two = max(x * y for x, y in combinations(each, 2))
    assert lost(parts, SIZED, are_bounded) <= two


@pytest.mark.parametrize("seed", range(25))
def test_disjoint_inputs_of_adaptive_mechanisms(seed: int) -> None:
    """GB:V.6, and GB:IV-C adaptively: add/remove neighbours change one part; a replacement is two steps."""
    parts = mechanisms(random.Random(seed))
    largest = max(factor(M) for M in parts)
    assert lost(parts, UP_TO, are_unbounded) <= largest
    assert lost(parts, UP_TO, are_bounded) <= largest**2


def test_a_part_that_depends_on_an_output_breaks_it() -> None:
    """M_2 reads the a's or the b's, as M_1 says: adding an a costs both, where the maximum is claimed."""
    p, q = Fraction(1, 4), Fraction(3, 4)
    first, second = {0: (p, q), 1: (q, p)}, {0: (p, q), 1: (q, p)}

    def at(a: int, b: int, x: int, y: int) -> Fraction:
        return first[a][x] * second[a if x == 0 else b][y]

    each = Fraction(3)
    ratios = [at(1, 0, x, y) / at(0, 0, x, y) for x, y in product((0, 1), repeat=2)]
    assert max(ratios) == each**2
