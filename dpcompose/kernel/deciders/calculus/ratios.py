"""Constants with rational ratios: whole multiples of one common step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpcompose.kernel.expressions.terms import Term

MOST_BITS = 512
"""How long numbers under logarithms are that are looked at as powers."""


def commensurable(values: Sequence[Term]) -> Iterator[tuple[Term, dict[Term, int]]]:
    """Constants > 0 in groups, each with a common step and the multiples of it that they are.

    >>> from dpcompose.kernel.expressions.terms import log, number, sqrt
    >>> two = sqrt(number(2))
    >>> [list(found.values()) for _, found in commensurable([two, number(1), 3 * two / 2, number(2)])]
    [[2, 3], [1, 2]]
    >>> [(step, list(found.values())) for step, found in commensurable([log(number(9)), log(number(27))])]
    [((product 1/2 (log 9)), [2, 3])]
    """
    rest = list(values)
    while rest:
        first = rest[0]
        ratios = {term: q for term in rest if (q := ratio(term, first)) is not None}
        rest = [term for term in rest if term not in ratios]
        common = math.lcm(*(q.denominator for q in ratios.values()))
        whole = {term: int(q * common) for term, q in ratios.items()}
        divisor = math.gcd(*whole.values())
        yield first * Fraction(divisor, common), {term: n // divisor for term, n in whole.items()}


def ratio(x: Term, y: Term) -> Fraction | None:
    """x/y where that is seen to be a rational number; else None."""
    if (value := (x / y).number) is not None:
        return value
    if x.kind == y.kind == "sum" and len(x.of) == len(y.of):
        others = {rest: c for c, rest in (one.split for one in y.of)}
        ratios = {c / others[rest] if rest in others else None for c, rest in (one.split for one in x.of)}
        return ratios.pop() if len(ratios) == 1 else None
    (c, term), (d, other) = x.split, y.split
    if term.kind == other.kind == "log" and term.of[0].kind == other.of[0].kind == "number":
        (base, n), (same, m) = _as_power(term.of[0].of[0]), _as_power(other.of[0].of[0])
        if base == same or base * same == 1:
            return c * n / (d * m) * (1 if base == same else -1)
    return None


def _as_power(x: Fraction) -> tuple[Fraction, int]:
    """(y, n) with x = yⁿ and n as large as possible; (x, 1) for long numbers."""
    if max(x.numerator, x.denominator).bit_length() > MOST_BITS:
        return x, 1
    n, value = 1, x
    for p in range(2, MOST_BITS):
        while (y := _root(value, p)) is not None:
            value, n = y, n * p
    return value, n


def _root(x: Fraction, p: int) -> Fraction | None:
    """The p-th root of a number ≠ 1 where it is rational."""
    if p >= max(x.numerator, x.denominator).bit_length():
        return None
    n, d = (_whole_root(number, p) for number in (x.numerator, x.denominator))
    return None if n is None or d is None else Fraction(n, d)


def _whole_root(n: int, p: int) -> int | None:
    """The whole p-th root by Newton's method, from above."""
    x = 1 << -(-n.bit_length() // p)
    while True:
        y = ((p - 1) * x + n // x ** (p - 1)) // p
        if y >= x:
            return x if x**p == n else None
        x = y
