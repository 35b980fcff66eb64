"""Of which orders a setting speaks, where guarantees bound divergences of all orders of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from dpcompose.kernel.core.orders import ALPHA, NotThere, Orders
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.privacy.mechanisms.mechanism import Mechanism, Nested
from dpcompose.privacy.settings.invalid import InvalidSetting

IS_ORDER = (
    f"{ALPHA} is the order of divergences beside guarantees or claims that say orders; use another letter"
)


def spoken_of(mechanisms: Sequence[Mechanism]) -> Orders | None:
    """The orders of which all guarantees of divergences say something; None where there are none.

    Raises InvalidSetting where they have none in common.
    """
    curves = [
        guarantee.curve
        for m in mechanisms
        for guarantee in (m.satisfies, *m.also)
        if guarantee.curve is not None
    ]
    try:
        return common([curve.orders for curve in curves]) if curves else None
    except NotThere as error:
        raise InvalidSetting(str(error)) from None


def common(some: Sequence[Orders]) -> Orders:
    """Orders of which all of some say something: the orders that all have, or the least of single ones; where
    that is beyond all others, these, as what is known at an order is so at all smaller ones.

    Raises NotThere where there are none.

    >>> [str(common([Orders.read("(1, 8]"), Orders.read(other)])) for other in ("(1, 4)", "2", "9")]
    ['(1, 4)', '2', '(1, 8]']
    """
    if single := [orders for orders in some if orders.only is not None]:
        least_single = min(single, key=lambda orders: orders.only or 0)
        others = [orders for orders in some if orders.only is None]
        ends = [orders.last for orders in others if orders.last is not None]
        if not ends or (least_single.only or 0) <= min(ends):
            return least_single
        return common(others)
    least = max(some, key=lambda orders: (orders.domain.least, orders.domain.open_least)).domain
    bounded = [orders for orders in some if orders.domain.greatest is not None] or [some[0]]
    most = min(
        bounded, key=lambda orders: (orders.domain.greatest or 0, not orders.domain.open_greatest)
    ).domain
    orders = Orders(Domain(least.least, least.open_least, most.greatest, most.open_greatest))
    if orders.domain.greatest is not None and orders.domain.greatest <= (orders.domain.least or 0):
        raise NotThere(f"no order is in all of {', '.join(map(str, dict.fromkeys(some)))}")
    return orders


def at_orders(mechanism: Mechanism, orders: Orders) -> Mechanism:
    """The mechanism where divergences of some orders are spoken of.  Raises InvalidSetting."""
    try:
        satisfies, *also = (said.at_orders(orders) for said in (mechanism.satisfies, *mechanism.also))
    except NotThere as error:
        raise InvalidSetting(f"{mechanism.name}: {error}") from None
    inner: Any = None if mechanism.study is None else mechanism.study.setting
    study = (
        mechanism.study
        if inner is None
        else Nested(inner.at_orders(orders), mechanism.study.derivation if mechanism.study else {})
    )
    return replace(mechanism, satisfies=satisfies, also=tuple(also), study=study)


def with_order(domains: Mapping[str, Domain], orders: Orders, before: Orders | None) -> Mapping[str, Domain]:
    """The parameters with the letter for the orders, in place of that for others.  Raises InvalidSetting."""
    own = {} if before is None else before.letters
    kept = {name: domain for name, domain in domains.items() if own.get(name) != domain}
    if kept.get(ALPHA) not in (None, orders.letters.get(ALPHA)):
        raise InvalidSetting(IS_ORDER)
    return MappingProxyType({**kept, **orders.letters})
