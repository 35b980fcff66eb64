"""Divergences that mechanisms with a guarantee can have: below it at all orders, and beyond its last one; by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import told

import dpcompose as dpc
from dpcompose.kernel.composition import divergences
from dpcompose.kernel.core.orders import ALPHA, Curve, Orders
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import letter, log, number
from dpcompose.kernel.judgements import OfOrders, Refuted
from dpcompose.kernel.theorems import NoTheorem, Prover

X = letter("x", NONNEGATIVE)
of = SimpleNamespace
ORDERED, OTHER = (of(head=of(ordered=ordered, parameters=["epsilon"])) for ordered in (True, False))


def test_what_is_nowhere_above_a_guarantee() -> None:
    """ρα for ρα, ε/8·α for ε up to 8, and ε/2 at 2; of another function no such number is known."""
    values = (("epsilon", X),)
    assert divergences.below(OTHER, values, None) == {"epsilon": X}
    assert divergences.below(ORDERED, values, None) is None
    for orders, slope in (("(1, 8]", X / 8), ("2", X / 2), ("[2, 3)", X / 3)):
        read = Orders.read(orders)
        below = divergences.below(ORDERED, values, Curve(read, X))
        assert below == {"epsilon": slope * read.order, ALPHA: read.order}
    every = Orders.read("(1, oo)")
    assert divergences.below(ORDERED, values, Curve(every, X * every.order)) == {
        "epsilon": X * every.order,
        ALPHA: every.order,
    }
    assert divergences.below(ORDERED, values, Curve(every, X)) is None
    assert divergences.below(ORDERED, values, Curve(every, log(every.order))) is None
    assert divergences.last_order(every) == {}
    assert divergences.last_order(Orders.read("(1, 8)")) == {"omega": number(8)}


def test_a_page_may_say_only_what_is_lost() -> None:
    for notion in ("renyi", "tcdp"):
        assert told.THEORY.computed("approximate", [(notion, "")]) is None
        assert told.THEORY.computed("approximate", [(notion, "")], lost=True).id == "curves-together"
        assert told.THEORY.computed("approximate", [(notion, ""), ("pure", "")], lost=True) is not None
    assert told.THEORY.computed("approximate", [("zcdp", "")], lost=True).id == "zcdp-curve"


def verdicts(guarantee: Any, *claims: Any, steps: int = 1) -> list[str]:
    target = dpc.unbounded if steps == 1 else dpc.group(steps, dpc.unbounded)
    study = dpc.compose(dpc.mechanism("M", guarantee), on=dpc.multisets(), target=target)
    return [study.check(claim).verdict for claim in claims]


@pytest.mark.parametrize(
    "guarantee",
    [
        dpc.tcdp("1/2", "3", dpc.unbounded),
        dpc.renyi("alpha/2", "(1, oo)", dpc.unbounded),
        dpc.renyi("alpha/2", "(1, 3]", dpc.unbounded),
        dpc.renyi("1", "2", dpc.unbounded),
    ],
)
def test_what_may_be_normal_noise_has_its_deltas(guarantee: Any) -> None:
    """With ρ = 1/2 it is that with μ = 1: δ(1) = Φ(−1/2) − e·Φ(−3/2) = 0.126937; at two steps μ = 2: 0.5099."""
    some = [dpc.approximate(1, x) for x in ("126/1000", "127/1000")]
    assert verdicts(guarantee, *some) == ["refuted", "undecided"]
    assert verdicts(guarantee, dpc.approximate(1, "509/1000"), steps=2) == ["refuted"]


def test_a_guarantee_that_ends_is_no_concentrated_one() -> None:
    """Up to 4 at one step; at two the tails are infinite from 1/(1 − (3/4)²) = 16/7 on."""
    for guarantee in (dpc.renyi("alpha*x", "(1, 4]", dpc.unbounded), dpc.renyi("x", "4", dpc.unbounded)):
        claims = dpc.zcdp("9*x + 9"), dpc.gaussian("9*x + 9"), dpc.tcdp("9*x + 9", "5"), dpc.tcdp("x", "4")
        assert verdicts(guarantee, *claims) == ["refuted", "refuted", "refuted", "proved"]
        later, sooner = dpc.tcdp("99*x + 99", "23/10"), dpc.tcdp("99*x + 99", "9/4")
        found = verdicts(guarantee, later, sooner, steps=2)
        assert found[0] == "refuted" and found[1] != "refuted"
    nothing = dpc.renyi("0", "4", dpc.unbounded)
    assert verdicts(nothing, dpc.zcdp("1/9"), dpc.tcdp("1/9", "5")) == ["undecided", "undecided"]
    every = dpc.renyi("alpha*x", "(1, oo)", dpc.unbounded)
    assert verdicts(every, dpc.zcdp("x"), dpc.tcdp("x", "5"), dpc.tcdp("x/2", "5")) == [
        "proved",
        "proved",
        "refuted",
    ]


def test_what_is_known_up_to_an_order_is_no_claim_about_later_ones() -> None:
    """Up to 4: at 9/2, at all orders up to 5 or from 3 to before 5, and at all of them; oo is no claim."""
    known = dpc.renyi("alpha*x", "(1, 4]", dpc.unbounded), dpc.renyi("x", "4", dpc.unbounded)
    for guarantee in (*known, dpc.tcdp("x", "4", dpc.unbounded)):
        later = [dpc.renyi("99*alpha*x + 9", orders) for orders in ("9/2", "(1, 5]", "[3, 5)", "(1, oo)")]
        assert {*verdicts(guarantee, *later)} == {"refuted"}
        assert verdicts(guarantee, dpc.renyi("oo", "5"), dpc.renyi("99*alpha*x + 9", "4")) == [
            "proved",
            "proved",
        ]
    assert verdicts(dpc.zcdp("x", dpc.unbounded), dpc.renyi("alpha*x", "(1, oo)")) == ["proved"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, None),
        ({"order": "4"}, "4 is none of the orders"),
        ({"order": "6"}, "6 is none of the orders"),
        ({"order": "(1, 5]"}, "is none of the orders"),
        ({"page": "renyi-to-zcdp"}, "for guarantees of all orders"),
        ({"page": "zcdp-to-tcdp"}, "converts zcdp"),
        ({"claim": {"notion": "renyi", "epsilon": "8*x", "orders": "5"}}, "that is not what"),
        ({"claim": {"notion": "renyi", "epsilon": "oo", "orders": "5"}}, "says nothing"),
        ({"claim": {"notion": "renyi", "epsilon": "9*x"}}, "with its orders"),
        ({"claim": {"notion": "tcdp", "epsilon": "9*x", "orders": "5"}}, "not about divergences"),
        ({"claim": {"notion": "renyi", "epsilon": "log(-x)", "orders": "5"}}, "may have no value"),
    ],
)
def test_a_claim_beyond_is_refuted_by_what_it_implies(more: Any, words: str | None) -> None:
    """9x at 5 is 9xα up to 5, which is (9x, 5)-tCDP."""
    study = dpc.compose(
        dpc.mechanism("M", dpc.renyi("x", "4", dpc.unbounded)), on=dpc.multisets(), target=dpc.unbounded
    )
    refuted = study.check(dpc.tcdp("9*x", "5")).outcome.theorems[0]
    prover = Prover(study.proofs.elaborated.core, told.THEORY)
    asked = {
        "claim": {"notion": "renyi", "epsilon": "9*x", "orders": "5"},
        "order": "5",
        "page": "renyi-to-tcdp",
    }
    if words is None:
        made = prover.by("beyond", refuted, **asked).says
        assert isinstance(made, OfOrders) and made.orders == "5" and isinstance(made.of, Refuted)
        ((key, value),) = made.of.values
        assert (made.of.notion, key, formulas.to_text(value)) == ("renyi", "epsilon", "9*x")
        return
    with pytest.raises(NoTheorem, match=words):
        prover.by("beyond", refuted, **asked | more)
