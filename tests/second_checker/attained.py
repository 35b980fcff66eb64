"""Steps about what is lost: witnesses, optimal bounds, refuted and loose claims."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from second_checker import profiles, sampled
from second_checker.algebra import Algebra
from second_checker.conclusions import Attained, Bound, Cover, Shown, Steps
from second_checker.forms import ZERO, Form, minus, number
from second_checker.losses import Promise
from second_checker.orders import Orders
from second_checker.outcomes import NotRead, Rejected, demand

CHOICES = 1000


class AttainedSteps(Steps):
    """The rules attain, optimal, refute and loose."""

    def attain(self, step: Any, before: list[Any]) -> Attained:
        """What witnesses are asked for; what they lose is computed where it is used."""
        demand(bool(before) and isinstance(before[0], Cover), "attained at no profile")
        promises = before[1:]
        self.one(promises, *[Promise] * len(promises))
        demand(all(not p.pages for p in promises), "witnesses of converted guarantees")
        demand(
            [p.mechanism for p in promises] == list(range(self.count)), "not each mechanism once, in order"
        )
        by = step["by"]
        demand(all(type(i) is int and 1 <= i <= self.count for i in by), "witnesses of no mechanism")
        demand(by == sorted(set(by)), "witnesses are not in order")
        several = any("also" in self.losses.core["mechanisms"][i - 1] for i in by)
        demand(not several, "a witness of which several guarantees are known")
        named = step["neighbours"]
        tables = any("table" in one for one in self.losses.core["mechanisms"])
        # rows of tables differ between pairs that move inputs alike, so that all pairs are types
        most = sum(1 for _ in profiles.exhausted(self.losses.core)) if tables else len(self.losses.vectors)
        if self.losses.moves:
            # moves that are roots are compared here, and by the program perhaps not: it leaves out less
            most = max(most, len(set(profiles.types(self.losses.core))))
        if sampled.of_several(self.losses.core, "pure", list(range(self.count))):
            most = max(most, len(sampled.pairs(self.losses.core)))
        demand(all(type(n) is int and 1 <= n <= most for n in named), "neighbours that are not there")
        demand(len(set(named)) == len(named), "neighbours twice")
        key = step.get("key") or self.first_shown(step["notion"])
        return Attained(
            self.losses.restated(promises), step["notion"], [i - 1 for i in by], len(step["neighbours"]), key
        )

    def first_shown(self, notion: str) -> str:
        """Which parameter witnesses show, if it is not said."""
        return "delta" if notion == "approximate" else str(self.losses.rule(notion)["parameters"][0])

    def optimal(self, step: Any, before: list[Any]) -> Shown:
        """That a guarantee is attained."""
        self.one(before, Bound, *[Attained] * max(1, len(before) - 1))
        bound, lower, key = before[0], before[1:], step["key"]
        demand(key in bound.values and all(x.notion == bound.notion for x in lower), "of another notion")
        demand(all(x.key == key for x in lower), "attained of another parameter")
        for other, limit in self.losses.rule(bound.notion).get("limits", {}).items():
            least = bound.values[other] if other != key else None
            if least is not None and self.losses.is_largest(bound.notion, other):
                above = self.algebra.sign(minus(least, self.algebra.read(limit))) > 0
                demand(not above, "what says nothing is optimal")
        value, squared = bound.values[key], key in bound.squared
        for x in lower:
            x.losses.above_zero.clear()
        every = [v for x in lower for v in x.losses.attained(x.notion, key, x.mechanisms)]
        demand(not any(x.losses.above_zero for x in lower), "optimal where a parameter may be 0")
        if value is None:
            demand(None in every, "no bound is not attained")
            return Shown("optimal", bound.claim, bound)
        finite = [x for x in every if x is not None]
        demand(len(finite) == len(every), "more is lost than is satisfied")
        self.reached(step.get("certificate"), finite, sum(x.many for x in lower), value, squared)
        return Shown("optimal", bound.claim, bound)

    def reached(self, certificate: Any, every: list[Form], many: int, value: Form, squared: bool) -> None:
        """Rejects where what is lost at all types, or at so many of them, is not seen to reach a value."""
        try:
            return self.compare(certificate, self.most(every), value, squared)
        except (NotRead, Rejected):
            if many >= len(every) or comb(len(every), many) > CHOICES:
                raise
        for chosen in combinations(every, many):
            with suppress(NotRead, Rejected):
                return self.compare(certificate, self.most(list(chosen)), value, squared)
        raise Rejected("what is lost at no choice of types reaches the bound")

    def most(self, values: list[Form]) -> Form:
        """The largest value; of none it is 0."""
        return self.algebra.top(1, values) if values else ZERO

    def refute(self, step: Any, before: list[Any]) -> Shown:
        """That what is attained lies above a claim at the point."""
        (attained,) = self.one(before, Attained)
        demand(attained.many > 0, "what is lost is known at no neighbours")
        claim, point = step["claim"], self.point(step["point"])
        rule = self.losses.rule(attained.notion)
        squared = self.squared(attained.notion)
        values = self.implied(claim, step.get("through", []), attained.notion)
        key = attained.key
        value = values[key]
        demand(value is not None and None not in values.values(), "a claim of ∞ is refuted")
        attained.losses.above_zero.clear()
        every = attained.losses.attained(attained.notion, key, attained.mechanisms)
        demand(bool(every), "a claim is refuted where there are no neighbours")
        for asked in attained.losses.above_zero:
            demand(self.algebra.enclose(asked, point)[0] > 0, "nothing is lost at the point")
        assert value is not None
        high = self.algebra.enclose(value, point)[1]
        for other, limit in rule.get("limits", {}).items():
            said = values[other]
            says = said is not None and self.algebra.enclose(said, point)[1] < Fraction(limit)
            demand(says, "a claim that says nothing is refuted")
        if None not in every:
            if key in squared:
                low = self.algebra.enclose(value, point)[0]
                high = high if high < 0 else max(low * low, high * high)
            most = max(self.algebra.enclose(x, point)[0] for x in every if x is not None)
            demand(most > high, "what is attained at the point is not above the claim")
        return Shown("refuted", claim, point=point)

    def beyond(self, step: Any, before: list[Any]) -> Shown:
        """A claim about divergences, by one about the orders up to one of its own that is refuted: D_α ≤ D_β for
        α ≤ β, which is at most α times as much."""
        (refuted,) = self.one(before, Shown)
        claim, last = step["claim"], Fraction(str(step["order"]))
        rule, table = self.losses.rule(claim["notion"]), self.losses.library.one(step["page"])
        key = rule["parameters"][0]
        demand(refuted.what == "refuted" and rule.get("ordered"), "no refuted claim, or no divergences")
        demand(set(claim) == {"notion", "orders", key} and claim[key] != "oo", "a claim has other parameters")
        own = Orders.read(claim["orders"])
        demand(Orders.read(str(last)).among(own), "an order of which the claim says nothing")
        fits = (table["kind"], table["from"], table.get("orders")) == ("conversion", claim["notion"], "first")
        demand(fits and table["to"] == refuted.claim["notion"], "a page about something else")
        there = Algebra(self.algebra.domains | own.letters).read(claim[key], {"alpha": number(last)})
        names = {key: self.algebra.times(there, self.algebra.read("alpha")), "omega": number(last)}
        values = self.claimed(refuted.claim, table["parameters"])
        for name, text in table["parameters"].items():
            demand(values[name] == self.algebra.read(text, names), "that does not follow from the claim")
        return Shown("refuted", claim, point=refuted.point)

    def implied(self, claim: Any, through: list[str], notion: str) -> dict[str, Form | None]:
        """The values of a claim, or of what follows from it by conversions."""
        own = claim["notion"]
        keys = self.losses.rule(own)["parameters"] if not through else set(claim) - {"notion", "orders"}
        values: Any = self.claimed(claim, keys)
        for page in through:
            table = self.losses.library.one(page)
            demand(table["kind"] == "conversion" and table["from"] == own, "a conversion from another notion")
            if None in values.values() or table.get("free"):
                raise NotRead("attained", "a claim with ∞, or a page with a free parameter")
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
