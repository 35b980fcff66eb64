"""Theorem pages as people cite them: by the items of the sources that they state, and by name."""

from __future__ import annotations

from collections.abc import Mapping

from dpcompose.kernel.library import pages
from dpcompose.language.said import Item


class Page(pages.Page):
    """One page, and what it is called."""

    @staticmethod
    def of(page: pages.Page) -> Page:
        """A page that the kernel has read."""
        return Page(page.head, page.title, page.body, page.sha256, page.path, page.says)

    @property
    def why_believed(self) -> str:
        """Why a page that says otherwise is only believed; "" where it says so itself."""
        said = f"it says {self.says}, which only pages that ship with dpcompose can be"
        return said if self.says else ""

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the sources that the page states."""
        stated = dict.fromkeys([*self.head.items.values(), *self.head.adaptive_items.values()])
        return tuple(map(Item, stated))

    @property
    def every_item(self) -> tuple[Item, ...]:
        """These, and what else a reader finds here: definitions, examples, lemmas of the sources."""
        return (*self.items, *map(Item, self.head.also))

    def cite(self, notion: str, adaptive: bool = False) -> Item:
        """The item a reader would look up, "GB:IV.13"; the page's id where the sources have none.

        adaptive -- whether mechanisms read earlier outputs: some results have another number then, and
        some are stated by the source for independent mechanisms only.
        """
        if adaptive and (item := _of_notion(self.head.adaptive_items, notion)):
            return Item(item)
        item = _of_notion(self.head.items, notion)
        if item and adaptive and self.head.numbers_adaptive_results:
            return Item(item, "adaptive form")
        return Item(item or self.id)

    def name(self, notion: str, adaptive: bool = False) -> str:
        """What people call a named theorem: "Theorem IV.6"; where a notion has its own number, with that."""
        title = str((self.head.adaptive_title if adaptive else "") or self.head.title)
        if adaptive and not self.head.adaptive_items:
            return f"{title} (adaptive form)"
        word, _, number = title.rpartition(" ")
        item = Item(self.head.items.get(notion, ""))
        numbered = (item.source, number) in {(other.source, other.number) for other in self.items}
        return f"{word} {item.number}" if item and numbered and notion != "pure" else title


def _of_notion(items: Mapping[str, str], notion: str) -> str:
    """The item for a notion; "" where there is none."""
    return items.get(notion) or items.get("any") or ""
