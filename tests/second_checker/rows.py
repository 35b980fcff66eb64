"""Steps about the rows of tables: (epsilon, delta) of all tables together, by sums over their outcomes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from second_checker import profiles, tables
from second_checker.conclusions import Bound, Shown, Steps
from second_checker.enclosures import Interval
from second_checker.forms import rational
from second_checker.outcomes import NotRead, demand

Row = list[Fraction]


class RowSteps(Steps):
    """The rules by_rows and against_rows."""

    def by_rows(self, step: Any, before: list[Any]) -> Bound:
        """A claim in numbers that the rows keep at all neighbours, in both orders."""
        factor, delta = self.in_numbers(step["claim"])
        for (x, y), _ in profiles.exhausted(self.losses.core):
            for one, other in ((x, y), (y, x)):
                more = excess(self.together(one), self.together(other), factor)
                demand(more[0] <= delta[1], "rows that have not the guarantee")
                if more[1] > delta[0]:
                    raise NotRead("table", "on which a claim lies")
        self.losses.library.of("procedure", procedure="rows of tables")
        values = self.claimed(step["claim"], ["epsilon", "delta"])
        return Bound("approximate", values, frozenset(), step["claim"])

    def against_rows(self, step: Any, before: list[Any]) -> Shown:
        """A claim in numbers that the rows of two neighbours do not keep."""
        x, y = step["databases"]
        near = {frozenset(pair) for pair, _ in profiles.exhausted(self.losses.core)}
        demand(frozenset((x, y)) in near, "rows of no neighbours")
        if step["point"]:
            raise NotRead("table", "with parameters")
        factor, delta = self.in_numbers(step["claim"])
        more = excess(self.together(x), self.together(y), factor)
        demand(more[1] > delta[0], "rows that keep the claim")
        if more[0] <= delta[1]:
            raise NotRead("table", "on which a claim lies")
        self.losses.library.of("processing", of="parts")
        return Shown("refuted", step["claim"])

    def in_numbers(self, claim: Any) -> tuple[Interval, Interval]:
        """e^ε and δ of a claim, enclosed."""
        if claim["notion"] != "approximate":
            raise NotRead("table", "in another notion than (epsilon, delta)")
        values = self.claimed(claim, ["epsilon", "delta"])
        if values["epsilon"] is None or values["delta"] is None:
            raise NotRead("table", "for a claim of oo")
        factor = self.algebra.exp(values["epsilon"])
        return self.algebra.enclose(factor, {}), self.algebra.enclose(values["delta"], {})

    def together(self, x: int) -> Row:
        """The product of the rows of all tables at a database, which are all there is."""
        found = [Fraction(1)]
        for one in self.losses.core["mechanisms"]:
            if "table" not in one or "count" in one:
                raise NotRead("table", "beside others")
            row = [rational(p) for p in tables.rows(self.algebra, one, self.losses.core)[x]]
            if any(p is None for p in row):
                raise NotRead("table", "with parameters")
            numbers = [p for p in row if p is not None]
            demand(min(numbers) >= 0 and sum(numbers) == 1, "rows that are no probabilities")
            found = [p * q for p in found for q in numbers]
        return found


def excess(P: Row, Q: Row, factor: Interval) -> Interval:
    """What P has above a factor times Q, outcome by outcome."""
    ends = [
        sum((max(Fraction(0), p - t * q) for p, q in zip(P, Q, strict=True)), Fraction(0)) for t in factor
    ]
    return ends[1], ends[0]
