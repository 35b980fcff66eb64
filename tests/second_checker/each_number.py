"""The profile of groups of a number of steps that is a letter, where some number leads as far as any (shapes/groups-of-any-size.md).

It is that of every number s of steps up to that one, whose distances count from s steps on.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from second_checker.algebra import Algebra
from second_checker.enclosures import INF
from second_checker.forms import ZERO, Form, letter, minus, number, scale
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.profiles import Vector, at_most, joined, paths, types
from second_checker.scaled import Scaled

MOST = 16
"""The most steps that are looked at one by one."""


def lost(core: Any, library: Library) -> Scaled:
    """What mechanisms lose of groups of any number of steps on cells, and on listed databases."""
    library.of("procedure", procedure="any number of steps")
    target, base = core["target"], core["databases"]
    demand("letter" not in base and target["steps"] == 1, "groups of another class")
    for one in core["mechanisms"]:
        demand(not {"table", "partition", "sampled", "dealt"} & set(one), "groups beside tables or parts")
        if "stated" not in one:
            raise NotRead("setting", "noise and studies for groups of any number")
        demand("times" not in one["stated"], "guarantees for groups of a number that is a letter")
    algebra = Algebra(core["parameters"])
    times = target["times"]
    box = algebra.domains.get(times, {})
    demand(bool(box.get("integer")) and algebra.ends(times)[0] >= 1, "no number of steps")
    once = {key: x for key, x in target.items() if key != "times"}
    vectors: list[tuple[int, Vector]] = []
    before = set[Vector]()
    for s in range(1, enough(core) + 1):
        own = set(types({**core, "target": {**once, "steps": s}}))
        largest = [v for v in own if not any(v != w and at_most(v, w) for w in own)]
        vectors += [(s, v) for v in sorted(largest) if v not in before]
        before |= own
    far: dict[int, list[Form]] = {i: [ZERO] for i in range(len(core["mechanisms"]))}

    def rank(i: int, s: int, r: float) -> float:
        """Where the distance stands among those of a mechanism."""
        if r in (0, INF):
            return r
        form = scale(from_on(algebra, times, s), Fraction(r))
        if form not in far[i]:
            far[i].append(form)
        return far[i].index(form)

    told = [tuple(rank(i, s, r) for i, r in enumerate(v)) for s, v in vectors]
    return Scaled(core, list(dict.fromkeys(told)), library, {}, far, {}, False)


def from_on(algebra: Algebra, times: str, s: int) -> Form:
    """1 from s steps on, and 0 for fewer."""
    if s <= algebra.ends(times)[0]:
        return number(1)
    more = algebra.top(1, [number(0), minus(letter(times), number(s - 1))])
    return scale(algebra.top(1, [number(-1), scale(more, -1)]), -1)


def enough(core: Any) -> int:
    """How many steps lead as far as any number of them."""
    base, single = core["databases"], core["target"]["single"]
    if single == "any two":
        return 1
    if base["kind"] == "cells":
        every = frozenset(cell for block in single for cell in block)
        blocks = [frozenset(block) for block in single]
        for n in range(1, MOST + 1):
            if any(frozenset().union(*some) == every for some in combinations(blocks, n)):
                return n
        raise NotRead("setting", "groups of more steps than are looked at one by one")
    graph = joined(single, base["count"])
    far = max((int(r) for x in range(base["count"]) for r in paths(graph, x).values()), default=1)
    if far > MOST:
        raise NotRead("setting", "groups of more steps than are looked at one by one")
    return max(far, 1)


__all__ = ["lost"]
