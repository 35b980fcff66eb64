"""Groups, unions and steps through larger classes, of edits and policies, one made of the other: by enumeration.

What neighbours are is written down here once more, as relations of databases, and distances are those of the oracle.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import oracle
import pytest
from policies_at_random import random_policy

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated, NoLemma
from dpcompose.search.guarantees import NoGuarantee

Policies = dict[str, dict[str, Any]]


def by_policy(policy: dict[str, Any], records: Sequence[str]) -> oracle.Relation:
    """One record becomes another one, or comes or goes, as the policy allows."""
    replace, comes = policy.get("replace", []), policy.get("add-remove", [])
    if replace == "all":
        replace = [records]
    elif isinstance(replace, dict):
        replace = replace["within"]
    edges = {frozenset(pair) for some in replace for pair in itertools.combinations(some, 2)}
    alone = set(records if comes == "all" else comes)

    def near(D: Any, E: Any) -> bool:
        differ = [[*(Counter(x) - Counter(y)).elements()] for x, y in ((D, E), (E, D))]
        if [*map(len, differ)] == [1, 1]:
            return frozenset((differ[0][0], differ[1][0])) in edges
        return sum(map(len, differ)) == 1 and (differ[0] or differ[1])[0] in alone

    return near


class Relations:
    """What granularities mean on classes of multisets or sets over some records."""

    def __init__(self, kind: str, records: Sequence[str], policies: Policies) -> None:
        self.kind = kind
        self.single = {
            "unbounded": oracle.unbounded,
            "bounded": oracle.bounded,
            "free-lunch": oracle.free_lunch,
        }
        self.single |= {name: by_policy(policy, records) for name, policy in policies.items()}

    def databases(self, records: Sequence[str], least: int, most: int) -> list[oracle.Database]:
        found = oracle.multisets(records, "<=", most)
        fits = [D for D in found if self.kind == "multisets" or len(set(D)) == len(D)]  # type: ignore[arg-type]
        return [D for D in fits if len(D) >= least]  # type: ignore[arg-type]

    def of(
        self, granularity: Any, databases: list[oracle.Database], records: Sequence[str]
    ) -> oracle.Relation:
        """The relation on a class over these records."""
        if isinstance(granularity, str):
            return self.single[granularity]
        if "union" in granularity:
            some = [self.of(one, databases, records) for one in granularity["union"]]
            return lambda D, E: any(near(D, E) for near in some)
        if "group" in granularity:
            near = oracle.group(
                self.of(granularity["of"], databases, records), granularity["group"], databases
            )
        else:  # a way there may be through larger databases, of at most as many records more as it has steps
            most = max(len(D) for D in databases) + granularity["steps"]  # type: ignore[arg-type]
            every = self.databases(records, 0, most)
            near = oracle.group(self.of(granularity["of"], every, records), granularity["steps"], every)
        return near


def granularity(rng: random.Random, names: list[str], depth: int) -> Any:
    """A named one, a group of steps, a union, or steps among databases of any size."""
    kind = rng.choice(["named", "named", "group", "union", "steps"]) if depth else "named"
    match kind:
        case "group":
            return {"group": rng.choice([2, 2, 3]), "of": granularity(rng, names, depth - 1)}
        case "union":
            return {"union": [granularity(rng, names, depth - 1) for _ in range(2)]}
        case "steps":
            of = rng.choice([*names, {"union": rng.sample(names, 2)}])
            return {"steps": rng.choice([1, 2, 3]), "of": of, "within": "any size"}
    return rng.choice(names)


def check(seed: int) -> str:
    """The bound of a setting is the largest loss of neighbours, or more where it is not called optimal."""
    rng = random.Random(seed)
    kind = rng.choice(["multisets", "multisets", "sets"])
    records = list("abcd")[: rng.choice([2, 3] if kind == "multisets" else [3, 4])]
    most = rng.randint(1, 3 if kind == "multisets" else len(records))
    least = rng.choice([0, 0, most, rng.randint(0, most)])
    policies = {name: random_policy(rng, records) for name in "pq"}
    made, names = Relations(kind, records, policies), ["unbounded", "bounded", "p", "p", "q"]
    databases, target = made.databases(records, least, most), granularity(rng, names, 2)
    mechanisms, moves = list[Any](), list[oracle.InputDistance]()
    for i in range(1, rng.choice([1, 2, 2, 3]) + 1):
        part = rng.choice([None, *(sorted(rng.sample(records, n)) for n in range(1, len(records)))])
        stated, domain = (
            granularity(rng, [*names, "free-lunch"], rng.choice([0, 0, 1, 2])),
            rng.choice(["own", "common"]),
        )
        said = {"notion": "pure", "epsilon": f"e{i}", "granularity": stated, "domain": domain}
        mechanisms.append(
            {"name": f"M{i}", "reads": {"records": part} if part else "everything", "guarantee": said}
        )
        f = oracle.restriction(part or records)
        if domain == "own" and part:
            sizes = [len(f(D)) for D in databases]
            images = made.databases(
                part, 0 if kind == "multisets" else min(sizes), max(*sizes, most * (kind == "multisets"))
            )
            moves.append(oracle.own_distance(f, images, made.of(stated, images, part)))
        else:
            moves.append(oracle.common_distance(databases, made.of(stated, databases, records), f))
    try:
        setting = problems.read_data(
            {
                "format": 1,
                "databases": {"kind": kind, "records": records, "size": f"{least}..{most}"},
                "granularities": policies,
                "target": {"granularity": target},
                "mechanisms": mechanisms,
            }
        ).setting
        bound = Study(setting).proofs.guarantee("pure").main
    except (problems.ProblemError, NoLemma, NoGuarantee):
        return "no setting"
    pairs = oracle.neighbouring_pairs(databases, made.of(target, databases, records))
    vectors = {tuple(move(D, E) for move in moves) for D, E in pairs}
    ((_, term),) = bound.says.values
    for _ in range(3):
        point = {f"e{i}": Fraction(rng.randint(1, 30), 7) for i in range(1, 4)}
        losses = [
            oracle.total(oracle.cost(point[f"e{i}"], r, r == 0) for i, r in enumerate(v, 1)) for v in vectors
        ]
        right = max(losses, default=Fraction(0))
        value = (
            None
            if term.kind == "oo"
            else formulas.evaluate(term, {name: point[name] for name in term.letters})
        )
        found = oracle.INFINITY if term.kind == "oo" else value
        assert found is not None and (found == right if bound.optimal else found >= right), (
            seed,
            term,
            right,
        )
    return type(Elaborated(setting).kind).__name__


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_bounds_are_those_of_all_neighbours(start: int) -> None:
    found = [check(seed) for seed in range(start, start + 20)]
    assert found.count("no setting") < 10


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 4000, 250))
def test_many_bounds_are_those_of_all_neighbours(start: int) -> None:
    for seed in range(start, start + 250):
        check(seed)
