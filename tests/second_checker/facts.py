"""The fact pages by which distances of inputs are known: a derivation has to name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from second_checker.outcomes import demand
from second_checker.pages import Library

Edits = set[tuple[int, int]]


def demand_named(core: Any, library: Library) -> None:
    """Rejects a cover without the pages of its metrics."""
    kind = core["databases"]["kind"]
    if kind not in ("records", "policies", "cells"):
        return
    for one in core["mechanisms"]:
        if "noise" in one or not any(r is None or r for r in one["reads"]):
            continue
        relation = one["stated"]
        if relation["single"] == "any two":
            named(library, lambda table: table.get("edits") == "any two")
            continue
        if kind == "cells":
            named(library, lambda table: table.get("form") == "fewest blocks that cover")
        elif kind == "policies":
            named(library, lambda table: table.get("form") == "cheapest matching")
        else:
            of_edits(core["databases"], one, library)
        if relation["steps"] > 1:
            named(library, lambda table: "groups" in table)


def named(library: Library, fits: Callable[[Any], bool]) -> None:
    """Rejects where no fact page that fits is named."""
    demand(
        any(t["kind"] == "fact" and fits(t) for t in library.tables.values()),
        "a metric is used and not named",
    )


def of_edits(base: Any, one: Any, library: Library) -> None:
    """The page of the metric of multisets or sequences, by what edits become on what is read."""
    how, n = base["size"]
    whole = any(r is None or len(set(r)) == len(base["atoms"]) for r in one["reads"])
    edits = both_ways(one["stated"]["single"])
    if one["domain"] == "common" and not whole:
        edits = possible(edits, how, n)
        edits = {(s, t) for p, q in edits for s in range(p + 1) for t in range(q + 1)} - {(0, 0)}
    how = "at most" if how == "exactly" and not whole else how
    edits = possible(edits, how, n)

    def fits(table: Any) -> bool:
        own = table.get("edits")
        right = base["of"] in table.get("classes", ["multisets"]) and how in table.get("sizes", [])
        return isinstance(own, list) and right and all(len(e) == 2 for e in own) and both_ways(own) == edits

    named(library, fits)


def both_ways(edits: Any) -> Edits:
    """Edits with those in the other direction."""
    return {(p, q) for p, q in edits} | {(q, p) for p, q in edits}


def possible(edits: Edits, how: str, n: int | None) -> Edits:
    """The edits that sizes allow."""
    return {(p, q) for p, q in edits if (n is None or max(p, q) <= n) and (how != "exactly" or p == q)}
