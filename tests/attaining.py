"""Mechanisms that attain the oracle's bound: witnesses of the kind assumed, whose losses are exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

from oracle import (
    INFINITY,
    Database,
    Distances,
    Mechanism,
    Number,
    Setting,
    canonical_distance,
    contracted_distance,
    cost,
    exact,
    fibres,
    target_pairs,
    total,
)

Probability: TypeAlias = tuple[Fraction, Fraction]  # (c, s) is the number c·e^s
Table: TypeAlias = Mapping[Database, Probability]  # x ↦ P(M(x) = 1); P(M(x) = 0) is the rest


def witness_mechanism(
    points: Sequence[Database], distance: Distances, epsilon: Number, target: Database
) -> dict[Database, Probability]:
    """The mechanism with outcomes 0 and 1 and P(M(x) = 1) = ½·exp(−ε·d(x, t)), which is 0 at loss ∞."""
    table: dict[Database, Probability] = {}
    for x in points:
        loss = cost(epsilon, distance[x, target], x == target)
        table[x] = (Fraction(0), Fraction(0)) if loss == INFINITY else (Fraction(1, 2), -Fraction(loss))
    return table


def loss_at_one(table: Table, x: Database, y: Database) -> Number:
    """ln P(M(y) = 1) − ln P(M(x) = 1), for y where the outcome 1 is possible and not rarer than at x."""
    (c, s), (c_y, s_y) = table[x], table[y]
    if c_y == 0 or (c not in (0, c_y)):
        raise ValueError("the losses of this table have no exact form")
    return INFINITY if c == 0 else exact(s_y - s)


def outcome_one_is_private(table: Table, x: Database, y: Database, budget: Number) -> bool:
    """P(M(x) = 1) ≤ e^budget · P(M(y) = 1), decided exactly, by comparing exponents."""
    (c, s), (c_y, s_y) = table[x], table[y]
    if not {c, c_y} <= {Fraction(0), Fraction(1, 2)}:
        raise ValueError("the coefficients of a witness mechanism are 0 and ½")
    if c == 0 or budget == INFINITY:
        return True
    return c_y != 0 and s <= budget + s_y


def outcome_zero_is_private(table: Table, x: Database, y: Database, budget: Number) -> bool:
    """P(M(x) = 0) ≤ e^budget · P(M(y) = 0), by argument; True is rigorous, False means "not shown".

    Let p = P(M(x) = 1) and q = P(M(y) = 1), so that the claim is 1 − p ≤ e^budget·(1 − q).
    If p ≥ q it is clear, the budget being ≥ 0. If p < q ≤ ½, then p − p² ≤ q − q², as t − t² increases
    up to ½; that is p·(1 − p) ≤ q·(1 − q), so the ratio (1 − p)/(1 − q) is at most q/p, the ratio at the
    outcome 1, and it is enough that q ≤ e^budget·p, which is decided exactly.
    (If p = 0 < q, that asks for an infinite budget.)
    """
    (c, s), (c_y, s_y) = table[x], table[y]
    if s > 0 or s_y > 0 or max(c, c_y) > Fraction(1, 2):
        raise ValueError("the argument needs P(M = 1) ≤ ½")
    if c_y == 0 or (c != 0 and s >= s_y):  # p ≥ q, the coefficients being 0 or ½
        return True
    return outcome_one_is_private(table, y, x, budget)


def outcome_zero_by_decimals(table: Table, x: Database, y: Database, budget: Number) -> bool:
    """P(M(x) = 0) ≤ e^budget · P(M(y) = 0) in decimals of 60 digits, allowing an excess of 10^-40 (equality
    occurs). A check on the argument in outcome_zero_is_private; no decision rests on it."""
    if budget == INFINITY:
        return True
    with localcontext() as context:
        context.prec = 60

        def decimal(fraction: Fraction) -> Decimal:
            return Decimal(fraction.numerator) / Decimal(fraction.denominator)

        p, q = (decimal(c) * decimal(s).exp() for c, s in (table[x], table[y]))
        return 1 - p <= decimal(Fraction(budget)).exp() * (1 - q) + Decimal("1e-40")


def is_private(points: Sequence[Database], distance: Distances, epsilon: Number, table: Table) -> bool:
    """The mechanism is ε·d-private on the whole class: P(M(x) ∈ S) ≤ e^{ε·d(x,y)}·P(M(y) ∈ S) for all x, y.

    Enough for S = {0} and S = {1} (adding up gives the other sets). The outcome 1 is decided by exact
    exponents, the outcome 0 by the argument of outcome_zero_is_private."""
    return all(
        outcome_one_is_private(table, x, y, budget) and outcome_zero_is_private(table, x, y, budget)
        for x in points
        for y in points
        for budget in [cost(epsilon, distance[x, y], x == y)]
    )


def witness_for(setting: Setting, mechanism: Mechanism, E: Database) -> dict[Database, Probability]:
    """A mechanism of the kind assumed, as x ↦ P(M*(x) = 1) on the inputs x = f(D), that tells f(E) from
    the others as well as its guarantee allows. Refused unless the guarantee was checked to hold: own
    domain, M* on the image class; common domain, M* ∘ f on the databases."""
    f, epsilon = mechanism.f, mechanism.epsilon
    if mechanism.domain == "own":
        points = mechanism.image_class
        if points is None:
            raise ValueError("own domain: the image class is missing")
        distance = canonical_distance(points, mechanism.stated)
        table = witness_mechanism(points, distance, epsilon, f(E))
        holds = is_private(points, distance, epsilon, table)
    else:
        on_fibres = contracted_distance(setting.databases, mechanism.stated, f)
        table = witness_mechanism(list(fibres(setting.databases, f)), on_fibres, epsilon, f(E))
        distance = canonical_distance(setting.databases, mechanism.stated)
        holds = is_private(setting.databases, distance, epsilon, {D: table[f(D)] for D in setting.databases})
    if not holds:
        raise AssertionError(f"the witness at {E!r} breaks the guarantee it should have")
    return table


def attained_loss(setting: Setting, D: Database, E: Database) -> Number:
    """The loss between D and E of a composition that meets all assumptions: independent witnesses aimed at
    the inputs of E, at the outcome (1, ..., 1), where the losses add up."""
    return total(loss_at_one(witness_for(setting, M, E), M.f(D), M.f(E)) for M in setting.mechanisms)


def attained_bound(setting: Setting) -> Number | None:
    """The largest attained loss over the target's neighbours: no smaller guarantee than this can hold."""
    return max((attained_loss(setting, D, E) for D, E in target_pairs(setting)), default=None)
