"""Losses told with one, two or three decimal digits: what is rounded the wrong way anywhere is seen at once.

The sums are computed exactly, of losses that are multiples of log(2), at all c = e^ε between them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from fractions import Fraction
from math import comb

import mpmath
import pytest

from dpcompose.kernel.deciders.curves import merging, normal, spreading, tails
from dpcompose.kernel.deciders.curves.canonical import binomial, laplace, middle, noise
from dpcompose.kernel.deciders.curves.lattices import FEW, Rounding, TooManyLosses, Window, convolved, power
from dpcompose.kernel.deciders.curves.losses import Axis, Losses
from dpcompose.kernel.deciders.curves.spreading import on_lattice, table_of
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Table
from dpcompose.kernel.expressions.intervals import Interval, enclosure
from dpcompose.kernel.expressions.terms import ZERO, exp, log, number

F = Fraction
TWO = log(number(2))
CS = [F(2) ** n * x for n in range(-7, 8) for x in (F(1), F(5, 4), F(7, 4))]
UP = pytest.mark.parametrize("up", [True, False])


def excess(outcomes: Iterable[tuple[Fraction, Fraction]], c: Fraction) -> Fraction:
    """Σ max(0, p·(1 − c/x)) over outcomes with the ratio x and the probability p."""
    return sum((p * (1 - c / x) for x, p in outcomes if x > c), F(0))


def is_beside(found: Fraction, exact: Fraction, up: bool, room: Fraction) -> bool:
    """Whether it lies on its side, and no further away than that."""
    return exact <= found <= exact + room if up else exact - room <= found <= exact


# whole numbers of units


def test_units() -> None:
    assert [Rounding(2, up).units(F(1, 3)) for up in (True, False)] == [34, 33]
    assert [Rounding(2, up).units(F(1, 4)) for up in (True, False)] == [25, 25]
    assert [Rounding(2, up).divided(7, 2) for up in (True, False)] == [4, 3]
    assert [Rounding(2, up).other.divided(7, 2) for up in (True, False)] == [3, 4]
    for bits in (1, 3, 10, 33, 100, 1000, 4096):
        assert 2**bits <= Rounding.of(bits, True).unit


@UP
@pytest.mark.parametrize("long", [1, FEW, FEW + 1, 40])
def test_masses_of_sums_are_rounded_once(long: int, up: bool) -> None:
    """By hand: each is the next whole number of units of the exact one, in short sums and in long ones."""
    rounding, draw = Rounding(2, up), random.Random(long)
    some = [draw.randrange(20) for _ in range(15)]
    others = {at: draw.randrange(1, 9) for at in sorted({0, *draw.sample(range(60), long - 1)})}
    exact = [F(0)] * (len(some) + max(others))
    for at, mass in others.items():
        for n, x in enumerate(some):
            exact[n + at] += F(x * mass, 100)
    wanted = [(-(-x.numerator // x.denominator) if up else x.numerator // x.denominator) for x in exact]
    assert convolved(some, others, rounding) == wanted


def test_three_times_all_is_the_most_that_is_added_up() -> None:
    """In long sums; (3·9 units)² fits the place that a mass has there, of 10^6."""
    all_of = dict.fromkeys(range(FEW + 1), 0) | {0: 300}
    assert convolved([300], all_of, Rounding(2, True))[0] == 900
    for some, others in (([301], all_of), ([300], all_of | {0: 301})):
        with pytest.raises(TooManyLosses):
            convolved(some, others, Rounding(2, True))


@UP
def test_masses_of_several_that_are_alike(up: bool) -> None:
    """(1/2 + x/2)^n in hundredths: of n = 2 exact, then rounded at each product of two."""
    half = {0: 50, 1: 50}
    assert power(half, 1, Rounding(2, up)) == [50, 50] and power(half, 2, Rounding(2, up)) == [25, 50, 25]
    assert power(half, 3, Rounding(2, up)) == ([13, 38, 38, 13] if up else [12, 37, 37, 12])
    assert power(half, 4, Rounding(2, up)) == ([7, 25, 38, 25, 7] if up else [6, 25, 37, 25, 6])


# windows


@pytest.mark.parametrize(
    ("numbers", "above", "below"),
    [
        # ten units are unlikely: the lowest go to the next place, or away; the highest beyond, or to the one before
        ((4, 6, 100, 9880, 7, 3), Window(7, (110, 9880), 10), Window(7, (100, 9890))),
        ((4, 7, 100, 9878, 8, 3), Window(6, (11, 100, 9878, 8), 3), Window(6, (7, 100, 9878, 11))),
        ((11, 9978, 11), Window(5, (11, 9978, 11)), Window(5, (11, 9978, 11))),
        ((5, 0, 5), Window(7, (10,)), Window(7, (5,))),
        ((10000,), Window(5, (10000,)), Window(5, (10000,))),
    ],
)
def test_unlikely_losses_are_cut_off(numbers: tuple[int, ...], above: Window, below: Window) -> None:
    places = {n + 5: x for n, x in enumerate(numbers)}
    assert Window.of(places, Rounding(4, True)) == above and Window.of(places, Rounding(4, False)) == below


def test_what_is_beyond_stays_beyond() -> None:
    """1 − (1 − 1/2)(1 − 2/5) = 7/10, of which nothing is finite; in thirds of units it is rounded up."""
    up = Rounding(2, True)
    assert Window(-3, (50,), 50).and_(Window(1, (60,), 40), up) == Window(-2, (30,), 70)
    assert Window(0, (33,), 33).and_(Window(0, (33,), 33), up) == Window(0, (11,), 33)
    assert Window(0, (9,), 1).and_(Window(0, (9,), 0), up) == Window(0, (1,), 1)
    three = Window(0, (50, 50)).power(3, Rounding(2, False))
    assert three == Window(0, (12, 37, 37, 12))
    parts = [Window(0, (50, 50)), Window(-1, (100,)), Window(2, (20, 30, 50))]
    assert Window.added(parts, up) == Window(1, (10, 25, 40, 25))


# a mean over losses


@UP
@pytest.mark.parametrize("offset", [0, 3, 4])
def test_means_at_few_digits(offset: int, up: bool) -> None:
    draw = random.Random(offset)
    for _ in range(3):
        masses = tuple(draw.randrange(0, 30) for _ in range(5))
        losses = Losses((Axis(TWO, offset, masses),), F(2, 3), F(1, 7), 12, Rounding(2, up))
        ratios = [(F(2) ** (2 * n - offset), F(mass, 100)) for n, mass in enumerate(masses)]
        for c in CS:
            exact = min(F(1), F(2, 3) * excess(ratios, c) + F(1, 7))
            assert is_beside(losses.delta(log(number(c))), exact, up, F(8, 100))


@UP
def test_means_over_two_axes_at_few_digits(up: bool) -> None:
    axes = (Axis(TWO, 1, (30, 70)), Axis(2 * TWO, 2, (20, 33, 47)))
    losses = Losses(axes, F(1), F(0), 12, Rounding(2, up))
    ratios = [
        (F(2) ** (2 * n - 1 + 2 * (2 * m - 2)), F(p * q, 10_000))
        for n, p in enumerate((30, 70))
        for m, q in enumerate((20, 33, 47))
    ]
    for c in CS:
        assert is_beside(losses.delta(log(number(c))), excess(ratios, c), up, F(9, 100))


@UP
@pytest.mark.parametrize("ratio", [2, 4])
def test_means_beside_laplace_noise_at_few_digits(ratio: int, up: bool) -> None:
    """Of a = n·log(2) it is 1 − 2^((x − n)/2) for |x| ≤ n, before that 1 − 2^x; here all x are even."""
    masses, tail = (10, 0, 25, 40, 25), Laplace(ratio * TWO)
    losses = Losses((Axis(TWO, 4, masses),), F(1), F(0), 14, Rounding(2, up), tail)
    for n in range(-8, 10, 2):
        exact = F(0)
        for at, mass in enumerate(masses):
            x = n - (2 * at - 4)
            smallest = min(F(1), *([F(2) ** ((x - ratio) // 2)] if x <= ratio else []), F(2) ** x)
            exact += F(mass, 100) * (1 - smallest)
        assert is_beside(losses.delta(n * TWO), exact, up, F(9, 100))


# fewer points


@UP
@pytest.mark.parametrize("unlikely", [10**20, 8, 20])
def test_losses_moved_to_fewer_points_at_few_digits(
    up: bool, unlikely: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No unit is lost; the mean of no loss falls by it, or none grows."""
    monkeypatch.setattr(merging, "UNLIKELY", unlikely)
    draw, step = random.Random(unlikely), enclosure(TWO, 120)
    for _ in range(12):
        masses = [draw.choice((0, 1, 2, 5, 9, 30)) for _ in range(draw.randrange(4, 12))]
        moved = merging.fewer(masses, step, draw.randrange(1, 4), Rounding(2, up))
        assert sum(moved) == sum(masses) and len(moved) == len(masses) and min(moved) >= 0
        for c in (F(2) ** n * x for n in range(-1, 12) for x in (1, F(3, 2))):
            before, after = (
                excess(((F(2) ** n, F(m)) for n, m in enumerate(some)), c) for some in (masses, moved)
            )
            assert after >= before if up else after <= before


# tables on lattices


def of_lattice(there: object, step: Fraction, digits: int, c: Fraction) -> Fraction:
    """Its mean at c with 60 digits: all losses are n·step/2 + off."""
    with mpmath.workdps(60):
        axis, total = there.axis, mpmath.mpf(0)  # type: ignore[attr-defined]
        off = there.off  # type: ignore[attr-defined]
        for n, mass in enumerate(axis.masses):
            loss = (2 * n - axis.offset) * mpmath.mpf(step.numerator) / step.denominator / 2
            loss += mpmath.mpf(off.numerator) / off.denominator
            weight = 1 - mpmath.mpf(c.numerator) / c.denominator * mpmath.exp(-loss)
            total += mass * max(weight, 0)
        return F(str(total)) / 10**digits + there.infinite  # type: ignore[attr-defined]


@UP
@pytest.mark.parametrize("seed", range(4))
def test_tables_on_a_lattice_at_few_digits(seed: int, up: bool) -> None:
    draw, tiny = random.Random(seed), F(1, 10**40)
    step = draw.choice((F(1, 3), F(1), F(2)))
    weights = {F(draw.randint(1, 40), draw.randint(1, 20)): draw.randint(1, 9) for _ in range(5)}
    infinite = draw.choice((0, 1))
    whole = sum(weights.values()) + infinite
    one = Table({x: F(p, whole) for x, p in weights.items()}, F(infinite, whole))
    for count, digits in ((1, 1), (1, 3), (2, 2)):
        exact = one if count == 1 else one.and_(one)
        there = on_lattice([(one, count)], number(step), 24, Rounding(digits, up))
        for c in CS:
            wanted = excess(exact.masses.items(), c) + exact.infinite
            found = of_lattice(there, step, digits, c)
            assert found >= wanted - tiny if up else found <= wanted + tiny


@UP
def test_what_has_no_limit_is_rounded_too(up: bool) -> None:
    """Of nine with 1/7 each, and of one with 1/3 beside them, which have as many losses as they want."""
    tables = [(Table({F(1): F(6, 7)}, F(1, 7)), 9), (Table({F(2): F(2, 3)}, F(1, 3)), 1)]
    there = on_lattice(tables, number(1), 9, Rounding(6, up))
    assert is_beside(there.infinite, 1 - F(6, 7) ** 9 * F(2, 3), up, F(1, 2**14))
    with pytest.raises(TooManyLosses):
        on_lattice(tables, number(-1), 9, Rounding(6, up))


@UP
def test_the_table_of_an_axis(up: bool) -> None:
    """1/8, 1/2, 2, 8 but for rounding; what has no mass is no loss."""
    found = table_of(Axis(TWO, 3, (10, 0, 20, 70)), 24, Rounding(2, up))
    assert list(found.masses.values()) == [F(1, 10), F(2, 10), F(7, 10)] and found.infinite == 0
    for x, wanted in zip(found.masses, (F(1, 8), F(2), F(8)), strict=True):
        assert is_beside(x, wanted, up, F(1, 2**20))


# Laplace noise, and canonical noise


@UP
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_laplace_noise_at_few_digits(n: int, up: bool) -> None:
    """Losses (u − n)·a/n with a = log(4): 1 − 2^(x/2)/2 at ε = x·log(2), |x| ≤ 2."""
    masses = laplace(enclosure(2 * TWO, 100), n, Rounding(3, up))
    assert all(mass >= 0 and 0 <= u <= 2 * n for u, mass in masses.items())
    with mpmath.workdps(40):
        for k in range(-12, 13):
            x = mpmath.mpf(k) / 6
            exact = 1 - mpmath.mpf(2) ** ((x - 2) / 2)
            weights = (
                max(0, 1 - mpmath.mpf(2) ** (x - mpmath.mpf(2 * (u - n)) / n)) * mass
                for u, mass in masses.items()
            )
            found = sum(weights) / 1000
            assert found >= exact - 10**-30 if up else found <= exact + 10**-30
            assert abs(found - exact) < mpmath.mpf(1) / (2 * n) + 0.01


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_middle_of_laplace_noise_at_few_digits(n: int) -> None:
    """Losses (2u − n)·a/n with a = log(4): (1 − 2^(x/2)/2)²·4/3 at ε = x·log(2), |x| ≤ 2."""
    masses = middle(enclosure(2 * TWO, 100), n, Rounding(3, True))
    assert all(1 <= u <= n for u in masses) and 1000 <= sum(masses.values()) <= 1000 + n
    with mpmath.workdps(40):
        for k in range(-12, 13):
            x = mpmath.mpf(k) / 6
            exact = (1 - mpmath.mpf(2) ** ((x - 2) / 2)) ** 2 * 4 / 3
            found = (
                sum(
                    max(0, 1 - mpmath.mpf(2) ** (x - mpmath.mpf(2 * (2 * u - n)) / n)) * mass
                    for u, mass in masses.items()
                )
                / 1000
            )
            assert exact - 10**-30 <= found <= exact + 2 / mpmath.mpf(n)


@UP
@pytest.mark.parametrize("digits", [2, 30])
@pytest.mark.parametrize(("x", "k"), [(3, 4), (20, 9), (2, 40), (50, 30)])
def test_many_that_are_alike_to_a_few_bits(x: int, k: int, digits: int, up: bool) -> None:
    """(p + q)^k with p = x/(x + 1): those that are there in units, and how likely the others are."""
    table = noise(log(number(x)), ZERO, 1, 8)
    likely = binomial(table, k, 8, Rounding(digits, up))
    exact = [F(comb(k, u) * x**u, (x + 1) ** k) for u in range(k + 1)]
    first = (k - likely.offset) // 2
    for n, mass in enumerate(likely.masses):
        wanted = 10**digits * exact[first + n]
        assert is_beside(F(mass), wanted, up, F(10**digits, 2**20) + 1)
    there = range(first, first + len(likely.masses))
    left = sum((p for u, p in enumerate(exact) if u not in there), F(0))
    assert left <= likely.left_out <= 4 * left + F(1, 2**60)


# the normal distribution, to a few bits


@pytest.mark.parametrize(
    ("n", "scale", "ends"),
    [
        (5, 8, (45, 57)),  # 51 − 0, and room for two terms
        (239, 8, (-3, 5)),  # 1
        (5, 16, (12929, 12945)),  # 13107 − 174 + 4
        (2, 6, (22, 38)),  # 32 − 8/3 + 2/5, with room for three terms
    ],
)
def test_arctangents_by_hand(n: int, scale: int, ends: tuple[int, int]) -> None:
    low, high = normal._arctan_of_inverse(n, scale)
    assert (low, high) == ends
    with mpmath.workdps(30):
        assert low <= mpmath.atan(mpmath.mpf(1) / n) * 2**scale <= high


def test_a_root_of_pi_by_hand() -> None:
    """2π = 32·arctan(1/5) − 8·arctan(1/239), in 256ths between 32·45 − 8·5 and 32·57 + 8·3: so its root is
    between 598/256 and 688/256."""
    assert normal._inverse_root_of_two_pi(-8) == Interval(F(256, 688), F(256, 598))


@pytest.mark.parametrize("bits", [1, 2, 4, 7, 12])
def test_the_normal_distribution_to_a_few_bits(bits: int) -> None:
    with mpmath.workdps(60):
        for n in range(-60, 61):
            x = F(n, 13)
            at = mpmath.mpf(x.numerator) / x.denominator
            for found, exact, wide in (
                (
                    normal._distribution(x, bits),
                    mpmath.ncdf(at),
                    F(1, 2**bits if x * x > 2 * bits else 2 ** (bits + 4)),
                ),
                (normal.density(x, bits), mpmath.npdf(at), F(1, 2**bits)),
                (normal.root(abs(x), bits), mpmath.sqrt(abs(at)), F(2, 2**bits) * max(1, abs(x))),
            ):
                assert mpmath.mpf(found.low.numerator) / found.low.denominator <= exact
                assert exact <= mpmath.mpf(found.high.numerator) / found.high.denominator
                assert found.high - found.low <= wide


def wide(found: tuple[Fraction, Fraction]) -> tuple[object, object]:
    return tuple(mpmath.mpf(end.numerator) / end.denominator for end in found)  # type: ignore[return-value]


def of_normal_noise(mu: object, epsilon: object) -> object:
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)  # type: ignore[operator]


@pytest.mark.parametrize("bits", [2, 5, 9])
@pytest.mark.parametrize("square", [F(1, 9), F(1), F(9)])
def test_normal_noise_to_a_few_bits(square: Fraction, bits: int) -> None:
    with mpmath.workdps(60):
        mu, one = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator), Normal(number(square))
        for n in range(-9, 10):
            epsilon = F(n, 2)
            exact = of_normal_noise(mu, mpmath.mpf(n) / 2)
            low, high = wide((one.below(epsilon, bits), one.above(epsilon, bits)))
            assert 0 <= low <= exact <= high <= 1 and high - low <= mpmath.mpf(2) ** -bits  # type: ignore[operator]
            q, p = one.event(epsilon, bits)
            for found, sign in ((p, 1), (q, -1)):
                low, high = wide((found.low, found.high))
                assert low <= mpmath.ncdf(sign * mu / 2 - mpmath.mpf(n) / 2 / mu) <= high  # type: ignore[operator]
            # δ(ε) = P(loss > ε) − e^ε·Q(loss > ε)
            assert (
                p.low - F(2) ** -bits
                <= one.above(epsilon, bits) + enclosure(exp(number(epsilon)), 40).high * q.high
            )


def test_one_mechanism_is_still_where_nothing_moves() -> None:
    """δ(ε) = max(0, 1 − e^ε) where both outputs have one law."""
    still = Normal(ZERO)
    assert (
        still.below(F(1), 20) == still.above(F(1), 20) == still.below(F(0), 20) == still.above(F(0), 20) == 0
    )
    assert 1 - F(1, 2) - F(1, 9) < still.below(F(-1), 20) <= still.above(F(-1), 20) < F(2, 3)
    assert still.above(F(-1), 20) - still.below(F(-1), 20) < F(1, 2**18)


@pytest.mark.parametrize("rho", [F(1, 20), F(1, 2), F(3)])
def test_what_is_zcdp_turned(rho: Fraction) -> None:
    """Below 0 the other order counts too: δ(−ε) ≤ 1 − e^(−ε)·(1 − δ(ε)), and no more than 1."""
    one = Normal(ZERO, number(rho))
    for n in range(1, 9):
        epsilon = F(n, 3)
        ahead, turned = one.above(epsilon, 40), one.above(-epsilon, 40)
        bound = 1 - enclosure(exp(number(-epsilon)), 60).low * (1 - ahead)
        assert turned <= bound + F(1, 2**36) and 0 < ahead < turned <= 1


@pytest.mark.parametrize("bits", [3, 8, 30])
def test_laplace_noise_by_hand(bits: int) -> None:
    """a = log(4): 1 − 2^x, 1 − 2^(x/2)/2, 0 at ε = x·log(2), as x < −2, |x| ≤ 2, x > 2."""
    one, room = Laplace(2 * TWO), F(1, 2**bits)
    for x, exact in ((-4, F(15, 16)), (-2, F(3, 4)), (0, F(1, 2)), (2, F(0)), (3, F(0)), (10**6, F(0))):
        found = one.delta(enclosure(x * TWO, 60), bits)
        assert found.low <= exact <= found.high <= exact + room and exact - room <= found.low
        assert found.low >= 0
    both = one.delta(enclosure(-2 * TWO, 60).at_most(enclosure(ZERO, 60)), bits)
    assert both.low <= F(3, 4) <= both.high
    for x, (q, p) in {0: (F(1, 4), F(3, 4)), 2: (F(1, 8), F(1, 2)), 5: (F(1, 8), F(1, 2))}.items():
        epsilon = enclosure(x * TWO, 60).low
        for found, exact in zip(one.event(epsilon, bits), (q, p), strict=True):
            assert exact - room <= found.low <= exact + F(1, 2**50) and exact - F(1, 2**50) <= found.high
            assert found.high - found.low <= room


def test_quantiles_by_hand() -> None:
    half = normal.quantile(Interval.of(F(1, 2)), 20)
    assert half is not None and -F(1, 10**5) < half.low <= 0 <= half.high < F(1, 10**5)
    for p in (F(0), F(1), F(-1), F(2)):
        assert normal.quantile(Interval.of(p), 20) is None
    assert (
        normal.quantile(Interval(F(0), F(1, 2)), 20) is None is normal.quantile(Interval(F(1, 2), F(1)), 20)
    )
    with mpmath.workdps(40):
        for x in (-8, -3, -1, 1, 2, 8):
            exact = F(str(mpmath.ncdf(x)))
            found = normal.quantile(Interval(exact - F(1, 10**30), exact + F(1, 10**30)), 64)
            assert found is not None and found.low <= x <= found.high < found.low + F(1, 10**4)
    with pytest.raises(ValueError, match="continued fraction"):
        normal.ratio(F(0), 20)


@UP
@pytest.mark.parametrize(("shorter", "farthest"), [(1, 2), (2, 8), (4, 6)])
def test_the_table_of_normal_noise_at_few_intervals(
    shorter: int, farthest: int, up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the intervals of losses: no less than the curve above, no more below."""
    monkeypatch.setattr(tails, "SHORTER", shorter)
    monkeypatch.setattr(tails, "FARTHEST", farthest)
    spreading._cells.cache_clear()
    found = spreading.of_normal(Normal(number(F(4))), 20, up)
    spreading._cells.cache_clear()
    assert min(found.masses.values()) >= 0 and (sum(found.masses.values()) + found.infinite >= 1) is up
    with mpmath.workdps(40):
        for n in range(-12, 20):
            c = F(str(mpmath.exp(mpmath.mpf(n) / 3)))
            exact = F(str(of_normal_noise(mpmath.mpf(2), mpmath.mpf(n) / 3)))
            value = excess(found.masses.items(), c) + found.infinite
            assert value >= exact - F(1, 10**30) if up else value <= exact + F(1, 10**30)


@pytest.mark.parametrize("bits", [-13, -10, -4, 3])
def test_the_continued_fraction_to_a_few_bits(bits: int) -> None:
    """From (1 − Φ(1))/φ(1) = 0.6557 on, in units of up to an eighth."""
    with mpmath.workdps(50):
        for n in range(2, 24):
            found, x = normal.ratio(F(n, 2), bits), mpmath.mpf(n) / 2
            low, high = wide((found.low, found.high))
            exact = (1 - mpmath.ncdf(x)) / mpmath.npdf(x)
            assert low <= exact <= high and high - low <= mpmath.mpf(2) ** -bits  # type: ignore[operator]
