"""Problems with letters for sizes and groups, numbers in their place, and their bounds at some values."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from problem_data import reading_records

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure

F = Fraction
BOTH = {"union": ["unbounded", "bounded"]}


def problem(
    kind: str, size: str, target: Any, *mechanisms: tuple[Any, Any, str], notion: str = "pure", **more: Any
) -> dict[str, Any]:
    """Mechanisms that read everything, records, or positions; what they are stated for, and where."""
    reads, stated, domains = zip(*mechanisms, strict=True)
    records = [one if isinstance(one, list) else None for one in reads]
    data = reading_records(target, records, stated, domains, notion, size=size)
    data["databases"]["kind"] = kind
    for one, read in zip(data["mechanisms"], reads, strict=True):
        if isinstance(read, tuple):
            one["reads"] = {"positions": list(read)}
    if "records" in more:
        data["databases"]["records"] = more.pop("records")
    return data | more


def at(data: dict[str, Any], point: Mapping[str, int]) -> dict[str, Any]:
    """The same with numbers in place of letters."""
    size = data["databases"]["size"]
    for name, x in point.items():
        size = size.replace(name, str(x))
    return {**data, "parameters": {}, "assume": [], "databases": data["databases"] | {"size": size}}


def at_some_values(term: Any, seed: int) -> list[Any]:
    """A bound where mechanisms have some parameters; None for oo."""
    rng, found = random.Random(seed), []
    for _ in range(3):
        point = {f"e{i}": F(rng.randint(1, 30), 7) for i in range(1, 4)}
        there = {name: point[name] for name in term.letters}
        found.append(None if term.kind == "oo" else enclosure(formulas.at(term, there), 100))
    return found


def exceeds(one: Any, other: Any) -> bool:
    """Whether one bound is seen to be larger than the other."""
    return other is not None and (one is None or one.low > other.high)
