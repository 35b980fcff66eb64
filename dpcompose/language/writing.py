"""Writing: sympy expressions to the text of formulas, which is read back as the same expression."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import sympy

from dpcompose.language.grammar import (
    MOST_DIGITS,
    MOST_PARTS,
    MOST_ROOT_DIGITS,
    MOST_SIZE,
    FormulaError,
    escaped,
    natural,
)
from dpcompose.language.worstcase import Over, Top, largest, least


def float_refusal(value: float) -> str:
    if math.isinf(value):
        return "inf is a float; write sympy.oo"
    if math.isnan(value):
        return "nan is no number"
    exact = Fraction(float.__repr__(value))
    return f"{float.__repr__(value)} is a float; write Rational({exact.numerator}, {exact.denominator})"


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
    Top,
    Over,
)
_WORST_CASES = (sympy.Max, sympy.Min, sympy.Abs)
_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly a text holds together


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
        if isinstance(part, sympy.Float):
            raise FormulaError(float_refusal(float(part)))
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


@lru_cache(maxsize=512, typed=True)
def to_text(expression: sympy.Expr) -> str:
    """The formula of an expression: `parse` reads it back as the same expression.

    >>> from dpcompose.language.symbols import symbol
    >>> e1, e2, e10 = map(symbol, ["e1", "e2", "e10"])
    >>> to_text(e10 + 2*e2/3 - e1), to_text(least(e1, e2)), to_text(1 / sympy.sqrt(e1))
    ('2*e2/3 + e10 - e1', 'min(e1, e2)', '1/sqrt(e1)')
    >>> to_text(sympy.sin(e1))
    Traceback (most recent call last):
    dpcompose.language.grammar.FormulaError: sin cannot be written in a formula
    """
    check_writable(expression)
    return "oo" if expression is sympy.oo else _Writing().text(as_top(expression))


def _order(value: sympy.Expr, text: str) -> tuple[bool, bool, list[str | int]]:
    """Constants last, functions after powers, then by name; numbers in front do not count."""
    bare = re.sub(r"^-?([0-9]+\*)?", "", text)
    return not value.free_symbols, "(" in text, natural(bare)


def _integer(number: int) -> tuple[str, int]:
    """A whole number ≥ 0; beyond 60 digits as a sum of shorter ones times powers of 10."""
    digits = str(number)
    if len(digits) <= MOST_DIGITS:
        return digits, _ATOM
    short = digits.rstrip("0")
    if len(short) <= MOST_DIGITS:
        power = f"10**{len(digits) - len(short)}"
        return (power, _POWER) if short == "1" else (f"{short}*{power}", _PRODUCT)
    parts = []
    for end in range(len(digits), 0, -MOST_DIGITS):
        part = digits[max(0, end - MOST_DIGITS) : end].lstrip("0")
        if part:
            parts.append(part if end == len(digits) else f"{part}*10**{len(digits) - end}")
    return " + ".join(reversed(parts)), _SUM


def _roots(product: sympy.Expr) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
    """The factors to write under one root, and the others: sympy makes sqrt(x)*sqrt(y) of sqrt(x*y)."""
    factors = list(sympy.Mul.make_args(product))
    roots = [one for one in factors if one.is_Pow and one.exp == sympy.Rational(1, 2)]
    # Only where sympy takes the one root apart again into the same factors.
    if len(roots) > 1 and sympy.sqrt(sympy.Mul(*(root.base for root in roots))) == sympy.Mul(*roots):
        return roots, [one for one in factors if one not in roots]
    return [], factors


class _Writing:
    """The texts of one expression's parts, each written once: a part is compared before it is used."""

    def __init__(self) -> None:
        self._written: dict[sympy.Expr, tuple[str, int]] = {}

    def text(self, value: sympy.Expr) -> str:
        """The text of a part."""
        if value not in self._written:
            self._written[value] = self._write(value)
        return self._written[value][0]

    def held(self, value: sympy.Expr, tightness: int) -> str:
        """The same, in parentheses where it holds together less tightly than needed."""
        text = self.text(value)
        return text if self._written[value][1] >= tightness else f"({text})"

    def _write(self, value: sympy.Expr) -> tuple[str, int]:
        """The text of an expression and how tightly it holds together."""
        if value.is_Symbol:
            return value.name, _ATOM
        if value is sympy.E:
            return "exp(1)", _ATOM
        if value.is_Integer and value >= 0:
            return _integer(int(value))
        if value.is_Add:
            return self._sum(value), _SUM
        if isinstance(value, Top) and not self._is_minimum(value):
            return self._top(value), _ATOM
        if isinstance(value, Over):
            m, x, k = value.args
            rest = f"{self.text(x)}, i, 1, {self.text(k)})"
            return (f"max({rest}" if m == 1 else f"sum({rest}" if m == k else f"top({m}, {rest}"), _ATOM
        if isinstance(value, (sympy.exp, sympy.log)):
            return f"{value.func.__name__}({self.text(value.args[0])})", _ATOM
        if value.is_Pow and not (value.exp.is_Rational and value.exp < 0):
            if value.exp == sympy.Rational(1, 2):
                return f"sqrt({self.text(value.base)})", _ATOM
            return f"{self.held(value.base, _ATOM)}**{self.held(value.exp, _POWER)}", _POWER
        return self._product(value), _PRODUCT

    def _sum(self, value: sympy.Expr) -> str:
        """Positive terms, negative terms, constants; but 1 - x rather than -x + 1."""

        def order(term: sympy.Expr) -> tuple[bool, bool, tuple[bool, bool, list[str | int]]]:
            text = self.text(term)
            return not term.free_symbols, text.startswith("-"), _order(term, text)

        texts = [self.text(term) for term in sorted(value.args, key=order)]
        first = next((at for at, text in enumerate(texts) if not text.startswith("-")), 0)
        texts.insert(0, texts.pop(first))
        rest = (f" - {text[1:]}" if text.startswith("-") else f" + {text}" for text in texts[1:])
        return texts[0] + "".join(rest)

    def _top(self, value: Top) -> str:
        count, terms = value.args[0], value.terms
        if count == 1 and len(terms) == 2 and terms[0] == -terms[1]:
            return f"abs({min(map(self.text, terms), key=lambda text: (text[0] == '-', text[0].isdigit()))})"
        return (f"top({count}, " if count != 1 else "max(") + self._list(terms) + ")"

    def _list(self, terms: Iterable[sympy.Expr]) -> str:
        return ", ".join(map(self.text, sorted(terms, key=lambda term: _order(term, self.text(term)))))

    def _is_minimum(self, value: sympy.Expr, subtracted: bool = False) -> bool:
        """Whether -value reads better as a minimum: value is max(-x, -y); where it is subtracted, also if
        no more terms begin with a sign in the minimum."""
        if not (isinstance(value, Top) and value.args[0] == 1 and any(value.terms)):
            return False
        signed = sum(self.text(term).startswith("-") for term in value.terms)
        if signed == sum(map(bool, value.terms)):
            return True
        is_absolute = len(value.terms) == 2 and value.terms[0] == -value.terms[1]
        turned = sum(self.text(-term).startswith("-") for term in value.terms) if subtracted else 0
        return subtracted and not is_absolute and turned <= signed

    def _product(self, value: sympy.Expr) -> str:
        number, rest = value.as_coeff_Mul()
        over: list[tuple[sympy.Expr, str]] = []
        under: list[tuple[sympy.Expr, str]] = []
        roots, others = _roots(rest)
        if roots:
            inside = sympy.Mul(*(root.base for root in roots))
            over.append((sympy.Mul(*roots), f"sqrt({self.text(inside)})"))
        subtracted = number < 0 and sum(isinstance(factor, Top) for factor in others) == 1
        for factor in others:
            if self._is_minimum(factor, subtracted):
                number = -number
                over.append((factor, f"min({self._list(-term for term in factor.terms)})"))
            elif factor.is_Pow and factor.exp.is_Rational and factor.exp < 0:
                inverse = sympy.Pow(factor.base, -factor.exp)
                under.append((inverse, self.held(inverse, _POWER)))
            elif factor != 1:
                over.append((factor, self.held(factor, _POWER)))
        # Sums last: in front, a number or a sign would be multiplied into them.
        for factors in (over, under):
            factors.sort(key=lambda factor: (factor[0].is_Add, _order(*factor)))
        p, q = sympy.Integer(abs(number.p)), sympy.Integer(number.q)
        above, below = [text for _, text in over], [text for _, text in under]
        if p != 1 or not over:
            above.insert(0, self.held(p, _PRODUCT))
        if q != 1:
            below.insert(0, self.held(q, _POWER))
        # 1/(2*(x + y)) would be read as 1/(2*x + 2*y), which is another expression in sympy.
        apart = q != 1 and len(under) == 1 and under[0][0].is_Add
        if len(below) > 1 and not apart:
            below = [f"({'*'.join(below)})"]
        return ("-" if number < 0 else "") + "/".join(["*".join(above), *below])


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
