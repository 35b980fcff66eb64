"""Formulas where some distances are ∞: ∞, or a formula without them, or no value that is seen.

A number ≥ 0 times ∞ is ∞, also for 0: a parameter may be 0 where the input moves by ∞, and then nothing is
known of the outputs.  A limit 0, as of exp(-d), times ∞ has no value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpcompose.kernel.core.assumptions import NOTHING, Assumed
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import forms, formulas, substitution, terms
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term


class NoValue(ValueError):
    """A formula has no value that is seen where a distance is ∞."""


@frozen
class Infinite:
    """∞ or −∞, as a value on the way."""

    sign: int


Value = Term | Infinite


def at(term: Term, distances: Mapping[str, Term], assumed: Assumed = NOTHING) -> Term:
    """A formula at distances by the names of their letters, some of which may be ∞.  Raises NoValue.

    >>> from dpcompose.kernel.expressions.metrics import letter
    >>> d, e = letter("d__d"), terms.letter("e")
    >>> at(e * d + 1, {"d__d": INFINITY}), at(terms.least(d, 3 + 0 * d), {"d__d": INFINITY})
    (oo, 3)
    >>> at(1 - terms.exp(-d), {"d__d": INFINITY})
    1
    """
    infinite = frozenset(name for name, far in distances.items() if far.kind == "oo")
    finite = {name: far for name, far in distances.items() if far.kind != "oo"}
    if infinite.isdisjoint(term.letters):
        return substitution.substituted(term, finite)
    value = _Reading(infinite, assumed).value(term)
    if isinstance(value, Infinite):
        if value.sign < 0:
            raise _unknown(term)
        return INFINITY
    return substitution.substituted(value, finite)


@frozen
class _Reading:
    """The extended values of formulas; infinite -- the letters that are ∞."""

    infinite: frozenset[str]
    assumed: Assumed

    def value(self, term: Term) -> Value:
        if self.infinite.isdisjoint(term.letters):
            return term
        if term.kind == "letter":
            return Infinite(1)
        parts = [self.value(part) for part in term.parts]
        signs = [part.sign for part in parts if isinstance(part, Infinite)]
        if not signs and term.kind != "product":
            return substitution.made_of(term, [part for part in parts if isinstance(part, Term)])
        value: Value | None = None
        match term.kind:
            case "sum":
                value = Infinite(signs[0]) if len(set(signs)) == 1 else None
            case "top":
                value = _top(term.of[0], parts)
            case "product":
                value = self._product(term.parts, parts)
            case "power":
                value = _power(parts)
            case "exp":
                value = Infinite(1) if signs[0] > 0 else ZERO
            case "log":
                value = Infinite(1) if signs[0] > 0 else None
            case "over":  # of each member the same
                value = Infinite(1) if isinstance(parts[-2], Infinite) and parts[-2].sign > 0 else None
        if value is None:
            raise _unknown(term)
        return value

    def _product(self, factors: Sequence[Term], parts: Sequence[Value]) -> Value | None:
        signs = [part.sign for part in parts if isinstance(part, Infinite)]
        rest = terms.multiply([part for part in parts if isinstance(part, Term)])
        if not signs:
            return rest
        limits = zip(factors, parts, strict=True)
        if any(x == ZERO and not self.infinite.isdisjoint(term.letters) for term, x in limits):
            return None
        sign = -1 if signs.count(-1) % 2 else 1
        for direction in (1, -1):
            if self._never_negative(direction * rest):
                return Infinite(direction * sign)
        return None

    def _never_negative(self, term: Term) -> bool:
        known = frozenset((assumption.term, assumption.strictly) for assumption in self.assumed)
        try:
            return forms.term_sign(term, known) >= 0 or values.surely(term, False, self.assumed)
        except NotAForm:
            return False


def _top(m: int, parts: Sequence[Value]) -> Value | None:
    """The sum of the m largest: −∞ is among them only where there are not m others."""
    others = [part for part in parts if not (isinstance(part, Infinite) and part.sign < 0)]
    infinite = any(isinstance(other, Infinite) for other in others)
    if len(others) >= m:
        return (
            Infinite(1) if infinite else terms.top(m, [other for other in others if isinstance(other, Term)])
        )
    return None if infinite else Infinite(-1)


def _power(parts: Sequence[Value]) -> Value | None:
    base, exponent = parts
    p = exponent.number if isinstance(exponent, Term) else None
    if not isinstance(base, Infinite) or not isinstance(exponent, Term):
        return None
    if base.sign > 0 and exponent.positive:
        return Infinite(1)
    if p is None or p == 0:
        return None
    whole = p.denominator == 1
    if base.sign < 0 and p > 0 and whole:
        return Infinite(1 if p % 2 == 0 else -1)
    return ZERO if p < 0 and (base.sign > 0 or whole) else None


def _unknown(term: Term) -> NoValue:
    return NoValue(f"what {formulas.to_text(term)} is where a distance is oo is not known")
