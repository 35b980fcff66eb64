"""Sizes with a letter: the types of one number stand for all, where there is room."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import told

from dpcompose.kernel import covers, reading
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.reader import BadSetting
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
    assert "any-number-of-records" in made.rests_on


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
        covers.cover(setting({"single": "any two", "steps": 1}, ["at most", 9]), told.THEORY)


@pytest.mark.parametrize(
    ("size", "more"),
    [
        (["exactly", 1], {"n": "integer >= 2"}),
        (["exactly", 1], {"n": "integer >= 0"}),
        (["exactly", 1], {"n": "positive"}),
        (["at most", 3], {"least": 1}),  # for n = 1 all databases have one record
        (["exactly", 1], {"of": "sequences"}),
        (["exactly", 1], {"letter": "2*n"}),
        (["exactly", 1], {"letter": "3"}),
    ],
)
def test_what_is_no_letter_for_sizes_is_no_setting(size: list[Any], more: Any) -> None:
    with pytest.raises(BadSetting):
        setting(B, size, **more)
