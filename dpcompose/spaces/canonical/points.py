"""What is compared of databases that have parts: vectors of real values, or whatever a part holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.products import Interval

MOST_ENUMERATED = 300
"""Of how many databases all pairs are gone through."""


def gone_through(databases: DatabaseClass) -> tuple[Database, ...] | None:
    """The databases, in their order, where they are gone through one by one.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> gone_through(multisets({"a"}, "<= 1"))
    ((), ('a',))
    """
    count = None if databases.parameters else databases.count()
    return tuple(databases.databases()) if count is not None and count <= MOST_ENUMERATED else None


def looked_at(databases: DatabaseClass) -> bool:
    """Whether it is known how two of them differ: if not, metrics on them are letters, of any values."""
    fixed = not databases.identified or databases.sizes.exactly
    counted = databases.queried and fixed and not databases.parameters
    return counted or databases.points is not None or gone_through(databases) is not None


def intervals(databases: DatabaseClass) -> Mapping[str, Interval]:
    """All coordinates of parts that are points, each with the interval that it lies in."""
    points = [part.points for _, part in databases.parts if part.points is not None]
    return {x: box for point in points for x, box in zip(point.coordinates, point.box, strict=True)}


class ByParts:
    """Databases as results show them: by parts, coordinates, or records."""

    @staticmethod
    def show(database: Mapping[str, Any]) -> dict[str, Any]:
        """A database by its parts."""
        return dict(database)

    @staticmethod
    def printed(database: Mapping[str, Any]) -> str:
        """A database as results print it: (x = 1, y = 0, records = {a, a})."""
        return f"({', '.join(f'{name} = {_value(value)}' for name, value in database.items())})"

    @staticmethod
    def beside(D: Mapping[str, Any], E: Mapping[str, Any]) -> list[tuple[str, tuple[str, str]]]:
        """The parts of two databases side by side, by name."""
        return [(name, (_value(value), _value(E[name]))) for name, value in D.items()]


def _value(value: Any) -> str:
    """What a part of a database holds: a number or letter, or records."""
    return value if isinstance(value, str) else f"{{{', '.join(value)}}}"


@frozen
class Values:
    """What is compared of two databases: a vector of real values, or whatever a part holds.

    name -- of a map or of a part, "" for the whole database;
    formulas -- the entries of the vector, in coordinates and parameters; None: it is no vector;
    coordinates -- those that it depends on; parts -- the parts that it is, as a whole: () for a map.
    """

    name: str
    formulas: tuple[Term, ...] | None
    coordinates: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def of(self, database: str) -> tuple[Term, ...]:
        """The vector for one of the databases D, E, F."""
        assert self.formulas is not None
        letters = {name: coordinate(name, database) for name in self.coordinates}
        return tuple(substitution.substituted(value, letters) for value in self.formulas)

    def are_among(self, coordinates: Collection[str]) -> bool:
        """Whether they are some of these coordinates, each once."""
        entries = None if self.formulas is None else list(map(str, self.formulas))
        return entries is not None and len({*entries}) == len(entries) and {*entries} <= {*coordinates}
