"""The sensitivity profile of a setting, found anew: by edit types, by blocks of cells, or by exhaustion.

A vector has one distance a slot.  A mechanism has one slot, a family as many as it shows members; which
members move is free, so vectors are the same where one comes from the other by exchanging parts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

from second_checker import noises
from second_checker import sizes as ranges
from second_checker.enclosures import INF
from second_checker.matchings import by_policies
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library

Distance = int | float
Vector = tuple[Distance, ...]
U, B, BOTH = frozenset({(0, 1), (1, 0)}), frozenset({(1, 1)}), frozenset({(0, 1), (1, 0), (1, 1)})


def profile(core: Any, library: Library) -> tuple[list[Vector], dict[int, noises.Moves]]:
    """The maximal vectors of a setting; noises have ranks for distances, with the moves of each."""
    vectors, moves = noises.ranked(core, library, set(types(core)))
    return maximal(core, vectors), moves


def types(core: Any) -> Iterator[Any]:
    """The vectors of target neighbours; of a noise how many records go and come."""
    kind = core["databases"]["kind"]
    found = {
        "records": by_edits,
        "policies": by_policies,
        "cells": by_blocks,
        "listed": by_exhaustion,
        "steps": by_steps,
    }.get(kind)
    if found is None:
        raise NotRead("setting", f"databases of kind {kind}")
    return found(core)


def slots(core: Any) -> list[tuple[int, Any]]:
    """All slots: the number of the mechanism, and what the slot reads."""
    return [(i, reads) for i, one in enumerate(core["mechanisms"]) for reads in one["reads"]]


def rounded_up(distance: Distance, steps: int) -> Distance:
    """The distance in groups of steps."""
    return distance if distance == INF else -(-int(distance) // steps)


# -- edits of records ------------------------------------------------------------------------------------


def by_edits(core: Any) -> Iterator[Vector]:
    """The vectors of one pair for each type of target neighbours (shapes/edit-types.md)."""
    base = core["databases"]
    how, n = base["size"]
    crowded = how == "at most" and (core["target"]["single"] == "any two" or n < core["target"]["steps"])
    if base["of"] == "sequences" and crowded:
        raise NotRead("setting", "sequences with no room for all edits")
    if base["of"] == "sequences" and core["target"]["steps"] > 1:
        relations = [core["target"], *(one["stated"] for one in core["mechanisms"])]
        demand(all([1, 1] not in one["single"] for one in relations), "several entries are replaced")
    many = [len(atom) for atom in base["atoms"]]
    if core["target"]["single"] == "any two" and how == "any":
        yield tuple(far(core["mechanisms"][i], reads) for i, reads in slots(core))
        return
    wanted = [one for one in sizes(core["target"], how, n) if ranges.fits(base, *one)]
    if sum(comb(len(many) + r - 1, r) * comb(len(many) + s - 1, s) for r, s in wanted) > MOST_WAYS:
        raise NotRead("setting", "too many ways to differ")
    for r, s in wanted:
        for removed in combinations_with_replacement(range(len(many)), r):
            for added in combinations_with_replacement(range(len(many)), s):
                if all(many[a] > 1 for a in set(removed) & set(added)):
                    yield tuple(
                        moved(core["mechanisms"][i], reads, removed, added, base) for i, reads in slots(core)
                    )


MOST_WAYS = 200_000
"""The most pairs of removed and added records, by atoms, that are gone through."""


def far(mechanism: Any, reads: Any) -> Distance:
    """The distance of databases without limit: 1 where any two are neighbours."""
    if reads == []:
        return 0
    return 1 if stated(mechanism)["single"] == "any two" else INF


def stated(mechanism: Any) -> Any:
    """The neighbours of a guarantee."""
    if "stated" not in mechanism:
        raise NotRead("noise", "a mechanism without neighbours of its own")
    return mechanism["stated"]


def edits(relation: Any) -> frozenset[tuple[int, int]]:
    """The edits of a relation."""
    return frozenset((a, b) for a, b in relation["single"])


def sizes(target: Any, how: str, n: int | None) -> set[tuple[int, int]]:
    """How many records target neighbours have removed and added, at least one."""
    most = INF if n is None else n
    if target["single"] == "any two":
        if most > 6:
            raise NotRead("setting", "any two databases of many records")
        every = range(int(most) + 1)
        reached = {(r, s) for r in every for s in every}
    else:
        anywhere = "within" in target
        possible = {e for e in edits(target) if most > 0 and (anywhere or how != "exactly" or e == (1, 1))}
        reached = {(0, 0)}
        for _ in range(target["steps"]):
            reached |= {(r + a, s + b) for r, s in reached for a, b in possible}
    reached = {(r, s) for r, s in reached if max(r, s) <= most and (how != "exactly" or r == s)}
    return reached - {(0, 0)}


def moved(mechanism: Any, reads: Any, removed: Any, added: Any, base: Any) -> Any:
    """The distance of what a slot reads, by the table of metrics."""
    whole = reads is None or len(set(reads)) == len(base["atoms"])
    own = range(len(base["atoms"])) if whole else set(reads)
    r, s = sum(a in own for a in removed), sum(a in own for a in added)
    if "noise" in mechanism:
        return r, s
    if mechanism.get("dealt") and (r, s) != (1, 1):
        if r == s or base["size"] != ["any", None]:
            raise NotRead("deals", "of several records, or of limited databases")
        return INF  # the sizes before and after have nothing to do with each other
    relation = stated(mechanism)
    if r == s == 0:
        return 0
    if relation["single"] == "any two":
        return 1
    how, kind, common = base["size"][0], edits(relation), mechanism["domain"] == "common"
    limited = base.get("least") and base["size"][1] is not None
    room = limited and (kind != U or relation["steps"] <= base["size"][1] - base["least"])
    if common and not whole and relation["steps"] > 1 and limited and not room:
        raise NotRead(
            "setting", "groups on the common domain, of databases of several sizes with a least one"
        )
    demand(kind in (U, B, BOTH), "edits that are none of the three")
    if "within" in relation:
        raise NotRead("setting", "guarantees for steps that lead out of the class")
    if kind == U:
        distance: Distance = INF if how == "exactly" and (whole or common) else r + s
    elif kind == B and (whole or not common):
        distance = r if r == s else INF
    else:
        distance = max(r, s)
    return rounded_up(distance, relation["steps"])


# -- blocks of cells -------------------------------------------------------------------------------------


def by_blocks(core: Any) -> Iterator[Vector]:
    """The vectors of one pair for each union of target blocks (shapes/blocks.md)."""
    cells = range(core["databases"]["count"])
    target = core["target"]
    blocks = [frozenset(cells)] if target["single"] == "any two" else [frozenset(b) for b in target["single"]]
    many = min(target["steps"], len(blocks))
    for chosen in combinations(blocks, many):
        union = frozenset().union(*chosen)
        if not union:
            continue
        yield tuple(covered(core["mechanisms"][i], reads, union, cells) for i, reads in slots(core))


def covered(mechanism: Any, reads: Any, union: frozenset[int], cells: range) -> Any:
    """The fewest stated blocks that cover what differs of what is read."""
    own = frozenset(cells) if reads is None else frozenset(reads)
    left = union & own
    if "noise" in mechanism:
        return len(left), len(left)
    relation = stated(mechanism)
    if not left or relation["single"] == "any two":
        return 1 if left else 0
    blocks = [frozenset(b) & left for b in relation["single"]]
    if not left <= frozenset().union(*blocks):
        return INF
    return rounded_up(cover(left, blocks), relation["steps"])


def cover(left: frozenset[int], blocks: list[frozenset[int]]) -> int:
    """The least number of blocks that cover: one of those with the first cell is among them."""
    if not left:
        return 0
    first = min(left)
    return 1 + min(cover(left - b, blocks) for b in {b & left for b in blocks if first in b})


# -- steps -----------------------------------------------------------------------------------------------


def by_steps(core: Any) -> Iterator[Vector]:
    """The one vector of databases that are as far apart as the target allows (shapes/own-steps.md)."""
    yield tuple(
        rounded_up(core["target"]["steps"], stated(one)["steps"]) if stated(one)["single"] == "step" else 1
        for one in core["mechanisms"]
    )


# -- listed databases ------------------------------------------------------------------------------------


def by_exhaustion(core: Any) -> Iterator[Vector]:
    """The vectors of all target neighbours of a finite class (shapes/exhaustion.md)."""
    for _, vector in exhausted(core):
        yield vector


def exhausted(core: Any) -> Iterator[tuple[tuple[int, int], Vector]]:
    """All target neighbours of a finite class, with their vectors."""
    count = core["databases"]["count"]
    pairs = core["target"]["single"]
    reach = joined(pairs, count)
    tables = []
    for i, reads in slots(core):
        mechanism = core["mechanisms"][i]
        image = list(range(count)) if reads is None else reads
        own, steps = stated(mechanism)["single"], stated(mechanism)["steps"]
        if own != "any two" and mechanism["domain"] == "common" and reads is not None:
            own, steps = {(image[a], image[b]) for a, b in within(own, count, steps)}, 1
        tables.append((image, joined(own, max(image) + 1), steps))
    for a in range(count):
        near = [b for b, far in paths(reach, a, most=core["target"]["steps"]).items() if b > a and far]
        metrics = [paths(graph, image[a], {image[b] for b in near}) for image, graph, _ in tables]
        for b in near:
            vector = (
                rounded_up(metric.get(image[b], INF), steps)
                for metric, (image, _, steps) in zip(metrics, tables, strict=True)
            )
            yield (a, b), tuple(vector)


def within(pairs: Any, count: int, steps: int) -> list[tuple[int, int]]:
    """All that at most so many pairs lead between."""
    if steps == 1:
        return list(pairs)
    graph = joined(pairs, count)
    return [(a, b) for a in range(count) for b, far in paths(graph, a, most=steps).items() if far and a < b]


def joined(pairs: Any, count: int) -> list[set[int]]:
    """To which others a pair leads from each."""
    if pairs == "any two":
        pairs = combinations(range(count), 2)
    graph: list[set[int]] = [set() for _ in range(count)]
    for a, b in pairs:
        if a != b:
            graph[a].add(b)
            graph[b].add(a)
    return graph


def paths(
    graph: list[set[int]], start: int, wanted: set[int] | None = None, most: Distance = INF
) -> dict[int, Distance]:
    """How far the others are, at least all that are wanted and no further than that."""
    row: dict[int, Distance] = {start: 0}
    left = None if wanted is None else wanted - {start}
    waiting = deque([start])
    while waiting and left != set():
        at = waiting.popleft()
        if row[at] >= most:
            break
        for to in graph[at]:
            if to not in row:
                row[to] = row[at] + 1
                waiting.append(to)
                if left is not None:
                    left.discard(to)
    return row


# -- maximal vectors -------------------------------------------------------------------------------------


def exchanges(core: Any) -> list[list[tuple[int, ...]]]:
    """The slots of each partition, part by part: those that can be exchanged."""
    parts: dict[str, list[list[int]]] = {}
    at = 0
    for one in core["mechanisms"]:
        own = list(range(at, at + len(one["reads"])))
        at += len(own)
        if one.get("partition"):
            parts.setdefault(one["partition"], []).append(own)
    return [list(zip(*families, strict=True)) for families in parts.values()]


def maximal(core: Any, vectors: set[Vector]) -> list[Vector]:
    """The maximal vectors, one of those that exchanging parts makes of each other."""
    groups = exchanges(core)
    free = sorted(set(range(len(slots(core)))) - {at for group in groups for part in group for at in part})

    def told(v: Vector) -> tuple[Vector, Columns]:
        """What moves apart from parts, and how each part moves, the parts in falling order."""
        parts = (sorted((tuple(v[at] for at in part) for part in group), reverse=True) for group in groups)
        return tuple(v[at] for at in free), tuple(map(tuple, parts))

    def below(u: Vector, w: Vector) -> bool:
        """Whether some exchange of parts of u makes all of it at most w."""
        (one, some), (other, others) = kinds[u], kinds[w]
        return at_most(one, other) and all(placed(x, y) for x, y in zip(some, others, strict=True))

    kinds = {v: told(v) for v in vectors if any(v)}
    one_of_each = {kind: v for v, kind in kinds.items()}
    kept: list[Vector] = []
    for v in sorted(one_of_each.values(), key=lambda v: sorted(v, reverse=True), reverse=True):
        if not any(below(v, w) for w in kept):
            kept = [w for w in kept if not below(w, v)] + [v]
    # neighbours that move no input are neighbours still: a profile with one vector 0 is not empty
    return sorted(kept, reverse=True) or sorted(vectors, reverse=True)[:1]


Columns = tuple[tuple[Vector, ...], ...]


def at_most(u: Vector, w: Vector) -> bool:
    """Whether each distance is at most the other one."""
    return all(a <= b for a, b in zip(u, w, strict=True))


def placed(some: tuple[Vector, ...], others: tuple[Vector, ...]) -> bool:
    """Whether each of some parts has another one of the others that moves at least as far (alternating paths)."""
    taken: dict[int, int] = {}

    def seat(i: int, seen: set[int]) -> bool:
        for j, other in enumerate(others):
            if j not in seen and at_most(some[i], other):
                seen.add(j)
                if j not in taken or seat(taken[j], seen):
                    taken[j] = i
                    return True
        return False

    return all(seat(i, set()) for i in range(len(some)))
