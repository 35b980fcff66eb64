"""Database classes 𝔻: what the databases are, and how they are listed and shown.

A database of a multiset class is a sorted tuple of records, one of a class of tuples the
records in the order of their positions; one of a listed class is any hashable value.  A class
says of itself whether it is finite, and how large, before anything is listed.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, groupby, product
from math import comb
from typing import ClassVar

Database = Hashable
Counts = tuple[int, ...]
"""How much two databases differ: (removed, added) for multisets, (changed,) for tuples of one length."""
LARGEST_CLASS = 20_000
"""The most databases that are listed; a larger class is refused before the work starts."""
LONG = 40
"""From how many records on a database is printed with equal neighbours counted."""
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


class DatabaseClass(ABC):
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


@dataclass(frozen=True)
class Size:
    """How many records a database has: any number (n is None), at most n, or exactly n.

    >>> str(Size.read("<= 4")), Size.read("= 4").allows(3)
    ('<= 4', False)
    """

    n: int | None = None
    exactly: bool = False

    @staticmethod
    def read(text: str) -> Size:
        """The size that a problem file's words name.  Raises ValueError that lists the words."""
        if not isinstance(text, str):
            raise TypeError(f'a size is a text: "any", "<= 4" or "= 4", not {text!r}')
        if text.strip() == "any":
            return Size()
        if found := re.fullmatch(r"\s*(<=|=)\s*([0-9]{1,9})\s*", text):
            return Size(int(found[2]), exactly=found[1] == "=")
        raise ValueError(f'{text!r} is no size; use "any", "<= 4" or "= 4"')

    def allows(self, n: int) -> bool:
        """Whether a database of n records belongs."""
        return self.n is None or (n == self.n if self.exactly else n <= self.n)

    @property
    def kind(self) -> str:
        """any, at most, or exactly: what theorems on sizes depend on."""
        return "any" if self.n is None else "exactly" if self.exactly else "at most"

    def __str__(self) -> str:
        return "any" if self.n is None else f"{'=' if self.exactly else '<='} {self.n}"


@dataclass(frozen=True, repr=False)
class Multisets(DatabaseClass):
    """All finite multisets of records, of the given size; a database is a sorted tuple.

    records -- the record universe X; where `arbitrary`, X holds these and at least two
    more, so that verdicts are worst cases over large universes.

    >>> list(Multisets(("a", "b"), Size(1)).databases())
    [(), ('a',), ('b',)]
    >>> str(Multisets((), arbitrary=True))
    'all finite multisets over an arbitrary record universe'
    """

    kind = "multisets"
    no_difference = (0, 0)

    records: tuple[str, ...]
    sizes: Size = Size()
    arbitrary: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", _universe(self.records, self.arbitrary))

    @cached_property
    def spare(self) -> tuple[str, ...]:
        """Two records that no list names: stand for the rest of an arbitrary universe."""
        return _unnamed(self.records) if self.arbitrary else ()

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
        if self.arbitrary or self.sizes.n is None:
            return None
        m, n = len(self.records), self.sizes.n
        return comb(n + m - 1, n) if self.sizes.exactly else comb(n + m, m)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        n = self.sizes.n or 0
        for size in [n] if self.sizes.exactly else range(n + 1):
            yield from combinations_with_replacement(self.records, size)

    def show(self, D: Database) -> str | list[str]:
        return [str(record) for record in D] if isinstance(D, tuple) else str(D)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(record, str) for record in shown):
            D = tuple(sorted(shown))
            if D in self:
                return D
        return super().parse(shown)

    def size(self, D: Database) -> int:
        return len(D) if isinstance(D, tuple) else 0

    def __str__(self) -> str:
        size = {
            "any": "all finite multisets",
            "at most": f"all multisets of size <= {self.sizes.n}",
            "exactly": f"all multisets of size {self.sizes.n}",
        }[self.sizes.kind]
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
class Tuples(DatabaseClass):
    """All tuples of records: each record carries an identifier, its position 1, 2, ….

    sizes -- the length: any, at most n, or exactly n;
    positions -- the identifiers of a class that keeps some positions of longer tuples.

    >>> list(Tuples(("a", "b"), Size(1, exactly=True)).databases())
    [('a',), ('b',)]
    """

    kind = "tuples"
    no_difference = (0,)
    brackets = ("(", ")")
    entry: ClassVar[str] = "position"

    records: tuple[str, ...]
    sizes: Size = Size()
    arbitrary: bool = False
    positions: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", _universe(self.records, self.arbitrary))
        if self.positions is not None and self.sizes != Size(len(self.positions), exactly=True):
            raise ValueError(f"{len(self.positions)} {self.entry}s need tuples of as many records")

    @cached_property
    def spare(self) -> tuple[str, ...]:
        """Two records that no list names: stand for the rest of an arbitrary universe."""
        return _unnamed(self.records) if self.arbitrary else ()

    @property
    def several_records(self) -> bool:
        """Whether a record can be changed at all."""
        return self.arbitrary or len(self.records) > 1

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

    def show(self, D: Database) -> str | list[str]:
        return [str(record) for record in D] if isinstance(D, tuple) else str(D)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(record, str) for record in shown):
            D = tuple(shown)
            if D in self:
                return D
        return super().parse(shown)

    def changed(self, D: Database, E: Database) -> list[bool]:
        if not (isinstance(D, tuple) and isinstance(E, tuple)):
            return []
        return [at >= len(E) or record != E[at] for at, record in enumerate(D)]

    def size(self, D: Database) -> int:
        return len(D) if isinstance(D, tuple) else 0

    def counts(self, D: Database, E: Database) -> Counts | None:
        """(how many positions differ,); None for different lengths.

        >>> tuples("ab", "= 3").counts(("a", "a", "b"), ("b", "a", "a"))
        (2,)
        """
        if not (isinstance(D, tuple) and isinstance(E, tuple)) or len(D) != len(E):
            return None
        return (sum(1 for a, b in zip(D, E, strict=True) if a != b),)

    def __str__(self) -> str:
        length = {
            "any": f"all {self.kind} of any length",
            "at most": f"all {self.kind} of length <= {self.sizes.n}",
            "exactly": f"all {self.kind} of length {self.sizes.n}",
        }[self.sizes.kind]
        over = "an arbitrary record universe" if self.arbitrary else f"{{{', '.join(self.records)}}}"
        at = "" if self.positions is None else f" at the {self.entry}s {', '.join(map(str, self.positions))}"
        return f"{length} over {over}{at}"


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


def _universe(records: tuple[str, ...], arbitrary: bool) -> tuple[str, ...]:
    """The record universe in order.  Raises ValueError where a record comes twice, or there is none."""
    if len(set(records)) != len(records):
        twice = next(a for a, times in Counter(records).items() if times > 1)
        raise ValueError(f"record {twice!r} is listed twice")
    if not records and not arbitrary:
        raise ValueError("a record universe needs at least one record")
    return tuple(sorted(records))


def _unnamed(records: tuple[str, ...]) -> tuple[str, str]:
    """Two names that no record has."""
    names = (stem + "'" * n for n in range(len(records) + 2) for stem in ("x", "y"))
    free = [name for name in names if name not in records]
    return free[0], free[1]


def refuse_if_large(databases: DatabaseClass) -> None:
    """Raises TooLarge where a class cannot be gone through, with its size and what would do."""
    count = databases.count()
    if count is None:
        raise TooLarge(
            f"{databases} cannot be listed: there are infinitely many. "
            "Give a finite record universe and a size limit, or maps and neighbours "
            "that read records one by one"
        )
    if count > LARGEST_CLASS:
        shown = f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"
        raise TooLarge(
            f"{databases}: {shown} databases, more than the {LARGEST_CLASS:,} that are gone through. "
            "A smaller size limit or fewer records would do"
        )


def multisets(records: Iterable[str] | None = None, size: str = "any") -> Multisets:
    """The class of all finite multisets over `records`: how often a record is there counts, its place not.

    records -- the record universe; None: an arbitrary one, and verdicts are worst cases over large ones;
    size -- how many records a database has: "any", "<= n" or "= n".

    >>> str(multisets({"child", "adult"}, size="<= 4"))
    'all multisets of size <= 4 over {adult, child}'
    """
    names = tuple(str(record) for record in records) if records is not None else ()
    return Multisets(names, Size.read(size), arbitrary=records is None)


def tuples(records: Iterable[str] | None = None, size: str = "any") -> Tuples:
    """The class of all tuples of `records`: the record at position i is that of the person i (GB Ex. IV.7).

    Positions 1, 2, … are identifiers: unlike in multisets it counts whose record is which.

    records -- the record universe; None: an arbitrary one of at least two records;
    size -- the length: "any", "<= n" or "= n".  Mechanisms that read `positions` need "= n".

    >>> answers = tuples({"yes", "no"}, size="= 4")
    >>> str(answers), ("yes", "no", "no", "no") in answers
    ('all tuples of length 4 over {no, yes}', True)
    """
    names = tuple(str(record) for record in records) if records is not None else ()
    return Tuples(names, Size.read(size), arbitrary=records is None)


def streams(records: Iterable[str] | None = None, size: str = "any") -> Streams:
    """The class of all streams: tuples over the time steps 1, 2, …, T, with one of `records` at each.

    What is said of `tuples` holds, positions being time steps; and there are `event` neighbours.

    records -- the record universe; None: an arbitrary one of at least two records;
    size -- the length T: "any", "<= n" or "= n".

    >>> import dpcompose as dpc
    >>> str(dpc.positions(1, 3).image(dpc.streams({"on", "off"}, "= 3")))
    'all streams of length 2 over {off, on} at the time steps 1, 3'
    """
    names = tuple(str(record) for record in records) if records is not None else ()
    return Streams(names, Size.read(size), arbitrary=records is None)


def listed(elements: Iterable[Database]) -> Listed:
    """The finite class of the given databases: any hashable values, no two of which print alike.

    What is found out about it holds for these databases and says nothing of others.

    >>> str(listed((x, y) for x in range(3) for y in range(3)))
    'the 9 listed databases'
    """
    return Listed(tuple(elements))
