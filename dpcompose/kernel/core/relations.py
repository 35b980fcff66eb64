"""What one step in a class is, and what is read of its databases: for each kind of class a reader.

What is read is checked to be there: atoms, cells, values and databases by their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.core import contributions
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.core.reader import Reader
from dpcompose.kernel.core.settings import ANY_SIZE, ANY_TWO, NOTHING, Edge, Relation
from dpcompose.kernel.expressions.terms import Term

EDITS = {(1, 0), (0, 1), (1, 1)}
"""What one step may remove and add: the lemmas on types of edits are about these."""


def relation(reader: Reader, databases: Databases, count: int) -> Relation:
    """A relation on the class, or on `count` values that are read of a listed one."""
    listed, cells = databases.listed, databases.of_cells and databases.letter is None
    any_number = databases.steps_add_up or listed or cells
    more = ((databases.of_multisets, "within"), (any_number, "times"), (listed, "lengths"))
    reader.keys(("single", "steps", *(key for there, key in more if there)))
    if "times" in reader.value:
        return _many_steps(reader, databases, count)
    steps, single = reader.key("steps").whole(1, 10**6), reader.key("single")
    elsewhere = "within" in reader.value and bool(reader.key("within").text(ANY_SIZE))
    if elsewhere and databases.by_edges:
        raise reader.key("within").wrong("nothing for policies, so none")
    if single.value == ANY_TWO and not databases.parts:
        return Relation(ANY_TWO, steps)
    return STEPS[databases.kind](reader, databases, steps, count)


def _many_steps(reader: Reader, databases: Databases, count: int) -> Relation:
    """As many single steps as a letter says."""
    times = reader.key("times").formula()
    if times.kind != "letter" or not is_count(times):
        raise reader.key("times").wrong("a letter for a whole number from 1")
    rest = {key: value for key, value in reader.value.items() if key != "times"}
    single = relation(Reader(rest, reader.at, reader.symbols), databases, count)
    if single.steps != 1 or single.elsewhere or single.any_two:
        raise reader.wrong("single steps inside of the class")
    return replace(single, times=times)


def _edits(reader: Reader, databases: Databases, steps: int, count: int) -> Relation:
    """How many records one step removes, and adds; both ways."""
    pairs = _pairs(reader.key("single"))
    edits = frozenset(pairs) | {(b, a) for a, b in pairs}
    if not edits <= EDITS:
        raise reader.key("single").wrong("pairs of 0 and 1")
    return Relation(tuple(sorted(edits)), steps, "within" in reader.value)


def _edges(reader: Reader, databases: Databases, steps: int, count: int) -> Relation:
    """The edges of a policy."""
    edges = {_edge(entry, databases) for entry in reader.key("single").items()}
    return Relation(tuple(sorted(edges)), steps)


def _edge(reader: Reader, databases: Databases) -> Edge:
    """An edge of a policy: two atoms, or an atom and null; of tuples two atoms of one place."""
    last = len(databases.atoms) - 1
    ends = [NOTHING if end.value is None else end.whole(0, last) for end in reader.items()]
    if len(ends) != 2 or ends == [NOTHING, NOTHING]:
        raise reader.wrong("two atoms, or an atom and null,")
    if databases.places and (NOTHING in ends or len({databases.places[end] for end in ends}) > 1):
        raise reader.wrong("two atoms of one place")
    return min(ends), max(ends)


def _of_rows(reader: Reader, databases: Databases, steps: int, count: int) -> Relation:
    """What one person contributes, or edits of rows."""
    single = reader.key("single")
    if isinstance(single.value, dict):
        return Relation(contributions.read(single), steps)
    return _edits(reader, databases, steps, count)


def _blocks(reader: Reader, databases: Databases, steps: int, count: int) -> Relation:
    """The sets of cells that one step may change."""
    single = reader.key("single")
    blocks = [_below(tuple(block.wholes()), single, count) for block in single.items()]
    return Relation(tuple(frozenset(cells) for cells in blocks if cells), steps)


def _listed(reader: Reader, databases: Databases, steps: int, count: int) -> Relation:
    """Pairs of databases, or of values, one step or a length apart."""
    pairs = _pairs(single := reader.key("single"))
    for pair in pairs:
        _below(pair, single, count)
    between = {tuple(sorted(pair)) for pair in pairs if pair[0] != pair[1]}
    if "lengths" not in reader.value:
        return Relation(tuple(sorted(between)), steps)
    lengths = tuple(length.formula().number for length in reader.key("lengths").items())
    inside = all(length is not None and length >= 0 for length in lengths)
    if steps != 1 or pairs != sorted(between) or len(lengths) != len(pairs) or not inside:
        raise reader.key("lengths").wrong("a number >= 0 for each of some pairs in order, one step apart,")
    return Relation(tuple(sorted(between)), lengths=tuple(length or Fraction(0) for length in lengths))


def _counted(reader: Reader, databases: Databases, steps: int, count: int) -> Relation:
    """Steps of which nothing is told."""
    return Relation(reader.key("single").text(ANY_TWO, "step"), steps)


def _pairs(reader: Reader) -> list[tuple[int, int]]:
    pairs = [tuple(pair.wholes()) for pair in reader.items()]
    if any(len(numbers) != 2 for numbers in pairs):
        raise reader.wrong("pairs of numbers")
    return [(first, second) for first, second in pairs]


def _below(numbers: tuple[int, ...], reader: Reader, count: int) -> tuple[int, ...]:
    if any(not 0 <= number < count for number in numbers):
        raise reader.wrong(f"numbers below {count}")
    return numbers


STEPS: Mapping[str, Callable[[Reader, Databases, int, int], Relation]] = {
    "records": _edits,
    "policies": _edges,
    "contributions": _of_rows,
    "cells": _blocks,
    "listed": _listed,
    "steps": lambda reader, databases, steps, count: Relation(
        reader.key("single").text(ANY_TWO, "step"), steps
    ),
    "arrays": lambda reader, databases, steps, count: Relation(reader.key("single").text(), steps),
    "product": lambda reader, databases, steps, count: Relation(reader.key("single").text(ANY_TWO)),
}
"""By the kind of a class, how one step is read; of listed ones and cells with how many there are."""


# what is read


def reads(reader: Reader, databases: Databases) -> tuple[int, ...] | None:
    """None for everything; else which atoms or cells are read, or the value at each listed database."""
    if reader.value is None:
        return None
    read = READS.get(databases.kind, _within)
    return read(reader, databases, tuple(reader.wholes()))


def _within(reader: Reader, databases: Databases, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Atoms or cells by their numbers: no class has both."""
    within = len(databases.atoms) or databases.count
    if max(numbers, default=-1) >= within:
        raise reader.wrong(f"numbers below {within}")
    return tuple(sorted(set(numbers)))


def _values(reader: Reader, databases: Databases, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """The number of the value at each database of a list."""
    if len(numbers) != databases.count:
        raise reader.wrong(f"a value for each of {databases.count} databases")
    if set(numbers) != set(range(len(set(numbers)))):
        raise reader.wrong("values that are numbered from 0, without gaps,")
    return numbers


def _map(reader: Reader, databases: Databases, numbers: tuple[int, ...]) -> tuple[int, ...]:
    if len(numbers) != 1:
        raise reader.wrong("the number of one map")
    return numbers


def _part(reader: Reader, databases: Databases, numbers: tuple[int, ...]) -> tuple[int, ...]:
    if len(numbers) > 1:
        raise reader.wrong("the number of one part")
    return _within(reader, databases, numbers)


def _nothing(reader: Reader, databases: Databases, numbers: tuple[int, ...]) -> tuple[int, ...]:
    raise reader.wrong("numbers below 0")


READS: Mapping[str, Callable[[Reader, Databases, tuple[int, ...]], tuple[int, ...]]] = {
    "listed": _values,
    "arrays": _map,
    "contributions": _part,
    "steps": _nothing,
}
"""By the kind of a class, how what is read is told; of all others as numbers of atoms or cells."""


def check_reads(
    reader: Reader,
    reads: tuple[tuple[int, ...] | None, ...],
    count: Term | None,
    partition: str,
    databases: Databases,
) -> None:
    """One set is read; or the parts of a partition, by a family with as many members."""
    if (not partition or reader.value.get("dealt")) and len(reads) == 1:
        return
    if databases.of_rows:  # the parts of a family are not written down
        if count is None or not partition or reads != ((),):
            raise reader.key("reads").wrong("one list of parts, or an empty one for a family on a partition,")
        return
    parts = databases.of_atoms or databases.of_cells
    several = count is not None and partition and parts and None not in reads
    if not several or not reads:
        raise reader.key("reads").wrong("one set that is read, or parts of a partition for a family,")
    if count is not None and count.number is not None and count.number < len(reads):
        raise reader.key("reads").wrong("as many parts as there are members, at most,")
