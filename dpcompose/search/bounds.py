"""Searches for the derivation of the best guarantee, and says of every theorem whether it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sympy

from dpcompose.language import forms, meaning
from dpcompose.language.forms import Form
from dpcompose.privacy.settings import InvalidSetting, Setting
from dpcompose.proof import certificates, kernel
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.evidence import Answer, Evidence
from dpcompose.proof.hypotheses.inputs import NotDecidable
from dpcompose.proof.kernel import Derivation, Line
from dpcompose.proof.registry import Fact, Hypothesis, Page, Theory
from dpcompose.proof.steps import GIVEN, HYPOTHESIS, Loss, StepRefused, Steps
from dpcompose.search import decide
from dpcompose.search.decide import AtLeast, Fails
from dpcompose.search.solver import Solver


class NoBound(ValueError):
    """No guarantee could be derived; the message says why."""


@dataclass(frozen=True)
class Fit:
    """What a composition theorem says of a setting.

    fits -- whether its hypotheses hold; best -- whether it is the one that is cited;
    reason -- why it does not fit, or what it gives;
    pair -- the databases that break a hypothesis, where there are such.
    """

    page: Page
    fits: bool
    best: bool
    reason: str
    pair: tuple[Any, Any] | None = None


@dataclass(frozen=True)
class Bound:
    """The best guarantee of a setting with its derivation.

    theorem -- the page that is cited for it; optimal -- whether it is known that nothing
    smaller holds; vacuous -- whether the target has no neighbours at all;
    losses -- for each parameter its value, or square, at each vector of the profile; steps -- what made the
    lines, with the metrics and pairs that were found on the way.
    """

    setting: Setting
    derivation: Derivation
    guarantee: kernel.Private
    profile: kernel.Profile
    theorem: Page
    optimal: bool
    fits: tuple[Fit, ...]
    losses: Mapping[str, tuple[Loss, ...]]
    steps: Steps

    @property
    def vacuous(self) -> bool:
        return not self.profile.vectors


def best(setting: Setting, theory: Theory, solver: Solver = decide.STANDARD) -> Bound:
    """The best guarantee that the pages give, with its derivation.

    Raises InvalidSetting where a parameter of a guarantee can be negative, NoBound where a
    step is not known, TooLarge where a finite class is too large to go through.
    """
    return _Search(setting, theory, solver).best()


class _Search:
    def __init__(self, setting: Setting, theory: Theory, solver: Solver) -> None:
        self.setting, self.theory, self.solver = setting, theory, solver
        self.steps = Steps(setting, theory)
        self.lines: list[Line] = []

    def best(self) -> Bound:
        if self.setting.doubts:
            raise NoBound(self.setting.doubts[0])
        try:
            rule = self.theory.rule(self.setting.notion)
        except KeyError as error:
            raise NoBound(str(error.args[0])) from None
        for mechanism in self.setting.mechanisms:
            if wrong := rule.head.misread(mechanism.satisfies):
                raise InvalidSetting(f"{mechanism.name}: {wrong}")
        try:
            loss, profile = self._loss_and_profile()
            theorem, fits, guarantee = self._cite(loss, profile)
            optimal = self._optimal(profile, guarantee)
        except (StepRefused, NotDecidable) as error:
            raise NoBound(str(error)) from None
        derivation = Derivation(tuple(self.lines), MappingProxyType(self.steps.pages(self.lines)))
        private, moves = guarantee.judgement, profile.judgement
        assert isinstance(private, kernel.Private) and isinstance(moves, kernel.Profile)
        assert isinstance(loss.judgement, kernel.Loss)
        losses = self.steps.losses(loss.judgement, moves)
        return Bound(self.setting, derivation, private, moves, theorem, optimal, fits, losses, self.steps)

    def _add(
        self, by: str, roles: Mapping[str, Any], uses: list[Line] | None = None, evidence: Any = None
    ) -> Line:
        line = self.steps.line(len(self.lines) + 1, by, roles, uses or [], evidence)
        self.lines.append(line)
        return line

    # the lines that do not depend on a theorem

    def _loss_and_profile(self) -> tuple[Line, Line]:
        mechanisms = range(1, len(self.setting.mechanisms) + 1)
        given = {i: self._given(i) for i in mechanisms}
        private = []
        for domain in ("own", "common"):
            some = [i for i in mechanisms if self.steps.domain(i) == domain]
            if some:
                private.append(self._in_inputs(domain, some, [given[i] for i in some]))
        rule = self.theory.rule(self.setting.notion)
        held = []
        if self.setting.adaptive and rule.head.adaptively is not None:
            held = [self._add(HYPOTHESIS, rule.head.adaptively.data())]
        loss = self._add(rule.id, {}, [*private, *held])
        procedure = self.steps.inputs.neighbouring_pairs().procedure
        return loss, self._add(self.theory.procedures[procedure].id, {}, private)

    def _given(self, i: int) -> Line:
        """The guarantee of M_i, with a proof that its parameters are never negative."""
        mechanism = self.setting.mechanisms[i - 1]
        evidence = {}
        for key, value in mechanism.satisfies.values:
            if value is sympy.oo:
                continue
            try:
                form = forms.read(value, self.setting.domains)
            except forms.NotAForm as error:
                raise NoBound(f"{key} of {mechanism.name}: {error}") from None
            if forms.is_nonnegative(form, self.setting.domains):
                continue
            if not value.free_symbols and meaning.sign(value) == -1:
                raise InvalidSetting(
                    f"{key} of {mechanism.name} must be at least 0, but it is negative: {value}"
                )
            decision = decide.at_least(form, Form(), self.setting.domains, self.solver)
            if isinstance(decision, Fails):
                at = ", ".join(f"{name} = {x}" for name, x in decision.point.items())
                raise InvalidSetting(
                    f"{key} of {mechanism.name} must be at least 0 for all allowed values, "
                    f"but it is {form.at(decision.point)}{f' at {at}' if at else ''}"
                )
            if not isinstance(decision, AtLeast):
                raise NoBound(
                    f"it is not known that {key} of {mechanism.name} is never negative: {decision.reason}"
                )
            evidence[key] = certificates.to_data(decision.proof)
        return self._add(GIVEN, {"M": i}, evidence=evidence or None)

    def _in_inputs(self, domain: str, mechanisms: list[int], given: list[Line]) -> Line:
        """The most special step page of a domain that serves: the better known one where both do."""
        refused = ""
        pages = [page for page in self.theory.of_kind("step") if page.head.domain == domain]
        for page in sorted(pages, key=self._depth, reverse=True):
            try:
                return self._add(page.id, {"M": mechanisms}, given)
            except StepRefused as error:
                refused = str(error)
        raise StepRefused(refused or f"there is no page for guarantees on the {domain} domain")

    # the theorem that is cited

    def _cite(self, loss: Line, profile: Line) -> tuple[Page, tuple[Fit, ...], Line]:
        """The most special theorem whose hypotheses hold and whose conclusion is the best bound."""
        cited: tuple[Page, Line] | None = None
        fits: list[Fit] = []
        for page in self._ranked(self.theory.of_kind("named")):
            reason, pair = self._misfit(page)
            if reason is not None:
                fits.append(Fit(page, False, False, reason, pair))
                continue
            line = self._try(page, loss, profile, keep=cited is None)
            if isinstance(line, str):
                fits.append(Fit(page, True, False, line))
            elif cited is not None:
                fits.append(Fit(page, True, False, f"it gives the same; {self._name(cited[0])} is cited"))
            else:
                cited = (page, line)
                fits.append(Fit(page, True, True, "it gives the best bound"))
        if cited is None:
            page = self._ranked(self.theory.of_kind("substitution"))[0]
            cited = (page, self._add(page.id, {}, [loss, profile]))
        return cited[0], tuple(fits), cited[1]

    def _name(self, page: Page) -> str:
        return page.name(self.setting.notion, self.setting.adaptive)

    def _try(self, page: Page, loss: Line, profile: Line, keep: bool) -> Line | str:
        """The guarantee by a named theorem; or, where it gives another bound than the best, a sentence."""
        before = len(self.lines)
        try:
            held = [self._add(HYPOTHESIS, hypothesis.data()) for hypothesis in page.head.hypotheses]
            line = self._add(page.id, {}, [loss, profile, *held])
        except StepRefused as error:
            del self.lines[before:]
            return "it holds here, but it " + str(error).removeprefix(f"{self._name(page)} ")
        if not keep:
            del self.lines[before:]
        return line

    def _misfit(self, page: Page) -> tuple[str | None, tuple[Any, Any] | None]:
        """Why a theorem does not fit, with the witness of a failing hypothesis."""
        if (reason := self.steps.misfit(page.head)) is not None:
            return reason, None
        for hypothesis in page.head.hypotheses:
            evidence = binding.check(self.steps.inputs, hypothesis)
            if not evidence.holds:
                words = binding.words(self.steps.inputs, hypothesis)
                return self._failing(words, hypothesis, evidence), evidence.pair
        return None, None

    def _failing(self, words: str, hypothesis: Hypothesis, evidence: Evidence) -> str:
        if evidence.answer is Answer.UNDECIDED:
            return f'it needs "{words}", which is undecided: {evidence.words}'
        known = self._known_to_fail(hypothesis)
        reason = f" ({known.cite('any')}: {known.title})" if known else ""
        return f'it needs "{words}". It is not: {evidence.words}{reason}'

    def _known_to_fail(self, hypothesis: Hypothesis) -> Page | None:
        """The fact page that says that a hypothesis fails in settings like this one."""
        for page in self.theory.of_kind("fact"):
            head: Fact = page.head
            concluded = head.concludes_not
            if concluded is None or concluded.is_ != hypothesis.is_:
                continue
            if concluded.granularity not in (None, str(self.setting.target)):
                continue
            if all(binding.check(self.steps.inputs, one).holds for one in head.hypotheses):
                return page
        return None

    def _optimal(self, profile: Line, guarantee: Line) -> bool:
        witness = self.theory.witness(self.setting.notion)
        if witness is None:
            return False
        try:
            self._add(witness.id, {}, [profile, guarantee])
        except StepRefused:
            return False
        return True

    # order of pages

    def _ranked(self, pages: list[Page]) -> list[Page]:
        """Special pages before the ones they are special cases of; else in the order of the source."""
        return sorted(
            pages, key=lambda page: (-self._depth(page), item_order(page.cite(self.setting.notion)))
        )

    def _depth(self, page: Page) -> int:
        above = [self.theory.pages[id] for id in page.head.special_case_of]
        return 1 + max(map(self._depth, above), default=0)


def item_order(item: str) -> tuple[str, int, str]:
    """GB:IV.3 before GB:IV.12."""
    head, _, number = item.rpartition(".")
    return (head, int(number), "") if number.isdigit() else (item, 0, item)
