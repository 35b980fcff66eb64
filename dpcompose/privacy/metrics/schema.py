"""The schema of problem files about privacy in metrics: what they say besides those about neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.privacy.checks import (
    FORMULA,
    NAME,
    TEXT,
    TITLE,
    TRUE_OR_FALSE,
    Check,
    Either,
    Found,
    ListOf,
    OneOf,
    Path_,
    Table,
    TableOf,
    Text,
    Whole,
    key,
    need,
)
from dpcompose.privacy.metric_tables import MetricTable
from dpcompose.privacy.neighbourhoods import GRANULARITY, GranularityTable
from dpcompose.privacy.schema import (
    BOUNDS,
    NOISES,
    NOT_YET,
    QUERIES,
    DatabasesTable,
    InMetric,
    MapTable,
    MetricGuaranteeTable,
    NoiseTable,
    ProbabilitiesTable,
    QueryTable,
    ReadsTable,
    check_family,
)


class PointsTable(Table):
    kind: str = need(OneOf("points"))
    coordinates: list[str] = need(ListOf(NAME, 1, 20))
    box: list[list[str]] | None = key(ListOf(BOUNDS))
    disc: str | None = key(FORMULA)

    def check(self) -> None:
        if self.box is not None and len(self.box) != len(self.coordinates):
            raise ValueError('a box has one interval for each coordinate: box = [["0", "1"], ["-oo", "oo"]]')
        if self.disc is not None and (self.box is not None or len(self.coordinates) != 2):
            raise ValueError("a disc is one of points with two coordinates, without a box")


class ByKind(Check):
    """A class of databases: points, a product, or one that files about neighbours have, too.

    product -- whether it may be a product.
    """

    def __init__(self, product: bool) -> None:
        self.own: dict[str, type[Table]] = {"points": PointsTable}
        if product:
            self.own["product"] = ProductTable

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        kind = value.get("kind") if isinstance(value, Mapping) else None
        table = self.own.get(kind, DatabasesTable) if isinstance(kind, str) else DatabasesTable
        return table.read(value, path, found)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        every: list[type[Table]] = [DatabasesTable, *self.own.values()]
        return {"anyOf": [one.schema(defs) for one in every]}


class ProductTable(Table):
    kind: str = need(OneOf("product"))
    parts: Mapping[str, PointsTable | DatabasesTable] = need(TableOf(ByKind(False), 1, 50))


class ValuesTable(Table):
    values: list[str] = need(ListOf(FORMULA, 1, 50))


class _Map(Check):
    """A map: the entries of its values in coordinates, or a table on a listed class."""

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        table = isinstance(value, Mapping) and not {"table", "recode"}.isdisjoint(value)
        return (MapTable if table else ValuesTable).read(value, path, found)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [ValuesTable.schema(defs), MapTable.schema(defs)]}


class MetricTargetTable(Table):
    metric: str | None = key(FORMULA)
    granularity: str | dict[str, Any] | None = key(GRANULARITY)

    def check(self) -> None:
        if (self.metric is None) == (self.granularity is None):
            raise ValueError("the target is a metric, or the neighbours of a granularity")


class MetricMechanismTable(Table):
    later = (*NOT_YET, "filter")

    name: str = need(NAME)
    guarantee: MetricGuaranteeTable | None = key(MetricGuaranteeTable)
    satisfies: list[MetricGuaranteeTable] | None = key(ListOf(MetricGuaranteeTable, 1, 20))
    reads: str | ReadsTable | None = key(Either(NAME, ReadsTable, word="oneOf"))
    query: str | QueryTable | None = key(Either(OneOf("count", "bit"), QueryTable, word="oneOf"))
    noise: NoiseTable | None = key(NoiseTable)
    index: str | None = key(NAME)
    count: str | None = key(FORMULA)
    repeat: int | None = key(Whole(1))
    table: str | None = key(NAME)
    study: str | None = key(NAME)
    post_processing: str | None = key(NAME, written="post-processing")

    def check(self) -> None:
        check_family(self.index, self.count, self.repeat)
        if self.satisfies is not None:
            beside: tuple[str, ...] = ("guarantee", "query", "noise", "table", "study")
            if given := [name for name in beside if getattr(self, name) is not None]:
                raise ValueError(f"satisfies lists all guarantees of a mechanism; leave out {given[0]}")
            return
        if self.study is not None:
            beside = ("guarantee", "query", "noise", "table")
            if given := [name for name in beside if getattr(self, name) is not None]:
                raise ValueError(f"a study has its own mechanisms: leave out {given[0]}")
            return
        if self.table is not None:
            if self.noise is not None:
                raise ValueError("what adds noise is given by that, and has no table; leave out one of them")
            if self.index is not None or self.repeat is not None:
                raise ValueError("a table of probabilities is that of one mechanism, and not of a family")
        elif (self.guarantee is None) == (self.noise is None):
            raise ValueError("a mechanism has a guarantee in a metric, or noise on what it reads; not both")
        if self.query is not None and self.noise is None:
            raise ValueError(f"without noise a query has no guarantee; {NOISES}")
        if self.query not in (None, "count"):
            raise ValueError(f'with metrics the query is "count"; {QUERIES} in a file about neighbours')


class MetricClaimTable(InMetric):
    expect: str | None = key(OneOf("proved", "refuted", "undecided"))


NOTHING: Mapping[str, Any] = {}


class _Study(Check):
    """A study in a file: the table below, once it is there."""

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        return MetricStudyTable.read(value, path, found)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return MetricStudyTable.schema(defs)


class MetricStudyTable(Table):
    later = ("partitions",)
    later_where = (
        " beside claims in metrics; claims for the neighbours of a target are, and X*d_NAME is one "
        "where NAME is the target"
    )

    title: str = key(TITLE, "")
    parameters: Mapping[str, str] = key(TableOf(FORMULA, names=Text()), NOTHING)
    databases: DatabasesTable | PointsTable | ProductTable | None = key(ByKind(True))
    granularities: Mapping[str, GranularityTable] = key(TableOf(GranularityTable), NOTHING)
    maps: Mapping[str, ValuesTable | MapTable] = key(TableOf(_Map()), NOTHING)
    metrics: Mapping[str, MetricTable] = key(TableOf(MetricTable, 0, 200), NOTHING)
    tables: Mapping[str, ProbabilitiesTable] = key(TableOf(ProbabilitiesTable), NOTHING)
    studies: Mapping[str, MetricStudyTable] = key(TableOf(_Study()), NOTHING)
    adaptive: bool = key(TRUE_OR_FALSE, False)
    target: MetricTargetTable | None = key(MetricTargetTable)
    mechanisms: list[MetricMechanismTable] = need(ListOf(MetricMechanismTable, 1, 200))
    assume: list[str] = key(ListOf(TEXT, 0, 100), [])


class MetricProblemTable(MetricStudyTable):
    format: int = need(OneOf(1))
    databases: DatabasesTable | PointsTable | ProductTable = need(ByKind(True))
    claims: Sequence[MetricClaimTable] = key(ListOf(MetricClaimTable, 0, 1000), [])
