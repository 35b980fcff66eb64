"""How a value shows itself in a notebook: one line of texts and formulas, as HTML and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sympy


class Shown:
    r"""A value that is one line, in which texts and formulas alternate; `_line` says which.

    In HTML and LaTeX a text is only a text, so that no name a user gives is ever markup; a formula is
    mathematics.  Left as it is, the line is the text of `repr`.

    >>> class Person(Shown):
    ...     def __repr__(self):
    ...         return "<b> & $x_1$"
    >>> Person()._repr_html_().replace('<span class="mathjax_ignore tex2jax_ignore">$</span>', "$")
    '<p>&lt;b&gt; &amp; $x_1$</p>'
    >>> print(Person()._repr_latex_())
    \textless{}b\textgreater{} \& \$x\_1\$
    """

    __slots__ = ()

    def _line(self) -> Sequence[str | sympy.Expr]:
        """The line, cut into texts and formulas."""
        return [repr(self)]

    def _repr_html_(self) -> str:
        from dpcompose.language.latex import formula_html, text_html

        shown = (text_html(part) if isinstance(part, str) else formula_html(part) for part in self._line())
        return f"<p>{''.join(shown)}</p>"

    def _latex(self, printer: object) -> str:
        """The line inside mathematics, for sympy.latex."""
        from dpcompose.language.latex import latex
        from dpcompose.language.writing import text_latex

        parts = (rf"\text{{{text_latex(x)}}}" if isinstance(x, str) else latex(x) for x in self._line())
        return "".join(parts)

    def _repr_latex_(self) -> str:
        from dpcompose.language.latex import latex
        from dpcompose.language.writing import text_latex

        return "".join(
            text_latex(part) if isinstance(part, str) else f"${latex(part)}$" for part in self._line()
        )
