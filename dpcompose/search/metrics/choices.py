"""Claims in metrics about mechanisms with several guarantees: proved with one of each, and refuted by
mechanisms with one that implies all others; see `search.choices`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product

from dpcompose.kernel.expressions import metrics, substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Loose, Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Theorem
from dpcompose.privacy.metrics.elaborated import InMetrics
from dpcompose.privacy.metrics.setting import MetricGuarantee, MetricMechanism
from dpcompose.privacy.notions import POWERS
from dpcompose.search.choices import MOST_CHOICES, NOT_IMPLIED
from dpcompose.search.metrics.claims import Judge, values_of
from dpcompose.search.verdicts import Verdict

Which = tuple[int, ...]
Parts = Mapping[int, Term]
NO_PARTS: Parts = {}


def judge_of(told: InMetrics, theory: Theory) -> Judge:
    """Who decides claims about a setting in metrics."""
    several = any(one.also for one in told.setting.mechanisms)
    return Several(told, theory) if several else Judge(told, theory)


@dataclass(frozen=True, eq=False)
class Several(Judge):
    """Decides claims about mechanisms of which some have several guarantees."""

    @cached_property
    def every(self) -> Mapping[Which, Judge]:
        """By the numbers of their guarantees who decides claims about mechanisms with one guarantee each."""
        setting = self.told.setting
        numbers = product(*(range(len(one.also) + 1) for one in setting.mechanisms))
        some = islice(numbers, MOST_CHOICES)
        return {which: Judge(InMetrics(setting.choosing(which)), self.theory) for which in some}

    def parts(self, which: Which) -> Parts:
        """By mechanism the part of its chosen guarantee that may imply all others, if the whole does not."""
        found = {}
        for i, (one, n) in enumerate(zip(self.told.setting.mechanisms, which, strict=True)):
            if any(self.implies(i, n, m, terms.ONE) is None for m in range(len(one.also) + 1) if m != n):
                found[i] = terms.least(terms.ONE, *self._ratios(i, n))
        return found

    def _ratios(self, i: int, n: int) -> Iterator[Term]:
        """How large a guarantee is, over what another one gives in its notion, where that is a number."""
        every, alone = self.told.setting.mechanisms[i].every, self._alone(i, n, terms.ONE)
        for one in every:
            key, power = POWERS[one.notion]
            some = alone.ways(one.notion) if one is not every[n] and one.delta is None else []
            for known in (alone.by_way(way) for way in some if not way.whole):
                if known is not None:
                    ratio = alone.told.term(one.parameters[key]) / dict(values_of(known))[key]
                    ratio = terms.power(substitution.expanded(ratio), Fraction(1, power))
                    if metrics.is_constant(ratio) and ratio.nonnegative:
                        yield ratio
                        break

    def _alone(self, i: int, n: int, part: Term) -> Judge:
        return Judge(InMetrics(self.told.setting.alone(i, n, part)), self.theory)

    @cached_property
    def _implied(self) -> dict[tuple[int, int, int, Term], Theorem | None]:
        return {}

    def implies(self, i: int, n: int, m: int, part: Term) -> Theorem | None:
        """That a part of guarantee n of a mechanism implies guarantee m; None where that is not seen."""
        key = (i, n, m, part)
        if key not in self._implied:
            self._implied[key], alone = None, self._alone(i, n, part)
            found = alone.judge(alone.told.claim(_claimed(self.told.setting.mechanisms[i].every[m])))
            if found.word == "proved" and found.theorem is not None:
                values = {} if part == terms.ONE else {"values": self._values({i: part}, {i: n})[str(i + 1)]}
                with suppress(NoTheorem):
                    self._implied[key] = self.maker.by("implies", found.theorem, i=i + 1, n=n, m=m, **values)
        return self._implied[key]

    def _values(self, parts: Parts, which: Mapping[int, int]) -> dict[str, dict[str, str]]:
        """The parameters of parts of guarantees, by the numbers of mechanisms."""
        found = {}
        for i, part in parts.items():
            one = self.told.setting.mechanisms[i].every[which[i]]
            key, power = POWERS[one.notion]
            found[str(i + 1)] = {key: to_text(part**power)} | ({} if one.delta is None else {"delta": "0"})
        return found

    def all_implied(self, which: Which, parts: Parts) -> list[Theorem] | None:
        """That each chosen guarantee implies the others of its mechanism; None where that is not seen."""
        some = enumerate(zip(self.told.setting.mechanisms, which, strict=True))
        wanted = (
            (i, n, m, parts.get(i, terms.ONE))
            for i, (one, n) in some
            for m in range(len(one.also) + 1)
            if m != n or i in parts
        )
        found = [self.implies(*one) for one in wanted]
        return None if None in found else [one for one in found if one is not None]

    def here(self, which: Which, theorem: Theorem | None, parts: Parts = NO_PARTS) -> Theorem | None:
        """A theorem about the chosen guarantees as one about all of them; None where it is none."""
        if theorem is None:
            return None
        whatever = isinstance(theorem.says, Satisfies | Loose)
        implied = [] if whatever else self.all_implied(which, parts)
        given = {"values": self._values(parts, dict(enumerate(which)))} if parts else {}
        with suppress(NoTheorem):
            if implied is not None:
                return self.maker.by("choose", theorem, *implied, which=list(which), **given)
        return None

    @cached_property
    def narrower(self) -> Mapping[Which, tuple[Parts, Judge]]:
        """Who decides claims about mechanisms that lose less than one of their guarantees, and have all."""
        found = {}
        for which in self.every:
            parts = self.parts(which)
            setting = self.told.setting.choosing(which).scaled(parts)
            found[which] = parts, Judge(InMetrics(setting), self.theory)
        return found

    def at_choice(self, theorem: Theorem) -> tuple[Judge, Theorem]:
        if theorem.rule != "choose":
            return self, theorem
        which = tuple(theorem.arguments["which"])
        judge = self.narrower[which][1] if theorem.arguments.get("values") else self.every[which]
        return judge, theorem.premises[0]

    def best(self, notion: str) -> Theorem | None:
        found = ((which, one.best(notion)) for which, one in self.every.items())
        made = [self.here(which, theorem) for which, theorem in found]
        return next((one for one in made if one is not None), None)

    def optimal(self, guarantee: Theorem) -> Theorem | None:
        judge, theorem = self.at_choice(guarantee)
        if guarantee.rule != "choose":
            return None
        return self.here(tuple(guarantee.arguments["which"]), judge.optimal(theorem))

    def judge(self, claim: Mapping[str, str]) -> Verdict:
        """The verdict on a claim, with one guarantee of each mechanism."""
        reasons = set[str]()
        for which, one in self.every.items():
            found = one.judge(claim)
            if (made := self.here(which, found.theorem)) is not None:
                shown = self.here(which, found.shown)
                return Verdict(claim, found.word, made, None if shown is None else found.loose, shown)
            reasons.add(found.reason or NOT_IMPLIED)
        for which, (parts, one) in self.narrower.items():
            found = one.judge(claim)
            if found.word == "refuted" and (made := self.here(which, found.theorem, parts)) is not None:
                return Verdict(claim, "refuted", made)
        return Verdict(claim, "undecided", reason=reasons.pop() if len(reasons) == 1 else NOT_IMPLIED)


def _claimed(one: MetricMechanism) -> MetricGuarantee:
    """A guarantee as a claim."""
    return MetricGuarantee(one.notion, one.metric, one.delta)
