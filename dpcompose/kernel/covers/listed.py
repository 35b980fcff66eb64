"""Covers of listed databases: all neighbours, for this class and no other.

Distances are shortest paths: on the own domain among the values that are read, on the common domain among
the databases with each fibre of the map contracted to one node.  There a group of steps is one step, before
anything is contracted: steps of a group do not jump inside a fibre.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from itertools import combinations

from dpcompose.kernel.core.concrete import Table
from dpcompose.kernel.core.settings import Mechanism, Relation
from dpcompose.kernel.covers import paths
from dpcompose.kernel.covers.covering import Covering
from dpcompose.kernel.covers.queries import query_metric
from dpcompose.kernel.covers.types import LARGEST, Cover, NoCover, Type
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, number


class Listed(Covering):
    procedure = "exhaustion"

    def cover(self) -> Cover:
        setting = self.setting
        pairs = related(setting.target, setting.databases.count)
        if len(pairs) * len(setting.mechanisms) > LARGEST:
            raise NoCover(f"{len(pairs):,} neighbours are too many to go through; a smaller class would do")
        at = self.at_pairs()
        return self.of_types([at(x, y) for x, y in pairs], len(pairs), [()] * len(setting.mechanisms))

    def at_pairs(self) -> Callable[[int, int], Type]:
        """The type of any two databases, by their numbers."""
        far = [self.distance(mechanism) for mechanism in self.setting.mechanisms]

        def type(x: int, y: int) -> Type:
            moved = (((i, 0), r := at(x, y), (r,)) for i, at in enumerate(far, start=1))
            return self.type(moved, (x, y))

        return type

    @property
    def enough_steps(self) -> Term:
        """The most steps that are needed between two databases that some lead to each other."""
        graph = paths.graph(self.setting.target.pairs)
        if len(graph) ** 2 > LARGEST:
            raise NoCover(f"any two of {len(graph):,} databases are too many pairs to go through")
        far = paths.steps(graph)
        return number(max((max(far(x).values()) for x in graph), default=0))

    def told_apart(self, type: Type) -> Hashable:
        """The rows of tables: what they lose differs between neighbours that are equally far apart."""
        return frozenset(self._rows(x) for x in type.pair if isinstance(x, int)) if self._tables else ()

    def _rows(self, x: int) -> tuple[tuple[Term, ...], ...]:
        """The rows of all tables at a database."""
        return tuple(
            table.rows[x if values is None or table.on == "databases" else values[x]]
            for table, values in self._tables
        )

    @cached_property
    def _tables(self) -> list[tuple[Table, tuple[int, ...] | None]]:
        """The tables among the mechanisms, with what is read for them."""
        return [(one.table, one.reads[0]) for one in self.setting.mechanisms if one.table is not None]

    def distance(self, mechanism: Mechanism) -> Callable[[int, int], Term]:
        """How far apart two databases are for a mechanism: by shortest paths among what it reads."""
        values, stated = mechanism.reads[0], mechanism.stated
        read: Sequence[int] = range(self.setting.databases.count) if values is None else values
        if mechanism.noise is not None:
            metric = query_metric(mechanism, self.theory)
            if not metric.discrete:
                raise NoCover(f"what {mechanism.name} asks for is about records, and databases are listed")
            return lambda x, y: metric.at(1, 1) if read[x] != read[y] else ZERO
        assert stated is not None
        if stated.any_two:
            return lambda x, y: ONE if read[x] != read[y] else ZERO
        pairs, at_once = stated.pairs, stated.steps
        if mechanism.domain == "common" and values is not None:
            pairs, at_once = tuple((read[x], read[y]) for x, y in _within(pairs, at_once)), 1
        reached = paths.along(pairs, stated.lengths) if stated.lengths else paths.steps(paths.graph(pairs))

        def far(x: int, y: int) -> Term:
            if read[x] == read[y]:
                return ZERO
            found = reached(read[x]).get(read[y])
            return INFINITY if found is None else number(found if at_once == 1 else -(-found // at_once))

        return far


def related(relation: Relation, count: int) -> list[tuple[int, int]]:
    """The neighbours among so many databases, or values: at most so many steps lead from one to the other."""
    if not relation.any_two:
        return _within(relation.pairs, relation.steps)
    if count * count > LARGEST:
        raise NoCover(f"any two of {count:,} databases are too many pairs to go through")
    return list(combinations(range(count), 2))


def _within(pairs: Sequence[tuple[int, int]], steps: int) -> list[tuple[int, int]]:
    """The pairs between which at most so many listed ones lead.

    >>> _within([(0, 1), (1, 2), (2, 3)], 2)
    [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    """
    if steps == 1:
        return list(pairs)
    graph, found = paths.graph(pairs), list[tuple[int, int]]()
    near = paths.steps(graph, steps)
    for x in sorted(graph):
        found += [(x, y) for y in sorted(near(x)) if x < y]
        if len(found) > LARGEST:
            raise NoCover("groups of steps have too many neighbours to go through")
    return found
