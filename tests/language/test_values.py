"""Names, values from Python, and values of formulas at a point."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from language.letters import KNOWN, Q, e1, evaluate, r, short, x, y

from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions.terms import letter
from dpcompose.language.formulas import (
    FormulaError,
    from_python,
    names,
    parse,
    term,
)
from dpcompose.language.symbols import Domain
from dpcompose.language.worstcase import largest, least


def test_names() -> None:
    assert names("max(e2 + e1, 2*e2, exp(d))") == ("e2", "e1", "d")
    assert names("oo") == names("1/2") == ()
    assert names("sum(e[j], j, 1, k) + j") == ("e[i]", "k", "j")
    assert names("max(a, b, c, d) + top(2, e, f, g, h)") == ("a", "b", "c", "d", "e", "f", "g", "h")
    assert names("max(a, b, 1, c)") == ("a", "b", "c")
    for wrong in ("x +", "foo(x)", "(" * 100_000):
        with pytest.raises(FormulaError):
            names(wrong)


def test_from_python() -> None:
    assert from_python(3) == Q(3)
    assert from_python(Fraction(2, 3)) == Q(2, 3)
    assert from_python("2*e1") == 2 * e1
    assert from_python("2*e1", {"e1": Q(1, 2)}) == 1
    assert from_python(sympy.oo) == from_python("oo") == sympy.oo
    assert from_python(sympy.Max(x, sympy.Min(y, 3)) + 1) == largest(x, least(y, Q(3))) + 1
    assert from_python(sympy.Abs(r)) == largest(r, -r)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "nan is no number"),
        (True, "True is no formula and no number"),
        (None, "None is no formula and no number"),
        (1j, "1j is no formula and no number"),
        (sympy.true, "True is no formula and no number"),
        ([x] * 50, "list is no formula and no number"),
        (10**5000, "constants must stay below 10^1000"),
    ],
    ids=short,
)
def test_refused_from_python(value: object, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        from_python(value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x + y/3", Fraction(11, 4)),
        ("sqrt(x)", Fraction(3, 2)),
        ("x**(-3/2)", Fraction(8, 27)),
        ("sqrt(y)", None),
        ("exp(x - 9/4)", Fraction(1)),
        ("log(4*x/9)", Fraction(0)),
        ("exp(x)", None),
        ("log(x)", None),
        ("max(x, y, 1)", Fraction(9, 4)),
        ("min(x, y)", Fraction(3, 2)),
        ("top(2, x, y, 1)", Fraction(15, 4)),
        ("abs(y - x)", Fraction(3, 4)),
        ("(y - x)**2", Fraction(9, 16)),
        ("x**(x**(x**9))", None),
    ],
)
def test_evaluate(text: str, value: Fraction | None) -> None:
    assert evaluate(parse(text, KNOWN), {"x": Fraction(9, 4), "y": Fraction(3, 2)}) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/(x - y)", "1/(x - y) has no real value at x = 2, y = 2"),
        ("log(x - 3) + exp(y)", "log(x - 3) has no real value at x = 2"),
        ("sqrt(x - 3)", "sqrt(x - 3) has no real value at x = 2"),
        ("exp(y)*log(x - 2)", "log(x - 2) has no real value at x = 2"),
        ("e1 + x", "no value is given for e1"),
    ],
)
def test_no_real_value(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        evaluate(parse(text, KNOWN), {"x": Fraction(2), "y": Fraction(2)})
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["x**x", "1/x**x", "max(x**x, 1)", "exp(-x**x)", "x**(x**2)"])
def test_a_number_that_is_too_large_is_no_missing_value(text: str) -> None:
    """x = 9999: about 10^40000 is a real number, which nobody writes down."""
    value, point = term(text), {"x": Fraction(9999)}
    with pytest.raises(FormulaError, match=r"is a number beyond 10\^1000 at x = 9999"):
        kernel.at(value, point)
    assert kernel.evaluate(value, point) is None


def test_infinity_has_no_value_at_a_point() -> None:
    with pytest.raises(ValueError, match="oo has no value"):
        evaluate(sympy.oo, {})


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [("log(1/(1 - d))", False), ("log(2 - d - c)", False), ("log(1 - c)", True), ("log(1 - 2*d)", True)],
)
def test_a_constant_minus_parameters_is_positive_where_it_is_at_their_largest(
    text: str, doubtful: bool
) -> None:
    domains = {"d": Domain.read("in (0,1)"), "c": replace(Domain.read("in (0,1)"), open_greatest=False)}
    letters = {name: letter(name, domain) for name, domain in domains.items()}
    assert bool(values.doubt(text, letters)) is doubtful
