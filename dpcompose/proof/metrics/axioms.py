"""Which formulas are metrics: seen from how they are made, or as comparisons for all D, E, F."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy

from dpcompose.kernel.assumptions import Assumed
from dpcompose.language import exchange
from dpcompose.language.symbols import NONNEGATIVE, Domain
from dpcompose.language.worstcase import Top
from dpcompose.privacy.metrics.setting import MetricSetting
from dpcompose.proof.metrics.letters import Letters
from dpcompose.spaces.points import Apart, Declared, Euclid, Made, Own, letter


@dataclass(frozen=True)
class Obligation:
    """One axiom of a metric as a comparison, greater ≥ lesser for all D, E, F."""

    words: str
    greater: sympy.Expr
    lesser: sympy.Expr


@dataclass(frozen=True, eq=False)
class Axioms:
    """What is seen of the metrics of a setting."""

    setting: MetricSetting
    letters: Letters

    def is_metric(self, metric: sympy.Expr, known: Callable[[str], bool]) -> bool:
        """Whether a formula in named metrics is seen to be a metric, `known` saying which of these are.

        Sums, maxima and multiples of metrics by numbers ≥ 0 (0·∞ is ∞) are, the minimum of one with a
        number ≥ 0, and a root of one, or of a sum of squares: all of them vanish on the diagonal, and satisfy
        the triangle inequality since what is done grows, and is subadditive, in its arguments.
        """
        named = {one: name for name, one in self.setting.letters.items()}
        return self._closed(metric, lambda one: one in named and known(named[one]))

    def is_nonnegative(self, value: sympy.Expr) -> bool:
        """Whether a formula in distances is seen to be ≥ 0: by its parts, or by signs of all of it.

        A minimum of such formulas is, and is written −max(−x, −y).
        """
        known = {**self.setting.domains, **dict.fromkeys(self.setting.metrics, NONNEGATIVE)}
        return _is_nonnegative(value, known, self.setting.assume)

    def is_seen(self, name: str, known: Callable[[str], bool]) -> bool:
        """Whether a named metric is seen to be one, `known` saying which of those before it are."""
        match self.setting.metrics[name].distance:
            case Declared():
                return False
            case Made(formula):
                return self.is_metric(formula, known)
            case Own() as own:
                return self.is_made_of_norms(own)
        return True

    def _closed(self, it: sympy.Expr, leaf: Callable[[sympy.Expr], bool]) -> bool:
        if it == 0 or leaf(it):
            return True
        if isinstance(it, Apart):
            return self._closed(it.args[0], leaf)
        if it.is_Add or (isinstance(it, Top) and it.args[0].is_Integer):
            parts = it.terms if isinstance(it, Top) else it.args
            return all(self._closed(one, leaf) for one in parts)
        if it.is_Mul:
            factors = [one for one in it.args if self._is_number(one)]
            rest = [one for one in it.args if not self._is_number(one)]
            factor = sympy.Mul(*factors)
            if len(rest) == 1 and self.letters.never_negative(factor):
                return self._closed(rest[0], leaf)
            return len(rest) == 1 and self.letters.never_negative(-factor) and self._is_cut(rest[0], leaf)
        if it.is_Pow and it.exp.is_Rational and 0 < it.exp <= 1:
            if it.exp <= sympy.Rational(1, 2):  # √(Σ x² + Σ y), and a root of that
                terms = sympy.Add.make_args(it.base)
                return all(self._is_square(one, leaf) or self._closed(one, leaf) for one in terms)
            return self._closed(it.base, leaf)
        return False

    def _is_square(self, it: sympy.Expr, leaf: Callable[[sympy.Expr], bool]) -> bool:
        """Whether a formula is the square of a metric, times a number ≥ 0."""
        factors = [one for one in it.args if self._is_number(one)] if it.is_Mul else []
        rest = [one for one in sympy.Mul.make_args(it) if not self._is_number(one)]
        if not rest or not all(one.is_Pow and one.exp == 2 for one in rest):
            return False
        base = sympy.Mul(*(one.base for one in rest))
        fine = self.letters.never_negative(sympy.Mul(*factors))
        return fine and any(self._closed(sign * base, leaf) for sign in (1, -1))

    def _is_cut(self, it: sympy.Expr, leaf: Callable[[sympy.Expr], bool]) -> bool:
        """Whether −it is the minimum of one metric with numbers ≥ 0."""
        if not (isinstance(it, Top) and it.args[0] == 1):
            return False
        inside = [-one for one in it.terms]
        numbers = [one for one in inside if self._is_number(one)]
        rest = [one for one in inside if not self._is_number(one)]
        fine = len(rest) == 1 and all(map(self.letters.never_negative, numbers))
        return fine and self._closed(rest[0], leaf)

    def _is_number(self, it: sympy.Expr) -> bool:
        return all(str(one) in self.setting.domains for one in it.free_symbols)

    def is_made_of_norms(self, own: Own) -> bool:
        """Whether a formula in coordinates is made, as `is_metric` says, of norms of g(D) − g(E).

        v(D, E) is of this form where v(D, E) + v(E, F) = v(D, F).
        """

        def steps(v: Sequence[sympy.Expr], one: str, two: str) -> list[sympy.Expr]:
            there = {
                letter(name, old): letter(name, new)
                for name in own.of.coordinates
                for old, new in (("D", one), ("E", two))
            }
            return [x.xreplace(there) for x in v]

        def additive(v: Sequence[sympy.Expr]) -> bool:
            ways = zip(steps(v, "D", "E"), steps(v, "E", "F"), steps(v, "D", "F"), strict=True)
            return all(sympy.expand(x + y - z) == 0 for x, y, z in ways)

        def leaf(it: sympy.Expr) -> bool:
            if isinstance(it, Euclid):
                return additive(it.args)
            both = isinstance(it, Top) and it.args[0] == 1 and len(it.terms) == 2
            return both and it.terms[0] == -it.terms[1] and additive(it.terms[:1])

        return self._closed(own.between("D", "E"), leaf)

    def obligations(self, own: Own) -> tuple[Obligation, ...]:
        """What a formula in coordinates must satisfy to be a metric."""
        d = own.between
        zero = sympy.Integer(0)
        return (
            Obligation("d(D, E) >= 0", d("D", "E"), zero),
            Obligation("d(D, D) <= 0", zero, d("D", "D")),
            Obligation("d(D, E) >= d(E, D)", d("D", "E"), d("E", "D")),
            Obligation("d(D, E) + d(E, F) >= d(D, F)", d("D", "E") + d("E", "F"), d("D", "F")),
        )


def _is_nonnegative(it: sympy.Expr, domains: Mapping[str, Domain], assumed: Assumed) -> bool:
    """Whether a formula is ≥ 0, seen from its parts."""
    if isinstance(it, Apart) or exchange.is_never_negative(it, domains, assumed):
        return True
    parts = it.terms if isinstance(it, Top) else it.args
    if isinstance(it, Top) and it.args[0] == 1:
        return any(_is_nonnegative(one, domains, assumed) for one in parts)
    if it.is_Mul:
        minima = [one for one in parts if isinstance(one, Top) and one.args[0] == 1]
        others = sympy.Mul(*(one for one in parts if one not in minima))
        if len(minima) == 1 and all(_is_nonnegative(-one, domains, assumed) for one in minima[0].terms):
            return _is_nonnegative(-others, domains, assumed)
    if it.is_Pow and it.exp.is_Rational:
        return bool(it.exp.is_Integer and it.exp % 2 == 0) or _is_nonnegative(it.base, domains, assumed)
    joined = it.is_Add or it.is_Mul or isinstance(it, Top)
    return bool(parts) and joined and all(_is_nonnegative(one, domains, assumed) for one in parts)
