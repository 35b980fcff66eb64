"""Random compositions over tuples and streams, with groups of neighbours and any two databases.

Like `strategies`, each setting is told twice.  The oracle's half is made from the definitions: a group
counts steps inside the class that it is used on, so a relation is one for each class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from operator import ne
from typing import Any

import oracle
import strategies
from hypothesis import strategies as st
from strategies import BY_EDITS, RELATIONS, Class, Database, Epsilon, Part, Reading, Twin

import dpcompose as dpc
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Function
from dpcompose.spaces.moves.granularities import Granularity


@dataclass(frozen=True)
class Kind:
    """A granularity for dpcompose, and the same for the oracle: groups of groups of … of a relation."""

    granularity: Granularity
    single: oracle.Relation
    counts: tuple[int, ...] = ()

    @property
    def most(self) -> int:
        """How many single steps lead to a neighbour, at most."""
        found = 1
        for m in self.counts:
            found *= m
        return found

    def on(self, databases: Sequence[Database]) -> oracle.Relation:
        """The relation on a class."""
        return relation_on(self.single, self.counts, tuple(databases))

    def grouped(self, m: int) -> Kind:
        """Groups of m of it."""
        return Kind(dpc.group(m, self.granularity), self.single, (*self.counts, m))


@cache
def relation_on(
    single: oracle.Relation, counts: tuple[int, ...], databases: tuple[Database, ...]
) -> oracle.Relation:
    """Groups of groups of … of a relation, steps being counted inside the class."""
    if not counts:
        return single
    return oracle.group(relation_on(single, counts[:-1], databases), counts[-1], databases)


def one_position_changed(D: Sequence[Any], E: Sequence[Any]) -> bool:
    """Tuples of one length that differ at exactly one position."""
    return len(D) == len(E) and sum(map(ne, D, E)) == 1


def with_groups(singles: Mapping[str, tuple[Granularity, oracle.Relation]]) -> dict[str, Kind]:
    """The granularities, groups of 2 and 3 of them, and groups of groups, by the names of the tests."""
    kinds = {}
    for name, (granularity, relation) in singles.items():
        one = Kind(granularity, relation)
        kinds |= {name: one, f"2 {name}": one.grouped(2), f"3 {name}": one.grouped(3)}
        kinds[f"2*2 {name}"] = one.grouped(2).grouped(2)
    return kinds


OF_MULTISETS = with_groups({name: (BY_EDITS[name], RELATIONS[name]) for name in RELATIONS})
OF_TUPLES = with_groups({"bounded": (dpc.bounded, one_position_changed)})
OF_STREAMS = OF_TUPLES | with_groups({"event": (dpc.event, one_position_changed)})
ANY_TWO = {
    "free-lunch": Kind(dpc.free_lunch, oracle.free_lunch),
    "2 free-lunch": Kind(dpc.free_lunch, oracle.free_lunch).grouped(2),
}


def reading(
    f: oracle.Map,
    reads: Any,
    image: Sequence[Database],
    kinds: Mapping[str, Kind],
    everything: bool = False,
    records: frozenset[str] | None = None,
) -> Reading:
    """A map whose images form a class of their own."""
    return Reading(
        f,
        reads,
        lambda stated: (list(image), kinds[stated].on(image)),
        everything=everything,
        records=records,
    )


def twin_on(
    on: DatabaseClass,
    databases: list[Database],
    compared: list[Database],
    kinds: Mapping[str, Kind],
    target: str,
    parts: Sequence[Part],
) -> Twin:
    """The twin of mechanisms on a class."""
    granularities = {name: kind.granularity for name, kind in kinds.items()}
    used = {target, *(part.stated for part in parts)}
    study = strategies.compose(parts, on, granularities[target], granularities)
    relations = {name: kinds[name].on(databases) for name in sorted(used)}
    return Twin(study, databases, compared, relations, target, tuple(parts))


# ---------------------------------------------------------------- multisets


@st.composite
def grouped_multisets(draw: st.DrawFn, functions: bool = False) -> Twin:
    """Multisets with restrictions, groups of neighbours and, where sizes have a limit, any two databases.

    functions -- also maps that are Python functions, on limited sizes.
    """
    where = draw(strategies.classes(finite=functions))
    limited = where.size != "any"
    kinds = {**OF_MULTISETS, **ANY_TWO}
    targets = [name for name in kinds if (limited or name not in ANY_TWO) and not name.startswith("2*2")]
    target = draw(st.sampled_from(targets))
    if not limited:
        where = Class(where.records, "any", kinds[target].most + 1)  # chains are no larger than their ends
    databases = where.databases
    parts = []
    for epsilon in draw(strategies.epsilons(draw(st.integers(1, 3)))):
        stated = draw(st.one_of(st.sampled_from(sorted(kinds)), st.just(target)))
        kind = draw(st.sampled_from(["all", "part", "part", "part", *(["function"] if functions else [])]))
        domain = draw(st.sampled_from(["own", "common"]))
        if kind == "function":
            name = draw(st.sampled_from(sorted(strategies.FUNCTIONS)))
            read = of_function(name, strategies.FUNCTIONS[name], databases, kinds)
        elif kind == "all":
            read = whole_multisets(where, kinds)
        else:
            read = part_of_multisets(where, draw(st.sets(st.sampled_from(where.records))), kinds)
        parts.append(Part(read, epsilon, stated, domain))
    compared = databases if limited else oracle.multisets(where.records, "any", where.n - 1)
    on = dpc.multisets(where.records, where.words)
    return twin_on(on, databases, compared, kinds, target, parts)


def whole_multisets(where: Class, kinds: Mapping[str, Kind]) -> Reading:
    """The identity on multisets."""
    return reading(
        oracle.identity, dpc.everything, where.databases, kinds, True, records=frozenset(where.records)
    )


def part_of_multisets(where: Class, part: Any, kinds: Mapping[str, Kind]) -> Reading:
    """D ↦ D|A."""
    A = frozenset(part)
    image = oracle.multisets_read(where.records, A, where.size, where.n)
    whole = set(where.records) <= A
    return reading(oracle.restriction(A), dpc.restriction(A), image, kinds, whole, records=A)


def of_function(name: str, f: oracle.Map, databases: list[Database], kinds: Mapping[str, Kind]) -> Reading:
    """A Python function; its images are neighbours where some databases above them are."""
    image = list(oracle.fibres(databases, f))
    return Reading(
        f,
        Function(name, f),
        lambda stated: (image, oracle.pushed_forward(databases, kinds[stated].on(databases), f)),
    )


# ---------------------------------------------------------------- tuples and streams


@dataclass(frozen=True)
class Ordered:
    """Tuples or streams over records, of length exactly n, at most n or any (cut at n)."""

    kind: str
    records: tuple[str, ...]
    size: oracle.Size
    n: int

    @property
    def databases(self) -> list[Database]:
        """All of them, cut where there is no limit."""
        lengths = [self.n] if self.size == "=" else range(self.n + 1)
        return [D for length in lengths for D in product(self.records, repeat=length)]

    @property
    def on(self) -> DatabaseClass:
        """The class for dpcompose."""
        words = "any" if self.size == "any" else f"{self.size} {self.n}"
        return (dpc.tuples if self.kind == "tuples" else dpc.streams)(self.records, words)

    @property
    def kinds(self) -> dict[str, Kind]:
        """What can be neighbours in it."""
        return {**(OF_TUPLES if self.kind == "tuples" else OF_STREAMS), **ANY_TWO}


def at_positions(where: Ordered, chosen: Any) -> Reading:
    """D ↦ the records at some positions."""
    S = tuple(sorted(chosen))
    image = list(product(where.records, repeat=len(S)))
    whole = len(S) == where.n

    def f(D: Any) -> Any:
        return tuple(D[at - 1] for at in S)

    return reading(f, dpc.positions(*S), image, where.kinds, whole)


TUPLE_FUNCTIONS: Mapping[str, oracle.Map] = {
    "multiset": lambda D: tuple(sorted(D)),
    "parity": lambda D: len([a for a in D if a == "a"]) % 2,
    "ends": lambda D: D[:1] + D[-1:],
    "same": lambda D: len(set(D)) <= 1,
}
"""Maps of tuples that do not keep positions."""


@st.composite
def ordered(draw: st.DrawFn, functions: bool = False) -> Twin:
    """Tuples and streams of one length read by positions, of several lengths read as a whole."""
    kind = draw(st.sampled_from(["tuples", "streams"]))
    size = draw(st.sampled_from(["=", "=", "=", "=", "<=", *([] if functions else ["any"])]))
    m = draw(st.sampled_from([1, 2, 2, 2, 3]))
    n = draw(st.sampled_from([0, 1, 2, 3, 3, 4] if m < 3 else [0, 1, 2, 3]))
    if size != "=":
        n = min(n, 3)
    where = Ordered(kind, tuple("abc"[:m]), size, n)
    kinds = where.kinds
    target = draw(st.sampled_from([name for name in kinds if size != "any" or name not in ANY_TWO]))
    if size == "any":
        where = Ordered(kind, tuple("abc"[: min(m, 2)]), "any", kinds[target].most)
    databases = where.databases
    parts = []
    for epsilon in draw(strategies.epsilons(draw(st.integers(1, 4)))):
        stated = draw(st.one_of(st.sampled_from(sorted(kinds)), st.just(target)))
        domain = draw(st.sampled_from(["own", "common"]))
        if functions and draw(st.booleans()):
            name = draw(st.sampled_from(sorted(TUPLE_FUNCTIONS)))
            read = of_function(name, TUPLE_FUNCTIONS[name], databases, kinds)
        elif size == "=" and draw(st.integers(0, 4)):
            positions = st.sets(st.integers(1, where.n)) if where.n else st.just(set())
            read = at_positions(where, draw(positions))
        else:
            read = reading(oracle.identity, dpc.everything, databases, kinds, True)
        parts.append(Part(read, epsilon, stated, domain))
    return twin_on(where.on, databases, databases, kinds, target, parts)


# ---------------------------------------------------------------- sequences


def one_entry_more(D: Sequence[Any], E: Sequence[Any]) -> bool:
    """One of two sequences is the other with one entry deleted."""
    short, long = sorted((tuple(D), tuple(E)), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


OF_SEQUENCES = with_groups({"insert-delete": (dpc.insert_delete, one_entry_more)})


@st.composite
def sequences(draw: st.DrawFn) -> Twin:
    """Sequences with entries inserted and deleted, read as a whole or as the entries in a record set."""
    records = tuple("abc"[: draw(st.integers(1, 3))])
    size = draw(st.sampled_from(["any", "any", "<=", "="]))
    kinds = OF_SEQUENCES if size == "any" else OF_SEQUENCES | ANY_TWO
    target = draw(st.sampled_from([name for name in kinds if not name.startswith(("3", "2*2"))]))
    n = kinds[target].most + 1 if size == "any" else draw(st.integers(0, 3))
    where = Ordered("tuples", records, size, n)  # chains are no longer than their ends
    parts = []
    for epsilon in draw(strategies.epsilons(draw(st.integers(1, 3)))):
        stated = draw(st.one_of(st.sampled_from(sorted(kinds)), st.just(target)))
        A = draw(st.sets(st.sampled_from(records)))
        whole = len(A) == len(records) or draw(st.integers(0, 3)) == 0
        if whole:
            read = reading(oracle.identity, dpc.everything, where.databases, kinds, True)
        else:
            image = Ordered("tuples", tuple(sorted(A)), "<=", n).databases
            read = reading(oracle.restriction(A), dpc.restriction(A), image, kinds)
        parts.append(Part(read, epsilon, stated, draw(st.sampled_from(["own", "common"]))))
    compared = Ordered("tuples", records, "<=", n - 1).databases if size == "any" else where.databases
    on = dpc.sequences(records, "any" if size == "any" else f"{size} {n}")
    return twin_on(on, where.databases, compared, kinds, target, parts)


# ---------------------------------------------------------------- any two databases of any size


@st.composite
def any_two_of_any_size(draw: st.DrawFn) -> tuple[Twin, list[bool]]:
    """A target of any two multisets (or tuples) of any size, and for each mechanism whether it has no bound.

    The twin's databases are cut where one more record makes what is read differ more, and no less.
    """
    records = tuple("abc"[: draw(st.integers(1, 3))])
    of_tuples = draw(st.booleans())
    where: Any = Ordered("tuples", records, "any", 2) if of_tuples else Class(records, "any", 3)
    kinds = {**(OF_TUPLES if of_tuples else OF_MULTISETS), **ANY_TWO}
    databases = where.databases
    parts, unlimited = [], []
    for i in range(1, draw(st.integers(1, 3)) + 1):
        times = draw(st.sampled_from([Fraction(1), Fraction(1), None]))
        epsilon = Epsilon(times, f"e{i}" if times else "")
        stated = draw(st.one_of(st.sampled_from(sorted(kinds)), st.sampled_from(sorted(ANY_TWO))))
        A = records if of_tuples or draw(st.booleans()) else draw(st.sets(st.sampled_from(records)))
        if of_tuples:
            read = reading(oracle.identity, dpc.everything, databases, kinds, True)
        elif len(A) == len(records):
            read = whole_multisets(where, kinds)
        else:
            read = part_of_multisets(where, A, kinds)
        parts.append(Part(read, epsilon, stated, draw(st.sampled_from(["own", "common"]))))
        unlimited.append(bool(A) and (stated not in ANY_TWO or epsilon.times is None))
    on = where.on if of_tuples else dpc.multisets(records)
    target = draw(st.sampled_from(sorted(ANY_TWO)))
    return twin_on(on, databases, databases, kinds, target, parts), unlimited


# ---------------------------------------------------------------- listed classes


@st.composite
def grouped_listed(draw: st.DrawFn, most_databases: int = 8) -> Twin:
    """A listed class with groups of named granularities, whose images list single steps."""
    points: list[Database] = [f"d{i}" for i in range(draw(st.integers(1, most_databases)))]
    kinds: dict[str, Kind] = {}
    for name in ["G", "H"][: draw(st.integers(1, 2))]:
        some = draw(strategies.relations_on(points))
        kinds |= with_groups({name: (dpc.pairs(name, some), oracle.from_pairs(some))})
    names = sorted(kinds)
    parts = []
    for i, epsilon in enumerate(draw(strategies.epsilons(draw(st.integers(1, 3)))), start=1):
        if draw(st.integers(0, 3)) == 0:
            read = reading(oracle.identity, dpc.everything, points, kinds, True)
        else:
            read = draw(tables(f"f{i}", points, kinds))
        domain = draw(st.sampled_from(["own", "common"]))
        parts.append(Part(read, epsilon, draw(st.sampled_from(names)), domain))
    target = draw(st.sampled_from(names))
    return twin_on(dpc.listed(points), points, points, kinds, target, parts)


@st.composite
def tables(draw: st.DrawFn, name: str, points: Sequence[Database], kinds: Mapping[str, Kind]) -> Reading:
    """A map by its values; its image's neighbours left out, one list, or lists for some granularities."""
    values = draw(st.lists(st.sampled_from("vwxyz"), min_size=len(points), max_size=len(points)))
    f = oracle.from_table(dict(zip(points, values, strict=True)))
    image = sorted(set(values))
    keys = draw(st.sampled_from([[], [], [""], ["G"], ["", "G"]]))
    given = {key: draw(strategies.relations_on(image)) for key in keys}
    lists = {key: oracle.from_pairs(some) for key, some in given.items()}

    def own(stated: str) -> tuple[list[Database], oracle.Relation]:
        single, counts = stated.split()[-1], kinds[stated].counts
        for key in (single, ""):
            if key in lists:
                return list(image), Kind(dpc.pairs(key, given[key]), lists[key], counts).on(image)
        return list(image), oracle.pushed_forward(points, kinds[stated].on(points), f)

    return Reading(f, dpc.table(name, dict(zip(points, values, strict=True)), given), own)
