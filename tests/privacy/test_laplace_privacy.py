"""Laplace privacy, against integrals of Laplace densities and tests of several outputs of noise."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

import dpcompose as dpc
from dpcompose.privacy.guarantees.tradeoffs import at_once


def cdf(x: float) -> float:
    return math.exp(x) / 2 if x <= 0 else 1 - math.exp(-x) / 2


def quantile(p: float) -> float:
    return math.log(2 * p) if p <= 0.5 else -math.log(2 * (1 - p))


def f(epsilon: float, a: float) -> float:
    return cdf(quantile(1 - a) - epsilon)


def alone(epsilon: str, target: object = dpc.unbounded) -> dpc.Study:
    M = dpc.mechanism("M", dpc.f_dp(f"L({epsilon})", dpc.unbounded))
    return dpc.compose(M, on=dpc.multisets("ab"), target=target)


def test_steps_add_up() -> None:
    for s, t, a in product((0.2, 1, 3), (0.5, 2), (0.01, 0.2, 0.5, 0.9)):
        assert f(s + t, a) == pytest.approx(f(s, 1 - f(t, a)), rel=1e-9)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_curve_is_that_of_noise(steps: int) -> None:
    """max over a of 1 − f(a) − e^ε·a, on a grid; and what is claimed beside it is decided."""
    target = dpc.unbounded if steps == 1 else dpc.group(steps, dpc.unbounded)
    for epsilon in (0.0, 0.5, 1.0):
        grid = (k / 20_000 for k in range(1, 20_000))
        delta = max(1 - f(steps * 0.7, a) - math.exp(epsilon) * a for a in grid)
        for shift, verdict in ((1e-4, "proved"), (-1e-4, "refuted")):
            claim = dpc.approximate(str(Fraction(epsilon)), str(Fraction(delta + shift)))
            assert alone("7/10", target).check(claim).verdict == verdict


def test_conversions_are_the_divergences_of_noise() -> None:
    def divergence(epsilon: float, order: float) -> float:
        h = 1e-3
        points = [h * k for k in range(-40_000, 40_000)]
        density = (math.exp(-order * abs(x - epsilon) - (1 - order) * abs(x)) / 2 for x in points)
        return math.log(sum(density) * h) / (order - 1)

    found = alone("7/10")
    for order in (Fraction(3, 2), Fraction(3)):
        true = divergence(0.7, float(order))
        for shift, verdict in ((1e-4, "proved"), (-1e-4, "refuted")):
            claim = dpc.renyi(str(Fraction(true + shift)), str(order))
            assert found.check(claim).verdict == verdict
    least = 0.7 + math.exp(-0.7) - 1
    assert found.check(dpc.zcdp(str(Fraction(least + 1e-6)))).verdict == "proved"
    assert found.check(dpc.zcdp(str(Fraction(least - 1e-6)))).verdict == "refuted"


def test_two_of_them_are_less_than_one_with_the_sum() -> None:
    """By densities of both outputs: the mean of max(0, p − e^ε·q) on a grid, which is below the sum's."""
    both = dpc.compose(
        *(dpc.mechanism(n, dpc.f_dp("L(1)", dpc.unbounded)) for n in "MN"),
        on=dpc.multisets("ab"),
        target=dpc.unbounded,
    )
    h, epsilon = 0.02, 0.5
    points = [h * (k + 0.5) for k in range(-500, 550)]
    pairs = [(math.exp(-abs(x - 1)) / 2, math.exp(-abs(x)) / 2) for x in points]
    delta = sum(max(0.0, p * u - math.exp(epsilon) * q * v) for p, q in pairs for u, v in pairs) * h * h
    assert both.check(dpc.approximate("1/2", str(Fraction(delta + 2e-3)))).verdict == "proved"
    assert both.check(dpc.approximate("1/2", str(Fraction(delta - 2e-3)))).verdict == "refuted"
    assert delta < 1 - math.exp((0.5 - 2) / 2) - 0.05
    assert (
        both.check(dpc.f_dp("L(2)")).loose is False
        and both.check(dpc.f_dp("L(199/100)")).verdict == "refuted"
    )


def test_as_it_is_written() -> None:
    assert str(dpc.f_dp("L(e)")) == "laplace (e)" and at_once(dpc.f_dp("L(e)")) == (dpc.f_dp("L(e)"),)
    with pytest.raises(ValueError, match="two mechanisms that read the same say the same of one step"):
        dpc.f_dp(["L(1)", "L(2)"])
    with pytest.raises(ValueError, match="two mechanisms that read the same"):
        dpc.f_dp(["G(1)", "max(0, 1 - 2*alpha, (1 - alpha)/2)"])
