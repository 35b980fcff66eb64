"""Tuples under policies: a setting on records at places, compared with a problem file on positions.

Positions that the same mechanisms read are alike, and a target of m steps changes m of them at most: so many of each
kind are shown, a record x at position 3 as "x at 3".
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from second_checker import sizes
from second_checker.outcomes import NotRead, demand
from second_checker.policies import Edges, Record, edges, relations, same_edges, twins
from second_checker.relations import relation

LISTS = ("tuples", "streams", "tables")
"""Classes of tuples of records."""
MANY = 1000
"""The most positions that are looked at."""


def tuples(problem: Any, core: Any) -> None:
    """Rejects a setting on places that is not the problem's."""
    problem = {"granularities": {}, **problem}
    base, own = problem["databases"], core["databases"]
    demand(own["of"] == "tuples" and base["kind"] in LISTS, "databases of another kind")
    if problem.get("partitions") or "users" in base or any("noise" in one for one in core["mechanisms"]):
        raise NotRead("setting", "parts, users or noise beside policies on tuples")
    names, length = records(problem), positions(problem, core)
    cells = {f"{x} at {at}": (at, x) for at in range(1, length + 1) for x in names}
    demand(len(cells) == length * len(names), "records that are written alike")
    demand(all(name in cells for atom in own["atoms"] for name in atom), "records that are not there")
    atoms = [[cells[name] for name in atom] for atom in own["atoms"]]
    places: dict[int, int] = {}
    for place, atom in zip(own["places"], atoms, strict=True):
        demand(all(places.setdefault(place, at) == at for at, _ in atom), "a place with two positions")
    demand(len(set(places.values())) == len(places), "two places with one position")
    demand(sizes.shown(own) == (len(places), len(places)), "another length")
    enough(problem, core, length, set(places.values()))
    reads = {at: read(problem, at) for at in places.values()}
    for n, atom in enumerate(atoms):
        found = tuple(r is None or n in r for one in core["mechanisms"] for r in one["reads"])
        demand(found == reads[atom[0][0]], "records with other memberships")
    compare(problem, core, [[(x, at) for at, x in atom] for atom in atoms], names)


def compare(problem: Any, core: Any, atoms: list[list[Record]], names: list[str]) -> None:
    """Rejects other edges than those of records at one place, and records that are not shown."""
    shown = sorted({at for atom in atoms for _, at in atom})
    every = [(x, at) for at in shown for x in names]
    graphs = []
    for said, told in relations(problem, core):
        graph, steps = neighbours(problem, said, names, shown)
        demand(steps == told["steps"], "other neighbours")
        if isinstance(graph, str) or isinstance(told["single"], str):
            demand(graph == told["single"], "other neighbours")
            continue
        same_edges(graph, told["single"], atoms)
        graphs.append(graph)
    listed = {one for atom in atoms for one in atom}
    for record in every:
        if record not in listed:
            here = [atom for atom in atoms if atom[0][1] == record[1]]
            demand(any(twins(record, atom, every, graphs) for atom in here), "a record is not shown")


def neighbours(problem: Any, said: Any, names: list[str], shown: list[int]) -> tuple[Edges | str, int]:
    """The edges of a granularity between records at one place, and how many of its steps are one."""
    plain: list[Record] = [(x, 0) for x in names]
    pairs = [(x, y) for n, x in enumerate(plain) for y in plain[n + 1 :]]
    singles: dict[str, Any] = {"bounded": pairs, "free-lunch": "any two"}
    singles |= {name: edges(policy, plain) for name, policy in problem["granularities"].items()}
    single, steps = relation(said, singles)
    if isinstance(single, str):
        return single, steps
    demand(all(x is not None and y is not None for x, y in single), "records of tuples that come or go")
    return {frozenset(((x[0], at), (y[0], at))) for x, y in single for at in shown}, steps


def records(problem: Any) -> list[str]:
    """The records: of an arbitrary universe those with a name, and two others."""
    given = problem["databases"].get("records")
    if given is not None:
        return sorted(given)
    named = {
        name
        for policy in problem["granularities"].values()
        for group in (policy["replace"] if isinstance(policy.get("replace"), list) else [])
        for name in group
    } | {
        name
        for policy in problem["granularities"].values()
        if isinstance(policy.get("replace"), dict)
        for group in policy["replace"]["within"]
        for name in group
    }
    fresh = (stem + "'" * n for n in range(len(named) + 2) for stem in "xy")
    return sorted(named) + [name for name, _ in zip((x for x in fresh if x not in named), "xy", strict=False)]


def positions(problem: Any, core: Any) -> int:
    """The length, or where it differs as many positions as a step can change."""
    words = problem["databases"].get("size", "any")
    least, most = sizes.told(words)
    if least != most:
        demand(least == 0, "a least length")
        everything = all(one.get("reads", "everything") == "everything" for one in problem["mechanisms"])
        demand(everything, "positions of tuples of several lengths")
        steps = core["target"]["steps"]
        return int(steps if most is None else min(steps, most))
    if most is None or most > MANY:
        raise NotRead("setting", "long tuples")
    return most


def enough(problem: Any, core: Any, length: int, there: set[int]) -> None:
    """Rejects where more positions that are read alike may change than are shown."""
    whole = Counter(read(problem, at) for at in range(1, length + 1))
    kept = Counter(read(problem, at) for at in there)
    demand(
        all(kept[one] >= min(many, core["target"]["steps"]) for one, many in whole.items()),
        "a position is not shown",
    )


def read(problem: Any, at: int) -> tuple[bool, ...]:
    """Which mechanisms read a position."""
    found = []
    for one in problem["mechanisms"]:
        reads = one.get("reads", "everything")
        if reads != "everything" and set(reads) != {"positions"}:
            raise NotRead("setting", "what is read is no positions")
        found.append(reads == "everything" or at in reads["positions"])
    return tuple(found)
