"""Divergences: the order of which a setting speaks in formulas of pages, and those of noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpcompose.kernel.core.orders import ALPHA, Curve, Orders
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.deciders.curves import noises
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.heads import LAST_ORDER
from dpcompose.kernel.library.theory import NoPage, Theory


def order_of(theory: Theory, orders: Orders | None, *notions: str) -> dict[str, Term]:
    """The letter for the order, where one of some notions is about divergences.  Raises NoPage where a
    setting speaks of none."""
    if not any(theory.rule(notion).head.ordered for notion in notions):
        return {}
    if orders is None:
        raise NoPage(f"no orders are said of which a divergence would be one: {' and '.join(notions)}")
    return {ALPHA: orders.order}


def last_order(orders: Orders) -> dict[str, Term]:
    """The letter for the order up to which divergences are spoken of, where these have an end."""
    return {} if orders.last is None else {LAST_ORDER: terms.number(orders.last)}


def below(rule: Any, values: Iterable[tuple[str, Term]], curve: Curve | None) -> dict[str, Term] | None:
    """The parameters of a guarantee; of a curve alpha, and a number times it that is nowhere above the curve:
    normal noise has it at all orders.  None where no such number is known."""
    if not rule.head.ordered:
        return dict(values)
    slope = None if curve is None else curve.slope_below
    if curve is None or slope is None:
        return None
    order = curve.orders.order
    return {rule.head.parameters[0]: slope * order, ALPHA: order}


def of_noise(law: Any, parameter: Term, r: Term, setting: Setting) -> Term:
    """The divergence of the outputs of noise where an entry moves by r.  Raises Unfit, and NoPage where the
    setting speaks of no order."""
    if setting.order is None:
        raise NoPage(f"no orders are said of which a divergence of {law.noise} noise would be one")
    fitting = noises.fit(law, parameter, setting.assumed)
    return noises.value(law, fitting, law.renyi, {"r": r, ALPHA: setting.order})


def curves(mechanism: Mechanism) -> list[Curve]:
    """What is known of a mechanism, and of those of its study, as a function of orders."""
    every = (mechanism.curve, *(stated.curve for stated in mechanism.also))
    own = [curve for curve in every if curve is not None]
    inner = () if mechanism.study is None else mechanism.study.mechanisms
    return [*own, *(curve for part in inner for curve in curves(part))]
