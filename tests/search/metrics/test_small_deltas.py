"""False (d, delta) claims with symbols: a delta of 1 says nothing, and small ones are tried."""

from __future__ import annotations

import math
from typing import Any

import pytest
from in_metrics import study, verdicts
from shares import every_second

POINTS = '[databases]\nkind = "points"\ncoordinates = ["u", "v"]\n[metrics.d]\nnorm = "L2"\n'
LINE = '[databases]\nkind = "points"\ncoordinates = ["u"]\n[metrics.d]\nnorm = "L1"\n'
PRODUCT = (
    '[databases]\nkind = "product"\n[databases.parts.S]\nkind = "multisets"\n'
    '[databases.parts.p]\nkind = "points"\ncoordinates = ["u"]\n'
    '[metrics.c]\ngranularity = "unbounded"\nof = "S"\n[metrics.e]\nnorm = "L1"\nof = "p"\n'
    '[metrics.d]\nformula = "c + 2*e"\n'
)
TABLE = (
    '[databases]\nkind = "listed"\nelements = ["a", "b", "c"]\n'
    '[metrics.d]\ntable = [["a", "b", "1"], ["b", "c", "1/2"], ["a", "c", "3/2"]]\n'
)


def stated(metric: str, notion: str = "approximate", name: str = "M", **others: str) -> str:
    besides = "".join(f', {key} = "{x}"' for key, x in others.items())
    return f'[[mechanisms]]\nname = "{name}"\nguarantee = {{ notion = "{notion}", metric = "{metric}"{besides} }}\n'


def claimed(metric: str, delta: str) -> str:
    return f'[[claims]]\nnotion = "approximate"\nmetric = "{metric}"\ndelta = "{delta}"\n'


TWO = stated("x*d", delta="q*d") + stated("y*d", name="N", delta="q*d")


@pytest.mark.parametrize(
    "databases", every_second([LINE, POINTS, TABLE, PRODUCT], lambda one: one.split('"')[1])
)
def test_two_mechanisms(databases: str) -> None:
    """At distance 1 both together lose e^(x + y) with some probability, whatever the larger of x and y."""
    some = [("(x + y)*d", "2*q*d"), ("max(x, y)*d", "2*q*d"), ("x*d + y*d/2", "2*q*d"), ("(x + y)*d", "q*d")]
    assert verdicts(databases + TWO + "".join(claimed(*one) for one in some)) == [
        "proved",
        "refuted",
        "refuted",
        "refuted",
    ]


@pytest.mark.parametrize("databases", [POINTS, LINE])
def test_a_parameter_of_the_claim_alone(databases: str) -> None:
    """Laplace noise at distance 1 has delta 1 - exp(-1/4) at 1/2."""
    _, (found,) = study(
        '[parameters]\nt = "positive"\n' + databases + stated("x*d", "pure") + claimed("x*d/2", "t*d")
    )
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample.point["t"] < 1 == found.counterexample.point["x"]
    actual: Any = found.counterexample.actual
    assert abs(float(actual) - (1 - math.exp(-1 / 4))) < 1e-6


def test_what_is_assumed_holds_at_the_points() -> None:
    """Where q is at least 1 the deltas say nothing; where it is at most 1/2 some of them do."""
    head = 'assume = ["q >= 1"]\n' + POINTS
    ((_, claim),) = [study(head + TWO + claimed("max(x, y)*d", "2*q*d"))]
    assert claim[0].verdict != "proved"
    for example in (one.counterexample for one in claim):
        assert example is None or example.point["q"] >= 1
    head = 'assume = ["q <= 1/1000"]\n' + POINTS
    _, (found,) = study(head + TWO + claimed("max(x, y)*d", "2*q*d"))
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample.point["q"] <= 1 / 1000


def test_families() -> None:
    """Five mechanisms of which each may say with probability q that D is not D'."""
    text = '[[mechanisms]]\nname = "M"\nindex = "i"\ncount = "5"\n'
    text += 'guarantee = { notion = "approximate", metric = "e[i]*d", delta = "q[i]*d" }\n'
    some = [
        ("sum(e[i], i, 1, 5)*d", "sum(q[i], i, 1, 5)*d"),
        ("max(e[i], i, 1, 5)*d", "max(q[i], i, 1, 5)*d"),
    ]
    assert verdicts(LINE + text + "".join(claimed(*one) for one in some)) == ["proved", "refuted"]
