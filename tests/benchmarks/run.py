"""What a user waits for, beside what others take: one table, and a plot of how cost grows.

    python tests/benchmarks/run.py [--quick] [--plot FILE]

CPU time, of user and system, of whole processes with their start, or of calls in this one; medians of three rounds
in turn, so that only ratios are to be compared.  Peers that are not installed are left out, and named: scipy,
rustworkx, igraph and networkit for graphs, dp-accounting and prv-accountant for curves, z3 for comparisons.
--quick leaves out what takes long, and ends within two minutes on an idle machine.  Every verdict is checked.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

import written
from measured import in_turn, told_apart_in_grey

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = ROOT / "notebooks" / "problems"
ROUNDS = 3
PEERS = {
    "scipy": "scipy",
    "rustworkx": "rustworkx",
    "igraph": "igraph",
    "networkit": "networkit",
    "dp_accounting": "dp-accounting",
    "prv_accountant": "prv-accountant",
    "z3": "z3",
}
ENDS_WELL = (0,)


@dataclass(frozen=True)
class Row:
    """What is measured, how long ours takes and something else, what is asked of the ratio, and our memory in MiB."""

    what: str
    ours: float
    other: str
    others: float
    asked: str = ""
    memory: int = 0

    def __str__(self) -> str:
        ratio = f"{self.ours / self.others:9.2f}" if self.others else f"{'':9}"
        others = f"{self.others:9.3f}" if self.others else f"{'':9}"
        memory = f"{self.memory:6}" if self.memory else f"{'':6}"
        return f"{self.what:44} {self.ours:9.3f} {others} {ratio}  {self.asked:8} {memory}  {self.other}"


HEAD = f"{'what':44} {'ours, s':>9} {'other, s':>9} {'ratio':>9}  {'asked':8} {'MiB':>6}  other"


@dataclass(frozen=True)
class Used:
    """The CPU time of a process in seconds, and its peak of memory in MiB."""

    time: float
    memory: int


def process(*command: str | Path) -> Used:
    """What a process uses, with compiled modules kept.

    Linux counts for a child what its parent held when it was forked: whole processes come before calls in this one.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH"))))
    with tempfile.TemporaryFile() as said:
        run = subprocess.Popen([sys.executable, *command], env=kept, cwd=ROOT, stdout=said, stderr=said)
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if run.returncode not in ENDS_WELL:
            raise SystemExit(f"{command}: {said.read().decode()[-2000:]}")
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)


def processes(*commands: Sequence[str | Path]) -> list[Used]:
    """Median CPU times of processes, in turn, and their most memory; the first round compiles and is left out."""
    rounds = [[process(*command) for command in commands] for _ in range(ROUNDS + 1)]
    return [
        Used(median(used.time for used in turns), max(used.memory for used in turns))
        for turns in zip(*rounds[1:], strict=True)
    ]


def python(code: str) -> tuple[str, str]:
    return "-c", code


def verify(*files: str | Path) -> tuple[str | Path, ...]:
    """Each claim of the files says what comes out, so that the status is 0 where it does."""
    return ("-m", "dpcompose.front.cli", "verify", *files)


def starts() -> Iterator[Row]:
    sympy, first, names = processes(
        python("import sympy"),
        verify(PROBLEMS / "01-bounded-parallel.toml"),
        python("from dpcompose import *; compose"),
    )
    yield Row("verify of file 01", first.time, "import sympy", sympy.time, "0.8", first.memory)
    yield Row("from dpcompose import *", names.time, "import sympy", sympy.time, "1.15", names.memory)


def growth(folder: Path, quick: bool) -> Iterator[Row]:
    """Files of many mechanisms, beside one of three."""

    def file(name: str, text: str) -> Path:
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        return folder / f"{name}.toml"

    asked = {100: "1.5", 300: "3", 1000: "8"}
    for notion in written.KEYS:
        files = [file(f"{notion}{k}", written.parts(k, notion)) for k in (3, *asked)]
        three, *more = processes(*map(verify, files))
        for k, used in zip(asked, more, strict=True):
            yield Row(f"{k} {notion} mechanisms", used.time, "3 of them", three.time, asked[k], used.memory)
    others = {
        "groups of 100 on 8 parts": written.groups(100),
        f"{50 if quick else 300} vertices": written.vertices(50 if quick else 300),
        f"records in two of {40 if quick else 300} sets": written.parts(40 if quick else 300, overlap=2),
        f"studies {20 if quick else 50} deep": written.nested(20 if quick else 50),
    }
    for n, (what, text) in enumerate(others.items()):
        used = process(*verify(file(f"other{n}", text)))
        yield Row(what, used.time, "", 0, "2 s", used.memory)
    yield from curves(file("laplace", written.laplace(10, ("0.473686", "0.473684"))))


ACCOUNTANTS = {
    "dp_accounting": "from dp_accounting.pld import privacy_loss_distribution as p; "
    "p.from_laplace_mechanism(1.0, value_discretization_interval=1e-4).self_compose({k})"
    ".get_delta_for_epsilon(3.0)",
    "prv_accountant": "from prv_accountant import LaplaceMechanism, PRVAccountant as P; "
    "P(prvs=[LaplaceMechanism(mu=1.0)], max_self_compositions=[{k}], eps_error=1e-3, delta_error=1e-7)"
    ".compute_delta(3.0, [{k}])",
}


def accountants(k: int) -> dict[str, tuple[str, str]]:
    """The programs of those that are installed for the δ of k Laplace mechanisms."""
    return {PEERS[name]: python(code.format(k=k)) for name, code in ACCOUNTANTS.items() if find_spec(name)}


def curves(ten: Path) -> Iterator[Row]:
    """Ten Laplace mechanisms, and the δ at an ε, by accountants that need no proof."""
    ours, *others = processes(verify(ten), *accountants(10).values())
    for name, used in zip(accountants(10), others, strict=True):
        yield Row("ten Laplace mechanisms, δ to 1e-6", ours.time, name, used.time, "10", ours.memory)


def distances(size: int) -> dict[str, Callable[[], Any]]:
    """The canonical metric between all multisets of at most so many of four records: ours, then others'."""
    import bench_finite as bench
    import networkx

    nodes = bench.databases(4, size)
    graph = bench.numbered(bench.filled(nodes, bench.edits(nodes, size, False)))
    calls: dict[str, Callable[[], Any]] = {
        "dpcompose": lambda: bench.space_of(4, size).all_pairs(),
        "networkx": lambda: dict(networkx.all_pairs_shortest_path_length(graph)),
    }
    if find_spec("scipy"):
        from scipy.sparse.csgraph import shortest_path

        matrix = networkx.to_scipy_sparse_array(graph)
        calls["scipy"] = lambda: shortest_path(matrix, unweighted=True)
    if find_spec("rustworkx"):
        import rustworkx

        calls["rustworkx"] = lambda: rustworkx.distance_matrix(rustworkx.networkx_converter(graph))
    if find_spec("igraph"):
        import igraph

        calls["igraph"] = lambda: igraph.Graph(len(nodes), list(graph.edges)).distances()
    if find_spec("networkit"):
        import networkit

        calls["networkit"] = lambda: networkit.distance.APSP(networkit.nxadapter.nx2nk(graph)).run()
    return calls


def all_pairs(quick: bool) -> Iterator[Row]:
    """The canonical metric, by those that take no minutes."""
    size = 10 if quick else 20
    calls = distances(size)
    if not quick:
        del calls["networkx"]
    ours, *others = in_turn(ROUNDS, *calls.values())[0]
    for name, time in zip(list(calls)[1:], others, strict=True):
        yield Row(f"all pairs of {comb(size + 4, 4):,} databases", ours, name, time)


def expressions() -> Iterator[Row]:
    """max(e_i + e_j), and that the sum of all is at least that."""
    from itertools import combinations

    import sympy

    from dpcompose.language.worstcase import Top

    e = sympy.symbols("e1:9", positive=True)
    point = {one: n for n, one in enumerate(e, start=1)}
    pairs = [x + y for x, y in combinations(e, 2)]
    (ours, evaluated, unevaluated), values = in_turn(
        ROUNDS,
        lambda: Top(2, *e).subs(point),
        lambda: sympy.Max(*pairs).subs(point),
        lambda: max(one.subs(point) for one in sympy.Max(*pairs, evaluate=False).args),
    )
    assert values[0] == values[1] == values[2] == 15
    yield Row("largest pair of 8 sums, at a point", ours, "sympy, evaluated", evaluated)
    yield Row("largest pair of 8 sums, at a point", ours, "sympy, unevaluated", unevaluated)
    if find_spec("z3"):
        (ours, by_z3), (shown, said) = in_turn(ROUNDS, lambda: sum_is_seen(60), lambda: sum_is_enough(60))
        assert shown is not None and str(said) == "unsat"
        yield Row("sum of 60 is at least its two largest", ours, "z3", by_z3)


def sum_is_seen(k: int) -> object:
    """That no pair exceeds the sum of all, by a certificate."""
    from dpcompose.kernel.expressions import forms, terms
    from dpcompose.kernel.expressions.domains import NONNEGATIVE
    from dpcompose.search.comparisons import parameters

    parameters.certified.cache_clear()
    forms.read.cache_clear()
    letters = [terms.letter(f"e{i}", NONNEGATIVE) for i in range(k)]
    return parameters.at_least(terms.add(letters), terms.top(2, letters))


def sum_is_enough(k: int) -> object:
    """That no pair exceeds the sum of all, by z3: the encoding that is quickest there."""
    import z3

    e, top, solver = z3.Reals([f"e{i}" for i in range(k)]), z3.Real("top"), z3.Solver()
    solver.add([one >= 0 for one in e])
    solver.add(z3.Or([top == x + y for n, x in enumerate(e) for y in e[:n]]), top > z3.Sum(e))
    return solver.check()


def shipped() -> Iterator[Row]:
    """All shipped files in one process."""
    files = sorted(PROBLEMS.glob("*.toml"))
    used = process(*verify(*files))
    yield Row(f"all {len(files)} shipped files", used.time, "", 0, memory=used.memory)


def plot(target: Path) -> None:
    """Cost against the number of mechanisms, vertices, sets and databases, and the size of groups; then beside
    peers: accountants, libraries for graphs, z3."""
    from matplotlib import pyplot

    kinds: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
        "k parts, pure": (written.parts, (3, 10, 30, 100, 300, 1000)),
        "k parts, zCDP": (lambda k: written.parts(k, "zcdp"), (3, 10, 30, 100, 300, 1000)),
        "k parts, Gaussian": (lambda k: written.parts(k, "gaussian"), (3, 10, 30, 100, 300, 1000)),
        "k sets that overlap": (lambda k: written.parts(k, overlap=2), (3, 10, 30, 100, 300)),
        "k vertices": (written.vertices, (3, 10, 30, 100, 300)),
        "k databases, listed": (written.databases, (3, 10, 30, 100, 300, 1000)),
        "groups of k": (written.groups, (3, 10, 30, 100, 300, 1000)),
        "studies k deep": (written.nested, (3, 10, 20, 50)),
    }
    pyplot.rcParams["axes.prop_cycle"] = told_apart_in_grey()
    figure, (axes, *panels) = pyplot.subplots(1, 4, figsize=(17, 5), layout="constrained")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "one.toml"

        def verified(text: str) -> float:
            file.write_text(text, encoding="utf-8")
            return process(*verify(file)).time

        verified(written.parts(3))  # which compiles
        for name, (text, at) in kinds.items():
            axes.loglog(at, [verified(text(k)) for k in at], label=name)
        laplace = {k: {"dpcompose": verified(written.laplace(k, at))} for k, at in written.NEAR.items()}
    axes.axhline(process(*python("import sympy")).time, color="grey", linestyle="--", label="import sympy")
    for k, times in laplace.items():
        times |= {name: process(*code).time for name, code in accountants(k).items()}
    beside(panels[0], "k Laplace mechanisms, δ at ε = 3 to 1e-4", laplace)
    pairs = {comb(n + 4, 4): timed_each(distances(n)) for n in (3, 5, 8, 11)}
    beside(panels[1], "all distances of k databases", pairs)
    sums = {k: {"dpcompose": sum_is_seen, **({"z3": sum_is_enough} if find_spec("z3") else {})} for k in SUMS}
    proofs = {k: timed_each({name: partial(f, k) for name, f in some.items()}) for k, some in sums.items()}
    beside(panels[2], "that the sum of k is at least any two", proofs)
    for one in (axes, *panels):
        one.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3)
        one.set_ylabel("CPU seconds")
    axes.set_xlabel("k, of verify")
    figure.suptitle(machine(), fontsize=9)
    figure.savefig(target, bbox_inches="tight")


SUMS = (3, 10, 30, 60)


def timed_each(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Median CPU times of calls in turn, by their names."""
    return dict(zip(calls, in_turn(ROUNDS, *calls.values())[0], strict=True))


def beside(axes: Any, words: str, times: Mapping[int, Mapping[str, float]]) -> None:
    """Draws how long each takes at each k; what takes less than can be measured is left out."""
    for name in next(iter(times.values())):
        seen = {k: some[name] for k, some in times.items() if some[name] > 0}
        axes.loglog(list(seen), list(seen.values()), label=name)
    axes.set_xlabel(words)


def machine() -> str:
    """The processor, how many there are, and Python."""
    names = [line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")]
    return f"{(names or [platform.machine()])[0]}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _cpuinfo() -> list[str]:
    file = Path("/proc/cpuinfo")
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="within two minutes")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draws how cost grows, and nothing else")
    given = parser.parse_args()
    if given.plot:
        plot(given.plot)
        return
    print(machine())
    missing = [word for name, word in PEERS.items() if not find_spec(name)]
    print(f"not installed, left out: {', '.join(missing) or 'none'}\n{HEAD}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for rows in (
            starts(),
            growth(Path(folder), given.quick),
            shipped(),
            all_pairs(given.quick),
            expressions(),
        ):
            for row in rows:
                print(row, flush=True)


if __name__ == "__main__":
    main()
