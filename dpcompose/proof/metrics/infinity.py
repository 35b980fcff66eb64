"""Formulas in metrics where some distances are ∞.

A number ≥ 0 times ∞ is ∞, also for 0: a parameter may be 0 where the input moves by ∞, and then nothing is
known of the outputs.  A limit 0, as of exp(−d), times ∞ has no value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy

from dpcompose.kernel.assumptions import NOTHING, Assumed
from dpcompose.language import exchange
from dpcompose.language.symbols import NONNEGATIVE, REAL, Domain
from dpcompose.language.worstcase import Top
from dpcompose.proof.metrics.cells import NoForm
from dpcompose.spaces.points import Apart

OO = sympy.oo


def at_infinity(
    it: sympy.Expr,
    infinite: frozenset[sympy.Symbol],
    domains: Mapping[str, Domain],
    assumed: Assumed = NOTHING,
) -> sympy.Expr:
    """A formula where some of its letters are ∞: ∞, or the formula without them.

    Raises NoForm where it has no value there that is seen.

    >>> from dpcompose.language.symbols import symbol
    >>> from dpcompose.language.worstcase import least
    >>> d, e = symbol("d"), symbol("e")
    >>> at_infinity(e * d + 1, frozenset({d}), {}), at_infinity(least(d, 3), frozenset({d}), {})
    (oo, 3)
    >>> at_infinity(1 - sympy.exp(-d), frozenset({d}), {})
    1
    """
    found = _Infinity(infinite, domains, assumed).value(it)
    if found is -OO or found.has(sympy.zoo, sympy.nan):
        raise _unknown(it)
    return found


class _Infinity:
    """The extended values, −∞ included, of formulas; infinite -- the letters that are ∞."""

    def __init__(
        self, infinite: frozenset[sympy.Symbol], domains: Mapping[str, Domain], assumed: Assumed
    ) -> None:
        self.infinite, self.domains, self.assumed = infinite, domains, assumed

    def value(self, it: sympy.Expr) -> sympy.Expr:
        if it in self.infinite:
            return OO
        if isinstance(it, Apart):
            return OO if self.value(it.args[0]) is OO else sympy.Integer(0)
        if self.infinite.isdisjoint(it.free_symbols):
            return it.xreplace({one: sympy.Integer(0) for one in it.atoms(Apart)})
        parts = [self.value(one) for one in it.args]
        if not _infinities(parts) and not it.is_Mul:
            return it.func(*parts)
        found = None
        if it.is_Add:
            found = _sum(parts)
        elif isinstance(it, Top):
            found = _top(parts)
        elif it.is_Mul:
            found = self._product(it.args, parts)
        elif it.is_Pow:
            found = _power(*parts)
        elif isinstance(it, sympy.exp):
            found = OO if parts[0] is OO else sympy.Integer(0)
        elif isinstance(it, sympy.log):
            found = OO if parts[0] is OO else None
        if found is None:
            raise _unknown(it)
        return found

    def _product(self, factors: Sequence[sympy.Expr], parts: Sequence[sympy.Expr]) -> sympy.Expr | None:
        signs = _infinities(parts)
        rest = sympy.Mul(*(one for one in parts if one not in (OO, -OO)))
        if not signs:
            return rest
        for one, x in zip(factors, parts, strict=True):
            if x == 0 and not self.infinite.isdisjoint(one.free_symbols):  # a limit
                return None
        sign = sympy.Mul(*(1 if one is OO else -1 for one in signs))
        for one in (1, -1):
            if self._never_negative(one * rest):
                return one * sign * OO
        return None

    def _never_negative(self, it: sympy.Expr) -> bool:
        """Letters that no values are given of are distances and counts, or coordinates: by their signs."""
        known = {
            one.name: self.domains.get(one.name, NONNEGATIVE if one.is_nonnegative else REAL)
            for one in it.free_symbols
        }
        return exchange.is_never_negative(it, known, self.assumed)


def _infinities(parts: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    return [one for one in parts if one is OO or one is -OO]


def _sum(parts: Sequence[sympy.Expr]) -> sympy.Expr | None:
    signs = set(_infinities(parts))
    return signs.pop() if len(signs) == 1 else None


def _top(parts: Sequence[sympy.Expr]) -> sympy.Expr | None:
    """The sum of the m largest: −∞ is among them only where there are not m others."""
    m, *terms = parts
    others = [one for one in terms if one is not -OO]
    if len(others) >= m:
        return OO if OO in others else Top(m, *others)
    return None if OO in others else -OO


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr | None:
    if base is OO and exponent.is_positive:
        return OO
    if base is -OO and exponent.is_Integer and exponent > 0:
        return OO if exponent % 2 == 0 else -OO
    inverse = exponent.is_Rational and exponent < 0 and (base is OO or exponent.is_Integer)
    return sympy.Integer(0) if inverse and _infinities([base]) else None


def _unknown(it: sympy.Expr) -> NoForm:
    return NoForm(f"what {it} is where a distance is oo is not known")
