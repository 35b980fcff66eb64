"""Types of neighbours that were counted outside of the kernel, as a core setting states them.

A class that is finite and large is gone through on arrays when a problem is told; its core setting says what
was found.  The kernel believes it by the name of a page.
"""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.core.reader import Reader
from dpcompose.kernel.expressions.keeping import frozen

MOST_DATABASES = 10**15
MOST_STEPS = 10**15


@frozen
class Counted:
    """Two neighbours, by their numbers, and how far they move what each mechanism reads; None: ∞.

    Where a mechanism adds noise to what only says whether the input differs, 1 says that it does.
    """

    pair: tuple[int, int]
    moves: tuple[int | None, ...]

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {"pair": list(self.pair), "moves": ["oo" if r is None else r for r in self.moves]}


def read(reader: Reader, count: int) -> Counted:
    """A type of neighbours among so many databases.  Raises BadSetting."""
    reader.keys(("pair", "moves"))
    pair = tuple(database.whole(0, count - 1) for database in reader.key("pair").items())
    if len(pair) != 2 or pair[0] == pair[1]:
        raise reader.key("pair").wrong("two different databases")
    return Counted((pair[0], pair[1]), tuple(map(_distance, reader.key("moves").items())))


def _distance(reader: Reader) -> int | None:
    return None if reader.value == "oo" else reader.whole(0, MOST_STEPS)
