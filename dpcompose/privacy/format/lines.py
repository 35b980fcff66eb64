"""Where a key stands in the text of a problem file, and a message in one line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dpcompose.privacy.format.checks import Place


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def line_of(text: str, path: Place) -> int | None:
    """The line where a key path starts, found by its table headers and keys; None where it is not seen.

    The path is followed as far as the file writes it out: a key inside an inline table is
    found at the line of that table.
    """
    names = [part for part in path if isinstance(part, str)]
    counts = {names[0]: next((part for part in path[1:2] if isinstance(part, int)), 0)} if names else {}
    best: int | None = None
    header: list[str] = []
    seen = -1
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if match := re.match(r"\[\[?([^\[\]]+)\]\]?\s*(#.*)?$", stripped):
            header = [part.strip().strip('"') for part in match[1].split(".")]
            if stripped.startswith("[[") and names and header == names[:1]:
                seen += 1
            inside = _inside(header, names, seen, counts, stripped)
            if inside:
                best = number
        elif header and _inside(header, names, seen, counts, stripped) and len(names) > len(header):
            if re.match(rf'"?{re.escape(names[len(header)])}"?\s*[=.]', stripped):
                return number
        elif not header and names and re.match(rf'"?{re.escape(names[0])}"?\s*[=.]', stripped):
            return number
    return best


def _inside(header: list[str], names: list[str], seen: int, counts: Mapping[str, int], line: str) -> bool:
    if not names or header != names[: len(header)]:
        return False
    return seen < 0 or header[0] not in ("mechanisms", "claims") or seen == counts.get(header[0], 0)
