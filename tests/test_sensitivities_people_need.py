"""Claims about the exponential mechanism, sensitivities and neighbours as people name them, right ones and wrong ones.

What is true is worked out here: by closed formulas of two outcomes, and by going through numbers on a grid.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

import dpcompose as dpc

U, B = dpc.unbounded, dpc.bounded


def noisy(query: Any, law: Any, target: Any = U, size: str = "any") -> dpc.Study:
    return dpc.compose(dpc.mechanism("M", query=query, noise=law), on=dpc.multisets(size=size), target=target)


def farthest(value: Any, sizes: tuple[int, int], most: int = 4) -> Fraction:
    """The most that a function of numbers in [0, 1], in any order, moves on a grid, from so many to so many."""
    grid = [Fraction(n, most) for n in range(most + 1)]
    (n, k), found = sizes, Fraction(0)
    for shared in combinations_with_replacement(grid, min(n, k) - (n == k)):
        for gone, come in product(grid, repeat=2):
            x = (*shared, *([gone] if n >= k else []))
            y = (*shared, *([come] if k >= n else []))
            found = max(found, abs(value(x) - value(y)))
    return found


def mean(x: tuple[Fraction, ...]) -> Fraction:
    return sum(x, Fraction(0)) / len(x) if x else Fraction(1, 2)


def variance(x: tuple[Fraction, ...]) -> Fraction:
    middle = mean(x)
    return mean(tuple((one - middle) ** 2 for one in x)) if x else Fraction(0)


def bounded_range(eta: float) -> float:
    """The least rho of all with losses in an interval of that length: its divergence at order 1, at the worst."""
    some = []
    for t in (eta * n / 4000 for n in range(1, 4000)):
        p = (1 - math.exp(t - eta)) / (1 - math.exp(-eta))
        some.append(p * t + (1 - p) * (t - eta))
    return max(some)


def curve(eta: float, epsilon: float) -> float:
    return (1 - math.exp((epsilon - eta) / 2)) ** 2 / (1 - math.exp(-eta))


def decimal(x: float, up: bool) -> str:
    """Six digits, above or below."""
    scaled = math.ceil(x * 10**6) + 1 if up else math.floor(x * 10**6) - 1
    return f"{scaled}/1000000"


RHO, DELTA = bounded_range(2.0), curve(1.0, 0.25)
MEANS = max(farthest(mean, (n, n + 1)) for n in range(4))
SPREADS = max(farthest(variance, (n, n + 1)) for n in range(4))
SCORES, UP = dpc.scores(1), dpc.monotone_scores(1)
CLAIMS = [
    # the exponential mechanism: scores that move both ways by 1 have eta = 2t, those that only rise t
    (noisy(SCORES, dpc.exponential("e/2")), dpc.pure("e"), "proved"),
    (noisy(SCORES, dpc.exponential("e/2")), dpc.pure("e/2"), "refuted"),
    (noisy(UP, dpc.exponential("e")), dpc.pure("e"), "proved"),
    (noisy(UP, dpc.exponential("e"), B), dpc.pure("e"), "refuted"),
    (noisy(UP, dpc.exponential("e"), B), dpc.pure("2*e"), "proved"),
    (noisy(SCORES, dpc.exponential("e/2")), dpc.zcdp("e**2/8"), "proved"),
    (noisy(SCORES, dpc.exponential(1)), dpc.zcdp(decimal(RHO, True)), "proved"),
    (noisy(SCORES, dpc.exponential(1)), dpc.zcdp(decimal(RHO - 1e-5, False)), "refuted"),
    (noisy(UP, dpc.exponential(1)), dpc.approximate("1/4", decimal(DELTA, True)), "proved"),
    (noisy(UP, dpc.exponential(1)), dpc.approximate("1/4", decimal(DELTA, False)), "refuted"),
    # means and variances of an unknown number of records, and of a known one
    (noisy(dpc.mean(0, 1), dpc.laplace("1/e")), dpc.pure(f"{MEANS}*e"), "proved"),
    (noisy(dpc.mean(0, 1), dpc.laplace("1/e")), dpc.pure(f"{MEANS}*e - e/100"), "refuted"),
    (noisy(dpc.variance(0, 1), dpc.laplace("1/e")), dpc.pure(f"{SPREADS}*e"), "proved"),
    (noisy(dpc.variance(0, 1), dpc.laplace("1/e")), dpc.pure(f"{SPREADS}*e - e/100"), "refuted"),
    (noisy(dpc.mean(0, 1), dpc.laplace("1/e"), B, "= 3"), dpc.pure(f"{farthest(mean, (3, 3))}*e"), "proved"),
    (noisy(dpc.mean(0, 1), dpc.laplace("1/e"), B, "= 3"), dpc.pure("e/4"), "refuted"),
    (
        noisy(dpc.variance(0, 1), dpc.laplace("1/e"), B, "= 3"),
        dpc.pure(f"{farthest(variance, (3, 3))}*e"),
        "proved",
    ),
    (noisy(dpc.variance(0, 1), dpc.laplace("1/e"), B, "= 3"), dpc.pure("e/5"), "refuted"),
    # sums of clipped vectors: C where one comes, 2C where one is replaced
    (noisy(dpc.vector_sum("C"), dpc.gaussian_noise("C*s")), dpc.gaussian("1/s"), "proved"),
    (noisy(dpc.vector_sum("C"), dpc.gaussian_noise("C*s"), B), dpc.gaussian("1/s"), "refuted"),
    (noisy(dpc.vector_sum("C"), dpc.gaussian_noise("C*s"), B), dpc.zcdp("2/s**2"), "proved"),
    # sums of numbers between l and u, and histograms in L2
    (noisy(dpc.clipped_sum(-1, 3), dpc.laplace("1/e")), dpc.pure("3*e"), "proved"),
    (noisy(dpc.clipped_sum(-1, 3), dpc.laplace("1/e"), B), dpc.pure("3*e"), "refuted"),
    (noisy(dpc.histogram(5), dpc.gaussian_noise("s"), B), dpc.zcdp("1/s**2"), "proved"),
    (noisy(dpc.histogram(5), dpc.gaussian_noise("s"), B), dpc.zcdp("1/(2*s**2)"), "refuted"),
]


@pytest.mark.parametrize(("found", "claim", "verdict"), CLAIMS)
def test_claims(found: dpc.Study, claim: Any, verdict: str) -> None:
    assert found.check(claim).verdict == verdict
