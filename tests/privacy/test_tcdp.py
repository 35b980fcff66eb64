"""Truncated concentrated privacy: by hand, against exact sums, and in Python."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import rechecks

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry

THEORY = registry.standard()
FILE = """
format = 1
{parameters}
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = {target}
{mechanisms}
[[claims]]
{claim}
"""
MECHANISM = """
[[mechanisms]]
name = "M{n}"
guarantee = {{ notion = "tcdp", rho = "{rho}", omega = "{omega}", granularity = "unbounded" }}
"""


def made(target: str, claim: str, *guarantees: tuple[str, str], parameters: str = "") -> tuple[Study, Any]:
    some = (MECHANISM.format(n=n, rho=rho, omega=omega) for n, (rho, omega) in enumerate(guarantees))
    said = "\n".join(claim.split("; "))
    text = FILE.format(target=target, mechanisms="".join(some), claim=said, parameters=parameters)
    problem = problems.read_text(text)
    return Study(problem.setting, THEORY), problem.claims[0]


ONE, TWO = '"unbounded"', '"bounded"'


@pytest.mark.parametrize(
    ("target", "claim", "guarantees", "word"),
    [
        (ONE, 'rho = "x + y"; omega = "min(v, w)"', [("x", "v"), ("y", "w")], "proved"),
        (ONE, 'rho = "x + y"; omega = "v"', [("x", "v"), ("y", "w")], "refuted"),
        (ONE, 'rho = "x + y"; omega = "3"', [("x", "4"), ("y", "5")], "proved"),
        (ONE, 'rho = "x + y"; omega = "41/10"', [("x", "4"), ("y", "5")], "refuted"),
        (ONE, 'rho = "x"; omega = "3/2"', [("x", "4"), ("y", "5")], "refuted"),
        (TWO, 'rho = "4*x"; omega = "w/2"', [("x", "w")], "proved"),
        (TWO, 'rho = "4*x"; omega = "w"', [("x", "w")], "refuted"),
        (TWO, 'rho = "4*x"; omega = "9/5"', [("x", "3")], "undecided"),
        (TWO, 'rho = "99*x"; omega = "19/10"', [("x", "3")], "refuted"),
        (TWO, 'rho = "3*x"; omega = "9/5"', [("x", "3")], "refuted"),
        (TWO, 'rho = "4*x"; omega = "1"', [("x", "3/2")], "proved"),
        (TWO, 'rho = "x"; omega = "1"', [("x", "3")], "proved"),
        (ONE, 'rho = "0"; omega = "2"', [("0", "3")], "proved"),
        (ONE, 'rho = "0"; omega = "4"', [("0", "3")], "undecided"),
        (ONE, 'rho = "x"; omega = "oo"', [("x", "oo")], "proved"),
        (ONE, 'rho = "x"; omega = "oo"', [("x", "3")], "refuted"),
    ],
)
def test_verdicts(target: str, claim: str, guarantees: list[tuple[str, str]], word: str) -> None:
    study, said = made(target, f'notion = "tcdp"; {claim}', *guarantees)
    found = study.check(said)
    assert found.verdict == word, found.reason
    assert rechecks.check(rechecks.saved(study, [found]), THEORY).verdicts == (word,)


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (dpc.tcdp("x + y", 4), "proved"),
        (dpc.tcdp("x + y", 5), "refuted"),
        (dpc.tcdp("x + y/2", 4), "refuted"),
        (dpc.zcdp("8*x + 8*y"), "refuted"),
    ],
)
def test_what_may_be_zero_loses_where_it_is_not(claim: Any, word: str) -> None:
    """Where x or y is 0 the mechanism says nothing; each is private with the other values too."""
    study = dpc.compose(
        dpc.mechanism("M", dpc.tcdp("x", 8, dpc.unbounded)),
        dpc.mechanism("N", dpc.tcdp("y", 4, dpc.unbounded)),
        on=dpc.multisets("ab"),
        target=dpc.unbounded,
        parameters={"x": "nonnegative", "y": "nonnegative"},
    )
    found = study.check(claim)
    assert found.verdict == word, found.reason
    assert rechecks.check(rechecks.saved(study, [found]), THEORY).verdicts == (word,)
    assert study.guarantee("tcdp").optimal is True


def test_a_smaller_rho_is_not_refuted_where_no_order_is_left() -> None:
    """(rho, 1) says nothing: so does a bound at a distance from omega on, and then nothing is optimal."""
    study, _ = made(TWO, 'notion = "tcdp"; rho = "x"; omega = "1"', ("x", "2"))
    assert repr(study.guarantee()) == "bounded (4*x, 1)-tCDP, by sensitivity-profile"
    assert any("says nothing" in one for one in study.warnings())
    assert study.check(dpc.tcdp("x", 1)).verdict == "proved"


def test_approximate_claims_inside_and_at_the_end() -> None:
    inside = 'notion = "approximate"; epsilon = "1 + 2*sqrt(log(1000000))"; delta = "1e-6"'
    for omega, word in (("5", "proved"), ("4", "undecided")):  # ln(10^6) = 13.8 lies between 3^2 and 4^2
        study, claim = made(ONE, inside, ("1", omega))
        assert study.check(claim).verdict == word
    study, claim = made(ONE, 'notion = "approximate"; epsilon = "8.61"; delta = "1e-6"', ("1", "4"))
    assert study.check(claim).verdict == "proved"  # 4 + 13.816/3 = 8.605


def test_the_tails_are_as_their_page_says() -> None:
    """At omega the sums are finite and small, beyond the last order they grow without bound."""
    omega, r = mpmath.mpf(4), 2
    q = omega / (omega - 1)
    s = [1 - q ** -(r - j) for j in range(r + 1)]
    end = q**r / (q**r - 1)

    def sums(one: int, other: int, alpha: Any, last: int) -> Any:
        """The sum of P^α Q^(1−α) over n ≥ 2, divided by η."""
        rate = alpha * s[one] + (1 - alpha) * s[other] - 1
        return mpmath.fsum(mpmath.exp(rate * n) / n**2 for n in range(2, last))

    for j in range(r):
        assert sums(j, j + 1, omega, 4000) < 0.65 and sums(j + 1, j, omega, 4000) < 0.65
        assert sums(j, j + 1, mpmath.mpf(1), 400) < 0.65
    assert sums(0, r, end, 4000) < 0.65
    assert sums(0, r, end + mpmath.mpf(1) / 4, 200) < sums(0, r, end + mpmath.mpf(1) / 4, 400) / 10
    text = THEORY.pages["tcdp-witness-of-tails"].head.distance
    assert text == "1 - (1 - tau)**r" and mpmath.almosteq(1 / (1 - (1 - 1 / omega) ** r), end)


def test_in_python_and_as_a_file() -> None:
    study = dpc.compose(
        dpc.mechanism("M1", dpc.tcdp("x", "w", dpc.unbounded)),
        dpc.mechanism("M2", dpc.zcdp("y", dpc.unbounded)),
        on=dpc.multisets("ab"),
        target=dpc.unbounded,
        parameters={"w": "in (1, oo)"},
    )
    assert repr(study.guarantee("tcdp")) == "unbounded (x + y, w)-tCDP, by sensitivity-profile"
    assert study.check(dpc.tcdp("x + y", "w")).verdict == "proved"
    assert 'rho = "x", omega = "w"' in study.to_toml() and 'w = "in (1, oo)"' in study.to_toml()
    assert problems.read_text(study.to_toml()).setting.mechanisms == study.setting.mechanisms


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ('notion = "tcdp", rho = "x"', "needs omega"),
        ('notion = "zcdp", rho = "x", omega = "3"', "has no omega"),
        ('notion = "tcdp", epsilon = "x", omega = "3"', "has no epsilon"),
    ],
)
def test_guarantees_that_are_wrong(edit: str, words: str) -> None:
    right = 'notion = "tcdp", rho = "x", omega = "3"'
    text = FILE.format(
        target=ONE,
        parameters="",
        mechanisms=MECHANISM.format(n=1, rho="x", omega="3"),
        claim='notion = "pure"\nepsilon = "1"',
    )
    assert right in text
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_text(text.replace(right, edit))


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (dpc.renyi("alpha/2", "(1, 10]"), "proved"),
        (dpc.renyi("1", 2), "proved"),
        (dpc.renyi("alpha/2", "(1, 11]"), "refuted"),
        (dpc.renyi("9/10", 2), "refuted"),
        (dpc.zcdp(1000), "refuted"),
        (dpc.gaussian(1000), "refuted"),
        (dpc.pure(1000), "refuted"),
    ],
)
def test_in_other_notions(claim: Any, word: str) -> None:
    """Up to omega = 10 divergences are known, beyond it they may be infinite."""

    def study(*guarantee: Any) -> Study:
        mechanism = dpc.mechanism("M", dpc.tcdp(*guarantee, dpc.unbounded))
        return dpc.compose(mechanism, on=dpc.multisets(), target=dpc.unbounded)

    assert study("1/2", 10).check(claim).verdict == word
    nothing = study(0, 10).check(claim).verdict, study("1/2", "oo").check(claim).verdict
    assert study("1/2", "oo").check(dpc.zcdp("1/2")).verdict == "proved"  # it is truncated nowhere
    assert nothing[0] != "refuted" and (nothing[1] != "refuted" or claim.notion in ("pure", "renyi"))
