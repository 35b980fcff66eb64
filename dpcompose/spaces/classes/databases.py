"""Database classes 𝔻: what the databases are, and how they are listed and shown.

A database is any hashable value: each class says what its own are.  A class says of itself whether it is
finite, and how large, before anything is listed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby, islice
from typing import Any, ClassVar, Self

from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.answers import NoAnswer
from dpcompose.language.shown import Shown
from dpcompose.spaces.classes.attributes import Attributes
from dpcompose.spaces.classes.sizes import ANY_SIZE, Size

Database = Hashable
Cell = Hashable
"""Of what databases of one shape are made: a position, a pair of vertices, an attribute of a position."""
Counts = tuple[int, ...]
"""How much two databases differ: (removed, added) for multisets, (changed,) for tuples of one length."""
LARGEST_CLASS = 2_000_000
"""The most databases that are listed; a larger class is refused before the work starts."""
LONG = 40
"""From how many records on a database is printed with equal neighbours counted."""
SOME = 10
"""How many databases a notebook shows of a class."""
SMALL = 2
"""Up to which size a large or infinite class is shown, unless another size is asked for."""
LARGEST_SHAPE = 100_000
"""The most cells of a database that are looked at one by one."""


class Symbolic:
    """A database as an expression: a symbol D, or what is made of one, such as D|A.

    The expressions themselves are in `dpcompose.spaces.inputs.expressions`; this says of a value, at no
    cost, that it is none of the databases of a class.
    """

    __slots__ = ()

    def read_by(self, f: Callable[[Database], Database]) -> Symbolic:
        """f(D) as an expression, where this is D."""
        raise NotImplementedError


class TooLarge(NoAnswer):
    """A class or a set of pairs is too large to go through; says how large and what would do."""


class DatabaseClass(Shown, ABC):
    """A collection 𝔻 of databases.

    kind -- the word of problem files for it;
    brackets -- around the records of a database, where it is printed;
    is_listed -- whether it is given by its databases, and nothing is known of what these are made of.
    """

    kind: ClassVar[str]
    is_listed: ClassVar[bool] = False
    brackets: ClassVar[tuple[str, str]] = ("{", "}")

    @abstractmethod
    def __contains__(self, D: object) -> bool:
        """Whether D is one of the databases."""

    @abstractmethod
    def count(self) -> int | None:
        """How many databases there are; None where there are infinitely many."""

    @abstractmethod
    def databases(self) -> Iterator[Database]:
        """All databases, small ones first.  Raises TooLarge beyond LARGEST_CLASS."""

    @abstractmethod
    def __str__(self) -> str:
        """The class in words, as results name it."""

    def __repr__(self) -> str:
        return str(self)

    def _line(self) -> Sequence[str]:
        """The class in words, and the first of its databases where they can be listed."""
        count = self.count()
        if count is None or count > LARGEST_CLASS:
            return [f"{self}; {'infinitely many' if count is None else f'{count:,}'} databases"]
        first = [self.printed(D) for D in islice(self.databases(), SOME)]
        more = f", and {count - SOME:,} more" if count > SOME else ""
        return [f"{self}: {', '.join(first)}{more}"]

    def show(self, D: Database) -> str | list[str]:
        """A database as a problem file would write it."""
        return str(D)

    def as_graph(self, D: Database) -> tuple[Collection[Any], Sequence[tuple[Any, Any]]] | None:
        """The vertices and edges of a database that is a graph of few vertices, for pictures; else None."""
        return None

    def printed(self, D: Database) -> str:
        """A database as results print it: {a, b} or (a, b); long runs of one record as a (40 times)."""
        shown = self.show(D)
        if isinstance(shown, str):
            return shown
        if len(shown) > LONG:
            runs = ((record, len(list(run))) for record, run in groupby(shown))
            shown = [record if times == 1 else f"{record} ({times:,} times)" for record, times in runs]
        return self.brackets[0] + ", ".join(shown) + self.brackets[1]

    def changed(self, D: Database, E: Database) -> list[bool]:
        """For each record that `show` writes of D whether E does not have it."""
        gone = Counter(D if isinstance(D, tuple) else ()) - Counter(E if isinstance(E, tuple) else ())
        marks = []
        for record in D if isinstance(D, tuple) else ():
            marks.append(gone[record] > 0)
            gone[record] -= gone[record] > 0
        return marks

    def parse(self, shown: object) -> Database:
        """The database that `show` writes so.  Raises ValueError where there is none."""
        raise ValueError(f"{shown!r} is no database of {self}")

    def size(self, D: Database) -> int:
        """How large a database counts when the smallest example is looked for."""
        return 0

    def counts(self, D: Database, E: Database, single: Collection[Counts]) -> Counts:
        """How many records only D has, and only E; of sequences by the fewest of some single steps.

        Raises TypeError where these are not counted.
        """
        raise TypeError(f"records are not counted in {self}")

    def replaced(self, m: int) -> tuple[Database, Database] | None:
        """Two sequences that differ at m places, where there are such; None of other classes."""
        return None

    @property
    def parts(self) -> tuple[tuple[str, DatabaseClass], ...]:
        """The classes of what a database is made of, by name; "" for one that is not made of several."""
        return (("", self),)

    points: Any = None
    """The points that it is, where databases are such: see `products.Points`."""

    # records, where databases are made of them

    records: tuple[str, ...] = ()
    """The records that the universe names."""
    sizes: Size = ANY_SIZE
    """How many records a database has."""
    arbitrary: bool = False
    """Whether the universe holds any others besides those that it names."""
    unordered: ClassVar[bool] = False
    """Whether databases are collections of records, in no order."""
    twice: ClassVar[bool] = False
    """Whether such a collection may have a record more than once."""
    identified: ClassVar[bool] = False
    """Whether a record has an identifier, its position."""
    queried: ClassVar[bool] = False
    """Whether queries of its records, such as their number, are known."""
    of_attributes: ClassVar[bool] = False
    """Whether each record is made of cells, its attributes."""
    aligned: ClassVar[bool] = False
    """Whether databases are sequences of records, whose positions change as others come and go."""
    restrictable: ClassVar[bool] = False
    """Whether some records can be left out of any database."""

    @property
    def of_records(self) -> bool:
        """Whether a record that takes the place of another one leaves all else as it is."""
        return self.unordered or self.identified

    @property
    def spare(self) -> tuple[str, ...]:
        """Records that no list names: stand for the rest of an arbitrary universe."""
        return ()

    @property
    def unlimited(self) -> bool:
        """Whether the universe may hold others than those that are listed."""
        return self.arbitrary

    @property
    def described(self) -> Attributes | None:
        """What records of collections are made of, if anything."""
        return None

    def values_of(self, record: str) -> Mapping[str, str]:
        """The attributes of a record, where records have some."""
        return {}

    @property
    def any_number(self) -> bool:
        """Whether databases may have any further records, each any number of times."""
        return self.twice and self.sizes.n is None

    def edited(
        self, D: Database, removed: int, added: int
    ) -> Iterator[tuple[str | None, str | None, Database]]:
        """What single edits make of D, with the record taken out and another one put in; None for none."""
        return iter(())

    def exchanged(self, D: Database, E: Database) -> tuple[str | None, str | None] | None:
        """The record of D that is another one in E, None for none; None where not one record differs."""
        return None

    def edit_allowed(self, counts: Counts) -> bool:
        """Whether an edit by these counts leads from some database of the class to another one."""
        return True

    def restricted(self, records: Collection[str]) -> DatabaseClass:
        """The class of what is left where other records than these, one at least, are left out."""
        raise TypeError("only multisets, sets and sequences are restricted to records")

    def chosen(self, records: Collection[str], kept: Attributes) -> DatabaseClass:
        """The same, where it is also known which attributes these records have."""
        return self.restricted(records)

    def projected(self, kept: Attributes) -> DatabaseClass:
        """The class of what is left of records with attributes where these have some only."""
        raise TypeError("only records of multisets are reduced to some attributes")

    def gathered(self, records: Iterable[str]) -> Database:
        """The database of some records, in the order of their positions where they have such."""
        return tuple(records)

    def recoded(self, records: tuple[str, ...], arbitrary: bool) -> DatabaseClass:
        """The class of the same sizes over what records become."""
        raise TypeError("only records of multisets, sets and tuples are recoded")

    @property
    def not_recoded(self) -> str | None:
        """Why a map of records is none of databases, in words after its name; None where it is one."""
        return f"recodes records of multisets, sets and tuples, not of {self}"

    @property
    def not_divided(self) -> str | None:
        """What a symbolic number of parts needs, in words; None where the class can be divided."""
        return None

    # positions

    entry: ClassVar[str] = "position"
    """What a position is called."""
    owners: tuple[str, ...] = ()
    """Whose the record at each position is, where users own records."""

    @property
    def length(self) -> int | None:
        """How many positions all databases have; None where they have none, or not as many."""
        return None

    def at_positions(self, positions: tuple[int, ...]) -> DatabaseClass:
        """The class of what is left where only some positions, one at least, are kept."""
        raise TypeError("only tuples are restricted to positions")

    def renumbered(self) -> DatabaseClass:
        """The same databases where only the order of positions counts, and no identifiers."""
        return self

    def cells_at(self, positions: Iterable[int]) -> frozenset[Cell] | None:
        """The cells of a product that lie at some positions; None where there are no positions."""
        return None

    def cells_of(self, records: frozenset[str]) -> frozenset[Cell] | None:
        """The cells of a product that say which of some records are there; None where none do."""
        return None

    @property
    def by_record(self) -> Iterable[frozenset[Cell]] | None:
        """For each record of a product, there or not, the cells that tell it; None where none do."""
        return None

    # vertices

    on_vertices: ClassVar[bool] = False
    """Whether databases are graphs on fixed vertices."""
    varying: ClassVar[bool] = False
    """Whether databases are graphs whose vertices come and go."""

    def unjoined(self, m: int) -> Database | None:
        """The graph of m vertices and no edges, where vertices come and go and there may be as many."""
        return None

    def one_vertex_away(self, D: Database) -> Iterator[Database]:
        """The graphs with one vertex of D less, or one more, where vertices come and go."""
        return iter(())

    def joined(self, at: int | None = None) -> tuple[Any, ...] | None:
        """The pairs of vertices that edges of fixed graphs, or those at one, can join; None for others."""
        return None

    def with_edges(self, f: Callable[[Database], Database], kept: Any, which: str) -> DatabaseClass:
        """The class of the graphs that f reads, in words which; kept -- their edges, of fixed graphs."""
        raise TypeError("edges are read of graphs")

    def lacking(self, vertices: Iterable[int]) -> str | None:
        """Why edges at some vertices cannot be read, in words after the map's name; None where they can."""
        return f"reads edges at vertices, but {self} have none"

    def data(self) -> dict[str, Any]:
        """The class as [databases] of a problem file says it."""
        return {"kind": self.kind, "elements": [str(D) for D in self.databases()]}

    # numbers for databases, in the order in which they are listed

    @property
    def by_counts(self) -> bool:
        """Whether they are all counts of the listed records, smaller totals first."""
        return False

    @property
    def by_digits(self) -> bool:
        """Whether they are all words over the listed records, shorter ones first."""
        return False

    # arbitrary universes

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        """Where the universe is arbitrary: the class whose universe holds some records or vertices by name,
        and others besides, enough for `most` edits."""
        return self

    def holding(self, *databases: Database) -> DatabaseClass:
        """Where the universe is arbitrary: the class that names all that some databases hold."""
        return self

    # classes with letters

    @property
    def parameters(self) -> Mapping[str, Domain]:
        """The letters for numbers in the class, with their values."""
        return {}

    def of_sizes(self, sizes: Size) -> Self:
        """The class of the same records, of other sizes."""
        return replace(self, sizes=sizes)  # type: ignore[type-var]

    def over(self, records: tuple[str, ...]) -> Self:
        """The class over other records."""
        return replace(self, records=records)  # type: ignore[type-var]

    def knowing(self, letters: Mapping[str, Term]) -> Self:
        """The class with other values of its letters."""
        return self

    def sized(self, point: Mapping[str, Fraction]) -> Self:
        """The class with numbers for its letters."""
        return self

    def with_room(self, steps: int, places: int = 0) -> Self:
        """The class with such values of its letters that neighbours of so many steps have room.

        places -- of how many places, one after the other, types of neighbours are told.
        """
        return self

    def unknown(self, assumed: Assumed) -> str:
        """What is to be known of letters, that there are databases of every size; "" where it is."""
        return ""

    def with_others(self, others: int) -> DatabaseClass:
        """Where some records stand for all that are not named: the class with so many of them at least."""
        return self

    def larger(self) -> DatabaseClass:
        """Where some cells of a product stand for any number of them: the class with one more."""
        return self

    # cells, each with a value that does not depend on the others

    @property
    def cells(self) -> tuple[Cell, ...] | None:
        """What a database is made of, where the class is a product: cells with two possible values or more,
        each whatever the others have.  None where it is no product."""
        return None

    def shape_of(self, D: Database) -> DatabaseClass | None:
        """The product that D is in, such as the tuples of its length; None where classes have no cells."""
        return None if self.cells is None else self

    def shape_of_both(self, D: Database, E: Database) -> DatabaseClass | None:
        """The product that D and E are in; None where they are in none together."""
        shape = self.shape_of(D)
        return shape if shape is not None and D in shape and E in shape else None

    def largest_shape(self, n: int) -> DatabaseClass | None:
        """The product into which all smaller ones fit, or, where there is no limit, one of n records."""
        return None if self.cells is None else self

    def excerpt(self, *databases: Database, sizes: Size | None = None) -> DatabaseClass:
        """A small class of some databases and others like them: of an arbitrary universe of those records
        or vertices that have a name, and a few.

        sizes -- how many records they have, where that is said.
        """
        if not (self.of_records or self.aligned):
            return self
        if sizes is None:
            least, n = self.sizes.least, self.sizes.n
            small = max([SMALL, *map(self.size, databases)])
            few = Size(max(least + 1, small if n is None else min(small, n)), least=least)
            sizes = self.sizes if self.sizes.exactly else few
        spare = () if self.identified and len(self.records) > 1 else self.spare
        return replace(self, records=(*self.records, *spare), sizes=sizes, arbitrary=False)  # type: ignore[type-var]

    def reduced(self, few: int) -> DatabaseClass:
        """A class of the same kind with few records, of few kinds, or with few vertices."""
        if not (self.of_records or self.aligned):
            return self
        sizes = self.sizes
        most = sizes.filling if sizes.exactly else sizes.least + few
        size = Size(most if sizes.n is None else min(most, sizes.n), sizes.exactly, sizes.least)
        if self.unordered and not self.twice:  # each is there once, so that there are few of any size
            size, few = sizes if sizes == ANY_SIZE else size, few + sizes.filling
        if self.described is not None or self.of_attributes:
            return self.of_sizes(size)
        return replace(  # type: ignore[type-var]
            self, sizes=size, records=(*self.records, *self.spare)[:few], arbitrary=False
        )

    def blank(self) -> Database:
        """One of the databases of a product, as plain as can be."""
        raise TypeError(f"{self} have no cells")

    def values(self, cell: Cell) -> tuple[Any, ...]:
        """The values that a cell of a product can have: two or more."""
        raise TypeError(f"{self} have no cells")

    def value(self, D: Database, cell: Cell) -> Any:
        """What a cell of D has."""
        raise TypeError(f"{self} have no cells")

    def put(self, D: Database, changes: Mapping[Cell, Any]) -> Database:
        """D with other values in some cells."""
        raise TypeError(f"{self} have no cells")

    def differing(self, D: Database, E: Database) -> frozenset[Cell]:
        """The cells in which two databases of a product differ."""
        return frozenset(cell for cell in self.cells or () if self.value(D, cell) != self.value(E, cell))


class Sized(DatabaseClass):
    """Classes whose databases have numbers of records, which may be letters."""

    @property
    def parameters(self) -> Mapping[str, Domain]:
        return self.sizes.letters

    def knowing(self, letters: Mapping[str, Term]) -> Self:
        return self.of_sizes(Size.read(str(self.sizes), letters)) if self.parameters else self

    def size(self, D: Database) -> int:
        return len(D) if isinstance(D, tuple) else 0

    def sized(self, point: Mapping[str, Fraction]) -> Self:
        return self.of_sizes(self.sizes.at(point)) if self.parameters else self

    def with_room(self, steps: int, places: int = 0) -> Self:
        return self.of_sizes(self.sizes.with_room(steps)) if self.parameters else self

    def unknown(self, assumed: Assumed) -> str:
        return self.sizes.unknown(assumed)


def refuse_if_large(databases: DatabaseClass, most: int | None = None) -> None:
    """Raises TooLarge where a class cannot be gone through, with its size and what would do.

    most -- how many databases it may have; LARGEST_CLASS where nothing is said.
    """
    most = LARGEST_CLASS if most is None else most
    count = databases.count()
    if databases.parameters:
        letters = ", ".join(databases.parameters)
        raise TooLarge(f"{databases} cannot be listed; a number for {letters} would do")
    if count is None:
        raise TooLarge(
            f"{databases} cannot be listed: there are infinitely many. "
            "Give a finite record universe and a size limit, or maps and neighbours "
            "that read records one by one"
        )
    if count > most:
        shown = f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"
        raise TooLarge(
            f"{databases}: {shown} databases, more than the {most:,} that are gone through. "
            "A smaller size limit or fewer records would do"
        )
