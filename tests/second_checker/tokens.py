"""Groups of steps of a policy, seen through a map of multisets of limited size (shapes/policies.md, "Groups pushed forward, by tokens").

A database is so many tokens, each on a record or, where sizes are not all one, on nothing; what is seen of it is where
its tokens are seen, records that are not read as nothing.  Within one group of steps each token walks to another place
by a shortest way, or stays where it is; from one group to the next it may stand on another record that is seen alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

from second_checker.enclosures import INF
from second_checker.outcomes import NotRead

Record = tuple[int, int] | None
"""One of the two records that tell an atom; None is nothing."""
Places = tuple[Record, ...]
Atoms = tuple[int, ...]
MANY = 3_000
"""How many ways to place tokens are gone through."""


def is_pushed(one: Any, reads: Any, base: Any) -> bool:
    """Whether what a slot reads is told by tokens: some records of multisets of limited size, by a guarantee for groups
    on the common domain."""
    if base["of"] != "multisets" or base["size"][1] is None or "stated" not in one or "codes" in one:
        return False
    some = bool(reads) and len(set(reads)) < len(base["atoms"])
    grouped = one["stated"]["single"] != "any two" and one["stated"]["steps"] > 1
    return bool(one["domain"] == "common" and some and grouped)


def shared(core: Any, left: Atoms, right: Atoms) -> Iterator[Places]:
    """What tokens two databases may share that have these records alone."""
    base = core["databases"]
    if not any(is_pushed(one, reads, base) for one in core["mechanisms"] for reads in one["reads"]):
        yield ()
        return
    if base.get("least"):
        raise NotRead("setting", "groups of a policy on the common domain, of databases with a least size")
    many, places = tokens(base) - max(len(left), len(right)), records(base)
    if comb(len(places) + many - 1, many) > MANY:
        raise NotRead("setting", "groups of a policy on the common domain, of many records")
    yield from combinations_with_replacement(places, many)


def tokens(base: Any) -> int:
    """How many tokens a database has: of all numbers that a letter allows the fewest, as more bring nothing further."""
    return int(base.get("letter from", base["size"][1]))


def records(base: Any) -> list[Record]:
    """Where tokens may stand: of an atom with several records on two of them."""
    found: list[Record] = [(n, k) for n, atom in enumerate(base["atoms"]) for k in range(min(2, len(atom)))]
    return found if base["size"][0] == "exactly" else [*found, None]


def moved(one: Any, reads: Any, left: Atoms, right: Atoms, common: Places, base: Any) -> float:
    """In how many groups of steps what is read of the one database leads to what is read of the other."""
    # of an atom on both sides the second database has another record
    here: list[Record] = [(x, 0) for x in left]
    there: list[Record] = [(x, int(x in left)) for x in right]
    most = max(len(here), len(there))
    return Seen(base, frozenset(reads), one["stated"]).groups(
        (*here, *[None] * (most - len(here)), *common), (*there, *[None] * (most - len(there)), *common)
    )


def is_endless(core: Any, left: Atoms, right: Atoms, common: Places, vector: Any) -> bool:
    """Whether any number of further tokens on some record bring nothing of a vector nearer: so many as fewer groups of
    steps can move are enough to see it.  What is infinite is so for any number of tokens."""
    base = core["databases"]
    slots = [(one, reads) for one in core["mechanisms"] for reads in one["reads"]]
    pushed = [
        (*slot, r)
        for slot, r in zip(slots, vector, strict=True)
        if r not in (0, INF) and is_pushed(*slot, base)
    ]

    def stays(c: Record) -> bool:
        return all(
            moved(one, reads, left, right, (*common, *[c] * (one["stated"]["steps"] * (int(r) - 1))), base)
            == r
            for one, reads, r in pushed
        )

    return any(map(stays, records(base)))


class Seen:
    """What is seen of databases by a map, and how near groups of steps bring it."""

    def __init__(self, base: Any, own: frozenset[int], stated: Any) -> None:
        self.own, self.steps = own, stated["steps"]
        fixed = base["size"][0] == "exactly"
        graph = {frozenset(edge) for edge in stated["single"]}
        self.edges = frozenset(edge for edge in graph if not (fixed and None in edge))
        self.places = records(base)
        self.kappa = {
            (y, z): 0 if y == z else min(
                (self.far(x, w) for x in self.on(y) for w in self.on(z)), default=INF
            )
            for y, z in product(sorted({self.of(x) for x in self.places}, key=str), repeat=2)
        }  # fmt: skip

    def of(self, x: Record) -> Record:
        """Where a token is seen."""
        return x if x is not None and x[0] in self.own else None

    def on(self, y: Record) -> list[Record]:
        """Where a token may stand that is seen there."""
        return [x for x in self.places if self.of(x) == y]

    def far(self, x: Record, y: Record) -> float:
        """How many edges lead from one record to another one."""
        row: dict[Record, int] = {x: 0}
        waiting = deque([x])
        while waiting:
            at = waiting.popleft()
            for to in self.places:
                edge = frozenset((None if at is None else at[0], None if to is None else to[0]))
                if to not in row and to != at and edge in self.edges:
                    row[to] = row[at] + 1
                    waiting.append(to)
        return row.get(y, INF)

    def groups(self, here: Places, there: Places) -> float:
        """The fewest groups of steps from the one to the other."""
        start, end = (tuple(sorted(map(self.of, one), key=str)) for one in (here, there))
        every = list(combinations_with_replacement(sorted({y for y, _ in self.kappa}, key=str), len(start)))
        if len(every) > MANY:
            raise NotRead("setting", "groups of a policy on the common domain, of many records")
        row: dict[Places, int] = {start: 0}
        waiting = deque([start])
        while waiting:
            at = waiting.popleft()
            for to in every:
                if to not in row and self.matched(at, to) <= self.steps:
                    row[to] = row[at] + 1
                    waiting.append(to)
        return row.get(end, INF)

    @cache  # noqa: B019
    def matched(self, here: Places, there: Places) -> float:
        """The least cost of a perfect matching of tokens, each on a way of its own."""
        if not here:
            return 0
        return min(
            self.kappa[here[0], y] + self.matched(here[1:], (*there[:n], *there[n + 1 :]))
            for n, y in enumerate(there)
            if y not in there[:n]
        )


__all__ = ["is_endless", "is_pushed", "moved", "shared", "tokens"]
