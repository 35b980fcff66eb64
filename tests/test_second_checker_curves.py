"""The curves of the second checker enclose what floating-point numbers find near."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from second_checker.curves import Curve, Pieces
from second_checker.enclosures import Interval
from second_checker.normals import concentrated, exact
from shares import rows

CLOSE = 1e-9


def holds(found: Interval, value: float, width: float = CLOSE) -> None:
    """An interval that holds a value, and is not wider than said."""
    low, high = map(float, found)
    assert low - CLOSE <= value <= high + CLOSE
    assert high - low <= width


def normal(mu: float, epsilon: float) -> float:
    def below(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    return below(-epsilon / mu + mu / 2) - math.exp(epsilon) * below(-epsilon / mu - mu / 2)


@pytest.mark.parametrize(("mu", "epsilon"), list(product(["1/10", "1", "3"], ["-1", "0", "1/2", "4"])))
def test_normal_noise(mu: str, epsilon: str) -> None:
    pieces = Pieces(square=exact(Fraction(mu) ** 2))
    holds(Curve(pieces).at(exact(Fraction(epsilon))), normal(float(Fraction(mu)), float(Fraction(epsilon))))


@pytest.mark.parametrize(
    ("n", "delta", "epsilon"), list(product([1, 2, 7, 60], ["0", "1/50"], ["-1/2", "0", "1", "3"]))
)
def test_many_that_are_alike(n: int, delta: str, epsilon: str) -> None:
    """The sum over how many of n pure mechanisms with ε = 1/2 lose it, and that one of them loses all."""
    pieces, kept = Pieces(), (1 - float(Fraction(delta))) ** n
    pieces.add("M", exact(Fraction(1, 2)), exact(Fraction(delta)), 1, n)
    up = math.exp(0.5) / (1 + math.exp(0.5))
    total = 1 - kept
    for u in range(n + 1):
        share = kept * math.comb(n, u) * up**u * (1 - up) ** (n - u)
        total += share * max(0.0, 1 - math.exp(float(Fraction(epsilon)) - (2 * u - n) / 2))
    holds(Curve(pieces).at(exact(Fraction(epsilon))), total)


@pytest.mark.parametrize(("r", "delta"), list(product([2, 3, 5], ["0", "1/100", "1/3"])))
def test_several_steps(r: int, delta: str) -> None:
    """The largest value of g(g(…(a))) − e^ε·a, where g is the trade-off of one step."""
    d, e = float(Fraction(delta)), math.exp(0.5)

    def trade(a: float) -> float:
        for _ in range(r):
            a = min(1.0, d + e * a, 1 - (1 - d - a) / e)
        return a

    pieces = Pieces()
    pieces.add("M", exact(Fraction(1, 2)), exact(Fraction(delta)), r, 1)
    for epsilon in (-0.75, 0.0, 0.25, 1.0):
        found = Curve(pieces).at(exact(Fraction(epsilon)))
        value = max(trade(n / 20000) - math.exp(epsilon) * n / 20000 for n in range(20001))
        low, high = map(float, found)
        assert high - low <= CLOSE and abs(value - low) <= 1e-3 and value <= high + CLOSE


def laplace_losses(a: float, n: int) -> list[tuple[float, float]]:
    """Losses of Laplace noise with their probabilities, the part between −a and a in n cells."""
    cells = [
        (a - 2 * a * (k + 0.5) / n, (math.exp(-a * k / n) - math.exp(-a * (k + 1) / n)) / 2) for k in range(n)
    ]
    return [(a, 0.5), *cells, (-a, math.exp(-a) / 2)]


@pytest.mark.parametrize(("a", "b"), rows([("1", "1"), ("1/2", "2"), ("1/3", "5/7")], 3))
def test_two_laplace_noises(a: str, b: str) -> None:
    one, other = (laplace_losses(float(Fraction(x)), 400) for x in (a, b))
    for epsilon in (0.0, 0.5, 1.0):
        value = sum(p * q * max(0.0, 1 - math.exp(epsilon - x - y)) for (x, p), (y, q) in product(one, other))
        found = Curve(Pieces(ratios=[exact(Fraction(a)), exact(Fraction(b))])).at(exact(Fraction(epsilon)))
        low, high = map(float, found)
        assert low - 1e-4 <= value <= high + 1e-4 and high - low <= 0.02


@pytest.mark.slow
def test_laplace_beside_normal_noise() -> None:
    value = sum(p * normal(1, 0.5 - x) for x, p in laplace_losses(1, 2000))
    low, high = Curve(Pieces(ratios=[exact(Fraction(1))], square=exact(Fraction(1)))).at(
        exact(Fraction(1, 2))
    )
    assert low - Fraction(1, 10**5) <= value <= high + Fraction(1, 10**5) and high - low <= Fraction(1, 50)


@pytest.mark.parametrize(("rho", "epsilon"), list(product(["1/100", "1/2", "3"], ["0", "1", "9"])))
def test_zero_concentrated(rho: str, epsilon: str) -> None:
    """No order of a fine grid is better than the one found by more than a little."""
    p, x = float(Fraction(rho)), float(Fraction(epsilon))
    orders = [1 + 10 ** (n / 200) for n in range(-800, 801)]
    logs = [(a - 1) * (a * p - x) + a * math.log(1 - 1 / a) - math.log(a - 1) for a in orders]
    best = min(1.0, math.exp(min(logs)))
    found = float(concentrated(Fraction(rho), Fraction(epsilon)))
    assert found <= best * (1 + 1e-9) and found >= 0
    assert found >= normal(math.sqrt(2 * p), x) - CLOSE
