"""Which sympy expressions are formulas, and texts as LaTeX."""

from __future__ import annotations

import math
import re
from itertools import islice

import sympy

from dpcompose.kernel.expressions.formulas import MOST_PARTS
from dpcompose.kernel.expressions.grammar import FormulaError, escaped
from dpcompose.language.worstcase import Over, Top, largest, least

MOST_SIZE = 1_000  # constants stay below 10^1000
MOST_ROOT_DIGITS = 200  # sympy looks for divisors of a number under a root


def digits_of(number: sympy.Rational) -> float:
    """The size of a rational p/q: log10 of the larger of |p| and q."""
    return max(math.log10(abs(int(number.p)) or 1), math.log10(int(number.q)))


WRITABLE = (
    sympy.Symbol,
    sympy.Rational,
    sympy.Add,
    sympy.Mul,
    sympy.Pow,
    sympy.exp,
    sympy.log,
    sympy.tanh,
    sympy.sinh,
    sympy.cosh,
    Top,
    Over,
)
_WORST_CASES = (sympy.Max, sympy.Min, sympy.Abs)


def absolute(value: sympy.Expr) -> sympy.Expr:
    """|x| = max(x, -x)."""
    if sum(1 for _ in islice(sympy.preorder_traversal(value), MOST_PARTS)) == MOST_PARTS:
        raise FormulaError("abs is nested too deeply")
    return largest(value, -value)


def as_top(value: sympy.Expr) -> sympy.Expr:
    """The same with Top for sympy's Max, Min and Abs."""
    if not value.has(*_WORST_CASES):
        return value
    parts = [as_top(part) for part in value.args]
    if isinstance(value, sympy.Abs):
        return absolute(parts[0])
    if isinstance(value, _WORST_CASES):
        return largest(*parts) if isinstance(value, sympy.Max) else least(*parts)
    return value.func(*parts)


def check_writable(value: sympy.Expr) -> None:
    """Refuse what the grammar cannot write, by its name."""
    if value is sympy.oo:
        return
    for part in sympy.preorder_traversal(value):
        if part in (sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
            raise FormulaError(f"{part} cannot stand in a formula; only oo can, alone")
        if not isinstance(part, (*WRITABLE, *_WORST_CASES)) and part is not sympy.E:
            what = part if part.is_Atom else part.func.__name__
            raise FormulaError(f"{what} cannot be written in a formula")
        if part.is_Symbol and (
            not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(\[([0-9]+|i)\])?", part.name) or part.name == "oo"
        ):
            raise FormulaError(f"{escaped(repr(part.name))} is no name that a formula can have")
        _check_size(part)


def _check_size(part: sympy.Expr) -> None:
    """Refuse numbers that formulas may not have, alone or under the roots of one product."""
    if part.is_Rational and digits_of(part) > MOST_SIZE:
        raise FormulaError(f"constants must stay below 10^{MOST_SIZE}")
    if part.is_Mul or part.is_Pow:
        powers = [one.as_base_exp() for one in sympy.Mul.make_args(part)]
        roots = [base for base, exponent in powers if base.is_Rational and not exponent.is_Integer]
        if roots and sum(map(digits_of, roots)) > MOST_ROOT_DIGITS:
            raise FormulaError(f"numbers under roots must stay below 10^{MOST_ROOT_DIGITS}")


_LATEX = {c: rf"\{c}" for c in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "△": r"\ensuremath{\triangle}",
    "∖": r"\ensuremath{\setminus}",
    "↦": r"\ensuremath{\mapsto}",
    "≤": r"\ensuremath{\leq}",
    "∞": r"\ensuremath{\infty}",
    "⌈": r"\ensuremath{\lceil}",
    "⌉": r"\ensuremath{\rceil}",
}


def text_latex(text: object) -> str:
    r"""A text as LaTeX that shows just it.

    >>> print(text_latex(r"a_b $x\y$"))
    a\_b \$x\textbackslash{}y\$
    """
    return "".join(_LATEX.get(c, c) for c in str(text))
