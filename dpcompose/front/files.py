"""Problem files to read, to write and to start from: their TOML, their schema, the shipped examples."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

WIDTH = 100
"""How long a line may be before a list in it is broken up."""


# TOML


def toml(data: Mapping[str, Any], comments: Mapping[str, str] = MappingProxyType({})) -> str:
    """The text of a problem file with this data, as `dpcompose.privacy.writing.to_data` makes it.

    Tables at the top level, and the mechanisms and claims one by one; everything below is inline.
    comments -- by its key what stands before a table, or before the first of several.

    >>> print(toml({"format": 1, "title": 'a "b"', "target": {"granularity": "bounded"}}), end="")
    format = 1
    title = "a \\"b\\""
    [target]
    granularity = "bounded"
    """
    plain, tables = [], list[str]()
    for key, value in data.items():
        before = len(tables)
        if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
            tables += [_table(f"[{_key(key)}.{_key(name)}]", one) for name, one in value.items()]
        elif isinstance(value, dict):
            tables += [_table(f"[{_key(key)}]", value)] if value else []
        elif isinstance(value, list) and all(isinstance(one, dict) for one in value):
            tables += [_table(f"[[{_key(key)}]]", one) for one in value]
        elif value != "":
            plain.append(_line(key, value))
        if key in comments and len(tables) > before:
            tables[before] = comments[key] + tables[before]
    return "\n".join([*plain, *tables]) + "\n"


def _table(head: str, values: Mapping[str, Any]) -> str:
    return "\n".join([head, *(_line(key, value) for key, value in values.items())])


def _line(key: str, value: Any) -> str:
    line = f"{_key(key)} = {_inline(value)}"
    if len(line) <= WIDTH or not isinstance(value, list):
        return line
    return f"{_key(key)} = [\n" + "".join(f"    {_inline(one)},\n" for one in value) + "]"


def _key(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isascii() and bare.isalnum() else _inline(name)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_inline(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    # JSON's escapes are TOML's too, but for those of characters beyond 16 bits: these stay as they are.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# the schema


def json_schema() -> dict[str, Any]:
    """The JSON schema of problem files, for editors.

    >>> json_schema()["$defs"]["ProblemTable"]["properties"]["databases"]["anyOf"][0]
    {'$ref': '#/$defs/DatabasesTable'}
    """
    from dpcompose.privacy.format.schema import ProblemTable

    defs: dict[str, Any] = {}
    whole = ProblemTable.schema(defs)
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "title": "a problem file of dpcompose", **whole, "$defs": defs}


# the shipped examples


def folder() -> Path:
    """Where the shipped problem files are."""
    from dpcompose.proof.theory import registry

    return registry.folder("problems", "notebooks/problems")


def examples() -> dict[str, Path]:
    """The shipped problem files, by the number that their names start with."""
    return {path.name.partition("-")[0]: path for path in sorted(folder().glob("*.toml"))}


def title(path: Path) -> str:
    """What a problem file is about, in its own words."""
    return str(tomllib.loads(path.read_text(encoding="utf-8")).get("title", ""))


def example(name: str) -> Path:
    """A shipped problem file by its number (7, 07) or name.  Raises KeyError."""
    every = examples()
    for path in every.values():
        if name in (path.name, path.stem):
            return path
    return every[name.zfill(2)]


def to_choose_from() -> Sequence[tuple[str, str]]:
    """Number and title of every shipped problem file."""
    return [(number, title(path)) for number, path in examples().items()]
