"""The schema of the metrics that problem files name: [metrics.NAME]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpcompose.privacy.format.checks import FORMULA, NAME, ListOf, Table, Whole, Word, key
from dpcompose.privacy.format.neighbourhoods import GRANULARITY
from dpcompose.spaces.moves.built_in import BUILT_IN

NORMS = ("L1", "L2", "Linf")
"""The norms that metrics of points are."""
NAMES, NUMBERS = ListOf(NAME), ListOf(Whole(1))


class ReadRecordsTable(Table):
    records: list[str] | None = key(NAMES)
    positions: list[int] | None = key(NUMBERS)


class MetricTable(Table):
    of: str | None = key(NAME)
    norm: str | None = key(Word("norm", NORMS))
    granularity: str | dict[str, Any] | None = key(GRANULARITY)
    reads: ReadRecordsTable | None = key(ReadRecordsTable)
    letters: list[list[str]] | None = key(ListOf(NAMES, 2, 2))
    formula: str | None = key(FORMULA)
    table: list[list[str]] | None = key(ListOf(ListOf(FORMULA, 3, 3)))
    at_most: str | None = key(FORMULA, written="at-most")

    def check(self) -> None:
        given = [said is not None for said in (self.norm, self.granularity, self.formula, self.table)]
        if sum(given) > 1 or (not any(given) and self.at_most is None):
            raise ValueError(METRICS)
        if self.letters is not None and self.formula is None:
            raise ValueError("letters are those of a formula in coordinates")
        if self.reads is not None and self.granularity is None:
            raise ValueError("reads is about the records of which a granularity counts steps")
        if self.of is not None and self.formula is not None and self.letters is None:
            raise ValueError("a formula in other metrics is not of a part or map: these metrics are")


METRICS = (
    'a metric is norm = "L1", "L2" or "Linf"; granularity = "unbounded", for steps between neighbours, '
    'or { group = 2, of = "bounded" } and the like; '
    'table = [["a", "b", "2"]], for distances on a listed class; '
    'letters = [["a"], ["b"]] and formula = "abs(a - b)" in coordinates; formula in the metrics above it; '
    "or at-most alone, where only a bound is known"
)

CANONICAL = "d_"
"""What the names of canonical metrics start with."""


def canonical_names(granularities: Iterable[str]) -> dict[str, str]:
    """What formulas call the canonical metrics of granularities, these and those that have a name anywhere.

    >>> canonical_names(["mine"])["d_mine"], canonical_names([])["d_free_lunch"]
    ('mine', 'free-lunch')
    """
    return {CANONICAL + name.replace("-", "_"): name for name in (*BUILT_IN, *granularities)}
