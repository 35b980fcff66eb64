"""Changes of saved derivations and of their core settings: each number, text, list and table in turn, one place each."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting

DOMAINS = ("positive", "nonnegative", "real")
FORMULA = re.compile(r"[\w\s*/+().,\[\]^-]+")
Path = tuple[Any, ...]


@dataclass(frozen=True)
class Change:
    """Another value at a place."""

    at: Path
    value: Any

    def of(self, data: Any) -> Any:
        """A copy of the data with it."""
        made = copy.deepcopy(data)
        holder = inside(made, self.at[:-1])
        holder[self.at[-1]] = self.value
        return made

    @property
    def place(self) -> str:
        """Where it is, without the numbers of entries."""
        return ".".join(str(key) for key in self.at if not isinstance(key, int))

    @property
    def number(self) -> int:
        """One that is the same in each run."""
        return crc32(repr((self.at, self.value)).encode())


def inside(data: Any, at: Path) -> Any:
    """What stands at a place."""
    for key in at:
        data = data[key]
    return data


def places(data: Any, at: Path = ()) -> Iterator[Path]:
    """All places of a table."""
    within = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in within:
        yield (*at, key)
        yield from places(value, (*at, key))


def others(value: Any) -> list[Any]:
    """What stands in place of a value: numbers beside it, other domains and multiples, lists and tables with an
    entry less, twice or in another order."""
    if isinstance(value, bool) or value is None:
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, list):
        return [value[:-1], value[1:], value[::-1], value + value[-1:]] if value else []
    if isinstance(value, dict):
        return [{key: one for key, one in value.items() if key != left} for left in value]
    if value in DOMAINS:
        return [domain for domain in DOMAINS if domain != value]
    if value == "oo":
        return ["1"]
    return [f"2*({value})", f"({value})/2", f"{value} + 1"] if FORMULA.fullmatch(value) else []


def changes(data: Any) -> list[Change]:
    """All changes of one place each."""
    found = []
    for at in places(data):
        value = inside(data, at)
        found += [Change(at, other) for other in others(value) if other != value]
    return found


def share(some: list[Change], part: int, of: int) -> list[Change]:
    """One of so many parts of some changes; the same ones in each run."""
    return [one for one in some if one.number % of == part]


def by_place(data: Any) -> dict[str, list[Change]]:
    """All changes, by where they are."""
    found: dict[str, list[Change]] = {}
    for change in changes(data):
        found.setdefault(change.place, []).append(change)
    return found


def reads(change: Change, core: Any) -> str:
    """r where a core setting with a change is read, n where it is none."""
    try:
        reading.read(change.of(core))
    except BadSetting:
        return "n"
    return "r"
