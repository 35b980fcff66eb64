"""The notions that problem files may name: those of the pages that a file is read with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.privacy.format.checks import Check, Mistakes, Place, Word
from dpcompose.privacy.guarantees.notions import FILE_KEYS

Notions = Mapping[str, Sequence[str]]
"""The parameters of each notion that a file may name."""


class NotionWord(Check):
    """A notion: those of the pages that a file is read with are supported."""

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        there = notions_of(mistakes)
        known = tuple(one for one in dict.fromkeys([*FILE_KEYS, *there]) if one in there)
        return Word("notion", known).read(value, path, mistakes)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return Word("notion", tuple(FILE_KEYS)).schema(defs)


def notions_of(mistakes: Mistakes) -> Notions:
    """Those of the pages that a file is read with; else those that the format has by itself."""
    return FILE_KEYS if mistakes.notions is None else mistakes.notions
