"""Neighbouring pairs by blocks of cells: one pair for each largest set of cells that neighbours change.

Where databases are products of cells, every map keeps some of them, and distances do not fall when more
cells differ, then the neighbours that differ in all cells of a block move every input the furthest.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from dpcompose.privacy.elaboration.cells import moves
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.blocks import differing_in
from dpcompose.spaces.moves.granularities import Granularity

Pair = tuple[Database, Database]

LARGEST = 2_000_000
"""The most cells in all the pairs of databases that are written down."""


def shape(
    databases: DatabaseClass, granularity: Granularity, maps: Sequence[Map], stated: Sequence[Granularity]
) -> DatabaseClass | None:
    """The product whose neighbours stand for all of the class; None where the lemma says nothing of them.

    stated -- what distances are by blocks of; where lengths differ, there must be room for as many target
    blocks as a neighbour may change, so far apart that no stated block meets two of them.
    """
    single, m = granularity.innermost()
    length = 0
    if databases.cells is None:
        reaches = [one.innermost()[0].reach for one in (single, *stated)]
        if None in reaches:
            return None
        apart = max((reach for reach in reaches[1:] if reach is not None), default=0) if m > 1 else 0
        length = m * ((single.reach or 0) + apart)
    database_class = databases.largest_shape(length)
    if (
        database_class is None
        or granularity.blocks(database_class) is None
        or any(f.kept(database_class) is None for f in maps)
    ):
        return None
    return database_class


def pairs(product: DatabaseClass, granularity: Granularity) -> tuple[Pair, ...]:
    """For each largest set of cells that neighbours differ in, a pair (D, E) that differs in all of them.

    >>> from dpcompose.spaces.moves.built_in import node
    >>> from dpcompose.spaces.classes.vertices import graphs
    >>> pairs(graphs(3), node)[0]
    (((1, 2), (1, 3)), ())
    """
    blocks = granularity.blocks(product)
    assert blocks is not None
    least = product.size(product.blank())
    if len(blocks.sets) * least > LARGEST or sum(map(len, blocks.sets)) > LARGEST:
        raise TooLarge(
            f"{len(blocks.sets):,} kinds of {granularity} neighbours, in databases of {least:,} records, are "
            f"more than the {LARGEST:,} records in all that are written down; databases of "
            f"{isqrt(LARGEST):,} would do"
        )
    found = [differing_in(product, changed) for changed in blocks.unions()]
    oriented = [(E, D) if product.size(E) > product.size(D) else (D, E) for D, E in found]
    return tuple(sorted(oriented, key=lambda pair: (product.size(pair[0]), str(pair))))


def furthest(product: DatabaseClass, granularity: Granularity, f: Map, stated: Granularity) -> Pair:
    """Neighbours between which f moves the furthest, in steps of a granularity by blocks."""
    numbers = moves(product, granularity, f, stated)
    cells, _ = max(numbers.items(), key=lambda one: (one[1], sorted(map(str, one[0]))))
    return differing_in(product, cells)
