"""Tables of numbers in place of mechanisms: which keep what is stated, at all pairs of databases, and which do not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from kernel.composition.test_chains import four
from kernel.core.test_products import THEORY, mechanism

from dpcompose.kernel.composition import instances

EVEN, ODD = ["1/2", "1/2"], ["1/3", "2/3"]
SAME = [EVEN] * 4
AT = {"e": Fraction(1)}


def tables(setting: Any, some: Any) -> Any:
    return [one.table for one in instances.with_tables(setting, THEORY, AT, some).mechanisms]


@pytest.mark.parametrize(
    ("formula", "rows", "kept"),
    [
        ("e*d__c", SAME, True),
        ("e*d__c", [EVEN, ODD, EVEN, ODD], True),  # ln(3/2) < 1
        ("e*d__c/3", [EVEN, EVEN, EVEN, ODD], False),  # 1/3 from 2 to 3: ln(3/2) > 1/3
        ("e*d__c/3", [ODD, EVEN, EVEN, EVEN], True),  # 2/3 from 0 to 1, and 5/3, 2
        ("0", [EVEN, EVEN, EVEN, ODD], False),
        ("e*d__c", [["1", "0"], *SAME[1:]], False),  # one is impossible there
        ("e*d__c", [["0", "1"], ["0", "1"], ["0", "1"], ["0", "1"]], True),
    ],
)
def test_tables_that_keep_a_guarantee(formula: str, rows: Any, kept: bool) -> None:
    """Between any two of four databases, 2, 3 and 1 apart, in both orders."""
    setting = four(mechanism("M", formula), mechanism("N", "e*d__c"))
    if kept:
        first, second = tables(setting, {"1": rows})
        assert [[str(x) for x in row] for row in first.rows] == rows and second is None
        assert tables(setting, {"2": SAME, "1": rows})[1].rows == tables(setting, {"1": SAME})[0].rows
    else:
        with pytest.raises(ValueError, match="is not seen to be as that is said"):
            tables(setting, {"1": rows})


@pytest.mark.parametrize(
    "some",
    [
        {},
        None,
        [],
        [SAME],
        {"0": SAME},
        {"2": SAME},
        {"-1": SAME},
        {"x": SAME},
        {"000001": SAME},
        {1: SAME},
        {"1": SAME[:3]},
        {"1": [*SAME, EVEN]},
        {"1": None},
        {"1": [EVEN, EVEN, EVEN, None]},
        {"1": [["1/2"]] * 4},
        {"1": [["3/2", "-1/2"]] * 4},
        {"1": [EVEN, EVEN, EVEN, ["1"]]},
        {"1": [[0.5, 0.5]] * 4},
        {"1": [[]] * 4},
    ],
)
def test_what_are_no_tables(some: Any) -> None:
    with pytest.raises(ValueError):
        tables(four(mechanism("M", "e*d__c")), some)


def test_any_two_databases_are_neighbours_then() -> None:
    setting = instances.with_tables(four(mechanism("M", "e*d__c")), THEORY, AT, {"1": SAME})
    assert setting.target.any_two and setting.databases.count == 4 and not setting.distances


def test_what_is_more_than_its_guarantees_is_no_table() -> None:
    for more in ({"count": "3"},):
        with pytest.raises(ValueError, match="not just any mechanism with its guarantees"):
            tables(four(mechanism("M", "e*d__c", **more)), {"1": SAME})
