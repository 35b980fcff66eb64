"""The steps of a derivation about any two databases (certificates.md, Any two databases).

Certificates of comparisons are not read here: that a formula is at least another one in every case is found anew.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from second_checker import in_metrics
from second_checker.algebra import Algebra
from second_checker.conclusions import Bound, Composed, Cover
from second_checker.derivations import KEYS, Derivation
from second_checker.distances import Far
from second_checker.everywhere import Everywhere, sampled
from second_checker.forms import ZERO, Form, add, letter, letters, minus, number
from second_checker.in_metrics import There
from second_checker.losses import Losses, Promise, Values
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.slopes import slopes_of

OWN = {
    **{
        key: KEYS[key]
        for key in (
            *("given", "noise", "compose", "convert", "change", "attain", "refute", "exceed"),
            *("along", "against_rows"),
        )
    },
    "metric": {"from"},
    "cover": {"from", "of"},
    "everywhere": {"from", "claim", "certificates"},
    "least_everywhere": {"from", "key", "certificates"},
    "larger": {"from", "claim", "key", "neighbours", "point"},
    "is_metric": {"name", "certificates"},
    "bounded": {"from", "name", "certificate"},
}


@dataclass(frozen=True)
class Named:
    """What is known of a distance: that it is a metric, or at most its bound."""

    what: str
    name: str


@dataclass(frozen=True)
class Cases(Cover):
    """All pairs of databases, and the distances that are looked at."""

    of: frozenset[str]


class AnyTwo(Derivation):
    """The conclusions of the steps so far, in a setting in distances."""

    keys = OWN

    def __init__(self, core: Any, library: Library, found: list[There]) -> None:
        letters_too = {**core["parameters"], **dict.fromkeys(core["distances"], "nonnegative")}
        super().__init__(
            Losses({**core, "parameters": letters_too}, [], library, {}), len(core["mechanisms"]), refused
        )
        self.core, self.found, self.library = core, found, library

    # -- bounds ------------------------------------------------------------------------------------------

    def mechanism(self, i: Any, kind: str) -> Any:
        """The mechanism with this number: a table is private in the distance of its rows, as it is stated."""
        demand(type(i) is int and 1 <= i <= self.count, "there is no such mechanism")
        one = self.core["mechanisms"][i - 1]
        if kind == "given" and "table" in one:
            self.kept(one)
            return one
        return super().mechanism(i, kind)

    def noise(self, step: Any, before: list[Any]) -> Promise:
        """The guarantee of a noise, in a notion of its page."""
        one = self.mechanism(step["i"], "noise")
        demand("closer" not in step, "a noise that says nothing closer")
        in_metrics.in_distances(one, self.core, self.library, step["notion"])
        return Promise(step["i"] - 1, step["notion"])

    def lost(self, promise: Promise) -> dict[str, Form]:
        """What a mechanism loses by a guarantee and its conversions, as formulas in distances."""
        one = self.core["mechanisms"][promise.mechanism]
        notion = self.library.one(promise.pages[0][0])["from"] if promise.pages else promise.notion
        values: Values = in_metrics.in_distances(one, self.core, self.library, notion)
        for page, chosen in promise.pages:
            values = self.losses.converted(page, dict(chosen), values)
        assert values is not None
        return values

    def metric(self, step: Any, before: list[Any]) -> Bound:
        """What all mechanisms lose together where distances are letters."""
        (composed,) = self.one(before, Composed)
        notion = composed.promises[0].notion
        rule, squared = self.losses.rule(notion), self.squared(notion)
        values: dict[str, Form | None] = {}
        for key in rule["parameters"]:
            demand(not self.losses.is_largest(notion, key), "a composition that is no sum")
            values[key] = add(
                *(self.of_all(self.lost(p)[key], p.mechanism, key in squared) for p in composed.promises)
            )
        return Bound(notion, values, squared)

    def of_all(self, value: Form, i: int, square: bool) -> Form:
        """A parameter of all members of a family together, or its square."""
        one = self.core["mechanisms"][i]
        value = self.algebra.times(value, value) if square else value
        return self.algebra.family(None, value, self.algebra.read(one["count"])) if "count" in one else value

    def cover(self, step: Any, before: list[Any]) -> Cases:
        """All pairs of databases."""
        self.one(before, *[Named] * len(before))
        demand(all(x.what == "bounded" for x in before), "a cover from what is no bound")
        demand(set(step["of"]) <= set(self.core["distances"]), "distances that are not there")
        self.library.of("procedure", procedure="pairs")
        if any("over" in one for one in self.core["distances"].values()):
            self.library.of("step", metric="norm over fibres")
        looked_at = frozenset(x for name in step["of"] for x in self.used_by(letter(name))) | self.stated_in()
        for name in looked_at:
            noise = self.core["distances"][name].get("input", {}).get("noise")
            if noise:
                self.library.one(noise["query"]["page"])
                self.library.one(noise["page"])
        return Cases(looked_at)

    def stated_in(self) -> frozenset[str]:
        """The distances that mechanisms are stated in."""
        forms = [
            x
            for one in self.core["mechanisms"]
            for x in in_metrics.in_distances(one, self.core, self.library).values()
        ]
        return frozenset(name for form in forms for name in self.used_by(form))

    def used_by(self, form: Form) -> set[str]:
        """The distances in a formula, and those that these are made of."""
        found = {name for name in letters(form) if name in self.core["distances"]}
        for name in list(found):
            one = self.core["distances"][name]
            for text in (one.get("formula"), one.get("at most")):
                others = [x for x in in_metrics.spoken(text) if x in self.core["distances"]] if text else []
                found |= {y for x in others for y in self.used_by(letter(x))}
        return found

    def change(self, step: Any, before: list[Any]) -> Bound:
        """The same in another notion: at each two databases, and so by no page about neighbours only."""
        demand(not self.library.one(step["page"]).get("at-most"), "a page about neighbours")
        return super().change(step, before)

    # -- in all cases ------------------------------------------------------------------------------------

    def at(self, form: Form, there: There) -> Far:
        """A formula in distances, in a case."""
        return there.far.put(form, in_metrics.distances(form, there))

    def show_at_least(self, there: There, greater: Far, lesser: Far, reason: str) -> None:
        """Rejects where one side is smaller in a case; refuses what is not shown."""
        if greater is None:
            return
        if lesser is None:
            demand(
                Everywhere(there.algebra, there.case.facts).is_shown(number(-1), there.case.facts, 1), reason
            )
            return
        shown = Everywhere(there.algebra, there.case.facts)
        if shown.is_at_least(greater, lesser):
            return
        facts = [*there.case.facts, *there.case.inside]
        for point in sampled(there.algebra, facts):
            low = there.algebra.enclose(lesser, point)[0]
            demand(there.algebra.enclose(greater, point)[1] >= low, reason)
        raise NotRead("certificate", reason)

    def everywhere(self, step: Any, before: list[Any]) -> Bound:
        """A claim that is at least what is satisfied, in each case in which it says something."""
        bound, covered = self.one(before, Bound, Cases)
        claim = step["claim"]
        demand(claim["notion"] == bound.notion, "a claim of another notion")
        values = self.claimed(claim, bound.values, bound.squared)
        self.spoken_of(values, covered)
        if any(self.core["distances"][name].get("within") for name in covered.of):
            self.library.of("procedure", procedure="within a distance")
        if self.by_slopes(values, bound):
            return Bound(bound.notion, values, bound.squared, claim)
        for there in self.found:
            here = {key: None if x is None else self.at(x, there) for key, x in values.items()}
            if None in here.values() and not all(there.case.near.values()):
                continue
            for key, greater in here.items():
                known = bound.values[key]
                lesser = None if known is None else self.at(known, there)
                self.show_at_least(there, greater, lesser, "a claim is below what is satisfied")
        return Bound(bound.notion, values, bound.squared, claim)

    def by_slopes(self, values: dict[str, Form | None], bound: Bound) -> bool:
        """Whether a claim in one parameter is seen to be at least a bound as values move with their slopes."""
        if (
            len(values) != 1
            or bound.squared
            or any(one.get("within") for one in self.core["distances"].values())
        ):
            return False
        (key,) = values
        claim, known = values[key], bound.values[key]
        if claim is None or known is None:
            return False
        with suppress(NotRead):
            told = slopes_of(self.core, claim, known, self.algebra)
            if told is None or told.are_covered():
                return told is not None
            demand(not told.are_exceeded(), "a claim is below what is satisfied")
        return False

    def spoken_of(self, values: dict[str, Form | None], covered: Cases) -> None:
        """Rejects a claim in distances that a cover does not look at."""
        for x in values.values():
            used = set() if x is None else self.used_by(x)
            demand(used <= covered.of, "a distance that is not looked at")
            if any(not self.core["distances"][name] for name in used):
                raise NotRead("metrics", "a distance of which nothing is known")

    def bounded(self, step: Any, before: list[Any]) -> Named:
        """A distance that is at most its bound."""
        (covered,) = self.one(before, Cases)
        one = self.core["distances"][step["name"]]
        demand(step["name"] in covered.of and "at most" in one and len(one) > 1, "a distance without a bound")
        for there in self.found:
            far = there.far.called(step["name"].removeprefix("d__"))
            self.show_at_least(there, there.far.value(one["at most"]), far, "a distance is above its bound")
        return Named("bounded", step["name"])

    def is_metric(self, step: Any, before: list[Any]) -> Named:
        """A formula in coordinates that is 0 at equal points, symmetric, and satisfies the triangle inequality."""
        self.one(before)
        one = self.core["distances"][step["name"]]
        demand(
            set(one) == {"formula"} and not self.used_by(letter(step["name"])) - {step["name"]}, "no formula"
        )
        points = [part for part in self.core["databases"]["parts"].values() if part["kind"] == "points"]
        own = [(x, ends) for part in points for x, ends in zip(part["coordinates"], part["box"], strict=True)]
        domains = {f"{x}__{who}": "real" for x, _ in own for who in "DEF"}
        algebra = Algebra({**self.core["parameters"], **domains})
        facts = []
        for x, (low, high) in own:
            for who in "DEF":
                facts += [] if low is None else [minus(letter(f"{x}__{who}"), algebra.read(low))]
                facts += [] if high is None else [minus(algebra.read(high), letter(f"{x}__{who}"))]

        def far(who: str) -> Form:
            ends = {
                f"{x}__{old}": letter(f"{x}__{new}")
                for x, _ in own
                for old, new in zip("DE", who, strict=True)
            }
            return algebra.read(one["formula"], ends)

        shown = Everywhere(algebra, facts)
        axioms = [
            (far("DE"), ZERO),
            (ZERO, far("DD")),
            (far("DE"), far("ED")),
            (add(far("DE"), far("EF")), far("DF")),
        ]
        for greater, lesser in axioms:
            if shown.is_at_least(greater, lesser):
                continue
            for point in sampled(algebra, facts):
                one, other = algebra.enclose(greater, point), algebra.enclose(lesser, point)
                demand(one[1] >= other[0], "a formula that is no metric")
            raise NotRead("certificate", "a formula that is not seen to be a metric")
        return Named("metric", step["name"])


def refused(*_: Any) -> Any:
    """There are no derivations about other settings."""
    raise NotRead("metrics", "a derivation about another setting")


__all__ = ["AnyTwo", "Cases", "Named"]
