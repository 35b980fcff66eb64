"""Logarithms of fractions as sums of those of primes: log(p^a·q^b) = a·log(p) + b·log(q)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import Term

LARGEST_DIVISOR = 1_000
"""Up to which divisors are tried; what is left over stays as it is, a prime or not."""


def of_primes(term: Term) -> Term:
    """A term with the logarithms of numbers in it taken apart.

    >>> from fractions import Fraction
    >>> of_primes(terms.log(terms.number(Fraction(9, 2))))
    (sum (product -1 (log 2)) (product 2 (log 3)))
    """
    return substitution.changed(term, _apart)


def _apart(term: Term) -> Term | None:
    if term.kind != "log" or (inside := term.of[0].number) is None:
        return None
    powers = Counter(_divisors(inside.numerator))
    powers.subtract(Counter(_divisors(inside.denominator)))
    found = terms.add(terms.number(n) * terms.log(terms.number(p)) for p, n in sorted(powers.items()))
    return None if found == term else found


def _divisors(n: int) -> Iterator[int]:
    """Numbers whose product is n ≥ 1: primes, as far as they are small."""
    p = 2
    while p * p <= n and p <= LARGEST_DIVISOR:
        while n % p == 0:
            yield p
            n //= p
        p += 1
    if n > 1:
        yield n
