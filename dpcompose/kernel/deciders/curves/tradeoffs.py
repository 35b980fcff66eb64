"""Several (ε, δ) at once: a trade-off function of straight pieces, and a finite table of privacy losses.

Outputs P, Q satisfy (ε_j, δ_j) for all j, in both orders, if and only if P(S) ≤ g(Q(S)) for all S, where g
is the least of 1, δ_j + c_j·a and 1 − (1 − δ_j − a)/c_j with c_j = e^ε_j; f = 1 − g is the trade-off
function.  g is concave and made of straight pieces: one with the ends (a, g(a)), (b, g(b)) is an outcome of
probability g(b) − g(a) in P and b − a in Q, and g(0) is that of outcomes which Q does not have.  At r steps
g is put into itself.  The function of normal or of Laplace noise is enclosed between lines, tangents from
above and chords from below.  On samples with the rate s, which r records more may be in, it is the mean of g
put into itself j times, where j is binomial, and its inverse in the other order.  The proofs are on the page
optimal-composition of theorems/computed/.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import ClassVar

from dpcompose.kernel.deciders.curves.lattices import TooManyLosses
from dpcompose.kernel.deciders.curves.tails import Tail
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import ONE, ZERO, Interval, enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

MOST_PIECES = 1_000
"""The most straight pieces of one function, at its distance."""
MOST_LOSSES, MOST_MECHANISMS = 1_000, 24
"""The most different losses, and mechanisms, that are added up exactly; more are put on a lattice."""

SHORT = 48
"""With how many binary digits the lines are told between which the function of a noise lies."""

Vertices = Sequence[tuple[Fraction, Fraction]]
"""The ends of the straight pieces of a concave function on [0, 1], from left to right."""


@frozen
class Together:
    """`count` mechanisms that each satisfy all of some (ε, δ), with two inputs that are `steps` apart.

    pairs -- constants ε, δ ≥ 0; steps, count -- whole numbers ≥ 1;
    rate -- a constant in [0, 1]: they are run on samples that have each record with this probability; own --
    of these, how many records only Q, and only P may have in its sample; None: at each step either has one;
    tail -- a noise, whose trade-off function theirs is not below besides, at one step.

    >>> three, half = terms.log(terms.number(3)), terms.number(Fraction(1, 2))
    >>> both = Together(((three, terms.ZERO), (terms.ZERO, terms.number(Fraction(2, 5)))))
    >>> both.table(64, True).masses
    {Fraction(3, 1): Fraction(3, 5), Fraction(1, 1): Fraction(1, 5), Fraction(1, 3): Fraction(1, 5)}
    """

    pairs: tuple[tuple[Term, Term], ...]
    steps: int = 1
    count: int = 1
    rate: Term = terms.ONE
    own: tuple[int, int] | None = None
    tail: Tail | None = None

    @property
    def turned(self) -> Together:
        """The same with P and Q exchanged."""
        return self if self.own is None else replace(self, own=self.own[::-1])

    def times(self, count: int) -> Together:
        """The same of so many mechanisms."""
        return replace(self, count=self.count * count)

    def table(self, bits: int, up: bool) -> Table:
        """The losses of one of them; up -- of a function that is at least g, else one that is at most g."""
        return _table(replace(self, count=1), bits, up)


@frozen
class Known:
    """`count` mechanisms of which it is known what they do at the two databases: tables.

    outcomes -- of each outcome its probabilities in P and in Q, which add up to 1.

    >>> third = Fraction(1, 3)
    >>> Known(((third, 2 * third), (2 * third, third))).table(64, True).masses
    {Fraction(1, 2): Fraction(1, 3), Fraction(2, 1): Fraction(2, 3)}
    """

    outcomes: tuple[tuple[Fraction, Fraction], ...]
    count: int = 1
    tail: ClassVar[None] = None

    @property
    def turned(self) -> Known:
        """The same with P and Q exchanged."""
        return replace(self, outcomes=tuple((q, p) for p, q in self.outcomes))

    def times(self, count: int) -> Known:
        """The same of so many mechanisms."""
        return replace(self, count=self.count * count)

    def table(self, bits: int, up: bool) -> Table:
        """The losses of one of them, exactly."""
        infinite = sum((p for p, q in self.outcomes if not q), Fraction(0))
        return Table.of(((p / q, p) for p, q in self.outcomes if p and q), infinite)


@frozen
class Table:
    """A privacy-loss distribution: the probabilities, in P, of outcomes by their ratio P/Q.

    infinite -- the probability in P of outcomes that Q does not have.
    """

    masses: Mapping[Fraction, Fraction]
    infinite: Fraction

    @staticmethod
    def of(
        outcomes: Iterable[tuple[Fraction, Fraction]], infinite: Fraction, most: int | None = None
    ) -> Table:
        """That of outcomes with these ratios and probabilities in P: of one ratio they are added up.

        most -- of up to how many ratios.  Raises TooManyLosses.
        """
        masses: dict[Fraction, Fraction] = {}
        for x, p in outcomes:
            masses[x] = masses.get(x, Fraction(0)) + p
            if most is not None and len(masses) > most:
                raise TooManyLosses(f"more than {most} losses are not added up exactly")
        return Table(masses, infinite)

    def delta(self, epsilon: Term, bits: int, up: bool) -> Fraction:
        """Σ max(0, P − e^ε·Q) on one side."""
        end = enclosure(terms.exp(epsilon), bits).end(not up)
        value = sum((p * (1 - end / x) for x, p in self.masses.items() if x > end), self.infinite)
        return min(value, Fraction(1))

    def and_(self, other: Table) -> Table:
        """The losses of two independent mechanisms, exactly.  Raises TooManyLosses."""
        products = ((x * y, p * q) for x, p in self.masses.items() for y, q in other.masses.items())
        return Table.of(products, 1 - (1 - self.infinite) * (1 - other.infinite), MOST_LOSSES)

    def short(self, bits: int, up: bool) -> Table:
        """The same with probabilities of at most so many binary digits, rounded one way."""

        def end(p: Fraction) -> Fraction:
            return Interval.of(p).rounded(bits).end(up)

        return Table({x: end(p) for x, p in self.masses.items()}, end(self.infinite))


@lru_cache(maxsize=1024)
def _table(together: Together, bits: int, up: bool) -> Table:
    one, steps = function(together.pairs, bits, up, together.tail), together.steps
    rate = enclosure(together.rate, bits).at_least(ZERO).at_most(ONE).end(up)
    own = together.own if together.rate != terms.ONE else None
    if (len(one) - 1) * (steps if own is None else sum(r * (r + 1) // 2 for r in own)) > MOST_PIECES:
        raise TooManyLosses(f"{len(one) - 1} losses at a distance of {steps} steps are too many to tabulate")
    if own is None:
        one = one if together.rate == terms.ONE else _in_either(one, rate)
        found = _put_into_itself(one, steps)[-1]
    else:
        of_Q, of_P = (_on_samples(one, rate, r) for r in own)
        found = put_into(of_P, _turned(of_Q))

    def ratio(x: Fraction) -> Fraction:
        """δ grows with each loss; of many x is told as a binary fraction, so that sums of them stay short."""
        return 1 / (x if together.tail is None else Interval.of(x).rounded(SHORT).end(not up))

    sides = ((b - a, z - y) for (a, y), (b, z) in pairwise(found) if z > y)
    whole = Table.of(((ratio(q / p), p) for q, p in sides), found[0][1])
    return whole if together.tail is None else whole.short(2 * SHORT, up)


@lru_cache(maxsize=64)
def function(pairs: tuple[tuple[Term, Term], ...], bits: int, up: bool, tail: Tail | None = None) -> Vertices:
    """g of some (ε, δ), and of a noise; where e^ε is no rational number that of one a little above or below
    it: g does not fall in ε and δ."""
    lines = [(Fraction(0), Fraction(1))]
    if tail is not None and not up:
        lines += _chords(tail, bits)
    elif tail is not None:
        there = ((e, tail.delta(Interval.of(e), bits).rounded(SHORT).high) for e in tail.slopes)
        pairs = (*pairs, *((terms.number(e), terms.number(delta)) for e, delta in there))
    for epsilon, delta in pairs:
        c = max(
            enclosure(terms.exp(epsilon), bits).rounded(bits if tail is None else SHORT).end(up), Fraction(1)
        )
        d = enclosure(delta, bits).at_least(ZERO).at_most(ONE).end(up)
        lines += [(c, d), (1 / c, 1 - (1 - d) / c)]
    return _least(lines)


def _chords(tail: Tail, bits: int) -> list[tuple[Fraction, Fraction]]:
    """The sides of the concave hull of points that lie below the function of a noise."""
    ends = [tail.event(e, bits) for e in tail.slopes]
    points = {Fraction(0): Fraction(0), Fraction(1): Fraction(1)}
    for a, y in [(q.rounded(SHORT).high, p.rounded(SHORT).low) for q, p in ends]:
        points |= {x: max(z, points.get(x, z)) for x, z in ((a, y), (1 - y, 1 - a)) if 0 < x < 1}
    hull = list[tuple[Fraction, Fraction]]()
    for point in sorted(points.items()):
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) <= _slope(hull[-2], point):
            hull.pop()
        hull.append(point)
    return [(c := _slope(one, two), one[1] - c * one[0]) for one, two in pairwise(hull)]


def _slope(one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> Fraction:
    return (two[1] - one[1]) / (two[0] - one[0])


def _put_into_itself(g: Vertices, r: int) -> list[Vertices]:
    """The functions of no step, of one, …, of r steps."""
    iterates: list[Vertices] = [[(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))]]
    for _ in range(r):
        iterates.append(put_into(g, iterates[-1]))
    return iterates


def _on_samples(g: Vertices, rate: Fraction, r: int) -> Vertices:
    """The mean of g put into itself j times, where j of r records are in the sample."""
    steps = list(enumerate(_put_into_itself(g, r)))
    ends = sorted({a for _, vertices in steps for a, _ in vertices})
    share = [comb(r, j) * rate**j * (1 - rate) ** (r - j) for j in range(r + 1)]
    return [(a, sum((share[j] * _at(vertices, a) for j, vertices in steps), Fraction(0))) for a in ends]


def _turned(h: Vertices) -> Vertices:
    """1 − h⁻¹(1 − a): what holds of the complements, in the other order."""
    ends = {1 - y: 1 - a for a, y in reversed(h)}  # of those with y = 1 the first is the highest then
    return sorted({**ends, Fraction(1): Fraction(1)}.items())


def _in_either(g: Vertices, rate: Fraction) -> Vertices:
    """The least concave function that is at least h, where one record more may be in the sample, and that in
    the other order: h where it is steeper than 1, and its mirror image."""
    h = _on_samples(g, rate, 1)
    slopes = [((z - y) / (b - a), a, y) for (a, y), (b, z) in pairwise(h)]
    steep = [(c, y - c * a) for c, a, y in slopes if c > 1]
    steep.append((Fraction(1), max(y - a for a, y in h)))
    return _least([(Fraction(0), Fraction(1)), *steep, *((1 / c, 1 - (1 - d) / c) for c, d in steep)])


def _least(lines: Sequence[tuple[Fraction, Fraction]]) -> Vertices:
    """The least of lines slope·a + intercept on [0, 1], of which one has the slope 0."""
    by_slope: dict[Fraction, Fraction] = {}
    for slope, intercept in lines:
        by_slope[slope] = min(intercept, by_slope.get(slope, intercept))
    hull: list[tuple[Fraction, Fraction]] = []
    for line in sorted(by_slope.items(), reverse=True):
        while len(hull) > 1 and _meet(hull[-2], line) <= _meet(hull[-2], hull[-1]):
            hull.pop()
        hull.append(line)
    found = [(x, one[0] * x + one[1]) for one, two in pairwise(hull) if 0 < (x := _meet(one, two)) < 1]
    first, last = (min(slope * x + intercept for slope, intercept in hull) for x in (0, 1))
    return [(Fraction(0), first), *found, (Fraction(1), last)]


def _meet(one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> Fraction:
    """Where two lines of different slopes meet."""
    return (two[1] - one[1]) / (one[0] - two[0])


def put_into(outer: Vertices, inner: Vertices) -> Vertices:
    """The function a ↦ outer(inner(a)), of two that are concave and do not fall.

    >>> half = [(Fraction(0), Fraction(0)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(1), Fraction(1))]
    >>> [str(x) for x, _ in put_into(half, half)]
    ['0', '1/12', '1/4', '1']
    """
    ends, starts = {x for x, _ in inner}, [v for v, _ in outer]
    for (a, y), (b, z) in pairwise(inner):
        there = starts[bisect_right(starts, y) : bisect_left(starts, z)]
        ends |= {a + (v - y) * (b - a) / (z - y) for v in there}
    return [(x, _at(outer, _at(inner, x))) for x in sorted(ends)]


def _at(vertices: Vertices, x: Fraction) -> Fraction:
    """The value at x."""
    n = max(1, bisect_left(vertices, (x,)))  # the first piece that does not end before x
    if n == len(vertices):
        raise ValueError(f"{x} does not lie in [0, 1]")
    (a, y), (b, z) = vertices[n - 1], vertices[n]
    return y + (x - a) * (z - y) / (b - a)


def added_up(togethers: Sequence[Together | Known], bits: int, up: bool) -> Table:
    """The losses of all mechanisms, exactly or rounded one way.  Raises TooManyLosses."""
    if sum(together.count for together in togethers) > MOST_MECHANISMS:
        raise TooManyLosses(f"the losses of more than {MOST_MECHANISMS} mechanisms are not added up exactly")
    total = Table({Fraction(1): Fraction(1)}, Fraction(0))
    for together in togethers:
        table = together.table(bits, up)
        for _ in range(together.count):
            total = total.and_(table).short(4 * bits, up)
    return total
