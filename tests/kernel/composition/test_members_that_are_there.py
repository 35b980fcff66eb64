"""Families of any number of members: what several lose is lost only where as many are there."""

from __future__ import annotations

import random
from typing import Any

import pytest
from told import THEORY

from dpcompose.front.studies.study import Study
from dpcompose.kernel.composition import families
from dpcompose.kernel.core import reading
from dpcompose.kernel.judgements import Covers, Lower, Optimal, Refuted
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.privacy import problems
from dpcompose.search.comparisons import parameters


def prover(fewest: int, target: int = 1, values: tuple[str, str] = ("e", "d")) -> Prover:
    """k mechanisms on the parts of a partition; a step of the target replaces a record, two parts move."""
    data: dict[str, Any] = {
        "parameters": {"e": "positive", "d": "in (0,1)", "k": f"integer >= {fewest}"},
        "databases": {
            "kind": "records",
            "of": "multisets",
            "shown": "multisets",
            "size": ["any", None],
            "atoms": [["a", "a'"], ["b", "b'"], ["c", "c'"], ["d", "d'"]],
        },
        "target": {"single": [[1, 1]], "steps": target},
        "mechanisms": [
            {
                "name": "M",
                "reads": [[0], [1], [2], [3]],
                "stated": {"single": [[1, 1]], "steps": 1},
                "domain": "common",
                "notion": "approximate",
                "values": dict(zip(("epsilon", "delta"), values, strict=True)),
                "count": "k",
                "partition": "P",
            }
        ],
    }
    return Prover(reading.read(data), THEORY)


def lost(by: Prover) -> Theorem:
    """What events lose at all types."""
    given, cover = by.by("given", i=1), by.by("cover")
    assert isinstance(cover.says, Covers)
    numbers = list(range(1, len(cover.says.cover.types) + 1))
    return by.by("attain", cover, given, notion="approximate", neighbours=numbers, by=[1])


def claim(delta: str) -> dict[str, str]:
    return {"notion": "approximate", "epsilon": "4*e", "delta": delta}


@pytest.mark.parametrize("fewest", [1, 2, 3])
@pytest.mark.parametrize("target", [1, 2])
def test_the_relation_is_said_where_it_need_not_hold(fewest: int, target: int) -> None:
    found = lost(prover(fewest, target)).says
    assert isinstance(found, Lower)
    said = {str(one) for one in found.where}
    assert said == {f"k >= {many}" for many in range(2, 2 * target + 1) if many > fewest}


def test_a_point_with_fewer_members_refutes_nothing() -> None:
    """One mechanism with (e, d) satisfies (4·e, 2·d − d² − …), and two do not."""
    by = prover(1)
    point = {"e": "1", "d": "1/2", "k": "1"}
    with pytest.raises(NoTheorem, match="k >= 2 is not seen to hold at the point"):
        by.by("refute", lost(by), claim=claim("(2*d - d**2)*9/10"), point=point)
    found = by.by("refute", lost(by), claim=claim("(2*d - d**2)*9/10"), point=point | {"k": "2"})
    assert isinstance(found.says, Refuted) and dict(found.says.point)["k"] == 2


@pytest.mark.parametrize(("fewest", "is_optimal"), [(1, False), (2, True), (7, True)])
def test_nothing_is_optimal_for_fewer(fewest: int, is_optimal: bool) -> None:
    by = prover(fewest)
    composed = by.by("compose", by.by("given", i=1))
    closer = by.by("closer", composed, by.by("cover"), key="delta")
    if is_optimal:
        value, least = dict(closer.says.values)["delta"], lost(by).says.value
        shown = parameters.at_least(least, value)
        assert isinstance(by.by("optimal", closer, lost(by), key="delta", certificate=shown).says, Optimal)
        return
    with pytest.raises(NoTheorem, match="only where k >= 2: a smaller guarantee may hold for other numbers"):
        by.by("optimal", closer, lost(by), key="delta")


@pytest.mark.parametrize(("fewest", "is_optimal"), [(1, False), (2, True)])
def test_nor_is_a_curve_the_least_for_fewer(fewest: int, is_optimal: bool) -> None:
    by = prover(fewest, values=("0", "1/2"))
    given, cover = by.by("given", i=1), by.by("cover")
    stated = {"notion": "approximate", "epsilon": "0", "delta": "3/4"}
    held = by.by("curve", cover, given, claim=stated, bits=64)
    if is_optimal:
        found = by.by("curve_standing", held, cover, given, claim=stated, bits=64)
        assert isinstance(found.says, Optimal)
        return
    with pytest.raises(NoTheorem, match="k >= 2"):
        by.by("curve_standing", held, cover, given, claim=stated, bits=64)


def test_relations_between_counts_are_used() -> None:
    by = prover(1)
    moves = ((1, ((2, reading.terms.ONE),)),)
    assert [str(one) for one in families.needed(by.setting, moves)] == ["k >= 2"]
    assert families.needed(prover(2).setting, moves) == ()


# whole problems, against every number


def problem(seed: int) -> dict[str, Any]:
    """A family over a partition into k parts, of which some neighbours move several, and a single mechanism."""
    rng = random.Random(seed)
    ways = ["bounded", "unbounded", {"union": ["unbounded", "bounded"]}]
    target = rng.choice([*ways, {"group": 2, "of": "bounded"}, {"group": 3, "of": "unbounded"}])
    at_most = rng.choice([None, None, 2, 3])
    mechanisms = [
        {
            "name": "M",
            "index": "i",
            "count": "k",
            "reads": {"part": "i", "of": "H"},
            "guarantee": {
                "notion": "approximate",
                "epsilon": rng.choice(["0", "e", "2"]),
                "delta": rng.choice(["d", "1/10"]),
                "granularity": rng.choice(ways),
                "domain": rng.choice(["own", "common"]),
            },
        }
    ]
    if rng.random() < 0.3:
        alone = {"notion": "approximate", "epsilon": "e", "delta": "d", "granularity": "bounded"}
        mechanisms.append({"name": "N", "reads": "everything", "guarantee": alone})
    part = {"kind": "overlapping", "at-most": at_most} if at_most else {"kind": "record-wise"}
    return {
        "format": 1,
        "parameters": {"k": f"integer >= {rng.choice([1, 1, 2])}"},
        "databases": {"kind": "multisets"},
        "partitions": {"H": part | {"parts": "k"}},
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


CLAIMS = [
    "d",
    "2*d - d**2",
    "min(2*d - d**2, k*d)",
    "min(k, 3)*d",
    "1 - (1 - d)**3",
    "1/4",
    "(2*d - d**2)*9/10",
]


def verdict(data: dict[str, Any], epsilon: str, delta: str) -> str:
    stated = {"notion": "approximate", "epsilon": epsilon, "delta": delta}
    try:
        read = problems.read_data(data | {"claims": [stated]})
    except ValueError:
        return "unreadable"
    return Study(read.setting).check(read.claims[0]).verdict


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(n, marks=pytest.mark.slow) for n in range(8, 300))]
)
def test_verdicts_hold_for_every_number_of_members(seed: int) -> None:
    data, rng = problem(seed), random.Random(seed)
    epsilon, delta = rng.choice(["9*e + 9", "2*e", "e"]), rng.choice(CLAIMS)
    word = verdict(data, epsilon, delta)
    fewest = int(data["parameters"]["k"].split()[-1])
    refuted = False
    for k in range(fewest, 5):
        there = {**data, "parameters": {}, "partitions": {"H": data["partitions"]["H"] | {"parts": k}}}
        there["mechanisms"] = [
            one | ({"count": str(k)} if "count" in one else {}) for one in data["mechanisms"]
        ]
        other = verdict(there, epsilon, delta.replace("k", str(k)))
        assert (word, other) != ("proved", "refuted"), (data, epsilon, delta, k)
        refuted = refuted or other in ("refuted", "undecided", "unreadable")
    assert word != "refuted" or refuted, (data, epsilon, delta)
