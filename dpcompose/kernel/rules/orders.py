"""Other orders: what holds of a setting that speaks of divergences of some orders holds of the mechanisms."""

from __future__ import annotations

from dpcompose.kernel.core.orders import ALPHA, Orders
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.judgements import Loose, OfOrders, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.premises import BadStep, Found, Premises


def at_orders(setting: Setting, theory: Theory, premises: Premises, *, orders: str) -> Found:
    """What is shown where divergences of some orders are spoken of is so, of these orders.

    The mechanisms are the same: what is known of them is known at all orders that their guarantees say.
    """
    read = Orders.read(orders)
    if len(premises) != 1 or premises[0].setting != setting.at_orders(read).hash:
        raise BadStep("the theorem is not about the setting at these orders")
    says = premises[0].says
    if not isinstance(says, Satisfies | Refuted | Optimal | Loose):
        raise BadStep("only what is said of a guarantee holds there and here")
    if theory.rule(says.notion).head.ordered:
        return OfOrders(str(read), says), Grounds()
    if any(ALPHA in value.letters for _, value in says.values):
        raise BadStep("what is said depends on the order")
    return says, Grounds()
