"""The two databases of a counterexample side by side, and what its mechanisms read of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import Any

from dpcompose.front.documents.document import Compared, Record, Records
from dpcompose.proof.counterexamples.refuting import Counterexample
from dpcompose.spaces.canonical.points import ByParts
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map


def compared(example: Counterexample) -> Iterator[Compared]:
    """The databases, and what each mechanism that loses something reads of them; or their parts."""
    databases = example.databases
    if not isinstance(databases, DatabaseClass):
        yield from starmap(Compared, ByParts.beside(*example.pair))
        return
    moving = example.moving
    yield Compared("database", beside(databases, example.pair, [mechanism.reads for mechanism in moving]))
    for n, mechanism in enumerate(moving):
        f, pair = mechanism.reads, tuple(map(mechanism.reads, example.pair))
        part = f.restricts or f.keeps_positions
        image = f.image(databases) if part else databases
        shown = beside(image, pair) if all(x in image for x in pair) else (str(pair[0]), str(pair[1]))
        yield Compared(mechanism.name, shown, " reads", n if part else None)


def beside(
    databases: DatabaseClass, pair: Sequence[Any], readers: Sequence[Map] = ()
) -> tuple[str | Records, str | Records]:
    """Two databases, with the records marked that the other one does not have.

    readers -- maps: a record looks like the first that reads it.
    """
    D, E = pair
    return _database(databases, D, E, readers), _database(databases, E, D, readers)


def _database(databases: DatabaseClass, D: Any, other: Any, readers: Sequence[Map]) -> str | Records:
    shown = databases.show(D)
    if isinstance(shown, str):
        return shown
    records = []
    for at, (record, changed) in enumerate(zip(shown, databases.changed(D, other), strict=True), start=1):
        reader = next((n for n, f in enumerate(readers) if _reads(f, record, at)), None)
        records.append(Record(record, changed, reader))
    return Records(databases.brackets, tuple(records))


def _reads(f: Map, record: str, at: int) -> bool:
    """Whether a map keeps a record, by its value or by its position."""
    return (f.restricts and record in f.inside) or (f.keeps_positions and at in f.positions)
