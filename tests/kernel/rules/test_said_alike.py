"""A guarantee in another notion that says the same: by pages that lead both ways, and of all large orders alone."""

from __future__ import annotations

from typing import Any

import pytest
import told
from kernel.covers.test_covers import REPLACE, multisets, reads

from dpcompose.kernel.core import reading
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.judgements import Loses
from dpcompose.kernel.theorems import NoTheorem, Prover


def prover(epsilon: str, orders: str, notion: str = "renyi") -> Prover:
    curve: dict[str, Any] = {"notion": notion, "values": {"epsilon": epsilon}}
    own = {"orders": orders} if orders else {}
    data = {
        "parameters": {"e": "positive"},
        "databases": multisets(["a", "b"]),
        "target": REPLACE,
        "mechanisms": [{"name": "M", **reads(None, REPLACE), **curve, **own}],
    }
    return Prover(reading.read(data | ({"orders": "8"} if orders else {})), told.THEORY)


@pytest.mark.parametrize(("epsilon", "orders"), [("e", "(1, oo)"), ("e", "[9, oo)"), ("2*e", "(3, oo)")])
def test_one_bound_for_all_large_orders_is_a_pure_one(epsilon: str, orders: str) -> None:
    says = prover(epsilon, orders).by("given", i=1, page="renyi-to-pure").says
    assert isinstance(says, Loses)
    assert (says.loss.notion, says.loss.curve, says.loss.then) == ("pure", None, ())
    assert [(key, to_text(value)) for key, value in says.loss.values] == [("epsilon", epsilon)]


@pytest.mark.parametrize(
    ("epsilon", "orders", "page", "why"),
    [
        ("e", "(1, 8]", "renyi-to-pure", "guarantees of all large orders"),  # normal noise has no limit
        ("e", "8", "renyi-to-pure", "guarantees of all large orders"),
        ("alpha*e", "(1, oo)", "renyi-to-pure", "does not depend on the order"),
        ("e*(1 - 1/alpha)", "(1, oo)", "renyi-to-pure", "does not depend on the order"),
        ("alpha*e", "(1, oo)", "renyi-to-zcdp", "leads one way only"),  # not said to be the same
        ("e", "(1, oo)", "pure-to-zcdp", "pure"),
        ("e", "(1, oo)", "pure", "conversion"),
    ],
)
def test_what_says_less_is_not_taken_for_the_same(epsilon: str, orders: str, page: str, why: str) -> None:
    with pytest.raises(NoTheorem, match=why):
        prover(epsilon, orders).by("given", i=1, page=page)


def test_what_a_pure_guarantee_implies_is_not_the_same() -> None:
    """What is e-DP is zCDP, and what is zCDP need not be e-DP."""
    with pytest.raises(NoTheorem, match="leads one way only"):
        prover("e", "", "pure").by("given", i=1, page="pure-to-zcdp")
