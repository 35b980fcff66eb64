"""Real roots of polynomials with rational coefficients: counted by Sturm's theorem, enclosed by halving.

A polynomial is the list of its coefficients, the constant one first and the last one not 0; they are whole
numbers without a common factor, as only signs and roots are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

Polynomial: TypeAlias = tuple[int, ...]
End: TypeAlias = Fraction | None
"""An end of an interval; None is no end."""


def polynomial(coefficients: Sequence[Fraction | int]) -> Polynomial:
    """A positive multiple with whole coefficients.

    >>> polynomial([Fraction(1, 2), 0, Fraction(-3, 2), 0])
    (1, 0, -3)
    """
    common = math.lcm(*(Fraction(c).denominator for c in coefficients))
    whole = [int(c * common) for c in coefficients]
    while whole and whole[-1] == 0:
        whole.pop()
    divisor = math.gcd(*whole)
    return tuple(c // divisor for c in whole) if divisor else ()


def value(p: Polynomial, x: Fraction) -> int:
    """A number with the sign of p(x)."""
    total, n, d = 0, x.numerator, x.denominator
    power = 1
    for c in reversed(p):
        total = total * n + c * power
        power *= d
    return total


def derivative(p: Polynomial) -> Polynomial:
    return polynomial([j * c for j, c in enumerate(p)][1:])


def remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    """A positive multiple of the remainder of p by q."""
    rest, lead = list(p), abs(q[-1])
    sign = 1 if q[-1] > 0 else -1
    while len(rest) >= len(q):
        last, shift = rest[-1] * sign, len(rest) - len(q)
        rest = [c * lead for c in rest]
        for j, c in enumerate(q, start=shift):
            rest[j] -= last * c
        rest.pop()
        while rest and rest[-1] == 0:
            rest.pop()
        divisor = math.gcd(*rest)
        rest = [c // divisor for c in rest]
    return tuple(rest)


def common(p: Polynomial, q: Polynomial) -> Polynomial:
    """The greatest common divisor.

    >>> common((-1, 0, 1), (1, 2, 1))
    (1, 1)
    """
    while q:
        p, q = q, remainder(p, q)
    return p if p[-1] > 0 else tuple(-c for c in p)


def quotient(p: Polynomial, q: Polynomial) -> Polynomial:
    """p/q up to a positive factor, for a divisor q with positive leading coefficient."""
    rest, values = [Fraction(c) for c in p], list[Fraction]()
    while len(rest) >= len(q):
        c, shift = rest[-1] / q[-1], len(rest) - len(q)
        values.append(c)
        for j, number in enumerate(q, start=shift):
            rest[j] -= c * number
        rest.pop()
    return polynomial(values[::-1])


def with_odd_roots(p: Polynomial) -> Polynomial:
    """The product of the factors of p whose multiplicity is odd: its roots are where p changes its sign.

    >>> with_odd_roots((0, 0, -1, 1)), with_odd_roots((0, 1, -2, 1))
    ((-1, 1), (0, 1))
    """
    shared = common(p, derivative(p)) if len(p) > 1 else (1,)
    alone = quotient(p, shared)  # every factor once
    odd, times = p, 1
    while len(alone) > 1:
        again = common(alone, shared)
        once = quotient(alone, again)  # the factors of this multiplicity
        if times % 2 == 0:
            for _ in range(times):
                odd = quotient(odd, _monic(once))
        else:
            for _ in range(times - 1):
                odd = quotient(odd, _monic(once))
        alone, shared, times = again, quotient(shared, again), times + 1
    return odd


def _monic(p: Polynomial) -> Polynomial:
    return p if p[-1] > 0 else tuple(-c for c in p)


class Sturm:
    """The roots of a polynomial without multiple roots.

    >>> roots = Sturm((-2, 0, 1))
    >>> roots.count(Fraction(0), None), roots.count(Fraction(-2), Fraction(2))
    (1, 2)
    """

    def __init__(self, p: Polynomial) -> None:
        self.chain = [p, derivative(p)] if len(p) > 1 else [p]
        while len(self.chain[-1]) > 1:
            rest = remainder(self.chain[-2], self.chain[-1])
            if not rest:
                break
            self.chain.append(tuple(-c for c in rest))

    def count(self, low: End, high: End) -> int:
        """How many roots lie in (low, high]."""
        return self._changes(low, -1) - self._changes(high, 1)

    def _changes(self, x: End, side: int) -> int:
        """How often the signs change along the chain at x; None is −∞ or ∞, by the side."""
        if x is None:
            signs = [p[-1] * (side if len(p) % 2 == 0 else 1) for p in self.chain]
        else:
            signs = [number for p in self.chain if (number := value(p, x))]
        return sum((number > 0) != (other > 0) for number, other in pairwise(signs))

    @property
    def bound(self) -> Fraction:
        """No root is larger in size (Cauchy)."""
        p = self.chain[0]
        return 1 + max((Fraction(abs(c), abs(p[-1])) for c in p[:-1]), default=Fraction(0))

    def enclosed(
        self, low: Fraction, high: Fraction | None, width: Fraction
    ) -> Iterator[tuple[Fraction, Fraction]]:
        """Intervals (a, b], one a root, in increasing order, no wider than `width`."""
        waiting = [(low, max(self.bound, low + 1) if high is None else high)]
        while waiting:
            a, b = waiting.pop()
            many = self.count(a, b)
            if many == 1 and b - a <= width:
                yield a, b
            elif many:
                middle = (a + b) / 2
                waiting += [(middle, b), (a, middle)]


def never_negative(f: Sequence[Fraction], low: End, high: End) -> bool:
    """Whether a polynomial is ≥ 0 between low and high.

    Its factors of odd power must have no root between the ends; then one value tells.

    >>> never_negative([Fraction(c) for c in (1, -2, 1)], None, None)
    True
    >>> never_negative([Fraction(c) for c in (1, -2, 1, -1)], Fraction(0), None)
    False
    """
    p = polynomial(f)
    if not p:
        return True
    if Sturm(without_roots_at(with_odd_roots(p), low, high)).count(low, high):
        return False
    inner = _middle(low, high)
    while not (there := value(p, inner)):  # a root of even order, of which there are few
        inner = inner + 1 if high is None else (inner + high) / 2
    return there > 0


def without_roots_at(p: Polynomial, *ends: End) -> Polynomial:
    """p without its factors x − end."""
    for end in ends:
        while end is not None and value(p, end) == 0:
            p = quotient(p, polynomial([-end, 1]))
    return p


def _middle(low: End, high: End) -> Fraction:
    if low is not None and high is not None:
        return (low + high) / 2
    return low + 1 if low is not None else high - 1 if high is not None else Fraction(0)
