"""Roots of polynomials whose roots are known, as they are products of linear factors and of x² + c."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from dpcompose.kernel.deciders.calculus import roots

ROOTS = st.lists(st.tuples(st.fractions(-3, 3, max_denominator=4), st.integers(1, 4)), max_size=4)


def product_of(some: list[tuple[Fraction, int]], squares: list[int], factor: int) -> list[Fraction]:
    found = [Fraction(factor)]
    linear = [[-x, Fraction(1)] for x, times in some for _ in range(times)]
    for one in [*linear, *([Fraction(c), Fraction(0), Fraction(1)] for c in squares)]:
        total = [Fraction(0)] * (len(found) + len(one) - 1)
        for n, c in enumerate(found):
            for m, d in enumerate(one):
                total[n + m] += c * d
        found = total
    return found


@settings(max_examples=30, deadline=None)
@given(
    ROOTS,
    st.lists(st.integers(1, 3), max_size=2),
    st.sampled_from([-2, 1, 3]),
    st.none() | st.fractions(-3, 3, max_denominator=4),
    st.none() | st.integers(1, 5),
)
def test_signs_and_roots(
    some: list[tuple[Fraction, int]], squares: list[int], factor: int, low: Fraction | None, width: int | None
) -> None:
    f = product_of(some, squares, factor)
    high = None if width is None else (low or Fraction(0)) + width
    times: dict[Fraction, int] = {}
    for x, n in some:
        times[x] = times.get(x, 0) + n
    changes = sorted(x for x, n in times.items() if n % 2)
    odd = roots.with_odd_roots(roots.polynomial(f))
    sturm = roots.Sturm(odd)

    def inside(x: Fraction) -> bool:
        return (low is None or x > low) and (high is None or x <= high)

    assert sturm.count(low, high) == sum(map(inside, changes))
    if low is not None:
        found = list(sturm.enclosed(low, high, Fraction(1, 100)))
        assert len(found) == len(list(filter(inside, changes)))
        for (a, b), x in zip(found, filter(inside, changes), strict=True):
            assert a < x <= b and b - a <= Fraction(1, 100)
    points = [Fraction(n, 16) for n in range(-64, 128)]
    there = [sum(c * x**n for n, c in enumerate(f)) for x in points if inside(x)]
    assert roots.never_negative(f, low, high) == all(y >= 0 for y in there)
