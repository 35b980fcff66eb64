"""Polynomials in one variable, by their coefficients from the constant one on: where they are below 0."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from second_checker.enclosures import INF

Polynomial = list[Fraction]


def is_nonnegative(f: Sequence[Fraction], low: Fraction | float, high: Fraction | float) -> bool:
    """Whether f ≥ 0 between two ends: roots of odd multiplicity are none inside, and f > 0 somewhere there.

    Roots are counted by Descartes' rule after x = (low + high·t)/(1 + t), and halves where that does not tell.
    """
    f = trimmed(f)
    if low == -INF:
        return high != -INF and is_nonnegative([c * (-1) ** n for n, c in enumerate(f)], -high, INF)
    odd = [Fraction(1)]
    for n, part in enumerate(square_free(f), 1):
        odd = times(odd, part) if n % 2 else odd
    end = Fraction(high) if high != INF else 1 + max(map(abs, f)) / abs(f[-1]) + abs(Fraction(low))
    return holds(f, odd, Fraction(low), end, 60) and (high != INF or f[-1] > 0)


def holds(f: Polynomial, odd: Polynomial, low: Fraction, high: Fraction, depth: int) -> bool:
    """The same between two numbers."""
    if changes(moved(odd, low, high)) == 0:
        at = value(f, (low + high) / 2)
        return at >= 0 and min(value(f, low), value(f, high)) >= 0
    middle = (low + high) / 2
    if depth == 0 or value(f, middle) < 0:
        return False
    return holds(f, odd, low, middle, depth - 1) and holds(f, odd, middle, high, depth - 1)


def trimmed(f: Sequence[Fraction]) -> Polynomial:
    """Without zeros at the end."""
    found = list(f)
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found


def value(f: Sequence[Fraction], x: Fraction) -> Fraction:
    """The value at a number."""
    return sum((c * x**n for n, c in enumerate(f)), Fraction(0))


def times(f: Sequence[Fraction], g: Sequence[Fraction]) -> Polynomial:
    """The product."""
    found = [Fraction(0)] * (len(f) + len(g) - 1)
    for n, c in enumerate(f):
        for m, d in enumerate(g):
            found[n + m] += c * d
    return trimmed(found)


def divided(f: Sequence[Fraction], g: Sequence[Fraction]) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder."""
    rest, quotient = trimmed(f), [Fraction(0)] * max(1, len(f) - len(g) + 1)
    while len(rest) >= len(g) and any(rest):
        c, n = rest[-1] / g[-1], len(rest) - len(g)
        quotient[n] = c
        rest = trimmed(
            [x - (c * g[m - n] if m >= n else 0) for m, x in enumerate(rest)][:-1] or [Fraction(0)]
        )
    return trimmed(quotient), rest


def common(f: Sequence[Fraction], g: Sequence[Fraction]) -> Polynomial:
    """The greatest common divisor, with the leading coefficient 1."""
    one, other = trimmed(f), trimmed(g)
    while any(other):
        one, other = other, divided(one, other)[1]
    return [c / one[-1] for c in one]


def square_free(f: Sequence[Fraction]) -> list[Polynomial]:
    """The product of the factors of each multiplicity, from 1 on."""
    slope = trimmed([n * c for n, c in enumerate(f)][1:] or [Fraction(0)])
    if not any(slope):
        return []
    found, shared = list[Polynomial](), common(f, slope)
    part = divided(f, shared)[0]
    while len(part) > 1:
        repeated = common(part, shared)
        found.append(divided(part, repeated)[0])
        part, shared = repeated, divided(shared, repeated)[0]
    return found


def moved(f: Sequence[Fraction], low: Fraction, high: Fraction) -> Polynomial:
    """(1 + t)^d·f((low + high·t)/(1 + t)): its positive roots are those of f between the two."""
    total: Polynomial = [Fraction(0)]
    for n, c in enumerate(f):
        term: Polynomial = [c]
        for m in range(len(f) - 1):
            term = times(term, [low, high] if m < n else [Fraction(1), Fraction(1)])
        length = max(len(total), len(term))
        pairs = ((one[k] if k < len(one) else Fraction(0) for one in (total, term)) for k in range(length))
        total = [sum(pair, Fraction(0)) for pair in pairs]
    return trimmed(total)


def changes(f: Sequence[Fraction]) -> int:
    """How often the signs of coefficients change."""
    signs = [c > 0 for c in f if c]
    return sum(a != b for a, b in pairwise(signs))
