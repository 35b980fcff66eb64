"""Witnesses: mechanisms as a setting says that lose a known amount at the neighbours of a type.

A mechanism of which a guarantee is known may be the witness of a page: it loses, in the metric of its
guarantee, exactly what the page says.  One that is given by its noise loses what its page says if that is
attained.  All others may say the same always, or are left out: a part of a composition never loses more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpcompose.kernel import formulas, terms
from dpcompose.kernel.closer import Closer, at_most
from dpcompose.kernel.covers.types import Moves, Type
from dpcompose.kernel.losses import Composition, Loss, NoLoss, by_noise, summands
from dpcompose.kernel.settings import Setting
from dpcompose.kernel.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.theory import Theory


def lower(
    setting: Setting, theory: Theory, page: Any, type: Type, losses: Sequence[Loss], chosen: Sequence[int]
) -> tuple[Term, tuple[tuple[int, str], ...], frozenset[str]]:
    """What the witnesses of a page lose together: the value, who is a witness of what, and pages it rests on.

    losses -- the guarantees of all mechanisms as stated; chosen -- which may be witnesses, if they move.
    Raises NoPage where one of them is not known to lose anything.
    """
    moves = tuple((i, some) for i, some in type.moves if i in chosen)
    who = tuple((i, _witness(i, setting, theory, page, losses)) for i, _ in moves)
    pages = frozenset(id for _, id in who)
    if any(r.kind == "oo" and i not in type.unlimited for i, some in moves for _, r in some) or any(
        losses[i - 1].unlimited for i, _ in moves
    ):
        _check_free(setting, type, losses, moves)
        return INFINITY, who, pages
    if page.head.by == "event":
        value, more = _event(setting, theory, page, type, losses, moves)
        return value, who, pages | more
    return _added(setting, theory, page, losses, moves, type), who, pages


def _witness(i: int, setting: Setting, theory: Theory, page: Any, losses: Sequence[Loss]) -> str:
    """The page by which M_i is known to lose something.  Raises NoPage where there is none."""
    mechanism, notion = setting.mechanisms[i - 1], page.head.notion
    if mechanism.table is not None or mechanism.study is not None:
        raise NoLoss(f"{mechanism.name} is its table or its study, and may lose less than its guarantee")
    if mechanism.noise is not None:
        law = theory.page(mechanism.noise.page, "noise")
        query = theory.page(mechanism.noise.query.page, "query")
        if not (law.head.attained and query.head.attained) or page.head.by == "event":
            raise NoLoss(f"the {notion} loss of {mechanism.name} is not known to be attained")
        return str(law.id)
    if losses[i - 1].notion == notion:
        return str(page.id)
    of = losses[i - 1].notion
    return str(
        theory.first(
            "violation",
            lambda one: (one.head.of, one.head.notion) == (of, notion),
            f"no page says what {of} mechanisms can lose in {notion} privacy",
        ).id
    )


def _check_free(setting: Setting, type: Type, losses: Sequence[Loss], moves: Moves) -> None:
    """Some input that moves costs ∞ for a mechanism that may be anything its guarantee allows."""
    for i, some in moves:
        infinite = any(r.kind == "oo" for _, r in some) and i not in type.unlimited
        if setting.mechanisms[i - 1].noise is None and (infinite or losses[i - 1].unlimited):
            return
    raise NoLoss("a mechanism that is given by its noise is not known to lose without a limit")


def _added(
    setting: Setting, theory: Theory, page: Any, losses: Sequence[Loss], moves: Moves, type: Type
) -> Term:
    """Losses that add up, or whose squares do: ∞ where one of them has no limit."""
    squares = page.head.by == "noise"

    def lost(i: int, r: Term) -> Term:
        value = _alone(i, r, setting, theory, page, losses[i - 1])
        if value.kind == "oo":
            raise _Unlimited
        return terms.expanded(value * value) if squares and _is_own(i, setting, page, losses) else value

    for i, _ in moves:
        if i in type.unlimited:
            value = _alone(i, ONE, setting, theory, page, losses[i - 1])
            if not value.positive:
                raise NoLoss(f"what {setting.mechanisms[i - 1].name} loses may be 0")
            return INFINITY
    try:
        total = terms.add(summands(moves, setting, lost))
    except _Unlimited:
        return INFINITY
    squared = page.head.shows in theory.rule(page.head.notion).head.squared
    return terms.sqrt(total) if squared else total


class _Unlimited(Exception):
    """Some witness loses ∞."""


def _is_own(i: int, setting: Setting, page: Any, losses: Sequence[Loss]) -> bool:
    """Whether M_i is a witness of the page, by a guarantee or noise, and not by a page on other notions."""
    return setting.mechanisms[i - 1].noise is not None or bool(losses[i - 1].notion == page.head.notion)


def _alone(i: int, r: Term, setting: Setting, theory: Theory, page: Any, loss: Loss) -> Term:
    """What M_i loses at distance r: the distance of its witness, or what a page on other notions says."""
    notion = page.head.notion
    if setting.mechanisms[i - 1].noise is not None:
        loss = by_noise(i, setting, theory, notion)
    if any(value.kind == "oo" for _, value in loss.values):
        return INFINITY
    if loss.notion == notion:
        return formulas.parse(page.head.distance, {**dict(loss.values), "r": r})
    other = theory.page(_witness(i, setting, theory, page, [loss] * i), "violation").head
    if r.number is None or r.number.denominator != 1 or r.number < 1:
        raise NoLoss(f"what {setting.mechanisms[i - 1].name} loses is known for whole steps only")
    values = dict(loss.values)
    if not values[other.positive].positive:
        raise NoLoss(f"{other.positive} of {setting.mechanisms[i - 1].name} may be 0")
    if other.loss == "oo":
        return INFINITY
    return formulas.parse(other.loss, {**values, "r": r})


def _event(
    setting: Setting, theory: Theory, page: Any, type: Type, losses: Sequence[Loss], moves: Moves
) -> tuple[Term, frozenset[str]]:
    """The probability of events, of which one happens: as the closer pages say, where they are attained."""
    head, key = page.head, page.head.shows
    composition = Composition(tuple(losses), setting, theory)
    closer = Closer(composition, key)
    moved = closer.moved(Type(moves, type.unlimited, type.pair))
    over, together = closer.page("steps"), closer.page("mechanisms")
    limit = composition.rule.head.limits.get(key)
    values: list[Term] = []
    for loss, r in moved:
        if r > (head.steps or r) and (over is None or over.id != head.steps_by):
            raise NoLoss(f"{page.id} attains the bound up to distance {head.steps}")
        some = closer.after_steps(loss, r)
        values.append(-terms.top(1, [-one for one in some]) if len(some) > 1 else some[0])
    low = [value for value in values if limit is not None and at_most(value, limit)]
    if len(low) < len(values) or (len(values) > 1 and together is None):
        raise NoLoss(f"{key} may be above {limit}")
    return (closer.together(values) if values else ZERO), closer.pages


def attained_in(theory: Theory, notion: str) -> Any:
    """The witness page of a notion.  Raises NoPage."""
    return theory.first(
        "witness", lambda page: page.head.notion == notion, f"no page has witnesses of {notion} privacy"
    )
