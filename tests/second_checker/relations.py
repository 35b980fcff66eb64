"""Neighbours: what a problem file calls them, compared with the single steps of a setting."""

from __future__ import annotations

from typing import Any

from second_checker.outcomes import NotRead, demand


def relation(said: Any, singles: Any) -> tuple[Any, int]:
    """The neighbours of a granularity: one step, and how many."""
    if isinstance(said, str):
        if said not in singles:
            raise NotRead("setting", f"the granularity {said}")
        return singles[said], 1
    if "group" in said:
        if type(said["group"]) is not int:
            raise NotRead("setting", "groups of any number of steps")
        single, steps = relation(said["of"], singles)
        return single, 1 if single == "any two" else steps * said["group"]
    if "union" in said:
        parts = [relation(part, singles) for part in said["union"]]
        if any(isinstance(single, str) or steps != 1 for single, steps in parts):
            raise NotRead("setting", "a union of groups")
        return [pair for single, _ in parts for pair in single], 1
    if "within" in said and "size" in singles:
        single, steps = relation(said["of"], singles)
        demand(steps == 1 and said["within"] == "any size", "steps within another class")
        return single, said["steps"]
    if "w-event" in said and "windows" in singles:
        return singles["windows"](said["w-event"]), 1
    raise NotRead("setting", f"the granularity {said}")


def same_relation(said: Any, own: Any, singles: Any, read: frozenset[int] | None = None) -> None:
    """Rejects neighbours that are not those of the problem file; read -- the cells to which blocks are cut."""
    if isinstance(said, dict) and isinstance(said.get("group"), str):
        demand(own.get("times") == said["group"] and own["steps"] == 1, "groups of another number")
        return same_relation(said["of"], {k: x for k, x in own.items() if k != "times"}, singles, read)
    demand("times" not in own, "groups of any number of steps")
    single, steps = relation(said, singles)
    named = isinstance(single, str) or isinstance(own["single"], str)
    if read is not None and not named:
        cut = {read.intersection(block) for block in single} - {frozenset()}
        single = [sorted(one) for one in cut if not any(one < other for other in cut)]
    same = single == own["single"] if named else as_set(single) == as_set(own["single"])
    demand(same and steps == own["steps"], "other neighbours")
    elsewhere = isinstance(said, dict) and "within" in said and singles["size"] != "any"
    demand(("within" in own) == elsewhere, "steps through other sizes")
    return None


def as_set(pairs: Any) -> set[tuple[int, ...]]:
    """Pairs or blocks in any order."""
    return {tuple(pair) for pair in pairs}


def relations(problem: Any, core: Any, singles: Any) -> None:
    """Rejects where the target or what a guarantee is stated for is another relation."""
    demand("granularity" in problem["target"], "a target without a granularity")
    same_relation(problem["target"]["granularity"], core["target"], singles)
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        if "noise" not in one:
            same_relation(said["guarantee"]["granularity"], one["stated"], singles, _cells(one, core))


def _cells(mechanism: Any, core: Any) -> frozenset[int] | None:
    """The cells that a mechanism reads, or all members of a family do; None for all there are."""
    own = core["databases"]
    if own["kind"] != "cells" or mechanism["reads"] == [None]:
        return None
    read = frozenset(cell for some in mechanism["reads"] for cell in some)
    return read if len(read) < own["count"] else None
