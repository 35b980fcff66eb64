"""How many records databases have: what a problem file calls it, and what a setting does."""

from __future__ import annotations

import re
from typing import Any

from second_checker import assumptions
from second_checker.algebra import Algebra
from second_checker.forms import minus
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
    """The problem and the setting with numbers in place of letters for sizes.

    Neighbours differ alike in all classes with room for all steps: so have all that the letters allow.
    """
    base, letter = core["databases"], core["databases"].get("letter")
    if letter is None:
        demand(not {"lower", "unlimited"} & set(base), "letters for no size")
        return problem, core
    how, number = base["size"]
    lower = base.get("lower")
    plain = base["kind"] in ("records", "policies") and base["of"] in ("multisets", "sets") and how != "any"
    if not plain or "least" in base or core["target"]["single"] == "any two":
        raise NotRead("setting", "letters for other sizes")
    algebra, steps = Algebra(core["parameters"]), core["target"]["steps"]
    algebra.assumed = assumptions.known(core, algebra)
    least = whole(core, letter)
    demand(type(number) is int and number >= least, "a number below those of the letter")
    if least < steps:
        raise NotRead("setting", "classes with less room than others")
    words = f"={letter}" if how == "exactly" else f"<={letter}" if lower is None else f"{lower}..{letter}"
    demand("".join(problem["databases"].get("size", "any").split()) == words, "another size")
    low = 0 if lower is None else whole(core, lower)
    if lower is not None:
        demand(how == "at most", "a least size where all are one")
        between = algebra.sign(minus(algebra.read(letter), algebra.read(lower)))
        if between < 2 or steps > 1 or number - low < steps:
            raise NotRead("setting", "classes of which some have one size")
    if base["of"] == "sets" and not (base.get("unlimited") and "records" not in problem["databases"]):
        raise NotRead("setting", "sets of any number of records that are listed")
    told = {key: x for key, x in base.items() if key not in ("letter", "lower", "unlimited")}
    told |= {"least": low} if low else {}
    told |= {"letter from": least} if base["kind"] == "policies" else {}
    said = f"= {number}" if how == "exactly" else f"{low}..{number}"
    return (
        {**problem, "databases": {**problem["databases"], "size": said}},
        {**core, "databases": told},
    )


def whole(core: Any, letter: str) -> int:
    """The least value of a letter for whole numbers."""
    words = str(core["parameters"].get(letter, ""))
    demand(words.startswith("integer >= "), "a letter for no whole number")
    return int(words.removeprefix("integer >= "))


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
