"""Maps f: what a mechanism reads of a database.

A map is a function on databases, one method: `__call__`.  The class also says what its
images form (`image`), which is where a guarantee on the map's own domain lives.  At a database
symbol most maps give an expression: D|{a}, f(D).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.language.shown import Shown
from dpcompose.spaces.classes.attributes import Value
from dpcompose.spaces.classes.databases import Cell, Database, DatabaseClass, Symbolic
from dpcompose.spaces.classes.listed import Listed


class Signs:
    """How what maps read of D is shown: as text."""

    def applied(self, name: str, D: str, index: str = "") -> str:
        """f(D), of a map with a name; f_i(D) with an index."""
        return f"{name}_{index}({D})" if index else f"{name}({D})"

    def restricted(self, D: str, to: Iterable[str]) -> str:
        """D|{a, b}."""
        return f"{D}|{{{', '.join(to)}}}"

    def beside(self, D: str, after: str = "", before: str = "") -> str:
        """D with words or signs beside it: D[1, 2]."""
        return f"{before}{D}{after}"


class Map(Shown, ABC):
    """A function f on the databases of a class."""

    is_everything: ClassVar[bool] = False
    """Whether it reads all of every database, whatever the class."""
    restricts: ClassVar[bool] = False
    """Whether it keeps the records of a set, `inside`, and leaves out all others."""
    keeps_positions: ClassVar[bool] = False
    """Whether it keeps the records at some `positions`, and leaves out all others."""
    divided: ClassVar[bool] = False
    """Whether it is one of any number of maps that are alike, such as the part i of a `partition`."""
    dealt: ClassVar[bool] = False
    """Whether it is random: what a permutation of the records deals to one of some inputs."""
    recodes: ClassVar[bool] = False
    """Whether it replaces each record by what this becomes."""
    reads_vertices: ClassVar[bool] = False
    """Whether it keeps edges at some vertices of graphs."""
    by_values: ClassVar[bool] = False
    """Whether it is given by its values at databases, which are gone through."""
    by_attributes: ClassVar[bool] = False
    """Whether it tells records by their attributes alone."""
    conditions: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    """For some attributes the values that records have which are read, where it reads such records."""
    unsaid: ClassVar[bool] = False
    """Whether problem files say it on listed classes at most."""

    @abstractmethod
    def __call__(self, D: Database) -> Database:
        """f(D)."""

    def values_at(self, some: Sequence[Database]) -> list[Database]:
        """f(D) for each of some databases."""
        return list(map(self, some))

    @abstractmethod
    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """The class that f's values form: the own domain of a mechanism that reads f."""

    def shown(self, D: str, signs: Signs) -> str:
        """f(D) in symbols, D being the letter of the database: these, or `written`, say it."""
        return signs.beside("", self.written(D))

    def written(self, D: str) -> str:
        """The same as text."""
        return self.shown(D, Signs())

    def __repr__(self) -> str:
        return f"the map of D to {self.written('D')}"

    @property
    def called(self) -> str:
        """Its name, where it has one of its own."""
        return ""

    @property
    def record_wise(self) -> bool:
        """Whether it reads records one by one: by membership, by position, or all of them."""
        return self.is_everything or self.restricts or self.keeps_positions or self.divided

    def is_identity(self, databases: DatabaseClass) -> bool:
        """Whether f(D) = D on the whole class."""
        return False

    def neighbours_for(self, granularity: str) -> frozenset[tuple[Database, Database]] | None:
        """The neighbouring images that are listed with the map; None where they follow from the class."""
        return None

    @property
    def lists_neighbours(self) -> bool:
        """Whether neighbouring images are listed with the map, for some granularity."""
        return False

    @property
    def tabulated(self) -> Mapping[Database, Database] | None:
        """Its values, where they are listed."""
        return None

    def undefined(self, databases: DatabaseClass) -> Iterator[Database]:
        """The databases of the class at which it has no value."""
        return iter(())

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        """The cells of a product that the map keeps as they are, and nothing else; None where it does not."""
        return None

    @property
    def passes_groups(self) -> bool:
        """Whether images of databases at most m steps apart are those that are at most m steps apart, in the
        relation of images of neighbours, whatever the neighbours."""
        return False

    @property
    def told(self) -> bool:
        """Whether it is known which records it keeps, whatever the class."""
        return True

    @property
    def inside(self) -> frozenset[str]:
        """The records that a restriction keeps."""
        return frozenset()

    positions: tuple[int, ...] = ()
    """The positions whose records are kept, where it is about positions."""

    def code(self, record: str) -> str:
        """What a record becomes, where it stays in the database."""
        return record

    @property
    def read_through(self) -> frozenset[str]:
        """The records of which the map is a function, where it reads what a restriction leaves."""
        return frozenset()

    def joined_to(self, inner: Map) -> Map | None:
        """The map that this is of what another one reads, where one word says it; None where none does."""
        return None

    # one of any number of maps that are alike

    partition: str = ""
    """The name of the partition, or family, of which it is the part i; "" where it is no such part."""
    parts: str = ""
    """How many parts that has, as a formula."""
    most: Term = ONE
    """In how many of them a record is at most, a number or a letter for one."""

    @property
    def member(self) -> Map:
        """What one member of a family reads, where all read alike."""
        return self

    def dealt_in(self, turns: tuple[int, ...]) -> Map:
        """Of random parts the one that is dealt all records, or none, by how many there are; else itself."""
        return self

    @property
    def dealt_words(self) -> str:
        """Of a random part when that is dealt all records, after its name; else nothing."""
        return ""

    @property
    def few(self) -> int:
        """In how many parts a record is at most; for a letter, a small number that it may be."""
        return 1

    def at(self, point: Mapping[str, Fraction]) -> Map:
        """The same with numbers for letters."""
        return self

    def counted(self, point: Mapping[str, Fraction]) -> Map:
        """The same with a number for how many parts there are."""
        return self

    def dividing(self, kind: str) -> Map:
        """The part of the same number where databases of another kind are divided; else itself."""
        return self

    @property
    def names(self) -> frozenset[object]:
        """The records or vertices that the map names: an arbitrary universe holds them."""
        return frozenset()

    def on(self, databases: DatabaseClass) -> Map:
        """The same map as it reads a class, whose records are known only there."""
        return self

    def unfit(self, databases: DatabaseClass) -> str | None:
        """Why the map cannot read the databases of a class, in words; None where it can."""
        return None

    def data(self) -> str | dict[str, Any]:
        """What is read, as `reads` of a problem file says it."""
        raise ValueError(f"problem files cannot say {self!r}")

    def table(self) -> dict[str, Any]:
        """What problem files say of it by its name, or that of its partition; {} where that is nothing."""
        return {}


class NotAMap(ValueError):
    """A function has several values at one database; the message names it."""


def check_again(name: str, D: Database, value: Database, again: Database) -> None:
    """Raises NotAMap where the value at a database is another one when it is asked for again."""
    if not (value is again or value == again):
        raise NotAMap(
            f"{name} is no map: its value at {D!r} is {value!r}, and {again!r} when it is asked again; "
            "a map depends on the database and on nothing else"
        )


MOST_KNOWN = 200_000
"""Up to how many values of a Python function are kept; others are asked for each time, twice."""


@frozen(repr=False)
class Everything(Map):
    """The identity: the mechanism reads all of D.

    Nothing fails: every class has it.

    >>> everything(("a", "b"))
    ('a', 'b')
    """

    is_everything = True

    def __call__(self, D: Database) -> Database:
        return D

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return databases

    def shown(self, D: str, signs: Signs) -> str:
        return D

    def is_identity(self, databases: DatabaseClass) -> bool:
        return True

    passes_groups = True

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        return None if shape.cells is None else frozenset(shape.cells)

    def data(self) -> str | dict[str, Any]:
        return "everything"


@frozen(repr=False)
class Table(Map):
    """A map given by its values: D ↦ values[D].

    image_neighbours -- for each granularity, by name, the neighbouring pairs of images that
    a guarantee on the own domain is stated for; "" holds for every granularity.  A
    granularity that is not listed: the images of neighbouring databases.

    >>> table("merge", {"a": "x", "b": "x"})("b")
    'x'
    """

    by_values = True
    unsaid = True

    name: str
    values: Mapping[Database, Database]
    image_neighbours: Mapping[str, frozenset[tuple[Database, Database]]]

    @property
    def called(self) -> str:
        return self.name

    @property
    def lists_neighbours(self) -> bool:
        return bool(self.image_neighbours)

    @property
    def tabulated(self) -> Mapping[Database, Database]:
        return self.values

    def undefined(self, databases: DatabaseClass) -> Iterator[Database]:
        return (D for D in databases.databases() if D not in self.values)

    def __call__(self, D: Database) -> Database:
        try:
            return self.values[D]
        except KeyError:
            if isinstance(D, Symbolic):
                return D.read_by(self)
            raise ValueError(f"the map {self.name} has no value for the database {D!r}") from None

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.values.items())))

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return Listed(tuple(dict.fromkeys(self(D) for D in databases.databases())))

    def neighbours_for(self, granularity: str) -> frozenset[tuple[Database, Database]] | None:
        """The neighbouring images that are listed for a granularity; None where they are not listed."""
        return self.image_neighbours.get(granularity, self.image_neighbours.get(""))

    def shown(self, D: str, signs: Signs) -> str:
        return signs.applied(self.name, D)

    def data(self) -> str | dict[str, Any]:
        return {"map": self.name}

    def table(self) -> dict[str, Any]:
        return {"table": {str(D): str(x) for D, x in self.values.items()}}


@frozen(repr=False)
class Function(Map):
    """A map given by a Python function; used on finite classes, where it is called twice a database.

    What it is for a database is then known: a function that says something else the second time is no map.
    """

    by_values = True
    unsaid = True

    name: str
    function: Callable[[Database], Database]
    _known: dict[Database, Database] = field(default_factory=dict, compare=False, repr=False)

    @property
    def called(self) -> str:
        return self.name

    def __call__(self, D: Database) -> Database:
        if isinstance(D, Symbolic):
            return D.read_by(self)
        if D not in self._known:
            value, again = self.function(D), self.function(D)
            check_again(self.name, D, value, again)
            if len(self._known) >= MOST_KNOWN:
                return value
            self._known[D] = value
        return self._known[D]

    def values_at(self, some: Sequence[Database]) -> list[Database]:
        if self._known or len(some) > MOST_KNOWN:
            return super().values_at(some)
        values, again = (list(map(self.function, some)) for _ in range(2))
        if values != again:
            for D, value, other in zip(some, values, again, strict=True):
                check_again(self.name, D, value, other)
        self._known.update(zip(some, values, strict=True))
        return values

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return Listed(tuple(dict.fromkeys(map(self, databases.databases()))))

    def shown(self, D: str, signs: Signs) -> str:
        return signs.applied(self.name, D)


everything = Everything()
"""The identity."""


def function(name: str, f: Callable[[Database], Database]) -> Function:
    """The map D ↦ f(D) of a Python function, for finite classes.

    name -- what results call it; f -- called twice a database, returns hashable values, both times the same:
    else NotAMap is raised once it is read.

    `compose` raises InvalidSetting on infinite classes.

    >>> function("total", len)(("a", "a", "b"))
    3
    """
    return Function(name, f)


def table(
    name: str,
    values: Mapping[Any, Database],
    image_neighbours: Mapping[str, Iterable[tuple[Database, Database]]] | None = None,
) -> Table:
    """The map D ↦ values[D], for finite classes.

    name -- what results call it; values -- an image for each database;
    image_neighbours -- by the name of a granularity ("" for all), the pairs of images that are neighbours
    where a guarantee is on the own domain; left out: the images of neighbouring databases.

    `compose` raises InvalidSetting for a database that has no value.

    >>> table("merge", {"a": "x", "b1": "y", "b2": "y"})("b2")
    'y'
    """
    listed = {
        granularity: frozenset((x, y) for x, y in given if x != y)
        for granularity, given in (image_neighbours or {}).items()
    }
    return Table(name, MappingProxyType(dict(values)), MappingProxyType(listed))
