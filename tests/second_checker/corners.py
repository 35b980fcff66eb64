"""The profile of groups of many steps, where losses are convex: all that goes is of one atom, and all that comes (shapes/corners.md)."""

from __future__ import annotations

from itertools import product
from typing import Any

from second_checker.forms import number
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.profiles import BOTH, B, U, edits, moved, slots
from second_checker.scaled import Far, Scaled, ranked


def lost(core: Any, library: Library) -> Scaled:
    """What mechanisms lose of groups, at the corners of what may go and come."""
    base, target = core["databases"], core["target"]
    how, n = base["size"]
    m, kind = target["steps"], frozenset() if target["single"] == "any two" else edits(target)
    plain = (
        base["kind"] == "records"
        and base["of"] == "multisets"
        and "least" not in base
        and "within" not in target
    )
    if (
        not plain
        or kind not in (U, B, BOTH)
        or any("partition" in one or "noise" in one for one in core["mechanisms"])
    ):
        raise NotRead("setting", "corners of other groups")
    if how == "exactly":
        kind = B if kind != U else frozenset()
    demand(bool(kind), "neighbours that are not there")
    if n is not None and n < m:
        raise NotRead("setting", "groups of more records than there are")
    for one in core["mechanisms"]:
        steep = edits(one["stated"]) == B and one["domain"] == "own" and one["reads"] != [None]
        if (
            one["stated"]["steps"] != 1
            or one["stated"]["single"] == "any two"
            or steep
            or "within" in one["stated"]
        ):
            raise NotRead("setting", "distances that are not seen to be convex")
    ends = {U: [(m, 0), (0, m)], B: [(m, m)], BOTH: [(m, m), (m, 0), (0, m)]}[kind]
    atoms, found = range(len(base["atoms"])), []
    for (p, q), x, y in product(ends, atoms, atoms):
        if p and q and x == y and len(base["atoms"][x]) < 2:
            continue
        removed, added = (x,) * p, (y,) * q
        vector: dict[int, Far] = {}
        for i, reads in slots(core):
            r = moved(core["mechanisms"][i], reads, removed, added, base)
            vector[i] = r if isinstance(r, float) else number(r)
        found.append(vector)
    losses = ranked(core, library, found, {}, None)
    losses.convex = True
    return losses


__all__ = ["lost"]
