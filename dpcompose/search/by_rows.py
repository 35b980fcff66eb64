"""Claims decided by the rows of tables, where the setting has some: proved of all, or refuted by two rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction

from dpcompose.kernel.composition.given_tables import Pair, Together
from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.tables import promises
from dpcompose.kernel.deciders.tables.promises import Broken
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.theorems import Theorem
from dpcompose.search.refutations.claimed import Claimed, Point
from dpcompose.search.trying import tried, written

MOST_POINTS = 8
"""At how many simple points two rows are looked at where they decide nothing in letters."""
MOST_LOOKED_AT = 2_000
"""How many pairs of rows are looked at, at points, in all."""


def decided(claimed: Claimed) -> Theorem | None:
    """The theorem that a claim holds, or is false, by the rows of tables."""
    setting = claimed.shop.setting
    if not any(mechanism.table is not None for mechanism in setting.mechanisms):
        return None
    with suppress(ValueError):  # the class is not listed, or its tables have too many outcomes
        tables = Together(setting)
        found = _refuted(claimed, tables)
        if found is not None:
            return found
        return tried(claimed.shop.prover, "by_rows", claim=dict(claimed.claim))
    return None


def _refuted(claimed: Claimed, tables: Together) -> Theorem | None:
    """The claim refuted by two rows."""
    for (x, y), point in _breaking(claimed, tables):
        said = {"claim": dict(claimed.claim), "point": written(point), "databases": [x, y]}
        if (refuted := tried(claimed.shop.prover, "against_rows", **said)) is not None:
            return refuted
    return None


def _breaking(claimed: Claimed, tables: Together) -> Iterator[tuple[Pair, Point]]:
    """Neighbours, in one order, whose rows break the claim, and values of parameters for that."""
    undecided = list[Pair]()
    for x, y in tables.neighbours:
        for pair in ((x, y), (y, x)):
            try:
                broken = _broken(claimed, tables, pair, {})
            except ValueError:
                undecided.append(pair)
                continue
            if broken is not None:
                yield pair, _completed(claimed, broken, broken.point)
    points = claimed.simple_points[:MOST_POINTS] if undecided and claimed.shop.setting.parameters else []
    for n, (point, pair) in enumerate((point, pair) for point in points for pair in undecided):
        if n == MOST_LOOKED_AT:
            return
        with suppress(ValueError):
            broken = _broken(claimed, tables, pair, point)
            if broken is not None:
                yield pair, _completed(claimed, broken, point)


def _completed(claimed: Claimed, broken: Broken, point: Point) -> Point:
    """A point with values for all letters, the order of divergences among them."""
    order = {} if broken.order is None or ALPHA not in claimed.usual else {ALPHA: broken.order}
    return claimed.completed({**claimed.usual, **point, **order})


def _broken(claimed: Claimed, tables: Together, pair: Pair, point: Mapping[str, Fraction]) -> Broken | None:
    """What breaks the claim at two databases, in letters or at a point."""
    setting, values = claimed.shop.setting, claimed.values
    P, Q = tables.at(*pair, whole=False)
    orders = setting.orders
    if point:
        P, Q = ([exponentials.value_at(p, point) for p in row] for row in (P, Q))
        orders = setting.orders_at(point)
        values = {key: formulas.extended(value, point) for key, value in values.items()}
    return promises.broken(claimed.says.notion, P, Q, values, orders)
