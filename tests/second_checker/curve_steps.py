"""Steps about curves: claims in numbers that lie above one, or below."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from second_checker import enclosures, noises, normals
from second_checker.conclusions import Bound, Cover, Shown
from second_checker.enclosures import Interval
from second_checker.forms import Form, letters
from second_checker.losses import Promise
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pieces import Curves
from second_checker.rows import RowSteps
from second_checker.samples import demand_same

SAME = Fraction(1, 10**30)
"""How close a claim is to a curve where enclosing does not tell whether it lies on it."""


class CurveSteps(RowSteps):
    """The rules curve, below_curve, curve_standing and exceed."""

    @cached_property
    def curves(self) -> Curves:
        """The curves of the setting."""
        if any("table" in one for one in self.losses.core["mechanisms"]):
            raise NotRead("table", "on a curve")
        return Curves(self.losses)

    def every(self, before: list[Any]) -> list[Promise]:
        """The guarantees of all mechanisms, as they are, after the profile."""
        self.one(before, Cover, *[Promise] * (len(before) - 1))
        promises: list[Promise] = before[1:]
        demand(
            [p.mechanism for p in promises] == list(range(self.count)), "not each mechanism once, in order"
        )
        demand(all(not p.pages for p in promises), "curves of converted guarantees")
        if any(p.instead for p in promises):
            raise NotRead("orders", "curves of what a page says to be the same")
        return promises

    def values(self, claim: Any) -> tuple[Form, Form]:
        """The ε and δ of a claim."""
        demand(claim["notion"] == "approximate", "a curve of another notion")
        values = self.claimed(claim, ["epsilon", "delta"])
        if values["epsilon"] is None or values["delta"] is None:
            raise Rejected("a curve for a claim of ∞")
        return values["epsilon"], values["delta"]

    def curve(self, step: Any, before: list[Any]) -> Bound:
        """A claim that the curves of all types lie below: in numbers, or by a certificate."""
        if self.tabled:
            return self.kept_by_rows(step["claim"])
        epsilon, delta = self.values(step["claim"])
        curves, promises = self.curves, self.every(before)
        bound = Bound("approximate", {"epsilon": epsilon, "delta": delta}, frozenset(), step["claim"])
        if "certificate" in step:
            most = self.most([one.value for one in curves.exactly_at(promises, epsilon)])
            self.compare(step["certificate"], delta, most, squared=False)
            return bound
        above, least = curves.above(promises, epsilon), self.algebra.enclose(delta, {})[0]
        if curves.is_rough(promises, {}, epsilon, least):
            raise NotRead("curve", "that is enclosed, and a claim that lies between")
        near = least if curves.chained(promises) else least + SAME
        demand(above <= near, "the curve is not below the claim")
        if above > least:
            for one in curves.exactly_at(promises, epsilon):
                if self.algebra.enclose(one.value, {})[1] > least:
                    demand_same(self.algebra, one.value, delta, "the curve is not below the claim")
        return bound

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
        last = self.algebra.enclose(every[-1], {})[0]
        far = last >= self.curves.most(promises)  # however improbable what is lost beyond is
        demand(len(every) > 1 and not every[0] and far, "chords do not go from 0 to beyond all losses")
        heights = [self.height(epsilon, promises) for epsilon in every]
        for two, z in zip(pairwise(heights), map(Fraction, events), strict=True):
            p, q = normals.below(mu - z)[0], normals.below(-z)[1]
            over = max(delta + c * q - p for c, delta in two)
            demand(over <= SAME, "a chord is not below its event")
            if over > 0:
                raise NotRead("curve", "chords too far out to tell them from events")
        squares = self.claimed(claim, ["mu"], frozenset({"mu"}))
        return Bound("gaussian", squares, frozenset({"mu"}), claim)

    def end(self, text: str) -> Form:
        """A constant ε."""
        form = self.algebra.read(text)
        demand(not letters(form), "an end with letters")
        return form

    def height(self, epsilon: Form, promises: list[Promise]) -> tuple[Fraction, Fraction]:
        """e^ε, and the curve there, from above."""
        factor = self.algebra.enclose(self.algebra.exp(epsilon), {})
        return Fraction(factor[1]), self.curves.above(promises, epsilon)

    def curve_standing(self, step: Any, before: list[Any]) -> Shown:
        """That a claim lies above the curves, or on one that falls there, where no ε is below 0."""
        self.one(before[:1], Bound)
        epsilon, delta = self.values(step["claim"])
        demand(self.claimed(step["claim"], ["epsilon", "delta"]) == before[0].values, "about another claim")
        if self.tabled:
            return self.lies_on(step["claim"], before[0])
        promises = self.every(before[1:])
        if self.curves.above(promises, epsilon) < self.algebra.enclose(delta, {})[0]:
            return Shown("loose", step["claim"])
        if any({"noise", "table"} & set(one) for one in self.losses.core["mechanisms"]):
            raise NotRead("curve", "of noise or tables, a claim that lies on it")
        if not self.curves.falls_from(promises, epsilon, delta):
            raise NotRead("curve", "a claim that lies on it")
        return Shown("optimal", step["claim"], before[0])

    def exceed(self, step: Any, before: list[Any]) -> Shown:
        """That a claim lies below the curve of some mechanisms at the point."""
        point = self.point(step["point"])
        if "implied" in step:
            epsilon, delta = self.of_claim(step["claim"], step["implied"], point)
        else:
            epsilon, own = self.values(step["claim"])
            delta = self.algebra.enclose(own, point)
        by = [i - 1 for i in step.get("by", range(1, self.count + 1))]
        demand(set(by) <= set(range(self.count)) and len(set(by)) == len(by), "curves of no mechanism")
        promises = [one for one in self.every(before) if one.mechanism in by]
        least = self.of_event(promises, point, epsilon)
        least = self.curves.beyond(promises, point, epsilon) if least is None else least
        if self.curves.is_rough(promises, point, epsilon, delta[1]):
            raise NotRead("curve", "that is enclosed, and a claim that lies between")
        demand(least > delta[1], "the curve is not above the claim")
        self.losses.library.of("processing", of="parts")
        return Shown("refuted", step["claim"])

    def of_event(self, promises: list[Promise], point: dict[str, Fraction], epsilon: str) -> Fraction | None:
        """What an event of the only noise has beyond e^ε times its other probability, where its page has one."""
        losses = self.losses
        i = promises[0].mechanism if len(promises) == 1 else -1
        mechanism = losses.core["mechanisms"][i]
        if i not in losses.moves or "event" not in losses.library.one(mechanism["noise"]["page"]):
            return None
        noise, law = mechanism["noise"], losses.library.one(mechanism["noise"]["page"])
        if "count" in mechanism:
            raise NotRead("curve", "of an event of members of a family")
        demand(noises.attained(losses.library, mechanism, losses.core, "event"), "no such event")
        text = law.get("events", {}).get(noise["query"]["page"], law["event"])
        ends: list[Fraction] = []
        for r in {v[losses.numbers().index(i)] for v in losses.vectors} - {0}:
            names = {**noises.letters_of(self.algebra, law, noise), "r": losses.moves[i].forms[int(r)]}
            value = self.algebra.read(text, {**names, "epsilon": epsilon})
            ends.append(Fraction(self.algebra.enclose(value, point)[0]))
        demand(bool(ends), "an event without neighbours")
        return max(ends)

    def of_claim(self, claim: Any, by: Any, point: dict[str, Fraction]) -> tuple[Form, Interval]:
        """An ε, and the δ there of normal noise with the μ of a claim at a point."""
        demand(set(by) == {"notion", "epsilon"} and by["notion"] == "approximate", "curves of another notion")
        if claim["notion"] not in ("gaussian", "zcdp"):
            raise NotRead("curve", "what a claim of another notion implies")
        (key,) = self.losses.rule(claim["notion"])["parameters"]
        value, end = self.claimed(claim, [key])[key], self.algebra.read(by["epsilon"])
        demand(not letters(end), "an ε with letters")
        if value is None:
            raise Rejected("a claim of ∞")
        number, epsilon = self.algebra.enclose(value, point), self.algebra.enclose(end, {})
        demand(epsilon[0] >= 0, "an ε below 0")
        if key == "rho":
            delta = normals.concentrated(Fraction(number[1]), Fraction(epsilon[0]))
            return end, (Fraction(0), delta)
        return end, normals.normal(enclosures.times(number, number), epsilon)
