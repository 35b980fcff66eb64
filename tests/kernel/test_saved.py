"""Saved files say of each claim what its step concludes, and of no other claim."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import rechecks

from dpcompose.front.studies.loading import load
from dpcompose.kernel.check import Refused
from dpcompose.proof.theory import registry

PROBLEMS = Path(__file__).resolve().parents[2] / "notebooks" / "problems"
THEORY = registry.standard()


@cache
def text(name: str) -> str:
    study, claims = load(PROBLEMS / f"{name}.toml")
    return json.dumps(rechecks.saved(study, [study.check(claim) for claim in claims]))


def saved() -> Any:
    """Claims that are refuted, proved and optimal, and proved and loose."""
    data = json.loads(text("01-bounded-parallel"))
    assert rechecks.check(data, THEORY).checked.verdicts == (
        ("refuted", None),
        ("proved", False),
        ("proved", True),
    )
    return data


def claim(n: int, **values: Any) -> Callable[[Any], None]:
    """Other values beside the verdict on a claim; None: a key is left out."""

    def change(data: Any) -> None:
        entry = data["claims"][n - 1]
        entry |= values
        for key in [key for key, value in values.items() if value is None]:
            del entry[key]

    return change


CHANGES: dict[str, tuple[Callable[[Any], None], str]] = {
    "another claim": (
        claim(2, claim={"notion": "pure", "epsilon": "e1"}),
        "claim 2 is not the one that the problem states",
    ),
    "another notion": (
        claim(2, claim={"notion": "zcdp", "rho": "e1"}),
        "claim 2 is not the one that the problem states",
    ),
    "a larger claim": (
        claim(2, claim={"notion": "pure", "epsilon": "e1 + e2 + e3"}),
        "claim 2 is not the one that the problem states",
    ),
    "no claim": (claim(2, claim=None), "claim 2 cannot be read"),
    "a claim of an undecided one": (
        lambda data: data["claims"].__setitem__(
            0, {"claim": {"notion": "pure", "epsilon": "e1"}, "verdict": "undecided", "reason": "none"}
        ),
        "claim 1 is not the one that the problem states",
    ),
    "a word for a claim": (claim(2, claim="e1"), "claim 2 cannot be read"),
    "a letter that is none": (
        claim(2, claim={"notion": "pure", "epsilon": "e7"}),
        "the claims beside the verdicts cannot be read: ",
    ),
    "a list for a verdict": (claim(1, verdict=[]), "claim 1 cannot be read"),
    "null": (lambda data: data["claims"].__setitem__(0, None), "claim 1 cannot be read"),
    "one verdict less": (
        lambda data: data["claims"].pop(),
        "the problem has 3 claims, and the file does not",
    ),
    "the other verdict": (
        claim(1, verdict="proved"),
        "claim 1 is not shown to be proved: its step says something else",
    ),
    "a step of another claim": (
        lambda data: data["claims"][1].__setitem__("step", data["claims"][2]["step"]),
        "claim 2 is not shown to be proved: its step is about another claim",
    ),
    "no step": (claim(2, step=None), "claim 2 names no step"),
    "a step that is none": (claim(2, step=1000), "claim 2 names no step"),
    "true for a step": (claim(2, step=True), "claim 2 names no step"),
    "optimal for loose": (
        claim(3, loose=False),
        "claim 3 is not shown to be optimal: its step says something else",
    ),
    "loose for a list": (claim(3, loose=[1]), "claim 3 is loose or not: true or false"),
    "loose for a word": (claim(2, loose="oo"), "claim 2 is loose or not: true or false"),
    "loose where refuted": (claim(1, loose=False), "claim 1 is refuted: it is neither loose nor optimal"),
    "a word where refuted": (claim(1, loose="oo"), "claim 1 is refuted: it is neither loose nor optimal"),
    "loose for optimal": (claim(2, loose=True), "claim 2 is not shown to be loose: its step says something"),
    "nothing that shows it": (claim(3, shown=None), "nothing shows whether claim 3 is loose"),
    "other parameters": (
        lambda data: data["problem"].__setitem__("parameters", [1]),
        "the parameters of the problem cannot be read",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_shown_of_a_claim_is_refused(change: str) -> None:
    data = saved()
    made, words = CHANGES[change]
    made(data)
    with pytest.raises(Refused) as refused:
        rechecks.check(data, THEORY)
    assert words in str(refused.value)


def test_a_claim_may_be_written_in_another_way() -> None:
    data = saved()
    claim(3, claim={"notion": "pure", "epsilon": "e3 + e2 + 1*e1"})(data)
    assert rechecks.check(data, THEORY).verdicts == ("refuted", "proved", "proved")
