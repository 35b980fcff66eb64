"""The schema of problem files: their tables, and mistakes in words.

All mistakes come at once, each with its key path and, where it is known, its line.  A key of
the format that is not supported yet is refused as such, never as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy.format.checks import (
    FORMULA,
    NAME,
    TEXT,
    TITLE,
    TRUE_OR_FALSE,
    Check,
    Either,
    ListOf,
    Mistakes,
    OneOf,
    OrOwn,
    Place,
    Table,
    TableOf,
    Text,
    Whole,
    Word,
    formula,
    key,
    need,
)
from dpcompose.privacy.format.database_tables import (
    BOUNDS,
    ByKind,
    DatabasesTable,
    PointsTable,
    ProductTable,
)
from dpcompose.privacy.format.input_tables import EVERYTHING, MapTable, PartitionTable, ReadsTable
from dpcompose.privacy.format.metric_tables import MetricTable, canonical_names
from dpcompose.privacy.format.neighbourhoods import GRANULARITY, GranularityTable
from dpcompose.privacy.format.noise_tables import NOISES as NOISES
from dpcompose.privacy.format.noise_tables import NoiseTable as NoiseTable
from dpcompose.privacy.guarantees.notions import FILE_KEYS, OF_LINES, OF_ORDERS, WRITTEN
from dpcompose.privacy.in_metrics import known_for_neighbours
from dpcompose.spaces.inputs.queries import MOST_BINS

QUERIES = (
    'a query is "count", { sum = [l, u] }, { mean = [l, u] }, { variance = [l, u] }, { histogram = m }, '
    '{ vector-sum = c }, { scores = c }, { keys = L }, { questions = [l, u] }, { location = w } or "bit"'
)


Notions = Mapping[str, Sequence[str]]
"""The parameters of each notion that a file may name."""


class NotionWord(Check):
    """A notion: those of the pages that a file is read with are supported."""

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        there = notions_of(mistakes)
        known = tuple(notion for notion in dict.fromkeys([*FILE_KEYS, *there]) if notion in there)
        return Word("notion", known).read(value, path, mistakes)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return Word("notion", tuple(FILE_KEYS)).schema(defs)


def notions_of(mistakes: Mistakes) -> Notions:
    """Those of the pages that a file is read with; else those that the format has by itself."""
    return FILE_KEYS if mistakes.notions is None else mistakes.notions


class ProbabilitiesTable(Table):
    outcomes: list[str] = need(ListOf(NAME, 1))
    rows: dict[str, list[str]] = need(TableOf(ListOf(FORMULA)))


class OutcomesTable(Table):
    outcomes: list[list[str]] = need(ListOf(ListOf(FORMULA, 2, 2), 1))


class OfNotion(Table):
    """A notion with its parameters: some notions have theirs from pages, and the format no key for them."""

    notion: str = need(NotionWord())
    epsilon: str | None = key(FORMULA)
    delta: str | None = key(FORMULA)
    rho: str | None = key(FORMULA)
    mu: str | None = key(FORMULA)
    orders: str | None = key(FORMULA)
    omega: str | None = key(FORMULA)
    tradeoff: Any = key(Either(Either(FORMULA, ListOf(FORMULA, 1), list), OutcomesTable))

    @classmethod
    def read(cls, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if not isinstance(value, Mapping) or not isinstance(value.get("notion"), str):
            return super().read(value, path, mistakes)
        wanted = notions_of(mistakes).get(value["notion"], ())
        further = {name: value[name] for name in wanted if name not in PARAMETERS and name in value}
        rest = {name: entry for name, entry in value.items() if name not in further}
        made: OfNotion | None = super().read(rest, path, mistakes)
        if made is None:
            return None
        with mistakes.telling(path):
            made.further = {name: formula(text) for name, text in further.items()}
            made.check_parameters(wanted)
            return made
        return None

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.further: dict[str, str] = {}

    def check_parameters(self, wanted: Sequence[str]) -> None:
        """Raises ValueError where the notion has others than these."""
        for name in dict.fromkeys([*PARAMETERS, *wanted]):
            if name in wanted and self.value(name) is None:
                raise ValueError(f"a {self.notion} guarantee needs {WRITTEN.get(name, name)}")
            if name not in wanted and self.value(name) is not None:
                has = " and ".join(WRITTEN.get(parameter, parameter) for parameter in wanted)
                raise ValueError(f"a {self.notion} guarantee has no {name}; it has {has}")
        if self.omega is not None and "tau" not in wanted:
            raise ValueError(f"a {self.notion} guarantee has no omega")
        if (self.orders is not None) != (self.notion in OF_ORDERS):
            has = "has no orders" if self.orders is not None else 'needs its orders: "(1, oo)", or "2"'
            raise ValueError(f"a {self.notion} guarantee {has}")
        _ = self.of_orders

    @property
    def of_orders(self) -> Orders | None:
        """For which orders it is stated.  Raises ValueError."""
        return None if self.orders is None else Orders.read(self.orders)

    @property
    def alpha(self) -> Term | None:
        """What alpha stands for in the formulas: an order; None where it is a name as others."""
        orders = self.of_orders
        return None if orders is None else orders.order

    def written(self, name: str) -> tuple[str, str]:
        """The key and the formula of a parameter, as the file has them."""
        if name == "tau" and self.omega is not None:
            return "omega", self.omega
        return name, str(self.value(name))

    def value(self, name: str) -> str | None:
        """The formula of a parameter, or of what it is one over, as the file has it."""
        if name == "tau" and self.omega is not None:
            return self.omega
        text: str | None = getattr(self, name) if name in PARAMETERS else self.further.get(name)
        return text

    @property
    def function(self) -> Any:
        """A trade-off function as it is written: a formula, several, or a table of outcomes."""
        table = isinstance(self.tradeoff, OutcomesTable)
        return {"outcomes": self.tradeoff.outcomes} if table else self.tradeoff


PARAMETERS = ("epsilon", "delta", "rho", "mu", "tradeoff")
"""The parameters that the format has keys for."""


class InMetric(OfNotion):
    """A guarantee: a metric, in place of the first parameter, with a δ; or the parameters of a notion."""

    metric: str | None = key(FORMULA)

    def check_parameters(self, wanted: Sequence[str]) -> None:
        if self.metric is None:
            super().check_parameters(wanted)
            return
        if not wanted or self.notion in (*OF_ORDERS, *OF_LINES) or WRITTEN.keys() & set(wanted):
            raise ValueError(f"privacy in a metric is not known of {self.notion}")
        for name in ("epsilon", "rho", "mu"):
            if self.value(name) is not None:
                raise ValueError(f"metric stands in place of {name}: leave out one of them")
        if (self.value("delta") is None) == ("delta" in wanted):
            least = 'needs its delta, a formula in the same metrics, or "0"'
            raise ValueError(f"a {self.notion} guarantee {least if 'delta' in wanted else 'has no delta'}")


class GuaranteeTable(InMetric):
    granularity: str | dict[str, Any] | None = key(GRANULARITY)
    domain: str | None = key(OneOf("own", "common"))

    def check(self) -> None:
        if self.metric is None and self.granularity is None:
            raise ValueError("this key is missing: granularity, the neighbours that a guarantee is about")
        if self.metric is not None and self.granularity is not None:
            raise ValueError("a guarantee is one in a metric, or has a granularity; leave out one of them")


QUERY = OrOwn(
    partial(
        OneOf,
        "count",
        "bit",
        or_else=["a table: { sum = [l, u] }, { mean = [l, u] }, { histogram = m }"],
        keys=(
            "sum",
            "mean",
            "variance",
            "histogram",
            "vector-sum",
            "scores",
            "location",
            "keys",
            "questions",
        ),
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
    keys_: str | list[str] | None = key(Either(FORMULA, BOUNDS, list), written="keys")
    questions: str | list[str] | None = key(Either(FORMULA, BOUNDS, list))

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


NEEDS_GUARANTEE = "a mechanism needs its guarantee, or a query and noise, or a study, or a filter"
ALONE = {
    "satisfies": "lists all guarantees of a mechanism",
    "filter": "states the total of a mechanism",
}
"""Keys that say all that is known of a mechanism."""


READS = OneOf(EVERYTHING, or_else=["a table such as { records = [...] }"])
"""What is read where there are no points, and no parts."""


class MechanismTable(Table):
    name: str = need(NAME)
    reads: str | ReadsTable = key(Either(NAME, ReadsTable, word="oneOf"), EVERYTHING)
    guarantee: GuaranteeTable | None = key(GuaranteeTable)
    filter: GuaranteeTable | None = key(GuaranteeTable)
    sampled: SampledTable | None = key(SampledTable)
    satisfies: list[GuaranteeTable] | None = key(ListOf(GuaranteeTable, 1, 20))
    query: str | QueryTable | None = key(Either(QUERY, QueryTable, word="oneOf"))
    noise: NoiseTable | None = key(NoiseTable)
    index: str | None = key(NAME)
    count: str | None = key(FORMULA)
    repeat: int | None = key(Whole(1))
    table: str | None = key(NAME)
    study: str | None = key(NAME)
    post_processing: str | None = key(NAME, written="post-processing")

    @property
    def reads_everything(self) -> bool:
        """Whether it is said, or left out, that everything is read."""
        return self.reads == EVERYTHING

    @property
    def map_read(self) -> ReadsTable | None:
        """What is read, where that is no name."""
        return None if isinstance(self.reads, str) else self.reads

    @property
    def name_read(self) -> str:
        """The name of the part, or map of points, that is read; "" where none is."""
        return self.reads if isinstance(self.reads, str) and not self.reads_everything else ""

    @classmethod
    def names(cls, read: Mapping[str, Any], path: Place, mistakes: Mistakes) -> None:
        if isinstance(reads := read.get("reads"), str) and not mistakes.parts:
            READS.read(reads, (*path, "reads"), mistakes)

    def check(self) -> None:
        if (self.index is None) != (self.count is None):
            raise ValueError(
                'a family has an index and a count: index = "i", count = "k"; repeat = 100 makes a hundred '
                "with the same parameters"
            )
        if self.repeat is not None and self.count is not None:
            raise ValueError("repeat and count both say how many mechanisms there are; use one of them")
        if self.table is not None and (self.repeat is not None or self.count is not None):
            raise ValueError("a table of probabilities is that of one mechanism, and not of a family")
        for alone, why in ALONE.items():
            besides = sorted({"guarantee", *ALONE, "query", "noise", "table", "study"} - {alone})
            given = [name for name in besides if getattr(self, name) is not None]
            if getattr(self, alone) is not None and given:
                raise ValueError(f"{alone} {why}; leave out {given[0]}")
        if self.filter is not None and self.filter.metric is not None:
            raise ValueError("a filter has a granularity, and no metric: its total is one for neighbours")
        if self.satisfies is None and self.filter is None:
            self._check_known()

    def _check_known(self) -> None:
        """Raises ValueError unless its guarantee is known, or follows from what is."""
        besides = [name for name in ("query", "noise", "table", "study") if getattr(self, name) is not None]
        if self.sampled is not None and besides:
            raise ValueError(f"what is run on a sample has guarantees on samples; leave out {besides[0]}")
        if self.study is not None:
            if len(besides) > 1:
                raise ValueError("a study has its own mechanisms: leave out query, noise and table")
            return
        if self.guarantee is not None and (self.query is not None or self.noise is not None):
            raise ValueError(
                "a mechanism has a guarantee, or a query and noise, from which it follows; not both"
            )
        if self.guarantee is None and not besides:
            raise ValueError(NEEDS_GUARANTEE)
        if self.table is not None and besides != ["table"]:
            raise ValueError("what adds noise is given by that, and has no table; leave out one of them")
        if self.query is not None and self.noise is None:
            raise ValueError(f"without noise a query has no guarantee; {NOISES}")


class ClaimTable(InMetric):
    filled = ("notion",)
    expect: str | None = key(OneOf("proved", "refuted", "undecided"))


class TargetTable(Table):
    metric: str | None = key(FORMULA)
    within: str | None = key(FORMULA)
    granularity: str | dict[str, Any] | None = key(GRANULARITY)
    of: str | None = key(NAME)

    def check(self) -> None:
        if (self.metric is None) == (self.granularity is None):
            raise ValueError("the target is a metric, or the neighbours of a granularity")
        if self.of is not None and self.granularity is None:
            raise ValueError("of is the part of which neighbours are meant: say which, with a granularity")
        if self.within is not None and self.metric is None:
            raise ValueError("databases are neighbours within a distance in a metric: say in which")


class _Study(Check):
    """A study in a study: the table below, once it is there."""

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        return StudyTable.read(value, path, mistakes)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return StudyTable.schema(defs)


NOTHING: Mapping[str, Any] = {}


ALIKE = 'mechanisms that are alike are one family: count = "1000", or count = "k", and index = "i"'
"""What would do in place of very many mechanisms."""
FOR_NEIGHBOURS = (
    "the key {!r} is not supported yet beside claims in several metrics; claims for the neighbours of a "
    "target are, and formulas in one d_NAME"
)
TWICE = "two mechanisms are called {!r}; k that are alike are one with count k"


class StudyTable(Table):
    title: str = key(TITLE, "")
    parameters: Mapping[str, str] = key(TableOf(FORMULA, names=Text()), NOTHING)
    databases: DatabasesTable | PointsTable | ProductTable | None = key(ByKind(True))
    granularities: Mapping[str, GranularityTable] = key(TableOf(GranularityTable), NOTHING)
    maps: Mapping[str, MapTable] = key(TableOf(MapTable), NOTHING)
    partitions: Mapping[str, PartitionTable] = key(TableOf(PartitionTable), NOTHING)
    tables: Mapping[str, ProbabilitiesTable] = key(TableOf(ProbabilitiesTable), NOTHING)
    metrics: Mapping[str, MetricTable] = key(TableOf(MetricTable, 0, 200), NOTHING)
    studies: Mapping[str, StudyTable] = key(TableOf(_Study()), NOTHING)
    target: TargetTable | None = key(TargetTable)
    mechanisms: list[MechanismTable] = need(ListOf(MechanismTable, 1, 2000, ALIKE))
    adaptive: bool = key(TRUE_OR_FALSE, False)
    assume: list[str] = key(ListOf(TEXT, 0, 100), [])

    @property
    def for_neighbours(self) -> Place | None:
        """Where parts, samples or deals stand, which are known for neighbours alone; None: nowhere."""
        paths: list[Place] = [("partitions",)] if self.partitions else []
        for n, mechanism in enumerate(self.mechanisms):
            if mechanism.sampled is not None:
                paths.append(("mechanisms", n, "sampled"))
            if mechanism.map_read is not None and mechanism.map_read.random_part is not None:
                paths.append(("mechanisms", n, "reads", "random-part"))
        return next(iter(paths), None)

    @classmethod
    def read(cls, value: Any, path: Place, mistakes: Mistakes) -> Any:
        """With what its mechanisms may read by name: maps of points, and parts of a product."""
        given = value if isinstance(value, Mapping) else {}
        databases, before = given.get("databases"), mistakes.parts
        inside = [databases.get("parts") if isinstance(databases, Mapping) else None, given.get("maps")]
        mistakes.parts = before or any(isinstance(table, Mapping) and table for table in inside)
        try:
            return super().read(value, path, mistakes)
        finally:
            mistakes.parts = before

    @classmethod
    def names(cls, read: Mapping[str, Any], path: Place, mistakes: Mistakes) -> None:
        seen = set[str]()
        listed = read.get("mechanisms")
        for n, mechanism in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(mechanism, MechanismTable):
                if mechanism.name in seen:
                    mistakes.wrong((*path, "mechanisms", n, "name"), TWICE.format(mechanism.name))
                seen.add(mechanism.name)


class ProblemTable(StudyTable):
    format: int = need(OneOf(1))
    databases: DatabasesTable | PointsTable | ProductTable = need(ByKind(True))
    claims: Sequence[ClaimTable] = key(ListOf(ClaimTable, 0, 1000), [])

    @classmethod
    def read(cls, value: Any, path: Place, mistakes: Mistakes) -> Any:
        """What is known for neighbours alone has as its target, if none is said, that of the first claim."""
        if isinstance(value, Mapping) and "target" not in value and known_for_neighbours(value):
            counted = _counted(value.get("claims"), value.get("granularities"))
            value = {**value, **({} if counted is None else {"target": {"granularity": counted}})}
        return super().read(value, path, mistakes)


def _counted(claims: Any, granularities: Any) -> str | None:
    """The granularity whose steps the first claim in a metric counts, by its name."""
    known = canonical_names(map(str, granularities) if isinstance(granularities, Mapping) else ())
    for claim in claims if isinstance(claims, list) else ():
        if isinstance(claim, Mapping) and "metric" in claim:
            with suppress(formulas.FormulaError):
                for name in formulas.names(str(claim["metric"])):
                    if name in known:
                        return known[name]
    return None
