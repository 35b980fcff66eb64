"""The schema of problem files about privacy in metrics: what they say besides those about neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.privacy.checks import (
    FORMULA,
    NAME,
    Check,
    Either,
    Found,
    ListOf,
    OneOf,
    Path_,
    Table,
    TableOf,
    key,
    need,
)
from dpcompose.privacy.neighbourhoods import GRANULARITY
from dpcompose.privacy.schema import (
    BOUNDS,
    NOISES,
    NOTHING,
    QUERIES,
    Composed,
    DatabasesTable,
    InMetric,
    MapTable,
    MetricGuaranteeTable,
    QueryTable,
    ReadsTable,
    StatedTable,
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


class MetricMechanismTable(StatedTable):
    later = ("filter", "sampled")

    guarantee: MetricGuaranteeTable | None = key(MetricGuaranteeTable)
    satisfies: list[MetricGuaranteeTable] | None = key(ListOf(MetricGuaranteeTable, 1, 20))
    reads: str | ReadsTable | None = key(Either(NAME, ReadsTable, word="oneOf"))
    query: str | QueryTable | None = key(Either(OneOf("count", "bit"), QueryTable, word="oneOf"))

    def check_known(self) -> None:
        if self.study is not None:
            beside = ("guarantee", "query", "noise", "table")
            if given := [name for name in beside if getattr(self, name) is not None]:
                raise ValueError(f"a study has its own mechanisms: leave out {given[0]}")
            return
        if self.table is not None:
            if self.noise is not None:
                raise ValueError("what adds noise is given by that, and has no table; leave out one of them")
        elif (self.guarantee is None) == (self.noise is None):
            raise ValueError("a mechanism has a guarantee in a metric, or noise on what it reads; not both")
        if self.query is not None and self.noise is None:
            raise ValueError(f"without noise a query has no guarantee; {NOISES}")
        if self.query not in (None, "count"):
            raise ValueError(f'with metrics the query is "count"; {QUERIES} in a file about neighbours')


class MetricClaimTable(InMetric):
    expect: str | None = key(OneOf("proved", "refuted", "undecided"))


class _Study(Check):
    """A study in a file: the table below, once it is there."""

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        return MetricStudyTable.read(value, path, found)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return MetricStudyTable.schema(defs)


class MetricStudyTable(Composed):
    later = ("partitions",)
    later_where = (
        " beside claims in metrics; claims for the neighbours of a target are, and X*d_NAME is one "
        "where NAME is the target"
    )

    databases: DatabasesTable | PointsTable | ProductTable | None = key(ByKind(True))
    maps: Mapping[str, ValuesTable | MapTable] = key(TableOf(_Map()), NOTHING)
    studies: Mapping[str, MetricStudyTable] = key(TableOf(_Study()), NOTHING)
    target: MetricTargetTable | None = key(MetricTargetTable)
    mechanisms: list[MetricMechanismTable] = need(ListOf(MetricMechanismTable, 1, 200))


class MetricProblemTable(MetricStudyTable):
    format: int = need(OneOf(1))
    databases: DatabasesTable | PointsTable | ProductTable = need(ByKind(True))
    claims: Sequence[MetricClaimTable] = key(ListOf(MetricClaimTable, 0, 1000), [])
