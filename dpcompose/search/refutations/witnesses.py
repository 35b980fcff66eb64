"""Claims refuted by witnesses: mechanisms that lose as much as their guarantees allow.

In the notion of the claim, or in one in which it implies a guarantee.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import islice, product
from typing import Any

from dpcompose.kernel import computed
from dpcompose.kernel.composition.losses import converted
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.judgements import Lower
from dpcompose.kernel.theorems import Theorem
from dpcompose.search.conversions.ways import paths
from dpcompose.search.guarantees import attained
from dpcompose.search.refutations.claimed import Claimed, Point
from dpcompose.search.trying import tried, written

MOST_TAILS = 100
"""Of how many mechanisms, at how many types, it is looked at whether divergences are infinite."""


def by_witnesses(claimed: Claimed) -> Theorem | None:
    """What is lost by witnesses of the claim's notion, or of one in which it implies a guarantee, is more."""
    for notion in _witnessed(claimed):
        ways = _ways(claimed, notion)
        for lower in _lowers(claimed, notion) if ways else ():
            for way in ways:
                if (refuted := _refuted(claimed, lower, way)) is not None:
                    return refuted
    return None


def by_tails(claimed: Claimed) -> Theorem | None:
    """One mechanism has divergences that are infinite beyond some order."""
    heads = (page.head for page in claimed.theory.of_kind("witness"))
    keys = [head.shows for head in heads if head.notion == claimed.says.notion and head.by == "tail"]
    types = enumerate(claimed.shop.types.types, start=1)
    moving = ((n, i) for n, type in types for i, _ in type.moves)
    for key, (n, i) in product(keys, islice(moving, MOST_TAILS)):
        lower = _attained(claimed, claimed.says.notion, n, [i], key=key)
        if (refuted := _refuted(claimed, lower, [])) is not None:
            return refuted
    return None


def by_nothing(claimed: Claimed) -> Theorem | None:
    """No mechanisms at all lose 0: a claim may be below."""
    for notion in _witnessed(claimed):
        for way in _ways(claimed, notion):
            if refuted := _refuted(claimed, _attained(claimed, notion, 1, []), way):
                return refuted
    return None


def _witnessed(claimed: Claimed) -> Iterable[str]:
    """The notions in which it may be known what is lost, that of the claim first, then the nearest."""
    notions = dict.fromkeys(page.head.notion for page in claimed.theory.of_kind("witness"))
    near = sorted(notions, key=lambda notion: min(map(len, _ways(claimed, notion)), default=0))
    return dict.fromkeys((claimed.says.notion, *claimed.shop.notions, *near))


def _ways(claimed: Claimed, notion: str) -> list[list[str]]:
    """The pages by which the claim implies a guarantee in another notion."""
    said = claimed.says.notion
    ways = [()] if notion == said else paths(claimed.theory, said, notion)
    return [[page.id for page in way] for way in ways]


def _lowers(claimed: Claimed, notion: str) -> Iterator[Theorem]:
    """What mechanisms lose in a notion: all together, else those that are known to lose anything."""
    together = attained(claimed.shop, notion)
    if together is not None:
        if isinstance(together.says, Lower) and together.says.value != terms.ZERO:
            yield together
        return
    count = len(claimed.shop.setting.mechanisms)
    able = [i for i in range(1, count + 1) if _loses(claimed, notion, i)]
    for n, type in enumerate(claimed.shop.types.types, start=1):
        moving = [i for i, _ in type.moves if i in able]
        for by in [moving, *([i] for i in moving)] if moving else []:
            if (lower := _attained(claimed, notion, n, by)) is not None:
                yield lower
                break


def _loses(claimed: Claimed, notion: str, i: int) -> bool:
    """Whether the i-th mechanism is known to lose anything at some type at which it moves."""
    types = enumerate(claimed.shop.types.types, start=1)
    moving = (n for n, type in types if i in dict(type.moves))
    return any(_attained(claimed, notion, n, [i]) is not None for n in moving)


def _attained(claimed: Claimed, notion: str, n: int, by: list[int], **key: str) -> Theorem | None:
    """What some mechanisms lose at the neighbours of the n-th type; None where that is not known."""
    asked: dict[str, Any] = {"notion": notion, "neighbours": [n], "by": by, **key}
    return tried(claimed.shop.prover, "attain", *claimed.premises, **asked)


def _refuted(claimed: Claimed, lower: Theorem | None, way: list[str]) -> Theorem | None:
    """The claim refuted at a point at which mechanisms lose more, where it is known that they do."""
    if lower is None or not isinstance(lower.says, Lower):
        return None
    value = _implied(claimed, way).get(lower.says.key)
    if value is None or value.kind == "oo" or _is_always_enough(value, lower.says.value):
        return None
    if (compared := (value, lower.says, bool(way))) in claimed.enough:
        return None
    asked: dict[str, Any] = {"claim": dict(claimed.claim)} | ({"through": way} if way else {})
    below = False
    for point in claimed.points_below(lower.says, bool(way)):
        if not _is_enough(value, lower.says.value, point):
            below, refuted = True, tried(claimed.shop.prover, "refute", lower, point=written(point), **asked)
            if refuted is not None:
                return refuted
    if not below:
        claimed.enough.add(compared)
    return None


def _implied(claimed: Claimed, way: list[str]) -> Mapping[str, Term]:
    """What the claim implies by some conversions; nothing where one of them says nothing of it."""
    values, theory = claimed.values, claimed.theory
    try:
        for id in way:
            page = theory.page(id, "conversion")
            values = converted(theory, page, values, {}, orders=claimed.shop.setting.orders)
    except ValueError:  # a page is about other values, or numbers are too long to be written
        return {}
    return values


def _is_always_enough(value: Term, lost: Term) -> bool:
    """Whether what is lost is seen to be at most a value, from the signs of the difference's parts."""
    with suppress(TermError):  # numbers are too long to be written
        return lost.kind != "oo" and (value - lost).nonnegative
    return False


def _is_enough(value: Term, lost: Term, point: Point) -> bool:
    """Whether a claim is seen to hold at a point, where what is lost is compared with it."""
    with suppress(ValueError):  # a value is ∞, or there is none there
        return computed.is_at_least(value, lost, dict[str, Fraction](point))
    return False
