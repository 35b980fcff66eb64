"""Theorem pages: a title, a head as data, the mathematics for readers, and the SHA-256 of the whole file.

Reading a page executes nothing, and finds all mistakes in it at once.
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import Mistake, near, one_of, table
from dpcompose.kernel.library.heads import Head, Hypothesis
from dpcompose.kernel.library.kinds import KINDS

__all__ = ["Hypothesis", "Page", "WrongPage", "read"]


@frozen(repr=False)
class Page:
    """One page: its head, its title and text, and the SHA-256 of the file.

    says -- the status as the page has it, where another one holds: "primitive" outside of the folder that
    ships, where no page is more than believed.
    """

    head: Any
    title: str
    body: str
    sha256: str
    path: Path
    says: str = ""

    def __repr__(self) -> str:
        return f"{self.head.kind} page {self.id}: {self.title}"

    @property
    def id(self) -> str:
        return str(self.head.id)

    @property
    def is_believed(self) -> bool:
        """Whether nobody vouches for the page."""
        return bool(self.head.status == "believed")


@frozen
class WrongPage:
    """A page that cannot be used, and why.

    data -- what of its head can be read.
    """

    path: Path
    mistakes: tuple[Mistake, ...]
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.path.name

    @property
    def id(self) -> str:
        """Its id, or the name of the file where it says none."""
        said = self.data.get("id")
        return said if isinstance(said, str) and said else self.path.stem

    def __str__(self) -> str:
        return "\n".join(f"{self.file}: {mistake}" for mistake in self.mistakes)


def read(path: Path, ships: bool = True) -> Page | WrongPage:
    """One page from its file, by itself: what it says of other pages is not looked at.

    ships -- whether it is a page of the folder that ships: any other one is at most believed.
    """

    def wrong(*mistakes: Mistake, data: Mapping[str, Any] | None = None) -> WrongPage:
        return WrongPage(path, mistakes, data or {})

    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        return wrong(Mistake((), f"this is no UTF-8 text: {error.reason}"))
    match = re.fullmatch(r"# (?P<title>[^\n]+)\n+```toml\n(?P<head>.*?)\n```\n(?P<body>.*)", text, re.DOTALL)
    if not match:
        shape = "a page is a title '# …', a fenced toml block and a text"
        return wrong(Mistake((), shape), data=_lines(text))
    try:
        data = tomllib.loads(match["head"])
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        return wrong(Mistake((), f"this is no TOML: {error}"), data=_lines(match["head"]))
    mistakes: list[Mistake] = []
    head = _head(data, mistakes)
    if head is None or mistakes:
        return wrong(*mistakes, data=data)
    believed = not ships and head.status == "primitive"
    return Page(
        replace(head, status="believed") if believed else head,
        match["title"],
        match["body"].strip(),
        hashlib.sha256(text.encode()).hexdigest(),
        path,
        "primitive" if believed else "",
    )


def _lines(text: str) -> dict[str, str]:
    """What the lines key = "word" say of a head that is no TOML: enough to know which page it was to be."""
    return dict(re.findall(r'^([a-z-]+) = "([^"\n]*)"$', text, re.MULTILINE))


def _head(data: Mapping[str, Any], wrong: list[Mistake]) -> Head | None:
    """The head as one of its kind; None where it is wrong."""
    kind = data.get("kind")
    if kind is None:
        wrong.append(Mistake(("kind",), f"this key is missing: {one_of(KINDS)}"))
        return None
    if not isinstance(kind, str) or kind not in KINDS:
        wrong.append(Mistake(("kind",), f"{kind!r} does not fit, but {one_of(KINDS)}{near(kind, KINDS)}"))
        return None
    head: Head | None = table(KINDS[kind], data, (), wrong, f"a {kind} page")
    if head is None:
        return None
    wrong += head.misfits()
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", head.id) or head.id in NO_IDS:
        wrong.append(Mistake(("id",), f"{head.id!r} is no id: letters, digits and hyphens"))
    if head.status == "derived" and not head.is_derived_when_used:
        words = f"nothing derives this {kind} when it is used; it is 'primitive' or 'believed'"
        wrong.append(Mistake(("status",), words))
    return head


NO_IDS = ("given", "hypothesis")
"""What lines of a derivation are by where they are by no page."""
