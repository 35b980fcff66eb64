"""A hundred and more claims at numbers, a little too large and a little too small, decided by formulas of the
literature in mpmath, or by sums over all outcomes: none is judged wrongly, and none stays open."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import pytest

import dpcompose as dpc

U, B = dpc.unbounded, dpc.bounded
ON = dpc.multisets("abcd")
Claims = Iterator[tuple[Any, Callable[[str], Any], Any]]
"""Studies, what is claimed of them with a number in words, and the number that is just right."""
x = mpmath.mpf
exp, log = mpmath.exp, mpmath.log


def alike(k: int, one: Any, **more: Any) -> Any:
    return dpc.compose(dpc.mechanism("M", one, count=k, **more), on=ON, target=U)


def released(query: Any, noise: Any, target: Any = U, on: Any = ON, k: int = 1) -> Any:
    return dpc.compose(dpc.mechanism("M", query=query, noise=noise, count=k), on=on, target=target)


def delta_at(epsilon: str) -> Callable[[str], Any]:
    return lambda delta: dpc.approximate(epsilon, delta)


def excess(p: Any, q: Any, k: int, epsilon: Any) -> Any:
    """Of k outcomes, each 1 with probability p or q: the largest P(S) − e^ε·Q(S)."""
    rows = [(mpmath.binomial(k, j), j) for j in range(k + 1)]
    pairs = [(c * p**j * (1 - p) ** (k - j), c * q**j * (1 - q) ** (k - j)) for c, j in rows]
    return mpmath.fsum(max(x(0), a - exp(epsilon) * b) for a, b in pairs)


def normal_noise() -> Claims:
    """Balle and Wang 2018: Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), μ² added up."""
    for k, mu, epsilon in (
        (1, "1", "1"),
        (4, "1/2", "2"),
        (10, "1/5", "1/2"),
        (100, "1/20", "1"),
        (3, "2", "4"),
    ):
        m, e = mpmath.sqrt(k) * mpmath.mpf(eval_fraction(mu)), eval_fraction(epsilon)
        right = mpmath.ncdf(m / 2 - e / m) - exp(e) * mpmath.ncdf(-m / 2 - e / m)
        yield alike(k, dpc.gaussian(mu, U)), delta_at(epsilon), right


def eval_fraction(text: str) -> Any:
    above, _, below = text.partition("/")
    return x(above) / x(below or 1)


def pure_ones() -> Claims:
    """Kairouz, Oh and Viswanath 2015, by all outcomes of randomized response; with leaks."""
    for k, e, epsilon in (
        (1, "1", "1/2"),
        (2, "1", "1"),
        (5, "1/2", "1"),
        (20, "1/10", "1/2"),
        (50, "1/10", "1"),
    ):
        p = exp(eval_fraction(e)) / (1 + exp(eval_fraction(e)))
        right = excess(p, 1 - p, k, eval_fraction(epsilon))
        yield alike(k, dpc.pure(e, U)), delta_at(epsilon), right
        leak = 1 - (1 - x("1e-3")) ** k * (1 - right)
        yield alike(k, dpc.approximate(e, "1/1000", U)), delta_at(epsilon), leak


def laplace_noise() -> Claims:
    """1 − e^((ε − a)/2) at one; zCDP a + e^−a − 1 (Harrison, Manurangsi 2025)."""
    for a, epsilon in (("1", "1/2"), ("2", "1"), ("1/3", "1/4"), ("5", "3")):
        b = f"1/({a})"
        right = 1 - exp((eval_fraction(epsilon) - eval_fraction(a)) / 2)
        yield released(dpc.count, dpc.laplace(b)), delta_at(epsilon), right
        least = eval_fraction(a) + exp(-eval_fraction(a)) - 1
        yield released(dpc.count, dpc.laplace(b)), dpc.zcdp, least
        yield released(dpc.count, dpc.laplace(b), k=3), dpc.zcdp, 3 * least


def records_read() -> Claims:
    """The largest sum over records that come or go, or that are replaced: any reads, gone through."""
    rng = random.Random(107)
    for n in range(10):
        reads = [rng.sample("abcd", rng.choice((1, 2, 3))) for _ in range(rng.choice((2, 3, 4)))]
        each = [rng.randint(1, 9) for _ in reads]
        target, stated = ((U, U), (B, B))[n % 2]
        some = [
            dpc.mechanism(f"M{i}", dpc.pure(e, stated, "common"), reads=set(read))
            for i, (read, e) in enumerate(zip(reads, each, strict=True))
        ]
        edits = [{a} for a in "abcd"] if target is U else map(set, itertools.combinations("abcd", 2))
        right = max(sum(e for read, e in zip(reads, each, strict=True) if edit & set(read)) for edit in edits)
        yield dpc.compose(*some, on=ON, target=target), dpc.pure, x(right)


def samples() -> Claims:
    """Balle, Barthe and Gaboardi 2018: ln(1 + γ(e^ε − 1)), γδ; rounds by all outcomes, the worse order."""
    for rate, e in (("1/2", "1"), ("1/10", "2"), ("1/100", "1/2"), ("9/10", "3")):
        g, o = eval_fraction(rate), exp(eval_fraction(e))
        yield alike(1, dpc.pure(e, U), sampled={"poisson": rate}), dpc.pure, log(1 + g * (o - 1))
        p, q = 1 / (1 + o), 1 / (1 + o) + g * (o - 1) / (o + 1)
        for k, epsilon in ((2, "1/1000"), (8, "1/1000")):
            right = max(excess(*pair, k, eval_fraction(epsilon)) for pair in ((p, q), (q, p)))
            yield alike(k, dpc.pure(e, U), sampled={"poisson": rate}), delta_at(epsilon), right


def groups() -> Claims:
    """g∘…∘g(0) with g(a) = min(1, δ + e^ε·a, 1 − e^−ε(1 − δ − a)) at rε; zCDP r²ρ; Gaussian rμ."""
    for r, e, d in ((2, "1", "1/100"), (3, "1/2", "1/50"), (5, "1/10", "1/20"), (4, "1", "1/10")):
        o, leak, a = exp(eval_fraction(e)), eval_fraction(d), x(0)
        for _ in range(r):
            a = min(x(1), leak + o * a, 1 - (1 - leak - a) / o)
        one = dpc.mechanism("M", dpc.approximate(e, d, U))
        yield dpc.compose(one, on=ON, target=dpc.group(r, U)), delta_at(f"{r}*{e}"), a
        one = dpc.mechanism("M", dpc.zcdp(d, U))
        yield dpc.compose(one, on=ON, target=dpc.group(r, U)), dpc.zcdp, r * r * leak


def concentrated() -> Claims:
    """ε·tanh(ε/2) of pure ones (mathematics.md, §8.4); of exponential mechanisms κ(η)."""
    for e in ("1", "1/4", "3"):
        a = eval_fraction(e)
        yield alike(1, dpc.pure(e, U)), dpc.zcdp, a * mpmath.tanh(a / 2)
        kappa = log((exp(a) - 1) / a) - 1 + a / (exp(a) - 1)
        yield released(dpc.monotone_scores(1), dpc.exponential(e)), dpc.zcdp, kappa


def sensitivities() -> Claims:
    """Means and variances of n values in [0, 3], one of which is replaced; sums; clipped vectors."""
    for n in (2, 5, 40):
        on = dpc.multisets("abcd", size=f"= {n}")
        yield released(dpc.mean(0, 3), dpc.laplace(1), B, on), dpc.pure, x(3) / n
        yield released(dpc.variance(0, 3), dpc.laplace(1), B, on), dpc.pure, x(9) * (n - 1) / n**2
        yield released(dpc.mean(0, 3), dpc.gaussian_noise(2), B, on), dpc.zcdp, (x(3) / n) ** 2 / 8
    yield released(dpc.clipped_sum(-2, 3), dpc.laplace(1)), dpc.pure, x(3)
    yield released(dpc.clipped_sum(-2, 3), dpc.laplace(1), B), dpc.pure, x(5)
    yield released(dpc.vector_sum(2), dpc.gaussian_noise(1)), dpc.zcdp, x(2)
    yield released(dpc.vector_sum(2), dpc.gaussian_noise(1), B), dpc.zcdp, x(8)
    yield released(dpc.histogram(3), dpc.gaussian_noise(1), B), dpc.zcdp, x(1)
    yield released(dpc.histogram(3), dpc.laplace(2), B), dpc.pure, x(1)


KINDS = [normal_noise, pure_ones, laplace_noise, records_read, samples, groups, concentrated, sensitivities]
NEAR = x("1e-5")


@pytest.mark.parametrize("kind", [pytest.param(one, marks=pytest.mark.slow) for one in KINDS])
def test_a_little_more_holds_and_a_little_less_does_not(kind: Callable[[], Claims]) -> None:
    for study, claim, right in kind():
        assert right > 0
        for way, verdict in ((1, "proved"), (-1, "refuted")):
            said = claim(mpmath.nstr(right * (1 + way * NEAR), 18))
            assert study.check(said).verdict == verdict, (said, right)


def test_so_many_they_are() -> None:
    assert 2 * sum(1 for kind in KINDS for _ in kind()) >= 100
