"""Bounds on sets and multisets against their definition, by plain Python: no lemma, no class of the program.

The class, its neighbours, groups of these, the class of what is read with its own neighbours, the push-forward,
shortest paths and metrics that are made of these are written down here once more.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest
from policies_at_random import random_policy

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.spaces.moves.policies import policy

F = Fraction
Database = tuple[str, ...]
Graph = Mapping[Database, set[Database]]


def listed(kind: str, records: list[str], least: int, most: int) -> list[Database]:
    """All sets or multisets of so many records."""
    some: Callable[..., Any] = combinations if kind == "sets" else combinations_with_replacement
    return [tuple(D) for n in range(least, most + 1) for D in some(sorted(records), n)]


def joined(granularity: Any, policies: Mapping[str, Any]) -> Callable[[str | None, str | None], bool]:
    """Whether a record may become another one; None for nothing."""
    if isinstance(granularity, dict):
        both = [joined(one, policies) for one in granularity["union"]]
        return lambda x, y: any(one(x, y) for one in both)
    if granularity in policies:
        given = policies[granularity]
        within = given.get("replace", ())
        groups = within["within"] if isinstance(within, dict) else within
        return policy("p", groups, given.get("add-remove", ())).joins
    moves = {"unbounded": lambda x, y: None in (x, y), "bounded": lambda x, y: None not in (x, y)}[
        granularity
    ]
    return lambda x, y: x != y and moves(x, y)


def graph(nodes: list[Database], joins: Callable[[str | None, str | None], bool]) -> Graph:
    """The neighbours inside a class: one record goes, comes, or becomes another one."""
    found: dict[Database, set[Database]] = {D: set() for D in nodes}
    for D in nodes:
        for E in nodes:
            gone, come = [*(Counter(D) - Counter(E)).elements()], [*(Counter(E) - Counter(D)).elements()]
            if (
                D != E
                and len(gone) <= 1
                and len(come) <= 1
                and joins(*(one[0] if one else None for one in (gone, come)))
            ):
                found[D].add(E)
    return found


def related(nodes: list[Database], granularity: Any, policies: Mapping[str, Any]) -> Graph:
    """The neighbours inside a class by a granularity, or a group of it."""
    if not isinstance(granularity, dict) or "group" not in granularity:
        return graph(nodes, joined(granularity, policies))
    single = related(nodes, granularity["of"], policies)
    return {D: {E for E, n in apart(single, D).items() if 0 < n <= granularity["group"]} for D in nodes}


def pushed(neighbours: Graph, f: Callable[[Database], Database]) -> Graph:
    """The images of neighbours."""
    found: dict[Database, set[Database]] = {f(D): set() for D in neighbours}
    for D, some in neighbours.items():
        found[f(D)] |= {f(E) for E in some} - {f(D)}
    return found


def apart(neighbours: Graph, x: Database) -> dict[Database, int]:
    """How many steps lead from x to each other one."""
    found, waiting = {x: 0}, deque([x])
    while waiting:
        at = waiting.popleft()
        for one in neighbours[at] - found.keys():
            found[one] = found[at] + 1
            waiting.append(one)
    return found


def reading(read: Any, maps: Mapping[str, Any], records: list[str]) -> Callable[[Database], Database]:
    """What is read: everything, some records, or what records become."""
    if read == "everything":
        return lambda D: D
    if "records" in read:
        return lambda D: tuple(x for x in D if x in read["records"])
    given = maps[read["map"]]
    becomes = {x: given["recode"].get(x, given.get("others", x)) for x in records}
    return lambda D: tuple(sorted(becomes[x] for x in D))


def far(distances: list[int | None], formula: tuple[str, int], e: Fraction) -> Fraction | None:
    """How far values are apart in a formula of distances; None: infinitely."""
    (kind, c), finite = formula, [r for r in distances if r is not None]
    if kind == "at most":
        return e * min([*finite, c])
    if len(finite) < len(distances):
        return None
    return e * (finite[0] + c * finite[-1] if kind == "sum" else c * finite[0])


def lost(problem: dict[str, Any], counted: list[Any], values: Mapping[str, Fraction]) -> Fraction | str:
    """The most that is lost between neighbours of the target, by definition.

    counted -- for each mechanism the granularities whose steps count, and how.
    """
    data, policies = problem["databases"], problem["granularities"]
    records, (least, most) = data["records"], bounds(data)
    nodes = listed(data["kind"], records, least, most)
    inputs = []
    for i, (one, (some, formula)) in enumerate(zip(problem["mechanisms"], counted, strict=True), start=1):
        f = reading(one["reads"], problem["maps"], records)
        own = one["guarantee"]["domain"] == "own" or all(f(D) == D for D in nodes)
        images = sorted({f(D) for D in nodes})
        every = [
            related(images, granularity, policies)
            if own
            else pushed(related(nodes, granularity, policies), f)
            for granularity in some
        ]
        steps = [{x: apart(of_images, x) for x in images} for of_images in every]
        inputs.append((f, steps, formula, values[f"e{i}"]))
    worst: Fraction = F(0)
    for D, some in related(nodes, problem["target"]["granularity"], policies).items():
        for E in some:
            moved = [
                far([one[f(D)].get(f(E)) for one in steps], formula, e) if f(D) != f(E) else F(0)
                for f, steps, formula, e in inputs
            ]
            if None in moved:
                return "oo"
            worst = max(worst, sum((r for r in moved if r is not None), F(0)))
    return worst


def bounds(data: Mapping[str, Any]) -> tuple[int, int]:
    """The least and the greatest size of a class."""
    size, all_of_them = data["size"], len(data["records"])
    if ".." in size:
        low, _, high = size.partition("..")
        return int(low), int(high)
    if size == "any":
        return 0, all_of_them
    n = int(size.split()[1])
    return (n, n) if size[0] == "=" else (0, n) if size[0] == "<" else (n, all_of_them)


def in_a_metric(rng: random.Random, i: int, several: bool) -> tuple[str, list[str], tuple[str, int]]:
    """A guarantee in a metric, the granularities whose steps count in it, and how."""
    some, c = rng.choices(["unbounded", "bounded", "p"], k=2), rng.randint(1, 3)
    kind = rng.choice(["times", "sum", "at most"]) if several else "times"
    first, second = (f"d_{name}" for name in some)
    texts = {"times": f"{c}*{first}", "sum": f"({first} + {c}*{second})", "at most": f"min({first}, {c})"}
    return f"e{i}*{texts[kind]}", some if kind == "sum" else some[:1], (kind, c)


def random_problem(seed: int) -> tuple[dict[str, Any], list[Any]]:
    """A problem, and for each mechanism the granularities whose steps count, and how."""
    rng = random.Random(seed)
    kind = rng.choice(["sets", "sets", "multisets"])
    records = list("abcd")[: rng.choice([2, 3, 4, 4])]
    some = ["= 1", "= 2", "= 2", "<= 2", "1..2", "= 3"] + (["any", ">= 1", "2..3"] if kind == "sets" else [])
    fitting = [one for one in some if bounds({"size": one, "records": records})[1] <= len(records)]
    named = ["unbounded", "bounded", "bounded", "p", "p", {"union": ["unbounded", "p"]}]
    mechanisms, maps, counted = [], dict[str, Any](), list[Any]()

    def granularity() -> Any:
        single = rng.choice(named)
        return {"group": 2, "of": single} if rng.random() < 0.2 else single

    for i in range(1, rng.randint(1, 3) + 1):
        few = [{"records": rng.sample(records, k)} for k in range(1, len(records) + 1)]
        reads, stated = rng.choice(["everything", *few]), granularity()
        domain = rng.choice(["own", "own", "common"])
        if kind == "multisets" and rng.random() < 0.3:
            maps[f"f{i}"] = {"recode": {x: rng.choice("AB") for x in rng.sample(records, 2)}}
            reads, domain = {"map": f"f{i}"}, "common"
        guarantee = {"notion": "pure", "domain": domain}
        if rng.random() < 0.25:
            text, of, how = in_a_metric(rng, i, domain == "own" or reads == "everything")
            guarantee, how_far = guarantee | {"metric": text}, (of, how)
        else:
            guarantee |= {"epsilon": f"e{i}", "granularity": stated}
            how_far = [stated], ("times", 1)
        mechanisms.append({"name": f"M{i}", "reads": reads, "guarantee": guarantee})
        counted.append(how_far)
    problem = {
        "format": 1,
        "databases": {"kind": kind, "records": records, "size": rng.choice(fitting)},
        "granularities": {"p": random_policy(rng, records)},
        "maps": maps,
        "target": {"granularity": granularity()},
        "mechanisms": mechanisms,
    }
    return problem, counted


def check(seed: int) -> None:
    problem, counted = random_problem(seed)
    rng = random.Random(-seed)
    values = {f"e{i}": F(rng.randint(1, 40), 7) for i in range(1, len(problem["mechanisms"]) + 1)}
    found = Study(problems.read_data(problem, pairs=False).setting).proofs.guarantee("pure").main
    ((_, bound),) = found.says.values
    assert found.optimal, problem
    said = "oo" if bound.kind == "oo" else formulas.evaluate(bound, values)
    assert said == lost(problem, counted, values), problem


@pytest.mark.parametrize("start", range(0, 160, 20))
def test_bounds_are_what_is_lost_by_definition(start: int) -> None:
    for seed in range(start, start + 20):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 5000, 100))
def test_more_bounds_are_what_is_lost_by_definition(start: int) -> None:
    for seed in range(start, start + 100):
        check(seed)


@pytest.mark.parametrize(("stated", "bound"), [("bounded", "oo"), ("unbounded", "e")])
def test_what_is_read_of_sets_of_one_size_is_a_class_of_its_own(stated: str, bound: str) -> None:
    """Of two out of three records one may be b, or none: no exchange leads from one to the other."""
    guarantee = {"notion": "pure", "epsilon": "e", "granularity": stated, "domain": "own"}
    problem = {
        "format": 1,
        "databases": {"kind": "sets", "records": ["a", "b", "c"], "size": "= 2"},
        "target": {"granularity": "bounded"},
        "mechanisms": [{"name": "M", "reads": {"records": ["b"]}, "guarantee": guarantee}],
    }
    found = Study(problems.read_data(problem).setting).proofs.guarantee("pure").main
    assert [formulas.to_text(term) for _, term in found.says.values] == [bound]
