"""Policies on sets and tuples: bounds by edges against enumeration, distances against walks, and values by hand."""

from __future__ import annotations

import random
from collections import deque
from itertools import combinations
from typing import Any

import pytest
from policies_at_random import agreeing, random_policy

from dpcompose.front.studies.study import Study
from dpcompose.kernel.core.settings import NOTHING
from dpcompose.kernel.covers.matchings import Costs, cheapest
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems

NOTIONS = {"pure": ["epsilon"], "zcdp": ["rho"], "approximate": ["epsilon", "delta"]}


def random_problem(seed: int, kind: str) -> dict[str, Any]:
    """Random policies on a small class of sets or tuples, and mechanisms that read parts of it."""
    rng = random.Random(seed)
    records = list("abcd")[: rng.choice([2, 3, 3, 4])]
    tuples = kind in ("tuples", "streams")
    sizes = ["= 1", "= 2", "= 2", "= 3", "<= 2"]
    if kind == "sets":
        sizes = [
            "any",
            "<= 1",
            "<= 2",
            "= 1",
            "= 2",
            f"= {len(records)}",
            ">= 1",
            "1..2",
            f">= {len(records)}",
        ]
    size = rng.choice(sizes)
    policies = {name: random_policy(rng, records) for name in ("p", "q")}
    if tuples:
        policies = {name: {"replace": one.get("replace", "all")} for name, one in policies.items()}
    notion = rng.choice(["pure", "pure", *NOTIONS])
    mechanisms = []
    for i in range(1, rng.randint(1, 3) + 1):
        stated: list[Any] = ["p", "p", "q", "bounded", "free-lunch", {"union": ["p", "bounded"]}]
        granularity = rng.choice(stated if tuples else [*stated, "unbounded"])
        guarantee = {"notion": notion, "domain": rng.choice(["own", "common"])}
        if rng.random() < 0.25 and granularity != "free-lunch":
            granularity = {"group": 2, "of": granularity}
        guarantee |= {"granularity": granularity} | {key: f"{key[0]}{i}" for key in NOTIONS[notion]}
        reads: Any = {"records": rng.sample(records, rng.randint(1, len(records)))}
        if tuples:
            n = int(size[-1])
            reads = {"positions": sorted(rng.sample(range(1, n + 1), rng.randint(1, n)))}
        if rng.random() < 0.3 or (tuples and size[0] != "="):
            reads = "everything"
        mechanisms.append({"name": f"M{i}", "reads": reads, "guarantee": guarantee})
    target: Any = rng.choice(["p", "p", "q", {"union": ["p", "q"]}])
    if rng.random() < 0.4:
        target = {"group": rng.choice([2, 2, 3]), "of": target}
    return {
        "format": 1,
        "parameters": {f"d{i}": "in (0,1)" for i in range(1, len(mechanisms) + 1)}
        if notion == "approximate"
        else {},
        "databases": {"kind": kind, "records": records, "size": size},
        "granularities": policies,
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


@pytest.mark.parametrize("kind", ["sets", "tuples", "streams"])
@pytest.mark.parametrize("start", range(0, 60, 20))
def test_edges_say_what_enumeration_says(kind: str, start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing((random_problem(seed, kind) for seed in range(start, start + 20)), monkeypatch)
    assert found["OfSets"] + found["OfTuples"] >= 10, found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sets", "tuples"])
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_more_edges_say_what_enumeration_says(kind: str, start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert agreeing((random_problem(seed, kind) for seed in range(start, start + 100)), monkeypatch)


# the metric on sets, by walks


@pytest.mark.parametrize("seed", range(60))
def test_matchings_of_sets_are_as_long_as_walks(seed: int) -> None:
    """Where a record that is there already stands in the way, it goes on and the other one takes its place."""
    rng = random.Random(seed)
    n = rng.choice([3, 4, 5])
    some = [*combinations(range(n), 2), *((NOTHING, x) for x in range(n))]
    edges = rng.sample(some, rng.randint(1, min(7, len(some))))
    least = rng.randint(0, n)
    most = rng.randint(least, n)
    if least == most:
        edges = [one for one in edges if NOTHING not in one]
    every = [frozenset(one) for k in range(least, most + 1) for one in combinations(range(n), k)]
    for start in every:
        walked = {start: 0}
        waiting = deque([start])
        while waiting:
            at = waiting.popleft()
            for edge in edges:
                for x, y in (edge, edge[::-1]):
                    to = (at - {x}) | ({y} - {NOTHING})
                    if (x in at or x == NOTHING) and y not in at and to in every and to not in walked:
                        walked[to] = walked[at] + 1
                        waiting.append(to)
        for end in every:
            cost = cheapest(Costs(edges), tuple(sorted(start - end)), tuple(sorted(end - start)))
            assert cost == walked.get(end), (edges, least, most, start, end)


# by hand


def guarantee(
    databases: str, policy: str, reads: list[str], target: str = '"p"', domain: str = "common"
) -> str:
    """The pure guarantee of mechanisms that read some records, stated for the policy."""
    text = f"format = 1\n[databases]\n{databases}\n[granularities.p]\n{policy}\n"
    text += f"[target]\ngranularity = {target}\n"
    for i, one in enumerate(reads, start=1):
        text += f'[[mechanisms]]\nname = "M{i}"\nreads = {one}\n'
        text += (
            f'guarantee = {{ notion = "pure", granularity = "p", domain = "{domain}", epsilon = "e{i}" }}\n'
        )
    found = Study(problems.read_text(text).setting).proofs.guarantee("pure").main
    return ", ".join(formulas.to_text(term) for _, term in found.says.values)


def of(*records: str) -> str:
    """The records that are read."""
    return f"{{ records = {list(records)} }}".replace("'", '"')


PATH = 'replace = [["a", "b"], ["b", "c"]]'


@pytest.mark.parametrize(
    ("databases", "policy", "reads", "target", "domain", "bound"),
    [
        # sets of any size over any universe, where edges join parts or not
        ('kind = "sets"', PATH, [of("a"), of("b"), of("c")], '"p"', "common", "max(e1 + e2, e2 + e3)"),
        ('kind = "sets"\nsize = "= 1000000"\nrecords = ["a", "b", "c", "d"]', PATH, [of("a")], '"p"', "common", "no set"),
        ('kind = "sets"\nsize = "= 4"', PATH, [of("a"), of("c")], '"p"', "common", "max(e1, e2)"),
        # one set of all records is alone: nothing can change
        ('kind = "sets"\nsize = "= 3"\nrecords = ["a", "b", "c"]', PATH, [of("a"), of("c")], '"p"', "common", "0"),
        # all but one: the gap moves along the path, and is never two steps away in one
        ('kind = "sets"\nsize = "= 2"\nrecords = ["a", "b", "c"]', PATH, [of("a"), of("c")], '"p"', "common", "max(e1, e2)"),
        ('kind = "sets"\nsize = "= 2"\nrecords = ["a", "b", "c"]', PATH, [of("a"), of("c")], '{ group = 2, of = "p" }', "common", "e1 + e2"),
        # of a set of two of three records one of a and b is always read: on the own domain it never goes away
        ('kind = "sets"\nsize = "= 2"\nrecords = ["a", "b", "c"]', f'{PATH}\nadd-remove = "all"', [of("a", "b")], '"p"', "own", "e1"),
        # records of tuples: each position by itself, in parallel, and two at once where two may change
        ('kind = "tuples"\nsize = "= 4"', PATH, ["{ positions = [1, 2] }", "{ positions = [3] }"], '"p"', "common", "max(e1, e2)"),
        ('kind = "tuples"\nsize = "= 4"', PATH, ["{ positions = [1, 2] }", "{ positions = [2, 3] }"], '"p"', "own", "e1 + e2"),
        ('kind = "tuples"\nsize = "= 4"', PATH, ["{ positions = [1] }", "{ positions = [3] }"], '{ group = 2, of = "p" }', "own", "max(2*e1, e1 + e2, 2*e2)"),
        ('kind = "tuples"', PATH, ['"everything"'], '{ group = 3, of = "p" }', "common", "3*e1"),
        ('kind = "tuples"\nsize = "<= 1"', PATH, ['"everything"'], '{ group = 3, of = "p" }', "common", "2*e1"),
    ],
)  # fmt: skip
def test_bounds_by_hand(
    databases: str, policy: str, reads: list[str], target: str, domain: str, bound: str
) -> None:
    if bound == "no set":
        with pytest.raises(problems.ProblemError, match=bound):
            guarantee(databases, policy, reads, target, domain)
        return
    assert guarantee(databases, policy, reads, target, domain) == bound
