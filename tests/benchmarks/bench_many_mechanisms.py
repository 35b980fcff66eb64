"""Verdicts on k mechanisms that are written out one by one, k = 10, 30, 100.

    pytest tests/benchmarks/bench_*.py -s --benchmark-columns=min,median,rounds

Each mechanism reads a part of its own and is bounded e_i-DP on the common domain, so the best
bound is the sum of the two largest parameters.  Times are printed, never asserted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy

import dpcompose as dpc
from dpcompose.front.study import Study
from dpcompose.language.worstcase import Top

SIZES = (10, 30, 100)
CLAIMS: dict[str, tuple[Callable[[tuple[sympy.Symbol, ...]], sympy.Expr], str, bool | None]] = {
    "the two largest": (lambda e: Top(2, *e), "proved", False),
    "the largest": (lambda e: Top(1, *e), "refuted", None),
    "the sum": (lambda e: sympy.Add(*e), "proved", True),
    "twice the largest": (lambda e: 2 * Top(1, *e), "proved", True),
    "all but the first": (lambda e: Top(2, *e[1:]), "refuted", None),
}


def study(k: int) -> Study:
    D = dpc.multisets(f"a{i}" for i in range(1, k + 1))
    parts = dpc.record_partition(D, *([f"a{i}"] for i in range(1, k + 1)))
    return dpc.compose(
        *(
            dpc.mechanism(f"M{i}", reads=part, satisfies=dpc.pure(e, dpc.bounded, domain="common"))
            for i, (part, e) in enumerate(zip(parts, dpc.parameters(f"e1:{k + 1}"), strict=True), start=1)
        ),
        on=D,
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
