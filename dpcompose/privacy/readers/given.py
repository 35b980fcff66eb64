"""What mechanisms of problem files are given by: noise, rows of probabilities, how many there are."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy.format.checks import Mistakes, Place, near, shown
from dpcompose.privacy.format.schema import MechanismTable, NoiseTable, ProbabilitiesTable
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.privacy.readers.names import Names
from dpcompose.spaces.classes.databases import Database

Read = Callable[[str, str, Place], Term | None]
"""What a formula means under a key of a path; None where it means nothing, which is told."""


def noise_of(given: NoiseTable, read: Read, parameters: Names, path: Place) -> Noise | None:
    """The noise with its parameter; a probability that is a bare name lies in (0,1)."""
    at = (*path, "noise", given.word)
    parameter, mistakes = read(given.parameter, given.word, at), parameters.mistakes
    if parameter is None:
        return None
    every = [(key, read(text, key, (*path, "noise", key))) for key, text in given.further.items()]
    further = tuple((key, term) for key, term in every if term is not None)
    if len(further) < len(every):
        return None
    noise = Noise(given.word, parameter, mistakes.own.noises.get(given.word), further)
    if unfit := noise.unfit(parameters.domains, parameters.known_so_far):
        mistakes.wrong(at, unfit)
        return None
    return noise


def rows_of(
    name: str,
    tables: Mapping[str, ProbabilitiesTable],
    is_listed: bool,
    read: Read,
    mistakes: Mistakes,
    path: Place,
) -> dict[Database, list[Term]] | None:
    """The rows of the table of a name, on a class that is to be listed; path -- that of the mechanism."""
    if name not in tables:
        mistakes.wrong((*path, "table"), f"there is no table {shown(name)}{near(name, tables)}")
        return None
    if not is_listed:
        mistakes.wrong((*path, "table"), "a table of probabilities needs a listed class")
        return None
    rows: dict[Database, list[Term]] = {}
    for D, row in tables[name].rows.items():
        every = [read(p, "", ("tables", name, "rows", D)) for p in row]
        rows[D] = [p for p in every if p is not None]
        if len(rows[D]) < len(row):
            return None
    return rows


def members_of(
    given: MechanismTable, parameters: Names, taken: Container[str | None], path: Place
) -> Term | None:
    """How many mechanisms a family has; None for a single one.  taken -- names that mean something."""
    if given.repeat is not None:
        return terms.number(given.repeat)
    if given.count is None:
        return None
    if given.index in taken or given.index in formulas.RESERVED:
        parameters.mistakes.wrong(
            (*path, "index"), f"{given.index} has a meaning already; use another letter"
        )
    try:
        return kernel.parse(given.count, parameters.symbols)
    except formulas.FormulaError as error:
        hint = 'list it under [parameters], as "integer >= 2"'
        parameters.mistakes.wrong((*path, "count"), f"{error.message}; {hint}")
        return None
