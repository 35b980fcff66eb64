"""Letters for sizes of sets, tuples and streams, and two of them: against every number, by hand, and refused."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
import told
from policies_at_random import random_policy
from problem_data import KEYS, bound, guarantee
from second_checker import verdicts
from sizes_at_random import BOTH, at, at_some_values, exceeds, problem

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems, writing
from dpcompose.search import proofs
from dpcompose.search.guarantees import NoGuarantee
from dpcompose.search.proofs import Proofs

LARGEST = 7
"""Up to which numbers letters are held against numbers."""


def values(data: dict[str, Any]) -> Iterator[dict[str, int]]:
    """The numbers up to LARGEST that letters may have."""
    fewest = {name: int(words.split()[-1]) for name, words in data["parameters"].items()}
    for n in range(fewest["n"], LARGEST + 1):
        for m in range(fewest["m"], LARGEST + 1) if "m" in fewest else [0]:
            if all(eval(one, {}, {"m": m, "n": n}) for one in data.get("assume", [])):
                yield {"n": n} | ({"m": m} if "m" in fewest else {})
    if data["databases"]["kind"] == "streams":  # room for three windows far from one another
        yield {"n": 20} | {name: fewest[name] for name in fewest if name == "m"}


def drawn(seed: int) -> tuple[dict[str, Any], str]:
    """A setting with letters, and its notion."""
    rng = random.Random(seed)
    kind, notion = rng.choice(["sets", "sets", "tuples", "streams", "multisets"]), rng.choice(list(KEYS))
    of_places = kind in ("tuples", "streams")
    records = list("abcde")[: rng.choice([2, 3, 4, 5])]
    policies = {} if of_places or rng.random() < 0.5 else {"p": random_policy(rng, records)}
    ways: list[Any] = ["bounded"] if of_places else ["bounded", "unbounded", BOTH, *policies, *policies]
    ways += ["event", {"w-event": 2}, {"w-event": 3}] if kind == "streams" else []
    least, gap = rng.choice([0, 1, 2]), rng.choice([0, 1])
    word = rng.choice(["= n", "= n", "<= n", ">= n", f"{least}..n", "m..n", "m..n"])
    fewest, assume = rng.choice([0, 1, 2]), []
    parameters = {"n": f"integer >= {max(fewest, least + gap) if '..n' in word else fewest}"}
    if word == "m..n":
        parameters = {"n": f"integer >= {fewest}", "m": f"integer >= {rng.choice([0, 1, 2])}"}
        assume.append("m < n" if gap else "m <= n")
    if kind == "sets" and word in ("= n", ">= n", "m..n"):
        assume.append(f"{'m' if word == 'm..n' else 'n'} <= {len(records)}")
    some = []
    for _ in range(rng.randint(1, 3)):
        reads: Any = None
        if not of_places and rng.random() < 0.7:
            reads = rng.sample(records, rng.randint(1, len(records)))
        elif of_places and word == "= n" and rng.random() < 0.6:
            reads = tuple(sorted(rng.sample(range(1, 4), rng.choice([1, 2]))))
            parameters["n"] = f"integer >= {max(fewest, 3)}"
        stated, domain = rng.choice([*ways, *ways, "free-lunch"]), rng.choice(["own", "common"])
        if rng.random() < 0.2 and stated != "free-lunch":
            stated = {"group": 2, "of": stated}
        some.append((reads, stated, domain))
    of, m = rng.choice(ways), rng.choice([1, 1, 2, 3])
    target = of if m == 1 else {"group": m, "of": of}
    more = {"granularities": policies, "parameters": parameters, "assume": assume}
    return problem(kind, word, target, *some, notion=notion, records=records, **more), notion


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(n, marks=pytest.mark.slow) for n in range(40, 1000))]
)
def test_numbers_say_the_same(seed: int) -> None:
    """A bound holds for all numbers, is no larger than needed for some, and for any where it is optimal."""
    data, notion = drawn(seed)
    try:
        found = guarantee(data, notion)
    except Exception as error:
        assert any(one in str(error) for one in ("none comes or goes", "no lemma is about")), error
        return
    ((_, term),) = found.says.values
    assert not {"m", "n"} & term.letters.keys()
    for_all, reached = at_some_values(term, seed), False
    for point in values(data):
        numbers = at_some_values(bound(at(data, point), notion), seed)
        assert not any(map(exceeds, numbers, for_all)), (data, point)
        less = any(map(exceeds, for_all, numbers))
        assert not (less and found.optimal), (data, point)
        reached = reached or not less
    assert reached, data


@pytest.mark.parametrize(
    "seed", [*range(25), *(pytest.param(n, marks=pytest.mark.slow) for n in range(25, 400))]
)
def test_claims_are_decided_as_for_numbers(seed: int) -> None:
    """What is proved holds for all numbers; what is refuted fails at those that are said."""
    data, notion = drawn(seed)
    names = [f"e{i}" for i in range(1, len(data["mechanisms"]) + 1)]
    scale = random.Random(seed).choice(["1", "2", "3", "(n + 1)", "1/(n + 1)", "n/2", "3/(n + 1)"])
    text = f"{scale}*max({', '.join(names)})" if seed % 2 else f"{scale}*({' + '.join(names)})"
    read = problems.read_data(data | {"claims": [{"notion": notion, KEYS[notion]: text}]})
    found = Study(read.setting).check(read.claims[0])
    for point in values(data):
        if found.verdict == "refuted":
            assert found.counterexample is not None, (data, text)
            there = found.counterexample.point
            if any(there[name] != x for name, x in point.items()):
                continue
        claim = {"notion": notion, KEYS[notion]: text.replace("n", str(point["n"]))}
        one = problems.read_data(at(data, point) | {"claims": [claim]})
        verdict = Study(one.setting).check(one.claims[0]).verdict
        wrong = {"proved": "refuted", "refuted": "proved"}.get(found.verdict)
        assert verdict != wrong, (data, text, point)


@pytest.mark.parametrize(
    ("kind", "size", "target", "stated", "expected", "optimal", "more"),
    [
        ("sets", "= n", "bounded", "bounded", "e1", True, {}),
        # of one record of two none remains to take the place of another one; of two of four two do
        (
            "sets",
            "= n",
            {"group": 2, "of": "bounded"},
            "bounded",
            "2*e1",
            False,
            {"records": list("abcd"), "assume": ["n <= 4"]},
        ),
        ("sets", "<= n", {"group": 2, "of": "bounded"}, "unbounded", "4*e1", False, {}),
        ("sets", ">= n", "bounded", "unbounded", "2*e1", True, {}),
        ("sets", "m..n", "bounded", "unbounded", "2*e1", True, {"assume": ["m < n"]}),
        ("multisets", "m..n", "bounded", "unbounded", "2*e1", True, {"assume": ["m < n"]}),
        ("multisets", "m..n", "bounded", "bounded", "e1", False, {"assume": ["m <= n"]}),
        ("multisets", "m..n", "unbounded", "unbounded", "e1", False, {"assume": ["m <= n"]}),
        ("multisets", "m..5", "unbounded", "unbounded", "e1", True, {"assume": ["m <= 4"]}),
        ("multisets", "2..n", "unbounded", "unbounded", "e1", True, {"parameters": {"n": "integer >= 3"}}),
        ("tuples", "= n", {"group": 2, "of": "bounded"}, "bounded", "2*e1", False, {}),
        ("tuples", "= n", "bounded", "bounded", "e1", True, {}),
        ("streams", "<= n", {"w-event": 3}, "event", "3*e1", False, {}),
        ("streams", ">= n", {"w-event": 3}, "event", "3*e1", True, {}),
        ("streams", ">= 2", {"w-event": 3}, "event", "3*e1", True, {"parameters": {}}),
        ("streams", "1..2", {"w-event": 3}, "event", "2*e1", True, {"parameters": {}}),
        ("tuples", "m..n", "bounded", "bounded", "e1", True, {"assume": ["m <= n"]}),
    ],
)
def test_bounds_by_hand(
    kind: str, size: str, target: Any, stated: Any, expected: str, optimal: bool, more: dict[str, Any]
) -> None:
    found = guarantee(problem(kind, size, target, (None, stated, "own"), **more))
    assert [formulas.to_text(term) for _, term in found.says.values] == [expected]
    assert bool(found.optimal) is optimal


def test_positions_of_tuples_of_any_length() -> None:
    """Positions 1 and 2 are read by the one, everything by the other: both move by one."""
    some = ((1, 2), "bounded", "common"), (None, "bounded", "own")
    data = problem("tuples", "= n", "bounded", *some, parameters={"n": "integer >= 2"})
    claims = [{"notion": "pure", "epsilon": text} for text in ("e1 + e2", "max(e1, e2)", "n*e1/2 + e2")]
    read = problems.read_data(data | {"claims": claims})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "refuted", "proved"]
    example = found[1].counterexample
    assert example is not None and {len(side) for side in example.pair} == {example.point["n"]}
    assert 'size = "= n"' in Study(read.setting).to_toml()


def test_a_set_has_no_more_records_than_there_are() -> None:
    data = problem("sets", "= n", "bounded", (None, "bounded", "own"), records=["a", "b"])
    with pytest.raises(problems.ProblemError, match='assume = \\["n <= 2"\\] would do'):
        problems.read_data(data)
    claims = [{"notion": "pure", "epsilon": text} for text in ("e1", "e1/2", "n*e1/2")]
    read = problems.read_data(data | {"assume": ["n <= 2"], "claims": claims})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]
    for one in found[1:]:  # all sets of two records are one set
        assert one.counterexample is not None and one.counterexample.point["n"] == 1
    data["parameters"] = {"n": "integer >= 3"}
    with pytest.raises(problems.ProblemError, match="no set has 3 different records"):
        problems.read_data(data)


def test_where_all_sizes_are_one_none_comes_or_goes() -> None:
    for kind in ("multisets", "sets"):
        data = problem(kind, "m..n", "bounded", (None, "unbounded", "own"), assume=["m <= n"])
        with pytest.raises(NoGuarantee, match='to assume "m < n" would do, and a file of size "= n"'):
            guarantee(data)
        data = problem(kind, "2..n", "bounded", (None, "unbounded", "own"), parameters={"n": "integer >= 2"})
        with pytest.raises(NoGuarantee, match='to assume "2 < n" would do'):
            guarantee(data)


def test_what_is_not_said_of_fewer_records() -> None:
    data = problem("multisets", "m..n", {"group": 3, "of": "unbounded"}, (None, "unbounded", "own"))
    read = problems.read_data(
        data | {"assume": ["m <= n"], "claims": [{"notion": "pure", "epsilon": "n*e1"}]}
    )
    found = Study(read.setting).check(read.claims[0])
    assert found.verdict == "undecided" and 'assume = ["n >= 3", "n >= m + 3"]' in found.reason


@pytest.mark.parametrize("kind", ["tuples", "streams"])
def test_any_two_depend_on_the_numbers(kind: str) -> None:
    with pytest.raises(NoGuarantee, match="depends on how many records they have; a number for n would do"):
        guarantee(problem(kind, "= n", "free-lunch", (None, "bounded", "own")))


def test_a_mean_of_tuples_of_any_length() -> None:
    data = problem("tuples", "= n", "bounded", (None, "bounded", "own"))
    del data["mechanisms"][0]["guarantee"]
    data["mechanisms"][0] |= {"query": {"mean": ["l", "u"]}, "noise": {"laplace": "(u - l)/(n*e)"}}
    data |= {"assume": ["u > l"], "parameters": {"l": "real", "u": "real", "n": "integer >= 1"}}
    read = problems.read_data(
        data | {"claims": [{"notion": "pure", "epsilon": text} for text in ("e", "e/n")]}
    )
    assert [Study(read.setting).check(one).verdict for one in read.claims] == ["proved", "refuted"]
    data["parameters"]["n"] = "integer >= 0"
    with pytest.raises(problems.ProblemError, match="no real value at n = 0"):
        problems.read_data(data)


def test_the_second_checker_accepts_them_or_says_that_it_does_not_read_them() -> None:
    for kind, size in (("tuples", "= n"), ("streams", "2..4"), ("sets", "= n")):
        read = problems.read_data(problem(kind, size, "bounded", (None, "bounded", "own")))
        found = Proofs(read.setting, told.THEORY)
        data = proofs.saved(found, writing.to_data(read.setting, []), [])
        wanted = "ACCEPTED" if kind == "sets" else "NOT READ"
        assert verdicts.check(json.loads(json.dumps(data))).outcome == wanted
