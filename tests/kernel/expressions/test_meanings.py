"""What formulas mean, by their values at a point: families, signs, products, powers; and what they ask for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.formulas import FormulaError, at, conditions, evaluate, parse
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import letter, number

COUNT = Domain.read("integer >= 1")
LETTERS = {
    "x": letter("x"),
    "y": letter("y"),
    "z": letter("z"),
    "k": letter("k", COUNT),
    "e[i]": letter("e[i]"),
}
POINT = {"x": 7, "y": 2, "z": 3, "k": 3, "e[1]": 2, "e[2]": 5, "e[3]": 3}
AT = {name: Fraction(value) for name, value in POINT.items()}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max(e[i], i, 1, k)", "5"),
        ("min(e[i], i, 1, k)", "2"),
        ("min(-e[i], i, 1, k)", "-5"),
        ("max(x - e[i], i, 1, k) - min(x*e[i], i, 1, k)", "-9"),
        ("sum(e[i], i, 1, k)", "10"),
        ("sum(x*e[i] + y, i, 1, k)", "76"),
        ("sum(x, i, 1, k)", "21"),
        ("top(2, e[i], i, 1, k)", "8"),
        ("top(2, e[i]**2, i, 1, k)", "34"),
        ("top(2, -e[i], i, 1, k)", "-5"),
        ("prod(x, i, 1, k)", "343"),
        ("max(x, y, z) - min(x, y, z)", "5"),
        ("top(2, x, y, z)", "10"),
        ("top(3, x, y, z)", "12"),
        ("x - y - z", "2"),
        ("x - (y - z)", "8"),
        ("-x + y", "-5"),
        ("-(x + y)*z", "-27"),
        ("x*-y", "-14"),
        ("x*--y", "14"),
        ("x/-y", "-7/2"),
        ("x/y/z", "7/6"),
        ("x/(y/z)", "21/2"),
        ("x/y*z", "21/2"),
        ("-x**2", "-49"),
        ("(-x)**2", "49"),
        ("2**-z", "1/8"),
        ("y**z**y", "512"),
        ("sqrt(x + y)", "3"),
        ("(x + y)**(-1/2)", "1/3"),
        ("abs(y - x)", "5"),
        ("abs(x - y)", "5"),
        ("1e-2*x", "7/100"),
        ("1.5e1*x", "105"),
        ("0.25*x", "7/4"),
    ],
)
def test_values_of_formulas(text: str, value: str) -> None:
    """At x = 7, y = 2, z = 3 and the family 2, 5, 3."""
    assert evaluate(parse(text, LETTERS), AT) == Fraction(value)


MEMBERS = {"e": [number(2), number(5), number(3), number(11)]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum(e[i], i, 2, 3)", "8"),
        ("sum(e[i], i, 2, 2)", "5"),
        ("sum(e[5 - i], i, 1, 2)", "14"),
        ("sum(i*e[i], i, 1, 3)", "21"),
        ("prod(e[i], i, 1, 3)", "30"),
        ("max(e[i], i, 1, 3)", "5"),
        ("min(e[i], i, 2, 4)", "3"),
        ("top(2, e[i], i, 1, 4)", "16"),
        ("top(2, e[1], e[2], e[3])", "8"),
        ("sum(x, i, 2, k)", "14"),
        ("sum(x, i, 1, k) - sum(y, i, 1, k)", "15"),
        ("e[1] + e[4]", "13"),
    ],
)
def test_values_of_families_that_are_written_out(text: str, value: str) -> None:
    """Of the family 2, 5, 3, 11, with x = 7, y = 2 and k = 3."""
    letters = {name: LETTERS[name] for name in "xyk"}
    assert evaluate(parse(text, letters, MEMBERS), AT) == Fraction(value)


@pytest.mark.parametrize("text", ["e[0]", "e[5]", "e[3/2]", "sum(e[i], i, 0, 2)", "sum(e[i], i, 3, 5)"])
def test_members_that_are_not_there(text: str) -> None:
    with pytest.raises(FormulaError, match="members 1 to 4"):
        parse(text, {}, MEMBERS)


@pytest.mark.parametrize(
    "text", ["e[i]", "sum(e[j], i, 1, k)", "sum(e[i], i, 1, k) + e[i]", "max(e[i], i, 2, k)"]
)
def test_a_member_is_told_by_an_index_of_its_own(text: str) -> None:
    with pytest.raises(FormulaError):
        parse(text, LETTERS)


def test_a_product_of_members_is_e_to_the_sum_of_logarithms() -> None:
    found = enclosure(at(parse("prod(e[i], i, 1, k)", LETTERS), AT), 64)
    assert found.low <= 30 <= found.high and found.high - found.low < Fraction(1, 10**9)


REAL = {name: letter(name, Domain.read("real")) for name in "xyz"}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("x + y*2 - abs(z)", []),
        ("x**2 + x**0 + 2**x", []),
        ("1/x", [("x", "!= 0")]),
        ("y/x/z", [("x", "!= 0"), ("z", "!= 0")]),
        ("x**-2", [("x", "!= 0")]),
        ("sqrt(x)", [("x", ">= 0")]),
        ("x**(1/2)", [("x", ">= 0")]),
        ("x**(-1/2)", [("x", "> 0")]),
        ("x**y", [("x", "> 0")]),
        ("0**y", [("0", "> 0")]),
        ("(-2)**y", [("-2", "> 0")]),
        ("log(x - y)", [("x - y", "> 0")]),
        ("exp(x)*max(x, y)", []),
    ],
)
def test_what_has_to_hold_for_a_value(text: str, asked: list[tuple[str, str]]) -> None:
    found = [(term, sign) for term, sign in conditions(text, REAL)]
    assert found == [(parse(term, REAL), sign) for term, sign in asked]


@pytest.mark.parametrize(
    "text",
    [
        "1/0",
        "1/(2 - 2)",
        "0**-1",
        "sqrt(-1)",
        "(-8)**(1/3)",
        "log(0)",
        "log(-2)",
        "log(1 - sqrt(2))",
        "x/(1 - 1)",
    ],
)
def test_constants_without_a_real_value(text: str) -> None:
    with pytest.raises(FormulaError):
        parse(text, REAL)


@pytest.mark.parametrize(
    ("text", "at_point"),
    [
        ("1/(x - y)", {"x": 1, "y": 1}),
        ("sqrt(x - y)", {"x": 1, "y": 2}),
        ("log(x)", {"x": 0}),
        ("x**y", {"x": 0, "y": -1}),
    ],
)
def test_points_without_a_real_value(text: str, at_point: dict[str, Any]) -> None:
    with pytest.raises(FormulaError, match="has no real value at "):
        evaluate(parse(text, REAL), {name: Fraction(value) for name, value in at_point.items()})


def test_of_a_list_so_many_are_added_as_a_number_says() -> None:
    with pytest.raises(FormulaError, match="top of a list needs a whole number first"):
        parse("top(k, x, y, z)", LETTERS)
