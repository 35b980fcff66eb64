"""Verdicts on claims that are metrics: at least what is lost everywhere, or two databases that lose more.

What is found is a certificate: proofs of all comparisons (`proof.metrics.certificates`), or a point with a
counterexample that `proof.metrics.refutation` makes of exact values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy

from dpcompose.language import formulas
from dpcompose.privacy.metrics import families
from dpcompose.privacy.metrics.setting import MetricSetting
from dpcompose.privacy.problems import Claim
from dpcompose.proof.metrics import certificates, refutation
from dpcompose.proof.metrics.cells import NoForm
from dpcompose.proof.metrics.composition import Composition, Way
from dpcompose.proof.metrics.refutation import MetricCounterexample, Refutation
from dpcompose.proof.registry import Theory
from dpcompose.search.metrics.points import Point
from dpcompose.search.metrics.proving import Prover
from dpcompose.spaces.points import Declared, Own

FEW_SIZES = 3
"""For how few members it is looked everywhere whether a claim fails."""
MOST_DOUBLED = 8
"""How often numbers of members are doubled."""


@dataclass(frozen=True)
class Standing:
    """What is known of a named metric.

    metric -- whether it is one: True, False, or None where that is believed;
    at_most -- the same of the bound that is declared for it; words -- what fails, where something does;
    certificate -- what shows the axioms, or the bound, where proofs were needed.
    """

    metric: bool | None
    at_most: bool | None = True
    words: str = ""
    certificate: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MetricVerdict:
    """What was found about a claim, with what shows it, and the way by which a proved one follows."""

    claim: Claim
    verdict: str
    loose: bool | None = None
    counterexample: MetricCounterexample | None = None
    reason: str = ""
    certificate: Mapping[str, Any] = field(default_factory=dict)
    way: Way | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class Judge:
    """Decides claims about the mechanisms of a setting."""

    setting: MetricSetting
    theory: Theory

    @cached_property
    def composition(self) -> Composition:
        return Composition(self.setting, self.theory)

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.composition)

    @cached_property
    def refutation(self) -> Refutation:
        return Refutation(self.composition, self.known)

    # the metrics

    @cached_property
    def standings(self) -> dict[str, Standing]:
        """What is known of each named metric, from the first on."""
        found: dict[str, Standing] = {}
        for name in self.setting.metrics:
            found[name] = self._standing(name, found)
        return found

    def known(self, name: str) -> bool:
        """Whether a named metric is known to be one."""
        return self.standings[name].metric is True

    @property
    def optimal(self) -> bool | None:
        """True where the composed metric is attained at all databases; None where that is not known."""
        return self.composition.attained(self.known)

    def _standing(self, name: str, before: Mapping[str, Standing]) -> Standing:
        metric, composition = self.setting.metrics[name], self.composition
        if composition.axioms.is_seen(name, lambda one: before[one].metric is True):
            found = Standing(True)
        elif isinstance(metric.distance, Own):
            found = self._axioms(metric.distance)
        else:
            found = Standing(None)
        if isinstance(metric.distance, Declared):
            return Standing(None, None)
        if metric.at_most is None or found.metric is False:
            return found
        letters, bound = composition.letters, metric.at_most
        itself = self.setting.letters[name]

        def exceeds(point: Point) -> Standing:
            more, less = self.refutation.pairs.values((itself, bound), point)
            refutation.check_exceeds(more, less)
            words = (
                f"{name} is {formulas.to_text(more)} at {self._where(point)}, and the declared bound "
                f"{formulas.to_text(bound)} is {formulas.to_text(less)}"
            )
            return Standing(found.metric, False, words)

        settled = self.prover.settle(letters.of(bound), letters.of(itself), exceeds)
        if isinstance(settled, dict):
            return Standing(found.metric, True, "", {**found.certificate, "at most": settled})
        return settled if isinstance(settled, Standing) else replace(found, at_most=None)

    def _axioms(self, own: Own) -> Standing:
        proofs: list[Any] = []
        for obligation in self.composition.axioms.obligations(own):

            def breaks(point: Point, obligation: Any = obligation) -> Standing:
                words = refutation.breaks(self.refutation.pairs, obligation, point)
                return Standing(False, words=f"{words} at {self._where(point, 'DEF')}")

            settled = self.prover.settle(obligation.greater, obligation.lesser, breaks, "DEF")
            if isinstance(settled, Standing):
                return settled
            proofs.append(settled)
        complete = all(isinstance(one, dict) for one in proofs)
        return Standing(True, certificate={"axioms": proofs}) if complete else Standing(None)

    def _where(self, point: Point, databases: str = "DE") -> str:
        """Databases and parameters of a point in words."""
        full = self.refutation.pairs.complete(point)
        some = [
            f"{who} = {self.setting.databases.printed(self.refutation.pairs.shown(full, who))}"
            for who in databases
        ]
        some += [f"{name} = {full[name]}" for name in sorted(self.setting.domains)]
        return ", ".join(some)

    # claims

    def judge(self, claim: Claim) -> MetricVerdict:
        """The verdict on a claim, with a certificate: each way to a guarantee of its notion is tried."""
        if claim.doubt:
            return MetricVerdict(claim, "undecided", reason=claim.doubt)
        if claim.guarantee.metric is sympy.oo:
            return MetricVerdict(claim, "proved", loose=True)
        if (refuted := self._by_members(claim, at_once=True)) is not None:
            return refuted
        why, looked = "", False
        for way in self.composition.ways(claim.notion):
            try:
                found = self._by_way(claim, way, try_points=not looked)
            except NoForm as error:
                why = why or str(error)
                continue
            looked = True
            if isinstance(found, MetricVerdict):
                return found
            why = why or found
        if (refuted := self._by_members(claim, at_once=False)) is not None:
            return refuted
        if not looked:
            return self._without_bound(claim, why)
        return MetricVerdict(claim, "undecided", reason=self._reason(claim, why))

    def _by_members(self, claim: Claim, at_once: bool) -> MetricVerdict | None:
        """Refuted by some number of members that are written out, if there are families.

        at_once -- at the first simple points only.
        """
        if not self.setting.is_open or self.refutation.doubt(claim.notion):
            return None
        for n, numbers in enumerate(families.sizes(self.setting, MOST_DOUBLED)):
            written = families.WrittenOut(self.setting, numbers)
            try:
                inner = Judge(written.made, self.theory)
                asked = replace(claim, guarantee=written.guarantee(claim.guarantee))
            except families.TooMany:
                return None
            if at_once:
                found = inner.at_simple_points(asked, inner.prover.trials.first("DE"))
            else:
                found = inner.judge(asked) if n < FEW_SIZES else inner.at_simple_points(asked)
            if found is not None and found.verdict == "refuted":
                return replace(found, claim=claim)
        return None

    def at_simple_points(self, claim: Claim, points: Iterable[Point] | None = None) -> MetricVerdict | None:
        """Refuted at a simple point, or at one of some, or nothing."""
        refuted = self._refuting(claim)
        with suppress(NoForm):
            return None if refuted is None else self.prover.first(refuted, points)
        return None

    def _doubt(self, claim: Claim) -> str:
        """Why some mechanism is not known to lose anything; "" where all are."""
        refutation = self.refutation
        return next(filter(None, refutation.doubts(claim.notion)), "") or refutation.unsatisfiable

    def _reason(self, claim: Claim, why: str) -> str:
        """Why a claim is undecided: why it was not proved, and why nothing can refute it, if that is so."""
        doubt = self._doubt(claim)
        return f"{doubt}; and it is not proved, since {why}" if doubt and why else doubt or why

    def _by_way(self, claim: Claim, way: Way, try_points: bool) -> MetricVerdict | str:
        """A verdict by one way, or why it gives none."""
        proofs: dict[str, Any] = {}
        refuted = self._refuting(claim) if try_points else None
        for one in certificates.comparisons(self.composition, claim.guarantee, way):
            settled = self.prover.settle(one.greater, one.lesser, refuted)
            if not isinstance(settled, dict):
                return settled
            proofs[one.key] = settled
        return self._proved(claim, way, proofs)

    def _refuting(self, claim: Claim) -> Any:
        """What is made of a point: a counterexample; None where no mechanism is known that loses anything."""
        if self.setting.is_open or self.refutation.doubt(claim.notion):
            return None

        def refuted(point: Point) -> MetricVerdict:
            found = self.refutation.refute(claim.guarantee, point)
            return MetricVerdict(claim, "refuted", counterexample=found)

        return refuted

    def _without_bound(self, claim: Claim, why: str) -> MetricVerdict:
        """Where no guarantee of the claim's notion is known: refuted at a simple point, if at all."""
        some = ", ".join(self.setting.notions)
        why = why or f"guarantees of {some} privacy do not become one of {claim.notion} privacy"
        return self.at_simple_points(claim) or MetricVerdict(
            claim, "undecided", reason=self._reason(claim, why)
        )

    def _proved(self, claim: Claim, way: Way, proofs: dict[str, Any]) -> MetricVerdict:
        composition = self.composition
        certificate: dict[str, Any] = {"way": way.data(), "at least": proofs}
        found = MetricVerdict(claim, "proved", certificate=certificate, way=way)
        own = way == composition.own_way(claim.notion) and claim.notion == composition.notion
        if not own or claim.guarantee.delta is not None or not claim.guarantee.in_metrics:
            return found

        def larger(point: Point) -> MetricVerdict:
            certificates.check_larger(composition, self.refutation.pairs, claim.guarantee, point)
            there = {name: str(x) for name, x in point.items()}
            return replace(found, loose=True, certificate={**certificate, "larger at": there})

        opaque = composition.is_opaque(claim.guarantee.metric) or composition.is_opaque(composition.metric)
        others: dict[str, Any] = {}
        for one in certificates.converse(composition, claim.guarantee, way):
            settled = self.prover.settle(one.greater, one.lesser, None if opaque else larger)
            if isinstance(settled, MetricVerdict):
                return settled
            others[one.key] = settled
        if self.optimal and all(isinstance(one, dict) for one in others.values()):
            return replace(found, loose=False, certificate={**certificate, "at most": others})
        return found
