"""The schema of problem files about privacy in a metric; see `metric_problems`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpcompose.privacy.checks import (
    FORMULA,
    NAME,
    TEXT,
    TITLE,
    TRUE_OR_FALSE,
    ListOf,
    OneOf,
    Table,
    TableOf,
    Text,
    Word,
    key,
    need,
)
from dpcompose.privacy.schema import BOUNDS, NAMES, NUMBERS, NoiseTable
from dpcompose.spaces.points import NORMS

PARTS = ("points", "multisets", "tuples", "streams")


class PartTable(Table):
    kind: str = need(Word("kind", PARTS))
    coordinates: list[str] | None = key(ListOf(NAME, 1, 20))
    box: list[list[str]] | None = key(ListOf(BOUNDS))
    disc: str | None = key(FORMULA)
    records: list[str] | None = key(NAMES)
    size: str = key(TEXT, "any")

    def check(self) -> None:
        about_points = self.coordinates is not None or self.box is not None or self.disc is not None
        if self.kind == "points" and (self.records is not None or self.size != "any"):
            raise ValueError("records and size are about records; points have coordinates")
        if self.kind == "points" and self.coordinates is None:
            raise ValueError('points need their coordinates: coordinates = ["x", "y"]')
        if self.kind != "points" and about_points:
            raise ValueError(f"coordinates, box and disc are about points; {self.kind} have records")
        if self.box is not None and len(self.box) != len(self.coordinates or ()):
            raise ValueError('a box has one interval for each coordinate: box = [["0", "1"], ["-oo", "oo"]]')
        if self.disc is not None and (self.box is not None or len(self.coordinates or ()) != 2):
            raise ValueError("a disc is one of points with two coordinates, without a box")


class MetricDatabasesTable(PartTable):
    kind: str = need(Word("kind", (*PARTS, "product"), ("graphs", "listed")))
    parts: Mapping[str, PartTable] | None = key(TableOf(PartTable, 1, 50))

    def check(self) -> None:
        super().check()
        if (self.kind == "product") != (self.parts is not None):
            raise ValueError(
                'a product has parts, each with its kind: [databases.parts.NAME] kind = "points"'
            )
        if self.kind == "product" and self.given != {"kind", "parts"}:
            raise ValueError("what the databases are made of is said of each part of a product")


class ValuesTable(Table):
    values: list[str] = need(ListOf(FORMULA, 1, 50))


class ReadRecordsTable(Table):
    records: list[str] | None = key(NAMES)
    positions: list[int] | None = key(NUMBERS)


class MetricTable(Table):
    of: str | None = key(NAME)
    norm: str | None = key(Word("norm", tuple(NORMS)))
    granularity: str | None = key(NAME)
    reads: ReadRecordsTable | None = key(ReadRecordsTable)
    letters: list[list[str]] | None = key(ListOf(NAMES, 2, 2))
    formula: str | None = key(FORMULA)
    at_most: str | None = key(FORMULA, written="at-most")

    def check(self) -> None:
        given = [one is not None for one in (self.norm, self.granularity, self.formula)]
        if sum(given) > 1 or (not any(given) and self.at_most is None):
            raise ValueError(METRICS)
        if self.letters is not None and self.formula is None:
            raise ValueError("letters are those of a formula in coordinates")
        if self.reads is not None and self.granularity is None:
            raise ValueError("reads is about the records of which a granularity counts steps")
        if self.of is not None and self.formula is not None and self.letters is None:
            raise ValueError("a formula in other metrics is not of a part or map: these metrics are")


METRICS = (
    'a metric is norm = "L1", "L2" or "Linf"; granularity = "unbounded", for steps between neighbours; '
    'letters = [["a"], ["b"]] and formula = "abs(a - b)" in coordinates; formula in the metrics above it; '
    "or at-most alone, where only a bound is known"
)


class MetricTargetTable(Table):
    metric: str = need(FORMULA)


class MetricGuaranteeTable(Table):
    notion: str = need(Word("notion", ("pure",), ("approximate", "zcdp", "gaussian", "renyi")))
    metric: str = need(FORMULA)


class MetricMechanismTable(Table):
    name: str = need(NAME)
    guarantee: MetricGuaranteeTable | None = key(MetricGuaranteeTable)
    reads: str | None = key(NAME)
    noise: NoiseTable | None = key(NoiseTable)

    def check(self) -> None:
        if (self.guarantee is None) == (self.noise is None):
            raise ValueError("a mechanism has a guarantee in a metric, or noise on what it reads; not both")
        if self.guarantee is not None and self.reads is not None:
            raise ValueError("the metrics of its guarantee say what a mechanism reads; leave out reads")


class MetricClaimTable(Table):
    notion: str = need(OneOf("pure"))
    metric: str | None = key(FORMULA)
    epsilon: str | None = key(FORMULA)
    expect: str | None = key(OneOf("proved", "refuted", "undecided"))

    def check(self) -> None:
        if (self.metric is None) == (self.epsilon is None):
            raise ValueError("a claim is a metric, or an epsilon: so many times the metric of the target")


NOTHING: Mapping[str, str] = {}


class MetricProblemTable(Table):
    format: int = need(OneOf(1))
    title: str = key(TITLE, "")
    parameters: Mapping[str, str] = key(TableOf(FORMULA, names=Text()), NOTHING)
    databases: MetricDatabasesTable = need(MetricDatabasesTable)
    maps: Mapping[str, ValuesTable] = key(TableOf(ValuesTable), NOTHING)
    metrics: Mapping[str, MetricTable] = need(TableOf(MetricTable, 1, 200))
    adaptive: bool = key(TRUE_OR_FALSE, False)
    target: MetricTargetTable | None = key(MetricTargetTable)
    mechanisms: list[MetricMechanismTable] = need(ListOf(MetricMechanismTable, 1, 200))
    claims: Sequence[MetricClaimTable] = key(ListOf(MetricClaimTable, 0, 1000), [])
    assume: list[str] = key(ListOf(TEXT, 0, 100), [])

    def check(self) -> None:
        if self.assume:
            raise ValueError(
                "relations between parameters (assume) are not supported yet in files with metrics"
            )
