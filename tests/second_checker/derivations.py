"""The steps of a derivation, each computed anew from the steps before it and the pages."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

from second_checker import bags, facts, noises, tables
from second_checker.attained import AttainedSteps
from second_checker.beside_metrics import InMetrics
from second_checker.chosen import SeveralSteps
from second_checker.conclusions import Bound, Composed, Cover, Unread
from second_checker.curve_steps import CurveSteps
from second_checker.enclosures import INF
from second_checker.forms import Form, add, letter, letters, number
from second_checker.losses import Losses, Promise, Values
from second_checker.orders import Orders
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.scaled import Scaled

KEYS = {
    "given": {"i", "page"},
    "table": {"i"},
    "study": {"i", "derivation"},
    "one_by_one": {"derivation"},
    "noise": {"i", "notion", "closer"},
    "compose": {"from"},
    "cover": set(),
    "worst": {"from"},
    "closer": {"from", "key"},
    "apart": {"from", "pages", "chosen", "closer"},
    "convert": {"from", "page", "chosen"},
    "change": {"from", "page", "chosen", "certificates"},
    "at_orders": {"orders", "derivation"},
    "beyond": {"from", "claim", "order", "page"},
    "weaken": {"from", "claim", "certificates"},
    "trivial": {"claim", "key", "certificate"},
    "vacuous": {"from", "claim"},
    "attain": {"from", "notion", "neighbours", "by", "key"},
    "optimal": {"from", "key", "certificate"},
    "refute": {"from", "claim", "point", "through"},
    "loose": {"from", "claim", "key", "point"},
    "curve": {"from", "claim", "bits", "certificate"},
    "below_curve": {"from", "claim", "notion", "chords", "bits"},
    "curve_standing": {"from", "claim", "bits"},
    "exceed": {"from", "claim", "point", "neighbours", "bits", "by", "implied"},
    "choose": {"from", "which", "values", "derivation"},
    "implies": {"i", "n", "m", "values", "certificates", "derivation"},
    "least": {"from"},
    "among": {"notion", "derivation"},
    "by_lines": {"from", "claim"},
    "by_rows": {"claim"},
    "against_rows": {"claim", "point", "databases", "tables"},
    "along": {"from", "claim", "chains", "certificates"},
    "single_steps": {"values", "certificates", "derivation"},
}

PROCEDURES = {
    "records": "edit types",
    "policies": "policies",
    "listed": "exhaustion",
    "steps": "own steps",
    "arrays": "arrays",
    "contributions": "contributions",
}


class Derivation(CurveSteps, AttainedSteps, SeveralSteps):
    """The conclusions of the steps so far; `inner` replays a derivation about another setting, `told` is what the
    profile of this one is found from."""

    keys: ClassVar = KEYS

    def __init__(self, losses: Losses, count: int, inner: Callable[..., Any], told: Any = None) -> None:
        super().__init__(losses, count)
        self.inner, self.told = inner, told

    def add(self, step: Any) -> None:
        """Checks one more step."""
        rule = step.get("rule")
        demand(rule in self.keys, f"there is no rule {rule}")
        demand(set(step) - {"rule"} <= self.keys[rule], f"a step {rule} with other entries")
        demand(type(step.get("bits", 1)) is int and step.get("bits", 1) > 0, "bits that are no number")
        before = []
        for n in step.get("from", []):
            demand(
                type(n) is int and 1 <= n <= len(self.conclusions),
                "a step from one that is not before it",
            )
            before.append(self.conclusions[n - 1])
        self.conclusions.append(getattr(self, rule)(step, before))

    # -- bounds ------------------------------------------------------------------------------------------

    def mechanism(self, i: Any, kind: str) -> Any:
        """The mechanism with this number, which must be of this kind."""
        demand(type(i) is int and 1 <= i <= self.count, "there is no such mechanism")
        one = self.losses.core["mechanisms"][i - 1]
        own = [key for key in ("noise", "table", "study") if key in one] or ["given"]
        demand(own == [kind], f"a mechanism that is {own} is taken for one that is {kind}")
        if kind != "noise" and "metric" not in one:
            self.losses.library.of("step", domain=one["domain"])
        self.kept(one)
        return one

    def kept(self, mechanism: Any) -> None:
        """A function of the outputs of a mechanism keeps its guarantee, and a filter makes it: by pages."""
        for key, of in (("processed", "outputs"), ("filtered", "interactions"), ("dealt", "deals")):
            demand(type(mechanism.get(key, False)) is bool, f"{key} or not")
            if mechanism.get(key):
                page = self.losses.library.of("processing", of=of)
                demand(mechanism["notion"] in page.get("notions", [mechanism["notion"]]), "another notion")

    def given(self, step: Any, before: list[Any]) -> Promise:
        """A guarantee as it is stated."""
        one = self.mechanism(step["i"], "given")
        for other in one.get("also", []):
            alike = "orders" not in other and all(other[key] == one[key] for key in ("stated", "domain"))
            demand(alike and "orders" not in one, "one of several guarantees for other neighbours")
        return self.restated(step, one) if "page" in step else Promise(step["i"] - 1, one["notion"])

    def restated(self, step: Any, one: Any) -> Promise:
        """A guarantee of divergences of all large orders, as what a page says to be the same."""
        page = self.losses.library.one(step["page"])
        demand(page.get("both-ways") is True and page["from"] == one["notion"], "a page that says less")
        demand(
            not {"sampled", "metric", "also"} & set(one), "a guarantee on samples, in a metric, or of several"
        )
        if (page["to"], page["parameters"], page["orders"]) != ("pure", {"epsilon": "epsilon"}, "large"):
            raise NotRead("orders", "what another page says to be the same")
        value = self.losses.algebra.read(one["values"]["epsilon"], {"alpha": letter("alpha")})
        demand(Orders.read(one["orders"]).high == INF and "alpha" not in letters(value), "some orders only")
        instead = {key: said for key, said in one.items() if key != "orders"} | {"notion": "pure"}
        return Promise(step["i"] - 1, "pure", (), (("epsilon", value),), instead=instead)

    def noise(self, step: Any, before: list[Any]) -> Promise:
        """The guarantee of a noise."""
        one = self.mechanism(step["i"], "noise")
        page = self.losses.library.one(one["noise"]["page"])
        if step.get("closer"):
            demand(step["notion"] in page.get("closer", {}), "a noise that says nothing closer")
            return Promise(step["i"] - 1, step["notion"], closer=True)
        there = step["notion"] == one["notion"] or step["notion"] in page.get("moved", {})
        if there or self.losses.rule(step["notion"]).get("ordered"):
            return Promise(step["i"] - 1, step["notion"])
        own = noises.guarantee(self.algebra, self.losses.library, one, step["notion"])
        return Promise(step["i"] - 1, step["notion"], (), tuple(own.items()))

    def table(self, step: Any, before: list[Any]) -> Promise:
        """The guarantee of a table of probabilities, which its rows are checked to have."""
        one = self.mechanism(step["i"], "table")
        tables.satisfies(self.algebra, one, self.losses.core)
        return Promise(step["i"] - 1, one["notion"])

    def study(self, step: Any, before: list[Any]) -> Promise:
        """What a study satisfies, by a derivation about it."""
        one = self.mechanism(step["i"], "study")
        bound = self.inner(step["derivation"], one["study"])
        if isinstance(bound, Unread):
            raise NotRead("step", "a study that is not read")
        demand(isinstance(bound, Bound), "a study without a guarantee")
        values = {
            key: value
            if value is None or key not in bound.squared
            else self.algebra.power(value, Fraction(1, 2))
            for key, value in bound.values.items()
        }
        return Promise(step["i"] - 1, bound.notion, (), tuple(values.items()))

    def one_by_one(self, step: Any, before: list[Any]) -> Any:
        """What is concluded where the mechanisms of studies stand in their place."""
        demand("flat" in self.losses.core, "there is no study")
        for one in self.losses.core["mechanisms"]:
            if "study" in one:
                self.kept(one)
        return self.inner(step["derivation"], self.losses.core["flat"])

    def compose(self, step: Any, before: list[Any]) -> Composed:
        """All mechanisms together, in one notion."""
        self.one(before, *[Promise] * len(before))
        demand([p.mechanism for p in before] == list(range(self.count)), "not each mechanism once, in order")
        demand(len({p.notion for p in before}) == 1, "guarantees of several notions are composed")
        pages = {page for p in before for page, _ in p.pages}
        demand(
            not any(self.losses.library.one(page).get("apart") for page in pages), "what is set apart is lost"
        )
        rule = self.losses.library.of("rule", notion=before[0].notion)
        demand(not self.losses.core["adaptive"] or "adaptively" in rule, "a rule that is not about choices")
        return Composed(tuple(before))

    def cover(self, step: Any, before: list[Any]) -> Cover:
        """The profile, found anew when the setting was read."""
        library = self.losses.library
        kind = self.losses.core["databases"]["kind"]
        named = self.losses.expanded if isinstance(self.losses, InMetrics) else self.losses.core
        (bags if kind == "contributions" else facts).demand_named(named, library)
        if "times" in self.losses.core["target"]:
            library.of("procedure", procedure="any number of steps")
        demand(
            isinstance(self.losses, Scaled) or "corners" not in library.tables, "corners of another profile"
        )
        many = "corners" if "corners" in library.tables else PROCEDURES.get(kind, "blocks")
        library.of("procedure", procedure=many)
        if "letter" in self.losses.core["databases"]:
            library.of("procedure", procedure="any number of records")
        return Cover(losses=self.losses)

    def worst(self, step: Any, before: list[Any]) -> Bound:
        """The largest values over the profile, by the rule."""
        composed, _ = self.one(before, Composed, Cover)
        self.losses.library.one("sensitivity-profile")
        notion = composed.promises[0].notion
        return Bound(notion, self.losses.bound(list(composed.promises)), self.squared(notion))

    def closer(self, step: Any, before: list[Any]) -> Bound:
        """The same with the least values that pages give."""
        composed, _ = self.one(before, Composed, Cover)
        self.losses.library.one("sensitivity-profile")
        notion = composed.promises[0].notion
        demand(notion == "approximate" and step["key"] == "delta", "closer values of another parameter")
        return Bound(notion, self.losses.bound(list(composed.promises), closer=True), frozenset())

    def apart(self, step: Any, before: list[Any]) -> Bound:
        """A guarantee with a parameter of some mechanisms set apart."""
        promises = before[1:]
        self.one(before, Cover, *[Promise] * len(promises))
        demand(
            [p.mechanism for p in promises] == list(range(self.count)), "not each mechanism once, in order"
        )
        demand(len({p.notion for p in promises}) == 1, "guarantees of several notions are composed")
        library, chosen = self.losses.library, step.get("chosen", {})
        first = [library.one(p.pages[0][0]) if p.pages else {} for p in promises]
        heads = {(page["apart"][0], page["from"]) for page in first if page.get("apart")}
        demand(
            len(heads) == 1 and all(len(page.get("apart", [0])) == 1 for page in first),
            "nothing is set apart",
        )
        ((key, notion),) = heads
        for page, _ in (one for p in promises for one in p.pages[1:]):
            demand(not library.one(page).get("apart"), "what is set apart later")
        for of in {notion, promises[0].notion}:
            rule = library.of("rule", notion=of)
            demand(
                not self.losses.core["adaptive"] or "adaptively" in rule, "a rule that is not about choices"
            )
        library.one("sensitivity-profile")
        own = promises[0].notion
        values = self.roots(own, self.losses.bound(promises))
        for page in step["pages"]:
            table = library.one(page)
            demand(table["from"] == own and not table.get("apart"), "a conversion from another notion")
            values = self.losses.converted(page, chosen if table.get("free") else {}, values)
            own = table["to"]
        demand(own == notion, "what is set apart is of another notion")
        alone = [
            Promise(p.mechanism, notion, (), p.own)
            for p, page in zip(promises, first, strict=True)
            if page.get("apart")
        ]
        x = self.losses.bound(alone, closer=bool(step["closer"]))[key]
        if values is None or x is None:
            return Bound(notion, dict.fromkeys(self.losses.rule(notion)["parameters"]), frozenset())
        demand((notion, key) == ("approximate", "delta"), "another parameter is set apart")
        one = number(1)
        total = self.losses.joined([(values[key], one), (x, one)]) if step["closer"] else add(values[key], x)
        return Bound(notion, {**values, key: total}, frozenset())

    def roots(self, notion: str, values: dict[str, Form | None]) -> Values:
        """The parameters of a bound, roots of those that are kept as squares; None where one is ∞."""
        found: dict[str, Form] = {}
        for key, value in values.items():
            if value is None:
                return None
            found[key] = self.algebra.power(value, Fraction(1, 2)) if key in self.squared(notion) else value
        return found

    def convert(self, step: Any, before: list[Any]) -> Promise:
        """The guarantee of a mechanism in another notion."""
        page = self.losses.library.one(step["page"])
        (promise,) = self.one(before, Promise)
        demand(
            page["kind"] == "conversion" and page["from"] == promise.notion,
            "a conversion from another notion",
        )
        chosen = tuple(sorted(step.get("chosen", {}).items()))
        return Promise(promise.mechanism, page["to"], (*promise.pages, (step["page"], chosen)), promise.own)

    def change(self, step: Any, before: list[Any]) -> Bound:
        """A guarantee for the target in another notion."""
        (bound,) = self.one(before, Bound)
        page = self.losses.library.one(step["page"])
        demand(not page.get("apart"), "what is set apart is forgotten")
        demand(
            page["kind"] == "conversion" and page["from"] == bound.notion, "a conversion from another notion"
        )
        values: Values = {}
        for key, value in bound.values.items():
            if value is None or values is None:
                values = None
                continue
            values[key] = self.algebra.power(value, Fraction(1, 2)) if key in bound.squared else value
        self.kept_within(page, step, values)
        new = self.losses.converted(step["page"], step.get("chosen", {}), values, within=True)
        squared = self.squared(page["to"])
        keys = page["parameters"]
        if new is None:
            return Bound(page["to"], dict.fromkeys(keys, None), squared)
        made: dict[str, Form | None] = {
            key: self.algebra.times(x, x) if key in squared else x for key, x in new.items()
        }
        return Bound(page["to"], made, squared)

    def kept_within(self, page: Any, step: Any, values: Values) -> None:
        """Rejects where a parameter is above a limit of a page."""
        limits, certificates = page.get("at-most", {}), step.get("certificates", {})
        demand(set(certificates) <= set(limits), "a certificate of no limit")
        if not limits or values is None:
            return
        names = {**values, **{key: self.algebra.read(text) for key, text in step.get("chosen", {}).items()}}
        for key, text in limits.items():
            squared = key in self.squared(page["to"] if key in step.get("chosen", {}) else page["from"])
            limit, value = self.algebra.read(text, names), names[key]
            if squared and key in certificates:
                limit, value = self.algebra.times(limit, limit), self.algebra.times(value, value)
            self.compare(certificates.get(key), limit, value, squared)

    def at_orders(self, step: Any, before: list[Any]) -> Any:
        """What is concluded about the same setting with other orders: the mechanisms that are meant are the same."""

        def spoken(core: Any) -> Any:
            mechanisms = [
                {**one, "study": spoken(one["study"])} if "study" in one else one
                for one in core["mechanisms"]
            ]
            flat = {"flat": spoken(core["flat"])} if "flat" in core else {}
            return {**core, "orders": step["orders"], "mechanisms": mechanisms, **flat}

        return self.inner(step["derivation"], spoken(self.losses.core), self.told)

    # -- claims ------------------------------------------------------------------------------------------

    def weaken(self, step: Any, before: list[Any]) -> Bound:
        """A claim that is at least a guarantee."""
        (bound,) = self.one(before, Bound)
        claim = step["claim"]
        demand(claim["notion"] == bound.notion, "a claim of another notion")
        values = self.claimed(claim, bound.values, bound.squared)
        demand(set(step["certificates"]) <= set(values), "a certificate of no parameter")
        for key, value in values.items():
            known, certificate = bound.values[key], step["certificates"].get(key)
            if value is None:
                continue
            if known is None:
                raise Rejected("a finite claim follows from no bound at all")
            self.compare(certificate, value, known, key in bound.squared)
        return Bound(bound.notion, values, bound.squared, claim)

    def trivial(self, step: Any, before: list[Any]) -> Bound:
        """A claim with a parameter so large that it says nothing."""
        claim, key = step["claim"], step["key"]
        rule = self.losses.library.rule(claim["notion"])
        squared = self.squared(claim["notion"])
        values = self.claimed(claim, rule["parameters"], squared)
        value = values[key]
        if value is not None:
            demand(key in rule.get("limits", {}), "a parameter without a limit")
            limit = self.algebra.read(rule["limits"][key])
            self.compare(step.get("certificate"), value, limit, squared=False)
        return Bound(claim["notion"], values, squared, claim)

    def vacuous(self, step: Any, before: list[Any]) -> Bound:
        """A claim where there are no neighbours."""
        self.one(before, Cover)
        demand(not self.losses.vectors, "there are neighbours")
        claim = step["claim"]
        keys = [key for key in claim if key != "notion"]
        return Bound(claim["notion"], self.claimed(claim, keys), frozenset(), claim)
