"""Parameters for a total in any notion: by a formula where there is one, else between two factors.

A total in another notion than that of the mechanisms is one of the guarantee in that notion, and for (ε, δ)
of the privacy curve.  Where the guarantee is no power of a common factor t of the parameters, t is looked
for: at the one that is found the total is kept for certain, whatever was looked at on the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

import sympy

from dpcompose.front.documents.bound import Bound
from dpcompose.front.numbers import budgets, numbers
from dpcompose.front.numbers.budgets import Budget
from dpcompose.front.numbers.curve import NOTION as OF_CURVES
from dpcompose.front.numbers.curve import NoCurve, PrivacyCurve
from dpcompose.front.numbers.numbers import NoBudget, WrongValue
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.expressions.intervals import NoEnclosure, enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.decimals import rounded
from dpcompose.language.symbols import family_of
from dpcompose.privacy.guarantees.notions import FILE_KEYS, OF_LINES, OF_ORDERS, Guarantee, in_orders
from dpcompose.search.guarantees import NoGuarantee
from dpcompose.search.least import Between

DIGITS = 6
"""To how many significant digits a factor is looked for."""
BITS = 128
"""With how many binary digits a guarantee is enclosed at a factor."""
MOST_POWERS = 40
"""Factors are looked for between 4^−40 and 4^40."""
TURNS = 200
"""The most factors that are tried between two."""
MOST_DOUBLED = 18
"""How often the distance to a factor at which the total is exceeded is doubled."""


class Composition(Protocol):
    """A study for neighbours: its best guarantee in a notion, and its curve at numbers."""

    def best(self, notion: str | None = None) -> Bound: ...
    def curve(self, at: Mapping[Any, object]) -> PrivacyCurve: ...


def read_total(notion: str, text: str, notions: Mapping[str, Sequence[str]] = FILE_KEYS) -> Guarantee:
    """The total that the command is given: "1", of the guarantee's notion, or by the names of the parameters
    of some notion, as "epsilon=1,delta=1e-6" or "rho=1/2".

    notion -- that of the guarantee; notions -- the parameters of each.

    >>> str(read_total("pure", "1/2")), str(read_total("pure", "epsilon=1,delta=1e-6"))
    ('pure (1/2)', 'approximate (1, 1/1000000)')
    """
    given = numbers.read_values(text) if "=" in text else {notions[notion][0]: text}
    if "=" not in text and len(notions[notion]) > 1:
        raise WrongValue(f"the total of {notion} privacy is {_forms(notions, notion)}, not {text}")
    exact = {key: value if key == "orders" else numbers.as_number(key, value) for key, value in given.items()}
    guarantee = by_name(exact, notions, notion)
    if guarantee.curve is not None and guarantee.curve.orders.only is None:
        raise WrongValue(f"a total of divergences is one at one order, epsilon=...,orders=8, not {text}")
    return guarantee


def stated(
    value: Any, given: Mapping[str, Any], notions: Mapping[str, Sequence[str]], notion: str | None
) -> Guarantee:
    """The guarantee of some parameters; its ε may stand by itself beside δ.  Raises TypeError, WrongValue."""
    if value is not None and given.keys() == {"delta"}:
        value, given = None, {"epsilon": value, **given}
    if value is not None or not given:
        raise TypeError("say a guarantee, the value of one, or its parameters such as epsilon=1, delta=1e-6")
    return by_name(given, notions, notion)


def by_name(
    given: Mapping[str, Any], notions: Mapping[str, Sequence[str]] = FILE_KEYS, notion: str | None = None
) -> Guarantee:
    """The guarantee that has just these parameters, and orders where it is one of divergences.

    notion -- the one that is meant where several have them; else the first one of the problem format, or of
    the pages.  Raises WrongValue.

    >>> str(by_name({"epsilon": "e", "delta": "1e-6"})), str(by_name({"epsilon": 1, "orders": "8"}))
    ('approximate (e, 1/1000000)', 'renyi (1) for orders 8')
    """
    try:
        orders = Orders.read(str(given["orders"])) if "orders" in given else None
    except ValueError as error:
        raise WrongValue(str(error)) from None
    known = [one for one in dict.fromkeys([*FILE_KEYS, *notions]) if one in notions]
    named = [one for one in known if (one in OF_ORDERS) == (orders is not None) and one not in OF_LINES]
    meant = [one for one in named if given.keys() - {"orders"} == set(notions[one])]
    if not meant:
        written = ",".join(f"{key}={value}" for key, value in given.items())
        raise WrongValue(f"a guarantee is {_forms(notions, notion)}, not {written}")
    chosen = notion if notion in meant else meant[0]
    made = Guarantee(chosen, tuple((key, numbers.as_term(key, given[key])) for key in notions[chosen]))
    return made if orders is None else in_orders(made, orders)


def _forms(notions: Mapping[str, Sequence[str]], first: str | None) -> str:
    """How guarantees are written by their parameters, those of a notion first."""
    in_order = sorted((notion for notion in notions if notion not in OF_LINES), key=lambda one: one != first)
    return " or ".join(dict.fromkeys(_form(notions[one]) for one in in_order))


def _form(keys: Sequence[str]) -> str:
    return ",".join(f"{key}=..." for key in keys)


def budget(
    study: Composition,
    total: Guarantee,
    weights: Mapping[Any, object] | None = None,
    fixed: Mapping[Any, object] | None = None,
) -> Budget:
    """The parameters weight·t for which the guarantee in the total's notion is the total.

    weights -- positive numbers by name, else 1; fixed -- parameters that have a value.
    Raises NoBudget, WrongValue.
    """
    native, weights, fixed = study.best(), weights or {}, fixed or {}
    stated = native.guarantee.notion
    if total.notion == OF_CURVES and (stated != OF_CURVES or native.conversions):
        keys = dict(total.values)
        return _Search(native, total, weights, fixed).budget(_by_curve(study, keys))
    try:
        bound = native if total.notion == stated else study.best(total.notion)
    except NoGuarantee as error:
        raise NoBudget(f"{error}{_with_more(study, total)}") from None
    known, asked = bound.setting.orders, total.curve
    if asked is not None and known is not None and not asked.orders.within(known):
        raise NoBudget(f"nothing is known of all orders in {asked.orders}, but of those in {known}")
    with suppress(numbers.NotSolved):
        return budgets.budget(bound, total, weights, fixed)
    if bound.summed is not bound:
        with suppress(numbers.NotSolved):
            return replace(budgets.budget(bound.summed, total, weights, fixed), summed=True)
    return _Search(bound, total, weights, fixed).budget(_by_formula(bound, total))


def _with_more(study: Composition, total: Guarantee) -> str:
    """That a total with further parameters fits, where there is a guarantee of such ones."""
    keys = {key for key, _ in total.values}
    for notion, more in FILE_KEYS.items():
        if keys < set(more) and notion not in {*OF_ORDERS, *OF_LINES}:
            with suppress(NoGuarantee):
                study.best(notion)
                return f"; a total that fits is {_form(more)}"
    return ""


At = Callable[[Mapping[str, sympy.Expr]], list[tuple[str, Between, Fraction]]]
"""What the parameters of the guarantee are between, at values, each beside the one that is wanted."""


def _by_curve(study: Composition, wanted: Mapping[str, sympy.Expr]) -> At:
    """δ at the ε of the total."""
    epsilon, delta = (wanted[key] for key in FILE_KEYS[OF_CURVES])
    if not delta.is_Rational or not 0 <= delta <= 1:
        raise WrongValue(f"the total delta is a rational number in [0, 1], not {delta}")

    def at(values: Mapping[str, sympy.Expr]) -> list[tuple[str, Between, Fraction]]:
        try:
            known = study.curve(values).delta(epsilon, (BITS,))
        except NoCurve as error:
            raise NoBudget(str(error)) from None
        low, high = (None if x is None else Fraction(int(x.p), int(x.q)) for x in (known.lower, known.upper))
        return [("delta", Between(low, high), Fraction(int(delta.p), int(delta.q)))]

    return at


def _by_formula(bound: Bound, total: Guarantee) -> At:
    """Every parameter of the guarantee, by its formula."""
    wanted = {key: enclosure(formulas.term(value), BITS).low for key, value in total.values}

    def at(values: Mapping[str, sympy.Expr]) -> list[tuple[str, Between, Fraction]]:
        totals = []
        for key, value in numbers.at(bound, values).items():
            between = Between(None, None)
            with suppress(NoEnclosure, ValueError):
                known = enclosure(formulas.term(value), BITS)
                between = Between(known.low if bound.optimal else None, known.high)
            totals.append((key, between, wanted[key]))
        return totals

    return at


@frozen
class _Search:
    """Looks for a common factor of the parameters that are left to choose."""

    bound: Bound
    total: Guarantee
    weights: Mapping[Any, object]
    fixed: Mapping[Any, object]

    def budget(self, at: At) -> Budget:
        """The budget; at -- what the guarantee is between, at values of all parameters."""
        known = numbers.given_numbers(self.bound, self.fixed)
        scales = self._scales()
        grows = self._grows(scales)

        def values(t: Fraction) -> dict[str, sympy.Expr]:
            return {
                name: weight * sympy.Rational(t.numerator, t.denominator) for name, weight in scales.items()
            }

        def totals_at(t: Fraction) -> list[tuple[str, Between, Fraction]]:
            chosen, domains = values(t), self.bound.setting.domains
            if all(numbers.allowed(value, domains[name]) for name, value in chosen.items()):
                with suppress(WrongValue):  # something is assumed that does not hold there
                    return at({**self.fixed, **chosen})
            return [(key, Between(None, None), Fraction(0)) for key, _ in self.total.values]

        ends = {name: self.bound.setting.domains[name].greatest for name in scales}
        least = min((end / weight for name, weight in scales.items() if (end := ends[name])), default=None)
        line = _Line(totals_at, grows, None if least is None else Fraction(float(least)))
        t, unit = line.nearest()
        beyond, exceeded = line.beyond(t, unit)
        reached = {key: _expression(x.high) for key, x, _ in totals_at(t) if x.high is not None}
        named = {family_of(name) or name: value for name, value in values(t).items()}
        return Budget(
            self.bound,
            named,
            {family_of(name) or name: value for name, value in known.items()},
            {key: _at_most(reached.get(key, value), value) for key, value in self.total.values},
            grows,
            {family_of(name) or name: value for name, value in values(beyond).items()},
            exceeded,
        )

    def _scales(self) -> dict[str, sympy.Expr]:
        """The weights of the parameters that the guarantee depends on and that have no value."""
        left = numbers.at(self.bound, self.fixed)
        if any(value.has(sympy.oo) for value in left.values()):
            raise NoBudget(f"there is no finite {next(iter(left))}, so no parameters reach a total")
        free = {symbol for value in left.values() for symbol in value.free_symbols}
        domains = self.bound.setting.domains
        for one in sorted(free, key=str):
            if domains[one.name].integer:
                raise NoBudget(f"{one} counts something: say its value, such as {one.name}=10")
        if not free:
            raise NoBudget("no parameter is left to choose")
        weight = budgets.given_weights(self.bound, self.weights)
        return {one.name: weight.get(one.name, sympy.Integer(1)) for one in sorted(free, key=str)}

    def _grows(self, scales: Mapping[str, sympy.Expr]) -> bool:
        """Whether the guarantee grows in all these parameters, or falls in all.  Raises NoBudget."""
        half = sympy.Rational(1, 2)
        once = {name: half * weight / max(1, weight) for name, weight in scales.items()}

        def size(values: Mapping[str, sympy.Expr]) -> list[sympy.Expr]:
            return [sympy.N(x, 30) for x in numbers.at(self.bound, {**self.fixed, **values}).values()]

        before, signs = size(once), set()
        for name, value in once.items():
            for factor in (sympy.Rational(3, 2), sympy.Rational(1, 2)):
                with suppress(WrongValue):  # something is assumed that does not hold there
                    after = size({**once, name: value * factor})
                    changed = [(x, y) for x, y in zip(before, after, strict=True) if x != y]
                    signs |= {bool((y > x) == (factor > 1)) for x, y in changed}
        if len(signs) != 1:
            raise NoBudget(
                "the guarantee grows in some parameters and falls in others: give values to some (at)"
            )
        return signs == {True}


def _at_most(reached: sympy.Expr, total: sympy.Expr) -> sympy.Expr:
    """What is reached, rounded up, but never above the total that is kept."""
    return total if (reached - total).is_positive else reached


def _expression(x: Fraction) -> sympy.Rational:
    up = rounded(x, DIGITS + 1, True)
    return sympy.Rational(up.numerator, up.denominator)


@frozen
class _Line:
    """Factors t > 0, at which more and more is lost in one direction: the larger ones, or the smaller.

    limit -- about where the allowed ones end, if they do: it only chooses where to look.
    """

    totals_at: Callable[[Fraction], list[tuple[str, Between, Fraction]]]
    grows: bool
    limit: Fraction | None

    def keeps(self, t: Fraction) -> bool:
        """Whether the total is kept at a factor, for certain."""
        return all(x.high is not None and x.high <= wanted for _, x, wanted in self.totals_at(t))

    def exceeds(self, t: Fraction) -> bool:
        """Whether it is exceeded there, for certain."""
        return any(x.low is not None and x.low > wanted for _, x, wanted in self.totals_at(t))

    def nearest(self) -> tuple[Fraction, Fraction]:
        """A factor that keeps the total, and the distance to the next one that is not seen to keep it."""
        ratio = Fraction(4) if self.grows else Fraction(1, 4)  # towards more that is lost
        power, other = Fraction(1), self._factor(Fraction(1))
        kept = self.keeps(other)
        for _ in range(MOST_POWERS):
            power, t = power * (ratio if kept else 1 / ratio), other
            other = self._factor(power)
            if self.keeps(other) != kept:
                break
        else:
            raise NoBudget(
                "every factor that was tried keeps the total" if kept else "no factor keeps the total"
            )
        good, bad = (t, other) if kept else (other, t)
        least = min(good, bad) if self.limit is None else min(good, bad, self.limit - max(good, bad))
        unit = Fraction(10) ** (math.floor(math.log10(least)) - DIGITS + 1)
        nearest = self._between(round(good / unit), round(bad / unit), unit) * unit
        if not self.keeps(nearest):
            raise NoBudget("no factor that is tried keeps the total")
        return nearest, unit

    def _factor(self, power: Fraction) -> Fraction:
        """A power of 4, or that share of the allowed factors to which it is the odds."""
        return power if self.limit is None else self.limit * power / (1 + power)

    def _between(self, good: int, bad: int, unit: Fraction) -> int:
        """The last multiple of a unit that keeps the total, by turns of halving and of proportion."""
        if not self.keeps(good * unit):
            good += 1 if good > bad else -1
        left, right = self._excess(good * unit), self._excess(bad * unit)
        for turn in range(TURNS):
            if abs(bad - good) <= 1:
                return good
            at = (good + bad) // 2
            if turn % 3 and left is not None and right is not None and right > left:
                at = good + round((bad - good) * -left / (right - left))
                at += (1 if bad > good else -1) * (turn % 3 == 2)
            at = min(max(at, min(good, bad) + 1), max(good, bad) - 1)
            if self.keeps(at * unit):
                good, left = at, self._excess(at * unit)
            else:
                bad, right = at, self._excess(at * unit)
        return good

    def _excess(self, t: Fraction) -> float | None:
        """About how far the logarithm of what is lost lies above that of the total: it only chooses where to
        look."""
        excess = [(x.high, wanted) for _, x, wanted in self.totals_at(t)]
        if any(x is None or x <= 0 or wanted <= 0 for x, wanted in excess):
            return None
        return max(_log(x) - _log(wanted) for x, wanted in excess if x is not None)

    def beyond(self, t: Fraction, unit: Fraction) -> tuple[Fraction, bool]:
        """The nearest factor at which the total is exceeded, and True; else the next one, and False."""
        step = unit if self.grows else -unit
        for n in range(MOST_DOUBLED):
            other = t + 2**n * step
            if other <= 0:
                break
            if self.exceeds(other):
                return other, True
        return t + step, False


def _log(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)
