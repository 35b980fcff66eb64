"""Switches: maxima that are seen to be −1 or 0, as those of what is there from a whole number on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpcompose.kernel.expressions.terms import Term


def is_switch(x: Term) -> bool:
    """Whether a maximum is seen to be −1 or 0: that of −1 and what is a whole number up to 0.

    >>> from dpcompose.kernel.expressions import terms
    >>> from dpcompose.kernel.expressions.domains import Domain
    >>> m = terms.letter("m", Domain.read("integer >= 1"))
    >>> steps = terms.largest(terms.ZERO, m - 1)
    >>> is_switch(terms.largest(terms.MINUS_ONE, -steps)), is_switch(terms.largest(-m, -steps))
    (True, False)
    """
    if x.kind != "top" or x.of[0] != 1 or x.of[1].number != -1:
        return False
    if not all((-one).nonnegative for one in x.of[2:]):
        return False
    broken = any(term.of[0].denominator != 1 for term in x.every("number"))
    others = any(x.has(kind) for kind in ("power", "exp", "log", "over", "oo"))
    return not broken and not others and all(domain.integer for domain in x.letters.values())
