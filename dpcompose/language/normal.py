"""The distribution function Φ of the standard normal distribution, enclosed by rationals.

Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + …) for x ≥ 0: all terms are positive, and once x² < (2k + 3)/2
those after the k-th add up to less than it.  Every rounding goes outward.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction

from dpcompose.language.enclosures import MOST_LOGARITHM, ONE, ZERO, Interval, exp

HALF = Interval.of(Fraction(1, 2))
FARTHEST = 10_000
"""How far out quantiles are looked for."""


def distribution(x: Interval, bits: int) -> Interval:
    """Between which numbers Φ(x) lies, up to about 2^−bits.

    >>> found = distribution(ONE, 100)
    >>> float(found.low), found.high - found.low < Fraction(1, 2**98)
    (0.8413447460685429, True)
    """
    return Interval(_distribution(x.low, bits).low, _distribution(x.high, bits).high)


@functools.lru_cache(maxsize=4096)
def _distribution(x: Fraction, bits: int) -> Interval:
    if x < 0:
        return ONE - _distribution(-x, bits)
    if x == 0:
        return HALF
    square = x * x / 2
    if square > bits:  # 1 − Φ(x) ≤ e^(−x²/2)/2, which is less than 2^−bits
        return Interval(1 - exp(Interval.of(-min(square, Fraction(bits))), 16).high / 2, Fraction(1))
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
    return (HALF + density(Interval.of(x), bits) * series).rounded(bits + 8)


def density(x: Interval, bits: int) -> Interval:
    """φ(x) = e^(−x²/2)/√(2π), where x² ≤ 2·MOST_LOGARITHM; else between 0 and its value there.

    >>> found = density(ZERO, 100)
    >>> float(found.low), found.high - found.low < Fraction(1, 2**98)
    (0.3989422804014327, True)
    """
    square = x * x * HALF if x.low > 0 or x.high < 0 else Interval(Fraction(0), max(x.low**2, x.high**2) / 2)
    far = Interval.of(MOST_LOGARITHM)
    power = exp(ZERO - square.at_most(far), bits + 8)
    power = power if square.high <= far.low else Interval(Fraction(0), power.high)
    return (power * _root_of_two_pi(bits + 8).inverse()).rounded(bits + 8)


@functools.lru_cache(maxsize=4096)
def mills(x: Fraction, bits: int) -> Interval:
    """Mills' ratio Φ(−x)/φ(x) for x ≥ 0, to about so many significant bits.

    Far out by the continued fraction 1/(x + 1/(x + 2/(x + 3/(x + …)))), in which what follows a numerator n
    is at least x and at most x + (n + 1)/x.

    >>> [f"{float(mills(Fraction(x), 64).low):.12f}" for x in (0, 1, 10, 10**6)]
    ['1.253314137316', '0.655679542419', '0.099028596472', '0.000001000000']
    """
    if x * x <= 2 * bits:
        more = 2 * bits + int(x * x) + 8
        return (_distribution(-x, more) * density(Interval.of(x), more).inverse()).rounded(bits + 8)
    here = Interval.of(x)
    tail = Interval(x, x + Fraction(bits + 1) / x)
    for n in range(bits, 0, -1):
        tail = (here + Interval.of(n) * tail.inverse()).rounded(bits + 16)
    return tail.inverse().rounded(bits + 8)


def quantile(p: Interval, bits: int) -> Interval | None:
    """Between which numbers Φ⁻¹(p) lies; None where p is 0 or 1, or too close to it to tell.

    >>> found = quantile(Interval.of(Fraction(3, 4)), 64)
    >>> float(found.low)
    0.6744897501960817
    """
    if p.low <= 0 or p.high >= 1:
        return None
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


@functools.lru_cache(maxsize=64)
def _root_of_two_pi(bits: int) -> Interval:
    """√(2π), with π = 16·arctan(1/5) − 4·arctan(1/239)."""
    from math import isqrt

    scale = bits + 16
    five, other = _arctan_of_inverse(5, scale), _arctan_of_inverse(239, scale)
    low, high = 32 * five[0] - 8 * other[1], 32 * five[1] - 8 * other[0]
    return Interval(Fraction(isqrt(low << scale), 1 << scale), Fraction(isqrt(high << scale) + 1, 1 << scale))


def _arctan_of_inverse(n: int, scale: int) -> tuple[int, int]:
    """Bounds of 1/n − 1/(3n³) + … in units of 2^−scale: what follows a term is at most that term."""
    power, total, j = (1 << scale) // n, 0, 0
    while power:
        total += (-1) ** j * (power // (2 * j + 1))
        power //= n * n
        j += 1
    return total - 2 * j - 2, total + 2 * j + 2
