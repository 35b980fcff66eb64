"""What a claim implies in other notions, and what mechanisms lose there."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
import rechecks
import sympy
from converted import U, diverging, number, rechecked, two_steps

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.guarantees.notions import Guarantee


def test_claims_are_refuted_by_what_they_imply() -> None:
    """A Gaussian or pure claim implies a zero-concentrated one, of which the mechanisms have witnesses."""
    zcdp = two_steps(dpc.zcdp("x", U))  # needs 4x
    for claim, through, verdict in (
        (dpc.gaussian("sqrt(8*x)"), (), "undecided"),
        (dpc.gaussian("sqrt(7*x)"), (), "refuted"),  # by what it is known to lose
        (dpc.pure("sqrt(7*x)"), (), "refuted"),  # normal noise has no bounded loss
        (dpc.approximate("sqrt(7*x)", "0"), ("approximate-to-pure", "pure-to-zcdp"), "refuted"),
        (dpc.approximate("sqrt(7*x)", "1/100"), (), "refuted"),  # by the curve of normal noise at x = 1
    ):
        found = zcdp.check(claim)
        assert found.verdict == verdict, claim
        assert (found.counterexample.through if found.counterexample else ()) == through
        assert rechecked(zcdp, claim) == [verdict]
        assert found._repr_html_() and all(page in found._repr_html_() for page in through)


@pytest.mark.parametrize(
    ("stated", "claim", "by"),
    [
        (dpc.pure(1, U), dpc.zcdp("462117/1000000"), "pure-in-zcdp"),  # tanh(1/2) = 0.46211715...
        (dpc.pure(1, U), dpc.zcdp("462118/1000000"), "proved"),
        (dpc.gaussian("m", U), dpc.zcdp("499/1000*m**2"), "gaussian-in-zcdp"),
        (dpc.approximate(1, "1/10**9", U), dpc.zcdp(1000), "approximate-in-zcdp"),
        (dpc.approximate(1, 0, U), dpc.zcdp(1000), "proved"),
        (dpc.gaussian("m", U), dpc.tcdp("499/1000*m**2", "101/100"), "gaussian-in-tcdp"),
        (dpc.gaussian("m", U), dpc.tcdp("m**2/2", 9), "proved"),
        (dpc.approximate(1, "1/10**9", U), dpc.tcdp(1000, "101/100"), "approximate-in-tcdp"),
        (dpc.f_dp("L(1)", U), dpc.tcdp("367879/1000000", 2), "laplace-in-tcdp"),  # exp(-1) = 0.36787944...
        (dpc.f_dp("L(1)", U), dpc.tcdp("367880/1000000", 2), "proved"),
        (dpc.approximate("e", "d", U), dpc.gaussian("e + 9"), "approximate-in-gaussian"),
        (dpc.gaussian("1/10**6", U), dpc.pure(1000), "gaussian-in-pure"),
        (dpc.zcdp("1/10**6", U), dpc.pure(1000), "zcdp-in-pure"),
        (dpc.zcdp("1/8", U), dpc.gaussian(1), "undecided"),
    ],
    ids=repr,
)
def test_mechanisms_lose_more_in_other_notions(stated: Guarantee, claim: Guarantee, by: str) -> None:
    study = dpc.compose(dpc.mechanism("M", stated), on=dpc.multisets("ab"), target=U)
    found = study.check(claim)
    assert rechecked(study, claim) == [found.verdict]
    if found.counterexample is None:
        assert found.verdict == by
    else:
        assert [row.data()["by"] for row in found.counterexample.rows] == [by]


def test_randomized_response_is_private_and_diverges_as_its_page_says() -> None:
    """pure-in-zcdp by hand: on a chain of inputs, one step at a time, and where the two are r apart."""
    e = mpmath.mpf("0.7")
    for r in range(1, 7):
        for half in (False, True):
            odds = [e * (min(n, r) - mpmath.mpf(r) / 2) if half else (e if n else -e) for n in range(r + 3)]
            ones = [1 / (1 + mpmath.exp(-x)) for x in odds]
            for p, q in pairwise(ones):
                for x, y in ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)):
                    assert x <= y * mpmath.exp(e) * (1 + mpmath.mpf(10) ** -12)
            p, q = ones[r], ones[0]
            found = p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
            loss = e * r / 2 if half else e
            assert mpmath.almosteq(found, loss * mpmath.tanh(loss / 2), 1e-10)
        said = diverging(("pure", Fraction(7, 10)), r)
        assert mpmath.almosteq(said, max(x * mpmath.tanh(x / 2) for x in (e, r * e / 2)), 1e-10)


def test_noise_is_looked_at_in_the_notion_of_the_claim() -> None:
    """Normal noise is no pure mechanism, whatever notion a saved derivation states it in."""
    study = dpc.compose(
        dpc.mechanism("M1", dpc.pure("e", U)),
        dpc.mechanism("M2", query=dpc.count, noise=dpc.gaussian_noise("s")),
        on=dpc.multisets("ab"),
        target=U,
    )
    claimed = [dpc.gaussian("94/75*e + 1/s"), dpc.pure("100*e + 1/s"), dpc.zcdp("1/(3*s**2)")]
    answers = [study.check(one) for one in claimed]
    assert [one.verdict for one in answers] == ["proved", "refuted", "refuted"]
    for n in range(3):
        rechecks.rechecked(study, [*answers[n:], *answers[:n]])


def test_a_family_of_noise_has_values_where_its_guarantee_has_no_parameter() -> None:
    """Normal noise of deviation s[i] is oo-DP: the point of a counterexample has all s[i] nevertheless."""
    text = """\
format = 1
[parameters]
k = "integer >= 2"
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
index = "i"
count = "k"
query = "count"
noise = { gaussian = "s[i]" }
[[claims]]
notion = "pure"
epsilon = "5"
"""
    problem = problems.read_text(text)
    found = Study(problem.setting).check(problem.claims[0]).counterexample
    assert found is not None and found.actual is None and set(found.point) == {"k", "s[1]", "s[2]"}


def test_a_delta_beside_gaussian_privacy() -> None:
    """No conversion leads from (ε, δ) with δ > 0 to a notion of the other one: a δ is chosen, and spent."""
    study = two_steps(dpc.approximate(1, "1/10", U), dpc.gaussian(1, U))
    for claim in (dpc.approximate(5, 1), dpc.approximate(0, sympy.oo), dpc.pure(sympy.oo)):
        assert study.check(claim).verdict == "proved"
    chosen = study.bound.summed.values
    assert sympy.expand(chosen["delta"] - (1 + sympy.E) / 10) == sympy.Rational(1, 10**6)
    assert mpmath.almosteq(number(chosen["epsilon"]), 4 + 2 * mpmath.sqrt(2 * mpmath.log(10**6)))
    assert rechecked(study, dpc.approximate(5, "1/2"), dpc.approximate(5, "2/5")) == ["proved", "refuted"]
    study = two_steps(dpc.approximate("e", "1/10", U), dpc.gaussian("m", U))
    bound = dpc.approximate("2*e + 2*m**2 + 2*m*sqrt(2*log(10**6))", "(1 + exp(e))/10 + 1/10**6")
    assert rechecked(study, bound) == ["proved"]
    assert {"delta": "1/1000000"} in study.bound.guarantees.way.chosen.values()
