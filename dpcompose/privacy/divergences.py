"""How far apart two distributions on one finite set of outcomes are, exactly.

P and Q are lists of probabilities, one an outcome: numbers, or quotients of sums of powers of e in
parameters (`language.exponentials`).  What is largest is then a set of values, of which none is above
another for all parameters; the maximum of them is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate, combinations
from typing import Any

from dpcompose.language import enclosures
from dpcompose.language.enclosures import Interval
from dpcompose.language.exponentials import (
    NotDecided,
    Value,
    divided,
    enclosed,
    is_at_least,
    power_of_e,
    same,
)
from dpcompose.language.symbols import Domain

Domains = Mapping[str, Domain]
Row = Sequence[Value]
Event = tuple[int, ...]
"""A set of outcomes, by their places."""

INFINITE = None
"""Stands for ∞ among values."""

MOST_KEPT = 8
"""How many values are kept of which none is known to be above another for all parameters."""

MOST_UNDECIDED = 5
"""Of how many outcomes it may depend on the parameters whether they belong to the worst event."""


@dataclass(frozen=True)
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


def excesses(P: Row, Q: Row, t: Value, domains: Domains) -> Iterator[Attained]:
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
            if is_at_least(above, p, domains) is None:
                continue
            (surely if is_at_least(p, above, domains) is None else perhaps).append(o)
        except NotDecided:
            perhaps.append(o)
    if len(perhaps) > MOST_UNDECIDED:
        raise NotDecided(
            f"for {len(perhaps)} outcomes it depends on the parameters whether they are in the worst event"
        )
    for n in range(len(perhaps) + 1):
        for some in combinations(perhaps, n):
            event = tuple(sorted((*surely, *some)))
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


def moment_enclosure(P: Row, Q: Row, order: Fraction, digits: int) -> tuple[Fraction, Fraction] | None:
    """Rationals around Σ P(o)^α·Q(o)^(1−α), at a rational order α > 1, for numbers; None where it is ∞."""
    lower = upper = Fraction(0)
    for p, q in zip(P, Q, strict=True):
        if p == 0:
            continue
        if q == 0:
            return None
        low = high = Fraction(0)
        for value, factor in ((p, order), (q, 1 - order)):
            one = enclosures.log(Interval(*enclosed(value, digits)), digits * 10 // 3 + 4)
            ends = [factor * end for end in (one.low, one.high)]
            low, high = low + min(ends), high + max(ends)
        lower += power_of_e(low, digits)[0]
        upper += power_of_e(high, digits)[1]
    return lower, upper


def nested_events(P: Row, Q: Row, domains: Domains) -> list[Event]:
    """∅ = S_0 ⊂ S_1 ⊂ … ⊂ all outcomes: those with the largest P(o)/Q(o) first (Neyman and Pearson).

    Outcomes of one ratio come in together.  Raises NotDecided where the order depends on parameters.
    """

    def order(o: int, u: int) -> int:
        left, right = P[o] * Q[u], P[u] * Q[o]
        if same(left, right):
            return 0
        if is_at_least(left, right, domains) is None:
            return -1
        if is_at_least(right, left, domains) is None:
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
    found: Value = Fraction(0)
    for o in event:
        found = found + row[o]
    return found


def largest(found: Iterator[tuple[Attained, object]], domains: Domains) -> list[tuple[Attained, object]]:
    """The values, with what comes with them, that no other is at least as large as for all parameters.

    Of equal ones the first is kept; ∞ is above all.
    """
    kept: list[tuple[Attained, object]] = []
    for one in found:
        x = one[0].value
        if kept and kept[0][0].value is INFINITE:
            break
        if x is INFINITE:
            kept = [one]
            continue
        if any(_below(x, other.value, domains) for other, _ in kept):
            continue
        kept = [(other, where) for other, where in kept if not _below(other.value, x, domains)] + [one]
        if len(kept) > MOST_KEPT:
            raise NotDecided("which value is the largest depends on the parameters; give them values, by at")
    return kept


def _below(x: Value | None, y: Value | None, domains: Domains) -> bool:
    """Whether x ≤ y is known for all parameters; both are finite."""
    assert x is not None and y is not None
    try:
        return is_at_least(y, x, domains) is None
    except NotDecided:
        return False


@dataclass(frozen=True)
class Piece:
    """From t on, up to the next piece, δ(log t) = constant − slope·t."""

    start: Fraction
    constant: Fraction
    slope: Fraction


def envelope(lines: set[tuple[Fraction, Fraction]], start: Fraction) -> tuple[Piece, ...]:
    """The maximum over the lines (a, b) of a − b·t for t ≥ start, piece by piece.

    >>> lines = {(Fraction(1), Fraction(1)), (Fraction(0), Fraction(0))}
    >>> [str(piece.start) for piece in envelope(lines, Fraction(0))]
    ['0', '1']
    """
    pieces = []
    t = start
    a, b = max(lines, key=lambda line: (line[0] - line[1] * t, -line[1]))
    while True:
        pieces.append(Piece(t, a, b))
        later = [((a - c) / (b - d), -d, c, d) for c, d in lines if d < b]
        if not later:
            return tuple(pieces)
        t, _, a, b = min(later, key=lambda line: (line[0], -line[1]))


# which pairs may be worst, by floating-point numbers that only suggest

SMALLEST = Fraction(1, 10**290)
"""Probabilities below it are not compared by floating-point numbers: these are exact to 53 bits above."""


def near_largest(
    rows: Sequence[Sequence[Fraction]], pairs: Sequence[tuple[int, int]], t: Fraction | None
) -> Sequence[tuple[int, int]]:
    """Among pairs of rows those that may have the largest ratio, or with a t the largest δ(log t).

    Floating-point numbers choose, with a margin far above their error; exact numbers then decide among
    few pairs.  All pairs are returned where that margin is not known.
    """
    if t is None:
        # Each float is within 2^-53 of its fraction, so a quotient is within 2^-51, relatively.
        return _nearly(rows, pairs, _largest_ratio, lambda most, m: most * (1 - 2.0**-40))
    if not (0 <= t < 10**12):
        return pairs
    slope = float(t)

    def excess(P: Any, Q: Any) -> Any:
        import numpy

        return numpy.maximum(P - slope * Q, 0).sum(axis=1)

    # Errors add up to less than (4 + m)·2^-52·(1 + t) for m outcomes, as each row adds up to 1.
    return _nearly(rows, pairs, excess, lambda most, m: most - (8 + m) * 2.0**-50 * (1 + slope))


def near_largest_moment(
    rows: Sequence[Sequence[Fraction]], pairs: Sequence[tuple[int, int]], order: Fraction | int
) -> Sequence[tuple[int, int]]:
    """The same for the largest Rényi divergence of an order α > 1, by logarithms of the moments.

    >>> from itertools import permutations
    >>> rows = [[Fraction(n, 20), Fraction(20 - n, 20)] for n in range(1, 11)]
    >>> near_largest_moment(rows, list(permutations(range(10), 2)), 2)
    [(9, 0)]
    """
    if order > HIGHEST_ORDER:
        return pairs
    alpha = float(order)

    def moment_by_logarithms(P: Any, Q: Any) -> Any:
        import numpy

        p, q = numpy.log(P), numpy.log(Q)
        terms = numpy.where(P > 0, alpha * p - (alpha - 1) * q, -numpy.inf)
        highest = terms.max(axis=1)
        shift = numpy.where(numpy.isinf(highest), 0, highest)
        return shift + numpy.log(numpy.exp(terms - shift[:, None]).sum(axis=1))

    # A logarithm is at most 670 in size (see SMALLEST) and so within 2^-42; a term within 6·α·2^-42; the sum
    # of m powers of e, none above 1 and one equal to it, within (m + 4)·2^-52, relatively, besides.
    return _nearly(
        rows, pairs, moment_by_logarithms, lambda most, m: most - alpha * 2.0**-36 - (m + 8) * 2.0**-49
    )


HIGHEST_ORDER = 1_000_000
"""The highest order of a Rényi divergence at which floating-point numbers leave out pairs."""


def _largest_ratio(P: Any, Q: Any) -> Any:
    import numpy

    return numpy.where(P > 0, P / Q, 0).max(axis=1)


def _nearly(
    rows: Sequence[Sequence[Fraction]],
    pairs: Sequence[tuple[int, int]],
    measure: Callable[[Any, Any], Any],
    enough: Callable[[float, int], float],
) -> Sequence[tuple[int, int]]:
    """The pairs at which a measure of two matrices, row by row, is enough beside the largest: by that and the
    number of outcomes; ∞ alone where there is one."""
    if len(pairs) < FEW_PAIRS or any(0 < p < SMALLEST for row in rows for p in row):
        return pairs
    import numpy

    matrix = numpy.array([[float(p) for p in row] for row in rows])
    chosen = numpy.array(pairs)
    size = max(1, 4_000_000 // matrix.shape[1])
    with numpy.errstate(divide="ignore", invalid="ignore"):
        found = numpy.concatenate(
            [
                measure(*(matrix[chosen[at : at + size, side]] for side in (0, 1)))
                for at in range(0, len(pairs), size)
            ]
        )
    most = found.max()
    keep = found == most if numpy.isinf(most) else found >= enough(float(most), matrix.shape[1])
    return [pairs[n] for n in numpy.flatnonzero(keep).tolist()]


def logarithms(rows: Sequence[Sequence[Fraction]]) -> tuple[Any, Any] | None:
    """log P(o) in floating-point numbers, and for each P(o) a number that equal probabilities share.

    A column for each distribution; −∞ stands for the logarithm of 0.  None where probabilities are so small
    that floating-point numbers say nothing.
    """
    import numpy

    known: dict[tuple[int, int], int] = {}
    numbers = numpy.array(
        [
            [known.setdefault(p.as_integer_ratio(), len(known)) for p in column]
            for column in zip(*rows, strict=True)
        ]
    )
    if any(0 < n * SMALLEST.denominator < d for n, d in known):
        return None
    with numpy.errstate(divide="ignore"):
        return numpy.log(numpy.array([n / d for n, d in known]))[numbers], numbers


def pairs_of_largest_ratio(logs: Any, numbers: Any, first: Any, second: Any) -> list[tuple[int, int]]:
    """Of the pairs of rows (first[n], second[n]), in both orders, some that have the largest P(o)/Q(o).

    logs, numbers -- what `logarithms` gives.  Of the pairs with the largest ratio the first one is among
    them; in order (i, j) comes before (j, i), for i < j.

    >>> import numpy
    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> found = logarithms([[half, half], [third, 1 - third], [half, half]])
    >>> pairs_of_largest_ratio(*found, numpy.array([0, 1]), numpy.array([1, 2]))
    [(0, 1)]
    """
    import numpy

    if not len(first):
        return []
    most, least = numpy.empty(len(first)), numpy.empty(len(first))
    with numpy.errstate(invalid="ignore"):
        first, second = first.astype(numpy.int64), second.astype(numpy.int64)
        for at in range(0, len(first), BLOCK):
            here = slice(at, at + BLOCK)
            apart = numpy.take(logs, first[here], axis=1, mode="clip")
            apart -= numpy.take(logs, second[here], axis=1, mode="clip")
            numpy.fmax.reduce(apart, axis=0, out=most[here])  # where both are 0 there is no ratio
            numpy.fmin.reduce(apart, axis=0, out=least[here])
        numpy.negative(least, out=least)
        # Logarithms are at most 670, and each is within 2^-40 of the exact one.
        bound = max(most.max(), least.max())
        bound = bound if numpy.isinf(bound) else bound - 2.0**-36
        kept: list[tuple[int, int]] = []
        seen: set[tuple[int, int]] = set()
        for n in numpy.flatnonzero((most >= bound) | (least >= bound)).tolist():
            for i, j in ((int(first[n]), int(second[n])), (int(second[n]), int(first[n]))):
                outcomes = numpy.flatnonzero(logs[:, i] - logs[:, j] >= bound)
                ratios = set(zip(numbers[outcomes, i].tolist(), numbers[outcomes, j].tolist(), strict=True))
                if ratios - seen:
                    seen |= ratios
                    kept.append((i, j))
    return kept


BLOCK = 2**13
"""How many pairs of rows are compared at once."""
FEW_PAIRS = 64
"""Up to how many pairs are compared exactly at once."""
