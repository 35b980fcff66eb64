"""The curves δ(ε) of single mechanisms whose privacy losses have densities, enclosed by rationals.

δ(ε) = sup_S (P(S) − e^ε·Q(S)) for the outputs P, Q at two inputs: of normal noise, of any mechanism
that is ρ-zCDP, and of Laplace noise.  The proofs are on the pages gaussian-curve, zcdp-curve and
laplace-curve of theorems/computed/.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy

from dpcompose.language.enclosures import ONE, ZERO, Interval, enclosure, exp, log
from dpcompose.language.normal import HALF, density, distribution, mills


class Tail(ABC):
    """What is lost beside the losses of a lattice."""

    @abstractmethod
    def times(self, count: int) -> Tail:
        """The same of so many mechanisms."""

    @abstractmethod
    def below(self, epsilon: Fraction, bits: int) -> Fraction:
        """What δ(ε) is at least, at any rational ε, up to about 2^−bits; some mechanism attains it."""

    @abstractmethod
    def above(self, epsilon: Fraction, bits: int) -> Fraction:
        """What δ(ε) is at most."""

    def delta(self, epsilon: Interval, bits: int) -> Interval:
        """Between which numbers δ(ε) lies, which does not increase with ε."""
        return Interval(self.below(epsilon.high, bits), self.above(epsilon.low, bits))


@dataclass(frozen=True)
class Normal(Tail):
    """N(μ, 1) against N(0, 1), and what is zCDP beside: δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2).

    square -- μ², of several mechanisms their sum; rho -- of what is zCDP, their sum.  Constants ≥ 0.
    With ρ > 0 the lower number is that of normal noise with μ² + 2ρ, which is such a mechanism, and the
    upper one holds for all that are (μ²/2 + ρ)-zCDP.

    >>> one = Normal(sympy.Integer(1), sympy.Integer(0))
    >>> f"{float(one.delta(ZERO, 64).low):.10f}, {float(one.delta(ONE, 64).low):.10f}"
    '0.3829249225, 0.1269367375'
    >>> found = Normal(sympy.Integer(0), sympy.Rational(1, 10)).delta(Interval.of(2), 64)
    >>> f"{float(found.low):.3g}, {float(found.high):.3g}"
    '9.45e-07, 4.33e-06'
    """

    square: sympy.Expr
    rho: sympy.Expr

    def times(self, count: int) -> Normal:
        return Normal(self.square * count, self.rho * count)

    def below(self, epsilon: Fraction, bits: int) -> Fraction:
        return _normal(epsilon, enclosure(self.square + 2 * self.rho, bits + 32).low, bits, False)

    def above(self, epsilon: Fraction, bits: int) -> Fraction:
        attained = enclosure(self.square + 2 * self.rho, bits + 32)
        if self.rho == 0:
            return _normal(epsilon, attained.high, bits, True)
        return concentrated(epsilon, attained.high / 2, bits)


@dataclass(frozen=True)
class Laplace(Tail):
    """Laplace noise of scale b around two values Δ apart: δ(ε) = 1 − e^((ε − Δ/b)/2) for |ε| ≤ Δ/b.

    ratio -- Δ/b, a constant ≥ 0; count -- of how many mechanisms (the curve is that of one).

    >>> found = Laplace(sympy.Integer(1)).delta(Interval.of(Fraction(1, 4)), 64)
    >>> f"{float(found.low):.12f}"
    '0.312710721209'
    """

    ratio: sympy.Expr
    count: int = 1

    def times(self, count: int) -> Laplace:
        return replace(self, count=self.count * count)

    def below(self, epsilon: Fraction, bits: int) -> Fraction:
        return self._value(epsilon, bits).low

    def above(self, epsilon: Fraction, bits: int) -> Fraction:
        return self._value(epsilon, bits).high

    def _value(self, epsilon: Fraction, bits: int) -> Interval:
        """1 − e^ε before −a, 0 after a: each of the three is the largest where it is meant."""
        at = Interval.of(epsilon)
        ratio = enclosure(self.ratio, bits + 32)
        if epsilon > ratio.high:
            return ZERO
        middle = (ONE - _power((at - ratio) * HALF, bits)).at_least(ZERO)
        return middle if epsilon >= 0 else middle.at_least(ONE - _power(at, bits))


def _power(x: Interval, bits: int) -> Interval:
    """e^x for an x that is at most 0, or hardly above it; far below 2^−bits only between 0 and that."""
    if x.low >= -2 * bits:
        return exp(x, bits)
    return Interval(Fraction(0), exp(Interval.of(max(x.high, Fraction(-2 * bits))), bits).high)


@functools.lru_cache(maxsize=8192)
def _normal(epsilon: Fraction, square: Fraction, bits: int, up: bool) -> Fraction:
    """δ(ε) of normal noise at a given μ², rounded one way.

    With c = ε/μ + μ/2 it is Φ(μ − c) − e^(μc − μ²/2)·Φ(−c): μ and c are rounded to binary fractions, in the
    direction in which δ changes as wanted, and then everything is enclosed at these points.  The second term
    is φ(μ − c)·R(c) with Mills' ratio R(c) = Φ(−c)/φ(c), so that no power of e is large.
    """
    if square <= 0:
        found = (ONE - _power(Interval.of(epsilon), bits)).at_least(ZERO) if epsilon < 0 else ZERO
        return found.high if up else found.low
    more = bits + 16
    root = _root(square, more)
    mu = root.high if up else root.low
    if mu <= 0:
        return Fraction(0)
    c = (epsilon / mu + mu / 2) * 2**more
    c = Fraction(c.__floor__() if up else c.__ceil__(), 1 << more)
    if c > mu and (c - mu) ** 2 > 2 * more:  # δ ≤ Φ(μ − c) ≤ e^(−(c − μ)²/2)/2
        return exp(Interval.of(-more), 16).high if up else Fraction(0)
    if c < 0:
        grown = _power(Interval.of(mu * c - mu * mu / 2), more) * distribution(Interval.of(-c), more)
    else:
        grown = density(Interval.of(mu - c), more) * mills(c, more)
    found = distribution(Interval.of(mu - c), more) - grown.at_least(ZERO)
    return min(Fraction(1), max(Fraction(0), found.high if up else found.low))


@functools.lru_cache(maxsize=256)
def _root(square: Fraction, bits: int) -> Interval:
    """√x of a rational x > 0."""
    shift = 2 * (bits + max(0, square.denominator.bit_length() - square.numerator.bit_length()))
    shifted = (square.numerator << shift) // square.denominator
    root = math.isqrt(shifted)
    return Interval(Fraction(root, 1 << shift // 2), Fraction(root + 1, 1 << shift // 2))


def concentrated(epsilon: Fraction, rho: Fraction, bits: int) -> Fraction:
    """What δ(ε) is at most for outputs with D_α ≤ ρα for all α > 1, both ways.

    For every α > 1 it is at most e^((α−1)(ρα−ε))/(α−1)·(1 − 1/α)^α, of which a good α is chosen; and
    1 − e^ε·(1 − that at −ε).
    """
    direct = min(Fraction(1), _at_order(epsilon, rho, bits))
    if epsilon >= 0:
        return direct
    turned = min(Fraction(1), _at_order(-epsilon, rho, bits))
    return min(direct, 1 - _power(Interval.of(epsilon), bits).low * (1 - turned))


@functools.lru_cache(maxsize=8192)
def _at_order(epsilon: Fraction, rho: Fraction, bits: int) -> Fraction:
    """The bound at the α that is chosen; rounded up."""
    if rho <= 0:
        return (ONE - _power(Interval.of(epsilon), bits)).at_least(ZERO).high if epsilon < 0 else Fraction(0)
    order = _order(epsilon, rho)
    a, before = Interval.of(order), Interval.of(order - 1)
    exponent = Interval.of((order - 1) * (rho * order - epsilon))
    exponent = exponent + a * log(before * a.inverse(), bits + 32) - log(before, bits + 32)
    least = Interval.of(-bits - 16)  # what is smaller than can be told from 0 is rounded up to that
    at_most_1 = exponent.at_least(least).at_most(ONE)  # e and more is no bound
    return exp(at_most_1.rounded(bits + 32), bits + 16).high


def _order(epsilon: Fraction, rho: Fraction) -> Fraction:
    """An α > 1 at which the bound is nearly least: its logarithm's derivative is (2α − 1)ρ − ε + ln(1 − 1/α).

    It is looked for to some digits; the bound holds for every α.
    """

    def rises(beyond: Fraction) -> bool:
        slope = log(Interval.of(beyond / (1 + beyond)), 48).low
        return (1 + 2 * beyond) * rho - epsilon + slope > 0

    low, high = Fraction(0), Fraction(1)
    for _ in range(MOST_DOUBLINGS):
        if rises(high):
            break
        low, high = high, 2 * high
    for _ in range(DIGITS):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) else (middle, high)
    return 1 + high


MOST_DOUBLINGS = 40
"""How often 1 is doubled to find an α at which the bound rises."""
DIGITS = 40
"""To about how many binary digits α − 1 is chosen."""
