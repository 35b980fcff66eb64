"""Parameters of claims have real values for all allowed letters, or the claim says nothing."""

from __future__ import annotations

import pytest

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import INFINITY
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.rules.parameters import have_values, narrower
from dpcompose.kernel.rules.premises import BadStep

STATED = {"single": [[0, 1], [1, 0]], "steps": 1}
SETTING = {
    "parameters": {"e": "positive", "c": "nonnegative", "x": "real", "k": "integer >= 1"},
    "databases": {
        "kind": "records",
        "shown": "multisets",
        "of": "multisets",
        "size": ["any", None],
        "atoms": [["a"], ["b"]],
    },
    "target": STATED,
    "adaptive": False,
    "mechanisms": [
        {
            "name": name,
            "reads": reads,
            "stated": STATED,
            "domain": "own",
            "notion": "pure",
            "values": {"epsilon": "e"},
            **more,
        }
        for name, reads, more in (
            ("M", [None], {}),
            ("F", [[0], [1]], {"count": "k", "partition": "P"}),
        )
    ],
}


@pytest.fixture(scope="module")
def setting() -> Setting:
    return reading.read(SETTING)


@pytest.mark.parametrize(
    "text", ["e", "1/e", "log(e)", "sqrt(c)", "1/(1 + c)", "1/(-1 - c)", "log(1 + c)", "x"]
)
def test_what_has_values(text: str, setting: Setting) -> None:
    have_values(Satisfies("pure", (("epsilon", formulas.parse(text, setting.symbols)),)), setting)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1/c", "c is not known to be != 0"),
        ("log(c)", "c is not known to be > 0"),
        ("sqrt(x)", "x is not known to be >= 0"),
        ("1/x", "x is not known to be != 0"),
        ("log(-1 - c)", "is not known to be > 0"),
        ("sqrt(-1 - c)", "is not known to be >= 0"),
        ("sqrt(c - 1)", "c - 1 is not known to be >= 0"),
        ("1/(c - 1)", "c - 1 is not known to be != 0"),
    ],
)
def test_what_may_have_none(text: str, why: str, setting: Setting) -> None:
    value = formulas.parse(text, setting.symbols)
    with pytest.raises(BadStep, match=why):
        have_values(Satisfies("approximate", (("epsilon", INFINITY), ("delta", value))), setting)


def test_narrower_values(setting: Setting) -> None:
    assert narrower(None, setting) == {}
    ((i, ((key, value),)),) = narrower({"1": {"epsilon": "e/2"}}, setting).items()
    assert (i, key, value) == (1, "epsilon", formulas.parse("e/2", setting.symbols))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([], "values are a table of formulas for some mechanisms"),
        ({"1": "e"}, "values are a table of formulas for some mechanisms"),
        ({"1": {"epsilon": 1}}, "values are a table of formulas for some mechanisms"),
        ({"1": {"epsilon": "e", "delta": 1}}, "values are a table of formulas for some mechanisms"),
        ({"1": {1: "e"}}, "values are a table of formulas for some mechanisms"),
        ({"3": {"epsilon": "e"}}, "there is no mechanism '3'"),
        ({"0": {"epsilon": "e"}}, "there is no mechanism '0'"),
        ({1: {"epsilon": "e"}}, "there is no mechanism 1"),
        ({"2": {"epsilon": "e"}}, "members of families have no other values"),
        ({"1": {"epsilon": "x"}}, "it is not seen that no parameter is below 0"),
        ({"1": {"epsilon": "e - 1"}}, "it is not seen that no parameter is below 0"),
    ],
)
def test_what_are_no_narrower_values(values: object, why: str, setting: Setting) -> None:
    with pytest.raises(BadStep, match=why):
        narrower(values, setting)
