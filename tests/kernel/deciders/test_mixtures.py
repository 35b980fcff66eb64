"""What several kinds of mechanisms lose together, against the outputs of mechanisms that are made at random."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest
from shares import seeds

from dpcompose.kernel.deciders.curves.curves import Curve, Part, Piece
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.expressions.terms import ONE, ZERO, log, number

Outcomes = list[tuple[float, float]]
"""The probabilities of the outcomes at two databases."""
BOTH = Together(((ONE, ZERO), (ZERO, number(Fraction(1, 3)))))
LEAST = 1 / 3 / (math.e - 1)
OF_BOTH = [(LEAST + 1 / 3, LEAST), (2 / 3 - 2 * LEAST, 2 / 3 - 2 * LEAST), (LEAST, LEAST + 1 / 3)]
"""Outcomes that satisfy (1, 0) and (0, 1/3), each just so."""


def normal_delta(epsilon: float, mu: float) -> float:
    def below(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    return below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu)


def choice(rng: random.Random, eta: Fraction) -> Outcomes:
    """An exponential mechanism of which the scores change by amounts in an interval of length η."""
    scores = [rng.uniform(-3, 3) for _ in range(rng.randint(2, 4))]
    start = rng.uniform(-float(eta), 0)
    moved = [x + start + rng.choice([0, 1, rng.random()]) * float(eta) for x in scores]
    ends = [[math.exp(x) / sum(map(math.exp, some)) for x in some] for some in (scores, moved)]
    return list(zip(*ends, strict=True))


def leaking(epsilon: Fraction, delta: Fraction) -> Outcomes:
    p = float(1 - delta) / (1 + math.exp(-epsilon))
    q = float(1 - delta) - p
    return [(float(delta), 0), (0, float(delta)), (p, q), (q, p)]


def rest(epsilon: float, mu: float | None) -> float:
    return max(0.0, 1 - math.exp(epsilon)) if mu is None else normal_delta(epsilon, mu)


def lost(together: Outcomes, epsilon: float, mu: float | None) -> float:
    finite = (p * rest(epsilon - math.log(p / q), mu) for p, q in together if p and q)
    return sum(finite) + sum(p for p, q in together if not q)


@seeds(2, 150)
def test_no_mechanisms_at_random_lose_more(seed: int) -> None:
    """Exponential mechanisms beside (ε, δ), two such at once and normal noise: never above, and what has no
    choice is met from both sides."""
    rng = random.Random(seed)
    pieces: list[Piece] = []
    made: list[Outcomes] = []
    for _ in range(rng.choice([0, 1, 1, 2])):
        eta = Fraction(rng.choice([1, 5, 10, 20, 40]), 10)
        pieces.append(Laplace(number(eta), middle=True))
        made.append(choice(rng, eta))
    for _ in range(rng.choice([0, 1, 2])):
        epsilon, delta = (
            Fraction(rng.randint(0, 4), 2),
            rng.choice([Fraction(0), Fraction(1, 10), Fraction(1)]),
        )
        pieces.append(Part(number(epsilon), number(delta)))
        made.append(leaking(epsilon, delta))
    if rng.random() < 0.5:
        pieces.append(BOTH)
        made.append(OF_BOTH)
    mu = rng.choice([None, None, 0.5, 2])
    if mu is not None:
        pieces.append(Normal(number(Fraction(mu) ** 2)))
    exactly = not any(isinstance(one, Laplace) for one in pieces)
    curve = Curve.of(pieces)
    together = [(math.prod(p for p, _ in some), math.prod(q for _, q in some)) for some in product(*made)]
    for at in (Fraction(0), Fraction(rng.randint(-10, 40), 10)):
        found = curve.delta(number(at), 64, 100)
        true = lost(together, float(at), mu)
        assert true <= found.high + Fraction(1, 10**9) and found.low <= found.high
        assert not exactly or found.low - Fraction(1, 10**9) <= true


@pytest.mark.parametrize(
    "digits", [60, *(pytest.param(n, marks=pytest.mark.slow) for n in (20, 36, 39, 200))]
)
@pytest.mark.parametrize(
    "others", [[], [BOTH], pytest.param([Normal(ONE)], marks=pytest.mark.slow), [Part(ONE, ZERO)]]
)
def test_choices_that_lose_almost_nothing(digits: int, others: list[Piece]) -> None:
    """With η = 10^−digits two of them are hardly more than what is beside: no division by what is rounded to 0."""
    eta = Fraction(1, 10**digits)
    curve = Curve.of([*others, Laplace(number(eta), 2, middle=True)])
    alone = Curve.of(others)
    for at in (number(Fraction(1, 2)), ONE * 2):
        least, most = alone.below(at), curve.above(at, points=1_000)
        assert least <= most <= alone.above(at - number(2 * eta)) + Fraction(1, 10**15)


@pytest.mark.parametrize("eta", [Fraction(1, 2), Fraction(10)])
@pytest.mark.parametrize(
    "beside",
    [
        Part(number(Fraction(1, 400)), ZERO),
        Part(number(Fraction(3, 11)), ZERO, count=200),
        Part(number(Fraction(1, 10**15)), ZERO, 2),  # no lattice of both is gone through
    ],
)
def test_choices_beside_losses_that_are_many(beside: Part, eta: Fraction) -> None:
    """They lose what they do alone at least: (1 − e^((ε − η)/2))²/(1 − e^−η)."""
    at = 1 / 20_000
    alone = (1 - math.exp((at - float(eta)) / 2)) ** 2 / (1 - math.exp(-float(eta)))
    curve = Curve.of([beside, Laplace(number(eta), middle=True)])
    assert curve.above(number(Fraction(1, 20_000)), 64, 100) >= alone - 1e-9


@pytest.mark.parametrize("beside", [Normal(ONE), Laplace(ONE, 2), Laplace(ONE, middle=True)])
def test_all_may_be_lost(beside: Piece) -> None:
    """Two steps of (ε, 1/2)-DP may tell all: no loss is left that is finite."""
    curve = Curve.of([Part(ONE, number(Fraction(1, 2)), 2), Part(log(number(2)), ZERO, count=60), beside])
    assert curve.above(ONE, 64, 50) == 1
