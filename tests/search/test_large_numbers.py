"""Claims with numbers of which powers of e are beyond all that is written: decided or refused, and at once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.kernel.deciders.calculus import ranges
from dpcompose.kernel.deciders.curves.canonical import noise
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.language.formulas import to_text

U = dpc.unbounded


def study(stated: Any, k: int = 1, target: Any = U) -> Any:
    return dpc.compose(dpc.mechanism("M", stated, count=k), on=dpc.multisets("ab"), target=target)


CLAIMS = [
    # randomized response of so large an epsilon says the truth, but for 10^(-400000) of the time
    (study(dpc.pure("1e6", U)), dpc.approximate("1e5", "1/2"), "refuted"),
    (study(dpc.pure("1e6", U)), dpc.approximate("1e5", "1 - 1e-18"), "refuted"),
    (study(dpc.pure("1e6", U)), dpc.approximate("1e6", 0), "proved"),
    (study(dpc.pure("1e400", U)), dpc.approximate("1e399", "1/2"), "refuted"),
    # e^100001/(1 + e^100001)*(1 - e^-1) = 0.632 and (1 - 1/e) of what both lose
    (study(dpc.pure("100001", U)), dpc.approximate("100000", "0.6322"), "proved"),
    (study(dpc.pure("100001", U)), dpc.approximate("100000", "0.6321"), "refuted"),
    (study(dpc.pure("1e5", U), 2), dpc.approximate("199999", "0.6322"), "proved"),
    (study(dpc.pure("1e5", U), 2), dpc.approximate("199999", "0.6321"), "refuted"),
    (study(dpc.pure("1e30", U), 1000), dpc.approximate("1e30", "1/2"), "refuted"),
    (study(dpc.approximate("1e30", "1e-6", U)), dpc.approximate("1e29", "1/2"), "refuted"),
    (study(dpc.approximate("1e30", "1e-6", U)), dpc.approximate("1e30", "1e-6"), "proved"),
    # a second step takes all that the first one leaves
    (study(dpc.approximate("1e30", "1e-6", U), target=dpc.group(2, U)), dpc.approximate("1e30", "1/2"), "refuted"),
    (study(dpc.approximate("1e30", "1e-6", U), target=dpc.group(2, U)), dpc.approximate("3e30", "1e-5"), "refuted"),
    (study(dpc.gaussian("1e5", U)), dpc.approximate("6e9", "1/2"), "proved"),
    (study(dpc.zcdp("1e30", U)), dpc.approximate("1e29", "1/2"), "refuted"),
    # rho = epsilon*tanh(epsilon/2) is no number that is written
    (study(dpc.pure("1e400", U)), dpc.zcdp("1e399"), "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "claim", "verdict"), CLAIMS)
def test_claims(found: Any, claim: Any, verdict: str) -> None:
    assert found.check(claim).verdict == verdict


@pytest.mark.parametrize("text", ["10**1001", "1e401", "exp(10000)"])
def test_what_is_beyond_10_to_the_1000_is_refused(text: str) -> None:
    with pytest.raises(formulas.FormulaError, match=r"1000|exponent"):
        dpc.pure(text)


def test_canonical_noise_where_powers_of_e_have_no_enclosure() -> None:
    """At one step P(∞) = δ; at two, all but e^(−10^6) where δ > 0, and 0 where it is 0."""
    large = terms.number(10**6)
    one, two = (noise(large, terms.number(Fraction(1, 10**6)), steps, 64) for steps in (1, 2))
    assert one.infinite.low == one.infinite.high == Fraction(1, 10**6)
    assert two.infinite.high == 1 and 1 - two.infinite.low < Fraction(1, 2**60)
    without = noise(large, terms.ZERO, 3, 64)
    assert without.infinite.high == 0 and without.masses[-1].low > 1 - Fraction(1, 2**60)


def test_powers_of_numbers_with_many_digits() -> None:
    """Between which numbers they lie is told without them."""
    x = ranges.power_at(Fraction(3), Fraction(10**9), 64)
    assert x.low is not None and x.low > 10**300 and x.high is None
    small = ranges.power_at(Fraction(1, 3), Fraction(10**9), 64)
    assert small.low == 0 and small.high is not None and 0 < small.high < Fraction(1, 10**300)
    near = ranges.power_at(Fraction(10**6 + 1, 10**6), Fraction(10**6), 64)  # (1 + 1/n)^n < e
    assert near.low is not None and near.high is not None
    assert 2.718280 < near.low <= near.high < 2.718282
    odd = ranges._power(ranges.Range(Fraction(-2), Fraction(1)), Fraction(10**6 + 1), 64)
    assert odd.low is None and odd.high is None


FORMULAS = [
    ("tanh(e/2)", "tanh(e/2)"),
    ("e*tanh(e/2)", "e*tanh(e/2)"),
    ("-tanh(x)", "-tanh(x)"),
    ("3*tanh(x)", "3*tanh(x)"),
    ("1 - 2/(exp(e) + 1)", "tanh(e/2)"),
    ("e - 2*e/(exp(e) + 1)", "e*tanh(e/2)"),
    ("1 + tanh(x)", "2 - 2/(exp(2*x) + 1)"),
    ("1 - 2/(exp(e) + 2)", "1 - 2/(exp(e) + 2)"),
    ("1 - 3/(exp(e) + 1)", "1 - 3/(exp(e) + 1)"),
    ("sinh(x) - 1", "sinh(x) - 1"),
    ("cosh(x)**2", "cosh(x)**2"),
    ("exp(x) - exp(-x)", "exp(x) - exp(-x)"),
    ("sinh(x) + cosh(y)", "cosh(y) + sinh(x)"),
    ("log2(1 + e)", "log2(e + 1)"),
    ("e*log2(x)/b", "e*log2(x)/b"),
    ("log(2)*x", "x*log(2)"),
    ("log(x)/log(3)", "log(x)/log(3)"),
    ("log(cosh(t/2))", "log(cosh(t/2))"),
]


@pytest.mark.parametrize(("typed", "printed"), FORMULAS)
def test_hyperbolic_functions_are_printed(typed: str, printed: str) -> None:
    """And what is printed is read as what was typed."""
    letters = {name: terms.letter(name) for name in "exybt"}
    term = formulas.parse(typed, letters)
    assert to_text(term) == printed
    again = formulas.parse(printed, letters)
    assert to_text(again) == printed
    assert formulas.parse(formulas.to_text(term), letters) == term
    assert substitution.expanded(again - term) == terms.ZERO


def test_hyperbolic_functions_in_guarantees() -> None:
    """That of a mechanism as it was stated, and that of pure privacy as the literature has it."""
    assert "(e*tanh(e/2))-zCDP" in str(study(dpc.zcdp("e*tanh(e/2)", U)).guarantee())
    assert "(e*tanh(e/2))-zCDP" in str(study(dpc.pure("e", U)).guarantee("zcdp"))


RELATIONS = [
    ("sqrt(2*log(1/d))", "sqrt(2*log(1/b))", "d >= b", "proved"),
    ("sqrt(2*log(1/d))", "sqrt(2*log(1/b))", "d <= b", "refuted"),
    ("r*sqrt(log(1/d))", "r*sqrt(log(1/b))", "d >= b", "proved"),
    ("r + sqrt(r*log(1/d))", "r + sqrt(r*log(1/b))", "d >= b", "proved"),
    ("r + sqrt(r*log(1/d))", "r + sqrt(r*log(1/b))/2", "d >= b", "refuted"),
    ("sqrt(log(5/(4*d)))", "sqrt(log(5/(4*b)))", "d >= b", "proved"),
    ("sqrt(log(1/d))", "sqrt(log(1/(2*b)))", "d >= 2*b", "proved"),
]


@pytest.mark.parametrize(("stated", "claimed", "assumed", "verdict"), RELATIONS)
def test_roots_of_logarithms_under_relations(stated: str, claimed: str, assumed: str, verdict: str) -> None:
    domains = {"d": "in (0,1)", "b": "in (0,1)"}
    mechanism = dpc.mechanism("M", dpc.pure(stated, U))
    found = dpc.compose(mechanism, on=dpc.multisets("ab"), target=U, parameters=domains, assume=[assumed])
    assert found.check(dpc.pure(claimed)).verdict == verdict


def test_delta_is_given_away() -> None:
    """ρ + 2√(ρ ln(1/d)) at d serves at every larger b, and not at smaller ones."""
    domains = {"d": "in (0,1)", "b": "in (0,1)"}
    some = [dpc.mechanism(f"M{i}", dpc.zcdp(f"r{i}", U)) for i in (1, 2)]
    found = dpc.compose(*some, on=dpc.multisets("ab"), target=U, parameters=domains, assume=["d <= b"])
    epsilon = "r1 + r2 + 2*sqrt((r1 + r2)*log(1/{}))"
    assert found.check(dpc.approximate(epsilon.format("d"), "b")).verdict == "proved"
    assert found.check(dpc.approximate(epsilon.format("b"), "d")).verdict == "refuted"
