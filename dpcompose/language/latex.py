"""How expressions and texts look in a notebook: LaTeX, and HTML in which a text is only a text."""

from __future__ import annotations

import html
import re

import sympy
from sympy.printing.latex import LatexPrinter, greek_letters_set

from dpcompose.language.worstcase import Top
from dpcompose.language.writing import text_latex


class _Latex(LatexPrinter):
    """sympy's LaTeX, with the names of parameters as mathematics and −max(−x, …) as min(x, …)."""

    def _print_Symbol(self, symbol: sympy.Symbol, style: str = "plain") -> str:
        return name_latex(symbol.name)

    def _print_Mul(self, product: sympy.Expr) -> str:
        number, rest = product.as_coeff_Mul()
        if number < 0 and isinstance(rest, Top) and rest.args[0] == 1 and all(map(_negative, rest.terms)):
            shown = ", ".join(self._print(-term) for term in rest.terms)
            front = "" if number == -1 else self._print(-number) + " "
            return rf"{front}\min\left({shown}\right)"
        printed: str = super()._print_Mul(product)
        return printed


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


def name_latex(name: str) -> str:
    r"""A name as mathematics: e1 as e_{1}, epsilon_max as \varepsilon_{\mathrm{max}}, e[i] as e_{i}."""
    found = re.fullmatch(r"([A-Za-z]+?)(?:_?(\d+)|_([A-Za-z]+))?(?:\[(\d+|i)\])?", name)
    if not found:
        return rf"\mathrm{{{text_latex(name)}}}"
    letter, number, word, member = found.groups()
    below = ", ".join(filter(None, [number, rf"\mathrm{{{word}}}" if word else "", member]))
    if letter == "epsilon":
        letter = "varepsilon"
    if letter in greek_letters_set or letter == "varepsilon":
        letter = "\\" + letter
    elif len(letter) > 1:
        letter = rf"\mathrm{{{letter}}}"
    return f"{letter}_{{{below}}}" if below else letter


def formula_html(expression: sympy.Expr) -> str:
    """An expression inside HTML, as mathematics.

    >>> from dpcompose.language.symbols import symbol
    >>> formula_html(symbol("e1") / 2)
    '$\\\\frac{e_{1}}{2}$'
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
