"""Universes in which a symbolic number of parts is written out, and the most that is lost in any of them.

Parts, and where named records lie, are not said in a file: a verdict is the worst case.  Here each way is
written down, and gone through from the definitions; it shares no code with the package.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import oracle
from oracle import INFINITY

Membership = tuple[frozenset[int], ...]
"""In which parts of each partition a record is."""


@dataclass(frozen=True)
class Policy:
    """Which records take each other's place, and which come and go, by what a file says.

    replace -- "" or "all", the name of a partition, or pairs of records; alone -- "all", or records.
    """

    replace: Any = ""
    alone: Any = ()

    def joins(self, x: str, y: str, held: Mapping[str, Membership], names: Sequence[str]) -> bool:
        if isinstance(self.replace, str) and self.replace in names:
            at = names.index(self.replace)
            return not held[x][at].isdisjoint(held[y][at])
        if isinstance(self.replace, str):
            return self.replace == "all"
        return any({x, y} <= {*group} for group in self.replace)

    def comes(self, x: str) -> bool:
        return self.alone == "all" or x in self.alone

    def data(self) -> dict[str, Any]:
        """As a table of a file."""
        found: dict[str, Any] = {}
        if isinstance(self.replace, str) and self.replace:
            found["replace"] = "all" if self.replace == "all" else {"within": self.replace}
        elif self.replace:
            found["replace"] = {"within": [sorted(group) for group in self.replace]}
        return found | (
            {"add-remove": self.alone if self.alone == "all" else list(self.alone)} if self.alone else {}
        )


@dataclass(frozen=True)
class Reads:
    """A mechanism, or a family: what it reads, for which steps of which policy it is stated, and where.

    of -- the name of a partition, "" for everything, or a set of named records.
    """

    of: Any
    stated: Policy
    steps: int = 1
    domain: str = "common"


LETTERS = "efgh"
"""What the parameters of families are called, in order; one that is no family has x."""


def losses_of(reads: Sequence[Reads], k: int, rng: random.Random) -> list[list[Fraction]]:
    """Random parameters: k of each family on the parts of P or Q, one of what else reads."""
    members = (k if one.of in ("P", "Q") else 1 for one in reads)
    return [[Fraction(rng.randint(1, 40), 7) for _ in range(many)] for many in members]


def values_of(reads: Sequence[Reads], k: int, losses: Sequence[Sequence[Fraction]]) -> dict[str, Fraction]:
    """The letters of a file at these parameters, with k parts of each partition."""
    values = dict.fromkeys("kl", Fraction(k))
    for letter, one, lost in zip(LETTERS, reads, losses, strict=False):
        names = [f"{letter}[{i}]" for i in range(1, k + 1)] if one.of in ("P", "Q") else ["x"]
        values |= dict(zip(names, lost, strict=True))
    return values


def relation(policy: Policy, held: Mapping[str, Membership], names: Sequence[str]) -> oracle.Relation:
    """The neighbours of a policy among multisets."""

    def related(D: Any, E: Any) -> bool:
        gone, come = list(D), list(E)
        for x in D:
            if x in come:
                gone.remove(x)
                come.remove(x)
        if (len(gone), len(come)) == (1, 1):
            return policy.joins(gone[0], come[0], held, names)
        return len(gone) + len(come) == 1 and policy.comes((gone + come)[0])

    return related


@dataclass(frozen=True)
class Universe:
    """Records with the parts that hold them; size -- of the databases, a word of the oracle and a number."""

    held: Mapping[str, Membership]
    names: tuple[str, ...]
    parts: Mapping[str, int]
    size: tuple[Any, int]

    def largest(
        self, target: Policy, steps: int, mechanisms: Sequence[Reads], losses: Sequence[Sequence[Fraction]]
    ) -> Any:
        """The most that neighbours lose; losses -- for each mechanism the parameters of its members."""
        word, n = self.size
        databases = oracle.multisets(self.held, word, n)
        known: dict[Any, Any] = {}

        def distances(records: tuple[str, ...], one: Reads) -> Any:
            """How far what is read of databases is apart."""
            key = records, one.stated, one.steps, one.domain
            if key not in known:
                f = oracle.restriction(records)
                near = relation(one.stated, self.held, self.names)
                if one.domain == "own":
                    image = oracle.multisets_read(self.held, records, word, n)
                    stated = oracle.group(near, one.steps, image) if one.steps > 1 else near
                else:
                    image = list(dict.fromkeys(map(f, databases)))
                    far = oracle.group(near, one.steps, databases) if one.steps > 1 else near
                    pairs = oracle.neighbouring_pairs(databases, far)
                    stated = oracle.from_pairs([(f(D), f(E)) for D, E in pairs])
                known[key] = f, oracle.canonical_distance(image, stated)
            return known[key]

        near = relation(target, self.held, self.names)
        far = oracle.group(near, steps, databases) if steps > 1 else near
        inputs = [
            (distances(records, one), loss)
            for one, some in zip(mechanisms, losses, strict=True)
            for records, loss in zip(self.read(one, len(some)), some, strict=True)
        ]
        found = []
        for D, E in oracle.neighbouring_pairs(databases, far):
            lost = (oracle.cost(loss, d[f(D), f(E)], f(D) == f(E)) for (f, d), loss in inputs)
            found.append(oracle.total(lost))
        return max(found, default=Fraction(0))

    def read(self, one: Reads, members: int) -> Iterator[tuple[str, ...]]:
        """What the members of a family read."""
        for i in range(1, members + 1):
            if one.of in self.names:
                at = self.names.index(one.of)
                yield tuple(x for x, parts in self.held.items() if i in parts[at])
            else:
                yield tuple(x for x in self.held if one.of == "" or x in one.of)


def memberships(k: int, most: int) -> list[frozenset[int]]:
    """In which of k parts a record may be that is in some of them at most, or in none."""
    return [frozenset(some) for n in range(most + 1) for some in combinations(range(1, k + 1), n)]


def universes(
    partitions: Mapping[str, tuple[int, int]],
    named: Sequence[str],
    size: tuple[Any, int],
    rng: random.Random,
    some: int,
    poor: bool = False,
) -> Iterator[Universe]:
    """Universes in which named records lie anywhere, some of them; two other records of each kind there is.

    partitions -- by name how many parts there are, and in how many of them a record is at most;
    poor -- whether not all kinds need be there, but those that each part, and what is not in it, has records.
    """
    kinds = list(product(*(memberships(*one) for one in partitions.values())))
    placed = list(product(kinds, repeat=len(named)))
    if len(placed) > some:
        placed = rng.sample(placed, some)
    for where in placed:
        there = kinds
        if poor:
            there = [kind for kind in kinds if rng.random() < 0.5 or sum(map(len, kind)) == 1]
        held = {f"u{n}{copy}": kind for n, kind in enumerate(there) for copy in "ab"}
        held |= dict(zip(named, where, strict=True))
        yield Universe(held, tuple(partitions), {name: k for name, (k, _) in partitions.items()}, size)


def poorest(
    partitions: Mapping[str, tuple[int, int]],
    named: Sequence[str],
    size: tuple[Any, int],
    rng: random.Random,
    some: int,
    ends: int,
) -> Iterator[Universe]:
    """Universes, some of them, with records of a few kinds, and as few others as parts that have none need."""
    kinds = list(product(*(memberships(*one) for one in partitions.values())))
    ways = list(product(combinations_with_replacement(kinds, ends), product(kinds, repeat=len(named))))
    for few, where in ways if len(ways) <= some else rng.sample(ways, some):
        there = {*few, *where, tuple(frozenset[int]() for _ in partitions)}
        for at, (k, _) in enumerate(partitions.values()):
            for i in range(1, k + 1):
                if not any(i in kind[at] for kind in there):
                    there.add(tuple(frozenset({i} if n == at else ()) for n in range(len(partitions))))
        held = {f"u{n}{copy}": kind for n, kind in enumerate(sorted(there, key=str)) for copy in "ab"}
        held |= dict(zip(named, where, strict=True))
        yield Universe(held, tuple(partitions), {name: k for name, (k, _) in partitions.items()}, size)


assert INFINITY > 1
