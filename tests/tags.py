"""HTML as a test reads it: its tags, which close in order, and its text."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"br"}


class Tags(HTMLParser):
    """The tags of a text, which must close in order, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.seen: list[str] = []
        self.text, self.html = "", text
        self.feed(text)
        self.close()
        assert self.opened == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
