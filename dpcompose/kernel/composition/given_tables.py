"""Mechanisms given as tables of probabilities: what a table is checked to have, and what its rows lose.

A row belongs to a database, or to a value that is read: then the mechanism depends on what it reads.  The
check itself is by a decider.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from dpcompose.kernel.composition.losses import NoLoss, mechanism_of
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.listed import related
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.calculus.exponentials import Point, value_at
from dpcompose.kernel.deciders.curves.tradeoffs import Known
from dpcompose.kernel.deciders.tables.divergences import Row
from dpcompose.kernel.deciders.tables.entries import read
from dpcompose.kernel.deciders.tables.tables import Table
from dpcompose.kernel.deciders.tables.together import Both, together
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

Pair = tuple[int, int]


def check(i: int, setting: Setting) -> None:
    """Raises ValueError unless the table of M_i has the guarantees that the setting says, and depends on
    what is read only."""
    mechanism = mechanism_of(setting, i)
    if mechanism.table is None or mechanism.stated is None or not setting.databases.listed:
        raise NoLoss(f"{mechanism.name} is no table with a row for each of finitely many databases")
    table = Table.of(dict(enumerate(mechanism.table.rows)))
    read = _read(mechanism, setting)
    if mechanism.table.on == "databases":
        depends = table.check_depends(dict(enumerate(read)))
        if depends.verdict != "proved":
            raise NoLoss(f"{mechanism.name} is not seen to depend on what it reads only: {depends.words}")
    for n in range(len(mechanism.also) + 1):
        alone = mechanism.with_only(n)
        promised, orders = dict(alone.values), None
        if alone.curve is not None:
            promised, orders = {key: alone.curve.value for key in promised}, alone.curve.orders
        pairs = ((x, y, promised) for x, y in _pairs(alone, setting, read))
        finding = table.check(alone.notion, pairs, orders)
        if finding.verdict != "proved":
            unknown = "not known to be" if finding.verdict == "undecided" else "not"
            raise NoLoss(f"{alone.name} is {unknown} what its table shows: {finding.words}")


def _read(mechanism: Mechanism, setting: Setting) -> tuple[int, ...]:
    """For each database the number of the value that is read."""
    values = mechanism.reads[0]
    return tuple(range(setting.databases.count)) if values is None else values


def _pairs(mechanism: Mechanism, setting: Setting, read: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The rows of neighbours for which the guarantee is stated.

    On its own domain, neighbours are pairs of values; on the common one, of databases, whose values have
    the rows if these belong to values: the push-forward.
    """
    assert mechanism.stated is not None and mechanism.table is not None
    own = mechanism.domain == "own"
    count = max(read, default=-1) + 1 if own else setting.databases.count
    for x, y in related(mechanism.stated, count):
        if own or mechanism.table.on == "databases":
            yield x, y
        elif read[x] != read[y]:
            yield read[x], read[y]


@frozen
class Together:
    """The tables of a setting as one mechanism, at two listed databases: rows belong to the databases.

    Raises NoLoss of a setting that is not about a listed class and its neighbours.
    """

    setting: Setting

    @cached_property
    def neighbours(self) -> list[Pair]:
        """All pairs of neighbours, of which those with other rows in the same order are one."""
        setting = self.setting
        if not setting.databases.listed or setting.distances or setting.target.times is not None:
            raise NoLoss("tables are compared row by row for the neighbours of a listed class")
        first: dict[frozenset[tuple[int, ...]], Pair] = {}
        for x, y in related(setting.target, setting.databases.count):
            told = frozenset((self._told(x), self._told(y)))
            first.setdefault(told if len(told) > 1 else frozenset(), (x, y))
            if len(first) > MOST_NEIGHBOURS:
                raise NoLoss(f"more than {MOST_NEIGHBOURS:,} neighbours are not gone through by rows")
        return list(first.values())

    def are_neighbours(self, x: int, y: int) -> bool:
        """Whether two databases are neighbours."""
        _ = self.neighbours
        return (min(x, y), max(x, y)) in related(self.setting.target, self.setting.databases.count)

    def moving(self, x: int, y: int) -> list[int]:
        """The tables that have other rows at two databases, by the numbers of the mechanisms."""
        every = enumerate(zip(self.setting.mechanisms, self._numbers, strict=True), start=1)
        return [i for i, (mechanism, rows) in every if mechanism.table is not None and rows[x] != rows[y]]

    def _told(self, x: int) -> tuple[int, ...]:
        """What all mechanisms do, and read, at a database."""
        return tuple(number[x] for number in self._numbers)

    @cached_property
    def _numbers(self) -> list[Sequence[int]]:
        """For each mechanism the numbers of its rows by database; equal rows have one.  Without a table, of
        the value that is read."""
        numbers: list[Sequence[int]] = []
        for mechanism in self.setting.mechanisms:
            read = _read(mechanism, self.setting)
            if mechanism.table is None:
                numbers.append(read)
                continue
            known: dict[Row, int] = {}
            own = [known.setdefault(row, len(known)) for row in self._rows(mechanism)]
            numbers.append(own if mechanism.table.on == "databases" else [own[x] for x in read])
        return numbers

    def _rows(self, mechanism: Mechanism) -> tuple[Row, ...]:
        assert mechanism.table is not None
        if mechanism.count is not None:
            raise NoLoss(f"the table of {mechanism.name} is that of a family")
        if mechanism.name not in self._checked:
            table = Table.of(dict(enumerate(mechanism.table.rows)))
            self._checked[mechanism.name] = tuple(map(tuple, table.rows.values()))
        return self._checked[mechanism.name]

    @cached_property
    def _checked(self) -> dict[str, tuple[Row, ...]]:
        """The rows of tables that were checked, by the names of mechanisms."""
        return {}

    def at(self, x: int, y: int, whole: bool = True) -> Both:
        """The distributions of all outcomes at two databases.

        whole -- whether all mechanisms are meant: then what reads something else is a table.
        """
        moving = []
        for i, (mechanism, numbers) in enumerate(zip(self.setting.mechanisms, self._numbers, strict=True)):
            if numbers[x] == numbers[y]:
                continue
            if mechanism.table is None:
                if whole:
                    raise NoLoss(f"{mechanism.name} is no table, and reads something else there")
                continue
            moving.append(self._at(i, x, y))
        return together(moving)

    def _at(self, i: int, x: int, y: int) -> Both:
        mechanism = self.setting.mechanisms[i]
        assert mechanism.table is not None
        read, rows = _read(mechanism, self.setting), self._rows(mechanism)
        on = mechanism.table.on == "databases"
        return (rows[x], rows[y]) if on else (rows[read[x]], rows[read[y]])


MOST_NEIGHBOURS = 20_000
"""The most neighbours with different rows that are gone through."""


def rows_of(i: int, setting: Setting, type: Type) -> tuple[int, int]:
    """The numbers of the rows of M_i's table for the two databases of a type."""
    x, y = (database for database in type.pair if isinstance(database, int))
    return _numbers_of_rows(mechanism_of(setting, i), setting, (x, y))


def _numbers_of_rows(mechanism: Mechanism, setting: Setting, pair: Pair) -> Pair:
    """The rows that belong to two databases, or to the values that are read of them."""
    if mechanism.table is None or mechanism.table.on == "databases":
        return pair
    read, (x, y) = _read(mechanism, setting), pair
    return read[x], read[y]


def piece(i: int, setting: Setting, type: Type, at: Point) -> Known | None:
    """What the table of M_i has at the two databases of a type, at a point; None where it has none, or one
    that is not of rational numbers there.  Raises NoLoss where these are no probabilities."""
    mechanism = mechanism_of(setting, i)
    if mechanism.table is None:
        return None
    if mechanism.count is not None:
        raise NoLoss(f"the table of {mechanism.name} is that of a family")
    rows = []
    for n in rows_of(i, setting, type):
        row = [value_at(read(term), at) for term in mechanism.table.rows[n]]
        numbers = [p for p in row if isinstance(p, Fraction)]
        if len(numbers) < len(row):
            return None
        if min(numbers) < 0 or sum(numbers) != 1:
            raise NoLoss(f"a row of {mechanism.name} has no probabilities")
        rows.append(numbers)
    return Known(tuple(zip(*rows, strict=True)))


def lost(i: int, setting: Setting, type: Type, forth: bool) -> Term:
    """The largest ln(P(o | E)/P(o | D)) of the table of M_i, for the two databases of a type in one order."""
    mechanism = mechanism_of(setting, i)
    assert mechanism.table is not None
    x, y = rows_of(i, setting, type)
    D, E = (x, y) if forth else (y, x)
    rows = mechanism.table.rows
    term = Table.of({"D": rows[D], "E": rows[E]}).loss("E", "D")
    return term if term.kind == "oo" else terms.top(1, [term])
