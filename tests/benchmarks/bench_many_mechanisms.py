"""Verdicts on k mechanisms that are written out one by one, k = 3, 100, 300.

    pytest tests/benchmarks/bench_*.py -s --benchmark-columns=min,median,rounds

Each mechanism reads a part of its own and is bounded e_i-DP on the common domain, so the best
bound is the sum of the two largest parameters.  Times are printed, never asserted; the last
table compares k = 100 and 300 with k = 3, all claims, saving and checking again included.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel import saved
from dpcompose.kernel.library.theory import Theory
from dpcompose.language.worstcase import Top
from dpcompose.proof.theory import registry

SIZES = (3, 100, 300)
CLAIMS: dict[str, tuple[Callable[[tuple[sympy.Symbol, ...]], sympy.Expr], str, bool | None]] = {
    "the two largest": (lambda e: Top(2, *e), "proved", False),
    "the largest": (lambda e: Top(1, *e), "refuted", None),
    "the sum": (lambda e: sympy.Add(*e), "proved", True),
    "twice the largest": (lambda e: 2 * Top(1, *e), "proved", True),
    "all but the first": (lambda e: Top(2, *e[1:]), "refuted", None),
}


def study(k: int, overlap: int = 1) -> Study:
    """k mechanisms over k records; M_i reads `overlap` of them, from the i-th on."""
    records = [f"a{i}" for i in range(1, k + 1)]
    reads = [dpc.restriction(sorted({records[(i + j) % k] for j in range(overlap)})) for i in range(k)]
    return dpc.compose(
        *(
            dpc.mechanism(f"M{i}", reads=f, satisfies=dpc.pure(e, dpc.bounded, domain="common"))
            for i, (f, e) in enumerate(zip(reads, dpc.parameters(f"e1:{k + 1}"), strict=True), start=1)
        ),
        on=dpc.multisets(records),
        target=dpc.bounded,
    )


@pytest.mark.parametrize("k", SIZES)
def test_the_bound(k: int, benchmark: Any) -> None:
    def fresh() -> tuple[tuple[Study], dict[str, Any]]:
        return (study(k),), {}

    found = benchmark.pedantic(lambda one: one.guarantee(), setup=fresh, rounds=3)
    assert found.theorem == "GB:IV.13" and found.optimal
    assert found.at({f"e{i}": i for i in range(1, k + 1)}) == {"epsilon": 2 * k - 1}


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("k", SIZES)
def test_a_verdict(k: int, claim: str, benchmark: Any) -> None:
    of, verdict, loose = CLAIMS[claim]
    claimed = dpc.pure(of(dpc.parameters(f"e1:{k + 1}")))
    one = study(k)
    one.guarantee()
    found = benchmark.pedantic(one.check, args=(claimed,), rounds=3)
    assert (found.verdict, found.loose) == (verdict, loose)


@pytest.mark.parametrize("claim", ["the sum", "the largest"])
@pytest.mark.parametrize("k", (9, 30, 100))
def test_a_verdict_where_records_are_read_three_times(k: int, claim: str, benchmark: Any) -> None:
    of, verdict, loose = CLAIMS[claim]
    claimed = dpc.pure(of(dpc.parameters(f"e1:{k + 1}")))
    found = benchmark.pedantic(lambda: study(k, overlap=3).check(claimed), rounds=1)
    assert (found.verdict, found.loose) == (verdict, loose)


def test_the_ratios(tmp_path: Path) -> None:
    """From the setting to a saved derivation that was checked again, beside k = 3."""
    seconds = {}
    for k in (3, *SIZES):  # the first round warms up
        started = time.perf_counter()
        one = study(k)
        verdicts = [
            one.check(dpc.pure(of(dpc.parameters(f"e1:{k + 1}"))))
            for name, (of, _, _) in CLAIMS.items()
            if k > 3 or name != "all but the first"
        ]
        one.save(tmp_path / "saved.json", verdicts)
        decided = time.perf_counter()
        pages = Theory(registry.standard().pages)
        found = saved.check(json.loads((tmp_path / "saved.json").read_text()), pages)
        seconds[k] = decided - started, time.perf_counter() - decided
        assert [word for word, _ in found.verdicts] == [verdict.verdict for verdict in verdicts]
    for k, (decide, check) in seconds.items():
        ratio = (decide + check) / sum(seconds[3])
        print(
            f"\nk = {k:3}: {decide:6.2f} s decided and saved, {check:6.2f} s checked, {ratio:5.1f} times k = 3"
        )
