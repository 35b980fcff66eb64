"""Claims in metrics about mechanisms with several guarantees: proved with one of each, and refuted by
mechanisms with one that implies all others; see `search.choices`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from dpcompose.kernel.judgements import Loose, Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Theorem
from dpcompose.privacy.metrics.elaborated import InMetrics
from dpcompose.privacy.metrics.setting import MetricGuarantee, MetricMechanism
from dpcompose.search.choices import MOST_CHOICES, NOT_IMPLIED
from dpcompose.search.metrics.claims import Judge
from dpcompose.search.verdicts import Verdict

Which = tuple[int, ...]


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

    @cached_property
    def _implied(self) -> dict[tuple[int, int, int], Theorem | None]:
        return {}

    def implies(self, i: int, n: int, m: int) -> Theorem | None:
        """That guarantee n of the i-th mechanism implies guarantee m; None where that is not seen."""
        key = (i, n, m)
        if key not in self._implied:
            alone = Judge(InMetrics(self.told.setting.alone(i, n)), self.theory)
            found = alone.judge(alone.told.claim(_claimed(self.told.setting.mechanisms[i].every[m])))
            self._implied[key] = None
            if found.word == "proved" and found.theorem is not None:
                with suppress(NoTheorem):
                    self._implied[key] = self.maker.by("implies", found.theorem, i=i + 1, n=n, m=m)
        return self._implied[key]

    def all_implied(self, which: Which) -> list[Theorem] | None:
        """That each chosen guarantee implies the others of its mechanism; None where that is not seen."""
        some = enumerate(zip(self.told.setting.mechanisms, which, strict=True))
        wanted = ((i, n, m) for i, (one, n) in some for m in range(len(one.also) + 1) if m != n)
        found = [self.implies(*one) for one in wanted]
        return None if None in found else [one for one in found if one is not None]

    def here(self, which: Which, theorem: Theorem | None) -> Theorem | None:
        """A theorem about the chosen guarantees as one about all of them; None where it is none."""
        if theorem is None:
            return None
        whatever = isinstance(theorem.says, Satisfies | Loose)
        implied = [] if whatever else self.all_implied(which)
        with suppress(NoTheorem):
            return None if implied is None else self.maker.by("choose", theorem, *implied, which=list(which))
        return None

    def at_choice(self, theorem: Theorem) -> tuple[Judge, Theorem]:
        if theorem.rule != "choose":
            return self, theorem
        return self.every[tuple(theorem.arguments["which"])], theorem.premises[0]

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
        return Verdict(claim, "undecided", reason=reasons.pop() if len(reasons) == 1 else NOT_IMPLIED)


def _claimed(one: MetricMechanism) -> MetricGuarantee:
    """A guarantee as a claim."""
    return MetricGuarantee(one.notion, one.metric, one.delta)
