"""Mechanisms as tables: written out, of randomized response, of the exponential mechanism, and together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided, Value
from dpcompose.kernel.deciders.tables import divergences
from dpcompose.kernel.deciders.tables.entries import power
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.symbols import Domain
from dpcompose.privacy.finite.findings import Outcome, outcome_text
from dpcompose.privacy.finite.probabilities import WrongTable, domains_of, in_domains, joined, read_entry
from dpcompose.privacy.finite.tables import ProbabilityTable
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.listed import Listed


def probability_table(
    rows: Mapping[Any, Sequence[object] | Mapping[Any, object]],
    outcomes: Iterable[Outcome] | None = None,
    on: DatabaseClass | None = None,
    parameters: Mapping[str, str] | None = None,
) -> ProbabilityTable:
    """The mechanism with P(M(D) = o) = rows[D][o], checked: entries ≥ 0, rows that add up to 1.

    rows -- for each database its probabilities, in the order of the outcomes, or by outcome, those left
    out being 0: numbers that are no floats, sympy expressions, or formulas such as "exp(e)/(1 + exp(e))";
    outcomes -- left out: those that the rows name, or 0, 1, 2, …;
    on -- the class; left out: the listed class of the databases that have a row;
    parameters -- the values of symbols where sympy cannot say it, as in `compose`.
    Raises WrongTable, which names the row.

    >>> import dpcompose as dpc
    >>> T = dpc.probability_table({"a": {"yes": "1/3", "no": "2/3"}, "b": {"no": 1}})
    >>> T["b", "yes"], T.loss(dpc.free_lunch).expression
    (0, oo)
    >>> dpc.probability_table({"a": ["1/3", "1/3"]})
    Traceback (most recent call last):
    dpcompose.privacy.finite.probabilities.WrongTable: row a: the probabilities add up to 2/3, not 1
    """
    if not rows or not isinstance(rows, Mapping):
        raise WrongTable('a table has a row for each database, by its name: {"a": ["1/2", "1/2"], ...}')
    named = [row for row in rows.values() if isinstance(row, Mapping)]
    if outcomes is None:
        length = max((len(row) for row in rows.values() if not isinstance(row, Mapping)), default=0)
        outcomes = dict.fromkeys(o for row in named for o in row) if named else range(length)
    columns = tuple(outcomes)
    domains = {name: Domain.read(words) for name, words in (parameters or {}).items()}
    read = {}
    for D, row in rows.items():
        if isinstance(row, Mapping):
            if strange := [o for o in row if o not in columns]:
                raise WrongTable(f"row {D}: {outcome_text(strange[0])} is none of the outcomes")
            row = [row.get(o, 0) for o in columns]
        read[D] = tuple(read_entry(D, entry, domains) for entry in row)
    return ProbabilityTable(Listed(tuple(rows)) if on is None else on, columns, read, domains)


def randomized_response_table(epsilon: object, values: Iterable[Hashable] = (0, 1)) -> ProbabilityTable:
    """Randomized response: the value itself with probability e^ε/(k − 1 + e^ε), each other equally.

    It is ε-DP where any two values are neighbours.  epsilon -- a number or formula ≥ 0; "log(3)" makes
    the probabilities rational; values -- the k ≥ 2 possible values, which are databases and outcomes.

    Raises ValueError for a formula that is none.

    >>> randomized_response_table("log(3)")[0, 0]
    3/4
    >>> T = randomized_response_table("e", "abc")
    >>> T["a", "a"], T["a", "b"]
    (exp(e)/(exp(e) + 2), 1/(exp(e) + 2))
    """
    values = tuple(values)
    own = formulas.term(epsilon)
    rows = {x: [own if x == y else terms.ZERO for y in values] for x in values}
    return _proportional(rows, values, None)


def exponential_mechanism_table(
    scores: Mapping[Any, Sequence[object] | Mapping[Any, object]],
    epsilon: object,
    sensitivity: object = 1,
    on: DatabaseClass | None = None,
) -> ProbabilityTable:
    """P(M(D) = o) proportional to e^{ε·u(D, o)/(2Δ)}: the exponential mechanism on a finite range.

    scores -- for each database the score u(D, o) of each outcome: rationals; sensitivity -- Δ > 0, by how
    much a score differs at most between neighbours: then M is ε-DP for them.

    epsilon -- ε, a number or formula.  Raises WrongTable, a ValueError, for a sensitivity that is none, or is
    exceeded.

    >>> from dpcompose.spaces.moves.built_in import free_lunch
    >>> T = exponential_mechanism_table({"a": {"x": 1, "y": 0, "z": 0}, "b": {"x": 0, "y": 0, "z": 1}}, "e")
    >>> T.loss(free_lunch).expression
    e/2
    """
    given, delta = formulas.term(epsilon), formulas.term(sensitivity).number
    if delta is None or delta <= 0:
        raise WrongTable(f"the sensitivity is a positive rational number, not {sensitivity}")
    named: dict[Database, Mapping[Any, object]] = {
        D: row if isinstance(row, Mapping) else dict(enumerate(row)) for D, row in scores.items()
    }
    outcomes = tuple(dict.fromkeys(o for row in named.values() for o in row))
    rows = {}
    for D, row in named.items():
        if missing := [o for o in outcomes if o not in row]:
            raise WrongTable(f"row {D}: there is no score for {outcome_text(missing[0])}")
        rows[D] = [given * formulas.term(row[o]) / (2 * delta) for o in outcomes]
    return _proportional(rows, outcomes, on)


def _proportional(
    exponents: Mapping[Database, Sequence[Term]], outcomes: Sequence[Outcome], on: DatabaseClass | None
) -> ProbabilityTable:
    """The table with probabilities proportional to powers of e."""
    domains: dict[str, Domain] = {}
    rows = {}
    for D, row in exponents.items():
        for exponent in row:
            domains |= domains_of(exponent, domains)
        try:
            values = [power(in_domains(exponent, domains)) for exponent in row]
        except NotDecided as error:
            raise WrongTable(f"row {D}: {error}") from None
        added = divergences.total(values, tuple(range(len(values))))
        rows[D] = tuple(exponentials.divided(value, added) for value in values)
    return ProbabilityTable(Listed(tuple(rows)) if on is None else on, tuple(outcomes), rows, domains)


def independent(*tables: ProbabilityTable) -> ProbabilityTable:
    """(M_1, …, M_k), independent, on the same databases: outcomes are tuples, probabilities multiply.

    tables -- on the same databases: of others it raises WrongTable, a ValueError.

    >>> from dpcompose.spaces.moves.built_in import free_lunch
    >>> T = randomized_response_table("e")
    >>> independent(T, T).loss(free_lunch).expression
    2*e
    """
    if not tables:
        raise WrongTable("at least one table is composed")
    if any(set(table.rows) != set(tables[0].rows) for table in tables):
        raise WrongTable("tables are composed on the same databases")
    domains: dict[str, Domain] = {}
    for table in tables:
        domains = joined(domains, table.domains)
    rows = {}
    for D in tables[0].rows:
        row: list[Value] = [Fraction(1)]
        for one in tables:
            row = [p * q for p in row for q in one.rows[D]]
        rows[D] = tuple(row)
    return ProbabilityTable(
        tables[0].databases, tuple(product(*(table.outcomes for table in tables))), rows, domains
    )
