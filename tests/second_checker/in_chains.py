"""Claims in a metric that counts the steps of neighbours, shown for these neighbours (metrics/metric-form.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from second_checker.algebra import Algebra
from second_checker.conclusions import Bound, Shown, Unread
from second_checker.derivations import KEYS, Derivation
from second_checker.distances import spoken
from second_checker.forms import letter, minus, number
from second_checker.in_steps import WAYS, granularities, renamed
from second_checker.losses import Losses
from second_checker.outcomes import NotRead, demand
from second_checker.pairs import limit

TARGET, SINGLE = "d__target", "d__single"
"""How many steps of the target two databases are apart; and, where it is groups of steps, how many of these."""
FIELDS = {"about", "format", "core", "derivation", "guarantee", "claims", "stated"}


class Chained(Derivation):
    """Steps about neighbours, with those that lead from these to any two databases."""

    keys: ClassVar = KEYS | {"metric_form": {"from", "claim", "certificates"}}

    def __init__(self, losses: Losses, count: int, inner: Callable[..., Any], told: Any = None) -> None:
        super().__init__(losses, count, inner, told)
        self.algebra = Algebra({**losses.core["parameters"], TARGET: "nonnegative", SINGLE: "nonnegative"})
        self.algebra.fixed = losses.algebra.fixed

    def metric_form(self, step: Any, before: list[Any]) -> Bound | Shown:
        """A claim for any two databases, by what it says of neighbours."""
        if "certificates" in step:
            raise NotRead("metrics", "claims that are more than what chains lose")
        demand(len(before) == 1, "a step from more or fewer steps")
        known, claim, target = before[0], step["claim"], self.losses.core["target"]
        if isinstance(known, Unread):
            raise NotRead("step", "from one that is not read")
        demand(isinstance(known, Bound | Shown) and known.claim is not None, "a step from no claim")
        keys = set(claim) - {"notion"}
        demand({"notion", *keys} == set(known.claim), "a claim with other parameters")
        demand(claim["notion"] == known.claim["notion"], "a claim of another notion")
        said = {name for key in keys for name in spoken(claim[key]) if name in (TARGET, SINGLE)}
        demand(len(said) == 1, "a claim that is no formula in one number of steps")
        (name,) = said
        demand("within" not in target and target["single"] != "any two", "steps of another class")
        if name == SINGLE and "times" in target:
            return self.for_each(known, claim, keys, target["times"])
        apart = target["steps"] if name == SINGLE else 1
        if "times" in target or (name == SINGLE and getattr(known, "what", "") != "refuted"):
            raise NotRead("metrics", "what is shown for every number of steps")
        self.same_at(known, claim, keys, {name: number(apart)})
        if isinstance(known, Shown) and known.what == "refuted":
            self.no_more(claim, keys, name, apart, known.point)
        elif isinstance(known, Shown) and known.what == "optimal":
            raise NotRead("metrics", "what is least at any distance")
        else:
            self.as_chains(claim, known.claim, keys)
        return replace(known, claim=claim)

    def same_at(self, known: Any, claim: Any, keys: set[str], names: Any) -> None:
        """Rejects a claim that says something else of neighbours than is shown of these."""
        for key in keys:
            there = self.algebra.read(claim[key], names)
            demand(
                there == self.algebra.read(known.claim[key]), "for neighbours the claim says something else"
            )

    def for_each(self, known: Any, claim: Any, keys: set[str], times: str) -> Bound | Shown:
        """A claim in the number of steps between two databases, by what is shown for any number of steps, a letter."""
        core = self.losses.core
        self.same_at(known, claim, keys, {SINGLE: letter(times)})
        what = getattr(known, "what", "")
        if what == "refuted":
            steps = known.point[times]
            self.no_more(claim, keys, SINGLE, int(steps), known.point)
            return replace(known, claim=claim)
        demand(not says(core["mechanisms"], times), "a number of steps that mechanisms depend on")
        demand(not says(core.get("assumed", []), times), "a number of steps of which something is assumed")
        if what == "optimal":
            raise NotRead("metrics", "what is least at any distance")
        if what == "loose":
            # some databases are just so many steps apart
            demand(core["databases"].get("size") == ["any", None], "a class of databases of limited size")
            return replace(known, claim=claim)
        for key in keys:
            form = self.algebra.read(claim[key])
            least = self.algebra.read(claim[key], {SINGLE: number(0)})
            demand(self.algebra.sign(least) >= 1, "a claim that may be below 0 of equal databases")
            demand(
                limit(self.algebra, form, {SINGLE}) is None, "a claim about databases without a chain between"
            )
        return replace(known, claim=claim)

    def no_more(self, claim: Any, keys: set[str], name: str, apart: int, point: Any) -> None:
        """Rejects where a claim that is false for so many steps may say more of fewer."""
        for fewer in range(1, apart):
            for key in keys:
                most, less = (self.algebra.read(claim[key], {name: number(n)}) for n in (apart, fewer))
                low = self.algebra.enclose(minus(most, less), point)[0]
                demand(low >= 0, "a claim may say more of fewer steps")

    def as_chains(self, claim: Any, once: Any, keys: set[str]) -> None:
        """Rejects a claim that is not what its notion makes of one for neighbours."""
        self.losses.library.of("metric", states="metric form", notion=claim["notion"])
        rule = self.losses.rule(claim["notion"])
        names = {**{key: self.algebra.read(once[key]) for key in keys}, "r": letter(TARGET)}
        for key in keys:
            made = self.algebra.read(rule["distance"][key], names)
            demand(made == self.algebra.read(claim[key]), "not what the notion makes of chains of neighbours")


def says(data: Any, name: str) -> bool:
    """Whether a letter stands in some formula."""
    if isinstance(data, dict):
        return any(says(x, name) for key, x in data.items() if key != "name")
    if isinstance(data, list):
        return any(says(x, name) for x in data)
    return (
        isinstance(data, str)
        and re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", data) is not None
    )


def about(problem: Any, said: list[Any], form: Any) -> Any:
    """The problem about neighbours, whose claims some of those at any two databases are."""
    steps = form.get("steps")
    demand(
        set(form) - {"steps"} == FIELDS and form["guarantee"] is None,
        "other entries than those of the format",
    )
    known, claims, near = granularities(problem), [], set()
    for n in form["about"]:
        claim = said[n - 1]
        if claim["notion"] not in WAYS or "delta" in claim:
            raise NotRead("metrics", "claims of other notions")
        far = [x for x in spoken(claim["metric"]) if x.startswith("d_")]
        demand(len(far) == 1 and far[0].removeprefix("d_") in known, "a claim that is no formula in steps")
        near.add(known[far[0].removeprefix("d_")])
        key, way = WAYS[claim["notion"]]
        text = renamed(claim["metric"], far[0], TARGET if steps is None else SINGLE)
        claims.append({"notion": claim["notion"], key: way.format(text)})
    demand(len(near) == 1, "claims about several neighbours")
    demand(
        form["stated"] == [one["claim"] for one in form["claims"]], "other claims than those that are stated"
    )
    (one,) = near
    many = int(steps) if str(steps).isdigit() else steps
    target = one if steps is None else {"group": many, "of": one}
    letters = {name.removesuffix("[i]"): "positive" for name in form["core"]["parameters"]}
    if isinstance(many, str):
        demand(many not in problem.get("parameters", {}), "a number of steps that is a parameter")
        letters[many] = "integer >= 1"
    given = {"claims": claims, "parameters": letters | problem.get("parameters", {})}
    return {**problem, **given, "target": {"granularity": target}}


__all__ = ["Chained", "about"]
