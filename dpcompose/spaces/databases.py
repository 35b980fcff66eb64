"""Database classes 𝔻: what the databases are, and how they are listed and shown.

A database of a multiset class is a sorted tuple of records, one of a class of tuples the
records in the order of their positions; one of a listed class is any hashable value.  A class
says of itself whether it is finite, and how large, before anything is listed.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement, groupby, islice, product
from math import comb
from typing import Any, ClassVar

from dpcompose.language.shown import Shown
from dpcompose.spaces.attributes import Attributes
from dpcompose.spaces.attributes import attributes as read_attributes

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
LARGEST_SHAPE = 100_000
"""The most cells of a database that are looked at one by one."""
MANY_LENGTHS = 1_000
"""Up to which length tuples are counted, where shorter ones belong to the class: more than can be listed."""


class Symbolic:
    """A database as an expression: a symbol D, or what is made of one, such as D|A.

    The expressions themselves are in `dpcompose.spaces.expressions`; this says of a value, at no
    cost, that it is none of the databases of a class.
    """

    __slots__ = ()

    def read_by(self, f: Callable[[Database], Database]) -> Symbolic:
        """f(D) as an expression, where this is D."""
        raise NotImplementedError


class TooLarge(ValueError):
    """A class or a set of pairs is too large to go through; says how large and what would do."""


class DatabaseClass(Shown, ABC):
    """A collection 𝔻 of databases.

    kind -- the word of problem files for it;
    no_difference -- the counts at which two databases are equal; () where differences are not counted;
    brackets -- around the records of a database, where it is printed.
    """

    kind: ClassVar[str]
    no_difference: ClassVar[Counts] = ()
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
        some = [self.printed(D) for D in islice(self.databases(), SOME)]
        more = f", and {count - SOME:,} more" if count > SOME else ""
        return [f"{self}: {', '.join(some)}{more}"]

    def show(self, D: Database) -> str | list[str]:
        """A database as a problem file would write it."""
        return str(D)

    def printed(self, D: Database) -> str:
        """A database as results print it: {a, b} or (a, b); long runs of one record as a (40 times)."""
        shown = self.show(D)
        if isinstance(shown, str):
            return shown
        if len(shown) > LONG:
            runs = ((record, len(list(some))) for record, some in groupby(shown))
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

    def counts(self, D: Database, E: Database) -> Counts | None:
        """How much two databases of the class differ; None where that is not counted."""
        return None

    def values_of(self, record: str) -> Mapping[str, str]:
        """The attributes of a record, where records have some."""
        return {}

    def data(self) -> dict[str, Any]:
        """The class as [databases] of a problem file says it."""
        return {"kind": self.kind, "elements": [str(D) for D in self.databases()]}

    # arbitrary universes

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        """Where the universe is arbitrary: the class whose universe holds some records or vertices by name,
        and others besides, enough for `most` edits."""
        return self

    def holding(self, *databases: Database) -> DatabaseClass:
        """Where the universe is arbitrary: the class that names all that some databases hold."""
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


@dataclass(frozen=True)
class Size:
    """How many records a database has: any number (n is None), at most n, or exactly n; and at least some.

    least -- from how many records on, less than n; 0 where all have exactly n.

    >>> str(Size.read("<= 4")), Size.read("= 4").allows(3), Size.read("2..5"), Size.read("3..3")
    ('<= 4', False, Size(n=5, exactly=False, least=2), Size(n=3, exactly=True, least=0))
    """

    n: int | None = None
    exactly: bool = False
    least: int = 0

    @staticmethod
    def read(text: str) -> Size:
        """The size that a problem file's words name.  Raises ValueError that lists the words."""
        if not isinstance(text, str):
            raise TypeError(f'a size is a text: "any", "<= 4", "= 4", ">= 2" or "2..4", not {text!r}')
        if text.strip() == "any":
            return Size()
        if found := re.fullmatch(r"\s*(<=|>=|=)\s*([0-9]{1,9})\s*", text):
            n = int(found[2])
            return Size(least=n) if found[1] == ">=" else Size(n, exactly=found[1] == "=")
        if found := re.fullmatch(r"\s*([0-9]{1,9})\s*\.\.\s*([0-9]{1,9})\s*", text):
            least, n = int(found[1]), int(found[2])
            if least > n:
                raise ValueError(f"no database has {least} records or more and {n} or fewer")
            return Size(n, exactly=True) if least == n else Size(n, least=least)
        if re.search("[0-9]{10}", text):
            raise ValueError(f"{text!r} is too large: sizes are below 10^9")
        raise ValueError(f'{text!r} is no size; use "any", "<= 4", "= 4", ">= 2" or "2..4"')

    def allows(self, n: int) -> bool:
        """Whether a database of n records belongs."""
        return n >= self.least and (self.n is None or (n == self.n if self.exactly else n <= self.n))

    def allows_difference(self, removed: int, added: int) -> bool:
        """Whether some two databases differ by so many records of the one, and so many of the other."""
        if self.n is None:
            return True
        apart = 0 if self.exactly else self.n - self.least
        return max(removed, added) <= self.n and abs(removed - added) <= apart

    def filled(self, removed: int, added: int) -> int:
        """How many records two databases share at least that differ by so many."""
        if self.exactly and self.n is not None:
            return self.n - removed
        return max(0, self.least - min(removed, added))

    @property
    def kind(self) -> str:
        """any, at most, or exactly: what theorems on sizes depend on."""
        return "any" if self.n is None else "exactly" if self.exactly else "at most"

    def __str__(self) -> str:
        if self.least:
            return f">= {self.least}" if self.n is None else f"{self.least}..{self.n}"
        return "any" if self.n is None else f"{'=' if self.exactly else '<='} {self.n}"


@dataclass(frozen=True, repr=False)
class OfRecords(DatabaseClass):
    """Databases that are tuples of records.

    records -- the record universe X; where `arbitrary`, X holds these and at least two others;
    sizes -- how many records a database has.
    """

    from_some_size_on: ClassVar[bool] = False
    """Whether the class is known where its databases have at least some number of records."""

    records: tuple[str, ...]
    sizes: Size = Size()
    arbitrary: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", universe(self.records, self.arbitrary))
        if not self.from_some_size_on:
            refuse_least(self.kind, self.sizes)

    @cached_property
    def spare(self) -> tuple[str, ...]:
        """Two records that no list names: stand for the rest of an arbitrary universe."""
        return unnamed(self.records) if self.arbitrary else ()

    def show(self, D: Database) -> str | list[str]:
        return [str(record) for record in D] if isinstance(D, tuple) else str(D)

    def size(self, D: Database) -> int:
        return len(D) if isinstance(D, tuple) else 0

    def data(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": str(self.sizes)} | (
            {} if self.arbitrary else {"records": list(self.records)}
        )

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        return replace(self, records=tuple(sorted(map(str, names)))) if self.arbitrary else self

    def holding(self, *databases: Database) -> DatabaseClass:
        if not self.arbitrary:
            return self
        return replace(self, records=tuple({*self.records, *records_of(databases)}))


@dataclass(frozen=True, repr=False)
class OrderedRecords(OfRecords):
    """Databases that are tuples of records in any order."""

    brackets = ("(", ")")

    def __contains__(self, D: object) -> bool:
        return (
            isinstance(D, tuple)
            and self.sizes.allows(len(D))
            and set(map(str, D)) <= {*self.records, *self.spare}
        )

    def count(self) -> int | None:
        if self.arbitrary or self.sizes.n is None:
            return None
        m, n = len(self.records), self.sizes.n
        lengths = [n] if self.sizes.exactly else range(min(n, MANY_LENGTHS) + 1)
        return sum(int(m**length) for length in lengths)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        n = self.sizes.n or 0
        for size in [n] if self.sizes.exactly else range(n + 1):
            yield from product(self.records, repeat=size)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(record, str) for record in shown):
            D = tuple(shown)
            if D in self:
                return D
        return super().parse(shown)


@dataclass(frozen=True, repr=False)
class Multisets(OfRecords):
    """All finite multisets of records, of the given size; a database is a sorted tuple.

    records -- the record universe X; where `arbitrary`, X holds these and at least two
    more, so that verdicts are worst cases over large universes.

    >>> list(Multisets(("a", "b"), Size(1)).databases())
    [(), ('a',), ('b',)]
    >>> str(Multisets((), arbitrary=True))
    'all finite multisets over an arbitrary record universe'
    """

    kind = "multisets"
    from_some_size_on = True
    twice: ClassVar[bool] = True
    """Whether a record may be there more than once."""
    no_difference = (0, 0)

    attributes: Attributes | None = None
    """What records are made of, if anything: where no records are given, all combinations are."""

    def __post_init__(self) -> None:
        if self.attributes is not None and not self.records:
            object.__setattr__(self, "records", tuple(self.attributes.by_record))
        super().__post_init__()

    def values_of(self, record: str) -> Mapping[str, str]:
        return {} if self.attributes is None else self.attributes.by_record[record]

    @property
    def unlimited(self) -> bool:
        """Whether there may be more records than those with a name."""
        return self.arbitrary or (self.attributes is not None and bool(self.attributes.open))

    def data(self) -> dict[str, Any]:
        if self.attributes is None:
            return super().data()
        return {"kind": self.kind, "size": str(self.sizes), "attributes": self.attributes.data()}

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        if self.attributes is None or not self.attributes.open:
            return super().naming(names, most)
        values = [one for one in names if isinstance(one, tuple)]
        return replace(self, records=(), attributes=self.attributes.naming(sorted(values), max(2, 2 * most)))

    def counts(self, D: Database, E: Database) -> Counts:
        """(|D∖E|, |E∖D|).

        >>> multisets("abc").counts(("a", "a", "b"), ("a", "c"))
        (2, 1)
        """
        return difference(D, E)

    def __contains__(self, D: object) -> bool:
        return (
            isinstance(D, tuple)
            and self.sizes.allows(len(D))
            and list(D) == sorted(map(str, D))
            and set(D) <= {*self.records, *self.spare}
        )

    def count(self) -> int | None:
        if self.unlimited or self.sizes.n is None:
            return None
        m, n, least = len(self.records), self.sizes.n, self.sizes.least
        if self.sizes.exactly:
            return comb(n + m - 1, n)
        return comb(n + m, m) - (comb(least - 1 + m, m) if least else 0)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        n = self.sizes.n or 0
        for size in [n] if self.sizes.exactly else range(self.sizes.least, n + 1):
            yield from combinations_with_replacement(self.records, size)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(record, str) for record in shown):
            D = tuple(sorted(shown))
            if D in self:
                return D
        return super().parse(shown)

    def __str__(self) -> str:
        sizes = self.sizes
        size = {
            "any": "all finite multisets" + (f" of size {sizes}" if sizes.least else ""),
            "at most": f"all multisets of size {sizes}",
            "exactly": f"all multisets of size {sizes.n}",
        }[sizes.kind]
        if self.attributes is not None and len(self.records) == len(self.attributes.by_record):
            return f"{size} of records with {self.attributes}"
        if not self.arbitrary:
            return f"{size} over {{{', '.join(self.records)}}}"
        named = f" that holds {', '.join(self.records)}" if self.records else ""
        return f"{size} over an arbitrary record universe{named}"


def difference(D: Database, E: Database) -> tuple[int, int]:
    """(|D∖E|, |E∖D|) of two multisets.

    >>> difference(("a", "a", "b"), ("a", "c"))
    (2, 1)
    """
    if not (isinstance(D, tuple) and isinstance(E, tuple)):
        raise TypeError(f"{D!r} and {E!r} are not both multisets of records")
    removed, added = Counter(D), Counter(E)
    return (removed - added).total(), (added - removed).total()


@dataclass(frozen=True, repr=False)
class Tuples(OrderedRecords):
    """All tuples of records: each record carries an identifier, its position 1, 2, ….

    sizes -- the length: any, at most n, or exactly n;
    positions -- the identifiers of a class that keeps some positions of longer tuples;
    owners -- whose the record at each position of the whole tuples is, where users own records.

    >>> list(Tuples(("a", "b"), Size(1, exactly=True)).databases())
    [('a',), ('b',)]
    """

    kind = "tuples"
    no_difference = (0,)
    entry: ClassVar[str] = "position"

    positions: tuple[int, ...] | None = None
    owners: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.owners and self.positions is None and self.sizes != Size(len(self.owners), exactly=True):
            raise ValueError(
                f"{len(self.owners)} {self.entry}s have owners: all {self.kind} need as many records, "
                f'size = "= {len(self.owners)}"'
            )
        if self.positions is not None and self.sizes != Size(len(self.positions), exactly=True):
            raise ValueError(f"{len(self.positions)} {self.entry}s need tuples of as many records")

    @property
    def several_records(self) -> bool:
        """Whether a record can be changed at all."""
        return self.arbitrary or len(self.records) > 1

    def changed(self, D: Database, E: Database) -> list[bool]:
        if not (isinstance(D, tuple) and isinstance(E, tuple)):
            return []
        return [at >= len(E) or record != E[at] for at, record in enumerate(D)]

    def counts(self, D: Database, E: Database) -> Counts | None:
        """(how many positions differ,); None for different lengths.

        >>> tuples("ab", "= 3").counts(("a", "a", "b"), ("b", "a", "a"))
        (2,)
        """
        if not (isinstance(D, tuple) and isinstance(E, tuple)) or len(D) != len(E):
            return None
        return (sum(1 for a, b in zip(D, E, strict=True) if a != b),)

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        return self

    def data(self) -> dict[str, Any]:
        users = {user: list(self.positions_of(user)) for user in dict.fromkeys(self.owners)}
        return super().data() | ({"users": users} if users else {})

    @property
    def cells(self) -> tuple[Cell, ...] | None:
        """The positions, where all tuples have the same.  Raises TooLarge beyond LARGEST_SHAPE."""
        if not self.sizes.exactly:
            return None
        if self.several_records and (self.sizes.n or 0) > LARGEST_SHAPE:
            raise TooLarge(
                f"{self}: {self.sizes.n:,} {self.entry}s are too many to go through; shorter ones would do"
            )
        return tuple(cell for at in self.identifiers for cell in self.at(at)) if self.several_records else ()

    @property
    def identifiers(self) -> Sequence[int]:
        """The positions of the tuples, where all have one length."""
        return range(1, (self.sizes.n or 0) + 1) if self.positions is None else self.positions

    def at(self, position: int) -> tuple[Cell, ...]:
        """The cells of the record at a position."""
        return (position,)

    @property
    def by_owner(self) -> list[list[Cell]]:
        """For each user the cells of what they own.  Raises ValueError where that is not said."""
        if not self.owners:
            raise ValueError(f"{self} have no owners: users = {{...}} says whose the records are")
        owned: dict[str, list[Cell]] = {}
        for position in self.identifiers:
            owned.setdefault(self.owners[position - 1], []).extend(self.at(position))
        return list(owned.values())

    def positions_of(self, user: str) -> tuple[int, ...]:
        """The positions of the records that a user owns."""
        return tuple(at for at, owner in enumerate(self.owners, start=1) if owner == user)

    def shape_of(self, D: Database) -> DatabaseClass | None:
        if self.sizes.exactly:
            return self
        length = len(D) if isinstance(D, tuple) else 0
        return replace(self, sizes=Size(length, exactly=True))

    def shape_of_both(self, D: Database, E: Database) -> DatabaseClass | None:
        """The product that D and E are in; None where they are in none together."""
        shape = self.shape_of(D)
        return shape if shape is not None and D in shape and E in shape else None

    def largest_shape(self, n: int) -> DatabaseClass | None:
        if self.sizes.exactly:
            return self
        return replace(self, sizes=Size(n if self.sizes.n is None else min(n, self.sizes.n), exactly=True))

    def blank(self) -> Database:
        return (self.records or self.spare)[:1] * len(self.identifiers)

    def values(self, cell: Cell) -> tuple[Any, ...]:
        return (*self.records, *self.spare)

    def _index(self, position: Any) -> int:
        return int(position) - 1 if self.positions is None else self.positions.index(position)

    def value(self, D: Database, cell: Cell) -> Any:
        assert isinstance(D, tuple)
        return D[self._index(cell)]

    def differing(self, D: Database, E: Database) -> frozenset[Cell]:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        return frozenset(
            cell
            for at, a, b in zip(self.identifiers, D, E, strict=True)
            if a != b
            for cell in self.at(at)
            if self.differ(a, b, cell)
        )

    def differ(self, a: str, b: str, cell: Cell) -> bool:
        """Whether two different records at one position differ in one of its cells."""
        return True

    def put(self, D: Database, changes: Mapping[Cell, Any]) -> Database:
        assert isinstance(D, tuple)
        made = list(D)
        for cell, value in changes.items():
            made[self._index(cell)] = value
        return tuple(made)

    def __str__(self) -> str:
        length = {
            "any": f"all {self.kind} of any length",
            "at most": f"all {self.kind} of length <= {self.sizes.n}",
            "exactly": f"all {self.kind} of length {self.sizes.n}",
        }[self.sizes.kind]
        over = "an arbitrary record universe" if self.arbitrary else f"{{{', '.join(self.records)}}}"
        at = "" if self.positions is None else f" at the {self.entry}s {', '.join(map(str, self.positions))}"
        of = f" of {len(set(self.owners))} users" if self.owners and self.positions is None else ""
        return f"{length} over {over}{at}{of}"


@dataclass(frozen=True, repr=False)
class Streams(Tuples):
    """Tuples over time steps: one record at each of the steps 1, 2, …, T."""

    kind = "streams"
    entry: ClassVar[str] = "time step"


@dataclass(frozen=True, repr=False)
class Listed(DatabaseClass):
    """A finite class given by its databases, any hashable values, each with its own text.

    >>> str(Listed(("a", "b")))
    'the 2 listed databases'
    """

    kind = "listed"

    elements: tuple[Database, ...]

    def __post_init__(self) -> None:
        shown = Counter(str(D) for D in self.elements)
        twice = [text for text, times in shown.items() if times > 1]
        if twice:
            raise ValueError(f"database {twice[0]!r} is listed twice")
        if len(set(self.elements)) < len(self.elements):
            raise ValueError("two of the listed databases are equal, as 1 and True are in Python")
        if not self.elements:
            raise ValueError("a listed class needs at least one database")

    @cached_property
    def _members(self) -> frozenset[Database]:
        return frozenset(self.elements)

    def __contains__(self, D: object) -> bool:
        return isinstance(D, Hashable) and D in self._members

    def count(self) -> int:
        return len(self.elements)

    def parse(self, shown: object) -> Database:
        for D in self.elements:
            if str(D) == shown:
                return D
        return super().parse(shown)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        yield from self.elements

    def __str__(self) -> str:
        return (
            f"the {len(self.elements)} listed databases"
            if len(self.elements) > 1
            else "the one listed database"
        )


def records_of(databases: Iterable[Database]) -> set[str]:
    """The records that some multisets, tuples or sets hold."""
    return {str(record) for D in databases if isinstance(D, tuple) for record in D}


def owners_of(users: Mapping[str, Iterable[int]] | None) -> tuple[str, ...]:
    """Whose each position is, from the positions that each user owns.  Raises ValueError for gaps."""
    owned = [(at, str(user)) for user, positions in (users or {}).items() for at in positions]
    if sorted(at for at, _ in owned) != list(range(1, len(owned) + 1)):
        raise ValueError("every position from 1 to the length is owned by one user, and by no other one")
    return tuple(user for _, user in sorted(owned))


def refuse_least(kind: str, sizes: Size) -> None:
    """Raises ValueError where databases have at least some number of records."""
    if sizes.least:
        raise ValueError(
            f'{kind} of at least {sizes.least} records are not supported; "any", "<= n" and "= n" are'
        )


def universe(records: tuple[str, ...], arbitrary: bool) -> tuple[str, ...]:
    """The record universe in order.  Raises ValueError where a record comes twice, or there is none."""
    if len(set(records)) != len(records):
        twice = next(a for a, times in Counter(records).items() if times > 1)
        raise ValueError(f"record {twice!r} is listed twice")
    if not records and not arbitrary:
        raise ValueError("a record universe needs at least one record")
    return tuple(sorted(records))


def unnamed(records: tuple[str, ...], count: int = 2) -> tuple[str, ...]:
    """Some names that no record has."""
    names = (stem + "'" * n for n in range(len(records) + count) for stem in ("x", "y"))
    return tuple(islice((name for name in names if name not in records), count))


def refuse_if_large(databases: DatabaseClass, most: int | None = None) -> None:
    """Raises TooLarge where a class cannot be gone through, with its size and what would do.

    most -- how many databases it may have; LARGEST_CLASS where nothing is said.
    """
    most = LARGEST_CLASS if most is None else most
    count = databases.count()
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


def multisets(
    records: Iterable[str] | None = None,
    size: str = "any",
    attributes: Mapping[str, str | Iterable[str]] | None = None,
) -> Multisets:
    """The class of all finite multisets over `records`: how often a record is there counts, its place not.

    records -- the record universe; None: an arbitrary one, and verdicts are worst cases over large ones;
    size -- how many records a database has: "any", "<= n" or "= n";
    attributes -- instead of records: for each name the values that it can have, or "any"; every combination
    is a record, written (v, w) in the order of the attributes.

    >>> str(multisets({"child", "adult"}, size="<= 4"))
    'all multisets of size <= 4 over {adult, child}'
    >>> multisets(attributes={"county": ["north", "south"], "name": "any"})
    all finite multisets of records with county in {north, south}, name arbitrary
    """
    made = _attributes(records, attributes)
    names = tuple(str(record) for record in records) if records is not None else ()
    return Multisets(names, Size.read(size), arbitrary=records is None and made is None, attributes=made)


def _attributes(records: object, given: Mapping[str, str | Iterable[str]] | None) -> Attributes | None:
    """What records are made of, if anything.  Raises ValueError where records are given besides."""
    if given is not None and records is not None:
        raise ValueError("attributes make the records: leave out the one or the other")
    return None if given is None else read_attributes(given)


def tuples(
    records: Iterable[str] | None = None,
    size: str = "any",
    users: Mapping[str, Iterable[int]] | None = None,
) -> Tuples:
    """The class of all tuples of `records`: the record at position i is that of the person i (GB Ex. IV.7).

    Positions 1, 2, … are identifiers: unlike in multisets it counts whose record is which.

    records -- the record universe; None: an arbitrary one of at least two records;
    size -- the length: "any", "<= n" or "= n".  Mechanisms that read `positions` need "= n";
    users -- which positions belong to which user, for `user` neighbours: each to one, and size = "= n".

    >>> answers = tuples({"yes", "no"}, size="= 4")
    >>> str(answers), ("yes", "no", "no", "no") in answers
    ('all tuples of length 4 over {no, yes}', True)
    """
    names = tuple(str(record) for record in records) if records is not None else ()
    return Tuples(names, Size.read(size), arbitrary=records is None, owners=owners_of(users))


def streams(
    records: Iterable[str] | None = None,
    size: str = "any",
    users: Mapping[str, Iterable[int]] | None = None,
) -> Streams:
    """The class of all streams: tuples over the time steps 1, 2, …, T, with one of `records` at each.

    What is said of `tuples` holds, positions being time steps; and there are `event` neighbours.

    records -- the record universe; None: an arbitrary one of at least two records;
    size -- the length T: "any", "<= n" or "= n"; users -- which time steps belong to which user, if any.

    >>> import dpcompose as dpc
    >>> str(dpc.positions(1, 3).image(dpc.streams({"on", "off"}, "= 3")))
    'all streams of length 2 over {off, on} at the time steps 1, 3'
    """
    names = tuple(str(record) for record in records) if records is not None else ()
    return Streams(names, Size.read(size), arbitrary=records is None, owners=owners_of(users))


def listed(elements: Iterable[Database]) -> Listed:
    """The finite class of the given databases: any hashable values, no two of which print alike.

    What is found out about it holds for these databases and says nothing of others.

    >>> str(listed((x, y) for x in range(3) for y in range(3)))
    'the 9 listed databases'
    """
    return Listed(tuple(elements))
