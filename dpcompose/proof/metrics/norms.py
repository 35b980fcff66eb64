"""Norms and absolute values in formulas as letters, with what is known of these.

Of a norm n = ‖v‖₂ it is used that max |v_j| ≤ n ≤ Σ |v_j|, and n ≤ w for points of a disc of diameter w: so n
may be replaced by max(n, |v_j|), and by min(n, Σ |v_j|, w); of m entries also that n ≥ Σ |v_j|/√m; of |Σ
c_j·δ_j| that it is at most Σ |c_j|·|δ_j|, and ‖c‖₂·‖δ‖₂; of ‖Aδ‖₂ that it is at most Σ ‖A_j‖₂·|δ_j|.

How much of this is used is a level: 0, norms and absolute values are letters ≥ 0 of which nothing is known;
1, letters with these inequalities; 2, letters, and what they are at most is put for them; 3, absolute values
are written out in the coordinates; 4, the same case by case, as each coordinate is larger at D or E; 5, norms
are roots of sums of squares of absolute values, and these as at 2.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from dpcompose.kernel.terms import Term
from dpcompose.language import exchange
from dpcompose.language.symbols import NONNEGATIVE, REAL, Domain, symbol
from dpcompose.language.worstcase import Top, largest, least
from dpcompose.language.writing import absolute, as_top
from dpcompose.privacy.metrics.setting import MetricSetting
from dpcompose.spaces.points import Euclid, letter

LEVELS = (0, 1, 2, 5, 3, 4)
"""How much a comparison uses of norms and absolute values, in the order in which they are tried."""
IN_COORDINATES = (3, 4)
"""The levels at which absolute values are written out."""
AS_ROOTS = 5
"""The level at which norms are roots of sums of squares: by it ‖c‖·‖v‖ is at least Σ c_j·|v_j|."""


class Norms:
    """Formulas with norms as terms: a letter for every norm, the same on both sides.

    domains -- the values that all letters may take; of -- what coordinates are in these letters.
    """

    def __init__(
        self,
        setting: MetricSetting,
        domains: Mapping[str, Domain],
        of: Mapping[sympy.Symbol, sympy.Expr],
        level: int,
    ) -> None:
        self.level, self.setting, self.domains = level, setting, dict(domains)
        self.norms: dict[sympy.Expr, sympy.Symbol] = {}
        self.discs = {}
        for _, part in setting.databases.points:
            for one, two in ("DE", "EF", "DF") if part.disc is not None else ():
                moved = [letter(name, one) - letter(name, two) for name in part.coordinates]
                self.discs[Euclid(*moved).xreplace(of)] = part.disc

    def term(self, side: sympy.Expr, upper: bool) -> Term:
        """One side as a term; `upper` -- whether norms are replaced by what they are at most.

        So are only those that the side grows with: 3 - n is at least 3 - (what n is at most), not at most.
        """
        side = as_top(side)
        fixed = self._fixed(side, 1) if upper else frozenset()
        known = {
            norm: self._norm(norm, upper and norm not in fixed)
            for norm in sorted(side.atoms(Euclid, Top), key=str)
            if self._is_norm(norm)
        }
        return exchange.in_domains(as_top(side.xreplace(known)), self.domains)

    def _is_norm(self, it: sympy.Expr) -> bool:
        """Whether a letter is put for an expression."""
        written = self.level in IN_COORDINATES
        return isinstance(it, Euclid) or (not written and isinstance(it, Top) and self._is_absolute(it))

    def _fixed(self, it: sympy.Expr, way: int) -> frozenset[sympy.Expr]:
        """The norms with which `it` is not seen to grow (way = 1), or to fall (way = −1)."""
        if self._is_norm(it):
            return frozenset() if way > 0 else frozenset({it})
        inside = [one for one in it.args if any(map(self._is_norm, one.atoms(Euclid, Top)))]
        if it.is_Mul and len(inside) == 1:
            factor = sympy.Mul(*(one for one in it.args if one != inside[0]))
            for sign in (1, -1):
                if self.setting.is_never_negative(sign * factor):
                    return self._fixed(inside[0], way * sign)
        monotone = it.is_Add or isinstance(it, Top) or (it.is_Pow and it.exp == sympy.Rational(1, 2))
        if monotone or (it.is_Pow and it.exp.is_Rational and it.exp > 0 and self._is_norm(it.base)):
            return frozenset().union(*(self._fixed(one, way) for one in inside))
        return frozenset(one for one in it.atoms(Euclid, Top) if self._is_norm(one))

    def _is_absolute(self, it: sympy.Expr) -> bool:
        """Whether an expression is |v| for some v that depends on the databases."""
        both = it.args[0] == 1 and len(it.terms) == 2 and sympy.expand(it.terms[0] + it.terms[1]) == 0
        return both and not self._is_constant(it)

    def _is_constant(self, it: sympy.Expr) -> bool:
        return all(one.name in self.setting.domains for one in it.free_symbols)

    def _norm(self, norm: sympy.Expr, upper: bool) -> sympy.Expr:
        """The letter of a norm, with what it is at least, or at most."""
        if not isinstance(norm, Euclid):
            return self._absolute(norm.terms[0], upper)
        n = self._letter(norm)
        if self.level == 0:
            return n
        if self.level == AS_ROOTS:
            return sympy.sqrt(sympy.Add(*(self._absolute(one, upper) ** 2 for one in norm.args)))
        written = self.level in IN_COORDINATES
        entries = [absolute(one) if written else self._absolute(one, False) for one in norm.args]
        total = sympy.Add(*entries)
        if not upper:  # (Σ |v_j|)² ≤ m Σ v_j²
            mean = [total * sympy.sqrt(len(entries)) / len(entries)] if self.level == 1 else []
            return largest(n, *entries, *mean)
        known = [self.discs[norm]] if norm in self.discs else []
        columns = [] if written else self._by_columns(norm)
        if self.level == 2:
            return next(iter([*columns, *known]), n)
        return least(n, total, *known, *columns)

    def _by_columns(self, norm: sympy.Expr) -> list[sympy.Expr]:
        """What ‖Aδ‖₂ is at most where entries are sums: Σ_j ‖A_j‖₂·|δ_j|, A_j being the columns of A."""
        rows = [self._steps(one) for one in norm.args]
        if not all(rows) or all(len(row) == 1 for row in rows):
            return []
        every = dict.fromkeys(delta for row in rows for delta in row)
        lengths = {
            delta: sympy.sqrt(sympy.Add(*(row.get(delta, sympy.Integer(0)) ** 2 for row in rows)))
            for delta in every
        }
        return [sympy.Add(*(c * self._letter(absolute(delta)) for delta, c in lengths.items()))]

    def _absolute(self, v: sympy.Expr, upper: bool) -> sympy.Expr:
        """|v| as a letter: of Σ c_j·δ_j, δ_j being how far coordinates move, it is at most Σ |c_j|·|δ_j|, and
        at most √(Σ c_j²)·√(Σ δ_j²)."""
        steps = self._steps(v)
        if len(steps) == 1:
            ((delta, c),) = steps.items()
            return self._size(c) * self._letter(absolute(delta))
        n = self._letter(absolute(v))
        if self.level > 0 and upper and (counted := self._counts(v)) is not None:
            return counted if self.level in (2, AS_ROOTS) else least(n, counted)
        if self.level == 0 or not upper or not steps:
            return n
        total = sympy.Add(*(self._size(c) * self._letter(absolute(delta)) for delta, c in steps.items()))
        together = Euclid(*steps)
        if self.level == AS_ROOTS or (self.level == 2 and together not in self.norms):
            return total
        if together not in self.norms:
            return least(n, total)
        turned = sympy.sqrt(sympy.Add(*(c**2 for c in steps.values()))) * self.norms[together]
        return turned if self.level == 2 else least(n, total, turned)

    def _steps(self, v: sympy.Expr) -> dict[sympy.Expr, sympy.Expr]:
        """v as Σ c_j·δ_j, δ_j being a coordinate of D minus that of E, by δ_j; {} where it is none."""
        v = sympy.expand(v)
        found = {}
        for one in sorted(v.free_symbols, key=str):
            if "__D" in one.name:
                delta = one - symbol(one.name.replace("__D", "__E"), _domain(one))
                found[delta] = v.coeff(one)
        rest = sympy.expand(v - sympy.Add(*(c * delta for delta, c in found.items())))
        return found if rest == 0 and all(map(self._is_constant, found.values())) else {}

    def _counts(self, v: sympy.Expr) -> sympy.Expr | None:
        """What |c_0 + Σ c_j·n_j| is at most for counts n_j: |c_0| + Σ |c_j|·n_j; None for no such sum."""
        terms = [one.as_coeff_Mul() for one in sympy.Add.make_args(sympy.expand(v))]
        counts = all(x == 1 or (x.is_Symbol and self.domains[x.name].integer) for _, x in terms)
        if counts and all(c.is_Rational for c, _ in terms):
            return sympy.Add(*(abs(c) * x for c, x in terms))
        return None

    def _size(self, c: sympy.Expr) -> sympy.Expr:
        """|c| for a formula in the parameters."""
        for one in (c, -c):
            if self.setting.is_never_negative(one):
                return one
        return absolute(c)

    def _letter(self, norm: sympy.Expr) -> sympy.Symbol:
        if isinstance(norm, Top):
            first, second = sorted((sympy.expand(one) for one in norm.terms), key=sympy.default_sort_key)
            norm = Top(1, first, second)
        if norm not in self.norms:
            self.norms[norm] = symbol(f"norm__{len(self.norms) + 1}", NONNEGATIVE)
            self.domains[str(self.norms[norm])] = NONNEGATIVE
        return self.norms[norm]


def _domain(one: sympy.Symbol) -> Domain:
    """The values that a letter of a coordinate may take, by its assumptions."""
    return NONNEGATIVE if one.is_nonnegative else REAL
