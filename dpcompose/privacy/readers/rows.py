"""Tables of probabilities in problems about metrics: what they lose between any two databases of a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.privacy.finite.probabilities import WrongTable
from dpcompose.privacy.finite.tables import ProbabilityTable
from dpcompose.privacy.finite.tabulated import probability_table
from dpcompose.spaces.canonical.compared import Lost
from dpcompose.spaces.classes.databases import Database
from dpcompose.spaces.inputs.maps import Map, everything

Row = Sequence[Term]


def lost(
    name: str,
    rows: Mapping[Database, Row],
    outcomes: Sequence[str],
    domains: Mapping[str, Domain],
    is_positive: Callable[[Term], bool],
    elements: Sequence[Database],
    reads: Map,
) -> tuple[Lost, ProbabilityTable]:
    """The metric that a table is, how far its rows are apart, and the table.

    elements -- the databases of the class; rows -- for each of them, or each value of what is read;
    is_positive -- whether a formula surely is.  Raises WrongTable where rows are no distributions, or do not
    fit the class, or where what is read does not say which row it is.
    """
    used = {letter for row in rows.values() for p in row for letter in p.letters}
    words = {letter: str(domain) for letter, domain in domains.items() if letter in used}
    table = probability_table(rows, outcomes, parameters=words)
    exact = {D: tuple(table.probability(D, outcome) for outcome in outcomes) for D in rows}
    for D, row in exact.items():
        for p in row:
            if p != ZERO and not is_positive(p):
                raise WrongTable(
                    f"row {D}: {to_text(p)} is not known to be positive for all allowed parameters"
                )
    read = {D: reads(D) for D in elements}
    of_inputs = set(exact) == set(read.values()) and set(exact) != set(elements)
    row_of = {D: exact.get(x if of_inputs else D) for D, x in read.items()}
    if missing := sorted(str(D) for D, row in row_of.items() if row is None):
        where = "the class" if reads == everything else f"the class, or value of {reads.written('D')}"
        raise WrongTable(f"there is to be a row for each database of {where}: {missing[0]} has none")
    if extra := sorted(map(str, set(exact) - set(read.values() if of_inputs else read))):
        raise WrongTable(f"there is a row for {extra[0]}, which is no database of the class")
    first: dict[Database, Database] = {}
    for D, x in read.items():
        if row_of[first.setdefault(x, D)] != row_of[D]:
            raise WrongTable(
                f"it depends on more than {reads.written('D')}, which is {x} for both {first[x]} and {D}"
            )
    distance = Lost("", name, {D: row for D, row in row_of.items() if row is not None}, tuple(outcomes))
    return distance, table
