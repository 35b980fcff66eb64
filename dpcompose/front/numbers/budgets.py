"""Parameters for a given total: those for which the guarantee is what is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import sympy

from dpcompose.front.documents.bound import Bound
from dpcompose.front.numbers import numbers
from dpcompose.front.numbers.numbers import DIGITS, NoBudget, NotSolved, WrongValue
from dpcompose.kernel.expressions import naming
from dpcompose.kernel.expressions.grammar import natural
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.decimals import decimal as exactly
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import family_of, symbol
from dpcompose.language.worstcase import Over, Top
from dpcompose.privacy.guarantees.notions import Guarantee


@frozen(repr=False)
class Budget(Shown):
    """Parameters in given proportions for which the guarantee is a wanted total.

    parameters -- the exact values, by name (of a family e[i], that of each member);
    fixed -- those that were given; guarantee -- its parameters at these values;
    largest -- True: larger ones in these proportions exceed the total; False: smaller ones do, as where
    the guarantee is 1/e1; beyond -- where the total is not solved exactly, the parameters on its other side;
    exceeded -- whether it is known to be exceeded there; summed -- whether the guarantee is that of the
    notion's rule, where a closer one is no power of a common factor: then larger ones may keep the total.
    """

    bound: Bound
    parameters: Mapping[str, sympy.Expr]
    fixed: Mapping[str, sympy.Expr]
    guarantee: Mapping[str, sympy.Expr]
    largest: bool
    beyond: Mapping[str, sympy.Expr] = field(default_factory=dict)
    exceeded: bool = True
    summed: bool = False

    @property
    def free(self) -> list[str]:
        """The parameters on which the guarantee does not depend."""
        named = {family_of(name) or name for name in self.bound.setting.domains}
        letters = {str(letter) for value in self.bound.values.values() for letter in value.free_symbols}
        used = {family_of(name) or name for name in letters}
        return sorted(named - used - set(self.keys()), key=natural)

    def __getitem__(self, name: object) -> sympy.Expr:
        """The value of a parameter, by its name or symbol; of a family e[i], by "e", that of each member."""
        return {**self.parameters, **self.fixed}[str(name)]

    def keys(self) -> list[str]:
        """The names of the parameters, so that dict(budget) has their values."""
        return [*self.parameters, *self.fixed]

    def __repr__(self) -> str:
        return f"{numbers.listed(self.parameters)}, for {numbers.listed(self.guarantee)}"

    def __str__(self) -> str:
        rows = [f"{name} = {self._shown(value, not self.largest)}" for name, value in self.parameters.items()]
        rows += [f"{name} = {numbers.shown(value)} (given)" for name, value in self.fixed.items()]
        rows += [f"{name} may be anything: the guarantee does not depend on it" for name in self.free]
        reached = [f"{name} = {self._shown(value, True)}" for name, value in self.guarantee.items()]
        rows.append(f"the guarantee is then {', '.join(reached)}")
        if self.summed:
            rows.append("that is the sum; the guarantee itself is closer, and slightly larger ones may do")
        if self.beyond:
            standing = "the total is exceeded" if self.exceeded else "it is not known to be kept"
            at = (f"{name} = {self._shown(value, self.largest)}" for name, value in self.beyond.items())
            rows.append(f"at {', '.join(at)} {standing}")
        return "\n".join(rows)

    def _shown(self, value: sympy.Expr, up: bool) -> str:
        """A number; one that was looked for among decimals as the decimal that it is."""
        decimals = self.beyond and value.is_Rational
        return exactly(Fraction(int(value.p), int(value.q))) if decimals else numbers.shown(value, up)

    def _rows(self) -> list[list[str]]:
        """A parameter, its exact value, and what that is approximately."""
        from dpcompose.language.latex import latex, name_latex

        return [
            [f"{words}${name_latex(name)}$", f"${latex(value)}$", numbers.decimal(value, up) or ""]
            for words, values, up in (
                ("", self.parameters, not self.largest),
                ("", self.fixed, True),
                ("the guarantee's ", self.guarantee, True),
            )
            for name, value in values.items()
        ]

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.table(["", "exactly", "approximately"], self._rows())

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import tabular

        return tabular([["", "exactly", "approximately"], *self._rows()])

    def data(self) -> dict[str, Any]:
        """As JSON: exact values as formulas, and approximations, which are rounded to the safe side."""
        other = {"beyond": numbers.as_texts(self.beyond), "exceeded": self.exceeded} if self.beyond else {}
        return other | {
            "parameters": numbers.as_texts(self.parameters),
            "given": numbers.as_texts(self.fixed),
            "guarantee": numbers.as_texts(self.guarantee),
            "approximately": numbers.approximations(self.parameters, up=not self.largest),
        }


def budget(
    bound: Bound,
    total: Guarantee,
    weights: Mapping[Any, object] | None = None,
    fixed: Mapping[Any, object] | None = None,
) -> Budget:
    """The parameters weight·t for which the best guarantee is the total, solved exactly.

    The guarantee at weight·t must be made of powers of t by adding numbers, positive factors and worst
    cases, as it is where mechanisms are private in sums of parameters or in their multiples.  Of two
    parameters, as (ε, δ), the first is solved first, for the parameters in it; the second for those that
    are left.  weights -- positive numbers by name, else 1; fixed -- parameters that have a value, such as
    how many mechanisms there are.  Raises NoBudget, WrongValue.
    """
    if total.notion != bound.guarantee.notion:
        raise WrongValue(f"the guarantee is {bound.guarantee.notion}, and the total is {total.notion}")
    given = numbers.given_numbers(bound, fixed or {})
    weight = given_weights(bound, weights or {})
    left = numbers.at(bound, fixed or {})
    exprs: dict[str, sympy.Expr] = {}
    reached: dict[str, sympy.Expr] = {}
    signs = set()
    for key, wanted in total.values:
        g = numbers.with_values(left[key], exprs, {})
        solved = _for_total(bound, key, g, wanted, weight)
        reached[key] = g if solved is None else wanted
        if solved is not None:
            exprs |= solved[0]
            signs.add(solved[1])
    if wrong := numbers.excluded(bound, {**given, **exprs}):
        raise NoBudget(
            f"{numbers.listed(exprs)} would be needed, where {wrong}, which is assumed, does not hold"
        )
    if len(signs) != 1:
        raise NoBudget("no parameter is left to choose" if not signs else "some parameters must be large")
    return Budget(
        bound,
        {family_of(name) or name: value for name, value in exprs.items()},
        {family_of(name) or name: value for name, value in given.items()},
        reached,
        signs == {True},
    )


def _for_total(
    bound: Bound, key: str, g: sympy.Expr, wanted: sympy.Expr, weight: Mapping[str, sympy.Expr]
) -> tuple[dict[str, sympy.Expr], bool] | None:
    """The parameters in g for which it is the wanted total, and what `_solved` says of them; None where g has
    none to choose.  Raises NoBudget, WrongValue."""
    if not (wanted.is_number and wanted.is_nonnegative and wanted.is_finite):
        raise WrongValue(f"the total {key} is a number, at least 0, not {wanted}")
    domains = bound.setting.domains
    for letter in sorted(g.free_symbols, key=str):
        if domains[letter.name].integer:
            raise NoBudget(f"{letter} counts something: say its value, such as {letter.name}=10")
    t = symbol("t")
    scaled = {letter.name: weight.get(letter.name, sympy.Integer(1)) * t for letter in g.free_symbols}
    solved = _solved(key, numbers.with_values(g, scaled, {}), wanted, t)
    if solved is None:
        return None
    shares = {}
    for letter in sorted(g.free_symbols, key=lambda letter: natural(letter.name)):
        shares[letter.name] = value = scaled[letter.name].subs(t, solved[0])
        if not numbers.allowed(value, domain := domains[letter.name]):
            raise NoBudget(
                f"{key} = {wanted} would need {letter} = {value}, which is not allowed: {letter} is {domain}"
            )
    return shares, solved[1]


def given_weights(bound: Bound, weights: Mapping[Any, object]) -> dict[str, sympy.Expr]:
    domains, exprs = bound.setting.domains, {}
    for given, value in numbers.by_name(weights).items():
        name = str(given) if str(given) in domains else naming.general(str(given))
        if name not in domains:
            there = ", ".join(family_of(domain) or domain for domain in domains)
            raise WrongValue(f"{given} is no parameter; there are {there}")
        number = numbers.as_number(name, value)
        if not number.is_positive:
            raise WrongValue(f"the weight of {given} is a positive number, not {number}")
        exprs[name] = number
    return exprs


def _solved(key: str, g: sympy.Expr, wanted: sympy.Expr, t: sympy.Symbol) -> tuple[sympy.Expr, bool] | None:
    """The t > 0 from which g(t) > wanted, and True; or up to which, and False; None where there is none.

    g is c·tⁿ with n ≠ 0, or made of such by adding numbers, positive factors, positive powers, maxima.
    Raises NoBudget where it is not, or where it is larger than wanted for all t.
    """
    if g.has(sympy.oo):
        raise NoBudget(f"there is no finite {key}, so no parameters reach a total")
    if not g.has(t):
        if sympy.N(g - wanted, 10 * DIGITS) > 0:
            raise NoBudget(f"{key} is at least {g} where {wanted} is left, whatever the parameters are")
        return None
    n, factor = degree(g), numbers.number_if_all_are(g.subs(t, 1))
    if n and factor.is_positive:
        if not wanted.is_positive:
            raise NoBudget(f"nothing is left of the total {key} for parameters above 0")
        return sympy.powsimp((wanted / factor) ** (1 / n)), bool(n > 0)
    number, rest = g.as_coeff_Add() if g.is_Add else g.as_coeff_Mul()
    if g.is_Add:
        constants, rest = g.as_independent(t, as_Add=True)
        if constants != 0:
            return _solved(key, rest, wanted - constants, t)
    elif g.is_Mul and number > 0 and number != 1:
        return _solved(key, rest, wanted / number, t)
    elif g.is_Pow and g.exp.is_Rational and g.exp > 0:
        return _solved(key, g.base, wanted ** (1 / g.exp), t)
    elif isinstance(g, Top) and comb(len(g.terms), int(g.args[0])) <= numbers.MOST_MEMBERS:
        sums = [sympy.Add(*combination) for combination in combinations(g.terms, int(g.args[0]))]
        solutions = [solution for x in sums if (solution := _solved(key, x, wanted, t)) is not None]
        if len({grows for _, grows in solutions}) == 1:
            grows = solutions[0][1]
            ends = sorted((x for x, _ in solutions), key=lambda x: sympy.N(x, 10 * DIGITS))
            return ends[0 if grows else -1], grows
    raise NotSolved(
        f"{key} is no constant, power or worst case of these in a common factor t of the parameters: "
        f"{formulas.to_text(g)}, which is not solved exactly. Values for some parameters (at) may help"
    )


def degree(g: sympy.Expr) -> sympy.Rational | None:
    """The n with g(t·x) = tⁿ·g(x) for all t > 0, where one is seen; else None.

    >>> e, m = symbol("e1"), symbol("m1")
    >>> degree(e + Top(1, 2 * e, m)), degree(sympy.sqrt(e**2 + m**2)), degree(1 / e), degree(e + 1)
    (1, 1, -1, None)
    """
    if g.is_number:
        return sympy.Integer(0)
    if g.is_Symbol:
        return sympy.Integer(1)
    if g.is_Pow and g.exp.is_Rational:
        below = degree(g.base)
        return None if below is None else below * g.exp
    if g.is_Mul:
        degrees = [degree(factor) for factor in g.args]
        return None if None in degrees else sympy.Add(*degrees)
    if isinstance(g, Over):
        return degree(g.args[1]) if g.args[2].is_number else None
    if g.is_Add or isinstance(g, Top):
        terms = [term for term in (g.terms if isinstance(g, Top) else g.args) if term != 0]
        degrees = [degree(term) for term in terms]
        return degrees[0] if len(set(degrees)) == 1 else None
    return None
