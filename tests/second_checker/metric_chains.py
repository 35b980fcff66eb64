"""What holds along chains of listed databases, and tables that show that nothing less does (shapes/chains.md).

What is stated of any two databases may break the triangle inequality: at the nearest two with what is read, say.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from second_checker import in_metrics
from second_checker.conclusions import Bound, Composed, Shown
from second_checker.distances import Far
from second_checker.forms import ZERO, add, minus
from second_checker.in_metrics import There, Values
from second_checker.metric_steps import AnyTwo
from second_checker.outcomes import NotRead, demand

Row = list[Fraction]


class ChainSteps(AnyTwo):
    """The rules along, and against_rows with tables of what is given by guarantees."""

    def listed(self) -> dict[tuple[int, int], There]:
        """The cases by the two databases, which are all that there is."""
        (part,) = self.core["databases"]["parts"].values()
        demand(part["kind"] == "listed", "chains of databases that are not listed")
        return {there.case.listed[name]: there for there in self.found for name in there.case.listed}

    # -- chains ------------------------------------------------------------------------------------------

    def along(self, step: Any, before: list[Any]) -> Bound:
        """A claim that is at least what all mechanisms lose, each along a chain of its own where there is one."""
        (composed,) = self.one(before, Composed)
        claim, notion = step["claim"], step["claim"]["notion"]
        demand(all(p.notion == notion for p in composed.promises), "a claim of another notion")
        if any(p.pages for p in composed.promises) or self.losses.rule(notion).get("ordered"):
            raise NotRead("chains", "of converted guarantees")
        page = self.library.of("procedure", procedure="chains of databases")
        self.library.of("procedure", procedure="pairs")
        cases, squared = self.listed(), self.squared(notion)
        chains = self.chains(step["chains"], cases)
        values = self.claimed(claim, self.losses.rule(notion)["parameters"], squared)
        for pair, there in cases.items():
            lost = [self.lost_along(p.mechanism, pair, chains, cases, page) for p in composed.promises]
            for key, value in values.items():
                greater = None if value is None else self.at(value, there)
                own: list[Far] = [x[key] for x in lost]
                if None in own:
                    self.show_at_least(there, greater, None, "a claim is below what is lost along chains")
                    continue
                every = [x for x in own if x is not None]
                total = add(*(there.algebra.times(x, x) if key in squared else x for x in every))
                self.show_at_least(there, greater, total, "a claim is below what is lost along chains")
        return Bound(notion, values, squared, claim)

    def chains(self, told: Any, cases: Any) -> dict[tuple[int, int, int], list[list[int]]]:
        """The chains of each mechanism between two databases."""
        found: dict[tuple[int, int, int], list[list[int]]] = {}
        for i, *nodes in told:
            demand(type(i) is int and 1 <= i <= self.count and len(nodes) > 1, "a chain of no mechanism")
            demand(
                all(type(x) is int and (x, x) in cases for x in nodes),
                "a chain of databases that are not there",
            )
            one = self.core["mechanisms"][i - 1]
            demand(not {"noise", "table", "count"} & set(one), "a chain of what is stated in no metric")
            found.setdefault((i - 1, nodes[0], nodes[-1]), []).append(nodes)
        return found

    def lost_along(self, i: int, pair: tuple[int, int], chains: Any, cases: Any, page: Any) -> Values:
        """What a mechanism loses at two databases: as it is stated, or along its chains between these."""
        one, some = self.core["mechanisms"][i], chains.get((i, *pair), [])
        if not some:
            return in_metrics.lost(one, self.core, self.library, cases[pair])
        if one["metric"]["besides"]:
            demand(len(some) == 1 and one["notion"] == "approximate", "several chains, or another notion")
            return self.with_delta(one, some[0], cases)
        demand(one["notion"] in page["notions"], "a notion without chains")
        found = [self.without_delta(one, nodes, cases, pair) for nodes in some]
        least = [x for x in found if all(self.is_least(x, y, cases[pair]) for y in found)]
        if not least:
            raise NotRead("chains", "of which none is seen to be the shortest")
        return least[0]

    def is_least(self, one: Values, other: Values, there: There) -> bool:
        """Whether all parameters are seen to be at most others."""
        pairs = [(x, other[key]) for key, x in one.items()]
        return all(y is None or (x is not None and there.algebra.sign(minus(y, x)) >= 1) for x, y in pairs)

    def links(self, nodes: Sequence[int], cases: Any) -> list[There]:
        """The pairs of databases of a chain."""
        return [cases[link] for link in pairwise(nodes)]

    def without_delta(self, one: Any, nodes: Sequence[int], cases: Any, pair: tuple[int, int]) -> Values:
        """What is stated at the sum of the distances of a chain."""
        algebra = in_metrics.with_distances(self.core)
        formula = algebra.read(one["metric"]["formula"])
        parts = [
            there.far.put(formula, in_metrics.distances(formula, there)) for there in self.links(nodes, cases)
        ]
        demand(None not in parts, "a link of a chain that is infinite")
        rule, inside = self.library.rule(one["notion"]), cases[pair].algebra
        own = {key: inside.read(text) for key, text in one["values"].items()}
        names = {**own, "r": add(*(x for x in parts if x is not None))}
        return {key: inside.read(rule["distance"][key], names) for key in rule["parameters"]}

    def with_delta(self, one: Any, nodes: Sequence[int], cases: Any) -> Values:
        """The sum of ε, and δ from the last link to the first: what the next one leaves, times e^ε, and its own."""
        texts = self.library.of("closer", notion="approximate", over="steps")["next"]["delta"]
        epsilon, delta = ZERO, ZERO
        for there in reversed(self.links(nodes, cases)):
            own = in_metrics.lost(one, self.core, self.library, there)
            demand(None not in own.values(), "a link of a chain that is infinite")
            names = {key: x for key, x in own.items() if x is not None}
            delta = there.algebra.read(texts[0], {**names, "a": delta})
            epsilon = add(epsilon, names["epsilon"])
        return {"epsilon": epsilon, "delta": delta}

    # -- tables ------------------------------------------------------------------------------------------

    def against_rows(self, step: Any, before: list[Any]) -> Shown:
        """A claim that tables break at two databases, which keep what is stated at all of them."""
        self.one(before)
        self.library.of("procedure", procedure="rows of tables")
        self.library.of("processing", of="parts")
        claim, cases, point = step["claim"], self.listed(), self.point(step["point"])
        needed = {name for name in self.core["parameters"] if "[" not in name}
        demand(needed <= set(point) and bool(step.get("tables")), "a letter without a value, or no tables")
        x, y = step["databases"]
        demand((x, y) in cases and x != y, "rows of no two databases")
        first, second = [Fraction(1)], [Fraction(1)]
        for word, told in step["tables"].items():
            i = int(word) - 1
            demand(str(i + 1) == word and 0 <= i < self.count, "a table of no mechanism")
            every = self.rows(i, told, cases, point)
            first, second = ([p * q for p in one for q in every[n]] for one, n in ((first, x), (second, y)))
        values = self.claimed(claim, self.losses.rule(claim["notion"])["parameters"])
        there = cases[x, y]
        said = {key: None if value is None else self.at(value, there) for key, value in values.items()}
        epsilon, delta = self.enclosed(claim["notion"], said, there, point)
        demand(excess(first, second, epsilon[1]) > delta[1], "rows that keep the claim")
        return Shown("refuted", claim, point=point)

    def rows(self, i: int, told: Any, cases: Any, point: Any) -> list[Row]:
        """The rows of a mechanism, which keep at all pairs of databases what is stated there."""
        one = self.core["mechanisms"][i]
        demand(not {"noise", "table", "count"} & set(one), "a table of what is given by no guarantee alone")
        many = {x for x, _ in cases}
        every = [[Fraction(text) for text in row] for row in told]
        demand(len(every) == len(many) and len({len(row) for row in every}) == 1, "rows of other databases")
        demand(all(min(row) >= 0 and sum(row) == 1 for row in every), "rows that are no probabilities")
        for (x, y), there in cases.items():
            own = in_metrics.lost(one, self.core, self.library, there)
            if None in own.values():
                continue
            epsilon, delta = self.enclosed(one["notion"], own, there, point)
            demand(excess(every[x], every[y], epsilon[0]) <= delta[0], "rows that have not the guarantee")
        return every

    def enclosed(self, notion: str, values: Values, there: There, point: Any) -> Any:
        """e^ε and δ at a point, enclosed."""
        if notion not in ("pure", "approximate"):
            raise NotRead("chains", "tables in another notion")
        demand(None not in values.values(), "a claim of oo")
        own = {key: x for key, x in values.items() if x is not None}
        factor = there.algebra.exp(own["epsilon"])
        return there.algebra.enclose(factor, point), there.algebra.enclose(own.get("delta", ZERO), point)


def excess(one: Row, other: Row, factor: Any) -> Fraction:
    """What is more probable by the one row than a factor times by the other."""
    return sum(
        (max(Fraction(0), p - Fraction(factor) * q) for p, q in zip(one, other, strict=True)), Fraction(0)
    )


__all__ = ["ChainSteps"]
