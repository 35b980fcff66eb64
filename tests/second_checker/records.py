"""Multisets and sequences of a problem file, compared with a setting on records."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from second_checker.outcomes import NotRead, demand
from second_checker.relations import relations

GRAIN = {
    "multisets": {
        "unbounded": [[0, 1], [1, 0]],
        "bounded": [[1, 1]],
        "free-lunch": "any two",
    },
    "sequences": {"insert-delete": [[0, 1], [1, 0]], "free-lunch": "any two"},
}


def records(problem: Any, core: Any) -> None:
    """Rejects a setting on multisets whose records have other memberships than the problem's."""
    relations(problem, core, GRAIN[problem["databases"]["kind"]])
    base, own = problem["databases"], core["databases"]
    demand(own["kind"] == "records" and own["of"] == base["kind"], "databases of another kind")
    how, n = own["size"]
    words = {"any": "any", "at most": f"<= {n}", "exactly": f"= {n}"}
    demand(base.get("size", "any") == words[how], "databases of other sizes")
    parts = shown(problem, core)
    demand(memberships(problem, parts) == found_memberships(core), "records with other memberships")


def shown(problem: Any, core: Any) -> dict[str, int]:
    """How many parts of each partition are shown: enough for all types."""
    found: dict[str, int] = {}
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
        if partition["kind"] == "overlapping":
            raise NotRead("setting", "overlapping parts")
        demand(partition["parts"] == said["count"], "a family of another number of parts")
        count = len(one["reads"])
        demand(found.setdefault(name, count) == count, "a partition is shown in two ways")
        need = 2 * core["target"]["steps"]
        if core["target"]["single"] == "any two":
            raise NotRead("setting", "any two databases in parts")
        if str(partition["parts"]).isdigit():
            demand(min(int(partition["parts"]), need) <= count <= int(partition["parts"]), "too few parts")
        else:
            demand(count >= need, "too few parts")
    return found


def memberships(problem: Any, parts: dict[str, int]) -> Counter[tuple[bool, ...]]:
    """How many records, up to two, have each membership in what the slots read."""
    universe = problem["databases"].get("records")
    named = sorted({r for m in problem["mechanisms"] for r in named_records(m.get("reads", "everything"))})
    if universe is not None:
        demand(set(named) <= set(universe) and not parts, "records that are not there")
        # a record comes with every value that queries look at, so with a query it stands for many
        many = 2 if any(m.get("query", "count") not in ("count", "bit") for m in problem["mechanisms"]) else 1
        places: list[tuple[Any, dict[str, int], int]] = [(r, {}, many) for r in universe]
    elif parts and named:
        raise NotRead("setting", "partitions beside named records")
    else:
        names = sorted(parts)
        lying = product(*(range(parts[name] + 1) for name in names))
        places = [(r, {}, 1) for r in named]
        places += [(None, dict(zip(names, where, strict=True)), 2) for where in lying]
    found: Counter[tuple[bool, ...]] = Counter()
    for record, where, many in places:
        found[tuple(lies(m, record, where, parts) for m in slots(problem, parts))] += many
    return Counter({key: min(2, many) for key, many in found.items()})


def named_records(reads: Any) -> list[str]:
    """The records that a mechanism names."""
    if reads == "everything" or "part" in reads:
        return []
    if "records" not in reads:
        raise NotRead("setting", "what is read is neither records nor parts")
    return list(reads["records"])


def slots(problem: Any, parts: dict[str, int]) -> list[tuple[Any, int]]:
    """What each slot reads, and which part of it."""
    result = []
    for one in problem["mechanisms"]:
        reads = one.get("reads", "everything")
        count = parts[reads["of"]] if isinstance(reads, dict) and "of" in reads else 1
        result += [(reads, part) for part in range(1, count + 1)]
    return result


def lies(slot: tuple[Any, int], record: Any, where: dict[str, int], parts: dict[str, int]) -> bool:
    """Whether a record lies in what a slot reads."""
    reads, part = slot
    if reads == "everything":
        return True
    return where.get(reads["of"]) == part if "of" in reads else record in reads["records"]


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
