"""Claims in metrics about mechanisms with several guarantees; see `search.choices`.

They are proved with one guarantee of each, and refuted by mechanisms with a part of one that implies all
others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

from dpcompose.kernel.core.implied import implying
from dpcompose.kernel.expressions import metrics, substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.choices import at_any_two
from dpcompose.kernel.rules.parameters import narrower as read_values
from dpcompose.kernel.rules.premises import claimed as read_claim
from dpcompose.kernel.theorems import NoTheorem, Theorem
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.guarantees.notions import POWERS
from dpcompose.search.choices.choices import MOST_CHOICES, NOT_IMPLIED
from dpcompose.search.choices.implications import NOTHING, Implications, Values
from dpcompose.search.metrics.verdicts import MetricVerdicts, values_of
from dpcompose.search.refutations import events
from dpcompose.search.verdicts import Verdict

Which = tuple[int, ...]


def verdicts_of(told: Elaborated, theory: Theory) -> MetricVerdicts:
    """Who decides claims about a setting in metrics."""
    several = any(mechanism.also for mechanism in told.setting.mechanisms)
    return Several(told, theory) if several else MetricVerdicts(told, theory)


@frozen(eq=False)
class Several(MetricVerdicts):
    """Decides claims about mechanisms of which some have several guarantees."""

    @cached_property
    def every(self) -> Mapping[Which, MetricVerdicts]:
        """By the numbers of their guarantees who decides claims about mechanisms with one guarantee each."""
        numbers = product(*(range(len(mechanism.also) + 1) for mechanism in self.setting.mechanisms))
        return {which: self._choosing(which, NOTHING) for which in islice(numbers, MOST_CHOICES)}

    @cached_property
    def narrower(self) -> Mapping[Which, tuple[Values, MetricVerdicts]]:
        """The same of mechanisms with parts of guarantees that may imply all others, where they do not."""
        found = {}
        for which in self.every:
            with suppress(ValueError):  # members of families have no parts
                parts = {i: self._part(i, n) for i, n in enumerate(which, start=1) if self._is_partial(i, n)}
                values = {str(i): part for i, part in parts.items()}
                found[which] = values, self._choosing(which, values)
        return found

    def _choosing(self, which: Which, values: Values) -> MetricVerdicts:
        chosen = self.setting.choosing(which, read_values(values, self.setting))
        return MetricVerdicts(self.told.about(chosen), self.theory)

    def _alone(self, i: int, n: int, m: int, given: Values = NOTHING) -> MetricVerdicts:
        """Who decides claims about M_i alone, with its guarantee n, or a part of that."""
        values = read_values({str(i): given["values"]}, self.setting)[i] if given else None
        return MetricVerdicts(self.told.about(implying(self.setting, i, n, m, values)), self.theory)

    # which guarantees imply which

    @cached_property
    def known(self) -> Implications:
        """Which guarantees imply which."""
        return Implications(self.prover, self._implies)

    def _implies(self, i: int, n: int, m: int, given: Values) -> Theorem | None:
        with suppress(NoTheorem, ValueError):
            claim = {key: to_text(value) for key, value in self._stated_at_any_two(i, m).items()}
            notion = self.setting.mechanisms[i - 1].guarantee(m).notion
            verdict = self._alone(i, n, m, given).on({"notion": notion, **claim})
            if verdict.word == "proved" and verdict.theorem is not None:
                more: dict[str, Any] = {"i": i, "n": n, "m": m, **given}
                return self.prover.by("implies", verdict.theorem, **more)
        return None

    def _stated_at_any_two(self, i: int, m: int) -> Mapping[str, Term]:
        return at_any_two(implying(self.setting, i, m, m), self.theory)

    def _is_partial(self, i: int, n: int) -> bool:
        """Whether guarantee n of M_i is not seen to imply all others."""
        others = (m for m in range(len(self.setting.mechanisms[i - 1].also) + 1) if m != n)
        return any(self.known.implication(i, n, m) is None for m in others)

    def _part(self, i: int, n: int) -> dict[str, str]:
        """The parameters of a part of guarantee n that is no larger than what the others allow."""
        stated = self.setting.mechanisms[i - 1].guarantee(n)
        (_, power), part = POWERS[stated.notion], terms.least(terms.ONE, *self._ratios(i, n))
        return {key: to_text(value * part**power) for key, value in stated.values}

    def _ratios(self, i: int, n: int) -> Iterator[Term]:
        """How large guarantees are over what guarantee n gives in their notions, where that is a number."""
        mechanism = self.setting.mechanisms[i - 1]
        for m in range(len(mechanism.also) + 1):
            other = mechanism.guarantee(m)
            key, power = POWERS[other.notion]
            alone = self._alone(i, n, m)
            ways = alone.ways(other.notion) if m != n and len(other.values) == 1 else []
            for known in (alone.by_way(way) for way in ways if not way.whole):
                if known is not None:
                    ratio = self._stated_at_any_two(i, m)[key] / dict(values_of(known))[key]
                    ratio = terms.power(substitution.expanded(ratio), Fraction(1, power))
                    if metrics.is_constant(ratio) and ratio.nonnegative:
                        yield ratio
                        break

    # verdicts

    def of_all(self, theorem: Theorem | None, which: Which, values: Values = NOTHING) -> Theorem | None:
        """A theorem about chosen guarantees as one about all of them; None where it is none."""
        return self.known.of_all(theorem, which, lambda: self.known.every(which, values), values)

    def best(self, notion: str) -> Theorem | None:
        made = (self.of_all(judge.best(notion), which) for which, judge in self.every.items())
        return next((theorem for theorem in made if theorem is not None), None)

    def optimal(self, guarantee: Theorem) -> Theorem | None:
        which = tuple(guarantee.arguments["which"])
        return self.of_all(self.every[which].optimal(guarantee.premises[0]), which)

    def on(self, claim: Mapping[str, str]) -> Verdict:
        """The verdict on a claim, with one guarantee of each mechanism."""
        reasons = set[str]()
        for which, judge in self.every.items():
            verdict = judge.on(claim)
            if (made := self.of_all(verdict.theorem, which)) is not None:
                shown = self.of_all(verdict.shown, which)
                return Verdict(claim, verdict.word, made, None if shown is None else verdict.loose, shown)
            reasons.add(verdict.reason or NOT_IMPLIED)
        for which, (values, one) in self.narrower.items():
            verdict = one.on(claim)
            if (
                verdict.word == "refuted"
                and (made := self.of_all(verdict.theorem, which, values)) is not None
            ):
                return Verdict(claim, "refuted", made)
        with suppress(ValueError):
            said = read_claim(dict(claim), self.setting, self.theory)
            refuted = events.refuted(self.prover, claim, said, self.parameters(said))
            if refuted is not None:
                return Verdict(claim, "refuted", refuted)
        return Verdict(claim, "undecided", reason=reasons.pop() if len(reasons) == 1 else NOT_IMPLIED)
