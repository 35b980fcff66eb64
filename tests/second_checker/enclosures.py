"""Intervals with rational ends that enclose exp, log and roots: all numbers here are exact or rounded outwards.

An end may be infinite (a float, the only ones here); 0·∞ is 0, since no end is attained there.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt

INF = float("inf")
End = Fraction | float
Interval = tuple[End, End]
BITS, SHORT = 160, 60


def rounded(x: End, up: bool) -> End:
    """x to `BITS` significant binary digits, never towards the inside; short fractions as they are."""
    if isinstance(x, float) or x == 0:
        return x
    above, below = x.numerator, x.denominator
    if max(above.bit_length(), below.bit_length()) <= SHORT:
        return x
    shift = BITS - above.bit_length() + below.bit_length()
    if shift >= 0:
        above <<= shift
    else:
        below <<= -shift
    whole = -((-above) // below) if up else above // below
    return Fraction(whole, 1 << shift) if shift >= 0 else Fraction(whole << -shift)


def outward(low: End, high: End) -> Interval:
    """The interval with both ends rounded outwards."""
    return rounded(low, False), rounded(high, True)


def plus(x: Interval, y: Interval) -> Interval:
    """x + y; lower ends are never +∞, nor upper ones −∞."""
    return outward(x[0] + y[0], x[1] + y[1])


def product(a: End, b: End) -> End:
    """a·b with 0·∞ = 0."""
    return Fraction(0) if a == 0 or b == 0 else a * b


def times(x: Interval, y: Interval) -> Interval:
    """x·y."""
    if x[0] >= 0 and y[0] >= 0:
        return outward(product(x[0], y[0]), product(x[1], y[1]))
    ends = [product(a, b) for a in x for b in y]
    return outward(min(ends), max(ends))


def inverse(x: Interval) -> Interval:
    """1/x for an interval of one sign."""
    if x[0] < 0:
        low, high = inverse((-x[1], -x[0]))
        return -high, -low
    return (
        Fraction(0) if x[1] == INF else rounded(1 / Fraction(x[1]), False),
        INF if x[0] == 0 else rounded(1 / Fraction(x[0]), True),
    )


def exp_end(x: End, up: bool) -> End:
    """A bound of exp(x): Taylor's series of x/2^n ≤ 1/2, squared n times."""
    if x == INF:
        return INF
    if x == -INF or x < -100000:
        return Fraction(0) if not up else exp_end(Fraction(-100000), True)
    x = Fraction(x)
    if x < 0:
        return rounded(1 / Fraction(exp_end(-x, not up)), up)
    if x > 100000:
        return INF if up else exp_end(Fraction(100000), False)
    halvings = max(0, int(x).bit_length() + 1)
    small, total, term, n = x / 2**halvings, Fraction(1), Fraction(1), 1
    small = Fraction(rounded(small, up))
    while n < 60:
        term = Fraction(rounded(term * small / n, up))
        total += term
        n += 1
    # what is left out is at most the last term, since each one is at most half of the one before
    total = Fraction(rounded(total + (term if up else 0), up))
    for _ in range(halvings):
        total = Fraction(rounded(total * total, up))
    return total


def exponential(x: Interval) -> Interval:
    """exp(x)."""
    return exp_end(x[0], False), exp_end(x[1], True)


def log_end(x: End, up: bool) -> End:
    """A bound of log(x), x ≥ 0: n·log 2 + log(y) with y in [2/3, 4/3]."""
    if x == INF:
        return INF
    if x <= 0:
        return -INF
    y, twos = Fraction(x), 0
    twos = y.numerator.bit_length() - y.denominator.bit_length()
    y /= Fraction(2) ** twos
    while y > Fraction(4, 3):
        y, twos = y / 2, twos + 1
    while y < Fraction(2, 3):
        y, twos = y * 2, twos - 1
    low, high = near_one(Fraction(y))
    shift = times((Fraction(twos), Fraction(twos)), log_of_two())
    return rounded(high + shift[1], True) if up else rounded(low + shift[0], False)


@cache
def log_of_two() -> Interval:
    """log 2 = log(4/3) − log(2/3)."""
    one, other = near_one(Fraction(4, 3)), near_one(Fraction(2, 3))
    return one[0] - other[1], one[1] - other[0]


def near_one(y: Fraction) -> tuple[Fraction, Fraction]:
    """An enclosure of log(y) = 2·artanh((y − 1)/(y + 1)) for y in [2/3, 4/3]."""
    z = (y - 1) / (y + 1)
    low = high = Fraction(0)
    power = (z, z)
    square = times((z, z), (z, z))
    for n in range(1, 90, 2):
        low, high = plus((low, high), times(power, (Fraction(2, n), Fraction(2, n))))  # type: ignore[assignment]
        power = times(power, square)  # type: ignore[assignment]
    # |z| ≤ 1/5: what is left out is less than this
    rest = Fraction(1, 5**90)
    return low - rest, high + rest


def logarithm(x: Interval) -> Interval:
    """log(x), x ≥ 0."""
    return log_end(x[0], False), log_end(x[1], True)


def root_end(x: End, up: bool) -> End:
    """A bound of √x, x ≥ 0."""
    if x == INF:
        return INF
    if x <= 0:
        return Fraction(0)
    y = Fraction(x)
    shift = 2 * BITS + 2 * abs(y.numerator.bit_length() - y.denominator.bit_length())
    whole = isqrt(y.numerator * 2**shift // y.denominator)
    return rounded(Fraction(whole + up, 2 ** (shift // 2)), up)


def power(x: Interval, p: Fraction) -> Interval:
    """x^p: by products for whole p, by roots for halves, else by exp and log (x ≥ 0)."""
    if p < 0:
        return inverse(power(x, -p))
    if p.denominator == 1:
        if p.numerator % 2 == 0 and x[0] < 0 < x[1]:
            return Fraction(0), power((Fraction(0), max(-x[0], x[1])), p)[1]
        result: Interval = (Fraction(1), Fraction(1))
        for _ in range(p.numerator):
            result = times(result, x)
        if p.numerator % 2 == 0:
            result = max(result[0], Fraction(0)), result[1]
        return result
    if p.denominator == 2:
        return power((root_end(x[0], False), root_end(x[1], True)), 2 * p)
    return exponential(times((p, p), logarithm(x)))
