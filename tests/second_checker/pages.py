"""What is read off the theorem pages: the fenced table at the head of each, by its id."""

from __future__ import annotations

import hashlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from second_checker.outcomes import demand

BLOCK = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)


@cache
def pages(folder: Path) -> dict[str, tuple[str, Any]]:
    """The hash and the table of each page."""
    found: dict[str, tuple[str, Any]] = {}
    for file in sorted(folder.glob("*/*.md")):
        text = file.read_bytes()
        block = BLOCK.search(text.decode())
        if block:
            table = tomllib.loads(block[1])
            found[table["id"]] = hashlib.sha256(text).hexdigest(), table
    return found


class Library:
    """The pages that a derivation names, each with the hash of its file."""

    def __init__(self, folder: Path, named: dict[str, str]) -> None:
        self.folder = folder
        every = pages(folder)
        for name, stamp in named.items():
            demand(name in every, f"there is no page {name}")
            demand(every[name][0] == stamp, f"the page {name} has changed")
        self.every = [table for _, table in every.values()]
        self.tables = {name: every[name][1] for name in named}

    def whole(self) -> Library:
        """All pages, for what is not yet a step."""
        library = Library(self.folder, {})
        library.tables = {table["id"]: table for table in self.every}
        return library

    def one(self, name: str) -> Any:
        """The table of a page that the derivation names."""
        demand(name in self.tables, f"the page {name} is used and not named")
        return self.tables[name]

    def of(self, kind: str, **keys: str) -> Any:
        """The table of the only named page of a kind with these keys."""
        found = [
            table
            for table in self.tables.values()
            if table["kind"] == kind and all(table.get(key) == value for key, value in keys.items())
        ]
        demand(len(found) == 1, f"no page, or several, of kind {kind} with {keys}")
        return found[0]

    def rule(self, notion: str) -> Any:
        """The rule of a notion; where nothing is composed, a derivation need not name it."""
        (table,) = [table for table in self.every if table["kind"] == "rule" and table["notion"] == notion]
        return table
