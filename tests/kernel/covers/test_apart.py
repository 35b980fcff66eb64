"""A person's rows in any L of many parts that are read apart: one type stands for all choices of parts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import told
from kernel.covers.test_alike import KEYS, lost, others, same
from kernel.covers.test_contributions import B, U, bag, moves, record

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import apart
from dpcompose.kernel.covers.types import Cover
from dpcompose.kernel.expressions.terms import number
from dpcompose.kernel.library.theory import NoPage, Theory
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.search.refutations import exchanged

REFUSED = (NoPage, NoTheorem)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two parts are many."""
    monkeypatch.setattr(apart, "MANY", 2)
    covers.cover.cache_clear()
    yield
    covers.cover.cache_clear()


def setting(
    target: Any,
    *mechanisms: tuple[Any, Any, str],
    parts: int,
    single: bool = False,
    outside: bool = True,
    notion: str = "pure",
) -> Setting:
    """Mechanisms by the parts that they read, and the neighbours and the domain that they are stated for."""
    named = [
        {
            "name": f"M{i}",
            "reads": [read],
            "stated": stated,
            "domain": domain,
            "notion": notion,
            "values": {KEYS[notion]: f"e{i}"},
        }
        for i, (read, stated, domain) in enumerate(mechanisms, start=1)
    ]
    databases = {
        "kind": "contributions",
        "shown": "",
        "parts": [[f"{n}", f"{n}'"][: 1 if single else 2] for n in range(parts)],
        "outside": ["z", "z'"] if outside else [],
    }
    parameters = {"m": "integer >= 1"} | {f"e{i}": "nonnegative" for i in range(1, 9)}
    return reading.read(
        {"parameters": parameters, "databases": databases, "target": target, "mechanisms": named}
    )


def cover(target: Any, stated: Any, domain: str = "own", parts: int = 6, **more: Any) -> Cover:
    """One mechanism on each part."""
    mechanisms = [([n], stated, domain) for n in range(parts)]
    return covers.cover(setting(target, *mechanisms, parts=parts, **more), told.THEORY)


def test_bags_that_come_and_go_are_in_any_two_parts() -> None:
    found = cover(bag("2", "m"), U)
    ((choice,),) = (one.choices for one in found.types)
    assert moves(found) == {"1:mx1 2:mx1"} and choice.many == 2 and len(choice.of) == 6
    assert not found.convex and not found.is_whole


def test_replaced_bags_stay_where_that_is_twice_as_far() -> None:
    found = cover(bag("2", "m", "bag"), U)
    assert moves(found) == {"1:(product 2 m)x1 2:(product 2 m)x1"} and found.convex == set(range(1, 7))
    ((choice,),) = (one.choices for one in found.types)
    assert choice.many == 2


@pytest.mark.parametrize("single", [False, True])
def test_replaced_bags_leave_where_that_is_as_far(single: bool) -> None:
    """Of parts with one record rows can only leave for others."""
    found = cover(bag("2", "m", "bag"), B, "common", single=single)
    assert moves(found) == {"1:mx1 2:mx1 3:mx1 4:mx1"} and not found.convex
    assert found.types[0].choices[0].many == 4
    of_one = cover(bag("2", "m", "bag"), U, single=True)
    assert moves(of_one) == {"1:mx1 2:mx1 3:mx1 4:mx1"} and not of_one.convex


def test_too_few_parts_and_rows_that_must_be_as_many_have_none() -> None:
    """2L parts are not there; and what is infinite where rows only go may be finite where others come."""
    assert not any(others(cover(bag("4", "2", "bag"), B, "common")))
    assert not any(others(cover(bag("2", "2", "bag"), B, "own")))


def by_few(target: Any, *mechanisms: tuple[Any, Any, str], size: Any = None, **more: Any) -> Cover | None:
    """The type of all choices alone, if it is told."""
    made = setting(target, *mechanisms, **more)
    if size is not None:
        made = replace(made, databases=replace(made.databases, size=size))
    return apart.Apart(made, told.THEORY).cover_by_few()


FIRST = ([0], U, "own")


@pytest.mark.parametrize(
    "target, mechanisms, more",
    [
        (bag("2", "m") | {"steps": 2}, [FIRST], {}),  # two persons
        (bag("2", "m"), [FIRST], {"parts": 1}),  # fewer than are many
        (bag("2", "m"), [FIRST], {"size": ("at most", 9)}),
        (bag("m", "2"), [FIRST], {}),  # parts are no number
        (bag("3", "2", "bag"), [FIRST], {"parts": 5}),  # six parts for two bags
        (bag("1", "2", "bag"), [([0], B, "own")], {}),  # as many rows as go have to come
        # all rows of a record are in parts that are read
        (record([1, 1], replaced="bag"), [FIRST, (None, U, "own")], {"outside": False}),
        (bag("1", "2", "bag"), [([0], bag("1", "2", "rows"), "own")], {}),
        (bag("1", "2", "rows"), [FIRST], {"single": True, "outside": False}),  # no row is there to come
    ],
)
def test_where_one_type_is_not_told(target: Any, mechanisms: list[Any], more: dict[str, Any]) -> None:
    assert by_few(target, *mechanisms, **{"parts": 6} | more) is None


def test_distances_that_differ_between_losing_and_gaining_tell_no_furthest_way() -> None:
    made = setting(bag("1", "2", "bag"), ([0], U, "own"), parts=6)
    page = told.THEORY.pages["unbounded-metric"]
    for text, seen in (("removed + added", True), ("2*removed + added", False)):
        other = replace(page, head=replace(page.head, metric=text))
        theory = Theory({**told.THEORY.pages, page.id: other})
        assert (apart.Apart(made, theory).cover_by_few() is not None) is seen


def test_the_fewest_parts_of_which_one_type_is_told() -> None:
    """Three of three parts that lose rows, of which two are read; of four that are replaced, two and two."""
    found = by_few(bag("7", "m"), FIRST, ([2], U, "own"), parts=3)
    assert found is not None and moves(found) == {"1:mx1 2:mx1"} and found.gone_through == 1
    assert [(one.many, [part for part, _ in one.of]) for one in found.types[0].choices] == [(3, [0, 2, 1])]
    found = by_few(bag("2", "1", "bag"), *(([n], B, "common") for n in range(4)), parts=4)
    assert found is not None and moves(found) == {"1:1x1 2:1x1 3:1x1 4:1x1"}
    assert [one.pair for one in found.types] == [(("0", "1"), ("2", "3"))]
    assert by_few(bag("1", "1"), FIRST, ([], U, "own"), parts=2) is not None  # the second reads nothing


def test_what_a_part_moves_has_the_distance_of_its_own_way() -> None:
    """Of parts that are not read nothing moves; who reads everything sees rows outside without a limit."""
    found = by_few(bag("1", "2", "bag"), ([0], U, "own"), ([0], B, "common"), ([1], U, "own"), parts=3)
    assert found is None  # 1 moves twice as far where rows stay, 2 no further
    found = by_few(bag("1", "2", "bag"), ([0], U, "own"), ([0], U, "common"), ([1], U, "own"), parts=3)
    assert found is not None and found.convex == {1, 2, 3} and moves(found) == {"1:4x1 2:4x1"}
    assert [one.pair for one in found.types] == [(("0",), ("0'",))]
    ((choice,),) = (one.choices for one in found.types)
    four = ((1, number(4)),)
    assert [some for _, some in choice.of] == [((1, four), (2, four)), ((3, four),), ()]
    found = by_few(bag("1", "2"), (None, U, "own"), FIRST, parts=2)
    assert found is not None and found.types[0].unlimited == {1} and moves(found) == {"1:oox1 2:2x1"}
    found = by_few(bag("1", "2"), (None, U, "own"), FIRST, parts=2, outside=False)
    assert found is not None and not found.types[0].unlimited and moves(found) == {"1:2x1 2:2x1"}


def test_parts_that_nobody_reads_come_last() -> None:
    """Type and example are of parts that are read, where there are such."""
    there = setting(bag("1", "2"), ([4], U, "own"), parts=6)
    (type,) = covers.cover(there, told.THEORY).types
    assert type.moves and type.pair == (("4",), ()) and type.choices[0].of[0][0] == 4


def test_the_example_has_the_parts_for_which_most_is_lost() -> None:
    there = setting(bag("2", "1", "bag"), *(([n], B, "common") for n in range(6)), parts=6)
    (type,) = covers.cover(there, told.THEORY).types
    point = {f"e{i}": Fraction(9 if i in (2, 4, 5, 6) else 1) for i in range(1, 7)}
    at = exchanged.at_point(type, there, point)
    assert [i for i, _ in at.moves] == [2, 4, 5, 6] and not at.choices
    assert sorted(name for side in at.pair for name in side) == ["1", "3", "4", "5"]  # type: ignore[union-attr]


def drawn(rng: random.Random) -> tuple[Setting, str]:
    """Mechanisms of which each reads one of several parts, or everything, all in one notion."""
    notion, parts = rng.choice(sorted(KEYS)), rng.randint(2, 6)
    replaced = rng.choice(["no", "bag", "rows"])
    target = bag(str(rng.randint(1, 3)), rng.choice(["1", "2", "3"]), replaced)
    stated = rng.choice([[U], [B], [U, bag("3", "3", replaced)], [U, B]])
    mechanisms: list[tuple[Any, Any, str]] = []
    for _ in range(rng.randint(2, 7)):
        read = None if rng.random() < 0.15 else [rng.randrange(parts)]
        mechanisms.append((read, rng.choice(stated), rng.choice(["own", "common", "common"])))
    single, outside = rng.random() < 0.3, rng.random() < 0.5
    return setting(target, *mechanisms, parts=parts, single=single, outside=outside, notion=notion), notion


SEEDS = range(150)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_type_and_all_choices_lose_the_same(seed: int) -> None:
    rng = random.Random(seed)
    there, notion = drawn(rng)
    try:
        all_of_them = lost(there, notion, True)
    except REFUSED:
        with pytest.raises(REFUSED):
            lost(there, notion, False)
        return
    few = lost(there, notion, False)
    for _ in range(5):
        point = {f"e{i}": Fraction(rng.choice([0, 0, 1, 2, 5, 9]), rng.randint(1, 3)) for i in range(1, 9)}
        for one, other in zip(few[1:], all_of_them[1:], strict=True):
            assert same(one, other, point)


def test_enough_are_drawn() -> None:
    def is_few(seed: int) -> bool:
        there, _ = drawn(random.Random(seed))
        try:
            return any(others(covers.cover(there, told.THEORY)))
        except REFUSED:
            return False

    assert sum(map(is_few, SEEDS)) > 40
