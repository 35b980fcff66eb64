"""Verdicts on claims that are metrics: d ≥ Σ d_i everywhere, or two databases that lose more.

What is found is a certificate: weights for every case of the comparison (`letters`), or a point with
a counterexample that `composition` makes of exact values.
"""

from __future__ import annotations

import math
import random
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any, TypeVar

import sympy

from dpcompose.kernel.certificates import BadCertificate
from dpcompose.kernel.polynomials import NotAForm
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.privacy.metrics.reading import MetricClaim, MetricSetting
from dpcompose.proof import registry
from dpcompose.proof.metrics import composition as composed
from dpcompose.proof.metrics.composition import Composition, MetricCounterexample, Obligation, ShowsNothing
from dpcompose.proof.metrics.letters import IN_COORDINATES, LEVELS, Case, NoForm
from dpcompose.proof.registry import Page, Theory
from dpcompose.search import comparing
from dpcompose.search.comparisons import points
from dpcompose.spaces.points import Declared, Own, Points, letter

Point = dict[str, Fraction]
Found = TypeVar("Found", "Standing", "MetricVerdict")

MOST_SIMPLE = 200
"""How many simple points of the parameters are gone through."""
MOST_POINTS = 120
"""At how many points a comparison that is not proved is looked at."""


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


@dataclass(frozen=True, repr=False)
class MetricVerdict(Shown):
    """What was found about a claim; as `front.verdict.Verdict`."""

    claim: MetricClaim
    verdict: str
    loose: bool | None = None
    counterexample: MetricCounterexample | None = None
    reason: str = ""
    certificate: Mapping[str, Any] = field(default_factory=dict)
    relies_on: tuple[Page, ...] = field(default=(), compare=False)

    @property
    def as_expected(self) -> bool:
        return self.claim.expect in (None, self.verdict)

    def __repr__(self) -> str:
        return "; ".join([self._said(), *registry.rests(self.relies_on)])

    def _said(self) -> str:
        if (found := self.counterexample) is not None:
            D, E = map(named, found.databases)
            lost = [formulas.to_text(one) for one in (found.actual, found.claimed)]
            at = "".join(f", {name} = {x}" for name, x in found.parameters.items())
            return f"refuted: D = {D}, D' = {E}{at}, claimed {lost[1]}, true loss {lost[0]}"
        words = {True: ", loose", False: ", and no smaller metric holds", None: ""}[self.loose]
        return f"undecided, because {self.reason}" if self.reason else f"{self.verdict}{words}"


@dataclass(frozen=True, eq=False)
class Judge:
    """Decides claims about the mechanisms of a setting."""

    setting: MetricSetting
    theory: Theory

    @cached_property
    def composition(self) -> Composition:
        return Composition(self.setting, self.theory)

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
        if composition.is_seen(name, lambda one: before[one].metric is True):
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
            more, less = composition.values((itself, bound), point)
            composed.check_exceeds(more, less)
            words = (
                f"{name} is {formulas.to_text(more)} at {self._where(point)}, and the declared bound "
                f"{formulas.to_text(bound)} is {formulas.to_text(less)}"
            )
            return Standing(found.metric, False, words)

        settled = self._settle(letters.of(bound), letters.of(itself), exceeds)
        if isinstance(settled, dict):
            return Standing(found.metric, True, "", {**found.certificate, "at most": settled})
        return settled if isinstance(settled, Standing) else replace(found, at_most=None)

    def _axioms(self, own: Own) -> Standing:
        proofs: list[Any] = []
        for obligation in self.composition.obligations(own):

            def breaks(point: Point, obligation: Obligation = obligation) -> Standing:
                words = composed.breaks(self.composition, obligation, point)
                return Standing(False, words=f"{words} at {self._where(point, 'DEF')}")

            settled = self._settle(obligation.greater, obligation.lesser, breaks, "DEF")
            if isinstance(settled, Standing):
                return settled
            proofs.append(settled)
        complete = all(isinstance(one, dict) for one in proofs)
        return Standing(True, certificate={"axioms": proofs}) if complete else Standing(None)

    def _where(self, point: Point, databases: str = "DE") -> str:
        """Databases and parameters of a point in words."""
        full = self.composition.complete(point)
        some = [f"{who} = {named(self.composition.shown(full, who))}" for who in databases]
        some += [f"{name} = {full[name]}" for name in sorted(self.setting.domains)]
        return ", ".join(some)

    # comparisons

    def _settle(
        self,
        greater: sympy.Expr,
        lesser: sympy.Expr,
        attempt: Callable[[Point], Found] | None,
        databases: str = "DE",
    ) -> dict[str, Any] | Found | str:
        """A proof of greater ≥ lesser as it is saved, or what an attempt makes of a point, or why neither.

        attempt -- what is wanted of a point where the comparison fails; raises BadCertificate elsewhere;
        None: no point would do.
        First a few simple points; then a proof of each group, as `Letters.groups` has them, or of the whole;
        then more points.
        """
        usual = points.usual(self.setting.domains)
        found, _ = _first(attempt, self._databases(usual, databases, FEW_POINTS))
        if found is not None:
            return found
        groups = self.composition.letters.groups(greater, lesser)
        seen = []
        for whole in (False, True) if len(groups) > 1 else (True,):
            proofs = []
            for factor, more, less in [(sympy.Integer(1), greater, lesser)] if whole else groups:
                shown = self._everywhere(more, less)
                if isinstance(shown, _Open):
                    seen.append((shown, factor))
                    break
                proofs.append(shown)
            else:
                return {"whole": whole, "groups": proofs}
        found, why = _first(attempt, self._points(seen, databases))
        return found or seen[-1][0].reason or why or "neither a proof nor a point was found"

    def prove(self, greater: sympy.Expr, lesser: sympy.Expr) -> dict[str, Any] | str:
        """A proof of greater ≥ lesser, formulas in letters, as it is saved; or why there is none."""
        no_point: Callable[[Point], MetricVerdict] | None = None
        settled = self._settle(greater, lesser, no_point)
        assert not isinstance(settled, MetricVerdict)
        return settled

    def _everywhere(self, greater: sympy.Expr, lesser: sympy.Expr) -> dict[str, Any] | _Open:
        """A proof of greater ≥ lesser for each case, at the lowest level where there is one."""
        found: list[_Open] = []
        for level in LEVELS:
            shown = self._at_level(greater, lesser, level)
            if isinstance(shown, dict):
                return shown
            if level in IN_COORDINATES:
                found.append(shown)
        return next((one for one in found if one.point), found[0])

    def _at_level(self, greater: sympy.Expr, lesser: sympy.Expr, level: int) -> dict[str, Any] | _Open:
        proofs = []
        efforts = None if level == IN_COORDINATES[0] else 1
        try:
            for case in self.composition.letters.cases(greater, lesser, level):
                found = comparing.compare(case.greater, case.lesser, efforts=efforts)
                if not isinstance(found, comparing.Proof):
                    point = found.values if isinstance(found, comparing.Point) else {}
                    return _Open(case, point, "" if point else comparing.reason(case.greater, case.lesser))
                proofs.append(found.certificate)
        except (NotAForm, NoForm) as error:
            return _Open(None, {}, str(error))
        return {"level": level, "cases": proofs}

    def _points(self, seen: Sequence[tuple[_Open, sympy.Expr]], databases: str) -> Iterator[Point]:
        """Points at which a comparison may fail: those that were seen, then simple ones.

        seen -- what was not proved, with the factor of its group: it counts where the factor is large.
        """
        simple = list(islice(points.grid(self.setting.domains), MOST_SIMPLE))
        for one, factor in seen:
            large = {str(x) for x in factor.free_symbols}
            above = [point for point in simple if large and _is_above(point, large)][:FEW_PARAMETERS]
            if one.case is not None and one.point:
                for parameters in [one.point, *above]:
                    yield from self._translated(one.case, {**one.point, **parameters}, databases)
                there = {name: one.point.get(name, x) for name, x in simple[0].items()}
                yield from self._databases(there, databases, FEW_POINTS)  # where the point's were equal
            for parameters in above:
                yield from self._databases(parameters, databases, FEW_POINTS)
        for most in (FEW_POINTS, MOST_POINTS):
            for parameters in simple[:FEW_PARAMETERS]:
                yield from self._databases(parameters, databases, most)

    def _translated(self, case: Case, point: Mapping[str, Fraction], databases: str) -> Iterator[Point]:
        usual = points.usual(self.setting.domains)
        full = {name: point.get(name, usual[name]) for name in self.setting.domains}
        inside = {name: Fraction(0) for name in self.composition.letters.domains} | full | dict(point)
        for name in self.setting.databases.intervals:
            for who in databases:
                x = letter(name, who)
                value = formulas.evaluate(case.of.get(x, x), inside)
                if value is None:
                    return
                full[str(x)] = value
        for cells in self.composition.letters.cells.values():
            full |= {str(one): inside[str(one)] for cell in cells for one in cell.counts}
        yield full

    def _databases(self, parameters: Mapping[str, Fraction], databases: str, most: int) -> Iterator[Point]:
        """Simple databases at a point of the parameters, so many: mixtures of a few values of each letter.

        Where few are wanted, D has the first values, and the others small ones.
        """
        few = most <= FEW_POINTS
        choices: list[list[Point]] = []
        try:
            places = [some for _, part in self.setting.databases.points for some in _places(part, parameters)]
        except formulas.FormulaError:
            return
        for some, who in product(places, databases):
            there = [{str(letter(name, who)): x for name, x in place.items()} for place in some]
            choices.append(there[: 1 if who == "D" else 3 ** len(there[0])] if few else there)
        for cells in self.composition.letters.cells.values():
            for cell in cells:
                *others, last = [[{str(one): Fraction(n)} for n in (0, 1, 2)] for one in cell.counts]
                choices += [*(one[:1] for one in others), last[:2]] if few else [*others, last]
        if math.prod(map(len, choices)) <= most:
            for chosen in product(*choices):
                yield {**parameters, **dict(ChainMap(*chosen))}
            return
        mixed = random.Random(1)
        for _ in range(most):
            yield {**parameters, **dict(ChainMap(*map(mixed.choice, choices)))}

    # claims

    def judge(self, claim: MetricClaim) -> MetricVerdict:
        """The verdict on a claim, with a certificate."""
        if claim.doubt:
            return MetricVerdict(claim, "undecided", reason=claim.doubt)
        if claim.metric is sympy.oo:
            return MetricVerdict(claim, "proved", loose=True)
        composition, letters = self.composition, self.composition.letters
        try:
            greater = letters.of(claim.metric)
            lesser = letters.of(composition.metric, bounded=True)
        except NoForm as error:
            return MetricVerdict(claim, "undecided", reason=str(error))

        def refuted(point: Point) -> MetricVerdict:
            found = composed.refute(composition, claim.metric, point, self.known)
            return MetricVerdict(claim, "refuted", counterexample=found)

        doubt = composed.unwitnessed(composition, self.known)
        settled = self._settle(greater, lesser, None if doubt else refuted)
        if isinstance(settled, MetricVerdict):
            return settled
        if isinstance(settled, str):
            return MetricVerdict(claim, "undecided", reason=doubt or settled)
        return self._proved(claim, greater, lesser, settled)

    def _proved(
        self, claim: MetricClaim, greater: sympy.Expr, lesser: sympy.Expr, proof: dict[str, Any]
    ) -> MetricVerdict:
        certificate: dict[str, Any] = {"at least": proof}

        def larger(point: Point) -> MetricVerdict:
            composed.check_larger(self.composition, claim.metric, point)
            there = {name: str(x) for name, x in point.items()}
            return MetricVerdict(claim, "proved", True, certificate={**certificate, "larger at": there})

        opaque = self.composition.is_opaque(claim.metric) or self.composition.is_opaque(
            self.composition.metric
        )
        other_way = self._settle(lesser, greater, None if opaque else larger)
        if isinstance(other_way, MetricVerdict):
            return other_way
        if isinstance(other_way, dict) and self.optimal:
            return MetricVerdict(claim, "proved", False, certificate={**certificate, "at most": other_way})
        return MetricVerdict(claim, "proved", None, certificate=certificate)


FEW_POINTS = 90
"""At how many simple points a comparison is looked at before those that the solver found."""
FEW_PARAMETERS = 4
"""At how many points of the parameters simple databases are tried."""


@dataclass(frozen=True)
class _Open:
    """A comparison that was not proved: the case, a point of its letters if one fails, or why not."""

    case: Case | None
    point: Mapping[str, Fraction]
    reason: str


def _first(
    attempt: Callable[[Point], Found] | None, points: Iterable[Point]
) -> tuple[Found, str] | tuple[None, str]:
    """What an attempt makes of the first point at which it does not fail, or why there is none, if known."""
    why = ""
    for point in points if attempt is not None else ():
        assert attempt is not None
        try:
            return attempt(point), ""
        except ShowsNothing:
            continue
        except BadCertificate as error:
            why = str(error)
    return None, why


def _is_above(point: Mapping[str, Fraction], large: Set[str]) -> bool:
    """Whether some parameters are larger than all others at a point."""
    others = [value for name, value in point.items() if name not in large]
    return all(point[name] > max(others, default=Fraction(0)) for name in large)


def _places(part: Points, parameters: Mapping[str, Fraction]) -> Iterator[list[Point]]:
    """A few values of each coordinate, or of both coordinates of a disc.  Raises formulas.FormulaError."""
    if part.disc is not None:
        r = formulas.evaluate(part.disc / 2, parameters) or Fraction(0)
        yield [dict(zip(part.coordinates, (r * x, r * y), strict=True)) for x, y in IN_A_DISC]
        return
    for name, interval in zip(part.coordinates, part.box, strict=True):
        ends = (interval.least, interval.greatest)
        low, high = (None if x is None else formulas.evaluate(x, parameters) for x in ends)
        yield [{name: x} for x in _few(low, high)]


def _few(low: Fraction | None, high: Fraction | None) -> list[Fraction]:
    """A few values in an interval, simple ones first: its ends, or its middle."""
    if low is not None and high is not None:
        return [low, high, (low + high) / 2, low + (high - low) / 4, low + (high - low) / 1000]
    if low is not None:
        return [low + one for one in SIZES]
    if high is not None:
        return [high - one for one in SIZES]
    return [*SIZES, Fraction(-2)]


def _turned(x: str, y: str) -> list[tuple[Fraction, Fraction]]:
    """A vector, turned by right angles."""
    a, b = Fraction(x), Fraction(y)
    return [(a, b), (-a, -b), (-b, a), (b, -a)]


IN_A_DISC = (
    (Fraction(0), Fraction(0)),
    *_turned("1", "0"),
    *_turned("20/29", "21/29"),
    *_turned("3/5", "4/5"),
    *_turned("1/1000", "0"),
)
"""Points of the disc of radius 1: its middle, and points of its rim and near the middle."""
SIZES = (Fraction(0), Fraction(1), Fraction(3), Fraction(1000), Fraction(10**9), Fraction(1, 1000))
"""How far into an interval without an end simple points lie."""


def named(database: Mapping[str, Any]) -> str:
    """A database as results print it: (x = 1, y = 0, records = {a, a})."""
    shown = [
        f"{name} = {value}" if isinstance(value, str) else f"{name} = {{{', '.join(value)}}}"
        for name, value in database.items()
    ]
    return f"({', '.join(shown)})"
