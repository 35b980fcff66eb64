"""Searches for the derivation of the best guarantee, and says of every theorem whether it fits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import sympy

from dpcompose.language import forms, formulas, meaning
from dpcompose.language.forms import Form
from dpcompose.language.shown import Shown
from dpcompose.privacy.settings import InvalidSetting, Setting
from dpcompose.proof import certificates, derivations, kernel, resting
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.evidence import Answer, Evidence
from dpcompose.proof.hypotheses.inputs import NotDecidable
from dpcompose.proof.kernel import Derivation, Line
from dpcompose.proof.lines.nested import AT_LEAST
from dpcompose.proof.registry import Fact, Hypothesis, Named, Page, PageError, Theory
from dpcompose.proof.steps import GIVEN, HYPOTHESIS, INFINITE_LOSS, Loss, StepRefused, Steps
from dpcompose.search import decide
from dpcompose.search.decide import AtLeast, Fails
from dpcompose.search.solver import Solver
from dpcompose.spaces.databases import TooLarge

FEW_POINTS = 24
"""At how many simple points two guarantees are compared, to see that one is smaller."""


class NoBound(ValueError):
    """No guarantee could be derived; the message says why."""


@dataclass(frozen=True, repr=False)
class Fit(Shown):
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

    def __repr__(self) -> str:
        said = "is cited" if self.best else "fits" if self.fits else "does not fit"
        return f"{self.page.head.title} {said}: {self.reason}"


@dataclass(frozen=True)
class Known:
    """A guarantee that a setting is known to have.

    optimal -- whether it is known that nothing smaller holds; line -- the line that states it.
    """

    guarantee: kernel.Private
    optimal: bool
    line: int


@dataclass(frozen=True, repr=False)
class Bound(Shown):
    """The best guarantee of a setting with its derivation.

    theorem -- the page that is cited for it; optimal -- whether it is known that nothing
    smaller holds; vacuous -- whether the target has no neighbours at all;
    losses -- for each parameter its value, or square, at each vector of the profile; closer -- a guarantee
    with a smaller value than the theorem's, where a page gives one; steps -- what made the lines, with the
    metrics and pairs that were found on the way; flat -- where compositions are among the mechanisms, the
    bound for their mechanisms one by one, if that is known.
    """

    setting: Setting
    derivation: Derivation
    guarantee: kernel.Private
    profile: kernel.Profile
    theorem: Page
    optimal: bool
    fits: tuple[Fit, ...]
    losses: Mapping[str, tuple[Loss, ...]]
    closer: Known | None
    steps: Steps
    flat: Bound | None = None

    def data(self) -> dict[str, Any]:
        """The derivation as it is saved; `dpcompose.proof.checker` reads it."""
        lines, pages, by = self.derivation.lines, self.derivation.pages, self.steps
        return derivations.saved(lines, pages, self.guarantee, self.optimal, by.conversions, by.chosen)

    def __repr__(self) -> str:
        return f"the best guarantee of a {self.setting!r}"

    @property
    def vacuous(self) -> bool:
        return not self.profile.vectors

    @property
    def conversions(self) -> tuple[Page, ...]:
        """The pages by which guarantees were converted from notion to notion, each once."""
        by = dict.fromkeys(line.by for line in self.derivation.lines)
        pages = (self.steps.theory.pages[id] for id in by if id in self.steps.theory.pages)
        return tuple(page for page in pages if page.head.kind == "conversion")

    @cached_property
    def relies_on(self) -> tuple[Page, ...]:
        """The pages that the guarantee rests on, also for the mechanisms one by one, and no one derives."""
        used = resting.of_lines(self.steps, self.derivation.lines)
        used |= {page.id for page in self.flat.relies_on} if self.flat is not None else set()
        return self.steps.theory.relied_on(used)

    @property
    def known(self) -> tuple[Known, ...]:
        """The guarantees that claims are compared with, the closest first."""
        line = next(line.n for line in self.derivation.lines if line.judgement is self.guarantee)
        main = Known(self.guarantee, self.optimal, line)
        return (main,) if self.closer is None else (self.closer, main)

    @cached_property
    def smaller(self) -> Known | None:
        """The guarantee with closer values, where it is seen to be smaller at some point."""
        closer = self.closer
        return closer if closer is not None and self._is_larger_than(closer.guarantee) else None

    @cached_property
    def smaller_is_known(self) -> bool:
        """Whether another guarantee is known that is smaller at some point."""
        if self.smaller is not None:
            return True
        return self.flat is not None and self._is_larger_than(self.flat.guarantee)

    def _is_larger_than(self, other: kernel.Private) -> bool:
        """Whether another guarantee is seen to be smaller at some point."""
        domains = self.setting.domains
        for key, value in self.guarantee.parameters:
            smaller = dict(other.parameters)[key]
            if smaller == value:
                continue
            if "oo" in (smaller, value):
                return value == "oo"
            less, more = (self.steps.form(self.guarantee.notion, one, key) for one in (smaller, value))
            if isinstance(decide.at_least(less, more, domains), Fails):
                return True
            for point in decide.points(domains, FEW_POINTS):
                with suppress(certificates.BadCertificate):
                    certificates.check_larger(more, less, domains, point)
                    return True
        return False

    @property
    def standing(self) -> str:
        """What is said after the guarantee: that it is optimal, or that a smaller one is known."""
        return "; optimal" if self.optimal else "; a smaller one is known" if self.smaller_is_known else ""


@dataclass(frozen=True)
class Plan:
    """How guarantees come to be of one notion: each by itself first, and then that of the whole composition.

    each -- for notions of the mechanisms' guarantees the ids of conversion pages, one after the other;
    whole -- ids of further pages, each with the formulas of its free parameters; chosen -- by id those of
    pages that convert each guarantee by itself.
    """

    each: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    whole: tuple[tuple[str, Mapping[str, str]], ...] = ()
    chosen: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def best(
    setting: Setting,
    theory: Theory,
    solver: Solver = decide.STANDARD,
    plan: Plan | None = None,
    like: Bound | None = None,
) -> Bound:
    """The best guarantee that the pages give, with its derivation.

    plan -- how guarantees are converted; left out, they are all of one notion;
    like -- another bound of the same setting, whose metrics and pairs are used again.
    Raises InvalidSetting where a parameter of a guarantee can be negative, NoBound where a
    step is not known, TooLarge where a finite class is too large to go through.
    """
    try:
        return _Search(setting, theory, solver, plan or Plan(), like).best()
    except formulas.FormulaError as error:
        raise NoBound(
            f"it cannot be computed with these numbers: {error.line}; numbers nearer to 1 would do"
        ) from None


class _Search:
    def __init__(
        self, setting: Setting, theory: Theory, solver: Solver, plan: Plan, like: Bound | None
    ) -> None:
        self.setting, self.theory, self.solver, self.plan = setting, theory, solver, plan
        self.steps = Steps(setting, theory, dict(plan.each), like.steps if like else None, plan.chosen)
        self.lines: list[Line] = []
        self.flat: Bound | None = None

    def best(self) -> Bound:
        if self.setting.doubts:
            raise NoBound(self.setting.doubts[0])
        for mechanism in self.setting.mechanisms:
            try:
                rule = self.theory.rule(mechanism.satisfies.notion)
            except KeyError as error:
                raise NoBound(str(error.args[0])) from None
            if wrong := rule.head.misread(mechanism.satisfies.values):
                raise InvalidSetting(f"{mechanism.name}: {wrong}")
        try:
            loss, profile = self._loss_and_profile()
            closer = None if self.plan.whole else self._closer(loss, profile)
            theorem, fits, guarantee = self._cite(loss, profile)
            for id, free in self.plan.whole:
                guarantee = self._add(id, free, [guarantee])
            optimal = not self.plan.whole and self._optimal(profile, guarantee)
        except (StepRefused, NotDecidable) as error:
            raise NoBound(str(error)) from None
        derivation = Derivation(tuple(self.lines), MappingProxyType(self.steps.pages(self.lines)))
        private, moves = guarantee.judgement, profile.judgement
        assert isinstance(private, kernel.Private) and isinstance(moves, kernel.Profile)
        assert isinstance(loss.judgement, kernel.Loss)
        losses = self.steps.losses(loss.judgement, moves)
        return Bound(
            self.setting,
            derivation,
            private,
            moves,
            theorem,
            optimal,
            fits,
            losses,
            closer,
            self.steps,
            self.flat,
        )

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
            some = [i for i in mechanisms if self.steps.domain(i) == domain and not self._noise(i)]
            if some:
                private.append(self._in_inputs(domain, some, [given[i] for i in some]))
        for word in dict.fromkeys(self._noise(i) for i in mechanisms if self._noise(i)):
            page = self.theory.noise(word)
            if page is None:
                raise StepRefused(f"there is no page for {word} noise")
            some = [i for i in mechanisms if self._noise(i) == word]
            private.append(self._add(page.id, {"M": some}, [given[i] for i in some]))
        converted = [self._converted(notion, path, private) for notion, path in self.plan.each.items()]
        rule = self.theory.rule(self.steps.notion)
        held = []
        if self.setting.adaptive and rule.head.adaptively is not None:
            held = [self._add(HYPOTHESIS, rule.head.adaptively.data())]
        loss = self._add(rule.id, {}, [*private, *converted, *held])
        procedure = self.steps.inputs.neighbouring_pairs().procedure
        return loss, self._add(self.theory.procedure(procedure).id, {}, private)

    def _converted(self, notion: str, path: tuple[str, ...], private: list[Line]) -> Line:
        """The last of the lines that convert all guarantees of a notion."""
        some = [i for i, m in enumerate(self.setting.mechanisms, start=1) if m.satisfies.notion == notion]
        uses = [line for line in private if not set(some).isdisjoint(line.roles["M"])]
        for id in path:
            uses = [self._add(id, {"M": some, **self.plan.chosen.get(id, {})}, uses)]
        return uses[0]

    def _closer(self, loss: Line, profile: Line) -> Known | None:
        """The guarantee with closer values than the rule's, where a page gives some."""
        for over in ("steps", "mechanisms"):
            page = self.theory.closer(self.steps.notion, over)
            if page is None:
                continue
            try:
                line = self._add(page.id, {}, [loss, profile])
            except StepRefused:
                continue
            assert isinstance(line.judgement, kernel.Private)
            return Known(line.judgement, self._optimal(profile, line), line.n)
        return None

    def _noise(self, i: int) -> str:
        """The word of the noise that M_i adds; "" where it is known by its guarantee."""
        noise = self.setting.mechanisms[i - 1].noise
        return "" if noise is None else noise.word

    def _given(self, i: int) -> Line:
        """The guarantee of M_i, with a proof that its parameters are never negative."""
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.study is not None:
            return self._add(GIVEN, {"M": i}, evidence=mechanism.study.derivation)
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
                    f"but it is {_there(value, decision.point)}{f' at {at}' if at else ''}"
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
        if not refused:
            self.theory.need("step", domain=domain)
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
            pages = self._ranked(self.theory.of_kind("substitution"))
            if not pages:
                self.theory.need("substitution")
                raise StepRefused("there is no page for the worst of a loss over a profile")
            page = pages[0]
            cited = (page, self._add(page.id, {}, [loss, profile]))
        return cited[0], tuple(fits), cited[1]

    def _name(self, page: Page) -> str:
        return page.name(self.steps.notion, self.setting.adaptive)

    def _try(self, page: Page, loss: Line, profile: Line, keep: bool) -> Line | str:
        """The guarantee by a named theorem; or, where it gives another bound than the best, a sentence."""
        before = len(self.lines)
        try:
            held = [self._add(HYPOTHESIS, hypothesis.data()) for hypothesis in page.head.hypotheses]
            line = self._add(page.id, {}, [loss, profile, *held])
        except StepRefused as error:
            del self.lines[before:]
            said = str(error).removeprefix(f"{self._name(page)} ").removeprefix(f"{page.id} ")
            if (against := self._against_best(page.head, loss.judgement, profile.judgement)) is not None:
                said = said.replace("which is not what the profile gives", against)
            return f"it holds here, but it {said}"
        if not keep:
            del self.lines[before:]
        return line

    def _against_best(self, head: Named, loss: Any, profile: Any) -> str | None:
        """How a conclusion that is at least the worst loss over the profile compares; None if it is not seen
        to be that."""
        try:
            concluded, bounds = self.steps.conclusion(head), self.steps.bounds(loss, profile)
            if not all(self._surely_at_least(form, bounds[key]) for key, form in concluded.items()):
                return None
            if all(self._surely_at_least(bounds[key], form) for key, form in concluded.items()):
                return "which is the best bound in another form"
        except (StepRefused, forms.NotAForm, KeyError):
            return None
        return "which is valid, but looser than the best bound"

    def _surely_at_least(self, greater: Loss, lesser: Loss) -> bool:
        if greater == INFINITE_LOSS or isinstance(lesser, str):
            return greater == INFINITE_LOSS
        found = decide.at_least(greater, lesser, self.setting.domains, self.solver, efforts=2)
        return isinstance(found, AtLeast)

    def _misfit(self, page: Page) -> tuple[str | None, tuple[Any, Any] | None]:
        """Why a theorem does not fit, with the witness of a failing hypothesis."""
        if (reason := self.steps.misfit(page.head)) is not None:
            return reason, None
        for hypothesis in page.head.hypotheses:
            evidence = self._evidence(page, hypothesis)
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
            if all(self._evidence(page, one).holds for one in head.hypotheses):
                return page
        return None

    def _evidence(self, page: Page, hypothesis: Hypothesis) -> Evidence:
        """What the predicate says that a page names.  Raises PageError where it lacks a letter."""
        try:
            return binding.check(self.steps.inputs, hypothesis)
        except binding.UnknownPredicate as error:
            raise PageError(f"{page.path.name}: hypotheses: {error}") from None

    def _optimal(self, profile: Line, guarantee: Line) -> bool:
        witness = self.theory.witness(self.steps.notion)
        if witness is None:
            return False
        evidence = None
        if self.setting.studies:
            self.flat = self.flat or self._flat()
            if self.flat is None or not self.flat.optimal:
                return False
            assert isinstance(guarantee.judgement, kernel.Private)
            proofs = self._needed(guarantee.judgement, self.flat.guarantee)
            evidence = self.flat.data() | {AT_LEAST: proofs}
        try:
            self._add(witness.id, {}, [profile, guarantee], evidence)
        except StepRefused:
            return False
        return True

    def _needed(self, here: kernel.Private, flat: kernel.Private) -> dict[str, Any]:
        """What shows that a guarantee is at least the one here, for parameters that are written otherwise."""
        needed, found = dict(flat.parameters), {}
        for key, text in here.parameters:
            if needed[key] != text and "oo" not in (needed[key], text):
                greater, lesser = (self.steps.form(here.notion, one, key) for one in (needed[key], text))
                decision = decide.at_least(greater, lesser, self.setting.domains, self.solver)
                if isinstance(decision, AtLeast):
                    found[key] = certificates.to_data(decision.proof)
        return found

    def _flat(self) -> Bound | None:
        """The bound for the mechanisms of compositions one by one, where these are of the same notion."""
        steps = self.steps.flat(self.steps.notion)
        if steps is None or steps.setting.notions != (self.steps.notion,):
            return None
        try:
            return best(steps.setting, self.theory, self.solver)
        except (NoBound, InvalidSetting, TooLarge):
            return None

    # order of pages

    def _ranked(self, pages: list[Page]) -> list[Page]:
        """Special pages before the ones they are special cases of; else in the order of the source."""
        return sorted(pages, key=lambda page: (-self._depth(page), item_order(page.cite(self.steps.notion))))

    def _depth(self, page: Page) -> int:
        above = [self.theory.pages[id] for id in page.head.special_case_of if id in self.theory.pages]
        return 1 + max(map(self._depth, above), default=0)


def _there(value: sympy.Expr, point: Mapping[str, Fraction]) -> str:
    """The value of an expression at a point, exact, as a formula."""
    numbers = {one: point[str(one)] for one in value.free_symbols if str(one) in point}
    exact = {one: sympy.Rational(x.numerator, x.denominator) for one, x in numbers.items()}
    return formulas.to_text(value.xreplace(exact))


def item_order(item: str) -> tuple[str, int, str]:
    """GB:IV.3 before GB:IV.12."""
    head, _, number = item.rpartition(".")
    return (head, int(number), "") if number.isdigit() else (item, 0, item)
