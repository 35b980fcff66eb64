"""Listed databases and maps by tables of a problem file, compared with a finite setting."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from second_checker.outcomes import NotRead, demand
from second_checker.profiles import within
from second_checker.relations import relation, relations, same_relation


def listed(problem: Any, core: Any) -> Any:
    """Rejects a finite setting that is not the problem's; a large one is told again in full."""
    # databases are numbered in the order of their names
    elements, own = sorted(problem["databases"]["elements"]), core["databases"]
    demand(own["kind"] in ("listed", "arrays") and own["count"] == len(elements), "other databases")
    if any("noise" in one for one in core["mechanisms"]):
        raise NotRead("noise", "on listed databases")
    at = {name: i for i, name in enumerate(elements)}
    singles: dict[str, Any] = {
        name: [tuple(sorted((at[a], at[b]))) for a, b in relation["neighbours"]]
        for name, relation in problem.get("granularities", {}).items()
        if "neighbours" in relation
    }
    if own["kind"] == "arrays":
        return in_full(problem, core, elements, singles)
    singles["free-lunch"] = list(combinations(range(len(elements)), 2))
    same_relation(problem["target"]["granularity"], ordered(core["target"]), singles)
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads, stated = image(problem, said, one, elements, singles)
        demand(one["reads"] == [reads], "another map")
        same_relation(
            {"group": stated["steps"], "of": "own"}, ordered(one["stated"]), {"own": stated["single"]}
        )
    return None


def in_full(problem: Any, core: Any, elements: list[str], singles: Any) -> Any:
    """The setting of a large class with all databases, maps and neighbours."""
    relations(problem, core, {name: f"step of {name}" for name in singles})
    mechanisms = []
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads, stated = image(problem, said, one, elements, singles)
        demand((reads is None) == (one["reads"] == [None]), "everything is read, or not")
        mechanisms.append({**one, "reads": [reads], "stated": stated})
    single, many = relation(problem["target"]["granularity"], singles)
    return {
        **core,
        "databases": {"kind": "listed", "count": len(elements)},
        "target": {"single": single, "steps": many},
        "mechanisms": mechanisms,
    }


def ordered(own: Any) -> Any:
    """A relation whose pairs are written with the smaller number first."""
    if own["single"] == "any two":
        raise NotRead("setting", "any two listed databases")
    return {**own, "single": [tuple(sorted(pair)) for pair in own["single"]]}


def image(problem: Any, said: Any, one: Any, elements: list[str], singles: Any) -> tuple[Any, Any]:
    """The values that a mechanism reads, by numbers, and the neighbours of its guarantee."""
    reads, name = said.get("reads", "everything"), said["guarantee"]["granularity"]
    single, steps = relation(name, singles)
    whole = {"single": single, "steps": steps}
    if reads == "everything":
        return None, whole
    if "map" not in reads or "table" not in problem["maps"][reads["map"]]:
        raise NotRead("setting", "a map without a table")
    chart = problem["maps"][reads["map"]]
    numbers = numbered(chart, one, elements)
    table = [numbers[chart["table"][e]] for e in elements]
    if one["domain"] == "common":
        return table, whole
    base, steps = of_single(name)
    given = chart.get("image-neighbours", {}).get(base)
    if given is not None:
        pairs = [tuple(sorted((numbers[a], numbers[b]))) for a, b in given if a != b]
        return table, {"single": pairs, "steps": steps}
    near = within(single, len(elements), steps)
    pairs = [tuple(sorted((table[a], table[b]))) for a, b in near if table[a] != table[b]]
    return table, {"single": sorted(set(pairs)), "steps": 1}


def of_single(name: Any) -> tuple[Any, int]:
    """The relation that groups are of, and of how many steps."""
    if isinstance(name, dict) and "group" in name:
        base, steps = of_single(name["of"])
        return base, steps * name["group"]
    if isinstance(name, dict):
        raise NotRead("setting", f"the granularity {name} of images")
    return name, 1


def numbered(chart: Any, one: Any, elements: list[str]) -> dict[str, int]:
    """The numbers that the setting gives to the values of a map: as many, without gaps."""
    demand(len(one["reads"]) == 1 and one["reads"][0] is not None, "another map")
    if len(one["reads"][0]) == 1 < len(elements):
        # the map of a large class is not told: any numbers will do
        return {name: n for n, name in enumerate(sorted({chart["table"][e] for e in elements}))}
    demand(len(one["reads"][0]) == len(elements), "another map")
    numbers: dict[str, int] = {}
    for name, number in zip(elements, one["reads"][0], strict=True):
        demand(numbers.setdefault(chart["table"][name], number) == number, "another map")
    demand(sorted(numbers.values()) == list(range(len(numbers))), "another map")
    return numbers
