"""Any two databases of records, or of cells, told by letters: how many of each kind D has more, and E.

How far apart what is read is depends on these numbers only.  So finitely many cases are all pairs of
databases, those of any size as well: in each the numbers are sums of letters for whole numbers from 0, and
each distance is one formula in them, or ∞.  In classes of limited size letters may have values that no two
databases have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.covers.differing import (
    MOST_RECORDS,
    Case,
    Form,
    OfCells,
    OfRecords,
    is_counted,
    substituted_in,
    with_one_more,
)
from dpcompose.kernel.covers.types import NoCover, Pair
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ZERO, Term, add
from dpcompose.kernel.library.theory import NoPage, Theory

KINDS: Mapping[str, type[OfRecords | OfCells]] = {"records": OfRecords, "cells": OfCells}
MOST_CASES = 10_000
"""The most cases that two databases are told apart into."""


@frozen
class Alternative:
    """One of the cases that two databases fall into.

    far -- distances by their names: formulas in letters, or ∞;
    counts -- for each class of atoms that no distance tells apart how many records D has more, and E, in
    these letters; of cells how many differ, twice.
    """

    far: Mapping[str, Term]
    counts: Case


class Counts:
    """All pairs of databases of a part, and how far apart what is read of them is.

    name -- the part's: its letters begin with it;
    inputs -- by the names of the distances what is read, and in which steps it is counted, or the noise whose
    query is a count.  Raises NoCover for other parts and inputs.
    """

    def __init__(self, name: str, part: Databases, inputs: Mapping[str, Mechanism], theory: Theory) -> None:
        kind = KINDS.get(part.kind)
        if kind is None or part.of != "multisets" or part.letter is not None:
            raise NoCover(
                f"any two databases of {part.shown or part.kind} are not told by how many records differ; "
                "multisets of any size, or of one that is a number, would do, or a class of few databases"
            )
        self._inputs, self._forms = inputs, dict[str, Form]()
        self._kind = kind(name, part, inputs, theory)

    def _form(self, name: str) -> Form:
        if name not in self._forms:
            try:
                self._forms[name] = self._kind.form(self._inputs[name])
            except NoPage as error:
                raise NoCover(f"how far apart any two databases are in {name}: {error}") from None
        return self._forms[name]

    def pages(self, name: str) -> tuple[str, ...]:
        """By which a distance is known."""
        return self._form(name).pages

    def equal(self) -> Alternative:
        """Both databases are the same."""
        return Alternative(dict.fromkeys(self._inputs, ZERO), ((ZERO, ZERO),) * len(self._kind.classes))

    def alternatives(self, names: Collection[str]) -> list[Alternative]:
        """The cases in which the distances of these names are formulas, or ∞; together they are all pairs.

        Raises NoCover where a distance is no formula in how much differs.
        """
        forms = {name: self._form(name) for name in names}
        cases = self._kind.cases({form.inside for form in forms.values() if form.same_size})
        for inside in dict.fromkeys(form.inside for form in forms.values() if form.whether):
            cases = [one for case in cases for one in _equal_or_not(case, inside)]
            if len(cases) > MOST_CASES:
                raise NoCover(
                    f"two databases fall into more than {MOST_CASES:,} cases; fewer distances would do"
                )
        distinct = dict.fromkeys(cases)
        return [Alternative({name: form.of(case) for name, form in forms.items()}, case) for case in distinct]

    def databases(self, counts: Sequence[tuple[int, int]]) -> Pair:
        """Two databases that differ so; of cells the values, a or b.  Raises NoCover where there are none."""
        if len(counts) != len(self._kind.classes) or any(n < 0 for count in counts for n in count):
            raise NoCover(f"there are two numbers >= 0 for each of {len(self._kind.classes)} classes")
        if sum(n for count in counts for n in count) > MOST_RECORDS:
            raise NoCover(f"the databases would differ in more than {MOST_RECORDS:,} records")
        return self._kind.databases(counts)


def _equal_or_not(case: Case, inside: Iterable[int]) -> list[Case]:
    """The case in which nothing of some classes differs, and those in which something does."""
    total = add(count for n in inside for count in case[n])
    if total == ZERO or is_counted(total):
        return [case]
    equal = substituted_in(case, dict.fromkeys(total.letters, ZERO))
    return [equal, *(with_one_more(case, name) for name in total.letters)]
