"""The Markdown of theorem pages, read for another form: paragraphs, lists, tables, formulas, links."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise

_MARKED = re.compile(
    r"\$\$(?P<display>.*?)\$\$|\$(?P<math>[^$]*)\$|`(?P<code>[^`]*)`"
    r"|\[(?P<linked>[^\]]*)\]\((?P<link>[^)]*)\)|\*\*(?P<bold>.*?)\*\*|\*(?P<emphasis>.*?)\*",
    re.DOTALL,
)


class Writer(ABC):
    """How the parts of a text are written; what is given is already written, but for text and formulas."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Plain text."""

    @abstractmethod
    def math(self, formula: str) -> str:
        """A formula inside a line."""

    @abstractmethod
    def display(self, formula: str) -> str:
        """A formula on lines of its own."""

    @abstractmethod
    def code(self, text: str) -> str:
        """A name or command of the program."""

    @abstractmethod
    def link(self, shown: str, to: str) -> str:
        """A link to another page."""

    @abstractmethod
    def bold(self, shown: str) -> str:
        """Words that stand out."""

    @abstractmethod
    def emphasis(self, shown: str) -> str:
        """Words that are stressed."""

    @abstractmethod
    def items(self, shown: Sequence[str], first: int | None) -> str:
        """A list; `first`: the number of its first item, where they have numbers."""

    @abstractmethod
    def table(self, rows: Sequence[Sequence[str]]) -> str:
        """A table, its first row the head."""

    @abstractmethod
    def paragraph(self, shown: str, goes_on: bool) -> str:
        """A paragraph; `goes_on`: it is the end of the one before, after a formula, or that formula."""


def written(text: str, writer: Writer) -> str:
    """A text of a theorem page, written by a writer."""
    if not text.strip():
        return ""
    blocks = re.split(r"\n\s*\n", text.strip())
    shown = [writer.paragraph(_block(blocks[0], writer), goes_on=False)]
    for before, block in pairwise(blocks):
        goes_on = block.startswith("$$") or (before.startswith("$$") and block[0].islower())
        shown.append(writer.paragraph(_block(block, writer), goes_on))
    return "".join(shown)


def statement(text: str) -> tuple[str, str]:
    """What a page states, and its proof; the proof is "" where the page has none."""
    stated, _, rest = text.partition("**Proof.**")
    stated = re.split(r"\n\*\*(?:Example|Hypotheses|Optimal|Not sharp)\.\*\*", stated)[0]
    return stated, rest.partition("∎")[0]


def _block(block: str, writer: Writer) -> str:
    lines = block.splitlines()
    if lines[0].startswith("|"):
        rows = [row.strip().strip("|").split("|") for row in lines if "---" not in row]
        return writer.table([[inline(cell.strip(), writer) for cell in row] for row in rows])
    match = re.match(r"\* |(\d+)\. ", lines[0])
    if not match:
        return inline(block, writer)
    items = re.split(r"^(?:\* |\d+\. )", block, flags=re.MULTILINE)[1:]
    return writer.items([inline(item.strip(), writer) for item in items], int(match[1]) if match[1] else None)


def inline(text: str, writer: Writer) -> str:
    """A text without blocks."""
    out, at = [], 0
    for match in _MARKED.finditer(text):
        out += [writer.text(text[at : match.start()]), _marked(match, writer)]
        at = match.end()
    return "".join([*out, writer.text(text[at:])])


def _marked(found: re.Match[str], writer: Writer) -> str:
    match str(found.lastgroup):
        case "display":
            return writer.display(found["display"].strip())
        case "math":
            return writer.math(found["math"])
        case "code":
            return writer.code(found["code"])
        case "link":
            return writer.link(inline(found["linked"], writer), found["link"])
        case "bold":
            return writer.bold(inline(found["bold"], writer))
        case _:
            return writer.emphasis(inline(found["emphasis"], writer))
