"""Edits of a saved result, by paths, steps and claims."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

Edit = Callable[[Any], None]


def set_at(*path: Any, to: Any) -> Callable[[Any], None]:
    """Puts a value at a path, which must be there and hold another one."""

    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        assert data[path[-1]] != to
        data[path[-1]] = to

    return edit


def remove(*path: Any) -> Callable[[Any], None]:
    """Takes away what is at a path."""

    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return edit


def stamped(*edits: Callable[[Any], None]) -> Callable[[Any], None]:
    """Several edits, and the hash of the setting made to fit them."""

    def edit(data: Any) -> None:
        for one in edits:
            one(data)
        core = json.dumps(data["core"], sort_keys=True, separators=(",", ":"))
        data["derivation"]["setting"] = hashlib.sha256(core.encode()).hexdigest()

    return edit


def by(data: Any, rule: str, n: int = 1) -> Any:
    """The n-th step by a rule."""
    return [one for one in data["derivation"]["steps"] if one["rule"] == rule][n - 1]


def step(rule: str, n: int, *path: Any, to: Any) -> Callable[[Any], None]:
    """Changes the n-th step by a rule."""
    return lambda data: set_at(*path, to=to)(by(data, rule, n))


def without(rule: str, n: int, *path: Any) -> Callable[[Any], None]:
    """Takes away a part of the n-th step by a rule."""
    return lambda data: remove(*path)(by(data, rule, n))


def together(*edits: Callable[[Any], None]) -> Callable[[Any], None]:
    """Several edits."""

    def edit(data: Any) -> None:
        for one in edits:
            one(data)

    return edit


def core(*path: Any, to: Any) -> Callable[[Any], None]:
    """Changes the core setting, and the hash with it."""
    return stamped(set_at("core", *path, to=to))


def both(mechanism: int, key: str, to: str) -> Callable[[Any], None]:
    """Changes a guarantee in the problem and in the core setting, and the hash with it."""
    return stamped(
        set_at("problem", "mechanisms", mechanism, "guarantee", key, to=to),
        set_at("core", "mechanisms", mechanism, "values", key, to=to),
    )


def every_step(derivation: Any) -> Iterator[Any]:
    """The steps, and those of derivations about other settings in them."""
    for one in derivation["steps"]:
        yield one
        if "derivation" in one:
            yield from every_step(one["derivation"])


def claimed(n: int, key: str, to: str) -> Callable[[Any], None]:
    """Changes a parameter of the n-th claim wherever the claim stands."""

    def edit(data: Any) -> None:
        old = copy.deepcopy(data["claims"][n - 1]["claim"])
        assert old[key] != to
        data["problem"]["claims"][n - 1][key] = data["claims"][n - 1]["claim"][key] = to
        for one in every_step(data["derivation"]):
            if one.get("claim") == old:
                one["claim"][key] = to

    return edit
