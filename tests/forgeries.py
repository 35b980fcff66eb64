"""Forged derivations: each a good one of a problem file with edits, and the message it is refused with.

They are the lines of tests/forged/forgeries.jsonl, in the order of their names: {name, of, edits, refused}.
The derivation itself is made afresh, so that a page may change its wording.  The problem files that no
others have stand beside the table.  `python tests/forged/renew.py` writes the messages anew.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from dpcompose.front import render
from dpcompose.front.study import load
from dpcompose.privacy import problems
from dpcompose.proof import registry

FORGED = Path(__file__).resolve().parent / "forged"
PROBLEMS = FORGED.parents[1] / "notebooks" / "problems"
TABLE = FORGED / "forgeries.jsonl"


@dataclass(frozen=True)
class Forgery:
    """Edits of the derivation of a problem file, and the message with which the checker refuses it."""

    name: str
    of: str
    edits: Sequence[dict[str, Any]]
    refused: str

    def good(self) -> Any:
        """The derivation before the edits."""
        return saved(self.of)

    def forged(self) -> Any:
        """The derivation after them."""
        return forge(saved(self.of), self.edits)

    @property
    def line(self) -> str:
        """Its line in the table."""
        return json.dumps(vars(self), ensure_ascii=False)


class NoTable(ValueError):
    """The table of forgeries is not as it has to be."""


def read(text: str) -> list[Forgery]:
    """The forgeries of a table: one a line, in the order of their names, no two alike.  Raises NoTable."""
    found = [
        Forgery(**json.loads(line, object_pairs_hook=_keys_once))
        for line in text.removesuffix("\n").split("\n")
    ]
    for one, following in pairwise(found):
        if not one.name < following.name:
            raise NoTable(f"{following.name!r} stands after {one.name!r}: twice, or out of order")
    seen: dict[str, str] = {}
    for one in found:
        what = json.dumps([one.of, one.edits], sort_keys=True)
        if (before := seen.setdefault(what, one.name)) != one.name:
            raise NoTable(f"{one.name!r} is {before!r} again")
    return found


def write(forgeries: Iterable[Forgery]) -> str:
    """The table of forgeries."""
    return "".join(f"{one.line}\n" for one in forgeries)


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise NoTable(f"a key stands twice: {', '.join(key for key, _ in pairs)}")
    return dict(pairs)


def problem(name: str) -> Path:
    """The problem file of a name: beside the table, or a shipped one."""
    return FORGED / name if (FORGED / name).exists() else PROBLEMS / name


@cache
def _saved(name: str) -> str:
    study, claims = load(problem(name))
    verdicts = [study._searched(claim) for claim in claims]
    return json.dumps(render.saved(study.bound, verdicts, problems.to_data(study.setting, claims)))


def saved(name: str) -> Any:
    """The derivation of a problem file with verdicts on its claims, as it is read from its file."""
    return json.loads(_saved(name))


def parent(data: Any, path: list[Any]) -> Any:
    """What holds the last key of a path."""
    for key in path[:-1]:
        data = data[key]
    return data


def forge(data: Any, edits: Iterable[dict[str, Any]]) -> Any:
    """The data after edits, in order.

    Each is about what is `at` a path: a new `value`, `delete`, `cut` a list to a length, `insert` into a
    list, `double` an entry, `copy` what was at another path, the hash of a `page`, lists `nested` so deep.
    """
    original = copy.deepcopy(data)
    for edit in edits:
        path = edit["at"]
        holder, key = parent(data, path), path[-1]
        if "delete" in edit:
            del holder[key]
        elif "insert" in edit:
            holder.insert(key, copy.deepcopy(edit["insert"]))
        elif "double" in edit:
            holder.insert(key, copy.deepcopy(holder[key]))
        elif "page" in edit:
            holder[key] = registry.standard().pages[edit["page"]].sha256
        elif "copy" in edit:
            source = edit["copy"]
            holder[key] = copy.deepcopy(parent(original, source)[source[-1]])
        elif "nested" in edit:
            value: Any = []
            for _ in range(edit["nested"]):
                value = [value]
            holder[key] = value
        elif "cut" in edit:
            del holder[key][edit["cut"] :]
        else:
            assert edit.keys() == {"at", "value"}
            holder[key] = copy.deepcopy(edit["value"])
    return data


EVERY = {one.name: one for one in read(TABLE.read_text(encoding="utf-8"))}
"""All forgeries, by their names."""
