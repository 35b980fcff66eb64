"""The schema of problem files: their tables, and mistakes in words.

All mistakes come at once, each with its key path and, where it is known, its line.  A key of
the format that is not supported yet is refused as such, never as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
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
    OrOwn,
    Path_,
    Table,
    TableOf,
    Text,
    Whole,
    Word,
    formula,
    key,
    need,
)
from dpcompose.privacy.metric_tables import MetricTable
from dpcompose.privacy.neighbourhoods import GRANULARITY, PAIRS, GranularityTable
from dpcompose.privacy.noise_tables import NOISES as NOISES
from dpcompose.privacy.noise_tables import NoiseTable as NoiseTable
from dpcompose.privacy.notions import FILE_KEYS
from dpcompose.spaces.classes.lines import Line, read_ranges
from dpcompose.spaces.inputs.queries import MOST_BINS

KINDS = ("multisets", "sets", "sequences", "tuples", "streams", "tables", "graphs", "listed")


NAMES = ListOf(NAME)
NUMBERS = ListOf(Whole(1))


class _Ranges(Check):
    """Numbers: "all", an interval as a text, with both its ends as a list, or a list of texts."""

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        try:
            read_ranges(value)
        except ValueError as error:
            found.wrong(path, error)
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        number = {"type": ["string", "number"]}
        return {"anyOf": [{"type": "string"}, {"items": number, "type": "array"}]}


RANGES = _Ranges()


class LineTable(Table):
    integers: Any = key(RANGES)
    reals: Any = key(RANGES)

    def data(self) -> dict[str, Any]:
        """The table as files write it."""
        return {name: getattr(self, name) for name in sorted(self.given)}

    def check(self) -> None:
        Line.read(self.data())


class BetweenTable(Table):
    between: Any = need(RANGES)

    def data(self) -> dict[str, Any]:
        """The table as files write it."""
        return {"between": self.between}


def plain(given: Any) -> Any:
    """What is given in words or lists, or in a table of numbers, as files write it."""
    return given.data() if isinstance(given, LineTable | BetweenTable) else given


class DatabasesTable(Table):
    kind: str = need(OrOwn(lambda *more: Word("kind", (*KINDS, *more)), lambda own: own.classes))
    records: list[str] | LineTable | None = key(Either(NAMES, LineTable))
    size: str = key(TEXT, "any")
    elements: list[str] | None = key(NAMES)
    vertices: int | str | None = key(Either(Whole(1), TEXT, str))
    attributes: dict[str, str | list[str] | LineTable] | None = key(
        TableOf(Either(Either(Word("word", ("any",)), ListOf(NAME, 1), list), LineTable), 1)
    )
    users: dict[str, list[int]] | None = key(TableOf(NUMBERS))

    @property
    def numbers(self) -> bool:
        """Whether records are numbers."""
        return isinstance(self.records, LineTable)

    @property
    def named(self) -> list[str] | None:
        """The records that are listed."""
        return None if isinstance(self.records, LineTable) else self.records

    def check(self) -> None:
        for about, kinds in (
            ("vertices", ["graphs"]),
            ("attributes", ["tables", "multisets", "sets"]),
            ("users", ["tuples", "streams"]),
        ):
            if getattr(self, about) is not None and self.kind not in kinds:
                raise ValueError(f"{about} are about {' and '.join(kinds)}, not about {self.kind}")
        if self.kind == "graphs" and (self.records is not None or self.size != "any"):
            raise ValueError("records and size are about records; graphs have vertices = 4")
        if self.kind == "tables" and (self.records is not None or self.attributes is None):
            raise ValueError('tables have attributes = { age = ["young", "old"] }, which make their records')
        if self.attributes is not None and self.records is not None:
            raise ValueError("attributes make the records: leave out records, or attributes")
        if self.numbers and self.kind != "multisets":
            raise ValueError(
                f"records that are numbers are those of multisets, not of {self.kind}: list them"
            )
        lines = any(isinstance(one, LineTable) for one in (self.attributes or {}).values())
        if self.kind == "sets" and lines:
            raise ValueError("attributes of sets list their values, or have any; numbers are for multisets")
        if self.kind == "tables" and (lines or "any" in (self.attributes or {}).values()):
            raise ValueError("attributes of tables list their values; those of multisets may have any")
        if self.kind == "listed" and self.elements is None:
            raise ValueError("a listed class needs its databases: elements = [...]")
        if self.kind == "listed" and (self.records is not None or self.size != "any"):
            raise ValueError("records and size are about records; a listed class has elements")
        if self.kind != "listed" and self.elements is not None:
            raise ValueError(f"elements are about listed classes; {self.kind} have records")


BOUNDS = ListOf(FORMULA, 2, 2)

QUERIES = (
    'a query is "count", { sum = [l, u] }, { mean = [l, u] }, { variance = [l, u] }, { histogram = m }, '
    '{ vector-sum = c }, { scores = c }, { location = w } or "bit"'
)


class MapTable(Table):
    table: dict[str, str] | None = key(TableOf(NAME))
    image_neighbours: list[list[str]] | dict[str, list[list[str]]] | None = key(
        Either(PAIRS, TableOf(PAIRS)), written="image-neighbours"
    )
    recode: dict[str, str] | None = key(TableOf(NAME, 1))
    others: str | None = key(NAME)

    def check(self) -> None:
        if (self.table is None) == (self.recode is None):
            raise ValueError(
                'a map is table = { a = "x", b = "y" } on a listed class, or recodes records: '
                'recode = { a1 = "A", a2 = "A" }'
            )
        if self.table is not None and self.others is not None:
            raise ValueError("others is what all records become that recode does not list")
        if self.recode is not None and self.image_neighbours is not None:
            raise ValueError("image-neighbours are those of a table; of recoded records they follow")


class ReadsTable(Table):
    records: list[str] | None = key(NAMES)
    map: str | None = key(NAME)
    positions: list[int] | None = key(NUMBERS)
    window: list[int] | None = key(ListOf(Whole(1), 2, 2))
    users: list[str] | None = key(NAMES)
    attributes: list[str] | None = key(NAMES)
    where: dict[str, list[str] | BetweenTable] | None = key(TableOf(Either(ListOf(NAME, 1), BetweenTable), 1))
    between: Any = key(RANGES)
    vertex: int | str | None = key(Either(Whole(1), NAME, str))
    vertices: list[int] | None = key(NUMBERS)
    part: str | None = key(NAME)
    random_part: str | None = key(NAME, written="random-part")
    of: str | None = key(NAME)

    def check(self) -> None:
        if len(self.given - {"of"}) != 1:
            raise ValueError(
                'say what is read: "everything", { records = [...] }, { positions = [...] }, '
                "{ window = [first, last] }, { users = [...] }, { attributes = [...] }, "
                '{ where = { county = ["north"] } }, { between = "[0, 10)" }, { vertex = 2 }, '
                "{ vertices = [...] }, "
                '{ map = "NAME" }, { part = "i", of = "P" } or { random-part = "i", of = "k" }'
            )
        if (self.part is None and self.random_part is None) != (self.of is None):
            raise ValueError('a part is read as { part = "i", of = "P" }')


class ProbabilitiesTable(Table):
    outcomes: list[str] = need(ListOf(NAME, 1))
    rows: dict[str, list[str]] = need(TableOf(ListOf(FORMULA)))


class PartitionTable(Table):
    kind: str = need(Word("kind", ("record-wise", "order-based", "overlapping")))
    parts: str = need(FORMULA)
    at_most: str | None = key(FORMULA, written="at-most")

    def check(self) -> None:
        if (self.at_most is None) == (self.kind == "overlapping"):
            raise ValueError(
                "overlapping parts, and no others, say at-most: in how many of them a record is at most"
            )


Notions = Mapping[str, Sequence[str]]
"""The parameters of each notion that a file may name."""


class NotionWord(Check):
    """A notion: those of the pages that a file is read with are supported."""

    later = ("renyi", "tcdp", "f-dp")

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        there = _notions(found)
        known = tuple(one for one in dict.fromkeys([*FILE_KEYS, *there]) if one in there)
        later = tuple(one for one in self.later if one not in known)
        return Word("notion", known, later).read(value, path, found)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return Word("notion", tuple(FILE_KEYS)).schema(defs)


def _notions(found: Found) -> Notions:
    """Those of the pages that a file is read with; else those that the format has by itself."""
    return FILE_KEYS if found.notions is None else found.notions


class OfNotion(Table):
    """A notion with its parameters: some notions have theirs from pages, and the format no key for them."""

    later = ("orders", "omega", "tradeoff")

    notion: str = need(NotionWord())
    epsilon: str | None = key(FORMULA)
    delta: str | None = key(FORMULA)
    rho: str | None = key(FORMULA)
    mu: str | None = key(FORMULA)

    @classmethod
    def read(cls, value: Any, path: Path_, found: Found) -> Any:
        if not isinstance(value, Mapping) or not isinstance(value.get("notion"), str):
            return super().read(value, path, found)
        wanted = _notions(found).get(value["notion"], ())
        further = {name: value[name] for name in wanted if name not in PARAMETERS and name in value}
        rest = {name: one for name, one in value.items() if name not in further}
        made: OfNotion | None = super().read(rest, path, found)
        if made is None:
            return None
        try:
            made.further = {name: formula(one) for name, one in further.items()}
            made.check_parameters(wanted)
        except ValueError as error:
            found.wrong(path, error)
            return None
        return made

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.further: dict[str, str] = {}

    def check_parameters(self, wanted: Sequence[str]) -> None:
        """Raises ValueError where the notion has others than these."""
        for name in dict.fromkeys([*PARAMETERS, *wanted]):
            if name in wanted and self.value(name) is None:
                raise ValueError(f"a {self.notion} guarantee needs {name}")
            if name not in wanted and self.value(name) is not None:
                raise ValueError(f"a {self.notion} guarantee has no {name}")

    def value(self, name: str) -> str | None:
        """The formula of a parameter, as the file has it."""
        found: str | None = getattr(self, name) if name in PARAMETERS else self.further.get(name)
        return found


PARAMETERS = ("epsilon", "delta", "rho", "mu")
"""The parameters that the format has keys for."""


class InMetric(OfNotion):
    """A guarantee: a metric, in place of the first parameter, with a δ; or the parameters of a notion."""

    metric: str | None = key(FORMULA)

    def check_parameters(self, wanted: Sequence[str]) -> None:
        if self.metric is None:
            super().check_parameters(wanted)
            return
        if not wanted:
            raise ValueError(f"privacy in a metric is not known of {self.notion}")
        for name in ("epsilon", "rho", "mu"):
            if self.value(name) is not None:
                raise ValueError(f"metric stands in place of {name}: leave out one of them")
        if (self.value("delta") is None) == ("delta" in wanted):
            least = 'needs its delta, a formula in the same metrics, or "0"'
            raise ValueError(f"a {self.notion} guarantee {least if 'delta' in wanted else 'has no delta'}")


class MetricGuaranteeTable(InMetric):
    granularity: str | dict[str, Any] | None = key(GRANULARITY)
    domain: str | None = key(OneOf("own", "common"))

    def check(self) -> None:
        if (self.metric is None) == (self.granularity is None):
            raise ValueError(
                "a guarantee is one in a metric, or has a granularity: the neighbours that it is about"
            )


class GuaranteeTable(MetricGuaranteeTable):
    granularity: str | dict[str, Any] = need(GRANULARITY)


class _Guarantee(Check):
    """A guarantee in a metric, or for neighbours."""

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        measured = isinstance(value, Mapping) and "metric" in value
        return (MetricGuaranteeTable if measured else GuaranteeTable).read(value, path, found)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [GuaranteeTable.schema(defs), MetricGuaranteeTable.schema(defs)]}


QUERY = OrOwn(
    partial(
        OneOf, "count", "bit", or_else=["a table: { sum = [l, u] }, { mean = [l, u] }, { histogram = m }"]
    ),
    lambda own: own.queries,
)


class QueryTable(Table):
    sum: list[str] | None = key(BOUNDS)
    mean: list[str] | None = key(BOUNDS)
    variance: list[str] | None = key(BOUNDS)
    location: str | None = key(FORMULA)
    vector_sum: str | None = key(FORMULA, written="vector-sum")
    histogram: int | None = key(Whole(1, MOST_BINS))
    scores: str | None = key(FORMULA)
    monotone_scores: str | None = key(FORMULA, written="monotone-scores")

    def check(self) -> None:
        if len(self.given) != 1:
            raise ValueError(QUERIES)


class SampledTable(Table):
    poisson: str | None = key(FORMULA)
    fixed: list[str] | str | None = key(Either(FORMULA, BOUNDS, list))
    draws: list[str] | None = key(BOUNDS)

    def check(self) -> None:
        if len(self.given) != 1:
            raise ValueError(
                'a sample is { poisson = "s" }, { fixed = ["m", "n"] }, { fixed = "m" } or '
                '{ draws = ["m", "n"] }'
            )


ALONE = {
    "satisfies": "lists all guarantees of a mechanism",
    "filter": "states the total of a mechanism",
}
"""Keys that say all that is known of a mechanism."""


class StatedTable(Table):
    """What mechanisms have, whatever their guarantees are about."""

    satisfies: Sequence[MetricGuaranteeTable] | None

    name: str = need(NAME)
    index: str | None = key(NAME)
    count: str | None = key(FORMULA)
    repeat: int | None = key(Whole(1))
    noise: NoiseTable | None = key(NoiseTable)
    table: str | None = key(NAME)
    study: str | None = key(NAME)
    post_processing: str | None = key(NAME, written="post-processing")

    def check(self) -> None:
        if (self.index is None) != (self.count is None):
            raise ValueError('a family has an index and a count: index = "i", count = "k"')
        if self.repeat is not None and self.count is not None:
            raise ValueError("repeat and count both say how many mechanisms there are; use one of them")
        if self.table is not None and (self.repeat is not None or self.count is not None):
            raise ValueError("a table of probabilities is that of one mechanism, and not of a family")
        for alone, why in ALONE.items():
            besides = sorted({"guarantee", *ALONE, "query", "noise", "table", "study"} - {alone})
            if getattr(self, alone, None) is not None:
                if given := [name for name in besides if getattr(self, name, None) is not None]:
                    raise ValueError(f"{alone} {why}; leave out {given[0]}")
                return
        self.check_known()

    def check_known(self) -> None:
        """Raises ValueError unless its one guarantee is known, or follows from what is."""


class MechanismTable(StatedTable):
    reads: str | ReadsTable = key(
        Either(
            OneOf("everything", or_else=["a table such as { records = [...] }"]), ReadsTable, word="oneOf"
        ),
        "everything",
    )
    guarantee: MetricGuaranteeTable | None = key(_Guarantee())
    filter: GuaranteeTable | None = key(GuaranteeTable)
    sampled: SampledTable | None = key(SampledTable)
    satisfies: list[GuaranteeTable] | None = key(ListOf(GuaranteeTable, 1, 20))
    query: str | QueryTable | None = key(Either(QUERY, QueryTable, word="oneOf"))

    def check(self) -> None:
        super().check()
        if self.sampled is not None:
            besides = ("satisfies", "query", "noise", "table", "study")
            if given := [name for name in besides if getattr(self, name) is not None]:
                raise ValueError(f"what is run on a sample has a guarantee on samples; leave out {given[0]}")

    def check_known(self) -> None:
        if self.study is not None:
            if self.query is not None or self.noise is not None or self.table is not None:
                raise ValueError("a study has its own mechanisms: leave out query, noise and table")
            return
        if self.guarantee is not None and (self.query is not None or self.noise is not None):
            raise ValueError(
                "a mechanism has a guarantee, or a query and noise, from which it follows; not both"
            )
        if self.guarantee is None and self.query is None and self.noise is None:
            raise ValueError("a mechanism needs its guarantee, or a query and noise, or a study, or a filter")
        if self.guarantee is None and self.table is not None:
            raise ValueError("what adds noise is given by that, and has no table; leave out one of them")
        if self.query is not None and self.noise is None:
            raise ValueError(f"without noise a query has no guarantee; {NOISES}")
        if self.noise is not None and self.query is None and self.noise.word != "randomized-response":
            raise ValueError(f"what is the noise added to? {QUERIES}")


class ClaimTable(OfNotion):
    expect: str | None = key(OneOf("proved", "refuted", "undecided"))


class TargetTable(Table):
    granularity: str | dict[str, Any] = need(GRANULARITY)


class _Study(Check):
    """A study in a study: the table below, once it is there."""

    def read(self, value: Any, path: Path_, found: Found) -> Any:
        return StudyTable.read(value, path, found)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return StudyTable.schema(defs)


NOTHING: Mapping[str, Any] = {}


class Composed(Table):
    """What compositions have, whatever their mechanisms' guarantees are about."""

    title: str = key(TITLE, "")
    parameters: Mapping[str, str] = key(TableOf(FORMULA, names=Text()), NOTHING)
    granularities: Mapping[str, GranularityTable] = key(TableOf(GranularityTable), NOTHING)
    tables: Mapping[str, ProbabilitiesTable] = key(TableOf(ProbabilitiesTable), NOTHING)
    metrics: Mapping[str, MetricTable] = key(TableOf(MetricTable, 0, 200), NOTHING)
    studies: Mapping[str, Any]
    adaptive: bool = key(TRUE_OR_FALSE, False)
    assume: list[str] = key(ListOf(TEXT, 0, 100), [])


class StudyTable(Composed):
    databases: DatabasesTable | None = key(DatabasesTable)
    maps: Mapping[str, MapTable] = key(TableOf(MapTable), NOTHING)
    partitions: Mapping[str, PartitionTable] = key(TableOf(PartitionTable), NOTHING)
    studies: Mapping[str, StudyTable] = key(TableOf(_Study()), NOTHING)
    target: TargetTable = need(TargetTable)
    mechanisms: list[MechanismTable] = need(ListOf(MechanismTable, 1, 2000))


class ProblemTable(StudyTable):
    format: int = need(OneOf(1))
    databases: DatabasesTable = need(DatabasesTable)
    claims: Sequence[ClaimTable] = key(ListOf(ClaimTable, 0, 1000), [])
