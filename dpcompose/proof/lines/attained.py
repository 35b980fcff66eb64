"""The line that no smaller guarantee holds: witness mechanisms attain the worst loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language import forms, formulas
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.proof import kernel
from dpcompose.proof.lines.closer import MOST_STEPS
from dpcompose.proof.lines.profiles import members
from dpcompose.proof.lines.stated import Sources, StepRefused
from dpcompose.proof.lines.theorems import Theorems
from dpcompose.proof.registry import Page, Witness

ONE_OF_TWO_EVENTS = "1 - (1 - a)*(1 - {})"
"""The probability that one of two independent events happens, the one with probability a."""


@dataclass(frozen=True, eq=False)
class Attained(Theorems):
    """Whether the witnesses of a notion attain a guarantee at every vector of the profile."""

    def _optimal(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Optimal:
        """Each vector's loss is attained by the witness mechanisms, so the worst of them is needed."""
        if len(sources) != 2:
            raise StepRefused(f"{page.id} uses a profile and a guarantee")
        profile, private = sources[0].judgement, sources[1].judgement
        if not (isinstance(profile, kernel.Profile) and isinstance(private, kernel.Private)):
            raise StepRefused(f"{page.id} uses a profile and a guarantee")
        if page.head.notion != private.notion:
            raise StepRefused(f"{page.id} is about {page.head.notion}")
        if self.conversions:
            raise StepRefused(f"what {page.id} attains need not satisfy the guarantees that were converted")
        if sources[0].n not in sources[1].uses:
            raise StepRefused(f"line {sources[1].n} is not from the profile of line {sources[0].n}")
        for mechanism in self.setting.mechanisms:
            if mechanism.table is not None:
                raise StepRefused(f"{mechanism.name} is its table, and may lose less than its guarantee")
            noise = None if mechanism.noise is None else self.theory.noise(mechanism.noise.word)
            if noise is not None and not noise.head.attained:
                raise StepRefused(f"the loss of {mechanism.name} is not known to be attained")
        closer = self.theory.pages.get(sources[1].by)
        self._check_attained(page.head, profile, closer is not None and closer.head.kind == "closer")
        for i in sorted(self._without_limit):
            for key, value in self.setting.mechanisms[i - 1].satisfies.values:
                if value not in (0, sympy.oo) and not value.is_positive:
                    raise StepRefused(f"{key} of {self.setting.mechanisms[i - 1].name} may be 0")
        return kernel.Optimal(private.notion, private.parameters)

    def _check_attained(self, head: Witness, profile: kernel.Profile, closer: bool) -> None:
        """The witnesses attain the bound for so many steps, and so many mechanisms that move, only.

        Their losses add up; or they are events, of which one happens with the probability that a closer
        page gives for several mechanisms: then these may be any number.  Nothing attains a parameter
        above the limit from which on it says nothing.  Where there is no finite bound, one of them alone
        shows it.
        """
        unlimited = {i for i, one in enumerate(self._stated, start=1) if sympy.oo in one.values()}
        if any(i in unlimited or "oo" in (r for _, r in members(e)) for i, e in self._moving(profile)):
            return
        together, steps = head.together, head.steps
        if closer:
            page = self.theory.closer(head.notion, "mechanisms")
            if (
                head.by != "event"
                or page is None
                or page.head.next.get(head.shows) != [ONE_OF_TWO_EVENTS.format(head.shows)]
            ):
                raise StepRefused(
                    f"{head.id} does not attain what the closer pages give for several mechanisms"
                )
            together = None
            steps = self._steps_of_closer(head, profile)
        elif together != 1 and not self._adds_up(self._rule, head.shows):
            raise StepRefused(f"the losses of {head.id} add up, and {head.shows} of {self._rule.id} does not")
        limit = self._rule.head.limits.get(head.shows)
        for mechanism in self.setting.mechanisms if limit is not None else ():
            value = mechanism.satisfies[head.shows]
            if value is not sympy.oo and not self._never_above(value, Fraction(limit)):
                raise StepRefused(f"{head.shows} of {mechanism.name} may be above {limit}")
        for vector in profile.vectors:
            if together is not None and len(vector) > together:
                raise StepRefused(f"{head.id} attains the bound for up to {together} inputs that move")
            for _, entry in vector:
                for many, r in members(entry):
                    if together is not None and (many == 0 or many > together):
                        raise StepRefused(f"{head.id} attains the bound for up to {together} inputs")
                    if steps is not None and (not r.isdigit() or int(r) > steps):
                        raise StepRefused(f"{head.id} attains the bound up to distance {steps}")
        for i, r in sorted({(i, r) for i, e in self._moving(profile) for _, r in members(e)}):
            if closer and r.isdigit() and int(r) > 1:
                continue  # further on it is the page over steps that is attained
            if not self._attains(head, self.setting.mechanisms[i - 1], self._amount(r)):
                raise StepRefused(f"{head.id} does not attain what the rule allows at distance {r}")

    def _steps_of_closer(self, head: Witness, profile: kernel.Profile) -> int | None:
        """Up to how many steps the event has the probability that the page over steps gives.

        It must be the page that the witness is by, and at most one value of those that are put together may
        not be known to be at most the limit: more than one are added (see `_with_all`).
        """
        page, limit = self.theory.closer(head.notion, "steps"), self._rule.head.limits.get(head.shows)
        if page is None or page.id != head.steps_by or limit is None:
            return head.steps
        for vector in map(self._alone, map(self.that_lose, profile.vectors)):
            values = [self._after_steps(head.shows, *one) for one in vector]
            if sum(not all(self._surely_at_most(x, limit) for x in some) for some in values) > 1:
                return head.steps
        return MOST_STEPS

    @property
    def _stated(self) -> list[dict[str, sympy.Expr]]:
        """The parameters of each mechanism's guarantee."""
        return [dict(mechanism.satisfies.values) for mechanism in self.setting.mechanisms]

    def _moving(self, profile: kernel.Profile) -> Iterator[tuple[int, str]]:
        """The entries of all vectors of a profile, without mechanisms that lose nothing."""
        return (entry for vector in profile.vectors for entry in self.that_lose(vector))

    def _attains(self, head: Witness, mechanism: Mechanism, r: sympy.Expr) -> bool:
        """Whether the loss of the witness at distance r is that of the rule: d, of normal noise d²."""
        d = formulas.parse(head.distance, {**dict(mechanism.satisfies.values), "r": r})
        lost = self._parameter(self._rule, head.shows, self._at_distance(mechanism, head.shows, r))
        if head.by == "noise":
            return forms.squared(d, self.setting.domains) == lost
        return self._form(d) == lost
