"""Orders of divergences: those of which a setting speaks, and those of which a guarantee does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from second_checker.algebra import Algebra
from second_checker.enclosures import INF
from second_checker.forms import Form, letter, letters, number, rational, scale
from second_checker.outcomes import NotRead, demand

ALPHA = "alpha"
ENDS = re.compile(r"\s*([(\[])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([)\]])\s*")


@dataclass(frozen=True)
class Orders:
    """All orders between two ends, each of them one of these or not."""

    low: Fraction
    high: Fraction | float
    with_low: bool
    with_high: bool

    @staticmethod
    def read(text: Any) -> Orders:
        """An interval as it is written, or one number."""
        ends = ENDS.fullmatch(str(text))
        if ends is None:
            only = Fraction(str(text))
            demand(only > 1, "an order that is none")
            return Orders(only, only, True, True)
        high = INF if ends[3] == "oo" else Fraction(ends[3])
        found = Orders(Fraction(ends[2]), high, ends[1] == "[", ends[4] == "]")
        least = found.low > 1 or (found.low == 1 and not found.with_low)
        demand(least and found.low < found.high, "orders of which there are none")
        return found

    @property
    def only(self) -> Fraction | None:
        """The one order, where there is one only."""
        return self.low if self.low == self.high else None

    @property
    def all(self) -> bool:
        """Whether these are all orders."""
        return self == Orders(Fraction(1), INF, False, False)

    def are(self, which: str) -> bool:
        """Whether these are all orders, all large ones, or all the first ones."""
        first = self.low == 1 and self.high != INF
        return {"all": self.all, "large": self.high == INF, "first": first}[which]

    @property
    def letters(self) -> dict[str, str]:
        """The letter for them with its domain, where there are several."""
        if self.only is not None:
            return {}
        high = "oo" if self.high == INF else str(self.high)
        return {
            ALPHA: f"in {'[' if self.with_low else '('}{self.low}, {high}{']' if self.with_high else ')'}"
        }

    @property
    def names(self) -> dict[str, Form]:
        """What alpha means, where it is one order."""
        return {} if self.only is None else {ALPHA: number(self.only)}

    def within(self, low: Fraction, with_low: bool, high: Fraction | float, with_high: bool) -> bool:
        """Whether all of these lie between two ends."""
        begins = self.low > low or (self.low == low and (with_low or not self.with_low))
        return begins and (self.high < high or (self.high == high and (with_high or not self.with_high)))

    def among(self, other: Orders) -> bool:
        """Whether all of these are among others."""
        return self.within(other.low, other.with_low, other.high, other.with_high)


def of(core: Any) -> Orders | None:
    """The orders of which a setting speaks."""
    return Orders.read(core["orders"]) if "orders" in core else None


def last(mechanism: Any) -> Fraction | None:
    """The order up to which a guarantee bounds divergences, if it ends at one."""
    high = Orders.read(mechanism["orders"]).high if "orders" in mechanism else INF
    return None if high == INF else Fraction(high)


def slope(algebra: Algebra, mechanism: Any) -> Form:
    """The factor of alpha in a guarantee that is a number times the order."""
    own = Orders.read(mechanism["orders"])
    order = letter(ALPHA) if own.only is None else number(own.only)
    there = Algebra(algebra.domains | own.letters)
    value = there.read(mechanism["values"]["epsilon"], {ALPHA: order})
    found = there.times(value, there.power(order, Fraction(-1)))
    if ALPHA in letters(found):
        raise NotRead("orders", "of which no mechanism is known that attains them")
    return found


def slope_below(algebra: Algebra, mechanism: Any) -> Form:
    """The same, or of one value for all orders up to a largest one that of what is nowhere above it."""
    own, text = Orders.read(mechanism["orders"]), mechanism["values"]["epsilon"]
    value = Algebra(algebra.domains | own.letters).read(text, {ALPHA: letter(ALPHA)})
    if own.high == INF or ALPHA in letters(value):
        return slope(algebra, mechanism)
    return scale(value, 1 / Fraction(own.high))


def at(algebra: Algebra, mechanism: Any, setting: Orders, r: int) -> Form:
    """What a mechanism loses at the orders of a setting where its inputs are r apart (divergence-steps)."""
    own, text = Orders.read(mechanism["orders"]), mechanism["values"]["epsilon"]
    if r == 1:
        if setting.among(own):
            return algebra.read(text)
        demand(own.with_low and setting.high <= own.low, "nothing is said of some orders")
        return algebra.read(text, {ALPHA: number(own.low)})
    beta, B = setting.only, own.only
    if B is not None and beta is not None:
        q = B / (B - 1)
        demand(beta <= q**r / (q**r - 1), "an order of which nothing is known at this distance")
        return algebra.times(number((B - 1) * (q**r - 1)), algebra.read(text, {ALPHA: number(B)}))
    if own.high == INF and ALPHA not in letters(value := algebra.read(text, {ALPHA: letter(ALPHA)})):
        return algebra.times(number(r), value)
    end = own.high if own.high == INF else Fraction(own.high) / r
    if own.low > 1 or not setting.within(Fraction(1), False, end, own.with_high):
        raise NotRead("orders", "of which another page knows something at this distance")
    return algebra.times(algebra.times(number(r * r), slope(algebra, mechanism)), algebra.read(ALPHA))


def as_limit(algebra: Algebra, omega: Any, names: Any = None) -> Form:
    """1/omega: of a least one the largest."""
    if omega == "oo":
        return number(0)
    return inverse(algebra, algebra.read(omega, names))


def inverse(algebra: Algebra, form: Form) -> Form:
    """1/x for what is > 0; of a least number the largest of the inverses, of a largest the least."""
    if len(form) == 1 and rational(form) is None:
        ((monomial, factor),) = form
        ((a, p), *rest) = monomial
        if not rest and p == 1 and a[0] == "top" and a[1] == 1 and abs(factor) == 1:
            members = [x for x, n in a[2] for _ in range(n)]
            turned = [inverse(algebra, algebra.times(number(int(factor)), x)) for x in members]
            some = [algebra.times(number(-int(factor)), x) for x in turned]
            return algebra.times(number(-int(factor)), algebra.top(1, some))
    return algebra.power(form, Fraction(-1))
