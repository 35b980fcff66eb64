"""How long a start takes, against `import sympy`, in alternate runs on the same machine.

    pytest tests/benchmarks/bench_*.py -s --benchmark-columns=min,median,rounds

Ratios are printed, never asserted: what is asserted is that the results are right.  Aims: to read, decide,
save and replay a file, without the words about it, takes less CPU time than `import sympy`; `verify` takes at
most 3 times as long, `import dpcompose` with all its public names at most 1.15 times.

Compiled modules must be kept between runs, as they are where dpcompose is installed: the CPU times are taken
without PYTHONDONTWRITEBYTECODE.
"""

from __future__ import annotations

import os
import resource
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


def cpu(command: Sequence[str | Path], folder: Path) -> tuple[float, str]:
    """The CPU seconds of a run, of user and system, and what it prints; compiled modules are in a folder."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=kept | {"PYTHONPYCACHEPREFIX": str(folder)},
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, said


DECIDE = f"""
import json
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry
from dpcompose.search import proofs
pages = registry.standard()
data = problems.parsed(problems.text_of({str(FILE)!r}))
problem = problems.read_data(data, notions=pages.parameters)
made = proofs.Proofs(problem.setting, Theory(pages.pages))
verdicts = [made.verdict(claim.text, claim.doubt) for claim in problem.claims]
json.dumps(proofs.saved(made, data, verdicts))
print(*(one.word for one in verdicts))
"""


def test_a_file_is_decided_with_less_than_sympy_takes(tmp_path: Path) -> None:
    pairs = []
    for _ in range(ROUNDS):
        ours, said = cpu((*PYTHON, DECIDE), tmp_path)
        assert said.split() == ["refuted", "proved", "proved"]
        pairs.append((ours, cpu(IMPORT_SYMPY, tmp_path)[0]))
    ours, others = (median(times) for times in zip(*pairs[1:], strict=True))  # the first run compiles
    ratio = median(x / y for x, y in pairs[1:])
    print(f"\ndeciding: {ours:.3f} s of CPU against {others:.3f} s of import sympy, ratio {ratio:.2f}")


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
