"""Counterexamples to claims about thousands of equal mechanisms: they are counted, and the databases shown."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpcompose as dpc
from dpcompose.front.printers import render
from dpcompose.kernel.expressions import terms
from dpcompose.language.worstcase import Top
from dpcompose.proof.counterexamples import witnesses


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


@pytest.mark.parametrize("times", [1, 3, 20_000])
def test_losses_of_alike_rows_are_multiples(times: int) -> None:
    normal = witnesses.Noise(1, Fraction(1, 4), Fraction(1, 2))
    irrational = witnesses.Violating(1, "page", "what", terms.sqrt(terms.number(2)))
    assert witnesses.loss([normal], [times]) == Fraction(times, 4) == witnesses.loss([normal] * times)
    assert witnesses.loss([irrational], [times]) == times * terms.sqrt(terms.number(2))


def test_events_of_alike_rows_happen_at_least_once() -> None:
    one = witnesses.Event(1, Fraction(1, 10))
    assert witnesses.loss([one], [3]) == witnesses.loss([one] * 3) == Fraction(271, 1000)


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
