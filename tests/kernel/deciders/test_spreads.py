"""What mechanisms with all losses in an interval lose together, against random losses in it."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest

from dpcompose.kernel.deciders.curves import spreads
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.deciders.curves.tails import Laplace
from dpcompose.kernel.expressions.terms import number


def two(t: float, eta: float) -> list[tuple[float, float]]:
    """The losses t and t − η with their probabilities, of which the mean of e^−L is 1."""
    p = (1 - math.exp(t - eta)) / (1 - math.exp(-eta))
    return [(t, p), (t - eta, 1 - p)]


def four(rng: random.Random, eta: float) -> list[tuple[float, float]]:
    """Four losses in an interval of that length: those of two pairs in it, by a coin."""
    t, coin = rng.uniform(0, eta), rng.random()
    inside = rng.uniform(max(t, eta - t), eta)
    shorter = two(rng.uniform(max(0, t - eta + inside), min(t, inside)), inside)
    return [(x, p * coin) for x, p in two(t, eta)] + [(x, p * (1 - coin)) for x, p in shorter]


def delta(tables: list[list[tuple[float, float]]], epsilon: float) -> float:
    found = 0.0
    for chosen in itertools.product(*tables):
        loss = sum(one for one, _ in chosen)
        found += math.prod(p for _, p in chosen) * max(0.0, 1 - math.exp(epsilon - loss))
    return found


def attack(seed: int, tries: int) -> None:
    rng = random.Random(seed)
    k, eta = rng.randint(1, 4), rng.choice([0.25, 0.5, 1.0, 2.0, 4.0])
    epsilon = rng.uniform(-0.9 * k * eta, k * eta)
    found = spreads.together(number(Fraction(eta)), k, number(Fraction(epsilon)), 64)
    assert 0 <= found.high - found.low < Fraction(1, 10**12)
    for _ in range(tries):
        make = (lambda: two(rng.uniform(0, eta), eta)) if rng.random() < 0.7 else (lambda: four(rng, eta))
        assert delta([make() for _ in range(k)], epsilon) <= found.high + Fraction(1, 10**12)
    best = max(delta([two(eta * n / 40, eta)] * k, epsilon) for n in range(1, 40))
    assert best > found.low - Fraction(1, 50)  # the best losses are all the same


@pytest.mark.parametrize("seed", range(8))
def test_no_losses_exceed_it(seed: int) -> None:
    attack(seed, 20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 400))
def test_no_losses_exceed_it_at_length(seed: int) -> None:
    attack(seed, 200)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_different_ones_lie_between(seed: int) -> None:
    """Two or three with intervals of different lengths: no losses exceed the upper end, some the lower one."""
    rng = random.Random(seed)
    wide = [rng.choice([0.25, 0.5, 1.0, 2.0]) for _ in range(rng.randint(2, 3))]
    epsilon = rng.uniform(0, 0.9 * sum(wide))
    curve = Curve.of([Laplace(number(Fraction(eta)), middle=True) for eta in wide])
    low, high = (end(number(Fraction(epsilon)), 64, 2_000) for end in (curve.below, curve.above))
    some = [delta([two(rng.uniform(0, eta), eta) for eta in wide], epsilon) for _ in range(300)]
    grid = itertools.product(*([eta * n / 24 for n in range(1, 24)] for eta in wide))
    best = max(delta([two(t, eta) for t, eta in zip(ts, wide, strict=True)], epsilon) for ts in grid)
    assert max(*some, best) <= high + Fraction(1, 10**9)
    assert low <= best + 0.02
