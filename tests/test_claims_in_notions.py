"""Claims in approximate, zero-concentrated and Gaussian privacy: verdicts, values as they are shown, limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import rechecks
import sympy
from in_notions import claim, values

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.settings.invalid import InvalidSetting


def two(notion: str, target: Any = dpc.unbounded, *, domains: Mapping[str, str] | None = None) -> Study:
    """Two mechanisms on everything, with unbounded guarantees."""
    return dpc.compose(
        *(dpc.mechanism(f"M{i}", claim(notion, *values(notion, i)).about(dpc.unbounded)) for i in (1, 2)),
        on=dpc.multisets("ab"),
        target=target,
        parameters=domains or ({"d1": "in (0,1)", "d2": "in (0,1)"} if notion == "approximate" else None),
    )


GAUSSIAN = {
    "sqrt(m1**2 + m2**2)": ("proved", False),
    "m1 + m2": ("proved", True),
    "sqrt(2)*max(m1, m2)": ("proved", True),
    "max(sqrt(2)*m1, sqrt(2)*m2)": ("proved", True),
    "sqrt(max(m1, m2)**2 + m1**2 + m2**2)": ("proved", True),
    "sqrt(max(m1**2 + m2**2, 1))": ("proved", True),
    "max(1, sqrt(m1**2 + m2**2))": ("proved", True),
    "sqrt(2*m1**2 + 2*m2**2)/sqrt(2)": ("proved", False),
    "oo": ("proved", True),
    "max(m1, m2)": ("refuted", None),
    "7/5*max(m1, m2)": ("refuted", None),
    "(m1 + m2)/2": ("refuted", None),
    "2*sqrt(m1*m2)": ("refuted", None),
    "sqrt(m1) + sqrt(m2)": ("refuted", None),
    "m1 - m2": ("refuted", None),
    "m1 + m2 - 1": ("refuted", None),
    "-1": ("refuted", None),
    "0": ("refuted", None),
    "1/sqrt(m1)": ("refuted", None),
    "m1 + m2 - 2*sqrt(m1*m2)": ("refuted", None),
    "sqrt(m1**2 + m2**2) - 1": ("refuted", None),
    "sqrt(m1 - m2)": ("undecided", None),
}


@pytest.mark.parametrize("text", GAUSSIAN)
def test_gaussian_claims(text: str) -> None:
    verdict = two("gaussian").check(claim("gaussian", text))
    assert (verdict.verdict, verdict.loose) == GAUSSIAN[text], verdict.reason


def test_an_irrational_claim_is_shown_as_it_is_and_not_by_its_square() -> None:
    study = dpc.compose(
        dpc.mechanism("M", dpc.gaussian("e*sqrt(46)/3", dpc.unbounded)),
        on=dpc.multisets(),
        target=dpc.unbounded,
    )
    example = study.check(dpc.gaussian("e*sqrt(46)/3 - e/7")).counterexample
    assert example is not None
    assert (example.data()["claimed"], example.data()["actual"]) == ("sqrt(46)/3 - 1/7", "sqrt(46)/3")


def test_claimed_values_are_shown_as_they_are() -> None:
    """Squares are compared, but what is claimed may be irrational, or negative."""
    study = two("gaussian")
    for text, claimed in (("-1/2", "-1/2"), ("max(m1, m2)", "1"), ("m1/sqrt(2) + m2/8", None)):
        example = study.check(claim("gaussian", text)).counterexample
        if claimed is not None:
            assert example is not None and example.data()["claimed"] == claimed
    example = study.check(claim("gaussian", "sqrt(m1**2 + m2**2/2)")).counterexample
    assert example is not None
    assert (example.data()["claimed"], example.data()["actual"]) == ("sqrt(6)/2", "sqrt(2)")


APPROXIMATE = {
    ("e1 + e2", "d1 + d2"): "proved",
    ("e1 + e2 + 1", "2*d1 + 2*d2"): "proved",
    ("oo", "oo"): "proved",
    ("e1", "oo"): "proved",
    ("0", "1"): "proved",
    ("e1", "1 + d1"): "proved",
    ("oo", "d1 + d2"): "proved",
    ("2*e1 + 2*e2", "d1"): "refuted",
    ("e1 + e2", "max(d1, d2)"): "refuted",
    ("oo", "d2"): "proved",
    ("oo", "0"): "proved",
    ("2*e1 + 2*e2", "d1 + d2 - d1*d2"): "proved",
    ("e1 + e2", "d1 + d2 - d1*d2"): "proved",
    (
        "e1",
        "2*d1 + 2*d2",
    ): "refuted by the curve",  # at e1 = 100, e2 = 1: two randomized responses need 0.4 there
    ("max(e1, e2)", "d1 + d2"): "refuted by the curve",
    ("0", "d1 + d2"): "refuted by the curve",
}


@pytest.mark.parametrize("texts", APPROXIMATE)
def test_approximate_claims(texts: tuple[str, str]) -> None:
    """A pair that lies beside the known one is refuted only where an event or the curve shows it."""
    verdict = two("approximate").check(claim("approximate", *texts))
    by_curve = verdict.counterexample is not None and verdict.counterexample.bits is not None
    assert verdict.verdict + (" by the curve" if by_curve else "") == APPROXIMATE[texts], verdict.reason
    if verdict.verdict == "refuted":
        example = verdict.counterexample
        assert example is not None and example.actual is not None
        if by_curve:
            assert example.actual > example.claimed
            return
        d1, d2 = example.point["d1"], example.point["d2"]
        assert example.actual == d1 + d2 - d1 * d2 > example.claimed
    if verdict.verdict == "undecided":
        assert verdict.reason.endswith(
            "can be smaller than in the best guarantee that is known; "
            "that refutes nothing, because other pairs may hold as well"
        )


def test_approximate_claims_over_two_steps() -> None:
    """δ + δe^ε is proved; an event reaches the least δ at distance 2, and what lies below is refuted."""
    study = dpc.compose(
        dpc.mechanism("M", dpc.approximate("e", "d", dpc.unbounded)),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
        parameters={"d": "in (0,1)"},
    )
    expected = {
        ("2*e", "d + d*exp(e)"): "proved",
        ("3*e", "d + d*exp(e)"): "proved",
        ("2*e", "d"): "refuted",
        ("2*e", "3*d/2"): "refuted",
        ("2*e", "2*d"): "refuted",
        ("2*e", "d + d*exp(e/2)"): "refuted",
        ("e", "d + d*exp(e)"): "refuted",
    }
    for texts, verdict in expected.items():
        assert study.check(claim("approximate", *texts)).verdict == verdict, texts
    assert not study.bound.summed.optimal


def test_guarantees_at_their_limits() -> None:
    on = dpc.multisets("ab")

    def single(*given: object, target: Any = dpc.unbounded, **domains: str) -> Study:
        stated = claim("approximate", *given).about(dpc.unbounded)
        return dpc.compose(dpc.mechanism("M", stated), on=on, target=target, parameters=domains)

    zero = single(0, "d", d="in (0,1)")  # δ(e^{rε} − 1)/(e^ε − 1) is rδ at ε = 0
    assert zero.guarantee().values == {"epsilon": 0, "delta": sympy.Symbol("d", positive=True)}
    steps = single(0, "d", target=dpc.bounded, d="in (0,1)")
    assert formulas.to_text(steps.guarantee().values["delta"]) == "min(2*d, 1)"
    assert steps.check(claim("approximate", 0, "2*d")).verdict == "proved"
    assert steps.check(claim("approximate", 0, "d")).verdict == "refuted"
    assert single("e", "d", d="in (0,1)").bound.optimal
    assert not single("e", "d").bound.optimal  # for d > 1 the least δ is 1
    assert not single("e", 2).bound.optimal
    assert single("e", 1).bound.optimal
    assert single("e", 2).check(claim("approximate", 0, 1)).verdict == "proved"
    assert single("e", 2).check(claim("approximate", "e", "1/2")).verdict == "refuted"
    for stating in (("oo", "1/100"), ("e", "oo")):
        assert dict(single(*stating).bound.guarantee.texts) == {"epsilon": "oo", "delta": "oo"}
    for notion, name in (("zcdp", "rho"), ("gaussian", "mu")):
        stated = [claim(notion, x).about(dpc.unbounded) for x in ("oo", "x")]
        study = dpc.compose(
            *(dpc.mechanism(f"M{i}", g) for i, g in enumerate(stated)), on=on, target=dpc.unbounded
        )
        assert dict(study.bound.guarantee.texts) == {name: "oo"} and study.bound.optimal
        assert study.check(claim(notion, "100*x")).verdict == "refuted"
        assert study.check(claim(notion, "oo")).loose is False


def test_exponentials_and_roots_as_parameters() -> None:
    for text, bound in (
        ("sqrt(a)", "sqrt(a + b**2)"),
        ("exp(a)", "sqrt(b**2 + exp(2*a))"),
        ("max(a, b)", None),
    ):
        study = dpc.compose(
            *(dpc.mechanism(f"M{i}", dpc.gaussian(x, dpc.unbounded)) for i, x in enumerate((text, "b"))),
            on=dpc.multisets("ab"),
            target=dpc.unbounded,
        )
        mu = study.guarantee().values["mu"]
        assert bound is None or formulas.to_text(mu) == bound
        for same in (formulas.to_text(mu), f"sqrt(({text})**2 + b**2)"):
            assert study.check(claim("gaussian", same)).loose is False, same
        assert study.check(claim("gaussian", f"{text} + b")).verdict == "proved"


def test_claims_that_say_nothing_are_proved() -> None:
    """oo in any parameter says nothing, whatever the others are; nothing refutes it."""
    study = two("approximate")
    for nothing in ((sympy.oo, 0), (0, sympy.oo), (0, 1)):
        verdict = study.check(claim("approximate", *nothing))
        assert (verdict.verdict, verdict.loose) == ("proved", None)
        assert rechecks.rechecked(study, [verdict]).verdicts == ("proved",)
    smaller = study.check(claim("approximate", 1000, 0))
    assert smaller.verdict == "refuted" and smaller.counterexample is not None


def test_wrong_parameters_are_named() -> None:
    x = sympy.Symbol("x", positive=True)
    wrong = Guarantee("gaussian", (("epsilon", x),))
    study = dpc.compose(
        dpc.mechanism("M", wrong.about(dpc.unbounded)), on=dpc.multisets("ab"), target=dpc.unbounded
    )
    with pytest.raises(InvalidSetting, match=r"^M: a guarantee of gaussian has mu, not epsilon$"):
        study.guarantee()
    verdict = two("gaussian").check(
        Guarantee("gaussian", (("mu", sympy.Integer(1)), ("nu", sympy.Integer(1))))
    )
    assert verdict.reason == "a guarantee of gaussian has mu, not mu, nu"
    one = dpc.compose(dpc.mechanism("M", dpc.zcdp("r")), on=dpc.multisets("ab"), target=dpc.unbounded)
    assert one.check(dpc.gaussian("1000*sqrt(r)")).reason == "no conversion pages lead from zcdp to gaussian"
