"""Rational numbers as products of powers, as far as small divisors tell."""

from __future__ import annotations

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


def taken_out(value: Fraction, r: Fraction) -> tuple[Fraction, list[tuple[Fraction, int]]]:
    """value^r, value > 0, as a rational number times powers of whole numbers with exponents between 0 and 1.

    >>> taken_out(Fraction(8, 9), Fraction(1, 2)), taken_out(Fraction(1013**2 * 3), Fraction(-1, 2))
    ((Fraction(2, 3), [(Fraction(1, 2), 2)]), (Fraction(1, 3039), [(Fraction(1, 2), 3)]))
    """
    above, below, under = 1, 1, dict[int, int]()
    for base, times in powers(value):
        root = isqrt(base)
        prime, times = (root, 2 * times) if root * root == base else (base, times)
        whole, broken = divmod(times * r.numerator, r.denominator)
        above, below = above * prime ** max(whole, 0), below * prime ** max(-whole, 0)
        if broken:
            under[broken] = under.get(broken, 1) * prime
    return Fraction(above, below), [(Fraction(n, r.denominator), base) for n, base in sorted(under.items())]
