"""How many records databases have: what a problem file calls it, and what a setting does."""

from __future__ import annotations

import re
from typing import Any

from second_checker.outcomes import NotRead, demand

Range = tuple[int, int | None]


def told(words: str) -> Range:
    """The least and the greatest size that a problem file allows."""
    plain = "".join(words.split())
    if plain == "any":
        return 0, None
    found = re.fullmatch(r"(<=|>=|=)(\d+)|(\d+)\.\.(\d+)", plain)
    if not found:
        raise NotRead("setting", f"the size {words}")
    if found[3]:
        return int(found[3]), int(found[4])
    n = int(found[2])
    return {"<=": (0, n), ">=": (n, None), "=": (n, n)}[found[1]]


def fixed(problem: Any, core: Any) -> tuple[Any, Any]:
    """The problem and the setting with the number that stands for a letter, the size of all databases.

    Neighbours differ alike in all classes with room for all steps: so have all that the letter allows.
    """
    base, letter = core["databases"], core["databases"].get("letter")
    if letter is None:
        return problem, core
    plain = base["kind"] == "records" and base["of"] == "multisets" and base["size"][0] == "exactly"
    if not plain or "least" in base or "lower" in base or core["target"]["single"] == "any two":
        raise NotRead("setting", "letters for other sizes")
    words = str(core["parameters"].get(letter, ""))
    demand(words.startswith("integer >= "), "a letter for no whole number")
    number, least = base["size"][1], int(words.removeprefix("integer >= "))
    demand(type(number) is int and number >= least, "a number below those of the letter")
    if least < core["target"]["steps"]:
        raise NotRead("setting", "classes with less room than others")
    demand("".join(problem["databases"].get("size", "any").split()) == f"={letter}", "another size")
    told = {key: x for key, x in base.items() if key != "letter"}
    said = {**problem["databases"], "size": f"= {number}"}
    return {**problem, "databases": said}, {**core, "databases": told}


def shown(base: Any) -> Range:
    """The least and the greatest size of a setting on records."""
    how, n = base["size"]
    least = base.get("least", 0)
    demand(
        type(least) is int and least >= 0 and (n is None or (type(n) is int and n >= 0)), "sizes are numbers"
    )
    demand((how == "any") == (n is None) and how in ("any", "at most", "exactly"), "sizes of another kind")
    if how == "exactly":
        demand("least" not in base, "a least size where all are one")
        return n, n
    demand(n is None or least < n or least == n == 0, "a least size that is not below the greatest")
    return least, n


def fits(base: Any, removed: int, added: int) -> bool:
    """Whether some two databases of these sizes differ by so many records."""
    least, most = shown(base)
    return most is None or (max(removed, added) <= most and abs(removed - added) <= most - least)
