"""Guarantees and claims that are formulas in distances: of products, for any two databases.

The composition has a guarantee at each two databases, a formula in the distances in which mechanisms are
stated.  A claim is another formula; it holds if it is at least that one in each case that two databases fall
into, and it is false at two databases at which some mechanisms lose more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel import comparison, computed, infinity
from dpcompose.kernel.composition import axioms
from dpcompose.kernel.composition.losses import Composition
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import places, products
from dpcompose.kernel.covers.types import Cover, Near, Type, Where
from dpcompose.kernel.deciders.calculus.values import surely
from dpcompose.kernel.deciders.norms import norms
from dpcompose.kernel.expressions import forms, formulas, metrics, substitution, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.metrics import grows, letter
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.infinity import NoValue
from dpcompose.kernel.judgements import Bounded, Composed, Covers, IsMetric, Loose, Lower, Optimal, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import slopes
from dpcompose.kernel.rules.parameters import entry_of
from dpcompose.kernel.rules.premises import (
    BadStep,
    Found,
    Premises,
    check_key,
    claimed_of,
    one_of,
    said,
    type_of,
)


def metric(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """At any two databases the composition has the guarantee that its mechanisms have there together."""
    composed = one_of(premises, Composed)
    if not setting.distances:
        raise BadStep("the mechanisms are not stated in distances of the setting")
    values = Composition(composed.losses, setting, theory).at(anywhere(setting))
    page = form(theory, composed.notion)
    return Satisfies(composed.notion, tuple(values.items())), Grounds(frozenset({page}))


def anywhere(setting: Setting) -> Type:
    """Two databases at which every distance is its letter."""
    moves, lost = [], []
    for i, mechanism in enumerate(setting.mechanisms, start=1):
        assert mechanism.metric is not None
        many = 1 if mechanism.count is None else 0
        if mechanism.noise is not None:
            moves.append((i, ((many, mechanism.metric.formula),)))
        else:
            moves.append((i, ((many, ONE),)))
            lost.append((i, mechanism.metric.formula, mechanism.metric.besides))
    return Type(tuple(moves), frozenset(), (), lost=tuple(lost))


def form(theory: Theory, notion: str) -> str:
    """The page by which guarantees in metrics compose: one of its own, or the rule of the notion."""
    for page in theory.of_kind("metric"):
        if page.head.states == "metric form" and page.head.notion == notion:
            return str(page.id)
    return str(theory.rule(notion).id)


# comparisons in all cases


def everywhere(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, certificates: Any
) -> Found:
    """Every guarantee whose parameters are at least those of one that holds, at any two databases."""
    known, covered = said(premises, Satisfies, Covers)
    guarantee = claimed_of(known, claim, setting, theory)
    squared = theory.rule(guarantee.notion).head.squared
    used = frozenset[str]()
    said_something = replace(covered.cover, types=tuple(spoken_of(covered.cover.types, guarantee, setting)))
    for (key, greater), (_, lesser) in zip(guarantee.values, known.values, strict=True):
        shown = entry_of(certificates, key)
        used |= at_least_everywhere(setting, said_something, greater, lesser, shown, key in squared)
    return guarantee, Grounds(_of_near(covered.cover, theory), used)


def spoken_of(some: Sequence[Type], claim: Satisfies, setting: Setting) -> list[Type]:
    """The cases in which a claim says something: not where databases are too far, and a parameter is ∞."""

    def is_silent(type: Type) -> bool:
        where = where_of(type)
        far = any(not near.inside for near in where.near)
        return far and any(at(value, where.distances, setting).kind == "oo" for _, value in claim.values)

    return [type for type in some if not is_silent(type)]


def _of_near(cover: Cover, theory: Theory) -> frozenset[str]:
    """The page on databases within a distance, where a cover tells which are."""
    if not any(where_of(type).near for type in cover.types):
        return frozenset()
    return frozenset({theory.procedure("within a distance")})


def at_least_everywhere(
    setting: Setting, cover: Cover, greater: Term, lesser: Term, shown: Any, squared: bool = False
) -> frozenset[str]:
    """The deciders by which one formula in distances is at least another one in all cases of a cover."""
    sides = [sides_at(type, greater, lesser, setting) for type in cover.types]
    if greater.kind == "oo":
        return frozenset()
    if not isinstance(shown, list) or len(shown) != len(sides):
        raise BadCertificate(f"there are {len(sides)} cases to prove")
    deciders = (
        _in_near(setting, where_of(type), more, less, lesser, proof, squared)
        for type, (more, less), proof in zip(cover.types, sides, shown, strict=True)
    )
    return frozenset[str]().union(*deciders)


def _in_near(
    setting: Setting, where: Where, greater: Term, lesser: Term, formula: Term, shown: Any, squared: bool
) -> frozenset[str]:
    """The deciders by which what is shown proves greater ≥ lesser in one case: also by how near databases
    are there, at the radius, or with a multiple of what is left to it; formula -- what lesser is there."""
    if not isinstance(shown, dict) or not {"each", "radius", "times"} & shown.keys():
        return in_case(setting, greater, lesser, shown, squared)
    if len(where.near) != 1 or not where.near[0].inside:
        raise BadCertificate("the databases are not within one distance")
    near, used = where.near[0], frozenset[str]()
    if "each" in shown:
        operands = smallest(greater)
        if len(operands) != len(shown["each"]):
            raise BadCertificate("each of those is to be shown of which the claim is the least")
        both = zip(operands, shown["each"], strict=True)
        return used.union(*(_in_near(setting, where, x, lesser, formula, y, squared) for x, y in both))
    if "radius" in shown:
        return in_case(setting, greater, at_radius(formula, where, near, setting), shown["radius"], squared)
    power, times = shown.get("power"), formulas.parse(str(shown["times"]), setting.symbols)
    if set(shown) != {"times", "power", "not negative", "rest"} or type(power) is not int or power < 1:
        raise BadCertificate("the certificate cannot be read")
    if not metrics.is_constant(times) or not surely(times, strictly=False, assumed=setting.assumed):
        raise BadCertificate(f"{formulas.to_text(times)} is not seen to be at least 0")
    if power > 1:
        used = in_case(setting, near.far, ZERO, shown["not negative"], False)
    return used | in_case(setting, with_the_rest(greater, near, times, power), lesser, shown["rest"], squared)


def with_the_rest(greater: Term, near: Near, times: Term, power: int) -> Term:
    """A formula with a multiple of what is left to the radius r of databases: where d <= r, the formula and
    times*(d**power - r**power) are together at most the formula."""
    return substitution.expanded(greater + times * (near.far**power - near.radius**power))


def at_radius(formula: Term, where: Where, near: Near, setting: Setting) -> Term:
    """A formula that grows with distances, with the radius for those that are at most that."""
    if not grows(formula):
        raise BadStep("what is lost is not seen to grow with distances")
    far = [(name, near.radius if value == near.far else value) for name, value in where.at_most]
    return at(formula, far, setting)


def smallest(greater: Term) -> Sequence[Term]:
    """What a formula is the least of, where it is a minimum, or has one among its summands."""
    for summand in greater.summands:
        factor, least = metrics.with_minimum(summand) or (ONE, summand)
        if operands := metrics.minimum(least):
            return [greater - summand + factor * x for x in operands]
    return ()


def sides_at(type: Type, greater: Term, lesser: Term, setting: Setting) -> tuple[Term, Term]:
    """Two formulas in distances in one case, the second one with the bounds of these."""
    where = where_of(type)
    return at(greater, where.distances, setting), at(lesser, where.at_most, setting)


def where_of(type: Type) -> Where:
    """Where two databases of a product are."""
    if type.where is None:
        raise BadStep("the types are not those of any two databases of a product")
    return type.where


def at(formula: Term, distances: Sequence[tuple[str, Term]], setting: Setting) -> Term:
    """A formula in distances where these have values.  Raises BadStep."""
    known = dict(distances)
    if missing := [name for name in formula.letters if name in dict(setting.distances) and name not in known]:
        raise BadStep(f"the types say nothing of the distance {missing[0]}")
    if formula.kind == "oo":
        return formula
    try:
        return infinity.at(formula, known, setting.assumed)
    except NoValue as error:
        raise BadStep(str(error)) from None


def at_most_there(formula: Term, where: Where, setting: Setting) -> Term:
    """What a claim is at most in a case: of distances that are known by a bound alone by that."""
    unknown = [
        name
        for name, distance in setting.distances
        if distance.declared and name in used_by(formula, setting)
    ]
    if not unknown:
        return at(formula, where.distances, setting)
    made = dict(setting.distances)
    through = [made[name] for name in used_by(formula, setting) if name in made]
    every = (
        formula,
        *(x for distance in through for x in (distance.formula, distance.at_most) if x is not None),
    )
    if any(metrics.is_moving(term) and not grows(term) for term in every):
        raise BadStep("a claim is not seen to grow with a distance of which a bound alone is known")
    largest = {str(products.unknown(name)): INFINITY for name in unknown}
    return infinity.at(at(formula, where.at_most, setting), largest, setting.assumed)


def used_by(formula: Term, setting: Setting) -> set[str]:
    """The distances that a formula is made of, and those that these are made of."""
    names, made = {*formula.letters}, dict(setting.distances)
    for name, distance in reversed(made.items()):
        for other in (distance.formula, distance.at_most) if name in names else ():
            names |= set() if other is None else {*other.letters}
    return names


def in_case(setting: Setting, greater: Term, lesser: Term, shown: Any, squared: bool) -> frozenset[str]:
    """The deciders by which what is shown proves greater ≥ lesser in one case, and no more."""
    if greater.kind == "oo" or greater == lesser:
        return frozenset()
    if lesser.kind == "oo":
        raise BadCertificate("what is lost is oo there")
    if isinstance(shown, dict) and set(shown) == {"slopes"}:
        places, symbols = setting.databases.points, setting.symbols
        return slopes.check(greater, lesser, places, shown["slopes"], setting.assumed, symbols) | {"norms"}
    if squared and isinstance(shown, dict) and "squares" in shown:
        used = frozenset[str]()
        if not greater.nonnegative:
            used = in_case(setting, greater, ZERO, entry_of(shown, "not negative"), False)
        more, less = (square(term, setting.known) for term in (greater, lesser))
        return used | in_case(setting, more, less, shown["squares"], False)
    if not isinstance(shown, dict) or set(shown) != {"whole", "groups"} or type(shown["whole"]) is not bool:
        raise BadCertificate("the certificate cannot be read")
    greater, lesser = (norms.distributed(of_squares(term, setting.known)) for term in (greater, lesser))
    names = {name for name, _ in setting.parameters}
    groups = norms.groups(greater, lesser, names, setting.assumed)
    wanted = [(greater, lesser)] if shown["whole"] else [(more, less) for _, more, less in groups]
    if not isinstance(shown["groups"], list) or len(shown["groups"]) != len(wanted):
        raise BadCertificate(f"there are {len(wanted)} groups to prove")
    deciders = (
        _group(setting, more, less, proof)
        for (more, less), proof in zip(wanted, shown["groups"], strict=True)
    )
    return frozenset[str]({"norms"} if setting.databases.points else ()).union(*deciders)


def of_squares(term: Term, known: forms.Known) -> Term:
    """A formula with max(a², b²) for max(a, b)² where a, b ≥ 0; minima alike."""

    def squared(power: Term) -> Term | None:
        if power.kind == "power" and power.parts[1].number == 2 and power.parts[0].has("top"):
            written = square(power.parts[0], known)
            return written if written != power else None
        return None

    return substitution.changed(term, squared)


def square(term: Term, known: forms.Known) -> Term:
    """x² for a formula x ≥ 0: of a root what it is of; max(a, b)² = max(a², b²) for a, b ≥ 0, minima too."""
    if term.kind == "product":
        return terms.multiply([square(part, known) for part in term.parts])
    if term.kind == "power" and term.parts[1].number == terms.HALF:
        return term.parts[0]
    for way in (1, -1) if term.kind == "top" and term.of[0] == 1 else ():  # (−max(−a, −b))² = min(a², b²)
        if all(forms.term_sign(way * part, known) >= 0 for part in term.parts):
            return way * terms.top(1, [way * square(way * part, known) for part in term.parts])
    return substitution.expanded(term**2) if term.kind == "sum" else term**2


def _group(setting: Setting, greater: Term, lesser: Term, shown: Any) -> frozenset[str]:
    if not isinstance(shown, dict) or set(shown) != {"level", "cases"}:
        raise BadCertificate("the certificate cannot be read")
    if type(shown["level"]) is not int or shown["level"] not in norms.LEVELS:  # True is an int, 1.0 equals 1
        raise BadCertificate("the certificate cannot be read")
    points = setting.databases.points
    cases, proofs = norms.cases(greater, lesser, points, shown["level"], setting.assumed), shown["cases"]
    if not isinstance(proofs, list) or len(proofs) != len(cases):
        raise BadCertificate(f"there are {len(cases)} cases to prove")
    used = (
        comparison.check_at_least(more, less, proof, setting.assumed)
        for (more, less), proof in zip(cases, proofs, strict=True)
    )
    return frozenset[str]().union(*used)


# what metrics are


def is_metric(setting: Setting, theory: Theory, premises: Premises, *, name: str, certificates: Any) -> Found:
    """A distance that is a formula in coordinates is a metric: its axioms hold at any three points."""
    said(premises)
    distance = dict(setting.distances).get(name)
    formula = None if distance is None else distance.plain
    if formula is None or metrics.is_moving(formula):
        raise BadStep(f"{name} is no distance that is a formula in coordinates")
    obligations = axioms.obligations(formula, setting.databases.points)
    if not isinstance(certificates, list) or len(certificates) != len(obligations):
        raise BadCertificate(f"there are {len(obligations)} axioms")
    used = frozenset[str]()
    for obligation, shown in zip(obligations, certificates, strict=True):
        used |= in_case(setting, obligation.greater, obligation.lesser, shown, False)
    return IsMetric(name), Grounds(deciders=used)


def bounded(setting: Setting, theory: Theory, premises: Premises, *, name: str, certificate: Any) -> Found:
    """A distance is at most the bound that is stated for it."""
    covered = one_of(premises, Covers)
    distance = dict(setting.distances).get(name)
    if distance is None or distance.at_most is None or distance.declared:
        raise BadStep(f"{name} has no bound that could be shown")
    used = frozenset[str]()
    if not isinstance(certificate, list) or len(certificate) != len(covered.cover.types):
        raise BadCertificate(f"there are {len(covered.cover.types)} cases to prove")
    for type, shown in zip(covered.cover.types, certificate, strict=True):
        far = where_of(type).distances
        more, less = (at(side, far, setting) for side in (distance.at_most, letter(name)))
        used |= in_case(setting, more, less, shown, False)
    return Bounded(name), Grounds(deciders=used)


# what is least


def least_everywhere(
    setting: Setting, theory: Theory, premises: Premises, *, key: str, certificates: Any
) -> Found:
    """No smaller formula is a guarantee: at any two databases some mechanisms lose as much."""
    guarantee, covered, *lowers = said(premises, Satisfies, Covers, Lower, ...)
    check_key(guarantee, key)
    if len(guarantee.values) > 1:
        raise BadStep(f"{guarantee.notion} privacy has several parameters")
    types, value = covered.cover.types, dict(guarantee.values)[key]
    if len(lowers) != len(types) or not isinstance(certificates, list) or len(certificates) != len(types):
        raise BadStep(f"what is lost is to be known in each of {len(types)} cases")
    squared = key in theory.rule(guarantee.notion).head.squared
    used = frozenset[str]()
    for type, lower, shown in zip(types, lowers, certificates, strict=True):
        if (lower.notion, lower.key) != (guarantee.notion, key) or [x.type for x in lower.at] != [type]:
            raise BadStep("what is lost is another parameter, or at other databases")
        if lower.where:
            raise BadStep(f"what is lost is lost only where {lower.where[0]}")
        if lower.at[0].positive:
            raise BadStep("more than any number is lost at some of these databases, and not at all")
        used |= in_case(setting, lower.value, at(value, where_of(type).at_most, setting), shown, squared)
    return Optimal(guarantee.notion, guarantee.values, key), Grounds(deciders=used)


def larger(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    claim: Any,
    key: str,
    neighbours: int,
    point: Mapping[str, str],
) -> Found:
    """A claim of one parameter is larger than a guarantee at two databases."""
    known, covered = said(premises, Satisfies, Covers)
    guarantee, type = claimed_of(known, claim, setting, theory), type_of(covered, neighbours)
    if len(guarantee.values) > 1:
        raise BadStep(f"{guarantee.notion} privacy has several parameters")
    check_key(guarantee, key)
    full = places.checked(setting, theory, type, comparison.read_point(point))
    sides = sides_at(type, dict(guarantee.values)[key], dict(known.values)[key], setting)
    check_more(*sides, full)
    return Loose(guarantee.notion, guarantee.values, tuple(sorted(full.items()))), Grounds()


def check_more(greater: Term, lesser: Term, point: Mapping[str, Fraction]) -> None:
    """Raises BadCertificate unless greater > lesser at a point, for sure."""
    if greater.kind == "oo" and lesser.kind != "oo":
        return
    if lesser.kind == "oo" or not computed.is_more(greater, lesser, point):
        raise BadCertificate("the one side is not seen to be larger than the other there")
