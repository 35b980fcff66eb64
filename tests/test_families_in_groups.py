"""Families on inputs that overlap, for several records or persons at once: by hand, and by brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import inf

import sympy
from language.letters import evaluate
from shares import seeds

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

EDITS = {"unbounded": [(0, 1), (1, 0)], "bounded": [(1, 1)], "both": [(0, 1), (1, 0), (1, 1)]}


@dataclass(frozen=True)
class Stated:
    """Neighbours of a guarantee, whether they are r steps apart at most, and the domain."""

    single: str
    grouped: bool
    domain: str

    @property
    def text(self) -> str:
        single = f'"{self.single}"' if self.single != "both" else '{ union = ["unbounded", "bounded"] }'
        return f'{{ group = "r", of = {single} }}' if self.grouped else single

    def apart(self, gone: int, come: int, r: int) -> float:
        """How far what is read is apart, of any size, where all records that go and come are different."""
        if not (gone or come):
            return 0
        if self.single == "free-lunch":
            return 1
        steps: float = gone + come if self.single == "unbounded" else max(gone, come)
        if self.single == "bounded" and self.domain == "own" and gone != come:
            return inf
        return -(-steps // r) if self.grouped and steps < inf else steps


@dataclass(frozen=True)
class Setting:
    """A family on inputs of which at most m hold a record, for r steps at once, and what reads everything."""

    target: str
    family: Stated
    whole: Stated | None
    square: bool
    m: str
    r: str

    @property
    def text(self) -> str:
        key = 'notion = "zcdp", rho' if self.square else 'notion = "pure", epsilon'
        single = Stated(self.target, False, "own").text
        rest = (
            f'[[mechanisms]]\nname = "A"\nguarantee = {{ {key} = "a", granularity = {self.whole.text} }}'
            if self.whole
            else ""
        )
        count = f'"{self.r}"' if self.r == "r" else self.r
        return f"""format = 1
[parameters]
k = "integer >= 1"
m = "integer >= 1"
r = "integer >= 1"
[databases]
kind = "multisets"
[partitions.H]
kind = "overlapping"
parts = "k"
at-most = "{self.m}"
[target]
granularity = {{ group = {count}, of = {single} }}
[[mechanisms]]
name = "M"
index = "i"
count = "k"
reads = {{ part = "i", of = "H" }}
guarantee = {{ {key} = "e[i]", granularity = {self.family.text}, domain = "{self.family.domain}" }}
{rest}"""

    def largest(self, k: int, m: int, r: int, point: dict[str, Fraction]) -> float | Fraction:
        """The most that is lost at databases whose records lie in the inputs in any way."""

        def lost(far: float, parameter: Fraction) -> float | Fraction:
            return inf if far == inf else int(far) ** (2 if self.square else 1) * parameter

        found: float | Fraction = 0
        for (gone, a), (come, b) in changes(self.target, k, m, r):
            some = [
                lost(self.family.apart(x, y, r), point[f"e[{i}]"])
                for i, (x, y) in enumerate(zip(gone, come, strict=True), start=1)
            ]
            some += [lost(self.whole.apart(a, b, r), point["a"])] if self.whole else []
            found = max(found, inf if inf in some else sum(some))
        return found


@cache
def changes(target: str, k: int, m: int, r: int) -> list[tuple[tuple[tuple[int, ...], int], ...]]:
    """In how many records each input differs, and all do, in all ways of up to r steps; of either database."""
    numbers = {(0, 0)}
    for _ in range(r):
        numbers |= {(a + x, b + y) for a, b in numbers for x, y in EDITS[target]}
    inside = [some for n in range(m + 1) for some in combinations(range(k), n)]

    def sides(n: int) -> Iterator[tuple[tuple[int, ...], int]]:
        for some in combinations_with_replacement(inside, n):
            counts = Counter(i for one in some for i in one)
            yield tuple(counts[i] for i in range(k)), n

    every = {n: sorted(set(sides(n))) for n in range(r + 1)}
    return [pair for a, b in sorted(numbers) for pair in product(every[a], every[b])]


def drawn(rng: random.Random) -> Setting:
    """A setting of these at random."""
    singles = ["unbounded", "bounded", "both", "free-lunch"]

    def stated(domains: list[str]) -> Stated:
        single = rng.choice(singles)
        grouped = single != "free-lunch" and rng.random() < 0.3
        return Stated(single, grouped, rng.choice(domains))

    whole = stated(["own"]) if rng.random() < 0.6 else None
    r = rng.choice(["r", "r", "2", "3"])
    m = rng.choice(["m", "m", "1", "2"])
    return Setting(rng.choice(singles[:3]), stated(["own", "common"]), whole, rng.random() < 0.3, m, r)


def checked(one: Setting, rng: random.Random) -> bool:
    """Whether there is a bound; then that it is none too small anywhere, and reached where it is optimal."""
    study = Study(problems.read_text(one.text).setting)
    try:
        bound = study.bound
    except NoGuarantee:
        return False
    (said_of,) = study.guarantee().values.values()
    for k, m, r in product((1, 2, 3), (1, 2), (1, 2, 3)):
        if (one.m != "m" and int(one.m) != m) or (one.r != "r" and int(one.r) != r):
            continue
        point = {name: Fraction(n) for name, n in (("k", k), ("m", m), ("r", r))}
        names = ["a", *(f"e[{i}]" for i in range(1, k + 1))]
        point |= {name: Fraction(rng.randint(1, 9), rng.randint(1, 4)) for name in names}
        truth = one.largest(k, m, r, point)
        said = inf if said_of is sympy.oo else evaluate(said_of, point)
        assert said is not None and said >= truth, (one, k, m, r, said, truth)
        if bound.optimal:
            assert said == truth, (one, k, m, r, said, truth)
    return True


@seeds(6, 300)
def test_against_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    checked(drawn(rng), rng)
