"""Choices: where mechanisms have several guarantees, what is proved with one of each, and what is refuted so.

Whatever holds of all mechanisms with one guarantee holds of those that have others, too.  What some of them
lose is known of these only where the chosen guarantee implies the others: then nothing else is said of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

from dpcompose.kernel.core.implied import implying
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting, Stated
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.parameters import narrower as read_values
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.search import guarantees, tightness
from dpcompose.search.choices.implications import Implications
from dpcompose.search.comparisons import parameters
from dpcompose.search.comparisons.shorter import shorter
from dpcompose.search.comparisons.weakening import weakened
from dpcompose.search.guarantees import Guarantees, Known, NoGuarantee, Workshop
from dpcompose.search.trying import tried
from dpcompose.search.verdicts import Verdict, Verdicts

MOST_CHOICES = 24
"""The most choices of one guarantee of each mechanism that are tried."""
MOST_TOGETHER = 6
"""Of the most guarantees the least is taken."""
NOT_IMPLIED = (
    "the claim is not proved with one guarantee of each mechanism, and no mechanisms are known that have all "
    "of them and lose more"
)


@frozen
class Choice:
    """One guarantee of each mechanism, by number, and what is known of the setting with these.

    implied -- the theorems that they imply all others; None where that is not shown.
    values -- by mechanism other values of the parameters, smaller ones with which all guarantees are implied:
    then only what some mechanisms lose is known of all guarantees.
    """

    which: tuple[int, ...]
    known: Implications
    shop: Workshop
    implied: tuple[Theorem, ...] | None
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of_all(self, theorem: Theorem | None) -> Theorem | None:
        """A theorem about the chosen guarantees as one about all of them; None where it is none."""
        return self.known.of_all(theorem, self.which, lambda: self.implied, self.values)

    def verdict(self, claim: Mapping[str, str]) -> Verdict | None:
        """The verdict on a claim, as far as it is one about all guarantees."""
        verdict = Verdicts(guarantees.in_notion(self.shop, claim["notion"])).on(claim)
        theorem = self.of_all(verdict.theorem)
        if theorem is None:
            return None
        shown = self.of_all(verdict.shown)
        return replace(verdict, theorem=theorem, shown=shown, loose=None if shown is None else verdict.loose)

    def guarantee(self, notion: str | None) -> Guarantees:
        """The best guarantee with these, its main theorem about all guarantees.  Raises NoGuarantee."""
        shop = self.shop if notion is None else guarantees.in_notion(self.shop, notion)
        found = guarantees.best(shop, notion)
        theorem = self.of_all(found.main.theorem)
        if theorem is None:
            raise NoGuarantee("what holds with one guarantee of each mechanism is not seen to hold")
        return replace(found, main=Known(theorem, self.of_all(found.main.optimal)), closer=None)


@frozen
class Choices:
    """The choices of one guarantee of each mechanism in a core setting."""

    setting: Setting
    theory: Theory

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.setting, self.theory)

    @cached_property
    def every(self) -> list[Choice]:
        """The choices, those first that imply all other guarantees.  Raises NoGuarantee where none proves."""
        choices, refused = [], ""
        for which in self._possible():
            try:
                shop = guarantees.workshop(self.setting.choosing(which), self.theory)
            except NoGuarantee as error:
                refused = refused or str(error)
                continue
            choices.append(Choice(which, self.known, shop, self.known.every(which)))
        if not choices:
            raise NoGuarantee(refused)
        return sorted(choices, key=lambda one: one.implied is None)

    def _possible(self) -> Iterator[tuple[int, ...]]:
        numbers = (range(len(mechanism.also) + 1) for mechanism in self.setting.mechanisms)
        return islice(product(*numbers), MOST_CHOICES)

    @cached_property
    def whole(self) -> Workshop | None:
        """What is known of all guarantees at once, where each mechanism has them for the same neighbours."""
        with suppress(NoGuarantee):
            return guarantees.workshop(self.setting, self.theory)
        return None

    @cached_property
    def narrower(self) -> list[Choice]:
        """The choices with smaller values of parameters, with which all guarantees are implied."""
        choices: list[Choice] = []
        for which in self._possible():
            values = {
                str(i): smaller
                for i, (mechanism, n) in enumerate(zip(self.setting.mechanisms, which, strict=True), start=1)
                if mechanism.also and (smaller := self._smaller(i, n)) is not None
            }
            implied = self.known.every(which, values)
            if implied is None:
                continue
            with suppress(NoGuarantee, BadSetting, NoTheorem, ValueError):
                there = self.setting.choosing(which, read_values(values, self.setting))
                choices.append(
                    Choice(which, self.known, guarantees.workshop(there, self.theory), implied, values)
                )
        return choices

    def _smaller(self, i: int, n: int) -> dict[str, str] | None:
        """A value of the only parameter of guarantee n with which it may imply the others: with what it gives
        for the neighbours of each other one, as far as that is a multiple of it.  Members of families have
        none."""
        mechanism = self.setting.mechanisms[i - 1]
        stated = mechanism.guarantee(n)
        if len(stated.values) != 1 or mechanism.count is not None:
            return None
        ((key, value),) = stated.values
        limits = [value]
        for m in range(len(mechanism.also) + 1):
            other = mechanism.guarantee(m)
            if m == n:
                continue
            if other.notion != stated.notion:
                limits += self._converted(stated, key, other)
                continue
            with suppress(NoGuarantee, BadSetting, TermError):
                if (stated.stated, stated.domain) == (other.stated, other.domain):
                    limits.append(dict(other.values)[key])
                    continue
                known = self._from(i, n, m)
                factor = (dict(known.values)[key] / value).number
                if factor is not None and factor > 0:
                    limits.append(dict(other.values)[key] * terms.number(1 / factor))
        finite = [limit for limit in limits if limit.kind != "oo"]
        return {key: formulas.to_text(terms.least(*finite))} if finite else None

    def _converted(self, stated: Stated, key: str, other: Stated) -> Iterator[Term]:
        """The values of a parameter of which pages make the only parameter of a guarantee of another notion,
        for the same neighbours, where these are a number times a power."""
        if (stated.stated, stated.domain) != (other.stated, other.domain) or len(other.values) != 1:
            return
        ((wanted, value),) = other.values
        x = terms.letter("x")
        for page in self.theory.of_kind("conversion"):
            if (page.head.from_, page.head.to) != (stated.notion, other.notion) or page.head.free:
                continue
            with suppress(ValueError):  # of a formula in other letters
                made = formulas.parse(page.head.parameters[wanted], {key: x})
                for power in (Fraction(1), Fraction(2), Fraction(1, 2)):
                    factor = (made / terms.power(x, power)).number
                    if factor is not None and factor > 0:
                        yield terms.power(value / factor, 1 / power)

    def _from(self, i: int, n: int, m: int) -> Satisfies:
        """What guarantee n of M_i gives for the neighbours of guarantee m.  Raises NoGuarantee."""
        found = guarantees.best(guarantees.workshop(implying(self.setting, i, n, m), self.theory))
        return found.main.says

    @cached_property
    def known(self) -> Implications:
        """Which guarantees imply which."""
        return Implications(self.prover, lambda *asked: self._as_large(*asked) or self._alone(*asked))

    def _as_large(self, i: int, n: int, m: int, given: Mapping[str, Any]) -> Theorem | None:
        """The same where both are for the same neighbours, by their parameters."""
        stated, other = (self.setting.mechanisms[i - 1].guarantee(k) for k in (n, m))
        told = {str(i): given["values"]} if given else None
        smaller = dict(read_values(told, self.setting).get(i, ()))
        certificates: dict[str, Any] = {}
        for key, value in other.values:
            lesser = smaller.get(key, dict(stated.values).get(key))
            if lesser is not None and "oo" not in (lesser.kind, value.kind):
                squared = key in self.theory.rule(other.notion).head.squared
                shown = parameters.at_least(value, lesser, squared, assumed=self.setting.assumed)
                certificates[key] = shown
        return tried(self.prover, "implies", i=i, n=n, m=m, certificates=certificates, **given)

    def _alone(self, i: int, n: int, m: int, given: Mapping[str, Any]) -> Theorem | None:
        """The same by what M_i alone satisfies for the neighbours of the other guarantee."""
        claim = _claim(self.setting.mechanisms[i - 1].guarantee(m))
        with suppress(NoTheorem, NoGuarantee, ValueError):
            values = read_values({str(i): given["values"]}, self.setting)[i] if given else None
            shop = guarantees.workshop(implying(self.setting, i, n, m, values), self.theory)
            verdict = Verdicts(shop).on(claim)
            if verdict.word == "proved" and verdict.theorem is not None:
                return self.prover.by("implies", verdict.theorem, i=i, n=n, m=m, **given)
        return None

    def verdict(self, claim: Mapping[str, str]) -> Verdict:
        """The verdict on a claim: with one choice, by the least of several guarantees, or refuted."""
        proved: Verdict | None = None
        for choice in self.every:
            verdict = _by(choice, claim)
            if verdict is None:
                continue
            if verdict.word == "refuted" or (verdict.word == "proved" and verdict.loose is not None):
                return verdict
            proved = proved or (verdict if verdict.word == "proved" else None)
        together = self.together(claim["notion"])
        if together is not None and (more := self._by_all(claim, together)) is not None:
            return more
        if self.whole is not None:
            at_once = Verdicts(guarantees.in_notion(self.whole, claim["notion"])).on(claim)
            if at_once.word == "refuted" or (
                at_once.word == "proved" and (not proved or at_once.loose is not None)
            ):
                return at_once
        for one in [] if proved else self.narrower:
            verdict = _by(one, claim)
            if verdict is not None and verdict.word == "refuted":
                return verdict
        return proved or Verdict(claim, "undecided", reason=NOT_IMPLIED)

    def _by_all(self, claim: Mapping[str, str], together: Known) -> Verdict | None:
        """A claim that the least of several guarantees proves, or of which it shows how large it is."""
        theorem = weakened(self.prover, together.theorem, claim)
        if theorem is None:
            return None
        assert isinstance(theorem.says, Satisfies)
        if (larger := tightness.loose(self.prover, together.theorem, claim, theorem.says)) is not None:
            return Verdict(claim, "proved", theorem, True, larger)
        optimal = self._optimal(theorem)
        return Verdict(claim, "proved", theorem, None if optimal is None else False, optimal)

    def together(self, notion: str) -> Known | None:
        """The least of the guarantees of all choices, where it is less than each of them."""
        if notion not in self._together:
            self._together[notion] = self._least(notion)
        return self._together[notion]

    @cached_property
    def _together(self) -> dict[str, Known | None]:
        return {}

    def _least(self, notion: str) -> Known | None:
        theorems: list[Theorem] = []
        for choice in self.every:
            with suppress(NoGuarantee):
                found = choice.guarantee(notion)
                if found.main.optimal:
                    return None  # nothing is less
                if _is_finite(found.main.theorem):
                    theorems.append(found.main.theorem)
        different = {theorem.says: theorem for theorem in theorems}
        least = tried(self.prover, "least", *list(different.values())[:MOST_TOGETHER])
        with suppress(NoTheorem):
            cover = Prover(self.setting.with_each(), self.theory).by("cover")
            among = shorter(self.prover, self.prover.by("among", cover, notion=notion))
            known = [least] if least is not None else list(different.values())
            if _is_finite(among) and all(self.is_less(among, theorem) for theorem in known):
                least = among
        if least is None:
            return None
        return Known(least, self._optimal(least))

    def is_less(self, theorem: Theorem, other: Theorem) -> bool:
        """Whether a guarantee is seen to be less than another one somewhere."""
        assert isinstance(theorem.says, Satisfies) and isinstance(other.says, Satisfies)
        return tightness.is_smaller(self.prover, theorem.says, other.says)

    def _optimal(self, theorem: Theorem) -> Theorem | None:
        """That nothing smaller holds, by what mechanisms lose that have all guarantees."""
        said = theorem.says
        assert isinstance(said, Satisfies)
        lost = (self._lost(choice, said.notion) for choice in self.narrower)
        shown = (tightness.optimal(self.prover, theorem, lower) for lower in lost)
        return next(filter(None, shown), None)

    @staticmethod
    def _lost(choice: Choice, notion: str) -> Theorem | None:
        with suppress(NoGuarantee):
            return choice.of_all(
                guarantees.known_to_be_lost(guarantees.in_notion(choice.shop, notion), notion)
            )
        return None

    def best(self, notion: str | None) -> tuple[Choice, Guarantees]:
        """The choice with the best guarantee; None: in the notion of the first choice that has one.
        Raises NoGuarantee."""
        found: list[tuple[Choice, Guarantees]] = []
        refused: NoGuarantee | None = None
        for choice in self.every:
            try:
                found.append((choice, choice.guarantee(notion)))
                notion = found[0][1].notion  # others are compared in this one
            except NoGuarantee as error:
                refused = refused or error
        if not found:
            assert refused is not None
            raise refused
        best = found[0]
        for other in found[1:] if best[0].implied is None else ():
            if guarantees.is_less(other[1], best[1]):
                best = other
        return best

    def choice(self, which: Sequence[int]) -> Choice | None:
        """The choice of these numbers."""
        return next((choice for choice in self.every if list(choice.which) == list(which)), None)


def _is_finite(theorem: Theorem) -> bool:
    assert isinstance(theorem.says, Satisfies)
    return all(value.kind != "oo" for _, value in theorem.says.values)


def _by(choice: Choice, claim: Mapping[str, str]) -> Verdict | None:
    with suppress(NoGuarantee):
        return choice.verdict(claim)
    return None


def _claim(stated: Stated) -> dict[str, str]:
    return {"notion": stated.notion} | {key: formulas.to_text(value) for key, value in stated.values}
