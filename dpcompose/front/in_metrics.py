"""Compositions in metrics, judged: the metric in which they are private, and verdicts on claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

import sympy

from dpcompose.front.beside import Beside, beside
from dpcompose.front.captions import GIVEN
from dpcompose.front.document import (
    BELIEVED,
    Best,
    Cited,
    Compared,
    Composed,
    Head,
    Mathematics,
    Member,
    Said,
    Step,
    Told,
    formula,
    plain,
    unchecked,
)
from dpcompose.front.results import Answer
from dpcompose.language import exchange, formulas
from dpcompose.language.symbols import symbol
from dpcompose.privacy.in_metrics import has_neighbours
from dpcompose.privacy.metrics import reading
from dpcompose.privacy.metrics.setting import MetricMechanism, MetricSetting
from dpcompose.privacy.notions import Guarantee, InMetric
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings.invalid import InvalidSetting, NotForNeighbours
from dpcompose.proof import registry
from dpcompose.proof.metrics.checker import FORMAT
from dpcompose.proof.metrics.composition import Composition
from dpcompose.proof.metrics.refutation import MetricCounterexample
from dpcompose.proof.refuting import Counterexample
from dpcompose.proof.registry import Page, Theory
from dpcompose.proof.witnesses import Number
from dpcompose.search import stated
from dpcompose.search.metrics import sensitivity
from dpcompose.search.metrics.claims import Judge, MetricVerdict
from dpcompose.spaces.maps import everything
from dpcompose.spaces.points import (
    AnyTwo,
    Apart,
    Counted,
    Distance,
    Lost,
    Made,
    NamedMetric,
    Norm,
    Own,
    Steps,
    Tabled,
)

COMPOSED, ON_EVERYTHING = "composition-own-domain", "sequential"
"""The pages whose items are those of composition: of mechanisms on what maps read, and on everything."""


@dataclass(frozen=True, eq=False)
class BestMetric(Best):
    """The metric in which a composition is private, as it is printed; see `document.Best`."""

    judge: Judge

    @property
    def setting(self) -> MetricSetting:
        return self.judge.setting

    @property
    def composition(self) -> Composition:
        return self.judge.composition

    @property
    def notion(self) -> str:
        return self.composition.notion

    @property
    def said(self) -> Said:
        return in_metric(self.notion, self.metric, self.composition.delta)

    @property
    def where(self) -> str:
        return self.composition.where

    @property
    def metric(self) -> sympy.Expr:
        return self.composition.metric

    @property
    def values(self) -> Mapping[str, sympy.Expr]:
        delta = self.composition.delta
        return {"metric": self.metric} | ({} if delta is None else {"delta": delta})

    @property
    def item(self) -> str:
        """The theorem that says in which metric a composition is private; of one mechanism the definition."""
        if not self.setting.several:
            return "GB:III.2"
        id = ON_EVERYTHING if self.setting.reads_everything else COMPOSED
        page = self.composition.theory.find(id)
        return id if page is None else page.cite(self.notion, self.setting.adaptive)

    @property
    def optimal(self) -> bool | None:
        """True where at all D, E some such mechanisms lose just as much; None where that is not known."""
        return self.judge.optimal

    @property
    def relies_on(self) -> tuple[Page, ...]:
        return self.composition.relied_on(())

    @property
    def assumptions(self) -> list[str]:
        standings = self.judge.standings
        believed = self.composition.believed(
            self.judge.known, lambda name: standings[name].at_most is True, ()
        )
        return list(believed)

    @property
    def lines_data(self) -> list[dict[str, Any]]:
        """The derivation as JSON."""
        return [{"n": one.n, "says": plain(one.said), "by": one.source} for one in self.told.steps]

    @property
    def head(self) -> Head:
        setting = self.setting
        about: Said = [
            f"The databases are {setting.databases}. A mechanism M is private in a metric d on them if ",
            Mathematics(
                "P(M(D) in S) <= exp(d(D, E))*P(M(E) in S)",
                r"P(M(D) \in S) \le e^{d(D, E)} P(M(E) \in S)",
            ),
            " for all databases D, E and events S (",
            Cited("GB:III.2"),
            ").",
        ]
        domains = {name: str(one) for name, one in setting.domains.items() if name not in setting.metrics}
        metrics: list[Said] = [
            [formula(setting.letters[name]), ": ", *_metric(one)] for name, one in setting.metrics.items()
        ]
        optimal = "At all databases some mechanisms like these lose just that."
        theorem: Said = ["The composition is ", *self.said]
        return Head(about, domains, {"The metrics are:": metrics}, theorem, optimal, ["Line by line."])

    @cached_property
    def told(self) -> Told:
        theory, steps = self.composition.theory, list[Step]()

        def add(said: Said, checked: str = "", page: Page | None = None, item: str = "", *uses: int) -> int:
            steps.append(Step(len(steps) + 1, said, checked, page, item, uses))
            return len(steps)

        private = [self._private(one, n, add) for n, one in enumerate(self.setting.mechanisms)]
        metrics = [self._is_metric(name, add) for name in self.composition.used]
        last = "; at all databases some such mechanisms lose just that" if self.optimal else ""
        said = ["the composition is ", *self.said, last]
        add(said, "", self.composition.page, self.item, *private, *metrics)
        setting, k = self.setting, len(self.setting.mechanisms)
        done = sum(bool(one.processing) for one in setting.mechanisms)
        besides = self.assumptions[k : k + setting.several + bool(setting.assume) + done]
        independent = [f"that {one}" for one in besides]
        believed = ", ".join([*unchecked(steps), *independent, *registry.believed(self.relies_on)])
        pages = tuple(theory.pages[id] for id in self.composition.pages(()))
        return Told(tuple(steps), believed, pages, self.numbered)

    def _private(self, one: MetricMechanism, n: int, add: Callable[..., int]) -> int:
        """The step that a mechanism is private in a metric, after that on what is said of it."""
        each = "" if one.members is None else ", each of them"
        done = f", then {one.processing}" if one.processing else ""
        said = [f"{one.called} is ", *in_metric(one.notion, one.metric, one.delta), each + done]
        if one.noise is None and one.lost is None and not one.stated:
            return add(said, GIVEN)
        given = add([self.assumptions[n]], GIVEN)
        page = None if one.noise is None else self.composition.theory.noise(one.noise.word)
        return add(said, "by definition", page, "" if page is None else page.id, given)

    def _is_metric(self, name: str, add: Callable[..., int]) -> int:
        """The step that a named metric is one, after that on its bound, if there is one."""
        known, letter = self.judge.standings[name], formula(self.setting.letters[name])
        metric, uses = self.setting.metrics[name], list[int]()
        if isinstance(metric.distance, Made) and isinstance(
            metric.distance.formula, Apart
        ):  # no file says it
            uses.append(add([letter, " is ", *definition(metric.distance)], "by definition"))
        if metric.at_most is not None:
            how = "checked" if known.at_most else BELIEVED
            add([letter, " is at most ", formula(metric.at_most)], how)
        axioms = " is a metric: symmetric, 0 at equal databases, with the triangle inequality"
        return add([letter, axioms], BELIEVED if known.metric is None else "checked", None, "", *uses)

    def compared(self, example: Counterexample) -> Iterator[Compared]:
        """The parts of the databases of a counterexample, side by side."""
        D, E = example.pair
        for name in D:
            one, other = (
                value if isinstance(value, str) else f"{{{', '.join(value)}}}" for value in (D[name], E[name])
            )
            yield Compared(name, (one, other))

    def for_neighbours(self, what: str) -> NoReturn:
        raise NotForNeighbours(what)

    def data(self) -> dict[str, Any]:
        result = self.composition.result(self.judge.known)
        optimal = result.pop("optimal")
        return {"guarantee": result, "optimal": optimal}


def in_metric(notion: str, metric: sympy.Expr, delta: sympy.Expr | None) -> Said:
    """That something is private in a metric, in its notion."""
    called = "" if notion == "pure" else f"{notion}-"
    beside: Said = [] if delta is None else [", with delta ", formula(delta)]
    return [f"{called}private in the metric ", formula(metric), *beside]


def _metric(metric: NamedMetric) -> Said:
    at_most: Said = [] if metric.at_most is None else [", at most ", formula(metric.at_most)]
    return [*definition(metric.distance), *at_most]


def definition(distance: Distance) -> Said:
    """What a metric is, in words."""
    match distance:
        case Steps():
            read = (
                "" if distance.reads == everything else f", of {distance.reads.written(distance.part or 'D')}"
            )
            where = f" of {distance.part}" if distance.part and not read else ""
            return [f"the fewest {distance.granularity} steps{read or where}"]
        case Lost():
            return [f"the largest |ln(p/q)| of an outcome's probabilities in the table {distance.table}"]
        case Tabled():
            return ["as its table says" + ("" if distance.reads == everything else ", closed over fibres")]
        case Counted():
            return [f"how far the number of records of {distance.reads.written(distance.part or 'D')} moves"]
        case Norm():
            return [f"the {distance.word} norm of the change of {distance.of.name or 'the point'}"]
        case AnyTwo():
            return [f"1 where {distance.of.name or 'the point'} differs, else 0"]
        case Own():
            one, two = (f"({', '.join(map(str, some))})" for some in (distance.first, distance.second))
            of = distance.of.name or "the point"
            return [formula(distance.formula), f" for the values {one} and {two} of {of}"]
        case Made(formula=Apart() as apart):
            return ["oo where ", formula(apart.args[0]), " is, and 0 elsewhere"]
        case Made():
            return [formula(distance.formula)]
    return ["of which only a bound is known"]


@dataclass(frozen=True, eq=False)
class InMetrics:
    """Judges a composition of mechanisms that are private in metrics; see `study.Judge`."""

    setting: MetricSetting
    theory: Theory

    def __post_init__(self) -> None:
        stated.check_assumptions(self.setting.assume)
        for name, one in self.search.standings.items():
            if one.metric is False:
                raise InvalidSetting(f"{name} is no metric: {one.words}")
            if one.at_most is False:
                raise InvalidSetting(f"the bound on {name} fails: {one.words}")

    @cached_property
    def search(self) -> Judge:
        return Judge(self.setting, self.theory)

    @cached_property
    def beside(self) -> Beside | None:
        """What judges claims for neighbours, where the kernel has a setting for these."""
        return beside(self.setting.data, self.theory) if has_neighbours(self.setting.data) else None

    @cached_property
    def bound(self) -> BestMetric:
        return BestMetric(self.search)

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
        found = self.search.judge(claim)
        ways = () if found.way is None else (found.way,)
        relied = () if found.verdict == "undecided" else self.search.composition.relied_on(ways)
        written = ", ".join(f"{key} = {value}" for key, value in claim.text.items() if key != "notion")
        return Answer(
            claim,
            found.verdict,
            found.loose,
            None if found.counterexample is None else self._shown(found.counterexample),
            found.reason,
            bound=self.bound,
            relies_on=relied,
            said=in_metric(claim.notion, claim.guarantee.metric, claim.guarantee.delta),
            written=written + ("" if claim.notion == self.bound.notion else f" ({claim.notion})"),
            right=self.bound.said,
            noun="metric",
            found=found,
        )

    def _shown(self, found: MetricCounterexample) -> Counterexample:
        """A counterexample as all are."""
        rows = tuple(row for row in found.rows if row.loss != 0)
        actual = None if found.actual is sympy.oo else _number(found.actual)
        return Counterexample(
            found.databases,
            found.parameters,
            _number(found.claimed),
            actual,
            rows,
            tuple(row.name for row in rows),
            self.setting.databases,
            event=found.parameter == "delta",
            neighbours=False,
        )

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
        return sensitivity.sensitivity(self.search, *read)

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
        where = self.search.composition.where
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
        search, composition = self.search, self.search.composition
        certificates = {name: dict(one.certificate) for name, one in search.standings.items()}
        kinds: dict[bool, list[Answer]] = {True: [], False: []}
        for one in verdicts:
            kinds[isinstance(one.claim.guarantee, Guarantee)].append(one)
        others, found = kinds[True], [one.found for one in kinds[False]]
        data: dict[str, Any] = {
            "format": FORMAT,
            "problem": self.setting.data,
            "pages": composition.pages([one.way for one in found if one.way is not None]),
            "metrics": {name: one for name, one in certificates.items() if one},
            "result": composition.result(search.known),
            "claims": [_saved(one) for one in found],
        }
        if others and self.beside is not None:
            data["neighbours"] = self.beside.judge.saved(others)
            del data["neighbours"]["problem"]  # which is this one
        return data


def _saved(found: MetricVerdict) -> dict[str, Any]:
    """A verdict with what shows it."""
    data: dict[str, Any] = {"verdict": found.verdict, "claim": dict(found.claim.text)}
    if found.verdict == "proved":
        data |= {"loose": found.loose, "certificate": dict(found.certificate)}
    if found.reason:
        data["reason"] = found.reason
    if found.counterexample is not None:
        data["counterexample"] = found.counterexample.data()
    return data | ({"expect": found.claim.expect} if found.claim.expect else {})


def _number(x: sympy.Expr) -> Number:
    return Fraction(str(x)) if x.is_Rational else exchange.of_sympy(x)


def _text(given: Any) -> str:
    return given if isinstance(given, str) else formulas.to_text(formulas.from_python(given))
