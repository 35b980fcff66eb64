"""Formulas that are written: as people do, and as they are read back."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from language.letters import KNOWN, Q, evaluate, r, x, y

from dpcompose.language.formulas import (
    FormulaError,
    from_python,
    parse,
    to_text,
)
from dpcompose.language.symbols import symbol


@pytest.mark.parametrize(
    "text",
    [
        "max(e1 + e2, e1 + e3)",
        "3*e",
        "e/2",
        "2*e/3",
        "1/3",
        "-1/3",
        "e**2",
        "sqrt(e1**2 + e2**2)",
        "oo",
        "min(x, y)",
        "-max(x, y)",
        "2*min(x, y) + 1",
        "min(x, 0)",
        "abs(r)",
        "-abs(r - 1)",
        "e2 + e10",
        "e2 - e1",
        "x - 2*y + 1/2",
        "1 - x",
        "-x - y",
        "-x*(x + y)",
        "-(e + y)*(x + y)",
        "1/x",
        "1/(2*x)",
        "1/2/(x + y)",
        "(x + y)/(2*x)",
        "1/sqrt(x)",
        "1/x**(3/2)",
        "x**(1/3)",
        "x**(-y)",
        "x**(e*r)",
        "sqrt(2*x*y)/3",
        "x**y**e",
        "(2/3)**x",
        "exp(1)",
        "exp(-x)",
        "x + 2*sqrt(x*log(1/y))",
        "top(2, e1, e2, e10)",
        "10**100",
        "7*10**100*x",
        "x/10**400",
    ],
)
def test_written_as_people_do(text: str) -> None:
    formula = parse(text, KNOWN)
    assert parse(to_text(formula), KNOWN) == formula
    assert to_text(formula) == text


def test_written_for_sympys_own_worst_cases() -> None:
    assert to_text(sympy.Max(x, y)) == "max(x, y)"
    assert to_text(sympy.Min(x, y) + sympy.Abs(r)) == "abs(r) + min(x, y)"


@pytest.mark.parametrize("name", ["tanh", "sinh", "cosh", "log2"])
def test_functions_that_are_read_as_others(name: str) -> None:
    """With the values that they have, from sympy and from texts; a parameter may have their names."""
    by_hand = {"tanh": math.tanh, "sinh": math.sinh, "cosh": math.cosh, "log2": math.log2}[name]
    found = parse(f"{name}(3/4)", {})
    assert math.isclose(float(found), by_hand(0.75))
    made = sympy.log(x) / sympy.log(2) if name == "log2" else getattr(sympy, name)(x)
    assert math.isclose(float(parse(to_text(made), KNOWN).subs(x, sympy.Rational(3, 4))), by_hand(0.75))
    assert parse(f"2*{name}", {name: x}) == 2 * x
    with pytest.raises(FormulaError, match=f"{name} takes one value, not 2"):
        parse(f"{name}(1, 2)", {})
    with pytest.raises(FormulaError, match=f"{name!r} is a function"):
        parse(name, {})


def test_what_is_written_out_does_not_grow_without_end() -> None:
    with pytest.raises(FormulaError, match="sinh is nested too deeply"):
        parse("sinh(" * 40 + "e" + ")" * 40, KNOWN)
    for text in ("cosh(3000)", "log2(0)", "log2(-x/x)"):
        with pytest.raises(FormulaError):
            parse(text, KNOWN)


def test_a_long_number_is_written_in_parts() -> None:
    number = sympy.Integer(7) ** 1000
    assert parse(to_text(number * x), KNOWN) == number * x


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (sympy.sin(x), "sin cannot be written in a formula"),
        (sympy.pi * x, "pi cannot be written in a formula"),
        (sympy.I * x, "I cannot be written in a formula"),
        (sympy.zoo, "zoo cannot stand in a formula; only oo can, alone"),
        (x + symbol("a b"), "'a b' is no name that a formula can have"),
        (symbol("oo"), "'oo' is no name that a formula can have"),
        (sympy.Integer(10) ** 2000, "constants must stay below 10^1000"),
    ],
)
def test_what_cannot_be_written(value: sympy.Expr, message: str) -> None:
    for refused in (to_text, from_python):
        with pytest.raises(FormulaError) as caught:
            refused(value)
        assert str(caught.value) == message


def _formulas() -> st.SearchStrategy[str]:
    atoms = st.sampled_from([*KNOWN, "0", "1", "2", "3", "10", "0.5", "1/3", "1e-6"])

    def larger(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        some = st.lists(part, min_size=1, max_size=3).map(", ".join)
        return st.one_of(
            st.builds("{} {} {}".format, part, st.sampled_from("+-*/"), part),
            st.builds("({}) {} ({})".format, part, st.sampled_from("+-*/"), part),
            st.builds("({})**{}".format, part, st.sampled_from(["2", "-1", "(1/2)", "(-3/2)", "(1/3)", "x"])),
            st.builds("{}({})".format, st.sampled_from(["sqrt", "exp", "log", "abs", "-"]), part),
            st.builds("{}({})".format, st.sampled_from(["max", "min", "top(2,0)+max"]), some),
            st.builds("top({}, {})".format, st.integers(0, 3), some),
        )

    return st.recursive(atoms, larger, max_leaves=8)


@given(_formulas())
@settings(max_examples=100, deadline=None)
def test_written_formulas_are_read_back(text: str) -> None:
    try:
        formula = parse(text, KNOWN)
    except FormulaError:
        return
    assert parse(to_text(formula), KNOWN) == formula


@given(st.text(st.sampled_from("e12x+-*/()., ^maxsqrtlogbp[]=\u0435"), max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse(text, KNOWN)
    except FormulaError as error:
        assert str(error)


@given(_formulas(), st.fixed_dictionaries({name: st.fractions(1, 3, max_denominator=4) for name in KNOWN}))
@settings(max_examples=40, deadline=None)
def test_values_agree_with_sympy(text: str, point: dict[str, Fraction]) -> None:
    """`evaluate` and sympy's floating-point evaluation of the same formula."""
    try:
        formula = parse(text, KNOWN)
        value = evaluate(formula, point)
    except FormulaError:
        return
    if value is None:
        return
    numbers = {KNOWN[name]: Q(number.numerator, number.denominator) for name, number in point.items()}
    assert math.isclose(float(formula.subs(numbers).evalf(30)), float(value), rel_tol=1e-9, abs_tol=1e-9)
