"""Many mechanisms of which each has a table of losses, on one lattice: rounded to one side, and close.

A loss between two points of the lattice is split between them, or merged with others to the ratio of one, so
that the probabilities in P and in Q keep their sums: what is off grows with the square of the step, and not
with the number of mechanisms times the step.  The proof is on the page curves-together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from dpcompose.kernel.deciders.calculus.ratios import commensurable
from dpcompose.kernel.deciders.curves.lattices import Rounding, TooManyLosses, Window
from dpcompose.kernel.deciders.curves.losses import Axis
from dpcompose.kernel.deciders.curves.normal import root
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Table, Together
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import ONE, Interval, enclosure, exp, log
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

Tables = Sequence[tuple[Table, int]]
"""Tables of losses, and how many mechanisms have each."""

FAR = 14
"""How many standard deviations a lattice reaches to each side at first."""
UNLIKELY = Fraction(1, 1000)
COARSER = 6
"""How often its step is doubled where it is too long."""


@frozen
class OnLattice:
    """Losses on a lattice, to one side, all less `off`, which is to be taken from ε' too; infinite -- the
    probability of an infinite one."""

    axis: Axis
    infinite: Fraction
    off: Fraction


@frozen
class _Lattice:
    """The losses n·step + near.

    near -- a loss of a table, or a little above it where losses are rounded up: of that nothing is lost, and
    losses whose ratios were rounded stay multiples of a step.
    """

    step: Interval
    near: Interval
    bits: int
    _shrunk: dict[int, Interval] = field(default_factory=dict)

    def place(self, ratio: Fraction) -> Interval:
        """Between which numbers n lies that a loss has, no whole number."""
        return (log(Interval.of(ratio), self.bits) - self.near) * self.step.inverse()

    def shrunk(self, n: int) -> Interval:
        """Q/P at a point."""
        if n not in self._shrunk:
            loss = self.step * Interval.of(n) + self.near
            self._shrunk[n] = exp(Interval.of(0) - loss, self.bits)
        return self._shrunk[n]

    def split(self, table: Table, rounding: Rounding) -> dict[int, int]:
        """Each loss l as two, at points a < l ≤ b: with the probability λ at a, where
        e^−l = λ·e^−a + (1 − λ)·e^−b, or a little less."""
        numbers = dict[int, int]()
        for x, p in table.masses.items():
            b, whole = math.ceil(self.place(x).high), rounding.units(p)
            before, after = self.shrunk(b - 1), self.shrunk(b)
            lower = math.floor(whole * (1 / x - after.high) / (before.high - after.low))
            lower = min(whole, max(0, lower))
            for n, mass in ((b - 1, lower), (b, whole - lower)):
                numbers[n] = numbers.get(n, 0) + mass
        return numbers or {0: 0}

    def merged(self, table: Table, rounding: Rounding) -> dict[int, int]:
        """From the largest loss on: with it as much of the next ones as makes its ratio that of a point."""
        numbers, point = dict[int, int](), None
        ratio, spare = Fraction(0), 0  # spare: at least P − ratio·Q of what is moved to the point
        for x, p in sorted(table.masses.items(), reverse=True):
            rest = rounding.units(p)
            while rest:
                if point is None:
                    point, spare = math.floor(self.place(x).low), 0
                    ratio = self.shrunk(point).inverse().high
                    if ratio > x:
                        point, ratio = point - 1, self.shrunk(point - 1).inverse().high
                gain = math.floor(rest * (1 - ratio / x))
                taken = rest if spare + gain >= 0 else rest * spare // -gain
                numbers[point] = numbers.get(point, 0) + taken
                point, spare, rest = (point if taken == rest else None), spare + gain, rest - taken
        return numbers or {0: 0}


def table_of(axis: Axis, bits: int, rounding: Rounding) -> Table:
    """The losses of an axis as a table: from one to the next the ratio grows by the same factor."""
    step = enclosure(axis.step, bits + 64)
    factor = exp(step * Interval.of(2), bits + 64).end(rounding.up)
    ratio, outcomes = exp(step * Interval.of(-axis.offset), bits + 64), list[tuple[Fraction, Fraction]]()
    for mass in axis.masses:
        if mass:
            outcomes.append((ratio.end(rounding.up), Fraction(mass, rounding.unit)))
        ratio = (ratio * Interval.of(factor)).rounded(bits + 64)
    return Table.of(outcomes, Fraction(0))


def of_normal(normal: Normal, bits: int, up: bool) -> Table:
    """The losses of normal noise: those of short intervals are split between the ends, or merged.

    Rounded up ρ must be 0; rounded down they are those of what attains the lower curve of what is zCDP.
    """
    ends, above, more = _cells(normal, bits)
    cells = [(q0 - q1, p0 - p1) for (q0, p0), (q1, p1) in pairwise(above)]
    (lowest_q, lowest_p), (highest_q, highest_p) = above[0], above[-1]
    if not up:
        cells = [(ONE - lowest_q, ONE - lowest_p), *cells, (highest_q, highest_p)]
        some = [(p.low, q.high) for q, p in cells if p.low > 0]
        return Table.of(((Interval.of(p / q).rounded(bits).low, p) for p, q in some), Fraction(0))
    shrunk = [exp(Interval.of(-end), more) for end in ends]
    masses = [1 - lowest_p.low, *(p.high for _, p in cells)]
    for n, (q, p) in enumerate(cells):
        lower = (q - p * shrunk[n + 1]) * (shrunk[n] - shrunk[n + 1]).inverse()
        moved = max(Fraction(0), min(p.high, lower.low))
        masses[n], masses[n + 1] = masses[n] + moved, masses[n + 1] - moved
    ratios = (weight.inverse().rounded(bits).high for weight in shrunk)
    return Table.of(zip(ratios, masses, strict=True), highest_p.high)


Cells = tuple[list[Fraction], list[tuple[Interval, Interval]], int]


@lru_cache(maxsize=64)
def _cells(normal: Normal, bits: int) -> Cells:
    """The ends of intervals of losses, how likely in Q and in P a loss above each is, and to how many digits:
    so many that Q is known as closely as P, and short intervals are told from none."""
    ends = sorted({*normal.ends})
    length = ends[1] - ends[0]
    short = max(0, length.denominator.bit_length() - length.numerator.bit_length())
    more = bits + 32 + math.ceil(3 * max(ends[-1], -ends[0])) + 2 * short
    return ends, [normal.event(end, more) for end in ends], more


def on_lattice(tables: Tables, step: Term, bits: int, rounding: Rounding) -> OnLattice:
    """The losses of independent mechanisms on one lattice.  Raises TooManyLosses."""
    width, tiny = enclosure(step, bits + 64), Fraction(1, 1 << bits - 8)
    if width.low <= 0:
        raise TooManyLosses("the points of a lattice are a step > 0 apart")
    windows, stays, off = [], ONE, Fraction(0)
    for table, count in tables:
        near = log(Interval.of(_lowest(table)), bits + 64).low + (tiny if rounding.up else -tiny)
        lattice, off = _Lattice(width, Interval.of(near), bits + 64), off + count * near
        numbers = (lattice.split if rounding.up else lattice.merged)(table, rounding)
        windows.append(Window.of(numbers, rounding).power(count, rounding))
        stays = stays * Interval.of(1 - table.infinite).power(count, 2 * bits)
    whole = Window.added(windows, rounding)
    infinite = 1 - stays.end(not rounding.up) + Fraction(whole.beyond, rounding.unit)
    return OnLattice(Axis(step / 2, -2 * whole.least, whole.masses), infinite, off)


def _lowest(table: Table) -> Fraction:
    """The lowest ratio but for unlikely ones: with what is merged last there are no others."""
    total = Fraction(0)
    for x, p in sorted(table.masses.items()):
        total += p
        if total > UNLIKELY:
            return x
    return Fraction(1)


def steps(tables: Tables, points: int) -> list[Term]:
    """Steps of lattices of about so many points, of which a coarser one is taken where one is too long."""
    reach, far, variance = Fraction(0), Fraction(0), Fraction(0)
    for table, count in tables:
        losses = [(log(Interval.of(x), 40).low, _short(p)) for x, p in table.masses.items()]
        mean = sum((loss * p for loss, p in losses), Fraction(0))
        most = max((abs(loss) for loss, _ in losses), default=Fraction(0))
        reach, far = reach + most * count, max(far, most)
        some = sum(((loss - mean) ** 2 * p for loss, p in losses), Fraction(0))
        variance += Interval.of(some).rounded(40).high * count
    long = min(reach, FAR * root(variance, 40).high + far) or Fraction(1)
    first = Interval.of(2 * long / points).rounded(40).high
    return [terms.number(first * 2**n) for n in range(COARSER)]


def _short(p: Fraction) -> Fraction:
    return Interval.of(p).rounded(40).high


def common_step(togethers: Sequence[object], points: int) -> Term | None:
    """Of which all losses are multiples, where that is seen; None too where these are too many."""
    told = [together for together in togethers if isinstance(together, Together)]
    if len(told) < len(togethers) or any((one.rate, one.tail) != (terms.ONE, None) for one in told):
        return None
    moving = {
        epsilon: together.count * together.steps
        for together in told
        for epsilon, _ in together.pairs
        if epsilon != terms.ZERO
    }
    groups = list(commensurable(list(moving)))
    if len(groups) != 1:
        return None
    step, weights = groups[0]
    reach = sum(
        together.count * together.steps * max((weights.get(e, 0) for e, _ in together.pairs), default=0)
        for together in told
    )
    return step if 2 * reach <= points else None
