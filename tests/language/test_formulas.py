"""Formulas that are read: what they mean, how mistakes are shown, that nothing hostile runs or hangs."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from language.letters import KNOWN, Q, e, e1, e2, e3, evaluate, r, short, x, y

from dpcompose.language.formulas import (
    FormulaError,
    from_python,
    parse,
    to_text,
)
from dpcompose.language.symbols import Domain, member, symbol
from dpcompose.language.worstcase import Top, largest, least


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("3", Q(3)),
        ("0.1", Q(1, 10)),
        ("1e-6", Q(1, 10**6)),
        ("1.5e3", Q(1500)),
        ("1e" + "0" * 5000 + "1", Q(10)),
        ("oo", sympy.oo),
        ("  e1\t", e1),
        ("-2**2", Q(-4)),
        ("2**-1", Q(1, 2)),
        ("2**3**2", Q(512)),
        ("--x", x),
        ("2*-x", -2 * x),
        ("1 - 2 - 3", Q(-4)),
        ("8/4/2", Q(1)),
        ("2 + 3*4", Q(14)),
        ("-(x + y)*e", -e * (x + y)),
        ("sqrt(e1**2 + e2**2)", sympy.sqrt(e1**2 + e2**2)),
        ("exp(e)*log(1/x)", sympy.exp(e) * sympy.log(1 / x)),
        ("max(e1 + e2, e1 + e3)", largest(e1 + e2, e1 + e3)),
        ("max(x)", x),
        ("max(x, 1, x)", largest(x, Q(1))),
        ("min(x, y)", least(x, y)),
        ("min(3, 1/2)", Q(1, 2)),
        ("abs(r)", largest(r, -r)),
        ("abs(-3)", Q(3)),
        ("sqrt(r**2)", largest(r, -r)),
        ("e*tanh(e/2)", e * sympy.tanh(e / 2)),
        ("sinh(x) + cosh(x)", sympy.exp(x)),
        ("log2(x)", sympy.log(x) / sympy.log(2)),
        ("top(2, e1, e2, e3)", Top(2, e1, e2, e3)),
        ("top(2, 1, 5, 3)", Q(8)),
        ("0**0", Q(1)),
    ],
    ids=short,
)
def test_parse(text: str, meaning: sympy.Expr) -> None:
    assert parse(text, KNOWN) == meaning


def test_symbols_may_be_numbers() -> None:
    assert parse("k*e", {"k": Q(3), "e": e}) == 3 * e


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "the formula is empty", 1),
        ("   ", "the formula is empty", 1),
        ("2*e11", "unknown name 'e11'; did you mean 'e1'?", 3),
        ("zeta", "unknown name 'zeta'; known names: e, e1, e2, e3, e10, r, x, y", 1),
        ("sqrt + 1", "'sqrt' is a function; write sqrt(...)", 1),
        (
            "1 + foo(x)",
            "unknown function 'foo'; the functions are sqrt, exp, log, max, min, abs, top, tanh, sinh, cosh, log2",
            5,
        ),
        ("ln(x)", "unknown function 'ln'; did you mean 'log'?", 1),
        ("x(y)", "'x' is a parameter, no function; write * before ( for a product", 1),
        ("x^2", "'^' cannot stand in a formula; write ** for a power", 2),
        ("2x", "write * between '2' and 'x' for a product", 2),
        ("2 e1", "write * between '2' and 'e1' for a product", 3),
        ("2e1", "2e1 could be a number or a product; write 2*10**1 or 2*e1", 1),
        ("(x)(y)", "write * between ')' and '(' for a product", 4),
        ("x <= y", "'<' cannot stand in a formula; a formula is one value, without a comparison", 3),
        ("x = y", "'=' cannot stand in a formula; a formula is one value, without a comparison", 3),
        (".5", "'.' cannot stand in a formula; numbers are written like 0.5", 1),
        ("\u04351", "'\u0435' (CYRILLIC SMALL LETTER IE, U+0435) cannot stand in a formula", 1),
        ("x \u2212 y", "'\u2212' (MINUS SIGN, U+2212) cannot stand in a formula; write - for minus", 3),
        ("x\ny", "'\\n' (no name, U+000A) cannot stand in a formula; a formula is one line", 2),
        ("x +", "a value is missing after '+'", 4),
        ("(x + y", "this ( is never closed", 1),
        ("x + y)", "this ) closes nothing", 6),
        ("x * / y", "a value is missing before '/'", 5),
        ("max(x, )", "a value is missing before ')'", 8),
        ("x, y", "a comma stands only between the arguments of a function", 2),
        ("max()", "max needs at least one value", 1),
        ("log(x, 2)", "log takes one value, not 2", 1),
        ("top(x, y)", "top needs a whole number first, which says how many values are added", 5),
        ("top(2)", "top needs at least one value after the number", 1),
        ("2*oo", "oo is a formula only when it stands alone", 3),
        ("(oo)", "oo is a formula only when it stands alone", 2),
        ("1/0", "division by zero", 3),
        ("1/(e1 - e1)", "division by zero", 3),
        ("2 + 0**-1", "0 to a negative power has no real value", 5),
        ("1 + log(0)", "log of 0 has no real value", 5),
        ("log(-1)", "log of a negative number has no real value", 1),
        ("x + sqrt(-1)", "the square root of a negative number has no real value", 5),
        ("(-1)**(1/2)", "the square root of a negative number has no real value", 1),
        ("(-8)**(1/3)", "a broken power of a negative number has no real value", 1),
        ("sqrt(1 - sqrt(2))", "the square root of a negative number has no real value", 1),
        ("1/((sqrt(2) + 1)*(sqrt(2) - 1) - 1)", "this constant is too close to 0 to tell its sign", 4),
        ("1/max(0, 1 - sqrt(2))", "0 to a negative power has no real value", 3),
        ("sqrt(-x)", "a root of a negative number has no real value", 1),
    ],
)
def test_mistakes_are_shown(text: str, message: str, column: int) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text, KNOWN)
    assert (caught.value.message, caught.value.column, caught.value.text) == (message, column, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e[1]", "unknown family 'e'; no names are known here"),
        ("f[1]", "f[...] needs the index of a sum, max or top over it"),
        ("f[i]", "f[...] needs the index of a sum, max or top over it"),
        ("sum(f[i])", "a sum is written sum(e[i], i, 1, k)"),
        ("sum(f[i], i, 2, k)", "a family runs from 1"),
        ("max(f[i], i, 1, k/2)", "a family runs to its number of members"),
        ("sum(g[i], i, 1, k)", "unknown family 'g'; known names: f"),
    ],
)
def test_mistakes_in_families(text: str, message: str) -> None:
    known = {} if text == "e[1]" else {"f[i]": member("f"), "k": symbol("k", Domain.read("integer >= 2"))}
    with pytest.raises(FormulaError) as caught:
        parse(text, known)
    assert caught.value.message == message


def test_families_stay_as_they_are() -> None:
    known = {"f[i]": member("f"), "k": symbol("k", Domain.read("integer >= 2")), "x": symbol("x")}
    for text in ("max(f[i], i, 1, k)", "sum(2*f[i] + x, i, 1, k)", "top(2, f[i], i, 1, 500)"):
        assert to_text(parse(text, known)) == text
        assert parse(text.replace("[i], i", "[j], j").replace("[i] + x, i", "[j] + x, j"), known) == parse(
            text, known
        )
    assert to_text(parse("sum(x, i, 1, k) + max(x, i, 1, k)", known)) == "k*x + x"
    point = {"k": Fraction(3), "f[1]": Fraction(5), "f[2]": Fraction(1), "f[3]": Fraction(2)}
    assert evaluate(parse("top(2, f[i], i, 1, k) + sum(f[i], i, 1, k)", known), point) == 15


def shown(text: str) -> str:
    with pytest.raises(FormulaError) as caught:
        parse(text, KNOWN)
    return str(caught.value)


def test_a_caret_stands_under_the_mistake() -> None:
    assert shown("e1 + 2*q/e2").splitlines()[1:] == ["  e1 + 2*q/e2", "         ^"]
    assert shown("x + \u0435\u0435").splitlines()[1:] == ["  x + \\u0435\\u0435", "      ^"]


@pytest.mark.parametrize(("before", "after"), [(500, 500), (0, 500), (500, 0), (30, 30)])
def test_long_formulas_are_shown_around_the_mistake(before: int, after: int) -> None:
    _, line, caret = shown("x+" * before + "q" + "+x" * after).splitlines()
    assert line[caret.index("^")] == "q"
    assert len(line) <= 2 + 70


MANY = {f"a{n}": symbol(f"a{n}") for n in range(2001)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" + " " * 100_000, "a formula has at most 100000 characters, not 100001"),
        ("x*" * 20_000 + "x", "a formula has at most 20000 numbers, names and signs"),
        ("+".join(MANY), "a formula has at most 2000 terms"),
        (f"max({','.join(MANY)})", "a formula has at most 2000 terms"),
        ("*".join(["(x+1)"] * 20 + list(MANY)[:500]), "a product has at most 500 factors"),
        ("(" * 61 + "a1" + ")" * 61, "a formula is nested at most 60 deep"),
        ("-" * 61 + "a1", "a formula is nested at most 60 deep"),
        ("2**" * 61 + "1", "a formula is nested at most 60 deep"),
        ("sqrt(" * 61 + "a1" + ")" * 61, "a formula is nested at most 60 deep"),
        ("1" * 61, "a number has at most 60 digits"),
        ("1e401", "the exponent of a number is at most 400 in size"),
        ("1e-401", "the exponent of a number is at most 400 in size"),
        ("2**(10**9)", "an exponent is at most 1000 in size"),
        ("9**9**9", "an exponent is at most 1000 in size"),
        ("(1/2)**100000", "an exponent is at most 1000 in size"),
        ("a1**(10**9)", "an exponent is at most 1000 in size"),
        ("(a1**1000)**1000", "an exponent is at most 1000 in size"),
        ("sqrt(2)**(10**8)", "an exponent is at most 1000 in size"),
        ("2**(a1 + 10**9)", "an exponent is at most 1000 in size"),
        ("exp(10**9*log(a1))", "an exponent is at most 1000 in size"),
        ("1001**1000", "constants must stay below 10^1000"),
        ("(10**900*a1)**1000", "constants must stay below 10^1000"),
        ("exp(10000)", "constants must stay below 10^1000"),
        ("exp(-10000)", "constants must stay below 10^1000"),
        ("exp(a1 + 10**9*log(2))", "constants must stay below 10^1000"),
        ("exp(1000*log(1 + 1/10**59))", "constants must stay below 10^1000"),
        ("*".join(["1e400"] * 3), "constants must stay below 10^1000"),
        ("+".join(f"a1/{10**59 + n}" for n in range(99)), "constants must stay below 10^1000"),
        ("*".join(f"a1**(a2/{10**59 + n})" for n in range(99)), "constants must stay below 10^1000"),
        ("sqrt(10**999 + 7)", "numbers under roots must stay below 10^200"),
        ("*".join(f"sqrt({10**59 + n})" for n in range(99)), "constants must stay below 10^1000"),
        ("abs(1 + " * 59 + "a1" + ")" * 59, "abs is nested too deeply"),
    ],
    ids=short,
)
def test_limits(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text, MANY | {"x": x})
    assert caught.value.message == message


@pytest.mark.parametrize(
    "text",
    [
        "+".join(list(MANY)[:2000]),
        "(" * 60 + "a1" + ")" * 60,
        "sqrt(1 + " * 59 + "a1" + ")" * 59,
        "max(" * 59 + "a1" + ", 1)" * 59,
        "min(1 - " * 29 + "a1" + ", a2)" * 29,
        "log(20 + " * 20 + "7" + ")" * 20,
        "**".join(["a1"] * 60),
        "*".join(list(MANY)[:500]),
        "1" * 60,
        "1e-400",
        "1e400*a1/3**999",
        "exp(2302)",
        "sqrt(" + "+".join(f"sqrt({n})" for n in range(2, 400)) + ")",
        "top(2, " + ", ".join(f"a{n} + a{n + 1}" for n in range(500)) + ")",
    ],
    ids=short,
)
def test_large_formulas_are_read_and_written(text: str) -> None:
    formula = parse(text, MANY)
    assert parse(to_text(formula), MANY) == formula


@pytest.mark.parametrize(
    "text",
    [
        "1" * 10**6,
        "(" * 10**6,
        "(" * 100_000,
        "-" * 100_000,
        "-" * 15_000 + "x",
        "[" * 19_000,
        "2**" * 33_000 + "2",
        "2**" * 6_000 + "2",
        "max(" * 19_000,
        "," * 100_000,
        "x " * 50_000,
        "x" * 100_000,
        "f" * 50_000 + "(x)",
        "1e" + "9" * 50_000,
        "1" * 5_000,
        "\u04351 + e1",
        "\uff45\uff11",
        "\u0663",
        "e\u0301",
        "\u202ex",
        "\ud800",
        "__class__",
        "x.__class__",
        "__import__('os')",
        "__import__",
        "lambda: x",
        "lambda",
        "exec(x)",
        "'x'",
        '"x"',
        'f"{x}"',
        "[x]",
        "{x}",
        "x; y",
        "x\x00",
        "x\r\n",
        "x # y",
        "x\\y",
        "x if x else y",
        "x := 3",
        "0x10",
        "1_000",
        "1j",
        "x // y",
        "x % y",
        "x @ y",
        "x!",
        "True",
        "oo - oo",
        "nan",
        "zoo",
        "I",
        "sum",
    ],
    ids=short,
)
def test_hostile_formulas_are_refused(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text, KNOWN)
    message, *formula = str(caught.value).splitlines()
    assert message.isascii() or "U+" in message
    assert "".join(formula).isascii()
    assert len(str(caught.value)) < 400
    with pytest.raises(FormulaError):
        from_python(text, KNOWN)
