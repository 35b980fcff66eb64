"""Random compositions over graphs, tables, streams with windows, owned records and sets, each told twice.

The oracle's half is literal: which cells two databases differ in is seen from the databases, and a granularity is a
predicate of these cells.  On what is kept of a database the cells keep their names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import oracle
import strategies
from hypothesis import strategies as st
from strategies import Database, Part, Reading, Twin
from strategies_ordered import relation_on

import dpcompose as dpc
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.moves.granularities import Granularity

Cells = set[Any]
Changed = Callable[[Any, Any], Cells]
"""The cells in which two databases differ."""


def one(cells: Cells) -> bool:
    return len(cells) == 1


def at_one_vertex(cells: Cells) -> bool:
    return any(all(v in pair for pair in cells) for v in range(1, 6))


def in_one_row(cells: Cells) -> bool:
    return len({row for row, _ in cells}) == 1


def in_a_window(w: int) -> Callable[[Cells], bool]:
    return lambda steps: max(steps) - min(steps) < w


@dataclass(frozen=True)
class Space:
    """A class, its databases, and what neighbours may differ in, by the names of the tests."""

    on: DatabaseClass
    databases: list[Database]
    kinds: Mapping[str, tuple[Granularity, Callable[[Cells], bool], int]]
    reads: st.SearchStrategy[tuple[Any, Callable[[Any], Any], Changed]]
    changed: Changed

    def relation(self, name: str, databases: Sequence[Database], changed: Changed) -> oracle.Relation:
        """The relation of a name on a class of databases or images."""
        _, allowed, m = self.kinds[name]

        def single(D: Any, E: Any) -> bool:
            return D != E and allowed(changed(D, E))

        return relation_on(single, (m,), tuple(databases)) if m > 1 else single


def with_more(singles: Mapping[str, tuple[Granularity, Callable[[Cells], bool]]]) -> dict[str, Any]:
    """The granularities, groups of 2 of them, unions of two, and free lunch."""
    kinds: dict[str, Any] = {}
    for name, (G, allowed) in singles.items():
        kinds |= {name: (G, allowed, 1), f"2 {name}": (dpc.group(2, G), allowed, 2)}
    for (a, (G, of_a)), (b, (H, of_b)) in combinations(singles.items(), 2):

        def either(cells: Cells, of_a: Any = of_a, of_b: Any = of_b) -> bool:
            return of_a(cells) or of_b(cells)

        kinds[f"{a} or {b}"] = (dpc.union(H, G), either, 1)
    return kinds | {"free-lunch": (dpc.free_lunch, lambda cells: True, 1)}


# graphs


def of_graphs(n: int) -> Space:
    pairs = list(combinations(range(1, n + 1), 2))
    databases = [D for size in range(len(pairs) + 1) for D in combinations(pairs, size)]

    def changed(D: Any, E: Any) -> Cells:
        return set(D) ^ set(E)

    def at(v: int) -> Any:
        return dpc.vertex(v), lambda D: tuple(pair for pair in D if v in pair), changed

    def among(some: set[int]) -> Any:
        return dpc.among(*some), lambda D: tuple(p for p in D if set(p) <= some), changed

    vertices = st.integers(1, n)
    reads = st.one_of(vertices.map(at), vertices.map(at), st.sets(vertices).map(among))
    kinds = with_more({"edge": (dpc.edge, one), "node": (dpc.node, at_one_vertex)})
    return Space(dpc.graphs(n), databases, kinds, reads, changed)


# streams and tuples


def at_positions(n: int) -> st.SearchStrategy[Any]:
    def some(chosen: set[int]) -> Any:
        S = sorted(chosen)

        def changed(x: Any, y: Any) -> Cells:
            return {at for at, a, b in zip(S, x, y, strict=True) if a != b}

        return dpc.positions(*S), lambda D: tuple(D[at - 1] for at in S), changed

    return st.sets(st.integers(1, n)).map(some)


def everywhere(D: Any, E: Any) -> Cells:
    return {at for at, (a, b) in enumerate(zip(D, E, strict=True), start=1) if a != b}


def of_streams(n: int) -> Space:
    kinds = with_more(
        {
            "event": (dpc.event, one),
            "2-event": (dpc.w_event(2), in_a_window(2)),
            "3-event": (dpc.w_event(3), in_a_window(3)),
        }
    )
    databases = list(product("ab", repeat=n))
    return Space(dpc.streams("ab", f"= {n}"), databases, kinds, at_positions(n), everywhere)


OWNERS = ("Ann", "Bob", "Ann", "Cleo", "Bob")


def of_users(n: int) -> Space:
    owned = {user: [at for at in range(1, n + 1) if OWNERS[at - 1] == user] for user in OWNERS[:n]}

    def of_one(cells: Cells) -> bool:
        return len({OWNERS[at - 1] for at in cells}) == 1

    kinds = with_more({"bounded": (dpc.bounded, one), "user": (dpc.user, of_one)})
    databases = list(product("ab", repeat=n))
    return Space(dpc.tuples("ab", f"= {n}", owned), databases, kinds, at_positions(n), everywhere)


# tables


def of_tables(n: int) -> Space:
    people = dpc.tables({"age": "yo", "sick": "nm"}, f"= {n}")
    columns = {"age": 1, "sick": 4}  # where the value stands in "(y, n)"

    def cells(D: Any, E: Any) -> Cells:
        rows = enumerate(zip(D, E, strict=True), start=1)
        return {(row, name) for row, (a, b) in rows for name, at in columns.items() if a[at] != b[at]}

    def column(name: str) -> Any:
        def changed(x: Any, y: Any) -> Cells:
            return {(row, name) for row in everywhere(x, y)}

        return dpc.columns(people, name), lambda D: tuple(a[columns[name]] for a in D), changed

    def rows(chosen: set[int]) -> Any:
        S = sorted(chosen)

        def changed(x: Any, y: Any) -> Cells:
            return {(S[row - 1], name) for row, name in cells(x, y)}

        return dpc.positions(*S), lambda D: tuple(D[at - 1] for at in S), changed

    reads = st.one_of(st.sampled_from(sorted(columns)).map(column), st.sets(st.integers(1, n)).map(rows))
    kinds = with_more({"attribute": (dpc.attribute, one), "bounded": (dpc.bounded, in_one_row)})
    records = [f"({a}, {b})" for a, b in product("yo", "nm")]
    return Space(people, list(product(records, repeat=n)), kinds, reads, cells)


# sets


def of_sets(n: int) -> Space:
    records = "abcd"[:n]
    databases = [D for size in range(n + 1) for D in combinations(records, size)]

    def changed(D: Any, E: Any) -> Cells:
        return set(D) ^ set(E)

    def restricted(A: set[str]) -> Any:
        return dpc.restriction(A), lambda D: tuple(a for a in D if a in A), changed

    kinds = with_more({"unbounded": (dpc.unbounded, one)})
    return Space(
        dpc.sets(records), databases, kinds, st.sets(st.sampled_from(records)).map(restricted), changed
    )


SPACES = (
    *(of_graphs(n) for n in (3, 3, 4)),
    *(of_streams(n) for n in (3, 5)),
    *(of_users(n) for n in (3, 5)),
    *(of_tables(n) for n in (1, 2)),
    *(of_sets(n) for n in (2, 4)),
)


@st.composite
def cells(draw: st.DrawFn) -> Twin:
    """One to three mechanisms on a class whose databases are made of cells."""
    space = draw(st.sampled_from(SPACES))
    names = sorted(space.kinds)
    target = draw(st.sampled_from(names))
    parts = []
    for epsilon in draw(strategies.epsilons(draw(st.integers(1, 3)))):
        reads, f, changed = draw(space.reads)
        if draw(st.integers(0, 3)) == 0:
            reads, f, changed = dpc.everything, oracle.identity, space.changed
        image = list(oracle.fibres(space.databases, f))

        def own(stated: str, image: Any = image, changed: Changed = changed) -> Any:
            return image, space.relation(stated, image, changed)

        stated = draw(st.one_of(st.sampled_from(names), st.just(target)))
        read = Reading(f, reads, own, everything=reads is dpc.everything)
        parts.append(Part(read, epsilon, stated, draw(st.sampled_from(["own", "common"]))))
    granularities = {name: kind[0] for name, kind in space.kinds.items()}
    used = {target, *(part.stated for part in parts)}
    study = strategies.compose(parts, space.on, granularities[target], granularities)
    relations = {name: space.relation(name, space.databases, space.changed) for name in sorted(used)}
    return Twin(study, space.databases, space.databases, relations, target, tuple(parts))
