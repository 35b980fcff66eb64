"""The exponential mechanism in zCDP: Rényi divergences of tables at random are at most what the page says, two
losses come near it; and what a query moves by is looked at as a whole, not entry by entry."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import pytest
from shares import seeds

import dpcompose as dpc

U, B = dpc.unbounded, dpc.bounded


def kappa(eta: Any) -> Any:
    return mpmath.log((mpmath.exp(eta) - 1) / eta) - 1 + eta / (mpmath.exp(eta) - 1)


def divergence(x: list[Any], z: list[Any], alpha: Any) -> Any:
    """D_α of choices with the weights e^x and e^z."""
    a, c = (mpmath.fsum(map(mpmath.exp, one)) for one in (x, z))
    inside = mpmath.fsum(mpmath.exp(alpha * u + (1 - alpha) * v) for u, v in zip(x, z, strict=True))
    return (mpmath.log(inside) - alpha * mpmath.log(a) - (1 - alpha) * mpmath.log(c)) / (alpha - 1)


@seeds(2, 40)
def test_no_order_exceeds_it_and_two_candidates_come_near(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        eta, alpha = (mpmath.mpf(10) ** rng.uniform(-1, 1.3) for _ in range(2))
        moved = [0, 1, *(rng.choice([0, 1, rng.random()]) for _ in range(rng.randint(0, 3)))]
        z = [mpmath.mpf(rng.gauss(0, 4)) for _ in moved]
        x = [v + eta * w for v, w in zip(z, moved, strict=True)]
        for pair in ((x, z), (z, x)):
            assert divergence(*pair, 1 + alpha) <= (1 + alpha) * kappa(eta) * (1 + mpmath.mpf("1e-9"))
        c = mpmath.log(mpmath.exp(eta) * (eta - 1) + 1) - mpmath.log(mpmath.exp(eta) - 1 - eta)
        near = divergence([c, 0], [c - eta, 0], mpmath.mpf("1.000001"))
        assert kappa(eta) * (1 - mpmath.mpf("1e-4")) <= near <= eta**2 / 8 * mpmath.mpf("1.0001")


def choice(query: object, t: str, target: Any, count: object = None) -> Any:
    one = dpc.mechanism("M", query=query, noise=dpc.exponential(t), count=count)
    return dpc.compose(one, on=dpc.multisets(), target=target)


@pytest.mark.parametrize(
    ("study", "eta", "times"),
    [
        (choice(dpc.scores(1), "1/2", U), 1, 1),
        pytest.param(choice(dpc.scores("1/3"), "3/2", B), 2, 1, marks=pytest.mark.slow),
        pytest.param(choice(dpc.monotone_scores(1), "3", U), 3, 1, marks=pytest.mark.slow),
        pytest.param(choice(dpc.scores(1), "1/2", U, 7), 1, 7, marks=pytest.mark.slow),
    ],
)
def test_the_least_number_is_decided(study: Any, eta: int, times: int) -> None:
    least = kappa(mpmath.mpf(eta)) * times
    for way, verdict in ((1, "proved"), (-1, "refuted")):
        claim = mpmath.nstr(least + way * mpmath.mpf("1e-6"), 12)
        assert study.check(dpc.zcdp(claim)).verdict == verdict
    assert study.guarantee("zcdp").optimal is not False


def test_a_histogram_moves_as_a_whole() -> None:
    """A replacement moves one bin up and another one down: 2κ(1) = 0.2466 would be too little, κ(2) =
    0.4745 is not."""
    study = choice(dpc.histogram(4), "1", B)
    assert 2 * kappa(mpmath.mpf(1)) < mpmath.mpf("0.3") < kappa(mpmath.mpf(2)) < mpmath.mpf("0.47448")
    assert study.check(dpc.zcdp("0.47448")).verdict == "proved"
    assert study.check(dpc.zcdp("0.3")).verdict == "refuted"
    assert study.check(dpc.zcdp("0.4744")).verdict != "proved"
