"""Finite classes on arrays: the same as networkx, the oracle and plain loops on small classes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import product
from math import comb
from typing import Any

import networkx
import numpy
import oracle
import pytest
from shares import seeds

import dpcompose as dpc
from dpcompose.spaces.arrays import layouts, passes, searches, sizes
from dpcompose.spaces.arrays.layouts import MultisetLayout, TupleLayout
from dpcompose.spaces.canonical import finite as finite_spaces
from dpcompose.spaces.canonical import small
from dpcompose.spaces.canonical.finite import FiniteSpace
from dpcompose.spaces.canonical.graphs import neighbourhood_graph, push_forward
from dpcompose.spaces.classes.databases import DatabaseClass, TooLarge
from dpcompose.spaces.moves.granularities import Granularity, NotSymmetric
from dpcompose.spaces.moves.single_edits import RecordEdits

EITHER = RecordEdits("add, remove or replace", frozenset({(1, 0), (0, 1), (1, 1)}))
LINE = dpc.steps("next", lambda n: [n - 1, n + 1, n, n + 1, "outside"])
SPACES: list[tuple[DatabaseClass, Granularity]] = [
    *product(
        [dpc.multisets("abc", size) for size in ("<= 3", "= 3", "<= 0", "= 0")],
        [dpc.unbounded, dpc.bounded, EITHER, dpc.free_lunch, dpc.group(2, dpc.bounded)],
    ),
    (dpc.multisets("a", "<= 5"), dpc.unbounded),
    (dpc.multisets("ab", "<= 3"), dpc.relation("mine", oracle.bounded)),
    *product([dpc.tuples("ab", "<= 3"), dpc.streams("abc", "= 3"), dpc.tuples("a", "= 2")], [dpc.bounded]),
    (dpc.tuples("ab", "= 4"), dpc.group(3, dpc.bounded)),
    (dpc.listed(range(7)), LINE),
    (dpc.listed("abcde"), dpc.pairs("two", [("a", "b"), ("c", "b"), ("d", "e"), ("e", "e")])),
    (dpc.listed("a"), dpc.pairs("none", [])),
    (dpc.sets("abc"), dpc.union(dpc.unbounded, dpc.bounded)),
    (dpc.listed("abcd"), dpc.union(dpc.pairs("one", [("a", "b")]), dpc.pairs("two", [("b", "c")]))),
]
EVERY_SPACE = pytest.mark.parametrize(("databases", "granularity"), SPACES, ids=str)


@pytest.fixture(params=["large blocks", "small blocks"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same with blocks of a few edges, tables of one row and tasks of one block."""
    layouts._plan.cache_clear()
    layouts._successors.cache_clear()
    if request.param == "small blocks":
        monkeypatch.setattr(layouts, "TABLE", 4)
        monkeypatch.setattr(layouts, "BLOCK", 3)
        monkeypatch.setattr(passes, "BLOCKS", 1)
        monkeypatch.setattr(passes, "LARGEST_KEY_TABLE", 2)
        monkeypatch.setattr(searches, "SHORT_COLUMN", 6)
        monkeypatch.setattr(searches, "SOURCES", 3)
        monkeypatch.setattr(searches, "FEW_SEARCHES", 0)
    yield
    layouts._plan.cache_clear()
    layouts._successors.cache_clear()


def pairs_of(space: FiniteSpace) -> list[frozenset[Any]]:
    """The edges as sets of two databases."""
    return [
        frozenset({space.database(u), space.database(v)})
        for u, v in zip(*(ends.tolist() for ends in space.edges()), strict=True)
    ]


@EVERY_SPACE
def test_edges_and_distances(databases: DatabaseClass, granularity: Granularity, blocks: None) -> None:
    """The graph of plain loops, the metric of the oracle, each edge once; databases and their numbers."""
    space = dpc.finite(databases, granularity)
    members = list(databases.databases())
    assert [space.number(D) for D in members] == list(range(space.nodes)) == list(range(len(members)))
    assert [space.database(n) for n in range(space.nodes)] == members
    graph = neighbourhood_graph(databases, granularity)
    edges = pairs_of(space)
    assert len(edges) == len(set(edges)) == space.layout.edges
    assert set(edges) == {frozenset(edge) for edge in graph.edges}
    assert networkx.utils.graphs_equal(space.to_networkx(), graph)

    expected = oracle.canonical_distance(members, lambda D, E: granularity.relates(D, E, databases))
    table = space.all_pairs()
    infinite = numpy.iinfo(table.dtype).max
    for (m, D), (n, E) in product(enumerate(members), repeat=2):
        distance = int(table[m, n])
        assert (oracle.INFINITY if distance == infinite else distance) == expected[D, E]
        assert space.distance(D, E) == space.distances(D)[n] == (-1 if distance == infinite else distance)
    largest = max(expected.values())
    assert space.diameter() == (-1 if largest == oracle.INFINITY else largest)
    first = {D: next(n for n, E in enumerate(members) if expected[D, E] < oracle.INFINITY) for D in members}
    assert space.components().tolist() == [first[D] for D in members]


def maps_on(databases: DatabaseClass, seed: int) -> list[Callable[[Any], int]]:
    """Three functions with few values, at random."""
    draw = random.Random(seed)
    tables = [{D: draw.randrange(width) for D in databases.databases()} for width in (2, 3, 40)]
    return [table.__getitem__ for table in tables]


@EVERY_SPACE
def test_what_neighbours_do_to_maps(databases: DatabaseClass, granularity: Granularity, blocks: None) -> None:
    """Profiles, smallest changes, d^f and push-forwards, beside the loops that define them."""
    space = dpc.finite(databases, granularity)
    graph = neighbourhood_graph(databases, granularity)
    f, g, h = maps = maps_on(databases, seed=len(str(databases)))
    found = space.profile(*maps)
    vectors = {tuple(abs(one(D) - one(E)) for one in maps) for D, E in graph.edges}
    assert set(found.vectors) == vectors and found.edges == graph.number_of_edges()
    for vector, (D, E) in found.witnesses.items():
        assert graph.has_edge(D, E) and vector == tuple(abs(one(D) - one(E)) for one in maps)
    assert found.compatible == all(sum(1 for r in vector if r) <= 1 for vector in vectors)
    assert found.commutes == all(sum(vector) <= 1 for vector in vectors)
    assert found.sensitivities == tuple(map(max, zip(*vectors, strict=True)))

    smallest: dict[Any, Any] = {}
    size = databases.size
    ordered = (max((D, E), (E, D), key=lambda one: (size(one[0]), str(one[1]))) for D, E in graph.edges)
    for D, E in sorted(ordered, key=lambda one: (size(one[0]) + size(one[1]), str(one[0]), str(one[1]))):
        change = tuple((one(D), one(E)) if one(D) != one(E) else None for one in (f, g))
        smallest.setdefault(change, (D, E))
    assert space.smallest_changes(f, g) == tuple(smallest.values())

    members = list(databases.databases())
    least = oracle.minimum_privacy_distance(
        members, oracle.canonical_distance(members, lambda D, E: granularity.relates(D, E, databases)), h
    )
    table, values = space.minimum_over_fibres(h)
    for (m, x), (n, y) in product(enumerate(values), repeat=2):
        assert (oracle.INFINITY if table[m, n] < 0 else table[m, n]) == least[x, y]
    contracted = push_forward(graph, dpc.function("h", h))
    image = space.push_forward(h)
    shown = image.to_networkx()
    assert (shown.adj, shown.nodes) == (contracted.adj, contracted.nodes)


@pytest.mark.parametrize("size", ["<= 3", "= 3", "= 1"])
@pytest.mark.parametrize("granularity", [dpc.unbounded, dpc.bounded, EITHER], ids=str)
@pytest.mark.parametrize("parts", [("ab", "c"), ("ab", "cd"), ("d", "b", "ac"), ("abcd",)])
def test_functions_of_parts(size: str, granularity: Granularity, parts: tuple[str, ...]) -> None:
    """Only the parts are gone through, and the vectors are those of the whole class."""
    databases = dpc.multisets("abcd", size)
    space = dpc.finite(databases, granularity)
    maps = [
        dpc.composed(dpc.function(f"f{n}", lambda D, n=n: len(D) * (n + 2) + D.count(min("abcd"[n:]))), part)
        for n, part in enumerate(map(dpc.restriction, map(list, parts)))
    ]
    apart, whole = space.profile(*maps), space.profile(*map(space.integers, maps))
    assert apart.vectors == whole.vectors and apart.edges == whole.edges
    for vector, (D, E) in apart.witnesses.items():
        assert D in databases and E in databases and granularity.relates(D, E, databases)
        assert vector == tuple(abs(f(D) - f(E)) for f in maps)  # type: ignore[operator]


@pytest.mark.parametrize("far", [2**61, 2**62 - 1, 2**62])
def test_how_far_apart_values_of_parts_may_be(far: int) -> None:
    """By hand: an edit of a moves f by `far`, one of b, or of c, moves g by 1; differences stay below 2^62."""
    space = dpc.finite(dpc.multisets("abc", "<= 2"), dpc.bounded)
    f = dpc.composed(dpc.function("f", lambda D: far * (len(D) > 0)), dpc.restriction(["a"]))
    g = dpc.composed(dpc.function("g", lambda D: len(D)), dpc.restriction(["b"]))
    if far == 2**62:
        with pytest.raises(OverflowError, match="2\\^62 and more apart"):
            space.profile(f, g)
        return
    assert space.profile(f, g).vectors == ((0, 0), (0, 1), (far, 0), (far, 1))


def test_a_function_of_a_part_that_is_no_map() -> None:
    """Each of its values is asked for twice, before any is used."""
    known = set[object]()

    def at_first(D: Any) -> int:
        again = D in known
        known.add(D)
        return len(D) + (again and len(D) == 2)

    part = dpc.composed(dpc.function("f", at_first), dpc.restriction(["a"]))
    with pytest.raises(
        ValueError, match=r"f is no map: its value at \('a', 'a'\) is 2, and 3 when it is asked"
    ):
        dpc.finite(dpc.multisets("ab", "<= 3"), dpc.unbounded).profile(part)


@pytest.mark.parametrize("seed", [0, 3])
def test_searches_on_any_graph(seed: int) -> None:
    """Long paths, nodes of high degree, parts that are not connected."""
    draw = random.Random(seed)
    graph = networkx.disjoint_union(networkx.star_graph(60), networkx.path_graph(270))
    graph.add_edges_from((draw.randrange(61), draw.randrange(61)) for _ in range(100 * (seed % 2)))
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    if seed > 1:
        graph.add_edge(3, 61)
    first, second = (numpy.array(ends, numpy.int32) for ends in zip(*graph.edges, strict=True))
    arrays = searches.adjacency(len(graph), first, second)
    table = searches.all_pairs(arrays)
    assert table.dtype == numpy.uint16
    infinite = numpy.iinfo(table.dtype).max
    for u, reached in networkx.all_pairs_shortest_path_length(graph):
        assert table[u].tolist() == [reached.get(v, infinite) for v in range(len(graph))]
    assert searches.diameter(arrays) == (networkx.diameter(graph) if seed > 1 else -1)


def test_diameters_where_bounds_stay_apart() -> None:
    """In a long cycle the bounds of few searches never meet."""
    n = 301
    ring = numpy.arange(n, dtype=numpy.int32)
    assert searches.diameter(searches.adjacency(n, ring, (ring + 1) % n)) == 150


# ---------------------------------------------------------------- what is refused


def test_a_relation_in_one_direction_is_named() -> None:
    upwards = dpc.steps("upwards", lambda n: [n + 1])
    with pytest.raises(
        NotSymmetric, match="upwards is not symmetric: 1 is a neighbour of 0, but 0 is none of 1"
    ):
        dpc.finite(range(3), upwards).edges()
    downwards = dpc.steps("downwards", lambda n: [n - 1])
    with pytest.raises(NotSymmetric, match="0 is a neighbour of 1, but 1 is none of 0"):
        dpc.finite(range(3), downwards).edges()


def test_size_is_known_before_work_starts() -> None:
    """10^8 databases have numbers and an estimate at once; the questions that are too large say what would do."""
    space = dpc.finite(dpc.multisets("abcd", "<= 220"), dpc.bounded)
    assert space.nodes == comb(224, 4) and space.layout.edges == 6 * comb(223, 4)
    assert space.number(space.database(77_777_777)) == 77_777_777
    with pytest.raises(TooLarge) as raised:
        space.all_pairs()
    assert str(raised.value) == (
        "all pairs of bounded neighbours on all multisets of size <= 220 over {a, b, c, d}, 102,114,376 "
        "databases with 601,745,430 neighbouring pairs: about 10,427,371 GB and 4,827 days, more than the 1 GB and "
        "60 minutes that are spent on one question; a smaller class would do"
    )
    with pytest.raises(
        TooLarge, match=r"one question; profile\(...\), which stores no edges, a smaller class would do"
    ):
        space.edges()
    with pytest.raises(
        TooLarge, match=r"distances\(D\) from one database, diameter\(\), a smaller class would do"
    ):
        dpc.finite(dpc.multisets("abcd", "<= 60"), dpc.bounded).all_pairs()
    with pytest.raises(TooLarge, match="more than the 10,000,000,000 that are gone through"):
        dpc.finite(dpc.multisets("abcd", "<= 2000"), dpc.bounded)
    with pytest.raises(TooLarge, match=r"of size 646 over .* that are spent on one question"):
        dpc.finite(dpc.multisets("abcde", "= 646"), dpc.unbounded).push_forward(dpc.restriction(["a"]))
    with pytest.raises(TooLarge, match="there are infinitely many"):
        dpc.finite(dpc.multisets("ab"), dpc.bounded)
    with pytest.raises(
        TooLarge, match=r"An edit function \(dpcompose.steps\) instead of a predicate would do"
    ):
        dpc.finite(range(3_001), dpc.relation("near", lambda m, n: abs(m - n) == 1)).edges()


def test_many_neighbours_are_seen_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is estimated is counted: the same on a busy machine, and however slow the function is."""
    monkeypatch.setattr(sizes, "LARGEST_SECONDS", 5)
    asked = []

    def step(n: int) -> range:
        asked.append(n)
        return range(n - 500, n + 501)

    space = dpc.finite(range(2_000), dpc.steps("near", step))
    with pytest.raises(TooLarge, match="that are spent on one question"):
        space.edges()
    assert len(asked) <= 40 and space.estimate().edges in range(900_000, 1_100_000)
    said = {repr(dpc.finite(range(2_000), dpc.steps("near", step)).estimate()) for _ in range(3)}
    assert len(said) == 1


def test_what_is_no_value_or_database_is_refused() -> None:
    space = dpc.finite(dpc.multisets("ab", "<= 2"), dpc.unbounded)
    with pytest.raises(TypeError, match=r"how far \(\) moves is no difference of integers"):
        space.profile(lambda D: D)
    with pytest.raises(TypeError, match=r"how far 0.5 moves is no difference of integers"):
        space.profile(lambda D: 0.5)
    with pytest.raises(ValueError, match="values are 6 integers, one a database"):
        space.profile([1, 2])
    with pytest.raises(ValueError, match="at least one map"):
        space.profile()
    with pytest.raises(ValueError, match="is no database of all multisets of size <= 2"):
        space.distances(("b", "a"))
    with pytest.raises(ValueError, match="at least one database"):
        space.distances()
    with pytest.raises(ValueError, match="a listed class has none"):
        dpc.finite("abc", dpc.unbounded)
    with pytest.raises(ValueError, match="names 'z', which is no database"):
        dpc.finite("abc", dpc.pairs("p", [("a", "z")])).edges()


# ---------------------------------------------------------------- past one process


def profile_of(executor: Executor | None) -> Any:
    """Everything that is divided among tasks, of a class with some hundred blocks."""
    space = dpc.finite(dpc.multisets("abcd", "<= 20"), dpc.bounded)
    counts = MultisetLayout(4, 20, False, True, False).counts()
    found = space.profile(2 * counts[0] + counts[1], numpy.minimum(counts[2], 3), executor=executor)
    image = space.push_forward(lambda D: (D.count("a") // 7, len(D) // 9), executor=executor)
    changes = space.smallest_changes(lambda D: D.count("a") // 7, executor=executor)
    return dict(found.witnesses), [ends.tolist() for ends in image.edges()], changes


@pytest.fixture
def many_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "BLOCK", 2**11)
    monkeypatch.setattr(passes, "BLOCKS", 1)
    layouts._plan.cache_clear()


def test_threads_and_processes_give_the_same(many_tasks: None) -> None:
    here = profile_of(None)
    with ThreadPoolExecutor(2) as threads:
        assert profile_of(threads) == here
    with ProcessPoolExecutor(2) as processes:
        assert profile_of(processes) == here


def test_dask_gives_the_same(many_tasks: None) -> None:
    distributed = pytest.importorskip("distributed")
    here = profile_of(None)
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:
        assert profile_of(client.get_executor()) == here


def test_a_pass_that_is_interrupted_leaves_nothing(many_tasks: None) -> None:
    """What has not begun is cancelled; the same question can be asked again."""

    over = threading.Event()

    class Interrupting(ThreadPoolExecutor):
        def submit(self, task: Any, /, *arguments: Any, **more: Any) -> Any:
            done = len(getattr(self, "tasks", [])) < 3
            one = super().submit(task, *arguments, **more) if done else super().submit(over.wait, 5)
            self.tasks = [*getattr(self, "tasks", []), one]
            if len(self.tasks) == 3:
                one.result = lambda timeout=None: (_ for _ in ()).throw(KeyboardInterrupt())  # type: ignore[method-assign]
            return one

    space = dpc.finite(dpc.multisets("abcd", "<= 20"), dpc.bounded)
    values = numpy.arange(space.nodes)
    with Interrupting(1) as executor:
        with pytest.raises(KeyboardInterrupt):
            space.profile(values, executor=executor)
        over.set()
        assert any(one.cancelled() for one in executor.tasks)
    assert space.profile(values).edges == space.layout.edges


def test_a_bar_is_shown_where_work_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    """Not where nobody sees it."""
    assert list(sizes.progress(iter("abc"), 3_000, "letters")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------- where plain loops hand over


def test_large_classes_are_made_of_arrays() -> None:
    """Above and below the limit the same graph, for built-in neighbours and a function of the user's."""
    databases = dpc.multisets("abc", "<= 17")
    assert databases.count() > finite_spaces.SAMPLE and databases.count() > 1_000  # type: ignore[operator]

    def swap(D: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for at in range(len(D)):
            for record in "abc":
                yield tuple(sorted((*D[:at], record, *D[at + 1 :])))

    built_in = neighbourhood_graph(databases, dpc.bounded)
    own = neighbourhood_graph(databases, dpc.steps("swap", swap))
    assert networkx.utils.graphs_equal(built_in, own)
    assert all(oracle.bounded(D, E) for D, E in built_in.edges)
    assert built_in.number_of_edges() == 3 * len([D for D in databases.databases() if len(D) < 17])


@pytest.mark.parametrize("size", ["<= 3", "= 3", "1..3", "2..2"])
def test_what_restrictions_read_is_numbered_for_all_sizes(size: str) -> None:
    """Multisets from some size on have no numbers by a formula."""
    space, f = dpc.finite(dpc.multisets("abc", size), dpc.bounded), dpc.restriction(["a", "b"])
    numbers, values = space.labels(f)
    assert [values[n] for n in numbers] == [f(D) for D in space] and len(set(values)) == len(values)


def test_the_layout_of_tuples_is_that_of_positions() -> None:
    layout = TupleLayout(3, 0, 4)
    assert layout.nodes == 121 and not layout.transitive and TupleLayout(3, 4, 4).transitive


@pytest.mark.parametrize("near", [0, 4, 500])
@seeds(2, 4)
def test_searches_from_both_ends_find_the_distances_of_one(
    near: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a line with a few shortcuts and a gap, where most are far apart and some are not joined at all."""
    draw, points = random.Random(seed), list(range(60))
    some = [(n, n + 1) for n in points[:-1] if n != 40]
    some += [tuple(draw.sample(points[:41], 2)) for _ in range(seed)]
    monkeypatch.setattr(searches, "NEAR", near)
    space = dpc.finite(dpc.listed(points), dpc.pairs("near", some))
    for D in points:
        expected = space.distances(D).tolist()
        assert [space.distance(D, E) for E in points] == expected
        assert [space.distance(E, D) for E in points] == expected


@pytest.mark.parametrize("on", [dpc.multisets("ab", "<= 3"), dpc.tuples("ab", "= 3")], ids=str)
def test_small_classes_are_decided_without_arrays(on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    on_arrays = dpc.finite(on, dpc.bounded)
    monkeypatch.setattr(small, "find_spec", lambda name: None)
    graph = small.space(on, dpc.bounded)
    assert isinstance(graph, small.GraphSpace) and (graph.nodes, graph.pairs) == (
        on_arrays.nodes,
        on_arrays.pairs,
    )
    maps = (len, lambda D: "a" in D, lambda D: D.count("a"))
    assert graph.smallest_changes(*maps) == on_arrays.smallest_changes(*maps)
    for D in on.databases():
        assert graph.distances(D).tolist() == on_arrays.distances(D).tolist()
    for space in (graph, on_arrays):
        assert space.from_fibre(1, *space.labels(maps[2])) == graph.from_fibre(1, *graph.labels(maps[2]))
    assert graph.push_forward(maps[2]).pairs == on_arrays.push_forward(maps[2]).pairs
