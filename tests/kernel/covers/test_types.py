"""Types of neighbours: which no other one exceeds, and the smallest databases of each; by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import core_records
import pytest
from core_records import U, moving

from dpcompose.kernel.covers import types
from dpcompose.kernel.covers.types import Choice, NoCover, Type, undominated_types
from dpcompose.kernel.expressions.domains import NONNEGATIVE, Domain
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, letter, number

ONE_STEP, TWO, THREE = ONE, number(2), number(3)
M, R = letter("m", Domain.read("integer >= 2")), letter("r", NONNEGATIVE)


@pytest.mark.parametrize(
    "some, kept",
    [
        ([moving(ONE, ONE), moving(TWO, ONE), moving(ONE, TWO)], [1, 2]),
        ([moving(ONE, ONE), moving(ONE, ONE)], [0, 1]),  # equal ones do not exceed each other
        ([moving(ONE, ZERO), moving(ZERO, ONE)], [0, 1]),
        ([moving(ONE, ZERO), moving(ONE, ONE)], [1]),
        ([moving(ZERO, ZERO), moving(ZERO, ONE)], [1]),
        ([moving(ZERO, ZERO)], [0]),
        ([moving(INFINITY, ONE), moving(THREE, ONE), moving(THREE, TWO)], [0, 2]),
        # formulas are compared with equal ones only
        ([moving(R, ONE), moving(R, TWO), moving(M, ONE)], [1, 2]),
        ([moving(R, ONE), moving(ZERO, ONE)], [0, 1]),
        ([moving(R, ONE), moving(INFINITY, ONE)], [0, 1]),
        # of members the furthest are compared with the furthest
        ([moving(((1, TWO), (1, ONE))), moving(((2, ONE),)), moving(((1, TWO),))], [0]),
        ([moving(((1, THREE),)), moving(((2, TWO),))], [0, 1]),
        ([moving(((0, ONE),)), moving(((0, TWO),))], [1]),
        # of several entries each may count
        ([moving(TWO, entries=((1, (ONE, ONE)),)), moving(TWO, entries=((1, (TWO,)),))], [0, 1]),
        ([moving(TWO, entries=((1, (ONE, ONE)),)), moving(TWO, entries=((1, (ONE,)),))], [0]),
        ([moving(TWO, entries=((1, (ONE, TWO)),)), moving(TWO, entries=((1, (TWO, ONE)),))], [0, 1]),
        ([moving(TWO, entries=((1, (ONE, INFINITY)),)), moving(TWO, entries=((1, (INFINITY, TWO)),))], [1]),
    ],
)
def test_types_that_no_other_one_exceeds(some: Sequence[Type], kept: list[int]) -> None:
    assert undominated_types(some) == [some[n] for n in kept]


def test_a_distance_that_may_be_negative_leaves_two_equal_databases_a_type() -> None:
    some = letter("x", Domain.read("real"))
    assert undominated_types([moving(some), moving(ZERO)]) == [moving(some), moving(ZERO)]
    assert undominated_types([moving(R), moving(ZERO)]) == [moving(R)]


def test_a_letter_says_no_number_of_members() -> None:
    with pytest.raises(NoCover, match="m is no number of members"):
        undominated_types([moving(((M, ONE),)), moving(((1, ONE),))])


@pytest.mark.parametrize(
    "size, least, left, right, more, shown",
    [
        (["any", None], 0, (0,), (), (), ("a", "")),
        (["any", None], 0, (0, 1), (0,), (), ("ab", "A")),  # a second record of what goes
        (["any", None], 3, (0,), (), (), ("aaaa", "aaa")),
        (["any", None], 3, (), (1,), (), ("bbb", "bbbb")),
        (["any", None], 3, (0,), (), (1,), ("abbb", "bbb")),
        (["any", None], 3, (0,), (), (0, 1), ("aabb", "abb")),
        (["any", None], 0, (0,), (), (0, 1), ("aa", "a")),
        (["any", None], 1, (0,), (), (0, 1), ("aa", "a")),
        (["any", None], 2, (0,), (), (0, 1), ("aab", "ab")),
        (["exactly", 3], 0, (0,), (1,), (), ("aaa", "aab")),
        (["exactly", 3], 0, (0,), (1,), (1,), ("abb", "bbb")),
    ],
)  # fmt: skip
def test_the_smallest_databases_that_differ_so(
    size: Any, least: int, left: tuple[int, ...], right: tuple[int, ...], more: tuple[int, ...], shown: tuple[str, str]
) -> None:  # fmt: skip
    made = core_records.setting(U, ([0], U), atoms=[["a", "A"], ["b"]], size=size, least=least)
    D, E = types.smallest_pair(made.databases, left, right, more)
    assert ("".join(sorted(D)), "".join(sorted(E))) == tuple("".join(sorted(one)) for one in shown)


def test_too_many_records_are_not_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    made = core_records.setting(U, ([0], U), atoms=[["a"], ["b"]], least=4)
    monkeypatch.setattr(types, "LARGEST", 4)
    assert types.smallest_pair(made.databases, (0,), ())
    monkeypatch.setattr(types, "LARGEST", 3)
    with pytest.raises(NoCover, match="4 records are too many to write down"):
        types.smallest_pair(made.databases, (0,), ())


def test_numbers_in_order() -> None:
    assert sorted([INFINITY, THREE, ONE], key=types.size) == [ONE, THREE, INFINITY]
    assert types.are_no_larger([ONE, TWO], [ONE, THREE]) and not types.are_no_larger([ONE, THREE], [ONE, TWO])
    assert not types.are_no_larger([INFINITY], [INFINITY]) and not types.are_no_larger(
        [INFINITY, ONE], [ONE, ONE]
    )
    assert [types.from_number_on(number(2), s) for s in (1, 2, 3)] == [ONE, ONE, ZERO]
    assert types.from_number_on(M, 2) == ONE and types.from_number_on(M, 1) == ONE
    there = types.from_number_on(M, 3)
    assert there.letters.keys() == {"m"} and types.how_many(3) == 3


def test_a_type_with_other_numbers_for_some_inputs() -> None:
    """Of mechanisms 1, 3 the second and the first."""
    entries, lost = ((1, (ONE,)), (3, (TWO,))), ((1, R, ()), (2, ONE, ()))
    type = replace(moving(ONE, TWO, THREE, entries=entries, lost=lost, often=M), unlimited=frozenset({1, 2}))
    found = type.of({1: 2, 3: 1})
    assert found.moves == ((1, ((1, THREE),)), (2, ((1, ONE),))) and found.unlimited == {2}
    assert found.entries == ((1, (TWO,)), (2, (ONE,))) and found.lost == ((2, R, ()),) and found.often == M
    choice = Choice(1, ((0, ((1, ((1, ONE),)),)), (1, ((4, ((1, TWO),)),))))
    with_others = replace(moving(ONE), choices=(choice,))
    assert with_others.every == ((1, ((1, ONE),)), (4, ((1, TWO),))) and choice.mechanisms == {1, 4}
    assert moving(ONE).every == moving(ONE).moves and moving(ONE, own=((1, (2, 0)),)).own_of(1) == (2, 0)
