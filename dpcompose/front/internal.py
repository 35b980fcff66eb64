"""What is said of an error that is the package's own: which, and where, for a report."""

from __future__ import annotations

import traceback
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
LONGEST = 300
"""How many characters of an error's own words are shown."""


def words(error: Exception) -> str:
    """One line: the error, its first words, and the last place in the package that it came through.

    >>> words(MemoryError())
    'internal error, please report: MemoryError'
    >>> words(KeyError("no such key"))
    "internal error, please report: KeyError: 'no such key'"
    """
    said = " ".join(str(error).split())
    said = said if len(said) <= LONGEST else f"{said[:LONGEST]}..."
    named = type(error).__name__ + (f": {said}" if said else "")
    return f"internal error, please report: {named}{_place(error)}"


def _place(error: Exception) -> str:
    """Where in the package: the file and line that were last asked, without the reader's own folders."""
    within = [
        (Path(frame.f_code.co_filename), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if PACKAGE in Path(frame.f_code.co_filename).parents
    ]
    if not within:
        return ""
    path, line = within[-1]
    return f" ({path.relative_to(PACKAGE.parent).as_posix()}, line {line})"
