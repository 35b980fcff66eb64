"""What problem files say of neighbours: granularities by name or made of others, and policies in tables."""

from __future__ import annotations

from typing import Any

from dpcompose.privacy.format.checks import (
    FORMULA,
    NAME,
    Check,
    Either,
    ListOf,
    Mistakes,
    Place,
    Table,
    Word,
    article,
    formula,
    key,
    shown,
)
from dpcompose.spaces.moves import replacement_words
from dpcompose.spaces.moves.changes import LARGEST_WINDOW
from dpcompose.spaces.moves.groups import LARGEST_GROUP
from dpcompose.spaces.moves.larger import ANY_SIZE


class _Anything(Check):
    """What a granularity is made of, which is checked as a whole."""

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {}


ANYTHING = _Anything()
PAIRS = ListOf(ListOf(NAME, 2, 2))
ALL = Word("word", ("all",))


class ReplaceTable(Table):
    within: str | list[list[str]] | None = key(Either(NAME, ListOf(ListOf(NAME, 2), 1), list))
    changes: list[str] | None = key(ListOf(NAME, 1))
    keeps: list[str] | None = key(ListOf(NAME, 1))
    one_of: str | list[str] | None = key(Either(ALL, ListOf(NAME, 1), list), written="one-of")
    within_distance: str | None = key(FORMULA, written="within-distance")
    norm: str | None = key(NAME)
    of: list[str] | None = key(ListOf(NAME, 1))

    def data(self) -> dict[str, Any]:
        """The table as files write it."""
        return {self.keys[name].written or name: getattr(self, name) for name in sorted(self.given)}

    def check(self) -> None:
        named = {"within": [["", "_"]]} if self.partition else {}
        replacement_words.read(self.data() | named, "replace")

    @property
    def partition(self) -> str:
        """The partition within whose parts records are replaced, if it is one."""
        return self.within if isinstance(self.within, str) else ""


class GranularityTable(Table):
    neighbours: list[list[str]] | None = key(PAIRS)
    replace: str | list[list[str]] | ReplaceTable | None = key(Either(Either(ALL, PAIRS, list), ReplaceTable))
    add_remove: str | list[str] | None = key(Either(ALL, ListOf(NAME, 1), list), written="add-remove")
    group: Any = key(ANYTHING)
    steps: Any = key(ANYTHING)
    of: Any = key(ANYTHING)
    within: Any = key(ANYTHING)
    union: Any = key(ANYTHING)
    w_event: Any = key(ANYTHING, written="w-event")
    contribution: Any = key(ANYTHING)

    @property
    def replaced(self) -> Any:
        """Which records may take each other's place, as files write it."""
        return self.replace.data() if isinstance(self.replace, ReplaceTable) else self.replace

    @property
    def partition(self) -> str:
        """The partition within whose parts records are replaced, if it is one."""
        return self.replace.partition if isinstance(self.replace, ReplaceTable) else ""

    @property
    def made(self) -> dict[str, Any]:
        """What it is made of, as [target] writes it; nothing where it is one of your own."""
        own = ("neighbours", "replace", "add_remove")
        return {self.keys[name].written or name: getattr(self, name) for name in self.given.difference(own)}

    def check(self) -> None:
        own = [self.neighbours is not None, self.replace is not None or self.add_remove is not None]
        if sum(own) + bool(self.made) != 1:
            raise ValueError(
                "a granularity of your own lists the neighbours of a listed class, neighbours = [...], or is "
                'a policy on records: replace = { within = [["a1", "a2"], ["b1", "b2"]] } or "all", '
                'add-remove = ["c"] or "all"; or it is made of others: group = 2 and of = "bounded", '
                'union = ["unbounded", "bounded"], w-event = 3'
            )
        if self.made:
            _granularity(self.made)


def _granularity(value: object) -> object:
    """A name; { w-event = 3 }, { contribution = {…} }, { group = 2, of = … } or { union = […, …] }.

    All levels are checked here.
    """
    following, unions = [value], 0
    while following:
        inner = following.pop()
        if isinstance(inner, str):
            continue
        if not isinstance(inner, dict):
            raise ValueError(
                f"a granularity is a name, a window, a contribution, a group or a union, not {article(inner)}"
            )
        if set(inner) == {"w-event"}:
            if type(inner["w-event"]) is not int or not 1 <= inner["w-event"] <= LARGEST_WINDOW:
                raise ValueError(
                    f"a window has 1 to {LARGEST_WINDOW:,} time steps, not {shown(inner['w-event'])}"
                )
        elif set(inner) == {"contribution"}:
            _contribution(inner["contribution"])
        elif set(inner) == {"steps", "of", "within"}:
            if inner["within"] != ANY_SIZE:
                raise ValueError(f'steps are counted within = "{ANY_SIZE}", not {shown(inner["within"])}')
            if type(inner["steps"]) is not int or not 1 <= inner["steps"] <= LARGEST_GROUP:
                raise ValueError(f"1 to {LARGEST_GROUP:,} steps are counted, not {shown(inner['steps'])}")
            following.append(inner["of"])
        elif set(inner) == {"union"}:
            if not (isinstance(inner["union"], list) and len(inner["union"]) == 2):
                raise ValueError('a union is of two granularities: { union = ["unbounded", "bounded"] }')
            following, unions = [*following, *inner["union"]], unions + 1
            if unions > LARGEST_UNION:
                raise ValueError(f"a granularity is made of up to {LARGEST_UNION} unions")
        elif set(inner) != {"group", "of"}:
            raise ValueError('a group of neighbours is { group = 2, of = "bounded" }')
        elif isinstance(inner["group"], str):
            formula(inner["group"])
            following.append(inner["of"])
        elif type(inner["group"]) is not int or not 1 <= inner["group"] <= LARGEST_GROUP:
            raise ValueError(f"a group counts 1 to {LARGEST_GROUP:,} steps, not {shown(inner['group'])}")
        else:
            following.append(inner["of"])
    return value


def _contribution(value: object) -> None:
    """Raises ValueError where it is not said in how many parts a person has how many rows."""
    if not isinstance(value, dict) or not {"parts", "rows"} <= set(value) <= {"parts", "rows", "replaced"}:
        raise ValueError(
            'what a person contributes is { contribution = { parts = "L", rows = "m" } }: rows in at most L '
            'parts, at most m in each; replaced = true or "rows" says that they are replaced'
        )
    for count in ("parts", "rows"):
        formula(value[count])
    if value.get("replaced", False) not in (True, False, "rows"):
        raise ValueError(f'replaced is true or "rows", not {shown(value["replaced"])}')


LARGEST_UNION = 50
"""Of how many unions a granularity is made at most."""


class _GranularityName(Check):
    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        with mistakes.telling(path):
            return _granularity(value)
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, {"additionalProperties": True, "type": "object"}]}


GRANULARITY = _GranularityName()
