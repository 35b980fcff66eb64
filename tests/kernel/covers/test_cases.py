"""Cases of two databases of a product, by hand: how near they are is told by the distance, and not by its bound."""

from __future__ import annotations

from typing import Any

from kernel.core.test_products import LINE, SIZE, THEORY, core, mechanism

from dpcompose.kernel.covers.products import Products, is_empty
from dpcompose.kernel.covers.types import Near, Type, Where
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term, least, number


def types(distances: Any, *bounds: str) -> list[Type]:
    setting = core({"place": LINE}, distances, mechanism("M", "d__w"))
    return list(Products(setting, THEORY, ["d__w"], bounds).cover().types)


def test_within_a_radius_of_a_distance_that_has_a_bound() -> None:
    far = {"d__a": {"formula": SIZE, "at most": "3"}, "d__w": {"formula": "d__a", "within": "e"}}
    size = formulas.parse(SIZE, core({"place": LINE}, far, mechanism("M", "d__w")).symbols | _letters())
    for bounds, at_most in (((), size), (("d__a",), least(size, number(3)))):
        found = types(far, *bounds)
        assert [(near.far, near.inside) for one in found for near in _where(one).near] == [
            (size, False),
            (size, True),
        ]
        assert [dict(_where(one).distances)["d__a"] for one in found] == [size] * 2
        assert [dict(_where(one).at_most)["d__a"] for one in found] == [at_most] * 2
        assert [dict(_where(one).distances)["d__w"] for one in found] == [INFINITY, ZERO]
        assert [one.lost for one in found] == [((1, INFINITY, ()),), ()]


def _letters() -> dict[str, Term]:

    return {f"x__{who}": coordinate("x", who) for who in "DE"}


def _where(type: Type) -> Where:
    assert type.where is not None
    return type.where


def test_cases_in_which_no_two_databases_are() -> None:
    """Near each other, and seen to be too far away."""

    def case(far: Term, radius: int, inside: bool) -> Type:
        return Type((), frozenset(), (), where=Where((), (), near=(Near(far, number(radius), inside),)))

    assert is_empty(case(INFINITY, 2, True)) and is_empty(case(number(3), 2, True))
    assert not is_empty(case(number(2), 2, True)) and not is_empty(case(number(3), 2, False))
    assert not is_empty(case(INFINITY, 2, False)) and not is_empty(Type((), frozenset(), ()))
