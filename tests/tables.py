"""Exact tables of mechanisms with rational probabilities, and what they tell of two inputs: shares no code
with the package."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

from hypothesis import strategies as st

ONE = Fraction(1)
Table = list[tuple[Fraction, Fraction]]
"""A mechanism at two inputs: (P, Q) for each outcome."""
Rows = list[list[Fraction]]
"""A mechanism at several inputs: the probabilities of its outcomes at each."""


@st.composite
def weighted_rows(draw: st.DrawFn) -> Rows:
    """Rows of weights, made to add up to 1; equal rows, zeros and nearly equal ratios occur."""
    n, m = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    weight = st.sampled_from([0, 1, 1, 2, 3, 10**9, 10**9 + 1])
    rows = []
    for _ in range(n):
        weights = draw(st.lists(weight, min_size=m, max_size=m).filter(any))
        rows.append([Fraction(w, sum(weights)) for w in weights])
    return rows


def ordered_pairs(n: int) -> list[tuple[int, int]]:
    """All pairs of different inputs."""
    return [pair for i in range(n) for j in range(i + 1, n) for pair in ((i, j), (j, i))]


def excess(tables: Sequence[Table], c: Fraction) -> Fraction:
    """The largest P(S) − c·Q(S) of independent mechanisms, outcome by outcome."""
    total = Fraction(0)
    for outcomes in product(*tables):
        p = q = ONE
        for at_D, at_E in outcomes:
            p, q = p * at_D, q * at_E
        total += max(Fraction(0), p - c * q)
    return total


def geometric(x: Fraction, r: int) -> Table:
    """Two-sided geometric noise around r and around 0, cut off below 0 and above r: ln(x)-DP at each step."""

    def around(center: int) -> list[Fraction]:
        inside = [(x - 1) / (x + 1) / x ** abs(y - center) for y in range(1, r)]
        return [1 / x**center / (1 + 1 / x), *inside, 1 / x ** (r - center) / (1 + 1 / x)]

    return list(zip(around(r), around(0), strict=True))


def g(a: Fraction, x: Fraction, delta: Fraction) -> Fraction:
    """The most that P(S) can be where Q(S) = a."""
    return min(ONE, delta + x * a, 1 - (1 - delta - a) / x)


def iterated(a: Fraction, x: Fraction, delta: Fraction, r: int) -> Fraction:
    for _ in range(r):
        a = g(a, x, delta)
    return a


def corners(x: Fraction, delta: Fraction, r: int) -> list[Fraction]:
    """Where the iterates of g up to the r-th bend: what they take to where g itself bends."""
    found = {Fraction(0), ONE}
    for _ in range(r):
        # each of the three lines solved for the value at the next corner
        solved = {(b - delta) / x for b in found} | {1 - delta - (1 - b) * x for b in found}
        found |= {a for a in solved | {(1 - delta) / (1 + x), 1 - delta} if 0 <= a <= 1}
    return sorted(found)


def chain(x: Fraction, delta: Fraction, r: int) -> list[list[Fraction]]:
    """The noise N_0, …, N_r: what each has at 0 and between any two corners."""
    at = corners(x, delta, r)
    rows = []
    for j in range(r + 1):
        values = [iterated(a, x, delta, j) for a in at]
        rows.append([values[0], *(b - a for a, b in pairwise(values))])
    return rows
