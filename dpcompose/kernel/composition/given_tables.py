"""Mechanisms given as tables of probabilities: what a table is checked to have, and what its rows lose.

A row belongs to a database, or to a value that is read: then the mechanism depends on what it reads.  The
check itself is by a decider.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpcompose.kernel.composition.losses import NoLoss, mechanism_of
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.listed import related
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.tables.tables import Table
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term


def check(i: int, setting: Setting) -> None:
    """Raises ValueError unless the table of M_i has the guarantees that the setting says, and depends on
    what is read only."""
    mechanism = mechanism_of(setting, i)
    if mechanism.table is None or mechanism.stated is None or setting.databases.kind != "listed":
        raise NoLoss(f"{mechanism.name} is no table with a row for each of finitely many databases")
    table = Table.of(dict(enumerate(mechanism.table.rows)))
    read = _read(mechanism, setting)
    if mechanism.table.on == "databases":
        depends = table.check_depends(dict(enumerate(read)))
        if depends.verdict != "proved":
            raise NoLoss(f"{mechanism.name} is not seen to depend on what it reads only: {depends.words}")
    for n in range(len(mechanism.also) + 1):
        one = mechanism.with_only(n)
        promised = dict(one.values)
        finding = table.check(one.notion, ((x, y, promised) for x, y in _pairs(one, setting, read)))
        if finding.verdict != "proved":
            unknown = "not known to be" if finding.verdict == "undecided" else "not"
            raise NoLoss(f"{one.name} is {unknown} what its table shows: {finding.words}")


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


def rows_of(i: int, setting: Setting, type: Type) -> tuple[int, int]:
    """The numbers of the rows of M_i's table for the two databases of a type."""
    mechanism = mechanism_of(setting, i)
    x, y = (one for one in type.pair if isinstance(one, int))
    if mechanism.table is not None and mechanism.table.on == "inputs":
        read = _read(mechanism, setting)
        x, y = read[x], read[y]
    return x, y


def lost(i: int, setting: Setting, type: Type, forth: bool) -> Term:
    """The largest ln(P(o | E)/P(o | D)) of the table of M_i, for the two databases of a type in one order."""
    mechanism = mechanism_of(setting, i)
    assert mechanism.table is not None
    x, y = rows_of(i, setting, type)
    D, E = (x, y) if forth else (y, x)
    rows = mechanism.table.rows
    term = Table.of({"D": rows[D], "E": rows[E]}).loss("E", "D").log
    return term if term.kind == "oo" else terms.top(1, [term])
