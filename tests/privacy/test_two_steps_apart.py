"""Groups of any number m of steps among at most n records, some of which are two steps apart from others."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from policies_at_random import random_policy
from problem_data import Reads, bound_if_any, reading_records

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
LETTERS = {"m": "integer >= 1", "n": "integer >= 1"}


def verdicts(data: dict[str, Any], *claims: str) -> list[str]:
    """How claims are decided."""
    read = problems.read_data(data | {"claims": [{"notion": "pure", "epsilon": one} for one in claims]})
    return [Study(read.setting).check(one).verdict for one in read.claims]


@pytest.mark.parametrize("n", ["n", "30"])
def test_records_that_come_and_go(n: str) -> None:
    """A record for another one is two steps: 2n lead from any n records to any others, and in parts as well."""
    data = reading_records(
        {"group": "m", "of": "unbounded"},
        [None, ["a", "a'"]],
        ["unbounded"] * 2,
        ["common", "own"],
        size=f"<= {n}",
    ) | {"parameters": LETTERS}
    right = f"min(m, 2*{n})*(e1 + e2)"
    assert verdicts(data, right, f"min(m, 2*{n} - 1)*(e1 + e2)", f"{right} - e2/9", "m*(e1 + e2)") == [
        "proved",
        "refuted",
        "refuted",
        "proved",
    ]


def test_one_of_two_attributes_at_a_time() -> None:
    """A change of both moves the parts of both ends by one: min(m, n) records change, and no more is lost of two."""
    people = {"kind": "multisets", "attributes": {"age": ["y", "o"], "sick": ["no", "yes"]}, "size": "= n"}
    said = {"notion": "pure", "granularity": "one", "domain": "common"}
    young, old = ({"where": {"age": [one]}} for one in "yo")
    data = {
        "format": 1,
        "parameters": LETTERS,
        "databases": people,
        "granularities": {"one": {"replace": {"one-of": ["age", "sick"]}}},
        "target": {"granularity": {"group": "m", "of": "one"}},
        "mechanisms": [
            {"name": "Y", "reads": young, "guarantee": said | {"epsilon": "e"}},
            {"name": "O", "reads": old, "guarantee": said | {"epsilon": "f"}},
            {"name": "M", "guarantee": {"notion": "pure", "granularity": "one", "epsilon": "g"}},
        ],
    }
    both = "min(m, n)*(e + f) + min(m, 2*n)*g"
    assert verdicts(data, both, f"{both} - e/9", "m*g + min(m, n)*(e + f)", "min(m, n)*(e + f + g)") == [
        "proved",
        "refuted",
        "proved",
        "refuted",
    ]


def test_what_is_refused() -> None:
    """a, b, c, d in a row: three steps from one end to the other."""
    data = reading_records(
        {"group": "m", "of": "p"}, [None], ["p"], ["common"], size="<= 30", records=list("abcd")
    )
    data["granularities"] = {"p": {"replace": [["a", "b"], ["b", "c"], ["c", "d"]]}}
    with pytest.raises(NoGuarantee, match="no record is more than two away"):
        Study(problems.read_data(data).setting).proofs.guarantee("pure")


def drawn(seed: int, m: Any) -> dict[str, Any]:
    """Edits and policies on few records, with guarantees for single steps."""
    rng = random.Random(seed)
    policies = {name: random_policy(rng, list("abxy")) for name in "pq"}
    of = rng.choice([["p", "q", "unbounded"], ["unbounded", "unbounded", "bounded"]])
    n, many = rng.choice([1, 2, 3]), rng.choice([1, 2])
    reads: Reads = [rng.choice([None, rng.sample("abxy", rng.randint(1, 3))]) for _ in range(many)]
    target: Any = {"group": m, "of": rng.choice(of)}
    stated, size = rng.choices(of, k=many), rng.choice([f"<= {n}", f"= {n}"])
    data = reading_records(target, reads, stated, ["common"] * many, size=size, records=list("abxy"))
    return data | ({"granularities": policies} if "p" in of else {})


@pytest.mark.parametrize("start", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(12, 480, 12))])
def test_a_letter_says_what_numbers_say(start: int) -> None:
    """A bound for every m is no less than that of any number, and where it is optimal it is that."""
    decided = 0
    for seed in range(start, start + 12):
        values = [bound_if_any(drawn(seed, m)) for m in ("m", 1, 2, 3, 4, 5)]
        if values[0] is None:
            continue
        term, optimal = values[0]
        decided += 1
        for m, here in enumerate(values[1:], start=1):
            if here is not None:
                point = {"m": F(m), "e1": F(2), "e2": F(5, 7)}
                all_m, one = (
                    None if one.kind == "oo" else formulas.evaluate(one, {x: point[x] for x in one.letters})
                    for one in (term, here[0])
                )
                assert all_m is None or (one is not None and one <= all_m), (seed, m)
                assert one == all_m or not optimal, (seed, m)
    assert decided >= 7
