"""Steps about mechanisms with several guarantees: one of them is chosen, or implies the others, or each is taken at its best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

from second_checker import several
from second_checker.conclusions import Attained, Bound, Cover, Shown, Steps, Unread
from second_checker.forms import Form, scale
from second_checker.losses import Losses, Promise
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.samples import same_cleared
from second_checker.scaled import Scaled

MOST = 4_096


@dataclass(frozen=True)
class Implied:
    """That a guarantee of a mechanism, perhaps with other values, implies another one."""

    mechanism: int
    chosen: int
    other: int
    values: tuple[tuple[str, Form], ...] | None


class SeveralSteps(Steps):
    """The rules choose, implies, least, among and by_lines."""

    told: Any
    inner: Callable[..., Any]

    def choose(self, step: Any, before: list[Any]) -> Any:
        """What is concluded where one guarantee of each mechanism is known.

        What is satisfied is so for fewer mechanisms; what is lost is, if the one that is chosen implies all others.
        """
        self.one(before, *[Implied] * len(before))
        which, values = step["which"], step.get("values", {})
        core, told = (self.with_guarantees(x, which, values) for x in (self.losses.core, self.told))
        found = self.inner(step["derivation"], core, told)
        if isinstance(found, Unread):
            raise NotRead("step", "a choice that is not read")
        if isinstance(found, Bound) or (isinstance(found, Shown) and found.what == "loose"):
            demand(not values, "what is satisfied with other values")
            return found
        lower = isinstance(found, Attained) or (isinstance(found, Shown) and found.what == "refuted")
        demand(lower or (isinstance(found, Shown) and not values), "a choice that concludes nothing")
        for i, one in enumerate(self.losses.core["mechanisms"]):
            own = self.read(values[str(i + 1)]) if str(i + 1) in values else None
            for n in range(1 + len(one.get("also", []))):
                if n != which[i] or own is not None:
                    needed = Implied(i, which[i], n, own)
                    demand(needed in before, "a guarantee that is not seen to be implied")
        return found

    def read(self, values: Any) -> tuple[tuple[str, Form], ...]:
        """Values of a guarantee, which are seen to be >= 0."""
        forms = {key: self.algebra.read(text) for key, text in sorted(values.items())}
        demand(all(self.algebra.sign(x) >= 1 for x in forms.values()), "a value that may be below 0")
        return tuple(forms.items())

    def with_guarantees(self, core: Any, which: Any, values: Any) -> Any:
        """The setting with one guarantee of each mechanism, some with other values."""
        demand(len(which) == len(core["mechanisms"]), "not a guarantee of each mechanism")
        demand({*values} <= {str(n + 1) for n in range(len(which))}, "values of no mechanism")
        own = []
        for i, (one, n) in enumerate(zip(core["mechanisms"], which, strict=True)):
            own.append(self.with_guarantee(one, n, values.get(str(i + 1))))
        return several.without(core | {"mechanisms": own}, "flat")

    def with_guarantee(self, one: Any, n: int, values: Any) -> Any:
        """A mechanism with one of its guarantees, perhaps with other values."""
        found = several.alone(one, n)
        if values is not None:
            demand(
                "count" not in one and "orders" not in found, "other values of a family, or of divergences"
            )
            demand(set(values) == set(found["values"]), "values of another notion")
            self.read(values)
            found = found | {"values": values}
        return found

    def implies(self, step: Any, before: list[Any]) -> Implied:
        """That a guarantee is at least another one, or that the mechanism alone satisfies the other one."""
        i, n, m, values = step["i"] - 1, step["n"], step["m"], step.get("values")
        demand(0 <= i < self.count, "there is no such mechanism")
        one = self.losses.core["mechanisms"][i]
        chosen, other = self.with_guarantee(one, n, values), several.alone(one, m)
        demand(not {"orders", "sampled"} & {*chosen, *other}, "of divergences, or on samples")
        squared = self.squared(other["notion"])
        wanted = {
            key: None if text == "oo" else self.algebra.read(text) for key, text in other["values"].items()
        }
        if "derivation" not in step:
            alike = all(chosen[key] == other[key] for key in ("notion", "stated", "domain"))
            demand(alike, "a guarantee for other neighbours")
            for key, value in wanted.items():
                if value is None:
                    continue
                demand(chosen["values"][key] != "oo", "nothing implies something")
                known = self.algebra.read(chosen["values"][key])
                if key in squared:
                    value, known = (self.algebra.times(x, x) for x in (value, known))
                self.compare(step["certificates"].get(key), value, known, key in squared)
        else:
            demand("certificates" not in step, "a certificate beside a derivation")
            self.alone_satisfies(step, i, (n, m), values, wanted)
        return Implied(i, n, m, None if values is None else self.read(values))

    def alone_satisfies(self, step: Any, i: int, both: tuple[int, int], values: Any, wanted: Any) -> None:
        """Rejects where a mechanism alone, with one guarantee, does not satisfy the other one."""
        abouts = [
            several.on_its_own(core, i, both, lambda one: self.with_guarantee(one, both[0], values))
            for core in (self.losses.core, self.told)
        ]
        bound = self.inner(step["derivation"], *abouts)
        if isinstance(bound, Unread):
            raise NotRead("step", "what is implied is not read")
        notion = several.alone(self.losses.core["mechanisms"][i], both[1])["notion"]
        demand(isinstance(bound, Bound) and bound.notion == notion, "another notion is implied")
        for key, value in wanted.items():
            known = bound.values[key]
            if value is not None and key in bound.squared:
                value = self.algebra.times(value, value)
            same = value is known is None or (
                value is not None and known is not None and same_cleared(self.algebra, value, known)
            )
            demand(same, "another guarantee is implied")

    def least(self, step: Any, before: list[Any]) -> Bound:
        """The least of guarantees that differ in one parameter."""
        demand(bool(before), "the least of nothing")
        bounds: list[Bound] = self.one(before, *[Bound] * len(before))
        first = bounds[0]
        demand(all(x.notion == first.notion for x in bounds), "guarantees of several notions")
        differ = [key for key, x in first.values.items() if any(one.values[key] != x for one in bounds)]
        demand(len(differ) <= 1, "guarantees that differ in several parameters")
        values = dict(first.values)
        for key in differ:
            finite = [x for one in bounds if (x := one.values[key]) is not None]
            values[key] = self.minimum(finite)
        return Bound(first.notion, values, first.squared)

    def minimum(self, values: list[Form]) -> Form:
        """The least of values."""
        return scale(self.algebra.top(1, [scale(x, -1) for x in values]), -1)

    def among(self, step: Any, before: list[Any]) -> Bound:
        """At each type the least over the choices of a guarantee of each mechanism, and the largest over the types."""
        notion = step["notion"]
        core, told = (several.split(x) for x in (self.losses.core, self.told))
        cover = self.inner(step["derivation"], core, told)
        demand(isinstance(cover, Cover) and cover.losses is not None, "no profile")
        losses: Losses = cover.losses
        if isinstance(losses, Scaled) and (losses.convex or losses.many):
            raise NotRead("also", "the least of losses that are taken at corners, or of families of bags")
        if any({"noise", "table", "study", "sampled", "orders"} & set(one) for one in core["mechanisms"]):
            raise NotRead("also", "the least of noise, samples or divergences beside others")
        rule = self.losses.rule(notion)
        demand(len(rule["parameters"]) == 1, "a notion with several parameters")
        demand(not core["adaptive"] or "adaptively" in rule, "a rule that is not about choices")
        self.losses.library.one("sensitivity-profile")
        for one in core["mechanisms"]:
            self.losses.library.of("step", domain=one["domain"])
        own = [
            [n for n in numbers if core["mechanisms"][n]["notion"] == notion]
            for numbers in several.numbered(self.losses.core)
        ]
        (key,) = rule["parameters"]
        squared = key in self.squared(notion)
        by = {n: Promise(n, notion) for numbers in own for n in numbers}

        def loss(i: int, r: Any) -> Form | None:
            values = losses.at(by[i], r)
            if values is None:
                return None
            return self.algebra.times(values[key], values[key]) if squared else values[key]

        choices = list(product(*own))
        demand(0 < len(choices) <= MOST, "no choice in this notion, or too many")
        worst: list[Form | None] = []
        for vector in losses.vectors:
            every = [losses.composed(vector, list(choice), loss) for choice in choices]
            finite = [x for x in every if x is not None]
            worst.append(self.minimum(finite) if finite else None)
        return Bound(notion, {key: self.losses.worst(worst)}, self.squared(notion))

    def by_lines(self, step: Any, before: list[Any]) -> Bound | Shown:
        """A trade-off function: all its lines are satisfied, or one is refuted."""
        claim = step["claim"]
        rule = self.losses.library.of("rule", notion=claim["notion"])
        demand(
            rule.get("lines") == "approximate" and set(claim) == {"notion", "tradeoff"},
            "no trade-off function",
        )
        if any(isinstance(x, Unread) for x in before):
            raise NotRead("step", "from one that is not read")
        lines = several.lines(self.algebra, claim["tradeoff"])
        if len(before) == 1 and isinstance(before[0], Shown) and before[0].what == "refuted":
            known = before[0].claim
            demand(
                known["notion"] == "approximate" and "oo" not in known.values(), "another notion is refuted"
            )
            wanted = (self.algebra.read(known["epsilon"]), self.algebra.read(known["delta"]))
            of_lines = [dict(zip(("epsilon", "delta"), line, strict=True)) for line in lines]
            demand(several.among(self.algebra, wanted, of_lines), "what is refuted is no line")
            return Shown("refuted", claim)
        if not all(isinstance(x, Bound) and x.notion == "approximate" for x in before):
            raise Rejected("a trade-off function from steps of another kind")
        for line in lines:
            demand(several.among(self.algebra, line, [x.values for x in before]), "a line that is not shown")
        return Bound(claim["notion"], {"tradeoff": None}, frozenset(), claim)
