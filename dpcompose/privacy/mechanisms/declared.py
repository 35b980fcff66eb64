"""What users say of their own: a query with its sensitivity, noise with its density."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.symbols import REAL, symbol
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.noises import Noise, gaussian_noise, laplace
from dpcompose.spaces.inputs.queries import Query

if TYPE_CHECKING:
    import sympy

SCALED = ("real", "vector")
"""What noise is for whose parameter is a scale: at values Δ times as far apart it does what it does at 1 with
a Δ-th of the scale."""


@frozen
class Declared:
    """A query of which only its sensitivity is known, and that is declared.

    words -- what is computed; sensitivity -- how far its value moves between the target's neighbours at most:
    for Laplace noise in the sum of the entries, for normal noise in the Euclidean norm.
    """

    words: str
    sensitivity: Term

    def guarantee(self, noise: Noise) -> Guarantee:
        """What follows for noise of some scale on its value.  Raises TypeError for noise of other values."""
        if noise.kind.takes not in SCALED:
            raise TypeError(f"{noise.words} is for {noise.kind.needs}; here a sensitivity is declared")
        guarantee = noise.with_parameter(noise.term / self.sensitivity).guarantee()
        assert guarantee is not None
        return guarantee

    def __repr__(self) -> str:
        return f"{self.words}, of sensitivity {formulas.to_text(self.sensitivity)} (declared)"


def query(words: object, sensitivity: object) -> Declared:
    """A query of one's own, with how far it moves between neighbours of the target: this is declared.

    words -- what it computes: a text, a function, or a sympy expression, for readers, and not checked;
    sensitivity -- positive: a number or formula, in the norm of the noise: L1 for Laplace noise, L2 for
    normal noise.  Of queries such as `count` the sensitivity is derived: use these where they fit.

    Raises TypeError for a query whose sensitivity is derived.

    >>> import dpcompose as dpc
    >>> longest = dpc.query("the longest stay", "c")
    >>> dpc.mechanism("M", query=longest, noise=dpc.laplace("b"))
    M reads D and is pure (c/b)
    """
    if words is None or isinstance(words, Query | Declared):
        what = "a query of your own" if words is None else f"not {words!r}, of which it follows"
        raise TypeError(f"a sensitivity is declared of a text, a function or an expression: {what}")
    if isinstance(words, str):
        said = words
    else:
        said = str(words) if formulas.is_expression(words) else str(getattr(words, "__name__", words))
    return Declared(said, formulas.term(sensitivity))


def _of_laplace(slope: Any) -> tuple[Any, Any]:
    """The scale b where the density is exp(slope·|x|)/(2b), and 2b."""
    return -1 / slope, -2 / slope


def _of_normal(slope: Any) -> tuple[Any, Any]:
    """The standard deviation s where the density is exp(slope·x²)/(s√(2π)), and s√(2π)."""
    import sympy

    return sympy.sqrt(-1 / (2 * slope)), sympy.sqrt(-sympy.pi / slope)


LAWS: tuple[tuple[Callable[[Any], Noise], Callable[[Any], Any], Callable[[Any], tuple[Any, Any]]], ...] = (
    (laplace, abs, _of_laplace),
    (gaussian_noise, lambda x: x**2, _of_normal),
)
"""Noise by the logarithm of its density: what that is a multiple of, but for a constant."""


def _in_a_symbol(density: Any, x: sympy.Symbol | None) -> tuple[sympy.Expr, sympy.Symbol]:
    """A density as a formula in a symbol.  Raises TypeError where it is not said in which."""
    from sympy.stats import density as density_of
    from sympy.stats import random_symbols

    if formulas.is_expression(density) and random_symbols(density):
        density = density_of(density)
    if callable(density):
        x = symbol("x", REAL)
        density = density(x)
    symbols = density.free_symbols if formulas.is_expression(density) else set()
    if x is None and len(symbols) == 1:
        (x,) = symbols
    if x is None or x not in symbols:
        raise TypeError(
            f"noise is given by its density, a formula in a symbol: noise(density, x), not {density}"
        )
    return density, x


def noise(density: sympy.Expr | Callable[[Any], Any], x: sympy.Symbol | None = None) -> Noise:
    """Laplace or normal noise that is given by its density.

    density -- a formula in x, a function such as sympy's Lambda, or a random variable of sympy.stats;
    x -- left out: the only symbol of the formula.  The formula is matched exactly.  Raises ValueError for a
    density that is neither: noise of another kind has a theorem page of one's own.

    >>> import sympy
    >>> x, (b,) = sympy.Symbol("x", real=True), sympy.symbols("b,", positive=True)
    >>> print(noise(sympy.exp(-abs(x) / b) / (2 * b), x).words)
    Laplace noise of scale b
    >>> print(noise(sympy.exp(-(x**2) / 8) / sympy.sqrt(8 * sympy.pi), x).words)
    normal noise of standard deviation 2
    >>> from sympy.stats import Normal
    >>> noise(Normal("X", 0, 2)) == noise(sympy.exp(-(x**2) / 8) / sympy.sqrt(8 * sympy.pi))
    True
    """
    import sympy

    density, x = _in_a_symbol(density, x)
    here = symbol(x.name, REAL)
    written = sympy.expand_log(sympy.log(density.xreplace({x: here})), force=True).expand()
    for made, shape, whole in LAWS:
        slope = written.coeff(shape(here))
        scale, rest = whole(slope), (written - slope * shape(here)).expand()
        if slope.is_negative and (sympy.exp(rest) * scale[1]).expand() == 1:
            law: Noise = made(scale[0])
            return law
    raise ValueError(
        f"{density} is the density of no Laplace or normal noise around 0 in {x}; other noise is stated by a "
        "theorem page of your own"
    )
