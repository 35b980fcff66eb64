"""Persons with rows in at most L of some written parts, L a letter."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from problem_data import bag, bound_if_any, reading_records

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems

F = Fraction


def test_two_shops() -> None:
    """Both are visited where L is 2 or more."""
    data = reading_records(bag("L", 2), [["a", "a'"], ["b", "b'"]], ["unbounded"] * 2, ["own"] * 2)
    data["parameters"] = {"L": "integer >= 1"}
    both = "min(1, max(0, L - 1))*(e1 + e2)"
    for claim, verdict in (
        (f"2*max(e1, e2, {both})", "proved"),
        ("2*(e1 + e2)", "proved"),
        ("2*min(L, 2)*max(e1, e2)", "proved"),
        ("2*max(e1, e2)", "refuted"),
        (f"max(e1, e2, 2*{both})", "refuted"),
    ):
        read = problems.read_data(data | {"claims": [{"notion": "pure", "epsilon": claim}]})
        assert Study(read.setting).check(read.claims[0]).verdict == verdict, claim


def drawn(seed: int, L: Any) -> tuple[dict[str, Any], str]:
    """Parts that are read one by one, or all that is there, and a person or two."""
    rng = random.Random(seed)
    parts = [["a1", "a2"], ["b1", "b2"], ["c1", "c2"]][: rng.choice([2, 3])]
    how, m = rng.choice([False, False, True, "rows"]), rng.choice([1, 2])
    edits = ["unbounded", "unbounded", "bounded", {"union": ["unbounded", "bounded"]}, bag(4, 2, how)]
    reads = [rng.choice([None, *parts, *parts]) for _ in range(rng.choice([2, 3]))]
    stated, notion = [rng.choice(edits) for _ in reads], rng.choice(["pure", "zcdp"])
    domains = [rng.choice(["own", "common", "common"]) for _ in reads]
    sizes = {"size": rng.choice(["any", "any", "<= 60", "= 60"])}
    target: Any = {"group": 2, "of": bag(L, m, how)} if rng.random() < 0.2 else bag(L, m, how)
    records = [x for part in parts for x in part] + rng.choice([[], ["o1", "o2"]])
    data = reading_records(target, reads, stated, domains, notion, **sizes, records=records)
    return data | {"parameters": {"L": "integer >= 1"}}, notion


@pytest.mark.parametrize("start", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(8, 240, 8))])
def test_a_letter_says_what_numbers_say(start: int) -> None:
    decided = 0
    for seed in range(start, start + 8):
        values = []
        for L in ("L", 1, 2, 3, 4):
            data, notion = drawn(seed, L)
            values.append(bound_if_any(data, notion))
        if values[0] is None:
            continue
        decided += 1
        for L, here in enumerate(values[1:], start=1):
            assert here is not None, (seed, L)
            point = {"L": F(L), "e1": F(2), "e2": F(5, 7), "e3": F(11, 13)}
            every, one = (
                None if term.kind == "oo" else formulas.evaluate(term, {x: point[x] for x in term.letters})
                for term in (values[0][0], here[0])
            )
            assert every == one and values[0][1] == here[1], (seed, L)
    assert decided >= 1
