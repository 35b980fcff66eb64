"""A claim with δ ≥ 1, or of which a parameter is oo, holds always: nothing refutes it, and none is optimal.

(oo, oo) alone is, where more than any number is lost: there no guarantee holds that says anything.
"""

from __future__ import annotations

from typing import Any

import pytest
from told import THEORY

from dpcompose.kernel.core import reading
from dpcompose.kernel.judgements import Optimal, Refuted, Satisfies
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.search import replayed

ADD: dict[str, Any] = {"single": [[1, 0]], "steps": 1}
REPLACE: dict[str, Any] = {"single": [[1, 1]], "steps": 1}
POINT = {"e": "1", "d": "1/2"}


def prover(stated: dict[str, Any], target: dict[str, Any], notion: str = "approximate") -> Prover:
    """One mechanism that reads everything."""
    values = {"epsilon": "e", "delta": "d"} if notion == "approximate" else {"epsilon": "e"}
    one = {
        "name": "M",
        "reads": [None],
        "stated": stated,
        "domain": "own",
        "notion": notion,
        "values": values,
    }
    data: dict[str, Any] = {
        "parameters": {"e": "positive", "d": "in (0,1)"},
        "databases": {
            "kind": "records",
            "shown": "multisets",
            "of": "multisets",
            "size": ["any", None],
            "atoms": [["a", "b"]],
        },
        "target": target,
        "mechanisms": [one],
    }
    return Prover(reading.read(data), THEORY)


def lost(made: Prover, notion: str = "approximate") -> Theorem:
    return made.by("attain", made.by("cover"), made.by("given", i=1), notion=notion, neighbours=[1], by=[1])


def claim(epsilon: str, delta: str) -> dict[str, str]:
    return {"notion": "approximate", "epsilon": epsilon, "delta": delta}


FINITE, UNLIMITED = (ADD, ADD), (ADD, REPLACE)  # the second: no bounded step leads to another size
NOTHING = [("oo", "0"), ("oo", "d/2"), ("1", "oo"), ("oo", "oo"), ("1", "1"), ("e", "2"), ("0", "1/2 + d")]


@pytest.mark.parametrize("relations", [FINITE, UNLIMITED], ids=["finite", "unlimited"])
@pytest.mark.parametrize("values", NOTHING, ids=str)
def test_a_claim_that_says_nothing_is_not_refuted(relations: Any, values: tuple[str, str]) -> None:
    target, stated = relations
    made = prover(stated, target)
    lower = lost(made)
    with pytest.raises(NoTheorem):
        made.by("refute", lower, claim=claim(*values), point=POINT)


@pytest.mark.parametrize("values", [("e", "d/2"), ("100*e", "d/2"), ("0", "0"), ("e", "1 - d - 1/4")])
def test_one_that_says_something_is(values: tuple[str, str]) -> None:
    for target, stated in (FINITE, UNLIMITED):
        made = prover(stated, target)
        assert isinstance(made.by("refute", lost(made), claim=claim(*values), point=POINT).says, Refuted)
    made = prover(REPLACE, ADD)
    assert isinstance(made.by("refute", lost(made), claim=claim("e", "99/100"), point=POINT).says, Refuted)


def guarantee(made: Prover) -> Theorem:
    return made.by("worst", made.by("compose", made.by("given", i=1)), made.by("cover"))


def test_nothing_is_optimal_that_says_nothing() -> None:
    made = prover(ADD, ADD)
    known, lower = guarantee(made), lost(made)
    assert isinstance(made.by("optimal", known, lower, key="delta").says, Optimal)
    vain = made.by("weaken", known, claim=claim("oo", "d"), certificates={})
    assert isinstance(vain.says, Satisfies)
    with pytest.raises(NoTheorem, match="has oo where"):  # (oo, d/2) holds as well
        made.by("optimal", vain, lower, key="delta")


def test_only_oo_is_optimal_where_more_than_any_number_is_lost() -> None:
    made = prover(REPLACE, ADD)
    known, lower = guarantee(made), lost(made)
    assert isinstance(made.by("optimal", known, lower, key="delta").says, Optimal)
    for values in (("e", "2"), ("oo", "2"), ("oo", "1")):
        vain = made.by(
            "trivial",
            claim=claim(*values),
            key="epsilon" if values[0] == "oo" else "delta",
            certificate={"letters": {}, "difference": "1", "proof": {"rest": "1"}},
        )
        with pytest.raises(NoTheorem, match="has oo where"):
            made.by("optimal", vain, lower, key="delta")


def test_what_is_larger_than_a_guarantee_at_a_point_need_not_hold() -> None:
    """3e is larger than e + 1 at e = 1, and is no guarantee: that is another theorem."""
    made = prover(ADD, ADD, "pure")
    known = made.by(
        "weaken",
        guarantee(made),
        claim={"notion": "pure", "epsilon": "e + 1"},
        certificates={"epsilon": {"letters": {"e": "positive"}, "difference": "1", "proof": {"rest": "1"}}},
    )
    wrong = {"notion": "pure", "epsilon": "3*e"}
    larger = made.by("loose", known, claim=wrong, key="epsilon", point={"e": "1"})
    assert replayed.word_of(larger.says) == "undecided"


@pytest.mark.parametrize("epsilon", ["log(e - 2)", "sqrt(e - 1)", "1/(e - 2)", "sqrt(-1 - e)"])
def test_a_claim_without_a_value_for_some_parameters_is_not_proved(epsilon: str) -> None:
    """Not where there are no neighbours, and not where δ = 1 would do."""
    nothing: dict[str, Any] = {"single": [], "steps": 1}
    made = prover(ADD, nothing)
    with pytest.raises(NoTheorem, match="is not known to be"):
        made.by("vacuous", made.by("cover"), claim=claim(epsilon, "0"))
    shown = {"letters": {}, "difference": "0", "proof": {"rest": "0"}}
    with pytest.raises(NoTheorem, match="is not known to be"):
        made.by("trivial", claim=claim(epsilon, "1"), key="delta", certificate=shown)


def test_one_that_has_values_is() -> None:
    made = prover(ADD, {"single": [], "steps": 1})
    for epsilon in ("log(1 + e)", "1/(2 + e)", "sqrt(e)/(1 + e)", "exp(e) - 1", "log(exp(e) - e)", "oo"):
        assert isinstance(made.by("vacuous", made.by("cover"), claim=claim(epsilon, "0")).says, Satisfies)
