"""The profile of groups of a number of steps that is a letter: that of single steps, so many times (shapes/groups-of-any-size.md)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from second_checker import each_number
from second_checker.algebra import Algebra
from second_checker.assumptions import known
from second_checker.enclosures import INF
from second_checker.forms import ZERO, Form, letter, minus, number, rational, scale
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pages import Library
from second_checker.profiles import slots, types
from second_checker.scaled import Scaled, check_times, repeated


def lost(core: Any, library: Library) -> Scaled:
    """What mechanisms lose of groups of multisets of any size."""
    base = core["databases"]
    if base["kind"] in ("cells", "listed"):
        return each_number.lost(core, library)
    plain = base["kind"] == "records" and base["of"] == "multisets" and base["size"] == ["any", None]
    if not plain or "within" in core["target"]:
        raise NotRead("setting", "groups of any number of steps of other classes")
    if any("stated" not in one for one in core["mechanisms"]):
        raise NotRead("setting", "noise, studies and samples for groups of any number")
    once = {key: x for key, x in core["target"].items() if key != "times"}
    mechanisms = [
        {**one, "stated": {key: x for key, x in one["stated"].items() if key != "times"} | {"steps": 1}}
        for one in core["mechanisms"]
    ]
    several = {
        i: one["stated"]["steps"] for i, one in enumerate(core["mechanisms"]) if one["stated"]["steps"] != 1
    }
    alone = [one if i in several else core["mechanisms"][i] for i, one in enumerate(mechanisms)]
    times = check_times({**core, "mechanisms": alone})
    demand(times is not None, "guarantees for groups of a number that is none of the target's")
    assert times is not None
    vectors = set(types({**core, "target": once, "mechanisms": mechanisms}))
    numbers = [i for i, _ in slots(core)]
    for n, i in enumerate(numbers):
        if "times" in core["mechanisms"][i]["stated"]:
            demand(len({v[n] for v in vectors}) == 1, "a group that moves by several distances")
    scaled = repeated({**core, "mechanisms": alone}, library, vectors, times)
    for i, l in several.items():
        moved = [
            INF if r == INF else number(r) for v in vectors for j, r in zip(numbers, v, strict=True) if i == j
        ]
        scaled.far[i] = [ZERO, rounded_up(core, i, l, moved, times)]
    return scaled


def rounded_up(core: Any, i: int, l: int, moved: list[Any], times: Form) -> Form:
    """How many groups of l steps cover so many steps, each of which moves what is read as far: a letter, of which
    it is assumed that it is the least whole number of these."""
    one = core["mechanisms"][i]
    if len(set(moved)) != 1 or moved[0] in (INF, ZERO) or (one["reads"] != [None] and one["domain"] != "own"):
        raise NotRead("setting", "guarantees for groups that steps move by other distances")
    algebra = Algebra(core["parameters"])
    demand("times" not in one["stated"] and type(l) is int and l > 1, "groups of no number of steps")
    steps, each = algebra.times(times, moved[0]), rational(scale(moved[0], Fraction(1, l)))
    if each is not None and each.denominator == 1:
        return scale(times, each)
    assumed = known(core, algebra)
    for name in core["parameters"]:
        if algebra.domains[name].get("integer"):
            more = minus(scale(letter(name), l), steps)
            if {(more, False), (minus(number(l - 1), more), False)} <= set(assumed):
                return letter(name)
    raise Rejected("no letter that is so many groups of steps")


__all__ = ["lost"]
