"""Rational numbers as products of powers, as far as small divisors tell."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt

MOST_TRIED = 1_000
"""Up to which number divisors are looked for under a root."""


def divisors(value: Fraction) -> Iterator[tuple[int, Fraction]]:
    """A number > 0 as a product of powers of whole numbers: small primes, and what is left of it.

    >>> list(divisors(Fraction(12, 49)))
    [(2, Fraction(2, 1)), (3, Fraction(1, 1)), (7, Fraction(-2, 1))]
    """
    for whole, sign in ((value.numerator, 1), (value.denominator, -1)):
        p = 2
        while p * p <= whole and p < MOST_TRIED:
            times = 0
            while whole % p == 0:
                whole, times = whole // p, times + 1
            if times:
                yield p, Fraction(sign * times)
            p += 1
        if whole > 1:
            root = _whole_root(whole)
            yield (root, Fraction(2 * sign)) if root is not None else (whole, Fraction(sign))


def _whole_root(n: int) -> int | None:
    root = isqrt(n)
    return root if root * root == n else None
