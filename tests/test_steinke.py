"""What Steinke's talk states, against tables of probabilities and normal noise.

Counts and variances are exact; what has powers and logarithms is compared by intervals, which decide, or by
mpmath with 30 digits far from equality.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import mpmath
import pytest
from mpmath import iv
from theorem_settings import ROOT

import dpcompose as dpc

PROBLEMS = ROOT / "notebooks" / "problems"


def interval(x: Fraction | int) -> Any:
    return iv.mpf(Fraction(x).numerator) / Fraction(x).denominator


# zero-concentrated privacy: large losses and rare events


def test_normal_noise_has_such_losses_and_events() -> None:
    """rho = 1/2: L is normal with mean 1/2 and variance 1, and the events y >= c have Phi(1 - c) and Phi(-c)."""
    rho = mpmath.mpf(1) / 2
    for n in range(1, 60):
        t = rho + mpmath.mpf(n) / 10
        assert mpmath.ncdf(rho - t) <= mpmath.exp(-((t - rho) ** 2) / (4 * rho))
        p, q = mpmath.ncdf(1 - t), mpmath.ncdf(-t)
        assert all(
            p <= mpmath.exp((alpha - 1) * rho) * q ** (1 - 1 / mpmath.mpf(alpha)) for alpha in (1.5, 2, 5, 10)
        )
        if q < mpmath.exp(-rho):
            assert p <= mpmath.exp(-((mpmath.sqrt(-mpmath.log(q)) - mpmath.sqrt(rho)) ** 2))
    # below rho the formula is false: half of the losses are above the mean
    assert mpmath.ncdf(rho - rho) > mpmath.exp(-((rho + 2) ** 2) / (4 * rho))


def test_the_numbers_of_the_talk() -> None:
    """rho = 1/2 and Q(S) = 1e-10: what each order gives, and the best one."""
    rho, q = iv.mpf(1) / 2, iv.mpf(10) ** -10

    def at(alpha: str) -> Any:
        return iv.exp((iv.mpf(alpha) - 1) * rho) * q ** (1 - 1 / iv.mpf(alpha))

    best = iv.exp(-((iv.sqrt(-iv.log(q)) - iv.sqrt(rho)) ** 2))
    assert 1.64e-5 < at("2") < 1.65e-5 and 9.0e-8 < at("10") < 9.01e-8 and 5.37e-8 < best < 5.38e-8
    assert best < at("6.7") and best < at("6.9") and at("6.786") < best * (1 + iv.mpf(10) ** -6)


def information(rows: Sequence[Sequence[Any]], weights: Sequence[Fraction]) -> Any:
    """I(X; M(X)) in nats, for X with these weights, enclosed."""
    mixed = [
        sum(interval(w) * row[y] for w, row in zip(weights, rows, strict=True)) for y in range(len(rows[0]))
    ]
    return sum(
        interval(w) * p * iv.log(p / m)
        for w, row in zip(weights, rows, strict=True)
        for p, m in zip(row, mixed, strict=True)
    )


def test_mutual_information() -> None:
    """Below n²·rho, for one bit and for eight; below n·rho only where people are independent."""
    e = iv.mpf(1)
    p = iv.exp(e) / (1 + iv.exp(e))
    rho = e * (iv.exp(e) - 1) / (iv.exp(e) + 1)
    half = [Fraction(1, 2)] * 2
    one = information([[p, 1 - p], [1 - p, p]], half)
    assert 0.110 < one < 0.112 and 0.462 < rho < 0.463 and one < rho
    # the number of ones among n bits with geometric noise, cut off to 0..n: eight equal bits tell more than eight times
    # what one does, eight independent ones do not
    n, r = 8, iv.exp(-iv.mpf(1) / 50)
    rows = [
        [r ** abs(x - y) * (1 - r if 0 < y < n else 1) / (1 + r) for y in range(n + 1)] for x in range(n + 1)
    ]
    rho = iv.mpf(1) / 50 * (1 - r) / (1 + r)
    assert n * rho < information([rows[0], rows[n]], half) < n**2 * rho
    assert information(rows, [Fraction(comb(n, x), 2**n) for x in range(n + 1)]) < n * rho


# composition


def test_optimal_composition_is_the_sum_over_subsets() -> None:
    """The formula of Kairouz, Oh, Viswanath and Murtagh, Vadhan, against all events of three mechanisms with factors
    2, 3 and 5 and deltas: (delta | randomized response | delta)."""
    factors, deltas = [Fraction(2), Fraction(3), Fraction(5)], [Fraction(1, 7), Fraction(0), Fraction(1, 9)]
    rows = []
    for x, d in zip(factors, deltas, strict=True):
        P = [d, (1 - d) * x / (1 + x), (1 - d) / (1 + x), Fraction(0)]
        rows.append((P, P[::-1]))
    for claimed in (Fraction(1), Fraction(5, 2), Fraction(30)):
        exact = sum(
            max(
                Fraction(0),
                prod(P[y] for (P, _), y in zip(rows, at, strict=True))
                - claimed * prod(Q[y] for (_, Q), y in zip(rows, at, strict=True)),
            )
            for at in product(range(4), repeat=3)
        )
        total = Fraction(0)
        for chosen in product((0, 1), repeat=3):
            inside = prod(x for x, c in zip(factors, chosen, strict=True) if c)
            outside = prod(x for x, c in zip(factors, chosen, strict=True) if not c)
            total += max(Fraction(0), inside - claimed * outside)
        none = prod(1 - d for d in deltas)
        assert exact == 1 - none * (1 - total / prod(1 + x for x in factors))


# marginals and frequencies


def test_marginals_of_a_thousand_people() -> None:
    """d = 10^4, sigma = 1/10: rho = d/(2·sigma²·n²) is 1/2 for 1000 people and above for 999, and the files say so."""
    d, sigma = 10**4, Fraction(1, 10)
    assert d / (2 * sigma**2 * 1000**2) == Fraction(1, 2) < d / (2 * sigma**2 * 999**2)
    for file in ("203", "204"):
        (path,) = PROBLEMS.glob(f"{file}-*.toml")
        study, claims = dpc.load(path)
        assert [study.check(one).verdict for one in claims] == [one.expect for one in claims]
        assert study.check(dpc.zcdp("1/2")).verdict == ("proved" if file == "203" else "refuted")


def test_frequencies() -> None:
    """Variance 1/rho where a record is replaced, 1/(2·rho) where it comes or goes; and the bound of all errors."""
    for target, scale in ((dpc.bounded, "sqrt(1/r)"), (dpc.unbounded, "sqrt(1/(2*r))")):
        bins = dpc.mechanism("bins", query=dpc.histogram(9), noise=dpc.gaussian_noise(scale))
        made = dpc.compose(bins, on=dpc.multisets(), target=target)
        assert made.check(dpc.zcdp("r")).verdict == "proved"
        assert made.check(dpc.zcdp("0.99*r")).verdict == "refuted"
    for n in range(1, 50):
        t = mpmath.mpf(n) / 5
        assert 2 * mpmath.ncdf(-t) <= 2 * mpmath.exp(-(t**2) / 2)


# attacks


def test_differencing() -> None:
    """Two exact counts tell the person apart, each of them and both; two with noise lose the sum."""
    people = dpc.multisets({"Alice", "others"})
    others = dpc.restriction(["others"])
    noise = dpc.laplace("1/e")
    at_one = dpc.mechanism("one", query=dpc.count, noise=noise, reads=others)
    at_three = dpc.mechanism("three", query=dpc.count, noise=noise)
    both = dpc.compose(at_one, at_three, on=people, target=dpc.unbounded)
    assert str(both.guarantee().epsilon) == "2*e"
    exact = dpc.compose(dpc.mechanism("M", dpc.pure("oo", dpc.unbounded)), on=people, target=dpc.unbounded)
    assert exact.check(dpc.pure(10**6)).verdict == "refuted"


@pytest.mark.parametrize("noise", [Fraction(0), Fraction(1, 3)])
@pytest.mark.parametrize("chances", [(Fraction(1, 2),), (Fraction(1, 3), Fraction(3, 4))])
def test_tracing(chances: tuple[Fraction, ...], noise: Fraction) -> None:
    """All answers of three people, a new one, and coins of ±noise: the means and the variance of the page, exactly.

    Attributes are independent, so each is enumerated by itself."""
    n = 3
    inside, fresh, variance = Fraction(0), Fraction(0), Fraction(0)
    for chance in chances:
        moments = {"inside": Fraction(0), "fresh": Fraction(0), "square": Fraction(0)}
        for bits in product((0, 1), repeat=n + 1):
            for coin in (-noise, noise):
                weight = prod(chance if b else 1 - chance for b in bits) / 2
                answer = Fraction(sum(bits[:n]), n) + coin - chance
                moments["inside"] += weight * (bits[0] - chance) * answer
                moments["fresh"] += weight * (bits[n] - chance) * answer
                moments["square"] += weight * ((bits[n] - chance) * answer) ** 2
        inside, fresh = inside + moments["inside"], fresh + moments["fresh"]
        variance += moments["square"] - moments["fresh"] ** 2
    spread = [chance * (1 - chance) for chance in chances]
    assert fresh == 0
    assert inside == sum(spread) / n
    assert variance == sum(v * v / n + v * noise**2 for v in spread)
    d = len(chances)
    if set(chances) == {Fraction(1, 2)}:
        assert inside**2 / variance == Fraction(d) / (n + 4 * noise**2 * n**2)
        if noise:
            assert inside**2 / variance < Fraction(d) / (2 * noise**2 * n**2) / 2
