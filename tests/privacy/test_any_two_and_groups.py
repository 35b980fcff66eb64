"""Any two databases beside groups, by hand and against numbers and listed classes: targets, and guarantees."""

from __future__ import annotations

import random
from typing import Any

import pytest
from policies_at_random import random_policy
from problem_data import KEYS, bound, guarantee
from sizes_at_random import BOTH, at, at_some_values, exceeds, problem

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.substitution import substituted
from dpcompose.kernel.expressions.terms import number
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

FREE = "free-lunch"


def drawn(seed: int) -> tuple[random.Random, list[str], dict[str, Any], list[Any], str]:
    rng = random.Random(seed)
    records = list("abc")[: rng.choice([1, 2, 3])]
    policies = {"p": random_policy(rng, records)} if len(records) > 1 and rng.random() < 0.7 else {}
    return (
        rng,
        records,
        policies,
        ["bounded", "unbounded", BOTH, *policies, *policies],
        rng.choice(list(KEYS)),
    )


def mechanisms(rng: random.Random, records: list[str], ways: list[Any], groups: list[Any]) -> list[Any]:
    some = []
    for _ in range(rng.randint(1, 3)):
        reads = rng.choice([None, rng.sample(records, rng.randint(1, len(records)))])
        stated, domain = rng.choice([*ways, FREE]), rng.choice(["own", "common"])
        if rng.random() < 0.4 and (domain == "own" or reads is None):
            stated = {"group": rng.choice(groups), "of": stated}
        some.append((reads, stated, domain))
    return some


def alike(one: Any, other: Any, seed: int) -> bool:
    both = list(zip(at_some_values(one, seed), at_some_values(other, seed), strict=True))
    return not any(exceeds(x, y) or exceeds(y, x) for x, y in both)


@pytest.mark.parametrize(
    "seed", [*range(30), *(pytest.param(n, marks=pytest.mark.slow) for n in range(30, 300))]
)
def test_a_universe_without_a_limit_is_a_listed_one_that_is_large(seed: int) -> None:
    rng, records, policies, ways, notion = drawn(seed)
    kind, n = rng.choice([("sets", 1), ("sets", 2), ("multisets", 1), ("multisets", 2)])
    size = rng.choice([f"= {n}", f"<= {n}"])
    some = mechanisms(rng, records, ways, [2, 3])
    data = problem(kind, size, FREE, *some, notion=notion, granularities=policies)
    others = [f"o{i}" for i in range(2 * n + n)]
    listed = problem(
        kind, size, FREE, *some, notion=notion, granularities=policies, records=[*records, *others]
    )
    assert alike(bound(data, notion), bound(listed, notion), seed), data


@pytest.mark.parametrize(
    "seed", [*range(30), *(pytest.param(n, marks=pytest.mark.slow) for n in range(30, 300))]
)
def test_any_two_databases_of_n_records(seed: int) -> None:
    """A bound in n is that of every number."""
    rng, records, policies, ways, notion = drawn(seed)
    some = mechanisms(rng, records, ways, [1])
    size, fewest = rng.choice(["= n", "<= n", ">= n"]), rng.choice([0, 1, 2])
    data = problem("multisets", size, FREE, *some, notion=notion, granularities=policies)
    data["parameters"] = {"n": f"integer >= {fewest}"}
    try:
        found = guarantee(data, notion)
    except NoGuarantee as error:
        assert "state it for single steps" in str(error)
        return
    ((_, term),) = found.says.values
    for n in range(fewest, 4):
        here = bound(at(data, {"n": n}), notion)
        there = substituted(term, {"n": number(n)})
        if n or size == ">= n":
            assert alike(here, there, seed), (data, n)
        else:
            assert here.number == 0


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(n, marks=pytest.mark.slow) for n in range(40, 400))]
)
def test_groups_of_m_beside_any_two(seed: int) -> None:
    """A bound in m is that of every number m; where m is in guarantees only, it is that of the fewest steps."""
    rng, records, policies, ways, notion = drawn(seed)
    some = mechanisms(rng, records, ways, ["m"])
    target = rng.choice([FREE, rng.choice(ways), {"group": "m", "of": rng.choice(ways)}])
    data = problem("multisets", "any", target, *some, notion=notion, granularities=policies)
    least = rng.choice([1, 2])
    try:
        found = guarantee(data | {"parameters": {"m": f"integer >= {least}"}}, notion)
    except NoGuarantee as error:
        words = "state it for single steps", "lead to a neighbour depends on", "do not pass"
        assert any(one in str(error) for one in words), error
        return
    ((_, term),) = found.says.values
    for m in range(least, 4):
        text = problems.read_data(data | {"parameters": {"m": str(m)}})
        ((_, here),) = Study(text.setting).proofs.guarantee(notion).main.says.values
        there = substituted(term, {"m": number(m)})
        assert alike(here, there, seed), (data, m, here, there)


@pytest.mark.parametrize(
    ("kind", "size", "target", "stated", "expected"),
    [
        ("multisets", "= n", FREE, "bounded", "e1*n"),  # n times a, n times b: all are replaced
        ("multisets", "<= n", FREE, "unbounded", "2*e1*n"),
        ("multisets", "<= n", FREE, BOTH, "e1*n"),
        ("multisets", "<= n", FREE, "bounded", "oo"),
        ("multisets", ">= n", FREE, "bounded", "oo"),
        ("tuples", "= n", FREE, FREE, "e1"),
        ("sets", "= 2", FREE, "bounded", "2*e1"),
        ("sets", "<= 2", FREE, "unbounded", "4*e1"),
        ("sets", "<= 2", FREE, {"group": 3, "of": "unbounded"}, "2*e1"),
        ("multisets", "any", {"group": "m", "of": FREE}, FREE, "e1"),  # any two are one step apart
        ("multisets", "any", FREE, {"group": "m", "of": FREE}, "e1"),
        ("multisets", "any", FREE, {"group": "m", "of": "unbounded"}, "oo"),
        ("multisets", "any", "bounded", {"group": "m", "of": "bounded"}, "e1"),
    ],
)
def test_bounds_by_hand(kind: str, size: str, target: Any, stated: Any, expected: str) -> None:
    found = guarantee(problem(kind, size, target, (None, stated, "own")))
    assert [formulas.to_text(term) for _, term in found.says.values] == [expected] and found.optimal


def test_one_group_of_m_moves_a_part_by_one() -> None:
    """M1 reads a part and promises the same whatever it was: once e1, however many are replaced."""
    both = (["a"], FREE, "common"), (None, "bounded", "own")
    data = problem("multisets", "any", {"group": "m", "of": "bounded"}, *both)
    claims = [{"notion": "pure", "epsilon": text} for text in ("e1 + m*e2", "m*e2", "m*e1 + e2")]
    read = problems.read_data(data | {"claims": claims})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]
    two = (["a"], FREE, "common"), (["b"], FREE, "common")  # m >= 2 move both, m = 1 moves one
    with pytest.raises(NoGuarantee, match="state it for single steps"):
        guarantee(problem("multisets", "any", {"group": "m", "of": "unbounded"}, *two))


def test_any_two_of_n_records_are_refuted_at_a_number() -> None:
    data = problem("multisets", "= n", FREE, (None, "bounded", "own"))
    claims = [{"notion": "pure", "epsilon": text} for text in ("n*e1", "n*e1/2", "3*e1")]
    read = problems.read_data(data | {"claims": claims})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]
    for one in found[1:]:
        example = one.counterexample
        assert example is not None and {len(side) for side in example.pair} == {example.point["n"]}


@pytest.mark.parametrize(
    ("size", "target", "stated", "words"),
    [
        ("2..n", FREE, "bounded", "depends on how many records they have; a number for n would do"),
        ("= n", FREE, {"group": 2, "of": "bounded"}, "state it for single steps"),
        ("any", {"group": 2, "of": "bounded"}, {"group": "m", "of": "bounded"}, "or a number"),
    ],
)
def test_what_depends_on_numbers_otherwise_is_refused(
    size: str, target: Any, stated: Any, words: str
) -> None:
    some = problem("multisets", size, target, (None, stated, "own"))
    with pytest.raises(NoGuarantee, match=words):
        guarantee(some | ({"parameters": {"n": "integer >= 3"}} if ".." in size else {}))
