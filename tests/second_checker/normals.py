"""Curves of normal noise, and what zero-concentrated privacy gives from above (certificates.md, Curves)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from second_checker import enclosures
from second_checker.enclosures import BITS, INF, Interval

ZERO: Interval = (Fraction(0), Fraction(0))
ONE: Interval = (Fraction(1), Fraction(1))


def exact(x: Fraction | int) -> Interval:
    """A number as an interval."""
    return Fraction(x), Fraction(x)


def less(x: Interval, y: Interval) -> Interval:
    """x − y."""
    return enclosures.plus(x, (-y[1], -y[0]))


def clipped(x: Interval) -> Interval:
    """max(0, x) of a probability, at most 1."""
    return max(Fraction(0), min(Fraction(1), x[0])), max(Fraction(0), min(Fraction(1), x[1]))


@cache
def pi() -> Interval:
    """π = 16·arctan(1/5) − 4·arctan(1/239) (Machin)."""
    one, other = arctan(Fraction(1, 5)), arctan(Fraction(1, 239))
    return 16 * one[0] - 4 * other[1], 16 * one[1] - 4 * other[0]


def arctan(x: Fraction) -> tuple[Fraction, Fraction]:
    """arctan(x) for 0 < x ≤ 1/5: the series alternates, so it lies between two sums that follow each other."""
    total, n = Fraction(0), 0
    while x ** (2 * n + 1) > Fraction(1, 2 ** (BITS + 8)):
        total += (-1) ** n * x ** (2 * n + 1) / (2 * n + 1)
        n += 1
    following = total + (-1) ** n * x ** (2 * n + 1) / (2 * n + 1)
    return min(total, following), max(total, following)


def below(x: Fraction) -> Interval:
    """Φ(x), the probability that a normal number is below x."""
    if x < 0:
        low, high = below(-x)
        return 1 - high, 1 - low
    far = enclosures.exponential(exact(-x * x / 2))
    if x * x > 4 * BITS:
        return 1 - Fraction(far[1]) / 2, Fraction(1)
    density = enclosures.times(far, enclosures.inverse(enclosures.power(times2(pi()), Fraction(1, 2))))
    term = total = exact(x)
    j = 0
    while True:
        j += 1
        term = enclosures.times(term, exact(x * x / (2 * j + 1)))
        total = enclosures.plus(total, term)
        if 2 * x * x < 2 * j + 3 and term[1] < Fraction(1, 2**BITS):
            break
    # from here on each term is less than half of the one before
    total = total[0], total[1] + term[1]
    return clipped(enclosures.plus(exact(Fraction(1, 2)), enclosures.times(density, total)))


def times2(x: Interval) -> Interval:
    """2·x."""
    return 2 * x[0], 2 * x[1]


def normal(square: Interval, x: Interval) -> Interval:
    """The curve at x of normal noise whose values lie √square apart: it rises with square and falls with x."""
    return normal_at(square[0], x[1])[0], normal_at(square[1], x[0])[1]


def normal_at(square: Fraction | float, x: Fraction | float) -> Interval:
    """The same at numbers."""
    if square == 0:
        return clipped(less(ONE, enclosures.exponential((x, x))))
    mu = enclosures.power((square, square), Fraction(1, 2))
    half = enclosures.times(mu, exact(Fraction(1, 2)))
    share = enclosures.times((x, x), enclosures.inverse(mu))
    one, other = less(half, share), less((-half[1], -half[0]), share)
    first = below(Fraction(one[0]))[0], below(Fraction(one[1]))[1]
    second = below(Fraction(other[0]))[0], below(Fraction(other[1]))[1]
    return clipped(less(first, enclosures.times(enclosures.exponential((x, x)), second)))


def concentrated(rho: Fraction, x: Fraction) -> Fraction:
    """A δ at x for everything that is rho-zCDP, by the best order found; −x is looked at too."""
    if rho == 0:
        return Fraction(clipped(less(ONE, enclosures.exponential((x, x))))[1])
    straight = by_order(rho, x)
    other = less(ONE, enclosures.times(enclosures.exponential((x, x)), exact(1 - by_order(rho, -x))))
    return min(straight, Fraction(clipped(other)[1]))


def by_order(rho: Fraction, x: Fraction) -> Fraction:
    """exp(t((t + 1)·rho − x))·(t/(t + 1))^(t + 1)/t at an order t + 1 > 1, or 1."""
    t = order(rho, x)
    logarithm = enclosures.logarithm(exact(t / (t + 1)))
    exponent = enclosures.plus(exact(t * ((t + 1) * rho - x)), enclosures.times(exact(t + 1), logarithm))
    value = enclosures.times(enclosures.exponential(exponent), exact(1 / t))
    return Fraction(clipped(value)[1])


def order(rho: Fraction, x: Fraction) -> Fraction:
    """Near the t at which the bound is least: (2t + 1)·rho − x + log(t/(t + 1)) = 0, by Newton from below."""
    t = Fraction(1)
    while slope(rho, x, t) > 0:
        t /= 16
    for _ in range(60):
        step = -slope(rho, x, t) / (2 * rho + 1 / (t * (t + 1)))
        if step < t / 2**60:
            break
        t = Fraction(enclosures.rounded(t + step, False)).limit_denominator(2**80)
    return t


def slope(rho: Fraction, x: Fraction, t: Fraction) -> Fraction:
    """What Newton's steps bring to 0."""
    return (2 * t + 1) * rho - x + Fraction(enclosures.logarithm(exact(t / (t + 1)))[0])


__all__ = ["INF", "ONE", "ZERO", "clipped", "concentrated", "exact", "less", "normal"]
