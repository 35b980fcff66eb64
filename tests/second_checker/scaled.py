"""Profiles whose distances are formulas: rows of persons, and groups of a number of steps that is a letter.

A vector has a rank for each mechanism, by which its distance is told.  At most m steps apart, distances add up to
at most m times a mixture of those of single steps; where losses are convex, they are largest at one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cmp_to_key
from typing import Any

from second_checker import noises
from second_checker.algebra import Algebra
from second_checker.enclosures import INF
from second_checker.forms import ZERO, Form, add, minus, number, rational
from second_checker.losses import Loss, Losses, Promise, Values, finite
from second_checker.outcomes import NotRead, demand
from second_checker.profiles import Distance, Vector, maximal

Far = Form | float
CONVEX = ("pure", "zcdp", "gaussian")
"""The notions in which a guarantee at distance r is c·r, c·r², or c·r with a root of squares: convex in r."""


@dataclass
class Scaled(Losses):
    """Losses at distances that are formulas; many -- how many members of a family move; convex -- what is asked of losses."""

    far: dict[int, list[Form]] = field(default_factory=dict)
    many: Mapping[int, Form] = field(default_factory=dict)
    convex: bool = False

    def distance(self, i: int, r: Distance) -> Form:
        return self.far[i][int(r)]

    def at(self, promise: Promise, r: Distance) -> Values:
        i = promise.mechanism
        own = self.stated(i) if promise.own is None else finite(promise.own)
        if own is None or r == INF:
            return None
        first = self.library.one(promise.pages[0][0])["from"] if promise.pages else promise.notion
        if self.convex and (promise.pages or first not in CONVEX):
            raise NotRead("setting", "losses that are not seen to be convex")
        one, rule, far = self.core["mechanisms"][i], self.rule(first), self.distance(i, r)
        if "noise" in one:
            law = self.library.one(one["noise"]["page"])
            if first in law.get("moved", {}) or promise.closer:
                raise NotRead("noise", "of which another formula is known, for persons")
        if rule.get("ordered"):
            raise NotRead("setting", "divergences of several rows")
        value = rational(far)
        whole = value is not None and value.denominator == 1
        texts = {**rule["distance"], **(rule.get("at-steps", {}) if whole else {})}
        values: Values = {key: self.algebra.read(texts[key], {**own, "r": far}) for key in rule["parameters"]}
        for page, chosen in promise.pages:
            values = self.converted(page, dict(chosen), values)
        return values

    def members(self, families: list[tuple[int, Vector]], loss: Loss) -> Form | None:
        if families[0][0] not in self.many:
            return super().members(families, loss)
        values = [loss(i, own[0]) for i, own in families if own[0]]  # type: ignore[arg-type]
        if None in values:
            return None
        count = self.algebra.read(self.core["mechanisms"][families[0][0]]["count"])
        return self.algebra.family(
            self.many[families[0][0]], add(*(x for x in values if x is not None)), count
        )

    def witness(
        self, i: int, r: Distance, notion: str, key: str, squared: bool, alike: list[int]
    ) -> Form | None:
        one = self.core["mechanisms"][i]
        if "noise" in one:
            demand(one["notion"] == notion, "a noise in another notion")
            demand(noises.attained(self.library, one, self.core, notion), "a noise that is nowhere as large")
        return super().witness(i, r, notion, key, squared, alike)


def ranked(
    core: Any, library: Any, vectors: list[dict[int, Far]], many: Mapping[int, Form], times: Form | None
) -> Scaled:
    """Losses at the distances of some types, one for each mechanism; times -- how often single steps are taken."""
    count = len(core["mechanisms"])
    algebra = Algebra(core["parameters"])
    kept: dict[int, list[Form]] = {}
    for i in range(count):
        forms = {x for v in vectors if not isinstance(x := v[i], float)} | {ZERO}

        def order(x: Form, y: Form) -> int:
            sign = algebra.sign(minus(x, y)) if x != y else 1
            if not sign:
                raise NotRead("setting", "distances of which none is seen to be larger")
            return sign

        kept[i] = sorted(forms, key=cmp_to_key(order))
        demand(kept[i][0] == ZERO, "a distance below 0")
    told = {
        tuple(INF if isinstance(x := v[i], float) else kept[i].index(x) for i in range(count))
        for v in vectors
    }
    if times is not None:
        demand_alike(core, told)
        kept = {
            i: forms if is_alike(core["mechanisms"][i]) else [algebra.times(times, x) for x in forms]
            for i, forms in kept.items()
        }
    return Scaled(core, maximal(core, told), library, {}, kept, many, times is not None)


def repeated(core: Any, library: Any, vectors: set[Vector], times: Form) -> Scaled:
    """Losses of groups of so many steps, each of which moves what slots read by one of these vectors of numbers."""
    told, numbers = (
        maximal(core, vectors),
        [i for i, one in enumerate(core["mechanisms"]) for _ in one["reads"]],
    )
    demand_alike(core, told)
    algebra, far = Algebra(core["parameters"]), dict[int, list[Form]]()
    moved: dict[int, list[Distance]] = {}
    for i, one in enumerate(core["mechanisms"]):
        moved[i] = sorted(
            {0, *(r for v in told for j, r in zip(numbers, v, strict=True) if i == j and r != INF)}
        )
        once = [number(r) for r in moved[i]]
        far[i] = once if is_alike(one) else [algebra.times(times, x) for x in once]
    ranks = [
        tuple(INF if r == INF else moved[i].index(r) for i, r in zip(numbers, v, strict=True)) for v in told
    ]
    return Scaled(core, ranks, library, {}, far, {}, True)


def demand_alike(core: Any, vectors: Any) -> None:
    """Refuses what moves by as much for any number of steps as for one, and in some steps only: several of these may
    be taken for what moves in different ones."""
    numbers = [i for i, one in enumerate(core["mechanisms"]) for _ in one["reads"]]
    for n, i in enumerate(numbers):
        if is_alike(core["mechanisms"][i]) and len({v[n] for v in vectors}) > 1:
            raise NotRead("setting", "groups of steps, of which some move what is stated for any two")


def is_alike(one: Any) -> bool:
    """Whether a mechanism moves by as much for any number of steps."""
    return "stated" in one and (one["stated"]["single"] == "any two" or "times" in one["stated"])


def check_times(core: Any) -> Form | None:
    """The number of steps of a target, a letter for whole numbers from 1; None where there is none."""
    times = core["target"].get("times")
    for one in core["mechanisms"]:
        stated = one.get("stated", {})
        if "times" in stated:
            demand(stated["times"] == times and one["reads"] == [None], "groups of another number of steps")
        elif times is not None and stated.get("steps", 1) != 1:
            raise NotRead("setting", "guarantees for groups beside groups of any number")
        if times is not None and ("noise" in one or "study" in one or "sampled" in one or one.get("dealt")):
            raise NotRead("setting", "noise, studies and samples for groups of any number")
    if times is None:
        return None
    algebra = Algebra(core["parameters"])
    demand(
        core["target"]["steps"] == 1 and times in core["parameters"], "a number of steps that is no letter"
    )
    box = algebra.domains[times]
    demand(
        bool(box.get("integer")) and algebra.sign(minus(algebra.read(times), number(1))) >= 1,
        "no number of steps",
    )
    return algebra.read(times)


__all__ = ["Far", "Scaled", "check_times", "ranked", "repeated"]
