"""Logarithms of fractions as sums of those of primes: log(p^a·q^b) = a·log(p) + b·log(q)."""

from __future__ import annotations

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.divisors import powers
from dpcompose.kernel.expressions.terms import Term


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
    found = terms.add(terms.number(n) * terms.log(terms.number(p)) for p, n in powers(inside))
    return None if found == term else found
