"""The files of the package, and what they are made of: gone through once for all tests that look at them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "dpcompose"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


@cache
def walked(path: Path) -> tuple[tuple[ast.AST, bool], ...]:
    """What a file is made of, and whether it is there for types only; whether a name is read or set is left out."""
    found = list[tuple[ast.AST, bool]]()
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while waiting:
        node, late = waiting.pop()
        late = late or (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING")
        found.append((node, late))
        for field in node._fields:
            value = getattr(node, field, None)
            inside = value if type(value) is list else (value,)
            waiting += [
                (one, late)
                for one in inside
                if isinstance(one, ast.AST) and not isinstance(one, ast.expr_context)
            ]
    return tuple(found)


def nodes(path: Path, types: bool = True) -> Iterator[ast.AST]:
    """What a file is made of, which several tests look at; types -- also what is there for types only."""
    return (node for node, late in walked(path) if types or not late)
