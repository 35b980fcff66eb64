"""The signs of terms, as seen from those of their parts: x·y + 1 is positive where x and y are ≥ 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Protocol

from dpcompose.kernel.expressions.domains import Domain


class Tree(Protocol):
    """What signs are seen from: a node's kind and what it is made of, the signs of its parts, its letters."""

    @property
    def kind(self) -> str: ...

    @property
    def of(self) -> tuple[Any, ...]: ...

    @property
    def nonnegative(self) -> bool: ...

    @property
    def positive(self) -> bool: ...

    @property
    def letters(self) -> Mapping[str, Domain]: ...

    @property
    def split(self) -> tuple[Fraction, Any]: ...

    def has(self, kind: str) -> bool: ...

    def every(self, kind: str) -> Iterator[Tree]: ...


def is_seen(term: Tree, strict: bool) -> bool:
    """Whether a term is seen to be ≥ 0, or > 0, wherever it has a value."""
    kind, of = term.kind, term.of
    if kind == "number":
        return bool(of[0] > 0 or (not strict and of[0] == 0))
    if kind == "letter":
        return bool(of[1].positive if strict else of[1].nonnegative)
    if kind == "sum":
        every = all(one.nonnegative for one in of) and (not strict or any(one.positive for one in of))
        return every or _grows(term, strict)
    if kind == "product":
        return all(_has(one, strict) for one in of) or _is_least(term, strict)
    if kind == "power":
        exponent = of[1].number
        even = exponent is not None and exponent.denominator == 1 and exponent.numerator % 2 == 0
        return _has(of[0], strict) or (even and not strict)
    if kind == "top":
        return _is_greatest(term, strict)
    if kind == "log":
        return _has(of[0] - 1, strict)
    return kind in ("exp", "oo") or (kind == "over" and _has(of[1], strict))


def _has(term: Tree, strict: bool) -> bool:
    return term.positive if strict else term.nonnegative


def _is_greatest(term: Tree, strict: bool) -> bool:
    """Whether as many members as are added up have the sign, or −x is a member beside x."""
    m, *members = term.of
    if sum(_has(one, strict) for one in members) >= m >= strict:
        return True
    return m == 1 and not strict and any(-one in members for one in members)


def _grows(term: Tree, strict: bool) -> bool:
    """Whether a sum is c + b·exp(t) = (c + b) + b·(exp(t) − 1) with c + b ≥ 0, and b·t has the sign."""
    constants = [one.of[0] for one in term.of if one.kind == "number"]
    if len(term.of) != 2 or len(constants) != 1:
        return False
    b, grown = next(one for one in term.of if one.kind != "number").split
    if grown.kind != "exp" or constants[0] + b < 0:
        return False
    t = grown.of[0]
    return _has(t if b > 0 else -t, strict)


def _is_least(term: Tree, strict: bool) -> bool:
    """Whether a product is a minimum −c·max(−x, −y)·z, c > 0, of which all x, y and z have the sign."""
    (c, rest), worst = term.split, [one for one in term.of if one.kind == "top"]
    others = [factor for factor in rest.factors if factor.kind != "top"]
    inside = [-part for peak in worst for part in peak.parts]
    return c < 0 and len(worst) == 1 and all(_has(one, strict) for one in [*inside, *others])


def is_switch(x: Tree) -> bool:
    """Whether a maximum is seen to be −1 or 0: that of −1 and what is a whole number up to 0, as of what is
    there from a whole number on.

    >>> from dpcompose.kernel.expressions import terms
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
