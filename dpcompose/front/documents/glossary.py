"""What words mean: by the glossary beside the theorem pages, by granularities, and by the pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from dpcompose.kernel.expressions import naming
from dpcompose.kernel.library.fields import near
from dpcompose.language import synonyms
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.spaces.moves.built_in import BUILT_IN

FILE = "glossary.md"
ENTRY = re.compile(r"\*\*(?P<word>[^*]+)\*\*(?: \((?P<also>[^)]*)\))?: (?P<text>.*)", re.DOTALL)


class UnknownWord(KeyError):
    """A word that nothing is said of; the message names what is near."""

    def __str__(self) -> str:
        return str(self.args[0])


@lru_cache(maxsize=1)
def words() -> Mapping[str, str]:
    """By word what the glossary says, on one line; also by the other names that entries have.

    >>> words()["optimal"] == words()["tight"]
    True
    """
    texts: dict[str, str] = {}
    for paragraph in (registry.folder() / FILE).read_text(encoding="utf-8").split("\n\n"):
        if entry := ENTRY.fullmatch(" ".join(paragraph.split())):
            for word in (entry["word"], *(entry["also"] or "").split(", ")):
                texts.setdefault(word, entry["text"])
    return {word: text for word, text in texts.items() if word}


def explained(word: str, theory: Theory) -> str:
    """What a word means: of the glossary, a granularity, or a theorem page by its id or item.

    Raises UnknownWord with what is near.

    >>> explained("tight", registry.standard())
    'no smaller guarantee holds for all mechanisms that satisfy what is assumed.'
    """
    known = words()
    alike = {_plain(name): name for name in (*known, *BUILT_IN)}
    every = [*BUILT_IN, *known]
    meant = synonyms.meant(word, every) or synonyms.meant(_plain(word), every) or word
    for name in dict.fromkeys((word, meant, alike.get(_plain(word), word))):
        if name in BUILT_IN:
            return _of_docstring(BUILT_IN[name].__doc__ or "")
        if name in known:
            return known[name]
    if (page := theory.meant(word)) is not None:
        return _of_page(page)
    pages = [name for page in theory.pages.values() for name in (page.id, *page.every_item)]
    every = [*known, *BUILT_IN, *synonyms.ELSEWHERE, *pages]
    hint = near(word, every) or "; `dpcompose explain` lists the words"
    raise UnknownWord(f"nothing is said of {word!r}{hint}")


def _plain(word: str) -> str:
    """A word whatever its case, number and brackets, whether it is joined, and with the names of Greek
    letters."""
    joined = "-".join(re.split(r"[\s_,-]+", naming.spelled(re.sub("[()]", "", word.strip().lower()))))
    return re.sub("ies$", "y", joined).removesuffix("s")


def _of_docstring(text: str) -> str:
    """The words of a docstring, without its examples."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return "\n".join(paragraph for paragraph in paragraphs if paragraph and not paragraph.startswith(">>>"))


def _of_page(page: Page) -> str:
    """What a page states: its title, the items that it is, and the words of its first paragraph."""
    items = f" ({', '.join(page.items)})" if page.items else ""
    stated = str(getattr(page.head, "statement", "") or "")
    first = f"{stated[0].upper()}{stated[1:]}.\n" if stated else ""
    return f"{page.title}{items}\n{first}`dpcompose theorems {page.id}` prints the page, with its proof"
