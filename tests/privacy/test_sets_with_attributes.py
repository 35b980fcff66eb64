"""Policies by attributes on sets: enumeration, values that are not listed, and refusals."""

from __future__ import annotations

from typing import Any

import pytest
from policies_at_random import agreeing, said
from privacy.test_policies_of_attributes import random_problem

from dpcompose.privacy import problems

SIZES = ("any", "<= 1", "<= 2", "= 1", "= 2", ">= 1", "1..2")


def of_sets(seed: int, size: tuple[str, ...] = SIZES) -> dict[str, Any]:
    """A random setting of test_policies_of_attributes, on sets."""
    found = random_problem(seed, size)
    found["databases"]["kind"] = "sets"
    return found


@pytest.mark.parametrize("start", range(0, 45, 15))
def test_sets_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing(map(of_sets, range(start, start + 15)), monkeypatch)
    assert found["OfSets"] >= 5, found


@pytest.mark.parametrize("start", range(0, 60, 15))
def test_values_that_are_not_listed_are_a_few_that_are(start: int) -> None:
    """An attribute with any values is one with those that are read, and with more than a database can have."""
    compared = 0
    for seed in range(start, start + 15):
        problem = of_sets(seed)
        given = problem["databases"]["attributes"]
        some = sorted(given)[0]
        for one in problem["mechanisms"]:  # not all values are named
            if one["reads"] != "everything" and some in one["reads"]["where"]:
                one["reads"]["where"][some] = one["reads"]["where"][some][:1]
        if "group" in problem["target"]["granularity"] or any(
            "group" in one["guarantee"]["granularity"] for one in problem["mechanisms"]
        ):
            continue
        more = [f"z{n}" for n in range(6)]
        listed = {**problem, "databases": {**problem["databases"]}}
        listed["databases"]["attributes"] = {**given, some: [*given[some], *more]}
        problem["databases"]["attributes"] = {**given, some: "any"}
        assert said(problem) == said(listed), seed
        compared += 1
    assert compared >= 2


def test_numbers_are_for_multisets() -> None:
    given = of_sets(1)
    given["databases"]["attributes"]["age"] = {"integers": "all"}
    with pytest.raises(problems.ProblemError, match="numbers are for multisets"):
        problems.read_data(given)
