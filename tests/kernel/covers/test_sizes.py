"""Sizes with a letter: the types of one number stand for all, where there is room."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import pytest
import told

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions.terms import number
from dpcompose.kernel.theorems import Prover

B = {"single": [[1, 1]], "steps": 1}
U = {"single": [[1, 0], [0, 1]], "steps": 1}


def setting(target: Any, size: list[Any], n: str = "integer >= 1", **databases: Any) -> Any:
    one = {
        "name": "M",
        "reads": [[0]],
        "stated": U,
        "domain": "own",
        "notion": "pure",
        "values": {"epsilon": "1"},
    }
    base = {
        "kind": "records",
        "shown": "",
        "of": "multisets",
        "size": size,
        "letter": "n",
        "atoms": [["a", "b"], ["c"]],
    }
    data = {"parameters": {"n": n}, "databases": base | databases, "target": target, "mechanisms": [one]}
    return reading.read(data)


@pytest.mark.parametrize(
    ("target", "size", "more"),
    [
        (B | {"steps": 2}, ["exactly", 2], {}),
        (U | {"steps": 2}, ["at most", 2], {}),
        (U | {"steps": 2}, ["at most", 4], {"n": "integer >= 3", "least": 2}),
        (U | {"steps": 2}, ["any", None], {"least": 1}),
    ],
)
def test_types_are_those_of_more_records(target: Any, size: list[Any], more: Any) -> None:
    found = covers.cover(setting(target, size, **more), told.THEORY)
    larger = [size[0], size[1] + 5] if size[1] else size
    least = {"least": more["least"] + (0 if size[1] else 5)} if "least" in more else {}
    others = covers.cover(setting(target, larger, **more | least), told.THEORY)
    assert [one.moves for one in found.types] == [one.moves for one in others.types]


def test_the_page_is_said() -> None:
    made = Prover(setting(B, ["exactly", 1]), told.THEORY).by("cover")
    assert "any-number-of-records" in made.rests_on.pages


def test_where_types_are_there() -> None:
    made = setting(B | {"steps": 3}, ["exactly", 3])
    assert not sizes.are_always_there(made) and sizes.are_always_there(
        setting(B, ["exactly", 3], "integer >= 3")
    )
    assert (
        not sizes.is_there(made, {})
        and not sizes.is_there(made, {"n": Fraction(2)})
        and sizes.is_there(made, {"n": Fraction(3)})
    )


def test_too_few_records_and_any_two_are_refused() -> None:
    for target, size, more in (
        (B | {"steps": 2}, ["exactly", 1], {}),
        (U | {"steps": 2}, ["at most", 3], {"n": "integer >= 3", "least": 2}),
    ):
        with pytest.raises(NoCover, match="no room for all that 2 steps may change"):
            covers.cover(setting(target, size, **more), told.THEORY)
    with pytest.raises(NoCover, match="depends on how many records they have"):
        covers.cover(setting({"single": "any two", "steps": 1}, ["at most", 9], least=2), told.THEORY)


@pytest.mark.parametrize(
    ("size", "more"),
    [
        (["exactly", 1], {"n": "integer >= 2"}),
        (["exactly", 1], {"n": "integer >= -1"}),
        (["exactly", 1], {"n": "positive"}),
        (["exactly", 3], {"lower": "n"}),
        (["exactly", 3], {"unlimited": True}),
        (["exactly", 3], {"from": 3}),
        (["exactly", 1], {"of": "sequences"}),
        (["exactly", 1], {"letter": "2*n"}),
        (["exactly", 1], {"letter": "3"}),
    ],
)
def test_what_is_no_letter_for_sizes_is_no_setting(size: list[Any], more: Any) -> None:
    with pytest.raises(BadSetting):
        setting(B, size, **more)


@pytest.mark.parametrize("records", range(5))
def test_room_is_how_much_sets_differ(records: int) -> None:
    """Against all sets of l to n out of some records: how many of them only the one and the other has."""
    every = [set(some) for k in range(records + 1) for some in combinations(range(records), k)]
    for least, most in combinations_with_replacement(range(records + 1), 2):
        inside = [one for one in every if least <= len(one) <= most]
        differ = {(len(D - E), len(E - D)) for D in inside for E in inside}
        for steps in range(1, records + 2):
            here = sizes.room(least, most, records, steps)
            few = range(steps + 1)
            assert {one for one in differ if max(one) <= steps} == {
                (a, b)
                for a, b in product(few, few)
                if max(a, b) <= here.changed and abs(a - b) <= here.apart and a + b <= records
            }


def sets(target: Any, size: list[Any], names: str = "abcd", assumed: Any = (), **more: Any) -> Any:
    policy = {"single": [[None, 0]] if target is U else [[0, 0]], "steps": target["steps"]}
    stated = policy | {"steps": 1}
    one = {"name": "M", "reads": [None], "stated": stated, "domain": "own", "notion": "pure", "values": {}}
    base = {"kind": "policies", "shown": "", "of": "sets", "size": size, "atoms": [list(names)]}
    data = {
        "parameters": {"m": "integer >= 1", "n": "integer >= 1"},
        "databases": base | more,
        "target": policy,
        "mechanisms": [one | {"values": {"epsilon": "1"}}],
        "assumed": list(assumed),
    }
    return reading.read(data)


def test_sets_of_a_number_with_less_room_do_not_stand_for_others() -> None:
    """Two of four records are replaced where there are two, and where there are three only one is."""
    two = B | {"steps": 2}
    made = sets(two, ["exactly", 2], letter="n")
    assert max(r for one in covers.cover(made, told.THEORY).types for _, ((_, r),) in one.moves) == number(2)
    there = [sizes.is_there(made, {"n": Fraction(n)}) for n in range(1, 5)]
    assert there == [False, True, False, False] and sizes.where(made) == ["n >= 2", "n <= 2"]
    with pytest.raises(NoCover, match="no room for all that 2 steps may change"):
        covers.cover(sets(two, ["exactly", 3], letter="n"), told.THEORY)
    always = sets(B, ["exactly", 2], letter="n", assumed=[["n", "<=", "3"]])
    assert sizes.are_always_there(always)
    assert not sizes.are_always_there(sets(B, ["exactly", 2], letter="n", assumed=[["n", "<=", "4"]]))


def test_of_a_universe_without_a_limit_enough_records_are_told() -> None:
    made = sets(B, ["exactly", 2], letter="n", unlimited=True)
    assert covers.cover(made, told.THEORY).types and sizes.are_always_there(made)
    with pytest.raises(NoCover, match="as many records are to be told as databases may need"):
        covers.cover(sets(B, ["exactly", 2], "abc", letter="n", unlimited=True), told.THEORY)


@pytest.mark.parametrize("sign", ["<=", "<"])
def test_where_all_have_one_size(sign: str) -> None:
    """Of m to n records one comes or goes if m < n; a bounded step is two such, or none for m = n."""
    letters = {"letter": "n", "lower": "m", "least": 1}
    assumed = [["m", sign, "n"]]
    some: Any = {"parameters": {"m": "integer >= 1", "n": "integer >= 1"}, "assumed": assumed}

    def made(target: Any, stated: Any) -> Any:
        data = setting(target, ["at most", 3], least=1).data() | some
        data["databases"] |= letters
        data["mechanisms"][0] |= {"stated": stated, "reads": [None]}
        return reading.read(data)

    assert covers.cover(made(U, U), told.THEORY).types
    if sign == "<":
        assert covers.cover(made(B, U), told.THEORY).types
        return
    with pytest.raises(NoCover, match="where m = n all databases have as many records"):
        covers.cover(made(B, U), told.THEORY)
    some["assumed"] = []
    with pytest.raises(NoCover, match="that m <= n is to be known"):
        covers.cover(made(U, U), told.THEORY)


def test_cells_of_any_length_are_there_from_so_many_on() -> None:
    one = {"name": "M", "reads": [None], "stated": {"single": [[0], [1]], "steps": 1}, "domain": "own"}
    data = {
        "parameters": {"n": "integer >= 1"},
        "databases": {"kind": "cells", "shown": "", "count": 2, "size": ["exactly", 2], "letter": "n"},
        "target": {"single": [[0], [1]], "steps": 2},
        "mechanisms": [one | {"notion": "pure", "values": {"epsilon": "1"}}],
    }
    made = reading.read(data)
    assert [sizes.is_there(made, {"n": Fraction(n)}) for n in (1, 2, 3)] == [False, True, True]
    assert not sizes.are_always_there(made) and sizes.where(made) == ["n >= 2"]
    assert reading.read(made.data()) == made
    for wrong in ({"size": ["exactly", 3]}, {"size": ["any", 2]}, {"letter": "2*n"}):
        with pytest.raises(BadSetting):
            reading.read(data | {"databases": {**data["databases"], **wrong}})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("target", "size", "more", "there"),
    [
        (U, ["any", None], {"letter": "n", "least": 1}, ["n <= 3"]),  # of four, and one may come
        (U | {"steps": 2}, ["any", None], {"letter": "n", "least": 1}, ["n <= 2"]),
        (U, ["at most", 3], {"letter": "n"}, []),
        (U | {"steps": 2}, ["at most", 3], {"letter": "n"}, ["n >= 2"]),
        (U, ["at most", 3], {"letter": "n", "least": 1}, ["n >= 2"]),
        (U, ["at most", 3], {"letter": "n", "lower": "m", "least": 1}, ["n >= 1", "n >= m + 1", "m <= 3"]),
        (U, ["at most", 3], {"lower": "m", "least": 1}, ["3 >= m + 1", "m <= 3"]),
    ],
)
def test_relations_for_types_to_be_there(target: Any, size: list[Any], more: Any, there: list[str]) -> None:
    assert sizes.where(sets(target, size, **more)) == there
