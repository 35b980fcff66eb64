"""Quotients of formulas in the parameters, in lowest terms, without maxima of what is seen to be less."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import forms, substitution, terms
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.intervals import NoEnclosure, enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import HALF, INFINITY, ZERO, Term, TermError

BITS = 64
"""With how many bits formulas are put in order."""


@frozen(eq=False)
class Quotients:
    """Quotients and signs of formulas in the parameters of a setting."""

    setting: Setting

    def ratio(self, moved: Term, over: Term) -> Term | None:
        """moved/over; None where it is not seen that over > 0, or that it is 0 and moved > 0."""
        with suppress(TermError, FormulaError):
            x, y = self.settled(moved), self.settled(over)
            if y == ZERO or x.kind == "oo":
                infinite = y.kind != "oo" and self.is_positive(x)
                return INFINITY if infinite else None
            if y.kind == "oo" or not self.is_positive(y):
                return None
            return self.largest([self._quotient(term, y) for term in maximum(x)])
        return None

    def _quotient(self, x: Term, y: Term) -> Term:
        """x/y for y > 0, by the squares of both where one is a root."""
        if (_has_root(x) or _has_root(y)) and self.is_at_least(x, ZERO):
            return terms.sqrt(_factored(cancelled(x**2, y**2)))
        return cancelled(x, y)

    def settled(self, term: Term) -> Term:
        """A formula in the parameters, with maxima whose largest term is seen by its sign."""
        if not term.parts:
            return term
        made = substitution.expanded(substitution.made_of(term, list(map(self.settled, term.parts))))
        if made.kind == "power" and made.parts[1].number == HALF and made.parts[0].kind == "power":
            base, exponent = made.parts[0].parts
            if exponent.number == 2:
                made = terms.largest(base, -base)
        return self.largest(made.parts) if made.kind == "top" and made.of[0] == 1 else made

    def largest(self, formulas: Iterable[Term]) -> Term:
        """The largest of formulas, without those that another one is seen to be above; what is large where
        all parameters are 1 comes first, as it is above most others."""
        kept: list[Term] = []
        for term in sorted(dict.fromkeys(formulas), key=_at_ones, reverse=True):
            if not any(self.is_at_least(other, term) for other in kept):
                kept = [other for other in kept if not self.is_at_least(term, other)] + [term]
        return terms.largest(*kept)

    def is_at_least(self, greater: Term, lesser: Term) -> bool:
        return self._has_sign(substitution.expanded(greater - lesser), 0)

    def is_positive(self, term: Term) -> bool:
        return term.kind == "oo" or self._has_sign(term, 1)

    def _has_sign(self, term: Term, least: int) -> bool:
        if forms.term_sign(term, self.setting.known) >= least:
            return True
        assumed = self.setting.assumed
        return bool(assumed) and values.surely(term, strictly=least == 1, assumed=assumed)


def _at_ones(term: Term) -> Fraction:
    """About how large a formula is where all parameters are 1."""
    with suppress(NoEnclosure):
        return enclosure(term, BITS, dict.fromkeys(term.letters, Fraction(1))).low
    return Fraction(0)


def maximum(term: Term) -> tuple[Term, ...]:
    """What a formula is the largest of."""
    return term.parts if term.kind == "top" and term.of[0] == 1 else (term,)


def cancelled(x: Term, y: Term) -> Term:
    """x/y in lowest terms."""
    term = substitution.expanded(x / y)
    return term if is_polynomial(term) or term.has("top") else _by_sympy("cancel", x / y)


def _factored(term: Term) -> Term:
    """The same as a product, of which more can be taken out of a root."""
    return term if term.has("top") else _by_sympy("factor", term)


def _by_sympy(how: str, term: Term) -> Term:
    """A term as sympy cancels or factors it."""
    import sympy

    from dpcompose.language import exchange

    return exchange.of_sympy(getattr(sympy, how)(exchange.to_sympy(term)))


def powers_of(term: Term, letter: str) -> dict[Fraction, Term]:
    """A sum of powers of a letter, by their exponents, with their factors; empty where a term is none."""
    by_power: dict[Fraction, list[Term]] = {}
    for summand in substitution.expanded(term).summands:
        n, inside = Fraction(0), [factor for factor in summand.factors if letter in factor.letters]
        for base, exponent in (factor.base_and_exponent for factor in inside):
            if base.kind != "letter" or exponent.number is None:
                return {}
            n = exponent.number
        by_power.setdefault(n, []).append(
            terms.multiply(factor for factor in summand.factors if factor not in inside)
        )
    return {n: terms.add(factors) for n, factors in by_power.items()}


def _has_root(term: Term) -> bool:
    return any(
        factor.kind == "power" and factor.parts[1].number == HALF and factor.letters
        for factor in term.factors
    )


def is_polynomial(ratio: Term) -> bool:
    """Whether nothing with letters stands in a denominator."""
    if ratio.kind == "power" and ratio.letters:
        exponent = ratio.parts[1].number
        if exponent is None or exponent < 0:
            return False
    return all(map(is_polynomial, ratio.parts))
