"""How cost grows with databases, parts and mechanisms: draws notebooks/pictures/growth.svg, which the manual shows.

python tests/benchmarks/plot_finite.py
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import bench_finite as bench
import networkx
import numpy
import sympy
from measured import in_turn, told_apart_in_grey
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import dpcompose as dpc
from dpcompose.language.worstcase import Top
from dpcompose.spaces.arrays import layouts

TARGET = Path(__file__).resolve().parents[2] / "notebooks" / "pictures" / "growth.svg"
Curves = dict[str, tuple[list[int], list[float]]]
SIZES = (5, 10, 20, 37)
MORE = (68,)
"""Sizes for arrays, and for scipy's search of these, only: networkx takes minutes."""
LONGEST = 2.0
"""A curve ends after the first point that took so many seconds."""
SLOW = 0.1
"""Where a point takes so many seconds, the next one is timed once."""


def curve(at: list[int], call: Callable[[int], Callable[[], Any]]) -> tuple[list[int], list[float]]:
    """The processor time at each point, medians of three where these are short, up to LONGEST."""
    times: list[float] = []
    for x in at:
        (spent,), _ = in_turn(1 if times and times[-1] > SLOW else 3, call(x))
        times.append(spent)
        if spent > LONGEST:
            break
    return at[: len(times)], times


def graph_of(size: int) -> networkx.Graph:
    nodes = bench.databases(4, size)
    return bench.numbered(bench.filled(nodes, bench.edits(nodes, size, False)))


def by_databases() -> Curves:
    """Building the graph, and distances from one database."""

    def with_count(
        size_of: Callable[[int], Callable[[], Any]], more: tuple[int, ...] = ()
    ) -> tuple[list[int], list[float]]:
        sizes, times = curve([*SIZES, *more], size_of)
        return [bench.space_of(4, size).nodes for size in sizes], times

    def networkx_build(size: int) -> Callable[[], Any]:
        nodes = bench.databases(4, size)
        return lambda: bench.filled(nodes, bench.edits(nodes, size, False))

    def searched(size: int) -> Callable[[], Any]:
        space = bench.space_of(4, size)
        space.distances(())
        return lambda: space.distances(())

    def networkx_searched(size: int) -> Callable[[], Any]:
        graph = graph_of(size)
        return lambda: networkx.single_source_shortest_path_length(graph, 0)

    def scipy_searched(size: int) -> Callable[[], Any]:
        space = bench.space_of(4, size)
        first, second = space.edges()
        matrix = coo_array((numpy.ones(len(first)), (first, second)), (space.nodes, space.nodes)).tocsr()
        return lambda: dijkstra(matrix, directed=False, unweighted=True, indices=0)

    return {
        "graph, networkx": with_count(networkx_build),
        "graph, arrays": with_count(lambda size: lambda: bench.space_of(4, size).edges(), MORE),
        "distances from one, networkx": with_count(networkx_searched),
        "distances from one, scipy": with_count(scipy_searched, MORE),
        "distances from one, arrays": with_count(searched, MORE),
    }


def by_parts() -> Curves:
    """The profile of k maps over 180,180 neighbouring pairs."""
    size = 8
    space = bench.space_of(8, size, dpc.bounded)
    counts = layouts.MultisetLayout(8, size, False, True, False).counts()
    values = [counts[i % 8] // (1 + i // 8) for i in range(16)]
    first, second = (ends.tolist() for ends in space.edges())

    def plain(k: int) -> Callable[[], Any]:
        of = list(zip(*(some.tolist() for some in values[:k]), strict=True))
        return lambda: {
            tuple([abs(a - b) for a, b in zip(of[D], of[E], strict=True)])
            for D, E in zip(first, second, strict=True)
        }

    parts = [1, 2, 4, 8, 16]
    return {
        "profile, plain loop": curve(parts, plain),
        "profile, arrays": curve(parts, lambda k: lambda: space.profile(*values[:k])),
    }


def by_mechanisms() -> Curves:
    """The bound max over pairs of sums, and a verdict on it."""

    def fresh(k: int) -> Iterator[Any]:
        """Parameters of new names each time: sympy keeps what it made once."""
        return (dpc.parameters(f"{letter}1:{k + 1}") for letter in bench.LETTERS)

    def pairs(k: int) -> Callable[[], Any]:
        families = fresh(k)
        return lambda: sympy.Max(*(x + y for x, y in combinations(next(families), 2)))

    def top(k: int) -> Callable[[], Any]:
        families = fresh(k)
        return lambda: Top(2, *next(families))

    def verdict(k: int) -> Callable[[], Any]:
        records = [f"a{i}" for i in range(k)]
        e = dpc.parameters(f"e1:{k + 1}")
        mechanisms = [
            dpc.mechanism(f"M{i}", dpc.pure(x, dpc.bounded, "common"), reads=dpc.restriction([records[i]]))
            for i, x in enumerate(e)
        ]
        study = dpc.compose(*mechanisms, on=dpc.multisets(records), target=dpc.bounded)
        study.guarantee()
        return lambda: study.check(dpc.pure(sympy.Add(*e)))

    return {
        "max over pairs, sympy": curve([3, 5, 8, 12, 16], pairs),
        "max over pairs, top(2, ...)": curve([3, 10, 30, 100, 300], top),
        "a linear claim decided": curve([3, 10, 30, 100, 300], verdict),
    }


def main() -> None:
    panels = (
        ("databases", by_databases()),
        ("parts k (180,180 pairs)", by_parts()),
        ("mechanisms k", by_mechanisms()),
    )
    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "growth"
    pyplot.rcParams["axes.prop_cycle"] = told_apart_in_grey()
    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for axis, (words, curves) in zip(axes, panels, strict=True):
        for name, (at, times) in curves.items():
            axis.loglog(at, times, markersize=4, label=name)
        axis.set_xlabel(words)
        axis.set_ylabel("seconds of processor time")
        axis.grid(alpha=0.3)
        axis.legend(fontsize="x-small")
    figure.suptitle(machine(), fontsize="small")
    figure.savefig(TARGET, metadata={"Date": None})


def machine() -> str:
    """The processor and the versions."""
    model = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = " ".join(line.split(":")[1].split())
            break
    versions = (
        f"Python {platform.python_version()}, networkx {networkx.__version__}, numpy {numpy.__version__}"
    )
    return f"{model}, one core; {versions}, sympy {sympy.__version__}"


if __name__ == "__main__":
    main()
