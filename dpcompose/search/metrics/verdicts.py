"""Verdicts on claims that are formulas in distances: theorems of the kernel that prove or refute them.

A claim is proved where in each case that two databases fall into it is at least what the mechanisms lose
together; it is refuted at two databases at which some such mechanisms lose more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from itertools import chain, combinations, islice
from typing import Any

from dpcompose.kernel import infinity
from dpcompose.kernel.composition import axioms
from dpcompose.kernel.composition.losses import Values
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import products
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term
from dpcompose.kernel.judgements import Composed, Lower, Refuted, Satisfies
from dpcompose.kernel.library.theory import NoPage, Theory
from dpcompose.kernel.rules import metrics as rules
from dpcompose.kernel.rules.premises import BadStep
from dpcompose.kernel.rules.premises import claimed as read_claim
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.guarantees.notions import POWERS
from dpcompose.search import chains
from dpcompose.search.always import by_itself
from dpcompose.search.conversions.ways import Way, ways, ways_aside
from dpcompose.search.guarantees import MOST_WAYS, converted
from dpcompose.search.least import BITS
from dpcompose.search.metrics.cases import Cases, types_of
from dpcompose.search.metrics.points import Open, Point, in_two
from dpcompose.search.metrics.proving import fails
from dpcompose.search.metrics.standings import Standings
from dpcompose.search.refutations import events
from dpcompose.search.refutations.curves import OF_EVENTS
from dpcompose.search.trying import tried, written
from dpcompose.search.verdicts import Verdict


@frozen(eq=False)
class MetricVerdicts:
    """Decides claims about a setting in metrics; told -- it, and the core setting that it is."""

    told: Elaborated
    theory: Theory
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def cases(self) -> Cases:
        return Cases(self.told, self.theory)

    @cached_property
    def distances(self) -> Standings:
        """What is known of the distances."""
        return Standings(self.cases)

    @property
    def setting(self) -> Setting:
        """The core setting."""
        return self.cases.setting

    @property
    def prover(self) -> Prover:
        """What makes theorems about it."""
        return self.cases.prover

    def cover(self, names: Iterable[str]) -> Theorem | None:
        """The cases in which distances of these names are formulas; None where they are not."""
        return self.cases.cover(names, self.distances.bounds)

    def optimal(self, guarantee: Theorem) -> Theorem | None:
        """The theorem that at any two databases some mechanisms lose as much as a guarantee says."""
        said = guarantee.says
        cover = self.cover([]) if isinstance(said, Satisfies) and len(said.values) == 1 else None
        if cover is None or not isinstance(said, Satisfies):
            return None
        ((key, value),) = said.values
        return self._least(said, key, value, cover, guarantee)[1]

    # what is known of the mechanisms

    @cached_property
    def stated(self) -> tuple[Theorem, ...]:
        """What each mechanism loses, as it is stated.  Raises NoTheorem."""
        return tuple(self._stated(i) for i in range(1, len(self.setting.mechanisms) + 1))

    def _stated(self, i: int) -> Theorem:
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.noise is not None:
            return self.prover.by("noise", i=i, notion=mechanism.notion)
        return self.prover.by("given", i=i)

    # guarantees

    def by_way(self, way: Way) -> Theorem | None:
        """The guarantee of the composition by a way from notion to notion; None where there is none."""
        with suppress(NoTheorem, NoPage):
            lost = (converted(self.prover, theorem, way) for theorem in self.stated)
            theorem = self.prover.by("metric", self.prover.by("compose", *lost))
            for page, chosen in way.whole:
                theorem = self.prover.by("change", theorem, page=page, chosen=dict(chosen))
            return theorem
        return None

    @property
    def notions(self) -> list[str]:
        """The notions in which the mechanisms are stated, each once."""
        return list(dict.fromkeys(mechanism.notion for mechanism in self.setting.mechanisms))

    def ways(self, notion: str, claimed: Mapping[str, Term] | None = None) -> list[Way]:
        """The ways to a guarantee in a notion, without conversions of the whole first."""
        every = chain(
            ways(self.theory, self.notions, notion, claimed), ways_aside(self.theory, self.notions, notion)
        )
        return sorted(islice(every, MOST_WAYS), key=lambda way: (bool(way.whole), len(way.each)))

    def _no_way(self, notion: str) -> str:
        """That guarantees of another notion do not become one of the notion of a claim."""
        other = next((stated for stated in self.notions if stated != notion), notion)
        return f"guarantees of {other} privacy do not become one of {notion} privacy"

    def best(self, notion: str) -> Theorem | None:
        """The guarantee in a notion, composed in it; None where there is none."""
        for way in self.ways(notion):
            if not way.whole and (theorem := self.by_way(way)) is not None:
                return theorem
        return None

    # claims

    def on(self, claim: Mapping[str, str]) -> Verdict:
        """The verdict on a claim: a notion and formulas in distances for its parameters."""
        try:
            claim_read = read_claim(dict(claim), self.setting, self.theory)
        except (NoPage, ValueError) as error:
            return Verdict(claim, "undecided", reason=str(error))
        if (made := by_itself(self.prover, claim, claim_read)) is not None:
            return Verdict(claim, "proved", made)
        try:
            _ = self.stated
        except NoTheorem as error:
            return Verdict(claim, "undecided", reason=error.why)
        names = {name for _, value in claim_read.values for name in value.letters}
        cover = self.cover(names)
        if cover is None:
            return Verdict(claim, "undecided", reason=self.cases.why_no_cover(names))
        soon, later = in_two(self.cases.trials.first)
        if (refuted := self._at_points(claim, claim_read, cover, soon)) is not None:
            return refuted
        seen: list[tuple[Type, Open]] = []
        for known in filter(None, map(self.by_way, self.ways(claim_read.notion, dict(claim_read.values)))):
            verdict = self._by_guarantee(claim, claim_read, known, cover)
            if isinstance(verdict, Verdict):
                return verdict
            seen.append(verdict)
        if (refuted := self._at_points(claim, claim_read, cover, later)) is not None:
            return refuted

        def near(type: Type) -> Iterator[Point]:
            claimed = dict(claim_read.values)
            if set(claimed) == OF_EVENTS:
                yield from self.cases.trials.with_small(type, **claimed)
            yield from self.cases.trials.near(type, [other for at, other in seen if at == type])

        if (refuted := self._at_points(claim, claim_read, cover, near)) is not None:
            return refuted
        if (made := self._along_chains(claim, claim_read)) is not None:
            return Verdict(claim, "proved", made)
        if (made := events.refuted(self.prover, claim, claim_read, self.parameters(claim_read))) is not None:
            return Verdict(claim, "refuted", made)
        why = next((case.reason for _, case in seen if case.reason), "")
        why = why or ("neither a proof nor a point was found" if seen else self._no_way(claim_read.notion))
        return Verdict(claim, "undecided", reason=why)

    def _along_chains(self, claim: Mapping[str, str], said: Satisfies) -> Theorem | None:
        """A proof along chains of listed databases."""
        composed = tried(self.prover, "compose", *self.stated)
        if composed is None or not isinstance(composed.says, Composed) or composed.says.notion != said.notion:
            return None
        return chains.proved(self.prover, composed, claim, said, self.parameters(said))

    def parameters(self, said: Satisfies) -> Iterator[Point]:
        """Points of the parameters at which events may exceed a claim, those with small δ first."""
        trials, claimed = self.cases.trials, dict(said.values)
        small = trials.small(**claimed) if set(claimed) == OF_EVENTS else []
        return chain(small, trials.parameters, trials.far)

    def _by_guarantee(
        self, claim: Mapping[str, str], said: Satisfies, known: Theorem, cover: Theorem
    ) -> Verdict | tuple[Type, Open]:
        """A proof from a guarantee; or a case that is open."""
        certificates: dict[str, list[Any]] = {}
        type, values = types_of(cover)[0], zip(said.values, values_of(known), strict=True)
        try:
            spoken = rules.spoken_of(types_of(cover), said, self.setting)
            for (key, greater), (_, lesser) in values:
                certificates[key], squared = [], self._is_squared(said.notion, key)
                power = dict([POWERS.get(said.notion, ("", 1))]).get(key, 1)
                for type in spoken:
                    more, less = rules.sides_at(type, greater, lesser, self.setting)
                    soon, later = in_two(self.cases.trials.few)
                    failing = self._failing(type, more, less, soon(type))
                    shown = failing or self._in_case(type, more, (less, lesser), power, squared)
                    if isinstance(shown, Open):
                        return type, failing or self._failing(type, more, less, later(type)) or shown
                    certificates[key].append(shown)
        except BadStep as error:
            return type, Open(None, {}, str(error))
        try:
            made = self.prover.by("everywhere", known, cover, claim=dict(claim), certificates=certificates)
        except NoTheorem as error:
            return types_of(cover)[0], Open(None, {}, error.why)
        loose, standing = self._standing_of(claim, said, known, cover, made)
        return Verdict(claim, "proved", made, loose, standing)

    def _in_case(
        self, type: Type, greater: Term, less: tuple[Term, Term], power: int, squared: bool
    ) -> dict[str, Any] | Open | None:
        """A proof in one case: also by how near databases are there; less -- the lesser side, and the formula
        that it is."""
        comparisons = self.cases.comparisons
        near = next((x for x in rules.where_of(type).near if x.inside), None)
        first = comparisons.in_case(greater, less[0], squared)
        if near is None or not isinstance(first, Open):
            return first
        if some := rules.smallest(greater):
            each = [self._in_case(type, x, less, power, squared) for x in some]
            return next((x for x in each if isinstance(x, Open)), {"each": each})
        with suppress(BadStep):
            shown = comparisons.in_case(
                greater, rules.at_radius(less[1], rules.where_of(type), near, self.setting), squared
            )
            if not isinstance(shown, Open):
                return {"radius": shown}
        apart = None if power == 1 else comparisons.in_case(near.far, ZERO)
        unfit = isinstance(apart, Open) or near.radius == ZERO
        for times in () if unfit else _multiples(greater, near.radius**power):
            shown = comparisons.in_case(rules.with_the_rest(greater, near, times, power), less[0], squared)
            if not isinstance(shown, Open):
                certificate = {"times": to_text(times), "power": power, "not negative": apart}
                return certificate | {"rest": shown}
        return first

    def _failing(self, type: Type, greater: Term, lesser: Term, points: Iterable[Point]) -> Open | None:
        """A point at which a comparison fails; what is known by a bound alone is as large as that."""
        largest = dict.fromkeys(self._unknown, INFINITY)
        with suppress(ValueError):
            more, less = (infinity.at(side, largest, self.setting.assumed) for side in (greater, lesser))
            near = rules.where_of(type).near
            for point in points if more != less else ():
                if fails(more, less, point) and (not near or self.cases.are_there(type, point)):
                    some = ", ".join(
                        f"{name} = {point[name]}" for name, _ in self.setting.parameters if name in point
                    )
                    where = f"at some databases{' where ' if some else ''}{some}"
                    return Open(None, {}, f"what is known to be lost at most is more than that {where}")
        return None

    @cached_property
    def _unknown(self) -> frozenset[str]:
        """The letters of distances known by a bound alone: points of databases give them no values."""
        distances = self.setting.distances
        return frozenset(str(products.unknown(name)) for name, one in distances if one.declared)

    def _is_squared(self, notion: str, key: str) -> bool:
        return key in self.theory.rule(notion).head.squared

    def _standing_of(
        self, claim: Mapping[str, str], said: Satisfies, known: Theorem, cover: Theorem, made: Theorem
    ) -> tuple[bool | None, Theorem | None]:
        """Whether a claim of one parameter, composed in its own notion, is larger somewhere, or nowhere."""
        near = any(rules.where_of(type).near for type in types_of(cover))
        if len(said.values) > 1 or known.rule == "change" or near:
            return None, None
        ((key, value),), ((_, lesser),) = said.values, values_of(known)
        for n, type in enumerate(types_of(cover), start=1):
            more, less = rules.sides_at(type, value, lesser, self.setting)
            if more == less or self._unknown & (more.letters.keys() | less.letters.keys()):
                continue
            for point in self._where_larger(type, more, less, self._is_squared(said.notion, key)):
                if fails(less, more, point):
                    about = {"claim": dict(claim), "key": key, "neighbours": n, "point": written(point)}
                    if (larger := tried(self.prover, "larger", known, cover, **about)) is not None:
                        return True, larger
        return self._least(said, key, value, cover, made)

    def _where_larger(self, type: Type, more: Term, less: Term, squared: bool) -> Iterator[Point]:
        """Points at which more may exceed less: a few simple ones, and where it is not proved that it never
        does, all others."""
        soon, later = in_two(self.cases.trials.few)
        yield from soon(type)
        shown = self.cases.comparisons.in_case(less, more, squared)
        if isinstance(shown, Open):
            yield from chain(later(type), self.cases.trials.near(type, [shown]))

    def _least(
        self, said: Satisfies, key: str, value: Term, cover: Theorem, made: Theorem
    ) -> tuple[bool | None, Theorem | None]:
        certificates, lowers = [], []
        for n, type in enumerate(types_of(cover), start=1):
            lower = self._attained(said.notion, n, cover, self._everyone)
            if lower is None or not isinstance(lower.says, Lower):
                return None, None
            try:
                at = rules.at(value, rules.where_of(type).at_most, self.setting)
            except BadStep:
                return None, None
            shown = self.cases.comparisons.in_case(lower.says.value, at, self._is_squared(said.notion, key))
            if isinstance(shown, Open):
                return None, None
            lowers.append(lower)
            certificates.append(shown)
        asked: dict[str, Any] = {"key": key, "certificates": certificates}
        least = tried(self.prover, "least_everywhere", made, cover, *lowers, **asked)
        return (None, None) if least is None else (False, least)

    # refutations

    def _attained(self, notion: str, n: int, cover: Theorem, by: list[int]) -> Theorem | None:
        """What some mechanisms lose in the n-th case; None where that is not known."""
        key = "attained", notion, n, id(cover), tuple(by)
        if key not in self._known:
            self._known[key] = None
            with suppress(NoTheorem, NoPage):
                premises = (cover, *self.stated, *self.distances.metrics)
                self._known[key] = self.prover.by("attain", *premises, notion=notion, neighbours=[n], by=by)
        theorem: Theorem | None = self._known[key]
        return theorem

    def _able(self, notion: str, n: int, cover: Theorem) -> list[int]:
        """The mechanisms of which it is known what they lose in the n-th case: where one loses everything, no
        others of which it is not known."""
        every = self._attained(notion, n, cover, self._everyone)
        if every is not None and isinstance(every.says, Lower) and every.says.value.kind != "oo":
            return self._everyone
        return [i for i in self._everyone if self._attained(notion, n, cover, [i]) is not None]

    @property
    def _everyone(self) -> list[int]:
        """The numbers of all mechanisms."""
        return list(range(1, len(self.setting.mechanisms) + 1))

    @cached_property
    def _free(self) -> list[int]:
        """The mechanisms that lose most by what they are stated in, or are given by their noise."""
        known = [name for name in self.distances.all if self.distances.known(name)]
        return [i for i in self._everyone if self._is_free(i, known)]

    def _is_free(self, i: int, known: Sequence[str]) -> bool:
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.table is not None or mechanism.metric is None:
            return False
        with suppress(NoPage):
            axioms.check_witnesses(self.setting, [i], known)
            return mechanism.noise is not None or mechanism.metric.attained()
        return False

    def _at_points(
        self, claim: Mapping[str, str], said: Satisfies, cover: Theorem, points: Any
    ) -> Verdict | None:
        """A refutation at one of some points of each case."""
        if {key for key, _ in said.values} == OF_EVENTS:
            return self._exceeded(claim, said.notion, cover, points)
        ((_, value),) = said.values
        _, power = POWERS.get(said.notion, ("", 1))
        for n, type in enumerate(types_of(cover), start=1):
            able = self._able(said.notion, n, cover)
            lower = self._attained(said.notion, n, cover, able) if able else None
            if lower is None or not isinstance(lower.says, Lower):
                continue
            try:
                claimed = rules.at_most_there(value, rules.where_of(type), self.setting)
            except ValueError:
                continue
            for point in points(type):
                if power != 1 and fails(claimed, ZERO, point):
                    continue  # where the claimed metric, a root, is no number
                if fails(claimed, lower.says.value, point):
                    made = tried(self.prover, "refute", lower, claim=dict(claim), point=written(point))
                    if made is not None:
                        return Verdict(claim, "refuted", made)
        return None

    def _exceeded(self, claim: Mapping[str, str], notion: str, cover: Theorem, points: Any) -> Verdict | None:
        """An (ε, δ) claim refuted by the curve of mechanisms that lose most at two databases, or an event."""
        for n, type in enumerate(types_of(cover), start=1):
            events = self._able(notion, n, cover)
            lower = self._attained(notion, n, cover, events) if events else None
            for point in () if lower is None else points(type):
                asked: dict[str, Any] = {"claim": dict(claim), "point": written(point)}
                if lower is not None and (made := tried(self.prover, "refute", lower, **asked)) is not None:
                    return Verdict(claim, "refuted", made)
        premises = (cover, *self.stated, *self.distances.metrics)
        for n, type in enumerate(types_of(cover), start=1):
            about = {"claim": dict(claim), "neighbours": n, "bits": BITS[0], "by": self._free}
            for point in islice(points(type), MOST_CURVES) if self._free else ():
                made = tried(self.prover, "exceed", *premises, point=written(point), **about)
                if made is not None:
                    return Verdict(claim, "refuted", made)
        return None


def _multiples(claimed: Term, radius: Term) -> Iterator[Term]:
    """What a claim may be a multiple of, by the radius of neighbours: some of its summands, all first."""
    summands = substitution.expanded(claimed).summands
    for many in range(min(len(summands), MOST_SUMMANDS), 0, -1):
        for chosen in combinations(summands[:MOST_SUMMANDS], many):
            yield terms.add(chosen) / radius


MOST_SUMMANDS = 4
"""Of how many summands of a claim it is looked which grow with a distance."""
MOST_CURVES = 24
"""At how many points of each case it is looked whether a curve exceeds a claim."""


def values_of(theorem: Theorem) -> Values:
    """The parameters of a guarantee."""
    assert isinstance(theorem.says, Satisfies | Refuted)
    return theorem.says.values
