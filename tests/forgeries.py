"""Edits of saved derivations, as the table of forgeries has them."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpcompose.kernel.core import reading
from dpcompose.proof.theory import registry

FORGED = Path(__file__).resolve().parent / "forged"
PROBLEMS = FORGED.parents[1] / "notebooks" / "problems"


class NoTable(ValueError):
    """The table of forgeries is not as it has to be."""


def problem(name: str) -> Path:
    """The problem file of a name: beside the table, or a shipped one."""
    return FORGED / name if (FORGED / name).exists() else PROBLEMS / name


def parent(data: Any, path: list[Any]) -> Any:
    """What holds the last key of a path."""
    for key in path[:-1]:
        data = data[key]
    return data


def forge(data: Any, edits: Iterable[dict[str, Any]]) -> Any:
    """The data after edits, in order.

    Each is about what is `at` a path: a new `value`, `delete`, `cut` a list to a length, `insert` into a
    list, `double` an entry, `copy` what was at another path, the hash of a `page`, that of the core setting
    as it is by then (`stamp`), lists `nested` so deep.
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
        elif "stamp" in edit:
            holder[key] = reading.read(data["core"]).hash
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
