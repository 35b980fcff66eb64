"""Other orders: what holds of a setting that speaks of divergences of some orders holds of the mechanisms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel.composition import losses
from dpcompose.kernel.core.orders import ALPHA, Orders
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Loose, OfOrders, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, conversion, one_of


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


def beyond(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, order: str, page: str
) -> Found:
    """A claim about divergences is false where it implies what is: of those up to one of its own orders.

    Where D_β ≤ ε, D_α ≤ ε ≤ εα for all 1 < α ≤ β; what a page makes of that is seen to be false.
    """
    refuted, (orders, notion, value) = one_of(premises, Refuted), _read(claim, setting, theory)
    there, below = implied(value, orders, Orders.read(order))
    by = conversion(theory, page, notion)
    (key,) = theory.rule(notion).head.parameters
    values = losses.converted(theory, by, {key: there}, {}, orders=below)
    if (refuted.notion, dict(refuted.values)) != (by.head.to, values):
        raise BadStep(f"that is not what {page} makes of the claim at the order {order}")
    said, used = Refuted(notion, ((key, value),), refuted.point, (page,)), Grounds(frozenset({page}))
    return (said if orders == setting.orders else OfOrders(str(orders), said)), used


def implied(value: Term, orders: Orders, at: Orders) -> tuple[Term, Orders]:
    """What a claim at some orders implies of those up to one of them: a multiple of the order, and these."""
    if at.only is None or not at.within(orders):
        raise BadStep(f"{at} is none of the orders {orders} of the claim")
    below = Orders.read(f"(1, {at.only}]")
    return substitution.substituted(value, {ALPHA: terms.number(at.only)}) * below.order, below


def _read(claim: Any, setting: Setting, theory: Theory) -> tuple[Orders, str, Term]:
    """The orders, the notion and the formula of a claim about divergences, in the letter of its orders."""
    if not isinstance(claim, Mapping) or not {"notion", "orders"} <= claim.keys():
        raise BadStep("a claim about divergences is a notion with its orders")
    head, orders = theory.rule(str(claim["notion"])).head, Orders.read(str(claim["orders"]))
    if not head.ordered or set(claim) != {"notion", "orders", *head.parameters}:
        raise BadStep("the claim is not about divergences of some orders")
    (key,) = head.parameters
    symbols = {**setting.symbols, ALPHA: orders.order}
    if why := has_values.doubt(str(claim[key]), symbols, assumed=setting.assumed):
        raise BadStep(f"{key} of the claim may have no value: {why}")
    value = formulas.parse(str(claim[key]), symbols)
    if value.kind == "oo":
        raise BadStep("a claim of which a parameter is oo says nothing")
    return orders, str(claim["notion"]), value
