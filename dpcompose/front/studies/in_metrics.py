"""Compositions in metrics, judged: the metric in which they are private, and verdicts on claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.best_metric import BestMetric, in_metric, said_of
from dpcompose.front.documents.document import Composed, Member
from dpcompose.front.documents.examples import example
from dpcompose.front.documents.verdict import Least
from dpcompose.front.studies.results import Answer
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY
from dpcompose.language import formulas
from dpcompose.language.said import plain
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated, elaborated
from dpcompose.privacy.format.metric_tables import canonical_names
from dpcompose.privacy.guarantees.notions import POWERS, Guarantee, InMetric
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.names import TWO_NAMED
from dpcompose.privacy.writing import granularities_data
from dpcompose.proof.theory.registry import Theory
from dpcompose.search import stated
from dpcompose.search.metrics import proofs
from dpcompose.search.metrics.choices import verdicts_of
from dpcompose.search.metrics.verdicts import MetricVerdicts

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
    def search(self) -> MetricVerdicts:
        return verdicts_of(self.elaborated, self.theory.in_kernel)

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

    # claims

    def knowing(self, *claims: Claim) -> Setting:
        """The setting where the canonical metrics that claims name are known: this one, if it knows them."""
        texts = [text for claim in claims for key, text in claim.text.items() if key in ("metric", "delta")]
        canonical = canonical_names(self.setting.data.get("granularities", ()))
        named = canonical.keys() & {name for text in texts for name in formulas.names(text)}
        if named <= self.setting.metrics.keys() | self.setting.domains.keys():
            return self.setting
        data = {**self.setting.data, "claims": [dict(claim.text) for claim in claims]}
        read = problems.read_data(data, **self.theory.names, pairs=True).setting
        if read.metrics.keys() <= self.setting.metrics.keys():  # which it calls otherwise
            return self.setting
        return replace(read, data=self.setting.data)

    def check(self, claim: Claim) -> Answer:
        """The verdict on a claim in metrics, with the counterexample of a refuted one."""
        proved = proofs.verdict(self.search, claim)
        near = None if claim.guarantee.in_metric.near is None else self.near
        return Answer(
            claim,
            proved.word,
            proved.loose,
            example(self.elaborated, proved.theorem, self.theory)
            if proved.word == "refuted" and proved.theorem
            else None,
            proved.verdict.reason,
            bound=self.bound,
            relies_on=self.theory.relied_on(proved.rests_on.pages),
            said=said_of(claim),
            written=claim.written + ("" if claim.notion == self.bound.notion else f" ({claim.notion})"),
            find_least=lambda: Least(right=self.bound.said if near is None else said_of(near)),
            noun="metric",
            outcome=proved,
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
            value = ratio.least if ratio.least == INFINITY else (ratio.least * within.radius) ** power
            claim = self._read({"notion": self.bound.notion, key: to_text(value)})
            if ratio.proved and proofs.verdict(self.search, claim).word == "proved":
                return claim
        return None

    def claim(self, said: Any, delta: Any = None, notion: str | None = None) -> Claim:
        """A metric, or a guarantee for the target, as a claim about this setting."""
        match said:
            case InMetric(domain=None):
                return self._read(said.data())
            case Guarantee(granularity=None, domain=None):
                return self._read(said.text())
            case InMetric() | Guarantee():
                raise InvalidSetting(
                    "a claim is about the composition, and about its target where it counts steps: it has no "
                    "granularity or domain of its own"
                )
        self._check_named(formulas.metric_functions(said))
        notion = notion or self.bound.notion
        key = POWERS[notion][0] if self.is_about_target(said) else "metric"
        given = {"notion": notion, key: formulas.given_text(said)}
        return self._read(given | ({} if delta is None else {"delta": formulas.given_text(delta)}))

    def is_about_target(self, formula: Any) -> bool:
        """Whether a formula is about the target: there is one, and the formula names no metric."""
        named = set(formulas.names(formulas.given_text(formula)))
        return "target" in self.setting.data and named <= self.setting.domains.keys()

    def _read(self, given: Mapping[str, Any]) -> Claim:
        """A claim from its data."""
        data = {**self.setting.data, "claims": [dict(given)]}
        (claim,) = problems.read_data(data, **self.theory.names, pairs=True).claims
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
        """The best guarantee for the pairs within a distance, where claims are for these."""
        return "" if self.near is None else plain(said_of(self.near))

    def warnings(self) -> list[str]:
        return list(filter(None, [stated.check_assumptions(self.setting.assume)]))

    def shown(self, verdicts: Sequence[Answer]) -> BestMetric:
        return self.bound

    def more_data(self) -> dict[str, Any]:
        """The guarantee for the pairs within a distance as JSON, where there is one."""
        if self.near is None:
            return {}
        return {"neighbours": {"guarantee": dict(self.near.text), "optimal": None}}

    def file(self, claims: Sequence[Any]) -> dict[str, Any]:
        """The data of a problem file."""
        data = {key: value for key, value in self.setting.data.items() if value not in ("", {})}
        stated = [dict(claim.text) | ({"expect": claim.expect} if claim.expect else {}) for claim in claims]
        return data | ({"claims": stated} if stated else {})

    def saved(self, verdicts: Sequence[Answer], claims: Sequence[Claim]) -> dict[str, Any]:
        """What `dpcompose recheck` checks again: the problem, certificates, counterexamples; claims -- all
        that the problem file has."""
        found = [answer.outcome.verdict for answer in verdicts]
        data = proofs.saved(self.search, found, self.bound.theorem, self.bound.shown)
        problem = dict(self.setting.data) if self.setting.data.get("claims") else self.file(claims)
        return data | {"problem": problem}
