"""Points in coordinates, databases of several parts, and metrics on them that need not be canonical.

A database is a point of ℝ^m (in a box, or in a disc of the plane), a database of records, or one of
each of several parts.  How far two of them are apart is a formula in the coordinates of both, or in
how many records differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.tuples import Tuples
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.moves.granularities import Granularity


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Points:
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

    def __str__(self) -> str:
        inside = ", ".join(
            f"{name} {'in ' if str(one) != 'real' else ''}{one}"
            for name, one in zip(self.coordinates, self.box, strict=True)
        )
        names = ", ".join(self.coordinates)
        if self.disc is not None:
            return f"all points ({names}) in a disc of diameter {to_text(self.disc)}"
        return f"all points ({names}), {inside}"


@dataclass(frozen=True)
class Enumerated:
    """A finite class of databases of any kind, which are gone through one by one.

    >>> from dpcompose.spaces.classes.listed import listed
    >>> Enumerated(listed(["a", "b"])).elements
    ('a', 'b')
    """

    of: DatabaseClass

    @cached_property
    def elements(self) -> tuple[Database, ...]:
        """The databases, in their order."""
        return tuple(self.of.databases())

    def __str__(self) -> str:
        return str(self.of)


MOST_ENUMERATED = 300
"""Of how many databases all pairs are gone through."""


@dataclass(frozen=True)
class Unlisted:
    """A class of which no two databases are looked at: metrics on it are letters, of any values."""

    of: DatabaseClass

    def __str__(self) -> str:
        return str(self.of)


Part = Points | Multisets | Tuples | Enumerated | Unlisted


def part_of(databases: DatabaseClass) -> Part:
    """A class of databases as a part: gone through, or of records of which any number may differ, or neither.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> print(part_of(multisets({"a"}, "<= 1")))
    all multisets of size <= 1 over {a}
    """
    if databases.parameters:
        return Unlisted(databases)
    count = databases.count()
    if count is not None and count <= MOST_ENUMERATED:
        return Enumerated(databases)
    if isinstance(databases, Multisets) or (isinstance(databases, Tuples) and databases.sizes.exactly):
        return databases
    return Unlisted(databases)


def class_of(part: Multisets | Tuples | Enumerated | Unlisted) -> DatabaseClass:
    """The class of databases that is a part.

    >>> from dpcompose.spaces.classes.listed import listed
    >>> class_of(part_of(listed(["a", "b"]))) == listed(["a", "b"])
    True
    """
    return part.of if isinstance(part, Enumerated | Unlisted) else part


@dataclass(frozen=True)
class Product:
    """The databases that have one database of each part, independently of each other.

    parts -- (name, class) pairs; of a single part the name may be "".
    """

    parts: tuple[tuple[str, Part], ...]

    def __getitem__(self, name: str) -> Part:
        return dict(self.parts)[name]

    @property
    def points(self) -> Iterator[tuple[str, Points]]:
        """The parts that are points."""
        return ((name, part) for name, part in self.parts if isinstance(part, Points))

    @property
    def enumerated(self) -> Iterator[tuple[str, Enumerated]]:
        """The parts that are gone through."""
        return ((name, part) for name, part in self.parts if isinstance(part, Enumerated))

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """All coordinates, each with the interval that it lies in."""
        return {
            name: interval
            for _, part in self.points
            for name, interval in zip(part.coordinates, part.box, strict=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Norm:
    """‖f(D) − f(E)‖ in the norm L1, L2 or Linf.

    over -- closed over the fibres of a map that reads these coordinates.
    """

    word: str
    of: Values
    over: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Own:
    """A formula of the user's in the coordinates of two points.

    first, second -- the letters that stand for the values at the two, as the formula has them.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    formula: Term
    of: Values

    def between(self, one: str, two: str) -> Term:
        """The distance of two of the databases D, E, F."""
        values = dict(zip(self.first, self.of.of(one), strict=True))
        return substitution.substituted(
            self.formula, values | dict(zip(self.second, self.of.of(two), strict=True))
        )


def is_sum_of_squares(term: Term) -> bool:
    """Whether a term is written as a sum of squares, so that it is seen to be ≥ 0."""
    return all(
        one.split[0] >= 0 and all(factor.base_and_exponent[1].number == 2 for factor in one.split[1].factors)
        for one in term.summands
    )


@dataclass(frozen=True)
class AnyTwo:
    """1 where what is compared differs, else 0: the canonical metric where any two are neighbours."""

    of: Values


@dataclass(frozen=True)
class Steps:
    """The canonical metric of a granularity, of what a map reads of a part.

    domain -- "own": that of the image class; "common": that of the part with each fibre of the map contracted
    to one node, its metric closure over fibres.
    """

    granularity: Granularity
    part: str
    reads: Map = everything
    domain: str = "own"


@dataclass(frozen=True)
class Tabled:
    """A metric on a part that is gone through, by its values: numbers ≥ 0, or ∞ for pairs that have none.

    values -- of unordered pairs of databases; of -- a map: then they are about what it reads;
    reads -- a map over the fibres of which the metric is closed, as on the common domain.
    """

    part: str
    values: Mapping[frozenset[Database], Fraction] = field(hash=False)
    of: Map = everything
    reads: Map = everything

    def between(self, x: Database, y: Database) -> Fraction | None:
        """The value at two of its points; None: ∞."""
        return Fraction(0) if x == y else self.values.get(frozenset((x, y)))


@dataclass(frozen=True)
class Lost:
    """How far rows of a table of probabilities are apart: the largest |ln(p/q)|; ∞ where one alone is 0.

    table -- what it is called; rows -- for each database of a listed class the probabilities of the
    outcomes, each surely positive, or 0.
    """

    part: str
    table: str
    rows: Mapping[Database, tuple[Term, ...]] = field(hash=False)
    outcomes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counted:
    """How far the number of records moves that a map reads of a part: |#f(D) − #f(E)|."""

    part: str
    reads: Map = everything


@dataclass(frozen=True)
class Declared:
    """How far values are apart about which nothing else is known: at most the bound that is declared.

    of -- which values: two such metrics are different ones, also where the same bound is declared of both.
    """

    of: str


@dataclass(frozen=True)
class Made:
    """A formula in other metrics: a weighted sum, a maximum, a minimum with a number, …"""

    formula: Term


@dataclass(frozen=True)
class Apart:
    """0 times a metric: 0 where it is finite, and ∞ where it is ∞.

    A mechanism with ε = 0 always says the same of databases between which there is a path; of others nothing
    is known.
    """

    formula: Term


Distance = Norm | Own | AnyTwo | Steps | Tabled | Lost | Counted | Declared | Made | Apart


@dataclass(frozen=True)
class NamedMetric:
    """A metric on the databases of a product, under the name that formulas have for it.

    at_most -- a formula in other metrics that is declared to be no smaller.
    """

    name: str
    distance: Distance
    at_most: Term | None = None
