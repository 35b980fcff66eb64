"""Changes of saved derivations and of their core settings: each number, text, list and table in turn, one place each."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

DOMAINS = ("positive", "nonnegative", "real")
FORMULA = re.compile(r"[\w\s*/+().,\[\]^-]+")
Path = tuple[Any, ...]
ADDED: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "": {"orders": ["8"], "assumed": [[["e", "<=", "1"]], [["m", "<", "n"]]], "distances": [{}]},
    "databases": {
        "of": ["multisets", "sets", "sequences", "tuples"],
        "size": [["any", None], ["exactly", 2], ["exactly", 6], ["at most", 1]],
        "least": [2],
        "letter": ["n", "e"],
        "lower": ["m"],
        "places": [[0, 1], [0, 0, 1]],
        "parts": [[]],
        "outside": [["x", "y"]],
        "count": [4],
    },
    "target": {
        "single": [[[1, 1]], [[0, 1], [1, 0]], [[0, 3]], "any two"],
        "steps": [2],
        "within": ["any size"],
        "times": ["m", "e"],
    },
    "mechanisms": {
        "stated": [{"single": "any two", "steps": 1}, {"single": [[1, 1]], "steps": 2}],
        "count": ["2", "k"],
        "partition": ["P"],
        "codes": [[[0], [1]]],
        "processed": [True],
        "filtered": [True],
        "dealt": [True],
        "orders": ["8"],
        "table": [{"on": "inputs", "outcomes": ["no", "yes"], "rows": [["1/4", "3/4"], ["3/4", "1/4"]]}],
        "noise": [{"query": {"page": "histogram", "values": {}}, "page": "laplace", "parameter": "1"}],
        "sampled": [{"page": "poisson-sampling-replaced", "values": {"s": "1/2"}}],
        "also": [
            [
                {
                    "stated": {"single": [[1, 1]], "steps": 1},
                    "domain": "own",
                    "notion": "pure",
                    "values": {"epsilon": "1"},
                }
            ]
        ],
    },
}
"""What is put into the tables of a core setting, by where they are: into a mechanism, more than it has."""


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


def further(data: Any) -> list[Change]:
    """More changes of a step: of each value also a few that are far from it, and what stands elsewhere in its place."""
    elsewhere: dict[Any, list[Any]] = {}
    for at in places(data):
        elsewhere.setdefault((at[-1], type(inside(data, at))), []).append(inside(data, at))
    found = changes(data)
    for at in places(data):
        value = inside(data, at)
        own = [one for one in elsewhere[at[-1], type(value)] if one != value][:2]
        found += [Change(at, other) for other in (*far(value), *own) if other != value]
    return found


def far(value: Any) -> list[Any]:
    """Values that are far from one: 0, ∞, what is negative, and entries in another order."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [0, -1]
    if isinstance(value, list):
        return [value[1:2] + value[:1] + value[2:], value[:1] + value] if value else [[0]]
    if isinstance(value, str) and FORMULA.fullmatch(value):
        return ["0", "1", "oo", f"-({value})", f"({value})**2"]
    return []


def additions(core: Any) -> list[Change]:
    """Changes by which a core setting has more, or something of another kind."""
    tables: list[tuple[str, Path, Any]] = [
        ("", (), core),
        *((key, (key,), core[key]) for key in ("databases", "target")),
    ]
    tables += [("mechanisms", ("mechanisms", n), one) for n, one in enumerate(core["mechanisms"])]
    return [
        Change((*at, key), value)
        for kind, at, table in tables
        for key, some in ADDED[kind].items()
        for value in some
        if table.get(key) != value
    ]


def share(some: list[Change], part: int, of: int) -> list[Change]:
    """One of so many parts of some changes; the same ones in each run."""
    return [one for one in some if one.number % of == part]


def by_place(data: Any) -> dict[str, list[Change]]:
    """All changes of a core setting, by where they are."""
    found: dict[str, list[Change]] = {}
    for change in changes(data):
        found.setdefault(change.place, []).append(change)
    for change in additions(data):
        found.setdefault(f"+ {change.place}", []).append(change)
    return found
