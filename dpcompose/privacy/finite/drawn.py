"""Samples of the records of a database, each with its probability, and tables of what is run on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any, TypeAlias

from dpcompose.kernel.deciders.calculus.exponentials import Value
from dpcompose.privacy.finite.probabilities import WrongTable
from dpcompose.privacy.finite.tables import ProbabilityTable
from dpcompose.spaces.classes.databases import Database, DatabaseClass

Records: TypeAlias = tuple[Any, ...]
Letters: TypeAlias = Mapping[str, Fraction]


def _each_by_itself(D: Records, letters: Letters) -> Iterator[tuple[Records, Fraction]]:
    """Each record by itself."""
    s = letters["s"]
    if not 0 <= s <= 1:
        raise WrongTable(f"{s} is no probability")
    for kept in product((False, True), repeat=len(D)):
        drawn = tuple(x for x, stays in zip(D, kept, strict=True) if stays)
        yield drawn, s ** len(drawn) * (1 - s) ** (len(D) - len(drawn))


def _so_many(D: Records, letters: Letters) -> Iterator[tuple[Records, Fraction]]:
    """So many of the records."""
    m = _number(D, letters)
    yield from ((combination, Fraction(1, comb(len(D), m))) for combination in combinations(D, m))


def _some_of_more(D: Records, letters: Letters) -> Iterator[tuple[Records, Fraction]]:
    """So many of the records, of which there may be more than the least number."""
    return _so_many(D, {"m": letters["m"]})


def _draws(D: Records, letters: Letters) -> Iterator[tuple[Records, Fraction]]:
    """So many draws, with replacement."""
    m = _number(D, letters)
    yield from ((tuple(sorted(one, key=str)), Fraction(1, len(D) ** m)) for one in product(D, repeat=m))


def _number(D: Records, letters: Letters) -> int:
    """How many are drawn of so many records."""
    m, n = letters["m"], letters.get("n", Fraction(len(D)))
    if m < 1 or m.denominator > 1:
        raise WrongTable(f"{m} is no whole number from 1")
    if n != len(D):
        raise WrongTable(f"not all databases have {n} records: there is one with {len(D)}")
    return int(m)


DRAWN: Mapping[str, Callable[[Records, Letters], Iterator[tuple[Records, Fraction]]]] = {
    "poisson": _each_by_itself,
    "poisson-replaced": _each_by_itself,
    "poisson-either": _each_by_itself,
    "poisson-policy": _each_by_itself,
    "fixed": _so_many,
    "any-number": _some_of_more,
    "any-number-replaced": _some_of_more,
    "draws": _draws,
}
"""The samples of a database with their probabilities, by the word of their pages."""


def on_samples(table: ProbabilityTable, how: str, letters: Letters, on: DatabaseClass) -> ProbabilityTable:
    """M∘S on a class of collections of records: the row of D is the mixture of those of its samples.

    The coins of S are independent of those of M, and not published.  Raises WrongTable for a sample that has
    no row, or where there is none.
    """
    if not on.unordered:
        raise WrongTable(f"records are drawn of multisets and sets, not of {on}")
    rows: dict[Database, tuple[Value, ...]] = {}
    for D in on.databases():
        assert isinstance(D, tuple)
        values: list[Value] = [Fraction(0)] * len(table.outcomes)
        drawn = False
        for sample, probability in DRAWN[how](D, letters):
            if sample not in table.rows:
                raise WrongTable(f"there is no row for {sample!r}, a sample of {on.printed(D)}")
            values = [q + probability * p for q, p in zip(values, table.rows[sample], strict=True)]
            drawn = True
        if not drawn:
            raise WrongTable(f"{on.printed(D)} has no such sample")
        rows[D] = tuple(values)
    return ProbabilityTable(on, table.outcomes, rows, table.domains)
