"""How large a question about a finite class is, known before the work starts; and how far the work is.

Times are counted steps by what one takes on one core of a plain machine, to within a factor of about three:
they are there to tell a second from an hour, and are the same whatever else a machine does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import TooLarge

LARGEST_BYTES = 5 * 2**28
"""The most memory that an answer takes, in bytes: with all else that a process holds it stays below 2 GiB."""
LARGEST_SECONDS = 3_600
"""The longest that an answer takes."""

PER_NEIGHBOUR, PER_RECORD, PER_DATABASE = 3_000, 500, 5_000
"""Nanoseconds for one neighbour that a function lists, for each record of it, and for one database that is
listed and ordered."""
SMALLER = {
    "distances": "distances(D) from one database",
    "diameter": "diameter()",
    "profile": "profile(...), which stores no edges",
    "edges": "the arrays of dpcompose.finite(...)",
}
"""Smaller questions, as errors propose them."""


@frozen
class Limits:
    """How much memory, in bytes, and how many seconds one question may take."""

    bytes: int
    seconds: int


IN_A_PROOF = Limits(2**30, 10)
"""The limits of what a derivation asks for by itself; people may ask for more."""

T = TypeVar("T")


def costs(question: str, nodes: int, edges: int, listing: int, by_formula: bool) -> tuple[int, int]:
    """Bytes and nanoseconds of a question about a graph of so many nodes and edges.

    listing -- nanoseconds for all neighbours; by_formula -- whether these are made, and not stored.
    """
    stored = 0 if by_formula else 150 * nodes + 16 * edges
    adjacency = 40 * edges + 16 * nodes
    return {
        "edges": (stored + 8 * edges, listing),
        "profile": (stored + 2**27, listing + 40 * edges),
        "changes": (stored + 2**27 + 400 * nodes, listing + 40 * edges + PER_DATABASE * nodes),
        "image": (stored + 2**27 + 64 * nodes, listing + 40 * edges + 300 * nodes),
        "distances": (stored + adjacency, listing + 150 * edges + 200 * nodes),
        "diameter": (stored + adjacency, listing + 800 * edges + 1_000 * nodes),
        "all pairs": (stored + adjacency + nodes**2, listing + 40 * nodes**2),
        "graph": (stored + 450 * edges + 500 * nodes, listing + 4_000 * edges),
    }[question]


@frozen
class Estimate:
    """What a question about a neighbourhood graph takes.

    question -- in words; nodes, edges -- of the graph, exact or estimated;
    bytes -- memory at the peak, with the answer; nanoseconds -- time; limits -- of both, where they are not
    LARGEST_BYTES and LARGEST_SECONDS.

    >>> Estimate("the edges", 1_028_790, 3_886_540, 8 * 3_886_540, 14 * 3_886_540)
    the edges, 1,028,790 databases with 3,886,540 neighbouring pairs: about 31 MB and less than 1 s
    """

    question: str
    nodes: int
    edges: int
    bytes: int
    nanoseconds: int
    limits: Limits | None = None

    @property
    def seconds(self) -> int:
        """Whole seconds."""
        return self.nanoseconds // 10**9

    @property
    def fits(self) -> bool:
        """Whether it is within the limits."""
        return self.bytes <= self._most.bytes and self.seconds <= self._most.seconds

    @property
    def _most(self) -> Limits:
        return self.limits or Limits(LARGEST_BYTES, LARGEST_SECONDS)

    def refuse(self, smaller: str) -> None:
        """Raises TooLarge where it does not fit, with `smaller`, the question that would do instead."""
        if not self.fits:
            most = self._most
            raise TooLarge(
                f"{self!r}, more than the {memory(most.bytes)} and {duration(most.seconds)} that are "
                f"spent on one question; {smaller} would do"
            )

    def __repr__(self) -> str:
        return (
            f"{self.question}, {number(self.nodes)} databases with {number(self.edges)} "
            f"neighbouring pairs: about {memory(self.bytes)} and {duration(self.seconds)}"
        )


def number(n: int) -> str:
    """A count as messages write it.

    >>> number(12_345), number(10**40)
    ('12,345', 'about 10^40')
    """
    return f"{n:,}" if n < 10**15 else f"about 10^{len(str(n)) - 1}"


def memory(size: int) -> str:
    """Bytes in the largest unit of which there is one.

    >>> memory(31_000_000), memory(10**40)
    ('31 MB', 'about 10^31 GB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{number(size // unit)} {name}"
    return f"{size} bytes"


def duration(seconds: int) -> str:
    """Seconds in the largest unit of which there are two.

    >>> duration(0), duration(90), duration(1_000), duration(10**6)
    ('less than 1 s', '90 s', '16 minutes', '11 days')
    """
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{number(seconds // unit)} {name}"
    return f"{seconds} s" if seconds else "less than 1 s"


FEW = 1_000
"""Up to so many steps there is no bar."""


def progress(steps: Iterable[T], total: int, words: str) -> Iterator[T]:
    """The steps, with a bar in a terminal or notebook once they have taken a second.

    Work that goes through them can be interrupted after each.  Few have no bar, which takes time itself.
    """
    if total <= FEW:
        yield from steps
        return
    import warnings

    from tqdm import tqdm as plain

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the choice between terminal and notebook is a new one
        from tqdm.autonotebook import tqdm
    # A terminal is where somebody sees it; a notebook always is.
    hidden = None if tqdm is plain else False
    yield from tqdm(steps, desc=words, total=total, delay=1, leave=False, disable=hidden)
