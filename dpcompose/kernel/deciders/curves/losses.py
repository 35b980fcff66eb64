"""The mean of 1 − e^(ε' − L) over the privacy losses L of a composition that exceed ε', rounded one way.

L is a sum of independent losses, each on a lattice of its own, and of one whose δ(ε) is known at every ε
beside, as of normal or Laplace noise: then it is the mean of δ(ε' − L) over the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from dpcompose.kernel.deciders.curves.lattices import Rounding
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal, Tail
from dpcompose.kernel.expressions.intervals import ZERO, Interval, enclosure, exp
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.substitution import expanded
from dpcompose.kernel.expressions.terms import ZERO as NOTHING
from dpcompose.kernel.expressions.terms import Term

HALF = Fraction(1, 2)


@frozen
class Axis:
    """Losses (2n − offset)·step, n = 0, …, size − 1, with their masses in units."""

    step: Term
    offset: int
    masses: tuple[int, ...]


@frozen
class Losses:
    """The privacy loss of a composition: independent sums of axes, and what has no finite loss.

    finite -- a factor of all masses; infinite -- the mass of ∞; tail -- what is lost beside;
    bits -- with how many digits weights are enclosed.
    """

    axes: tuple[Axis, ...]
    finite: Fraction
    infinite: Fraction
    bits: int
    rounding: Rounding
    tail: Tail | None = None

    @property
    def work(self) -> int:
        """How many values of the tail are added up; many that shrink from point to point count as one."""
        points = math.prod(len(axis.masses) for axis in self.axes)
        return points if isinstance(self.tail, Normal) else 1 + points // 64

    def delta(self, epsilon: Term) -> Fraction:
        """The mean at ε', on the side to which all this is rounded."""
        shift = enclosure(epsilon, self.bits + 32)
        value = Fraction(self._mean(0, shift, epsilon), self.rounding.unit)
        return min(Fraction(1), self.finite * value + self.infinite)

    def _mean(self, n: int, shift: Interval, exactly: Term) -> int:
        """Over the axes from the n-th on; exactly -- the shift as a term, asked for along the last."""
        if n == len(self.axes):
            return self._alone(shift)
        axis, smooth = self.axes[n], isinstance(self.tail, Normal)
        if n == len(self.axes) - 1 and not smooth:
            return self._along(axis, shift, exactly)
        step, total = enclosure(axis.step, self.bits + 32), 0
        for at, mass in enumerate(axis.masses):
            if mass:
                times = 2 * at - axis.offset
                there = exactly if smooth else exactly - times * axis.step
                total += mass * self._mean(n + 1, shift - step * Interval.of(times), there)
        return self.rounding.divided(total, self.rounding.unit)

    def _alone(self, shift: Interval) -> int:
        """1 − e^shift where shift < 0, else 0; the δ of the tail at the shift where there is one."""
        if isinstance(self.tail, Normal):
            bits = self.bits // 2 if self.axes else self.bits
            up = self.rounding.up
            return self.rounding.units(
                self.tail.above(shift.low, bits) if up else self.tail.below(shift.high, bits)
            )
        if self.tail is not None:
            return self.rounding.end(self.tail.delta(shift, self.bits))
        small = exp(shift.at_most(ZERO), self.bits)
        return self.rounding.end(Interval.of(1) - small)

    def _along(self, axis: Axis, shift: Interval, exactly: Term) -> int:
        """The same along one axis: powers of e shrink by the same factor from point to point.

        The weight of x = shift − loss is 1 − e^x where x < 0; beside Laplace noise the largest of that, of
        1 − e^((x − a)/2), and of 0.
        """
        unit = self.rounding.unit
        step = enclosure(axis.step, self.bits + 32)
        wide = self._ratio()
        start, total = self._first(axis, shift - wide, None if self.tail else exactly), 0
        smaller = self._powers(axis, shift - wide, step, HALF if self.tail else Fraction(1), start)
        if self.tail is None:
            for mass, small in zip(axis.masses[start:], smaller, strict=False):
                total += mass * (unit - small)
            return self.rounding.divided(total, unit)
        later = max(start, self._first(axis, shift, None))
        others = self._powers(axis, shift, step, Fraction(1), later)
        for at in range(start, len(axis.masses)):
            small = next(smaller) if at < later else min(next(smaller), next(others))
            total += axis.masses[at] * (unit - small)
        return self.rounding.divided(total, unit)

    def _ratio(self) -> Interval:
        return enclosure(self.tail.ratio, self.bits + 32) if isinstance(self.tail, Laplace) else ZERO

    def _first(self, axis: Axis, shift: Interval, exactly: Term | None) -> int:
        """The first loss that is above the shift, or may be so where all this is rounded up."""
        up = self.rounding.up
        step = enclosure(axis.step, self.bits + 32)
        reached = (shift * step.inverse() + Interval.of(axis.offset)) * Interval.of(HALF)
        end = reached.low if up else reached.high
        first = max(0, end.numerator // end.denominator + 1)
        if up and exactly is not None and reached.high >= first >= reached.low:
            # the loss may be the shift itself, which is told by the formulas
            first += int(expanded((2 * first - axis.offset) * axis.step - exactly) == NOTHING)
        return first

    def _powers(
        self, axis: Axis, shift: Interval, step: Interval, rate: Fraction, first: int
    ) -> Iterator[int]:
        """min(1, e^(rate·(shift − loss))) from a loss on: from below where weights are rounded up."""
        other, unit = self.rounding.other, self.rounding.unit
        start = (shift - step * Interval.of(2 * first - axis.offset)) * Interval.of(rate)
        small = other.end(exp(start.at_most(ZERO), self.bits))
        factor = other.end(exp(step * Interval.of(-2 * rate), self.bits + 32))
        while True:
            yield min(small, unit)
            small = -(-small * factor // unit) if other.up else small * factor // unit
