"""The judge of a composition: of claims for the neighbours of its target, and of claims at any two databases.

A composition is stated for neighbours or in metrics.  Each claim goes to what judges claims of its kind; one
in a canonical metric counts steps of neighbours, and so is decided by either.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.bound import Bound
from dpcompose.front.printers import render
from dpcompose.front.studies.neighbours import ForNeighbours, beside
from dpcompose.front.studies.results import Answer
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.answers import NoAnswer
from dpcompose.privacy import problems
from dpcompose.privacy.guarantees.notions import Guarantee, InMetric, in_metric
from dpcompose.privacy.in_metrics import BY_STEPS, has_neighbours
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting, NotForNeighbours
from dpcompose.proof.theory.registry import Theory

if TYPE_CHECKING:  # which take a while to load, and most compositions are for neighbours
    from dpcompose.front.studies.in_metrics import InMetrics
    from dpcompose.front.studies.metric_forms import MetricForms


@frozen(eq=False)
class Judge:
    """Judges a composition: its best guarantee, verdicts on claims, and what of it is saved.

    setting -- the composition as stated; theory -- the pages it is judged by; known -- what already judges it
    for neighbours.  Raises InvalidSetting where a formula that is stated as a metric is none.
    """

    setting: Setting
    theory: Theory
    known: ForNeighbours | None = None

    def __post_init__(self) -> None:
        _ = self.at_any_two  # which refuses what is no metric

    @staticmethod
    def by(known: ForNeighbours) -> Judge:
        """The judge of what is already judged for neighbours."""
        return Judge(known.setting, known.theory, known)

    # its kinds of claims

    @cached_property
    def at_any_two(self) -> InMetrics | None:
        """What judges claims in metrics, where it is stated in such; None where it is for neighbours."""
        if not self.setting.at_all_pairs:
            return None
        from dpcompose.front.studies.in_metrics import InMetrics

        return InMetrics(self.setting, self.theory)

    @cached_property
    def _alone(self) -> ForNeighbours:
        """What judges a composition that is stated for neighbours."""
        return self.known or ForNeighbours(self.setting, self.theory)

    @cached_property
    def _beside(self) -> tuple[ForNeighbours | None, tuple[Claim, ...]]:
        """What judges claims for neighbours, and those of the problem that are beside claims in metrics."""
        if self.at_any_two is None:
            return self._alone, ()
        data = self.setting.data
        return (beside(data, self.theory) if has_neighbours(data) else None) or (None, ())

    @property
    def neighbours(self) -> ForNeighbours | None:
        """What judges claims for neighbours; None where the kernel has no setting for these."""
        return self._beside[0]

    def for_neighbours(self, what: str) -> ForNeighbours:
        """What judges claims for neighbours, which `what` is about.  Raises NotForNeighbours."""
        if self.neighbours is None:
            raise NotForNeighbours(what)
        return self.neighbours

    @property
    def stated(self) -> ForNeighbours | InMetrics:
        """What judges claims of the kind for which it is stated."""
        return self.at_any_two or self._alone

    @cached_property
    def in_metrics(self) -> Judge:
        """The judge of the same composition at any two databases; see `Study.in_metrics`."""
        if self.at_any_two is not None:
            return self
        data = (self._alone.flat() or self._alone).file(())
        return Judge(problems.read_data(data, **self.theory.names, pairs=True).setting, self.theory)

    @cached_property
    def metric_forms(self) -> MetricForms:
        """What judges claims in one canonical metric for the neighbours whose steps it counts."""
        from dpcompose.front.studies.metric_forms import MetricForms

        return MetricForms(self.stated.elaborated, self.stated.file(()), self.theory)

    def _knowing(self, claims: Sequence[Claim]) -> Judge:
        """The judge that knows all canonical metrics which claims name; itself, where it does."""
        setting = self.setting if self.at_any_two is None else self.at_any_two.knowing(*claims)
        return self if setting is self.setting else Judge(setting, self.theory)

    # claims

    def claim(self, said: Any, delta: Any = None, notion: str | None = None) -> Claim:
        """A guarantee, the value of one, or a metric as a claim about this composition."""
        if isinstance(said, Guarantee) and said.metric is not None:
            if not said.metric.said:
                raise InvalidSetting(f"{said} is about what one mechanism reads, and no claim")
            return Claim(said, said.text())
        in_metrics = isinstance(said, InMetric) or formulas.has_distances(said)
        if self.at_any_two is None and in_metrics:
            if not self.setting.alone_for_neighbours:
                return self.in_metrics.claim(said, delta, notion)
            said = said if isinstance(said, InMetric) else in_metric(said, notion or "pure", delta)
        if self.at_any_two is None or (not in_metrics and self._is_for_neighbours(self.at_any_two, said)):
            return self.for_neighbours("a claim").claim(said, delta, notion)
        return self.at_any_two.claim(said, delta, notion)

    def _is_for_neighbours(self, stated: InMetrics, said: Any) -> bool:
        """Whether a claim without metrics about a composition in metrics is for its neighbours."""
        return self.neighbours is not None and (isinstance(said, Guarantee) or stated.is_about_target(said))

    def check(self, claim: Claim) -> Answer:
        """The verdict on a claim, with the counterexample of a refuted one."""
        metric = claim.guarantee.metric
        if metric is None and self.neighbours is not None:
            return self.neighbours.check(claim)
        if self.at_any_two is None:
            counted = metric is not None and metric.distances
            return self.metric_forms.check(claim) if counted else self.in_metrics.check(claim)
        if metric is None:  # then it is in the metric of the target
            claim = replace(self.at_any_two.claim(claim.guarantee), expect=claim.expect)
        if (wider := self._knowing([claim])) is not self:
            return wider.check(claim)
        answer = self.at_any_two.check(claim)
        if answer.loose is not None or answer.refuted or claim.doubt:
            return answer
        by_steps = self.metric_forms.answer(claim, answer.outcome.verdict, answer.proved)
        if by_steps is None or (answer.proved and by_steps.loose is None):
            return answer
        return by_steps

    # what is shown

    @cached_property
    def beside(self) -> Bound | None:
        """The best guarantee for neighbours of a composition in metrics, where a claim is for these."""
        judge, claims = self._beside
        with suppress(InvalidSetting, NoAnswer):
            return judge.bound if judge is not None and claims else None
        return None

    def together(self) -> str:
        """What is shown beside the best guarantee, in words; "" where there is nothing to say."""
        words = self.stated.together()
        if words or self.beside is None:
            return words
        return f"for neighbours {render.guarantee(self.beside)}"

    def more_data(self) -> dict[str, Any]:
        """The same as JSON."""
        more = self.stated.more_data()
        return more if more or self.beside is None else {"neighbours": self.beside.data()}

    def shown(self, verdicts: Sequence[Answer]) -> Any:
        """The best guarantee that is shown with verdicts."""
        granular, metric = _kinds(verdicts)
        return self.stated.shown(granular if self.at_any_two is None else metric)

    # saved derivations

    def saved(self, verdicts: Sequence[Answer]) -> dict[str, Any]:
        """What `dpcompose recheck` checks again: the problem, derivations, certificates.

        Claims of the other kind have their derivations beside.
        """
        claims = [verdict.claim for verdict in verdicts]
        granular, metric = _kinds(verdicts)
        if self.at_any_two is None:
            if any(not one.claim.guarantee.in_metric.distances for one in metric):
                return self.in_metrics.saved(verdicts)
            data = self.stated.saved(granular, claims)
        elif (wider := self._knowing(claims)) is not self:
            return wider.saved([wider.check(claim) for claim in claims])
        else:
            data = self.stated.saved(metric, claims)
            if granular and self.neighbours is not None:
                data["neighbours"] = self.neighbours.saved(granular, [])
                del data["neighbours"]["problem"]  # which is this one
        if metric and (by_steps := self.metric_forms.saved(one.outcome for one in metric)):
            data[BY_STEPS] = by_steps
        return data


def _kinds(verdicts: Sequence[Answer]) -> tuple[list[Answer], list[Answer]]:
    """The verdicts on claims for neighbours, and those on claims in metrics."""
    kinds: tuple[list[Answer], list[Answer]] = ([], [])
    for verdict in verdicts:
        kinds[verdict.claim.guarantee.metric is not None].append(verdict)
    return kinds
