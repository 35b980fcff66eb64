"""Reading JSON data: what is wanted at a place, and what is said where something else stands there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.terms import Term

MOST_CELLS = 2_000_000
MOST_KNOWN = 3
T = TypeVar("T")
Known = list[tuple[Any, ...]]
"""What was read last, after what it was read by, from and about."""


class BadSetting(ValueError):
    """The data is no core setting; the message says where."""


class Reader:
    """Reads JSON data; `at` is the path of the keys that led here."""

    def __init__(self, value: Any, at: str, symbols: Mapping[str, Term], known: Known | None = None) -> None:
        self.value, self.at, self.symbols = value, at, symbols
        self.known: Known = [] if known is None else known

    def with_symbols(self, more: Mapping[str, Term]) -> Reader:
        """The same where more letters are known."""
        return Reader(self.value, self.at, {**self.symbols, **more})

    def once(self, read: Callable[..., T], *about: Any) -> T:
        """What this is read as; the same data, with the same letters and about the same, is read once."""
        written = repr(self.value)  # in which true is not 1, as it is for ==
        for reading, text, subject, result in self.known:
            if reading is read and text == written and subject == about:
                return result  # type: ignore[no-any-return]
        made = read(self, *about)
        self.known[:] = [*self.known[-MOST_KNOWN:], (read, written, about, made)]
        return made

    def wrong(self, wanted: str) -> BadSetting:
        return BadSetting(f"{self.at}: {wanted} is wanted")

    def key(self, name: str, default: Any = ...) -> Reader:
        if not isinstance(self.value, dict):
            raise self.wrong("a table")
        if name not in self.value and default is ...:
            raise BadSetting(f"{self.at}: the key {name} is missing")
        return Reader(self.value.get(name, default), f"{self.at}.{name}", self.symbols, self.known)

    def keys(self, known: Sequence[str]) -> None:
        if not isinstance(self.value, dict) or not set(self.value) <= set(known):
            raise self.wrong(f"a table with the keys {', '.join(known)}")

    def items(self) -> list[Reader]:
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        more = self.symbols, self.known
        return [Reader(value, f"{self.at}.{n}", *more) for n, value in enumerate(self.value, start=1)]

    def wholes(self) -> list[int]:
        """A list of whole numbers from 0 on, of which there may be very many."""
        if isinstance(self.value, list) and {*map(type, self.value)} <= {int}:
            least, most = min(self.value, default=0), max(self.value, default=0)
            if least >= 0 and most <= MOST_CELLS:
                return self.value
        return [reader.whole() for reader in self.items()]

    def text(self, *words: str) -> str:
        if not isinstance(self.value, str) or (words and self.value not in words):
            raise self.wrong(" or ".join(words) or "a text")
        return self.value

    def boolean(self) -> bool:
        if type(self.value) is not bool:
            raise self.wrong("true or false")
        return self.value

    def whole(self, least: int = 0, most: int = MOST_CELLS) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            raise self.wrong(f"a whole number from {least} to {most}")
        return self.value

    def formula(self) -> Term:
        try:
            return formulas.parse(self.text(), self.symbols, index="i")
        except FormulaError as error:
            raise BadSetting(f"{self.at}: {error.message}") from None

    def values(self) -> tuple[tuple[str, Term], ...]:
        if not isinstance(self.value, dict):
            raise self.wrong("a table of formulas")
        return tuple((name, self.key(name).formula()) for name in sorted(map(str, self.value)))
