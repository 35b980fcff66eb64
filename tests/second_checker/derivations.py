"""The steps of a derivation, each computed anew from the steps before it and the pages."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from second_checker.comparisons import compare
from second_checker.enclosures import Interval
from second_checker.forms import INF, Form
from second_checker.losses import Losses, Promise, Values
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pieces import Curves


@dataclass(frozen=True)
class Composed:
    """All mechanisms together, not yet at the worst neighbours."""

    promises: tuple[Promise, ...]


@dataclass(frozen=True)
class Cover:
    """The profile."""


@dataclass
class Bound:
    """A guarantee for the target: a value a parameter, None for ∞; squares where `squared` says so."""

    notion: str
    values: dict[str, Form | None]
    squared: frozenset[str]
    claim: Any = None


@dataclass
class Attained:
    """What witnesses lose in a notion."""

    notion: str
    mechanisms: list[int]


@dataclass
class Shown:
    """A claim with its fate: proved, refuted, loose; or a bound that is optimal (then `step` is the bound's)."""

    what: str
    claim: Any = None
    step: int = 0


KEYS = {
    "given": {"i"},
    "noise": {"i", "notion"},
    "compose": {"from"},
    "cover": set(),
    "worst": {"from"},
    "closer": {"from", "key"},
    "convert": {"from", "page", "chosen"},
    "change": {"from", "page", "chosen"},
    "weaken": {"from", "claim", "certificates"},
    "vacuous": {"from", "claim"},
    "attain": {"from", "notion", "neighbours", "by"},
    "optimal": {"from", "key", "certificate"},
    "refute": {"from", "claim", "point", "through"},
    "loose": {"from", "claim", "key", "point"},
    "curve": {"from", "claim", "bits"},
    "curve_standing": {"from", "claim", "bits"},
    "exceed": {"from", "claim", "point", "neighbours", "bits"},
}

PROCEDURES = {
    "records": "edit types",
    "listed": "exhaustion",
    "steps": "own steps",
    "arrays": "arrays",
}


class Derivation:
    """The conclusions of the steps so far."""

    def __init__(self, losses: Losses, count: int) -> None:
        self.losses, self.algebra = losses, losses.algebra
        self.count = count
        self.curves = Curves(losses)
        self.conclusions: list[Any] = []

    def add(self, step: Any) -> None:
        """Checks one more step."""
        rule = step.get("rule")
        if rule not in KEYS:
            raise NotRead(str(rule), "a step")
        demand(set(step) - {"rule"} <= KEYS[rule], f"a step {rule} with other entries")
        before = []
        for n in step.get("from", []):
            demand(
                isinstance(n, int) and 1 <= n <= len(self.conclusions),
                "a step from one that is not before it",
            )
            before.append(self.conclusions[n - 1])
        self.conclusions.append(getattr(self, rule)(step, before))

    def one(self, before: list[Any], *kinds: type) -> list[Any]:
        """The steps before, which must be of these kinds."""
        demand(len(before) == len(kinds), "a step from more or fewer steps")
        fits = all(isinstance(x, kind) for x, kind in zip(before, kinds, strict=True))
        demand(fits, "a step from steps of another kind")
        if any(isinstance(x, Unread) for x in before):
            raise NotRead("step", "from one that is not read")
        return before

    # -- bounds ------------------------------------------------------------------------------------------

    def given(self, step: Any, before: list[Any]) -> Promise:
        """A guarantee as it is stated."""
        i = step["i"]
        demand(isinstance(i, int) and 1 <= i <= self.count, "there is no such mechanism")
        noisy = i - 1 in self.losses.moves
        demand(noisy == (step.get("rule", "noise") == "noise"), "a noise is given, or a guarantee is a noise")
        return Promise(i - 1, self.losses.core["mechanisms"][i - 1]["notion"])

    def noise(self, step: Any, before: list[Any]) -> Promise:
        """The guarantee of a noise."""
        promise = self.given({"i": step["i"]}, before)
        if step["notion"] != promise.notion:
            raise NotRead("noise", "in another notion than that of the setting")
        return promise

    def compose(self, step: Any, before: list[Any]) -> Composed:
        """All mechanisms together, in one notion."""
        self.one(before, *[Promise] * len(before))
        demand(sorted(p.mechanism for p in before) == list(range(self.count)), "not each mechanism once")
        demand(len({p.notion for p in before}) == 1, "guarantees of several notions are composed")
        self.losses.library.of("rule", notion=before[0].notion)
        return Composed(tuple(before))

    def cover(self, step: Any, before: list[Any]) -> Cover:
        """The profile, found anew when the setting was read."""
        library = self.losses.library
        library.one("sensitivity-profile")
        for mechanism in self.losses.core["mechanisms"]:
            if "noise" not in mechanism:
                library.of("step", domain=mechanism["domain"])
        kind = self.losses.core["databases"]["kind"]
        library.of("procedure", procedure=PROCEDURES.get(kind, "blocks"))
        return Cover()

    def squared(self, notion: str) -> frozenset[str]:
        """The parameters of a notion that are composed by their squares."""
        return frozenset(self.losses.rule(notion).get("squared", []))

    def worst(self, step: Any, before: list[Any]) -> Bound:
        """The largest values over the profile, by the rule."""
        composed, _ = self.one(before, Composed, Cover)
        notion = composed.promises[0].notion
        return Bound(notion, self.losses.bound(list(composed.promises)), self.squared(notion))

    def closer(self, step: Any, before: list[Any]) -> Bound:
        """The same with the least values that pages give."""
        composed, _ = self.one(before, Composed, Cover)
        notion = composed.promises[0].notion
        demand(notion == "approximate" and step["key"] == "delta", "closer values of another parameter")
        return Bound(notion, self.losses.bound(list(composed.promises), closer=True), frozenset())

    def convert(self, step: Any, before: list[Any]) -> Promise:
        """The guarantee of a mechanism in another notion."""
        (promise,) = self.one(before, Promise)
        page = self.losses.library.one(step["page"])
        demand(
            page["kind"] == "conversion" and page["from"] == promise.notion,
            "a conversion from another notion",
        )
        chosen = tuple(sorted(step.get("chosen", {}).items()))
        return Promise(promise.mechanism, page["to"], (*promise.pages, (step["page"], chosen)))

    def change(self, step: Any, before: list[Any]) -> Bound:
        """A guarantee for the target in another notion."""
        (bound,) = self.one(before, Bound)
        page = self.losses.library.one(step["page"])
        demand(
            page["kind"] == "conversion" and page["from"] == bound.notion, "a conversion from another notion"
        )
        values: Values = {}
        for key, value in bound.values.items():
            if value is None or values is None:
                values = None
                continue
            values[key] = self.algebra.power(value, Fraction(1, 2)) if key in bound.squared else value
        new = self.losses.converted(step["page"], step.get("chosen", {}), values)
        squared = self.squared(page["to"])
        keys = page["parameters"]
        if new is None:
            return Bound(page["to"], dict.fromkeys(keys, None), squared)
        made = {key: self.algebra.times(x, x) if key in squared else x for key, x in new.items()}
        return Bound(page["to"], made, squared)

    # -- claims ------------------------------------------------------------------------------------------

    def claimed(self, claim: Any, keys: Any, squared: frozenset[str] = frozenset()) -> dict[str, Form | None]:
        """The values of a claim, squared where its parameters are composed by squares."""
        demand(set(claim) == {"notion", *keys}, "a claim has other parameters")
        values: dict[str, Form | None] = {}
        for key in keys:
            value = None if claim[key] == "oo" else self.algebra.read(claim[key])
            if value is not None and key in squared:
                demand(self.algebra.sign(value) > 0, "a claim whose square is compared may be below 0")
                value = self.algebra.times(value, value)
            values[key] = value
        return values

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

    def compare(self, certificate: Any, greater: Form, less: Form, squared: bool) -> None:
        """Rejects where the certificate does not compare; roots are compared by their squares."""
        if certificate is not None and squared:
            if set(certificate) != {"squares"}:
                raise NotRead("certificate", "of roots that are not compared by their squares")
            certificate = certificate["squares"]
        compare(certificate, greater, less, self.losses.core["parameters"])

    # -- curves ------------------------------------------------------------------------------------------

    def every(self, before: list[Any]) -> list[Promise]:
        """The guarantees of all mechanisms, as they are, after the profile."""
        self.one(before, Cover, *[Promise] * (len(before) - 1))
        promises: list[Promise] = before[1:]
        demand(sorted(p.mechanism for p in promises) == list(range(self.count)), "not each mechanism once")
        demand(all(not p.pages for p in promises), "curves of converted guarantees")
        return promises

    def numbers(self, claim: Any, point: dict[str, Fraction]) -> tuple[Interval, Interval]:
        """The values of a claim with a delta at a point."""
        demand(claim["notion"] == "approximate", "a curve of another notion")
        values = self.claimed(claim, ["epsilon", "delta"])
        if values["epsilon"] is None or values["delta"] is None:
            raise Rejected("a curve for a claim of ∞")
        return self.algebra.enclose(values["epsilon"], point), self.algebra.enclose(values["delta"], point)

    def curve(self, step: Any, before: list[Any]) -> Bound:
        """A claim in numbers that the curves of all types lie below."""
        epsilon, delta = self.numbers(step["claim"], {})
        demand(epsilon[0] >= 0, "a claim below 0")
        demand(self.curves.above(self.every(before), epsilon) <= delta[0], "the curve is not below the claim")
        values = self.claimed(step["claim"], ["epsilon", "delta"])
        return Bound("approximate", values, frozenset(), step["claim"])

    def curve_standing(self, step: Any, before: list[Any]) -> Shown:
        """That a claim lies above the curves; that it lies on them is not seen by enclosing."""
        self.one(before[:1], Bound)
        epsilon, delta = self.numbers(step["claim"], {})
        demand(self.claimed(step["claim"], ["epsilon", "delta"]) == before[0].values, "about another claim")
        if self.curves.above(self.every(before[1:]), epsilon) >= delta[0]:
            raise NotRead("curve", "a claim that lies on it")
        return Shown("loose", step["claim"])

    def exceed(self, step: Any, before: list[Any]) -> Shown:
        """That a claim lies below the curve of some mechanisms at the point."""
        point = self.point(step["point"])
        epsilon, delta = self.numbers(step["claim"], point)
        least = self.curves.beyond(self.every(before), point, epsilon)
        demand(least > delta[1], "the curve is not above the claim")
        self.losses.library.of("processing", of="parts")
        return Shown("refuted", step["claim"])

    def vacuous(self, step: Any, before: list[Any]) -> Bound:
        """A claim where there are no neighbours."""
        self.one(before, Cover)
        demand(not self.losses.vectors, "there are neighbours")
        claim = step["claim"]
        keys = [key for key in claim if key != "notion"]
        return Bound(claim["notion"], self.claimed(claim, keys), frozenset(), claim)

    # -- what is attained --------------------------------------------------------------------------------

    def attain(self, step: Any, before: list[Any]) -> Attained:
        """What witnesses are asked for; what they lose is computed where it is used."""
        demand(bool(before) and isinstance(before[0], Cover), "attained at no profile")
        promises = before[1:]
        self.one(promises, *[Promise] * len(promises))
        demand(all(not p.pages for p in promises), "witnesses of converted guarantees")
        demand(sorted(p.mechanism for p in promises) == list(range(self.count)), "not each mechanism once")
        by = step["by"]
        demand(all(isinstance(i, int) and 1 <= i <= self.count for i in by), "witnesses of no mechanism")
        demand(by == sorted(set(by)), "witnesses are not in order")
        every = list(range(1, len(self.losses.vectors) + 1))
        if step["neighbours"] != every:
            demand(set(step["neighbours"]) <= set(every), "neighbours that are not in the profile")
            raise NotRead("neighbours", "witnesses at some of the profile, whose order is not specified")
        return Attained(step["notion"], [i - 1 for i in by])

    def optimal(self, step: Any, before: list[Any]) -> Shown:
        """That a guarantee is attained."""
        bound, attained = self.one(before, Bound, Attained)
        key = step["key"]
        demand(attained.notion == bound.notion and key in bound.values, "attained in another notion")
        value, reached = bound.values[key], self.losses.attained(attained.notion, key, attained.mechanisms)
        if value is None or reached is None:
            demand(reached is None, "no bound is not attained")
        else:
            self.compare(step.get("certificate"), reached, value, key in bound.squared)
        return Shown("optimal", bound.claim, step["from"][0])

    def refute(self, step: Any, before: list[Any]) -> Shown:
        """That what is attained lies above a claim at the point."""
        (attained,) = self.one(before, Attained)
        claim, point = step["claim"], self.point(step["point"])
        rule = self.losses.rule(attained.notion)
        squared = self.squared(attained.notion)
        values = self.implied(claim, step.get("through", []), attained.notion)
        key = "delta" if attained.notion == "approximate" else rule["parameters"][0]
        value = values[key]
        demand(value is not None and None not in values.values(), "a claim of ∞ is refuted")
        reached = self.losses.attained(attained.notion, key, attained.mechanisms)
        if reached is not None and value is not None:
            if key in squared:
                demand(self.algebra.enclose(value, point)[0] >= 0, "a claim below 0")
                value = self.algebra.times(value, value)
            low, high = self.algebra.enclose(reached, point)[0], self.algebra.enclose(value, point)[1]
            demand(low > high, "what is attained at the point is not above the claim")
        return Shown("refuted", claim)

    def implied(self, claim: Any, through: list[str], notion: str) -> dict[str, Form | None]:
        """The values of a claim, or of what follows from it by conversions."""
        own = claim["notion"]
        keys = self.losses.rule(own)["parameters"] if not through else set(claim) - {"notion"}
        values: Any = self.claimed(claim, keys)
        for page in through:
            table = self.losses.library.one(page)
            demand(table["kind"] == "conversion" and table["from"] == own, "a conversion from another notion")
            if None in values.values() or table.get("free"):
                raise NotRead("through", "a claim with ∞, or a page with a free parameter")
            values, own = self.losses.converted(page, {}, values), table["to"]
        demand(own == notion, "attained in another notion")
        return dict(values)

    def loose(self, step: Any, before: list[Any]) -> Shown:
        """That a claim lies above a guarantee at the point."""
        (bound,) = self.one(before, Bound)
        claim, key, point = step["claim"], step["key"], self.point(step["point"])
        demand(claim["notion"] == bound.notion and key in bound.values, "a claim of another notion")
        value, known = self.claimed(claim, bound.values, bound.squared)[key], bound.values[key]
        demand(known is not None, "no bound is below a claim")
        if value is not None and known is not None:
            low, high = self.algebra.enclose(value, point)[0], self.algebra.enclose(known, point)[1]
            demand(low > high, "the claim is not above the bound at the point")
        return Shown("loose", claim)

    def point(self, point: Any) -> dict[str, Fraction]:
        """A point, whose letters all have allowed values."""
        values = {name: Fraction(text) for name, text in point.items()}
        most = 0
        for one in self.losses.core["mechanisms"]:
            if "count" in one and one["count"] in [str(n) for n in values]:
                most = max(most, int(values[one["count"]]))
            elif str(one.get("count", "")).isdigit():
                most = max(most, int(one["count"]))
        for name, value in values.items():
            base, _, index = name.partition("[")
            letter = f"{base}[i]" if index else name
            demand(letter in self.algebra.domains, f"{name} is no letter")
            demand(not index or 1 <= int(index.rstrip("]")) <= most, f"there is no member {name}")
            box = self.algebra.domains[letter]
            low, high = self.algebra.ends(letter)
            demand(low <= value <= high, f"{name} has a value that is not allowed")
            demand(not (value == low and box.get("open-least")), f"{name} has a value that is not allowed")
            demand(
                not (value == high and box.get("open-greatest")), f"{name} has a value that is not allowed"
            )
            demand(
                not box.get("integer") or value.denominator == 1, f"{name} has a value that is not allowed"
            )
        return values


class Unread:
    """The conclusion of a step that is not read."""


__all__ = ["INF", "Attained", "Bound", "Derivation", "Shown", "Unread"]
