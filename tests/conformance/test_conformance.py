"""The conformance suite: its answers are made anew by verdicts, and answers of accountants are graded."""

from __future__ import annotations

import importlib.util
import json
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent


def module(name: str) -> ModuleType:
    """A file beside this one."""
    spec = importlib.util.spec_from_file_location(f"conformance_{name}", HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    __import__("sys").modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


make, run = module("make"), module("run")
SUITE: list[dict[str, Any]] = json.loads((HERE / "suite.json").read_text(encoding="utf-8"))
FEW = [n for n in range(len(SUITE)) if n % 15 == 1]


def test_the_settings_are_those_that_are_made() -> None:
    assert [{key: x for key, x in one.items() if key != "answer"} for one in SUITE] == list(make.settings())
    assert len(SUITE) >= 100


@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=[] if n in FEW else [pytest.mark.slow]) for n in range(len(SUITE))]
)
def test_an_answer_is_made_anew_by_verdicts(n: int) -> None:
    setting = {key: x for key, x in SUITE[n].items() if key != "answer"}
    assert make.answered(setting) == SUITE[n]


def test_answers_lie_between_what_is_refuted_and_what_is_proved() -> None:
    for one in SUITE:
        low, high = Fraction(one["answer"]["low"]), Fraction(one["answer"]["high"])
        assert 0 <= low <= high <= low * (1 + Fraction(1, 10**5)) + Fraction(1, 10**6)
        assert high == 0 or Fraction(one["answer"]["refuted"]["claim"]) < low


@pytest.mark.parametrize(
    ("value", "low", "high", "grade"),
    [
        (3, 3, 3, "exact"),
        (6, 3, 3, "loose x2"),
        (2.9, 3, 3, "WRONG 2.9"),
        (float("inf"), 3, 3, "loose"),
        (float("nan"), 3, 3, "no number"),
        (0, 0, 0, "exact"),
        (1, 0, 0, "loose"),
        (0.30000000000000004, 0.3, 0.3, "exact"),
        (0.2999999999, 0.3, 0.3, "exact"),
    ],
)
def test_grades(value: float, low: float, high: float, grade: str) -> None:
    assert run.graded(value, low, high) == grade


def test_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def adds_up(setting: dict[str, Any]) -> float:
        if setting["asks"] != "epsilon":
            raise run.Declined("it adds up")
        return float(sum(Fraction(one["guarantee"]["epsilon"]) for one in setting["problem"]["mechanisms"]))

    def forgets(setting: dict[str, Any]) -> float:
        return float(Fraction(setting["problem"]["mechanisms"][0]["guarantee"]["epsilon"]))

    monkeypatch.setattr(run, "ACCOUNTANTS", {"adds-up": adds_up, "forgets": forgets})
    monkeypatch.setattr(run, "version", lambda name: "1.0")
    some = [
        one for one in SUITE if one["words"] in ("pure 1, 2, 3", "Gaussian 3, 4") or one["number"] in (64, 67)
    ]
    assert run.table(some, run.here(some), every=False).splitlines() == [
        "4 settings",
        "accountant             |    exact |    loose |    WRONG | declined |    error",
        "adds-up 1.0            |        1 |        2 |        0 |        1 |        0",
        "forgets 1.0            |        0 |        0 |        3 |        0 |        1",
        "",
        "2. pure 1, 2, 3, add or remove: epsilon = 6",
        "     forgets 1.0: WRONG 1",
        "10. Gaussian 3, 4, add or remove: mu = 5",
        "     forgets 1.0: error KeyError: 'epsilon'",
        "64. parts with pure 1, 2, 3, for add or remove (own domain), add or remove: epsilon = 3",
        "     adds-up 1.0: loose x2",
        "     forgets 1.0: WRONG 1",
        "67. parts with pure 1, 2, 3, for replace (common domain), replace: epsilon = 5",
        "     adds-up 1.0: loose x1.2",
        "     forgets 1.0: WRONG 1",
    ]
