"""Roots of polynomials in one variable with rational coefficients, counted by Sturm's theorem.

A polynomial is the list of its coefficients, the constant one first and the last one not 0.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

Polynomial = list[Fraction]
End = Fraction | None


def never_negative(f: Polynomial, low: End, high: End) -> bool:
    """Whether f ≥ 0 between low and high, of which None is no end.

    f is a number times its factors to their powers; those of odd power must have no root between the ends.

    >>> some = [Fraction(c) for c in (1, -2, 1)]
    >>> never_negative(some, None, None), never_negative([*some, Fraction(-1)], Fraction(0), None)
    (True, False)
    """
    if not f:
        return True
    odd = _odd_part(f)
    if len(odd) > 1 and _count(odd, low, high):
        return False
    inner = _middle(low, high)
    while not (there := value(f, inner)):  # a root of even order, of which there are few
        inner = inner + 1 if high is None else (inner + high) / 2
    return there > 0


def _middle(low: End, high: End) -> Fraction:
    if low is not None and high is not None:
        return (low + high) / 2
    return low + 1 if low is not None else high - 1 if high is not None else Fraction(0)


def value(f: Polynomial, x: Fraction) -> Fraction:
    """f(x)."""
    total = Fraction(0)
    for c in reversed(f):
        total = total * x + c
    return total


def derivative(f: Polynomial) -> Polynomial:
    """f'."""
    return [n * c for n, c in enumerate(f)][1:]


def divided(f: Polynomial, g: Polynomial) -> tuple[Polynomial, Polynomial]:
    """The quotient and the remainder."""
    rest, quotient = list(f), [Fraction(0)] * max(0, len(f) - len(g) + 1)
    while len(rest) >= len(g):
        c, shift = rest[-1] / g[-1], len(rest) - len(g)
        quotient[shift] = c
        for n, d in enumerate(g):
            rest[shift + n] -= c * d
        while rest and not rest[-1]:
            rest.pop()
    return quotient, rest


def common(f: Polynomial, g: Polynomial) -> Polynomial:
    """The greatest common divisor, with leading coefficient 1."""
    while g:
        f, g = g, divided(f, g)[1]
    return [c / f[-1] for c in f]


def _odd_part(f: Polynomial) -> Polynomial:
    """The product of the factors of odd power (Yun's algorithm)."""
    if len(f) == 1:
        return f
    shared = common(f, derivative(f))
    rest, _ = divided(f, shared)
    odd, n = [Fraction(1)], 1
    while len(rest) > 1:
        more = common(rest, shared) if len(shared) > 1 else [Fraction(1)]
        factor, _ = divided(rest, more)
        odd = _times(odd, factor) if n % 2 else odd
        rest, (shared, _), n = more, divided(shared, more), n + 1
    return odd


def _times(f: Polynomial, g: Polynomial) -> Polynomial:
    product = [Fraction(0)] * (len(f) + len(g) - 1)
    for n, c in enumerate(f):
        for m, d in enumerate(g):
            product[n + m] += c * d
    return product


def _count(f: Polynomial, low: End, high: End) -> int:
    """How many roots a polynomial without multiple ones has above low and below high."""
    chain = [f, derivative(f)]
    while len(chain[-1]) > 1:
        rest = divided(chain[-2], chain[-1])[1]
        chain.append([-c / abs(rest[-1]) for c in rest])
    at_high = high is not None and value(f, high) == 0
    return _changes(chain, low, -1) - _changes(chain, high, 1) - at_high


def _changes(chain: list[Polynomial], x: End, side: int) -> int:
    """How often the signs of the values at x change; None is −∞ or +∞."""
    if x is None:
        signs = [g[-1] * (side if len(g) % 2 == 0 else 1) for g in chain]
    else:
        signs = [value(g, x) for g in chain]
    found = [one > 0 for one in signs if one]
    return sum(a != b for a, b in pairwise(found))
