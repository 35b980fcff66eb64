"""How long each verdict takes, over all shipped problem files.

    pytest tests/benchmarks/bench_verdicts.py -s

Times are printed, the slowest first; what is asserted is that each verdict is as its file expects, and
that none takes a minute.  Aim: the median within a second.  Each time holds the bound of its file where
it is the first claim, and not the start of Python.
"""

from __future__ import annotations

import time
from statistics import median

from shipped import SHIPPED

import dpcompose as dpc

MOST = 60


def test_every_verdict() -> None:
    times: list[tuple[float, str]] = []
    for file in SHIPPED:
        study, claims = dpc.load(file)
        for n, claim in enumerate(claims, start=1):
            start = time.perf_counter()
            found = study.check(claim)
            times.append((time.perf_counter() - start, f"{file.stem}, claim {n}: {found.verdict}"))
            assert found.verdict == claim.expect, times[-1]
    for seconds, words in sorted(times, reverse=True):
        print(f"{seconds:8.3f} s  {words}")
    middle, longest = median(seconds for seconds, _ in times), max(times)[0]
    print(f"{len(times)} verdicts, median {middle:.3f} s, longest {longest:.1f} s")
    assert longest < MOST
