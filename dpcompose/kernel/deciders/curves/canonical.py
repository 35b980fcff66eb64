"""The privacy losses of canonical noise, of Laplace noise on a lattice, and of very many that are alike.

An (ε, δ)-DP mechanism whose inputs are r steps apart tells them apart no better than two distributions on
r + 2 outcomes, with losses −rε, (2−r)ε, …, rε and ∞: the canonical noise of the guarantee, which is such a
mechanism itself.  The proofs are on the pages optimal-composition and laplace-curve of theorems/computed/.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from dpcompose.kernel.deciders.curves.lattices import Rounding, TooManyLosses
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import ONE, ZERO, Interval, enclosure, exp
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

LARGEST_DISTANCE = 10_000
"""The largest distance of two inputs for which canonical noise is tabulated."""
SPARE = 16
"""How many binary digits more than wanted masses have before they are left out."""


@frozen
class Noise:
    """Canonical noise at inputs that are r steps apart: two distributions P, Q on losses (2u − r)ε and ∞.

    masses -- P of each loss (2u − r)ε, u = 0, …, r, the logarithm of P/Q; infinite -- P of the outcomes
    that Q does not have.  Q is P turned round: of the loss −ℓ it has what P has of ℓ.
    """

    masses: tuple[Interval, ...]
    infinite: Interval


@lru_cache(maxsize=1024)
def noise(epsilon: Term, delta: Term, steps: int, bits: int) -> Noise:
    """The canonical noise of (ε, δ)-DP at a distance; δ > 1 counts as 1.

    With g(a) = min(1, δ + e^ε·a, 1 − e^(−ε)(1 − δ − a)), the most that P(S) can be where Q(S) = a one step
    before: the r-th iterate of g has the slope e^((r−2s)ε) on an interval each, of length P(loss (2s−r)ε).

    >>> table = noise(terms.log(terms.number(3)), terms.ZERO, 2, 64)
    >>> [str(mass.low) for mass in table.masses], table.infinite.high
    (['1/12', '1/6', '3/4'], Fraction(0, 1))
    """
    if steps > LARGEST_DISTANCE:
        raise TooManyLosses(f"a distance of {steps} steps is too large to tabulate the losses")
    more = bits + 2 * steps.bit_length() + 32
    smaller, d = enclosure(terms.exp(-epsilon), more), enclosure(delta, more).at_least(ZERO).at_most(ONE)
    infinite = ZERO
    for _ in range(steps):
        above = (ONE - smaller * (ONE - d - infinite)).rounded(more)
        infinite = (d + _over(infinite, smaller)).rounded(more).at_most(above).at_most(ONE).at_least(ZERO)
    end = ONE - infinite
    # ends[j] is where the r-th iterate has spent j steps on the lower slope before it reaches the upper one
    ends = [end]
    b = ((ONE - d) * smaller * (ONE + smaller).inverse()).rounded(more)
    for _ in range(steps):
        ends.append(b.at_least(ZERO).at_most(end))
        b = ((b - d) * smaller).rounded(more)
    ends = [*ends, ZERO]
    lengths = [(ends[j] - ends[j + 1]).at_least(ZERO).rounded(more) for j in range(steps, -1, -1)]
    return Noise(tuple(lengths), infinite)


def _over(a: Interval, small: Interval) -> Interval:
    """min(1, a/x) for a ≥ 0 and x > 0, of which it may only be seen that it is at least 0."""
    high = Fraction(1) if a.high >= small.low else a.high / small.low
    return Interval(min(Fraction(1), a.low / small.high), high if a.high else a.high)


def laplace(ratio: Interval, n: int, rounding: Rounding) -> dict[int, int]:
    """Masses of the losses (u − n)·a/n, u = 0, …, 2n, for Laplace noise with centres a scales apart.

    Rounded up: those of geometric noise of a/n in n steps, which loses no less; rounded down: those of what
    is left when outputs are rounded to multiples of an nth of the way, which loses no more.
    """
    bits = rounding.digits * 10 // 3 + 2 * n.bit_length() + 16
    number = 1 << bits
    q = exp(ZERO - ratio * Interval.of(Fraction(1, n)), bits)
    low, high = (int(q.low * number), -int(-q.high * number // 1))
    table: dict[int, int] = {}
    if rounding.up:  # q^n/(1 + q), then q^k(1 − q)/(1 + q) from k = n − 1 down to 1, and 1/(1 + q)
        power = number
        table[2 * n] = rounding.divided(number * rounding.unit, number + low)
        for k in range(1, n):
            power = -(-power * high >> bits)
            table[2 * (n - k)] = rounding.divided(
                power * (number - low) * rounding.unit, (number + low) << bits
            )
        power = -(-power * high >> bits)
        table[0] = rounding.divided(power * rounding.unit, number + low)
        return table
    power = number
    table[2 * n] = rounding.unit // 2
    for k in range(n):
        table[2 * n - 1 - 2 * k] = power * (number - high) * rounding.unit >> 2 * bits + 1
        power = power * low >> bits
    table[0] = power * rounding.unit >> bits + 1
    return table


def middle(ratio: Interval, n: int, rounding: Rounding) -> dict[int, int]:
    """Masses of losses (2u − n)·a/n, u = 1, …, n, that are no less than those of the middle of Laplace noise:
    rounded up to the next of these, as far as masses are rounded up."""
    bits = rounding.digits * 10 // 3 + 2 * n.bit_length() + 16
    number = 1 << bits
    q = exp(ZERO - ratio * Interval.of(Fraction(1, n)), bits)
    low, high = (int(q.low * number), -int(-q.high * number // 1))
    whole = number - -int(-exp(ZERO - ratio, bits).high * number // 1)
    if whole >> bits // 2 <= 0:  # so short an interval that 1 − e^−a is hardly known: all losses are its end
        return {n: rounding.unit}
    table, power = dict[int, int](), number
    for k in range(n):  # q^k(1 − q)/(1 − q^n)
        table[n - k] = rounding.divided(power * (number - low) * rounding.unit, whole << bits)
        power = -(-power * high >> bits)
    return table


@frozen
class Likely:
    """Losses (2n − offset)·ε, n = 0, 1, …, about the most likely one, and the mass of what is left out."""

    offset: int
    masses: tuple[int, ...]
    left_out: Fraction


def binomial(table: Noise, k: int, bits: int, rounding: Rounding) -> Likely:
    """The losses of k mechanisms that are alike, as far as they are likely, and how likely the others are.

    The losses (2u − k)ε have masses in proportion to those of a binomial distribution, which follow from the
    largest one, and what is beyond the last one shrinks at least as fast as there.  They add up to (1 − c)^k.
    """
    scale = bits + 64
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
        factors = int(ratio.low * one), -int(-ratio.high * one // 1)
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
    each = stays.high / all_low if rounding.up else stays.low / (all_high + over + under)
    n, d = each.as_integer_ratio()
    return Likely(
        k - 2 * (mode - len(below)),
        tuple(rounding.divided(mass[rounding.up] * n * rounding.unit, d) for mass in masses),
        Fraction(over + under) / all_low,
    )
