"""The δ(ε) of normal noise, of what is zCDP, and of Laplace noise, enclosed by rationals.

δ(ε) = sup_S (P(S) − e^ε·Q(S)) for the outputs P, Q at two inputs.  What is attained by some mechanism is
`below`; what no mechanism exceeds is `above`.  They differ for zCDP by more than rounding.  The proofs are
on the pages gaussian-curve, zcdp-curve and laplace-curve of theorems/computed/.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from dpcompose.kernel.deciders.curves.normal import HALF, density, distribution, is_far, ratio, root
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import ONE, ZERO, Interval, enclosure, exp, log
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

ENCLOSED = 128
"""Between how many lines a trade-off function is enclosed, on each side of its middle."""

SHORTER, FARTHEST = 32, 384
"""Intervals of losses of normal noise are so many times shorter than a standard deviation, and there are so
many of them on each side of the mean."""
NEAR = 16
"""Up to which μ² the losses of normal noise are told by intervals."""


@frozen
class Normal:
    """N(μ, 1) against N(0, 1), and what is zCDP beside: δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2).

    square -- μ², of several mechanisms their sum; rho -- of what is zCDP, their sum.  Constants ≥ 0.
    With ρ > 0 the lower number is that of normal noise with μ² + 2ρ, which is such a mechanism, and the
    upper one holds for all that are (μ²/2 + ρ)-zCDP.

    >>> one = Normal(terms.ONE)
    >>> [one.below(Fraction(e), 64) * 10**10 // 1 for e in (0, 1)]
    [3829249225, 1269367375]
    >>> found = Normal(terms.ZERO, terms.number(Fraction(1, 10))).delta(Interval.of(2), 64)
    >>> found.low * 10**9 // 1, found.high * 10**8 // 1
    (944, 432)
    """

    square: Term
    rho: Term = terms.ZERO

    def times(self, count: int) -> Normal:
        """The same of so many mechanisms."""
        return Normal(self.square * count, self.rho * count)

    def _attained(self, bits: int) -> Interval:
        return _enclosed(self.square, self.rho, bits + 32)

    def below(self, epsilon: Fraction, bits: int) -> Fraction:
        """What some mechanism attains at a rational ε, up to about 2^−bits."""
        return _normal(epsilon, self._attained(bits).low, bits, False)

    def above(self, epsilon: Fraction, bits: int) -> Fraction:
        """What no mechanism exceeds."""
        attained = self._attained(bits)
        if self.rho == terms.ZERO:
            return _normal(epsilon, attained.high, bits, True)
        return concentrated(epsilon, attained.high / 2, bits)

    def delta(self, epsilon: Interval, bits: int) -> Interval:
        """Both: δ does not increase with ε."""
        return Interval(self.below(epsilon.high, bits), self.above(epsilon.low, bits))

    @property
    def slopes(self) -> list[Fraction]:
        """The ε at which its trade-off function is enclosed between lines: to 8 standard deviations."""
        each = root(self._attained(64).low, 64).low / 16
        return [j * Interval.of(each).rounded(32).low for j in range(ENCLOSED + 1)]

    @property
    def is_near(self) -> bool:
        """Whether Q of likely losses is not so small that many more digits are needed to tell it."""
        return self._attained(64).high <= NEAR

    @property
    def ends(self) -> list[Fraction]:
        """The ends of short intervals of losses, beyond which they are unlikely in P."""
        square = self._attained(64).low
        each = root(square, 64).low / SHORTER
        return [Interval.of(square / 2 + j * each).rounded(48).low for j in range(-FARTHEST, FARTHEST + 1)]

    def event(self, epsilon: Fraction, bits: int) -> tuple[Interval, Interval]:
        """The probabilities in Q and in P that the loss is above ε, with ρ = 0, or of what attains that."""
        square = self._attained(bits)
        mu = Interval(root(square.low, bits).low, root(square.high, bits).high)
        far, half = Interval.of(-epsilon) * mu.inverse(), mu * HALF
        return distribution(far - half, bits), distribution(far + half, bits)


@frozen
class Laplace:
    """Laplace noise of scale b around two values Δ apart: δ(ε) = 1 − e^((ε − Δ/b)/2) for |ε| ≤ Δ/b.

    ratio -- a = Δ/b, a constant ≥ 0; count -- of how many mechanisms (the curve is that of one); middle --
    given that the output lies between the two values, which has the largest δ of mechanisms whose losses lie
    in some interval of length a, as those of exponential mechanisms do: see `spreads`.

    >>> Laplace(terms.ONE).delta(Interval.of(Fraction(1, 4)), 64).low * 10**12 // 1
    312710721209
    """

    ratio: Term
    count: int = 1
    middle: bool = False

    def times(self, count: int) -> Laplace:
        """The same of so many mechanisms."""
        return replace(self, count=self.count * count)

    def delta(self, epsilon: Interval, bits: int) -> Interval:
        """1 − e^x for the least x of (ε − a)/2, ε and 0: the middle, what is before −a, and after a."""
        a = enclosure(self.ratio, bits + 32)
        least = ((epsilon - a) * HALF).at_most(epsilon).at_most(ZERO)
        return (ONE - exp(least, bits)).at_least(ZERO)

    @property
    def slopes(self) -> list[Fraction]:
        """The ε at which its trade-off function is enclosed between lines."""
        each = enclosure(self.ratio, 64).high / ENCLOSED
        return [j * Interval.of(each).rounded(32).high for j in range(ENCLOSED + 1)]

    def event(self, epsilon: Fraction, bits: int) -> tuple[Interval, Interval]:
        """The probabilities in Q and in P that the loss is above ε, of 0 ≤ ε, not the middle's."""
        a = enclosure(self.ratio, bits + 32)
        e = Interval.of(epsilon).at_most(a)
        return exp((ZERO - e - a) * HALF, bits) * HALF, ONE - exp((e - a) * HALF, bits) * HALF


Tail: TypeAlias = Normal | Laplace


@functools.lru_cache(maxsize=256)
def _enclosed(square: Term, rho: Term, bits: int) -> Interval:
    """μ² + 2ρ."""
    return enclosure(square + 2 * rho, bits)


@functools.lru_cache(maxsize=8192)
def _normal(epsilon: Fraction, square: Fraction, bits: int, up: bool) -> Fraction:
    """δ(ε) of normal noise at a given μ², rounded one way.

    With c = ε/μ + μ/2 it is Φ(μ − c) − e^(μc − μ²/2)·Φ(−c), where the power of e is φ(c − μ)/φ(c): μ and c
    are rounded to binary fractions, in the direction in which δ changes as wanted, and then everything is
    enclosed at these points.
    """
    if square <= 0:
        interval = (ONE - exp(Interval.of(epsilon), bits)).at_least(ZERO) if epsilon < 0 else ZERO
        return interval.high if up else interval.low
    more = bits + 24
    mu = root(square, more).high if up else root(square, more).low
    more += max(0, int(mu).bit_length())
    c = (epsilon / mu + mu / 2) * 2**more
    c = Fraction(c.__floor__() if up else c.__ceil__(), 1 << more)
    interval = _difference(c - mu, c, mu, more)
    return min(Fraction(1), max(Fraction(0), interval.high if up else interval.low))


def _difference(a: Fraction, c: Fraction, mu: Fraction, bits: int) -> Interval:
    """(1 − Φ(a)) − φ(a)·(1 − Φ(c))/φ(c) for a = c − μ."""
    if is_far(a, bits):
        return density(a, bits) * (ratio(a, bits) - ratio(c, bits))
    if is_far(c, bits):
        return distribution(Interval.of(-a), bits) - density(a, bits) * ratio(c, bits)
    # e^(μc − μ²/2) multiplies the second term, and its error; the exponent is at most c²/2
    grows = mu * c - mu * mu / 2
    more = bits + max(0, int(grows * 3 / 2))
    grown = exp(Interval.of(grows), more) * distribution(Interval.of(-c), more).at_least(ZERO)
    return distribution(Interval.of(-a), bits) - grown


def concentrated(epsilon: Fraction, rho: Fraction, bits: int) -> Fraction:
    """What δ(ε) is at most for outputs with D_α ≤ ρα for all α > 1, both ways; ρ > 0.

    For every α > 1 it is at most e^((α−1)(ρα−ε))/(α−1)·(1 − 1/α)^α, of which a good α is chosen; and
    1 − e^ε·(1 − that at −ε).
    """
    direct = min(Fraction(1), _at_order(epsilon, rho, bits))
    if epsilon >= 0:
        return direct
    turned = min(Fraction(1), _at_order(-epsilon, rho, bits))
    return min(direct, 1 - exp(Interval.of(epsilon), bits).low * (1 - turned))


@functools.lru_cache(maxsize=8192)
def _at_order(epsilon: Fraction, rho: Fraction, bits: int) -> Fraction:
    """The bound at the α that is chosen; rounded up."""
    order = 1 + _beyond_one(epsilon, rho)
    a, before = Interval.of(order), Interval.of(order - 1)
    exponent = Interval.of((order - 1) * (rho * order - epsilon))
    exponent = exponent + a * log(before * a.inverse(), bits + 32) - log(before, bits + 32)
    return exp(exponent.rounded(bits + 32), bits + 16).high


DIGITS = 40
"""With how many binary digits an order is chosen; the bound holds for every order."""


def _beyond_one(epsilon: Fraction, rho: Fraction) -> Fraction:
    """α − 1 at which the bound is nearly least: a zero of its logarithm's derivative in y = α − 1.

    (2y + 1)ρ − ε + ln(y/(1 + y)) rises and is concave, so Newton's method from where it is negative
    never oversteps; ln(y/(1 + y)) ≤ −1/(y + 1/2) says where to begin.
    """
    e, r = (Interval.of(x).rounded(DIGITS).low for x in (epsilon, rho))
    y = (e + root(e * e + 8 * r, DIGITS).low) / (4 * r) - Fraction(1, 2)
    y = max(y, Fraction(1, 8))

    def slope(y: Fraction) -> Fraction:
        return (2 * y + 1) * r - e + log(Interval.of(y / (1 + y)), DIGITS).low

    for _ in range(40):
        if slope(y) <= 0:
            break
        y /= 4
    else:
        return y  # the bound is nearly 1 at every order
    for _ in range(6):
        by = -slope(y) / (2 * r + 1 / (y * (1 + y)))
        y = Interval.of(y + by).rounded(DIGITS).low
        if abs(by) * 2**12 < y:
            break
    return y
