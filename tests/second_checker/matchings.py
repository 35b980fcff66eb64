"""Distances by policies: cheapest matchings of what one database has alone with what the other one has.

An atom stands for records with the same edges; `None` is nothing, which may stand on both sides as often as one
likes (facts/policy-metric.md, shapes/policies.md).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

from second_checker import sizes, tokens
from second_checker.enclosures import INF
from second_checker.outcomes import NotRead, demand
from second_checker.rooms import of_one_size, room

Atom = int | None
Atoms = tuple[int, ...]
Distance = int | float
Edges = frozenset[frozenset[Atom]]
MANY = 200_000
"""How many pairs of multisets of atoms are looked at."""


def by_policies(core: Any) -> Iterator[tuple[Any, ...]]:
    """The vectors of all multisets of atoms that target neighbours may have alone."""
    base, target = core["databases"], core["target"]
    if target["single"] == "any two":
        raise NotRead("setting", "any two databases beside policies")
    atoms, steps = range(len(base["atoms"])), target["steps"]
    most = steps if base["size"][1] is None else min(steps, base["size"][1])
    some = [x for k in range(most + 1) for x in combinations_with_replacement(atoms, k)]
    if len(some) ** 2 > MANY:
        raise NotRead("setting", "large groups of policies")
    graph = usable(drawn(target["single"]), base, frozenset(atoms))
    if "beside" in base and steps > 1:
        raise NotRead("setting", "groups of a policy beside parts")
    graphs: list[dict[frozenset[Atom], Edges]] = [{} for one in core["mechanisms"] for _ in one["reads"]]
    for left in some:
        for right in some:
            if not (left or right) or not room(base, left, right):
                continue
            if cheapest(graph, left, right) > steps or not in_one_place(base, {*left, *right}):
                continue
            yield from beside_shared(core, left, right, graphs)


def beside_shared(core: Any, left: Atoms, right: Atoms, graphs: Any) -> Iterator[tuple[Any, ...]]:
    """The vectors of two databases that have these records alone, by what both have where that counts."""
    base = core["databases"]
    slots = [(one, reads) for one in core["mechanisms"] for reads in one["reads"]]
    found: dict[tuple[Any, ...], bool] = {}
    for common, there in product(tokens.shared(core, left, right), list(universes(base, left, right))):
        vector = tuple(
            tokens.moved(one, reads, left, right, common, base)
            if tokens.is_pushed(one, reads, base)
            else moved(one, reads, left, right, base, there, kept)
            for (one, reads), kept in zip(slots, graphs, strict=True)
        )
        # with a letter for the number of records any number of them may be there
        every = "letter from" not in base or tokens.is_endless(core, left, right, common, vector)
        found[vector] = found.get(vector, False) or every
    for vector, every in found.items():
        if not every:
            raise NotRead(
                "setting", "groups of a policy on the common domain, of which more records are nearer"
            )
        yield vector


def in_one_place(base: Any, some: set[int]) -> bool:
    """Whether of each record with a name no two copies are among these atoms."""
    return all(len(some & set(one)) <= 1 for one in base.get("copies", []))


def universes(base: Any, left: Atoms, right: Atoms) -> Iterator[frozenset[Atom]]:
    """The atoms of universes with few records in which two databases may have these alone: there ways are longest.

    One for each choice of where the other records with a name lie.  Of other universes nothing is said, so that the
    worst of these counts.
    """
    if "beside" not in base:
        yield frozenset([*range(len(base["atoms"])), None])
        return
    free = [one for one in base.get("copies", []) if not {*left, *right} & set(one)]
    for chosen in product(*free):
        there = {*left, *right, *chosen}
        while not (more := {y for x in there for y in base["beside"][x]}) <= there:
            there |= more
        yield frozenset([*there, None])


def moved(
    mechanism: Any,
    reads: Any,
    left: Atoms,
    right: Atoms,
    base: Any,
    there: frozenset[Atom],
    kept: dict[frozenset[Atom], Edges],
) -> Any:
    """How far what a slot reads moves where there are these atoms; of a noise how many of its records go and come.

    kept -- the graphs of what the slot reads, by the atoms that there are.
    """
    own = frozenset(range(len(base["atoms"])) if reads is None else reads)
    codes = mechanism.get("codes", [])
    if codes and ("noise" in mechanism or base["of"] == "sets"):
        raise NotRead("setting", "noise on, or sets of, records that become one")
    image: dict[int, Atom] = {x: min(some) for some in codes for x in some}
    demand(image.keys() <= own, "records that become one and are not read")
    left, right = seen(left, right, own, image)
    if "noise" in mechanism:
        return len(left), len(right)
    if not (left or right):
        return 0
    relation = mechanism["stated"]
    if relation["single"] == "any two":
        return 1
    if there not in kept:
        kept[there] = of_what_is_read(mechanism, own, image, base, there)
    cost = cheapest(kept[there], left, right)
    return cost if cost == INF else -(-int(cost) // relation["steps"])


def of_what_is_read(
    mechanism: Any, own: frozenset[int], image: dict[int, Atom], base: Any, there: frozenset[Atom]
) -> Edges:
    """The graph of what a guarantee says of what is read, in a universe with these atoms."""
    relation, codes = mechanism["stated"], mechanism.get("codes", [])
    whole = len(own) == len(base["atoms"])
    graph = frozenset(edge for edge in drawn(relation["single"]) if edge <= there)
    loops = {frozenset((x,)) for x in image.values()}
    if mechanism["domain"] == "own" or (whole and not codes):
        inside = {image.get(x, x) for x in own} | {None}
        return frozenset(edge for edge in usable(graph, base, own) if edge <= inside) - loops
    graph = usable(graph, base, frozenset(range(len(base["atoms"]))))
    room_outside = base["of"] == "tuples" or (base["of"] == "multisets" and base["size"][1] is None)
    if relation["steps"] > 1 and not (whole and is_lifted(graph, image) if codes else room_outside):
        raise NotRead("setting", "groups of a policy on the common domain")
    return usable(contracted(graph, own, image), base, own) - loops


# -- graphs ----------------------------------------------------------------------------------------------


def drawn(single: Any) -> Edges:
    """The edges as sets; of an atom with itself it is a set of one."""
    return frozenset(frozenset(edge) for edge in single)


def usable(graph: Edges, base: Any, own: frozenset[int]) -> Edges:
    """The edges without those to nothing where nobody of some atoms comes or goes."""
    fixed, (_, most) = of_one_size(base, own), sizes.shown(base)
    return frozenset(edge for edge in graph if most != 0 and not (fixed and None in edge))


def seen(left: Atoms, right: Atoms, own: frozenset[int], image: dict[int, Atom]) -> tuple[Atoms, Atoms]:
    """What is read of both sides: records that become one on both are no difference."""
    here, there = (Counter(image.get(x, x) for x in side if x in own) for side in (left, right))
    for x in set(image.values()):
        both = min(here[x], there[x])
        here[x], there[x] = here[x] - both, there[x] - both
    found = (tuple(sorted(x for x in side.elements() if x is not None)) for side in (here, there))
    one, other = found
    return one, other


def contracted(graph: Edges, own: frozenset[int], image: dict[int, Atom]) -> Edges:
    """Each atom that is not read becomes nothing, and others one; what joins nothing with itself is left out."""
    images = (frozenset(image.get(x, x) if x in own else None for x in edge) for edge in graph)  # type: ignore[arg-type]
    return frozenset(edge for edge in images if edge != {None})


def is_lifted(graph: Edges, image: dict[int, Atom]) -> bool:
    """Whether atoms that become one are joined with the same, told by what these become."""

    def joined(x: Atom) -> set[Atom]:
        ends = {y for edge in graph if x in edge for y in edge - {x} or {x}}
        return {image.get(y, y) for y in ends if y is not None} | ({None} & ends)

    return all(
        joined(x) - {image[x]} == joined(y) - {image[y]} for x in image for y in image if image[x] == image[y]
    )


@cache
def lengths(graph: Edges, start: Atom) -> dict[Atom, int]:
    """How many edges lead to the other atoms and to nothing."""
    row: dict[Atom, int] = {start: 0}
    ends = joined_with(graph)
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for to in ends.get(at, ()):
            if to not in row:
                row[to] = row[at] + 1
                waiting.append(to)
    return row


@cache
def joined_with(graph: Edges) -> dict[Atom, list[Atom]]:
    """The other ends of the edges of each atom, and of nothing."""
    ends: dict[Atom, list[Atom]] = {}
    for edge in graph:
        for at in edge:
            ends.setdefault(at, []).extend(edge - {at})
    return ends


def between(graph: Edges, x: Atom, y: Atom) -> Distance:
    """The cost of a record of x for another one of y."""
    if x != y:
        return lengths(graph, x).get(y, INF)
    if x is None:
        return 0
    if frozenset((x,)) in graph:
        return 1
    return 2 if x in joined_with(graph) else INF


@cache
def cheapest(graph: Edges, left: Atoms, right: Atoms) -> Distance:
    """The least cost of a matching, each record with one of the other side or with nothing."""
    if not left:
        return total(between(graph, None, y) for y in right)
    x, rest = left[0], left[1:]
    best = between(graph, x, None) + cheapest(graph, rest, right)
    for n, y in enumerate(right):
        if y not in right[:n]:
            best = min(best, between(graph, x, y) + cheapest(graph, rest, right[:n] + right[n + 1 :]))
    return best


def total(costs: Iterable[Distance]) -> Distance:
    """The sum."""
    found: Distance = 0
    for cost in costs:
        found += cost
    demand(found >= 0, "a cost below 0")
    return found
