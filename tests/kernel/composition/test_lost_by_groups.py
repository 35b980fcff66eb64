"""What groups of any number m of steps lose in other notions: pages say it for whole steps, and m is one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.judgements import Lower, Refuted
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.proof.theory import registry

THEORY = Theory(registry.standard().pages)


def about(edits: list[list[int]], notion: str, values: dict[str, str], whole: str = "integer >= 1") -> Prover:
    """M, which is stated for add/remove neighbours, where m edits are made."""
    databases = {"kind": "records", "shown": "multisets", "of": "multisets", "size": ["any", None]}
    mechanism = {"name": "M", "notion": notion, "values": values, "reads": [None], "domain": "own"}
    data: dict[str, Any] = {
        "parameters": {"m": whole, **dict.fromkeys(values.values(), "positive")},
        "databases": databases | {"atoms": [["a", "b"]]},
        "target": {"single": edits, "steps": 1, "times": "m"},
        "mechanisms": [mechanism | {"stated": {"single": [[1, 0]], "steps": 1}}],
    }
    return Prover(reading.read(data), THEORY)


def lost(made: Prover) -> Theorem:
    """What M is known to lose in zCDP."""
    premises = made.by("cover"), made.by("given", i=1)
    return made.by("attain", *premises, notion="zcdp", neighbours=[1], by=[1])


def value(found: Theorem) -> str:
    assert isinstance(found.says, Lower)
    return formulas.to_text(found.says.value)


def test_normal_noise_loses_the_square_of_the_steps() -> None:
    assert value(lost(about([[1, 0]], "gaussian", {"mu": "x"}))) == "m**2*x**2/2"
    assert (
        value(lost(about([[1, 1]], "gaussian", {"mu": "x"}))) == "2*m**2*x**2"
    )  # two steps for each replacement


def test_randomized_response_at_m_steps() -> None:
    """r = 2*m: the loss is m*x, and its divergence m*x*tanh(m*x/2); at r = m it is never below x*tanh(x/2)."""
    one = lost(about([[1, 1]], "pure", {"epsilon": "x"})).says
    assert isinstance(one, Lower)
    there = formulas.at(one.value, {"m": Fraction(3), "x": Fraction(1)})
    assert there == formulas.parse("3*(1 - 2/(exp(3) + 1))", {})


def test_steps_are_whole_and_there_is_one_at_least() -> None:
    for domain in ("positive", "integer >= 0"):
        with pytest.raises(BadSetting, match="a letter for a whole number from 1 is wanted"):
            about([[1, 0]], "gaussian", {"mu": "x"}, domain)


def test_what_holds_is_not_refuted() -> None:
    made = about([[1, 0]], "gaussian", {"mu": "x"})
    lower = lost(made)
    wrong, right = ({"notion": "zcdp", "rho": text} for text in ("m*x**2/2", "m**2*x**2/2"))
    assert isinstance(made.by("refute", lower, claim=wrong, point={"m": "2", "x": "1"}).says, Refuted)
    for claim, m in ((wrong, "1"), (right, "2")):
        with pytest.raises(ValueError, match="the comparison holds at the point"):
            made.by("refute", lower, claim=claim, point={"m": m, "x": "1"})
    with pytest.raises(ValueError, match="m = 3/2 is not allowed"):
        made.by("refute", lower, claim=wrong, point={"m": "3/2", "x": "1"})
