"""Where a key stands in the text of a problem file, and mistakes in lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from dpcompose.privacy.format.checks import Mistake, Place

MOST_LINES = 6
"""How many lines are named in which a mistake is made again."""


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
            inside = _inside(header, names, seen, counts)
            if inside:
                best = number
        elif header and _inside(header, names, seen, counts) and len(names) > len(header):
            if re.match(rf'"?{re.escape(names[len(header)])}"?\s*[=.]', stripped):
                return number
        elif not header and names and re.match(rf'"?{re.escape(names[0])}"?\s*[=.]', stripped):
            return number
    return best


def _inside(header: list[str], names: list[str], seen: int, counts: Mapping[str, int]) -> bool:
    if not names or header != names[: len(header)]:
        return False
    return seen < 0 or header[0] not in ("mechanisms", "claims") or seen == counts.get(header[0], 0)


def told(mistakes: Iterable[Mistake]) -> list[str]:
    """Mistakes as lines, those that are the same at several numbers once, at the first of them.

    >>> some = [Mistake(("mechanisms", n, "domain"), "say which", line=n) for n in (3, 7, 9)]
    >>> told([*some, Mistake(("title",), "is no text")])
    ['mechanisms.4.domain (line 3): say which; the same in 2 more places, lines 7, 9', 'title: is no text']
    """
    alike: dict[tuple[Place, str], list[Mistake]] = {}
    for mistake in mistakes:
        place = tuple(0 if isinstance(part, int) else part for part in mistake.path)
        alike.setdefault((place, mistake.message), []).append(mistake)
    return [_together(first, others) for first, *others in alike.values()]


def _together(first: Mistake, others: Sequence[Mistake]) -> str:
    if not others:
        return str(first)
    lines = [str(mistake.line) for mistake in others if mistake.line]
    shown = ", ".join(lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], "...", lines[-1]])
    places = "1 more place" if len(others) == 1 else f"{len(others)} more places"
    word = "line" if len(lines) == 1 else "lines"
    return f"{first}; the same in {places}{f', {word} {shown}' if lines else ''}"
