"""Granularities of one's own that say two things: other neighbours by edits or blocks than of two databases.

What is proved of infinitely many databases is proved by edits and blocks, so these must say what
`are_neighbours` says.  Small databases show where they do not; those that are built in are tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity

MOST = 100
"""How many databases are compared with each other at most."""
FEW = 3
"""Of how many records, and of records of how many kinds, or vertices, databases of a large class are."""


def contradiction(granularity: Granularity, databases: DatabaseClass) -> str:
    """Two databases of which a granularity says both that they are neighbours and that they are not, in
    words; "" where there are none among small ones.
    """
    for single in _single(granularity):
        if not single.is_known(BUILT_IN) and (contradicts := _between(single, databases)):
            return contradicts
    return ""


def _single(granularity: Granularity) -> Iterator[Granularity]:
    """The granularities that one is made of in the end."""
    if granularity.made_of:
        for part in granularity.made_of:
            yield from _single(part)
    else:
        yield granularity


@lru_cache(maxsize=256)
def _between(granularity: Granularity, databases: DatabaseClass) -> str:
    """The same of a granularity that is made of no other."""
    few = _smaller(databases)
    elements = list(islice(few.databases(), MOST))
    by = {"edits": _by_edits, "blocks": _by_blocks}
    for word, says in by.items():
        for D in elements:
            for E in elements:
                answer = says(granularity, few, D, E)
                if answer is None:
                    break
                if answer != _asked(granularity, few, D, E):
                    sure = ("neighbours", "they are not") if answer else ("no neighbours", "they are")
                    own = "relates" if _has_own_relation(granularity) else "are_neighbours"
                    return (
                        f"the granularity {granularity} contradicts itself: by {word} {few.printed(D)} and "
                        f"{few.printed(E)} are {sure[0]}, by {own} {sure[1]}"
                    )
    return ""


def _smaller(databases: DatabaseClass) -> DatabaseClass:
    """The class, or one of a few records where it is large."""
    count = databases.count()
    return databases if count is not None and count <= MOST else databases.reduced(FEW)


def _has_own_relation(granularity: Granularity) -> bool:
    return type(granularity).relates is not Granularity.relates


def _asked(granularity: Granularity, databases: DatabaseClass, D: Database, E: Database) -> bool:
    """What the granularity says of two databases."""
    if _has_own_relation(granularity):
        return bool(granularity.relates(D, E, databases))
    return D != E and bool(granularity.are_neighbours(D, E))


def _by_edits(granularity: Granularity, databases: DatabaseClass, D: Database, E: Database) -> bool | None:
    """What its edits say of them; None where it has none."""
    if granularity.edits(databases) is None:
        return None
    return Granularity.relates(granularity, D, E, databases)


def _by_blocks(granularity: Granularity, databases: DatabaseClass, D: Database, E: Database) -> bool | None:
    """What its blocks say of them; None where it has none."""
    shape = databases.shape_of(D)
    blocks = None if shape is None else granularity.blocks(shape)
    if shape is None or blocks is None:
        return None
    return D != E and E in shape and 0 < blocks.fewest(shape.differing(D, E)) <= blocks.most
