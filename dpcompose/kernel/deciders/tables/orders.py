"""Rényi divergences of two distributions on one finite set: whether they are at most a bound at all orders.

ψ(α) = (α − 1)·D_α = ln Σ P^α·Q^(1−α) is convex in α, and ψ(1) ≤ 0; so between two orders it lies below the
chord of what it is at these, and D_α never exceeds the logarithm of the largest P/Q.  A bound that lies above
chords between finitely many orders, halved until it does, holds at all of them.  One order at which it is
exceeded breaks it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from dpcompose.kernel.core.orders import ALPHA, Orders
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided, Point
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.deciders.tables import divergences, entries
from dpcompose.kernel.deciders.tables.divergences import INFINITE, Row
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure, enclosure, log
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term

DIGITS = (30, 80)
"""To how many digits moments are enclosed, one after another."""
BITS = 128
"""With how many binary digits bounds are enclosed."""
MOST_CUTS = 300
"""At how many orders divergences are looked at, between which chords are compared with a bound."""
LARGEST_WHOLE = 16
"""Up to which whole order moments are compared exactly, and not by enclosures."""
FARTHEST = Fraction(2**24)
"""Up to which order one is looked for beyond which the largest loss is below the bound."""
ALL = Orders.read("(1, oo)")

Values = Mapping[str, Term]
Broken = tuple[Fraction, Point]
"""An order at which a bound is exceeded, and values of the parameters."""


@frozen
class Bound:
    """D_α ≤ the least of some formulas in alpha, at all α of some orders.

    >>> third = Fraction(1, 3)
    >>> P, Q = [third, 2 * third], [2 * third, third]
    >>> Bound((terms.log(terms.number(3) / 2),), Orders.read("2")).broken(P, Q)
    >>> Bound((ALL.order / 4,), ALL).broken(P, Q)
    >>> Bound((ALL.order / 5,), ALL).broken(P, Q)
    (Fraction(2, 1), {})
    """

    parts: tuple[Term, ...]
    orders: Orders

    @staticmethod
    def of(value: Term, orders: Orders) -> Bound:
        """That by one formula; a least of several is taken apart."""
        negative = -value
        least = negative.kind == "top" and negative.of[0] == 1
        return Bound(tuple(-part for part in negative.parts) if least else (value,), orders)

    def broken(self, P: Row, Q: Row) -> Broken | None:
        """An order at which D_α(P‖Q) is above the bound; None where it is seen to be at most that at all
        orders.  Raises NotDecided where neither is."""
        if (only := self.orders.only) is not None:
            return self._exceeded(P, Q, only)
        letters = {*exponentials.letters(*P, *Q), *(name for part in self.parts for name in part.letters)}
        if letters - {ALPHA}:
            raise NotDecided("divergences of many orders are compared for tables without parameters")
        return _Comparison(self, P, Q).broken()

    def _exceeded(self, P: Row, Q: Row, order: Fraction) -> Broken | None:
        """The same at one order."""
        undecided: NotDecided | None = None
        for part in self.at(order):
            try:
                if (point := _above(P, Q, order, part)) is not None:
                    return order, point
            except NotDecided as error:
                undecided = error
        if undecided is not None:
            raise undecided
        return None

    def at(self, order: Fraction) -> list[Term]:
        """The formulas at an order."""
        return [substitution.substituted(part, {ALPHA: terms.number(order)}) for part in self.parts]


@frozen
class _Comparison:
    """A bound compared with the divergences of two rows of numbers at all of its orders."""

    bound: Bound
    P: Row
    Q: Row

    def broken(self) -> Broken | None:
        """An order at which the bound is exceeded, None where there is none."""
        domain = self.bound.orders.domain
        assert domain.least is not None
        ratios = [ratio.value for ratio in divergences.ratios(self.P, self.Q)]
        if INFINITE in ratios:
            if all(part.kind == "oo" for part in self.bound.parts):
                return None
            return self._exceeded(next(order for order in self._tried if domain.contains(order)))
        low = domain.least
        high = self._end(low, domain.greatest)
        if isinstance(high, tuple):
            return high
        parts, looked = deque([(low, high)]), 0
        while parts:
            a, b = parts.popleft()
            if self._is_below(a, b):
                continue
            middle, looked = (a + b) / 2, looked + 1
            if looked > MOST_CUTS:
                raise NotDecided(f"divergences of {MOST_CUTS} orders do not tell whether the bound holds")
            if (found := self._exceeded(middle)) is not None:
                return found
            parts += [(a, middle), (middle, b)]
        return None

    @property
    def _tried(self) -> Iterator[Fraction]:
        """Orders, of which some is meant."""
        low, high = self.bound.orders.domain.least, self.bound.orders.domain.greatest
        assert low is not None
        yield low + 1 if high is None else (low + high) / 2

    def _end(self, low: Fraction, greatest: Fraction | None) -> Fraction | Broken:
        """An order beyond which the largest loss is at most the bound, or the greatest one if that is less;
        or one at which it is exceeded."""
        order = 2 * low
        while order <= FARTHEST and (greatest is None or order < greatest):
            if all(_is_at_least(part, self._largest_loss, Domain(order)) for part in self.bound.parts):
                return order
            if (found := self._exceeded(order)) is not None:
                return found
            order *= 2
        if greatest is not None:
            return greatest
        raise NotDecided("the largest loss is not seen to be below the bound at large orders")

    @cached_property
    def _largest_loss(self) -> Fraction:
        """A number that no divergence exceeds."""
        ratios = [ratio.value for ratio in divergences.ratios(self.P, self.Q)]
        most = max(exponentials.enclosed(ratio, DIGITS[0]).high for ratio in ratios if ratio is not None)
        return log(Interval.of(most), BITS).high

    def _exceeded(self, order: Fraction) -> Broken | None:
        """The same at one order; None also where that is not known."""
        for part in self.bound.at(order):
            try:
                if (point := _above(self.P, self.Q, order, part)) is not None:
                    return order, point
            except NotDecided:
                continue
        return None

    def _is_below(self, a: Fraction, b: Fraction) -> bool:
        """Whether the chord of ψ between two orders is seen to lie below (α − 1) times the bound."""
        y, z = self._psi(a), self._psi(b)
        return all(_is_above_chord(part, (a, y), (b, z)) for part in self.bound.parts)

    def _psi(self, order: Fraction) -> Fraction:
        """A number that ψ does not exceed at an order."""
        if order not in self._known:
            moment = divergences.moment_enclosure(self.P, self.Q, order, DIGITS[0])
            assert moment is not None
            self._known[order] = log(Interval.of(moment.high), BITS).high
        return self._known[order]

    @cached_property
    def _known(self) -> dict[Fraction, Fraction]:
        """ψ at the orders that were looked at."""
        return {Fraction(1): Fraction(0)}


def of_divergences(values: Values, orders: Orders | None) -> Bound:
    """Of a guarantee of Rényi divergences."""
    if orders is None:
        raise NotDecided("of which orders divergences are spoken is not said")
    return Bound.of(values["epsilon"], orders)


def of_multiples(values: Values, orders: Orders | None) -> Bound:
    """D_α ≤ ρα at all orders."""
    return Bound((values["rho"] * ALL.order,), ALL)


def of_multiples_up_to(values: Values, orders: Orders | None) -> Bound:
    """D_α ≤ ρα at all orders below 1/τ."""
    end = values["tau"].number
    if end is None or not 0 <= end < 1:
        raise NotDecided("only a rational omega above 1 is compared with tables")
    if end == 0:
        return of_multiples(values, orders)
    below = Orders(Domain(Fraction(1), True, 1 / end, True))
    return Bound((values["rho"] * below.order,), below)


BOUNDS: Mapping[str, Callable[[Values, Orders | None], Bound]] = {
    "renyi": of_divergences,
    "zcdp": of_multiples,
    "tcdp": of_multiples_up_to,
}
"""By a notion's name, as on its rule page, what it says of divergences."""


def _above(P: Row, Q: Row, order: Fraction, bound: Term) -> Point | None:
    """Values of the parameters for which D_α(P‖Q) is above a bound at a rational order; None where it never
    is."""
    if bound.kind == "oo":
        return None
    if order.denominator == 1 and order <= LARGEST_WHOLE:
        moment = divergences.moment(P, Q, int(order)).value
        if moment is INFINITE:
            return {}
        try:
            return is_at_least(entries.power(bound * (order - 1)), moment)
        except NotDecided:
            pass
    if bound.letters or exponentials.letters(*P, *Q):
        raise NotDecided(f"at order {order} it depends on the parameters")
    for digits in DIGITS:
        interval = divergences.moment_enclosure(P, Q, order, digits)
        if interval is None:
            return {}
        psi = log(interval, 4 * digits)
        try:
            most = enclosure((terms.number(order) - 1) * bound, 4 * digits)
        except NoEnclosure as error:
            raise NotDecided(str(error)) from None
        if psi.high <= most.low:
            return None
        if psi.low > most.high:
            return {}
    raise NotDecided(f"the divergence of order {order} is too close to the bound to tell")


def _is_above_chord(part: Term, one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> bool:
    """Whether (α − 1)·bound(α) is at least the chord of two points, (order, number), between these."""
    if part.kind == "oo":
        return True
    (a, y), (b, z) = one, two
    slope = (z - y) / (b - a)
    if (line := _line(part)) is None:
        return _is_at_least(part, max(z / (b - 1), Fraction(0)), Domain(a, False, b, False))
    rho, c = line

    def excess(x: Fraction) -> Fraction:
        return (x - 1) * (rho * x + c) - y - slope * (x - a)

    ends = [a, b]
    if rho > 0:  # it is convex: the least is at an end, or where it is level
        level = (rho - c + slope) / (2 * rho)
        ends += [level] if a < level < b else []
    return all(excess(x) >= 0 for x in ends)


def _line(part: Term) -> tuple[Fraction, Fraction] | None:
    """ρ and c with bound ≥ ρα + c, nearly the same; None where the bound is no straight line in alpha."""
    whole = substitution.substituted(part, {ALPHA: ALL.order})
    try:
        start, one = (substitution.substituted(part, {ALPHA: x}) for x in (ZERO, ONE))
    except ValueError:  # it has no value there
        return None
    if start.letters or one.letters or "oo" in (start.kind, one.kind):
        return None
    slope = substitution.expanded(one - start)
    if substitution.expanded(whole - start - slope * ALL.order) != ZERO:
        return None
    return enclosure(slope, BITS).low, enclosure(start, BITS).low


def _is_at_least(part: Term, number: Fraction, orders: Domain) -> bool:
    """Whether a bound is at least a number at all of some orders."""
    if part.kind == "oo":
        return True
    if (line := _line(part)) is not None:
        assert orders.least is not None
        ends = [orders.least, *(() if orders.greatest is None else (orders.greatest,))]
        rises = orders.greatest is not None or line[0] >= 0
        return rises and all(line[0] * x + line[1] >= number for x in ends)
    there = substitution.substituted(part, {ALPHA: terms.letter(ALPHA, orders)})
    return has_values.surely(there - terms.number(number), False)
