"""Guarantees: the best ones that the kernel's rules give for a setting, as theorems.

For a way from notion to notion: what each mechanism loses, added up; the types that cover all neighbours; and
the largest loss over these.  Where witnesses lose as much, it is optimal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.core.orders import Curve
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.types import Cover
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Covers, Loses, Lower, Satisfies
from dpcompose.kernel.library.theory import NoPage, Theory
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.language.answers import NoAnswer
from dpcompose.search import single_steps
from dpcompose.search.comparisons import parameters
from dpcompose.search.comparisons.shorter import shorter
from dpcompose.search.comparisons.weakening import weakened
from dpcompose.search.conversions.ways import (
    CHOSEN,
    Way,
    chosen_ways,
    common_notion,
    for_all,
    for_claims,
    ways,
    within_limits,
)
from dpcompose.search.tightness import is_better, is_smaller, optimal
from dpcompose.search.trying import tried

MOST_WAYS = 64
"""The most ways to convert guarantees that are tried."""

MOST_ALONE = 100
"""The most mechanisms and types of which it is asked whether one alone loses more than any number."""


class NoGuarantee(NoAnswer):
    """No guarantee could be derived; the message says why."""


@frozen
class Known:
    """A guarantee that is known, and the theorem that it is optimal, where that is known as well."""

    theorem: Theorem
    optimal: Theorem | None = None

    @property
    def says(self) -> Satisfies:
        """The guarantee."""
        assert isinstance(self.theorem.says, Satisfies)
        return self.theorem.says


@frozen
class Workshop:
    """One core setting with its theory, what each mechanism loses as it is stated, and the cover.

    inner -- of mechanisms that are studies, by number, the guarantees of these; flat -- the setting with the
    mechanisms of studies one by one, if there is one.
    """

    prover: Prover
    stated: tuple[Theorem, ...]
    cover: Theorem
    flat: Workshop | None = None
    inner: Mapping[int, Guarantees] = field(default_factory=dict)

    @property
    def setting(self) -> Setting:
        return self.prover.setting

    @property
    def theory(self) -> Theory:
        return self.prover.theory

    @cached_property
    def notions(self) -> list[str]:
        """The notions of what the mechanisms lose as stated, each once."""
        return list(dict.fromkeys(loss_of(theorem).notion for theorem in self.stated))

    @property
    def types(self) -> Cover:
        """The types of the cover."""
        assert isinstance(self.cover.says, Covers)
        return self.cover.says.cover

    @cached_property
    def whole(self) -> Workshop:
        """The same with types that stand for all neighbours whatever is lost, where there are few enough."""
        if not self.types.is_whole:
            with suppress(NoTheorem):
                whole = replace(self, cover=self.prover.by("cover", every=True))
                return whole if whole.types.is_whole else self
        return self

    @cached_property
    def in_own_notions(self) -> Workshop | None:
        """The same with guarantees in the notions in which they are stated; None where all of them are."""
        again = tuple(
            self.prover.by("given", i=one.arguments["i"]) if one.rule == "given" else one
            for one in self.stated
        )
        return None if again == self.stated else replace(self, stated=again)

    @cached_property
    def as_stated(self) -> Guarantees:
        """The guarantees without conversions, where all mechanisms are stated in one notion."""
        return by_way(self, Way())

    @cached_property
    def lost(self) -> dict[str, Theorem | None]:
        """What all mechanisms are known to lose, by notion, as far as it was asked for."""
        return {}

    @property
    def vacuous(self) -> bool:
        """Whether the target has no neighbours at all."""
        return not self.types.types


def loss_of(theorem: Theorem) -> Loss:
    """What a theorem says that a mechanism loses."""
    assert isinstance(theorem.says, Loses)
    return theorem.says.loss


def workshop(setting: Setting, theory: Theory) -> Workshop:
    """What is needed for all guarantees of a setting.  Raises NoGuarantee."""
    prover = Prover(setting, theory)
    try:
        inner = {
            i: _of_study(mechanism.study, theory, mechanism.notion)
            for i, mechanism in enumerate(setting.mechanisms, start=1)
            if mechanism.study is not None
        }
        stated = tuple(
            _stated(prover, i, mechanism, inner.get(i))
            for i, mechanism in enumerate(setting.mechanisms, start=1)
        )
        made = Workshop(prover, stated, prover.by("cover"), inner=inner)
    except NoTheorem as error:
        raise NoGuarantee(error.why) from None
    except NoPage as error:
        raise NoGuarantee(str(error)) from None
    if setting.flat is None:
        return made
    with suppress(NoGuarantee):
        return replace(made, flat=workshop(setting.flat, theory))
    return made


@lru_cache(maxsize=256)
def _of_study(study: Setting, theory: Theory, notion: str) -> Guarantees:
    """The guarantees of a study, which lies in each of those around it."""
    return best(workshop(study, theory), notion)


def in_notion(shop: Workshop, notion: str) -> Workshop:
    """The same with noise stated in a notion, where its page has a guarantee of that."""
    if shop.flat is None and all(one.noise is None for one in shop.setting.mechanisms):
        return shop
    stated = []
    for i, (theorem, mechanism) in enumerate(zip(shop.stated, shop.setting.mechanisms, strict=True), start=1):
        if mechanism.noise is not None:
            with suppress(NoTheorem):
                theorem = shop.prover.by("noise", i=i, notion=notion)
        stated.append(theorem)
    flat = None if shop.flat is None else in_notion(shop.flat, notion)
    return replace(shop, stated=tuple(stated), flat=flat)


def _stated(prover: Prover, i: int, mechanism: Mechanism, inner: Guarantees | None) -> Theorem:
    """What a mechanism loses: as stated, by its noise, checked on its table, or proved of its study.

    inner -- the guarantees of the study that it is, if it is one.
    """
    if mechanism.noise is not None:
        return prover.by("noise", i=i, notion=mechanism.notion)
    if mechanism.table is not None:
        return prover.by("table", i=i)
    if inner is None:
        return _given(prover, i, mechanism)
    if (curve := mechanism.curve) is not None and curve.orders != prover.setting.orders:
        return prover.by("study", _at_own_orders(prover, mechanism, curve), i=i)
    claim = {"notion": mechanism.notion} | {key: formulas.to_text(value) for key, value in mechanism.values}
    shown = inner.main.theorem
    if dict(inner.main.says.values) != dict(mechanism.values):
        shown = weakened(inner.shop.prover, inner.main.theorem, claim) or shown
    return prover.by("study", shown, i=i)


def _given(prover: Prover, i: int, mechanism: Mechanism) -> Theorem:
    """What a mechanism loses by its guarantee, or by that which a page says to be the same, if one does."""
    for page in prover.theory.of_kind("conversion"):
        if page.head.both_ways and page.head.from_ == mechanism.notion:
            with suppress(NoTheorem):
                return prover.by("given", i=i, page=page.id)
    return prover.by("given", i=i)


def _at_own_orders(prover: Prover, mechanism: Mechanism, curve: Curve) -> Theorem:
    """What is proved of the study that a mechanism is, for the orders that its guarantee says."""
    assert mechanism.study is not None
    theorem = best(
        workshop(mechanism.study.at_orders(curve.orders), prover.theory), mechanism.notion
    ).main.theorem
    return Prover(mechanism.study, prover.theory).by("at_orders", theorem, orders=str(curve.orders))


@frozen
class Guarantees:
    """The guarantees of a setting by one way of conversions.

    main -- by the rule of the notion; closer -- with a smaller value of a parameter, where pages give one;
    before -- the guarantee before the whole was converted.
    """

    shop: Workshop
    way: Way
    losses: tuple[Theorem, ...]
    composed: Theorem
    before: Theorem
    main: Known
    closer: Known | None = None

    @property
    def known(self) -> tuple[Known, ...]:
        """The guarantees that claims are compared with, the closest first."""
        return (self.main,) if self.closer is None else (self.closer, self.main)

    @cached_property
    def best(self) -> Known:
        """That with closer values, where it is seen to be smaller somewhere; else that by the rule."""
        if self.closer is not None and is_smaller(self.shop.prover, self.closer.says, self.main.says):
            return self.closer
        return self.main

    @property
    def notion(self) -> str:
        return self.main.says.notion


def by_way(shop: Workshop, way: Way) -> Guarantees:
    """The guarantees by one way.  Raises NoGuarantee."""
    prover = shop.prover
    try:
        losses = tuple(converted(prover, theorem, way) for theorem in shop.stated)
        composed = prover.by("compose", *losses)
        before = shorter(prover, prover.by("worst", composed, shop.cover))
        made = before
        for page, chosen in way.whole:
            made = prover.by("change", made, page=page, chosen=dict(chosen))
    except NoTheorem as error:
        if shop.whole is not shop:
            return by_way(shop.whole, way)
        raise NoGuarantee(error.why) from None
    closer = (
        None if way.whole else _closer(shop, composed) or _by_noise(shop, way) or _by_steps(shop, way, made)
    )
    main = Known(made, _optimal(shop, made) if way.direct else None)
    return Guarantees(shop, way, losses, composed, before, main, closer)


def converted(prover: Prover, theorem: Theorem, way: Way) -> Theorem:
    """A mechanism's loss, converted as a way says."""
    for page in way.each.get(loss_of(theorem).notion, ()):
        chosen = way.chosen.get(page, {})
        theorem = prover.by("convert", theorem, page=page, **({"chosen": dict(chosen)} if chosen else {}))
    return theorem


def _closer(shop: Workshop, composed: Theorem) -> Known | None:
    """The guarantee with a smaller value of a parameter, where a page gives one that differs."""
    notion = composed.says.notion  # type: ignore[union-attr]
    pages = [page.head for page in shop.theory.of_kind("closer") if page.head.notion == notion]
    keys = {key for head in pages for key in (*head.next, *head.together)}
    for shop, key in ((shop.whole, key) for key in sorted(keys)):
        with suppress(NoTheorem):
            theorem = shop.prover.by("closer", composed, shop.cover, key=key)
            plain = shop.prover.by("worst", composed, shop.cover)
            if theorem.says != plain.says:
                direct = not any(loss_of(premise).then for premise in composed.premises)
                return Known(theorem, _optimal(shop, theorem) if direct else None)
    return None


def _by_noise(shop: Workshop, way: Way) -> Known | None:
    """The guarantee by the smaller parameters that pages of noise have besides."""
    losses = []
    for theorem, mechanism in zip(shop.stated, shop.setting.mechanisms, strict=True):
        if mechanism.noise is not None and shop.theory.page(mechanism.noise.page, "noise").head.closer:
            loss = loss_of(theorem)
            with suppress(NoTheorem):
                theorem = shop.prover.by("noise", i=loss.mechanism, notion=loss.notion, closer=True)
        losses.append(theorem)
    if losses != list(shop.stated):
        with suppress(NoTheorem):
            composed = shop.prover.by("compose", *(converted(shop.prover, one, way) for one in losses))
            worst = shorter(shop.prover, shop.prover.by("worst", composed, shop.cover))
            return Known(worst, _optimal(shop, worst) if way.direct else None)
    return None


def _by_steps(shop: Workshop, way: Way, plain: Theorem) -> Known | None:
    """The guarantee of mechanisms that are stated in a distance, by chains of its single steps, where it is
    seen to be smaller somewhere, and nowhere larger."""
    prover, values = shop.prover, single_steps.values_of(shop.setting, shop.theory)
    if (setting := single_steps.setting_of(shop.setting, values)) is not None:
        with suppress(NoGuarantee):
            known = by_way(workshop(setting, shop.theory), way).best
            theorem = single_steps.about_all(prover, known.theorem, values)
            if theorem is not None and is_better(prover, theorem, plain):
                return Known(theorem, single_steps.about_all(prover, known.optimal, values))
    return None


def _optimal(shop: Workshop, guarantee: Theorem) -> Theorem | None:
    """The theorem that no smaller guarantee holds, where witnesses show it."""
    assert isinstance(guarantee.says, Satisfies)
    return optimal(shop.prover, guarantee, known_to_be_lost(shop, guarantee.says.notion))


def attained(shop: Workshop, notion: str) -> Theorem | None:
    """What the witnesses of a notion lose at all types at once; None where that is not known of all, nor of
    those where records on samples come only, or go only."""
    if notion not in shop.lost:
        every = list(range(1, len(shop.setting.mechanisms) + 1))
        numbers = [n for n, type in enumerate(shop.types.types, start=1) if type.moves]
        one_way = [n for n in numbers if all(0 in some for _, some in shop.types.types[n - 1].own)]
        asked: list[dict[str, Any]] = [
            {"notion": notion, "neighbours": [*some], "by": every}
            for some in dict.fromkeys((tuple(numbers), tuple(one_way)))
            if some or not numbers
        ]
        found = (tried(shop.prover, "attain", shop.cover, *shop.stated, **one) for one in asked)
        shop.lost[notion] = next(filter(None, found), None)
    return shop.lost[notion]


def known_to_be_lost(shop: Workshop, notion: str) -> Theorem | None:
    """The same, or what some lose where that is more than any number.

    Studies are no witnesses, but their mechanisms one by one are.
    """
    if shop.flat is None:
        return attained(shop, notion) or _unlimited(shop, notion)
    lost = known_to_be_lost(shop.flat, notion)
    return None if lost is None else shop.prover.by("one_by_one", lost)


def _unlimited(shop: Workshop, notion: str) -> Theorem | None:
    """What one mechanism loses at the neighbours of one type, where that is more than any number."""
    moving = ((n, i) for n, type in enumerate(shop.types.types, start=1) for i, _ in type.moves)
    for n, i in islice(moving, MOST_ALONE):
        with suppress(NoTheorem):
            premises = (shop.cover, *shop.stated)
            theorem = shop.prover.by("attain", *premises, notion=notion, neighbours=[n], by=[i])
            if isinstance(theorem.says, Lower) and theorem.says.value.kind == "oo":
                return theorem
    return None


def guarantees_in(shop: Workshop, notion: str, claimed: Mapping[str, Term] | None = None) -> list[Guarantees]:
    """The guarantees in a notion by all ways, the best one first.  Raises NoGuarantee where there is none."""
    found: list[Guarantees] = []
    refused = ""
    usual = None if claimed is None else dict.fromkeys(claimed, CHOSEN)
    for every in (
        ways(shop.theory, shop.notions, notion, claimed),
        ways(shop.theory, shop.notions, notion, usual) if usual else (),
        chosen_ways(shop.theory, shop.setting, shop.notions, notion, claimed),
    ):
        for way in islice(every, 0 if found else MOST_WAYS):
            try:
                found.append(by_way(shop, way))
            except NoGuarantee as error:
                refused = refused or str(error)
    if shop.in_own_notions is not None:
        with suppress(NoGuarantee):
            found += guarantees_in(shop.in_own_notions, notion, claimed)
    if not found:
        missing = [
            notion_stated
            for notion_stated in shop.notions
            if not for_all(shop.theory, notion_stated, notion, claimed is not None)
        ]
        if limited := within_limits(shop.theory, missing, notion):
            raise NoGuarantee(
                f"what {' and '.join(limited)} say within their limits is not seen to show this"
            )
        raise NoGuarantee(
            refused
            or f"no conversion pages lead from {' and '.join(missing or shop.notions)} to {notion}"
            + for_claims(shop.theory, notion, claimed)
        )
    first = found[0]
    for other in found[1:]:
        if is_less(other, first, claimed):
            first = other
    return [first, *(guarantees for guarantees in found if guarantees is not first)]


def by_chosen_ways(
    shop: Workshop, notion: str, claimed: Mapping[str, Term] | None = None
) -> Iterator[Guarantees]:
    """The guarantees by ways on which mechanisms are converted with parameters that are chosen."""
    for way in islice(chosen_ways(shop.theory, shop.setting, shop.notions, notion, claimed), MOST_WAYS):
        with suppress(NoGuarantee):
            yield by_way(shop, way)


def best(shop: Workshop, notion: str | None = None, claimed: Mapping[str, Term] | None = None) -> Guarantees:
    """The best guarantee in a notion; None: in that of the mechanisms, or the nearest one for all of them."""
    if len(shop.notions) == 1 and notion in (None, shop.notions[0]):
        return shop.as_stated
    if notion is not None:
        return guarantees_in(shop, notion, claimed)[0]
    try:
        return guarantees_in(shop, _common(shop), claimed)[0]
    except NoGuarantee:
        with suppress(NoGuarantee):
            return guarantees_in(shop, _common(shop, chosen=True), claimed)[0]
        for other in shop.notions:  # as where one of all orders is needed to leave a notion
            with suppress(NoGuarantee):
                return guarantees_in(shop, other, claimed)[0]
        raise


def _common(shop: Workshop, chosen: bool = False) -> str:
    """The notion nearest to those of all mechanisms.  Raises NoGuarantee where there is none."""
    notion = common_notion(shop.theory, shop.notions, chosen)
    if notion is None:
        raise NoGuarantee(f"no conversion pages lead from {' and '.join(shop.notions)} to one notion")
    return notion


def is_less(one: Guarantees, other: Guarantees, claimed: Mapping[str, Term] | None = None) -> bool:
    """Whether a guarantee is the smaller one where all parameters have their usual values.

    Smaller is the one whose further parameters are at most the claim's (without a claim: the other
    one's), where the other's are not; else the one with the smaller first parameter.  This decides
    only which one is shown: both hold.  In other notions none is smaller.
    """
    if one.notion != other.notion:
        return False
    values, others = (
        _at_usual(dict(guarantees.main.says.values), one.shop.setting) for guarantees in (one, other)
    )
    limits = others if claimed is None else _at_usual(claimed, one.shop.setting)
    if values is None or others is None or limits is None:
        return False
    first, *further = values
    fits, other_fits = (
        all(not _below(limits[key], some[key]) for key in further) for some in (values, others)
    )
    return fits and (not other_fits or _below(values[first], others[first]))


def _at_usual(values: Mapping[str, Term], setting: Setting) -> dict[str, Term] | None:
    """The values at the simplest point of the parameters, the members of a family all alike."""
    usual = parameters.usual(dict(setting.parameters))
    point = parameters.completed(
        setting, {**usual, **next(points(setting, 1), {})} if setting.assumed else usual
    )
    try:
        return {key: formulas.extended(value, point) for key, value in values.items()}
    except formulas.FormulaError:
        return None


def _below(x: Term, y: Term) -> bool:
    if terms.INFINITY in (x, y):
        return x != y and y == terms.INFINITY
    return sign(x - y) == -1


def points(setting: Setting, most: int = 24) -> Iterator[Mapping[str, Fraction]]:
    """A few simple points of a setting's parameters."""
    return islice(parameters.points(dict(setting.parameters), setting.assumed), most)
