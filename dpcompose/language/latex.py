"""How expressions and texts look in a notebook: LaTeX, and HTML in which a text is only a text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import sympy
from sympy.printing.latex import LatexPrinter, greek_letters_set

from dpcompose.language.worstcase import Top
from dpcompose.language.writing import text_latex

EULER = r"\mathrm{e}"
"""Euler's number is upright, and no parameter."""


class _Least(sympy.Function):
    """A minimum, to print it: it is never evaluated."""

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        shown = ", ".join(printer._print(term) for term in self.args)
        power = f"^{{{exp}}}" if exp is not None else ""
        return rf"\min{power}\left({shown}\right)"


class _Latex(LatexPrinter):
    """sympy's LaTeX, with the names of parameters as mathematics and −max(−x, …) as min(x, …)."""

    def _print_Symbol(self, symbol: sympy.Symbol, style: str = "plain") -> str:
        return name_latex(symbol.name)

    def _print(self, expression: object, **given: object) -> str:
        printed: str = EULER if expression is sympy.E else super()._print(expression, **given)
        return printed

    def _print_ExpBase(self, power: sympy.Expr, exp: str | None = None) -> str:
        exponent, before = power.args[0], self._settings["fold_short_frac"]
        below = [sympy.fraction(term)[1] for term in sympy.Add.make_args(exponent)]
        self._settings["fold_short_frac"] = all(x.is_Atom for x in below)  # a/b, but no a/2b
        shown = rf"{EULER}^{{{self._print(exponent)}}}"
        self._settings["fold_short_frac"] = before
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"

    def _print_Mul(self, product: sympy.Expr) -> str:
        printed: str = super()._print_Mul(_turned(product))
        return printed

    def _print_Add(self, total: sympy.Expr, order: str | None = None) -> str:
        terms = [_turned(term) for term in total.args]
        turned = sympy.Add(*terms) if terms != list(total.args) else total
        ordered = sorted(self._as_ordered_terms(turned, order=order), key=_negative)  # 1 - d, not -d + 1
        printed: str = super()._print_Add(sympy.Add(*ordered, evaluate=False), order="none")
        return printed


def _turned(product: sympy.Expr) -> sympy.Expr:
    """−c·max(−x, −y) as c·min(x, y), where at least half of the terms are negative."""
    number, rest = product.as_coeff_Mul()
    tops = [factor for factor in sympy.Mul.make_args(rest) if isinstance(factor, Top)]
    if number > 0 or len(tops) != 1 or tops[0].args[0] != 1:
        return product
    terms = tops[0].terms
    is_absolute = len(terms) == 2 and terms[0] == -terms[1]
    if is_absolute or 2 * sum(map(_negative, terms)) < len(terms):
        return product
    return -(product.xreplace({tops[0]: _Least(*(-term for term in terms))}))


def _negative(term: sympy.Expr) -> bool:
    return bool(term.could_extract_minus_sign())


def latex(expression: sympy.Expr) -> str:
    r"""An expression as LaTeX, without dollar signs.

    >>> from dpcompose.language.symbols import symbol
    >>> print(latex(symbol("epsilon1") + 2 * symbol("x_y_")))
    \varepsilon_{1} + 2 \mathrm{x\_y\_}
    """
    printed: str = _Latex().doprint(expression)
    return printed


_E_AS_EPSILON = ContextVar("e as epsilon", default=True)


@contextmanager
def told_apart(names: Iterable[str]) -> Iterator[None]:
    """Where parameters are called e1 and epsilon1 both, e1 stays an e, so that they are not taken for one."""
    some = list(names)
    before = _E_AS_EPSILON.set(len({name_latex(name) for name in some}) == len(set(some)))
    try:
        yield
    finally:
        _E_AS_EPSILON.reset(before)


def name_latex(name: str) -> str:
    r"""A name as mathematics: e1 as \varepsilon_{1}, e[i] as \varepsilon_{i}, rho_max as \rho_{\mathrm{max}}.

    What is called e is never Euler's number, so it is written as epsilon is; see `told_apart`.
    """
    match = re.fullmatch(r"([A-Za-z]+?)(?:_?(\d+)|_([A-Za-z]+))?(?:\[(\d+|i)\])?", name)
    if not match:
        return rf"\mathrm{{{text_latex(name)}}}"
    letter, number, word, member = match.groups()
    below = ", ".join(filter(None, [number, rf"\mathrm{{{word}}}" if word else "", member]))
    if letter == "epsilon" or (letter == "e" and _E_AS_EPSILON.get()):
        letter = "varepsilon"
    if letter in greek_letters_set or letter == "varepsilon":
        letter = "\\" + letter
    elif len(letter) > 1:
        letter = rf"\operatorname{{{letter}}}"
    return f"{letter}_{{{below}}}" if below else letter


def formula_html(expression: sympy.Expr) -> str:
    """An expression inside HTML, as mathematics.

    >>> from dpcompose.language.symbols import symbol
    >>> formula_html(symbol("e1") / 2)
    '$\\\\frac{\\\\varepsilon_{1}}{2}$'
    """
    return f"${html.escape(latex(expression), quote=False)}$"


_PLAIN = '<span class="mathjax_ignore tex2jax_ignore">{}</span>'


def text_html(text: object) -> str:
    """A text as HTML that shows just it; dollar signs and backslashes start no formula.

    >>> text_html("<b> & c")
    '&lt;b&gt; &amp; c'
    """
    escaped = html.escape(str(text))
    return re.sub(r"[$\\]", lambda found: _PLAIN.format(found[0]), escaped)
