"""Of many pairs of rows of numbers few that decide what is largest for all of them.

Floating-point numbers choose these, with a margin far above their error; exact numbers then decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

SMALLEST = Fraction(1, 10**290)
"""Probabilities below it are not compared by floating-point numbers: these are exact to 53 bits above."""


def near_largest(
    rows: Sequence[Sequence[Fraction]], pairs: Sequence[tuple[int, int]], t: Fraction | None
) -> Sequence[tuple[int, int]]:
    """Among pairs of rows those that may have the largest ratio, or with a t the largest δ(log t).

    All pairs are returned where the margin of error is not known.
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
    try:
        import numpy
    except ImportError:  # in a browser; all are compared exactly
        return pairs

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
