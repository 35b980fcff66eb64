"""How far apart two distributions on one finite set of outcomes are, exactly.

P and Q are lists of probabilities, one an outcome: numbers, or quotients of sums of powers of e in
parameters (`exponentials`).  What is largest is then a set of values, of which none is above
another for all parameters; the maximum of them is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate, combinations
from typing import TypeAlias, TypeVar

from dpcompose.kernel.deciders.calculus.exponentials import (
    NotDecided,
    Value,
    divided,
    enclosed,
    power_of_e,
    same,
)
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.expressions.intervals import ZERO, Interval, log
from dpcompose.kernel.expressions.keeping import frozen

Row: TypeAlias = Sequence[Value]
Event: TypeAlias = tuple[int, ...]
"""A set of outcomes, by their places."""

INFINITE = None
"""Stands for ∞ among values."""

MOST_KEPT = 8
"""How many values are kept of which none is known to be above another for all parameters."""

MOST_UNDECIDED = 5
"""Of how many outcomes it may depend on the parameters whether they belong to the worst event."""


@frozen
class Attained:
    """A value, or ∞, and the event at which it is attained (of Rényi divergences: the outcomes of P)."""

    value: Value | None
    event: Event


def ratios(P: Row, Q: Row) -> Iterator[Attained]:
    """P(o)/Q(o) for each outcome o that P may have: the pure loss is the logarithm of the largest.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> [str(one.value) for one in ratios([half, half], [third, 1 - third])]
    ['3/2', '3/4']
    """
    for o, (p, q) in enumerate(zip(P, Q, strict=True)):
        if p != 0:
            yield Attained(INFINITE if q == 0 else divided(p, q), (o,))


def excesses(P: Row, Q: Row, t: Value) -> Iterator[Attained]:
    """P(S) − t·Q(S) for the events S that may be worst: δ(log t) is the largest.

    This is the hockey-stick divergence.  S holds all outcomes with P(o) > t·Q(o), and those for which
    that depends on the parameters once and once not.
    """
    surely: list[int] = []
    perhaps: list[int] = []
    for o, (p, q) in enumerate(zip(P, Q, strict=True)):
        above = t * q
        if same(p, above):
            continue
        try:
            if is_at_least(above, p) is None:
                continue
            (surely if is_at_least(p, above) is None else perhaps).append(o)
        except NotDecided:
            perhaps.append(o)
    if len(perhaps) > MOST_UNDECIDED:
        raise NotDecided(
            f"for {len(perhaps)} outcomes it depends on the parameters whether they are in the worst event"
        )
    for n in range(len(perhaps) + 1):
        for combination in combinations(perhaps, n):
            event = tuple(sorted((*surely, *combination)))
            total: Value = Fraction(0)
            for o in event:
                total = total + (P[o] - t * Q[o])
            yield Attained(total, event)


def moment(P: Row, Q: Row, order: int) -> Attained:
    """Σ P(o)^α·Q(o)^(1−α) at a whole order α ≥ 2: D_α(P‖Q) is its logarithm over α − 1.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> str(moment([half, half], [third, 1 - third], 2).value)
    '9/8'
    """
    total: Value = Fraction(0)
    for o, (p, q) in enumerate(zip(P, Q, strict=True)):
        if p != 0:
            if q == 0:
                return Attained(INFINITE, (o,))
            total = total + p**order * divided(Fraction(1), q) ** (order - 1)
    return Attained(total, tuple(o for o, p in enumerate(P) if p != 0))


def moment_enclosure(P: Row, Q: Row, order: Fraction, digits: int) -> Interval | None:
    """Σ P(o)^α·Q(o)^(1−α) at a rational order α > 1, for numbers; None where it is ∞."""
    total = ZERO
    for p, q in zip(P, Q, strict=True):
        if p == 0:
            continue
        if q == 0:
            return None
        exponent = ZERO
        for value, factor in ((p, order), (q, 1 - order)):
            logarithm = log(enclosed(value, digits), digits * 10 // 3 + 4)
            exponent = exponent + logarithm * Interval.of(factor)
        ends = power_of_e(exponent.low, digits).low, power_of_e(exponent.high, digits).high
        total = (total + Interval(*ends)).rounded(digits * 4)
    return total


def nested_events(P: Row, Q: Row) -> list[Event]:
    """∅ = S_0 ⊂ S_1 ⊂ … ⊂ all outcomes: those with the largest P(o)/Q(o) first (Neyman and Pearson).

    Outcomes of one ratio come in together.  Raises NotDecided where the order depends on parameters.
    """

    def order(o: int, u: int) -> int:
        left, right = P[o] * Q[u], P[u] * Q[o]
        if same(left, right):
            return 0
        if is_at_least(left, right) is None:
            return -1
        if is_at_least(right, left) is None:
            return 1
        raise NotDecided("which outcomes speak most for P depends on the parameters; give them values")

    possible = [o for o in range(len(P)) if P[o] != 0 or Q[o] != 0]
    groups: list[list[int]] = []
    for o in sorted(possible, key=cmp_to_key(order)):
        if groups and order(groups[-1][0], o) == 0:
            groups[-1].append(o)
        else:
            groups.append([o])
    return [tuple(sorted(event)) for event in accumulate(groups, initial=[])]


def total(row: Row, event: Event) -> Value:
    """The probability of an event."""
    value: Value = Fraction(0)
    for o in event:
        value = value + row[o]
    return value


Where = TypeVar("Where")


def largest(found: Iterable[tuple[Attained, Where]]) -> list[tuple[Attained, Where]]:
    """The values, with what comes with them, that no other is at least as large as for all parameters.

    Of equal ones the first is kept; ∞ is above all.
    """
    kept: list[tuple[Attained, Where]] = []
    for one in found:
        x = one[0].value
        if x is INFINITE:
            return [one]
        if any(_below(x, other.value) for other, _ in kept):
            continue
        kept = [(other, where) for other, where in kept if not _below(other.value, x)] + [one]
        if len(kept) > MOST_KEPT:
            raise NotDecided("which value is the largest depends on the parameters; give them values")
    return kept


def _below(x: Value | None, y: Value | None) -> bool:
    """Whether x ≤ y is known for all parameters; both are finite."""
    assert x is not None and y is not None
    try:
        return is_at_least(y, x) is None
    except NotDecided:
        return False
