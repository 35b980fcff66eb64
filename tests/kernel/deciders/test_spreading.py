"""Losses that share no lattice are put on one: against a Fourier transform, and the δ of normal noise itself."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.lattices import Rounding
from dpcompose.kernel.deciders.curves.losses import Axis
from dpcompose.kernel.deciders.curves.spreading import _Lattice, of_normal, table_of
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Table
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.terms import ZERO, log, number, sqrt

MIXTURE = Curve.of(
    [
        Laplace(number(Fraction(1, 40)), 300),
        Laplace(1 / sqrt(number(1000)), 300),
        Part(number(Fraction(1, 50)), ZERO, count=300),
    ]
)


@pytest.mark.parametrize(
    ("epsilon", "transformed"), [(1, "0.0567538"), (2, "0.00311427"), (4, "0.0000001157097")]
)
def test_scales_without_a_common_measure(epsilon: int, transformed: str) -> None:
    """The numbers are of a fast Fourier transform in floats, on a lattice of 1/10000."""
    found, wanted = MIXTURE.delta(number(epsilon)), Fraction(transformed)
    assert found.low <= wanted * Fraction(1_000_001, 10**6) and wanted <= found.high
    assert found.high - found.low < wanted / 50


@pytest.mark.slow
def test_many_that_were_too_many() -> None:
    found = Curve.of([Laplace(number(1), 40_000)]).delta(number(14_715))
    assert Fraction(0) < found.low < found.high < 1


@pytest.mark.parametrize("square", [Fraction(9), Fraction(1, 2)])
@pytest.mark.parametrize("epsilon", [Fraction(-1), Fraction(0), Fraction(1, 3), Fraction(2)])
def test_normal_noise_between_its_tables(square: Fraction, epsilon: Fraction) -> None:
    normal = Normal(number(square))
    low, high = (of_normal(normal, 64, up).delta(number(epsilon), 64, up) for up in (False, True))
    assert low <= normal.above(epsilon, 64) and normal.below(epsilon, 64) <= high
    assert high - low < Fraction(1, 4000)


def test_of_what_is_zcdp_the_lower_curve_is_that_of_normal_noise() -> None:
    concentrated, normal = Normal(ZERO, number(Fraction(1, 2))), Normal(number(1))
    assert of_normal(concentrated, 64, False) == of_normal(normal, 64, False)


@pytest.mark.slow
def test_beside_what_is_zcdp_nothing_is_told_by_a_table_from_above() -> None:
    """Beside normal noise with the same ρ, which is one such mechanism, δ is not larger."""
    parts = [Part(log(number(Fraction(n, 100))), ZERO, count=400) for n in (103, 105, 107)]
    zcdp, noise = (
        Curve.of([*parts, one])
        for one in (Normal(ZERO, number(Fraction(1, 8))), Normal(number(Fraction(1, 4))))
    )
    assert zcdp.below(number(3)) == noise.below(number(3)) <= noise.above(number(3)) < zcdp.above(number(3))


@pytest.mark.parametrize("far", [20, *(pytest.param(far, marks=pytest.mark.slow) for far in (70, 200))])
def test_losses_too_close_to_be_told_apart_are_added_up(far: int) -> None:
    """Losses of 10^-far have one ratio with so few digits: none of their probability is lost."""
    tiny = Fraction(1, 10**far)
    table = table_of(Axis(number(tiny), 2, (500, 0, 500)), 64, Rounding(3, up=True))
    assert sum(table.masses.values()) + table.infinite >= 1
    normal = of_normal(Normal(number(tiny**2)), 64, True)
    assert sum(normal.masses.values()) + normal.infinite >= 1


@pytest.mark.parametrize(
    ("far", "scales", "close"),
    [(42, (2, 3), 1000), *(pytest.param(far, (2, 3, 5), 10**4, marks=pytest.mark.slow) for far in (42, 60))],
)
def test_beside_much_noise_nothing_is_lost(far: int, scales: tuple[int, ...], close: int) -> None:
    """Of δ = 0.249 nothing was left above, beside normal noise with a standard deviation of 10^42."""
    tiny = Fraction(1, 10**far)
    some = [Laplace(1 / sqrt(number(n)), 2) for n in scales]
    alone = Curve.of(some).delta(number(1))
    for more in (Part(number(tiny), ZERO, count=400), Normal(number(tiny**2))):
        beside = Curve.of([*some, more]).delta(number(1))
        assert alone.low <= beside.high and beside.low <= beside.high
        if isinstance(more, Normal) or len(scales) > 2:
            assert alone.low - Fraction(1, close) <= beside.low


def test_losses_are_merged_to_points_that_they_reach() -> None:
    """Points n·ln 2; of 2·ln 2 it is not known whether it is reached, so 4 goes to the point 1, with half of what has
    the ratio 1: together they have P = 3/4 and Q = 1/8 + 1/4, so that P/Q is 2."""
    tiny, place = Fraction(1, 10**40), {4: 2, 1: 0}
    lattice: Any = SimpleNamespace(
        place=lambda x: Interval.of(place[int(x)]),
        shrunk=lambda n: Interval(Fraction(1, 2**n) - (tiny if n == 2 else 0), Fraction(1, 2**n)),
    )
    halves = Table({Fraction(4): Fraction(1, 2), Fraction(1): Fraction(1, 2)}, Fraction(0))
    found = _Lattice.merged(lattice, halves, Rounding(3, up=False))
    assert found == {1: 750, 0: 250}
    assert _Lattice.merged(lattice, Table({}, Fraction(1)), Rounding(3, up=False)) == {0: 0}
