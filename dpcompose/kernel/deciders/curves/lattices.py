"""Masses on a lattice: what independent losses add up to, in whole numbers that are rounded one way.

Masses are multiples of 10^−digits, rounded down, or all rounded up.  A convolution is one product of two
decimal numbers in which every mass has a slot of digits of its own: decimal numbers are multiplied in
nearly linear time, and a trap keeps the product exact.
"""

from __future__ import annotations

import decimal
import heapq
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.keeping import frozen, kept

LARGEST_WORK = 8 * 10**6
"""The most digits that the masses of a lattice may have in all."""
FEW = 24
"""Up to how many masses are multiplied one by one."""

_EXACT = decimal.Context(
    prec=decimal.MAX_PREC,
    Emin=decimal.MIN_EMIN,
    Emax=decimal.MAX_EMAX,
    traps=[decimal.Inexact, decimal.InvalidOperation, decimal.Overflow],
)


class TooManyLosses(ValueError):
    """The losses are too many to go through; the message says how many there are."""


@frozen
class Rounding:
    """Whole multiples of 10^−digits, rounded up or down.

    >>> Rounding(3, up=True).units(Fraction(1, 3)), Rounding(3, up=False).units(Fraction(1, 3))
    (334, 333)
    """

    digits: int
    up: bool

    @staticmethod
    def of(bits: int, up: bool) -> Rounding:
        """At least so many binary digits."""
        return Rounding(bits * 302 // 1000 + 1, up)

    @kept
    def unit(self) -> int:
        return int(10**self.digits)

    def units(self, x: Fraction) -> int:
        """How many units a number has."""
        return self.divided(x.numerator * self.unit, x.denominator)

    def end(self, x: Interval) -> int:
        """The units of the end of an interval on the side that this rounds to."""
        return self.units(x.end(self.up))

    def divided(self, x: int, y: int) -> int:
        return -(-x // y) if self.up else x // y

    @property
    def other(self) -> Rounding:
        return Rounding(self.digits, not self.up)


def check_work(size: int, rounding: Rounding) -> None:
    """Raises TooManyLosses where a lattice of this size is too large."""
    if size * (2 * rounding.digits + 2) > LARGEST_WORK:
        raise TooManyLosses(f"{size} losses are too many to go through with {rounding.digits} digits")


def convolved(some: Sequence[int], others: Mapping[int, int], rounding: Rounding) -> list[int]:
    """The masses of a sum, in which `others` says which place has which mass.

    >>> convolved([500, 500], {0: 250, 2: 750}, Rounding(3, up=False))
    [125, 125, 375, 375]
    """
    size = len(some) + max(others)
    check_work(size, rounding)
    if len(others) <= FEW:
        total = [0] * size
        for at, mass in others.items():
            for n, number in enumerate(some, start=at):
                total[n] += mass * number
    else:
        total = _product(some, [others.get(n, 0) for n in range(max(others) + 1)], rounding)
    unit = rounding.unit
    return [-(-number // unit) for number in total] if rounding.up else [number // unit for number in total]


def _product(some: Sequence[int], others: Sequence[int], rounding: Rounding) -> list[int]:
    """Σ x_i·y_(n−i), exactly: each is at most the product of the sums of all, which fits its slot."""
    limit = 3 * rounding.unit
    if sum(some) > limit or sum(others) > limit:
        raise TooManyLosses("the masses cannot be added up with so few digits")
    slot = 2 * rounding.digits + 2

    def packed(masses: Sequence[int]) -> decimal.Decimal:
        return decimal.Decimal("".join([str(mass).zfill(slot) for mass in masses]))

    size = len(some) + len(others) - 1
    text = format(_EXACT.multiply(packed(some), packed(others)), "f").zfill(size * slot)
    return [int(text[at : at + slot]) for at in range(0, size * slot, slot)]


def power(table: Mapping[int, int], n: int, rounding: Rounding) -> list[int]:
    """The masses of a sum of n ≥ 1 losses that are alike, by doubling."""
    check_work(max(table) * n + 1, rounding)
    result: list[int] | None = None
    square = dict(table)
    while True:
        if n & 1:
            result = convolved([rounding.unit] if result is None else result, square, rounding)
        n >>= 1
        if not n:
            break
        square = places(convolved(dense(square), square, rounding))
    assert result is not None
    return result


def added(tables: Sequence[Mapping[int, int]], rounding: Rounding) -> list[int]:
    """The masses of a sum of independent losses: always the two with the fewest places first, so that a mass
    is part of few long products.

    >>> added([{0: 250, 2: 750}, {0: 500, 1: 500}, {0: 1000}], Rounding(3, up=False))
    [125, 125, 375, 375]
    """
    waiting = [(max(table), n, table) for n, table in enumerate([{0: rounding.unit}, *tables])]
    heapq.heapify(waiting)
    while len(waiting) > 1:
        _, _, fewer = heapq.heappop(waiting)
        _, n, more = heapq.heappop(waiting)
        table = places(convolved(dense(more), fewer, rounding))
        heapq.heappush(waiting, (max(table), n, table))
    return dense(waiting[0][2])


def dense(table: Mapping[int, int]) -> list[int]:
    """The masses of all places up to the last one that has any."""
    return [table.get(at, 0) for at in range(max(table) + 1)]


def places(masses: Sequence[int]) -> dict[int, int]:
    """Which place has which mass; a place has none where all were rounded to 0."""
    return {at: mass for at, mass in enumerate(masses) if mass} or {0: 0}


@frozen
class Window:
    """Masses at the places least, least + 1, …; beyond -- the units of what is taken for larger than all.

    What is unlikely is cut off at both ends: rounded up it is moved to the lowest place, or beyond; rounded
    down it is moved to the highest one, or left out.

    >>> half = Window.of({-1: 500, 1: 500}, Rounding(3, up=False))
    >>> half.power(2, Rounding(3, up=False))
    Window(least=-2, masses=(250, 0, 500, 0, 250), beyond=0)
    """

    least: int
    masses: tuple[int, ...]
    beyond: int = 0

    @staticmethod
    def of(numbers: Mapping[int, int], rounding: Rounding) -> Window:
        """Masses by their places."""
        least = min(numbers)
        size = max(numbers) - least + 1
        check_work(size, rounding)
        return Window(least, tuple(numbers.get(least + n, 0) for n in range(size)))._cut(rounding)

    def _cut(self, rounding: Rounding) -> Window:
        few, last = 10 ** (rounding.digits // 4), len(self.masses) - 1
        low = min(beyond(self.masses, few), last)
        high = max(low, last - beyond(self.masses[::-1], few))
        masses, left = list(self.masses[low : high + 1]), sum(self.masses[high + 1 :])
        masses[0 if rounding.up else -1] += sum(self.masses[:low]) if rounding.up else left
        return Window(self.least + low, tuple(masses), self.beyond + (left if rounding.up else 0))

    def and_(self, other: Window, rounding: Rounding) -> Window:
        """The sum of two that are independent.  Raises TooManyLosses."""
        masses = convolved(self.masses, places(other.masses), rounding)
        here, there = sum(self.masses), sum(other.masses)
        beyond = self.beyond * (there + other.beyond) + here * other.beyond
        return Window(self.least + other.least, tuple(masses), rounding.divided(beyond, rounding.unit))._cut(
            rounding
        )

    def power(self, n: int, rounding: Rounding) -> Window:
        """The sum of n ≥ 1 that are alike, by doubling."""
        if n == 1:
            return self
        half = self.power(n // 2, rounding)
        twice = half.and_(half, rounding)
        return twice.and_(self, rounding) if n & 1 else twice

    @staticmethod
    def added(windows: Sequence[Window], rounding: Rounding) -> Window:
        """The sum of independent ones: always the two with the fewest places first."""
        waiting = [(len(one.masses), n, one) for n, one in enumerate(windows)]
        heapq.heapify(waiting)
        while len(waiting) > 1:
            (_, _, fewer), (_, n, more) = heapq.heappop(waiting), heapq.heappop(waiting)
            whole = more.and_(fewer, rounding)
            heapq.heappush(waiting, (len(whole.masses), n, whole))
        return waiting[0][2]


def beyond(masses: Sequence[int], few: int) -> int:
    """Before which place the masses add up to at most so few units."""
    total = 0
    for at, mass in enumerate(masses):
        total += mass
        if total > few:
            return at
    return len(masses)
