"""Compositions for neighbours, judged by the rules of the kernel: the best guarantee, verdicts on claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents import limits, sentences
from dpcompose.front.documents.bound import Bound, bound
from dpcompose.front.documents.document import Composed, Member
from dpcompose.front.documents.verdict import Least
from dpcompose.front.studies import nested, tradeoffs
from dpcompose.front.studies.results import Answer
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.judgements import Refuted, Satisfies
from dpcompose.kernel.theorems import Theorem
from dpcompose.language import formulas
from dpcompose.language.answers import NoAnswer
from dpcompose.language.said import Said, plain
from dpcompose.privacy import problems, writing
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.guarantees.notions import Guarantee, InMetric
from dpcompose.privacy.in_metrics import with_claims
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.readers.claims import of_guarantee
from dpcompose.privacy.readers.mechanisms import Showing
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.flattening import NotFlat, flattened
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.counterexamples import refuting
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Theory
from dpcompose.search import least, nearby, proofs, stated
from dpcompose.search.choices.choices import Choice
from dpcompose.search.conversions import below, besides, orders
from dpcompose.search.guarantees import Guarantees
from dpcompose.search.proofs import NoGuarantee, NoLemma, Proofs
from dpcompose.search.replayed import Proved, of_claim
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.inputs.written import image

if TYPE_CHECKING:
    import sympy

CURVES = ("curve", "curve_standing")
"""The rules by which a computed curve proves a claim, or says how large it is."""
NO_STUDY = (problems.ProblemError, InvalidSetting, NoAnswer)
"""What says that data for neighbours are none, or that the kernel has no setting for them."""


@frozen(eq=False)
class ForNeighbours:
    """Judges a composition for the neighbours of its target."""

    setting: Setting
    theory: Theory

    @cached_property
    def proofs(self) -> Proofs:
        """What the kernel proves of the setting.  Raises PageError where it needs a page that is wrong."""
        stated.check_pages(self.setting, self.theory)
        return Proofs(self.setting, self.theory.in_kernel)

    @property
    def elaborated(self) -> Elaborated:
        """The setting as the kernel reads it.  Raises NoLemma."""
        return self.proofs.elaborated

    @cached_property
    def bound(self) -> Bound:
        """The best bound.  Raises InvalidSetting, NoGuarantee or TooLarge with the reason."""
        found = self._bound_or_why
        if isinstance(found, Exception):
            raise found
        return found

    @cached_property
    def _bound_or_why(self) -> Bound | InvalidSetting | NoAnswer:
        """The same; what is refused once is not tried again for each claim."""
        try:
            return self._in(None)
        except (InvalidSetting, NoAnswer) as error:
            nearer = self._nearer
            return error.with_traceback(None) if nearer is None else nearer._bound_or_why

    @cached_property
    def _nearer(self) -> ForNeighbours | None:
        """The same with the smaller orders of which something is known at the distances there are."""
        if self.setting.orders is None or self.setting.has_choices:
            return None
        with suppress(InvalidSetting, NoAnswer):
            if (within := orders.within_reach(self.proofs.shop)) is not None:
                return ForNeighbours(self.setting.at_orders(within), self.theory)
        return None

    def best(self, notion: str | None = None) -> Bound:
        """The best bound in a notion; left out, in that of the mechanisms, or the nearest one."""
        if notion is None or notion == self.bound.guarantee.notion:
            return self.bound
        return self._in(notion)

    def _in(self, notion: str | None) -> Bound:
        """The best bound in a notion; None: in that of the mechanisms, or the nearest one."""
        try:
            guarantees = self.proofs.guarantee(notion)
            if (choices := self.proofs.choices) is not None:
                with_one = self._with_one_each(choices.best(notion)[0], guarantees.notion)
                return with_one.with_all(self.proofs.together(with_one.guarantee.notion))
        except NoLemma as error:
            raise NoGuarantee(str(error)) from None
        return self._shown(guarantees)

    def _with_one_each(self, choice: Choice, notion: str, by: Guarantees | None = None) -> Bound:
        """The bound with one guarantee of each mechanism, the best one or one that is known; optimal where
        these imply all others."""
        if choice.which not in self._chosen:
            self._chosen[choice.which] = ForNeighbours(self.setting.choosing(choice.which), self.theory)
        neighbours = self._chosen[choice.which]
        known = by is not None and by.notion == notion and not choice.values
        found = neighbours._shown(by) if by is not None and known else neighbours._in(notion)
        return found if choice.implied is not None else found.without_optimal()

    @cached_property
    def _chosen(self) -> dict[tuple[int, ...], ForNeighbours]:
        """The studies with one guarantee of each mechanism, by the numbers of these."""
        return {}

    def _shown(self, guarantees: Guarantees) -> Bound:
        """Guarantees of the setting as readers see them; claims are compared with the same ones again."""
        if (
            id(guarantees) not in self._bounds
        ):  # a bound keeps its guarantees, so that no other ones have the id
            self._bounds[id(guarantees)] = self._made(guarantees)
        return self._bounds[id(guarantees)]

    @cached_property
    def _bounds(self) -> dict[int, Bound]:
        """The bounds that were shown, by their guarantees."""
        return {}

    def _made(self, guarantees: Guarantees) -> Bound:
        """The same, made."""

        def one_by_one() -> Bound | None:
            with suppress(NoAnswer):
                return None if (flat := self.flat(guarantees.notion)) is None else flat._in(guarantees.notion)
            return None

        return bound(self.setting.stated_in(guarantees.notion), self.theory, guarantees, one_by_one)

    def check(self, claim: Claim) -> Answer:
        """The verdict on a claim, made by the rules of the kernel, and made again from its saved form."""
        curve = claim.guarantee.curve
        if curve is not None and curve.orders != self.setting.orders:
            with suppress(InvalidSetting):  # nothing is said of these orders: that is told below
                return ForNeighbours(self.setting.at_orders(curve.orders), self.theory).check(claim)
        sentence: Said = [sentences.claimed(claim.guarantee, self.theory)]
        answer = Answer(claim, "undecided", said=sentence, written=claim.written)
        try:
            proved = self.proofs.verdict(claim.guarantee.text(), claim.doubt)
            if proved.verdict.theorem is not None and proved.verdict.theorem.rule == "by_lines":
                return tradeoffs.answer(answer, proved, self.theory, self.check)
            return self._answer(answer, proved)
        except NoAnswer as error:
            return replace(answer, reason=str(error))

    def _answer(self, answer: Answer, proved: Proved) -> Answer:
        """A verdict with all that readers want to know of it."""
        claim, verdict = answer.claim, proved.verdict
        notion = claim.guarantee.notion
        shown = self._compared(proved, notion)
        answer = replace(
            answer,
            verdict=proved.word,
            loose=proved.loose,
            reason=verdict.reason,
            bound=shown,
            outcome=proved,
        )
        if proved.word == "refuted":
            answer = self._refuted(answer, proved)
        answer = replace(answer, by_curve=any(theorem.rule in CURVES for theorem in verdict.theorems))
        used = proved.rests_on.pages & self.theory.pages.keys()
        return replace(
            answer,
            relies_on=self.theory.relied_on(used),
            find_least=partial(self._least_known, answer, shown),
        )

    def _least_known(self, answer: Answer, shown: Bound | None) -> Least:
        """What is known beside a verdict: the least guarantee, and by what the claim is decided."""
        theorem, notion = answer.outcome.verdict.theorem, answer.claim.guarantee.notion
        at_once = theorem is not None and theorem.rule in CURVES
        known = None
        if (self.proofs.choices is None or at_once) and self._has_least(answer):
            known = self._least(answer)
        by_curve = answer.by_curve or known is not None
        page = least.page(self.proofs.shop_in(notion), notion) if by_curve else None
        curve = "" if page is None else str(page.id)
        if shown is None:
            return Least(known, curve)
        right: Said
        if known is None:
            together = self.proofs.together(shown.guarantee.notion)
            private = None if together is None else shown.steps.private(together.theorem)
            right = shown.said if private is None else shown.words_of(private)
        else:
            right = [f"{shown.guarantee.granularity} ", sentences.claimed(known, self.theory, True)]
        says_more = known is not None and known is not answer.claim.guarantee
        words = f", which has {plain(right)}" if says_more else ""
        by = f"by {curve}{words}" if answer.by_curve else self._by(answer, shown)
        return Least(known, curve, by, right)

    def _by(self, answer: Answer, shown: Bound) -> str:
        """By what a claim is decided, where that is a conversion, or rows of tables."""
        if (theorem := answer.outcome.theorem) is not None and theorem.rule == "by_rows":
            page = self.theory.in_kernel.procedure("rows of tables")
            return f"by {page}: the tables keep it at all neighbours"
        if (made := besides.shown_by(answer.outcome.theorem)) is not None:
            words = plain(self._words_of(answer.claim.guarantee, made, shown))
            return f"from {words}, by {', '.join(besides.pages(made))}"
        if answer.verdict == "proved" and shown.conversions:
            return f"from {plain(shown.said)}, by {', '.join(page.id for page in shown.conversions)}"
        return ""

    def _words_of(self, claimed: Guarantee, made: Theorem, shown: Bound) -> Said:
        """What a theorem says in words: of a claim's notion, computed by a curve, with decimals."""
        if made.rule != "below_curve" or not isinstance(made.says, Satisfies):
            return shown.words_of(shown.steps.private(made))
        known = claimed.with_values(made.says.values)
        return [f"{shown.guarantee.granularity} ", sentences.claimed(known, self.theory, True)]

    def _compared(self, proved: Proved, notion: str) -> Bound | None:
        """The guarantee that a claim was compared with: of the setting, or of its studies one by one."""
        if (choices := self.proofs.choices) is not None:
            made = proved.verdict.theorem
            which = None if made is None or made.rule != "choose" else made.arguments["which"]
            choice = choices.choice(which) if which is not None else None
            with suppress(NoAnswer):
                if choice is None:
                    return self._in(notion)
                return self._with_one_each(choice, notion, proved.verdict.guarantees)
            return None
        guarantees = proved.verdict.guarantees
        flat = self.flat(notion)
        if flat is not None and (
            proved.word == "refuted"
            or (guarantees is not None and guarantees.shop.setting != self.proofs.shop.setting)
        ):
            with suppress(NoAnswer):
                return flat._in(notion) if guarantees is not None else flat.bound
        if guarantees is not None:
            return None if self.proofs.unknown else self._shown(guarantees)
        with suppress(NoAnswer):
            return self.bound
        return None

    def _refuted(self, answer: Answer, proved: Proved) -> Answer:
        """A refuted claim with a counterexample at its point, if one can be written out."""
        said, claim = of_claim(proved.theorems[0].says), answer.claim
        assert isinstance(said, Refuted)
        near = tuple if self.setting.has_choices else partial(self._nearby_words, claim, dict(said.point))
        from dpcompose.front.documents import examples

        theorem = proved.theorems[0]
        shown = examples.example(self.proofs.elaborated, theorem, self.theory)
        if shown is not None:
            refuted = replace(answer, counterexample=shown, changes=near)
            return replace(refuted, as_they_are=self.setting.processed)
        at = ", ".join(f"{', '.join(names)} = {x}" for names, x in refuting.together(dict(said.point)))
        where = f" at {at}" if at else ""
        noises = self.theory.in_kernel.of_kind("noise")
        if any(page.head.in_the_limit and page.id in proved.rests_on.pages for page in noises):
            where += ", at neighbours with enough records besides"
        return replace(answer, reason=f"mechanisms that fit lose more{where}", changes=near)

    def _nearby_words(self, claim: Claim, point: Mapping[str, Fraction]) -> Iterator[str]:
        """The changes of the setting after which a claim is proved, each with what is only believed."""
        study = self.flat(claim.guarantee.notion) or self
        with suppress(NoAnswer):
            for words, proved in nearby.where_it_holds(claim.guarantee.text(), study._nearby, point):
                pages = self.theory.relied_on(proved.rests_on.pages & self.theory.pages.keys())
                yield "; ".join([words, *registry.rests(pages)])

    @cached_property
    def _nearby(self) -> list[tuple[str, Proofs]]:
        return list(nearby.settings_nearby(self.setting, self.proofs.theory))

    @staticmethod
    def _has_least(answer: Answer) -> bool:
        """Whether the least guarantee at the claim's δ says something beside a verdict."""
        if answer.verdict == "proved" and not answer.by_curve:
            return (
                answer.loose is not None
                and isinstance(answer.bound, Bound)
                and bool(answer.bound.conversions)
            )
        return True

    def _least(self, answer: Answer) -> Guarantee | None:
        """The least guarantee that is known at a claim's δ, by a curve or by the verdict."""
        claim, proved = answer.claim, answer.verdict == "proved"
        with suppress(NoAnswer):
            shop = self.proofs.shop_in(claim.notion)
            known, stated = least.guarantee(shop, claim.guarantee, proved), answer.bound
            if known is not None or proved or (isinstance(stated, Bound) and stated.optimal):
                return known
            return below.least_known(shop, claim.guarantee)
        return None

    def flat(self, notion: str | None = None) -> ForNeighbours | None:
        """The same with the mechanisms of studies one by one; see `Study.flat`."""
        notion = notion or self.bound.guarantee.notion
        if self._one_by_one is None:
            return None
        stated = self._one_by_one.setting.in_one_notion([notion])
        return self._one_by_one if stated is self._one_by_one.setting else ForNeighbours(stated, self.theory)

    @cached_property
    def _one_by_one(self) -> ForNeighbours | None:
        """The same composition with the mechanisms of its studies one by one, as they are stated."""
        if not self.setting.studies:
            return None
        try:
            return ForNeighbours(flattened(self.setting), self.theory)
        except NotFlat:
            return None

    def as_mechanism(self, name: str, reads: Map, count: sympy.Expr | None = None) -> Mechanism:
        """The composition as a mechanism of another, with its best guarantee; see `Study.as_mechanism`."""
        known = self if self.setting.has_choices else self._in_its_notion
        bound = None if self.setting.has_choices else known.bound
        return nested.mechanism(name, reads, count, known.proofs, bound)

    @property
    def _in_its_notion(self) -> ForNeighbours:
        """The same with noise stated in the notion of its best bound."""
        stated = self.setting.in_one_notion([self.bound.guarantee.notion])
        return self if stated is self.setting else ForNeighbours(stated, self.theory)

    def claim(self, guarantee: Any, delta: object = None, notion: str | None = None) -> Claim:
        """A guarantee, or the value of one, as a claim about this setting, in the parameters of this; or one
        in a canonical metric."""
        if isinstance(guarantee, InMetric):
            data = {**self.file(()), "claims": [guarantee.data()]}
            read = problems.read_data(data, **self.theory.names, pairs=False)
            return read.claims[0]
        if not isinstance(guarantee, Guarantee):
            guarantee = self._claimed(guarantee, delta, notion)
        return of_guarantee(self.setting, guarantee)

    def _claimed(self, value: object, delta: object, notion: str | None) -> Guarantee:
        """A guarantee of which a formula is given: its first parameter, and its delta where it has one."""
        notion = notion or self.bound.guarantee.notion
        keys = self.theory.parameters.get(notion, ())
        given = [value] if delta is None else [value, delta]
        if len(keys) != len(given):
            form = self.theory.form_of(notion)
            raise TypeError(
                f"a claim in {notion} privacy has {', '.join(keys)}: study.claim(epsilon, delta), or a "
                f"guarantee of {form} such as dpcompose.{notion}(...)"
            )
        return Guarantee(notion, tuple(zip(keys, map(formulas.term, given), strict=True)))

    @cached_property
    def _inputs(self) -> Inputs:
        return self.bound.steps.inputs if self.setting.has_choices else Inputs(self.setting, self.theory)

    def metric(self, D: object, E: object, closure: bool) -> sympy.Expr:
        """The metric in which the composition is private; see `Study.metric`."""
        from dpcompose.proof import privacy_metric
        from dpcompose.spaces.inputs import written

        if D is None and E is None:
            D, E = written.databases("D E")
        return privacy_metric.of_inputs(self._inputs, D, E, closure)

    def warnings(self) -> list[str]:
        """What a reader of the result should know first."""
        try:
            vacuous = self.bound.vacuous
        except NoAnswer:
            return []
        if vacuous:
            return [
                f"no two of {self.setting.databases} are {self.setting.target} neighbours, "
                "so every guarantee holds, whatever the mechanisms do"
            ]
        unknown = stated.check_assumptions(self.setting.assume)
        return [*([unknown] if unknown else []), *limits.warnings(self.bound)]

    def together(self) -> str:
        """What is shown beside the bound: that with one guarantee of each mechanism, where they have more."""
        return self.bound.with_one

    def shown(self, verdicts: Sequence[Answer]) -> Bound | None:
        """The bound that is shown with verdicts: in the notion of the claims if there is one, or the best."""
        known = self._bound_or_why
        best = known if isinstance(known, Bound) else None
        notions = {verdict.claim.notion for verdict in verdicts}
        if best is not None and best.notion not in notions and len(notions) == 1 and self.setting.has_choices:
            with suppress(NoAnswer):
                return self._in(*notions)
        if self.setting.has_choices:
            return best  # a claim may be judged by another choice of guarantees
        of_first = verdicts[0].bound if len(notions) == 1 else None
        if best is not None and best.setting.studies and best.notion in notions:
            return best  # a claim may be judged by the mechanisms of studies one by one
        return of_first if isinstance(of_first, Bound) and of_first.notion in notions else best

    def more_data(self) -> dict[str, Any]:
        """What else is written of the bound as JSON: nothing."""
        return {}

    def saved(self, verdicts: Sequence[Answer], claims: Sequence[Claim]) -> dict[str, Any]:
        """The derivation, with verdicts on claims, as it is saved; claims -- all that the problem file has.

        Python functions are written out as tables, and noise is stated as in a problem file with these
        claims; the derivation is made for that.
        """
        judged = [verdict.claim for verdict in verdicts]
        setting = writing.plain(self.setting).in_one_notion([claim.guarantee.notion for claim in judged])
        judge = self if setting is self.setting else ForNeighbours(setting, self.theory)
        proved = [judge.proofs.verdict(claim.guarantee.text(), claim.doubt) for claim in judged]
        notion = None
        with suppress(NoAnswer):
            notion = judge.bound.guarantee.notion
        data = writing.to_data(setting, claims, self.theory.parameters)
        return proofs.saved(judge.proofs, data, proved, notion)

    def file(self, claims: Sequence[Claim]) -> dict[str, Any]:
        """The setting, with claims about it, as the data of a problem file."""
        return writing.to_data(writing.plain(self.setting), claims, self.theory.parameters)

    @property
    def composed(self) -> Composed:
        """What is composed, as it is shown."""
        setting = self.setting
        every = [
            mechanism
            for several in setting.mechanisms
            for mechanism in (several.alone if several.also else [several])
        ]
        target, where = f"for {setting.target} neighbours", sentences.relations(setting)
        return Composed(setting.title, str(setting.databases), target, where, tuple(map(self._member, every)))

    def _member(self, mechanism: Mechanism) -> Member:
        stated, reads = mechanism.satisfies, image(mechanism.reads)
        where = f"{stated.granularity} " if stated.granularity else ""
        sentence: Said = (
            [where, sentences.claimed(stated, self.theory)] if stated.metric is None else [str(stated)]
        )
        if (sampled := mechanism.sampled) is not None:
            (given,) = sampled.on_samples
            on = sentences.claimed(given, self.theory)
            sentence = [f"{given.granularity} ", on, f" on a sample ({sampled.by}), so ", *sentence]
        return Member(mechanism.called, reads, mechanism.released, sentence, stated.domain or "")


def beside(
    data: Mapping[str, Any], theory: Theory, show: Showing | None = None
) -> tuple[ForNeighbours, tuple[Claim, ...]] | None:
    """What judges the composition for neighbours that data in metrics say, and their claims for these; None
    where the kernel has no setting for it.

    show -- finds the guarantees of studies; left out, there is none where these are not stated.
    """
    for_neighbours = with_claims(data, in_metrics=False)
    try:
        problem = problems.read_data(for_neighbours, show=show, **theory.names, pairs=False)
        judge = ForNeighbours(problem.setting, theory)
        covered = judge.proofs.choices is not None or bool(judge.proofs.shop)
    except NO_STUDY:
        return None
    return (judge, problem.claims) if covered else None
