"""Guarantees for groups of another number of steps than the target's, which is a letter: m/l, rounded up."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from policies_at_random import random_policy
from problem_data import Reads, optimal_bound, reading_records

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

F = Fraction


def problem(
    reads: Reads, *stated: Any, of: Any = "bounded", domain: str = "common", m: Any = "m"
) -> dict[str, Any]:
    """Mechanisms that read records, for a group of m steps; those that are stated for l steps say so by a number."""
    said = [{"group": l, "of": of} if isinstance(l, int) else l for l in stated]
    return reading_records({"group": m, "of": of}, reads, said, [domain] * len(said), "pure")


def test_claims_between_a_half_and_a_half_more() -> None:
    """For groups of two: m/2 is too little for odd m, (m + 1)/2 is enough, and the letter is what is lost."""
    data = problem([None, ["a"]], 2, "bounded")
    assert formulas.to_text(optimal_bound(data)) == "ceil_m_2*e1 + e2*m"
    expected = {
        "(m + 1)/2*e1 + m*e2": "proved",
        "m/2*e1 + m*e2": "refuted",
        "(9*m + 11)/20*e1 + m*e2": "refuted",  # right for one step
        "ceil_m_2*e1 + m*e2": "proved",
        "ceil_m_2*e1 + m*e2 - e2/9": "refuted",
    }
    read = problems.read_data(data | {"claims": [{"notion": "pure", "epsilon": one} for one in expected]})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == list(expected.values())
    again = problems.read_text(Study(read.setting).to_toml()).setting
    assert again.assume == read.setting.assume and dict(again.domains) == dict(read.setting.domains)


@pytest.mark.parametrize(
    ("stated", "of", "domain", "bound"),
    [
        (2, "unbounded", "own", "ceil_m_2*e1"),
        (3, {"union": ["bounded", "unbounded"]}, "common", "ceil_m_3*e1"),
        ({"group": 2, "of": "unbounded"}, "bounded", "own", "m*e1"),  # two edits each
        ({"group": 4, "of": "unbounded"}, "bounded", "own", "ceil_m_4*e1"),
    ],
)
def test_bounds_by_hand(stated: Any, of: Any, domain: str, bound: str) -> None:
    reads: Reads = [["a", "a'"]]
    data = problem(reads, stated, of=of, domain=domain)
    if stated == {"group": 4, "of": "unbounded"}:  # 2*m/4
        data |= {
            "parameters": {"m": "integer >= 1", "c": "integer >= 1"},
            "assume": ["2*c >= m", "2*c <= m + 1"],
        }
        bound = "c*e1"
    known = problems.read_data(data).setting.letters
    assert optimal_bound(data) == formulas.parse(bound, known)


def test_what_is_refused() -> None:
    """Two steps in two parts move both by one group of two each, which twice the same step does not."""
    with pytest.raises(NoGuarantee, match="moves by other numbers of these for other steps of the target"):
        optimal_bound(problem([["a", "a'"], ["b", "b'"]], 2, 2, of="unbounded"))
    three = problem([["a", "a'"]], {"group": 3, "of": "unbounded"}, domain="own")
    with pytest.raises(NoGuarantee, match=r'assume "3\*c >= 2\*m" and "3\*c <= 2\*m \+ 2"'):
        optimal_bound(three)
    limited = problem([None], 2)
    limited["databases"]["size"] = "<= 40"
    with pytest.raises(NoGuarantee, match="on multisets without a largest size"):
        optimal_bound(limited)


def drawn(seed: int, m: Any) -> dict[str, Any]:
    """Edits and policies, of which some guarantees are for groups of two or three steps."""
    rng = random.Random(seed)
    of: list[Any] = ["unbounded", "bounded", {"union": ["unbounded", "bounded"]}]
    policies = {name: random_policy(rng, list("abxy")) for name in "pq"} if seed % 2 else {}
    of = list(policies) or of
    stated = [
        one if (l := rng.choice([1, 2, 2, 3])) == 1 else {"group": l, "of": one}
        for one in rng.choices(of, k=rng.choice([1, 1, 2]))
    ]
    reads: Reads = [rng.choice([None, rng.sample("abxy", rng.randint(1, 3))]) for _ in stated]
    data = problem(reads, *stated, of=rng.choice(of), domain="common", m=m)
    data["databases"]["records"] = list("abxy")
    return data | ({"granularities": policies} if policies else {})


@pytest.mark.parametrize("start", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(20, 400, 20))])
def test_a_letter_says_what_numbers_say(start: int) -> None:
    decided = 0
    for seed in range(start, start + 20):
        try:
            term = optimal_bound(drawn(seed, "m"))
        except NoGuarantee:
            continue
        decided += 1
        for m in range(1, 6):
            there = optimal_bound(drawn(seed, m))
            point = {
                "m": F(m),
                "ceil_m_2": F(ceil(m / 2)),
                "ceil_m_3": F(ceil(m / 3)),
                "e1": F(2),
                "e2": F(5, 7),
            }
            assert (term.kind == "oo") == (there.kind == "oo"), (seed, m)
            if term.kind != "oo":
                here = {name: x for name, x in point.items() if name in term.letters}
                numbers = {name: point[name] for name in there.letters}
                assert formulas.evaluate(term, here) == formulas.evaluate(there, numbers), (seed, m)
    assert decided >= 12
