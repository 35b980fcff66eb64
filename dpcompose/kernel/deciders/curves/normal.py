"""The distribution function Φ of the standard normal distribution, enclosed by rationals.

Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + …) for x ≥ 0: all terms are positive, and once x² < (2k + 3)/2
those after the k-th add up to less than it.  Far out the ratio (1 − Φ)/φ is a continued fraction.
Every rounding goes outward.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from dpcompose.kernel.expressions.intervals import ONE, Interval, exp

HALF = Interval.of(Fraction(1, 2))
FARTHEST = 10_000
"""How far out quantiles are looked for."""


def distribution(x: Interval, bits: int) -> Interval:
    """Between which numbers Φ(x) lies, up to about 2^−bits.

    >>> found = distribution(ONE, 100)
    >>> found.low * 10**10 // 1, found.high - found.low < Fraction(1, 2**98)
    (8413447460, True)
    """
    return Interval(_distribution(x.low, bits).low, _distribution(x.high, bits).high)


@functools.lru_cache(maxsize=4096)
def _distribution(x: Fraction, bits: int) -> Interval:
    if x < 0:
        return ONE - _distribution(-x, bits)
    square = x * x / 2
    if square > bits:  # 1 − Φ(x) ≤ e^(−x²/2)/2, which is less than 2^−bits
        return Interval(1 - exp(Interval.of(-bits), 16).high / 2, Fraction(1))
    # the sum is at most e^(x²/2)·√(2π)/2, so that many more bits make its product with φ(x) exact enough
    more = bits + int(square * 3 / 2) + 8
    x2 = x * x * 2**more
    below, above = x2.numerator // x2.denominator, -(-x2.numerator // x2.denominator)
    first = x * 2**more
    low, high = first.numerator // first.denominator, -(-first.numerator // first.denominator)
    total_low, total_high, k = low, high, 0
    while high > 1 or x * x * 2 >= 2 * k + 3:
        low = (low * below >> more) // (2 * k + 3)
        high = -((-high * above >> more) // (2 * k + 3))
        total_low, total_high, k = total_low + low, total_high + high, k + 1
    series = Interval(Fraction(total_low, 1 << more), Fraction(total_high + high, 1 << more))
    return (HALF + density(x, bits + 8) * series).rounded(bits + 8)


def density(x: Fraction, bits: int) -> Interval:
    """φ(x) = e^(−x²/2)/√(2π), to about so many significant bits."""
    return exp(Interval.of(-x * x / 2), bits) * _inverse_root_of_two_pi(bits)


def is_far(x: Fraction, bits: int) -> bool:
    """Whether `ratio` takes few steps at x."""
    return x >= 3 and 16 * x * x >= bits


@functools.lru_cache(maxsize=4096)
def ratio(x: Fraction, bits: int) -> Interval:
    """Mills' ratio (1 − Φ(x))/φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) for x > 0, up to about 2^−bits.

    With I_n(x) = ∫_x^∞ (t − x)^n/n!·φ(t) dt and I_{−1} = φ, I_{n−2} = x·I_{n−1} + n·I_n by parts; so what
    follows "x +" in the n-th denominator is n·I_n/I_{n−1} > 0.  It lies between 0 and n/x: from there back.

    >>> found = ratio(Fraction(3), 64)
    >>> found.low * 10**9 // 1, found.high - found.low < Fraction(1, 2**64)
    (304590298, True)
    """
    if x <= 0:
        raise ValueError("the continued fraction is one of x > 0")
    scale = bits + 16
    at = x * 2**scale
    x_low, x_high = at.numerator // at.denominator, -(-at.numerator // at.denominator)
    depth = 8
    while True:
        low, high = 0, -(-(depth << 2 * scale) // x_low)
        for k in range(depth - 1, 0, -1):
            low, high = (k << 2 * scale) // (x_high + high), -(-(k << 2 * scale) // (x_low + low))
        low, high = (1 << 2 * scale) // (x_high + high), -(-(1 << 2 * scale) // (x_low + low))
        if high - low < 1 << 16:
            return Interval(Fraction(low, 1 << scale), Fraction(high, 1 << scale))
        depth *= 2


def quantile(p: Interval, bits: int) -> Interval | None:
    """Between which numbers Φ⁻¹(p) lies; None where p is 0 or 1, or too close to it to tell.

    >>> quantile(Interval.of(Fraction(3, 4)), 64).low * 10**12 // 1
    674489750196
    """
    end = Fraction(1)
    while not (
        distribution(Interval.of(-end), bits).high <= p.low
        and distribution(Interval.of(end), bits).low >= p.high
    ):
        end *= 2
        if end > FARTHEST:
            return None
    left = _last(lambda x: _distribution(x, bits).high <= p.low, -end, end, bits)
    return Interval(left, -_last(lambda x: _distribution(-x, bits).low >= p.high, -end, -left, bits))


def _last(holds: Callable[[Fraction], bool], lower: Fraction, upper: Fraction, bits: int) -> Fraction:
    """A point close to the last one at which what holds at `lower` still holds."""
    while (upper - lower) * 2**bits > 1:
        middle = (lower + upper) / 2
        if holds(middle):
            lower = middle
        else:
            upper = middle
    return lower


def root(x: Fraction, bits: int) -> Interval:
    """√x of a rational x ≥ 0, to about so many significant bits; 0 below."""
    return Interval.of(max(Fraction(0), x)).root(bits)


@functools.lru_cache(maxsize=64)
def _inverse_root_of_two_pi(bits: int) -> Interval:
    """1/√(2π), with π = 16·arctan(1/5) − 4·arctan(1/239)."""
    scale = bits + 16
    five, other = _arctan_of_inverse(5, scale), _arctan_of_inverse(239, scale)
    low, high = 32 * five[0] - 8 * other[1], 32 * five[1] - 8 * other[0]
    below, above = isqrt(low << scale), isqrt(high << scale) + 1
    return Interval(Fraction(below, 1 << scale), Fraction(above, 1 << scale)).inverse()


def _arctan_of_inverse(n: int, scale: int) -> tuple[int, int]:
    """Bounds of 1/n − 1/(3n³) + … in units of 2^−scale: what follows a term is at most that term."""
    power, total, j = (1 << scale) // n, 0, 0
    while power:
        total += (-1) ** j * (power // (2 * j + 1))
        power //= n * n
        j += 1
    return total - 2 * j - 2, total + 2 * j + 2
