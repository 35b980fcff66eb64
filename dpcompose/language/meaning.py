"""The signs of constants that are given as sympy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.kernel.expressions import intervals

if TYPE_CHECKING:
    import sympy


def sign(constant: sympy.Expr) -> int | None:
    """The sign of a real constant, 1 or -1, from an enclosing interval.

    None where it has parameters, or lies too close to 0 to tell.

    >>> import sympy
    >>> sign(1 - sympy.sqrt(2)), sign(sympy.log(2))
    (-1, 1)
    """
    from dpcompose.language.exchange import of_sympy

    term = of_sympy(constant)
    return None if term.letters else intervals.sign(term) or None
