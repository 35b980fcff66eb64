"""The distribution function Φ of the standard normal distribution, enclosed by rationals.

Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + …) for x ≥ 0: all terms are positive, and once x² < (2k + 3)/2
those after the k-th add up to less than it.  Every rounding goes outward.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from dpcompose.language.exponentials import power_of_e

Enclosure = tuple[Fraction, Fraction]

_PI = 314159265358979323846264338327950288419716939937510582097494459230781640628620899
"""π·10^80, rounded down."""

MOST_DIGITS = 70
FARTHEST = 30
"""Beyond this x0 Φ is enclosed by 1 and 1 − e^(−x0²/2)/2 only."""


def distribution(x: Fraction, digits: int) -> Enclosure:
    """Rationals lower ≤ Φ(x) ≤ upper; digits -- to about so many, up to MOST_DIGITS.

    >>> lower, upper = distribution(Fraction(1), 30)
    >>> float(lower), upper - lower < Fraction(1, 10**29)
    (0.8413447460685429, True)
    """
    if x < 0:
        lower, upper = distribution(-x, digits)
        return 1 - upper, 1 - lower
    if x > FARTHEST:
        return 1 - power_of_e(Fraction(-(FARTHEST**2), 2), digits)[1] / 2, Fraction(1)
    density = power_of_e(-x * x / 2, digits + 10)
    scale = 10 ** (digits + 10)
    square = x * x
    low, high = (x * scale).__floor__(), (x * scale).__ceil__()
    total_low, total_high, k = low, high, 0
    while high > 1 or square * 2 >= 2 * k + 3:
        low = low * square.numerator // (square.denominator * (2 * k + 3))
        high = -(-high * square.numerator // (square.denominator * (2 * k + 3)))
        total_low, total_high, k = total_low + low, total_high + high, k + 1
    # √(2π) between two multiples of 10^−80
    roots = [Fraction(isqrt(2 * (_PI + n) * 10**80) + n, 10**80) for n in (0, 1)]
    half = Fraction(1, 2)
    return (
        half + density[0] * Fraction(total_low, scale) / roots[1],
        half + density[1] * Fraction(total_high + high, scale) / roots[0],
    )


def quantile(p: Enclosure, digits: int) -> Enclosure | None:
    """Rationals lower ≤ Φ⁻¹(p) ≤ upper for 0 < p < 1 that is enclosed; None farther out than FARTHEST.

    >>> lower, upper = quantile((Fraction(3, 4), Fraction(3, 4)), 20)
    >>> float(lower)
    0.6744897501960817
    """
    lower, upper = Fraction(-FARTHEST), Fraction(FARTHEST)
    if distribution(lower, digits)[1] > p[0] or distribution(upper, digits)[0] < p[1]:
        return None
    left = _last(lambda x: distribution(x, digits)[1] <= p[0], lower, upper, digits)
    return left, -_last(lambda x: distribution(-x, digits)[0] >= p[1], lower, -left, digits)


def _last(holds: Callable[[Fraction], bool], lower: Fraction, upper: Fraction, digits: int) -> Fraction:
    """A point close to the last one at which what holds at `lower` still holds."""
    while (upper - lower) * 10**digits > 1:
        middle = (lower + upper) / 2
        if holds(middle):
            lower = middle
        else:
            upper = middle
    return lower
