"""Compositions in metrics, judged: the metric in which they are private, and verdicts on claims."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import sympy

from dpcompose.front.beside import Beside, beside
from dpcompose.front.best_metric import BestMetric, in_metric
from dpcompose.front.document import (
    Composed,
    Member,
)
from dpcompose.front.metric_examples import example
from dpcompose.front.metric_forms import MetricForms, Shown
from dpcompose.front.results import Answer
from dpcompose.kernel import check, saved
from dpcompose.kernel import reading as reading_core
from dpcompose.kernel.grounds import Grounds
from dpcompose.kernel.theorems import Theorem
from dpcompose.language import formulas
from dpcompose.language.symbols import symbol
from dpcompose.privacy.in_metrics import BY_STEPS, has_neighbours
from dpcompose.privacy.metrics import reading
from dpcompose.privacy.metrics.elaborated import InMetrics as InMetricsCore
from dpcompose.privacy.metrics.setting import MetricSetting
from dpcompose.privacy.notions import Guarantee, InMetric
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings.invalid import InvalidSetting, NotForNeighbours
from dpcompose.proof.registry import Theory
from dpcompose.search import stated
from dpcompose.search.metrics import doubts, sensitivity
from dpcompose.search.metrics.claims import Judge, Verdict
from dpcompose.search.proofs import word_of


@dataclass(frozen=True, eq=False)
class InMetrics:
    """Judges a composition of mechanisms that are private in metrics; see `study.Judge`."""

    setting: MetricSetting
    theory: Theory

    def __post_init__(self) -> None:
        stated.check_assumptions(self.setting.assume)
        for name in self.setting.metrics:
            one = self.search.distances.all[self.elaborated.mark(name)]
            if one.metric is False:
                raise InvalidSetting(f"{name} is no metric: {one.words}")
            if one.at_most is False:
                raise InvalidSetting(f"the bound on {name} fails: {one.words}")

    @cached_property
    def elaborated(self) -> InMetricsCore:
        """The setting as the kernel reads it."""
        return InMetricsCore(self.setting)

    @cached_property
    def search(self) -> Judge:
        return Judge(self.elaborated, self.theory.in_kernel)

    @cached_property
    def beside(self) -> Beside | None:
        """What judges claims for neighbours, where the kernel has a setting for these."""
        return beside(self.setting.data, self.theory) if has_neighbours(self.setting.data) else None

    @cached_property
    def metric_forms(self) -> MetricForms:
        """What judges claims in canonical metrics for the neighbours whose steps these count."""
        return MetricForms(self.elaborated, self.theory)

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

    def check(self, claim: Claim) -> Answer:
        """The verdict on a claim, with the counterexample of a refuted one."""
        if isinstance(claim.guarantee, Guarantee):
            if self.beside is not None:
                return self.beside.judge.check(claim)
            claim = replace(self.claim(claim.guarantee), expect=claim.expect)
        found = self.in_metrics(claim)
        undecided = found.word == "undecided" and not claim.doubt
        if undecided and (by_steps := self.metric_forms.answer(claim, found)) is not None:
            return by_steps
        rests_on = found.theorem.rests_on if found.theorem is not None else Grounds()
        written = ", ".join(f"{key} = {value}" for key, value in claim.text.items() if key != "notion")
        return Answer(
            claim,
            found.word,
            found.loose,
            example(self.elaborated, self.search, found.theorem)
            if found.word == "refuted" and found.theorem
            else None,
            found.reason,
            bound=self.bound,
            relies_on=self.theory.relied_on(rests_on.pages),
            said=in_metric(claim.notion, claim.guarantee.metric, claim.guarantee.delta),
            written=written + ("" if claim.notion == self.bound.notion else f" ({claim.notion})"),
            right=self.bound.said,
            noun="metric",
            found=found,
        )

    def in_metrics(self, claim: Claim) -> Verdict:
        """The verdict on a claim, once what shows it was made again from its saved form."""
        try:
            said = self.elaborated.claim(claim.guarantee)
        except (ValueError, ArithmeticError) as error:
            return Verdict(claim.text, "undecided", reason=str(error))
        if claim.doubt:
            return Verdict(said, "undecided", reason=claim.doubt)
        found = self.search.judge(said)
        if found.word == "proved" and (doubt := self.elaborated.negative(claim.guarantee)):
            return Verdict(said, "undecided", reason=doubt)
        if found.theorem is None:
            doubt = doubts.doubt(self.elaborated, self.search, claim.notion)
            both = f"{doubt}; and it is not proved, since {found.reason}" if doubt and found.reason else ""
            return replace(found, reason=both or doubt or found.reason)
        some = [one for one in (found.theorem, found.shown) if one is not None]
        data = json.loads(
            json.dumps({"core": self.search.setting.data(), "of": check.all_saved(some, self.search.theory)})
        )
        made = check.replay(data["of"], reading_core.read(data["core"]), self.search.theory)
        again = [made[n - 1] for n in check.numbers(some)]
        if word_of(again[0].says) != found.word:
            raise check.Refused(f"the verdict {found.word} is not what the theorem says, made again")
        shown = again[1] if len(again) > 1 else None
        return replace(found, theorem=again[0], shown=shown)

    def claim(self, said: Any, delta: Any = None, notion: str | None = None) -> Claim:
        """A metric, or a guarantee for the target, as a claim about this setting."""
        if isinstance(said, Guarantee) and self.beside is not None:
            return self.beside.judge.claim(said)
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
                given = {"notion": notion or self.bound.notion, "metric": _text(said)}
                given |= {} if delta is None else {"delta": _text(delta)}
        data = {**self.setting.data, "claims": [given]}
        (found,) = reading.read_data(data, notions=self.theory.parameters).claims
        return found

    # what else there is

    @property
    def symbols(self) -> Mapping[str, sympy.Symbol]:
        domains = self.setting.domains.items()
        return {**self.setting.letters, **{name: symbol(name, domain) for name, domain in domains}}

    def metric(self, D: object, E: object, closure: bool) -> sympy.Expr:
        """The metric in which the composition is private, in the named ones (GB Thm. IV.1)."""
        if D is not None or E is not None:
            raise InvalidSetting(
                "of a composition in metrics the metric is a formula in the named ones: leave out D and E"
            )
        return self.bound.metric

    def sensitivity(self, moved: Any, over: Any) -> sensitivity.MetricSensitivity:
        """That of one metric over another; see `Study.sensitivity`."""
        read = [formulas.parse(one, self.symbols) if isinstance(one, str) else one for one in (moved, over)]
        return sensitivity.sensitivity(self.search, self.elaborated, *read)

    @property
    def composed(self) -> Composed:
        members = [
            Member(
                one.name,
                one.values.name if one.values is not None else "",
                one.noise.words if one.noise is not None else "",
                in_metric(one.notion, one.metric, one.delta),
            )
            for one in self.setting.mechanisms
        ]
        setting = self.setting
        where = self.bound.where
        return Composed(setting.title, str(setting.databases), "in metrics", where, tuple(members))

    def together(self) -> str:
        """The best guarantee for neighbours, where claims are for these."""
        return "" if self.beside is None else self.beside.words

    def warnings(self) -> list[str]:
        return list(filter(None, [stated.check_assumptions(self.setting.assume)]))

    def shown(self, verdicts: Sequence[Answer]) -> BestMetric:
        return self.bound

    def more_data(self, found: Any) -> dict[str, Any]:
        """The same as JSON."""
        best = None if self.beside is None else self.beside.bound
        return {} if best is None else {"neighbours": best.data()}

    def file(self, claims: Sequence[Any]) -> dict[str, Any]:
        """The data of a problem file."""
        data = {key: value for key, value in self.setting.data.items() if value not in ("", {})}
        stated = [dict(one.text) | ({"expect": one.expect} if one.expect else {}) for one in claims]
        return data | ({"claims": stated} if stated else {})

    def saved(self, verdicts: Sequence[Answer]) -> dict[str, Any]:
        """What `dpcompose recheck` checks again: the problem, certificates, counterexamples.

        Claims for neighbours that the kernel judges have their derivation beside.
        """
        kinds: dict[bool, list[Answer]] = {True: [], False: []}
        for one in verdicts:
            kinds[isinstance(one.claim.guarantee, Guarantee)].append(one)
        others, found = kinds[True], [one.found for one in kinds[False]]
        alone = [one.undecided if isinstance(one, Shown) else one for one in found]
        data = self._derived(alone) | {"problem": self.setting.data}
        shown = ((n, one) for n, one in enumerate(found, start=1) if isinstance(one, Shown))
        if by_steps := self.metric_forms.saved(shown):
            data[BY_STEPS] = by_steps
        if others and self.beside is not None:
            data["neighbours"] = self.beside.judge.saved(others)
            del data["neighbours"]["problem"]  # which is this one
        return data

    def _derived(self, found: Sequence[Verdict]) -> dict[str, Any]:
        """The core setting, and the derivation of the guarantee, of what metrics are, and of verdicts."""
        some: list[Theorem] = []

        def number(theorem: Theorem) -> int:
            some.append(theorem)
            return len(some) - 1

        best: dict[str, Any] = {}
        if self.bound.theorem is not None:
            best["step"] = number(self.bound.theorem)
        if self.bound.shown is not None:
            best["optimal"] = number(self.bound.shown)
        for one in self.search.distances.theorems:
            number(one)
        claims = [_saved(one, number) for one in found]
        steps = check.numbers(some)
        for entry in [best, *claims]:
            entry |= {key: steps[entry[key]] for key in ("step", "optimal", "shown") if key in entry}
        return {
            "format": saved.FORMAT,
            "core": self.search.setting.data(),
            "stated": [dict(one.claim) for one in found],
            "derivation": check.all_saved(some, self.search.theory) if some else None,
            "guarantee": best or None,
            "claims": claims,
        }


def _saved(found: Verdict, number: Callable[[Theorem], int]) -> dict[str, Any]:
    """A verdict by the theorem that shows it, or the reason why there is none."""
    data: dict[str, Any] = {"claim": dict(found.claim), "verdict": found.word}
    if found.theorem is None:
        return data | {"reason": found.reason}
    data |= {"step": number(found.theorem), "loose": found.loose}
    return data | ({} if found.shown is None else {"shown": number(found.shown)})


def _text(given: Any) -> str:
    return given if isinstance(given, str) else formulas.to_text(formulas.from_python(given))
