"""Whether the curve of a composition lies below that of normal noise: then it is Gaussian private.

In c = e^ε the least δ is convex, as a supremum of lines; so between two ε it lies below its chord.  Every
event of normal noise with the means 0 and μ is a line Φ(μ − z) − c·Φ(−z) below its curve.  So a chord below
such a line is enough for all ε between its ends.  Far out losses of at most T and those of normal noise with
a smaller μ are less likely to be above ε than those of this one.  The proof is on the page gaussian-curve of
theorems/computed/.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.deciders.curves.normal import distribution, root
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import Interval, enclosure
from dpcompose.kernel.expressions.terms import Term

MOST_ENDS = 2_000
"""The most ε between which chords are compared."""


def is_below_normal(
    curve: Curve, square: Term, ends: Sequence[Term], events: Sequence[Fraction], limit: Term, bits: int
) -> bool:
    """Whether δ(ε) is seen to be at most that of N(μ, 1) against N(0, 1) for all ε ≥ 0.

    Where nothing moves but normal noise, no chords are needed.

    square -- μ², a constant ≥ 0; ends -- constants ε, from 0 on; events -- for each two that follow one
    another the z of an event; limit -- the T up to which all that is not normal is lost.
    Raises TooManyLosses and NoEnclosure.

    >>> from dpcompose.kernel.deciders.curves.curves import Part
    >>> three = terms.log(terms.number(3))
    >>> once, z = Curve.of([Part(three, terms.ZERO)]), Fraction(27, 40)
    >>> squares = [terms.number(Fraction(x, 100)) for x in (182, 181)]
    >>> [is_below_normal(once, square, [terms.ZERO, three], [z], three, 64) for square in squares]
    [True, False]
    """
    if is_normal(curve) and enclosure(square - square_of(curve), bits).low >= 0:
        return True
    if not 1 < len(ends) <= MOST_ENDS or len(events) != len(ends) - 1 or ends[0] != terms.ZERO:
        return False
    mu = root(enclosure(square, bits).low, bits).low
    if not _is_below_far_out(curve, mu, ends[-1], limit, bits):
        return False
    chord = [(enclosure(terms.exp(end), bits).high, above(curve, end, bits)) for end in ends]
    for two, z in zip(pairwise(chord), events, strict=True):
        p = distribution(Interval.of(mu - z), bits).low
        q = distribution(Interval.of(-z), bits).high
        if any(delta + c * q > p for c, delta in two):
            return False
    return True


def is_normal(curve: Curve) -> bool:
    """Whether a curve is that of normal noise alone, which lies below that of any larger μ."""
    return curve.normal is not None and curve == Curve.of([Normal(square_of(curve))], curve.adaptive)


def square_of(curve: Curve) -> Term:
    """The square of the μ of its normal noise."""
    return terms.ZERO if curve.normal is None else curve.normal.square


@lru_cache(maxsize=1024)
def above(curve: Curve, epsilon: Term, bits: int) -> Fraction:
    """A δ that no mechanisms as the curve says exceed at ε: found once for all μ."""
    return curve.above(epsilon, bits)


def _is_below_far_out(curve: Curve, mu: Fraction, last: Term, limit: Term, bits: int) -> bool:
    """Whether the curve is below that of μ from an ε on: (ε − T)/m − m/2 ≥ ε/μ − μ/2 for its normal m < μ."""
    beyond, concentrated = enclosure(last - limit, bits).low, curve.normal and curve.normal.rho != terms.ZERO
    if concentrated or beyond < 0 or above(replace(curve, normal=None), limit, bits) > 0:
        return False
    m = root(enclosure(square_of(curve), bits).high, bits).high
    return m == 0 or (m < mu and beyond / m - m / 2 >= enclosure(last, bits).high / mu - mu / 2)
