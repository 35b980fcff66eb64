"""Listed databases and maps by tables of a problem file, compared with a finite setting."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from second_checker.outcomes import NotRead, demand
from second_checker.profiles import within
from second_checker.relations import relation, same_relation


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
    numbers = numbered(chart, one, elements)
    table = [numbers[chart["table"][e]] for e in elements]
    if one["domain"] == "common":
        return same_relation(name, ordered(one["stated"]), singles)
    base, steps = of_single(name)
    given = chart.get("image-neighbours", {}).get(base)
    if given is not None:
        pairs = [tuple(sorted((numbers[a], numbers[b]))) for a, b in given if a != b]
    else:
        single, _ = relation(base, singles)
        single, steps = within(single, len(elements), steps), 1
        pairs = [tuple(sorted((table[a], table[b]))) for a, b in single if table[a] != table[b]]
    return same_relation({"group": steps, "of": "own"}, ordered(one["stated"]), {"own": pairs})


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
    demand(len(one["reads"][0]) == len(elements), "another map")
    numbers: dict[str, int] = {}
    for name, number in zip(elements, one["reads"][0], strict=True):
        demand(numbers.setdefault(chart["table"][name], number) == number, "another map")
    demand(sorted(numbers.values()) == list(range(len(numbers))), "another map")
    return numbers
