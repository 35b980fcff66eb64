"""Neighbouring pairs by edit types: one pair stands for all of its type.

An edit of multisets removes some records and adds others, an edit of tuples changes some
positions.  Its type is which maps read each of these records or positions.  How far each
restriction moves, and whether it moves at all, is a function of the type where distances
depend on counts of differences only; so one pair of databases a type decides the whole
class, however large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpcompose.kernel.covers.blocks import of_single_cells
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy.elaboration.records import Records
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity

Pair = tuple[Database, Database]

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
    setting: Setting,
    granularity: Granularity,
    known: Sequence[object] = (),
    only_whether: bool = False,
    theory: Theory | None = None,
) -> Types:
    """A smallest pair (D, E) of neighbours for each edit type, D at least as large as E.

    known -- for each mechanism what tells it from others, if any is like it; only_whether -- all that matters
    is whether what is read differs, not how far.

    >>> import dpcompose as dpc
    >>> M = dpc.mechanism("M", dpc.pure("e", dpc.bounded, "common"), reads=dpc.restriction(["a"]))
    >>> pairs(dpc.compose(M, on=dpc.multisets("abc"), target=dpc.bounded).setting, dpc.bounded).pairs
    ((('a',), ('b',)), (('b',), ('c',)))
    """
    databases = setting.databases
    edits = granularity.edits(databases)
    assert edits is not None
    try:
        if databases.identified:
            maps = [mechanism.reads for mechanism in setting.mechanisms]
            found = list(_of_tuples(databases, edits.within(databases), maps))
        else:
            found = list(Records(setting).pairs(granularity, known, only_whether, theory or Theory({})))
    except NoCover as error:
        raise TooLarge(str(error)) from None
    growing = not databases.identified and edits.single is None and databases.sizes.n is None
    return Types(tuple(sorted(found, key=_order)), growing)


def _order(pair: Pair) -> tuple[int, Pair]:
    D, E = pair
    assert isinstance(D, tuple) and isinstance(E, tuple)
    return len(D) + len(E), pair


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
    readers: dict[int, tuple[int, ...]] = dict.fromkeys(range(1, n + 1), ())
    for i, f in enumerate(maps):
        readers |= {position: (*readers[position], i) for position in f.positions}
    for changed in of_single_cells(readers, most, readers, LARGEST * most // max(n, 1)):
        yield (here,) * n, tuple(there if reader in changed else here for reader in readers)
