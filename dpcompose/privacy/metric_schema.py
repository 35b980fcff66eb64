"""The schema of problem files about privacy in a metric, as pydantic models; see `metric_problems`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from dpcompose.privacy.schema import Formula, Name, NoiseTable, Title, Word
from dpcompose.spaces.points import NORMS


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


PARTS = ("points", "multisets", "tuples", "streams")


class PartTable(_Table):
    kind: Annotated[str, BeforeValidator(Word("kind", PARTS))]
    coordinates: Annotated[list[Name], Field(min_length=1, max_length=20)] | None = None
    box: list[Annotated[list[Formula], Field(min_length=2, max_length=2)]] | None = None
    disc: Formula | None = None
    records: list[Name] | None = None
    size: str = "any"

    @model_validator(mode="after")
    def _fits(self) -> PartTable:
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
        return self


class MetricDatabasesTable(PartTable):
    kind: Annotated[str, BeforeValidator(Word("kind", (*PARTS, "product"), ("graphs", "listed")))]
    parts: Annotated[dict[Name, PartTable], Field(min_length=1, max_length=50)] | None = None

    @model_validator(mode="after")
    def _product(self) -> MetricDatabasesTable:
        if (self.kind == "product") != (self.parts is not None):
            raise ValueError(
                'a product has parts, each with its kind: [databases.parts.NAME] kind = "points"'
            )
        if self.kind == "product" and self.model_fields_set != {"kind", "parts"}:
            raise ValueError("what the databases are made of is said of each part of a product")
        return self


class ValuesTable(_Table):
    values: Annotated[list[Formula], Field(min_length=1, max_length=50)]


class ReadRecordsTable(_Table):
    records: list[Name] | None = None
    positions: list[Annotated[int, Field(ge=1)]] | None = None


class MetricTable(_Table):
    of: Name | None = None
    norm: Annotated[str, BeforeValidator(Word("norm", tuple(NORMS)))] | None = None
    granularity: Name | None = None
    reads: ReadRecordsTable | None = None
    letters: Annotated[list[list[Name]], Field(min_length=2, max_length=2)] | None = None
    formula: Formula | None = None
    at_most: Formula | None = Field(default=None, alias="at-most")

    @model_validator(mode="after")
    def _one(self) -> MetricTable:
        given = [one is not None for one in (self.norm, self.granularity, self.formula)]
        if sum(given) > 1 or (not any(given) and self.at_most is None):
            raise ValueError(METRICS)
        if self.letters is not None and self.formula is None:
            raise ValueError("letters are those of a formula in coordinates")
        if self.reads is not None and self.granularity is None:
            raise ValueError("reads is about the records of which a granularity counts steps")
        if self.of is not None and self.formula is not None and self.letters is None:
            raise ValueError("a formula in other metrics is not of a part or map: these metrics are")
        return self


METRICS = (
    'a metric is norm = "L1", "L2" or "Linf"; granularity = "unbounded", for steps between neighbours; '
    'letters = [["a"], ["b"]] and formula = "abs(a - b)" in coordinates; formula in the metrics above it; '
    "or at-most alone, where only a bound is known"
)


class MetricTargetTable(_Table):
    metric: Formula


class MetricGuaranteeTable(_Table):
    notion: Annotated[
        str, BeforeValidator(Word("notion", ("pure",), ("approximate", "zcdp", "gaussian", "renyi")))
    ]
    metric: Formula


class MetricMechanismTable(_Table):
    name: Name
    guarantee: MetricGuaranteeTable | None = None
    reads: Name | None = None
    noise: NoiseTable | None = None

    @model_validator(mode="after")
    def _known(self) -> MetricMechanismTable:
        if (self.guarantee is None) == (self.noise is None):
            raise ValueError("a mechanism has a guarantee in a metric, or noise on what it reads; not both")
        if self.guarantee is not None and self.reads is not None:
            raise ValueError("the metrics of its guarantee say what a mechanism reads; leave out reads")
        return self


class MetricClaimTable(_Table):
    notion: Literal["pure"]
    metric: Formula | None = None
    epsilon: Formula | None = None
    expect: Literal["proved", "refuted", "undecided"] | None = None

    @model_validator(mode="after")
    def _one(self) -> MetricClaimTable:
        if (self.metric is None) == (self.epsilon is None):
            raise ValueError("a claim is a metric, or an epsilon: so many times the metric of the target")
        return self


class MetricProblemTable(_Table):
    format: Literal[1]
    title: Title = ""
    parameters: dict[str, Formula] = {}
    databases: MetricDatabasesTable
    maps: dict[Name, ValuesTable] = {}
    metrics: Annotated[dict[Name, MetricTable], Field(min_length=1, max_length=200)]
    adaptive: bool = False
    target: MetricTargetTable | None = None
    mechanisms: Annotated[list[MetricMechanismTable], Field(min_length=1, max_length=200)]
    claims: Annotated[list[MetricClaimTable], Field(max_length=1000)] = []


TABLES: dict[tuple[str, ...], type[BaseModel]] = {
    (): MetricProblemTable,
    ("databases",): MetricDatabasesTable,
    ("databases", "parts", "*"): PartTable,
    ("maps", "*"): ValuesTable,
    ("metrics", "*"): MetricTable,
    ("target",): MetricTargetTable,
    ("mechanisms", "*"): MetricMechanismTable,
    ("mechanisms", "*", "guarantee"): MetricGuaranteeTable,
    ("mechanisms", "*", "noise"): NoiseTable,
    ("claims", "*"): MetricClaimTable,
}
"""The table of the schema at each key path; * is a name or a number."""
