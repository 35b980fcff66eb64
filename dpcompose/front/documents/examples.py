"""Counterexamples as readers see them: what the theorem says that refutes a claim.

The theorem says at which two databases, with which values of parameters, and what some mechanisms lose there
together; here these are printed, and each of the mechanisms with what it loses by itself.  Where it speaks of
the limit of more and more records, so many are taken that more is lost than is claimed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.front.documents.at import At, Pair, largest
from dpcompose.front.documents.at_any_two import AtAnyTwo
from dpcompose.kernel import computed
from dpcompose.kernel.composition import instances as allowed
from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.given_tables import Together
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.composition.witnesses import attained_in
from dpcompose.kernel.core.implied import for_steps
from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.tables import entries, promises
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import Interval, enclosure
from dpcompose.kernel.expressions.terms import INFINITY, ONE, Term
from dpcompose.kernel.judgements import Attained, Covers, Loses, Lower, Refuted
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.rules.parameters import narrower
from dpcompose.kernel.rules.refutations import attaining
from dpcompose.kernel.theorems import Theorem
from dpcompose.language.said import Item
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.proof.counterexamples import instances, rows
from dpcompose.proof.counterexamples.refuting import Alone, Counterexample, told_apart
from dpcompose.proof.counterexamples.rows import Row
from dpcompose.proof.theory.registry import Theory
from dpcompose.search.least import BITS
from dpcompose.search.replayed import of_claim

Losing = list[tuple[Row, Term]]
Enough = tuple[At, Losing]
Telling = Callable[[Type, Sequence[Loss], Any], At]
"""Tells the databases of a type by what all mechanisms lose, and a page of witnesses."""


def example(told: Elaborated, theorem: Theorem, theory: Theory) -> Counterexample | None:
    """The counterexample of a theorem that refutes a claim; None where it cannot be written out."""
    if theorem.rule == "beyond":
        return _beyond(example(told, theorem.premises[0], theory), theorem)
    told, made = innermost(told, theorem)
    assert isinstance(made.says, Refuted)
    kind, refuted = AtAnyTwo if told.setting.at_all_pairs else At, made.says

    def at(type: Type, stated: Sequence[Loss], page: Any) -> At:
        return kind.of(told, theory, type, refuted, stated, page)

    with suppress(ValueError):  # a verdict that cannot be shown at databases is one all the same
        return BY_RULE[made.rule](made, at, told.core, theory)
    return None


def _beyond(found: Counterexample | None, theorem: Theorem) -> Counterexample | None:
    """The same of a claim about divergences, at the order at which it is false."""
    if found is None or not isinstance(said := of_claim(theorem.says), Refuted):
        return None
    ((_, value),), order = said.values, Fraction(theorem.arguments["order"])
    claimed = formulas.evaluate(value, {**dict(said.point), ALPHA: order})
    if claimed is None:
        return None
    return replace(found, claimed=claimed, measure=f"divergence of order {order}")


def innermost(told: Elaborated, theorem: Theorem) -> tuple[Elaborated, Theorem]:
    """The theorem that refutes at a point, and the setting that it is about: of mechanisms one by one, or
    with one guarantee each."""
    while theorem.rule not in BY_RULE:
        if theorem.rule == "choose":
            given = narrower(theorem.arguments.get("values"), told.core)
            told = told.about(told.core.choosing(theorem.arguments["which"], given))
        elif theorem.rule == "single_steps":
            told = told.about(for_steps(told.core, narrower(theorem.arguments["values"], told.core)))
        elif theorem.rule == "one_by_one" and told.flat is not None:
            told = told.flat
        theorem = theorem.premises[0]
    return told, theorem


# by what witnesses lose


def _by_witnesses(theorem: Theorem, at: Telling, core: Setting, theory: Theory) -> Counterexample | None:
    (lower,) = theorem.premises
    assert isinstance(lower.says, Lower) and isinstance(theorem.says, Refuted)
    page = attained_in(theory.in_kernel, lower.says.notion, lower.says.key)
    attained, there, actual = _most(lower.says.at, lambda type: at(type, stated_of(lower), page), theorem)
    if page.head.by == "tail":
        return _by_tail(attained, there, page.head, there.claimed(dict(theorem.says.values)), actual)
    who = [i for i, _ in attained.witnesses]
    there = there.turned() if there.is_turned(who) else there
    there = there.with_new() if any(core.mechanisms[i - 1].sampled is not None for i in who) else there
    claimed = there.claimed(_implied(theorem, theory, core))
    value, epsilon = claimed[lower.says.key], claimed.get("epsilon", terms.ZERO)
    losing, limit = list(there.losing(attained.witnesses, epsilon)), any(map(there.grows, who))
    if limit or there.type.unlimited:
        enough = _with_enough(there, attained.witnesses, epsilon, value)
        if enough is None:
            return None
        there, losing = enough
        actual = there.together([loss for _, loss in losing])
    elif len(losing) > 1 and not there.is_all(actual, [loss for _, loss in losing]):
        return None
    if any(row.by_table for row, _ in losing):
        actual = _as_one_logarithm(actual)
    if event := page.head.by == "event":
        printed = there.together([_probability(loss) for _, loss in losing])  # by the rows as they are shown
        actual = _probability(printed if _is_more(printed, value) else actual)
    seen = attaining(core, theory.in_kernel, page, there.type, there.stated, who)
    return replace(
        _made(there, [row for row, _ in losing], who, there.shown(value), there.shown(actual)),
        alone=_alone(there, losing, value),
        through=theorem.says.through,
        event=event,
        at_least=limit or any(seen.is_by_divergence(i) for i in who),
    )


def _by_tail(
    attained: Attained, at: At, head: Any, claimed: Mapping[str, Term], actual: Term
) -> Counterexample | None:
    """The simplest order of the claim at which a divergence is infinite."""
    end, claim = actual.number, claimed[head.shows].number
    if end is None or claim is None:
        return None
    last = 1 / claim if claim else 2 / end
    middle = (1 / end + last) / 2
    simpler = map(middle.limit_denominator, range(1, 1000))
    order = next((number for number in simpler if 1 / end < number < last), middle)
    losing = [(row, loss) for row, loss in at.losing(attained.witnesses, terms.ZERO) if loss == actual][:1]
    who, limit = [i for i, _ in attained.witnesses], at.shown(claimed[head.positive] * terms.number(order))
    made = _made(at, [row for row, _ in losing], who, limit, INFINITY)
    return replace(made, measure=f"divergence of order {order}")


def _probability(loss: Term) -> Term:
    """That of an event, rounded down as it is printed."""
    return terms.number(rows.rounded_down(ONE if loss == INFINITY else terms.least(ONE, loss)))


def _as_one_logarithm(loss: Term) -> Term:
    """log(2) + log(5) as log(10)."""
    with suppress(ValueError):
        return loss if loss == INFINITY else exponentials.log_of(entries.power(loss))
    return loss


def _with_enough(
    at: At, witnesses: Sequence[tuple[int, Grounds]], epsilon: Term, claimed: Term
) -> Enough | None:
    """The first neighbours, with more and more records, at which more is lost than is claimed."""

    def lost(pair: Pair) -> Enough | None:
        there = at.moved_to(pair) if at.type.unlimited else replace(at, pair=pair)
        losing = list(there.losing(witnesses, epsilon))
        together = there.together([loss for _, loss in losing]) if losing else terms.ZERO
        return (there, losing) if _is_more(together, claimed) else None

    if at.type.unlimited:
        dealt = any(mechanism.reads.dealt for mechanism in at.told.setting.mechanisms)
        return next(
            filter(None, map(lost, instances.larger(at.pair, None if dealt else at.told.kind.times))), None
        )
    if (already := lost(at.pair)) is not None:
        return already
    D, E = at.pair
    several = dict.fromkeys([(D or E)[:1], D[:1] + E[:1]])
    ways = [_with_fewest(at.pair, of, odd, lost) for of in several for odd in (0, 1)]
    enough = [way for way in ways if way is not None]
    return min(enough, key=lambda way: len(way[0].pair[0]), default=None)


def _with_fewest(pair: Pair, of: Any, odd: int, lost: Callable[[Pair], Enough | None]) -> Enough | None:
    """That with the fewest records more, an odd or even number of them: a bin may have half."""

    def with_more(many: int) -> Enough | None:
        return lost(instances.with_more(pair, 2 * many + odd, of))

    powers = (2**n for n in range(instances.LARGEST_MULTIPLE.bit_length() - 1))
    many = next((n for n in powers if with_more(n) is not None), None)
    if many is None:
        return None
    least = many // 2 + 1 if many > 1 else 0
    return with_more(bisect_left(range(many), True, lo=least, key=lambda n: with_more(n) is not None))


def _implied(theorem: Theorem, theory: Theory, core: Setting) -> Mapping[str, Term]:
    """What a claim implies by the conversions through which it is violated."""
    assert isinstance(theorem.says, Refuted)
    values = dict(theorem.says.values)
    for id in theorem.says.through:
        page = theory.in_kernel.page(id, "conversion")
        values = losses.converted(theory.in_kernel, page, values, {}, orders=core.orders)
    return values


def _most(every: Sequence[Attained], at: Callable[[Type], At], theorem: Theorem) -> tuple[Attained, At, Term]:
    """Where most is lost at the point of a theorem, and how much; of several the first."""
    assert isinstance(theorem.says, Refuted)
    point, best = dict(theorem.says.point), every[0]
    most = None
    for attained in every if len(every) > 1 else ():
        value = formulas.extended(attained.value, point)
        if most is None or _is_more(value, most):
            best, most = attained, value
    there = at(best.type)
    return best, there, largest(formulas.extended(best.value, {**point, **there.point}))


def _is_more(greater: Term, lesser: Term) -> bool:
    """Whether a constant, or ∞, is more than another one."""
    if INFINITY in (greater, lesser):
        return greater == INFINITY != lesser
    return computed.is_more(greater, lesser, {})


def _alone(at: At, losing: Losing, claimed: Term) -> Alone | None:
    """The mechanism of several that loses most by itself, if that is more than is claimed."""
    page = at.theory.processing("parts")
    if page is None or len(losing) < 2 or any(row.by_table for row, _ in losing):
        return None
    best, most = losing[0]
    for row, loss in losing[1:]:
        if _is_more(loss, most):
            best, most = row, loss
    if not _is_more(most, claimed):
        return None
    return Alone(at.mechanism_of(best), at.shown(most), page.cite("any", at.core.adaptive))


# by curves


def _by_curve(theorem: Theorem, at: Telling, core: Setting, theory: Theory) -> Counterexample | None:
    given = theorem.arguments
    covered = next(premise.says for premise in theorem.premises if isinstance(premise.says, Covers))
    stated, by = stated_of(theorem), given.get("by")
    there = at(covered.cover.types[given["neighbours"] - 1], stated, None)
    chosen = [loss for loss in stated if by is None or loss.mechanism in by]
    notion, claim, value, through = _on_curves(theorem, theory, there)
    curves = computed.Curves(notion, chosen, core, theory.in_kernel)
    if not through and curves.by_event(there.type) is not None:
        return _by_event(there, chosen[0].mechanism, claim)
    if any(there.grows(loss.mechanism) for loss in chosen):
        return None  # the curve is that of the limit
    bits = given["bits"]
    every = (
        map(there.moved_to, instances.larger(there.pair, there.told.kind.times))
        if there.type.unlimited
        else [there]
    )
    both = ((way, curves.attained(way.type, way.point)[1]) for way in every)
    lost = ((way, pieces.between(curve, claim["epsilon"], bits)) for way, curve in both)
    there, actual = next(((way, delta) for way, delta in lost if delta.low > value.high), (there, value))
    if actual is value:
        return None
    shown, least, most = told_apart(value, actual)
    who = [loss.mechanism for loss in curves.free.losses]
    made = _made(there, there.of_curves(curves.free), who, shown, least)
    epsilon = given["implied"]["epsilon"] if through else ""
    return replace(made, through=through, epsilon=epsilon, bits=bits, most=most)


def _on_curves(
    theorem: Theorem, theory: Theory, at: At
) -> tuple[str, Mapping[str, Term], Interval, tuple[str, ...]]:
    """A notion that has curves, the claim in it, its δ enclosed, and the page by which it is implied: of a
    claim of another notion the δ, at an ε, is that of all that satisfies it."""
    assert isinstance(theorem.says, Refuted)
    claim, notion = at.claimed(dict(theorem.says.values)), theorem.says.notion
    implied, bits = theorem.arguments.get("implied"), theorem.arguments["bits"]
    if implied is None:
        return notion, claim, enclosure(claim["delta"], bits), ()
    page = computed.page_of_claims(theory.in_kernel, implied["notion"], notion)
    curve = pieces.curve([pieces.piece(page.head.parts[notion], claim, ONE)])
    epsilon = formulas.parse(implied["epsilon"], {})
    return implied["notion"], {"epsilon": epsilon}, pieces.between(curve, epsilon, bits), (page.id,)


def _by_event(at: At, i: int, claim: Mapping[str, Term]) -> Counterexample | None:
    """That of an event of one mechanism itself."""
    enough = _with_enough(at, [(i, Grounds())], claim["epsilon"], claim["delta"])
    if enough is None:
        return None
    there, ((row, loss),) = enough
    return replace(_made(there, [row], [i], claim["delta"], loss), event=True, at_least=True)


# by the rows of tables


def _by_rows(theorem: Theorem, at: Telling, core: Setting, theory: Theory) -> Counterexample | None:
    assert isinstance(theorem.says, Refuted)
    (x, y), given, kernel = theorem.arguments["databases"], theorem.arguments.get("tables"), theory.in_kernel
    tabled = core if given is None else allowed.with_tables(core, kernel, dict(theorem.says.point), given)
    tables, who = Together(tabled), [int(key) for key in sorted(given or ())]
    moves = tuple((i, ((0, ONE),)) for i in tables.moving(x, y))
    type = Type(moves, frozenset(), (x, y))
    if core.distances:
        names = sorted({name for _, value in theorem.says.values for name in value.letters})
        type = replace(allowed.at_pairs(core, kernel, names)(x, y), moves=moves)
    there = _in_order(at(type, (), None), x, y)
    claim = there.claimed(dict(theorem.says.values))
    P, Q = ([exponentials.value_at(p, there.point) for p in row] for row in tables.at(x, y, whole=False))
    notion, orders = theorem.says.notion, core.orders_at(there.point)
    broken = promises.broken(notion, P, Q, claim, orders)
    measured = None if broken is None else promises.measured(notion, P, Q, claim, broken)
    if measured is None:
        return None
    measure, limit, actual = measured
    rows_there = [row for i, _ in moves if i not in who for row in there.of_tables(i)]
    rows_there += [there.of_outcomes(i, tabled, x, y) for i in who]
    who = [i for i, _ in moves]
    if actual is None:
        return replace(_made(there, rows_there, who, limit.high, INFINITY), measure=measure)
    if actual.low <= limit.high:  # they are too close to be told apart as decimals
        return None
    shown, least, most = told_apart(limit, actual)
    return replace(_made(there, rows_there, who, shown, least), bits=BITS[0], most=most, measure=measure)


def _in_order(at: At, x: int, y: int) -> At:
    """Two listed neighbours in the order in which their rows are compared."""
    listed = at.told.kind.elements if at.neighbours else None
    both = at.pair if listed is None else (listed[x], listed[y])
    return replace(at, pair=both) if at.pair == both[::-1] else at


Making = Callable[[Theorem, Telling, Setting, Theory], Counterexample | None]
"""What tells the databases, and mechanisms, of a theorem that refutes at a point."""
BY_RULE: Mapping[str, Making] = {"refute": _by_witnesses, "exceed": _by_curve, "against_rows": _by_rows}


# both


def stated_of(theorem: Theorem) -> list[Loss]:
    """What all mechanisms lose by their guarantees."""
    return [premise.says.loss for premise in theorem.premises if isinstance(premise.says, Loses)]


def _made(
    at: At, rows: Sequence[Row], who: Sequence[int], claimed: Term | Fraction, actual: Term | Fraction
) -> Counterexample:
    """That of some rows; of the other mechanisms those that are known are left out, and the others may say
    the same always."""
    parts = at.theory.processing("parts")
    others = (i for i, _ in at.type.moves if i not in who and _is_known(at.mechanism(i)))
    stated = at.inputs.setting.mechanisms if at.neighbours else ()
    without = tuple(at.name(i, n) for i in others for n in at.moving(at.numbers(i)))
    return Counterexample(
        at.pair,
        at.parameters,
        _number(claimed),
        None if actual == INFINITY else _number(actual),
        tuple(rows),
        at.databases,
        without=without,
        by_parts=parts.cite("any", at.core.adaptive) if parts is not None and without else Item(""),
        neighbours=at.neighbours,
        moving=tuple(stated[row.mechanism - 1] for row in rows if stated),
    )


def _is_known(mechanism: Mechanism) -> bool:
    """Whether a mechanism is not just any that has its guarantee, and loses something."""
    itself = mechanism.is_concrete or mechanism.study is not None
    return itself and not mechanism.satisfies.loses_nothing


def _number(value: Term | Fraction) -> Term | Fraction:
    return value if isinstance(value, Fraction) or value.number is None else value.number
