"""What is known of the distances of a setting: that they are metrics, and at most their bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any

from dpcompose.kernel.composition import axioms
from dpcompose.kernel.expressions import formulas, metrics, naming
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.kernel.judgements import Bounded, IsMetric
from dpcompose.kernel.rules import metrics as rules
from dpcompose.kernel.theorems import NoTheorem, Theorem
from dpcompose.language import formulas as language
from dpcompose.search.metrics.cases import ANYWHERE, Cases, types_of
from dpcompose.search.metrics.points import AT_ONCE, Open, Point
from dpcompose.search.metrics.proving import fails


@frozen
class Standing:
    """What is known of a distance: whether it is a metric, and at most its bound; None where it is believed.

    words -- what fails, where something does; theorems -- what shows it.
    """

    metric: bool | None
    at_most: bool | None = True
    words: str = ""
    theorems: tuple[Theorem, ...] = ()


@frozen(eq=False)
class Standings:
    """What is known of all distances of a setting."""

    cases: Cases

    @cached_property
    def all(self) -> dict[str, Standing]:
        """What is known of each distance, by its letter."""
        return {name: self._standing(name) for name, _ in self.cases.setting.distances}

    def _standing(self, name: str) -> Standing:
        distance = dict(self.cases.setting.distances)[name]
        if distance.declared:
            return Standing(None, None)
        standing = Standing(True if name in axioms.are_metrics(self.cases.setting, ()) else None)
        if standing.metric is None and distance.plain is not None:
            standing = self._axioms(name, distance.plain)
        if distance.at_most is None or standing.metric is False:
            return standing
        return self._bounded(name, standing)

    def _axioms(self, name: str, formula: Term) -> Standing:
        if metrics.is_moving(formula):
            return Standing(None)
        certificates: list[Any] = []
        for obligation in axioms.obligations(formula, self.cases.setting.databases.points):
            points = self._three()
            if failing := self._failing(obligation, islice(points, AT_ONCE)):
                return failing
            shown = self.cases.comparisons.in_case(obligation.greater, obligation.lesser)
            if isinstance(shown, Open):
                return self._failing(obligation, points) or Standing(None)
            certificates.append(shown)
        with suppress(NoTheorem):
            return Standing(
                True, theorems=(self.cases.prover.by("is_metric", name=name, certificates=certificates),)
            )
        return Standing(None)

    def _failing(self, obligation: axioms.Obligation, points: Iterable[Point]) -> Standing | None:
        """That something a metric needs fails at one of some points."""
        for point in points:
            if fails(obligation.greater, obligation.lesser, point):
                less, more = (
                    formulas.to_text(formulas.at(x, point)) for x in (obligation.greater, obligation.lesser)
                )
                words = f"{obligation.words} fails: {less} is less than {more}"
                if obligation.greater == ZERO:
                    words = f"d(D, D) = {more}"
                return Standing(False, words=f"{words} at {self.cases.where(ANYWHERE, point, 'DEF')}")
        return None

    def _three(self) -> Iterator[Point]:
        """Simple points for three databases, among them the first two equal."""
        cover = self.cases.cover([])
        type = types_of(cover)[0] if cover is not None else ANYWHERE
        for base in self.cases.trials.few(type):
            for third in islice(self.cases.trials.first(type), 9):
                named = ((naming.read(name), x) for name, x in third.items())
                yield {**base, **{said.of("F"): x for said, x in named if said.database == "E"}}

    def _bounded(self, name: str, standing: Standing) -> Standing:
        cover = self.cases.cover([name])
        if cover is None:
            return Standing(standing.metric, None, theorems=standing.theorems)
        distance, certificate = dict(self.cases.setting.distances)[name], list[Any]()
        assert distance.at_most is not None
        for type in types_of(cover):
            far = type.where.distances if type.where else ()
            more, less = (
                rules.at(x, far, self.cases.setting) for x in (distance.at_most, metrics.letter(name))
            )
            for point in self.cases.trials.few(type):
                if fails(more, less, point) and self.cases.are_there(type, point):
                    lost, bound = (formulas.to_text(formulas.extended(x, point)) for x in (less, more))
                    called, said = (
                        self.cases.told.parts.expression(x) for x in (metrics.letter(name), distance.at_most)
                    )
                    words = (
                        f"{called} is {lost} at {self.cases.where(type, point)}, and the declared bound "
                        f"{language.to_text(said)} is {bound}"
                    )
                    return Standing(standing.metric, False, words, standing.theorems)
            shown = self.cases.comparisons.in_case(more, less)
            if isinstance(shown, Open):
                return Standing(standing.metric, None, theorems=standing.theorems)
            certificate.append(shown)
        with suppress(NoTheorem):
            made = self.cases.prover.by("bounded", cover, name=name, certificate=certificate)
            return Standing(standing.metric, True, theorems=(*standing.theorems, made))
        return Standing(standing.metric, None, theorems=standing.theorems)

    @property
    def metrics(self) -> list[Theorem]:
        """The theorems that distances are metrics."""
        return [theorem for theorem in self.theorems if isinstance(theorem.says, IsMetric)]

    @property
    def bounds(self) -> list[Theorem]:
        """The theorems that distances are at most their bounds."""
        return [theorem for theorem in self.theorems if isinstance(theorem.says, Bounded)]

    @property
    def theorems(self) -> list[Theorem]:
        """All that is shown of distances."""
        return [theorem for standing in self.all.values() for theorem in standing.theorems]

    def known(self, name: str) -> bool:
        """Whether a distance is known to be a metric."""
        return self.all[name].metric is True
