"""Random settings of sampled mechanisms beside others: no verdict is against the truth, found by enumeration.

What a mechanism on Poisson samples can lose at two databases is the largest ratio of two means of a weight of
samples that changes by a factor of at most e^ε with each record.  It is linear in the weights over the other
mean, so largest where the weights are powers of e^ε: these are gone through.  In one order of the databases
independent mechanisms lose the sum.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

import dpcompose as dpc

Counts = tuple[int, int]
"""How many records a, and b; at two steps from each other there may be two of one, and none of it."""
DATABASES = [D for D in product(range(3), repeat=2) if sum(D) <= 2]
ODDS, RATES = (Fraction(2), Fraction(3)), (Fraction(1, 4), Fraction(1, 2))


def chance(D: Counts, T: Counts, s: Fraction) -> Fraction:
    """The probability of a sample with so many of each record."""
    p = Fraction(1)
    for n, k in zip(D, T, strict=True):
        ways = Fraction(1)
        for j in range(k):
            ways = ways * (n - j) / (j + 1)
        p *= ways * s**k * (1 - s) ** (n - k) if k <= n else 0
    return p


@cache
def weights(top: Counts) -> list[dict[Counts, int]]:
    """All whole numbers of the samples up to some, 0 at the first, that change by at most 1 a record."""
    samples = list(product(range(top[0] + 1), range(top[1] + 1)))

    def go(found: dict[Counts, int]) -> Iterator[dict[Counts, int]]:
        if len(found) == len(samples):
            yield dict(found)
            return
        T = samples[len(found)]
        near = [v for U, v in found.items() if abs(U[0] - T[0]) + abs(U[1] - T[1]) == 1]
        for v in range(max(near) - 1, min(near) + 2):
            yield from go({**found, T: v})

    return list(go({(0, 0): 0}))


@cache
def lost(D: Counts, E: Counts, odds: Fraction, s: Fraction | None) -> Fraction:
    """e to what a mechanism can lose at D over E at most; without a rate on the databases themselves."""
    apart = abs(D[0] - E[0]) + abs(D[1] - E[1])
    if s is None:
        return odds**apart
    top = (max(D[0], E[0]), max(D[1], E[1]))
    at = [{T: chance(one, T, s) for T in product(range(top[0] + 1), range(top[1] + 1))} for one in (D, E)]
    return max(
        sum(p * odds ** w[T] for T, p in at[0].items()) / sum(p * odds ** w[T] for T, p in at[1].items())
        for w in weights(top)
    )


def read(D: Counts, part: str) -> Counts:
    return (D[0] if "a" in part else 0, D[1] if "b" in part else 0)


STEPS = {"unbounded": {(1, 0), (0, 1), (-1, 0), (0, -1)}, "bounded": {(1, -1), (-1, 1)}}


def truth(some: list[tuple[str, Fraction, Fraction | None]], target: str) -> Fraction:
    step = STEPS[target.removeprefix("two ")]
    near = [(D, E) for D, E in product(DATABASES, repeat=2) if (D[0] - E[0], D[1] - E[1]) in step]
    pairs = near + [(D, F) for D, E in near for G, F in near if E == G and target.startswith("two ")]
    found = Fraction(1)
    for D, E in pairs:
        whole = Fraction(1)
        for part, odds, s in some:
            whole *= lost(read(D, part), read(E, part), odds, s)
        found = max(found, whole)
    return found


def made(some: list[tuple[str, Fraction, Fraction | None]], target: str) -> Any:
    mechanisms = []
    for n, (part, odds, s) in enumerate(some, start=1):
        everything = part == "ab"
        given = dpc.pure(f"log({odds})", dpc.unbounded, None if everything else "own")
        reads: dict[str, Any] = {} if everything else {"reads": dpc.restriction([part])}
        sampled: Any = None if s is None else {"poisson": str(s)}
        mechanisms.append(dpc.mechanism(f"M{n}", given, sampled=sampled, **reads))
    single = getattr(dpc, target.removeprefix("two "))
    neighbours = dpc.group(2, single) if target.startswith("two ") else single
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=neighbours)


def verdicts_on(seed: int) -> set[str]:
    """What is said of one random setting, once none of it is against the truth."""
    rng, seen = random.Random(seed), set[str]()
    some = [
        (rng.choice(("ab", "a", "b")), rng.choice(ODDS), rng.choice((*RATES, None)))
        for _ in range(rng.choice((1, 2, 2)))
    ]
    target = rng.choice((*STEPS, *(f"two {one}" for one in STEPS)))
    study, true = made(some, target), truth(some, target)
    if study.guarantee().optimal:
        assert study.check(dpc.pure(f"log({true})")).verdict == "proved", (some, target)
        seen.add("optimal")
    for claim in (true, true * Fraction(99, 100), true * Fraction(3, 4), true * Fraction(6, 5)):
        if claim <= 1:
            continue
        verdict = study.check(dpc.pure(f"log({claim})")).verdict
        possible = ("proved", "undecided") if claim >= true else ("refuted", "undecided")
        assert verdict in possible, (some, target, claim)
        seen.add(verdict)
    return seen


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 12))])
def test_no_verdict_is_against_the_truth(part: int) -> None:
    seen = set[str]().union(*map(verdicts_on, range(8 * part, 8 * part + 8)))
    assert {"proved", "refuted", "optimal"} <= seen, seen
