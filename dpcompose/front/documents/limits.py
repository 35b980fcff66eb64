"""From which distance on a guarantee says nothing: (ε, δ) with δ ≥ 1, and what has such limits.

For guarantees without parameters only; a warning, and no part of any verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction

from dpcompose.front.documents.bound import Bound
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.intervals import ZERO, Interval, NoEnclosure, enclosure, sign
from dpcompose.kernel.expressions.terms import Term, letter, number
from dpcompose.privacy.guarantees.notions import WRITTEN
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.proof.theory.registry import Theory

LARGEST_DISTANCE = 1_000
"""Up to which distance the first one that says nothing is looked for."""
BITS = 200
"""To how many bits exact losses are followed where they are no short fractions."""

Values = Mapping[str, Term]


def warnings(bound: Bound) -> Iterator[str]:
    """A sentence for each parameter of the bound that has reached the limit from which it says nothing."""
    best = bound.steps.guarantee_of(bound.best.theorem)
    for key, limit in bound.steps.theory.rule(best.notion).head.limits.items():
        value = dict(best.values)[key]
        if value.kind == "oo" or value.letters or sign(value - limit) not in (0, 1):
            continue
        first = [_first(mechanism, bound.steps.theory, key, limit) for mechanism in bound.setting.mechanisms]
        reached = "".join(f"; {where}" for where in first if where is not None)
        said = (
            f"{WRITTEN[key]} of the bound is at most {Fraction(1, limit)}"
            if key in WRITTEN
            else f"{key} of the bound is at least {limit}"
        )
        yield f"{said}, which says nothing{reached}"


def _first(mechanism: Mechanism, theory: Theory, key: str, limit: int) -> str | None:
    """The first distance at which a mechanism's guarantee says nothing, where it states such a parameter."""
    stated = mechanism.satisfies
    values = dict(stated.terms)
    if key not in values or limit != theory.rule(stated.notion).head.limits.get(key):
        return None
    by_rule = first_distance(theory, stated.notion, values, key, limit)
    if by_rule is None:
        return None
    exactly = first_distance(theory, stated.notion, values, key, limit, exactly=True)
    more = "" if exactly in (None, by_rule) else f", at {exactly} exactly"
    return f"{mechanism.name} reaches it at distance {by_rule} by the group rule{more}"


def first_distance(
    theory: Theory, notion: str, values: Values, key: str, limit: int, exactly: bool = False
) -> int | None:
    """The first whole distance at which a constant guarantee says nothing: by the rule, or by the best one.

    None where it is beyond LARGEST_DISTANCE, or is not known.

    >>> from dpcompose.proof.theory.registry import standard
    >>> one = {"epsilon": number(1), "delta": number(Fraction(1, 10**6))}
    >>> approximate = standard(), "approximate"
    >>> first_distance(*approximate, one, "delta", 1), first_distance(*approximate, one, "delta", 1, True)
    (15, 28)
    """
    if any(value.kind == "oo" or value.letters for value in values.values()):
        return None
    rule, page = theory.rule(notion).head, theory.closer(notion, "steps")
    try:
        if exactly:
            following = () if page is None else page.head.next.get(key, ())
            return _exactly(following, values, limit) if following else None
        with suppress(formulas.FormulaError, terms.TermError):  # 0/0, as where ε is 0
            return _by_rule(rule.distance[key], values, limit)
        return _by_rule(rule.at_steps[key], values, limit) if key in rule.at_steps else None
    except (formulas.FormulaError, terms.TermError, NoEnclosure):  # numbers too large or small on the way
        return None


def _by_rule(formula: str, values: Values, limit: int) -> int | None:
    """By halving: what a guarantee says does not grow less with the distance."""

    def reaches(r: int) -> bool:
        at = formulas.parse(formula, {**values, "r": number(r)}, {"": []})
        return sign(at - limit) != -1

    high = 1
    while not reaches(high):
        if high == LARGEST_DISTANCE:
            return None
        high = min(2 * high, LARGEST_DISTANCE)
    low = high // 2  # does not reach it
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _exactly(following: tuple[str, ...] | list[str], values: Values, limit: int) -> int | None:
    """Step by step, between two rational numbers: what follows a value does not decrease with it."""
    a = letter("a", NONNEGATIVE)
    after = terms.least(*(formulas.parse(text, {**values, "a": a}) for text in following))

    def step(x: Fraction) -> Interval:
        return enclosure(formulas.at(after, {"a": x}), BITS)

    reached = ZERO
    for r in range(1, LARGEST_DISTANCE + 1):
        exact = reached.low == reached.high
        low = step(reached.low)
        reached = low if exact else Interval(low.low, step(reached.high).high)
        if reached.low >= limit:
            return r
        if reached.high >= limit:
            return None
    return None
