"""Claims refuted by curves: at a point, and neighbours of a type, mechanisms have a larger δ at the ε."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from typing import Any

from dpcompose.kernel.theorems import Theorem
from dpcompose.search import least
from dpcompose.search.conversions import below, implied
from dpcompose.search.least import BITS
from dpcompose.search.refutations import fewer
from dpcompose.search.refutations.claimed import Claimed, Point
from dpcompose.search.trying import tried, written

MOST_OF_SOME = 100
"""At how many points and types it is looked for what some of the mechanisms refute."""
FEW_IMPLIED, MOST_IMPLIED = 3, 20
"""At how many points, and how often in all, a claim is looked at by what it implies in other notions."""
OF_EVENTS = {"epsilon", "delta"}
"""The parameters of claims that events are about: their δ is a probability at an ε."""


def by_curves(claimed: Claimed, points: Sequence[Point], bits: Sequence[int] = BITS[:1]) -> Theorem | None:
    """The mechanisms that lose most at some type have a larger δ, or some of them do."""
    tried = list(product(points, claimed.numbers, bits))
    for point, n, accuracy in tried:
        if refuted := _exceeded(claimed, n, point, accuracy, **_known(claimed, n)):
            return refuted
    if claimed.limited != OF_EVENTS:
        return None
    for point, n, accuracy in tried[:MOST_OF_SOME]:
        subset = fewer.Subset(claimed.shop, claimed.says, claimed.shop.types.types[n - 1], point, accuracy)
        for by in subset.choices():
            if refuted := _exceeded(claimed, n, point, accuracy, by=by):
                return refuted
    return None


def by_many_members(claimed: Claimed) -> Theorem | None:
    """Families with many members have a larger δ: these curves take longest."""
    whole = claimed.whole
    if least.page(whole.shop, claimed.says.notion) is None:
        return None
    return by_curves(whole, whole.points_of_many)


def by_events(claimed: Claimed) -> Theorem | None:
    """An event of one mechanism's noise, of which no curve is known, has a larger probability."""
    noises = [mechanism.noise for mechanism in claimed.shop.setting.mechanisms]
    of_queries = {i: noise for i, noise in enumerate(noises, start=1) if noise is not None and noise.query}
    laws = {i: claimed.theory.page(noise.page, "noise").head for i, noise in of_queries.items()}
    able = [i for i, law in laws.items() if law.event] if claimed.limited == OF_EVENTS else []
    for point, n, i in product(claimed.simple_points, claimed.numbers, able) if able else ():
        if refuted := _exceeded(claimed, n, point, BITS[0], by=[i]):
            return refuted
    return None


def by_implied(claimed: Claimed) -> Theorem | None:
    """What the claim implies in a notion that has curves is exceeded."""
    ways = [*below.exceeded(claimed.shop, claimed.says), *implied.ways(claimed.shop, claimed.says.notion)]
    tried = product(claimed.simple_points[:FEW_IMPLIED], claimed.numbers, ways)
    for point, n, way in islice(tried, MOST_IMPLIED):
        if refuted := _exceeded(claimed, n, point, BITS[0], implied=way, **_known(claimed, n)):
            return refuted
    return None


def _known(claimed: Claimed, n: int) -> dict[str, list[int]]:
    """Which mechanisms are looked at at the n-th type, where it is not known what all of them lose."""
    type = claimed.shop.types.types[n - 1]
    able, moving = least.known_to_lose(claimed.shop, type), {i for i, _ in type.moves}
    return {} if moving <= set(able) else {"by": able}


def _exceeded(claimed: Claimed, n: int, point: Point, bits: int, **by: Any) -> Theorem | None:
    """The claim refuted at the n-th type by some mechanisms."""
    said = {"claim": dict(claimed.claim), "point": written(point)}
    asked: dict[str, Any] = {**said, "neighbours": n, "bits": bits, **by}
    return tried(claimed.shop.prover, "exceed", *claimed.premises, **asked)
