"""Theorems that rules may not be used with: about other orders, of several losses, of two parts at once."""

from __future__ import annotations

from typing import Any

import pytest
import told
from kernel.covers.test_covers import REPLACE, multisets, reads

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import forms, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.judgements import OfOrders, Satisfies
from dpcompose.kernel.rules.parameters import largest
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem


def core(*mechanisms: dict[str, Any], **more: Any) -> Setting:
    named = [{"name": f"M{i}", **one} for i, one in enumerate(mechanisms, start=1)]
    parts = multisets(["a", "b"], ["c", "d"])
    parameters = {name: "positive" for name in ("e", "f", "x")}
    return reading.read(
        {"parameters": parameters, "databases": parts, "target": REPLACE, "mechanisms": named} | more
    )


def renyi(epsilon: str, orders: str = "(1, oo)") -> Setting:
    curve = {"notion": "renyi", "values": {"epsilon": epsilon}, "orders": "(1, oo)"}
    return core(reads(None, REPLACE) | curve, orders=orders)


def bound(prover: Prover) -> Theorem:
    return prover.by("worst", prover.by("compose", prover.by("given", i=1)), prover.by("cover"))


@pytest.mark.parametrize(
    ("other", "orders"),
    [
        (renyi("alpha*x", "2"), "8"),  # less is lost of lower orders
        (renyi("alpha*x/2", "8"), "8"),  # by another mechanism
        (renyi("alpha*x"), "8"),
    ],
)
def test_other_orders_are_those_of_the_theorem(other: Setting, orders: str) -> None:
    here = Prover(renyi("alpha*x"), told.THEORY)
    there = bound(Prover(renyi("alpha*x", orders), told.THEORY))
    assert isinstance(there.says, Satisfies)
    assert here.by("at_orders", there, orders=orders).says == OfOrders(orders, there.says)
    wrong = bound(Prover(other, told.THEORY))
    for premises in ((wrong,), (), (there, bound(here))):
        with pytest.raises(NoTheorem, match="the theorem is not about the setting at these orders"):
            here.by("at_orders", *premises, orders=orders)


def test_what_two_witnesses_lose_one_by_one_is_not_lost_at_once() -> None:
    """M1 loses 1, or M2 loses 2, never both: that nothing below 3 holds is not so."""
    change = {"single": [[0, 1], [1, 0]], "steps": 1}
    parts = [reads([i], change) | {"values": {"epsilon": str(i + 1)}} for i in (0, 1)]
    prover = Prover(core(*parts, target=change), told.THEORY)
    stated, cover = [prover.by("given", i=i) for i in (1, 2)], prover.by("cover")
    worst = prover.by("worst", prover.by("compose", *stated), cover)
    lost = [prover.by("attain", cover, *stated, notion="pure", neighbours=[n], by=[1, 2]) for n in (1, 2)]
    assert prover.by("optimal", worst, *lost, key="epsilon")
    shown = {"epsilon": {"letters": {}, "difference": "1", "proof": {"rest": "1"}}}
    larger = prover.by("weaken", worst, claim={"notion": "pure", "epsilon": "3"}, certificates=shown)
    with pytest.raises(NoTheorem):
        prover.by("optimal", larger, *lost, key="epsilon")


def test_the_sum_of_the_two_largest_is_not_taken_apart() -> None:
    x, y, z = (terms.letter(name, NONNEGATIVE) for name in "xyz")
    two = terms.top(2, [x, y, z])
    assert largest([two], False, forms.NOTHING) == two
    assert largest([terms.top(1, [x, y]), z], False, forms.NOTHING) == terms.top(1, [x, y, z])
