"""Rational numbers as products of powers, as far as small divisors tell."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import isqrt

MOST_TRIED = 1_000
"""Up to which number divisors are looked for."""


@lru_cache(maxsize=4_096)
def powers(value: Fraction) -> tuple[tuple[int, int], ...]:
    """A number > 0 as a product of powers of whole numbers: small primes, and what is left of it, in order.

    >>> powers(Fraction(12, 5))
    ((2, 2), (3, 1), (5, -1))
    """
    found = []
    for whole, sign in ((value.numerator, 1), (value.denominator, -1)):
        p = 2
        while p * p <= whole and p < MOST_TRIED:
            times = 0
            while whole % p == 0:
                whole, times = whole // p, times + sign
            found += [(p, times)] if times else []
            p += 1
        found += [(whole, sign)] if whole > 1 else []
    return tuple(found)


def divisors(value: Fraction) -> Iterator[tuple[int, Fraction]]:
    """The same with the root of what is left, where that is a whole number."""
    for base, times in powers(value):
        root = isqrt(base)
        whole = root * root == base
        yield (root, Fraction(2 * times)) if whole else (base, Fraction(times))
