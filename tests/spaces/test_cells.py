"""Classes that are made of cells, and their neighbours: listed, symmetric, and metrics against plain search."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import oracle
import pytest
import sympy
from against_oracle import vectors_of
from graph_paths import shortest_paths
from hypothesis import given, settings
from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.covers import blocks as covering
from dpcompose.privacy import problems
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory import registry
from dpcompose.search.guarantees import NoGuarantee
from dpcompose.spaces.canonical.graphs import neighbourhood_graph
from dpcompose.spaces.canonical.metrics import FewestBlocks
from dpcompose.spaces.classes.databases import DatabaseClass, TooLarge
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.blocks import Blocks
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity

PEOPLE = dpc.tables({"age": "yo", "sick": "nm"}, "<= 2")
OWNED = dpc.tuples("ab", "= 4", {"Ann": [1, 3], "Bob": [2, 4]})
SPACES: list[tuple[DatabaseClass, list[Granularity], list[Map]]] = [
    (
        dpc.graphs(3),
        [dpc.edge, dpc.node, dpc.group(2, dpc.edge), dpc.union(dpc.node, dpc.edge), dpc.free_lunch],
        [dpc.vertex(2), dpc.among(1, 2), dpc.among(3)],
    ),
    (PEOPLE, [dpc.attribute, dpc.bounded, dpc.group(2, dpc.attribute)], [dpc.columns(PEOPLE, "sick")]),
    (dpc.streams("ab", "= 5"), [dpc.w_event(2), dpc.w_event(3)], [dpc.positions(1, 3, 4), dpc.positions(5)]),
    (dpc.streams("ab", "<= 3"), [dpc.w_event(2), dpc.union(dpc.event, dpc.w_event(3))], []),
    (OWNED, [dpc.user, dpc.union(dpc.user, dpc.bounded)], [dpc.positions(1, 2)]),
    (dpc.sets("abcd"), [dpc.unbounded, dpc.group(3, dpc.unbounded)], [dpc.restriction(["a", "b"])]),
]
PAIRS = [(databases, one) for databases, some, _ in SPACES for one in some]
PAIRS.append((dpc.graphs(4), dpc.node))
LEAVING = dpc.graphs("<= 3")
PAIRS += [(LEAVING, one) for one in (dpc.node_removal, dpc.group(2, dpc.node_removal), dpc.edge, dpc.node)]
OTHERS = [
    (dpc.sets("abcd", size), one)
    for size in ("any", "<= 2", "= 2")
    for one in (dpc.bounded, dpc.unbounded, dpc.union(dpc.bounded, dpc.unbounded))
]


@pytest.mark.parametrize(
    "databases", [one for one, _, _ in SPACES] + [dpc.sets("abc", "= 2"), dpc.graphs(1), LEAVING], ids=str
)
def test_databases_are_listed_counted_and_written(databases: DatabaseClass) -> None:
    listed = list(databases.databases())
    assert databases.count() == len(listed) == len(set(listed))
    assert all(D in databases and databases.parse(databases.show(D)) == D for D in listed)
    assert ("z",) not in databases and "a" not in databases
    with pytest.raises(ValueError, match="is no database of all"):
        databases.parse(["z"])


@pytest.mark.parametrize(("databases", "granularity"), [*PAIRS, *OTHERS], ids=str)
def test_metrics_are_shortest_paths_between_neighbours(
    databases: DatabaseClass, granularity: Granularity
) -> None:
    members = list(databases.databases())
    for D in members:
        listed = list(granularity.neighbours(D, databases))
        assert len(listed) == len(set(listed))
        assert set(listed) == {E for E in members if granularity.relates(D, E, databases)}
    expected = oracle.canonical_distance(members, lambda D, E: granularity.relates(D, E, databases))
    found = dpc.canonical_metric(databases, granularity)
    for (D, E), steps in expected.items():
        assert found(D, E) == (sympy.oo if steps == oracle.INFINITY else steps)


@pytest.mark.parametrize(("databases", "some", "maps"), SPACES, ids=lambda value: str(value)[:40])
def test_what_is_kept_has_the_blocks_of_the_whole(databases: Any, some: Any, maps: Any) -> None:
    """On images the blocks are those of the class of images, and the metric is that of the push-forward."""
    for f, granularity in product(maps, some):
        image = f.image(databases)
        if image.kind == "listed":
            assert len(list(image.databases())) == 1
            continue
        shape, whole = image.largest_shape(2), databases.largest_shape(2)
        kept = f.kept(whole)
        assert set(shape.cells) == set(kept)
        assert granularity.blocks(shape).unions() == granularity.blocks(whole).within(kept).unions()
        images = list(image.databases())
        assert set(images) == {f(D) for D in databases.databases()}
        metric, paths = (
            FewestBlocks(image, granularity),
            shortest_paths(neighbourhood_graph(image, granularity)),
        )
        assert all(metric(x, y) == paths(x, y) for x, y in combinations(images, 2))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_the_fewest_blocks_by_trying_all(data: st.DataObject) -> None:
    cells = range(data.draw(st.integers(1, 7)))
    some = data.draw(st.lists(st.frozensets(st.sampled_from(cells), min_size=1), max_size=6))
    blocks = Blocks(frozenset([*some, *(frozenset({cell}) for cell in cells)]), data.draw(st.integers(1, 2)))
    wanted = data.draw(st.frozensets(st.sampled_from(cells)))
    tried = (n for n in range(8) if any(wanted <= set().union(*c) for c in combinations(blocks.sets, n)))
    assert blocks.fewest(wanted) == next(tried)
    unions = {frozenset().union(*c) for c in combinations(blocks.sets, min(blocks.most, len(blocks.sets)))}
    assert set(blocks.unions()) == {one for one in unions if not any(one < other for other in unions)}


def test_a_cover_that_is_too_hard_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = dpc.graphs(9)
    cycle = [(v, v + 1) for v in range(1, 9)] + [(1, 9)]
    assert dpc.canonical_metric(graphs, dpc.node)((), tuple(sorted(cycle))) == 5
    monkeypatch.setattr(covering, "MOST_WORK", 5)
    with pytest.raises(
        TooLarge, match="the fewest blocks that cover some cells are not found by looking at 5"
    ):
        dpc.canonical_metric(graphs, dpc.node)((), tuple(sorted(cycle)))


def test_vertices_that_leave_by_plain_search() -> None:
    """The relation by its definition: one graph is what the other keeps without one vertex."""

    def without(v: int, D: Any) -> Any:
        return tuple(one for one in D if v not in one)

    def leaves(D: Any, E: Any) -> bool:
        return any(
            (v,) in large and without(v, large) == small
            for v in (1, 2, 3, 4)
            for small, large in ((D, E), (E, D))
        )

    large = dpc.graphs("<= 4")
    members = [D for D in large.databases() if large.size(D) <= 5]
    for D, E in product(members, repeat=2):
        assert dpc.node_removal.relates(D, E, large) == leaves(D, E)
    small = list(LEAVING.databases())
    expected = oracle.canonical_distance(small, leaves)
    assert all(dpc.node_removal.distance(D, E) == steps for (D, E), steps in expected.items())


def test_a_network_of_any_size_is_one_of_every_large_size() -> None:
    target = dpc.group(2, dpc.node_removal)
    stated = (dpc.node_removal, dpc.group(3, dpc.node_removal))
    parts = [dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", one)) for i, one in enumerate(stated)]
    found = [dpc.compose(*parts, on=dpc.graphs(n), target=target) for n in ("any", "<= 3", "<= 2", "<= 1")]
    assert [study.guarantee().epsilon for study in found[:3]] == [found[0].guarantee().epsilon] * 3
    assert vectors_of(found[3]) == [((1, "1"), (2, "1"))]
    said = "reads edges at some vertices of all graphs on any vertices, which may come and go: not supported"
    with pytest.raises(ValueError, match=said):
        M = dpc.mechanism("M", dpc.pure("e", dpc.edge, "own"), reads=dpc.vertex(1))
        dpc.compose(M, on=dpc.graphs("any"), target=dpc.edge)
    with pytest.raises(
        NoGuarantee, match="no lemma says that finitely many pairs of edge neighbours stand for"
    ):
        _ = dpc.compose(
            dpc.mechanism("M", dpc.pure("e", dpc.edge)), on=dpc.graphs("any"), target=dpc.edge
        ).bound


# any number of vertices, any length


MANY: list[tuple[Granularity, list[tuple[Map, Granularity]]]] = [
    (dpc.edge, [(dpc.vertex(1), dpc.edge), (dpc.vertex(2), dpc.node), (dpc.everything, dpc.edge)]),
    (dpc.node, [(dpc.vertex(1), dpc.node), (dpc.everything, dpc.node), (dpc.among(1, 2, 3), dpc.edge)]),
    (dpc.group(2, dpc.edge), [(dpc.vertex(1), dpc.edge), (dpc.everything, dpc.node)]),
    (dpc.group(2, dpc.node), [(dpc.among(1, 2, 3), dpc.edge), (dpc.everything, dpc.node)]),
]


@pytest.mark.parametrize(("target", "some"), MANY, ids=lambda one: str(one)[:30])
def test_any_number_of_vertices_is_every_large_number(target: Granularity, some: Any) -> None:
    def profile(on: DatabaseClass) -> set[Any]:
        parts = [
            dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", stated, "own"), reads=f)
            for i, (f, stated) in enumerate(some, start=1)
        ]
        return set(vectors_of(dpc.compose(*parts, on=on, target=target)))

    assert profile(dpc.graphs()) == profile(dpc.graphs(7)) == profile(dpc.graphs(8))


@pytest.mark.parametrize("f", [dpc.everything, dpc.vertex(3)])
def test_what_grows_with_the_vertices_has_no_bound(f: Map) -> None:
    (e,) = dpc.parameters("e")
    M = dpc.mechanism("M", dpc.pure(e, dpc.edge, "own"), reads=f)
    with pytest.raises(
        NoGuarantee, match="M reads moves has no limit on all graphs on any number of vertices"
    ):
        _ = dpc.compose(M, on=dpc.graphs(), target=dpc.node).bound
    assert dpc.compose(M, on=dpc.graphs(9), target=dpc.node).guarantee().epsilon == 8 * e


def test_streams_of_any_length_are_those_of_every_large_length() -> None:
    parts = [dpc.mechanism(f"M{w}", dpc.pure(f"e{w}", dpc.w_event(w))) for w in (1, 2, 3, 9)]
    bounds = {
        size: dpc.compose(*parts, on=dpc.streams("ab", size), target=dpc.w_event(4)).guarantee().epsilon
        for size in ("any", "= 12", "<= 4", "<= 3")
    }
    assert bounds["any"] == bounds["= 12"] == bounds["<= 4"] != bounds["<= 3"]
    far = [
        dpc.compose(parts[1], on=dpc.streams("ab", size), target=dpc.free_lunch) for size in ("any", "= 5")
    ]
    assert [str(study.guarantee().epsilon) for study in far] == ["oo", "3*e2"]


@pytest.mark.parametrize("m", [2, 3])
def test_groups_of_windows_on_any_length(m: int) -> None:
    """Against every length up to one that has room, where all unions of windows are gone through."""
    stated = (dpc.event, dpc.w_event(3), dpc.group(2, dpc.w_event(2)))
    parts = [dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", one)) for i, one in enumerate(stated)]

    def profile(size: str) -> list[tuple[tuple[int, str], ...]]:
        return vectors_of(
            dpc.compose(*parts, on=dpc.streams("ab", size), target=dpc.group(m, dpc.w_event(2)))
        )

    longest = profile("any")
    assert longest == [((1, str(2 * m)), (2, str(m)), (3, str((m + 1) // 2)))]
    for n in range(1, 3 * m + 3):
        exact, at_most = profile(f"= {n}"), profile(f"<= {n}")
        assert set(exact) == set(at_most)
        for vector in exact:
            assert all(int(r) <= int(dict(longest[0])[i]) for i, r in vector)
    assert set(profile(f"= {3 * m + 2}")) == set(longest)


def test_groups_of_attributes_on_any_length() -> None:
    stated = (dpc.bounded, dpc.attribute)
    people = dpc.tables({"age": "yo", "sick": "nm"})
    parts = [dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", one)) for i, one in enumerate(stated)]
    M = dpc.mechanism("ages", dpc.pure("e", dpc.attribute, "own"), reads=dpc.columns(people, "age"))
    study = dpc.compose(*parts, M, on=people, target=dpc.group(2, dpc.attribute))
    assert vectors_of(study) == [((1, "2"), (2, "2"), (3, "2"))]


@pytest.mark.parametrize(
    ("databases", "of"),
    [
        (dpc.streams("ab", "= 4"), dpc.w_event(2)),
        (dpc.streams("ab", "<= 3"), dpc.w_event(2)),
        (dpc.streams("ab", "= 4"), dpc.union(dpc.event, dpc.w_event(3))),
        (dpc.graphs(4), dpc.node),
        (dpc.graphs(3), dpc.edge),
        (PEOPLE, dpc.attribute),
        (OWNED, dpc.user),
        (dpc.tuples("ab", "<= 3"), dpc.bounded),
        (dpc.tuples("ab", "= 3"), dpc.union(dpc.bounded, dpc.unbounded)),
        (dpc.sets("abcd"), dpc.unbounded),
        (dpc.sets("abcd", "1..3"), dpc.unbounded),
        (dpc.sets("abcd"), dpc.union(dpc.bounded, dpc.unbounded)),
    ],
)
def test_groups_relate_what_as_many_steps_reach(databases: DatabaseClass, of: Granularity) -> None:
    twice = dpc.group(2, of)
    every = list(databases.databases())
    for D in every[::3]:
        reached = {F for E in of.neighbours(D, databases) for F in (E, *of.neighbours(E, databases))} - {D}
        assert {E for E in every if twice.relates(D, E, databases)} == reached


FAMILY = """
format = 1
[parameters]
n = "integer >= 1"
[databases]
kind = "graphs"
[target]
granularity = {target}
[[mechanisms]]
name = "M"
index = "i"
count = "n"
reads = {{ vertex = "i" }}
guarantee = {{ notion = "pure", epsilon = "e[i]", granularity = "{stated}", domain = "own" }}
"""


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("stated", ["edge", "node"])
def test_a_mechanism_for_each_vertex_is_every_number_of_them(m: int, stated: str) -> None:
    text = FAMILY.format(target=f'{{ group = {m}, of = "edge" }}', stated=stated)
    family = Study(problems.read_text(text).setting)
    values = [Fraction(7), Fraction(3), Fraction(3), Fraction(1, 2), Fraction(1, 3)]
    granularity = dpc.group(m, dpc.edge)
    for k in range(1, 6 if m == 1 else 4):
        single = [
            dpc.mechanism(f"M{v}", dpc.pure(values[v - 1], BUILT_IN[stated], "own"), reads=dpc.vertex(v))
            for v in range(1, k + 1)
        ]
        given = {"n": k} | {f"e[{v}]": values[v - 1] for v in range(1, k + 1)}
        whole = dpc.compose(*single, on=dpc.graphs(), target=granularity)
        assert family.guarantee().at(given)["epsilon"] == whole.guarantee().epsilon


def test_what_a_family_of_vertices_cannot_be() -> None:
    for old, new, words in (
        (
            '{{ group = 1, of = "edge" }}',
            '"node"',
            "node neighbours may differ in edges at any number of vertices",
        ),
        ('kind = "graphs"', 'kind = "graphs"\nvertices = 4', "needs graphs on any number of vertices"),
        ('vertex = "i"', 'vertex = "j"', "vertex 'j' is none; it needs vertex = \"i\""),
    ):
        text = FAMILY.replace("{{", "{").replace("}}", "}").replace("{stated}", "edge")
        text = text.replace("{target}", '{ group = 1, of = "edge" }')
        changed = text.replace(old.replace("{{", "{").replace("}}", "}"), new)
        assert changed != text
        with pytest.raises(ValueError, match=re.escape(words)):
            problems.read_text(changed)


def test_metrics_of_arbitrary_universes_know_all_databases() -> None:
    d = dpc.canonical_metric(dpc.graphs(), dpc.node)
    assert d((), ((1, 9), (2, 9), (5, 9))) == 1
    assert d(((7, 8),), ((1, 9), (2, 9))) == 2
    assert dpc.canonical_metric(dpc.sets(), dpc.unbounded)(("p", "q"), ("q", "r", "s")) == 3


def test_any_hashable_databases_with_an_edit_function() -> None:
    """Partitions of {1, 2, 3, 4} into blocks, neighbours where one element moves."""

    def of(elements: tuple[int, ...]) -> Any:
        if not elements:
            yield frozenset[Any]()
            return
        first, *rest = elements
        for size in range(len(rest) + 1):
            for some in combinations(rest, size):
                left = tuple(one for one in rest if one not in some)
                yield from (one | {frozenset({first, *some})} for one in of(left))

    def moves(D: Any) -> Any:
        for one, to in product((1, 2, 3, 4), [*D, frozenset()]):
            left = {block - {one} for block in D if block != to} - {frozenset()}
            yield frozenset(left | {to | {one}})

    partitions = dpc.listed(of((1, 2, 3, 4)))
    assert partitions.count() == 15
    moved = dpc.steps("moved", moves)
    M = dpc.mechanism("M", dpc.pure("e", moved, "common"), reads=dpc.function("blocks", len))
    study = dpc.compose(M, on=partitions, target=dpc.union(moved, dpc.free_lunch))
    (e,) = dpc.parameters("e")
    assert study.guarantee().epsilon == 3 * e  # from one block to four
    assert dpc.canonical_metric(partitions, moved)(*(max(partitions.elements, key=len), frozenset({frozenset({1, 2, 3, 4})}))) == 3  # fmt: skip


def test_pairs_differ_in_all_cells_of_a_block() -> None:
    for on, target, cells in (
        (dpc.graphs(4), dpc.node, 3),
        (dpc.streams("ab", "= 6"), dpc.w_event(3), 3),
        (dpc.tuples("ab", "= 6"), dpc.group(2, dpc.bounded), 2),
    ):
        M = dpc.mechanism("M", dpc.pure("e", target))
        inputs = Inputs(dpc.compose(M, on=on, target=target).setting, registry.standard())
        (type,) = inputs.neighbouring(target).types
        assert len(on.differing(*type.pair)) == cells


def test_what_has_no_meaning_is_refused_in_words() -> None:
    said = [
        (dpc.graphs(3), dpc.unbounded, "unbounded has no meaning on graphs: it is about multisets and sets"),
        (dpc.tuples("ab", "= 2"), dpc.user, "it is not said whose the records are"),
        (dpc.tuples("ab", "= 2"), dpc.w_event(2), "2-event has no meaning on tuples: it is about streams"),
        (dpc.streams("ab"), dpc.edge, "edge has no meaning on streams: it is about graphs"),
        (dpc.streams("ab"), dpc.union(dpc.event, dpc.node), "node has no meaning on streams"),
    ]
    for on, granularity, words in said:
        assert words in str(granularity.unfit(on))
    M = dpc.mechanism("M", dpc.pure("e", dpc.edge, "own"), reads=dpc.vertex(5))
    with pytest.raises(ValueError, match="M reads the vertex 5, which all graphs on 3 vertices do not have"):
        dpc.compose(M, on=dpc.graphs(3), target=dpc.edge)
    with pytest.raises(ValueError, match="a window has 1 to 1,000 time steps, not 0"):
        dpc.w_event(0)
    with pytest.raises(ValueError, match="every position from 1 to the length is owned by one user"):
        dpc.tuples("ab", "= 3", {"Ann": [1, 3], "Bob": [3]})
    with pytest.raises(ValueError, match="there is no attribute 'size'; there are age, sick"):
        dpc.columns(PEOPLE, "size")


def test_queries_under_windows_and_users() -> None:
    """A sum of three values in [0, 1] that one user owns moves by 3; windows count what lies in them."""
    user = dpc.streams("ab", "= 6", {"Ann": [1, 2, 6], "Bob": [3, 4, 5]})
    M = dpc.mechanism(
        "M", query=dpc.clipped_sum(0, 1), noise=dpc.laplace("1/e"), reads=dpc.positions(1, 2, 4)
    )
    (e,) = dpc.parameters("e")
    for target, steps in ((dpc.user, 2), (dpc.w_event(2), 2), (dpc.w_event(4), 3), (dpc.event, 1)):
        assert dpc.compose(M, on=user, target=target).guarantee().epsilon == steps * e


@pytest.mark.parametrize("seed", range(20))
def test_positions_of_positions_are_positions(seed: int) -> None:
    """As maps are composed: with the identifiers that the records have in the whole tuples."""
    draw = random.Random(seed)
    inner = dpc.positions(*draw.sample(range(1, 7), draw.randint(1, 6)))
    outer = dpc.positions(*draw.sample(range(1, 7), draw.randint(0, 6)))
    D = tuple(draw.choices("abc", k=6))
    joined = dpc.composed(outer, inner)
    if max(outer.positions, default=0) <= len(inner.positions):
        assert joined == dpc.positions(*(inner.positions[at - 1] for at in outer.positions))
        assert joined(D) == outer(inner(D))
    else:
        with pytest.raises(TypeError, match="no tuple that has the positions"):
            joined(D)


def test_windows_of_positions_of_positions_are_those_of_the_whole_stream() -> None:
    """The time steps 1 and 3 lie in no window of two, though they are the first two that are kept at first."""
    far, near = (dpc.composed(dpc.positions(1, 2), dpc.positions(*some)) for some in ((1, 3), (2, 3)))
    for f, steps in ((far, 2), (near, 1)):
        M = dpc.mechanism("M", dpc.pure("e", dpc.w_event(2), "own"), reads=f)
        study = dpc.compose(M, on=dpc.streams("ab", "= 4"), target=dpc.w_event(3))
        assert str(study.guarantee().epsilon) == ("2*e" if steps == 2 else "e")
