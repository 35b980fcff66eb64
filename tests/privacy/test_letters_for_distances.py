"""A letter for the distance of a policy on numbers: refused in words, and what they say would do."""

from __future__ import annotations

from typing import Any

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.substitution import substituted
from dpcompose.kernel.expressions.terms import number
from dpcompose.privacy import problems


def problem(target: Any, distance: str, *reads: Any, integers: Any = "all", **more: Any) -> dict[str, Any]:
    """Mechanisms for neighbours of which one number moves by 1; `far` neighbours move by a distance."""
    within = {"norm": "L1"}
    stated = {"notion": "pure", "granularity": "one", "domain": "common"}
    return {
        "format": 1,
        "databases": {"kind": "multisets", "records": {"integers": integers}},
        "granularities": {
            "one": {"replace": {"within-distance": "1"} | within},
            "far": {"replace": {"within-distance": distance} | within},
        },
        "target": {"granularity": target},
        "mechanisms": [
            {"name": f"M{n}", "reads": read, "guarantee": stated | {"epsilon": f"e{n}"}}
            for n, read in enumerate(reads, start=1)
        ],
    } | more


def bound(data: dict[str, Any]) -> Any:
    ((_, term),) = Study(problems.read_data(data).setting).proofs.guarantee("pure").main.says.values
    return term


def test_a_distance_is_a_number() -> None:
    for distance in ("theta", "2*theta"):
        with pytest.raises(
            problems.ProblemError, match=r"a distance is a number .* groups of m steps within 1"
        ):
            problems.read_data(problem("far", distance, "everything", parameters={"theta": "integer >= 1"}))


@pytest.mark.parametrize(
    ("reads", "integers"),
    [
        (["everything"], "all"),
        (["everything", "everything"], "all"),
        (["everything", {"between": "[0, oo)"}], [-20, 20]),
    ],
)
def test_groups_of_any_number_of_short_steps_are_all_distances(reads: list[Any], integers: Any) -> None:
    """What m steps of length 1 lose is what one of length m does, for which there is one record to move."""
    for_all = bound(problem({"group": "m", "of": "one"}, "1", *reads, integers=integers))
    for far in (1, 2, 5):
        here = bound(problem("far", str(far), *reads, integers=integers))
        there = substituted(for_all, {"m": number(far)})
        assert formulas.to_text(here) == formulas.to_text(there), far
