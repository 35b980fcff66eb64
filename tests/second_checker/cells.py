"""Tuples, streams, tables and sets of a problem file, compared with a setting on cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from second_checker.enclosures import INF
from second_checker.outcomes import NotRead, demand
from second_checker.relations import relation, relations, same_relation


def cells(problem: Any, core: Any) -> None:
    """Rejects a setting on tuples or streams that is not the problem's."""
    base, count = problem["databases"], core["databases"]["count"]
    demand(core["databases"]["kind"] == "cells", "databases of another kind")
    if not re.fullmatch("any|<= [0-9]+|= [0-9]+", str(base.get("size", "any"))):
        raise NotRead("setting", "tuples or streams of other lengths")
    limit = longest(base)
    if limit and core["target"]["single"] == "any two":
        return of_two_lengths(problem, core)
    if len(set(base.get("records", ["x", "y"]))) < 2:
        return without_values(problem, core)
    positions = [[cell] for cell in range(count)]
    singles = {"bounded": positions, "event": positions, "free-lunch": "any two", **users(base, count)}

    def windows(w: int) -> Any:
        return [list(range(a, min(a + w, count))) for a in range(count)]

    relations(problem, core, {**singles, "windows": windows})
    size = base.get("size", "any")
    if not size.startswith("= "):
        return parts_of_positions(problem, core) if problem.get("partitions") else any_length(problem, core)
    demand(count == int(size.removeprefix("= ")), "another length")

    def kept(reads: Any) -> list[int]:
        if "positions" not in reads:
            raise NotRead("setting", "parts of tuples of one length")
        return sorted(p - 1 for p in reads["positions"])

    same_cells(problem, core, kept)
    return None


def without_values(problem: Any, core: Any) -> None:
    """Cells with one value cannot change: nothing is left of the setting."""
    demand(core["databases"]["count"] == 0 and not problem.get("partitions"), "cells that cannot change")
    for one in [core["target"], *(m.get("stated") for m in core["mechanisms"])]:
        demand(one is None or one["single"] in ([], "any two"), "cells that cannot change")
    demand(all(one["reads"] in ([None], [[]]) for one in core["mechanisms"]), "cells that cannot change")


def of_two_lengths(problem: Any, core: Any) -> None:
    """Any two of any length: some of two lengths, which are ∞ apart where guarantees are not about any two."""
    everything = all(m.get("reads", "everything") == "everything" for m in problem["mechanisms"])
    if not everything or any("noise" in one for one in core["mechanisms"]):
        raise NotRead("setting", "noise, or positions, of any two of any length")
    demand(core["databases"]["count"] >= 1, "no cell is left")
    demand(all(one["reads"] == [None] for one in core["mechanisms"]), "everything is read")
    named = {"free-lunch": "any two", "bounded": [], "event": []}
    same_relation(problem["target"]["granularity"], core["target"], named)
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        own = relation(said["guarantee"]["granularity"], named)[0]
        demand(one["stated"]["single"] == own, "other neighbours")


def same_cells(problem: Any, core: Any, kept: Callable[[Any], list[int]]) -> None:
    """Rejects a mechanism that reads other cells than the problem says."""
    every = list(range(core["databases"]["count"]))
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads = said.get("reads", "everything")
        own = every if reads == "everything" else kept(reads)
        demand(len(one["reads"]) == 1 and "partition" not in one, "a mechanism reads once")
        found = every if one["reads"][0] is None else sorted(one["reads"][0])
        demand(found == own and set(own) <= set(every), "other cells are read")
        demand(reads != "everything" or one["reads"] == [None], "everything is read")


def users(base: Any, count: int) -> dict[str, Any]:
    """The blocks of users: each owns positions, and each position one user."""
    if "users" not in base:
        return {}
    blocks = [sorted(p - 1 for p in own) for own in base["users"].values()]
    every = sorted(cell for block in blocks for cell in block)
    demand(every == list(range(count)), "positions of no user, or of two")
    return {"user": blocks}


def longest(base: Any) -> float:
    """The largest length where there are several; 0 where there is one."""
    size = base.get("size", "any")
    if size == "any":
        return INF
    return int(size.removeprefix("<= ")) if size.startswith("<= ") else 0


def any_length(problem: Any, core: Any) -> None:
    """Rejects where the positions that are shown are too few (blocks.md, Any length)."""
    target = core["target"]
    limit = longest(problem["databases"])
    if not limit or target["single"] == "any two":
        raise NotRead("setting", "tuples or streams of other lengths, or any two")
    demand(all(one["reads"] == [None] for one in core["mechanisms"]), "positions of tuples of any length")
    demand(
        all(m.get("reads", "everything") == "everything" for m in problem["mechanisms"]), "other positions"
    )
    width = max(len(block) for block in target["single"])
    singles = [one["stated"]["single"] for one in core["mechanisms"]]
    wide = max((len(block) for single in singles if single != "any two" for block in single), default=1)
    far = [0 if width == wide == 1 else wide, 0][target["steps"] == 1]
    need = target["steps"] * (width + far)
    demand(core["databases"]["count"] >= min(need, limit), "too few positions")


def parts_of_positions(problem: Any, core: Any) -> None:
    """Rejects where not enough positions, or parts, are shown (edit-types.md, Tuples and Families)."""
    many = core["target"]["steps"]
    if core["target"]["single"] == "any two" or len(problem["partitions"]) != 1:
        raise NotRead("setting", "any two tuples, or several partitions")
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads = said.get("reads", "everything")
        if reads == "everything":
            demand(one["reads"] == [None], "other positions")
            continue
        demand(
            reads.get("of") == one.get("partition") and reads["part"] == said["index"], "another partition"
        )
        partition = problem["partitions"][one["partition"]]
        demand(
            partition["kind"] == "order-based" and partition["parts"] == said["count"], "another partition"
        )
        if str(partition["parts"]).isdigit():
            raise NotRead("setting", "a number of parts of positions")
        used = [cell for part in one["reads"] for cell in part]
        demand(len(used) == len(set(used)) and len(one["reads"]) >= max(2, many), "too few parts")
        demand(min(map(len, one["reads"])) >= many, "too few positions in a part")
        demand(core["databases"]["count"] - len(used) >= many, "too few positions in no part")


# -- tables and sets -------------------------------------------------------------------------------------


def tables(problem: Any, core: Any) -> None:
    """Rejects a setting on tables that is not the problem's: a cell is an attribute of a row."""
    base, own = problem["databases"], core["databases"]
    names = list(base["attributes"])
    demand(all(len(set(base["attributes"][name])) > 1 for name in names), "an attribute with one value")
    demand(own["kind"] == "cells" and own["count"] % len(names) == 0, "databases of another kind")
    rows, size = own["count"] // len(names), base.get("size", "any")
    at = {name: [row * len(names) + i for row in range(rows)] for i, name in enumerate(names)}
    single = [[cell] for cell in range(own["count"])]
    whole = [sorted(at[name][row] for name in names) for row in range(rows)]
    relations(problem, core, {"attribute": single, "bounded": whole, "free-lunch": "any two"})
    if size.startswith("= "):
        demand(rows == int(size.removeprefix("= ")), "another number of rows")
    elif size == "any" and core["target"]["single"] != "any two":
        # every block lies in a row: see blocks.md, Any length
        demand(rows >= (1 if core["target"]["steps"] == 1 else 2 * core["target"]["steps"]), "too few rows")
    else:
        raise NotRead("setting", "tables of at most some length, or any two")

    def kept(reads: Any) -> list[int]:
        if "positions" in reads and size.startswith("= "):
            return sorted(cell for row in reads["positions"] for cell in whole[row - 1])
        if "attributes" not in reads:
            raise NotRead("setting", "what is read of a table is no attribute")
        return sorted(cell for name in reads["attributes"] for cell in at[name])

    same_cells(problem, core, kept)


def sets(problem: Any, core: Any) -> None:
    """Rejects a setting on sets that is not the problem's: a cell says whether a record is there."""
    base, own = problem["databases"], core["databases"]
    named = sorted(
        {r for m in problem["mechanisms"] if isinstance(m.get("reads"), dict) for r in m["reads"]["records"]}
    )
    demand(own["kind"] == "cells", "databases of another kind")
    universe = base.get("records")
    anything = core["target"]["single"] == "any two" and universe is None
    if base.get("size", "any") != "any" or anything:
        raise NotRead("setting", "sets of limited sizes, or any two of an arbitrary universe")
    if universe is None:
        # of the records that neighbours differ in as many may have no name: see blocks.md, Sets
        demand(own["count"] >= len(named) + core["target"]["steps"], "too few records without a name")
    else:
        demand(own["count"] == len(universe) and set(named) <= set(universe), "another universe")
        named = sorted(universe)
    single = [[cell] for cell in range(own["count"])]
    relations(problem, core, {"unbounded": single, "free-lunch": "any two"})
    same_cells(problem, core, lambda reads: sorted(named.index(r) for r in reads["records"]))
