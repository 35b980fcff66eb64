"""The classes of databases of problem files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpcompose.privacy.format.checks import Mistakes
from dpcompose.privacy.format.database_tables import DatabasesTable, plain
from dpcompose.privacy.readers.names import Names
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.classes.multisets import Multisets, multisets
from dpcompose.spaces.classes.sequences import Sequences
from dpcompose.spaces.classes.sizes import Size, refuse_letter
from dpcompose.spaces.classes.subsets import Sets, sets
from dpcompose.spaces.classes.tuples import Streams, Tuples, owners_of
from dpcompose.spaces.classes.vertices import graphs
from dpcompose.spaces.inputs.attributed import tables

CLASSES: Mapping[str, type[Multisets] | type[Tuples] | type[Sets] | type[Sequences]] = {
    databases.kind: databases for databases in (Multisets, Sets, Sequences, Tuples, Streams)
}
"""The classes of records, by the word of problem files."""


def databases_of(
    given: DatabasesTable, mistakes: Mistakes, parameters: Names | None = None
) -> DatabaseClass | None:
    """The class of databases that a file describes; None where it cannot be, which is told.

    parameters -- what letters in sizes mean, where there may be some.

    >>> databases_of(DatabasesTable(kind="multisets", records=["a", "b"]), Mistakes())
    all finite multisets over {a, b}
    """
    if (added := mistakes.own.classes.get(given.kind)) is not None:
        return _of_one_s_own(added, given, mistakes)
    with mistakes.telling(("databases",)):
        if given.kind == "listed":
            return Listed(tuple(given.elements or ()))
        if given.kind == "graphs":
            return graphs(given.vertices)
        if given.kind == "tables":
            return tables(given.attributes or {}, given.size)
        size = Size.read(given.size, {} if parameters is None else parameters.symbols)
        if parameters is None:
            refuse_letter(given.kind, size)
        else:
            for name, letter in size.letters.items():
                parameters.adopt(name, letter, ("databases", "size"))
        if given.attributes is not None:
            attributes = {name: plain(values) for name, values in given.attributes.items()}
            made_of = sets if given.kind == "sets" else multisets
            return replace(made_of(attributes=attributes), sizes=size)
        if given.numbers:
            return replace(multisets(plain(given.records)), sizes=size)
        records, arbitrary = tuple(given.named or ()), given.records is None
        owned: dict[str, Any] = {} if given.users is None else {"owners": owners_of(given.users)}
        return CLASSES[given.kind](records, size, arbitrary, **owned)
    return None


def _of_one_s_own(added: DatabaseClass, given: DatabasesTable, mistakes: Mistakes) -> DatabaseClass:
    """A class that was added in Python; all is said there."""
    for name in sorted(given.given - {"kind"}):
        mistakes.wrong(("databases", name), f"{added.kind} are a class of your own, which has no keys")
    return added
