"""Room for persons' rows where databases have a limited number of them: by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
import told
from kernel.covers.test_contributions import B, U, bag, family, moves, record

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import room_for_rows, sizes
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions import formulas

LETTERS = {"k": "integer >= 1", "L": "integer >= 1", "m": "integer >= 2"}
WHOLE = {"reads": [None], "stated": U}
ON_K, ON_Q = family(U), family(U) | {"partition": "Q", "count": "4"}


def setting(
    target: Any,
    *mechanisms: dict[str, Any],
    size: Sequence[Any] = ("at most", 9),
    parts: int = 0,
    n: str = "integer >= 0",
    outside: bool = True,
    assumed: Sequence[Any] = (),
    **databases: Any,
) -> Setting:
    """Mechanisms on databases of such sizes."""
    named = [
        {"name": f"M{i}", "domain": "own", "notion": "pure", "values": {"epsilon": "1"}, **one}
        for i, one in enumerate(mechanisms or (WHOLE,), start=1)
    ]
    base = {
        "kind": "contributions",
        "shown": "",
        "parts": [[f"{part}", f"{part}'"] for part in range(parts)],
        "outside": ["z", "z'"] if outside else [],
        "size": list(size),
    }
    data = {"parameters": LETTERS | {"n": n, "l": "integer >= 1"}, "databases": base | databases}
    return reading.read(data | {"target": target, "mechanisms": named, "assumed": [*assumed]})


def test_only_a_largest_number_of_rows_limits_them() -> None:
    assert room_for_rows.limited(setting(U)) and room_for_rows.limited(setting(U, size=["exactly", 9]))
    assert not room_for_rows.limited(setting(U, size=["any", None]))


def test_how_many_rows_a_person_has_in_a_part_at_least() -> None:
    for target, fewest in ((U, 1), (bag("2", "3"), 3), (bag("2", "m"), 2), (record([0, 1], [1, 0]), 1)):
        assert room_for_rows.fewest_rows(setting(target).target) == fewest


@pytest.mark.parametrize(
    "target, mechanisms, parts, rows",
    [
        (U, [WHOLE], 5, "1"),
        (U | {"steps": 3}, [WHOLE], 5, "3"),
        (U | {"times": "m"}, [WHOLE], 5, "m"),
        (record([0, 1], [1, 0], steps=2), [ON_K], 0, "2"),  # each record is one, wherever it lies
        (bag("2", "3"), [WHOLE], 0, "1"),  # of rows outside one is enough
        (bag("2", "3"), [WHOLE], 5, "6"),
        (bag("7", "3"), [WHOLE], 5, "15"),
        (bag("2", "3") | {"steps": 4}, [WHOLE], 5, "24"),
        (bag("2", "m") | {"times": "k"}, [WHOLE], 5, "2*k*m"),
        (bag("L", "3"), [ON_K], 0, "3*min(L, k)"),
        (bag("2", "1"), [ON_Q], 0, "2"),
        (bag("5", "1"), [ON_Q], 0, "4"),
        (bag("5", "1"), [ON_Q, ON_K], 0, "min(5, k) + 4"),
        (bag("5", "2"), [ON_Q, ON_Q], 3, "14"),  # one partition, and three written parts
    ],
)
def test_how_many_rows_come_and_go(target: Any, mechanisms: Any, parts: int, rows: str) -> None:
    there = setting(target, *mechanisms, parts=parts)
    assert room_for_rows.of_persons(there) == formulas.parse(rows, there.symbols)


def test_of_several_partitions_each_has_its_own_number_of_parts() -> None:
    target = bag("5", "2")
    target["single"]["among"] = {"Q": "3"}
    there = setting(target, ON_Q, ON_K)
    assert room_for_rows.of_persons(there) == formulas.parse("2*(3 + min(5, k))", there.symbols)
    most, all_there = (room_for_rows.of_persons(there, among) for among in room_for_rows.AT_MOST[1:])
    assert most == formulas.parse("16", there.symbols) and all_there == formulas.parse(
        "8 + 2*k", there.symbols
    )


def test_who_reads_everything_sees_as_many_rows_as_there_is_room_for() -> None:
    target = bag("2", "3")
    assert room_for_rows.that_are_full(setting(target, ON_K, WHOLE)) == {2}
    assert not room_for_rows.that_are_full(setting(target, ON_K, WHOLE, size=["any", None]))
    assert not room_for_rows.that_are_full(setting(target, WHOLE, parts=1, outside=False))
    assert not room_for_rows.that_are_full(setting(U, WHOLE))
    assert not room_for_rows.that_are_full(setting(record([0, 1], [1, 0]), ON_K, WHOLE))


MANY = str(room_for_rows.MANY)


@pytest.mark.parametrize(
    "size, more, ends",
    [
        (["any", None], {}, ("0", MANY)),
        (["any", None], {"least": 3}, ("3", MANY)),
        (["any", None], {"letter": "n"}, ("n", MANY)),
        (["at most", 9], {}, ("0", "9")),
        (["at most", 9], {"least": 3}, ("3", "9")),
        (["at most", 9], {"letter": "n"}, ("0", "n")),
        (["at most", 9], {"letter": "n", "least": 3, "n": "integer >= 4"}, ("3", "n")),
        (["at most", 9], {"lower": "l", "least": 1}, ("l", "9")),
        (["at most", 9], {"letter": "n", "lower": "l", "least": 1}, ("l", "n")),
        (["exactly", 9], {}, ("9", "9")),
        (["exactly", 9], {"letter": "n"}, ("n", "n")),
    ],
)
def test_how_many_records_there_are(size: Any, more: Any, ends: tuple[str, str]) -> None:
    there = setting(U, size=size, **more)
    assert room_for_rows.ends(there.databases) == tuple(formulas.parse(one, there.symbols) for one in ends)


SIX = bag("2", "3")


@pytest.mark.parametrize(
    "target, more, wanted",
    [
        (SIX, {"size": ["at most", 6]}, []),
        (SIX, {"size": ["at most", 5]}, ["5 >= 6"]),
        (SIX, {"size": ["exactly", 6]}, []),
        (SIX, {"size": ["at most", 7], "least": 1}, []),
        (SIX, {"size": ["at most", 7], "least": 2}, ["7 >= 8"]),
        (SIX, {"letter": "n"}, ["n >= 6"]),
        (SIX, {"letter": "n", "n": "integer >= 6"}, []),
        (SIX, {"letter": "n", "n": "integer >= 5"}, ["n >= 6"]),
        (SIX, {"letter": "n", "size": ["exactly", 9]}, ["n >= 6"]),
        (SIX, {"letter": "n", "lower": "l", "least": 1}, ["n >= l + 6"]),
        (SIX, {"letter": "n", "lower": "l", "least": 1, "assumed": [["n", ">=", "l + 6"]]}, []),
        (SIX, {"letter": "n", "lower": "l", "least": 1, "assumed": [["n", ">=", "l + 5"]]}, ["n >= l + 6"]),
        (bag("L", "3"), {"letter": "n"}, ["n >= 6"]),  # in two written parts at most
        (bag("L", "3"), {"size": ["at most", 6]}, []),
        (bag("2", "m"), {"letter": "n"}, ["n >= 2*m"]),
    ],
)
def test_where_there_is_room(target: Any, more: Any, wanted: list[str]) -> None:
    there = setting(target, WHOLE, parts=2, **more)
    assert room_for_rows.where(there) == wanted == sizes.where(there)
    assert room_for_rows.are_always_there(there) == sizes.are_always_there(there) == (not wanted)


def test_of_two_letters_that_say_how_many_parts_there_are_one_has_room() -> None:
    """min(L, k) parts: for as many rows as L parts have there is room, or for as many as k have."""
    some = [
        setting(bag("L", "1"), ON_K, letter="n", assumed=one)
        for one in ((), [["n", ">=", "L"]], [["n", ">=", "k"]])
    ]
    assert [room_for_rows.where(one) for one in some] == [["n >= L"], [], []]


@pytest.mark.parametrize(
    "more, point, seen",
    [
        ({"letter": "n"}, {"m": 3, "n": 6}, True),
        ({"letter": "n"}, {"m": 3, "n": 5}, False),
        ({"letter": "n"}, {"n": 6}, False),
        ({"letter": "n"}, {"m": 3}, False),
        ({"letter": "n", "size": ["exactly", 9]}, {"m": 3, "n": 6}, True),
        ({"letter": "n", "lower": "l", "least": 1}, {"m": 3, "n": 8, "l": 2}, True),
        ({"letter": "n", "lower": "l", "least": 1}, {"m": 3, "n": 7, "l": 2}, False),
        ({"least": 3}, {"m": 3}, True),
        ({"least": 3}, {"m": 4}, False),  # 8 rows beside 3
    ],
)
def test_whether_there_is_room_at_a_point(more: Any, point: Mapping[str, int], seen: bool) -> None:
    there = setting(bag("2", "m"), WHOLE, parts=2, **more)
    at = {name: Fraction(value) for name, value in point.items()}
    assert room_for_rows.are_there(there, at) == sizes.is_there(there, at) == seen


@pytest.mark.parametrize(
    "more, numbers",
    [
        ({}, {}),
        ({"letter": "n"}, {"n": 6}),
        ({"letter": "n", "n": "integer >= 8"}, {"n": 8}),
        ({"letter": "n", "least": 2, "n": "integer >= 3"}, {"n": 8}),
        ({"letter": "n", "size": ["exactly", 9]}, {"n": 6}),
        ({"lower": "l", "least": 1}, {"l": 1}),
        ({"letter": "n", "lower": "l", "least": 1}, {"n": 8, "l": 1}),
    ],
)
def test_numbers_with_room(more: Any, numbers: Mapping[str, int]) -> None:
    there = setting(bag("2", "m"), WHOLE, parts=2, **more)
    point = {"m": Fraction(3)}
    found = room_for_rows.numbers(there, point)
    assert found == numbers == sizes.numbers(there, point) and room_for_rows.are_there(there, point | found)
    assert room_for_rows.numbers(there, {}) == {}


ANY = {"single": "any two", "steps": 1}
FULL = "how far several persons that come and go move what M1 asks of everything is not told"
MEMBERS = "each of several steps may move another member of M2, which is stated for groups"


@pytest.mark.parametrize(
    "replaced, whole, members, far",
    [
        ("no", U, U, FULL),
        ("no", U, ANY, FULL),
        ("no", ANY, U, "1:1x1 2:(product 3 k)x2"),
        ("no", B, U, "1:oox1 2:(product 3 k)x2"),  # sizes differ
        ("no", ANY, ANY, MEMBERS),
        ("bag", U, U, "1:18x1 2:(product 6 k)x2"),  # nine rows go, and nine come
        ("bag", ANY, U, "1:1x1 2:(product 6 k)x2"),
        ("bag", B, U, "1:oox1 2:(product 6 k)x2"),
        ("bag", U, ANY, MEMBERS),
        ("rows", U, U, "1:18x1 2:(product 6 k)x2"),
        ("rows", B, U, "1:9x1 2:(product 6 k)x2"),  # nine are replaced
    ],
)
def test_who_reads_everything_and_several_persons(replaced: str, whole: Any, members: Any, far: str) -> None:
    """Of at most nine rows: k persons, of whom each has three rows in each of two parts, and others outside."""
    there = setting(
        bag("2", "3", replaced) | {"times": "k"},
        WHOLE | {"stated": whole},
        ON_K | {"stated": members, "domain": "common"},
    )
    try:
        found = covers.cover(there, told.THEORY)
    except NoCover as error:
        assert str(error).startswith(far)
    else:
        assert moves(found) == {far} and found.convex == {2}
