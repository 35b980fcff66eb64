"""Guarantees of the whole: from what each mechanism loses at each type of neighbours, or from another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpcompose.kernel import comparison, covers
from dpcompose.kernel.composition import apart as set_apart
from dpcompose.kernel.composition import divergences, losses
from dpcompose.kernel.composition.closer import Closer, largest
from dpcompose.kernel.composition.losses import Composition
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers import products, sizes
from dpcompose.kernel.expressions import formulas, metrics, terms
from dpcompose.kernel.expressions.terms import INFINITY
from dpcompose.kernel.judgements import (
    Bounded,
    Composed,
    Covers,
    Loose,
    Loses,
    Lower,
    Optimal,
    Refuted,
    Satisfies,
)
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.mechanisms import pages_of_processing
from dpcompose.kernel.rules.parameters import at_least, entry_of, have_values, smallest
from dpcompose.kernel.rules.premises import (
    BadStep,
    Found,
    Premises,
    check_key,
    claimed,
    claimed_of,
    conversion,
    of_other_orders,
    one_of,
    read_values,
    said,
)


def compose(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """The mechanisms together lose at most what each loses, added up by the rule of the notion."""
    lost = tuple(premise.loss for premise in said(premises, Loses, ...))
    notion = losses.check_composes(lost, setting, theory)
    return Composed(notion, lost), Grounds(frozenset({theory.rule(notion).id}))


def cover(
    setting: Setting, theory: Theory, premises: Premises, *, every: bool = False, of: Sequence[str] = ()
) -> Found:
    """Finitely many types of neighbours stand for all of the target's.

    every -- whether also where losses do not add up; of -- on products, distances that claims are about.
    """
    bounds = [premise.name for premise in said(premises, Bounded, ...)] if premises else []
    told = covers.cover(setting, theory, every, tuple(of), tuple(bounds))
    others = (sizes.pages(setting, theory), products.pages_of_fibres(setting, theory))
    return Covers(told), Grounds(frozenset({told.page}).union(*told.metrics, *others))


def worst(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """The largest loss at the types is a guarantee; componentwise, where there are several parameters."""
    composed, covered = said(premises, Composed, Covers)
    together = Composition(composed.losses, setting, theory)
    together.check_convex(covered.cover.convex)
    values = together.over(covered.cover.types)
    return Satisfies(composed.notion, tuple(values.items())), Grounds(page_of_substitution(theory))


def closer(setting: Setting, theory: Theory, premises: Premises, *, key: str) -> Found:
    """The same with the smaller values of one parameter that closer pages give."""
    composed, covered = said(premises, Composed, Covers)
    together, types = Composition(composed.losses, setting, theory), covered.cover.types
    if key not in together.rule.head.parameters:
        raise BadStep(f"{composed.notion} privacy has no parameter {key!r}")
    check_every_type(covered)
    smaller = Closer(together, key)
    values = together.over(types) | {key: largest([smaller.at(type) for type in types])}
    used = page_of_substitution(theory) | smaller.pages
    return Satisfies(composed.notion, tuple(values.items())), Grounds(used)


def apart(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    pages: Sequence[str],
    chosen: Mapping[str, str],
    closer: bool = False,
) -> Found:
    """What is lost with a parameter of some mechanisms set apart, converted as a whole, and that parameter.

    pages -- those by which it is converted; chosen -- their free parameters; closer -- whether what is set
    apart is added up as closer pages say.
    """
    covered, *judgements = said(premises, Covers, Loses, ...)
    check_every_type(covered)
    parted = set_apart.apart([judgement.loss for judgement in judgements], setting, theory)
    types, rule = covered.cover.types, parted.together.rule
    values = parted.together.over(types)
    notion, given = rule.head.notion, dict(read_values(chosen, setting))
    for id in pages:
        page = conversion(theory, id, notion)
        chosen_here = given if page.head.free else {}
        values = losses.converted(theory, page, values, chosen_here, orders=setting.orders)
        notion = page.head.to
    if notion != parted.notion:
        raise BadStep(f"what is set apart is of {parted.notion} privacy, the rest of {notion}")
    made = parted.joined(tuple(values.items()), parted.besides(types, closer), closer)
    more = Closer(parted.rest, parted.key).pages if closer else frozenset()
    used = frozenset({rule.id, theory.rule(notion).id, *pages})
    return Satisfies(notion, made), Grounds(page_of_substitution(theory) | used | more)


def check_every_type(covered: Covers) -> None:
    """Raises BadStep where types are left out, as convex losses that add up are no larger at them."""
    if not covered.cover.is_whole:
        raise BadStep("the types stand for all neighbours only where losses add up")


def page_of_substitution(theory: Theory) -> frozenset[str]:
    """The page by which a profile is substituted into what is lost."""
    return frozenset({theory.first("substitution", lambda page: True, "no page substitutes a profile").id})


def vacuous(setting: Setting, theory: Theory, premises: Premises, *, claim: Any) -> Found:
    """Without neighbours every guarantee holds."""
    if one_of(premises, Covers).cover.types:
        raise BadStep("there are neighbours")
    guarantee = claimed(claim, setting, theory)
    return guarantee, have_values(guarantee, setting)


def trivial(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, key: str, certificate: Any = None
) -> Found:
    """A guarantee that says nothing holds: a parameter is ∞, or never below the limit of its notion."""
    said(premises)
    if (other := of_other_orders(claim, setting, theory)) is not None:
        return other, Grounds()
    guarantee = claimed(claim, setting, theory)
    check_key(guarantee, key)
    used = have_values(guarantee, setting)
    value, limits = dict(guarantee.values)[key], theory.rule(guarantee.notion).head.limits
    if value.kind == "oo":
        return guarantee, used
    if key not in limits:
        raise BadStep(f"{key} has no limit from which on it says nothing")
    if metrics.is_moving(value):
        raise BadStep(f"{key} is a formula in distances, which may be oo")
    seen = comparison.check_at_least(value, terms.number(limits[key]), certificate, setting.assumed)
    return guarantee, used | Grounds(frozenset({theory.rule(guarantee.notion).id}), seen)


def change(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    page: str,
    chosen: Mapping[str, str],
    certificates: Any = None,
) -> Found:
    """A guarantee of the whole in another notion, by a conversion page, within the limits of which it is.

    certificates -- of parameters that have a limit, that they are at most that.
    """
    guarantee = one_of(premises, Satisfies)
    by, given = conversion(theory, page, guarantee.notion), dict(read_values(chosen, setting))
    if by.head.at_most and setting.distances:
        raise BadStep(f"{page} is for guarantees with limits, which formulas in distances may not keep")
    values = losses.converted(theory, by, dict(guarantee.values), given, within=True, orders=setting.orders)
    order = divergences.order_of(theory, setting.orders, guarantee.notion, by.head.to)
    letters, used = {**given, **dict(guarantee.values), **order}, frozenset[str]()
    for key, text in by.head.at_most.items():
        if INFINITY in letters.values():
            break  # then nothing is promised
        of = by.head.to if key in given else guarantee.notion
        limit, shown = formulas.parse(text, letters), entry_of(certificates, key)
        used |= at_least(setting, theory, of, key, limit, letters[key], shown)
    wanted = theory.rule(by.head.to).head.parameters
    made = Satisfies(by.head.to, tuple((key, values[key]) for key in wanted))
    return made, Grounds(frozenset({page}), used)


def weaken(setting: Setting, theory: Theory, premises: Premises, *, claim: Any, certificates: Any) -> Found:
    """Every guarantee whose parameters are at least those of one that holds."""
    known = one_of(premises, Satisfies)
    guarantee = claimed_of(known, claim, setting, theory)
    used: frozenset[str] = frozenset()
    for (key, greater), (_, lesser) in zip(guarantee.values, known.values, strict=True):
        shown = entry_of(certificates, key)
        used |= at_least(setting, theory, guarantee.notion, key, greater, lesser, shown)
    return guarantee, Grounds(deciders=used)


def least(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """Of guarantees that differ in one parameter the least holds, whatever the letters are."""
    every = said(premises, Satisfies, Satisfies, ...)
    first = every[0]
    differing = {
        key for known in every for (key, x), (_, y) in zip(known.values, first.values, strict=True) if x != y
    }
    if any(known.notion != first.notion for known in every) or len(differing) > 1:
        raise BadStep("the guarantees differ in more than one parameter")
    values = tuple(
        (key, smallest([dict(known.values)[key] for known in every]) if key in differing else value)
        for key, value in first.values
    )
    return Satisfies(first.notion, values), Grounds()


def one_by_one(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """What holds of the mechanisms of studies one by one holds of the studies, and of functions of these.

    What is lost there is lost here: such a function may be the identity.
    """
    if setting.flat is None or len(premises) != 1 or premises[0].setting != setting.flat.hash:
        raise BadStep("the theorem is not about the mechanisms of the studies one by one")
    if not isinstance(premises[0].says, Satisfies | Lower | Refuted | Optimal | Loose):
        raise BadStep("only what is said of the whole holds there and here")
    return premises[0].says, Grounds(pages_of_processing(theory, *_studies(setting)))


def _studies(setting: Setting) -> Iterator[Mechanism]:
    """The mechanisms that are studies, also in studies."""
    for mechanism in setting.mechanisms:
        if mechanism.study is not None:
            yield mechanism
            yield from _studies(mechanism.study)
