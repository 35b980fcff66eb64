"""The second checker on random policies, least sizes and overlapping parts: what is saved of them is accepted."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import drawn_results
import pytest
from policies_at_random import random_policy
from privacy import (
    test_overlapping,
    test_policies,
    test_policies_of_attributes,
    test_policies_of_forms,
    test_recodings,
    test_sizes,
)
from second_checker.enclosures import INF
from second_checker.matchings import cheapest, drawn, usable
from second_checker.verdicts import Verdict, check

from dpcompose.privacy import problems

BOTH = {"union": ["bounded", "unbounded"]}
GROUP = {"group": 2, "of": "unbounded"}


def of_a_universe(seed: int) -> dict[str, Any]:
    """Policies on an arbitrary universe, of any sizes, with counts, histograms and guarantees."""
    rng = random.Random(seed)
    records = list("abcd")[: rng.choice([2, 3, 4])]
    policies = {name: random_policy(rng, records) for name in "pq"}
    stated = ["p", "p", "q", "unbounded", "bounded", {"union": ["p", "q"]}, BOTH, "free-lunch"]
    mechanisms: list[dict[str, Any]] = []
    for i in range(1, rng.randint(1, 3) + 1):
        reads = rng.choice(["everything", *(rng.sample(records, k) for k in range(1, len(records) + 1))])
        one: dict[str, Any] = {
            "name": f"M{i}",
            "reads": reads if reads == "everything" else {"records": reads},
        }
        if i > 1 and rng.random() < 0.35:
            mechanisms.append(one | {"query": "count", "noise": {"laplace": f"1/f{i}"}})
            continue
        granularity: Any = rng.choice(stated)
        if rng.random() < 0.25 and granularity != "free-lunch" and reads == "everything":
            granularity = {"group": 2, "of": granularity}
        guarantee = {"notion": "pure", "granularity": granularity, "domain": rng.choice(["own", "common"])}
        mechanisms.append(one | {"guarantee": guarantee | {"epsilon": f"e{i}"}})
    target: Any = rng.choice(["p", "p", {"union": ["p", "q"]}, {"union": ["p", "bounded"]}])
    if rng.random() < 0.4:
        target = {"group": rng.choice([2, 2, 3]), "of": target}
    size = rng.choice(["any", "any", "<= 1", "<= 2", "= 2", ">= 1", ">= 2", "1..2", "2..3", "2..5"])
    return {
        "format": 1,
        "databases": {"kind": "multisets", "size": size},
        "granularities": policies,
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


def of_a_family(seed: int) -> dict[str, Any]:
    """A family on overlapping parts, of a number of members or of any number."""
    rng = random.Random(seed)
    return test_overlapping.overlapping(
        rng.randint(1, 3),
        rng.choice(["unbounded", "bounded", "bounded", BOTH, GROUP]),
        rng.choice(["unbounded", "bounded", BOTH, GROUP, "free-lunch"]),
        rng.choice(["own", "common"]),
        rng.choice(["pure", "pure", "zcdp", "gaussian"]),
        rng.choice(["integer >= 1", "integer >= 1", "integer >= 2", "1", "2", "3", "4"]),
    )


def of_attributes(seed: int) -> dict[str, Any]:
    """Policies by attributes, of which one has values that are not listed."""
    problem = test_policies_of_attributes.random_problem(seed, ("any", "<= 2", "= 2", ">= 1"))
    given = problem["databases"]["attributes"]
    return problem | {"databases": problem["databases"] | {"attributes": given | {sorted(given)[0]: "any"}}}


def sets_of_a_universe(seed: int) -> dict[str, Any]:
    """Policies on the sets of an arbitrary universe."""
    problem = test_policies_of_forms.random_problem(seed, "sets")
    size = random.Random(seed).choice(["any", "<= 2", "= 2", ">= 1", "1..3"])
    for one in problem["mechanisms"]:  # groups are not pushed forward
        stated = one["guarantee"]["granularity"]
        if isinstance(stated, dict) and "group" in stated:
            one["guarantee"]["granularity"] = stated["of"]
    return problem | {"databases": {"kind": "sets", "size": size}}


def recodings_of_a_universe(seed: int) -> dict[str, Any]:
    """Maps that recode records of an arbitrary universe; groups where they pass through these."""
    problem = test_recodings.random_problem(seed)
    for one in problem["mechanisms"]:
        stated = one["guarantee"]["granularity"]
        if isinstance(stated, dict) and "group" in stated and stated["of"] not in ("unbounded", "bounded"):
            one["guarantee"]["granularity"] = stated["of"]
    return problem | {
        "databases": {"kind": "multisets", "size": random.Random(seed).choice(["any", "= 3", ">= 1"])}
    }


DRAWN: dict[str, tuple[Callable[[int], dict[str, Any]], set[str]]] = {
    "policies": (test_policies.random_problem, {"policies", "records"}),
    "sizes": (test_sizes.random_problem, {"policies", "records"}),
    "universes": (of_a_universe, {"policies"}),
    "attributes": (of_attributes, {"policies"}),
    "sets": (lambda seed: test_policies_of_forms.random_problem(seed, "sets"), {"policies"}),
    "sets of a universe": (sets_of_a_universe, {"policies"}),
    "recodings": (test_recodings.random_problem, {"policies"}),
    "recodings of a universe": (recodings_of_a_universe, {"policies"}),
    "attributes that are read": (test_recodings.projected, {"policies"}),
    "tuples": (lambda seed: test_policies_of_forms.random_problem(seed, "tuples"), {"policies"}),
    "families": (of_a_family, {"records"}),
}
"""How settings are drawn, and the kinds of databases that they have."""
SOME, EVERY = 4, 60
"""How many seeds of each a normal run takes, and how many there are."""


def judged(name: str, seeds: range) -> int:
    """How many settings are judged; all of them are accepted."""
    draw, kinds = DRAWN[name]
    found: Counter[str] = Counter()
    for seed in seeds:
        data = drawn_results.saved(draw(seed))
        if data is not None:
            assert check(data) == Verdict("ACCEPTED"), (name, seed)
            found[data["core"]["databases"]["kind"]] += 1
            found.update(one["verdict"] for one in data["claims"])
    assert min(found[kind] for kind in (*kinds, "proved", "refuted")) > 0
    return sum(found[kind] for kind in kinds)


@pytest.mark.parametrize("name", DRAWN)
def test_random_settings_are_accepted(name: str) -> None:
    assert judged(name, range(SOME)) >= SOME - 2


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_more_random_settings_are_accepted(name: str) -> None:
    assert judged(name, range(SOME, EVERY)) >= (EVERY - SOME) * 3 // 4


LOOKED_AT = {"name": "S", "query": {"sum": ["-1", "1"]}, "noise": {"laplace": "1/f"}}
"""A sum over an attribute: whether a record may become one of its name with another value is not said."""


@pytest.mark.parametrize("target", [{"group": 2, "of": "p"}, "bounded"])
def test_a_policy_beside_an_attribute_is_refused(target: Any) -> None:
    guarantee = {"notion": "pure", "granularity": "p", "epsilon": "e"}
    problem = {
        "format": 1,
        "databases": {"kind": "multisets", "records": ["a", "b"], "size": "= 1"},
        "granularities": {"p": {"replace": [["a", "b"]]}},
        "target": {"granularity": target},
        "mechanisms": [{"name": "M", "guarantee": guarantee}, LOOKED_AT],
    }
    with pytest.raises(problems.ProblemError, match=r"of which .*p neighbours say nothing"):
        problems.read_data(problem)


# -- what it rests on --------------------------------------------------------------------------------------


def walked(graph: frozenset[frozenset[int | None]], start: Any, every: set[Any]) -> dict[Any, int]:
    """How many steps lead from a database to the others of a class, one step after the other."""
    row = {start: 0}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for edge in graph:
            x, y = (*edge, *edge)[:2]
            for gone, come in ((x, y), (y, x)):
                if gone is None or gone in at:
                    left = list(at)
                    if gone is not None:
                        left.remove(gone)
                    to = tuple(sorted(left if come is None else [*left, come]))
                    if to in every and to not in row:
                        row[to] = row[at] + 1
                        waiting.append(to)
    return row


@pytest.mark.parametrize("seed", range(40))
def test_matchings_are_as_long_as_walks(seed: int) -> None:
    """The cheapest matching of what two databases have alone is the number of steps between them, in each class."""
    rng = random.Random(seed)
    records = range(rng.choice([2, 3, 4]))
    edges = [[x, y] for x in records for y in (None, *records[:x]) if rng.random() < 0.4]
    least, most = rng.choice([(0, 1), (0, 2), (0, 3), (1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3), (2, 4)])
    base: dict[str, Any] = {"size": ["exactly" if least == most else "at most", most], "of": "multisets"}
    base["atoms"] = [[str(x)] for x in records]
    base |= {"least": least} if 0 < least < most else {}
    every = {D for n in range(least, most + 1) for D in combinations_with_replacement(records, n)}
    graph = usable(drawn(edges), base, frozenset(records))
    for D in sorted(every):
        row = walked(drawn(edges), D, every)
        for E in every:
            alone = (tuple((Counter(A) - Counter(B)).elements()) for A, B in ((D, E), (E, D)))
            assert cheapest(graph, *alone) == row.get(E, INF)
