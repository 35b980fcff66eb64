"""The curve of what is known of divergences: the least δ at ε, and ε at δ, over some orders.

Each order gives an (ε, δ) by the conversion pages; the smallest of these are bounds, and which mechanisms
reach them is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cached_property

from dpcompose.kernel.composition import losses
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions.intervals import NoEnclosure, enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, number
from dpcompose.kernel.library.theory import NoPage, Theory
from dpcompose.search import guarantees
from dpcompose.search.conversions.orders import TRIED
from dpcompose.search.guarantees import NoGuarantee

BITS, DIGITS, SMALLEST = 64, 7, 400
"""With how many binary digits bounds are enclosed, to how many digits a δ is looked for, and down to which
power of a tenth."""


@frozen
class OfOrders:
    """What a setting in numbers, which speaks of divergences, gives in a notion with a δ."""

    setting: Setting
    theory: Theory
    notion: str

    @cached_property
    def divergences(self) -> list[tuple[Orders, str, Term]]:
        """The best bounds at some orders: the order, the notion, and the bound."""
        return list(self._divergences())

    def _divergences(self) -> Iterator[tuple[Orders, str, Term]]:
        known = self.setting.orders
        tried = TRIED if known is None or known.only is None else (known.only, *TRIED)
        ordered = [page.head.notion for page in self.theory.of_kind("rule") if page.head.ordered]
        for order in dict.fromkeys(tried):
            at = Orders.read(str(order))
            for notion in ordered:
                with suppress(NoGuarantee, BadSetting, ValueError):
                    shop = guarantees.workshop(self.setting.at_orders(at), self.theory)
                    ((_, value),) = guarantees.best(shop, notion).main.says.values
                    yield at, notion, value

    def epsilon(self, delta: Fraction) -> Fraction | None:
        """The least ε at δ in (0, 1); None: nothing is known."""
        values = [
            high
            for at, notion, value in self.divergences
            if (high := self._epsilon(at, notion, value, delta)) is not None
        ]
        return min(values, default=None)

    def _epsilon(self, at: Orders, notion: str, value: Term, delta: Fraction) -> Fraction | None:
        """The ε that one order gives at δ, rounded up."""
        values = list[Fraction]()
        for page in self.theory.of_kind("conversion"):
            if (page.head.from_, page.head.to, list(page.head.free)) == (notion, self.notion, ["delta"]):
                (key,) = self.theory.rule(notion).head.parameters
                with suppress(NoEnclosure, NoPage, ValueError):
                    made = losses.converted(
                        self.theory, page, {key: value}, {"delta": number(delta)}, orders=at
                    )
                    values.append(enclosure(made["epsilon"], BITS).high)
        return min(values, default=None)

    def delta(self, epsilon: Fraction) -> Fraction | None:
        """A δ with at most ε, the least up to so many digits; None: there is none that is seen."""
        values = [self._delta(*divergence, epsilon) for divergence in self.divergences]
        return min((value for value in values if value is not None), default=None)

    def _delta(self, at: Orders, notion: str, value: Term, epsilon: Fraction) -> Fraction | None:
        def holds(delta: Fraction) -> bool:
            high = self._epsilon(at, notion, value, delta)
            return high is not None and high <= epsilon

        if not holds(1 - Fraction(1, 10**DIGITS)):
            return None
        low, high = 0, SMALLEST  # the exponent: 10^−low holds, or is 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(Fraction(1, 10**middle)) else (low, middle)
        unit = Fraction(1, 10 ** (high + DIGITS))
        least, most = 10**DIGITS, 10 ** (DIGITS + 1)
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (least, middle) if holds(middle * unit) else (middle, most)
        limit = 1 - Fraction(1, 10**DIGITS)
        found: Fraction = min(most * unit, limit)
        return found
