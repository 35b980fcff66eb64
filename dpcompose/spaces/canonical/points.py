"""Points in coordinates, and databases of several parts.

A database is a point of ℝ^m (in a box, or in a disc of the plane), a database of records, or one of
each of several parts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.spaces.classes.databases import Database, DatabaseClass


@frozen
class Interval:
    """The real numbers from `least` to `greatest`, formulas in the parameters; None: no end there.

    >>> from dpcompose.kernel.expressions.terms import ZERO
    >>> str(Interval(ZERO, None)), str(Interval())
    ('[0, oo)', 'real')
    """

    least: Term | None = None
    greatest: Term | None = None

    def __str__(self) -> str:
        if self.least is None and self.greatest is None:
            return "real"
        low = "(-oo" if self.least is None else f"[{to_text(self.least)}"
        high = "oo)" if self.greatest is None else f"{to_text(self.greatest)}]"
        return f"{low}, {high}"


class Part:
    """What one part of databases is: a point, or a database of a class.

    of -- the class, where it is none of points.
    """

    of: DatabaseClass | None = None

    @property
    def points(self) -> Points | None:
        """The points that it is; None for a class."""
        return None

    @property
    def elements(self) -> tuple[Database, ...] | None:
        """The databases, in their order, where they are gone through one by one."""
        return None

    @property
    def looked_at(self) -> bool:
        """Whether it is known how two of them differ: if not, metrics on them are letters, of any values."""
        return True

    @property
    def is_listed(self) -> bool:
        """Whether it is given by its databases, which are gone through."""
        return self.of is not None and self.of.is_listed and self.elements is not None

    @property
    def has_records(self) -> bool:
        """Whether its databases are made of records that can be counted."""
        return self.of is not None and self.of.queried


@frozen
class Points(Part):
    """The points of ℝ^m whose coordinates lie in these intervals, or in a disc around the origin.

    coordinates -- m names; box -- m intervals; disc -- for two coordinates the diameter of a disc, a
    formula that is ≥ 0: so ‖x − y‖₂ is at most that.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> print(Points(("x", "y"), (Interval(), Interval()), letter("w")))
    all points (x, y) in a disc of diameter w
    """

    coordinates: tuple[str, ...]
    box: tuple[Interval, ...]
    disc: Term | None = None

    @property
    def points(self) -> Points:
        return self

    def __str__(self) -> str:
        inside = ", ".join(
            f"{name} {'in ' if str(one) != 'real' else ''}{one}"
            for name, one in zip(self.coordinates, self.box, strict=True)
        )
        names = ", ".join(self.coordinates)
        if self.disc is not None:
            return f"all points ({names}) in a disc of diameter {to_text(self.disc)}"
        return f"all points ({names}), {inside}"


MOST_ENUMERATED = 300
"""Of how many databases all pairs are gone through."""


@frozen
class Databases(Part):
    """A class of databases as a part: gone through, or of records of which any number may differ, or neither.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> part = Databases(multisets({"a"}, "<= 1"))
    >>> print(part, part.elements)
    all multisets of size <= 1 over {a} ((), ('a',))
    """

    of: DatabaseClass

    @cached_property
    def elements(self) -> tuple[Database, ...] | None:
        count = None if self.of.parameters else self.of.count()
        few = count is not None and count <= MOST_ENUMERATED
        return tuple(self.of.databases()) if few else None

    @property
    def looked_at(self) -> bool:
        counted = self.of.queried and (not self.of.identified or self.of.sizes.exactly)
        return self.elements is not None or (counted and not self.of.parameters)

    def __str__(self) -> str:
        return str(self.of)


@frozen
class Product:
    """The databases that have one database of each part, independently of each other.

    parts -- (name, class) pairs; of a single part the name may be "".
    """

    parts: tuple[tuple[str, Part], ...]

    def __getitem__(self, name: str) -> Part:
        return dict(self.parts)[name]

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """All coordinates, each with the interval that it lies in."""
        return {
            name: interval
            for _, part in self.parts
            if part.points is not None
            for name, interval in zip(part.points.coordinates, part.points.box, strict=True)
        }

    @staticmethod
    def show(database: Mapping[str, Any]) -> dict[str, Any]:
        """A database by its parts."""
        return dict(database)

    @staticmethod
    def printed(database: Mapping[str, Any]) -> str:
        """A database as results print it: (x = 1, y = 0, records = {a, a})."""
        shown = [
            f"{name} = {value}" if isinstance(value, str) else f"{name} = {{{', '.join(value)}}}"
            for name, value in database.items()
        ]
        return f"({', '.join(shown)})"

    def __str__(self) -> str:
        if len(self.parts) == 1:
            return str(self.parts[0][1])
        return "; ".join(f"{name}: {part}" for name, part in self.parts)


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
