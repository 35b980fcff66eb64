"""Independent tables together: the distributions of all outcomes at two databases.

What two distributions lose does not change where outcomes with one ratio P/Q are counted as one: which of
them came says nothing more.  So those of tables of numbers stay few.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dpcompose.kernel.deciders.calculus.exponentials import NotDecided, Value
from dpcompose.kernel.deciders.tables.divergences import Row

MOST_OUTCOMES = 1_000
"""The most different outcomes of tables together."""

Both = tuple[Row, Row]
"""Two distributions on the same outcomes."""


def together(some: Iterable[Both]) -> Both:
    """P and Q of independent mechanisms.  Raises NotDecided.

    >>> third = Fraction(1, 3)
    >>> P, Q = together([((third, 2 * third), (2 * third, third))] * 2)
    >>> [str(p) for p in P], [str(q) for q in Q]
    (['1/9', '4/9', '4/9'], ['4/9', '4/9', '1/9'])
    """
    found: Both = ((Fraction(1),), (Fraction(1),))
    for P, Q in some:
        one = _merged(zip(P, Q, strict=True))
        found = _merged(
            (p * x, q * y) for p, q in zip(*found, strict=True) for x, y in zip(*one, strict=True)
        )
    return found


def _merged(outcomes: Iterable[tuple[Value, Value]]) -> Both:
    """The outcomes of one ratio, as far as that is seen, counted as one; those that never come left out."""
    totals: dict[object, tuple[Value, Value]] = {}
    for p, q in outcomes:
        if p == 0 and q == 0:
            continue
        ratio: object = (p, q)
        if isinstance(p, Fraction) and isinstance(q, Fraction):
            ratio = None if q == 0 else p / q
        if ratio in totals:
            x, y = totals[ratio]
            totals[ratio] = x + p, y + q
            continue
        totals[ratio] = p, q
        if len(totals) > MOST_OUTCOMES:
            raise NotDecided(f"more than {MOST_OUTCOMES:,} outcomes of tables together are not gone through")
    P, Q = zip(*totals.values(), strict=True)
    return P, Q
