"""Bounds of exp and log that proofs by calculus use."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from dpcompose.kernel.deciders import elementary, values
from dpcompose.kernel.deciders.elementary import Elementary
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.certificates import letters
from dpcompose.kernel.expressions.domains import REAL
from dpcompose.kernel.expressions.keeping import frozen


@frozen
class Lemma:
    """A bound of exp(u) or log(u), with a rational number p that may be chosen.

    of -- "exp" or "log"; below -- whether the bound lies below it; bound -- a formula in u and p;
    where -- formulas that must be positive; note -- why it holds.
    """

    of: str
    below: bool
    bound: str
    where: tuple[str, ...]
    note: str

    @property
    def chosen(self) -> bool:
        """Whether the bound depends on p."""
        return "p" in formulas.names(self.bound)


LEMMAS: Mapping[str, Lemma] = {
    "exp above its tangents": Lemma(
        "exp", True, "exp(p)*(1 + u - p)", (), "exp is convex, so it lies above its tangent at p"
    ),
    "exp above three terms": Lemma(
        "exp", True, "1 + u + u**2/2", ("u",), "for u > 0 all terms of the series are positive"
    ),
    "exp above four terms": Lemma(
        "exp",
        True,
        "1 + u + u**2/2 + u**3/6",
        (),
        "the remainder of the series is exp(t)*u**4/24 for some t between 0 and u, so it is >= 0",
    ),
    "exp below a hyperbola": Lemma(
        "exp", False, "1/(1 - u)", ("1 - u",), "exp(-u) >= 1 - u, the tangent at 0, inverted"
    ),
    "exp below a parabola": Lemma(
        "exp",
        False,
        "1 + u + u**2",
        ("1 - u", "1 + u"),
        "exp(u) - 1 - u is at most u**2*(1/2 + 1/6 + 1/24 + ...) = u**2*(exp(1) - 2) for -1 < u < 1",
    ),
    "log below its tangents": Lemma(
        "log", False, "log(p) + (u - p)/p", ("u", "p"), "log is concave, so it lies below its tangent at p"
    ),
    "log above a hyperbola": Lemma(
        "log", True, "log(p) + 1 - p/u", ("u", "p"), "log(p/u) <= p/u - 1, the tangent at 1"
    ),
}
"""What is known of exp and log; `p` stands for a rational number that a proof chooses."""


@cache
def _read_lemma(name: str) -> tuple[Lemma, Elementary, tuple[Elementary, ...]]:
    lemma = LEMMAS[name]
    symbols = letters({"u": REAL, "p": REAL})
    bound, *where = (values.of_term(formulas.parse(text, symbols)) for text in (lemma.bound, *lemma.where))
    return lemma, bound, tuple(where)


def bound_by(name: str, u: Elementary, p: Fraction) -> tuple[Elementary, tuple[Elementary, ...]]:
    """The bound of a lemma for a value u, and what must be positive."""

    def at(f: Elementary) -> Elementary:
        values = {"u": u, "p": elementary.constant(p)}
        return elementary.mapped(f, lambda letter: values.get(letter[1]) if letter[0] == "y" else None)

    _, bound, where = _read_lemma(name)
    return at(bound), tuple(map(at, where))
