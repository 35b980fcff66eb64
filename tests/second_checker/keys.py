"""Counts by keys with normal noise and a threshold, on a curve: by how many keys are new (gaussian-with-threshold.md)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from second_checker import enclosures
from second_checker.curves import Outcome, Pair
from second_checker.enclosures import Interval
from second_checker.normals import ONE, ZERO, below, exact, less
from second_checker.outcomes import NotRead, demand

MOST = 32
"""How many keys of a record."""


def ways(
    square: Interval, keys: Interval, apart: Interval, records: int
) -> Iterator[tuple[list[Pair], Interval]]:
    """What else is lost beside normal noise, and the square of that noise: for each number of new keys.

    One record comes or goes, or one goes and another one comes; in both orders of the two databases.
    """
    low, high = keys
    demand(low == high and Fraction(low).denominator == 1, "a number of keys that is none")
    if records > 2 or low > MOST:
        raise NotRead("noise", "with a threshold, of several records or very many keys")
    hidden = below(Fraction(apart[0]))[0], below(Fraction(apart[1]))[1]
    for new in product(range(int(low) + 1), repeat=records):
        old = sum(int(low) - j for j in new)
        kept = [enclosures.power(hidden, Fraction(j)) for j in new]
        one = [shown(kept[0], gone=True), *(shown(other, gone=False) for other in kept[1:])]
        other = [shown(kept[0], gone=False), *(shown(k, gone=True) for k in kept[1:])]
        for pairs in (one, other):
            yield pairs, enclosures.times(exact(old), square)


def shown(hidden: Interval, gone: bool) -> Pair:
    """Whether a new key is shown: at the first database only (gone), or at the second one only."""
    loss = enclosures.logarithm(hidden)
    if gone:
        return Pair([Outcome(loss, hidden, ONE)], less(ONE, hidden))
    return Pair([Outcome((-loss[1], -loss[0]), ONE, hidden)], ZERO)
