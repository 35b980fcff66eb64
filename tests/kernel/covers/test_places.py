"""Two databases of a product at a point, by hand: whether they are there, in the case that is meant."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from kernel.core.test_products import LINE, OTHER, THEORY, THREE, core, mechanism

from dpcompose.kernel.covers import places
from dpcompose.kernel.covers.types import Near, Type, Where
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import INFINITY, Term

F = Fraction
MOVES = coordinate("x", "D") - coordinate("x", "E")
AT = {"e": F(1), "x__D": F(2), "x__E": F(1), "y__D": F(0), "y__E": F(0)}


def at(
    point: dict[str, Any], box: Any = (None, None), assumed: Any = (), **where: Any
) -> dict[str, Fraction]:
    """The point with all coordinates, in the case of a type on two lines and a list."""
    parts = {"line": LINE | {"box": [list(box)]}, "other": OTHER, "three": THREE}
    setting = core(
        parts,
        {"d__a": {"formula": "max(x__D - x__E, x__E - x__D)"}},
        mechanism("M", "d__a"),
        assumed=[*assumed],
    )
    type = Type((), frozenset(), (), where=Where((), (), **where))
    return places.checked(setting, THEORY, type, {name: F(value) for name, value in point.items()})


def test_coordinates_that_are_not_told_are_0_or_equal() -> None:
    assert at({"e": 1, "x__D": 2, "x__E": 1}) == AT
    assert at({"e": 1, "y__D": 3}, same=frozenset({"other"})) == {
        **dict.fromkeys(("x__D", "x__E"), F(0)),
        **{"e": F(1), "y__D": F(3), "y__E": F(3)},
    }
    with pytest.raises(places.NotThere, match="y__E is another one where the databases are equal"):
        at({"e": 1, "y__D": 3, "y__E": 2}, same=frozenset({"other"}))


@pytest.mark.parametrize(
    "point, more, words",
    [
        ({"e": 0}, {}, "e = 0 is not allowed"),
        ({"x__D": 1}, {}, "there is no value for e"),
        ({"e": 1, "z": 1}, {}, "z = 1 is not allowed"),
        ({"e": 1}, {"assumed": [["e", ">", "1"]]}, "e > 1 is not seen to hold"),
        ({"e": 1, "x__D": 5}, {"box": ("0", "4")}, "not seen to be one of the class"),
        ({"e": 1, "x__E": -1}, {"box": ("0", "4")}, "not seen to be one of the class"),
    ],
)
def test_what_is_not_there(point: Any, more: Any, words: str) -> None:
    with pytest.raises(places.NotThere, match=words):
        at(point, **more)
    assert at({"e": 2, "x__D": 4}, box=("0", "4"), assumed=[["e", ">", "1"]])


def near(far: Term, radius: str, inside: bool) -> Near:
    return Near(far, formulas.parse(radius, {}), inside)


@pytest.mark.parametrize(
    "more, there",
    [
        # x differs by 1, y by nothing
        ({"differences": (((MOVES,), True),)}, True),
        ({"differences": (((MOVES,), False),)}, False),
        ({"differences": (((MOVES - 1,), True),)}, False),
        ({"differences": (((MOVES - 1,), False),)}, True),
        ({"differences": (((MOVES - 1, MOVES), True),)}, True),
        ({"differences": (((MOVES - 1, MOVES), False),)}, False),
        ({"near": (near(MOVES, "1", True),)}, True),
        ({"near": (near(MOVES, "1", False),)}, False),
        ({"near": (near(MOVES, "2", True),)}, True),
        ({"near": (near(MOVES, "2", False),)}, False),
        ({"near": (near(MOVES, "1/2", True),)}, False),
        ({"near": (near(MOVES, "1/2", False),)}, True),
        ({"near": (near(INFINITY, "1", False),)}, True),
        ({"near": (near(MOVES, "1", True), near(MOVES, "1/2", True))}, False),
        ({"apart": (("line",),)}, True),
        ({"apart": (("other",),)}, False),
        ({"apart": (("other", "line"),)}, True),
        ({"apart": (("line",), ("other",))}, False),
        ({"apart": (("three",),), "listed": (("three", (0, 1)),)}, True),
        ({"apart": (("three",),), "listed": (("three", (1, 1)),)}, False),
    ],
)
def test_in_which_case_two_databases_are(more: Any, there: bool) -> None:
    if there:
        assert at({"e": 1, "x__D": 2, "x__E": 1}, **more) == AT
        return
    with pytest.raises(places.NotThere, match=r"differs there|as near there|equal there"):
        at({"e": 1, "x__D": 2, "x__E": 1}, **more)


def test_a_type_of_no_product_is_at_no_place() -> None:
    setting = core({"line": LINE}, {"d__a": {"formula": "2"}}, mechanism("M", "d__a"))
    with pytest.raises(places.NotThere, match="not one of any two databases"):
        places.checked(setting, THEORY, Type((), frozenset(), ()), {})
