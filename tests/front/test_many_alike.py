"""Counterexamples to claims about thousands of equal mechanisms: they are counted, and the databases shown."""

from __future__ import annotations

import pytest

import dpcompose as dpc
from dpcompose.front.printers import render
from dpcompose.language.worstcase import Top


def study(stated: dpc.Guarantee, times: int) -> dpc.Study:
    M = dpc.mechanism("M", stated, count=times)
    return dpc.compose(M, on=dpc.multisets(), target=dpc.bounded)


@pytest.mark.parametrize(
    ("stated", "claimed", "lost"),
    [
        (dpc.pure("e", dpc.bounded), dpc.pure("3999*e"), "claimed 3999, true loss 4000"),
        (dpc.zcdp("r", dpc.bounded), dpc.zcdp("3999*r"), "claimed 3999, true loss 4000"),
        (dpc.gaussian("m", dpc.bounded), dpc.gaussian("63*m"), "claimed 63, true loss 20*sqrt(10)"),
    ],
)
def test_databases_and_losses_are_shown(stated: dpc.Guarantee, claimed: dpc.Guarantee, lost: str) -> None:
    found = study(stated, 4000).check(claimed)
    assert found.verdict == "refuted" and found.counterexample is not None
    assert lost in found.counterexample.lost()
    shown = render.verdict(1, found)
    assert "D  = {x}" in shown and "reached by M[1], ..., M[4000]" in shown


def test_of_many_parts_those_that_lose_most_are_shown() -> None:
    """The types of two of thirty mechanisms stand for all pairs; the counterexample has the two of its point."""
    e = dpc.parameters("e1:31")
    parts = [
        dpc.mechanism(f"M{i}", reads={f"a{i}"}, satisfies=dpc.pure(one, dpc.bounded, domain="common"))
        for i, one in enumerate(e, start=1)
    ]
    records = [f"a{i}" for i in range(1, 31)]
    found = dpc.compose(*parts, on=dpc.multisets(records), target=dpc.bounded)
    assert found.guarantee().optimal and found.guarantee().theorem == "GB:IV.13"
    assert found.check(dpc.pure(sum(e))).loose
    refuted = found.check(dpc.pure(Top(2, *e[:-2], 2 * e[-2])))
    assert refuted.verdict == "refuted" and refuted.counterexample is not None
    assert ("a30",) in refuted.counterexample.pair


def test_relations_between_parameters_leave_a_counterexample() -> None:
    """What refutes is at a point that satisfies them, and so is what is shown."""
    M = [dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", dpc.unbounded)) for i in (1, 2)]
    study = dpc.compose(*M, on=dpc.multisets(), target="unbounded", assume=["e1 >= 2*e2"])
    found = study.check("e1 + e2/2")
    assert found.verdict == "refuted" and found.counterexample is not None
    point = found.counterexample.point
    assert point["e1"] >= 2 * point["e2"] and found.counterexample.actual == point["e1"] + point["e2"]


def test_of_many_that_differ_the_first_are_told_and_long_numbers_have_a_decimal() -> None:
    """Scales 100, …, 119: 1/100 + … + 1/119 = 0.1831574…"""
    M = [dpc.mechanism(f"M{i}", query=dpc.count, noise=dpc.laplace(100 + i)) for i in range(20)]
    several = dpc.compose(*M, on=dpc.multisets(), target="unbounded")
    refuted = several.check("1/10")
    assert refuted.verdict == "refuted" and refuted.counterexample is not None
    shown = render.verdict(1, refuted)
    assert "reached by M11 itself" in shown and "reached by M12" not in shown
    assert "and so by 8 more mechanisms (the JSON has all)" in shown
    assert "-DP (at most 0.1831575)" in repr(several.guarantee())
