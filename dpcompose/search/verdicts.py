"""Verdicts: a claim is proved or refuted by a theorem of the kernel, or undecided with a reason.

What refutes a claim is looked for at simple points: witnesses of its own notion, guarantees of other notions
that it would imply, and curves.  A reason says what is missing; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from itertools import chain, islice, product
from typing import Any

from dpcompose.kernel import computed
from dpcompose.kernel.composition.losses import converted
from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.judgements import Loose, Lower, Satisfies
from dpcompose.kernel.library.theory import NoPage
from dpcompose.kernel.rules.premises import claimed as read_claim
from dpcompose.kernel.theorems import NoTheorem, Theorem
from dpcompose.search import always, besides, fewer, guarantees, implied, least, parameters, plainer, reasons
from dpcompose.search.guarantees import (
    Guarantees,
    Known,
    NoGuarantee,
    Workshop,
    attained,
    known_to_be_lost,
    weakened,
)
from dpcompose.search.least import BITS, MOST_TYPES
from dpcompose.search.ways import paths

FEW_POINTS = 24
"""At how many simple points refutations are looked for."""
MOST_OF_SOME = 100
"""At how many points and types it is looked for what some of the mechanisms refute."""
FEW_IMPLIED, MOST_IMPLIED = 3, 20
"""At how many points, and how often in all, a claim is looked at by what it implies in other notions."""


@frozen
class Verdict:
    """What was found about a claim.

    word -- "proved", "refuted" or "undecided"; theorem -- what proves or refutes it;
    loose -- of proved claims: True where they are larger than a guarantee for some values, False where they
    equal an optimal one; shown -- the theorem on that;
    guarantees -- what the claim was compared with; reason -- of undecided claims.
    """

    claim: Mapping[str, str]
    word: str
    theorem: Theorem | None = None
    loose: bool | None = None
    shown: Theorem | None = None
    guarantees: Guarantees | None = None
    reason: str = ""

    @property
    def theorems(self) -> list[Theorem]:
        """What is saved of it."""
        return [one for one in (self.theorem, self.shown) if one is not None]


@frozen
class Judge:
    """Decides claims about one setting."""

    shop: Workshop
    _known: dict[tuple[str, tuple[tuple[str, Term], ...]], list[Guarantees]] = field(default_factory=dict)

    def judge(self, claim: Mapping[str, str], explained: bool = True) -> Verdict:
        """The verdict on a claim: a notion and formulas for its parameters; explained -- with a reason."""
        prover, misread = self.shop.prover, None
        try:
            given = [(key, text) for key, text in claim.items() if key not in ("notion", "orders")]
            misread = prover.theory.rule(claim["notion"]).head.misread(given)
            said = read_claim(dict(claim), prover.setting, prover.theory)
        except (NoPage, ValueError) as error:
            return Verdict(claim, "undecided", reason=misread or str(error))
        if self.shop.vacuous:
            return Verdict(claim, "proved", prover.by("vacuous", self.shop.cover, claim=dict(claim)))
        if any(value.kind == "oo" for _, value in said.values) and (found := self._trivial(claim, said)):
            return self._beside_guarantees(claim, said, found)
        some = self.in_notion(said)
        found = self._by_guarantees(claim, said, some)
        if found.word == "undecided":
            found = self._trivial(claim, said) or found
        if found.word == "undecided":
            found = self._refuted(claim, said) or self._by_tails(claim, said) or found
        if found.word != "refuted" and found.loose is None:
            found = self._by_curve(claim, said, found)
        if found.word == "undecided":
            found = self._below_zero(claim, said) or found
        if found.word == "undecided":
            found = self._by_event(claim, said, found)
        if found.word == "undecided":
            found = self._by_implied(claim, said, found)
        if found.word == "undecided":
            found = self._besides(claim, said) or self._of_many(claim, found)
        if found.word == "undecided" and some and not some[0].way.chosen:
            found = self._by_chosen_ways(claim, said) or found
        if found.loose is None and found.word != "refuted" and self.shop.flat is not None:
            flat = Judge(self.shop.flat).judge(claim, explained=False)
            found = flat if flat.word != "undecided" else found
        if found.word == "refuted":
            found = replace(found, theorem=plainer.plainer(self.shop.prover, found.theorem))
        if found.word == "undecided" and explained:
            found = replace(found, reason=reasons.why(self.shop, said, some))
        return found if found.guarantees or not some else replace(found, guarantees=some[0])

    def in_notion(self, said: Satisfies) -> list[Guarantees]:
        """The guarantees in the notion of a claim, the best first."""
        key = (said.notion, said.values)
        if key not in self._known:
            try:
                if self.shop.notions == [said.notion]:
                    self._known[key] = [guarantees.best(self.shop)]
                else:
                    self._known[key] = guarantees.guarantees_in(self.shop, said.notion, dict(said.values))
            except NoGuarantee:
                self._known[key] = []
        return self._known[key]

    def _by_guarantees(
        self, claim: Mapping[str, str], said: Satisfies, some: Sequence[Guarantees]
    ) -> Verdict:
        """A proof from one of the guarantees."""
        for one in some:
            for known in one.known:
                if (theorem := weakened(self.shop.prover, known.theorem, claim)) is not None:
                    loose, shown = self._standing(claim, said, known, theorem)
                    return Verdict(claim, "proved", theorem, loose, shown, one)
        return Verdict(claim, "undecided", guarantees=some[0] if some else None)

    def _by_chosen_ways(self, claim: Mapping[str, str], said: Satisfies) -> Verdict | None:
        """A proof from guarantees that need not be the best ones, and may be what a claim says."""
        some = guarantees.by_chosen_ways(self.shop, said.notion, dict(said.values))
        found = self._by_guarantees(claim, said, list(some))
        return found if found.word == "proved" else None

    def _besides(self, claim: Mapping[str, str], said: Satisfies) -> Verdict | None:
        """A proof from guarantees beside the chains of conversions."""
        for known in besides.guarantees(self.shop, said):
            theorem = known if known.says == said else weakened(self.shop.prover, known, claim)
            if theorem is not None:
                return Verdict(claim, "proved", theorem, *self._standing(claim, said, Known(known), theorem))
        return None

    def _standing(
        self, claim: Mapping[str, str], said: Satisfies, known: Known, theorem: Theorem
    ) -> tuple[bool | None, Theorem | None]:
        """Whether a proved claim is loose, and the theorem on that."""
        for key, value in said.values:
            lesser = dict(known.says.values)[key]
            if value == lesser:
                continue
            for point in self._larger_at(value, lesser):
                with suppress(NoTheorem):
                    at = {name: str(x) for name, x in point.items()}
                    shown = self.shop.prover.by("loose", known.theorem, claim=dict(claim), key=key, point=at)
                    return True, shown
        lower = known_to_be_lost(self.shop, said.notion)
        if lower is None or not isinstance(lower.says, Lower):
            return None, None
        key, others = lower.says.key, dict(known.says.values)
        if not all(self._is_same(value, others[other]) for other, value in said.values if other != key):
            return None, None
        optimal = self._optimal(theorem, lower, key, dict(said.values)[key])
        return (None, None) if optimal is None else (False, optimal)

    def _is_same(self, greater: Term, lesser: Term) -> bool:
        """Whether two values, of which the one is at least the other, are equal."""
        if greater == lesser or terms.INFINITY in (greater, lesser):
            return greater == lesser
        return parameters.at_least(lesser, greater, assumed=self.shop.setting.assumed) is not None

    def _optimal(self, theorem: Theorem, lower: Theorem, key: str, value: Term) -> Theorem | None:
        """The theorem that nothing smaller than a proved claim holds."""
        assert isinstance(lower.says, Lower)
        squared = key in self.shop.theory.rule(lower.says.notion).head.squared
        with suppress(NoTheorem):
            certificate = parameters.at_least(
                lower.says.value, value, squared, assumed=self.shop.setting.assumed
            )
            return self.shop.prover.by("optimal", theorem, lower, key=key, certificate=certificate)
        return None

    def _larger_at(self, greater: Term, lesser: Term) -> Iterator[Mapping[str, Fraction]]:
        """Points at which one value may be larger than another."""
        if lesser.kind == "oo":
            return
        if greater.kind == "oo":
            yield from map(self.completed, guarantees.points(self.shop.setting, 1))
            return
        found = parameters.where_larger(greater, lesser, assumed=self.shop.setting.assumed)
        if found is not None:
            yield self.completed({**next(guarantees.points(self.shop.setting, 1), {}), **found})

    def _trivial(self, claim: Mapping[str, str], said: Satisfies) -> Verdict | None:
        """A claim that every mechanism satisfies."""
        made = always.by_itself(self.shop.prover, claim, said)
        if made is None or not any(value.kind == "oo" for _, value in said.values):
            return None if made is None else Verdict(claim, "proved", made)
        shown = self._unlimited(said, made)
        return Verdict(claim, "proved", made, None if shown is None else False, shown)

    def _beside_guarantees(self, claim: Mapping[str, str], said: Satisfies, made: Verdict) -> Verdict:
        """A claim that holds by itself, and is loose where a guarantee is known that says something."""
        if made.theorem is None or made.loose is not None:
            return made
        with suppress(TermError):  # numbers on the way are too long to be written
            for known in chain.from_iterable(one.known for one in self.in_notion(said)):
                loose, shown = self._standing(claim, said, known, made.theorem)
                if loose is not None:
                    return replace(made, loose=loose, shown=shown)
        if self.shop.flat is None:
            return made
        flat = Judge(self.shop.flat).judge(claim, explained=False)
        return replace(made, loose=flat.loose, shown=flat.shown)

    def _unlimited(self, said: Satisfies, made: Theorem) -> Theorem | None:
        """The theorem that no guarantee holds that says anything, where more than any number is lost."""
        lower = known_to_be_lost(self.shop, said.notion)
        if lower is None or not isinstance(lower.says, Lower):
            return None
        with suppress(NoTheorem):
            return self.shop.prover.by("optimal", made, lower, key=lower.says.key)
        return None

    # refutations

    def _refuted(self, claim: Mapping[str, str], said: Satisfies) -> Verdict | None:
        """A refutation by witnesses of the claim's notion, or of one in which it implies a guarantee."""
        for notion in self._witnessed(said):
            ways = self._ways(said, notion)
            for lower in self._lowers(notion) if ways else ():
                for path in ways:
                    if (made := self._refuted_by(claim, said, lower, path)) is not None:
                        return Verdict(claim, "refuted", made)
        return None

    def _by_tails(self, claim: Mapping[str, str], said: Satisfies) -> Verdict | None:
        """A refutation by one mechanism of which divergences are infinite beyond some order."""
        pages = (page.head for page in self.shop.theory.of_kind("witness") if page.head.notion == said.notion)
        keys = [head.shows for head in pages if head.by == "tail"]
        moving = ((n, i) for n, one in enumerate(self.shop.types.types, start=1) for i, _ in one.moves)
        for key, (n, i) in product(keys, islice(moving, MOST_OF_SOME)):
            with suppress(NoTheorem):
                premises = (self.shop.cover, *self.shop.stated)
                lower = self.shop.prover.by(
                    "attain", *premises, notion=said.notion, neighbours=[n], by=[i], key=key
                )
                if (made := self._refuted_by(claim, said, lower, [])) is not None:
                    return Verdict(claim, "refuted", made)
        return None

    def _below_zero(self, claim: Mapping[str, str], said: Satisfies) -> Verdict | None:
        """A refutation by no mechanisms at all, which lose 0: a claim may be below."""
        for notion in self._witnessed(said):
            for path in self._ways(said, notion):
                with suppress(NoTheorem):
                    if made := self._refuted_by(claim, said, self._attained(notion, 1, []), path):
                        return Verdict(claim, "refuted", made)
        return None

    def _witnessed(self, said: Satisfies) -> Iterable[str]:
        """The notions in which it may be known what is lost, that of a claim first, then the nearest."""
        others = dict.fromkeys(page.head.notion for page in self.shop.theory.of_kind("witness"))
        near = sorted(others, key=lambda one: min(map(len, self._ways(said, one)), default=0))
        return dict.fromkeys((said.notion, *self.shop.notions, *near))

    def _ways(self, said: Satisfies, notion: str) -> list[list[str]]:
        """The pages by which a claim implies a guarantee in another notion."""
        some = [()] if notion == said.notion else paths(self.shop.theory, said.notion, notion)
        return [[page.id for page in path] for path in some]

    def _lowers(self, notion: str) -> Iterator[Theorem]:
        """What mechanisms lose in a notion: all together, else those that are known to lose anything."""
        every = attained(self.shop, notion)
        if every is not None:
            if isinstance(every.says, Lower) and every.says.value != terms.ZERO:
                yield every
            return
        count = len(self.shop.setting.mechanisms)
        able = [i for i in range(1, count + 1) if self._loses(notion, [i])]
        for n, one in enumerate(self.shop.types.types, start=1):
            moving = [i for i, _ in one.moves if i in able]
            for by in [moving, *([i] for i in moving)] if moving else []:
                with suppress(NoTheorem):
                    yield self._attained(notion, n, by)
                    break

    def _attained(self, notion: str, n: int, by: list[int]) -> Theorem:
        """What some mechanisms lose at the neighbours of the n-th type."""
        premises = (self.shop.cover, *self.shop.stated)
        return self.shop.prover.by("attain", *premises, notion=notion, neighbours=[n], by=by)

    def _loses(self, notion: str, by: list[int]) -> bool:
        """Whether mechanisms are known to lose anything at some type at which they move."""
        for n, one in enumerate(self.shop.types.types, start=1):
            if any(i in by for i, _ in one.moves):
                with suppress(NoTheorem):
                    self._attained(notion, n, by)
                    return True
        return False

    def _refuted_by(
        self, claim: Mapping[str, str], said: Satisfies, lower: Theorem, through: list[str]
    ) -> Theorem | None:
        """The claim refuted at a point at which mechanisms lose more."""
        assert isinstance(lower.says, Lower)
        value = self._implied(said, through).get(lower.says.key)
        if value is None or value.kind == "oo":
            return None
        for point in self._points(said, lower.says, through):
            if _is_enough(value, lower.says.value, point):
                continue
            with suppress(NoTheorem):
                at = {name: str(x) for name, x in point.items()}
                more = {"through": through} if through else {}
                return self.shop.prover.by("refute", lower, claim=dict(claim), point=at, **more)
        return None

    def _implied(self, said: Satisfies, through: list[str]) -> Mapping[str, Term]:
        """What a claim implies by some conversions; nothing where one of them says nothing of it."""
        values, theory = dict(said.values), self.shop.theory
        try:
            for id in through:
                page = theory.page(id, "conversion")
                values = converted(theory, page, values, {}, orders=self.shop.setting.orders)
        except ValueError:  # a page is about other values, or numbers are too long to be written
            return {}
        return values

    def _points(self, said: Satisfies, lower: Lower, through: list[str]) -> Iterator[Mapping[str, Fraction]]:
        """Points at which the claim may be too small: where it is seen to be, and simple ones."""
        assumed = (*self.shop.setting.assumed, *lower.where)
        usual = next(guarantees.points(self.shop.setting, 1), {})
        if not through and lower.value.kind != "oo":
            value, found = dict(said.values)[lower.key], None
            if value.kind != "oo":
                found = parameters.where_larger(lower.value, value, assumed=assumed)
            if found is not None:
                yield self.completed({**usual, **found})
        every = dict(self.shop.setting.parameters)
        some = islice(parameters.points(every, assumed), FEW_POINTS)
        far = self._far_points(lower.value, *dict(said.values).values())
        extreme = islice(parameters.extreme_points(every, assumed), FEW_POINTS)
        yield from map(self.completed, chain(some, far, ({**usual, **one} for one in extreme)))

    def _far_points(self, *values: Term) -> Iterator[Mapping[str, Fraction]]:
        """Points at which letters of some terms are much larger or smaller than usual."""
        usual = next(guarantees.points(self.shop.setting, 1), {})
        letters = {name for value in values for name in value.letters}
        domains = {name: one for name, one in self.shop.setting.parameters if name in letters}
        far = parameters.far_points(domains, self.shop.setting.assumed)
        for point in islice(far, FEW_POINTS if domains else 0):
            yield {**usual, **point}

    def completed(self, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """A point with values for the members of families."""
        return parameters.completed(self.shop.setting, point)

    # curves

    def _by_curve(self, claim: Mapping[str, str], said: Satisfies, found: Verdict) -> Verdict:
        """The verdict by a computed curve, where there is one that says more."""
        if (whole := self.shop.whole) is not self.shop:
            return replace(self, shop=whole)._by_curve(claim, said, found)
        if least.page(self.shop, said.notion) is None:
            assumed = self.shop.setting.assumed
            usual = next(guarantees.points(self.shop.setting, 1), {}) if assumed else {}
            return self._exceeded(claim, found, [usual])
        constant = not any(value.letters for _, value in said.values)
        if constant and all(value.kind != "oo" for _, value in said.values):
            for bits in BITS:
                with suppress(NoTheorem):
                    made = self.shop.prover.by(
                        "curve", self.shop.cover, *self.shop.stated, claim=dict(claim), bits=bits
                    )
                    return self._by_curve_standing(claim, found, made, bits)
                if found.word == "proved":
                    return found
                refuted = self._exceeded(claim, found, self._all_points(said), (bits,))
                if refuted.word != "undecided":
                    return refuted
            return found
        return found if found.word == "proved" else self._exceeded(claim, found, self._all_points(said))

    def _by_curve_standing(
        self, claim: Mapping[str, str], found: Verdict, made: Theorem, bits: int
    ) -> Verdict:
        """A claim that the curve proves, and whether it is loose by the curve."""
        proved = replace(found, word="proved", theorem=found.theorem or made, reason="")
        with suppress(NoTheorem):
            premises = (made, self.shop.cover, *self.shop.stated)
            shown = self.shop.prover.by("curve_standing", *premises, claim=dict(claim), bits=bits)
            return replace(proved, shown=shown, loose=isinstance(shown.says, Loose))
        return proved

    def _by(self, n: int) -> dict[str, list[int]]:
        """Which mechanisms are looked at at the n-th type, where it is not known what all of them lose."""
        type = self.shop.types.types[n - 1]
        able, moving = least.known_to_lose(self.shop, type), {i for i, _ in type.moves}
        return {} if moving <= set(able) else {"by": able}

    def _all_points(self, said: Satisfies) -> list[dict[str, Fraction]]:
        """Simple points, and those far from them, or between."""
        far = self._far_points(*dict(said.values).values())
        between = parameters.points_between(dict(self.shop.setting.parameters), self.shop.setting.assumed)
        return self._with_members(chain(guarantees.points(self.shop.setting, FEW_POINTS), between, far))

    def _of_many(self, claim: Mapping[str, str], found: Verdict) -> Verdict:
        """The verdict by a curve where there are many members: these curves take longest."""
        if (whole := self.shop.whole) is not self.shop:
            return replace(self, shop=whole)._of_many(claim, found)
        if least.page(self.shop, claim["notion"]) is None:
            return found
        large = parameters.points_of_many(dict(self.shop.setting.parameters), self.shop.setting.assumed)
        return self._exceeded(claim, found, self._with_members(large))

    def _with_members(self, points: Iterable[Mapping[str, Fraction]]) -> list[dict[str, Fraction]]:
        """Points with members of families for all that some neighbours move."""
        return parameters.with_members(self.shop.setting, self.shop.types.types, points)

    def _exceeded(
        self,
        claim: Mapping[str, str],
        found: Verdict,
        points: Sequence[Mapping[str, Fraction]],
        bits: Sequence[int] = BITS[:1],
    ) -> Verdict:
        """A claim refuted by the curve of mechanisms that lose most at some type, or of some of them."""
        if found.word == "proved":
            return found
        numbers = range(1, min(len(self.shop.types.types), MOST_TYPES) + 1)
        tried = list(product(points, numbers, bits))
        for point, n, one in tried:
            if made := self._exceeds(claim, n, point, one, **self._by(n)):
                return Verdict(claim, "refuted", made, guarantees=found.guarantees)
        said = read_claim(dict(claim), self.shop.setting, self.shop.theory)
        if {"epsilon", "delta"} != {key for key, value in said.values if value.kind != "oo"}:
            return found
        for point, n, one in tried[:MOST_OF_SOME]:
            some = fewer.Some(self.shop, said, self.shop.types.types[n - 1], point, one)
            for by in some.choices():
                if made := self._exceeds(claim, n, point, one, by=by):
                    return Verdict(claim, "refuted", made, guarantees=found.guarantees)
        return found

    def _by_event(self, claim: Mapping[str, str], said: Satisfies, found: Verdict) -> Verdict:
        """A claim with a δ refuted by an event of one mechanism's noise, of which no curve is known."""
        shop, keys = self.shop, {key for key, value in said.values if value.kind != "oo"}
        laws = {i: shop.theory.page(one.noise.page, "noise").head for i, one in self._noisy() if one.noise}
        able = [i for i, law in laws.items() if law.event] if keys == {"epsilon", "delta"} else []
        types = range(1, min(len(shop.types.types), MOST_TYPES) + 1)
        for point, n, i in product(self._all_points(said), types, able):
            if made := self._exceeds(claim, n, point, BITS[0], by=[i]):
                return Verdict(claim, "refuted", made, guarantees=found.guarantees)
        return found

    def _noisy(self) -> list[tuple[int, Mechanism]]:
        """The mechanisms that add noise to queries of records, by their numbers."""
        every = enumerate(self.shop.setting.mechanisms, start=1)
        return [(i, one) for i, one in every if one.noise is not None and one.noise.query is not None]

    def _by_implied(self, claim: Mapping[str, str], said: Satisfies, found: Verdict) -> Verdict:
        """A claim refuted by what it implies in a notion that has curves."""
        types = range(1, min(len(self.shop.types.types), MOST_TYPES) + 1)
        tried = product(self._all_points(said)[:FEW_IMPLIED], types, implied.ways(self.shop, said.notion))
        for point, n, way in islice(tried, MOST_IMPLIED):
            if made := self._exceeds(claim, n, point, BITS[0], implied=way, **self._by(n)):
                return Verdict(claim, "refuted", made, guarantees=found.guarantees)
        return found

    def _exceeds(
        self, claim: Mapping[str, str], n: int, point: Mapping[str, Fraction], bits: int, **by: Any
    ) -> Theorem | None:
        """The claim refuted at the n-th type by some mechanisms."""
        premises, at = (self.shop.cover, *self.shop.stated), {name: str(x) for name, x in point.items()}
        with suppress(NoTheorem):
            return self.shop.prover.by(
                "exceed", *premises, claim=dict(claim), point=at, neighbours=n, bits=bits, **by
            )
        return None


def _is_enough(claimed: Term, lost: Term, point: Mapping[str, Fraction]) -> bool:
    """Whether a claim is seen to hold at a point, where what is lost is compared with it."""
    with suppress(ValueError):  # a value is ∞, or there is none there
        return computed.is_at_least(claimed, lost, point)
    return False
