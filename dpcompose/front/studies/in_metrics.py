"""Compositions in metrics, judged: the metric in which they are private, and verdicts on claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Composed, Member, plain
from dpcompose.front.documents.examples import example
from dpcompose.front.documents.verdict import Least
from dpcompose.front.printers import render
from dpcompose.front.studies.best_metric import BestMetric, in_metric, said_of
from dpcompose.front.studies.metric_forms import MetricForms
from dpcompose.front.studies.neighbours import ForNeighbours, beside
from dpcompose.front.studies.results import Answer
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated, elaborated
from dpcompose.privacy.format.metric_tables import CANONICAL
from dpcompose.privacy.guarantees.notions import POWERS, Guarantee, InMetric
from dpcompose.privacy.in_metrics import BY_STEPS, has_neighbours
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting, NotForNeighbours
from dpcompose.privacy.settings.names import TWO_NAMED
from dpcompose.privacy.writing import granularities_data
from dpcompose.proof.theory.registry import Theory
from dpcompose.search import stated
from dpcompose.search.metrics import proofs
from dpcompose.search.metrics.choices import judge_of
from dpcompose.search.metrics.claims import Judge
from dpcompose.search.proofs import NoGuarantee
from dpcompose.spaces.classes.databases import TooLarge

if TYPE_CHECKING:
    import sympy

    from dpcompose.search.metrics.sensitivity import MetricSensitivity


@frozen(eq=False)
class InMetrics:
    """Judges a composition of mechanisms that are private in metrics."""

    setting: Setting
    theory: Theory

    def __post_init__(self) -> None:
        stated.check_assumptions(self.setting.assume)
        for name in self.setting.metrics:
            standing = self.search.distances.all[self.elaborated.parts.mark(name)]
            if standing.metric is False:
                raise InvalidSetting(f"{name} is no metric: {standing.words}")
            if standing.at_most is False:
                raise InvalidSetting(f"the bound on {name} fails: {standing.words}")

    @cached_property
    def elaborated(self) -> Elaborated:
        """The setting as the kernel reads it."""
        return elaborated(self.setting)

    @cached_property
    def search(self) -> Judge:
        return judge_of(self.elaborated, self.theory.in_kernel)

    @cached_property
    def _beside(self) -> tuple[ForNeighbours, tuple[Claim, ...]] | None:
        data = self.setting.data
        return beside(data, self.theory) if has_neighbours(data) else None

    @property
    def neighbours(self) -> ForNeighbours | None:
        """What judges claims for neighbours; None where the kernel has no setting for these."""
        return None if self._beside is None else self._beside[0]

    @cached_property
    def beside(self) -> Bound | None:
        """The best guarantee for neighbours, where a claim is for these; None where there is none."""
        judge, claims = self._beside or (None, ())
        with suppress(NoGuarantee, InvalidSetting, TooLarge):
            return judge.bound if judge is not None and claims else None
        return None

    @cached_property
    def metric_forms(self) -> MetricForms:
        """What judges claims in canonical metrics for the neighbours whose steps these count."""
        return MetricForms(self.elaborated, self.setting.data, self.theory, ForNeighbours)

    @cached_property
    def bound(self) -> BestMetric:
        return BestMetric(self.elaborated, self.search, self.theory)

    def best(self, notion: str | None = None) -> BestMetric:
        """The metric in which the composition is private."""
        if notion not in (None, self.bound.notion):
            raise InvalidSetting(
                f"the composition is shown in {self.bound.notion} privacy; of {notion} privacy a claim is "
                "checked: study.claim(metric, notion=...)"
            )
        return self.bound

    def for_neighbours(self, what: str) -> NoReturn:
        raise NotForNeighbours(what)

    # claims

    def knowing(self, *claims: Claim) -> InMetrics:
        """The same where all canonical metrics are known that claims name: itself, where it knows them."""
        texts = [text for claim in claims for key, text in claim.text.items() if key in ("metric", "delta")]
        named = {name for text in texts for name in formulas.names(text) if name.startswith(CANONICAL)}
        if named <= self.setting.metrics.keys() | self.setting.domains.keys():
            return self
        data = {**self.setting.data, "claims": [dict(claim.text) for claim in claims]}
        read = problems.read_data(data, notions=self.theory.parameters, pairs=True).setting
        if read.metrics.keys() <= self.setting.metrics.keys():  # which it calls otherwise
            return self
        return InMetrics(replace(read, data=self.setting.data), self.theory)

    def check(self, claim: Claim) -> Answer:
        """The verdict on a claim, with the counterexample of a refuted one."""
        if (wider := self.knowing(claim)) is not self:
            return wider.check(claim)
        if claim.guarantee.metric is None:
            if self.neighbours is not None:
                return self.neighbours.check(claim)
            claim = replace(self.claim(claim.guarantee), expect=claim.expect)
        proved = proofs.verdict(self.search, claim)
        near = None if claim.guarantee.in_metric.near is None else self.near
        unsettled = proved.loose is None and proved.word != "refuted" and not claim.doubt
        known = proved.word == "proved"
        by_steps = self.metric_forms.answer(claim, proved.found, known) if unsettled else None
        if by_steps is not None and (proved.word == "undecided" or by_steps.loose is not None):
            return by_steps
        return Answer(
            claim,
            proved.word,
            proved.loose,
            example(self.elaborated, proved.theorem, self.theory)
            if proved.word == "refuted" and proved.theorem
            else None,
            proved.found.reason,
            bound=self.bound,
            relies_on=self.theory.relied_on(proved.rests_on.pages),
            said=said_of(claim),
            written=claim.written + ("" if claim.notion == self.bound.notion else f" ({claim.notion})"),
            find_least=lambda: Least(right=self.bound.said if near is None else said_of(near)),
            noun="metric",
            found=proved,
        )

    @cached_property
    def near(self) -> Claim | None:
        """The best guarantee that is known for the pairs within a distance; None where there is none."""
        within, stated = self.setting.near, self.bound.stated
        if within is None or set(stated) != {"metric"}:
            return None
        key, power = POWERS[self.bound.notion]
        with suppress(NoCover):
            ratio = self.sensitivity(*map(to_text, (stated["metric"], within.formula)))
            value = (formulas.from_python(ratio.value) * formulas.expression(within.radius)) ** power
            claim = self._read({"notion": self.bound.notion, key: formulas.to_text(value)})
            if ratio.proved and proofs.verdict(self.search, claim).word == "proved":
                return claim
        return None

    def claim(self, said: Any, delta: Any = None, notion: str | None = None) -> Claim:
        """A metric, or a guarantee for the target, as a claim about this setting.

        A formula that names no metric is about the target, where there is one.
        """
        if isinstance(said, Guarantee) and self.neighbours is not None:
            return self.neighbours.claim(said)
        match said:
            case InMetric(domain=None):
                given = said.data()
            case Guarantee(granularity=None, domain=None):
                given = said.text()
            case InMetric() | Guarantee():
                raise InvalidSetting(
                    "a claim is about the composition, and about its target where it counts steps: it has no "
                    "granularity or domain of its own"
                )
            case _:
                self._check_named(formulas.metric_functions(said))
                formula = formulas.given_text(said)
                about_target = "target" in self.setting.data and self.setting.domains.keys() >= set(
                    formulas.names(formula)
                )
                if about_target and self.neighbours is not None:
                    return self.neighbours.claim(formula, delta, notion)
                notion = notion or self.bound.notion
                given = {"notion": notion, POWERS[notion][0] if about_target else "metric": formula}
                given |= {} if delta is None else {"delta": formulas.given_text(delta)}
        return self._read(given)

    def _read(self, given: Mapping[str, Any]) -> Claim:
        """A claim from its data."""
        data = {**self.setting.data, "claims": [dict(given)]}
        (claim,) = problems.read_data(data, notions=self.theory.parameters, pairs=True).claims
        return claim

    def _check_named(self, functions: Sequence[Any]) -> None:
        """Raises InvalidSetting for the metric of neighbours that are called like others here."""
        stated = self.setting.data.get("granularities", {})
        for name, table in granularities_data([d.of[1] for d in functions]).items():
            if stated.get(name, table) != table:
                raise InvalidSetting(TWO_NAMED.format("granularities", name))

    # what else there is

    def metric(self, D: object, E: object, closure: bool) -> sympy.Expr:
        """The metric in which the composition is private, in the named ones (GB Thm. IV.1)."""
        if D is not None or E is not None:
            raise InvalidSetting(
                "of a composition in metrics the metric is a formula in the named ones: leave out D and E"
            )
        return self.bound.metric

    def sensitivity(self, moved: Any, over: Any) -> MetricSensitivity:
        """That of one metric over another; see `Study.sensitivity`."""
        from dpcompose.search.metrics.sensitivity import sensitivity

        read = [formulas.term(formulas.given_text(one), self.setting.letters) for one in (moved, over)]
        return sensitivity(self.search, *read)

    @property
    def composed(self) -> Composed:
        members = [
            Member(
                mechanism.name,
                mechanism.entries.name if mechanism.entries is not None else "",
                mechanism.noise.words if mechanism.noise is not None else "",
                in_metric(mechanism.satisfies),
            )
            for mechanism in self.setting.mechanisms
        ]
        setting = self.setting
        where = self.bound.where
        return Composed(setting.title, str(setting.databases), "in metrics", where, tuple(members))

    def together(self) -> str:
        """The best guarantee for neighbours, where claims are for these."""
        if self.near is not None:
            return plain(said_of(self.near))
        return "" if self.beside is None else f"for neighbours {render.guarantee(self.beside)}"

    def warnings(self) -> list[str]:
        return list(filter(None, [stated.check_assumptions(self.setting.assume)]))

    def shown(self, verdicts: Sequence[Answer]) -> BestMetric:
        return self.bound

    def more_data(self) -> dict[str, Any]:
        """The guarantee for neighbours as JSON, where there is one."""
        if self.near is not None:
            return {"neighbours": {"guarantee": dict(self.near.text), "optimal": None}}
        return {} if self.beside is None else {"neighbours": self.beside.data()}

    def file(self, claims: Sequence[Any]) -> dict[str, Any]:
        """The data of a problem file."""
        data = {key: value for key, value in self.setting.data.items() if value not in ("", {})}
        stated = [dict(claim.text) | ({"expect": claim.expect} if claim.expect else {}) for claim in claims]
        return data | ({"claims": stated} if stated else {})

    def _problem(self, verdicts: Sequence[Answer]) -> dict[str, Any]:
        """The data of the problem file, with the claims that there are verdicts on."""
        stated = [verdict.claim for verdict in verdicts]
        return dict(self.setting.data) if self.setting.data.get("claims") else self.file(stated)

    def saved(self, verdicts: Sequence[Answer]) -> dict[str, Any]:
        """What `dpcompose recheck` checks again: the problem, certificates, counterexamples.

        Claims for neighbours that the kernel judges have their derivation beside.
        """
        claims = [verdict.claim for verdict in verdicts]
        if (wider := self.knowing(*claims)) is not self:
            return wider.saved([wider.check(claim) for claim in claims])
        kinds: dict[bool, list[Answer]] = {True: [], False: []}
        for verdict in verdicts:
            kinds[verdict.claim.guarantee.metric is None].append(verdict)
        others, found = kinds[True], [answer.found for answer in kinds[False]]
        data = proofs.saved(
            self.search, [one.found for one in found], self.bound.theorem, self.bound.shown
        ) | {"problem": self._problem(verdicts)}
        if by_steps := self.metric_forms.saved(found):
            data[BY_STEPS] = by_steps
        if others and self.neighbours is not None:
            data["neighbours"] = self.neighbours.saved(others)
            del data["neighbours"]["problem"]  # which is this one
        return data
