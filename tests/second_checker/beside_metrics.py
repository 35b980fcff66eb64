"""Guarantees in metrics, for the neighbours of a target (certificates.md, 2.3, Metrics).

A helper stands for each distance that a guarantee is a formula in: the types of neighbours are those of all distances.
At a type the mechanism has the guarantee of its formula, by the formula of its rule page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from second_checker import groups, in_metrics
from second_checker.algebra import Algebra
from second_checker.distances import spoken
from second_checker.enclosures import INF
from second_checker.forms import ZERO, Form, letter, number
from second_checker.in_steps import granularities
from second_checker.losses import Losses, Promise, Values
from second_checker.metric_axioms import Axioms
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.pairs import limit, simple
from second_checker.profiles import Distance, Vector, profile
from second_checker.rewriting import rewritten
from second_checker.samples import demand_same
from second_checker.scaled import Scaled

Far = Mapping[str, Form | float]
"""How far what is read moves, by the letters of distances; ∞ is a number."""
KEYS = {"name", "reads", "domain", "notion", "values", "metric", "processed"}
METRIC = {"formula", "besides", "distances", "bounded"}


def is_metrical(core: Any) -> bool:
    """Whether some guarantee is one in a metric."""
    return any("metric" in one for one in core["mechanisms"])


# -- agreement -------------------------------------------------------------------------------------------


def expanded(problem: Any, core: Any) -> tuple[Any, Any]:
    """The problem and the setting with helpers in place of mechanisms that are stated in metrics.

    Rejects other metrics than those of the problem file.
    """
    said, own = [], []
    demand(len(problem["mechanisms"]) == len(core["mechanisms"]), "there are other mechanisms")
    for given, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        if "metric" not in one:
            said.append(given)
            own.append(one)
            continue
        if set(one) - KEYS or set(one["metric"]) != METRIC or one["metric"]["bounded"] is not False:
            raise NotRead("metrics", "families in metrics, or distances that are only bounded")
        same_formulas(given, one, problem, core)
        for name, helper in one["metric"]["distances"].items():
            said.append(helper_of(given, name, helper, problem))
            own.append(helper)
            demand(helper["reads"] == one["reads"], "a distance of something else that is read")
    return problem | {"mechanisms": said}, core | {"mechanisms": own}


def helper_of(given: Any, name: str, helper: Any, problem: Any) -> Any:
    """A mechanism of the problem file that loses 1 for each step of a distance."""
    demand(
        set(helper) == {"name", "reads", "domain", "notion", "values", "stated"}, "a distance of another kind"
    )
    demand(helper["notion"] == "pure" and helper["values"] == {"epsilon": "1"}, "a distance of another kind")
    if "lengths" in helper["stated"]:
        raise NotRead("metrics", "lengths of steps")
    plain = name.removeprefix("d__")
    own = problem.get("metrics", {}).get(plain, {})
    said = own.get("granularity", granularities(problem).get(plain.removeprefix("d_")))
    demand(name.startswith("d__") and said is not None, "a distance that the problem has not")
    promised = {"notion": "pure", "epsilon": "1", "granularity": said}
    promised |= {"domain": given["guarantee"]["domain"]} if "domain" in given["guarantee"] else {}
    return {"name": helper["name"], "reads": given.get("reads", "everything"), "guarantee": promised}


def same_formulas(given: Any, one: Any, problem: Any, core: Any) -> None:
    """Rejects a guarantee in another metric, or with other formulas beside it."""
    promised, metric = given.get("guarantee", {}), one["metric"]
    demand(given["name"] == one["name"] and promised.get("notion") == one["notion"], "another mechanism")
    demand(
        bool(given.get("post-processing")) == one.get("processed", False), "a function of outputs, or none"
    )
    demand(
        set(promised) <= {"notion", "metric", "delta", "domain"} and "metric" in promised, "another guarantee"
    )
    demand(one["domain"] == "own", "another domain")
    told = {key: "0" if key == "delta" else "1" for key in one["values"]}
    demand(one["values"] == told and len(set(told) - {"delta"}) == 1, "another guarantee")
    demand(set(metric["besides"]) == set(promised) & {"delta"}, "formulas of other parameters")
    demand(not set(metric["distances"]) & set(core["parameters"]), "a distance that is a parameter")
    algebra = algebra_of(core, one)
    nearest(promised, one, problem, core)
    pairs = [(promised["metric"], metric["formula"])]
    pairs += [(promised[key], text) for key, text in metric["besides"].items()]
    for text, own in pairs:
        demand_same(algebra, in_letters(algebra, text, problem, metric), algebra.read(own), "another metric")
        there = rewritten(
            algebra,
            algebra.read(own),
            lambda a: ZERO if a[0] == "letter" and a[1] in metric["distances"] else None,
        )
        demand(simple(algebra, there) == ZERO, "a metric that is not 0 where nothing moves")
        if not axioms(core, one).is_a_metric(algebra.read(own)):
            # largest distances decide for what never falls with them: metrics that are made of metrics do not
            raise NotRead("metrics", "what is not seen to be a metric")


def nearest(promised: Any, one: Any, problem: Any, core: Any) -> None:
    """Refuses what is stated of the whole class where it may be no formula in distances of what is read.

    There it holds at the nearest two databases with what is read: by one distance, of multisets of any size, of which
    two are as near as any chain leads through databases that are read alike.
    """
    if promised.get("domain") != "common" or one["reads"] == [None]:
        return
    base, named = core["databases"], problem.get("metrics", {})

    def told(text: Any) -> set[str]:
        found = set(spoken(str(text)))
        inside = [told(named[x]["formula"]) for x in found if "formula" in named.get(x, {})]
        return {x for x in found if x.startswith("d_") or (x in named and "formula" not in named[x])}.union(
            *inside
        )

    every = set[str]().union(*(told(promised[key]) for key in ("metric", "delta") if key in promised))
    multisets = (
        base["kind"] in ("records", "policies") and base["of"] == "multisets" and base["size"][1] is None
    )
    if len(every) > 1 or not multisets or "least" in base:
        raise NotRead("metrics", "several distances on the common domain, or of databases of limited size")


def in_letters(algebra: Algebra, text: Any, problem: Any, metric: Any) -> Form:
    """A formula of the problem file in metrics by name, as one in the distances of a setting."""
    own, names = problem.get("metrics", {}), {}
    for name in spoken(str(text)):
        if "formula" in own.get(name, {}):
            demand(set(own[name]) == {"formula"}, "a metric with other entries")
            names[name] = in_letters(algebra, own[name]["formula"], problem, metric)
        elif name in own or name.startswith("d_"):
            demand(f"d__{name}" in metric["distances"], "a distance that the setting has not")
            names[name] = letter(f"d__{name}")
    return algebra.read(text, names)


def algebra_of(core: Any, one: Any) -> Algebra:
    """Formulas in the distances of a mechanism."""
    return in_metrics.with_distances(with_distances_of(core, one))


def with_distances_of(core: Any, one: Any) -> Any:
    """The setting with the distances of a mechanism, as those of any two databases."""
    return {**core, "distances": {name: {"input": x} for name, x in one["metric"]["distances"].items()}}


def axioms(core: Any, one: Any) -> Axioms:
    """What is seen to be a metric of the distances of a mechanism."""
    return Axioms(algebra_of(core, one), with_distances_of(core, one), ())


# -- losses ----------------------------------------------------------------------------------------------


class InMetrics(Losses):
    """Losses of which some are in metrics; `apart` has the distances of these mechanisms, by the ranks of vectors."""

    apart: dict[int, list[Far]]
    expanded: Any

    def metric_of(self, i: int) -> Any:
        """A mechanism that is stated in a metric."""
        return self.core["mechanisms"][i]

    def put(self, i: int, rank: int, form: Form) -> Form | None:
        """A formula in distances at a type; None for ∞."""
        far = self.apart[i][rank - 1]
        algebra = algebra_of(self.core, self.metric_of(i))

        def there(a: Any) -> Form | None:
            r = far.get(a[1], INF) if a[0] == "letter" else INF
            return None if isinstance(r, float) else r

        endless = {name for name, r in far.items() if r == INF}
        found: Form | None = rewritten(algebra, form, there)
        if endless and found is not None:
            found = limit(algebra, found, endless)
        return None if found is None else simple(self.algebra, rewritten(self.algebra, found, lambda a: None))

    def of_metric(self, i: int, rank: int) -> Values:
        """The parameters of a mechanism at a type."""
        one = self.metric_of(i)
        forms = in_metrics.in_distances(one, with_distances_of(self.core, one), self.library)
        rule = self.library.rule(one["notion"])
        if "at-steps" in rule and self.is_plain(i) and number(1) not in self.apart[i][rank - 1].values():
            raise NotRead("metrics", "several steps of a metric, where a page says more of these")
        values = {key: self.put(i, rank, form) for key, form in forms.items()}
        found = {key: x for key, x in values.items() if x is not None}
        return found if len(found) == len(values) else None

    def is_plain(self, i: int) -> bool:
        """Whether the metric is a number for each step of a distance: then it moves by so many steps."""
        one = self.metric_of(i)
        form, names = (
            algebra_of(self.core, one).read(one["metric"]["formula"]),
            list(one["metric"]["distances"]),
        )
        ((monomial, _), *_) = form
        return len(form) == 1 and len(names) == 1 and dict(monomial).get(("letter", names[0])) == 1

    def at(self, promise: Promise, r: Distance) -> Values:
        i = promise.mechanism
        if i not in self.apart:
            return super().at(promise, r)
        demand(promise.own is None and not promise.closer, "another guarantee of a mechanism in a metric")
        values = self.of_metric(i, int(r))
        for page, chosen in promise.pages:
            values = self.converted(page, dict(chosen), values)
        return values

    def witness(
        self, i: int, r: Distance, notion: str, key: str, squared: bool, alike: list[int]
    ) -> Form | None:
        if i not in self.apart:
            return super().witness(i, r, notion, key, squared, alike)
        one = self.metric_of(i)
        values = self.of_metric(i, int(r))
        if values is None:
            return None
        if one["notion"] == notion:
            demand(not one["metric"]["besides"], "a witness beside another parameter")
            return self.algebra.times(values[key], values[key]) if squared else values[key]
        table = self.library.of("violation", of=one["notion"], notion=notion)
        if table.get("alone") or squared or self.is_plain(i):
            raise NotRead("metrics", "what is lost in another notion")
        demand("in-a-metric" in table, "a page that says nothing of metrics")
        return None if table["in-a-metric"] == "oo" else self.algebra.read(table["in-a-metric"], values)

    def events(self, key: str, mechanisms: list[int]) -> list[Form | None]:
        if not self.apart.keys() & set(mechanisms):
            return super().events(key, mechanisms)
        demand(key == "delta", "another witness")
        every: list[Form | None] = []
        for v in self.vectors:
            moves = [(i, r) for r, i in zip(v, self.numbers(), strict=True) if r and i in mechanisms]
            if any(r == INF or (i in self.apart and self.of_metric(i, int(r)) is None) for i, r in moves):
                every.append(None)  # whatever differs so may be told for certain
                continue
            every.append(self.joined([(self.probability(i, r), number(1)) for i, r in moves]))
        return every

    def probability(self, i: int, r: Distance) -> Form:
        """How probable an event is that is impossible at the other database."""
        one = self.core["mechanisms"][i]
        demand(one["notion"] == "approximate", "an event of another notion")
        if i in self.apart:
            besides = one["metric"]["besides"].get("delta", "0")
            delta = self.put(i, int(r), algebra_of(self.core, one).read(besides))
            assert delta is not None
            return self.least([number(1), delta])
        own = self.stated(i)
        if r != 1 or own is None or "count" in one or self.algebra.sign(number(1)) < 1:
            raise NotRead("attained", "events of several steps, or of families, beside metrics")
        return self.least([number(1), own["delta"]])

    def piece(self, i: int, rank: Distance, page: Any, exact: bool) -> tuple[Any, Values] | None:
        """The formulas of a computed page for a mechanism at a type, and what stands in them."""
        if i not in self.apart:
            return None
        values = self.of_metric(i, int(rank))
        if not exact or self.is_plain(i):
            raise NotRead("metrics", "curves of whole steps, or from above")
        demand(
            self.metric_of(i)["notion"] in page.get("in-a-metric", {}), "a page that says nothing of metrics"
        )
        return page["in-a-metric"][self.metric_of(i)["notion"]], values


@dataclass
class Metrical(InMetrics):
    """The same at the types of neighbours."""

    apart: dict[int, list[Far]] = field(default_factory=dict)
    expanded: Any = None


@dataclass
class MetricalGroups(InMetrics, Scaled):
    """The same at the types of groups of a number of steps that is a letter."""

    apart: dict[int, list[Far]] = field(default_factory=dict)
    expanded: Any = None


def lost(core: Any, told: Any, library: Library) -> InMetrics:
    """What mechanisms lose at the types of all distances."""
    if "times" in told["target"]:
        return of_groups(core, told, library)
    vectors, moves = profile(told, library)
    found = Contracted(core)
    own = [found.vector(v, lambda i, r: INF if r == INF else number(r)) for v in vectors]
    return Metrical(core, own, library, {found.of[n]: x for n, x in moves.items()}, found.apart, told)


def of_groups(core: Any, told: Any, library: Library) -> MetricalGroups:
    """The same where any number of steps is taken: what is lost in a metric is not seen to be convex, so that its
    distances have to be the same for all steps."""
    scaled, found = groups.lost(told, library), Contracted(core)
    numbers = scaled.numbers()
    helpers = {n for n, i in found.of.items() if "metric" in core["mechanisms"][i]}
    for n, i in enumerate(numbers):
        if i in helpers and len({v[n] for v in scaled.vectors}) > 1:
            raise NotRead(
                "metrics", "groups of steps that move what is stated in a metric by several distances"
            )
    own = [found.vector(v, lambda i, r: INF if r == INF else scaled.far[i][int(r)]) for v in scaled.vectors]
    far = {i: scaled.far[n] for n, i in found.of.items() if n not in helpers}
    return MetricalGroups(core, own, library, {}, far, {}, True, found.apart, told)


class Contracted:
    """The vectors of a setting with helpers, as those of the mechanisms that these stand for."""

    def __init__(self, core: Any) -> None:
        self.mechanisms = core["mechanisms"]
        self.apart: dict[int, list[Far]] = {i: [] for i, one in enumerate(self.mechanisms) if "metric" in one}
        self.of: dict[int, int] = {}
        """The mechanism of each one of the setting with helpers."""
        for i, one in enumerate(self.mechanisms):
            for _ in one["metric"]["distances"] if "metric" in one else (i,):
                self.of[len(self.of)] = i

    def vector(self, v: Vector, distance: Callable[[int, Distance], Form | float]) -> Vector:
        """A vector, with the rank of the distances of each mechanism that is stated in a metric."""
        left, found, helper = list(v), list[Distance](), 0
        for i, one in enumerate(self.mechanisms):
            names = list(one["metric"]["distances"]) if "metric" in one else []
            many = len(names) or len(one["reads"])
            own, left = left[:many], left[many:]
            if names:
                moved = {
                    name: distance(helper + n, r) for n, (name, r) in enumerate(zip(names, own, strict=True))
                }
                if any(own) and moved not in self.apart[i]:
                    self.apart[i].append(moved)
                found.append(self.apart[i].index(moved) + 1 if any(own) else 0)
            else:
                found += own
            helper += len(names) or 1
        return tuple(found)


__all__ = ["InMetrics", "expanded", "is_metrical", "lost"]
