"""Orders: at which α Rényi divergences are bounded, and bounds that are functions of α.

ε(α) for all α in an interval, or at one α, is a curve; a setting speaks of the divergences at one order, a
number or the letter `alpha` with the values that are meant.  Divergences do not decrease in α, so what is
known at one order holds at all smaller ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term

ALPHA = "alpha"
"""The letter for an order, in formulas of curves."""


class NotThere(ValueError):
    """A curve says nothing of some order; the message says of which."""


@frozen
class Orders:
    """The orders α > 1 in an interval, or one of them.

    >>> str(Orders.read("(1,8]")), str(Orders.read("3/2")), str(Orders.read("(1, oo)"))
    ('(1, 8]', '3/2', '(1, oo)')
    """

    domain: Domain

    @staticmethod
    def read(text: str) -> Orders:
        """The orders of a text.  Raises ValueError with what would fit."""
        words = "".join(text.split())
        number = r"(\d{1,60}(?:\.\d{1,60}|/\d{1,60})?)"
        match = re.fullmatch(rf"([(\[]){number},(?:{number}([)\]])|oo\))", words)
        try:
            if match is not None:
                greatest = None if match[3] is None else Fraction(match[3])
                ends = match[1] == "(", match[3] is not None and match[4] == ")"
                made = Orders(Domain(Fraction(match[2]), ends[0], greatest, ends[1]))
            else:
                alone = Fraction(words if re.fullmatch(number, words) else "")
                made = Orders(Domain(alone, False, alone, False))
        except (ValueError, ZeroDivisionError):
            raise ValueError(
                f'{text!r} are no orders; "(1, oo)", "(1, 8]" or one number such as "2" are'
            ) from None
        made._check(text)
        return made

    def _check(self, text: str) -> None:
        low, high = self._ends
        if low < 1 or (low == 1 and not self.domain.open_least):
            raise ValueError(f"{text!r} are no orders: they are above 1")
        if high is not None and (
            high < low or (high == low and self.domain.open_least | self.domain.open_greatest)
        ):
            raise ValueError(f"{text!r} are no orders: no number lies there")

    @property
    def _ends(self) -> tuple[Fraction, Fraction | None]:
        assert self.domain.least is not None
        return self.domain.least, self.domain.greatest

    @property
    def only(self) -> Fraction | None:
        """The one order, where there is one only."""
        low, high = self._ends
        return low if low == high else None

    @property
    def order(self) -> Term:
        """What formulas mean by alpha: the one order, or a letter for all of them."""
        return terms.letter(ALPHA, self.domain) if self.only is None else terms.number(self.only)

    @property
    def letters(self) -> Mapping[str, Domain]:
        """The letter for them with its values, where there are several."""
        return {} if self.only is not None else {ALPHA: self.domain}

    @property
    def all(self) -> bool:
        """Whether these are all orders."""
        return self.domain == Domain(Fraction(1), True)

    @property
    def endless(self) -> bool:
        """Whether all orders above some one are among these."""
        return self.domain.greatest is None

    @property
    def last(self) -> Fraction | None:
        """The order up to which they go; None where they have no end."""
        return self.domain.greatest

    def are(self, which: str) -> bool:
        """Whether these are "all" orders, all "large" ones, above some, or all "first" ones, up to some."""
        up_to_one = self._ends[0] == 1 and self.last is not None
        return {"all": self.all, "large": self.endless, "first": up_to_one}[which]

    def within(self, other: Orders) -> bool:
        """Whether all of these are among others."""
        (low, high), (least, greatest) = self._ends, other._ends
        if low < least or (low == least and other.domain.open_least and not self.domain.open_least):
            return False
        if greatest is None or high is None:
            return greatest is None
        return high < greatest or (
            high == greatest and (self.domain.open_greatest or not other.domain.open_greatest)
        )

    def __str__(self) -> str:
        if self.only is not None:
            return str(self.only)
        low, high = self._ends
        begin, end = "(" if self.domain.open_least else "[", ")" if self.domain.open_greatest else "]"
        return f"{begin}{low}, oo)" if high is None else f"{begin}{low}, {high}{end}"


@frozen
class Curve:
    """D_α ≤ value at all α of some orders; the value is in the letter of these.

    >>> every = Orders.read("(1, oo)")
    >>> formulas.to_text(Curve(every, terms.letter("r") * every.order).at(Orders.read("2")))
    '2*r'
    """

    orders: Orders
    value: Term

    @property
    def slope(self) -> Term | None:
        """ρ where it says ρα for one ρ; None where it says something else."""
        term = substitution.expanded(self.value / self.orders.order)
        return None if ALPHA in term.letters else term

    @property
    def slope_below(self) -> Term | None:
        """Some ρ with ρα at most what it says, at all its orders: of one value that over the largest."""
        high = self.orders._ends[1]
        return self.slope if high is None or ALPHA in self.value.letters else self.value / terms.number(high)

    def nonnegative_at(self, point: Mapping[str, Fraction]) -> bool:
        """Whether it is seen to be at least 0 at all orders, for the parameters at a point."""
        there = {name: terms.number(x) for name, x in point.items() if name != ALPHA}
        value = substitution.substituted(self.value, there)
        if value.nonnegative:
            return True
        slope = Curve(self.orders, value).slope
        return slope is not None and not slope.letters and sign(slope) in (0, 1)

    def with_letters(self, named: Mapping[str, Term]) -> Curve:
        """The same with other terms for some parameters."""
        return Curve(self.orders, substitution.substituted(self.value, named))

    def at(self, orders: Orders, r: Term = ONE) -> Term:
        """What it says at other orders, in the letter of these, of two inputs that are r steps apart.

        Raises NotThere where it says nothing.
        """
        if r == ZERO:
            return ZERO
        if INFINITY in (r, self.value):
            return INFINITY
        if r == ONE:
            return self._at_one(orders)
        if ALPHA not in self.value.letters and self.orders.domain.greatest is None:
            return r * self.value
        if self._reaches_times(r, orders) and (slope := self.slope) is not None:
            return r**2 * slope * orders.order
        if r.number is None or r.number.denominator != 1:
            raise NotThere(
                "divergences at distances that are no whole numbers are known of multiples of alpha only"
            )
        return self._at_distance(orders, r)

    def _at_one(self, orders: Orders) -> Term:
        low, top = self.orders._ends[0], orders._ends[1]
        if not self.orders.domain.open_least and top is not None and top <= low:
            return self._put(terms.number(low))
        if not orders.within(self.orders):
            raise NotThere(f"nothing is said of all orders in {orders}, but of {self.orders}")
        return self._put(orders.order)

    def _put(self, order: Term) -> Term:
        """The value at an order."""
        return substitution.substituted(self.value, {ALPHA: order})

    def _reaches_times(self, r: Term, orders: Orders) -> bool:
        """Whether it says something of all α up to r times the orders, from 1 on."""
        (low, high), top = self.orders._ends, orders._ends[1]
        if low != 1 or high is None:
            return low == 1
        if top is None or r.number is None:
            return False
        return r.number * top < high or (
            r.number * top == high and (orders.domain.open_greatest or not self.orders.domain.open_greatest)
        )

    def _at_distance(self, orders: Orders, r: Term) -> Term:
        """(A − 1)/(α − 1) times the value at A = 1/(1 − (1 − 1/α)^(1/r)).

        Of one order B that is at least A: (B − 1)·((B/(B − 1))^r − 1) times the value.
        """
        low, high = self.orders._ends
        known = low == 1 or self.orders.only is not None
        if not known or (high is not None and not self._is_reached(orders, r, terms.number(high))):
            raise NotThere(self._too_far(orders, r))
        return self.at_far(orders, r)

    def at_far(self, orders: Orders, r: Term) -> Term:
        """The same formula, wherever it may hold."""
        if self.orders.only is not None:
            B = self.orders.order
            return (B - 1) * ((B / (B - 1)) ** r - 1) * self.value
        A = _needed(orders.order, r)
        return (A - 1) / (orders.order - 1) * self._put(A)

    def _too_far(self, orders: Orders, r: Term) -> str:
        """That nothing is known of some orders, and up to which it is."""
        high = self.orders._ends[1]
        words = (
            f"nothing is known of all orders in {orders} at distance {r.number} from those in {self.orders}"
        )
        if high is None:
            return words
        end = 1 / (1 - (1 - 1 / terms.number(high)) ** r)
        return f"{words}, but of those up to {formulas.to_text(end)}"

    def _is_reached(self, orders: Orders, r: Term, end: Term) -> bool:
        """Whether the orders that are needed at distance r are below an end, or it if that is known."""
        top = orders._ends[1]
        if top is None:
            return False
        number = sign(end - _needed(terms.number(top), r))
        if number == 0 or end == _needed(terms.number(top), r):
            return orders.domain.open_greatest or not self.orders.domain.open_greatest
        return number == 1


def _needed(order: Term, r: Term) -> Term:
    """The order that is needed for one at distance r."""
    return 1 / (1 - (1 - 1 / order) ** (1 / r))


def reciprocal(value: Term) -> Term:
    """1 over a term: of a maximum the least of what is 1 over its members, and the other way round.

    >>> w, v = terms.letter("w"), terms.letter("v")
    >>> [formulas.to_text(reciprocal(term)) for term in (terms.least(v, w), terms.top(1, [1 / v, 1 / w]))]
    ['max(1/v, 1/w)', 'min(v, w)']
    """
    if value.kind == "oo" or value == ZERO:
        return ZERO if value.kind == "oo" else INFINITY
    if value.kind == "top" and value.of[0] == 1:
        return terms.least(*(reciprocal(part) for part in value.parts if part != ZERO))
    negative = -value
    if negative.kind == "top" and negative.of[0] == 1 and all((-part).positive for part in negative.parts):
        return terms.top(1, [1 / -part for part in negative.parts])
    return 1 / value
