"""Citations: the named theorems that fit a setting, and the one that is cited for a guarantee.

A guarantee is a theorem of the kernel, whatever people call it.  A theorem that people cite has hypotheses,
which are evaluated here, and a conclusion, which is compared with the guarantee; it never changes a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.answers import NoAnswer
from dpcompose.language.said import Words
from dpcompose.language.shown import Shown
from dpcompose.privacy.elaboration.kinds import NoLemma
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.members import with_few
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.evidence import Answer, Evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Fact, Hypothesis, Named, Page, PageError, Theory
from dpcompose.search.citations.conclusions import Conclusions, NoConclusion
from dpcompose.search.guarantees import Guarantees

MOST_FIBRES = 500
"""Of up to so many inputs the minimum over fibres is compared with its closure."""


@frozen(repr=False)
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

    def __bool__(self) -> bool:
        """Whether its hypotheses hold."""
        return self.fits

    def __repr__(self) -> str:
        said = "is cited" if self.best else "fits" if self.fits else "does not fit"
        return f"{self.page.head.title} {said}: {self.reason}"


@frozen
class Supposition:
    """A hypothesis that holds in a setting, in words; `covered` says what was gone through.

    declared -- whether the setting says so, and nothing was checked.
    """

    hypothesis: Hypothesis
    words: Words
    covered: str
    declared: bool


@frozen(eq=False)
class Citing:
    """Cites theorems for guarantees of one setting, as it is stated."""

    setting: Setting
    theory: Theory

    @cached_property
    def _written(self) -> tuple[Setting, tuple[int, ...]]:
        """The setting with as many members of each family written out as neighbours differ in parts.

        What an edit does to a family is the same for all members that read alike, and for all
        parts; so how these few members move, and which move at all, decides for any number.
        """
        return with_few(self.setting, alike=2)

    @cached_property
    def inputs(self) -> Inputs:
        """What hypotheses are evaluated on; of families two members, of attributes two values a record."""
        if not self.setting.families and not self.setting.attributes:
            return Inputs(self.setting, self.theory)
        return Inputs(self._written[0], self.theory, self.setting)

    def first(self, i: int) -> int:
        """The mechanism of `inputs` that M_i is, or the first member of the family."""
        return self._written[1].index(i) + 1 if self.setting.families else i

    def domain(self, i: int) -> str:
        """On which domain the guarantee of M_i is stated."""
        if self.setting.in_metrics:
            return self.setting.mechanisms[i - 1].satisfies.domain or "own"
        return self.inputs.domain(self.first(i))

    # the theorem for a guarantee

    def cite(self, guarantees: Guarantees) -> Citation:
        """The most special theorem whose hypotheses hold and whose conclusion is the guarantee."""
        return Citation(self, guarantees)

    def cited(self, conclusions: Conclusions) -> Page | None:
        """The first named theorem that gives the guarantee; whether one would is asked before its hypotheses,
        which may go through many neighbours."""
        for page in self._named(conclusions.notion):
            fits = self._premises(page.head, conclusions.notion) is None
            gives = fits and self._other(page, conclusions) is None
            if gives and all(
                self._evidence(page, hypothesis).holds for hypothesis in self.hypotheses(page.head)
            ):
                return page
        return None

    def _named(self, notion: str) -> list[Page]:
        """The named theorems, special ones first; on guarantees in metrics they say nothing."""
        named = () if self.setting.in_metrics else self.theory.of_kind("named")
        return ranked(self.theory, named, notion)

    def fits(self, conclusions: Conclusions) -> Iterator[Fit]:
        """What the named theorems say of the setting, one after the other: the first that gives the guarantee
        is cited."""
        cited: Page | None = None
        for page in self._named(conclusions.notion):
            if not all(self._evidence(page, hypothesis).holds for hypothesis in page.head.where):
                continue
            reason, pair = self._misfit(page, conclusions.notion)
            if reason is not None:
                yield Fit(page, False, False, reason, pair)
            elif (other := self._other(page, conclusions)) is not None:
                yield Fit(page, True, False, f"it holds here, but it {other}")
            elif cited is not None:
                name = cited.name(conclusions.notion, self.setting.adaptive)
                yield Fit(page, True, False, f"it gives the same; {name} is cited")
            else:
                cited = page
                yield Fit(page, True, True, "it gives the best bound")

    def hypotheses(self, head: Named) -> list[Hypothesis]:
        """What a theorem supposes: of mechanisms that read earlier outputs also what it says of these."""
        of_adaptive = [head.adaptively] if self.setting.adaptive and head.adaptively is not None else []
        return [*of_adaptive, *head.where, *head.hypotheses]

    def checked(self, hypothesis: Hypothesis) -> Supposition:
        """A hypothesis that holds, with what was gone through."""
        evidence = binding.check(self.inputs, hypothesis)
        declared = evidence.answer is Answer.DECLARED
        return Supposition(hypothesis, binding.words(self.inputs, hypothesis), evidence.words, declared)

    def _other(self, page: Page, conclusions: Conclusions) -> NoConclusion | None:
        """What a theorem gives where that is not the guarantee."""
        try:
            conclusions.check(page, self._apart(page.head))
        except NoConclusion as error:
            return error
        return None

    def _apart(self, head: Named) -> Term:
        """m, where a theorem's guarantees are stated for neighbours H: the H-steps between target neighbours.

        1 where they are stated for the target itself.
        """
        if head.premises.stated != "H" or not head.conclusion:
            return terms.ONE
        stated = self.inputs.common_granularity()
        if stated is None:
            return terms.ONE
        try:
            return self.inputs.steps_apart(stated)
        except NoAnswer as error:
            raise NoConclusion(f"needs how granularities compare: {error}") from None

    # why theorems do not fit

    def _misfit(self, page: Page, notion: str) -> tuple[str | None, tuple[Any, Any] | None]:
        """Why a theorem does not fit, with the witness of a failing hypothesis."""
        if (reason := self._premises(page.head, notion)) is not None:
            return reason, None
        for hypothesis in self.hypotheses(page.head):
            evidence = self._evidence(page, hypothesis)
            if not evidence.holds:
                return self._failing(hypothesis, evidence), evidence.pair
        return None, None

    def _premises(self, head: Named, notion: str) -> str | None:
        """Why the premises of a composition theorem are not those of the setting; None where they are."""
        setting, wanted = self.setting, head.premises
        if notion not in {*head.items, *head.conclusion, *head.notions}:
            return f"it is not stated for {self.theory.form_of(notion)}"
        if setting.adaptive and head.adaptively is None:
            return "it is about independent mechanisms"
        if wanted.target is not None and str(setting.target) != wanted.target:
            return f"it is about {wanted.target} neighbours, the target is {setting.target}"
        noisy = next(
            (mechanism.name for mechanism in setting.mechanisms if mechanism.noise is not None), None
        )
        if noisy is not None and wanted.stated is not None:
            return f"it is about guarantees for neighbours, and {noisy} is given by its noise"
        if wanted.k is not None and (setting.families or len(setting.mechanisms) != wanted.k):
            there = "a family" if setting.families else f"{len(setting.mechanisms)}"
            return f"it is about {wanted.k} mechanism, there are {there}"
        return next(
            filter(None, (self._unlike(head, i) for i in range(1, len(setting.mechanisms) + 1))), None
        )

    def _unlike(self, head: Named, i: int) -> str | None:
        """Why M_i is not as a theorem wants mechanisms to be stated; None where it is."""
        setting, wanted = self.setting, head.premises
        first, mechanism = setting.mechanisms[0], setting.mechanisms[i - 1]
        stated = mechanism.satisfies
        if wanted.stated == "H" and stated.granularity != first.satisfies.granularity:
            return (
                f"it needs guarantees for the same neighbours, that of {first.name} is for "
                f"{first.satisfies.granularity}, that of {mechanism.name} for {stated.granularity}"
            )
        named = {"G": str(setting.target), "H": None}.get(wanted.stated or "H", wanted.stated)
        if named is not None and str(stated.granularity) != named:
            return (
                f"it needs guarantees for {named} neighbours, "
                f"that of {mechanism.name} is for {stated.granularity}"
            )
        everything = mechanism.reads.is_identity(setting.databases)
        if wanted.domain != "any" and not everything and self.domain(i) != wanted.domain:
            return (
                f"it needs guarantees on the {wanted.domain} domain, "
                f"that of {mechanism.name} is on the {self.domain(i)} one"
            )
        return None

    def _failing(self, hypothesis: Hypothesis, evidence: Evidence) -> str:
        words = binding.words(self.inputs, hypothesis)
        if evidence.answer is Answer.UNDECIDED:
            return Words(f'it needs "{words}", which is undecided: ', evidence.words)
        known = self._known_to_fail(hypothesis)
        reason = f" ({known.cite('any')}: {known.title})" if known else ""
        return Words(f'it needs "{words}". It is not: ', evidence.words, reason)

    def _known_to_fail(self, hypothesis: Hypothesis) -> Page | None:
        """The fact page that says that a hypothesis fails in settings like this one."""
        for page in self.theory.of_kind("fact"):
            head: Fact = page.head
            concluded = head.concludes_not
            if concluded is None or concluded.is_ != hypothesis.is_:
                continue
            if concluded.granularity not in (None, str(self.setting.target)):
                continue
            if all(self._evidence(page, premise).holds for premise in head.hypotheses):
                return page
        return None

    def _evidence(self, page: Page, hypothesis: Hypothesis) -> Evidence:
        """What the predicate says that a page names.  Raises PageError where it lacks a letter."""
        try:
            return binding.check(self.inputs, hypothesis)
        except binding.UnknownPredicate as error:
            raise PageError(f"{page.path.name}: hypotheses: {error}") from None

    # the page for the distance of what is read

    def step(self, domain: str, mechanisms: Sequence[int]) -> Page:
        """The most special page by which guarantees on a domain hold in the distance of what is read."""
        pages = [page for page in self.theory.of_kind("step") if page.head.domain == domain]
        special = sorted(pages, key=lambda page: depth(self.theory, page), reverse=True)
        fitting = (page for page in special if self._is_about(page, mechanisms))
        return next(fitting, special[-1])

    def _is_about(self, page: Page, mechanisms: Sequence[int]) -> bool:
        if page.head.metric != "minimum over fibres":
            return True
        if self.setting.in_metrics:
            return False
        return all(self._minimum_is_metric(self.first(i)) for i in mechanisms)

    def _minimum_is_metric(self, i: int) -> bool:
        """Whether the minimum over fibres is a metric: no chain of fibres is shorter."""
        setting = self.inputs.setting
        try:
            if self.inputs.is_minimum(i):
                return True
        except NoLemma:  # no closed form is known, and the class is not gone through
            return False
        if setting.databases.count() is None:
            return False
        shortest, minimum = self.inputs.metric(i).metric, self.inputs.minimum_over_fibres(i)
        values = list(setting.mechanisms[i - 1].reads.image(setting.databases).databases())
        if len(values) > MOST_FIBRES:
            return False
        return all(shortest(x, y) == minimum(x, y) for x, y in combinations(values, 2))


@frozen(eq=False)
class Citation:
    """The page that is cited for a guarantee, its hypotheses, and what all named theorems say of the setting:
    each is found when it is asked for."""

    citing: Citing
    guarantees: Guarantees

    @cached_property
    def theorem(self) -> Page:
        """A named theorem; where none gives the guarantee, the page on substituting a profile."""
        theory = self.citing.theory
        others = ranked(theory, theory.of_kind("substitution"), self._conclusions.notion)
        return self.citing.cited(self._conclusions) or others[0]

    @cached_property
    def supposed(self) -> tuple[Supposition, ...]:
        """Its hypotheses."""
        head = self.theorem.head
        return tuple(map(self.citing.checked, self.citing.hypotheses(head) if head.kind == "named" else ()))

    @cached_property
    def fits(self) -> tuple[Fit, ...]:
        """Of every named theorem whether it fits, and why not."""
        return tuple(self.citing.fits(self._conclusions))

    @cached_property
    def _conclusions(self) -> Conclusions:
        return Conclusions.of(self.guarantees)


def ranked(theory: Theory, pages: Sequence[Page], notion: str) -> list[Page]:
    """Special pages before the ones they are special cases of; else in the order of the source."""
    return sorted(pages, key=lambda page: (-depth(theory, page), page.cite(notion).order))


def depth(theory: Theory, page: Page) -> int:
    """How many pages are above one, each a special case of the next; with itself."""
    above = [theory.pages[id] for id in page.head.special_case_of if id in theory.pages]
    return 1 + max((depth(theory, general) for general in above), default=0)
