"""Quotients of losses that are rational numbers, by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from dpcompose.kernel.deciders.calculus.ratios import _as_power, commensurable, ratio
from dpcompose.kernel.expressions.terms import Term, exp, letter, log, number

F, X, Y = Fraction, letter("x"), letter("y")


def times_log(c: Fraction, base: Fraction, n: int) -> Term:
    return c * log(number(base**n))


@pytest.mark.parametrize(("c", "d"), list(product((F(1), F(3), F(-2, 5)), repeat=2)))
@pytest.mark.parametrize("base", [F(2), F(3, 2)])
def test_logarithms_of_powers(c: Fraction, d: Fraction, base: Fraction) -> None:
    """c·ln bⁿ = (c·n/m)/d times d·ln bᵐ; of 1/b with the other sign."""
    for n, m in product((1, 2, 3), repeat=2):
        assert ratio(times_log(c, base, n), times_log(d, base, m)) == c * n / (d * m)
        assert ratio(times_log(c, base, n), times_log(d, 1 / base, m)) == -c * n / (d * m)
    assert ratio(times_log(c, base, 2), times_log(d, F(5), 2)) is None
    assert ratio(times_log(c, base, 2), number(d)) is None is ratio(number(c), times_log(d, base, 2))


def test_quotients_that_are_seen() -> None:
    assert ratio(6 * X, 4 * X) == F(3, 2) == ratio(number(3), number(2))
    assert ratio(2 * X + 4 * Y, 3 * X + 6 * Y) == F(2, 3)
    for x, y in ((X, Y), (X + Y, X + 2 * Y), (X + Y, X + exp(X)), (X + Y, X), (X + Y + 1, X + Y)):
        assert ratio(x, y) is None


@pytest.mark.parametrize(
    ("x", "power"),
    [(8, (2, 3)), (64, (2, 6)), (F(9, 4), (F(3, 2), 2)), (6, (6, 1)), (F(1, 16), (F(1, 2), 4))],
)
def test_powers_are_as_high_as_possible(x: Fraction, power: tuple[Fraction, int]) -> None:
    assert _as_power(F(x)) == power


def test_losses_with_a_common_measure() -> None:
    """3/2, 1 and 4 are 3, 2 and 8 times 1/2; ln 4 and ln 8 twice and three times ln 2."""
    halves = [number(F(3, 2)), number(1), number(4)]
    logs = [log(number(4)), log(number(8))]
    found = list(commensurable([*halves, *logs, X]))
    assert [[*weights.values()] for _, weights in found] == [[3, 2, 8], [2, 3], [1]]
    for step, weights in found:
        assert all(ratio(term, step) == n for term, n in weights.items())
