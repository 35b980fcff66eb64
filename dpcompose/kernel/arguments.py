"""Arguments of rules: each has a name, and data of one kind, by the rule's own signature.

An argument comes from a file: nothing is done with it before it is of its kind.  Claims and certificates are
read, and checked, where they are used.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args


class BadArgument(ValueError):
    """A rule has no such argument, or of another kind; the message says which."""


def _is_list(value: object, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(type(entry) is kind for entry in value)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) and all(type(text) is str for pair in value.items() for text in pair)


KINDS: Mapping[object, tuple[str, Callable[[object], bool]]] = {
    bool: ("true or false", lambda value: type(value) is bool),
    int: ("a whole number", lambda value: type(value) is int),
    str: ("a text", lambda value: type(value) is str),
    Sequence[int]: ("a list of whole numbers", lambda value: _is_list(value, int)),
    Sequence[str]: ("a list of texts", lambda value: _is_list(value, str)),
    Mapping[str, str]: ("a table of texts", _is_table),
    Any: ("", lambda value: True),
    NoneType: ("nothing", lambda value: value is None),
}
"""By the kind of an argument what that is in words, and whether data is of it."""


@cache
def wanted(rule: Callable[..., object]) -> Mapping[str, tuple[Sequence[object], bool]]:
    """The arguments of a rule: of which kinds each is, and whether it may be left out."""
    arguments = inspect.signature(rule, eval_str=True).parameters.values()
    return {
        argument.name: (_kinds(argument.annotation), argument.default is not inspect.Parameter.empty)
        for argument in arguments
        if argument.kind is inspect.Parameter.KEYWORD_ONLY
    }


def _kinds(written: object) -> Sequence[object]:
    """The kinds that an argument may be of: one, or several as in int | None."""
    return get_args(written) if isinstance(written, UnionType) else [written]


def check(rule: Callable[..., object], given: Mapping[str, Any]) -> None:
    """Raises BadArgument unless all arguments of a rule are given, each of its kind, and no others.

    >>> def rule(setting: object, *, i: int, by: Sequence[int] | None = None) -> None: ...
    >>> check(rule, {"i": 1}), check(rule, {"i": 1, "by": [2]})
    (None, None)
    >>> check(rule, {"i": True})
    Traceback (most recent call last):
    dpcompose.kernel.arguments.BadArgument: i is to be a whole number
    """
    needed = wanted(rule)
    for name in given:
        if name not in needed:
            raise BadArgument(f"there is no argument {name!r} here, but {_list(list(needed))}")
    for name, (kinds, optional) in needed.items():
        if name not in given:
            if optional:
                continue
            raise BadArgument(f"the argument {name} is missing")
        if not any(KINDS[kind][1](given[name]) for kind in kinds):
            raise BadArgument(f"{name} is to be {KINDS[kinds[0]][0]}")


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
