"""The mean of 1 - e^(ε - L) over losses L > ε, rounded up and down: against the sum itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from dpcompose.kernel.deciders.curves.lattices import Rounding
from dpcompose.kernel.deciders.curves.losses import Axis, Losses
from dpcompose.kernel.deciders.curves.tails import Laplace
from dpcompose.kernel.expressions.intervals import Interval, enclosure
from dpcompose.kernel.expressions.terms import Term, log, number

F = Fraction
DIGITS = 30
LN_2 = log(number(2))
Shares = Sequence[str]


def axis(step: Term, offset: int, shares: Shares) -> Axis:
    """Losses (2n - offset)*step with these probabilities."""
    return Axis(step, offset, tuple(int(F(share) * 10**DIGITS) for share in shares))


def losses(
    up: bool, *axes: Axis, finite: str = "1", infinite: str = "0", ratio: Term | None = None
) -> Losses:
    tail = None if ratio is None else Laplace(ratio)
    return Losses(axes, F(finite), F(infinite), 100, Rounding(DIGITS, up), tail)


def real(term: Term) -> mpmath.mpf:
    x = enclosure(term, 200).low
    return mpmath.mpf(x.numerator) / x.denominator


def points(one: Axis) -> Iterator[tuple[mpmath.mpf, mpmath.mpf]]:
    for n, mass in enumerate(one.masses):
        yield (2 * n - one.offset) * real(one.step), mpmath.mpf(mass) / 10**DIGITS


def summed(of: Losses, epsilon: Term) -> mpmath.mpf:
    """Over all losses one by one; beside Laplace noise of a ratio a, of which δ at t is 1 - e^((t - a)/2)."""
    a = real(of.tail.ratio) if isinstance(of.tail, Laplace) else mpmath.mpf(0)
    total = mpmath.mpf(0)
    for some in product(*map(points, of.axes)):
        t = real(epsilon) - sum(loss for loss, _ in some)
        weight = max(mpmath.mpf(0), 1 - mpmath.exp(t), 1 - mpmath.exp((t - a) / 2) if a else mpmath.mpf(0))
        total += weight * mpmath.fprod(mass for _, mass in some)
    return min(mpmath.mpf(1), total * real(number(of.finite)) + real(number(of.infinite)))


ONE = axis(LN_2, 3, ["1/8", "3/8", "3/8", "1/8"])
ODD = axis(number("1/3"), 2, ["1/5", "0", "3/10", "1/4", "1/4"])
WIDE = axis(number(2), 1, ["1/2", "1/2"])
AXES: list[tuple[Axis, ...]] = [(), (ONE,), (ODD,), (ONE, ODD), (ODD, ONE), (WIDE, ODD), (ONE, ODD, WIDE)]
EPSILONS = [number(x) for x in ("-5", "-1", "-2/3", "0", "1/7", "2/3", "1", "2", "8")]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("epsilon", [*EPSILONS, LN_2, -LN_2, 3 * LN_2], ids=str)
@pytest.mark.parametrize("ratio", [None, number("1/2"), number(3), LN_2], ids=str)
@pytest.mark.parametrize(("finite", "infinite"), [("1", "0"), ("3/4", "1/4")])
def test_the_mean_of_what_is_above(
    axes: tuple[Axis, ...], epsilon: Term, ratio: Term | None, finite: str, infinite: str
) -> None:
    """Between the two ends, which are close; at ε = 0, ±ln 2, 2/3 a loss may be ε itself."""
    low, high = (
        losses(up, *axes, finite=finite, infinite=infinite, ratio=ratio).delta(epsilon)
        for up in (False, True)
    )
    assert 0 <= low <= high and high - low < F(1, 10**26)
    with mpmath.workdps(50):
        exact = summed(losses(True, *axes, finite=finite, infinite=infinite, ratio=ratio), epsilon)
        tiny = mpmath.mpf(10) ** -45
        assert real(number(low)) <= exact + tiny and exact <= real(number(high)) + tiny


def test_there_is_no_delta_above_1() -> None:
    of = losses(True, ONE, finite="1", infinite="1")
    assert of.delta(number(-9)) == 1


TINY = F(1, 10**40)


@pytest.mark.parametrize(
    ("low", "high", "up", "exactly", "first"),
    [
        (F(1), F(1), True, None, 2),  # the losses -2, 0, 2, 4, 6
        (F(1), F(1), False, None, 2),
        (F(-9), F(-9), True, None, 0),
        (F(-9), F(-9), False, None, 0),
        (F(9), F(9), False, None, 6),
        (-TINY, TINY, True, None, 1),  # 0 may be above
        (-TINY, TINY, False, None, 2),  # or not
        (-TINY, TINY, True, number(0), 2),  # it is not
        (-TINY, TINY, True, number(TINY / 2), 1),
        (-TINY, TINY, True, number(-TINY / 2), 1),
        (-TINY, TINY, False, number(-TINY / 2), 2),
        (-TINY, F(0), True, number(0), 2),
        (F(0), TINY, True, number(0), 2),
        (F(0), F(0), True, number(0), 2),
        (F(0), F(0), True, None, 2),
        (2 - TINY, 2 + TINY, True, number(2), 3),
        (2 - TINY, 2 + TINY, True, number(1), 2),
    ],
)
def test_the_first_loss_that_is_above(
    low: Fraction, high: Fraction, up: bool, exactly: Term | None, first: int
) -> None:
    one = axis(number(1), 2, ["1/5"] * 5)
    assert losses(up, one)._first(one, Interval(low, high), exactly) == first
