"""What ships with the program besides its code: problem files, and theorem pages, each read by itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from dpcompose.kernel.library.pages import Page, read


def folder(name: str = "theorems", beside: str = "theorems") -> Path:
    """Where the pages are, or what else ships: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / name
    return inside if inside.is_dir() else package.parent / beside


@cache
def head(of: str, id: str) -> Any:
    """What a page states, as data; of -- the folder that it is in.

    >>> head("noises", "laplace").guarantee
    {'pure': {'epsilon': '1/b'}}
    """
    page = read(folder() / of / f"{id}.md")
    assert isinstance(page, Page), page
    return page.head
