"""The density of an output and the privacy loss ln(f_D(y)/f_E(y)), as expressions: pages of kind noise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.said import Words, reason
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import REAL, symbol
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Theory

if TYPE_CHECKING:
    import sympy


@cache
def letters() -> dict[str, sympy.Symbol]:
    """y: an entry of the output; x, z: that entry of the query's value at D and at E; π, for which formulas
    have no name; others: see the page."""
    return {name: symbol(name, REAL) for name in "acuvwxyz"} | {"pi": symbol("pi")}


def formula(head: registry.Noise, text: str, noise: Noise) -> sympy.Expr:
    """A formula of a noise's page in x, y, z, with the noise's parameter in place of its letter."""
    return formulas.parse(text, {**letters(), head.parameter: noise.parameter})


@frozen(repr=False)
class Density(Shown):
    """How the output of a mechanism with noise is distributed, entry by entry, and what it loses.

    density -- of the output y where the query's value is x; probabilities for whole numbers and bits;
    loss -- ln(f_x(y)/f_z(y)) at values x of D and z of E; at_most -- what is at least the loss at every y;
    where it has no bound, what it equals; because -- the step that shows it, in words.
    """

    density: sympy.Expr
    loss: sympy.Expr
    at_most: sympy.Expr
    because: Words

    def __repr__(self) -> str:
        return "".join(map(str, self._line()))

    def _line(self) -> Sequence[str | sympy.Expr]:
        density, loss = (self.density, " is the density of y at x; the loss "), (self.loss, " gives ")
        return [*density, *loss, self.at_most, Words(" (", self.because, ")")]


def density(noise: Noise, theory: Theory | None = None) -> Density:
    """The density of one entry of the output, and its privacy loss, in sympy symbols x, y, z.

    noise -- such as `laplace`; theory -- the pages; else those that ship.  Raises ValueError where no page
    states one.

    >>> from dpcompose.privacy.mechanisms.noises import laplace
    >>> spread = density(laplace("1/e"))
    >>> spread.density, spread.loss
    (e*exp(-e*Abs(x - y))/2, e*(-Abs(x - y) + Abs(y - z)))
    >>> spread.because
    'triangle inequality: |y - z| <= |y - x| + |x - z|'
    """
    page = (theory or registry.standard()).noise(noise.word)
    if page is None:
        raise ValueError(f"there is no page for {noise.word} noise")
    head: registry.Noise = page.head
    f, loss, then = (
        _plain(formula(head, text, noise)) for text in (head.density, head.loss, head.at_most or head.equals)
    )
    return Density(f, loss, then, Words(*reason(head.because)))


def _plain(expression: sympy.Expr) -> sympy.Expr:
    """With sympy's own absolute values and π, so that it integrates and plots."""
    import sympy

    from dpcompose.language.worstcase import Top

    def absolute(m: sympy.Expr, *terms: sympy.Expr) -> sympy.Expr:
        if m == 1 and len(terms) == 2 and sympy.expand(terms[0] + terms[1]) == 0:
            return sympy.Abs(terms[0])
        return Top(m, *terms)

    return expression.replace(Top, absolute).xreplace({letters()["pi"]: sympy.pi})
