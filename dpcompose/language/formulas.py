"""Formulas: the text of a real number or of a function of parameters, to sympy and back.

A formula is `sqrt(m1**2 + m2**2)`, `max(e1 + e2, e1 + e3)`, `top(2, e1, e2, e3)`, `1e-6`,
or `oo`, which stands alone.  The grammar is formulas.lark.  Text is never evaluated as
Python, and every limit is checked before the work that it bounds, so that any text is
either read or refused quickly.

- `parse` reads a formula, `names` lists its parameters, `to_text` writes it again;
- `from_python` reads what a Python user gives as a parameter;
- `evaluate` is the exact value at a point.

Everything refused is a `FormulaError`, which points at the mistake.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence

import sympy

from dpcompose.language.grammar import FUNCTIONS, RESERVED, FormulaError, escaped, names, read_tree
from dpcompose.language.meaning import Meaning
from dpcompose.language.symbols import member, symbol
from dpcompose.language.values import evaluate
from dpcompose.language.writing import as_top, check_writable, float_refusal, to_text

__all__ = [
    "FUNCTIONS",
    "RESERVED",
    "FormulaError",
    "conditions",
    "evaluate",
    "from_python",
    "names",
    "parse",
    "to_text",
]


def parse(
    text: str,
    symbols: Mapping[str, sympy.Expr],
    families: Mapping[str, Sequence[sympy.Expr]] | None = None,
    index: str | None = None,
) -> sympy.Expr:
    """The sympy expression that a formula means, where `symbols` says what its names mean.

    families -- what e[1], e[2], … mean, as {"e": [first, second, …]}; with it `sum(e[i], i, 1, k)`,
    and `max` and `top` of a family, are written out.  A family that `symbols` knows by its
    general member "e[i]" stays as it is: `worstcase.Over`.
    index -- the letter i that e[i] may have outside of sums, in a family's own guarantee.
    `max`, `min`, `abs` and `top` become `worstcase.Top`.  Raises FormulaError.

    >>> parse("2*max(e1, e2)/3 + 0.1", {"e1": symbol("e1"), "e2": symbol("e2")})
    2*max(e1, e2)/3 + 1/10
    >>> parse("2*e11", {"e1": symbol("e1")})
    Traceback (most recent call last):
    dpcompose.language.grammar.FormulaError: unknown name 'e11'; did you mean 'e1'?
      2*e11
        ^
    """
    tokens, tree = read_tree(text, symbols)
    if tokens[0] == "oo":
        return sympy.oo
    try:
        return Meaning(text, symbols, families or {}, index).of(tree)
    except RecursionError:
        raise FormulaError("the formula is nested too deeply for sympy", text) from None


def conditions(
    text: str, symbols: Mapping[str, sympy.Expr], index: str | None = None
) -> list[tuple[sympy.Expr, str]]:
    """What must hold for the formula to have a real value as it is written: (x, "> 0"), ">= 0" or "!= 0".

    What cancels is asked about too: log(x) - log(x) needs x > 0.

    >>> conditions("log(x) - log(x) + x/x", {"x": symbol("x")})
    [(x, '> 0'), (x, '> 0'), (x, '!= 0')]
    """
    _, tree = read_tree(text, symbols)
    meaning = Meaning(text, symbols, {}, index)
    meaning.of(tree)
    return meaning.conditions


def from_python(value: object, known: Mapping[str, sympy.Expr] | None = None) -> sympy.Expr:
    """The expression that a Python user gives: sympy, an int, a Fraction, or a formula's text.

    known -- what the names in a text mean; None for positive parameters of those names.
    A family's guarantee is in terms of its i-th member: e[i], also as sympy's Indexed.
    Floats are refused: their rational value is seldom what was meant.

    >>> from fractions import Fraction
    >>> from_python(Fraction(1, 3)), from_python("max(e1, e2)")
    (1/3, max(e1, e2))
    >>> from_python(0.1)
    Traceback (most recent call last):
    dpcompose.language.grammar.FormulaError: 0.1 is a float; write Rational(1, 10)
    """
    if isinstance(value, str):
        known = {name: symbol(name) for name in names(value)} if known is None else known
        return parse(value, known, index="i")
    if isinstance(value, sympy.Expr):
        value = value.xreplace({one: member(str(one.base)) for one in value.atoms(sympy.Indexed)})
        check_writable(value)
        return as_top(value)
    if isinstance(value, float):
        raise FormulaError(float_refusal(value))
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        exact = sympy.Rational(int(value.numerator), int(value.denominator))
        check_writable(exact)
        return exact
    shown = escaped(repr(value))
    raise FormulaError(f"{shown if len(shown) <= 60 else type(value).__name__} is no formula and no number")
