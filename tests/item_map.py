"""The table of theorems/README.md, and the items of the sources that it is to hold: theorems/items.toml."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

from theorem_settings import FOLDER, PAGES

from dpcompose.proof.theory.registry import Page

ITEMS: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "items.toml").read_text(encoding="utf-8"))
"""By the key of a source what its items are: numbered ones, or those of a subject with the test of each."""
BEYOND = "beyond the paper"


@cache
def rows() -> list[tuple[str, list[tuple[str, str]], str]]:
    """(item, [(page's id, path)], problem file) of each row."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    table = text.partition("| item |")[2].splitlines()[2:]
    found = []
    for line in table:
        if line.startswith("|"):
            item, _, pages, problem = [cell.strip() for cell in line.strip("|").split("|")]
            found.append((item, re.findall(r"\[([^]]+)\]\(([^)]+)\)", pages), problem))
    return found


def items_of(source: str) -> dict[str, str]:
    """The items of a source that are there, by their names in the table, with the test of each."""
    said = ITEMS[source]
    numbered = [
        f"{section}.{n}" for section, last in said.get("numbered", {}).items() for n in range(1, last + 1)
    ]
    tests = dict.fromkeys([*numbered, *said.get("unnumbered", [])], said.get("tests", ""))
    return {f"{source}:{name}": test for name, test in {**tests, **said.get("items", {})}.items()}


def open_items() -> dict[str, str]:
    """The items of all sources that are not there yet, with the reason."""
    return {
        f"{source}:{name}": reason
        for source, said in ITEMS.items()
        for name, reason in said.get("not-yet", {}).items()
    }


def is_for_readers(page: Page) -> bool:
    """Whether no derivation uses a page: a lemma that no other page rests on."""
    return page.head.kind == "lemma" and not any(page.id in one.head.rests_on for one in PAGES)
