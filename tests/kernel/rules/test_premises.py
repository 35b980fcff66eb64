"""Premises that a rule may not be used with, each refused by one check: of another setting, notion or order."""

from __future__ import annotations

from typing import Any

import pytest
import told
from kernel.covers.test_covers import REPLACE, multisets, reads

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem


def about(*mechanisms: dict[str, Any], **more: Any) -> Prover:
    """Mechanisms that read everything, and whose guarantees are for a replacement."""
    data = {
        "parameters": {"e": "positive", "d": "positive", "x": "positive", "y": "positive"},
        "databases": multisets(["a", "b"]),
        "target": REPLACE,
        "mechanisms": [
            {"name": f"M{i}", **reads(None, REPLACE), **one} for i, one in enumerate(mechanisms, start=1)
        ],
    }
    return Prover(reading.read(data | more), told.THEORY)


def bound(prover: Prover, *steps: Theorem) -> Theorem:
    given = steps or (prover.by("given", i=1),)
    return prover.by("worst", prover.by("compose", *given), prover.by("cover"))


PURE = {"notion": "pure", "values": {"epsilon": "e"}}


def test_the_least_of_guarantees_is_of_one_notion_and_one_parameter() -> None:
    prover = about(PURE)
    pure = bound(prover)
    approximate = prover.by("change", pure, page="pure-to-approximate", chosen={})
    with pytest.raises(NoTheorem, match="the guarantees differ in more than one parameter"):
        prover.by("least", pure, prover.by("change", pure, page="pure-to-zcdp", chosen={}))
    wider = {"notion": "approximate", "epsilon": "2*e", "delta": "d"}
    other = prover.by(
        "weaken",
        approximate,
        claim=wider,
        certificates={
            key: {"letters": {x: "positive"}, "difference": x, "proof": {"rest": x}}
            for key, x in (("epsilon", "e"), ("delta", "d"))
        },
    )
    with pytest.raises(NoTheorem, match="the guarantees differ in more than one parameter"):
        prover.by("least", approximate, other)  # (e, d) is none


def with_study(inner: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The core of a setting whose first mechanism is a study itself, and the second one is not."""
    whole = about({**PURE, "study": inner}, PURE, **more)
    return whole.setting.data()


def test_a_study_has_the_guarantee_of_its_own_composition() -> None:
    """That another composition is e-DP, or this one for other neighbours, says nothing of it."""
    inner = about(PURE, PURE).setting
    prover = Prover(reading.read(with_study(inner.data())), told.THEORY)
    assert prover.by("study", _composed(inner), i=1)
    change = {"single": [[1, 0], [0, 1]], "steps": 1}
    others = about(PURE).setting, reading.read(inner.data() | {"target": change})
    for other, i in ((others[0], 1), (others[1], 1), (inner, 2)):
        with pytest.raises(NoTheorem, match="the theorem is not about the study of"):
            prover.by("study", _composed(other), i=i)


def _composed(setting: Setting) -> Theorem:
    prover = Prover(setting, told.THEORY)
    return bound(prover, *(prover.by("given", i=i) for i in range(1, len(setting.mechanisms) + 1)))


ASSUMED = [["e", "<=", "x"]]


def test_what_a_study_assumes_is_assumed_of_the_whole() -> None:
    inner = about(PURE).setting.data()
    assert reading.read(with_study(inner | {"assumed": ASSUMED}, assumed=ASSUMED))
    with pytest.raises(BadSetting, match="the study M1 assumes more than the whole"):
        with_study(inner | {"assumed": ASSUMED})
    flat = about(PURE, PURE).setting.data()
    assert with_study(inner, flat=flat)
    for here, there in ((flat | {"assumed": ASSUMED}, []), (flat, ASSUMED)):
        with pytest.raises(BadSetting, match=r"setting\.flat: other relations are assumed"):
            with_study(inner, flat=here, assumed=there)


def test_studies_speak_of_the_orders_of_the_whole() -> None:
    curve = {"notion": "renyi", "values": {"epsilon": "alpha*x"}, "orders": "(1, oo)"}
    inner = about(curve, orders="8").setting.data()
    assert with_study(inner, orders="8")
    with pytest.raises(BadSetting, match="studies speak of other orders than the whole"):
        with_study(inner | {"orders": "2"}, orders="8")


def test_what_is_shown_at_an_order_and_depends_on_it_is_said_of_that_order_only() -> None:
    """A pure guarantee is none that a number of the setting's order stands in."""
    prover = about({"notion": "pure", "values": {"epsilon": "e"}})
    there = about({"notion": "pure", "values": {"epsilon": "e"}}, orders="8")
    assert isinstance(prover.by("at_orders", bound(there), orders="8").says, Satisfies)
    with pytest.raises(NoTheorem, match="only what is said of a guarantee holds there and here"):
        prover.by("at_orders", there.by("cover"), orders="8")


def test_losses_of_different_notions_do_not_add_up() -> None:
    prover = about(PURE, {"notion": "zcdp", "values": {"rho": "x"}})
    with pytest.raises(NoTheorem, match="losses of the notions pure, zcdp do not add up"):
        prover.by("compose", prover.by("given", i=1), prover.by("given", i=2))


@pytest.mark.parametrize("values", [{"s": "1/2"}, {"s": "1/2", "m": "1"}])
def test_a_sample_makes_less_of_guarantees_for_its_own_neighbours_only(values: dict[str, str]) -> None:
    """Records that are replaced in samples of each record with probability 1/2: log(1 + (e^e - 1)/2) is for others."""
    sampled = {**PURE, "sampled": {"page": "poisson-sampling", "values": values}}
    with pytest.raises(NoTheorem, match=r"is stated for other neighbours than those of|is about s, not"):
        bound(about(sampled))


def test_premises_are_of_the_kinds_that_a_rule_asks_for_in_order() -> None:
    prover = about(PURE)
    given, cover = prover.by("given", i=1), prover.by("cover")
    composed = prover.by("compose", given)
    for premises in ((cover, composed), (composed,), (given, cover), (composed, cover, cover), ()):
        with pytest.raises(NoTheorem, match="the premises are to be"):
            prover.by("worst", *premises)
