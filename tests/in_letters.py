"""What is asked of many things, kept as a letter for each: what was refused or said before is refused or said again.

The tables are tests/forged/*.json: by file and place, or by what is asked, the letters in order.  Whoever means to change
what is said writes them anew with `python tests/forged/renew_changed.py`, and reads the difference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from zlib import crc32

from forgeries import FORGED

from dpcompose.kernel.expressions import forms, formulas
from dpcompose.kernel.expressions.polynomials import Form
from dpcompose.kernel.expressions.terms import Term

Table = Mapping[str, Mapping[str, str]]
"""Letters by file and place."""


def read(table: str) -> Any:
    """A table that is kept."""
    return json.loads((FORGED / f"{table}.json").read_text(encoding="utf-8"))


def write(table: str, letters: Table | Mapping[str, str]) -> None:
    """Keeps a table."""
    (FORGED / f"{table}.json").write_text(json.dumps(letters, indent=1) + "\n", encoding="utf-8")


def letter(said: str, before: str | None = None) -> str:
    """A letter from A to Z for a text, mostly another one for others; . where there is none, = for what was said before."""
    if not said:
        return "."
    return "=" if said == before else chr(ord("A") + crc32(said.encode()) % 26)


Asked = Mapping[str, tuple[Callable[[Any], Any], Callable[[], Sequence[Any]]]]
"""What is asked, and of which things."""


def answer(of: Callable[[Any], Any], thing: Any) -> str:
    """What is said of a thing."""
    return said(partial(of, thing))


def answers(asked: Asked) -> dict[str, str]:
    """The letters of all answers, by question."""
    return {
        name: "".join(letter(answer(of, thing)) for thing in things()) for name, (of, things) in asked.items()
    }


def said(ask: Callable[[], Any]) -> str:
    """The answer in words; why there is none, by the kind of the error."""
    try:
        return words(ask())
    except (ValueError, ArithmeticError, LookupError, TypeError) as error:
        return type(error).__name__


def words(answer: Any) -> str:
    """An answer as text: formulas as they are written."""
    match answer:
        case Term():
            return formulas.to_text(answer)
        case Form():
            return formulas.to_text(forms.write(answer))
        case dict():
            return words(sorted(map(words, answer.items())))
        case list() | tuple():
            return f"[{', '.join(map(words, answer))}]"
        case _:
            return str(answer)
