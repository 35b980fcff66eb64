"""How long a start takes, against `import sympy`, in alternate runs on the same machine.

    pytest tests/benchmarks/bench_*.py -s --benchmark-columns=min,median,rounds

Ratios are printed, never asserted: what is asserted is that the results are right.  Aims: `verify`
on a file takes at most 3 times as long as `import sympy`, `import dpcompose` with all its public
names at most 1.15 times.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "notebooks" / "problems" / "01-bounded-parallel.toml"
ROUNDS = 9
PYTHON = (sys.executable, "-c")
IMPORT_SYMPY = (*PYTHON, "import sympy")


def run(command: Sequence[str | Path]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout


def against(benchmark: Any, what: str, command: Sequence[str | Path], other: Sequence[str | Path]) -> str:
    """Times a command, with a run of the other before each of its runs; prints the ratio."""
    others: list[float] = []
    run(command)
    run(other)

    def before() -> None:
        start = time.perf_counter()
        run(other)
        others.append(time.perf_counter() - start)

    said: str = benchmark.pedantic(run, args=(command,), setup=before, rounds=ROUNDS)
    if benchmark.stats is not None:
        ours = benchmark.stats.stats.data
        ratio = benchmark.extra_info["ratio"] = round(median(ours) / median(others), 2)
        print(f"\n{what}: {median(ours):.2f} s against {median(others):.2f} s, ratio {ratio}")
    return said


def test_verify(benchmark: Any) -> None:
    command = (sys.executable, "-m", "dpcompose.front.cli", "verify", FILE)
    said = against(benchmark, "verify against import sympy", command, IMPORT_SYMPY)
    assert [said.count(word) for word in ("REFUTED", "PROVED", "loose")] == [1, 2, 1]


def test_import(benchmark: Any) -> None:
    command = (*PYTHON, "import dpcompose; print(dpcompose.__version__)")
    assert against(benchmark, "import dpcompose against import sympy", command, IMPORT_SYMPY).strip()


def test_import_of_every_name(benchmark: Any) -> None:
    command = (*PYTHON, "from dpcompose import *; print(compose.__name__)")
    said = against(benchmark, "from dpcompose import * against import sympy", command, IMPORT_SYMPY)
    assert said.strip() == "compose"


def test_help(benchmark: Any) -> None:
    command = (sys.executable, "-m", "dpcompose.front.cli", "--help")
    said = against(benchmark, "dpcompose --help against python -c pass", command, (*PYTHON, "pass"))
    assert "verify" in said
