"""Reads what a core setting says of its letters: parameters, relations, orders, and values at these."""

from __future__ import annotations

from collections.abc import Sequence

from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.core.orders import ALPHA, Curve, NotThere, Orders
from dpcompose.kernel.core.reader import BadSetting, Reader
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import naming
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.grammar import RESERVED
from dpcompose.kernel.expressions.terms import Term


def with_order(
    reader: Reader,
    parameters: tuple[tuple[str, Domain], ...],
    orders: Orders | None,
    in_metrics: bool,
    inside: Sequence[Setting | None],
) -> tuple[tuple[str, Domain], ...]:
    """The parameters with the letter for the orders of which a setting speaks, as do those inside of it."""
    if any(setting is not None and setting.orders != orders for setting in inside):
        raise BadSetting(f"{reader.at}: studies speak of other orders than the whole")
    if orders is None:
        return parameters
    if in_metrics or ALPHA in dict(parameters):
        raise reader.key("orders").wrong(f"no parameter {ALPHA} and no distances besides orders, so none")
    return tuple(sorted((*parameters, *orders.letters.items())))


def orders_of(reader: Reader) -> Orders:
    """The orders of which divergences are spoken, or a curve is about."""
    try:
        return Orders.read(reader.key("orders").text())
    except ValueError as error:
        raise BadSetting(f"{reader.at}: {error}") from None


def curve(reader: Reader, orders: Orders | None) -> Curve | None:
    """Of a guarantee that is about orders what it says of all of them."""
    if "orders" not in reader.value:
        return None
    own = orders_of(reader)
    there = Reader(reader.value, reader.at, {**reader.symbols, ALPHA: own.order}).key("values").values()
    if len(there) != 1 or orders is None or reader.value.keys() & {"noise", "table", "metric"}:
        raise reader.wrong("one parameter of a guarantee for neighbours, and orders of the setting,")
    return Curve(own, there[0][1])


def values(reader: Reader, curve: Curve | None, orders: Orders | None) -> tuple[tuple[str, Term], ...]:
    """The parameters of a guarantee, of a curve at the orders of the setting."""
    if curve is None or orders is None:
        return reader.key("values").values()
    try:
        return tuple((key, curve.at(orders)) for key in map(str, reader.key("values").value))
    except NotThere as error:
        raise BadSetting(f"{reader.at}: {error}") from None


def assumption(reader: Reader) -> Assumption:
    """A relation between parameters: two formulas with a sign between them."""
    if len(parts := reader.items()) != 3:
        raise reader.wrong("a formula, a sign and a formula")
    assumption = Assumption(parts[0].formula(), parts[1].text(*assumptions.SIGNS), parts[2].formula())
    for side in (assumption.left, assumption.right):
        if side.has("oo") or assumptions.members_in(side):
            raise reader.wrong("a relation between single numbers, without members of families and oo,")
    return assumption


def parameters(reader: Reader) -> tuple[tuple[str, Domain], ...]:
    if not isinstance(reader.value, dict):
        raise reader.wrong("a table")
    domains = []
    for name in sorted(map(str, reader.value)):
        said = naming.read(name)
        bare = said.base if said.is_general else name
        if not (bare.isidentifier() and bare.isascii()) or bare in RESERVED or said.distance is not None:
            raise BadSetting(f"{reader.at}: {name!r} is no name of a parameter")
        try:
            domains.append((name, Domain.read(reader.key(name).text())))
        except ValueError as error:
            raise BadSetting(f"{reader.at}.{name}: {error}") from None
    return tuple(domains)
