"""Forms with other forms in place of atoms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from second_checker.algebra import Algebra
from second_checker.forms import Form, add, made, number

Rewrite = Callable[[Any], Form | None]


def rewritten(algebra: Algebra, form: Form, rewrite: Rewrite) -> Form:
    """The form with other forms in place of atoms, where `rewrite` gives one."""
    total = []
    for monomial, factor in form:
        term = number(factor)
        for a, p in monomial:
            new = rewrite(a)
            base = new if new is not None else within(algebra, a, rewrite)
            term = algebra.times(term, algebra.power(base, p))
        total.append(term)
    return add(*total)


def within(algebra: Algebra, a: Any, rewrite: Rewrite) -> Form:
    """An atom, rewritten in what it is of."""
    match a:
        case ("letter", _) | ("prime", _):
            return made([(frozenset([(a, Fraction(1))]), Fraction(1))])
        case ("top", m, members):
            return algebra.top(m, [y for x, n in members for y in [rewritten(algebra, x, rewrite)] * n])
        case ("family", m, member, count):
            m = rewritten(algebra, m, rewrite) if isinstance(m, frozenset) else m
            return algebra.family(m, rewritten(algebra, member, rewrite), rewritten(algebra, count, rewrite))
        case ("exp", x):
            return algebra.exp(rewritten(algebra, x, rewrite))
        case ("log", x):
            return algebra.log(rewritten(algebra, x, rewrite))
    return rewritten(algebra, a[1], rewrite)
