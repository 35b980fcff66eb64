"""The least δ at every ε' for mechanisms composed, enclosed by rationals.

An (ε, δ)-DP mechanism whose inputs are r steps apart tells them apart no better than two
distributions on r + 2 outcomes, with losses −rε, (2−r)ε, …, rε and ∞: the canonical noise of the
guarantee, which is such a mechanism itself.  Privacy losses of a composition add up, so they lie on
a lattice, and the least δ is the mean of max(0, 1 − e^(ε' − loss)).  Beside mechanisms whose losses have
densities it is the mean of their δ(ε' − loss).  The proofs are on the pages optimal-composition and
curves-together of theorems/computed/.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import TypeAlias

import sympy

from dpcompose.language.enclosures import MOST_LOGARITHM, ONE, ZERO, Interval, enclosure, exp
from dpcompose.privacy.tails import Laplace, Normal, Tail

LARGEST_LATTICE = 30_000
"""The most points of a lattice of losses; beyond it the losses are moved to a coarser one, a known way."""
BESIDE_NORMAL, BESIDE_LAPLACE = 250, 1_000
"""The same where each point takes a value of the curve of normal noise, or of Laplace noise."""
LARGEST_WORK = 8 * 10**6
"""The most bits that the masses of a lattice may have in all."""
LARGEST_DISTANCE = 10_000
"""The largest distance of two inputs for which canonical noise is tabulated."""


class TooManyLosses(ValueError):
    """The losses are too many to go through; the message says how many there are."""


@dataclass(frozen=True)
class Part:
    """`count` mechanisms that are (ε, δ)-DP, each with two inputs that are `steps` apart.

    epsilon, delta -- constants ≥ 0, as sympy expressions; steps, count -- whole numbers ≥ 1.
    """

    epsilon: sympy.Expr
    delta: sympy.Expr
    steps: int = 1
    count: int = 1

    def times(self, count: int) -> Part:
        """The same of so many mechanisms."""
        return replace(self, count=self.count * count)


Piece: TypeAlias = "Part | Normal | Laplace"
"""What is known of one or several of the mechanisms that are composed."""


@dataclass(frozen=True)
class _Rounded(Part):
    """Laplace noise whose losses are moved to a lattice: epsilon is h/2 and steps 2n, its centres are at most
    nh scales apart, and at least (n − less)h, where less is 0 or 1."""

    less: int = 0


@dataclass(frozen=True)
class Noise:
    """Canonical noise at inputs that are r steps apart: two distributions P, Q on losses (2u − r)ε and ∞.

    masses -- P of each loss (2u − r)ε, u = 0, …, r, the logarithm of P/Q; infinite -- P of the outcomes
    that Q does not have.  Q is P turned round: of the loss −ℓ it has what P has of ℓ.  For Laplace noise
    the lower ends are the masses of what loses no more, and the upper ones those of what loses no less.
    """

    masses: tuple[Interval, ...]
    infinite: Interval


@lru_cache(maxsize=1024)
def noise(epsilon: sympy.Expr, delta: sympy.Expr, steps: int, bits: int) -> Noise:
    """The canonical noise of (ε, δ)-DP at a distance; δ > 1 counts as 1.

    With g(a) = min(1, δ + e^ε·a, 1 − e^(−ε)(1 − δ − a)), the most that P(S) can be where Q(S) = a one step
    before: the r-th iterate of g has the slope e^((r−2s)ε) on an interval each, of length P(loss (2s−r)ε).

    >>> table = noise(sympy.log(3), sympy.Integer(0), 2, 64)
    >>> [str(mass.low) for mass in table.masses], table.infinite.high
    (['1/12', '1/6', '3/4'], Fraction(0, 1))
    """
    if steps > LARGEST_DISTANCE:
        raise TooManyLosses(f"a distance of {steps} steps is too large to tabulate the losses")
    more = bits + 2 * steps.bit_length() + 32
    x, d = enclosure(sympy.exp(epsilon), more), enclosure(delta, more).at_least(ZERO).at_most(ONE)
    smaller = x.inverse().rounded(more)
    infinite = ZERO
    for _ in range(steps):
        above = (ONE - smaller * (ONE - d - infinite)).rounded(more)
        infinite = (d + x * infinite).rounded(more).at_most(above).at_most(ONE).at_least(ZERO)
    end = ONE - infinite
    # ends[j] is where the r-th iterate has spent j steps on the lower slope before it reaches the upper one
    ends = [end]
    b = ((ONE - d) * (ONE + x).inverse()).rounded(more)
    for _ in range(steps):
        ends.append(b.at_least(ZERO).at_most(end))
        b = ((b - d) * smaller).rounded(more)
    ends = [*ends, ZERO]
    lengths = [(ends[j] - ends[j + 1]).at_least(ZERO).rounded(more) for j in range(steps, -1, -1)]
    return Noise(tuple(lengths), infinite)


@lru_cache(maxsize=256)
def _rounded_laplace(part: _Rounded, bits: int) -> Noise:
    """The losses (u − n)h, u = 0, …, 2n, of Laplace noise whose centres are nh scales apart, or a bit less.

    It loses no more than geometric noise of h in n steps; and no less than what is left when outputs are
    rounded to multiples of h, of centres that are (n − less)h scales apart.
    """
    n, least = part.steps // 2, part.steps // 2 - part.less
    step = part.epsilon * 2
    above = noise(step, sympy.Integer(0), n, bits)
    q = exp(ZERO - enclosure(step, bits + 32), bits + 32)
    half = Interval.of(Fraction(1, 2))
    below = [ZERO] * (2 * n + 1)
    power = half
    for k in range(least):
        below[n + least - 1 - 2 * k] = (power * (ONE - q)).rounded(bits + 32)
        power = (power * q).rounded(bits + 32)
    below[n - least] += power
    below[n + least] += half
    masses = [Interval(mass.low, Fraction(0)) for mass in below]
    for u, mass in enumerate(above.masses):
        masses[2 * u] = Interval(masses[2 * u].low, mass.high)
    return Noise(tuple(masses), ZERO)


@dataclass(frozen=True)
class _Masses:
    """Masses on whole numbers 0, …, size − 1 in units of 2^−bits, from below and from above.

    All masses are packed into one integer each, `slot` bits a mass, so that a convolution is one
    product of integers.  total -- at least the sum of the upper masses.
    """

    low: int
    high: int
    size: int
    total: int


@dataclass(frozen=True)
class _Packing:
    """How masses are packed and rounded: units of 2^−bits, `slot` bits for each, a multiple of 8."""

    bits: int
    slot: int

    def pack(self, masses: dict[int, Interval]) -> _Masses:
        low = high = total = 0
        for at, mass in masses.items():
            least, most = self._units(mass)
            low |= least << at * self.slot
            high |= most << at * self.slot
            total += most
        return _Masses(low, high, max(masses) + 1, self._fitting(total))

    def times(self, one: _Masses, other: _Masses) -> _Masses:
        """The convolution, rounded down from below and up from above."""
        return self._rounded(
            one.low * other.low, one.high * other.high, one.size + other.size - 1, one.total * other.total
        )

    def times_few(self, one: _Masses, few: dict[int, Interval]) -> _Masses:
        """The same where few places have a mass: a sum of shifted multiples, which is faster."""
        low = high = total = 0
        for at, mass in few.items():
            least, most = self._units(mass)
            low += one.low * least << at * self.slot
            high += one.high * most << at * self.slot
            total += one.total * most
        return self._rounded(low, high, one.size + max(few), total)

    def _rounded(self, low: int, high: int, size: int, total: int) -> _Masses:
        """Products of masses in units of 2^−bits again."""
        each = self._pattern(size, 1)
        keep = self._pattern(size, (1 << self.slot - self.bits) - 1)
        return _Masses(
            (low >> self.bits) & keep,
            ((high >> self.bits) & keep) + each,
            size,
            self._fitting((total >> self.bits) + 1 + size),
        )

    def _units(self, mass: Interval) -> tuple[int, int]:
        """A mass in units, rounded down and up."""
        least, most = mass.low * 2**self.bits, mass.high * 2**self.bits
        return least.numerator // least.denominator, -(-most.numerator // most.denominator)

    def power(self, one: _Masses, n: int) -> _Masses:
        result, square = None, one
        while n:
            if n & 1:
                result = square if result is None else self.times(result, square)
            n >>= 1
            if n:
                square = self.times(square, square)
        assert result is not None
        return result

    def unpack(self, packed: int, size: int) -> list[int]:
        width = self.slot // 8
        data = packed.to_bytes(size * width, "little")
        return [int.from_bytes(data[at : at + width], "little") for at in range(0, size * width, width)]

    def _pattern(self, size: int, value: int) -> int:
        """The same value in each slot."""
        one = value.to_bytes(self.slot // 8, "little")
        return int.from_bytes(one * size, "little")

    def _fitting(self, total: int) -> int:
        """The total, if no sum of products of masses can leave its slot: it is less than total²."""
        if total >= 1 << self.bits + 2:
            raise TooManyLosses("the masses cannot be added up with so few bits")
        return total


@dataclass(frozen=True)
class _Axis:
    """Losses (2n − offset)·step, n = 0, …, size − 1, with their masses from below and from above."""

    step: sympy.Expr
    offset: int
    low: tuple[int, ...]
    high: tuple[int, ...]


@dataclass(frozen=True)
class _Losses:
    """The privacy loss of a composition: independent sums of axes, and what has no finite loss.

    moved -- by how much the true loss may differ from that of the axes, which are on a coarser lattice then;
    tail -- what is lost beside.
    """

    axes: tuple[_Axis, ...]
    finite: Interval
    infinite: Interval
    moved: Fraction
    bits: int
    tail: Tail | None = None

    def delta(self, epsilon: sympy.Expr) -> Interval:
        """The mean of max(0, 1 − e^(ε' − loss))."""
        return Interval(self.below(epsilon), self.above(epsilon))

    def below(self, epsilon: sympy.Expr) -> Fraction:
        """What it is at least."""
        found = self._finite_part(epsilon, self.moved, upper=False)
        return min(Fraction(1), self.finite.low * found + self.infinite.low)

    def above(self, epsilon: sympy.Expr) -> Fraction:
        """What it is at most."""
        found = self._finite_part(epsilon, -self.moved, upper=True)
        return min(Fraction(1), self.finite.high * found + self.infinite.high)

    def _finite_part(self, epsilon: sympy.Expr, by: Fraction, upper: bool) -> Fraction:
        shift = enclosure(epsilon, self.bits + 32) + Interval.of(by)
        total = self._below(0, shift, epsilon if not by else None, upper)
        return Fraction(total, 1 << self.bits)

    def _below(self, n: int, shift: Interval, exactly: sympy.Expr | None, upper: bool) -> int:
        """Σ mass·max(0, 1 − e^(shift − loss)) over the axes from the n-th on, rounded one way."""
        if n == len(self.axes):
            return self._weight(shift, upper)
        axis = self.axes[n]
        if n == len(self.axes) - 1 and self.tail is None:
            return self._last(axis, shift, exactly, upper)
        step = enclosure(axis.step, self.bits + 32)
        total = 0
        for at, mass in enumerate(axis.high if upper else axis.low):
            if mass:
                times = 2 * at - axis.offset
                rest = None if exactly is None else exactly - times * axis.step
                inner = self._below(n + 1, shift - step * Interval.of(times), rest, upper)
                total += _scaled(mass * inner, self.bits, upper)
        return total

    def _weight(self, shift: Interval, upper: bool) -> int:
        """1 − e^shift where shift < 0, else 0; the curve at the shift where something else is lost beside."""
        end = shift.low if upper else shift.high
        if self.tail is not None:
            bits = self.bits // 2 if self.axes else self.bits
            found = self.tail.above(end, bits) if upper else self.tail.below(end, bits)
            return _scaled_fraction(found * (1 << self.bits), upper)
        if end >= 0:
            return 0
        if end < -MOST_LOGARITHM and upper:
            return 1 << self.bits
        small = exp(Interval.of(max(end, Fraction(-MOST_LOGARITHM))), self.bits)
        weight = (ONE - small) * Interval.of(1 << self.bits)
        return _scaled_fraction(weight.high if upper else weight.low, upper)

    def _last(self, axis: _Axis, shift: Interval, exactly: sympy.Expr | None, upper: bool) -> int:
        """The same for the last axis: e^(shift − loss) shrinks by the same factor from point to point."""
        step = enclosure(axis.step, self.bits + 32)
        reached = ((shift * step.inverse()) + Interval.of(axis.offset)) * Interval.of(Fraction(1, 2))
        end = reached.low if upper else reached.high  # losses up to here weigh nothing, or may do so
        first = max(0, end.numerator // end.denominator + 1)
        if upper and exactly is not None and reached.high >= first >= reached.low:
            # the loss may be ε' itself, which is told by the formulas
            first += int(sympy.expand((2 * first - axis.offset) * axis.step - exactly) == 0)
        masses = axis.high if upper else axis.low
        if first >= len(masses):
            return 0
        start = shift - step * Interval.of(2 * first - axis.offset)
        one = 1 << self.bits
        small = one - self._weight(start, upper)
        # from above 1 − e^x needs e^x from below, and the other way round
        factor = exp(step * Interval.of(-2), self.bits + 32)
        exact = factor.low if upper else factor.high
        shrink = _scaled_fraction(exact * one, not upper)
        total = 0
        for mass in masses[first:]:
            total += mass * (one - small)
            small = _scaled(small * shrink, self.bits, not upper)
        return _scaled(total, self.bits, upper)


def _scaled(x: int, bits: int, up: bool) -> int:
    return -(-x >> bits) if up else x >> bits


def _scaled_fraction(x: Fraction, up: bool) -> int:
    return -(-x.numerator // x.denominator) if up else x.numerator // x.denominator


@dataclass(frozen=True)
class Curve:
    """The least δ(ε') of mechanisms composed: no smaller one holds for all mechanisms as the parts say.

    parts -- the mechanisms whose inputs move, and are known by their guarantees; those that are alike are
    counted; normal -- all that is Gaussian or zCDP; laplace -- what adds Laplace noise.

    >>> two = Curve.of([Part(sympy.Integer(1), sympy.Integer(0), count=2)])
    >>> f"{float(two.delta(sympy.Integer(1)).low):.12f}"
    '0.337834712147'
    >>> once = Curve.of([Part(sympy.Integer(1), sympy.Integer(0), steps=2)])
    >>> f"{float(once.delta(sympy.Integer(1)).high):.4f}"
    '0.4621'
    >>> normal = Normal(sympy.Integer(1), sympy.Integer(0))
    >>> str(Curve.of([normal, normal]).least_epsilon(Fraction(1, 10**5)).high * 10**6)
    '6572971'
    """

    parts: tuple[Part, ...]
    normal: Normal | None = None
    laplace: tuple[Laplace, ...] = ()

    @staticmethod
    def of(pieces: Iterable[Piece]) -> Curve:
        """The curve, mechanisms that are alike counted together."""
        alike: Counter[tuple[sympy.Expr, sympy.Expr, int]] = Counter()
        noisy: Counter[sympy.Expr] = Counter()
        normal = Normal(sympy.Integer(0), sympy.Integer(0))
        for piece in pieces:
            if isinstance(piece, Part):
                alike[piece.epsilon, piece.delta, piece.steps] += piece.count
            elif isinstance(piece, Laplace):
                noisy[piece.ratio] += piece.count
            else:
                normal = Normal(normal.square + piece.square, normal.rho + piece.rho)
        ordered = sorted(alike.items(), key=lambda one: (str(one[0]), one[1]))
        return Curve(
            tuple(Part(*key, count) for key, count in ordered),
            normal if (normal.square, normal.rho) != (0, 0) else None,
            tuple(Laplace(ratio, count) for ratio, count in sorted(noisy.items(), key=str)),
        )

    def delta(self, epsilon: sympy.Expr, bits: int = 128, points: int = LARGEST_LATTICE) -> Interval:
        """Between which numbers δ(ε') lies.

        epsilon -- a constant; bits -- how many binary digits masses have; points -- of how many losses at
        most.  Raises TooManyLosses, and NoEnclosure where a parameter is no real constant.
        """
        return _losses(self, bits, points).delta(epsilon)

    def least_epsilon(self, delta: Fraction, digits: int = 6, bits: int = 128) -> Interval | None:
        """The least ε' ≥ 0 with δ(ε') ≤ δ, between decimals of so many digits; None: there is none.

        >>> pure = Curve.of([Part(sympy.Integer(1), sympy.Integer(0), count=500)])
        >>> str(pure.least_epsilon(Fraction(1, 10**5), 3).high)
        '38971/125'
        """
        return _least_epsilon(self, delta, digits, bits)


@lru_cache(maxsize=64)
def _least_epsilon(curve: Curve, delta: Fraction, digits: int, bits: int) -> Interval | None:
    """The least ε', looked for where δ(ε') seems to be δ: floating-point numbers only choose where."""
    unit = 10**digits
    losses = _losses(curve, bits, LARGEST_LATTICE)
    if losses.infinite.low > delta:
        return None

    @cache
    def above(n: int) -> Fraction:
        return losses.above(sympy.Rational(n, unit))

    low, high = -1, unit  # the last n at which δ(n/unit) is not seen to be at most δ, and a first one
    while above(high) > delta:
        low, high = high, 2 * high
        if high > MOST_EPSILON * unit:
            return None
    turn = 0
    while high - low > 1:
        turn += 1
        at = (low + high) // 2
        if turn % 3 and low >= 0 and 0 < above(high) < above(low) and delta > 0:
            left, right = (_log(above(n)) - _log(delta) for n in (low, high))
            if left > right:
                at = low + round((high - low) * left / (left - right))
        at = min(max(at, low + 1), high - 1)
        low, high = (low, at) if above(at) <= delta else (at, high)
    before, step = high - 1, 1  # the last at which it is known to be above δ, or close to that
    while before >= 0 and losses.below(sympy.Rational(before, unit)) <= delta:
        before, step = before - step, 2 * step
    return Interval(Fraction(max(0, before), unit), Fraction(high, unit))


def _log(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)


MOST_EPSILON = 10**5
"""Up to which ε' the least one is looked for."""


@lru_cache(maxsize=256)
def _losses(curve: Curve, bits: int, points: int) -> _Losses:
    """The losses of a composition on their lattice, or on a coarser one where they are too many."""
    finite, infinite = ONE, ONE
    moving: list[tuple[Part, Noise]] = []
    for part in curve.parts:
        table = noise(part.epsilon, part.delta, part.steps, bits)
        stays = (ONE - table.infinite).power(part.count, 2 * bits)
        infinite = (infinite * stays).rounded(4 * bits)
        if part.epsilon == 0:  # no finite loss but 0
            finite = (finite * stays).rounded(2 * bits)
        else:
            moving.append((part, table))
    if curve.normal or curve.laplace:
        points = min(points, BESIDE_NORMAL if curve.normal else BESIDE_LAPLACE)
    tail, rounded = _beside(curve, points // _size(_lattice([part for part, _ in moving])))
    # of its own, as its steps are much smaller
    lattice = [*_lattice([part for part, _ in moving]), *_lattice(rounded)]
    moving += [(one, _rounded_laplace(one, bits)) for one in rounded]
    moved = Fraction(0)
    if _size(lattice) > points and tail is None and len(moving) == 1 and moving[0][0].steps == 1:
        axis, left_out = _binomial(*moving[0], bits)
        stays = ONE - infinite
        return _Losses((axis,), finite, Interval(stays.low, stays.high + left_out), moved, bits)
    if _size(lattice) > points:
        step, weights, moved = _coarser([part for part, _ in moving], points, bits)
        lattice = [(step, weights)]
    tables = dict(moving)
    axes = tuple(_axis(step, weights, tables, bits) for step, weights in lattice)
    axes = tuple(sorted(axes, key=lambda axis: len(axis.low)))
    return _Losses(axes, finite, ONE - infinite, moved, bits, tail)


def _size(lattice: Iterable[tuple[sympy.Expr, dict[Part, int]]]) -> int:
    """How many losses there are on all axes together."""
    return math.prod(
        sum(w * part.steps * part.count for part, w in weights.items()) + 1 for _, weights in lattice
    )


def _beside(curve: Curve, points: int) -> tuple[Tail | None, list[_Rounded]]:
    """What is lost beside the lattice, and the Laplace noise that is moved to it: all, or all but one.

    points -- how many losses the latter may have.
    """
    tail: Tail | None = curve.normal
    noisy = list(curve.laplace)
    if tail is None and noisy:
        tail = replace(noisy[-1], count=1)
        noisy[-1] = replace(noisy[-1], count=noisy[-1].count - 1)
    return tail, _on_one_lattice([one for one in noisy if one.count], points)


def _on_one_lattice(noisy: Sequence[Laplace], points: int) -> list[_Rounded]:
    """Laplace noise moved to a lattice of at most so many points: exactly where ratios are rational to each
    other and that is enough, else each Δ/b to the next multiples of a common step."""
    if not noisy:
        return []
    room, several = (points - 1) // 2, sum(one.count for one in noisy)
    (step, whole), *others = _lattice([Part(one.ratio, sympy.Integer(0), count=one.count) for one in noisy])
    many = room // sum(n * part.count for part, n in whole.items())
    if many and not others:
        return [
            _Rounded(step / (2 * many), sympy.Integer(0), 2 * n * many, part.count)
            for part, n in whole.items()
        ]
    if room <= several:
        raise TooManyLosses(
            f"the losses of {several} mechanisms with Laplace noise are too many to go through"
        )
    exact = [(one, enclosure(one.ratio, ENOUGH)) for one in noisy]
    most = sum((x.high * one.count for one, x in exact), Fraction(0))
    wide = Interval.of(most / (room - several)).rounded(ENOUGH).high
    found = []
    for one, x in exact:
        n, least = max(1, -(-x.high // wide)), x.low // wide
        half = sympy.Rational(wide.numerator, 2 * wide.denominator)
        found.append(_Rounded(half, sympy.Integer(0), 2 * n, one.count, n - least))
    return found


ENOUGH = 64
"""With how many binary digits a lattice is chosen."""


def _lattice(parts: Sequence[Part]) -> Iterator[tuple[sympy.Expr, dict[Part, int]]]:
    """For parts whose ε have rational ratios a common step, of which each ε is a whole multiple."""
    rest = list(parts)
    while rest:
        first = rest[0].epsilon
        ratios = {part: part.epsilon / first for part in rest}
        some = {part: Fraction(int(q.p), int(q.q)) for part, q in ratios.items() if q.is_Rational}
        rest = [part for part in rest if part not in some]
        common = math.lcm(*(q.denominator for q in some.values()))
        whole = {part: int(q * common) for part, q in some.items()}
        divisor = math.gcd(*whole.values())
        yield first * divisor / sympy.Integer(common), {part: n // divisor for part, n in whole.items()}


def _coarser(parts: Sequence[Part], points: int, bits: int) -> tuple[sympy.Expr, dict[Part, int], Fraction]:
    """A lattice of about so many points, each ε moved to its nearest multiple; by how much in all at most."""
    exact = {part: enclosure(part.epsilon, bits) for part in parts}
    largest = sum((x.high * part.steps * part.count for part, x in exact.items()), Fraction(0))
    each = sum(part.steps * part.count for part in parts)
    if each >= points:
        raise TooManyLosses(f"{each} mechanisms and steps are too many to go through their losses")
    step = Fraction(largest / (points - each)).limit_denominator(1 << 40)
    weights = {part: round(x.low / step) for part, x in exact.items()}
    moved = Fraction(0)
    for part, x in exact.items():
        off = max(abs(x.low - weights[part] * step), abs(x.high - weights[part] * step))
        moved += off * part.steps * part.count
    return sympy.Rational(step.numerator, step.denominator), weights, moved


def _binomial(part: Part, table: Noise, bits: int) -> tuple[_Axis, Fraction]:
    """The losses of many mechanisms that are alike, as far as they are likely, and how likely the others are.

    The losses (2u − k)ε have masses in proportion to those of a binomial distribution, which follow from the
    largest one, and what is beyond the last one shrinks at least as fast as there.  They add up to (1 − c)^k.
    """
    k, scale = part.count, bits + 64
    least, most = table.masses
    if least.low <= 0 or most.low <= 0:
        raise TooManyLosses(
            f"{k} mechanisms of which some loss is almost impossible are too many to go through"
        )
    odds = (most * least.inverse()).rounded(scale)
    mode = min(k, int((k + 1) * most.low / (most.low + least.low)))
    one = 1 << scale

    def beyond(ratio: Interval, at: Callable[[int], tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
        """The masses beyond the mode, and a bound of those left out; at -- the n-th ratio over the odds."""
        low, high, n = one, one, 0
        factors = _scaled_fraction(ratio.low * one, False), _scaled_fraction(ratio.high * one, True)
        found: list[tuple[int, int]] = []
        while True:
            numerator, denominator = at(n)
            if numerator == 0:
                return found, 0
            shrinks = -(-factors[1] * numerator // denominator)
            if high >> 64 - SPARE == 0 and shrinks < one:
                return found, -(-high * shrinks // (one - shrinks))
            low = (low * factors[0] * numerator >> scale) // denominator
            high = -(-(high * factors[1] * numerator) // (denominator << scale))
            found.append((low, high))
            n += 1

    above, over = beyond(odds, lambda n: (k - mode - n, mode + n + 1))
    below, under = beyond(odds.inverse(), lambda n: (mode - n, k - mode + n + 1))
    masses = [*reversed(below), (one, one), *above]
    all_low, all_high = (sum(mass[end] for mass in masses) for end in (0, 1))
    stays = (ONE - table.infinite).power(k, 2 * bits)
    low_unit = stays.low * (1 << bits) / (all_high + over + under)
    high_unit = stays.high * (1 << bits) / all_low
    axis = _Axis(
        part.epsilon,
        k - 2 * (mode - len(below)),
        tuple(_scaled_fraction(mass[0] * low_unit, False) for mass in masses),
        tuple(_scaled_fraction(mass[1] * high_unit, True) for mass in masses),
    )
    return axis, Fraction(over + under) / all_low


SPARE = 16
"""How many binary digits more than wanted masses have before they are left out."""


def _axis(step: sympy.Expr, weights: dict[Part, int], tables: dict[Part, Noise], bits: int) -> _Axis:
    """The convolution of all parts on one lattice."""
    offset = sum(w * part.steps * part.count for part, w in weights.items())
    slot = -(-(2 * bits + 8) // 8) * 8
    if (offset + 1) * slot > LARGEST_WORK:
        raise TooManyLosses(f"{offset + 1} losses are too many to go through with {bits} bits")
    packing = _Packing(bits, slot)
    total = packing.pack({0: ONE})
    for part, w in sorted(weights.items(), key=lambda one: (one[1] * one[0].count, str(one[0]))):
        table: dict[int, Interval] = {}
        for u, mass in enumerate(tables[part].masses):
            table[u * w] = table.get(u * w, ZERO) + mass
        if part.count == 1:
            total = packing.times_few(total, table)
        else:
            total = packing.times(total, packing.power(packing.pack(table), part.count))
    low, high = (packing.unpack(packed, total.size) for packed in (total.low, total.high))
    return _Axis(step, offset, tuple(low), tuple(high))
