"""Neighbouring pairs by edit types: one pair stands for all of its type.

An edit removes a record a and/or adds another record b.  Its type is which maps read a, which
read b, and whether something is removed and added.  How far each restriction moves, and
whether it moves at all, is a function of the type where distances depend on |x∖y| and |y∖x|
only; so one pair of databases a type decides the whole class, however large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpcompose.spaces.databases import Database, Multisets, TooLarge
from dpcompose.spaces.granularities import Edit
from dpcompose.spaces.maps import Everything, Map, Restriction
from dpcompose.spaces.metrics import edits_within

Pair = tuple[Database, Database]
Written = tuple[tuple[str, ...], tuple[str, ...]]

LARGEST = 2_000_000
"""The most records in all the pairs of databases that are written down."""


def apply_to(maps: Sequence[Map]) -> bool:
    """Whether every map reads records one by one, by membership: the lemma's premise."""
    return all(isinstance(f, Everything | Restriction) for f in maps)


def pairs(databases: Multisets, edits: frozenset[Edit], maps: Sequence[Map]) -> tuple[Pair, ...]:
    """A smallest pair (D, E) of neighbours for each edit type, D at least as large as E.

    >>> from dpcompose.spaces.databases import multisets
    >>> from dpcompose.spaces.maps import restriction
    >>> pairs(multisets({"a", "b", "c"}), frozenset({(1, 1)}), [restriction(["a"])])
    ((('a',), ('b',)), (('b',), ('c',)))
    """
    kinds = _records_by_membership(databases, maps)
    length = databases.sizes.n if databases.sizes.exactly and databases.sizes.n else 1
    if len(kinds) ** 2 * length > LARGEST:
        raise TooLarge(
            f"{len(kinds):,} kinds of records in databases of {length:,} records are too many to write down "
            f"for each type of edit; a smaller exact size, or fewer record sets, would do"
        )
    found: list[Written] = []
    for removed, added in sorted(edits_within(edits, databases)):
        if removed >= added:
            for a, b in _changes(kinds, removed, added):
                found.append(_databases(databases, a, b))
    return tuple(sorted(found, key=lambda pair: (len(pair[0]) + len(pair[1]), pair)))


def _records_by_membership(databases: Multisets, maps: Sequence[Map]) -> list[tuple[str, ...]]:
    """For each set of maps that read the same records: one such record, or two where there are more."""
    kinds: dict[tuple[bool, ...], list[str]] = {}
    read = [f.inside if isinstance(f, Restriction) else None for f in maps]
    for record in (*databases.records, *databases.spare):
        membership = tuple(A is None or record in A for A in read)
        kinds.setdefault(membership, []).append(record)
    return [tuple(records[:2]) for records in kinds.values()]


def _changes(
    kinds: list[tuple[str, ...]], removed: int, added: int
) -> Iterator[tuple[str | None, str | None]]:
    if not added:
        yield from ((kind[0], None) for kind in kinds)
        return
    for i, kind in enumerate(kinds):
        if len(kind) > 1:
            yield kind[0], kind[1]
        for other in kinds[i + 1 :]:
            yield kind[0], other[0]


def _databases(databases: Multisets, a: str | None, b: str | None) -> Written:
    """The smallest databases that differ by taking a away and putting b in."""
    left = () if a is None else (a,)
    right = () if b is None else (b,)
    if databases.sizes.exactly and databases.sizes.n:
        same = (a or b or "",) * (databases.sizes.n - 1)
        left, right = (*left, *same), (*right, *same)
    return tuple(sorted(left)), tuple(sorted(right))
