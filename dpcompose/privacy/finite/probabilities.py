"""The entries of tables of probabilities: formulas in parameters, each with the values it may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided, Value
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.deciders.tables import divergences, entries
from dpcompose.kernel.deciders.tables.entries import NotExponential
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.symbols import Domain, domain_of
from dpcompose.privacy.finite.findings import Outcome, outcome_text, where
from dpcompose.spaces.classes.databases import Database

if TYPE_CHECKING:
    import sympy


class WrongTable(ValueError):
    """The probabilities are none, or do not fit together; the message says in which row."""


def joined(first: Mapping[str, Domain], second: Mapping[str, Domain]) -> dict[str, Domain]:
    """The parameters of two tables together.  Raises WrongTable where one letter stands for two things.

    >>> sorted(joined({"e": Domain.read("nonnegative")}, {"p": Domain.read("positive")}))
    ['e', 'p']
    """
    for name in {*first} & {*second}:
        if first[name] != second[name]:
            raise WrongTable(f"two parameters are called {name}: one is {first[name]}, one {second[name]}")
    return {**first, **second}


def domains_of(given: Term, known: Mapping[str, Domain]) -> dict[str, Domain]:
    """The domains of parameters that are not known yet, of sympy symbols by what these assume."""
    expression = formulas.given(given)
    if expression is None:
        return {name: domain for name, domain in given.letters.items() if name not in known}
    return {str(symbol): domain_of(symbol) for symbol in expression.free_symbols if str(symbol) not in known}


def in_domains(value: Term, known: Mapping[str, Domain]) -> Term:
    """A term with the domains that its parameters have here."""
    domains = {**domains_of(value, known), **known}
    return substitution.substituted(
        value, {name: terms.letter(name, domains[name]) for name in value.letters}
    )


def read_entry(D: Database, entry: object, domains: dict[str, Domain]) -> Value:
    """One entry; parameters that are new are added to the domains."""
    try:
        given = formulas.term(entry)
        domains |= domains_of(given, domains)
        return entries.read(in_domains(given, domains))
    except (formulas.FormulaError, terms.TermError, NotExponential, NotDecided) as error:
        raise WrongTable(f"row {D}: {error}") from None


def text(value: Value) -> str:
    """A probability as results write it."""
    return formulas.to_text(exponentials.as_term(value))


def expression(value: Value) -> sympy.Expr:
    """The same as a sympy expression."""
    return formulas.expression(exponentials.as_term(value))


def refuse_wrong_row(name: str, row: Sequence[Value], outcomes: Sequence[Outcome]) -> None:
    """Raises WrongTable where the row of a database is no distribution on the outcomes.

    >>> half = Fraction(1, 2)
    >>> refuse_wrong_row("a", [half, half / 2], ["yes", "no"])
    Traceback (most recent call last):
    dpcompose.privacy.finite.probabilities.WrongTable: row a: the probabilities add up to 3/4, not 1
    """
    if len(row) != len(outcomes):
        raise WrongTable(f"row {name} has {len(row)} probabilities for {len(outcomes)} outcomes")
    for outcome, p in zip(outcomes, row, strict=True):
        try:
            point = is_at_least(p, Fraction(0))
        except NotDecided as error:
            raise WrongTable(
                f"row {name}: nothing shows that P({outcome_text(outcome)}) = {text(p)} is never negative "
                f"({error})"
            ) from None
        if point is not None:
            raise WrongTable(f"row {name}: P({outcome_text(outcome)}) = {text(p)} is negative{where(point)}")
    added = divergences.total(row, tuple(range(len(row))))
    if not exponentials.same(added, Fraction(1)):
        raise WrongTable(f"row {name}: the probabilities add up to {text(added)}, not 1")


def equal_rows(row: Sequence[Value], other: Sequence[Value]) -> bool:
    """Whether two rows have the same entries."""
    return all(exponentials.same(p, q) for p, q in zip(row, other, strict=True))


def fraction(value: Value) -> Fraction:
    """An entry that is a rational number."""
    assert isinstance(value, Fraction)
    return value
