"""Random compositions, each told twice: to dpcompose and to the oracle.

A `Twin` holds a study of dpcompose and what the oracle needs to make the same setting at given parameter
values. The oracle's half is written down from the definitions of the problem format, never taken from
dpcompose.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import oracle
from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.spaces.inputs.maps import Function, Map
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.single_edits import RecordEdits

Point = Mapping[str, Fraction]
Database = Hashable

CUT = 3
"""Where multisets of any size are cut for the oracle; pairs up to CUT - 1 records are compared. That this
does no harm is argued at test_lifting_lemma in test_oracle.py. With edits that add, remove or replace a
record the argument is the same: a step changes |D∖E| and |E∖D| by at most one each, and max(|D∖E|, |E∖D|)
is attained by replacing first, then adding or removing, in sizes up to the larger of the two."""

CHANGED = RecordEdits("changed", frozenset({(1, 0), (0, 1), (1, 1)}))
"""Add, remove or replace one record."""


def changed(D: Sequence[Any], E: Sequence[Any]) -> bool:
    """The relation of CHANGED, by the oracle."""
    return oracle.unbounded(D, E) or oracle.bounded(D, E)


BY_EDITS: Mapping[str, Granularity] = {
    "unbounded": dpc.unbounded,
    "bounded": dpc.bounded,
    "changed": CHANGED,
}
RELATIONS: Mapping[str, oracle.Relation] = {
    "unbounded": oracle.unbounded,
    "bounded": oracle.bounded,
    "changed": changed,
}
BY_PREDICATES: Mapping[str, Granularity] = {
    "unbounded": dpc.relation("u", oracle.unbounded),
    "bounded": dpc.relation("b", oracle.bounded),
    "changed": dpc.relation("c", changed),
}


# ---------------------------------------------------------------- both halves of a setting


@dataclass(frozen=True)
class Epsilon:
    """A guarantee's parameter: times·name, the number `times` where there is no name, ∞ for times None."""

    times: Fraction | None
    name: str = ""

    @property
    def text(self) -> str:
        """As a formula."""
        if self.times is None:
            return "oo"
        return f"{self.times}*{self.name}" if self.name else str(self.times)

    def at(self, point: Point) -> oracle.Number:
        """The number it is at a point."""
        if self.times is None:
            return oracle.INFINITY
        return self.times * point[self.name] if self.name else self.times


@dataclass(frozen=True)
class Reading:
    """What a mechanism reads.

    f, reads -- the map, for the oracle and for dpcompose;
    own -- for a granularity by name, the image class and the relation of the own domain;
    everything -- whether it is the identity by its making;
    records -- of a restriction (or the identity on multisets) the records that are read.
    """

    f: oracle.Map
    reads: Map
    own: Callable[[str], tuple[list[Database], oracle.Relation]]
    everything: bool = False
    records: frozenset[str] | None = None


@dataclass(frozen=True)
class Part:
    """A mechanism: what it reads, its ε, the granularity its guarantee is stated for, and where."""

    reading: Reading
    epsilon: Epsilon
    stated: str
    domain: str | None


@dataclass(frozen=True)
class Twin:
    """A composition for dpcompose (`study`) and for the oracle (the rest)."""

    study: Study
    databases: list[Database]
    compared: list[Database]
    relations: Mapping[str, oracle.Relation]
    target: str
    parts: tuple[Part, ...]

    def at(self, point: Point) -> oracle.Setting:
        """The oracle's setting at parameter values."""
        mechanisms = [self._mechanism(part, point) for part in self.parts]
        return oracle.Setting(self.databases, self.relations[self.target], mechanisms, self.compared)

    def _mechanism(self, part: Part, point: Point) -> oracle.Mechanism:
        epsilon = part.epsilon.at(point)
        if part.domain == "common":
            return oracle.Mechanism(part.reading.f, epsilon, self.relations[part.stated], "common")
        image_class, relation = part.reading.own(part.stated)
        return oracle.Mechanism(part.reading.f, epsilon, relation, "own", image_class)

    def __repr__(self) -> str:
        parts = [
            f"{part.reading.reads!r} {part.domain} {part.stated} {part.epsilon.text}" for part in self.parts
        ]
        graphs = {
            name: oracle.neighbouring_pairs(self.databases, relation)
            for name, relation in self.relations.items()
            if len(self.databases) <= 8
        }
        return f"Twin({self.study.setting.databases}, {self.target}, {parts}, {graphs})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """For messages of failing tests, which would print every field."""
        printer.text(repr(self))


def points(names: Iterable[str]) -> st.SearchStrategy[dict[str, Fraction]]:
    """Positive rational values for parameters."""
    positive = st.fractions(min_value=Fraction(1, 12), max_value=5, max_denominator=12)
    return st.fixed_dictionaries({name: positive for name in sorted(names)})


def anywhere(twin: Twin) -> st.SearchStrategy[dict[str, Fraction]]:
    """Values for the parameters of a twin."""
    return points(twin.study.setting.domains)


# ---------------------------------------------------------------- parameters


@st.composite
def epsilons(draw: st.DrawFn, k: int) -> list[Epsilon]:
    """k parameters: distinct symbols, shared symbols, or numbers with 0 and ∞; also mixed."""
    kind = draw(st.sampled_from(["distinct", "distinct", "shared", "numbers", "mixed"]))
    distinct = [Epsilon(Fraction(1), f"e{i}") for i in range(1, k + 1)]
    if kind == "distinct":
        return distinct
    times = st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 3)])
    shared = st.builds(Epsilon, times, st.sampled_from(["e", "f"]))
    finite = [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)]
    numbers = st.sampled_from([*finite, *finite, None])
    constants = st.builds(Epsilon, numbers)
    if kind == "shared":
        return [draw(shared) for _ in range(k)]
    if kind == "numbers":
        return [draw(constants) for _ in range(k)]
    return [draw(st.one_of(st.just(one), shared, constants)) for one in distinct]


def compose(parts: Sequence[Part], on: Any, target: Granularity, stated: Mapping[str, Granularity]) -> Study:
    """The study of dpcompose that composes the parts."""
    mechanisms = [
        dpc.mechanism(
            f"M{i}",
            reads=part.reading.reads,
            satisfies=dpc.pure(part.epsilon.text, stated[part.stated], domain=part.domain),
        )
        for i, part in enumerate(parts, start=1)
    ]
    return dpc.compose(*mechanisms, on=on, target=target)


# ---------------------------------------------------------------- listed classes


@st.composite
def relations_on(draw: st.DrawFn, points: Sequence[Database]) -> list[tuple[Any, Any]]:
    """Lists of pairs: any, with few of them or none, or a path through all points, or both together.

    Pairs come either way round, some of them twice, some of a point with itself.
    """
    kind = draw(st.sampled_from(["any", "path", "both", "path", "both"]))
    path: list[tuple[Any, Any]] = []
    if kind != "any":
        order = draw(st.permutations(points))
        path = list(pairwise(order))
        if kind == "path":
            return path
    ordered = [(D, E) for D in points for E in points]
    return path + draw(st.lists(st.sampled_from(ordered), max_size=len(points)))


@st.composite
def tables(
    draw: st.DrawFn, name: str, points: Sequence[Database], relations: Mapping[str, oracle.Relation]
) -> Reading:
    """A map by its values; its image's neighbours left out, one list, or lists for some granularities."""
    values = draw(st.lists(st.sampled_from("wxyz"), min_size=len(points), max_size=len(points)))
    taken = dict(zip(points, values, strict=True))
    image = sorted(set(values))
    keys = draw(st.sampled_from([[], [], [""], sorted(relations)[:1], ["", *sorted(relations)[:1]]]))
    given = {key: draw(relations_on(image)) for key in keys}
    f = oracle.from_table(taken)

    def own(granularity: str) -> tuple[list[Database], oracle.Relation]:
        if granularity in given:
            return list(image), oracle.from_pairs(given[granularity])
        if "" in given:
            return list(image), oracle.from_pairs(given[""])
        return list(image), oracle.pushed_forward(points, relations[granularity], f)

    return Reading(f, dpc.table(name, taken, given), own)


def all_of(points: Sequence[Database], relations: Mapping[str, oracle.Relation]) -> Reading:
    """The identity."""
    return Reading(
        oracle.identity, dpc.everything, lambda stated: (list(points), relations[stated]), everything=True
    )


@st.composite
def listed(draw: st.DrawFn, most_databases: int = 8, most_mechanisms: int = 4) -> Twin:
    """A listed class with named granularities, random maps and mechanisms on either domain."""
    n = draw(st.sampled_from(range(1, most_databases + 1)))
    points: list[Database] = [f"d{i}" for i in range(n)]
    names = ["G", "H", "K"][: draw(st.integers(1, 3))]
    pairs = {name: draw(relations_on(points)) for name in names}
    relations = {name: oracle.from_pairs(some) for name, some in pairs.items()}
    granularities = {name: dpc.pairs(name, some) for name, some in pairs.items()}
    k = draw(st.integers(1, most_mechanisms))
    parts = []
    for i, epsilon in enumerate(draw(epsilons(k)), start=1):
        if draw(st.integers(0, 3)) == 0:
            reading, domain = all_of(points, relations), draw(st.sampled_from([None, "own", "common"]))
        else:
            reading = draw(tables(f"f{i}", points, relations))
            domain = draw(st.sampled_from(["own", "common"]))
        parts.append(Part(reading, epsilon, draw(st.sampled_from(names)), domain))
    target = draw(st.sampled_from(names))
    study = compose(parts, dpc.listed(points), granularities[target], granularities)
    return Twin(study, points, points, relations, target, tuple(parts))


# ---------------------------------------------------------------- multisets


@dataclass(frozen=True)
class Class:
    """Multisets over the records, of a size: the class for dpcompose and the oracle's list."""

    records: tuple[str, ...]
    size: oracle.Size
    n: int

    @property
    def words(self) -> str:
        """The size as dpcompose is told."""
        return "any" if self.size == "any" else f"{self.size} {self.n}"

    @property
    def databases(self) -> list[Database]:
        """All databases of the class, cut where there is no limit."""
        return oracle.multisets(self.records, self.size, self.n)

    @property
    def compared(self) -> list[Database]:
        """The databases far enough from the cut."""
        return oracle.multisets(self.records, "any", CUT - 1) if self.size == "any" else self.databases


def classes(finite: bool = False, records: int = 3) -> st.SearchStrategy[Class]:
    """Classes of multisets over one to three records, of every kind of size."""
    limited = st.builds(
        Class,
        st.integers(1, records).map(lambda m: tuple("abc"[:m])),
        st.sampled_from(["<=", "<=", "="]),
        st.sampled_from([1, 2, 3, 1, 2, 3, 0]),
    )
    if finite:
        return limited
    unlimited = st.builds(
        Class, st.integers(1, records).map(lambda m: tuple("abc"[:m])), st.just("any"), st.just(CUT)
    )
    return st.one_of(limited, unlimited)


def restricted(where: Class, part: Iterable[str], relations: Mapping[str, oracle.Relation]) -> Reading:
    """D ↦ D|A."""
    A = frozenset(part)
    image = oracle.multisets_read(where.records, A, where.size, where.n)
    return Reading(
        oracle.restriction(A),
        dpc.restriction(A),
        lambda stated: (list(image), relations[stated]),
        everything=set(where.records) <= A,
        records=A,
    )


def function(name: str, f: oracle.Map, where: Class, relations: Mapping[str, oracle.Relation]) -> Reading:
    """A Python function; its images are neighbours where some databases above them are."""
    databases = where.databases
    image = list(oracle.fibres(databases, f))
    return Reading(
        f, Function(name, f), lambda stated: (image, oracle.pushed_forward(databases, relations[stated], f))
    )


FUNCTIONS: Mapping[str, oracle.Map] = {
    "size": len,
    "parity": lambda D: len(D) % 2,
    "present": lambda D: tuple(sorted(set(D))),
    "first": lambda D: D[:1],
}
"""Maps of multisets that do not read record by record."""


@st.composite
def _readings(draw: st.DrawFn, where: Class, functions: bool) -> tuple[Reading, str | None]:
    kinds = ["all", "part", "part", "part", *(["function"] if functions else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "all":
        whole = all_of(where.databases, RELATIONS)
        reading = Reading(whole.f, whole.reads, whole.own, True, frozenset(where.records))
        return reading, draw(st.sampled_from([None, "own", "common"]))
    domain = draw(st.sampled_from(["own", "common"]))
    if kind == "function":
        name = draw(st.sampled_from(sorted(FUNCTIONS)))
        return function(name, FUNCTIONS[name], where, RELATIONS), domain
    A = draw(st.sets(st.sampled_from(where.records)))
    return restricted(where, A, RELATIONS), domain


@st.composite
def multisets(
    draw: st.DrawFn, finite: bool = False, functions: bool = False, predicates: bool = False
) -> Twin:
    """Multisets with restrictions, empty, full and overlapping ones too, and mixed granularities.

    finite -- only sizes with a limit; functions -- also maps that are Python functions;
    predicates -- the granularities are Python predicates, of which dpcompose knows no edits.
    """
    where = draw(classes(finite or functions or predicates))
    k = draw(st.integers(1, 4))
    known = st.sampled_from(["unbounded", "unbounded", "bounded", "bounded", "changed"])
    alike = draw(st.one_of(st.none(), known))
    parts = []
    for epsilon in draw(epsilons(k)):
        reading, domain = draw(_readings(where, functions))
        parts.append(Part(reading, epsilon, alike or draw(known), domain))
    target = draw(known) if alike is None else draw(st.sampled_from([alike, alike, "unbounded", "bounded"]))
    return twin_on(where, target, parts, BY_PREDICATES if predicates else BY_EDITS)


def twin_on(
    where: Class, target: str, parts: Sequence[Part], granularities: Mapping[str, Granularity] = BY_EDITS
) -> Twin:
    """The twin of mechanisms on a class of multisets."""
    on = dpc.multisets(where.records, where.words)
    study = compose(parts, on, granularities[target], granularities)
    return Twin(study, where.databases, where.compared, RELATIONS, target, tuple(parts))


def by_predicates(twin: Twin) -> Study:
    """The same setting with predicates in place of edits, which dpcompose can only go through in full."""
    return compose(twin.parts, twin.study.setting.databases, BY_PREDICATES[twin.target], BY_PREDICATES)


@st.composite
def arbitrary(draw: st.DrawFn) -> Twin:
    """An arbitrary universe of which some records are read by name.

    For the oracle it holds the named records and two more: by the lifting lemma only the type of an edit
    matters, and two records outside of all parts give every type that a larger universe gives.
    """
    named = draw(st.sampled_from([(), ("a",), ("a", "b"), ("x",), ("x", "y")]))
    size, n = draw(st.sampled_from([("any", CUT), ("any", CUT), ("<=", 1), ("<=", 2), ("=", 1), ("=", 2)]))
    where = Class((*named, "z1", "z2"), size, n)
    k = draw(st.integers(1, 3))
    known = st.sampled_from(["unbounded", "bounded"])
    parts = []
    for epsilon in draw(epsilons(k)):
        if draw(st.booleans()):
            whole = all_of(where.databases, RELATIONS)
            reading = Reading(whole.f, whole.reads, whole.own, True, frozenset(where.records))
            domain = draw(st.sampled_from([None, "own", "common"]))
        else:
            reading = restricted(where, draw(st.sets(st.sampled_from(named))) if named else (), RELATIONS)
            domain = draw(st.sampled_from(["own", "common"]))
        parts.append(Part(reading, epsilon, draw(known), domain))
    target = draw(known)
    study = compose(parts, dpc.multisets(None, where.words), BY_EDITS[target], BY_EDITS)
    return Twin(study, where.databases, where.compared, RELATIONS, target, tuple(parts))
