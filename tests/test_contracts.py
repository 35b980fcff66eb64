"""What every granularity, metric, map and class promises."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

import oracle
import pytest
import strategies
import sympy
from graph_paths import shortest_paths
from hypothesis import given
from hypothesis import strategies as st
from shares import MANY

import dpcompose as dpc
from dpcompose.spaces.canonical.graphs import neighbourhood_graph, push_forward
from dpcompose.spaces.canonical.metrics import (
    INFINITE,
    ClosedForm,
    Discrete,
    FewestBlocks,
    Metric,
    MinimumOverFibres,
)
from dpcompose.spaces.classes import databases as classes
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.inputs.maps import Everything, Function, Map
from dpcompose.spaces.moves import neighbours
from dpcompose.spaces.moves.granularities import Granularity, NotSymmetric


def one_record_away(D: Any) -> Iterable[Database]:
    """An edit function: everything that adds or removes one of the records a, b, c."""
    yield D  # itself, and some twice: to be left out
    for record in "abc":
        yield tuple(sorted([*D, record]))
    for i in range(len(D)):
        yield D[:i] + D[i + 1 :]


RECORDS = ("a", "b", "c")
SIZES = ["<= 0", "<= 1", "<= 3", "= 0", "= 1", "= 3"]
OF_MULTISETS: list[Granularity] = [
    dpc.unbounded,
    dpc.bounded,
    dpc.event,
    dpc.free_lunch,
    strategies.CHANGED,
    dpc.relation("same parity", lambda D, E: (len(D) - len(E)) % 2 == 0),
    dpc.steps("one record away", one_record_away),
    dpc.group(2, dpc.bounded),
    dpc.group(2, dpc.group(2, dpc.unbounded)),
    dpc.group(3, strategies.CHANGED),
    dpc.group(2, dpc.free_lunch),
    dpc.group(2, dpc.steps("one record away", one_record_away)),
]
LISTED = dpc.listed(["p", "q", "r", "s"])
OF_LISTED: list[Granularity] = [
    dpc.pairs("square", [("p", "q"), ("r", "q"), ("r", "s"), ("s", "s"), ("s", "p"), ("p", "s")]),
    dpc.pairs("none", []),
    dpc.relation("not r", lambda D, E: "r" not in (D, E)),
    dpc.steps("next", lambda D: [E for E in "pqrst" if abs(ord(D) - ord(E)) <= 1]),
    dpc.group(2, dpc.pairs("path", [("p", "q"), ("q", "r"), ("r", "s")])),
    dpc.group(2, dpc.group(1, dpc.relation("next to", lambda D, E: abs(ord(D) - ord(E)) == 1))),
    dpc.free_lunch,
]
OF_TUPLES: list[Granularity] = [
    dpc.bounded,
    dpc.free_lunch,
    dpc.group(2, dpc.bounded),
    dpc.relation("same ends", lambda D, E: D[:1] == E[:1]),
    dpc.steps("the first changed", lambda D: [(a, *D[1:]) for a in "abc" if D]),
    dpc.group(2, dpc.steps("the first changed", lambda D: [(a, *D[1:]) for a in "abc" if D])),
]
SPACES: list[tuple[DatabaseClass, Granularity]] = [
    *product([dpc.multisets(RECORDS, size) for size in SIZES], OF_MULTISETS),
    *product([LISTED], OF_LISTED),
    *product([dpc.tuples("ab", size) for size in ("<= 2", "= 0", "= 3")], OF_TUPLES),
    *product([dpc.tuples("a", "= 3"), dpc.streams("abc", "= 2")], OF_TUPLES),
    *product([dpc.streams("ab", "= 3")], [dpc.event, dpc.group(2, dpc.event)]),
]


def space_name(value: object) -> str:
    """For the names of tests."""
    return str(value)


@pytest.mark.parametrize(("databases", "granularity"), SPACES, ids=space_name)
def test_granularities_are_symmetric_and_list_their_neighbours(
    databases: DatabaseClass, granularity: Granularity
) -> None:
    members = list(databases.databases())
    graph = neighbourhood_graph(databases, granularity)
    assert set(graph.nodes) == set(members)
    for D in members:
        assert not granularity.relates(D, D, databases)
        listed = list(granularity.neighbours(D, databases))
        assert len(set(listed)) == len(listed)
        related = {E for E in members if granularity.relates(D, E, databases)}
        assert set(listed) == related == set(graph.adj[D])
        for E in members:
            assert granularity.relates(D, E, databases) == granularity.relates(E, D, databases)


@pytest.mark.parametrize(("databases", "granularity"), SPACES, ids=space_name)
def test_groups_are_steps_inside_the_class(databases: DatabaseClass, granularity: Granularity) -> None:
    members = list(databases.databases())
    pairs = dpc.group(2, granularity)
    inside = oracle.group(lambda D, E: granularity.relates(D, E, databases), 2, members)
    assert {(D, E) for D, E in product(members, repeat=2) if pairs.relates(D, E, databases)} == {
        (D, E) for D, E in product(members, repeat=2) if inside(D, E)
    }
    assert dpc.group(1, pairs) == pairs and hash(dpc.group(1, pairs)) == hash(pairs)
    assert pairs == dpc.group(2, dpc.group(1, granularity)) != dpc.group(3, granularity)


@pytest.mark.parametrize("m", [0, -1, 1001, True, 2.0, "2"])
def test_groups_of_no_number_are_refused(m: Any) -> None:
    with pytest.raises(ValueError, match="a group counts 1 to 1,000 steps in all"):
        dpc.group(m, dpc.bounded)
    with pytest.raises(TypeError, match="a group counts steps inside a class"):
        dpc.group(2, dpc.bounded).are_neighbours(("a",), ("b",))


def test_granularities_without_a_meaning_say_so() -> None:
    ordered = dpc.tuples("ab", "= 2")
    assert dpc.unbounded.unfit(ordered) == (
        "the granularity unbounded has no meaning on tuples: it is about multisets and sets"
    )
    assert dpc.group(2, dpc.event).unfit(dpc.multisets("ab")) == (
        "the granularity event has no meaning on multisets: it is about streams"
    )
    assert dpc.event.unfit(ordered) == "the granularity event has no meaning on tuples: it is about streams"
    assert dpc.bounded.unfit(LISTED) == "the granularity bounded is about records; a listed class has none"
    for databases in (ordered, dpc.streams("ab"), dpc.multisets("ab")):
        assert dpc.bounded.unfit(databases) is dpc.free_lunch.unfit(databases) is None


@pytest.mark.parametrize("name", sorted(strategies.RELATIONS))
def test_edits_are_the_oracles_relations(name: str) -> None:
    for D, E in product(oracle.multisets(RECORDS, "<=", 3), repeat=2):
        assert strategies.BY_EDITS[name].are_neighbours(D, E) == strategies.RELATIONS[name](D, E)


ONE_WAY: list[tuple[Granularity, str]] = [
    (dpc.relation("one way", lambda D, E: len(D) < len(E)), "predicate"),
    (dpc.steps("one way", lambda D: [(*D, "a")] if not D else []), "edit function"),
]


@pytest.mark.parametrize("granularity", [one for one, _ in ONE_WAY], ids=[words for _, words in ONE_WAY])
def test_a_relation_that_is_not_symmetric_is_refused_with_the_pair(granularity: Granularity) -> None:
    databases = dpc.multisets({"a"}, size="<= 1")
    message = "the granularity one way is not symmetric: ['a'] is a neighbour of [], but [] is none of ['a']"
    with pytest.raises(NotSymmetric) as raised:
        neighbourhood_graph(databases, granularity)
    assert str(raised.value) == message
    mechanism = dpc.mechanism("M", satisfies=dpc.pure("e", dpc.bounded))
    for study in (
        dpc.compose(mechanism, on=databases, target=granularity),
        dpc.compose(
            dpc.mechanism("M", satisfies=dpc.pure("e", granularity)), on=databases, target=dpc.bounded
        ),
    ):
        with pytest.raises(NotSymmetric) as raised:
            _ = study.bound
        assert str(raised.value) == message


def test_a_listed_neighbour_outside_of_the_class_is_refused() -> None:
    with pytest.raises(ValueError) as raised:
        neighbourhood_graph(LISTED, dpc.pairs("mine", [("p", "z")]))
    assert str(raised.value) == "the granularity mine names 'z', which is no database of the class"


# ---------------------------------------------------------------- metrics


def assert_metric(metric: Metric, points: list[Any]) -> None:
    """The axioms of an extended metric, and no distance 0 between different points."""
    for x in points:
        assert metric(x, x) == 0
        for y in points:
            assert metric(x, y) == metric(y, x)
            assert metric(x, y) >= 1 or metric(x, y) == INFINITE or x == y
            for z in points:
                direct, *legs = map(number, (metric(x, z), metric(x, y), metric(y, z)))
                assert direct <= sum(legs), (x, y, z)


def number(distance: int) -> float:
    """A distance of dpcompose in the oracle's numbers."""
    return oracle.INFINITY if distance == INFINITE else distance


@pytest.mark.parametrize(("databases", "granularity"), SPACES, ids=space_name)
def test_canonical_metrics(databases: DatabaseClass, granularity: Granularity) -> None:
    graph = neighbourhood_graph(databases, granularity)
    paths = shortest_paths(graph)
    points = list(databases.databases())
    assert_metric(paths, points)
    expected = oracle.canonical_distance(points, lambda D, E: granularity.relates(D, E, databases))
    assert all(number(paths(x, y)) == expected[x, y] for x, y in expected)


@pytest.mark.parametrize(
    "metric",
    [
        ClosedForm("removed + added"),
        ClosedForm("removed", same_size=True),
        ClosedForm("max(removed, added)"),
        ClosedForm("removed + added", at_once=2),
        ClosedForm("removed", same_size=True, at_once=3),
        ClosedForm("oo"),
    ],
    ids=str,
)
def test_closed_forms_are_metrics(metric: ClosedForm) -> None:
    assert_metric(metric, oracle.multisets("ab", "<=", 3))


@pytest.mark.parametrize(
    "metric",
    [*(FewestBlocks(dpc.tuples("ab"), dpc.group(m, dpc.bounded)) for m in (1, 2, 3)), Discrete()],
    ids=str,
)
def test_metrics_of_tuples_are_metrics(metric: Metric) -> None:
    assert_metric(metric, list(dpc.tuples("ab", "<= 3").databases()))


@MANY
@given(st.data())
def test_push_forwards_and_minimum_over_fibres(data: st.DataObject) -> None:
    """The push-forward's metric is the closure of d^f, lies below it, and equals it in the known cases."""
    points: list[Any] = [f"d{i}" for i in range(data.draw(st.integers(1, 7)))]
    pairs = data.draw(strategies.relations_on(points))
    values = data.draw(st.lists(st.sampled_from("wxyz"), min_size=len(points), max_size=len(points)))
    f = dpc.table("f", dict(zip(points, values, strict=True)))
    graph = neighbourhood_graph(dpc.listed(points), dpc.pairs("G", pairs))
    images = sorted(set(values))
    space = dpc.finite(dpc.listed(points), dpc.pairs("G", pairs))
    closure, minimum = shortest_paths(push_forward(graph, f)), MinimumOverFibres(space, f)
    assert_metric(closure, images)
    relation = oracle.from_pairs(pairs)
    least = oracle.minimum_privacy_distance(points, oracle.canonical_distance(points, relation), f)
    closed = oracle.metric_closure(images, least)
    injective = len(images) == len(points)
    for x, y in product(images, repeat=2):
        assert number(minimum(x, y)) == least[x, y]
        assert number(closure(x, y)) == closed[x, y]
        assert number(closure(x, y)) <= number(minimum(x, y))
        if injective or len(images) <= 2 or 0 <= minimum(x, y) <= 2:
            assert minimum(x, y) == closure(x, y)


def test_the_metric_of_a_subclass_is_not_the_induced_one() -> None:
    """GB Rem. A.2: add/remove steps between two databases of one size leave the class of databases of this size."""
    for target, among_all, of_one_size in ((dpc.unbounded, 2, sympy.oo), (dpc.bounded, 1, 1)):
        pair = ["a", "b"], ["a", "c"]
        assert dpc.canonical_metric(dpc.multisets("abc"), target)(*pair) == among_all
        assert dpc.canonical_metric(dpc.multisets("abc", size="= 2"), target)(*pair) == of_one_size
        assert dpc.canonical_metric(dpc.multisets("abc", size="<= 2"), target)(*pair) == among_all


def test_minimum_over_fibres_breaks_the_triangle_inequality() -> None:
    """a – b1, b2 – c with b1, b2 merged: d^f(a, c) = ∞, its closure 2."""
    graph = neighbourhood_graph(
        dpc.listed(["a", "b1", "b2", "c"]), dpc.pairs("steps", [("a", "b1"), ("b2", "c")])
    )
    merge = dpc.table("merge", {"a": "x", "b1": "y", "b2": "y", "c": "z"})
    assert MinimumOverFibres(dpc.finite(graph), merge)("x", "z") == INFINITE
    assert shortest_paths(push_forward(graph, merge))("x", "z") == 2


# ---------------------------------------------------------------- classes and maps


@pytest.mark.parametrize("records", ["a", "ab", "abc"])
@pytest.mark.parametrize("size", [f"{sign} {n}" for sign in ("<=", "=") for n in range(5)])
def test_classes_are_counted_and_listed(records: str, size: str) -> None:
    databases = dpc.multisets(records, size)
    listed = list(databases.databases())
    sign, n = size.split()
    assert listed == oracle.multisets(records, "=" if sign == "=" else "<=", int(n))
    assert databases.count() == len(listed) == len(set(listed))
    assert all(D in databases and databases.parse(databases.show(D)) == D for D in listed)
    for D in oracle.multisets(records + "z", "any", 5):
        assert (D in databases) == (D in listed)
    assert ("b", "a") not in databases and "a" not in databases and ["a"] not in databases


@pytest.mark.parametrize("kind", [dpc.tuples, dpc.streams])
@pytest.mark.parametrize("size", [f"{sign} {n}" for sign in ("<=", "=") for n in range(4)])
def test_tuples_are_counted_and_listed(kind: Any, size: str) -> None:
    for records in ("a", "ab", "abc"):
        databases = kind(records, size)
        listed = list(databases.databases())
        sign, n = size.split()
        lengths = [int(n)] if sign == "=" else range(int(n) + 1)
        assert listed == [D for length in lengths for D in product(records, repeat=length)]
        assert databases.count() == len(listed) == len(set(listed))
        assert all(D in databases and databases.parse(databases.show(D)) == D for D in listed)
        for D in [D for length in range(5) for D in product(records + "z", repeat=length)]:
            assert (D in databases) == (D in listed)
        for D, E in product(listed, repeat=2):
            differing = [i for i in range(len(D)) if i >= len(E) or D[i] != E[i]]
            assert [i for i, gone in enumerate(databases.changed(D, E)) if gone] == differing
    assert "a" not in databases and ["a"] not in databases
    with pytest.raises(ValueError, match="is no database of all"):
        databases.parse("a")


@pytest.mark.parametrize("elements", [["p"], ["p", "q"], [1, 2, 3], [(), ("a",), frozenset()]])
def test_listed_classes_are_counted_and_listed(elements: list[Any]) -> None:
    databases = dpc.listed(elements)
    assert list(databases.databases()) == elements
    assert databases.count() == len(elements)
    assert all(D in databases and databases.parse(databases.show(D)) == D for D in elements)
    assert "no such" not in databases and [] not in databases


def image_of(f: Map, databases: DatabaseClass) -> DatabaseClass:
    """f's image class, after a look at that it holds all values, and (if finite) nothing else."""
    image = f.image(databases)
    values = {f(D) for D in databases.databases()}
    assert values <= set(image.databases())
    assert values == set(image.databases()), (f, databases)
    assert image.count() == len(values)
    return image


def test_images() -> None:
    for size in SIZES:
        databases = dpc.multisets(RECORDS, size)
        assert image_of(dpc.everything, databases) == databases
        for part in [part for r in range(4) for part in combinations(RECORDS, r)]:
            f = dpc.restriction(part)
            image_of(f, databases)
            assert f.is_identity(databases) == (part == RECORDS)
            for D in databases.databases():
                assert f(D) == oracle.restriction(part)(D) == f(f(D))
        values = {D: len(D) % 2 for D in oracle.multisets(RECORDS, "<=", 3)}
        table, parity = dpc.table("parity", values), Function("parity", lambda D: len(D) % 2)
        assert image_of(table, databases) == image_of(parity, databases)
        assert not table.is_identity(databases) and not parity.is_identity(databases)
    assert isinstance(dpc.everything, Everything)
    assert dpc.restriction({"a"}).image(dpc.multisets(RECORDS)) == Multisets(("a",), Size())
    assert dpc.restriction({"a"}).image(dpc.multisets(RECORDS, "= 2")) == Multisets(("a",), Size(2))
    assert dpc.restriction(RECORDS).image(dpc.multisets(RECORDS, "= 2")) == dpc.multisets(RECORDS, "= 2")
    assert dpc.restriction([]).image(dpc.multisets(RECORDS)) == Listed(((),))
    with pytest.raises(TypeError, match="only tuples are restricted to positions"):
        dpc.positions(1).image(dpc.multisets(RECORDS))
    with pytest.raises(TypeError, match="is no tuple that has the positions"):
        dpc.positions(3)(("a", "b"))
    with pytest.raises(ValueError, match="positions are whole numbers from 1"):
        dpc.positions(0, 1)
    with pytest.raises(TypeError, match="only multisets, sets and sequences are restricted to records"):
        dpc.restriction({"a"}).image(LISTED)


def test_changes_of_many_tuples_are_made_and_not_looked_for() -> None:
    """Asked about every pair, the 4,096 tuples would take minutes."""
    graph = neighbourhood_graph(dpc.tuples("ab", "= 12"), dpc.bounded)
    assert graph.number_of_edges() == 12 * 2**11


def test_images_at_positions() -> None:
    for kind, n in product((dpc.tuples, dpc.streams), range(4)):
        databases = kind("ab", f"= {n}")
        for chosen in [some for r in range(n + 1) for some in combinations(range(1, n + 1), r)]:
            f = dpc.positions(*reversed(chosen))
            image = image_of(f, databases)
            assert f == dpc.positions(*chosen, *chosen)
            assert f.is_identity(databases) == (len(chosen) == n) == (image == databases)
            assert all(f(D) == tuple(D[at - 1] for at in chosen) for D in databases.databases())
            if 0 < len(chosen) < n:
                assert image.kind == databases.kind
                assert str(image).endswith("s " + ", ".join(map(str, chosen)))


def test_what_is_too_large_is_refused_before_the_work() -> None:
    def refusal(databases: DatabaseClass, granularity: Granularity) -> str:
        with pytest.raises(TooLarge) as raised:
            neighbourhood_graph(databases, granularity)
        return str(raised.value)

    assert classes.LARGEST_CLASS == 2_000_000 and neighbours.LARGEST_PREDICATE_CLASS == 3_000
    assert refusal(dpc.multisets("ab", "any"), dpc.bounded) == (
        "all finite multisets over {a, b} cannot be listed: there are infinitely many. Give a finite record "
        "universe and a size limit, or maps and neighbours that read records one by one"
    )
    assert refusal(dpc.multisets(size="<= 2"), dpc.bounded) == (
        "all multisets of size <= 2 over an arbitrary record universe cannot be listed: there are infinitely "
        "many. Give a finite record universe and a size limit, or maps and neighbours that read records one "
        "by one"
    )
    assert refusal(dpc.multisets("abcd", "<= 90"), dpc.bounded) == (
        "all multisets of size <= 90 over {a, b, c, d}: 3,049,501 databases, more than the 2,000,000 that are "
        "gone through. A smaller size limit or fewer records would do"
    )
    assert refusal(dpc.tuples("ab", "<= 1000000"), dpc.bounded) == (
        "all tuples of length <= 1000000 over {a, b}: about 10^301 databases, more than the 2,000,000 that are "
        "gone through. A smaller size limit or fewer records would do"
    )
    assert refusal(dpc.streams("ab"), dpc.event).startswith(
        "all streams of any length over {a, b} cannot be listed: there are infinitely many."
    )
    assert refusal(dpc.multisets("abcdefghij", "<= 400"), dpc.bounded) == (
        "all multisets of size <= 400 over {a, b, c, d, e, f, g, h, i, j}: about 10^19 databases, more than "
        "the 2,000,000 that are gone through. A smaller size limit or fewer records would do"
    )
    assert refusal(dpc.multisets("abc", "<= 25"), dpc.relation("mine", oracle.bounded)) == (
        "all multisets of size <= 25 over {a, b, c}: 3,276 databases, and the granularity mine must be asked "
        "about every pair; that is done for up to 3,000 databases. An edit function (dpcompose.steps) "
        "instead of a predicate would do"
    )
