"""What a problem file says, compared with the setting that a derivation is about."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import Any

from second_checker import noises
from second_checker.forms import Algebra
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library

GRAIN = {
    "unbounded": [[0, 1], [1, 0]],
    "bounded": [[1, 1]],
    "free-lunch": "any two",
    "insert-delete": [[0, 1], [1, 0]],
}


def agree(problem: Any, core: Any, library: Library) -> None:
    """Rejects a setting that is not the problem's."""
    if core["databases"]["kind"] == "arrays":
        raise NotRead("arrays", "the map and the neighbours are not told")
    if "flat" in core or "studies" in problem:
        raise NotRead("study", "a study within a study")
    demand(bool(core["adaptive"]) == bool(problem.get("adaptive")), "adaptive is said of another setting")
    for name, words in core["parameters"].items():
        plain = name.removesuffix("[i]")
        demand(problem.get("parameters", {}).get(plain) == words, f"the parameter {name} is another one")
    demand(len(problem["mechanisms"]) == len(core["mechanisms"]), "there are other mechanisms")
    kind = problem["databases"]["kind"]
    places = {"multisets": records, "tuples": cells, "streams": cells, "listed": listed}
    if kind not in places:
        raise NotRead("setting", f"databases that are {kind}")
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        if "noise" in said:
            noises.agree(said, one, core, library)
            family(said, one, Algebra(core["parameters"]))
        else:
            guarantee(said, one, core["parameters"])
    places[kind](problem, core)


def guarantee(said: Any, one: Any, parameters: Any) -> None:
    """Rejects a mechanism that has not the guarantee of the problem file."""
    demand("noise" not in one, "a noise that the problem has not")
    if "guarantee" not in said or "table" in one:
        raise NotRead("table", "a mechanism that is a table")
    promised = said["guarantee"]
    demand(said["name"] == one["name"] and promised["notion"] == one["notion"], "another mechanism")
    algebra = Algebra(parameters)
    own = {k: v for k, v in promised.items() if k not in ("notion", "granularity", "domain")}
    if "metric" in own:
        raise NotRead("setting", "a guarantee in a metric")
    demand(set(own) == set(one["values"]), "other parameters")
    for key, text in own.items():
        if "oo" in (text, one["values"][key]):
            demand(text == one["values"][key], f"{key} is another one")
            continue
        same = algebra.read(text) == algebra.read(one["values"][key])
        demand(same, f"{key} of {one['name']} is another one")
    if said["reads"] != "everything" if "reads" in said else False:
        demand(promised.get("domain") == one["domain"], "another domain")
    family(said, one, algebra)


def family(said: Any, one: Any, algebra: Algebra) -> None:
    """Rejects another number of members."""
    demand(("count" in said) == ("count" in one), "a family, or none")
    if "count" in said:
        demand(algebra.read(said["count"]) == algebra.read(one["count"]), "another number of members")


def relation(said: Any, singles: Any) -> tuple[Any, int]:
    """The neighbours of a granularity: one step, and how many."""
    if isinstance(said, str):
        if said not in singles:
            raise NotRead("setting", f"the granularity {said}")
        return singles[said], 1
    if "group" in said:
        single, steps = relation(said["of"], singles)
        return single, steps * said["group"]
    if "union" in said:
        parts = [relation(part, singles) for part in said["union"]]
        if any(single == "any two" or steps != 1 for single, steps in parts):
            raise NotRead("setting", "a union of groups")
        return [pair for single, _ in parts for pair in single], 1
    if "w-event" in said and "windows" in singles:
        return singles["windows"](said["w-event"]), 1
    raise NotRead("setting", f"the granularity {said}")


def same_relation(said: Any, own: Any, singles: Any) -> None:
    """Rejects neighbours that are not those of the problem file."""
    single, steps = relation(said, singles)
    same = (
        single == own["single"]
        if "any two" in (single, own["single"])
        else as_set(single) == as_set(own["single"])
    )
    demand(same and steps == own["steps"], "other neighbours")


def as_set(pairs: Any) -> set[tuple[int, ...]]:
    """Pairs or blocks in any order."""
    return {tuple(pair) for pair in pairs}


def relations(problem: Any, core: Any, singles: Any) -> None:
    """Rejects where the target or what a guarantee is stated for is another relation."""
    demand("granularity" in problem["target"], "a target without a granularity")
    same_relation(problem["target"]["granularity"], core["target"], singles)
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        if "noise" not in one:
            same_relation(said["guarantee"]["granularity"], one["stated"], singles)


# -- multisets -------------------------------------------------------------------------------------------


def records(problem: Any, core: Any) -> None:
    """Rejects a setting on multisets whose records have other memberships than the problem's."""
    relations(problem, core, GRAIN)
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
        many = 2 if any(m.get("query", "count") != "count" for m in problem["mechanisms"]) else 1
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


# -- tuples and streams ----------------------------------------------------------------------------------


def cells(problem: Any, core: Any) -> None:
    """Rejects a setting on tuples or streams that is not the problem's."""
    base, count = problem["databases"], core["databases"]["count"]
    demand(core["databases"]["kind"] == "cells", "databases of another kind")
    positions = [[cell] for cell in range(count)]
    singles = {"bounded": positions, "event": positions, "free-lunch": "any two"}

    def windows(w: int) -> Any:
        return [list(range(a, min(a + w, count))) for a in range(count)]

    relations(problem, core, {**singles, "windows": windows})
    size = base.get("size", "any")
    if not size.startswith("= "):
        return parts_of_positions(problem, core) if problem.get("partitions") else any_length(problem, core)
    demand(count == int(size.removeprefix("= ")), "another length")
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads = said.get("reads", "everything")
        if reads != "everything" and "positions" not in reads:
            raise NotRead("setting", "parts of tuples of one length")
        own = None if reads == "everything" else sorted(p - 1 for p in reads["positions"])
        demand(
            len(one["reads"]) == 1 and one["reads"][0] in (own, own or list(range(count))), "other positions"
        )
    return None


def any_length(problem: Any, core: Any) -> None:
    """Rejects where the positions that are shown are too few (blocks.md, Any length)."""
    target = core["target"]
    if problem["databases"].get("size", "any") != "any" or target["single"] == "any two":
        raise NotRead("setting", "tuples or streams of at most some length, or any two")
    demand(all(one["reads"] == [None] for one in core["mechanisms"]), "positions of tuples of any length")
    demand(
        all(m.get("reads", "everything") == "everything" for m in problem["mechanisms"]), "other positions"
    )
    width = max(len(block) for block in target["single"])
    singles = [one["stated"]["single"] for one in core["mechanisms"]]
    wide = max(len(block) for single in singles if single != "any two" for block in single)
    need = width if target["steps"] == 1 else target["steps"] * (width + wide)
    demand(core["databases"]["count"] >= need, "too few positions")


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


# -- listed databases ------------------------------------------------------------------------------------


def listed(problem: Any, core: Any) -> None:
    """Rejects a finite setting that is not the problem's."""
    elements = problem["databases"]["elements"]
    demand(
        core["databases"] == {**core["databases"], "kind": "listed", "count": len(elements)},
        "other databases",
    )
    # databases, and the values of maps, are numbered in the order of their names
    elements = sorted(elements)
    at = {name: i for i, name in enumerate(elements)}
    singles: dict[str, Any] = {
        name: [tuple(sorted((at[a], at[b]))) for a, b in own["neighbours"]]
        for name, own in problem.get("granularities", {}).items()
        if "neighbours" in own
    }
    singles["free-lunch"] = list(combinations(range(len(elements)), 2))
    same_relation(problem["target"]["granularity"], ordered(core["target"]), singles)
    if any("noise" in one for one in core["mechanisms"]):
        raise NotRead("noise", "on listed databases")
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        image(problem, said, one, elements, singles)


def ordered(own: Any) -> Any:
    """A relation whose pairs are written with the smaller number first."""
    if own["single"] == "any two":
        raise NotRead("setting", "any two listed databases")
    return {**own, "single": [tuple(sorted(pair)) for pair in own["single"]]}


def image(problem: Any, said: Any, one: Any, elements: list[str], singles: Any) -> None:
    """Rejects another map, or other neighbours of its images."""
    reads, name = said.get("reads", "everything"), said["guarantee"]["granularity"]
    if reads == "everything":
        demand(one["reads"] == [None], "another map")
        return same_relation(name, ordered(one["stated"]), singles)
    if "map" not in reads or "table" not in problem["maps"][reads["map"]]:
        raise NotRead("setting", "a map without a table")
    chart = problem["maps"][reads["map"]]
    values = sorted({chart["table"][e] for e in elements})
    table = [values.index(chart["table"][e]) for e in elements]
    demand(one["reads"] == [table], "another map")
    if one["domain"] == "common":
        return same_relation(name, ordered(one["stated"]), singles)
    given = chart.get("image-neighbours", {}).get(name)
    if given is not None:
        pairs = [tuple(sorted((values.index(a), values.index(b)))) for a, b in given]
    else:
        single, steps = relation(name, singles)
        if steps != 1:
            raise NotRead("setting", "groups of images")
        pairs = [tuple(sorted((table[a], table[b]))) for a, b in single if table[a] != table[b]]
    return same_relation("own", ordered(one["stated"]), {"own": pairs})
