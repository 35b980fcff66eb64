"""What mechanisms lose together, each with all its losses in some interval of a known length.

The proofs are on the page exponential-curve: of each the worst has two losses, t and t − a with 0 < t < a,
the first with the probability (1 − e^(t−a))/(1 − e^−a); several that are alike lose most where t is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from dpcompose.kernel.expressions.intervals import ONE, ZERO, Interval, enclosure, exp
from dpcompose.kernel.expressions.terms import Term

MOST_ALIKE, MOST_LOSSES = 60, 2_000
"""Of up to how many that are alike the least δ is computed; and up to how many different losses are gone
through where it is known from below only."""
LOOKED_AT = tuple(Fraction(n, 8) for n in range(1, 8))
"""At which shares of the interval the larger loss is tried there."""


@lru_cache(maxsize=256)
def together(a: Term, count: int, epsilon: Term, bits: int) -> Interval:
    """δ(ε) of so many independent ones, at most MOST_ALIKE.

    >>> from dpcompose.kernel.expressions.terms import number
    >>> [together(number(1), k, number(Fraction(1, 2)), 64).low * 10**6 // 1 for k in (1, 2)]
    [77404, 152451]
    """
    digits = _digits(a, bits) + 2 * count.bit_length()
    wide, at = enclosure(a, digits), enclosure(epsilon, digits)
    if at.low < 0:  # the two databases exchanged
        turned = together(a, count, -epsilon, bits)
        return ONE + exp(at, bits) * (turned - ONE)
    interval = ZERO
    for few in range(count):
        t = (at + wide * Interval.of(few + 1)) * Interval.of(Fraction(1, count + 1))
        if t.low < wide.high and t.high > 0:
            event = _event(wide, count, few, t, at, digits)
            inside = t.low > 0 and t.high < wide.low
            interval = Interval(
                max(interval.low, event.low) if inside else interval.low, max(interval.high, event.high)
            )
    return interval


def _event(a: Interval, count: int, few: int, t: Interval, epsilon: Interval, bits: int) -> Interval:
    """P(S) − e^ε·Q(S) where S says that at most so few of the losses are the smaller one."""
    grown, apart = exp(epsilon - t * Interval.of(count) + a * Interval.of(few), bits), exp(ZERO - a, bits)
    total = ZERO
    for mass in reversed(list(islice(_masses(a, t, count, bits), few + 1))):
        total = (total + mass * (ONE - grown)).rounded(bits)
        grown = (grown * apart).rounded(bits)
    return total


def losses(a: Term, count: int, share: Fraction, bits: int) -> Iterator[tuple[Interval, Fraction]]:
    """The sums of the losses of so many, and at least how likely they are, where t is this share of a."""
    wide = enclosure(a, _digits(a, bits))
    t = wide * Interval.of(share)
    for j, mass in enumerate(_masses(wide, t, count, _digits(a, bits))):
        yield t * Interval.of(count) - wide * Interval.of(j), max(Fraction(0), mass.low)


def _masses(a: Interval, t: Interval, count: int, bits: int) -> Iterator[Interval]:
    """How likely it is that j of so many losses are the smaller one, for j = 0, …, count."""
    below, over = exp(ZERO - a, bits), exp(t - a, bits)
    within = (ONE - below).inverse()
    large, small = ((ONE - over) * within).rounded(bits), ((over - below) * within).rounded(bits)
    for j in range(count + 1):
        mass = large.power(count - j, bits) * small.power(j, bits)
        yield (mass * Interval.of(math.comb(count, j))).rounded(bits)


def _digits(a: Term, bits: int) -> int:
    """With how many binary digits to count, so that a small a is told from 0."""
    least = enclosure(a, bits).low
    return bits + 32 + max(0, least.denominator.bit_length() - least.numerator.bit_length())
