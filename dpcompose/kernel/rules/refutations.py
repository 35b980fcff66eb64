"""What is lost, and what follows: that a claim is false, or that no smaller one holds, or that one does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel import comparison, computed
from dpcompose.kernel.composition import axioms, divergences, given, losses, witnesses
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import places, sizes
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.kernel.judgements import (
    Attained,
    Covers,
    IsMetric,
    Loose,
    Loses,
    Lower,
    Optimal,
    Refuted,
    Satisfies,
)
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import metrics
from dpcompose.kernel.rules.parameters import at_least, largest
from dpcompose.kernel.rules.premises import (
    BadStep,
    Found,
    Premises,
    check_always_there,
    check_key,
    claimed,
    claimed_of,
    conversion,
    one_of,
    said,
    type_of,
)


def attain(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    notion: str,
    neighbours: Sequence[int],
    by: Sequence[int],
    key: str | None = None,
) -> Found:
    """Some mechanisms, as the setting allows or says, lose this much at the neighbours of some types.

    key -- of which parameter; left out, that of the first page with witnesses of the notion.
    """
    known, others = _metrics(premises)
    page = witnesses.attained_in(theory, notion, key)
    covered, *judgements = said(others, Covers, Loses, ...)
    axioms.check_witnesses(setting, by, known, page.head.shows if page.head.by == "event" else "metric")
    stated, lowers, who = _as_stated(judgements, setting), [], set[int]()
    if any(loss.besides for loss in stated if loss.mechanism in by):
        raise BadStep("one of several guarantees need not be attained")
    grounds = Grounds(frozenset({page.id}))
    for n in neighbours:
        type = type_of(covered, n)
        if not all(choice.mechanisms <= {*by} for choice in type.choices):
            type = replace(type, choices=())
        lost = attaining(setting, theory, page, type, stated, by)
        value, used = lost.value()
        positive = lost.positive() if value.kind == "oo" else ()
        lowers.append(Attained(type, value, lost.witnesses, positive, lost.where()))
        grounds |= used
        who |= {i for i, _ in lost.witnesses}
    if len(who) < len(setting.mechanisms):
        grounds |= parts_page(theory)
    squared = page.head.shows in theory.rule(notion).head.squared
    value = largest([attained.value for attained in lowers], squared, setting.known)
    return Lower(notion, page.head.shows, value, tuple(lowers)), grounds


def attaining(
    setting: Setting, theory: Theory, page: Any, type: Type, stated: Sequence[Loss], by: Sequence[int]
) -> witnesses.Witnesses:
    """Some of the mechanisms at the neighbours of a type, as a page of witnesses sees them.

    stated -- what all mechanisms lose by their guarantees.
    """
    if page.head.by == "event":
        there = losses.at_type(stated, type, theory)
        limited = witnesses.limited(there, page.head.shows, theory, [i for i, _, _ in type.lost])
        return witnesses.Witnesses(setting, theory, page, type, limited, by)
    alone, apart = losses.in_steps(stated, computed.by_metrics(type), setting, theory)
    there = losses.at_type(alone, apart, theory)
    return witnesses.Witnesses(setting, theory, page, apart, there, by)


def _metrics(premises: Premises) -> tuple[frozenset[str], Premises]:
    """The distances that premises say to be metrics, and the other premises."""
    known = frozenset(premise.says.name for premise in premises if isinstance(premise.says, IsMetric))
    return known, [premise for premise in premises if not isinstance(premise.says, IsMetric)]


def _as_stated(judgements: Sequence[Loses], setting: Setting) -> list[Loss]:
    """The losses of all mechanisms, none of them converted."""
    stated = [judgement.loss for judgement in judgements]
    if [loss.mechanism for loss in stated] != list(range(1, len(setting.mechanisms) + 1)):
        raise BadStep("each mechanism needs one loss, in order")
    if any(loss.then for loss in stated):
        raise BadStep("what is converted need not be attained")
    return stated


def parts_page(theory: Theory) -> Grounds:
    """The page by which mechanisms may be left out."""
    about = theory.first("processing", lambda page: page.head.of == "parts", "no page is about parts")
    return Grounds(frozenset({about.id}))


def refute(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    claim: Any,
    point: Mapping[str, str],
    through: Sequence[str] = (),
) -> Found:
    """A claim is false where mechanisms lose more; or another one is, which it would imply by conversions."""
    lower, guarantee = one_of(premises, Lower), claimed(claim, setting, theory)
    implied = guarantee
    for id in through:
        page = conversion(theory, id, implied.notion)
        values = losses.converted(theory, page, dict(implied.values), {}, orders=setting.orders)
        wanted = theory.rule(page.head.to).head.parameters
        implied = Satisfies(page.head.to, tuple((key, values[key]) for key in wanted))
    if lower.notion != implied.notion:
        raise BadStep(f"what is lost is known in {lower.notion} privacy, the claim is about {implied.notion}")
    if not lower.at:
        raise BadStep("what is lost is known at no neighbours")
    at, implied = at_the_point(setting, theory, lower.at[0].type, point, guarantee, implied)
    if setting.distances and len(lower.at) > 1:
        raise BadStep("what is lost is to be known at two databases")
    assumptions.check_at(lower.where, at)
    positive = lower.at[0].positive
    if positive and not any(computed.is_more(term, ZERO, at) for term in positive):
        raise BadStep("no input is seen to move there, so that more than any number would be lost")
    value = dict(implied.values)[lower.key]
    if value.kind == "oo" or lower.value.kind != "oo":
        comparison.check_point(value, lower.value, _used(at, value, lower.value))
    _says_something(implied, at, theory)
    refuted = Refuted(guarantee.notion, guarantee.values, tuple(sorted(at.items())), tuple(through))
    return refuted, Grounds(frozenset(through))


def at_the_point(
    setting: Setting,
    theory: Theory,
    type: Type | None,
    point: Mapping[str, str],
    claim: Satisfies,
    implied: Satisfies,
) -> tuple[Mapping[str, Fraction], Satisfies]:
    """An allowed point, and what a claim implies: at the databases of a type, where it is about any two."""
    at = comparison.read_point(point)
    if type is None or not setting.distances:
        allowed(at, setting, claim)
        return at, implied
    at, where = places.checked(setting, theory, type, at), metrics.where_of(type)
    check_promised(setting, at)
    values = tuple((key, metrics.at_most_there(value, where, setting)) for key, value in implied.values)
    return at, Satisfies(implied.notion, values)


def _says_something(claim: Satisfies, at: Mapping[str, Fraction], theory: Theory) -> None:
    """Raises BadStep where not every mechanism is seen to be excluded: a parameter is ∞, or at its limit."""
    if any(value.kind == "oo" for _, value in claim.values):
        raise BadStep("a claim of which a parameter is oo says nothing")
    for name, limit in theory.rule(claim.notion).head.limits.items():
        if sign(terms.number(limit) - formulas.at(dict(claim.values)[name], at)) != 1:
            raise BadStep(f"{name} of the claim is not seen to be below {limit} there: it may say nothing")


def _used(at: Mapping[str, Fraction], *values: Term) -> dict[str, Fraction]:
    """What a point says of the letters that occur in terms, and of the members of their families."""
    letters = {name for value in values for name in value.letters}
    return {name: x for name, x in at.items() if {name, naming.general(naming.read(name).base)} & letters}


def allowed(at: Mapping[str, Fraction], setting: Setting, guarantee: Satisfies) -> None:
    """Raises ValueError unless a point has an allowed value for every letter that is used, and mechanisms
    as the setting says are there: none has a guarantee below 0."""
    terms = [value for mechanism in setting.mechanisms for value in given.letters(mechanism)]
    used = {name: domain for name, domain in setting.parameters if name in at}
    for value in (*(value for _, value in guarantee.values), *terms):
        for name, domain in value.letters.items():
            if used.setdefault(name, domain) != domain:
                raise BadStep(f"{name} is both {used[name]} and {domain}")
    comparison.check_allowed(at, used, setting.assumed)
    if not sizes.is_there(setting, at):
        raise BadStep("the neighbours of the types need databases of more records than there are")
    check_promised(setting, at)


def check_promised(setting: Setting, at: Mapping[str, Fraction]) -> None:
    """Raises BadStep where no mechanisms are as the setting says: a guarantee is below 0."""
    for mechanism in setting.mechanisms:
        for value in given.promised(mechanism):
            if value.kind != "oo" and not value.nonnegative and not computed.is_at_least(value, ZERO, at):
                raise BadStep(f"what is promised of {mechanism.name} is not seen to be at least 0 there")
        for curve in divergences.curves(mechanism):
            if not curve.nonnegative_at(at):
                raise BadStep(
                    f"what is promised of {mechanism.name} is not seen to be at least 0 at all its orders"
                )


def exceed(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    claim: Any,
    point: Mapping[str, str],
    neighbours: int,
    bits: int,
    by: Sequence[int] | None = None,
    implied: Mapping[str, str] | None = None,
) -> Found:
    """A claim with numbers is false where the curve of mechanisms that lose most is above its δ.

    by -- which mechanisms these are; left out, all that are no tables and no studies; implied -- of a claim
    of another notion the one that has curves, and the ε at which that of all that satisfies it is exceeded.
    """
    known, others = _metrics(premises)
    covered, *judgements = said(others, Covers, Loses, ...)
    guarantee, type = claimed(claim, setting, theory), type_of(covered, neighbours)
    at, there = at_the_point(setting, theory, type, point, guarantee, guarantee)
    chosen = _chosen(_as_stated(judgements, setting), by)
    axioms.check_witnesses(setting, [loss.mechanism for loss in chosen], known)
    refuted = Refuted(guarantee.notion, guarantee.values, tuple(sorted(at.items())))
    pages: tuple[str, ...]
    if implied is None:
        curves = computed.Curves(there.notion, chosen, setting, theory)
        pages = (curves.check_refuted(there.values, type, at, bits),)
    else:
        notion, epsilon = _implied(implied)
        curves = computed.Curves(notion, chosen, setting, theory)
        pages = curves.check_implied(epsilon, (there.notion, there.values), type, at, bits)
    return refuted, Grounds(frozenset(pages), frozenset({"curves"})) | parts_page(theory)


def _implied(given: Mapping[str, str]) -> tuple[str, Term]:
    """The notion that has curves, and an ε."""
    if set(given) != {"notion", "epsilon"}:
        raise BadStep("what a claim implies has a notion and an epsilon")
    return given["notion"], formulas.parse(given["epsilon"], {})


def _chosen(stated: Sequence[Loss], by: Sequence[int] | None) -> list[Loss]:
    return [loss for loss in stated if by is None or loss.mechanism in by]


def optimal(
    setting: Setting, theory: Theory, premises: Premises, *, key: str, certificate: Any = None
) -> Found:
    """No smaller value of a parameter is a guarantee: what witnesses lose is at least this one.

    Of a guarantee that says nothing: none holds that says anything, as more than any number is lost.
    """
    guarantee, *lowers = said(premises, Satisfies, Lower, ...)
    check_always_there(setting, *(relation for lower in lowers for relation in lower.where))
    if any((lower.notion, lower.key) != (guarantee.notion, key) for lower in lowers):
        raise BadStep(f"what is lost is not {key} of {guarantee.notion} privacy")
    value, lost = dict(guarantee.values)[key], terms.top(1, [lower.value for lower in lowers])
    if any((parameter.kind == "oo") != (lost.kind == "oo") for _, parameter in guarantee.values):
        raise BadStep("a guarantee has oo where more than any number is lost, and only there")
    for name, limit in theory.rule(guarantee.notion).head.limits.items() if lost.kind != "oo" else ():
        other = dict(guarantee.values)[name]
        if name != key and not has_values.surely(limit - other, True, setting.assumed):
            raise BadStep(f"{name} is not seen to be below {limit}: then a smaller {key} holds as well")
    used = at_least(setting, theory, guarantee.notion, key, lost, value, certificate)
    return Optimal(guarantee.notion, guarantee.values, key), Grounds(deciders=used)


def loose(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, key: str, point: Mapping[str, str]
) -> Found:
    """A claim is larger than a guarantee: in one parameter at a point, and there smaller in none."""
    known = one_of(premises, Satisfies)
    guarantee = claimed_of(known, claim, setting, theory)
    check_key(guarantee, key)
    at = comparison.read_point(point)
    used = {name: domain for name, domain in setting.parameters if name in at}
    for _, value in (*guarantee.values, *known.values):
        used |= value.letters
    comparison.check_allowed(at, used, setting.assumed)
    for (parameter, greater), (_, lesser) in zip(guarantee.values, known.values, strict=True):
        if parameter == key and greater.kind == "oo":
            formulas.at(lesser, at)
        elif parameter == key:
            comparison.check_point(lesser, greater, _used(at, greater, lesser))
        elif greater != lesser and greater.kind != "oo" and not computed.is_at_least(greater, lesser, at):
            raise BadStep(f"{parameter} of the claim is not seen to be at least that of the guarantee there")
    return Loose(guarantee.notion, guarantee.values, tuple(sorted(at.items()))), Grounds()
