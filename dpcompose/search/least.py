"""The least guarantee that a computed curve has at a claim's δ, and how close the curve is known at its ε.

Nothing here decides a claim: curves are those of the kernel, rounded to the side of less privacy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import product
from typing import Any

from dpcompose.kernel import computed
from dpcompose.kernel.covers.queries import value_is_reached
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import Interval, enclosure, log
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.theory import NoPage
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.search import guarantees
from dpcompose.search.guarantees import Workshop

BITS = (128, 512)
"""With how many binary digits a curve is enclosed, until a claim is seen to lie above or below it."""
MOST_TYPES = 200
"""At how many types of neighbours curves are tried."""

ONLY_CONVEX = (
    "the types of neighbours that are told stand for all only where losses add up and are convex, and what "
    "is between them is too much to write down"
)


def page(shop: Workshop, notion: str, lost: bool = False) -> Any | None:
    """The page by which claims of a notion are computed, if there is one; lost -- or refuted."""
    losses = [guarantees.loss_of(theorem) for theorem in shop.stated]
    try:
        return computed.Curves(notion, losses, shop.setting, shop.theory, lost=lost).page
    except NoPage:
        return None


def curves(shop: Workshop, notion: str) -> list[Curve | None] | None:
    """The curves of all neighbours; None where no page computes them, or parameters are left."""
    try:
        return _curves(shop, notion)
    except ValueError:
        return None


def _curves(shop: Workshop, notion: str) -> list[Curve | None] | None:
    """The same; None where no page is about such mechanisms.  Raises ValueError with the reason."""
    if page(shop, notion) is not None and not shop.whole.types.is_whole:
        raise ValueError(ONLY_CONVEX)
    return of_types(shop.whole, notion)


def of_types(shop: Workshop, notion: str) -> list[Curve | None] | None:
    """The curves of the types that are told, which may not be all neighbours.  Raises ValueError."""
    if page(shop, notion) is None:
        return None
    losses = [guarantees.loss_of(theorem) for theorem in shop.stated]
    return computed.Curves(notion, losses, shop.setting, shop.theory).of_types(shop.types)


def why_none(shop: Workshop, notion: str) -> str:
    """Why no curve is computed, though a page is about such mechanisms; "" where none is."""
    try:
        if some := _curves(shop, notion):
            pieces.above(some, terms.ONE, BITS[0])
    except ValueError as error:
        return str(error)
    return ""


def least_epsilon(shop: Workshop, notion: str, delta: Term) -> Term | None:
    """The least ε that is known at δ, up to 1e-6; ∞ where δ is below all that a curve reaches.

    None where nothing is computed.
    """
    some = curves(shop, notion)
    if not some or delta.kind == "oo" or delta.letters:
        return None
    epsilon = Fraction(0)
    try:
        within = enclosure(delta, BITS[0]).low
        for curve in some if within < 1 else []:
            if curve is not None and curve.above(terms.number(epsilon)) <= within:
                continue
            least = None if curve is None else least_epsilon_of(curve, within)
            if least is None:
                return terms.INFINITY
            epsilon = least.high
    except ValueError:
        return None
    return terms.number(epsilon)


MOST_EPSILON = 10**9
"""Up to which ε' the least one is looked for."""


@lru_cache(maxsize=64)
def least_epsilon_of(curve: Curve, delta: Fraction, digits: int = 6, bits: int = 128) -> Interval | None:
    """The least ε' ≥ 0 with δ(ε') ≤ δ, between decimals of so many digits; None: there is none.

    It is looked for where δ(ε') seems to be δ: rough logarithms only choose where.

    >>> from dpcompose.kernel.deciders.curves.tails import Normal
    >>> normal = Normal(terms.ONE)
    >>> str(least_epsilon_of(Curve.of([normal, normal]), Fraction(1, 10**5)).high * 10**6)
    '6572971'
    """
    unit = 10**digits
    if curve.without_limit(bits) > delta:
        return None

    @cache
    def above(n: int) -> Fraction:
        return curve.above(terms.number(Fraction(n, unit)), bits)

    low, high = -1, unit  # the last n at which δ(n/unit) is not seen to be at most δ, and a first one
    while above(high) > delta:
        low, high = high, 2 * high
        if high > MOST_EPSILON * unit:
            return None
    turn = 0
    while high - low > 1:
        turn += 1
        at = (low + high) // 2
        if turn % 3 and low >= 0 and 0 < above(high) < above(low) and delta > 0:
            left, right = (_log(above(n)) - _log(delta) for n in (low, high))
            if left > right:
                at = low + round((high - low) * left / (left - right))
        at = min(max(at, low + 1), high - 1)
        low, high = (low, at) if above(at) <= delta else (at, high)
    before, step = high - 1, 1  # the last at which it is known to be above δ, or close to that
    while before >= 0 and curve.below(terms.number(Fraction(before, unit)), bits) <= delta:
        before, step = before - step, 2 * step
    return Interval(Fraction(max(0, before), unit), Fraction(high, unit))


def _log(x: Fraction) -> Fraction:
    return log(Interval.of(x), 40).low


def guarantee(shop: Workshop, claimed: Guarantee, proved: bool) -> Guarantee | None:
    """A claimed guarantee with the least ε that is known at its δ; None where there is none.

    proved -- whether the claim is: it is returned itself where the decimal that is found is larger.
    """
    values = dict(claimed.terms)
    if "delta" not in values:
        return None
    epsilon = least_epsilon(shop, claimed.notion, values["delta"])
    if epsilon is None or (proved and _is_larger(epsilon, values["epsilon"])):
        return None if epsilon is None else claimed
    return claimed.with_values((("epsilon", epsilon), ("delta", values["delta"])))


def _is_larger(found: Term, claimed: Term) -> bool:
    """Whether a decimal, or ∞, is larger than an ε that has a value."""
    with suppress(ValueError):
        return found.number is None or enclosure(claimed, BITS[0]).high < found.number
    return False


@frozen
class Between:
    """What is known of the least δ at an ε: at least `low`, if anything is, and at most `high`; why -- the
    reason where neither is known."""

    low: Fraction | None
    high: Fraction | None
    why: str = ""


def delta_at(shop: Workshop, notion: str, epsilon: Term, bits: Sequence[int] = BITS) -> Between | None:
    """Between which numbers the least δ lies at ε; None where nothing is computed."""
    if page(shop, notion) is None or epsilon.kind == "oo" or epsilon.letters:
        return None
    above, why = [], ""
    for bit in bits:
        try:
            above.append(pieces.above(_curves(shop, notion) or [], epsilon, bit))
        except ValueError as error:
            why = why or str(error)
    return Between(_attained(shop, notion, epsilon, bits), min(above, default=None), why)


def _attained(shop: Workshop, notion: str, epsilon: Term, bits: Sequence[int]) -> Fraction | None:
    """The largest δ that mechanisms are seen to have at the neighbours of some type."""
    values = list[Fraction]()
    for curve in _lost(shop, notion):
        for bit in bits:
            with suppress(ValueError):
                values.append(pieces.below([curve], epsilon, bit))
    return max([*values, *_of_events(shop, epsilon)], default=None)


def _of_events(shop: Workshop, epsilon: Term) -> Iterator[Fraction]:
    """What single mechanisms are seen to have at the neighbours of some type, by events of their noise."""
    for loss, type in product(map(guarantees.loss_of, shop.stated), shop.types.types[:MOST_TYPES]):
        with suppress(ValueError):
            shown = computed.Curves("", [loss], shop.setting, shop.theory).of_event(type, epsilon)
            if shown is not None:
                yield enclosure(shown, BITS[0]).low


def _lost(shop: Workshop, notion: str) -> Iterator[Curve | None]:
    """The curves of mechanisms that lose most, at the neighbours of the types."""
    losses = [guarantees.loss_of(theorem) for theorem in shop.stated]
    for type in shop.types.types[:MOST_TYPES]:
        able = known_to_lose(shop, type)
        known = [loss for loss in losses if loss.mechanism in able]
        with suppress(ValueError):
            yield computed.Curves(notion, known, shop.setting, shop.theory).attained(type, {})[1]


def epsilon_at(shop: Workshop, notion: str, delta: Term) -> Between | None:
    """Between which numbers the least ε ≥ 0 lies at δ: `high` is None where there is none, or none is known.

    None where nothing is computed.
    """
    high = least_epsilon(shop, notion, delta)
    if high is None:
        return None
    above = enclosure(delta, BITS[0]).high

    def of_events(epsilon: Term) -> Fraction:
        return max(_of_events(shop, epsilon), default=Fraction(0))

    seen: list[Callable[[Term], Fraction]] = [of_events]
    seen += (partial(_below, curve) for curve in set(_lost(shop, notion)))
    lows = [_largest_below(one, above, high.number) for one in seen]
    return Between(max(filter(None, lows), default=Fraction(0)), high.number)


UNIT = 10**6
"""ε is looked for among its multiples of 1/UNIT."""


def _below(curve: Curve | None, epsilon: Term) -> Fraction:
    """What a curve is seen to have at ε; 0 where that is not known."""
    try:
        return pieces.below([curve], epsilon, BITS[0])
    except ValueError:
        return Fraction(0)


def _largest_below(
    seen: Callable[[Term], Fraction], delta: Fraction, high: Fraction | None
) -> Fraction | None:
    """The largest ε up to a number that is found at which a δ is seen that is above this one; None where none
    is found."""

    def exceeds(n: int) -> bool:
        return seen(terms.number(Fraction(n, UNIT))) > delta

    if high is None or not exceeds(0):
        return None
    low, end = 0, math.ceil(high * UNIT)
    while end - low > 1:
        middle = (low + end) // 2
        low, end = (middle, end) if exceeds(middle) else (low, middle)
    return Fraction(low, UNIT)


def known_to_lose(shop: Workshop, type: Type) -> list[int]:
    """The mechanisms of which it is known what they lose most at the neighbours of a type."""
    entries, theory, pages = {i for i, _ in type.entries}, shop.theory, shop.theory.of_kind("computed")
    return [
        i
        for i, mechanism in enumerate(shop.setting.mechanisms, start=1)
        if any(computed.is_attained(page, mechanism, shop.setting, theory) for page in pages)
        and (
            mechanism.sampled is None
            or type.own_of(i) is not None
            or all(r == terms.ONE for _, r in dict(type.moves).get(i, ()))
        )
        and (mechanism.noise is None or i in entries)
        and value_is_reached(i, type, shop.setting, theory)
    ]
