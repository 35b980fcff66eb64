"""Steps about the rows of tables: all tables together, by sums over their outcomes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from second_checker import divergences, profiles, tables
from second_checker.conclusions import Bound, Shown, Steps
from second_checker.enclosures import Interval
from second_checker.forms import Form, letters, rational
from second_checker.outcomes import NotRead, demand

Row = list[Fraction]


class RowSteps(Steps):
    """The rules by_rows and against_rows."""

    @property
    def tabled(self) -> bool:
        """Whether all mechanisms are tables."""
        return all("table" in one for one in self.losses.core["mechanisms"])

    def lies_on(self, claim: Any, bound: Bound) -> Shown:
        """That nothing smaller holds than a claim, or that a smaller one does.

        Nothing is smaller where a row is just δ above e^ε times another one, of which some outcome has no less than
        that, and is not 0: at a smaller ε it has more.  At 0 there is no smaller ε.
        """
        factor, delta = self.in_numbers(claim)
        pairs = [pair for (x, y), _ in profiles.exhausted(self.losses.core) for pair in ((x, y), (y, x))]
        every = [excess(self.together(x), self.together(y), factor) for x, y in pairs]
        if max(most for _, most in every) < delta[0]:
            return Shown("loose", claim)
        falls = [
            (x, y)
            for (x, y), (least, _) in zip(pairs, every, strict=True)
            if least == delta[1]
            and any(p >= factor[1] * q > 0 for p, q in zip(self.together(x), self.together(y), strict=True))
        ]
        if (factor != (1, 1) and not falls) or max(least for least, _ in every) != delta[1]:
            raise NotRead("curve", "a claim that lies on it")
        return Shown("optimal", claim, bound)

    def by_rows(self, step: Any, before: list[Any]) -> Bound:
        """A claim in numbers that the rows keep at all neighbours, in both orders."""
        self.losses.library.of("procedure", procedure="rows of tables")
        claim = step["claim"]
        if claim["notion"] == "approximate":
            return self.kept_by_rows(claim)
        values = self.claimed(claim, self.losses.rule(claim["notion"])["parameters"])
        for (x, y), _ in profiles.exhausted(self.losses.core):
            for one, other in ((x, y), (y, x)):
                demand(self.keep(one, other, claim, values), "rows that have not the guarantee")
        squared = self.squared(claim["notion"])
        return Bound(claim["notion"], self.claimed(claim, values, squared), squared, claim)

    def keep(self, x: int, y: int, claim: Any, values: dict[str, Form | None]) -> bool:
        """Whether the rows at a database and another one are seen to keep a claim."""
        P, Q = self.together(x), self.together(y)
        if claim["notion"] == "gaussian":
            every = divergences.tests(P, Q, self.mu(values), lambda p, most: p[1] <= most[0])
            if not all(every) and not self.exceeded(x, y, claim, values):
                raise NotRead("table", "on which a claim lies")
            return all(every)
        try:
            return divergences.keep(P, Q, self.of_orders(claim, values))
        except NotRead:
            if self.exceeded(x, y, claim, values):
                return False
            raise

    def exceeded(self, x: int, y: int, claim: Any, values: dict[str, Form | None]) -> bool:
        """Whether the rows at a database and another one are seen to break a claim."""
        P, Q = self.together(x), self.together(y)
        if claim["notion"] == "gaussian":
            return any(divergences.tests(P, Q, self.mu(values), lambda p, most: p[0] > most[1]))
        return divergences.exceeds(P, Q, self.of_orders(claim, values))

    def of_orders(self, claim: Any, values: dict[str, Form | None]) -> divergences.Bound:
        """What a claim says of divergences."""
        if claim["notion"] not in ("zcdp", "tcdp", "renyi"):
            raise NotRead("table", f"in {claim['notion']}")
        return divergences.Bound(self.algebra, claim, values)

    def mu(self, values: dict[str, Form | None]) -> Interval:
        """The μ of a claim."""
        demand(values["mu"] is not None, "a claim of oo")
        assert values["mu"] is not None
        if letters(values["mu"]):
            raise NotRead("table", "with parameters")
        return self.algebra.enclose(values["mu"], {})

    def kept_by_rows(self, claim: Any) -> Bound:
        """The same, by whatever page."""
        factor, delta = self.in_numbers(claim)
        for (x, y), _ in profiles.exhausted(self.losses.core):
            for one, other in ((x, y), (y, x)):
                more = excess(self.together(one), self.together(other), factor)
                demand(more[0] <= delta[1], "rows that have not the guarantee")
                if more[1] > delta[0]:
                    raise NotRead("table", "on which a claim lies")
        return Bound("approximate", self.claimed(claim, ["epsilon", "delta"]), frozenset(), claim)

    def against_rows(self, step: Any, before: list[Any]) -> Shown:
        """A claim in numbers that the rows of two neighbours do not keep."""
        if "tables" in step:
            raise NotRead("chains", "tables of mechanisms that are given by guarantees")
        x, y = step["databases"]
        near = {frozenset(pair) for pair, _ in profiles.exhausted(self.losses.core)}
        demand(frozenset((x, y)) in near, "rows of no neighbours")
        if step["point"]:
            raise NotRead("table", "with parameters")
        claim = step["claim"]
        self.losses.library.of("processing", of="parts")
        if claim["notion"] != "approximate":
            values = self.claimed(claim, self.losses.rule(claim["notion"])["parameters"])
            if not self.exceeded(x, y, claim, values):
                demand(not self.keep(x, y, claim, values), "rows that keep the claim")
            return Shown("refuted", claim)
        factor, delta = self.in_numbers(claim)
        more = excess(self.together(x), self.together(y), factor)
        demand(more[1] > delta[0], "rows that keep the claim")
        if more[0] <= delta[1]:
            raise NotRead("table", "on which a claim lies")
        return Shown("refuted", claim)

    def along(self, step: Any, before: list[Any]) -> Shown:
        """A claim by what is lost along chains of listed databases."""
        raise NotRead("chains", "of databases")

    def single_steps(self, step: Any, before: list[Any]) -> Shown:
        """A claim by what mechanisms in metrics have for single steps."""
        raise NotRead("chains", "of single steps")

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
