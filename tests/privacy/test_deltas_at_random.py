"""Several approximate mechanisms where rows of persons, or records in groups, change: against all databases.

A mechanism that is (e, d)-DP for one step can have at r steps the r-th power of the largest power that a test of it
may have, and several have it together: so the least delta of a pair of databases is that of the product.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from math import exp
from typing import Any

import oracle
import pytest

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems

F = Fraction
Law = list[tuple[float, float]]


def law(epsilon: float, delta: float, r: float) -> Law:
    """The probabilities of outcomes at two databases that are r steps apart, where most is lost."""
    if r in (0, oracle.INFINITY):
        return [(1, 0), (0, 1)] if r else [(1, 1)]
    e = exp(epsilon)

    def power(a: float) -> float:
        return min(1, delta + e * a, 1 - (1 - delta - a) / e)

    def least(b: float) -> float:
        return 0 if b <= power(0) else min(1, max((b - delta) / e, 1 - delta - (1 - b) * e))

    places = bends = [0, (1 - delta) / (1 + e), 1 - delta, 1]
    for _ in range(int(r) - 1):
        bends = [least(b) for b in bends]
        places = sorted({*places, *bends})
    powers = list(places)
    for _ in range(int(r)):
        powers = [power(a) for a in powers]
    pieces = zip([(0, 0), *zip(powers, places, strict=True)], zip(powers, places, strict=True), strict=False)
    return [(p - before, q - under) for (before, under), (p, q) in pieces if p > before or q > under]


def least_delta(laws: list[Law], epsilon: float) -> float:
    """The least delta of independent mechanisms together, at an epsilon."""
    together: Law = [(1, 1)]
    for some in laws:
        together = [(p * x, q * y) for p, q in together for x, y in some]
    return sum(max(0, p - exp(epsilon) * q) for p, q in together)


def test_laws_by_hand() -> None:
    assert least_delta([law(0, 0.1, 3)], 0) == pytest.approx(0.3)  # GB VI.3 for epsilon = 0
    assert least_delta([law(1, 0, 2)], 1) == pytest.approx(0.4621, abs=1e-4)  # two steps of pure privacy
    assert least_delta([law(1, 0.1, 1)], 1) == pytest.approx(0.1)


def of_person(parts: list[list[str]], L: int, m: int, how: Any) -> oracle.Relation:
    """One person's rows come or go, or are replaced: in at most L parts, m rows in each."""

    def fits(rows: Counter[str]) -> bool:
        in_each = [sum(rows[x] for x in part) for part in parts]
        return max(in_each) <= m and sum(map(bool, in_each)) <= L

    def near(D: Any, E: Any) -> bool:
        gone, come = Counter(D) - Counter(E), Counter(E) - Counter(D)
        if D == E or not (fits(gone) and fits(come)):
            return False
        return len(D) == len(E) if how == "rows" else bool(how) or not (gone and come)

    return near


def drawn(
    rng: random.Random,
) -> tuple[dict[str, Any], list[oracle.InputDistance], list[oracle.Pair], list[Any]]:
    """A problem, how far its inputs move, its neighbours, and the parameters of its mechanisms."""
    parts, outside = [["a", "A"], ["b", "B"]][: rng.choice([1, 2])], rng.choice([[], ["x", "y"]])
    records, n = [x for part in parts for x in part] + outside, rng.randint(1, 3)
    size: oracle.Size = rng.choice(["<=", "<=", "="])
    databases = oracle.multisets(records, size, n)
    L, m, how, steps = (
        rng.choice([1, 2]),
        rng.choice([1, 2]),
        rng.choice([False, True, "rows"]),
        rng.choice([1, 1, 2]),
    )
    bag = {"contribution": {"parts": str(L), "rows": str(m)} | ({"replaced": how} if how else {})}
    of: dict[str, oracle.Relation] = {"unbounded": oracle.unbounded, "bounded": oracle.bounded}
    mechanisms, moves, own = list[Any](), list[oracle.InputDistance](), list[Any]()
    for i in range(rng.choice([1, 2, 3])):
        part, stated, domain = rng.choice([*parts, None]), rng.choice([*of]), rng.choice(["own", "common"])
        epsilon, delta = rng.choice(["0", "1/4", "1", "3/2"]), rng.choice(["1/1000", "1/20", "1/5"])
        said = {
            "notion": "approximate",
            "epsilon": epsilon,
            "delta": delta,
            "granularity": stated,
            "domain": domain,
        }
        mechanisms.append(
            {"name": f"M{i}", "reads": {"records": part} if part else "everything", "guarantee": said}
        )
        own.append((float(F(epsilon)), float(F(delta))))
        f = oracle.restriction(part or records)
        if part and domain == "own":
            images = oracle.multisets_read(records, part, size, n)
            moves.append(oracle.own_distance(f, images, of[stated]))
        else:
            moves.append(oracle.common_distance(databases, of[stated], f))
    read = [part for part in parts if any(one["reads"] == {"records": part} for one in mechanisms)]
    near = of_person(read or [records], L, m, how)
    if steps > 1:
        near = oracle.group(near, steps, databases)
    target = {"group": steps, "of": bag} if steps > 1 else bag
    data = {
        "format": 1,
        "databases": {"kind": "multisets", "records": records, "size": f"{size} {n}"},
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }
    return data, moves, oracle.neighbouring_pairs(databases, near), own


def check(seed: int) -> str:
    """Claims a little above and below the least delta come out so, where they are decided."""
    rng = random.Random(seed)
    data, moves, pairs, own = drawn(rng)
    if not pairs or not any("records" in one["reads"] for one in data["mechanisms"]):
        return "no setting"
    epsilon = rng.choice(["0", "1/2", "1", "5/2"])
    vectors = {tuple(move(D, E) for move in moves) for D, E in pairs}
    least = max(
        least_delta([law(*one, r) for one, r in zip(own, some, strict=True)], float(F(epsilon)))
        for some in vectors
    )
    ends = Counter[str]()
    for delta in (least * 1.01 + 1e-6, least * 0.99 - 1e-6):
        if 0 < delta < 1:
            claim = {
                "notion": "approximate",
                "epsilon": epsilon,
                "delta": str(F(delta).limit_denominator(10**7)),
            }
            read = problems.read_data(data | {"claims": [claim]})
            verdict = Study(read.setting).check(read.claims[0]).verdict
            assert verdict in ("undecided", "proved" if delta > least else "refuted"), (claim, least)
            ends[verdict] += 1
    return "enumerated only" if set(ends) <= {"undecided"} else "as enumerated"


@pytest.mark.parametrize("seed", range(3))
def test_deltas_are_those_of_all_databases(seed: int) -> None:
    assert check(seed)
