"""Curves of normal and Laplace noise and of zero-concentrated privacy, against mpmath and plain sums."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcompose.kernel.deciders.curves.canonical import noise
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.normal import ratio as mills
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions.formulas import evaluate, parse
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.terms import ZERO, log, number
from dpcompose.proof.readings import Reading

EPSILONS = st.fractions(-4, 12, max_denominator=50)
SMALL = st.fractions("1/20", 3, max_denominator=20)


def exact(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def normal(mu: Any, epsilon: Any) -> Any:
    """The δ of normal noise."""
    left, right = (mpmath.ncdf(-epsilon / mu + half) for half in (mu / 2, -mu / 2))
    return left - mpmath.exp(epsilon) * right


def within(found: Interval, value: Any, width: Any) -> None:
    assert exact(found.low) - width <= value <= exact(found.high) + width
    assert exact(found.high - found.low) <= width


@settings(max_examples=15, deadline=None)
@given(EPSILONS, SMALL)
def test_normal_noise(epsilon: Fraction, square: Fraction) -> None:
    with mpmath.workprec(300):
        found = Normal(number(square), ZERO).delta(Interval.of(epsilon), 100)
        within(found, normal(mpmath.sqrt(exact(square)), exact(epsilon)), mpmath.mpf(2) ** -95)


@settings(max_examples=30, deadline=None)
@given(st.fractions(1, 400, max_denominator=20), st.fractions(-1, 2, max_denominator=20))
def test_normal_noise_that_loses_much(mu: Fraction, beside: Fraction) -> None:
    """ε around μ²/2, where δ is neither 0 nor 1: e^ε has thousands of digits, and δ a hundred of bits."""
    epsilon = mu * mu / 2 + 8 * beside * mu
    with mpmath.workprec(600):  # of which ncdf far out keeps all, as erfc
        found = Normal(number(mu * mu), ZERO).delta(Interval.of(epsilon), 100)
        within(found, normal(exact(mu), exact(epsilon)), mpmath.mpf(2) ** -95)


@pytest.mark.parametrize("mu", ["1/10**9", "1/3", "93", "1000", "10**6"])
@pytest.mark.parametrize("epsilon", ["0", "1/10**9", "1/2", "5000", "10**6", "10**12", "-1", "-10**9"])
@pytest.mark.parametrize("bits", [64, 128, 512])
def test_normal_noise_of_all_sizes(mu: str, epsilon: str, bits: int) -> None:
    """Enclosed to the wanted width, whatever the sizes, and within a second even at hundreds of bits."""
    m, e = (evaluate(parse(text, {}), {}) or Fraction(0) for text in (mu, epsilon))
    for rho in (ZERO, number(Fraction(1, 7))):
        found = Normal(number(m * m), rho).delta(Interval.of(e), bits)
        assert 0 <= found.low <= found.high <= 1
        if rho == ZERO:
            assert found.high - found.low <= Fraction(1, 2 ** (bits - 8))


@settings(max_examples=20, deadline=None)
@given(EPSILONS, SMALL, st.fractions("11/10", 40, max_denominator=20))
def test_zero_concentrated_privacy(epsilon: Fraction, rho: Fraction, order: Fraction) -> None:
    """Never above the bound at any order by more than what choosing costs, and never below normal noise."""
    with mpmath.workprec(200):
        e, r, a = map(exact, (epsilon, rho, order))
        found = Normal(ZERO, number(rho)).delta(Interval.of(epsilon), 80)
        bound = mpmath.exp((a - 1) * (a * r - e)) / (a - 1) * (1 - 1 / a) ** a
        assert exact(found.high) <= min(1, bound) * (1 + mpmath.mpf(2) ** -20)
        attained = normal(mpmath.sqrt(2 * r), e)
        assert abs(exact(found.low) - attained) < mpmath.mpf(2) ** -70
        assert found.low < found.high


@settings(max_examples=20, deadline=None)
@given(EPSILONS, SMALL)
def test_laplace_noise(epsilon: Fraction, ratio: Fraction) -> None:
    """By integration of the two densities, whose excess changes its sign once."""
    with mpmath.workprec(80):
        e, a = exact(epsilon), exact(ratio)
        excess = [0, a / 2 - e / 2, a, a + 60] if abs(e) < a else [0, a, a + 60]
        total = mpmath.quad(
            lambda y: max(0, mpmath.exp(-abs(y)) / 2 - mpmath.exp(e - abs(y - a)) / 2),
            sorted({*[mpmath.mpf(x) for x in excess], mpmath.mpf(-60)}),
        )
        within(Laplace(number(ratio)).delta(Interval.of(epsilon), 100), total, mpmath.mpf(10) ** -12)


def test_laplace_noise_twice() -> None:
    """Between the two lattices lies what integration over the loss of one of them says."""
    for ratio, epsilon in ((Fraction(1), Fraction(1, 4)), (Fraction(2), Fraction(5, 2))):
        found = Curve.of([Laplace(number(ratio), 2)]).delta(number(epsilon))
        a, e = float(ratio), float(epsilon)

        def one(x: float, a: float = a) -> float:
            return max(0.0, 1 - mpmath.exp((x - a) / 2), 1 - mpmath.exp(x))

        inside = mpmath.quad(
            lambda y, a=a, e=e: mpmath.exp(-y) / 2 * one(e - (a - 2 * y), a),
            sorted(x for x in (0, a / 2, (2 * a - e) / 2, a) if 0 <= x <= a),
        )
        value = one(e - a, a) / 2 + inside + mpmath.exp(-a) / 2 * one(e + a, a)
        within(found, value, mpmath.mpf(10) ** -5)
        assert exact(found.low) <= value <= exact(found.high)


def test_several_kinds_together() -> None:
    """The mean of the curve of normal noise over the losses of canonical noise, by a plain sum."""
    part, mu = Part(number(1), number(Fraction(1, 100)), 2), mpmath.mpf(3) / 4
    table = noise(part.epsilon, part.delta, part.steps, 200)
    with mpmath.workprec(200):
        value = exact(table.infinite.low) + sum(
            exact(mass.low) * normal(mu, 2 - (2 * u - 2)) for u, mass in enumerate(table.masses)
        )
        found = Curve.of([part, Normal(number(Fraction(9, 16)), ZERO)]).delta(number(2))
        within(found, value, mpmath.mpf(2) ** -50)


@settings(max_examples=10, deadline=None)
@given(st.fractions(3, 60, max_denominator=30), st.sampled_from([16, 64, 200]))
def test_mills_ratio(x: Fraction, bits: int) -> None:
    with mpmath.workprec(400 + int(3 * x * x)):
        at = exact(x)
        found, true = mills(x, bits), (1 - mpmath.ncdf(at)) / mpmath.npdf(at)
        assert exact(found.low) <= true <= exact(found.high)
        assert found.high - found.low <= Fraction(1, 2**bits)


@pytest.mark.parametrize(
    ("square", "epsilon", "delta"),
    [(93**2, 5000, "1.747651831385604e-13"), (1, 30, "7.7e-194"), (10**7, 3, "1"), (100, 10**6, "0")],
)
def test_normal_noise_far_out(square: int, epsilon: int, delta: str) -> None:
    """Small numbers have as many digits as others, and no power of e is too large."""
    found = Normal(number(square)).delta(Interval.of(epsilon), 64)
    assert found.high - found.low <= max(found.high, Fraction(1, 2**64)) / 2**50
    assert abs(exact(found.low) - mpmath.mpf(delta)) <= mpmath.mpf(delta) / 10 + mpmath.mpf(2) ** -64


def test_zero_concentrated_privacy_far_out() -> None:
    for rho, epsilon in (("100", 1), ("1/100", 1000), ("1/100", 10**6), ("10000000", 3), ("1", -(10**6))):
        found = Normal(ZERO, number(Fraction(rho))).delta(Interval.of(epsilon), 64)
        assert 0 <= found.low <= found.high <= 1
        assert (found.high < Fraction(1, 10**9)) == (epsilon > 999)


# what a membership test reaches


def test_readings() -> None:
    approximate = Reading(Part(log(number(3)), number(Fraction(1, 5))))
    assert approximate.trade_off(Fraction(0)) == Interval.of(Fraction(4, 5))
    assert approximate.true_positives(Fraction(1, 10)) == Interval.of(Fraction(1, 2))
    assert approximate.advantage == Interval.of(Fraction(3 - 1 + Fraction(2, 5)) / 4)
    assert approximate.posterior() == Interval.of(1)
    assert approximate.posterior(Fraction(1, 2), Fraction(1, 10)) == Interval.of(Fraction(5, 6))
    pure = Reading(Part(log(number(3)), ZERO))
    assert pure.posterior(Fraction(1, 10)) == Interval.of(Fraction(1, 4))
    assert pure.posterior(Fraction(1, 10), Fraction(0)) == Interval.of(Fraction(1, 10))
    for a in (Fraction(1, 1000), Fraction(1, 3), Fraction(9, 10)):
        gaussian = Reading(Normal(number(1), ZERO)).true_positives(a)
        value = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(2 * exact(a) - 1) + 1)
        within(gaussian, value, mpmath.mpf(10) ** -12)
        concentrated = Reading(Normal(ZERO, number(Fraction(1, 2)))).true_positives(a)
        assert concentrated.low <= gaussian.high and gaussian.low <= concentrated.high
        assert gaussian.high - a <= Reading(Normal(number(1), ZERO)).advantage.high
    nothing = Reading(None)
    assert nothing.true_positives(Fraction(0)) == nothing.advantage == nothing.posterior() == Interval.of(1)
    same = Reading(Normal(ZERO, ZERO))
    assert same.posterior(Fraction(1, 3)) == Interval.of(Fraction(1, 3))
    for wrong in (Fraction(-1, 2), Fraction(2)):
        with pytest.raises(ValueError, match="lies"):
            pure.true_positives(wrong)
        with pytest.raises(ValueError, match="lies"):
            pure.posterior(wrong)
