"""Covers of listed databases: all neighbours, for this class and no other.

Distances are shortest paths: on the own domain among the values that are read, on the common domain among
the databases with each fibre of the map contracted to one node.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from dpcompose.kernel.covers.types import LARGEST, Cover, Covering, NoCover, Type, query_metric
from dpcompose.kernel.settings import Mechanism
from dpcompose.kernel.terms import INFINITY, ONE, ZERO, Term, number


class Listed(Covering):
    procedure = "exhaustion"

    def cover(self) -> Cover:
        setting = self.setting
        pairs = self.neighbours()
        if len(pairs) * len(setting.mechanisms) > LARGEST:
            raise NoCover(f"{len(pairs):,} neighbours are too many to go through; a smaller class would do")
        distances = [self.distance(one) for one in setting.mechanisms]
        types = []
        for x, y in pairs:
            moved = [(i, r) for i, at in enumerate(distances, start=1) if (r := at(x, y)) != ZERO]
            types.append(Type(self.gathered(moved), frozenset(), (x, y)))
        return self.of_types(types, len(pairs), [()] * len(distances))

    @cached_property
    def target_graph(self) -> dict[int, set[int]]:
        return _graph(self.setting.target.pairs, None)

    def neighbours(self) -> list[tuple[int, int]]:
        """All pairs that at most so many steps of the target lead from one to the other."""
        target, count = self.setting.target, self.setting.databases.count
        if target.any_two:
            if count * count > LARGEST:
                raise NoCover(f"any two of {count:,} databases are too many pairs to go through")
            return list(combinations(range(count), 2))
        if target.steps == 1:
            return list(target.pairs)
        found = []
        for x in range(count):
            reached = _from(self.target_graph, x, target.steps)
            found += [(x, y) for y in sorted(reached) if x < y]
            if len(found) > LARGEST:
                raise NoCover("groups of steps have too many neighbours to go through")
        return found

    def distance(self, mechanism: Mechanism) -> Callable[[int, int], Term]:
        """How far apart two databases are for a mechanism: by shortest paths among what it reads."""
        values, stated = mechanism.reads[0], mechanism.stated
        read: Sequence[int] = range(self.setting.databases.count) if values is None else values
        if mechanism.noise is not None:
            metric = query_metric(mechanism, self.theory)
            if not metric.discrete:
                raise NoCover(f"what {mechanism.name} asks for is about records, and databases are listed")
            return lambda x, y: ONE if read[x] != read[y] else ZERO
        assert stated is not None
        if stated.any_two:
            return lambda x, y: ONE if read[x] != read[y] else ZERO
        graph = _graph(stated.pairs, None if mechanism.domain == "own" or values is None else values)
        known: dict[int, dict[int, int]] = {}

        def steps(x: int, y: int) -> Term:
            if read[x] == read[y]:
                return ZERO
            if read[x] not in known:
                known[read[x]] = _from(graph, read[x], None)
            found = known[read[x]].get(read[y])
            return INFINITY if found is None else number(-(-found // stated.steps))

        return steps


def _graph(pairs: Iterable[tuple[int, int]], along: tuple[int, ...] | None) -> dict[int, set[int]]:
    """The graph of listed pairs, or of their values along a map: each fibre is one node."""
    found: dict[int, set[int]] = {}
    for x, y in pairs:
        a, b = (x, y) if along is None else (along[x], along[y])
        if a != b:
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
    return found


def _from(graph: Mapping[int, set[int]], start: int, most: int | None) -> dict[int, int]:
    """The fewest steps from a node to all that are at most so many away."""
    reached, waiting = {start: 0}, deque([start])
    while waiting:
        x = waiting.popleft()
        if most is not None and reached[x] == most:
            continue
        for y in graph.get(x, ()):
            if y not in reached:
                reached[y] = reached[x] + 1
                waiting.append(y)
    del reached[start]
    return reached
