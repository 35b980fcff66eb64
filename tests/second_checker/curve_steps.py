"""Steps about curves: claims in numbers that lie above one, or below."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from second_checker import enclosures, normals
from second_checker.conclusions import Bound, Cover, Shown
from second_checker.enclosures import Interval
from second_checker.forms import letters
from second_checker.losses import Promise
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pieces import Curves
from second_checker.rows import RowSteps

SAME = Fraction(1, 10**30)
"""How close a claim is to a curve where enclosing does not tell whether it lies on it."""


class CurveSteps(RowSteps):
    """The rules curve, below_curve, curve_standing and exceed."""

    @cached_property
    def curves(self) -> Curves:
        """The curves of the setting."""
        if any("rate" in self.losses.library.one(page) for page in self.sampled):
            raise NotRead("sampled", "of which the whole curve is known")
        if any("table" in one for one in self.losses.core["mechanisms"]):
            raise NotRead("table", "on a curve")
        return Curves(self.losses)

    @property
    def sampled(self) -> list[str]:
        """The pages of samples."""
        return [one["sampled"]["page"] for one in self.losses.core["mechanisms"] if "sampled" in one]

    def every(self, before: list[Any]) -> list[Promise]:
        """The guarantees of all mechanisms, as they are, after the profile."""
        self.one(before, Cover, *[Promise] * (len(before) - 1))
        promises: list[Promise] = before[1:]
        demand(
            [p.mechanism for p in promises] == list(range(self.count)), "not each mechanism once, in order"
        )
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
        if "certificate" in step:
            raise NotRead("curve", "as a formula in letters")
        if self.tabled:
            return self.kept_by_rows(step["claim"])
        epsilon, delta = self.numbers(step["claim"], {})
        curves = self.curves
        above = curves.above(self.every(before), epsilon)
        demand(above <= delta[0] + SAME, "the curve is not below the claim")
        if above > delta[0]:
            raise NotRead("curve", "on which a claim lies")
        values = self.claimed(step["claim"], ["epsilon", "delta"])
        return Bound("approximate", values, frozenset(), step["claim"])

    def below_curve(self, step: Any, before: list[Any]) -> Bound:
        """A claim μ: between the ends of each chord the curve is below an event of normal noise around 0 and μ."""
        claim, promises = step["claim"], self.every(before)
        values = self.claimed(claim, ["mu"])
        demand(claim["notion"] == "gaussian" and values["mu"] is not None, "no claim of Gaussian privacy")
        self.losses.library.of("computed", converse=True)
        if len(step["chords"]) != 1 or any(one.notion in ("gaussian", "zcdp") for one in promises):
            raise NotRead("curve", "several curves, or normal noise, below that of normal noise")
        ((ends, events, _),) = step["chords"]
        mu = self.algebra.enclose(values["mu"], {})[0]
        every = [self.end(text) for text in ends]
        far = every[-1][0] >= self.curves.most(promises)  # however improbable what is lost beyond is
        demand(len(every) > 1 and every[0] == (0, 0) and far, "chords do not go from 0 to beyond all losses")
        heights = [self.height(epsilon, promises) for epsilon in every]
        for two, z in zip(pairwise(heights), map(Fraction, events), strict=True):
            p, q = normals.below(mu - z)[0], normals.below(-z)[1]
            over = max(delta + c * q - p for c, delta in two)
            demand(over <= SAME, "a chord is not below its event")
            if over > 0:
                raise NotRead("curve", "chords too far out to tell them from events")
        squares = self.claimed(claim, ["mu"], frozenset({"mu"}))
        return Bound("gaussian", squares, frozenset({"mu"}), claim)

    def end(self, text: str) -> Interval:
        """A constant ε."""
        form = self.algebra.read(text)
        demand(not letters(form), "an end with letters")
        return self.algebra.enclose(form, {})

    def height(self, epsilon: Interval, promises: list[Promise]) -> tuple[Fraction, Fraction]:
        """e^ε, and the curve there, from above."""
        return Fraction(enclosures.exponential(epsilon)[1]), self.curves.above(promises, epsilon)

    def curve_standing(self, step: Any, before: list[Any]) -> Shown:
        """That a claim lies above the curves; that it lies on them is not seen by enclosing."""
        self.one(before[:1], Bound)
        epsilon, delta = self.numbers(step["claim"], {})
        demand(self.claimed(step["claim"], ["epsilon", "delta"]) == before[0].values, "about another claim")
        if self.tabled:
            return self.lies_on(step["claim"], step["from"][0])
        if self.curves.above(self.every(before[1:]), epsilon) >= delta[0]:
            raise NotRead("curve", "a claim that lies on it")
        return Shown("loose", step["claim"])

    def exceed(self, step: Any, before: list[Any]) -> Shown:
        """That a claim lies below the curve of some mechanisms at the point."""
        point = self.point(step["point"])
        if "implied" in step:
            epsilon, delta = self.of_claim(step["claim"], step["implied"], point)
        else:
            epsilon, delta = self.numbers(step["claim"], point)
        by = [i - 1 for i in step.get("by", range(1, self.count + 1))]
        demand(set(by) <= set(range(self.count)) and len(set(by)) == len(by), "curves of no mechanism")
        promises = [one for one in self.every(before) if one.mechanism in by]
        least = self.curves.beyond(promises, point, epsilon)
        demand(least > delta[1], "the curve is not above the claim")
        self.losses.library.of("processing", of="parts")
        return Shown("refuted", step["claim"])

    def of_claim(self, claim: Any, by: Any, point: dict[str, Fraction]) -> tuple[Interval, Interval]:
        """An ε, and the δ there of normal noise with the μ of a claim at a point."""
        demand(set(by) == {"notion", "epsilon"} and by["notion"] == "approximate", "curves of another notion")
        if claim["notion"] != "gaussian":
            raise NotRead("curve", "what a claim of another notion implies")
        mu, end = self.claimed(claim, ["mu"])["mu"], self.algebra.read(by["epsilon"])
        demand(mu is not None and not letters(end), "a claim of ∞, or an ε with letters")
        number, epsilon = self.algebra.enclose(mu, point), self.algebra.enclose(end, {})
        demand(epsilon[0] >= 0, "an ε below 0")
        return epsilon, normals.normal(enclosures.times(number, number), epsilon)
