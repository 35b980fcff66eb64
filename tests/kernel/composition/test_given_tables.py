"""Mechanisms given as tables, by hand: which rows neighbours have, what they lose, and what is no table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.composition import given_tables
from dpcompose.kernel.composition.given_tables import Together
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas

F = Fraction
HALF, QUARTER = ["1/2", "1/2"], ["1/4", "3/4"]
INPUTS = {"on": "inputs", "outcomes": ["a", "b"], "rows": [HALF, QUARTER, HALF]}
DATABASES = {
    "on": "databases",
    "outcomes": ["a", "b"],
    "rows": [["1", "0"], ["1", "0"], HALF, ["1", "0"], ["1", "0"]],
}
OWN = {"domain": "own", "stated": {"single": [[0, 1]], "steps": 1}}


def mechanism(epsilon: str, **more: Any) -> dict[str, Any]:
    return {"reads": [None], "notion": "pure", "values": {"epsilon": epsilon}, **OWN, **more}


def setting(*mechanisms: dict[str, Any], target: Any = ((0, 1), (1, 2), (2, 3)), count: int = 5) -> Setting:
    return reading.read(
        {
            "parameters": {"e": "nonnegative"},
            "databases": {"kind": "listed", "shown": "some", "count": count},
            "target": {"single": list(map(list, target)), "steps": 1},
            "mechanisms": [{"name": f"M{i}", **one} for i, one in enumerate(mechanisms, start=1)],
        }
    )


FIRST = mechanism("log(2)", reads=[[0, 1, 0, 2, 0]], table=INPUTS)
SECOND = mechanism("oo", table=DATABASES)
THIRD = mechanism("e", reads=[[0, 0, 1, 1, 0]])
"""The first has equal rows at 0, 2, 3 and 4, the second at all but 2; the third one is no table."""


def test_neighbours_with_the_same_rows_are_one_pair() -> None:
    """1 and 4 are as 0 and 1; 0 and 4 differ in nothing, and so do none else; the third tells 3 from 0."""
    every = setting(FIRST, SECOND, THIRD, target=((0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3), (3, 4)))
    there = Together(every)
    assert there.neighbours == [(0, 1), (0, 3), (0, 4), (1, 2), (2, 3)]
    assert there.are_neighbours(1, 0) and there.are_neighbours(3, 4) and not there.are_neighbours(0, 2)
    assert [there.moving(*pair) for pair in there.neighbours] == [[1], [], [], [1, 2], [2]]


def test_distributions_of_all_outcomes() -> None:
    there = Together(setting(FIRST, SECOND, THIRD))
    half, quarter, three = F(1, 2), F(1, 4), F(3, 4)
    assert there.at(0, 1) == ((half, half), (quarter, three)) and there.at(1, 0) == (
        (quarter, three),
        (half, half),
    )
    assert there.at(2, 3) == ((half, half), (F(1), F(0))) and there.at(0, 4) == ((F(1),), (F(1),))
    with pytest.raises(NoLoss, match="M3 is no table, and reads something else there"):
        there.at(1, 2)
    # of 1 and 2 outcome a of the second is 1 and 1/2, b is 0 and 1/2, beside 1/4, 3/4 and 1/2, 1/2
    P, Q = there.at(1, 2, whole=False)
    assert sorted(zip(P, Q, strict=True)) == [(F(0), half), (quarter, quarter), (three, quarter)]
    alone = Together(setting(FIRST, SECOND))
    assert alone.at(1, 2) == (P, Q)


def test_tables_are_compared_for_neighbours_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    made = setting(FIRST, SECOND)
    monkeypatch.setattr(given_tables, "MOST_NEIGHBOURS", 3)
    assert Together(made).neighbours == [(0, 1), (1, 2), (2, 3)]
    monkeypatch.setattr(given_tables, "MOST_NEIGHBOURS", 2)
    with pytest.raises(NoLoss, match="more than 2 neighbours"):
        _ = Together(made).neighbours
    for other in (
        replace(made, databases=replace(made.databases, kind="cells")),
        replace(made, target=replace(made.target, times=formulas.parse("e", made.symbols))),
    ):
        with pytest.raises(NoLoss, match="for the neighbours of a listed class"):
            _ = Together(other).neighbours
    family = replace(made.mechanisms[0], count=formulas.parse("2", {}))
    with pytest.raises(NoLoss, match="M1 is that of a family"):
        _ = Together(replace(made, mechanisms=(family,))).neighbours


def at(x: int, y: int) -> Type:
    return Type((), frozenset(), (x, y))


def test_what_rows_lose_in_both_orders() -> None:
    """Of 1/4, 3/4 and 1/2, 1/2 an outcome is twice as likely, or three halves of it."""
    made = setting(FIRST, SECOND)
    for pair, forth, lost in (
        ((0, 1), True, "log(3/2)"),
        ((0, 1), False, "log(2)"),
        ((1, 0), True, "log(2)"),
        ((1, 3), True, "log(2)"),
        ((0, 3), True, "0"),
    ):
        assert given_tables.lost(1, made, at(*pair), forth) == formulas.parse(lost, {})
    for pair, forth, lost in (((0, 2), True, "oo"), ((0, 2), False, "log(2)"), ((0, 1), True, "0")):
        assert given_tables.lost(2, made, at(*pair), forth) == formulas.parse(lost, {})
    assert given_tables.rows_of(1, made, at(0, 3)) == (0, 2) and given_tables.rows_of(2, made, at(0, 3)) == (
        0,
        3,
    )


def test_what_rows_are_at_a_point() -> None:
    """At e = 0 the first row is 1/2, 1/2, and rational nowhere else; the last two are no probabilities there."""
    rows = [
        ["exp(e)/2", "1 - exp(e)/2"],
        ["1/3", "2/3"],
        ["3/2*exp(e)", "1 - 3/2*exp(e)"],
        ["exp(e)/2", "1/4"],
    ]
    table = {"on": "databases", "outcomes": ["a", "b"], "rows": rows}
    made = setting(mechanism("e", table=table), THIRD | {"reads": [None]}, target=((0, 1),), count=4)
    zero = {"e": F(0)}
    first = given_tables.piece(1, made, at(0, 1), zero)
    assert (
        first is not None and first.outcomes == ((F(1, 2), F(1, 3)), (F(1, 2), F(2, 3))) and first.count == 1
    )
    assert given_tables.piece(1, made, at(0, 1), {"e": F(1)}) is None
    assert given_tables.piece(2, made, at(0, 1), {}) is None  # no table
    for n in (2, 3):
        with pytest.raises(NoLoss, match="no probabilities"):
            given_tables.piece(1, made, at(1, n), zero)
    family = replace(made.mechanisms[0], count=formulas.parse("2", {}))
    with pytest.raises(NoLoss, match="that of a family"):
        given_tables.piece(1, replace(made, mechanisms=(family,)), at(0, 1), zero)


ALSO = {"domain": "own", "notion": "pure", "stated": {"single": [[0, 1]], "steps": 1}}


@pytest.mark.parametrize(
    "one, words",
    [
        (FIRST, ""),
        (FIRST | {"values": {"epsilon": "log(2) - 1/100"}}, "M1 is not what its table shows"),
        (FIRST | {"domain": "common", "stated": {"single": [[0, 2]], "steps": 1}, "values": {"epsilon": "0"}}, ""),
        (FIRST | {"domain": "common", "stated": {"single": [[0, 1]], "steps": 1}, "values": {"epsilon": "0"}}, "not what"),
        (FIRST | {"also": [ALSO | {"values": {"epsilon": "log(2)"}}]}, ""),
        (FIRST | {"also": [ALSO | {"values": {"epsilon": "1/2"}}]}, "M1 is not what its table shows"),
        (SECOND, ""),
        (SECOND | {"values": {"epsilon": "0"}}, ""),  # for 0 and 1 alone
        (SECOND | {"values": {"epsilon": "9"}, "stated": {"single": [[1, 2]], "steps": 1}}, "not what"),
        (SECOND | {"reads": [[0, 1, 2, 0, 1]]}, ""),
        (SECOND | {"reads": [[0, 1, 0, 1, 1]]}, "M1 is not seen to depend on what it reads only"),
        (THIRD, "M1 is no table with a row"),
    ],
    ids=str,
)  # fmt: skip
def test_tables_have_the_guarantees_that_are_said(one: dict[str, Any], words: str) -> None:
    made = setting(one)
    if not words:
        given_tables.check(1, made)
        return
    with pytest.raises(NoLoss, match=words):
        given_tables.check(1, made)


@pytest.mark.parametrize(
    ("domain", "on", "stated", "pairs"),
    [
        ("own", "inputs", [[0, 1]], [(0, 1)]),
        ("own", "inputs", "any two", [(0, 1), (0, 2), (1, 2)]),  # of the values 0, 1 and 2
        ("common", "databases", [[0, 1], [2, 3]], [(0, 1), (2, 3)]),
        ("common", "inputs", [[0, 1], [0, 2], [3, 4]], [(0, 1), (2, 0)]),  # 0 and 2 are read alike
        ("common", "databases", "any two", [(x, y) for x in range(5) for y in range(x + 1, 5)]),
    ],
)
def test_the_rows_that_a_guarantee_is_about(domain: str, on: str, stated: Any, pairs: Any) -> None:
    """The databases 0 to 4 are read as the values 0, 1, 0, 2, 0."""
    table = INPUTS if on == "inputs" else DATABASES
    told = {"domain": domain, "stated": {"single": stated, "steps": 1}, "table": table}
    (one,) = setting(mechanism("oo", reads=[[0, 1, 0, 2, 0]], **told)).mechanisms
    found = list(given_tables._pairs(one, setting(FIRST), (0, 1, 0, 2, 0)))
    assert sorted(found) == sorted(pairs)


def test_without_databases_there_are_no_rows() -> None:
    anything = {"single": "any two", "steps": 1}
    (one,) = setting(mechanism("oo", reads=[[0, 1, 0, 2, 0]], table=INPUTS, stated=anything)).mechanisms
    assert list(given_tables._pairs(one, setting(FIRST), ())) == []
    assert list(given_tables._pairs(one, setting(FIRST), (0, 1))) == [(0, 1)]
