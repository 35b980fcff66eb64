"""Finite classes on arrays, beside networkx, scipy, sympy and plain loops: one table.

    python tests/benchmarks/bench_finite.py [--small] [--rounds 3] [--only WORD] [--write]

It needs scipy.  Ours and the others run in turn, in this process; times are processor time, medians.  What
takes the others longer than some seconds is timed on a sample of sources or fibres and marked ~.  Every row
asserts that the results are equal; ratios are printed, never asserted.  --small takes seconds and is what
`pytest tests/benchmarks/bench_finite.py` runs.  --write puts what was measured into the manual's table.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx
import numpy
import sympy
from measured import in_turn, peak

import dpcompose as dpc
from dpcompose.language.worstcase import Top
from dpcompose.spaces.arrays import layouts
from dpcompose.spaces.canonical.finite import FiniteSpace
from dpcompose.spaces.moves.granularities import Granularity

Counts = tuple[int, ...]
LETTERS = "abcdefgh"


@dataclass
class Row:
    """What was compared, at which size, the median times, and the least and the aimed ratios."""

    what: str
    at: str
    ours: float
    others: float
    least: str
    sampled: bool = False
    more: str = ""

    @property
    def ratio(self) -> str:
        return f"{'~' if self.sampled else ''}{self.others / self.ours:,.1f}" if self.ours else "-"

    @property
    def written(self) -> str:
        """The row of the manual's table."""
        more = f"; {self.more}" if self.more else ""
        return f"| {self.what} | {self.at} | {self.ratio}{more} |"

    def __str__(self) -> str:
        ratio = self.ratio
        seconds = f"{seconds_of(self.ours):>9} {seconds_of(self.others):>9}" if self.ours else 19 * " "
        return f"{self.what:47} {self.at:24} {seconds} {ratio:>10} {self.least:>16}  {self.more}"


def seconds_of(t: float) -> str:
    """A time in a readable unit."""
    return f"{t:.2f} s" if t >= 1 else f"{t * 1e3:.1f} ms" if t >= 1e-3 else f"{t * 1e6:.0f} us"


HEAD = f"{'what':47} {'at':24} {'ours':>9} {'others':>9} {'ratio':>10} {'least (aim)':>16}"


def fresh() -> None:
    """Forgets the tables that earlier calls have made."""
    layouts._plan.cache_clear()
    layouts._successors.cache_clear()


def space_of(types: int, size: int, granularity: Granularity = dpc.unbounded) -> FiniteSpace:
    """A class of multisets whose graph is not made yet."""
    fresh()
    return dpc.finite(dpc.multisets(LETTERS[:types], f"<= {size}"), granularity)


# ---------------------------------------------------------------- the plain side


def databases(types: int, size: int) -> list[Counts]:
    """All multisets as counts, in the order of the class."""

    def of_size(types: int, n: int) -> Iterator[Counts]:
        if types == 1:
            yield (n,)
            return
        for count in range(n, -1, -1):
            for others in of_size(types - 1, n - count):
                yield (count, *others)

    return [D for n in range(size + 1) for D in of_size(types, n)]


def edits(nodes: list[Counts], size: int, replace: bool) -> Iterator[tuple[Counts, Counts]]:
    """Each edge once: from A with one record more, or from A with x to A with y instead."""
    for A in nodes:
        if sum(A) < size:
            grown = [(*A[:x], A[x] + 1, *A[x + 1 :]) for x in range(len(A))]
            if replace:
                yield from combinations(grown, 2)
            else:
                for D in grown:
                    yield A, D


def filled(nodes: list[Counts], edges: Iterator[tuple[Counts, Counts]]) -> networkx.Graph:
    """A networkx graph of databases."""
    graph = networkx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return graph


def numbered(graph: networkx.Graph) -> networkx.Graph:
    """The same on 0, 1, …, which networkx searches faster."""
    return networkx.convert_node_labels_to_integers(graph)


def keys(first: Any, second: Any) -> Any:
    """The edges as sorted numbers."""
    low, high = numpy.minimum(first, second).astype(numpy.int64), numpy.maximum(first, second)
    return numpy.sort(low << 32 | high)


def assert_same_edges(ours: tuple[Any, Any], graph: networkx.Graph) -> None:
    number = {D: n for n, D in enumerate(graph.nodes)}
    ends = numpy.array([(number[D], number[E]) for D, E in graph.edges], numpy.int64)
    assert numpy.array_equal(keys(*ours), keys(ends[:, 0], ends[:, 1]))


# ---------------------------------------------------------------- the rows


def graphs_as_arrays(small: bool, rounds: int) -> Iterator[Row]:
    size = 20 if small else 68
    nodes = databases(4, size)
    for granularity, replace in ((dpc.unbounded, False), (dpc.bounded, True)):
        (ours, others), (arrays, graph) = in_turn(
            rounds,
            lambda g=granularity: space_of(4, size, g).edges(),
            lambda r=replace: filled(nodes, edits(nodes, size, r)),
        )
        assert_same_edges(arrays, graph)
        del arrays, graph
        less = peak(lambda r=replace: filled(nodes, edits(nodes, size, r))) / peak(
            lambda g=granularity: space_of(4, size, g).edges()
        )
        what = f"neighbourhood graph as arrays, {granularity}"
        yield Row(what, f"{len(nodes):,} databases", ours, others, "150 (250)", more=f"memory 1/{less:.0f}")


def own_edits(small: bool, rounds: int) -> Iterator[Row]:
    size = 20 if small else 68
    nodes = databases(4, size)
    listed = dpc.listed(nodes)

    def step(D: Any) -> Iterator[Counts]:
        for x, count in enumerate(D):
            if count:
                yield (*D[:x], count - 1, *D[x + 1 :])
        if sum(D) < size:
            for x, count in enumerate(D):
                yield (*D[:x], count + 1, *D[x + 1 :])

    own = dpc.steps("own", step)
    (ours, others), (arrays, graph) = in_turn(
        rounds,
        lambda: dpc.finite(listed, own).edges(),
        lambda: filled(nodes, ((D, E) for D in nodes for E in step(D))),
    )
    assert_same_edges(arrays, graph)
    yield Row("a user's own edit generator", f"{len(nodes):,} databases", ours, others, "2.5 (4)")


def profiles(small: bool, rounds: int) -> Iterator[Row]:
    for size, granularity in ((6, dpc.unbounded),) if small else ((12, dpc.unbounded), (10, dpc.bounded)):
        space = space_of(8, size, granularity)
        nodes = databases(8, size)
        graph = filled(nodes, edits(nodes, size, granularity is dpc.bounded))
        counts = layouts.MultisetLayout(8, size, False, True, False).counts()
        values = [2 * counts[2 * i] + counts[2 * i + 1] for i in range(4)]
        of = dict(zip(nodes, zip(*(some.tolist() for some in values), strict=True), strict=True))

        def loop(graph: Any = graph, of: Any = of) -> tuple[set[Counts], bool, list[int]]:
            found, compatible, most = set(), True, [0, 0, 0, 0]
            for D, E in graph.edges:
                a, b, c, d = of[D]
                p, q, r, s = of[E]
                v = (abs(a - p), abs(b - q), abs(c - r), abs(d - s))
                if v not in found:
                    found.add(v)
                    most = [max(one, other) for one, other in zip(most, v, strict=True)]
                    compatible = compatible and v.count(0) >= 3
            return found, compatible, most

        first, second = space.edges()
        (ours, others, reading), (profile, plain, _) = in_turn(
            max(3, rounds),
            lambda space=space, values=values: space.profile(*values),
            loop,
            lambda first=first, second=second: [first.max() + second.max() for _ in range(10)],
        )
        assert (set(profile.vectors), profile.compatible, list(profile.sensitivities)) == plain
        at = f"{graph.number_of_edges():,} edges, {granularity}"
        times = f"{10 * ours / reading:.0f} times reading the edges" if reading else ""
        yield Row("compatible, sensitivity, profile of 4 parts", at, ours, others, "40 (60)", more=times)


def all_pairs(small: bool, rounds: int) -> Iterator[Row]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    for size in (8,) if small else (20, 27):
        space = space_of(4, size)
        first, second = space.edges()
        n = space.nodes
        graph = networkx.Graph(zip(first.tolist(), second.tolist(), strict=True))
        matrix = coo_array((numpy.ones(len(first)), (first, second)), (n, n)).tocsr()
        sources = list(range(0, n, max(1, n // 40)))
        (ours, by_networkx, by_scipy), (table, plain, rows) = in_turn(
            1 if size > 20 else rounds,
            lambda size=size: space_of(4, size).all_pairs(),
            lambda graph=graph, sources=sources: [
                networkx.single_source_shortest_path_length(graph, D) for D in sources
            ],
            lambda matrix=matrix, sources=sources: shortest_path(
                matrix, directed=False, unweighted=True, indices=sources
            ),
        )
        for D, distances, row in zip(sources, plain, rows, strict=True):
            assert table[D].tolist() == [distances[E] for E in range(n)] == row.astype(int).tolist()
        for name, others, least in (("networkx", by_networkx, "35 (60)"), ("scipy", by_scipy, "3 (8)")):
            whole = others * n / len(sources)
            yield Row(f"all-pairs canonical metric, {name}", f"{n:,} databases", ours, whole, least, True)


def fibres(small: bool, rounds: int) -> Iterator[Row]:
    size = 18 if small else 37
    space, labels = clipped(size)
    first, second = space.edges()
    graph = networkx.Graph(zip(first.tolist(), second.tolist(), strict=True))
    inside = [numpy.flatnonzero(labels == x).tolist() for x in range(100)]
    given = labels.tolist()

    def from_one(x: int) -> dict[int, int]:
        seen = set(inside[x])
        reached, layer, steps = {x: 0}, list(seen), 0
        while layer:
            steps += 1
            further = []
            for D in layer:
                for E in graph._adj[D]:
                    if E not in seen:
                        seen.add(E)
                        further.append(E)
                        reached.setdefault(given[E], steps)
            layer = further
        return reached

    some = range(0, 100, 20)
    (ours, others, by_hand), ((table, values), distances, plain) = in_turn(
        rounds,
        lambda: space_of(4, size).minimum_over_fibres(labels),
        lambda: [networkx.multi_source_dijkstra_path_length(graph, {*inside[x]}) for x in some],
        lambda: [from_one(x) for x in some],
    )
    assert values == list(range(100))
    for x, reached, found in zip(some, plain, distances, strict=True):
        assert table[x].tolist() == [reached[y] for y in range(100)]
        assert table[x].tolist() == [min(found[D] for D in inside[y]) for y in range(100)]
    at = f"{space.nodes:,} databases"
    for name, spent in (("networkx from several sources", others), ("a search written out", by_hand)):
        yield Row(f"d^f for 100 fibres, {name}", at, ours, spent * 100 / len(some), "350 (600)", True)

    size = 18 if small else 20
    space, labels = clipped(size)
    first, second = space.edges()
    given = labels.tolist()

    def contracted() -> dict[int, dict[int, int]]:
        image = networkx.Graph()
        image.add_edges_from(
            (given[D], given[E])
            for D, E in zip(first.tolist(), second.tolist(), strict=True)
            if given[D] != given[E]
        )
        return dict(networkx.all_pairs_shortest_path_length(image))

    (ours, others), (closure, plain) = in_turn(
        max(3, rounds), lambda: space_of(4, size).push_forward(labels).all_pairs(), contracted
    )
    assert all(closure[x, y] == plain[x][y] for x in range(100) for y in range(100))
    yield Row("its closure", f"{space.nodes:,} databases", ours, others, "4 (8)")


def clipped(size: int) -> tuple[FiniteSpace, Any]:
    """A class, and two of its counts, up to 9 each, as labels 0, …, 99."""
    counts = layouts.MultisetLayout(4, size, False, True, False).counts()
    labels = numpy.minimum(counts[0], 9) * 10 + numpy.minimum(counts[1], 9)
    return space_of(4, size), labels.astype(numpy.int64)


def structure(small: bool, rounds: int) -> Iterator[Row]:
    """The functions are new ones each time, and so are called, twice for each multiset over their part; the
    full pass has their values as arrays.  It is short, and goes on some times in a row."""

    def maps() -> list[Any]:
        return [
            dpc.composed(dpc.function(f"f{i}", lambda D, x=x: D.count(x) + len(D)), dpc.restriction([x, y]))
            for i, (x, y) in enumerate(zip(LETTERS[::2], LETTERS[1::2], strict=True))
        ]

    size, times = (6, 2) if small else (17, 20)
    for granularity in (dpc.unbounded, dpc.bounded):
        space = space_of(8, size, granularity)
        counts = layouts.MultisetLayout(8, size, False, True, False).counts()
        values = [2 * counts[2 * i] + counts[2 * i + 1] for i in range(4)]
        (ours, others), (apart, whole) = in_turn(
            max(3, rounds),
            lambda s=space: [s.profile(*maps()) for _ in range(times)],
            lambda s=space, v=values: s.profile(*v),
        )
        assert all(one.vectors == whole.vectors and one.edges == whole.edges for one in apart)
        at = f"{whole.edges:,} edges, {granularity}"
        yield Row("functions of parts, against our full pass", at, ours / times, others, "80")


def top_sums(small: bool, rounds: int) -> Iterator[Row]:
    k = 6 if small else 20
    families = [dpc.parameters(f"{letter}1:{k + 1}") for letter in LETTERS]  # sympy keeps what it made once
    e = families[0]
    (ours, others), (lazy, eager) = in_turn(
        1,
        lambda: [Top(2, *some) for some in families],
        lambda: sympy.Max(*(x + y for x, y in combinations(e, 2))),
    )
    point = {x: sympy.Rational((7 * n) % 11 + 1, 3) for n, x in enumerate(e)}
    assert lazy[0].xreplace(point) == eager.xreplace(point)
    yield Row(
        "top-2 sums, against sympy's Max over pairs",
        f"k = {k}",
        ours / len(families),
        others,
        "10,000 (30,000)",
    )


def linear_claims(small: bool, rounds: int) -> Iterator[Row]:
    def decided(k: int) -> Callable[[], list[str]]:
        records = [f"a{i}" for i in range(k)]
        e = dpc.parameters(f"e1:{k + 1}")
        study = dpc.compose(
            *(
                dpc.mechanism(
                    f"M{i}", dpc.pure(x, dpc.bounded, "common"), reads=dpc.restriction([records[i]])
                )
                for i, x in enumerate(e)
            ),
            on=dpc.multisets(records),
            target=dpc.bounded,
        )
        study.guarantee()
        claims = [dpc.pure(sympy.Add(*e)), dpc.pure(2 * Top(1, *e)), dpc.pure(Top(1, *e))]
        return lambda: [study.check(one).verdict for one in claims]

    sizes = (3, 6, 9) if small else (3, 100, 300)
    spent, verdicts = in_turn(max(3, rounds), *map(decided, sizes))
    assert verdicts == [["proved", "proved", "refuted"]] * len(sizes)
    for k, time_of_k in list(zip(sizes, spent, strict=True))[1:]:
        least = "k = 100 within 3" if k == sizes[1] else "decided"
        yield Row("three linear claims over pairs, against k = 3", f"k = {k}", spent[0], time_of_k, least)


def exact_loss(small: bool, rounds: int) -> Iterator[Row]:
    size = 13 if small else 20
    databases = dpc.multisets(LETTERS[:4], f"<= {size}")
    draw = random.Random(0)
    rows = {}
    for D in databases.databases():
        row = [draw.randrange(1, 1000) for _ in range(8)]
        rows[D] = [Fraction(p, sum(row)) for p in row]
    table = dpc.probability_table(rows, LETTERS, on=databases)
    table.loss(dpc.unbounded)  # the logarithms are kept with the table
    first, second = dpc.finite(databases, dpc.unbounded).edges()
    listed = list(rows.values())
    edges = list(zip(first.tolist(), second.tolist(), strict=True))

    def loop() -> Fraction:
        most = Fraction(0)
        for i, j in edges:
            for p, q in zip(listed[i], listed[j], strict=True):
                ratio = p / q
                if ratio < 1:
                    ratio = 1 / ratio
                if ratio > most:
                    most = ratio
        return most

    (ours, others), (loss, plain) = in_turn(rounds, lambda: table.loss(dpc.unbounded), loop)
    assert loss.values == (plain,)
    at = f"{len(rows):,} databases"
    yield Row("exact loss of 8 outcomes, against Fractions", at, ours, others, "150 (300)")


def memory(small: bool, rounds: int) -> Iterator[Row]:
    sizes = (6, 8) if small else (12, 17)
    for size in sizes:
        counts = layouts.MultisetLayout(8, size, False, True, False).counts()
        values = [2 * counts[2 * i] + counts[2 * i + 1] for i in range(4)]
        own = sum(counts.shape[1] * 2 for _ in values)  # the pass keeps them in 16 bits
        used = peak(lambda size=size, values=values: space_of(8, size).profile(*values))
        edges = space_of(8, size).layout.edges
        more = f"peak {used / 2**20:.0f} MiB, of which values {own / 2**20:.0f} MiB"
        yield Row("peak memory of the profile pass", f"{edges:,} edges", 0, 0, "block + result", more=more)


ROWS = (
    graphs_as_arrays,
    own_edits,
    profiles,
    all_pairs,
    fibres,
    structure,
    top_sums,
    linear_claims,
    exact_loss,
    memory,
)


def test_small() -> None:
    """All rows at sizes that take seconds: results are equal."""
    for row in ROWS:
        assert [str(one) for one in row(True, 1)]


MANUAL = Path(__file__).resolve().parents[2] / "notebooks" / "manual" / "finite-classes.md"
TABLE = "| what | at | times faster |\n|---|---|---|\n"


def write(rows: Sequence[Row]) -> None:
    """Rows into the manual's table, in place of those of the same name and size; the others stay."""
    before, _, rest = MANUAL.read_text(encoding="utf-8").partition(TABLE)
    old, _, after = rest.partition("\n\n")

    def name(line: str) -> tuple[str, ...]:
        return tuple(line.split(" | ")[:2])

    lines = {name(line): line for line in old.splitlines()} | {name(row.written): row.written for row in rows}
    MANUAL.write_text(before + TABLE + "\n".join(lines.values()) + "\n\n" + after, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="sizes that take seconds")
    parser.add_argument("--rounds", type=int, default=3, help="how often each call is timed")
    parser.add_argument("--only", default="", help="rows whose function has this word in its name")
    parser.add_argument("--write", action="store_true", help="puts the rows into the manual's table")
    chosen, measured = parser.parse_args(), list[Row]()
    print(HEAD)
    for row in ROWS:
        if chosen.only in row.__name__:
            for one in row(chosen.small, chosen.rounds):
                print(one, flush=True)
                measured.append(one)
    if chosen.write and not chosen.small:
        write([one for one in measured if one.ours])
    sys.stdout.flush()


if __name__ == "__main__":
    main()
