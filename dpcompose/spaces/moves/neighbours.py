"""Neighbours as a granularity lists them, database by database, and what refuses a relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from dpcompose.spaces.arrays.numberings import Numbering
from dpcompose.spaces.arrays.sizes import progress
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.moves.granularities import Granularity, NotSymmetric

if TYPE_CHECKING:
    from dpcompose.spaces.arrays.layouts import Layout

Pair = tuple[Database, Database]
LARGEST_PREDICATE_CLASS = 3_000
"""The most databases for which a predicate is asked about every pair."""


class _Index(dict[Any, int]):
    """The number of a database; −1 where it is none of the class."""

    def __missing__(self, D: object) -> int:
        return -1


def step_of(granularity: Granularity, databases: DatabaseClass) -> Callable[[Database], Iterable[Database]]:
    """D ↦ databases, among which its neighbours in the class are; others do not count."""
    return granularity.edit_function or (lambda D: granularity.neighbours(D, databases))


def by_steps(numbering: Numbering, granularity: Granularity) -> Layout:
    """The graph of a granularity whose neighbours are listed database by database.

    Raises NotSymmetric with a pair where the relation holds in one direction only.
    """
    from array import array

    import numpy

    from dpcompose.spaces.arrays.layouts import StoredLayout

    step, elements = step_of(granularity, numbering.databases), numbering.elements
    number = _Index(zip(elements, range(len(elements)), strict=True)).__getitem__
    numbers, widths = array("q"), array("q")
    for D in progress(elements, len(elements), f"{granularity} neighbours"):
        before = len(numbers)
        numbers.extend(map(number, step(D)))
        widths.append(len(numbers) - before)
    second = numpy.frombuffer(numbers, numpy.int64) if numbers else numpy.zeros(0, numpy.int64)
    first = numpy.repeat(numpy.arange(len(elements)), numpy.frombuffer(widths, numpy.int64))
    shift = max(1, (len(elements) - 1).bit_length())

    def keys(chosen: Any, low: Any, high: Any) -> Any:
        made = (low[chosen] << shift) | high[chosen]
        made.sort()
        return made[numpy.concatenate([[True], made[1:] != made[:-1]])] if len(made) else made

    forth = keys(first < second, first, second)
    back = keys((second < first) & (second >= 0), second, first)
    if not numpy.array_equal(forth, back):
        one_way = numpy.setxor1d(forth, back, assume_unique=True)
        key = int(one_way[0])
        D, E = elements[key >> shift], elements[key & ((1 << shift) - 1)]
        if key not in set(forth.tolist()):
            D, E = E, D
        raise not_symmetric(granularity, numbering.databases, D, E)
    narrow = numpy.int32 if len(elements) < 2**31 else numpy.int64
    return StoredLayout(
        len(elements), (forth >> shift).astype(narrow), (forth & ((1 << shift) - 1)).astype(narrow)
    )


def not_symmetric(
    granularity: Granularity, databases: DatabaseClass, D: Database, E: Database
) -> NotSymmetric:
    """The error for a relation that leads from D to E and not back."""
    return NotSymmetric(
        f"the granularity {granularity} is not symmetric: {databases.show(E)} is a neighbour of "
        f"{databases.show(D)}, but {databases.show(D)} is none of {databases.show(E)}"
    )


def refuse_predicate(databases: DatabaseClass, granularity: Granularity) -> None:
    """Raises TooLarge where a predicate had to be asked about too many pairs."""
    count = databases.count() or 0
    if granularity.by_asking and count > LARGEST_PREDICATE_CLASS:
        raise TooLarge(
            f"{databases}: {count:,} databases, and the granularity {granularity} must be asked "
            f"about every pair; that is done for up to {LARGEST_PREDICATE_CLASS:,} databases. An edit "
            "function (dpcompose.steps) instead of a predicate would do"
        )


def by_pairs(numbering: Numbering, granularity: Granularity) -> Layout:
    """The graph of a granularity whose neighbouring pairs are listed."""
    import numpy

    from dpcompose.spaces.arrays.layouts import StoredLayout

    pairs = check_pairs(numbering.databases, granularity)
    ends = [(numbering.number(D), numbering.number(E)) for D, E in pairs]
    edges = numpy.array(ends, numpy.int32).reshape(-1, 2)
    return StoredLayout(numbering.nodes, edges[:, 0].copy(), edges[:, 1].copy())


def check_pairs(databases: DatabaseClass, granularity: Granularity) -> list[Pair]:
    """The listed pairs in order.  Raises ValueError where one is of something else than two databases."""
    listed = granularity.neighbour_pairs or frozenset()
    for D, E in listed:
        for database in (D, E):
            if database not in databases:
                raise ValueError(
                    f"the granularity {granularity} names {database!r}, which is no database of the class"
                )
    return sorted(listed, key=str)
