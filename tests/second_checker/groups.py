"""The profile of groups of a number of steps that is a letter: that of single steps, so many times (shapes/groups-of-any-size.md)."""

from __future__ import annotations

from typing import Any

from second_checker.enclosures import INF
from second_checker.forms import number
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.profiles import slots, types
from second_checker.scaled import Scaled, check_times, ranked


def lost(core: Any, library: Library) -> Scaled:
    """What mechanisms lose of groups of multisets of any size."""
    base = core["databases"]
    plain = base["kind"] == "records" and base["of"] == "multisets" and base["size"] == ["any", None]
    if not plain or "within" in core["target"] or any("partition" in one for one in core["mechanisms"]):
        raise NotRead("setting", "groups of any number of steps of other classes, or in parts")
    times = check_times(core)
    demand(times is not None, "guarantees for groups of a number that is none of the target's")
    once = {key: x for key, x in core["target"].items() if key != "times"}
    mechanisms = [
        {**one, "stated": {key: x for key, x in one["stated"].items() if key != "times"}}
        for one in core["mechanisms"]
    ]
    numbers = [i for i, _ in slots(core)]
    found = [
        dict(zip(numbers, (INF if r == INF else number(r) for r in v), strict=True))
        for v in types({**core, "target": once, "mechanisms": mechanisms})
    ]
    for i, one in enumerate(core["mechanisms"]):
        if "times" in one["stated"]:
            demand(len({v[i] for v in found}) == 1, "a group that moves by several distances")
    return ranked(core, library, found, {}, times)


__all__ = ["lost"]
