"""zCDP and Gaussian claims about noise that is not normal: refuted by divergences and by curves.

Divergences are integrated, or summed up, by mpmath; nothing true is refuted.
"""

from typing import Any

import mpmath
import pytest
from precision import with_digits

import dpcompose as dpc

digits = with_digits(30)
U, B = dpc.unbounded, dpc.bounded


def laplace_divergence(b: Any, r: Any) -> Any:
    def loss(y: Any) -> Any:
        return (abs(y - r) - abs(y)) / b * mpmath.exp(-abs(y) / b) / (2 * b)

    return mpmath.quad(loss, [-60 * b, 0, r, r + 60 * b])


def geometric_divergence(b: Any, r: int) -> Any:
    a = mpmath.exp(-1 / mpmath.mpf(b))
    return mpmath.nsum(
        lambda t: (abs(t - r) - abs(t)) / mpmath.mpf(b) * (1 - a) / (1 + a) * a ** abs(t),
        [-mpmath.inf, mpmath.inf],
    )


def response_divergence(p: Any) -> Any:
    return p * mpmath.log(p / (1 - p)) + (1 - p) * mpmath.log((1 - p) / p)


def study(*mechanisms: Any, target: Any = U, size: str = "any") -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab", size=size), target=target)


def counts(noise: Any, query: Any = dpc.count, name: str = "M", **more: Any) -> Any:
    return dpc.mechanism(name, query=query, noise=noise, **more)


def bit(p: str) -> Any:
    return dpc.mechanism("M", query=dpc.bit, noise=dpc.randomized_response(p))


third = mpmath.mpf(1) / 3
DIVERGENCES = [
    (study(counts(dpc.laplace(1))), laplace_divergence(1, 1)),
    (study(counts(dpc.laplace("1/3"))), laplace_divergence(third, 1)),
    (study(counts(dpc.laplace(2), dpc.clipped_sum(-1, 3))), laplace_divergence(2, 3)),
    (study(counts(dpc.laplace(2), dpc.histogram(3)), target=B), 2 * laplace_divergence(2, 1)),
    (study(counts(dpc.geometric(1))), geometric_divergence(1, 1)),
    (study(counts(dpc.geometric(3)), target=dpc.group(2, U)), geometric_divergence(3, 2)),
    (study(counts(dpc.geometric("1/2"), dpc.histogram(3)), target=B), 2 * geometric_divergence(0.5, 1)),
    (study(bit("3/4"), target=B), response_divergence(mpmath.mpf(3) / 4)),
    (study(bit("1/4"), target=B), response_divergence(mpmath.mpf(3) / 4)),
    (
        study(counts(dpc.laplace(1)), counts(dpc.gaussian_noise(2), name="N")),
        laplace_divergence(1, 1) + mpmath.mpf(1) / 8,
    ),
    (study(counts(dpc.laplace(1), count=5)), 5 * laplace_divergence(1, 1)),
]


@pytest.mark.parametrize(("found", "divergence"), DIVERGENCES)
def test_just_below_the_divergence_is_refuted_and_above_is_not(found: dpc.Study, divergence: Any) -> None:
    below, above = (mpmath.nstr(divergence * (1 + sign * mpmath.mpf("1e-6")), 12) for sign in (-1, 1))
    answer = found.check(dpc.zcdp(below))
    assert answer.verdict == "refuted" and answer.counterexample is not None
    assert found.check(dpc.zcdp(above)).verdict in ("proved", "undecided")


def test_bits_and_single_counts_are_exactly_as_concentrated_as_their_divergence() -> None:
    assert study(bit("3/4"), target=B).check(dpc.zcdp("log(3)/2")).verdict == "proved"
    assert study(counts(dpc.geometric("1/e"))).check(dpc.zcdp("e*tanh(e/2)")).verdict == "proved"
    assert study(counts(dpc.geometric("1/e"))).check(dpc.zcdp("0.99*e*tanh(e/2)")).verdict == "refuted"


@pytest.mark.slow
def test_in_letters_and_families() -> None:
    some = study(counts(dpc.laplace("1/a")), dpc.mechanism("N", dpc.zcdp("r", U)))
    assert some.check(dpc.zcdp("a*tanh(a/2) + r")).verdict == "proved"
    assert some.check(dpc.zcdp("a**2/10 + r")).verdict == "refuted"
    assert some.check(dpc.zcdp("a + exp(-a) - 1 + r")).verdict == "proved"


def response_mu(p: Any) -> Any:
    """The least μ of randomized response: 2Φ⁻¹(p)."""
    return 2 * mpmath.findroot(lambda x: mpmath.ncdf(x) - p, 0.7)


GAUSSIAN = [
    (study(bit("3/4"), target=B), response_mu(mpmath.mpf(3) / 4)),
    (study(bit("9/10"), target=B), response_mu(mpmath.mpf(9) / 10)),
    # total variation 1 − e^(−1/2) of Laplace noise of scale 1: 2Φ(μ/2) − 1
    (study(counts(dpc.laplace(1))), response_mu((2 - mpmath.exp(-0.5)) / 2)),
    (study(dpc.mechanism("M", dpc.pure("log(3)", U))), response_mu(mpmath.mpf(3) / 4)),
]


@pytest.mark.parametrize(("found", "mu"), GAUSSIAN)
def test_gaussian_claims_below_what_an_event_shows(found: dpc.Study, mu: Any) -> None:
    below, above = (mpmath.nstr(mu * (1 + sign * mpmath.mpf("1e-5")), 12) for sign in (-1, 1))
    answer = found.check(dpc.gaussian(below))
    assert answer.verdict == "refuted" and answer.counterexample is not None
    assert "at epsilon = 0" in answer.counterexample.lost() or answer.counterexample.through
    assert found.check(dpc.gaussian(above)).verdict in ("proved", "undecided")


def test_a_counterexample_says_that_a_divergence_is_no_exact_loss() -> None:
    answer = study(counts(dpc.laplace(1))).check(dpc.zcdp("1/10"))
    assert answer.counterexample is not None and "true loss at least exp(-1)" in answer.counterexample.lost()
