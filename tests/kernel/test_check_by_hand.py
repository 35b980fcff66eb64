"""Saved derivations, part by part: steps and pages, premises, and the settings that steps are about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from kernel.test_arguments import ADD, ONE, composed, prover

from dpcompose.kernel import check, theorems
from dpcompose.kernel.check import Refused
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.theorems import NoTheorem

of: Any = SimpleNamespace
SETTING: Any = of(hash="h")
THEORY: Any = of(
    pages={"a": of(sha256="1", head=of(status="derived")), "b": of(sha256="2", head=of(status="cited"))}
)
SAVED: dict[str, Any] = {"setting": "h", "pages": {"a": "1", "b": "2"}, "steps": [{"rule": "given"}]}


def test_the_steps_of_a_derivation() -> None:
    for depth in (0, check.MOST_DEPTH):
        assert check._steps(SAVED, SETTING, THEORY, depth) == [{"rule": "given"}]
    assert len(check._steps(SAVED | {"steps": [1, 2]}, SETTING, THEORY, 0)) == 2


@pytest.mark.parametrize(
    ("saved", "why"),
    [
        ([], "has a setting, pages and steps"),
        ({}, "has a setting, pages and steps"),
        (SAVED | {"more": 1}, "has a setting, pages and steps"),
        ({"setting": "h", "steps": [1]}, "has a setting, pages and steps"),
        (SAVED | {"setting": "g"}, "about another setting"),
        (SAVED | {"pages": ["a"]}, "a table of their hashes"),
        (SAVED | {"pages": {"c": "1"}}, "there is no page 'c'"),
        (SAVED | {"pages": {"a": "2"}}, "the page 'a' is not the one"),
        (SAVED | {"pages": {"a": "1", "b": "1"}}, "the page 'b' is not the one"),
        (SAVED | {"steps": []}, "has 1 to 100,000 steps"),
        (SAVED | {"steps": {"1": 1}}, "has 1 to 100,000 steps"),
        (SAVED | {"steps": None}, "has 1 to 100,000 steps"),
    ],
)
def test_what_is_no_derivation(saved: Any, why: str) -> None:
    with pytest.raises(Refused, match=why):
        check._steps(saved, SETTING, THEORY, 0)


def test_studies_do_not_lie_too_deep() -> None:
    with pytest.raises(Refused, match="more than 100 deep"):
        check._steps(SAVED, SETTING, THEORY, check.MOST_DEPTH + 1)
    inside: Any = of(hash="i")
    setting: Any = of(hash="h", mechanisms=[of(study=inside)])
    inside.mechanisms = [of(study=setting)]
    step = {"rule": "study", "i": 1, "derivation": {}}
    with pytest.raises(Refused, match="more than 100 deep"):
        check._of_another(step, setting, THEORY, None, check.MOST_DEPTH)
    with pytest.raises(Refused, match="has a setting, pages and steps"):
        check._of_another(step, setting, THEORY, None, check.MOST_DEPTH - 1)


MADE: Any = ["first", "second", "third"]


def test_premises_are_earlier_steps() -> None:
    assert check._premises({}, MADE, 4) == [] == check._premises({"from": []}, MADE, 1)
    assert check._premises({"from": [3, 1, 1]}, MADE, 4) == ["third", "first", "first"]
    for wrong in ([4], [0], [-1], [True], ["1"], [1.0], [1, None], None, {"1": 1}, 1, (1,)):
        with pytest.raises(Refused, match="from earlier steps"):
            check._premises({"from": wrong}, MADE, 4)
    with pytest.raises(Refused, match="from earlier steps"):
        check._premises({"from": [2]}, MADE, 2)


def test_pages_are_listed_and_allowed() -> None:
    both: Any = of(trusts=Grounds(frozenset({"a", "b"})))
    derived: Any = of(trusts=Grounds(frozenset({"a"})))
    for theorem, allow in ((both, None), (both, {"b"}), (derived, set[str]()), (derived, {"b"})):
        check._check_pages(theorem, SAVED, THEORY, allow, 7)
    for allow in (set[str](), {"a"}, {"c"}):
        with pytest.raises(Refused, match="step 7 uses the page 'b', which is cited and not allowed"):
            check._check_pages(both, SAVED, THEORY, allow, 7)
    for pages, missing in (({"a": "1"}, "b"), ({"b": "2"}, "a")):
        with pytest.raises(
            Refused, match=f"step 7 uses the page '{missing}', which the derivation does not list"
        ):
            check._check_pages(both, SAVED | {"pages": pages}, THEORY, None, 7)


def test_the_setting_that_a_step_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """A study by its number; all of them taken apart; others by what is chosen."""
    monkeypatch.setattr(
        check, "narrower", lambda values, _: {} if values is None else {1: "narrow", 2: "other"}
    )
    monkeypatch.setattr(check, "implying", lambda _, i, n, m, given: ("implying", i, n, m, given))
    setting: Any = of(
        mechanisms=[of(study="S"), of(study=None), of(study="T")],
        flat="flat",
        with_each=lambda: "each",
        choosing=lambda which, values: ("chosen", [*which], values),
        at_orders=lambda orders: ("orders", str(orders)),
    )
    for rule, arguments, about in (
        ("study", {"i": 1}, "S"),
        ("study", {"i": 2}, None),
        ("study", {"i": 3}, "T"),
        ("study", {"i": 4}, None),
        ("study", {"i": 0}, None),
        ("study", {"i": -1}, None),
        ("study", {"i": True}, None),
        ("study", {"i": "1"}, None),
        ("study", {}, None),
        ("given", {"i": 1}, None),
        ("compose", {}, None),
        ("one_by_one", {}, "flat"),
        ("among", {}, "each"),
        ("at_orders", {"orders": "(1, 5]"}, ("orders", "(1, 5]")),
        ("at_orders", {"orders": "x"}, None),
        ("at_orders", {}, None),
        ("choose", {"which": [2, 1, 0]}, ("chosen", [2, 1, 0], {})),
        ("choose", {"which": (1,), "values": {"1": {}}}, ("chosen", [1], {1: "narrow", 2: "other"})),
        ("choose", {"which": [True]}, None),
        ("choose", {"which": ["1"]}, None),
        ("choose", {"which": "1"}, None),
        ("choose", {}, None),
        ("choose", {"which": [True], "i": 1}, None),
        ("given", {"which": [1]}, None),
        ("implies", {"i": 1, "n": 1, "m": 2}, ("implying", 1, 1, 2, None)),
        ("implies", {"i": 2, "n": 0, "m": 2, "values": {}}, ("implying", 2, 0, 2, "other")),
        ("implies", {"i": 4, "n": 1, "m": 2}, None),
        ("implies", {"i": 1, "n": 1}, None),
    ):
        assert check.about(rule, arguments, setting) == about, (rule, arguments)


def test_a_derivation_says_what_its_steps_make() -> None:
    made = prover(ONE, ONE)
    cover, given = composed(made)
    known = made.by("worst", made.by("compose", *given), cover)
    data = check.saved(known, made.theory)
    again = check.replay(data, made.setting, made.theory)
    assert again[-1] == known and [one.rule for one in again].count("given") == 2
    assert check.numbers([known, cover, given[0], known])[0] == len(again) and len(data["steps"]) == len(
        again
    )
    assert check.all_saved([given[1], given[0]], made.theory)["steps"] == [
        {"rule": "given", "i": 2},
        {"rule": "given", "i": 1},
    ]
    for steps, why in (
        ([*data["steps"], None], "step 6 cannot be read"),
        ([*data["steps"], {"from": [1]}], "step 6 cannot be read"),
        ([*data["steps"], {"rule": 3}], "step 6 cannot be read"),
        ([*data["steps"], {"rule": "given", "i": 3}], "step 6: given: there is no mechanism 3"),
        ([*data["steps"], {"rule": "worst", "from": [6]}], "step 6: a step is from earlier steps"),
        ([*data["steps"], {"rule": "given", "i": 1, "derivation": data}], "step 6: there is no study"),
    ):
        with pytest.raises(Refused, match=why):
            check.replay({**data, "steps": steps}, made.setting, made.theory)


def test_premises_of_rules_are_theorems_about_the_same_setting() -> None:
    """Of a rule about another setting the first one is not."""
    made, other = prover(ONE), prover(("pure", {"epsilon": "2*e"}))
    (_, (given,)), (_, (foreign,)) = composed(made), composed(other)
    assert made.by("compose", given).says != other.by("compose", foreign).says
    for some in ([foreign], [given, foreign], [foreign, given]):
        with pytest.raises(NoTheorem, match="a premise is about another setting"):
            made.by("compose", *some)
    for some in ([given.says], [None], [given, None]):
        with pytest.raises(NoTheorem, match="the premises are theorems"):
            made.by("compose", *some)
    for rule in theorems.ABOUT_OTHERS:
        assert rule in theorems.RULES
        with pytest.raises(NoTheorem, match="a premise is about another setting"):
            made.by(rule, foreign, foreign)
    with pytest.raises(NoTheorem) as refused:
        made.by("study", foreign, i=1)
    assert "about another setting" not in str(refused.value)


def test_what_a_theorem_rests_on() -> None:
    made = prover(ONE, ONE)
    cover, given = composed(made)
    known = made.by("worst", made.by("compose", *given), cover)
    parts = [known.trusts, *(one.rests_on for one in known.premises)]
    assert known.rests_on == Grounds.of(parts) and known.rests_on.pages > known.trusts.pages
    assert ADD["steps"] == 1 and cover.rests_on.pages <= known.rests_on.pages
