"""Multisets and sequences of a problem file, compared with a setting on records."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import Any

from second_checker import sizes
from second_checker.algebra import Algebra
from second_checker.forms import rational
from second_checker.outcomes import NotRead, demand
from second_checker.policies import attributes
from second_checker.relations import relations

Parts = dict[str, int]
Choice = dict[str, frozenset[int]]

GRAIN = {
    "multisets": {
        "unbounded": [[0, 1], [1, 0]],
        "bounded": [[1, 1]],
        "free-lunch": "any two",
    },
    "sequences": {"insert-delete": [[0, 1], [1, 0]], "bounded": [[1, 1]], "free-lunch": "any two"},
}


def records(problem: Any, core: Any) -> None:
    """Rejects a setting on multisets whose records have other memberships than the problem's."""
    base, own = problem["databases"], core["databases"]
    singles = GRAIN[base["kind"]]
    if base["kind"] == "multisets":
        named = {name: counted(one) for name, one in problem.get("granularities", {}).items()}
        singles = {**singles, **named, "size": "".join(base.get("size", "any").split())}
        singles = {name: single for name, single in singles.items() if single}
    if any(not str(one.get("at-most", 1)).isdigit() for one in problem.get("partitions", {}).values()):
        raise NotRead("setting", "a letter for in how many parts a record lies")
    relations(problem, core, singles)
    demand(own["kind"] == "records" and own["of"] == base["kind"], "databases of another kind")
    demand(sizes.told(base.get("size", "any")) == sizes.shown(own), "databases of other sizes")
    demand("least" not in own or base["kind"] == "multisets", "a least size of sequences")
    parts = shown(problem, core)
    found = found_memberships(core)
    demand(not memberships(problem, parts, needed(problem, core, parts)) - found, "a record is missing")
    every = memberships(problem, parts, {name: allowed(problem, name, parts) for name in parts})
    demand(not found - every, "records that are not there")


def counted(policy: Any) -> list[list[int]]:
    """How many records a step of a policy removes and adds; none where it is about some records only."""
    if (
        not isinstance(policy, dict)
        or {*policy} - {"replace", "add-remove"}
        or {*map(str, policy.values())} - {"all"}
    ):
        return []
    return ([[0, 1], [1, 0]] if "add-remove" in policy else []) + ([[1, 1]] if "replace" in policy else [])


def shown(problem: Any, core: Any) -> Parts:
    """How many parts of each partition are shown: enough for all types."""
    found: Parts = {}
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads = said.get("reads", "everything")
        demand(
            ("part" in reads if isinstance(reads, dict) else False) == ("partition" in one),
            "another partition",
        )
        if "partition" not in one:
            demand(len(one["reads"]) == 1, "a mechanism reads once")
            continue
        name = one["partition"]
        demand(reads["of"] == name and reads["part"] == said["index"], "another partition")
        partition = problem["partitions"][name]
        demand(partition["parts"] == said["count"], "a family of another number of parts")
        count = len(one["reads"])
        demand(found.setdefault(name, count) == count, "a partition is shown in two ways")
        need = max(2, touched(problem, core, name))
        if str(partition["parts"]).isdigit():
            demand(min(int(partition["parts"]), need) <= count <= int(partition["parts"]), "too few parts")
        else:
            demand(count >= need, "too few parts")
    return found


# -- parts -----------------------------------------------------------------------------------------------


def at_most(problem: Any, name: str) -> int:
    """In how many parts of a partition a record lies at most."""
    partition = problem["partitions"][name]
    if partition["kind"] != "overlapping":
        demand("at-most" not in partition, "a record lies in one part")
        return 1
    most = rational(Algebra({}).read(str(partition["at-most"])))
    demand(most is not None and most.denominator == 1 and most >= 1, "in how many parts a record lies")
    assert most is not None
    return int(most)


def differing(core: Any) -> int:
    """How many records target neighbours differ in at most."""
    target, most = core["target"], sizes.shown(core["databases"])[1]
    if target["single"] == "any two":
        raise NotRead("setting", "any two databases in parts")
    ways = (p + q for p, q in target["single"])
    if core["databases"]["kind"] == "policies":
        ways = (sum(x is not None for x in edge) for edge in target["single"])
    many = int(target["steps"] * max(ways, default=0))
    return many if most is None else min(many, 2 * most)


def touched(problem: Any, core: Any, name: str) -> int:
    """How many parts of a partition target neighbours can move."""
    return differing(core) * at_most(problem, name)


def allowed(problem: Any, name: str, parts: Parts) -> set[frozenset[int]]:
    """All choices of parts that a record may lie in."""
    most = min(at_most(problem, name), parts[name])
    every = range(1, parts[name] + 1)
    return {frozenset(some) for k in range(most + 1) for some in combinations(every, k)}


def needed(problem: Any, core: Any, parts: Parts) -> dict[str, set[frozenset[int]]]:
    """Choices of parts that show all types: for two records runs are enough (edit-types.md, Overlapping parts)."""
    found = {}
    for name in parts:
        every = allowed(problem, name, parts)
        runs = {some for some in every if not some or max(some) - min(some) < len(some)}
        found[name] = runs if differing(core) <= 2 else every
    return found


def memberships(
    problem: Any, parts: Parts, choices: dict[str, set[frozenset[int]]]
) -> Counter[tuple[bool, ...]]:
    """How many records, up to two, have each membership in what the slots read, with these choices of parts."""
    universe = problem["databases"].get("records")
    named = sorted({r for m in problem["mechanisms"] for r in named_records(m.get("reads", "everything"))})
    places: list[tuple[Any, Choice, int]]
    # a record comes with every value that queries look at, so with a query it stands for many
    many = 2 if attributes(problem) else 1
    if universe is not None:
        demand(set(named) <= set(universe) and not parts, "records that are not there")
        places = [(r, {}, many) for r in universe]
    elif parts and named:
        raise NotRead("setting", "partitions beside named records")
    else:
        names = sorted(parts)
        lying = product(*(choices[name] for name in names))
        places = [(r, {}, many) for r in named]
        places += [(None, dict(zip(names, where, strict=True)), 2) for where in lying]
    found: Counter[tuple[bool, ...]] = Counter()
    for record, where, many in places:
        found[tuple(lies(m, record, where) for m in slots(problem, parts))] += many
    return Counter({key: min(2, many) for key, many in found.items()})


def named_records(reads: Any) -> list[str]:
    """The records that a mechanism names."""
    if reads == "everything" or "part" in reads:
        return []
    if "records" not in reads:
        raise NotRead("setting", "what is read is neither records nor parts")
    return list(reads["records"])


def slots(problem: Any, parts: Parts) -> list[tuple[Any, int]]:
    """What each slot reads, and which part of it."""
    result = []
    for one in problem["mechanisms"]:
        reads = one.get("reads", "everything")
        count = parts[reads["of"]] if isinstance(reads, dict) and "of" in reads else 1
        result += [(reads, part) for part in range(1, count + 1)]
    return result


def lies(slot: tuple[Any, int], record: Any, where: Choice) -> bool:
    """Whether a record lies in what a slot reads."""
    reads, part = slot
    if reads == "everything":
        return True
    return part in where.get(reads["of"], ()) if "of" in reads else record in reads["records"]


def found_memberships(core: Any) -> Counter[tuple[bool, ...]]:
    """The same of the setting; records are named once."""
    atoms = core["databases"]["atoms"]
    every = [record for atom in atoms for record in atom]
    demand(len(every) == len(set(every)), "a record in two atoms")
    found: Counter[tuple[bool, ...]] = Counter()
    for at, atom in enumerate(atoms):
        key = tuple(r is None or at in r for one in core["mechanisms"] for r in one["reads"])
        found[key] += len(atom)
    return Counter({key: min(2, many) for key, many in found.items()})
