"""Groups of any number m of steps among at most n records, some of which are two steps apart: by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import core_records
import pytest
import told
from core_records import ANY, B, U

from dpcompose.kernel import covers
from dpcompose.kernel.covers import alike
from dpcompose.kernel.covers.types import Cover, NoCover
from dpcompose.kernel.expressions import formulas

AT_MOST_N = {"size": ["at most", 9], "letter": "n", "atoms": [["a", "a'"], ["b", "b'"]]}
LETTERS = {name: "integer >= 1" for name in "mn"}


def cover(target: Any, *mechanisms: tuple[Any, Any], **more: Any) -> Cover:
    made = core_records.setting(target | {"times": "m"}, *mechanisms, parameters=LETTERS, **AT_MOST_N | more)
    return covers.cover(made, told.THEORY)


def at(found: Cover, m: int, n: int, mechanisms: int) -> set[tuple[int, ...]]:
    """How far the inputs move at each type for these numbers."""
    point = {"m": Fraction(m), "n": Fraction(n)}
    vectors = set()
    for one in found.types:
        far = {i: formulas.evaluate(r, point) for i, ((_, r),) in one.moves}
        vectors.add(tuple(int(far.get(i) or 0) for i in range(1, mechanisms + 1)))
    return vectors


def test_some_records_are_one_step_apart_and_some_are_two() -> None:
    """The readers of a, of b, and of both: a comes, b comes; and for two steps a is b, or another a, or b another b.

    Five steps among three records: two of these are two steps apart, and one is one."""
    found = cover(U, ([0], U), ([1], U), (None, U))
    assert at(found, 5, 3, 3) == {(3, 2, 5), (5, 0, 5), (1, 4, 5), (2, 3, 5), (4, 1, 5), (0, 5, 5)}
    assert at(found, 2, 3, 3) == {(2, 0, 2), (0, 2, 2)}
    assert at(found, 3, 3, 3) == {(3, 0, 3), (0, 3, 3)}
    assert at(found, 9, 3, 3) == {(3, 3, 6), (6, 0, 6), (0, 6, 6)}
    point = {"m": Fraction(5), "n": Fraction(3)}
    one = next(one for one in found.types if one.besides == (((("a",), ("b",)), one.besides[0][1]),))
    assert one.pair == (("a",), ()) and formulas.evaluate(one.often, point) == 1
    assert formulas.evaluate(one.besides[0][1], point) == 2
    assert found.convex == {1, 2, 3} and found.gone_through == 2 + 5


def test_what_two_steps_move_no_further_is_one_step_apart_everywhere() -> None:
    """Records of two attributes, one of which changes at a time: two changes move no part further than one does."""
    square = [["yn"], ["yy"], ["on"], ["oy"]]
    one = {"single": [[0, 1], [0, 2], [1, 3], [2, 3]], "steps": 1}
    made = core_records.setting(
        one | {"times": "m"},
        ([0, 1], one),
        ([2, 3], one),
        parameters=LETTERS,
        **AT_MOST_N | {"kind": "policies", "atoms": square, "size": ["exactly", 1]},
    )
    found = covers.cover(core_records.on(made, "common"), told.THEORY)
    assert [at(found, m, 4, 2) for m in (3, 4, 5, 9)] == [{(m, m)} for m in (3, 4, 4, 4)]


@pytest.mark.parametrize(
    "target, mechanisms, more, words",
    [
        (U, [([0], U), (None, B)], {}, "a step moves what is read by more"),
        (U, [(None, B)], {}, "a step moves what is read by more"),
        (U, [([0], ANY)], {}, "M1 adds noise, or is stated for groups or for any two databases"),
        (U, [(None, U), ([0], U | {"steps": 2})], {}, "M2 adds noise, or is stated for groups"),
        (U, [(None, U)], {"least": 1}, "where no record is more than two away"),
    ],
)
def test_what_is_refused(target: Any, mechanisms: list[Any], more: dict[str, Any], words: str) -> None:
    with pytest.raises(NoCover, match=words):
        cover(target, *mechanisms, **more)


def test_many_mechanisms_that_are_alike_are_told_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few stand for all, others may move in their place, which no type of m steps would say."""
    some = [([0], U), ([1], U)]
    every = cover(U, *some).types
    covers.cover.cache_clear()
    monkeypatch.setattr(alike, "MANY", 2)
    assert cover(U, *some).types == every
    covers.cover.cache_clear()
