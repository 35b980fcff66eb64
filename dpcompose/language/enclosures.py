"""Enclosures: two rational numbers between which a real constant lies, given as a term or in sympy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.kernel import intervals
from dpcompose.kernel.grammar import FormulaError
from dpcompose.kernel.intervals import MOST_LOGARITHM, ONE, ZERO, Interval, NoEnclosure, exp, log
from dpcompose.kernel.terms import Term

if TYPE_CHECKING:
    import sympy

__all__ = ["MOST_LOGARITHM", "ONE", "ZERO", "Interval", "NoEnclosure", "enclosure", "exp", "log"]


def enclosure(value: Term | sympy.Expr, bits: int) -> Interval:
    """Between which rationals a constant formula lies, to about so many significant bits.

    Raises NoEnclosure for what has parameters, no real value, or comes too close to having none.

    >>> import sympy
    >>> x = enclosure(sympy.sqrt(2) * sympy.exp(1), 64)
    >>> float(x.low)
    3.844231028159117
    """
    if isinstance(value, Term):
        return intervals.enclosure(value, bits)
    from dpcompose.language.exchange import of_sympy

    try:
        return intervals.enclosure(of_sympy(value), bits)
    except FormulaError as error:
        raise NoEnclosure(str(error)) from None
