"""Policies on tables: which records may become which, row by row; hand values, enumeration, refusals."""

from __future__ import annotations

import random
from typing import Any

import pytest
from policies_at_random import agrees

import dpcompose as dpc
from dpcompose.privacy import problems

ATTRIBUTES = {"label": ["0", "1"], "feat": ["x", "y", "z"]}


def problem(replace: Any, *mechanisms: Any, size: str = "= 3", target: Any = "p") -> dict[str, Any]:
    """Mechanisms, each what it reads and in which granularity it is stated, on tables with a policy p."""
    stated = [
        {
            "name": f"M{i}",
            "reads": reads,
            "guarantee": {
                "notion": "pure",
                "epsilon": f"e{i}",
                "granularity": granularity,
                "domain": domain,
            },
        }
        for i, (reads, granularity, domain) in enumerate(mechanisms, start=1)
    ]
    return {
        "format": 1,
        "databases": {"kind": "tables", "attributes": ATTRIBUTES, "size": size},
        "granularities": {"p": {"replace": replace}},
        "target": {"granularity": target},
        "mechanisms": stated,
    }


def study(replace: Any, *mechanisms: Any, **more: Any) -> dpc.Study:
    return dpc.Study(problems.read_data(problem(replace, *mechanisms, **more)).setting)


LABEL, ALL = {"changes": ["label"]}, "all"
ONE_BY_ONE = {"one-of": "all"}


@pytest.mark.parametrize(
    ("replace", "granularity", "target", "size", "epsilon"),
    [
        (LABEL, "p", "p", "= 3", "e1"),
        (ALL, "p", "p", "= 3", "e1"),
        (LABEL, "bounded", "p", "= 3", "e1"),
        (LABEL, "p", "bounded", "= 3", "oo"),  # p never changes a feature
        (ONE_BY_ONE, "p", "bounded", "= 2", "2*e1"),  # two attributes, one after the other
        (LABEL, "attribute", "p", "= 3", "e1"),
        (LABEL, "p", {"group": 2, "of": "p"}, "= 3", "2*e1"),
        (LABEL, "p", {"group": 5, "of": "p"}, "= 2", "2*e1"),  # a row has two labels
    ],
)
def test_by_hand(replace: Any, granularity: str, target: Any, size: str, epsilon: str) -> None:
    """One mechanism that reads all of the table."""
    found = study(replace, ("everything", granularity, "own"), size=size, target=target).guarantee()
    assert (str(found.epsilon), found.optimal) == (epsilon, True)


def test_parts_by_rows_and_by_columns() -> None:
    """Rows 1 and 2 in one part, row 3 in the other; a label that changes moves no column of features."""
    rows = [({"positions": one}, "p", "common") for one in ([1, 2], [3])]
    found = study(LABEL, *rows)
    assert str(found.guarantee().epsilon) == "max(e1, e2)" and found.guarantee().optimal
    wrong = found.check(dpc.pure("min(e1, e2)"))
    assert wrong.verdict == "refuted" and "((0, x), (0, x), (0, x))" in str(wrong.counterexample)
    columns = [({"attributes": [name]}, "attribute", "common") for name in ("label", "feat")]
    assert str(study(LABEL, *columns, size="= 2").guarantee().epsilon) == "e1"


@pytest.mark.parametrize("seed", range(24))
def test_enumeration_says_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    policies = [LABEL, ALL, ONE_BY_ONE, {"keeps": ["label"]}, {"changes": ["label", "feat"]}]
    mechanisms = [
        (
            rng.choice(["everything", {"positions": [1]}, {"positions": [2]}]),
            rng.choice(["p", "p", "bounded"]),
            rng.choice(["own", "common"]),
        )
        for _ in range(rng.randint(1, 2))
    ]
    target = rng.choice(["p", "p", "bounded", {"group": 2, "of": "p"}])
    given = problem(rng.choice(policies), *mechanisms, size="= 2", target=target)
    assert agrees(given, monkeypatch) in ("OfTuples", "Cells")


@pytest.mark.parametrize("size", ["<= 2", "any"])
def test_tables_of_other_lengths(size: str) -> None:
    found = study(LABEL, ("everything", "p", "own"), size=size)
    assert (str(found.guarantee().epsilon), found.guarantee().optimal) == ("e1", True)


def test_what_is_no_policy_on_tables() -> None:
    given = problem(LABEL, ("everything", "p", "own"))
    given["granularities"]["p"]["add-remove"] = "all"
    with pytest.raises(problems.ProblemError, match="lets records come or go, which those of tuples do not"):
        problems.read_data(given)
