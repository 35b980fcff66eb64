"""Sequences of records: their order counts, and positions are no identifiers, since entries come and go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from operator import ne

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Counts, Database
from dpcompose.spaces.classes.records import OrderedRecords, names_of
from dpcompose.spaces.classes.sizes import Size

DELETED: Collection[Counts] = ((1, 0), (0, 1))
"""What a step does that deletes or inserts an entry."""


@frozen(repr=False)
class Sequences(OrderedRecords):
    """All sequences over a record universe; a database is the tuple of its entries.

    records -- the record universe X; where `arbitrary`, X holds these and at least two more;
    sizes -- the length: any, at most n, or exactly n.

    >>> list(Sequences(("a", "b"), Size(1)).databases())
    [(), ('a',), ('b',)]
    """

    kind = "sequences"
    aligned = True
    restrictable = True

    @property
    def not_divided(self) -> str | None:
        return None if self.arbitrary else "sequences over an arbitrary record universe (leave out records)"

    def counts(self, D: Database, E: Database, single: Collection[Counts] = DELETED) -> Counts:
        """(how many entries of D are deleted, how many of E inserted) in the fewest steps from D to E.

        Where entries are replaced as well, both are how many steps there are.

        >>> sequences("abc").counts(("a", "b", "c"), ("b", "a"))
        (2, 1)
        >>> sequences("abc").counts(("a", "b", "c"), ("b", "c", "a"), [(1, 0), (0, 1), (1, 1)])
        (2, 2)
        """
        return aligned(D, E, single)

    def replaced(self, m: int) -> tuple[Database, Database] | None:
        x, *others = (*self.records, *self.spare, "")
        n = self.sizes.n if self.sizes.exactly and self.sizes.n is not None else m
        if m > n or not self.sizes.allows(n) or len(others) < 2:
            return None
        return (x,) * n, (others[0],) * m + (x,) * (n - m)

    def edited(
        self, D: Database, removed: int, added: int
    ) -> Iterator[tuple[str | None, str | None, Database]]:
        assert isinstance(D, tuple)
        if not self.sizes.allows(len(D) - removed + added):
            return
        for at in range(len(D) + 1 - removed):
            x = D[at] if removed else None
            for y in (*self.records, *self.spare) if added else [None]:
                if y is None or y != x:
                    yield x, y, D[:at] + (() if y is None else (y,)) + D[at + removed :]

    def __str__(self) -> str:
        length = {
            "any": "any length",
            "at most": f"length <= {self.sizes.n}",
            "exactly": f"length {self.sizes.n}",
        }
        named = f" that holds {', '.join(self.records)}" if self.records else ""
        over = f"an arbitrary record universe{named}" if self.arbitrary else f"{{{', '.join(self.records)}}}"
        return f"all sequences of {length[self.sizes.kind]} over {over}"


def aligned(D: Database, E: Database, single: Collection[Counts] = DELETED) -> Counts:
    """(|D| − l, |E| − l), l being the length of a longest common subsequence of D and E.

    single -- what one step does: where it replaces an entry, and D and E have one length, or where it may
    delete and insert one too, both numbers are that of the fewest steps.

    >>> aligned(("a", "b", "c"), ("c", "a", "b")), aligned(("a", "b", "c"), ("c", "a", "b"), [(1, 1)])
    ((1, 1), (3, 3))
    """
    if not (isinstance(D, tuple) and isinstance(E, tuple)):
        raise TypeError(f"{D!r} and {E!r} are not both sequences of records")
    if (1, 1) in single and (1, 0) in single:
        return (fewest := _fewest(D, E)), fewest
    if (1, 1) in single and len(D) == len(E):
        return (differing := sum(map(ne, D, E))), differing
    longest = [0] * (len(E) + 1)
    for a in D:
        before = longest
        longest = [0]
        for j, b in enumerate(E):
            longest.append(before[j] + 1 if a == b else max(before[j + 1], longest[j]))
    return len(D) - longest[-1], len(E) - longest[-1]


def _fewest(D: tuple[str, ...], E: tuple[str, ...]) -> int:
    """The fewest entries that are deleted, inserted or replaced from D to E: Levenshtein's distance."""
    steps = list(range(len(E) + 1))
    for i, a in enumerate(D, start=1):
        before, steps = steps, [i]
        for j, b in enumerate(E):
            steps.append(min(before[j] + (a != b), before[j + 1] + 1, steps[j] + 1))
    return steps[-1]


def sequences(records: Iterable[str] | None = None, size: str = "any") -> Sequences:
    """The class of all sequences of `records`, for neighbours that insert, delete or replace one entry.

    An entry has no identifier: where one is inserted, the later ones move on.  Mechanisms read everything, or
    the subsequence of the entries in a record set.

    records -- the record universe; None: an arbitrary one; size -- the length: "any", "<= n" or "= n".

    Raises ValueError for a size that is none.

    >>> import dpcompose as dpc
    >>> words = sequences("ab", "<= 3")
    >>> dpc.canonical_metric(words, dpc.insert_delete)(("a", "b", "a"), ("b", "a", "b"))
    2
    """
    return Sequences(names_of(records), Size.read(size), arbitrary=records is None)
