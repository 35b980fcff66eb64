"""The schema of problem files: their tables as pydantic models, and mistakes in words.

All mistakes come at once, each with its key path and, where it is known, its line.  A key of
the format that is not supported yet is refused as such, never as unknown.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Tag,
    ValidationInfo,
    model_validator,
)

from dpcompose.privacy.notions import FILE_KEYS
from dpcompose.spaces.granularities import LARGEST_GROUP, LARGEST_WINDOW
from dpcompose.spaces.queries import MOST_BINS

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Mistake:
    """What is wrong, under which key, and in which line of the file where that is known."""

    path: Path_
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = ".".join(str(part + 1) if isinstance(part, int) else part for part in self.path) or "file"
        return f"{where}{f' (line {self.line})' if self.line else ''}: {self.message}"


def formula(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"a formula is a text or a number, not {article(value)}")
    return str(value)


Formula = Annotated[str, BeforeValidator(formula)]


def _one_line(value: object) -> object:
    if isinstance(value, str) and not value.isprintable():
        raise ValueError(f"{ascii(value)[:60]} has control characters; a text is one printable line")
    if value == "":
        raise ValueError("a name has at least one character")
    return value


Name = Annotated[str, BeforeValidator(_one_line), Field(max_length=200)]
Title = Annotated[str, BeforeValidator(lambda value: value if value == "" else _one_line(value))]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


@dataclass(frozen=True)
class Word:
    """A check of one word: a supported one, one that the format has but we do not yet, or neither."""

    what: str
    supported: tuple[str, ...]
    later: tuple[str, ...] = ()

    def __call__(self, value: object) -> object:
        if value in self.supported:
            return value
        if value in self.later:
            there = ", ".join(self.supported)
            raise ValueError(f"the {self.what} {value!r} is not supported yet; supported are {there}")
        raise ValueError(
            f"there is no {self.what} {shown(value)}{near(value, (*self.supported, *self.later))}"
        )


KINDS = ("multisets", "sets", "sequences", "tuples", "streams", "tables", "graphs", "listed")
ABOUT = {"vertices": ("graphs",), "attributes": ("tables",), "users": ("tuples", "streams")}
"""Of which kinds of classes some keys are."""


class DatabasesTable(_Table):
    kind: Annotated[
        str,
        BeforeValidator(
            Word(
                "kind", ("multisets", "sets", "sequences", "tuples", "streams", "tables", "graphs", "listed")
            )
        ),
    ]
    records: list[Name] | None = None
    size: str = "any"
    elements: list[Name] | None = None
    vertices: Annotated[int, Field(ge=1)] | str | None = None
    attributes: (
        Annotated[dict[Name, Annotated[list[Name], Field(min_length=1)]], Field(min_length=1)] | None
    ) = None
    users: dict[Name, list[Annotated[int, Field(ge=1)]]] | None = None

    @model_validator(mode="after")
    def _fits(self) -> DatabasesTable:
        for key, kinds in (
            ("vertices", ["graphs"]),
            ("attributes", ["tables"]),
            ("users", ["tuples", "streams"]),
        ):
            if getattr(self, key) is not None and self.kind not in kinds:
                raise ValueError(f"{key} are about {' and '.join(kinds)}, not about {self.kind}")
        if self.kind == "graphs" and (self.records is not None or self.size != "any"):
            raise ValueError("records and size are about records; graphs have vertices = 4")
        if self.kind == "tables" and (self.records is not None or self.attributes is None):
            raise ValueError('tables have attributes = { age = ["young", "old"] }, which make their records')
        if self.kind == "listed" and self.elements is None:
            raise ValueError("a listed class needs its databases: elements = [...]")
        if self.kind == "listed" and (self.records is not None or self.size != "any"):
            raise ValueError("records and size are about records; a listed class has elements")
        if self.kind != "listed" and self.elements is not None:
            raise ValueError(f"elements are about listed classes; {self.kind} have records")
        return self


Bounds = Annotated[list[Formula], Field(min_length=2, max_length=2)]

QUERIES = (
    'a query is "count", { sum = [l, u] }, { mean = [l, u] }, { histogram = m }, { location = w } or "bit"'
)
NOISES = (
    'noise is { laplace = "1/e" }, { gaussian = "s" }, { geometric = "1/e" }, '
    '{ randomized-response = "3/4" }, { planar-laplace = "1/e" } or { exponential = "e/2" }'
)


PairList = list[Annotated[list[Name], Field(min_length=2, max_length=2)]]


class GranularityTable(_Table):
    neighbours: PairList


class MapTable(_Table):
    table: dict[Name, Name]
    image_neighbours: PairList | dict[Name, PairList] | None = Field(default=None, alias="image-neighbours")


class ReadsTable(_Table):
    records: list[Name] | None = None
    map: Name | None = None
    positions: list[Annotated[int, Field(ge=1)]] | None = None
    window: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=2, max_length=2)] | None = None
    users: list[Name] | None = None
    attributes: list[Name] | None = None
    vertex: Annotated[int, Field(ge=1)] | Name | None = None
    vertices: list[Annotated[int, Field(ge=1)]] | None = None
    part: Name | None = None
    of: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> ReadsTable:
        if sum(getattr(self, key) is not None for key in type(self).model_fields if key != "of") != 1:
            raise ValueError(
                'say what is read: "everything", { records = [...] }, { positions = [...] }, '
                "{ window = [first, last] }, { users = [...] }, { attributes = [...] }, { vertex = 2 }, "
                "{ vertices = [...] }, "
                '{ map = "NAME" } or { part = "i", of = "P" }'
            )
        if (self.part is None) != (self.of is None):
            raise ValueError('a part is read as { part = "i", of = "P" }')
        return self


class ProbabilitiesTable(_Table):
    outcomes: Annotated[list[Name], Field(min_length=1)]
    rows: dict[Name, list[Formula]]


class PartitionTable(_Table):
    kind: Annotated[str, BeforeValidator(Word("kind", ("record-wise", "order-based")))]
    parts: Formula


Notions = Mapping[str, Sequence[str]]
"""The parameters of each notion that a file may name."""


def _notions(info: ValidationInfo) -> Notions:
    """Those of the pages that a file is read with; else those that the format has by itself."""
    return info.context["notions"] if info.context else FILE_KEYS


@dataclass(frozen=True)
class NotionWord:
    """The same for notions: those of the pages that a file is read with are supported."""

    later: tuple[str, ...]

    @property
    def supported(self) -> tuple[str, ...]:
        """Those that the format has by itself."""
        return tuple(FILE_KEYS)

    def __call__(self, value: object, info: ValidationInfo) -> object:
        there = _notions(info)
        known = tuple(one for one in dict.fromkeys([*FILE_KEYS, *there]) if one in there)
        return Word("notion", known, tuple(one for one in self.later if one not in known))(value)


_notion = NotionWord(("renyi", "tcdp", "f-dp"))


def _granularity(value: object) -> object:
    """A name; { w-event = 3 }, { group = 2, of = … } or { union = […, …] }; all levels are checked here."""
    following, unions = [value], 0
    while following:
        inner = following.pop()
        if isinstance(inner, str):
            continue
        if not isinstance(inner, dict):
            raise ValueError(f"a granularity is a name, a window, a group or a union, not {article(inner)}")
        if set(inner) == {"w-event"}:
            if type(inner["w-event"]) is not int or not 1 <= inner["w-event"] <= LARGEST_WINDOW:
                raise ValueError(
                    f"a window has 1 to {LARGEST_WINDOW:,} time steps, not {shown(inner['w-event'])}"
                )
        elif set(inner) == {"union"}:
            if not (isinstance(inner["union"], list) and len(inner["union"]) == 2):
                raise ValueError('a union is of two granularities: { union = ["unbounded", "bounded"] }')
            following, unions = [*following, *inner["union"]], unions + 1
            if unions > LARGEST_UNION:
                raise ValueError(f"a granularity is made of up to {LARGEST_UNION} unions")
        elif set(inner) != {"group", "of"}:
            raise ValueError('a group of neighbours is { group = 2, of = "bounded" }')
        elif type(inner["group"]) is not int or not 1 <= inner["group"] <= LARGEST_GROUP:
            raise ValueError(f"a group counts 1 to {LARGEST_GROUP:,} steps, not {shown(inner['group'])}")
        else:
            following.append(inner["of"])
    return value


LARGEST_UNION = 50
"""Of how many unions a granularity is made at most."""

GranularityName = Annotated[str | dict[str, Any], BeforeValidator(_granularity)]


class _OfNotion(_Table):
    """A notion with its parameters: some notions have theirs from pages, and the format no key for them."""

    notion: Annotated[str, BeforeValidator(_notion)]
    epsilon: Formula | None = None
    delta: Formula | None = None
    rho: Formula | None = None
    mu: Formula | None = None
    _further: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _with_further(cls, data: Any, handler: ModelWrapValidatorHandler[Any], info: ValidationInfo) -> Any:
        if not isinstance(data, Mapping) or not isinstance(data.get("notion"), str):
            return handler(data)
        wanted = _notions(info).get(data["notion"], ())
        further = {key: data[key] for key in wanted if key not in PARAMETERS and key in data}
        made = handler({key: value for key, value in data.items() if key not in further})
        made._further = {key: str(formula(value)) for key, value in further.items()}
        for key in dict.fromkeys([*PARAMETERS, *wanted]):
            if key in wanted and made.value(key) is None:
                raise ValueError(f"a {made.notion} guarantee needs {key}")
            if key not in wanted and made.value(key) is not None:
                raise ValueError(f"a {made.notion} guarantee has no {key}")
        return made

    def value(self, key: str) -> str | None:
        """The formula of a parameter, as the file has it."""
        return getattr(self, key) if key in PARAMETERS else self._further.get(key)


PARAMETERS = ("epsilon", "delta", "rho", "mu")
"""The parameters that the format has keys for."""


class GuaranteeTable(_OfNotion):
    granularity: GranularityName
    domain: Literal["own", "common"] | None = None


class QueryTable(_Table):
    sum: Bounds | None = None
    mean: Bounds | None = None
    location: Formula | None = None
    histogram: Annotated[int, Field(ge=1, le=MOST_BINS)] | None = None

    @model_validator(mode="after")
    def _one(self) -> QueryTable:
        if len(self.model_fields_set) != 1:
            raise ValueError(QUERIES)
        return self


class NoiseTable(_Table):
    laplace: Formula | None = None
    gaussian: Formula | None = None
    geometric: Formula | None = None
    randomized_response: Formula | None = Field(default=None, alias="randomized-response")
    planar_laplace: Formula | None = Field(default=None, alias="planar-laplace")
    exponential: Formula | None = None

    @model_validator(mode="after")
    def _one(self) -> NoiseTable:
        if len(self.model_fields_set) != 1:
            raise ValueError(NOISES)
        return self

    @property
    def word(self) -> str:
        """The one kind of noise that is given."""
        return next(iter(self.model_dump(by_alias=True, exclude_none=True)))


class MechanismTable(_Table):
    name: Name
    reads: Annotated[
        Annotated[Literal["everything"], Tag("word")] | Annotated[ReadsTable, Tag("table")],
        Discriminator(lambda value: "table" if isinstance(value, dict | ReadsTable) else "word"),
    ] = "everything"
    guarantee: GuaranteeTable | None = None
    index: Name | None = None
    count: Formula | None = None
    repeat: Annotated[int, Field(ge=1)] | None = None
    query: (
        Annotated[
            Annotated[Literal["count", "bit"], Tag("word")] | Annotated[QueryTable, Tag("table")],
            Discriminator(lambda value: "table" if isinstance(value, dict | QueryTable) else "word"),
        ]
        | None
    ) = None
    noise: NoiseTable | None = None
    table: Name | None = None
    study: Name | None = None

    @model_validator(mode="after")
    def _family(self) -> MechanismTable:
        if (self.index is None) != (self.count is None):
            raise ValueError('a family has an index and a count: index = "i", count = "k"')
        if self.repeat is not None and self.count is not None:
            raise ValueError("repeat and count both say how many mechanisms there are; use one of them")
        if self.table is not None and (self.repeat is not None or self.count is not None):
            raise ValueError("a table of probabilities is that of one mechanism, and not of a family")
        return self

    @model_validator(mode="after")
    def _known(self) -> MechanismTable:
        if self.study is not None:
            if self.query is not None or self.noise is not None or self.table is not None:
                raise ValueError("a study has its own mechanisms: leave out query, noise and table")
            return self
        if self.guarantee is not None and (self.query is not None or self.noise is not None):
            raise ValueError(
                "a mechanism has a guarantee, or a query and noise, from which it follows; not both"
            )
        if self.guarantee is None and self.query is None and self.noise is None:
            raise ValueError("a mechanism needs its guarantee, or a query and noise, or a study")
        if self.guarantee is None and self.table is not None:
            raise ValueError("what adds noise is given by that, and has no table; leave out one of them")
        if self.query is not None and self.noise is None:
            raise ValueError(f"without noise a query has no guarantee; {NOISES}")
        if self.noise is not None and self.query is None and self.noise.word != "randomized-response":
            raise ValueError(f"what is the noise added to? {QUERIES}")
        return self


class ClaimTable(_OfNotion):
    expect: Literal["proved", "refuted", "undecided"] | None = None


class TargetTable(_Table):
    granularity: GranularityName


class StudyTable(_Table):
    title: Title = ""
    parameters: dict[str, Formula] = {}
    databases: DatabasesTable | None = None
    granularities: dict[Name, GranularityTable] = {}
    maps: dict[Name, MapTable] = {}
    partitions: dict[Name, PartitionTable] = {}
    tables: dict[Name, ProbabilitiesTable] = {}
    studies: dict[Name, StudyTable] = {}
    adaptive: bool = False
    target: TargetTable
    mechanisms: Annotated[list[MechanismTable], Field(min_length=1, max_length=2000)]


class ProblemTable(StudyTable):
    format: Literal[1]
    databases: DatabasesTable
    claims: Annotated[list[ClaimTable], Field(max_length=1000)] = []


COMPARED = ("less_than_equal", "greater_than_equal")
"""Mistakes of values that are of the right type: the value itself is shown."""


def unset(data: object) -> list[Mistake]:
    """Where null stands in data, which a problem file cannot say: a key without a value is left out.

    >>> print(*unset({"mechanisms": [{"noise": {"gaussian": None}}]}))
    mechanisms.1.noise.gaussian: null is no value; leave the key out
    """
    found: list[Mistake] = []
    waiting: list[tuple[Path_, object]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        if value is None:
            found.append(Mistake(path, "null is no value; leave the key out"))
        elif isinstance(value, Mapping):
            waiting.extend(((*path, str(key)), inner) for key, inner in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, n), inner) for n, inner in enumerate(value))
    return sorted(found, key=lambda one: tuple(map(str, one.path)))


def mistake_of(
    error: Any, text: str, model_at: Callable[[Path_], type[BaseModel] | None] | None = None
) -> Mistake:
    """A mistake that pydantic found, in words; model_at -- the table of the schema at a key path."""
    path = tuple(part for part in error["loc"] if not _is_union_tag(part))
    kind, message = error["type"], str(error["msg"])
    if kind == "extra_forbidden":
        model = (model_at or _model_at)(path[:-1])
        keys = sorted(_keys(model)) if model else []
        message = f"there is no key {shown(path[-1])} here{near(path[-1], keys)}"
    elif kind == "missing":
        message = "this key is missing"
    elif kind == "value_error":
        message = message.removeprefix("Value error, ")
    else:
        given = error.get("input")
        named = shown(given) if kind in COMPARED else article(given)
        message = f"{message[0].lower()}{message[1:]}, not {named}"
    return Mistake(path, message, line_of(text, path))


def _is_union_tag(part: str | int) -> bool:
    """Whether pydantic put the part into a path to say which form of a value it tried."""
    return isinstance(part, str) and (part in ("word", "table", "str", "dict") or "[" in part)


def _model_at(path: Path_) -> type[BaseModel] | None:
    """The table of the schema at a key path."""
    tables: dict[tuple[str, ...], type[BaseModel]] = {
        (): ProblemTable,
        ("databases",): DatabasesTable,
        ("target",): TargetTable,
        ("granularities", "*"): GranularityTable,
        ("maps", "*"): MapTable,
        ("tables", "*"): ProbabilitiesTable,
        ("mechanisms", "*"): MechanismTable,
        ("mechanisms", "*", "guarantee"): GuaranteeTable,
        ("mechanisms", "*", "reads"): ReadsTable,
        ("mechanisms", "*", "query"): QueryTable,
        ("mechanisms", "*", "noise"): NoiseTable,
        ("claims", "*"): ClaimTable,
    }
    if path[:1] == ("studies",):
        inside = path[2:]
        return _model_at(inside) if inside else StudyTable
    several = path[:1] and path[0] in ("granularities", "maps", "tables", "mechanisms", "claims")
    return tables.get(tuple("*" if several and n == 1 else str(part) for n, part in enumerate(path)))


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def near(word: object, known: Iterable[str]) -> str:
    """A near match among known words, else what there is, as the end of a message."""
    words = [str(one) for one in known]
    if close := difflib.get_close_matches(str(word)[:200], words, n=1):
        return f"; did you mean {close[0]!r}?"
    return f"; there is {', '.join(words[:10])}{', …' if len(words) > 10 else ''}" if words else ""


def shown(value: object) -> str:
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 60 else f"{text[:50]}…{text[-1]}"


def article(value: object) -> str:
    kinds: dict[type, str] = {
        bool: "true or false",
        int: "a number",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    return kinds.get(type(value), f"a {type(value).__name__}")


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def line_of(text: str, path: Path_) -> int | None:
    """The line where a key path starts, found by its table headers and keys; None where it is not seen.

    The path is followed as far as the file writes it out: a key inside an inline table is
    found at the line of that table.
    """
    names = [part for part in path if isinstance(part, str)]
    counts = {names[0]: next((part for part in path[1:2] if isinstance(part, int)), 0)} if names else {}
    best: int | None = None
    header: list[str] = []
    seen = -1
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if found := re.match(r"\[\[?([^\[\]]+)\]\]?\s*(#.*)?$", stripped):
            header = [part.strip().strip('"') for part in found[1].split(".")]
            if stripped.startswith("[[") and names and header == names[:1]:
                seen += 1
            inside = _inside(header, names, seen, counts, stripped)
            if inside:
                best = number
        elif header and _inside(header, names, seen, counts, stripped) and len(names) > len(header):
            if re.match(rf'"?{re.escape(names[len(header)])}"?\s*[=.]', stripped):
                return number
        elif not header and names and re.match(rf'"?{re.escape(names[0])}"?\s*[=.]', stripped):
            return number
    return best


def _inside(header: list[str], names: list[str], seen: int, counts: Mapping[str, int], line: str) -> bool:
    if not names or header != names[: len(header)]:
        return False
    return seen < 0 or header[0] not in ("mechanisms", "claims") or seen == counts.get(header[0], 0)
