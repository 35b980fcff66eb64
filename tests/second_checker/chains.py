"""Concave functions g with P(S) ≤ g(Q(S)) for all S, of straight pieces: what guarantees say together, step by step.

The graph goes from (0, g(0)) to (1, 1) and never falls.  A piece from (a, y) to (b, z) is an outcome with the
probabilities z − y at the one database and b − a at the other, and g(0) is what is possible at the one alone
(optimal-composition.md, 7 to 9).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

Point = tuple[Fraction, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)
LONG, BITS = 200, 96
"""Fractions that are longer than this are rounded to so many digits."""


@dataclass(frozen=True)
class Concave:
    """The corners, a rising from 0 to 1."""

    corners: tuple[Point, ...]

    def __call__(self, a: Fraction) -> Fraction:
        """The value at a."""
        n = bisect_right(self.corners, (a, ONE)) - 1
        (b, y), (c, z) = self.corners[n], self.corners[min(n + 1, len(self.corners) - 1)]
        return y if a == b else y + (z - y) * (a - b) / (c - b)

    def first(self, y: Fraction) -> Fraction:
        """The first a with this value, or more."""
        heights = [height for _, height in self.corners]
        n = bisect_left(heights, y)
        if n == 0:
            return ZERO
        (b, low), (c, high) = self.corners[n - 1 : n + 1]
        return b + (c - b) * (y - low) / (high - low)

    def after(self, inner: Concave) -> Concave:
        """This of the inner one."""
        ends = {a for a, _ in inner.corners}
        ends |= {inner.first(a) for a, _ in self.corners if inner.corners[0][1] < a}
        return Concave(tuple((a, self(inner(a))) for a in sorted(ends)))

    def mirrored(self) -> Concave:
        """The other order of the two databases: b ↦ 1 − (the inverse at 1 − b)."""
        turned = [(1 - y, 1 - a) for a, y in reversed(self.corners)] + [(ONE, ONE)]
        highest = dict(sorted(turned))  # of several corners at one a the last one is the highest
        return Concave(tuple(sorted(highest.items())))

    def short(self, up: bool) -> Concave:
        """The same with short fractions: no smaller where it is from above, no larger where it is from below."""
        if max(x.denominator.bit_length() for corner in self.corners for x in corner) <= LONG:
            return self
        inside = [(rounded(a, not up), rounded(y, up)) for a, y in self.corners]
        return hull([(ZERO, self.corners[0][1] if up else ZERO), *inside])

    @property
    def outcomes(self) -> list[tuple[Fraction, Fraction]]:
        """The probabilities of the pieces at the two databases, also of what is possible at the one alone."""
        own = [(z - y, b - a) for (a, y), (b, z) in pairwise(self.corners)]
        return [pair for pair in [(self.corners[0][1], ZERO), *own] if pair[0]]


def rounded(x: Fraction, up: bool) -> Fraction:
    """A number with so many binary digits, never below 0 or above 1."""
    whole = x.numerator * 2**BITS
    return Fraction(-(-whole // x.denominator) if up else whole // x.denominator, 2**BITS)


def hull(points: Iterable[Point]) -> Concave:
    """The least concave function that is at least these points, and (1, 1)."""
    kept: list[Point] = []
    for a, y in sorted({*points, (ONE, ONE)}):
        while kept and kept[-1][0] == a:
            kept.pop()
        while len(kept) > 1 and turns_up(kept[-2], kept[-1], (a, y)):
            kept.pop()
        kept.append((a, y))
    return Concave(tuple(kept))


def turns_up(one: Point, two: Point, three: Point) -> bool:
    """Whether the second of three points lies on or below the line through the others."""
    (a, x), (b, y), (c, z) = one, two, three
    return (y - x) * (c - a) <= (z - x) * (b - a)


def least(lines: Sequence[tuple[Fraction, Fraction]]) -> Concave:
    """The least of lines (slope, value at 0), and of 1."""
    every = sorted({*lines, (ZERO, ONE)}, key=lambda line: (line[1], line[0]))
    a, at = ZERO, every[0]
    corners = [(a, min(at[1], ONE))]
    while at[0] > 0 and a < 1:
        meets = [((one[1] - at[1]) / (at[0] - one[0]), one[0], one) for one in every if one[0] < at[0]]
        a, _, at = min(meets)
        corners.append((a, at[0] * a + at[1])) if a > corners[-1][0] else None
    inside = [corner for corner in corners if corner[0] < 1]
    return Concave((*inside, (ONE, ONE)))


def mixed(weights: Sequence[Fraction], functions: Sequence[Concave]) -> Concave:
    """The mean of functions."""
    ends = sorted({a for one in functions for a, _ in one.corners})
    return Concave(
        tuple((a, sum((w * f(a) for w, f in zip(weights, functions, strict=True)), ZERO)) for a in ends)
    )


IDENTITY = Concave(((ZERO, ZERO), (ONE, ONE)))
