"""Steps about what is lost: witnesses, optimal bounds, refuted and loose claims."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from second_checker.conclusions import Attained, Bound, Cover, Shown, Steps
from second_checker.forms import Form
from second_checker.losses import Promise
from second_checker.outcomes import NotRead, Rejected, demand


class AttainedSteps(Steps):
    """The rules attain, optimal, refute and loose."""

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
        if any("table" in one for one in self.losses.core["mechanisms"]):
            # rows differ between pairs that move inputs alike: all pairs are looked at
            every = step["neighbours"]
        if step["neighbours"] != every:
            demand(set(step["neighbours"]) <= set(every), "neighbours that are not in the profile")
            raise NotRead("neighbours", "witnesses at some of the profile, whose order is not specified")
        return Attained(self.losses, step["notion"], [i - 1 for i in by])

    def optimal(self, step: Any, before: list[Any]) -> Shown:
        """That a guarantee is attained."""
        bound, attained = self.one(before, Bound, Attained)
        key = step["key"]
        demand(attained.notion == bound.notion and key in bound.values, "attained in another notion")
        value, reached = (
            bound.values[key],
            attained.losses.attained(attained.notion, key, attained.mechanisms),
        )
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
        reached = attained.losses.attained(attained.notion, key, attained.mechanisms)
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
        values = self.claimed(claim, bound.values, bound.squared)
        demand(bound.values[key] is not None, "no bound is below a claim")
        for each, value in values.items():
            self.at_least(value, bound.values[each], point, above=each == key)
        return Shown("loose", claim)

    def at_least(
        self, value: Form | None, known: Form | None, point: dict[str, Fraction], above: bool
    ) -> None:
        """Rejects where a claim's value at the point is not above a bound, or at least as large."""
        if value is None or (value == known and not above):
            return
        if known is None:
            raise Rejected("the claim is not at least the bound at the point")
        low, high = self.algebra.enclose(value, point)[0], self.algebra.enclose(known, point)[1]
        demand(low > high or (low == high and not above), "the claim is not above the bound at the point")
