"""Data that people write, read into frozen dataclasses: all mistakes at once, each under its key.

A dataclass says by the types of its fields what fits: text, whole numbers, true or false, `Literal` words,
lists, tables of one type, other dataclasses, and `|` of these.  A key is the field's name with hyphens; a
field without a default has to be there; a name that Python keeps for itself ends with a line: `from_`.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from dpcompose.kernel.expressions.keeping import frozen

Place = tuple[str, ...]
"""The keys that lead to a value; an entry of a list by its number, from 1."""


@frozen
class Mistake:
    """What is wrong, and under which keys."""

    at: Place
    words: str

    def __str__(self) -> str:
        return f"{'.'.join(self.at)}: {self.words}" if self.at else self.words


def key_of(field: Field[Any]) -> str:
    """The key of a field: `special_case_of` is written special-case-of, `from_` is from."""
    return field.name.rstrip("_").replace("_", "-")


def near(word: object, choices: Iterable[str]) -> str:
    """A hint at the word that was meant, "" where none is near.

    >>> near("titel", ["title", "shape"]), near("x", ["title"])
    ("; did you mean 'title'?", '')
    """
    others = [choice for choice in choices if choice != word]
    matches = difflib.get_close_matches(word[:100], others, n=1) if isinstance(word, str) else []
    return f"; did you mean {matches[0]!r}?" if matches else ""


def one_of(choices: Collection[str]) -> str:
    """All words there are, in a sentence; "none" of no words.

    >>> one_of(["a", "b", "c"])
    "'a', 'b' or 'c'"
    """
    *rest, last = [repr(choice) for choice in choices] or ["none"]
    return f"{', '.join(rest)} or {last}" if rest else last


def read(kind: Any, value: object, at: Place, wrong: list[Mistake]) -> Any:
    """The value as a type has it; what does not fit is added to `wrong`, and what is returned then is void.

    >>> wrong = []
    >>> read(dict[str, list[int]], {"a": [1, 2]}, (), wrong), wrong
    ({'a': [1, 2]}, [])
    >>> _ = read(list[Literal["tuples"]], ["tuples", "tupels"], ("classes",), wrong)
    >>> print(wrong[0])
    classes.2: 'tupels' does not fit, but 'tuples'; did you mean 'tuples'?
    """
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _one_of_types(kind, value, at, wrong)
    if origin is Literal:
        return _word(get_args(kind), value, at, wrong)
    if origin is list and isinstance(value, list):
        (inner,) = get_args(kind)
        return [read(inner, entry, (*at, str(n)), wrong) for n, entry in enumerate(value, start=1)]
    if origin is dict and isinstance(value, Mapping):
        inner = get_args(kind)[1]
        return {key: read(inner, entry, (*at, str(key)), wrong) for key, entry in value.items()}
    if is_dataclass(kind) and isinstance(value, Mapping):
        return table(kind, value, at, wrong)
    if type(value) is kind:
        return value
    wrong.append(Mistake(at, f"this is {_called(value)}, and should be {_expected(kind)}"))
    return None


def table(kind: Any, value: Mapping[str, object], at: Place, wrong: list[Mistake], what: str = "") -> Any:
    """A table as the dataclass `kind`; None where something in it is wrong.

    what -- what the table is, for messages.
    """
    before = len(wrong)
    known = {key_of(field): field for field in fields(kind) if field.init}
    for key in value:
        if key not in known:
            about = f"{what or 'this table'} has no such key"
            wrong.append(Mistake((*at, str(key)), f"{about}{near(key, known) or _keys(known)}"))
    values = {}
    for key, field in known.items():
        if key in value:
            values[field.name] = read(field.type, value[key], (*at, key), wrong)
        elif field.default is MISSING and field.default_factory is MISSING:
            wrong.append(Mistake((*at, key), f"this key is missing: {_expected(field.type)}"))
    return kind(**values) if len(wrong) == before else None


def _keys(known: Collection[str]) -> str:
    return f"; its keys are {', '.join(known)}"


def _word(choices: tuple[str, ...], value: object, at: Place, wrong: list[Mistake]) -> object:
    if type(value) is str and value in choices:
        return value
    shown = repr(value) if isinstance(value, str) else _called(value)
    wrong.append(Mistake(at, f"{shown} does not fit, but {one_of(choices)}{near(value, choices)}"))
    return None


def _one_of_types(kind: Any, value: object, at: Place, wrong: list[Mistake]) -> Any:
    """The value as the first of several types that it fits; else the mistakes of the one that is nearest."""
    tried = []
    for alternative in get_args(kind):
        if alternative is NoneType:
            continue  # data have no null: None is what a key that is left out stands for
        mistakes: list[Mistake] = []
        result = read(alternative, value, at, mistakes)
        if not mistakes:
            return result
        tried.append((max(len(mistake.at) for mistake in mistakes), mistakes))
    inside = [mistakes for depth, mistakes in tried if depth > len(at)]
    if inside:
        wrong += inside[0]
    elif len(tried) == 1:
        wrong += tried[0][1]
    else:
        wrong.append(Mistake(at, f"this is {_called(value)}, and should be {_expected(kind)}"))
    return None


def _called(value: object) -> str:
    """What a value of a file is, in words."""
    names = {str: "a text", int: "a whole number", bool: "true or false", float: "a decimal", list: "a list"}
    return names.get(type(value), "a table" if isinstance(value, Mapping) else "something else")


def _expected(kind: Any) -> str:
    """What fits a type, in words."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join(_expected(alternative) for alternative in inside if alternative is not NoneType)
    if origin is Literal:
        return one_of(inside)
    if origin is list:
        return f"a list, each entry {_expected(inside[0])}"
    if origin is dict:
        return f"a table, each value {_expected(inside[1])}"
    return {str: "a text", int: "a whole number", bool: "true or false"}.get(kind, "a table")
