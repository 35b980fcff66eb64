"""What saved files may say, part by part: steps, the guarantee, letters, claims and verdicts; by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import told

from dpcompose.kernel import saved
from dpcompose.kernel.core.assumptions import NOTHING
from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import ONE, Term, letter, number
from dpcompose.kernel.judgements import Loose, MetricForm, OfOrders, Optimal, Refuted, Satisfies
from dpcompose.kernel.saved import Refused

E, K = letter("e"), letter("k", Domain.read("integer >= 1"))
PURE = Satisfies("pure", (("epsilon", E),))
BEST, SMALLER = (
    Optimal("pure", (("epsilon", E),), "epsilon"),
    Optimal("pure", (("epsilon", E / 2),), "epsilon"),
)
OTHER = Optimal("gaussian", (("epsilon", E),), "epsilon")
BROKEN, NOT_BEST = Refuted("pure", (("epsilon", E),), ()), Loose("pure", (("epsilon", E),), ())


def steps(*judgements: Any) -> Any:
    return [SimpleNamespace(says=one) for one in judgements]


MADE = steps(PURE, BEST, SMALLER, OTHER, BROKEN, NOT_BEST)


@pytest.mark.parametrize("wanted", range(1, 7))
def test_a_step_is_told_by_its_number(wanted: int) -> None:
    assert saved._says(wanted, MADE, "it") is MADE[wanted - 1].says


@pytest.mark.parametrize("data", [0, -1, 7, True, "1", 1.0, None])
def test_what_is_no_number_of_a_step(data: Any) -> None:
    with pytest.raises(Refused, match="it names no step"):
        saved._says(data, MADE, "it")


def test_the_guarantee_and_whether_it_is_optimal() -> None:
    assert saved._guarantee(None, MADE) == (None, False)
    assert saved._guarantee({"step": 1}, MADE) == (PURE, False)
    assert saved._guarantee({"step": 1, "optimal": 2}, MADE) == (PURE, True)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([], "cannot be read"),
        ({}, "cannot be read"),
        ({"optimal": 2}, "cannot be read"),
        ({"step": 1, "more": 2}, "cannot be read"),
        ({"step": 9}, "names no step"),
        ({"step": 2}, "step 2 states no guarantee"),
        ({"step": 1, "optimal": 9}, "names no step"),
        ({"step": 1, "optimal": None}, "names no step"),
        ({"step": 1, "optimal": 1}, "step 1 does not say that the guarantee is optimal"),
        ({"step": 1, "optimal": 3}, "step 3 does not say"),
        ({"step": 1, "optimal": 4}, "step 4 does not say"),
    ],
)
def test_what_is_no_guarantee(data: Any, why: str) -> None:
    with pytest.raises(Refused, match=why):
        saved._guarantee(data, MADE)


@pytest.mark.parametrize("kind", [list, dict])
def test_how_deep_a_file_is(kind: Any) -> None:
    def nested(depth: int) -> Any:
        value: Any = kind()
        for _ in range(depth - 1):
            value = [value] if kind is list else {"a": value, "b": 1}
        return value

    assert not saved._too_deep(nested(saved.MOST_DEPTH)) and saved._too_deep(nested(saved.MOST_DEPTH + 1))
    assert not saved._too_deep(1) and not saved._too_deep([[], {}, 1])


def test_letters_of_claims_are_those_of_the_setting_and_numbers() -> None:
    known = {"e": E, "f[i]": letter("f[i]")}
    found = saved._letters({"parameters": {"e": "2", "f": "3", "g": "4"}}, known)
    assert found == {**known, "g": number(4)}
    assert saved._letters({}, known) == known == saved._letters({"parameters": None}, known)
    for wrong in ({"g": "e"}, {"g": "1/0"}, 3, [1]):
        with pytest.raises(Refused, match="the parameters of the problem cannot be read"):
            saved._letters({"parameters": wrong}, known)


@pytest.mark.parametrize(
    ("data", "notion", "values", "orders"),
    [
        ({"notion": "pure", "epsilon": "2*e"}, "pure", {"epsilon": 2 * E}, None),
        ({"notion": "pure", "epsilon": 3, "expect": "proved"}, "pure", {"epsilon": number(3)}, None),
        ({"notion": "tcdp", "rho": "e", "omega": "4"}, "tcdp", {"rho": E, "tau": number("1/4")}, None),
        ({"notion": "renyi", "epsilon": "e", "orders": "(1, oo)"}, "renyi", {"epsilon": E}, "(1, oo)"),
    ],
)
def test_claims_as_they_are_written(data: Any, notion: str, values: dict[str, Term], orders: Any) -> None:
    assert saved._claim(data, {"e": E}) == (notion, values, orders)


def test_a_claim_speaks_of_an_order_where_it_has_orders() -> None:
    data = {"notion": "renyi", "epsilon": "e*alpha", "orders": "(1, oo)"}
    assert saved._claim(data, {"e": E})[1]["epsilon"].letters.keys() == {"e", ALPHA}
    (line,) = saved._claim({"notion": "f", "tradeoff": "1 - alpha"}, {})[1].values()
    assert line.letters.keys() == {ALPHA}
    with pytest.raises(Refused, match="the claims of it cannot be read"):
        saved._claims([{"notion": "renyi", "epsilon": "e*alpha"}], {"e": E}, "of it")


CLAIM = ("pure", {"epsilon": E}, None)
AT_ORDERS = ("pure", {"epsilon": E}, "(1, 5]")


@pytest.mark.parametrize(
    ("data", "verdict"),
    [
        ({"verdict": "undecided"}, ("undecided", None)),
        ({"verdict": "undecided", "claim": {}, "reason": ""}, ("undecided", None)),
        ({"verdict": "proved", "step": 1}, ("proved", None)),
        ({"verdict": "proved", "step": 1, "claim": {}}, ("proved", None)),
        ({"verdict": "refuted", "step": 5}, ("refuted", None)),
        ({"verdict": "proved", "step": 1, "shown": 2, "loose": False}, ("proved", False)),
        ({"verdict": "proved", "step": 1, "shown": 6, "loose": True}, ("proved", True)),
    ],
)
def test_verdicts_that_are_shown(data: Any, verdict: Any) -> None:
    assert saved._verdict(3, data, CLAIM, MADE, None) == verdict


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([], "cannot be read"),
        ({}, "cannot be read"),
        ({"verdict": True}, "cannot be read"),
        ({"verdict": "true", "step": 1}, "cannot be read"),
        ({"verdict": "proved", "step": 1, "reason": ""}, "cannot be read"),
        ({"verdict": "undecided", "step": 1}, "undecided: nothing is said of it"),
        ({"verdict": "undecided", "loose": None}, "undecided: nothing is said of it"),
        ({"verdict": "proved"}, "names no step"),
        ({"verdict": "proved", "step": 5}, "not shown to be proved: its step says something else"),
        ({"verdict": "proved", "step": 2}, "not shown to be proved: its step says something else"),
        ({"verdict": "refuted", "step": 1}, "not shown to be refuted: its step says something else"),
        ({"verdict": "refuted", "step": 5, "loose": True}, "neither loose nor optimal"),
        ({"verdict": "refuted", "step": 5, "shown": 6}, "neither loose nor optimal"),
        ({"verdict": "proved", "step": 1, "loose": True}, "nothing shows whether claim 3 is loose"),
        ({"verdict": "proved", "step": 1, "loose": False}, "nothing shows whether claim 3 is loose"),
        ({"verdict": "proved", "step": 1, "shown": 2}, "true or false"),
        ({"verdict": "proved", "step": 1, "shown": 2, "loose": 0}, "true or false"),
        ({"verdict": "proved", "step": 1, "shown": 9, "loose": False}, "names no step"),
        ({"verdict": "proved", "step": 1, "shown": 6, "loose": False}, "not shown to be optimal"),
        ({"verdict": "proved", "step": 1, "shown": 2, "loose": True}, "not shown to be loose"),
        ({"verdict": "proved", "step": 1, "shown": 3, "loose": False}, "its step is about another claim"),
        ({"verdict": "proved", "step": 1, "shown": 4, "loose": False}, "its step is about another claim"),
    ],
)
def test_verdicts_that_are_not(data: Any, why: str) -> None:
    with pytest.raises(Refused, match=why):
        saved._verdict(3, data, CLAIM, MADE, None)


AT_ALL = OfOrders("(1, 9]", PURE)


@pytest.mark.parametrize(
    ("said", "claim", "spoken", "fits"),
    [
        (PURE, CLAIM, None, True),
        (PURE, CLAIM, "(1, 5]", True),  # a claim that speaks of no orders
        (PURE, AT_ORDERS, "(1, 5]", True),
        (PURE, AT_ORDERS, None, False),
        (PURE, AT_ORDERS, "(1, 9]", False),
        (AT_ALL, CLAIM, None, False),
        (AT_ALL, AT_ORDERS, "(1, 5]", False),
        (AT_ALL, ("pure", {"epsilon": E}, "(1, 9]"), None, True),
        (MetricForm(PURE), CLAIM, None, True),
        (PURE, ("pure", {"epsilon": 2 * E}, None), None, False),
        (PURE, ("gaussian", {"epsilon": E}, None), None, False),
        (PURE, ("pure", {"epsilon": E, "delta": ONE}, None), None, False),
        (BEST, CLAIM, None, False),
    ],
)
def test_what_a_step_is_about(said: Any, claim: Any, spoken: str | None, fits: bool) -> None:
    if fits:
        saved._check_about(1, said, claim, Satisfies, "proved", spoken)
    else:
        with pytest.raises(Refused, match="claim 1 is not shown to be proved"):
            saved._check_about(1, said, claim, Satisfies, "proved", spoken)


def theorem(rule: str, *premises: Any, **arguments: Any) -> Any:
    return SimpleNamespace(rule=rule, premises=premises, arguments=arguments, says=PURE)


def test_what_is_given_and_not_derived() -> None:
    """By their numbers in the setting, each once, in the order of steps."""
    setting: Any = SimpleNamespace(mechanisms=[SimpleNamespace(name=name) for name in "LMN"])
    given = [theorem("given", i=3), theorem("noise", i=1), theorem("given", i=3), theorem("compose")]
    assert saved.assumed(given, setting) == ("N", "L")
    assert saved.assumed(given, setting, "S.") == ("S.N", "S.L")
    assert saved.assumed([theorem("compose"), theorem("table", i=2)], setting) == ()


def test_all_theorems_that_one_rests_on() -> None:
    """Without the first premise of a rule about another setting."""
    first, second = theorem("given", i=1), theorem("given", i=2)
    whole = theorem("compose", first, second)
    assert saved._all(whole) == [whole, first, second]
    study = theorem("study", whole, second, i=1)
    assert saved._all(study) == [study, second]
    assert saved._all(theorem("study", whole, i=1))[1:] == []


def test_what_is_given_in_studies_is_told_by_their_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first premise of a study is about its own setting; that of other rules about this one, or none."""
    inner: Any = SimpleNamespace(mechanisms=[SimpleNamespace(name="A"), SimpleNamespace(name="B")])
    setting: Any = SimpleNamespace(mechanisms=[SimpleNamespace(name="S"), SimpleNamespace(name="T")])
    there = {"study": inner, "narrower": setting}
    monkeypatch.setattr(saved, "about", lambda rule, arguments, setting: there.get(rule))
    of_study = theorem("compose", theorem("given", i=2), theorem("noise", i=1))
    study = theorem("study", of_study, i=2)
    assert saved.assumed([theorem("given", i=1), study], setting) == ("S", "T.B", "T.A")
    assert saved.assumed([theorem("narrower", theorem("given", i=2))], setting) == ("T",)
    assert saved.assumed([theorem("narrower", theorem("given", i=2))], setting, "R.") == ("R.T",)
    assert saved.assumed([theorem("bound", theorem("given", i=2))], setting) == ()


X = letter("x", Domain.read("real"))
ABOUT: Any = SimpleNamespace(assumed=NOTHING)
TWO: Any = {
    "claims": [{"notion": "pure", "epsilon": "e"}, {"notion": "pure", "epsilon": "log(x) - log(x) + g"}],
    "parameters": {"g": "2"},
}


def entries(*words: str, **more: Any) -> list[Any]:
    return [
        {"claim": claim, "verdict": word} | more for claim, word in zip(TWO["claims"], words, strict=False)
    ]


def test_each_claim_has_its_verdict() -> None:
    found = saved._stated(TWO, entries("proved", "undecided"), ABOUT, {"e": E, "x": X})
    assert found == [("pure", {"epsilon": E}, None), ("pure", {"epsilon": number(2)}, None)]
    assert saved._stated({}, [], ABOUT, {}) == []


PROVED = entries("proved", "undecided")


@pytest.mark.parametrize(
    ("problem", "some", "why"),
    [
        ([], PROVED, "the problem cannot be read"),
        (TWO, PROVED[:1], "has 2 claims, and the file does not have a verdict for each"),
        (TWO, [*PROVED, PROVED[0]], "has 2 claims"),
        (TWO, None, "has 2 claims"),
        (TWO, [PROVED[0], None], "claim 2 cannot be read"),
        (TWO, [{"verdict": "proved"}, PROVED[1]], "claim 1 cannot be read"),
        (TWO, PROVED[::-1], "claim 1 is not the one that the problem states"),
        (TWO, [PROVED[0], PROVED[0]], "claim 2 is not the one that the problem states"),
        (TWO, [PROVED[0] | {"claim": {"notion": "pure", "epsilon": "h"}}, PROVED[1]], "beside the verdicts"),
        (TWO, entries("proved", "proved"), "claim 2 is not shown to be proved: "),
        (TWO, entries("proved", "refuted"), "claim 2 is not shown to be refuted: "),
        (TWO | {"claims": [{"notion": "pure", "epsilon": "h"}] * 2}, PROVED, "the claims of the problem"),
    ],
)
def test_verdicts_are_about_the_claims_of_the_problem(problem: Any, some: Any, why: str) -> None:
    """log(x) - log(x) has no value where x <= 0, so that nothing but undecided is said of it."""
    with pytest.raises(Refused, match=why):
        saved._stated(problem, some, ABOUT, {"e": E, "x": X})


def test_what_is_no_formula_has_a_value() -> None:
    claim = {"notion": "pure", "expect": "log(x)", "orders": "(1, oo)", "epsilon": "sqrt(x)**2"}
    assert "x is not known to be >= 0" in saved._doubt(claim, {"x": X}, ABOUT)
    assert saved._doubt({**claim, "epsilon": "e"}, {"e": E}, ABOUT) == ""


def test_claims_in_the_letters_of_the_core() -> None:
    problem = {"claims": [1], "parameters": {"e": "2"}, "name": "p"}
    assert saved._in_core({"problem": problem}) is problem
    assert saved._in_core({"problem": problem, "stated": [2]}) == {
        "claims": [2],
        "parameters": {},
        "name": "p",
    }
    assert saved._in_core({"problem": [3], "stated": [2]}) == [3]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([], "no saved derivation of format 2"),
        ({}, "no saved derivation of format 2"),
        (dict.fromkeys(saved.KEYS), "no saved derivation of format 2"),
        (dict.fromkeys(saved.KEYS) | {"format": 1}, "no saved derivation of format 2"),
        (dict.fromkeys(saved.KEYS) | {"format": 2, "more": 3}, "no saved derivation of format 2"),
        (dict.fromkeys(saved.KEYS - {"claims"}) | {"format": 2}, "no saved derivation of format 2"),
        (dict.fromkeys(saved.KEYS) | {"format": 2}, "the core setting cannot be read"),
        (dict.fromkeys(saved.KEYS) | {"format": 2, "stated": []}, "the core setting cannot be read"),
    ],
)
def test_what_is_no_saved_file(data: Any, why: str) -> None:
    with pytest.raises(Refused, match=why):
        saved.check(data, told.THEORY)
