"""Families on k inputs, of persons' rows or of records that lie in several inputs: bounds, and the two databases of
counterexamples, against all ways in which rows may go and come."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from operator import add
from typing import Any

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.language.answers import NoAnswer
from dpcompose.privacy import problems

Rows = tuple[int, ...]
"""How many rows there are in each part."""
FAR: dict[str, Callable[[int, int], int]] = {
    "count": lambda r, s: abs(r - s),
    "histogram": lambda r, s: r + s,
    "sum": lambda r, s: max(3 * r - s, 3 * s - r),  # of values in [1, 3]
    "unbounded": lambda r, s: r + s,
    "bounded": max,  # on the common domain, where other rows fill up
    "free-lunch": lambda r, s: 1,
}
"""How far what is read of a part moves where r rows go and s others come, by the definition."""
QUERIES: dict[str, Any] = {"count": "count", "histogram": {"histogram": 3}, "sum": {"sum": ["1", "3"]}}


Step = tuple[Rows, Rows]
"""How many rows go in each input, and how many come."""


def of_persons(k: int, L: int, m: int, replaced: Any) -> frozenset[Step]:
    """What one person may change: rows outside of all parts make up for others."""
    nothing = (0,) * k
    bags = [rows for rows in product(range(m + 1), repeat=k) if sum(map(bool, rows)) <= L]
    if replaced:
        return frozenset(product(bags, repeat=2))
    return frozenset(step for rows in bags for step in ((rows, nothing), (nothing, rows)))


def of_records(k: int, m: int, target: str) -> frozenset[Step]:
    """What one record may change that lies in at most m of k inputs."""
    nothing = (0,) * k
    records = [rows for rows in product((0, 1), repeat=k) if sum(rows) <= m]
    comes = {(nothing, rows) for rows in records} | {(rows, nothing) for rows in records}
    return frozenset(comes if target == "unbounded" else product(records, repeat=2))


def several(steps: frozenset[Step], many: int) -> frozenset[Step]:
    """What so many steps change, or fewer."""
    sums = frozenset({next((nothing, nothing) for a, _ in steps for nothing in [(0,) * len(a)])})
    for _ in range(many):
        sums |= {
            (tuple(map(add, gone, more)), tuple(map(add, come, others)))
            for gone, come in sums
            for more, others in steps
        }
    return sums


def family(letter: str, what: str, of: str) -> dict[str, Any]:
    """A family on the inputs, with a budget for each member."""
    found: dict[str, Any] = {
        "name": letter.upper(),
        "index": "i",
        "count": "k",
        "reads": {"part": "i", "of": of},
    }
    if what in QUERIES:
        return found | {"query": QUERIES[what], "noise": {"laplace": f"1/{letter}[i]"}}
    domain = "own" if what == "unbounded" else "common"
    guarantee = {"notion": "pure", "epsilon": f"{letter}[i]", "granularity": what, "domain": domain}
    return found | {"guarantee": guarantee}


def problem(rng: random.Random) -> tuple[dict[str, Any], int, frozenset[Step], list[str]]:
    """A problem with families on k inputs; k, what neighbours may change, and what is asked for."""
    k, m, many = rng.randint(1, 4), rng.randint(1, 2), 1 if rng.random() < 0.5 else rng.randint(1, 3)
    if rng.random() < 0.6:
        of, L, replaced = "P", rng.randint(1, 3), rng.choice([False, False, True, "rows"])
        partition: dict[str, Any] = {"kind": "record-wise", "parts": "k"}
        one: Any = {"contribution": {"parts": str(L), "rows": str(m), "replaced": replaced}}
        steps = of_persons(k, L, m, replaced)
    else:
        of, one = "H", rng.choice(["unbounded", "bounded"])
        partition = {"kind": "overlapping", "parts": "k", "at-most": str(m)}
        steps = of_records(k, m, one)
    many = many if len(steps) < 300 else min(many, 2)
    asked = [rng.choice(list(FAR)) for _ in range(1 if rng.random() < 0.6 else 2)]
    data = {
        "format": 1,
        "parameters": {"k": str(k)},
        "databases": {"kind": "multisets"},
        "partitions": {of: partition},
        "target": {"granularity": one if many == 1 else {"group": many, "of": one}},
        "mechanisms": [family(letter, what, of) for letter, what in zip("ef", asked, strict=False)],
    }
    return data, k, several(steps, many), asked


def inputs_of(name: str) -> list[int]:
    """The inputs in which a record lies, as its name tells.

    >>> inputs_of("P2'"), inputs_of("H1+3"), inputs_of("x")
    ([2], [1, 3], [])
    """
    return [int(i) for i in name[1:].rstrip("'").split("+")] if name[:1] in "PH" else []


def lost(asked: list[str], point: dict[str, Fraction], gone: Rows, come: Rows) -> Fraction:
    """What is lost where such rows go and come."""
    return sum(
        (
            point[f"{letter}[{i}]"] * FAR[what](r, s)
            for letter, what in zip("ef", asked, strict=False)
            for i, (r, s) in enumerate(zip(gone, come, strict=True), start=1)
            if r or s
        ),
        Fraction(0),
    )


def check(seed: int) -> str:
    """What is said of one setting, compared with all changes."""
    rng = random.Random(seed)
    data, k, every, asked = problem(rng)
    study = Study(problems.read_data(data).setting)
    try:
        best = study.proofs.guarantee("pure").main
    except NoAnswer:
        return "no setting"
    (value,) = (term for _, term in best.says.values)
    for _ in range(3):
        point = {f"{x}[{i}]": Fraction(rng.randint(0, 9), 4) for x in "ef" for i in range(1, k + 1)}
        truth = max(lost(asked, point, *step) for step in every)
        said = None if value.kind == "oo" else formulas.evaluate(value, {**point, "k": Fraction(k)})
        assert (said == truth) if best.optimal else said is None or said >= truth, (seed, said, truth, data)
    for part in ("9/10", "1/2"):
        answer = study.check(f"{part}*({formulas.to_text(value)})")
        if answer.verdict == "refuted":
            assert answer.counterexample is not None, (seed, data)
            D, E = map(Counter, answer.counterexample.pair)
            gone, come = (
                tuple(sum(n for name, n in side.items() if i in inputs_of(name)) for i in range(1, k + 1))
                for side in (D - E, E - D)
            )
            there = {f"{x}[{i}]": Fraction(0) for x in "ef" for i in range(1, k + 1)}
            there |= answer.counterexample.point
            claimed = formulas.evaluate(value, {**there, "k": Fraction(k)})
            shown = (seed, answer.counterexample.pair, there, data)
            assert claimed is not None and {(gone, come), (come, gone)} & every, shown
            assert lost(asked, there, gone, come) > Fraction(part) * claimed, shown
    return "as enumerated"


def test_bounds_and_counterexamples_are_those_of_all_changes() -> None:
    assert [check(seed) for seed in range(8)].count("as enumerated") >= 6


@pytest.mark.slow
def test_many_bounds_and_counterexamples_are_those_of_all_changes() -> None:
    assert [check(seed) for seed in range(100, 300)].count("as enumerated") >= 150
