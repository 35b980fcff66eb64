"""Losses on a lattice moved to fewer points, to one side: what is composed with them is bounded by that.

With masses p and q = p·e^(−L) at the two databases p·h(ε − L) is a supremum of linear functions of (p, q),
for the δ h of what is composed beside.  So it does not grow where points are merged, their p and q added up;
and does not fall where a point is split into two, so that p and q add up to what they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from dpcompose.kernel.deciders.curves.lattices import Rounding, beyond
from dpcompose.kernel.expressions.intervals import ZERO, Interval, exp

UNLIKELY = 10**20
"""The losses below, and above, of which the probability is at most one over this are one group each."""


def fewer(masses: Sequence[int], step: Interval, points: int, rounding: Rounding) -> tuple[int, ...]:
    """The masses of losses that are a step apart, of which about so many are not 0 in the end.

    Rounded up they are split into the two ends of their groups, rounded down merged within each.

    >>> from fractions import Fraction
    >>> masses, tenth = [200_000] * 5, Interval.of(Fraction(1, 10))
    >>> fewer(masses, tenth, 1, Rounding(6, up=True)), fewer(masses, tenth, 1, Rounding(6, up=False))
    ((475069, 0, 0, 0, 524931), (0, 1000000, 0, 0, 0))
    """
    last = len(masses) - 1
    if sum(1 for mass in masses if mass) <= points + 2:
        return tuple(masses)
    ends = _ends(masses, points, rounding)
    bits = rounding.digits * 10 // 3 + 64
    shrunk = _powers(step, last, bits)
    numbers = [0] * (last + 1)
    for a, b in pairwise(ends):
        some = masses[a : b + 1] if b == last else masses[a:b]
        if rounding.up:
            _split(numbers, a, b - a, some, shrunk, 1 << bits)
        else:
            _merge(numbers, a, some, shrunk)
    return tuple(numbers)


def _ends(masses: Sequence[int], points: int, rounding: Rounding) -> list[int]:
    """Where groups begin: those of the likely losses are equally long; the last one ends at the end."""
    few, last = rounding.unit // UNLIKELY, len(masses) - 1
    low, high = min(beyond(masses, few), last), last - min(beyond(masses[::-1], few), last)
    each = max(1, -(-(high - low) // points))
    return sorted({0, *range(low, high, each), high, last})


def _powers(step: Interval, n: int, bits: int) -> list[tuple[int, int]]:
    """e^(−j·step) for j = 0, …, n, in units of 2^−bits, from below and from above."""
    factor, one = exp(ZERO - step, bits), 1 << bits
    low, high = int(factor.low * one), -int(-factor.high * one // 1)

    def powers() -> Iterator[tuple[int, int]]:
        x = y = one
        for _ in range(n + 1):
            yield x, y
            x, y = x * low >> bits, -(-y * high >> bits)

    return list(powers())


def _split(
    found: list[int], a: int, length: int, some: Sequence[int], shrunk: list[tuple[int, int]], one: int
) -> None:
    """Moves masses to both ends of a group: at the lower end λ with e^(−L) = λ·e^(−a) + (1 − λ)·e^(−b), or a
    little less, as a larger loss is no less."""
    low, high = shrunk[length]
    for j, mass in enumerate(some):
        here = mass if j == 0 else max(0, mass * (shrunk[j][0] - high) // (one - low)) if length else mass
        found[a] += min(here, mass)
        found[a + length] += mass - min(here, mass)


def _merge(found: list[int], a: int, some: Sequence[int], shrunk: list[tuple[int, int]]) -> None:
    """Moves masses to the loss ln(p/q) of the group, or the point of the lattice before it."""
    total = sum(some)
    if not total:
        return
    most = sum(mass * shrunk[j][1] for j, mass in enumerate(some))
    left, right = 0, len(some) - 1
    while left < right:  # the last j with e^(−j·step)·p ≥ q
        middle = (left + right + 1) // 2
        left, right = (middle, right) if shrunk[middle][0] * total >= most else (left, middle - 1)
    found[a + left] += total
