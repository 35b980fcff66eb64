"""Losses moved to fewer points: both sides stay sides, and thousands of mechanisms beside normal noise have a
curve, against sums and convolutions in floating-point numbers."""

import math
import random
from fractions import Fraction

import pytest

from dpcompose.kernel.deciders.curves import lattices
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.lattices import Rounding
from dpcompose.kernel.deciders.curves.merging import fewer
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import Interval

UNIT = 10**40


def phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def normal(epsilon: float, mu: float) -> float:
    return phi(-epsilon / mu + mu / 2) - math.exp(epsilon) * phi(-epsilon / mu - mu / 2)


def mean(masses: list[float], step: float, offset: float, epsilon: float, mu: float) -> float:
    return math.fsum(p * normal(epsilon - (n * step - offset), mu) for n, p in enumerate(masses) if p)


@pytest.mark.parametrize("points", [1, 3, 10, 50, 1000])
@pytest.mark.parametrize("mu", [0.2, 1.0])
def test_both_sides(points: int, mu: float) -> None:
    raw = [math.comb(300, n) * 0.45**n * 0.55 ** (300 - n) for n in range(301)]
    step, offset = Fraction(1, 100), 1.35
    exact = mean(raw, float(step), offset, 0.5, mu)
    sides = []
    for up in (False, True):
        rounding = Rounding(40, up)
        masses = [int(x * UNIT) for x in raw]
        moved = fewer(masses, Interval.of(step), points, rounding)
        assert len(moved) == len(masses) and sum(moved) == sum(masses)
        assert sum(1 for x in moved if x) <= max(points + 4, 1) or points >= 298
        sides.append(mean([x / UNIT for x in moved], float(step), offset, 0.5, mu))
    assert sides[0] <= exact * (1 + 1e-12) and exact <= sides[1] * (1 + 1e-12)
    if points >= 50:
        assert sides[1] - sides[0] < 0.1 * exact


def test_nothing_happens_to_few() -> None:
    masses = [1, 0, 5, 7]
    assert fewer(masses, Interval.of(1), 10, Rounding(6, True)) == (1, 0, 5, 7)


def number(x: str) -> terms.Term:
    return terms.number(Fraction(x))


def test_a_thousand_pure_ones_and_normal_noise() -> None:
    curve = Curve.of([Part(number("1/200"), terms.ZERO, count=1000), Normal(number("1000/40000"))])
    e, k = 1 / 200, 1000
    p = math.exp(e) / (1 + math.exp(e))
    logs = [math.lgamma(k + 1) - math.lgamma(n + 1) - math.lgamma(k - n + 1) for n in range(k + 1)]
    found = math.fsum(
        math.exp(logs[n] + n * math.log(p) + (k - n) * math.log(1 - p))
        * normal(1 - (2 * n - k) * e, math.sqrt(1000) / 200)
        for n in range(k + 1)
    )
    known = curve.delta(terms.ONE)
    assert float(known.low) * (1 - 1e-6) <= found <= float(known.high) * (1 + 1e-6)
    assert known.high - known.low < known.high / 10**5


def test_hundreds_with_laplace_noise_beside_normal_noise() -> None:
    """Losses on a grid of 400 steps a scale, by repeated squares of a discrete Fourier transform."""
    numpy = pytest.importorskip("numpy")
    k, a, size, grid = 300, 1 / 52, 1 << 17, 1 / 52 / 400
    loss = numpy.zeros(size)
    n = round(a / grid)
    loss[n % size] += 0.5
    loss[-n % size] += math.exp(-a) / 2
    y = numpy.arange(-n, n + 1)
    within = (
        numpy.exp((numpy.minimum(y * grid, a) - a) / 2) / 4 * grid
    )  # density of the loss is e^((l − a)/2)/4
    within[[0, -1]] /= 2
    numpy.add.at(loss, y % size, within)
    assert abs(loss.sum() - 1) < 1e-6
    whole = numpy.fft.irfft(numpy.fft.rfft(loss / loss.sum()) ** k, size)
    at = numpy.where(numpy.arange(size) < size // 2, numpy.arange(size), numpy.arange(size) - size) * grid
    mu = math.sqrt(300) / 52
    found = math.fsum(p * normal(1 - x, mu) for p, x in zip(whole, at, strict=True) if p > 1e-14)
    known = Curve.of([Laplace(number("1/52"), 300), Normal(number("300/2704"))]).delta(terms.ONE)
    assert float(known.low) * (1 - 1e-3) <= found <= float(known.high) * (1 + 1e-3)
    assert known.high - known.low < known.high / 50


@pytest.mark.parametrize("count", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_the_two_ways_agree(count: int) -> None:
    """A few and a few more mechanisms with Laplace noise have different lattices, and the same curve."""
    curve = Curve.of([Laplace(number("1/3"), count), Normal(number("1/9"))])
    known = curve.delta(number("1/2"))
    coarse = Interval(curve.below(number("1/2"), points=500), curve.above(number("1/2"), points=500))
    assert known.low <= coarse.high and coarse.low <= known.high and known.low <= known.high


@pytest.mark.parametrize("up", [False, True])
def test_losses_added_in_any_order_are_the_same_up_to_rounding(up: bool) -> None:
    """Long products of few tables: against one after the other, each convolution rounded the same way."""
    draw, rounding = random.Random(f"added {up}"), lattices.Rounding(30, up)
    for _ in range(20):
        tables = []
        for _ in range(draw.randint(1, 7)):
            weights = {draw.randint(0, 40): draw.randint(1, 9) for _ in range(draw.randint(1, 40))}
            tables.append({at: w * rounding.unit // sum(weights.values()) for at, w in weights.items()})
        one_by_one = [rounding.unit]
        for table in tables:
            one_by_one = lattices.convolved(one_by_one, table, rounding)
        found = lattices.added(tables, rounding)
        assert len(found) <= len(one_by_one) and not any(one_by_one[len(found) :])
        assert all(abs(x - y) <= 10**4 for x, y in zip(found, one_by_one, strict=False))
