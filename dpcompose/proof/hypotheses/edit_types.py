"""Neighbouring pairs by edit types: one pair stands for all of its type.

An edit of multisets removes some records and adds others, an edit of tuples changes some
positions.  Its type is which maps read each of these records or positions.  How far each
restriction moves, and whether it moves at all, is a function of the type where distances
depend on counts of differences only; so one pair of databases a type decides the whole
class, however large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from math import comb

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.edits import Edits

Pair = tuple[Database, Database]
Written = tuple[tuple[str, ...], tuple[str, ...]]

MANY = 24
"""How many maps have to be alike for a few to be looked at in place of all."""

LARGEST = 2_000_000
"""The most records in all the pairs of databases that are written down."""


@frozen
class Types:
    """A pair of databases for each type of edit.

    growing -- whether D and E with all records taken N times are neighbours for every N as well, and
    for N → ∞ they move every map as far as any neighbours do; there is one pair then.
    """

    pairs: tuple[Pair, ...]
    growing: bool = False


def apply_to(databases: DatabaseClass, maps: Sequence[Map]) -> bool:
    """Whether every map reads records or positions one by one, by membership: the lemma's premise."""
    if databases.twice or databases.aligned:
        return all(f.is_everything or f.restricts for f in maps)
    return databases.identified and all(f.is_everything or f.keeps_positions for f in maps)


def decide(databases: DatabaseClass, edits: Edits) -> bool:
    """Whether one pair a type stands for all neighbours: on sequences if these have room for all edits."""
    if not databases.aligned or databases.sizes.n is None:
        return True
    return edits.single is not None and (databases.sizes.exactly or edits.most <= databases.sizes.n)


def pairs(
    databases: DatabaseClass,
    edits: Edits,
    maps: Sequence[Map],
    only_whether: bool = False,
    alike: Sequence[object] = (),
) -> Types:
    """A smallest pair (D, E) of neighbours for each edit type, D at least as large as E.

    only_whether -- all that matters is whether what a map reads differs, not how far; alike -- for each map
    what tells it from others, if anything does: of many that nothing tells apart, each with records of its
    own, as many are looked at as an edit can touch.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> from dpcompose.spaces.inputs.restrictions import restriction
    >>> pairs(multisets({"a", "b", "c"}), Edits(frozenset({(1, 1)})), [restriction(["a"])]).pairs
    ((('a',), ('b',)), (('b',), ('c',)))
    """
    if databases.identified:
        found = Types(tuple(_of_tuples(databases, edits.within(databases), maps)))
    else:
        found = _of_multisets(databases, edits.within(databases), maps, only_whether, alike)
    return Types(tuple(sorted(found.pairs, key=_order)), found.growing)


def _order(pair: Pair) -> tuple[int, Pair]:
    D, E = pair
    assert isinstance(D, tuple) and isinstance(E, tuple)
    return len(D) + len(E), pair


# multisets


def _of_multisets(
    databases: DatabaseClass,
    edits: Edits,
    maps: Sequence[Map],
    only_whether: bool,
    alike: Sequence[object],
) -> Types:
    by_readers = _records_by_membership(databases, maps)
    kinds = list(by_readers.values())
    n = databases.sizes.n
    if edits.single is None and n is not None:
        short = n <= LARGEST or not databases.sizes.exactly
        all_changed = _that_changes_all(databases, kinds) if only_whether and short else None
        if all_changed is not None:
            return Types((all_changed,))
        if (n * n if databases.sizes.exactly else n * n * (n + 1) // 2) > LARGEST:  # fewer records do not do
            raise TooLarge(
                f"any two databases of up to {n:,} records differ in too many ways to write down; a smaller "
                "size limit would do, or none"
            )
    differences = edits.differences(databases)
    if differences is None:
        return Types((_databases(databases, (), tuple(kind[0] for kind in kinds)),), growing=True)
    if alike and edits.single is not None:
        kinds = _first_of_alike(by_readers, alike, max((a + b for a, b in differences), default=0))
    length = max(1, databases.sizes.filled(0, 0))
    written = sum(
        comb(len(kinds) + removed - 1, removed) * comb(len(kinds) + added - 1, added) * max(length, removed)
        for removed, added in differences
    )
    if written > LARGEST:
        raise TooLarge(
            f"{len(kinds):,} kinds of records in databases of {max(map(max, differences), default=0):,} to "
            f"{length:,} records are too many to write down for each type of edit; a smaller exact size, "
            "smaller groups, or fewer record sets, would do"
        )
    found: list[Pair] = []
    for removed, added in sorted(differences):
        if removed >= added:
            for left, right in _changes(kinds, removed, added):
                found.append(_databases(databases, left, right))
    return Types(tuple(found))


def _that_changes_all(databases: DatabaseClass, kinds: list[tuple[str, ...]]) -> Pair | None:
    """A pair whose difference holds every kind of record: all that can change does; None if too large."""
    records = [kind[0] for kind in kinds]
    if not databases.sizes.exactly:
        fits = databases.sizes.allows_difference(len(records), 0)
        return _databases(databases, tuple(records), ()) if fits else None
    if len(kinds) == 1:
        left, right = kinds[0][:1], kinds[0][1:]
    else:
        half = (len(records) + 1) // 2
        left, right = tuple(records[:half]), tuple(records[half:])
        right += right[:1] * (len(left) - len(right))
    if len(left) != len(right) or len(left) > (databases.sizes.n or 0):
        return None
    return _databases(databases, left, right)


def _records_by_membership(
    databases: DatabaseClass, maps: Sequence[Map]
) -> dict[tuple[int, ...], tuple[str, ...]]:
    """For each set of maps that read the same records: one such record, or two where there are more."""
    readers: dict[str, list[int]] = {}
    for n, f in enumerate(maps):
        for record in f.inside if f.restricts else ():
            readers.setdefault(record, []).append(n)
    kinds: dict[tuple[int, ...], list[str]] = {}
    for record in (*databases.records, *databases.spare):
        kinds.setdefault(tuple(readers.get(record, ())), []).append(record)
    return {some: tuple(records[:2]) for some, records in kinds.items()}


def _first_of_alike(
    kinds: Mapping[tuple[int, ...], tuple[str, ...]], alike: Sequence[object], most: int
) -> list[tuple[str, ...]]:
    """The records without those of further maps that nothing tells from as many as an edit can touch."""
    often = Counter(n for some in kinds for n in some)
    found: dict[object, list[tuple[str, ...]]] = {}
    for some, records in kinds.items():
        alone = len(some) == 1 and often[some[0]] == 1
        told = (alike[some[0]], len(records)) if alone and alike[some[0]] is not None else some
        found.setdefault(told, []).append(records)
    return [
        one for records in found.values() for one in (records[:most] if len(records) >= MANY else records)
    ]


def _changes(
    kinds: list[tuple[str, ...]], removed: int, added: int
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Which records are removed and added: kinds with multiplicity, no record both."""
    numbers = range(len(kinds))
    for left in combinations_with_replacement(numbers, removed):
        for right in combinations_with_replacement(numbers, added):
            if removed == added and right < left:
                continue
            if all(len(kinds[i]) > 1 for i in set(left) & set(right)):
                taken = set(left)
                yield (
                    tuple(kinds[i][0] for i in left),
                    tuple(kinds[i][1 if i in taken else 0] for i in right),
                )


def _databases(databases: DatabaseClass, left: tuple[str, ...], right: tuple[str, ...]) -> Written:
    """The smallest databases that differ by taking the left records away and putting the right ones in."""
    same = (left or right)[:1] * databases.sizes.filled(len(left), len(right))
    return tuple(sorted((*left, *same))), tuple(sorted((*right, *same)))


# tuples


def _of_tuples(databases: DatabaseClass, edits: Edits, maps: Sequence[Map]) -> Iterator[Pair]:
    """Pairs that change as many positions as neighbours may: distances do not fall with more changes."""
    here, *others = (*databases.records, *databases.spare)
    there = others[0] if others else ""
    n = databases.sizes.n
    if edits.single is None and not databases.sizes.exactly:
        if n != 0:  # any two, of any length: what is read has different lengths
            least = databases.sizes.least
            yield (here,) * (least + 1), (here,) * least
        return
    if not databases.edit_allowed((1,)) or not (edits.single is None or edits.single):
        return
    if not databases.sizes.exactly:  # everything is read
        length = edits.most if n is None else min(n, edits.most)
        same = (here,) * databases.sizes.filled(length, length)
        yield (here,) * length + same, (there,) * length + same
        return
    assert n is not None
    most = n if edits.single is None else min(n, edits.most)
    if n > LARGEST:
        raise TooLarge(f"tuples of length {n:,} are too long to write down; shorter ones would do")
    kinds = _positions_by_membership(n, maps)
    if comb(len(kinds) + most - 1, most) * n > LARGEST:
        raise TooLarge(
            f"{most:,} positions of {len(kinds):,} kinds in tuples of length {n:,} can change in too many "
            "ways; smaller groups, or fewer sets of positions, would do"
        )
    for changed in combinations_with_replacement(range(len(kinds)), most):
        times = Counter(changed)
        if all(count <= len(kinds[i]) for i, count in times.items()):
            at = {position for i, count in times.items() for position in kinds[i][:count]}
            yield (here,) * n, tuple(there if position in at else here for position in range(1, n + 1))


def _positions_by_membership(n: int, maps: Sequence[Map]) -> list[list[int]]:
    """The positions 1, …, n by the set of maps that read them."""
    readers: dict[int, list[int]] = {}
    for i, f in enumerate(maps):
        for position in f.positions:
            readers.setdefault(position, []).append(i)
    kinds: dict[tuple[int, ...], list[int]] = {}
    for position in range(1, n + 1):
        kinds.setdefault(tuple(readers.get(position, ())), []).append(position)
    return list(kinds.values())
