"""Random settings for the shadow run: problem files as data, with what they lose by definition where it is known.

The settings of `strategies`, restated in each notion or in several at once, with numbers in place of letters,
repeated or adaptive; families, with symbolic or given numbers of members; noise of every law on every query;
tables of probabilities; studies as mechanisms.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import oracle
import test_families_against_oracle as brute
from enumerated import KEYS
from goldens import draw_corpus
from hypothesis import strategies as st
from shadow_truth import Member, Truth
from strategies import Twin

from dpcompose.privacy import problems

NOTIONS = ("pure", "approximate", "zcdp", "gaussian", "mixed")
MIXED = ("pure", "pure", "approximate", "zcdp", "gaussian")
Data = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A setting: where it is from, its notion (or "mixed"), its problem without claims, and what it loses."""

    name: str
    notion: str
    problem: Data
    truth: Truth | None


# guarantees in other notions


def restated(problem: Data, notions: Sequence[str], rng: random.Random) -> Data:
    """The mechanisms' pure guarantees with the same parameters in other notions; δ is a letter or a number."""
    found = copy.deepcopy(problem)
    for i, (mechanism, notion) in enumerate(zip(found["mechanisms"], notions, strict=True), start=1):
        given = mechanism.get("guarantee")
        if given is None:
            continue
        first = given.pop("epsilon")
        given["notion"] = notion
        delta = rng.choice([f"d{i}", f"d{i}", f"d{i}", "1/10", "1/100000", "0"])
        given |= dict(zip(KEYS[notion], [first, delta], strict=False))
        if notion == "approximate" and delta == f"d{i}":
            found.setdefault("parameters", {})[delta] = "in (0,1)"
    return found


def notions_for(notion: str, count: int, rng: random.Random) -> list[str]:
    """A notion for each mechanism: two different ones at least where they are mixed and several."""
    if notion != "mixed":
        return [notion] * count
    found = [rng.choice(MIXED) for _ in range(count)]
    if count > 1 and len(set(found)) == 1:
        found[0] = rng.choice([one for one in MIXED if one != found[0]])
    return found


def names_of(problem: Data) -> list[str]:
    """The names of the letters of the guarantees."""
    given = problems.read_data(problem)
    return sorted(given.setting.domains)


def with_numbers(problem: Data, rng: random.Random) -> Data:
    """The problem with numbers for all its letters."""
    found = copy.deepcopy(problem)
    for name in names_of(problem):
        number = (
            rng.choice(["1/10", "1/3", "1/2", "1", "3/2"]) if name[0] != "d" else rng.choice(["1/20", "1e-5"])
        )
        found.setdefault("parameters", {})[name] = number
    return found


def stated(problem: Data) -> list[Member]:
    """The mechanisms with guarantees, in order."""
    found = []
    for mechanism in problem["mechanisms"]:
        given = mechanism["guarantee"]
        found.append(Member(given["notion"], tuple(given[key] for key in KEYS[given["notion"]])))
    return found


# settings of the strategies


SOURCES: Mapping[str, st.SearchStrategy[Any]] = {
    kind: strategy for kind, (strategy, _) in draw_corpus.SOURCES.items()
} | {"families": brute.families()}
WEIGHTS: Mapping[str, int] = {
    "listed": 5,
    "listed-groups": 4,
    "multisets": 5,
    "multisets-groups": 5,
    "multisets-functions": 2,
    "universe": 4,
    "ordered": 5,
    "ordered-functions": 1,
    "sequences": 3,
    "cells": 6,
    "any-size": 3,
    "families": 6,
    "noise": 7,
    "noise-cells": 4,
    "tables": 3,
    "studies": 4,
}
"""How often settings of each kind are drawn."""


def of_twin(name: str, twin: Twin, unlimited: bool, notion: str, rng: random.Random) -> Drawn:
    """A twin restated: its distances are those of the oracle, whatever the notion."""
    problem = draw_corpus.problem_of(twin, "pure")
    count = len(problem["mechanisms"])
    problem = restated(problem, notions_for(notion, count, rng), rng)
    if rng.random() < 0.2:
        problem["adaptive"] = True
    members = stated(problem)
    times = 1
    if rng.random() < 0.1:
        times = rng.choice([2, 3])
        problem["mechanisms"][0]["repeat"] = times
    if rng.random() < 0.3:
        problem = with_numbers(problem, rng)
    members = members[:1] * times + members[1:]

    @lru_cache(1)
    def vectors() -> list[tuple[Any, ...]]:
        setting = twin.at({one: Fraction(1) for one in twin.study.setting.domains})
        found = oracle.profile_of(setting)
        return [row[:1] * times + row[1:] for row in map(tuple, found)]

    return Drawn(name, notion, problem, Truth(lambda at: members, lambda at: vectors(), unlimited))


# families


FEW = 2
"""How many of the numbers of members of brute force are looked at."""


def of_family(name: str, family: brute.Family, notion: str, rng: random.Random) -> Drawn:
    """A family restated, with letters or numbers for how many members there are."""
    pure = problems.parsed(family.text)
    given = notions_for(notion, len(pure["mechanisms"]), rng)
    problem = restated(pure, given, rng)
    for mechanism, old in zip(problem["mechanisms"], pure["mechanisms"], strict=True):
        # a letter for δ of each member, which may differ
        if "delta" in mechanism["guarantee"] and "index" in old and rng.random() < 0.5:
            delta = mechanism["guarantee"]["delta"]
            if delta.startswith("d"):
                problem["parameters"].pop(delta)
                mechanism["guarantee"]["delta"] = f"{delta}[i]"
                problem["parameters"][f"{delta}[i]"] = "in (0,1)"
    if rng.random() < 0.3:
        for letter in ("k", "l"):
            problem["parameters"][letter] = str(rng.choice([2, 3]))
    stated_as = stated(problem)
    written = lru_cache(None)(lambda k, l: family.written_out({"k": k, "l": l}))
    rows = lru_cache(None)(lambda k, l: sorted(written(k, l).vectors))

    def sizes(at: Mapping[str, Any]) -> tuple[int, int]:
        return tuple(int(at.get(one, problem["parameters"].get(one, 1))) for one in "kl")  # type: ignore[return-value]

    def members(at: Mapping[str, Any]) -> list[Member]:
        return [
            Member(
                stated_as[one.n].notion,
                tuple(text.replace("[i]", f"[{one.i}]") for text in stated_as[one.n].parameters),
            )
            for one in written(*sizes(at)).members
        ]

    def few(at: Mapping[str, Any]) -> bool:
        """Whether there are no more members than brute force can do quickly."""
        k, other = sizes(at)
        return any(k <= one["k"] and other <= max(2, one["l"]) for one in brute.sizes_of(family)[:FEW])

    return Drawn(name, notion, problem, Truth(members, lambda at: rows(*sizes(at)), known=few))


# studies as mechanisms


RELATIONS = {"unbounded": oracle.unbounded, "bounded": oracle.bounded, "free-lunch": oracle.free_lunch}
LARGEST = 3
"""Of how many records databases of studies are at most."""


def of_study(name: str, notion: str, rng: random.Random) -> Drawn:
    """A study of some of the records as a mechanism beside another one; the truth has its mechanisms."""
    inside = rng.choice(["a", "ab", "abc"])
    target, inner = rng.choice(list(RELATIONS)), rng.choice(list(RELATIONS))
    members: list[Member] = []
    distances: list[tuple[Callable[[Any], Any], oracle.InputDistance]] = []

    def f(D: Any) -> Any:
        return tuple(one for one in D if one in inside)

    def mechanism(i: int, records: str, within: bool) -> Data:
        part = "".join(sorted(rng.sample(records, rng.randint(1, len(records)))))
        stated, kind = rng.choice(list(RELATIONS)), notion if notion != "mixed" else rng.choice(MIXED)
        domain = rng.choice(["own", "common"])
        first = rng.choice([f"e{i}", f"e{i}", "1", "1/2"])
        parameters = dict(zip(KEYS[kind], [first, f"d{i}"], strict=False))
        members.append(Member(kind, tuple(parameters.values())))
        of_part = oracle.multisets_read(records, part, "<=", LARGEST)
        read = oracle.restriction(part)
        given = oracle.Mechanism(read, 1, RELATIONS[stated], domain, of_part)  # type: ignore[arg-type]
        whole = oracle.multisets(records, "<=", LARGEST)
        r = oracle.input_distance(oracle.Setting(whole, oracle.unbounded, [given]), given)
        distances.append((f if within else oracle.identity, r))
        return {
            "name": f"M{i}",
            "reads": {"records": sorted(part)},
            "guarantee": {"notion": kind, **parameters, "granularity": stated, "domain": domain},
        }

    study: Data = {
        "databases": {"kind": "multisets", "records": sorted(inside), "size": f"<= {LARGEST}"},
        "target": {"granularity": inner},
        "mechanisms": [mechanism(i, inside, True) for i in (1, 2)][: rng.choice([1, 2, 2])],
    }
    del members[len(study["mechanisms"]) :], distances[len(study["mechanisms"]) :]
    outer: list[Data] = [{"name": "S", "reads": {"records": sorted(inside)}, "study": "S"}]
    if rng.random() < 0.8:
        outer.append(mechanism(3, "abc", False))
    problem: Data = {
        "format": 1,
        "databases": {"kind": "multisets", "records": ["a", "b", "c"], "size": f"<= {LARGEST}"},
        "studies": {"S": study},
        "target": {"granularity": target},
        "mechanisms": outer,
    }
    if rng.random() < 0.3:
        rng.choice([problem, study])["adaptive"] = True

    @lru_cache(1)
    def vectors() -> list[tuple[Any, ...]]:
        whole = oracle.multisets("abc", "<=", LARGEST)
        pairs = oracle.neighbouring_pairs(whole, RELATIONS[target])
        return list(dict.fromkeys(tuple(r(g(D), g(E)) for g, r in distances) for D, E in pairs))

    return Drawn(name, notion, problem, Truth(lambda at: members, lambda at: vectors()))
