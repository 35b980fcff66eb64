"""The metric in which a composition is private, as it is printed, and what is told of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from dpcompose.front.documents import sentences
from dpcompose.front.documents.document import (
    BELIEVED,
    GIVEN,
    Best,
    Head,
    Step,
    Telling,
    Told,
)
from dpcompose.front.documents.wording import allowed, joined
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.metrics import letter
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.theorems import Theorem
from dpcompose.language import formulas
from dpcompose.language.said import Cited, Item, Mathematics, Said, Words, formula, plain, same
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.guarantees.distances import Metric
from dpcompose.privacy.guarantees.notions import POWERS, Guarantee, as_metric, at_any_two, private_in_a_metric
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import NotForNeighbours
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.search.metrics.verdicts import MetricVerdicts, values_of
from dpcompose.spaces.canonical.named import Distance, NamedMetric

if TYPE_CHECKING:
    import sympy

COMPOSED, ON_EVERYTHING, OVER_FIBRES = "composition-own-domain", "sequential", "composition-common-domain"
"""The pages whose items are those of composition: of mechanisms on what maps read, on everything, and on
everything but depending on what maps read."""
NEAREST = "minimum-privacy"
"""The page on a mechanism that depends on what a map reads, at the nearest databases."""
DEFINITION = Item("GB:III.2")
"""Privacy in a metric, where the notion has no item of its own."""
BY_DEFINITION, CHECKED = "by definition", "checked"


@frozen(eq=False)
class BestMetric(Best):
    """The metric in which a composition is private, as it is printed; see `document.Best`.

    told -- the setting, and how the kernel reads it; search -- what judges claims about it.
    """

    elaborated: Elaborated
    search: MetricVerdicts
    theory: Theory

    @property
    def setting(self) -> Setting:
        return self.elaborated.setting

    @cached_property
    def notion(self) -> str:
        """That of the claims, or of the mechanisms: the first in which they compose."""
        claims = self.setting.data.get("claims", [])
        claimed = list(dict.fromkeys(claim.get("notion") for claim in claims if isinstance(claim, Mapping)))
        notions = [notion for notion in claimed if notion in POWERS] if len(claimed) == 1 else []
        notions += _notions(self.setting)
        return str(next((notion for notion in notions if self.search.best(notion) is not None), notions[0]))

    @staticmethod
    def of(told: Elaborated, guarantee: Satisfies | None) -> dict[str, str]:
        """The notion and the formulas of a guarantee as texts; oo where there is none."""
        if guarantee is None:
            return {"notion": _notions(told.setting)[0], "metric": "oo"}
        values = {key: told.parts.expression(value) for key, value in guarantee.values}
        metric = {"metric": as_metric(guarantee.notion, values)}
        metric |= {"delta": values["delta"]} if "delta" in values else {}
        return {"notion": guarantee.notion} | {key: formulas.to_text(x) for key, x in metric.items()}

    @property
    def theorem(self) -> Theorem | None:
        """By which the composition is private in it; None where nothing is known."""
        return self.search.best(self.notion)

    @cached_property
    def parameters(self) -> dict[str, Term]:
        """What is lost at D, E, by the parameters of the notion."""
        if self.theorem is None:
            return dict.fromkeys(self.theory.rule(self.notion).head.parameters, INFINITY)
        return {key: self.elaborated.parts.expression(value) for key, value in values_of(self.theorem)}

    @property
    def stated(self) -> dict[str, Term]:
        """The metric, and the δ where there is one."""
        beside = {"delta": self.parameters["delta"]} if "delta" in self.parameters else {}
        return {"metric": as_metric(self.notion, self.parameters)} | beside

    @property
    def metric(self) -> sympy.Expr:
        return formulas.expression(self.stated["metric"])

    @property
    def said(self) -> Said:
        stated = self.stated
        besides = tuple((key, value) for key, value in stated.items() if key != "metric")
        return in_metric(at_any_two(self.notion, Metric(stated["metric"], besides=besides)))

    @property
    def where(self) -> str:
        return " and ".join(map(str, self.setting.assume))

    @property
    def item(self) -> Item:
        """The theorem that says in which metric a composition is private; of one mechanism the definition."""
        if not self.setting.several and _composed_of(self.setting) == OVER_FIBRES and self._at_the_nearest:
            page = self.theory.find(NEAREST)
            return Item(NEAREST) if page is None else page.cite(self.notion, self.setting.adaptive)
        if not self.setting.several:
            defined = self.theory.metric_form(self.notion)
            return DEFINITION if DEFINITION in defined.every_item else defined.cite(self.notion)
        id = _composed_of(self.setting)
        page = self.theory.find(id)
        return Item(id) if page is None else page.cite(self.notion, self.setting.adaptive)

    @property
    def _at_the_nearest(self) -> bool:
        """Whether all metrics are those of the nearest databases with the same values of maps."""
        named = (metric.distance for metric in self.setting.metrics.values())
        return all(x.at_the_nearest for x in named if not x.is_whole)

    @cached_property
    def shown(self) -> Theorem | None:
        """The theorem that at all databases some such mechanisms lose just as much."""
        return None if self.theorem is None else self.search.optimal(self.theorem)

    @property
    def optimal(self) -> bool | None:
        """True where at all D, E some such mechanisms lose just as much; None where that is not known."""
        return None if self.shown is None else True

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """The pages that it rests on, in order."""
        every = (self.theorem, self.shown, *self.search.distances.theorems)
        rests_on = Grounds.of(theorem.rests_on for theorem in every if theorem is not None)
        return tuple(self.theory.pages[id] for id in sorted(rests_on.pages))

    @property
    def relies_on(self) -> tuple[Page, ...]:
        return self.theory.relied_on(page.id for page in self.pages)

    @property
    def assumptions(self) -> list[str]:
        return sentences.assumptions(self._stated, self.setting, self.relies_on)

    @cached_property
    def _stated(self) -> list[Step]:
        """The steps on mechanisms and metrics."""
        standings = self.search.distances.all
        every = {name: standings[self.elaborated.parts.mark(name)] for name in self.setting.metrics}
        known = [name for name, standing in every.items() if standing.metric is True]
        bounds = [name for name, standing in every.items() if standing.at_most is True]
        return steps_stated(self.setting, self.theory, known, bounds)

    @property
    def head(self) -> Head:
        setting = self.setting
        about: Said = ["The databases are ", str(setting.databases), ". ", *self._defined()]
        domains = {
            name: allowed(domain) for name, domain in setting.domains.items() if name not in setting.metrics
        }
        metrics: list[Said] = [
            [formula(letter(name)), ": ", *_metric(metric)] for name, metric in setting.metrics.items()
        ]
        optimal = "At all databases some mechanisms like these lose just that."
        theorem: Said = ["The composition is ", *self.said]
        besides: list[Said] = [[dependence] for dependence in sentences.dependence(setting)]
        return Head(about, domains, {}, theorem, optimal, ["Line by line."], metrics, besides)

    def _defined(self) -> Said:
        """What it is to be private in a metric, or which result says it for the notion."""
        page = self.theory.metric_form(self.notion)
        if DEFINITION not in page.every_item:
            return [f"What {self.notion} privacy in a metric is, says ", Cited(page.cite(self.notion)), "."]
        inequality = Mathematics(
            "P(M(D) in S) <= exp(d(D, E))*P(M(E) in S)",
            r"P(M(D) \in S) \le e^{d(D, E)} P(M(E) \in S)",
        )
        M, d, S, both = map(same, ("M", "d", "S", "D, E"))
        private: Said = ["A mechanism ", M, " is private in a metric ", d, " on them if ", inequality]
        return [*private, " for all databases ", both, " and events ", S, " (", Cited(DEFINITION), ")."]

    @cached_property
    def told(self) -> Told:
        last = "; at all databases some such mechanisms lose just that" if self.optimal else ""
        telling = Telling(self.numbered, steps=self._stated)
        used = {n for step in self._stated for n in step.uses}
        uses = [step for step in self._stated if step.n not in used]
        sentence = ["the composition is ", *self.said, last]
        values, rule = self.data()["guarantee"], self.theory.metric_form(self.notion)
        telling.add(sentence, rule, uses, values=values, item=self.item)
        without_check = sentences.without_check(telling.steps, self.setting, self.relies_on)
        return Told(tuple(telling.steps), without_check, self.pages, self.numbered)

    def for_neighbours(self, what: str) -> NoReturn:
        raise NotForNeighbours(what)

    def data(self) -> dict[str, Any]:
        result = {"notion": self.notion} | {key: formulas.to_text(x) for key, x in self.stated.items()}
        return {"guarantee": result, "optimal": self.optimal}


def _notions(setting: Setting) -> tuple[str, ...]:
    """The notions of all guarantees, each once."""
    return tuple(
        dict.fromkeys(guarantee.notion for mechanism in setting.mechanisms for guarantee in mechanism.every)
    )


def _composed_of(setting: Setting) -> str:
    """The page on compositions of mechanisms that are private in such metrics."""
    guarantees = (guarantee for mechanism in setting.mechanisms for guarantee in mechanism.every)
    used = [x for guarantee in guarantees for x in _distances_in(guarantee.in_metric.formula, setting)]
    if any(mechanism.entries is not None for mechanism in setting.mechanisms):
        return COMPOSED
    over = [x for x in used if x.over_fibres or x.at_the_nearest]
    if over and all(x in over or x.is_whole for x in used):
        return OVER_FIBRES
    return ON_EVERYTHING if all(_is_of_all(x, setting) for x in used) else COMPOSED


def _distances_in(formula: Term, setting: Setting) -> list[Distance]:
    """The named distances in a formula."""
    return [setting.metrics[name].distance for name in formula.letters if name in setting.metrics]


def _is_of_all(distance: Distance, setting: Setting) -> bool:
    """Whether a distance is one of whole databases, and made of such alone."""
    made = () if distance.made_of is None else _distances_in(distance.made_of, setting)
    return distance.is_whole and all(_is_of_all(x, setting) for x in made)


def steps_stated(
    setting: Setting, theory: Theory, known: Collection[str], bounds: Collection[str]
) -> list[Step]:
    """The steps on the mechanisms of a setting, and on the metrics of which their guarantees are made.

    known, bounds -- the metrics that are shown to be metrics, and those whose declared bounds are shown.
    """
    telling = Telling(("pure", setting.adaptive))
    for i, mechanism in enumerate(setting.mechanisms, start=1):
        _private(i, mechanism, theory, telling)
    for name in used_metrics(setting):
        _is_metric(name, setting.metrics[name], name in known, name in bounds, telling)
    return telling.steps


def _private(i: int, mechanism: Mechanism, theory: Theory, telling: Telling) -> None:
    """The step that M_i is private in a metric, after that on what is said of it."""
    sentence = [f"{mechanism.called} is ", *joined(list(map(in_metric, mechanism.every)), ", and ")]
    sentence += [", each of them"] if mechanism.members is not None else []
    sentence += [f", then {mechanism.processing}"] if mechanism.processing else []
    if not (given := _given(mechanism)):
        telling.add(sentence, GIVEN, about=[i])
        return
    page = None if mechanism.noise is None else theory.noise(mechanism.noise.word)
    page = theory.processing("interactions") if mechanism.filtered else page
    telling.add(sentence, page or BY_DEFINITION, [telling.add([given], GIVEN, about=[i])], [i])


def _given(mechanism: Mechanism) -> str:
    """What is stated of a mechanism, or of each member of a family, if no guarantee; else ""."""
    called = mechanism.called if mechanism.members is None else f"{mechanism.called}: each"
    words = mechanism.satisfies.in_metric.words
    if mechanism.noise is not None:
        read = mechanism.entries.name if mechanism.entries is not None else "the count"
        return Words(f"{mechanism.called} adds ", mechanism.noise.words, f" to {read or 'the point'}")
    if mechanism.table is not None:
        return f"{mechanism.name} has {words}"
    if mechanism.filtered:
        return f"{called} is an interaction that a filter stops at {words}"
    return f"{called} {', and '.join(map(_guaranteed, mechanism.every))}" if words else ""


def _is_metric(name: str, metric: NamedMetric, known: bool, bounded: bool, telling: Telling) -> None:
    """The step that a named metric is one, after those on what it is, and on its bound."""
    called, uses = formula(letter(name)), list[Step]()
    if metric.distance.unsaid:
        uses.append(telling.add([called, " is ", *definition(metric.distance)], BY_DEFINITION))
    if metric.at_most is not None:
        telling.add([called, " is at most ", formula(metric.at_most)], CHECKED if bounded else BELIEVED)
    axioms = " is a metric: symmetric, 0 at equal databases, with the triangle inequality"
    how = BY_DEFINITION if metric.distance.by_definition else BELIEVED
    telling.add([called, axioms], CHECKED if known else how, uses)


def used_metrics(setting: Setting) -> tuple[str, ...]:
    """The named metrics that guarantees are made of, with those that these are made of, in order."""
    named, used = setting.metrics, list[str]()
    waiting = [value for m in setting.mechanisms for value in m.satisfies.in_metric.terms]
    while waiting:
        for name in sorted(waiting.pop().letters):
            if name in named and name not in used:
                used.append(name)
                made = named[name].distance.made_of, named[name].at_most
                waiting += [term for term in made if term is not None]
    return tuple(name for name in named if name in used)


def _guaranteed(guarantee: Guarantee) -> str:
    words = guarantee.in_metric.words
    return f"satisfies {words}" if words else f"is {plain(in_metric(guarantee))}"


def in_metric(guarantee: Guarantee) -> Said:
    """That something is private in a metric, in its notion."""
    metric = guarantee.in_metric
    beside: Said = [] if metric.delta is None else [", with delta ", formula(metric.delta)]
    return [f"{private_in_a_metric(guarantee.notion)} ", formula(metric.formula), *beside]


def said_of(claim: Claim) -> Said:
    """A claim about any two databases, or about those within a distance."""
    near = claim.guarantee.in_metric.near
    if near is None:
        return in_metric(claim.guarantee)
    notion = "" if claim.notion == "pure" else f"{claim.notion} privacy with "
    if near.called:
        return [f"{notion}{claim.written} for {near.called}"]
    return [f"{notion}{claim.written} where ", formula(near.formula), " is at most ", formula(near.radius)]


def _metric(metric: NamedMetric) -> Said:
    at_most: Said = [] if metric.at_most is None else [", at most ", formula(metric.at_most)]
    return [*definition(metric.distance), *at_most]


def definition(distance: Distance) -> Said:
    """What a metric is, in words."""
    return [word if isinstance(word, str) else formula(word) for word in distance.words()]
