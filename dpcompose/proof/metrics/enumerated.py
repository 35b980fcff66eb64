"""Distances on a class that is gone through: at each two of its databases a number, or ∞.

Canonical metrics are shortest paths, or in closed form by pages; of what a map reads they are those of its
image class, or on the common domain those with each fibre contracted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product

import sympy

from dpcompose.privacy.mechanisms import mechanism
from dpcompose.privacy.notions import pure
from dpcompose.privacy.settings import Setting
from dpcompose.proof.hypotheses.input_metrics import InputMetric
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Theory
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.maps import Map, everything
from dpcompose.spaces.metrics import INFINITE, steps
from dpcompose.spaces.points import AnyTwo, Counted, Distance, Enumerated, Lost, NamedMetric, Steps, Tabled

Far = Callable[[int, int], Fraction | sympy.Expr | None]
"""How far two databases are apart, by their numbers in the class, also in the parameters; None: ∞."""
Row = tuple[Fraction | sympy.Expr | None, ...]
"""The distances of two databases in several metrics."""


def exact(value: Fraction | sympy.Expr) -> sympy.Expr:
    """A distance as an expression."""
    return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def canonical(
    databases: DatabaseClass, granularity: Granularity, reads: Map, domain: str, theory: Theory
) -> InputMetric:
    """The canonical metric of what a map reads, and the pages that state it.

    Raises NotDecidable where the class is infinite and no page states it, TooLarge where it is too large.
    """
    one = mechanism("M", pure(1, granularity, None if reads == everything else domain), reads=reads)
    return Inputs(Setting(databases, granularity, (one,), {}), theory).metric_of(reads, granularity, domain)


@dataclass(frozen=True, eq=False)
class Listing:
    """The databases of a part that is gone through, and the metrics on it by their names."""

    part: Enumerated
    metrics: Mapping[str, NamedMetric]
    theory: Theory

    @cached_property
    def distances(self) -> Mapping[str, Far]:
        """How far two databases are apart, in each metric."""
        return {name: self._far(one.distance) for name, one in self.metrics.items()}

    @cached_property
    def pages(self) -> frozenset[str]:
        """The pages that state the metrics."""
        found: set[str] = set()
        for one in self.metrics.values():
            if isinstance(one.distance, Steps):
                found |= set(self._canonical(one.distance).pages)
        return frozenset(found)

    @cached_property
    def rows(self) -> Mapping[Row, tuple[int, int]]:
        """All distances that two databases have, in all metrics together, each with two that have them."""
        found: dict[Row, tuple[int, int]] = {}
        some = list(self.distances.values())
        for i, j in combinations_with_replacement(range(len(self.part.elements)), 2):
            found.setdefault(tuple(far(i, j) for far in some), (i, j))
        return found

    def _far(self, distance: Distance) -> Far:
        elements = self.part.elements
        match distance:
            case AnyTwo():
                return lambda i, j: Fraction(int(i != j))
            case Counted(_, reads):
                sizes = [self.part.of.size(reads(one)) for one in elements]
                return lambda i, j: Fraction(abs(sizes[i] - sizes[j]))
            case Lost() as table:
                return lambda i, j: table.between(elements[i], elements[j])
            case Tabled() as table:
                return self._tabled(table)
            case Steps() as stated:
                metric, reads = self._canonical(stated).metric, stated.reads
                read = [reads(one) for one in elements]

                def far(i: int, j: int) -> Fraction | None:
                    r = steps(metric(read[i], read[j]))
                    return None if r == INFINITE else Fraction(r)

                return far
        raise TypeError(f"{type(distance).__name__} is no metric on databases that are listed")

    def _canonical(self, distance: Steps) -> InputMetric:
        return canonical(self.part.of, distance.granularity, distance.reads, distance.domain, self.theory)

    def _tabled(self, table: Tabled) -> Far:
        """The values of a table; with a map, closed over its fibres."""
        values = [table.of(one) for one in self.part.elements]
        if table.reads == everything:
            return lambda i, j: table.between(values[i], values[j])
        read = [table.reads(one) for one in self.part.elements]
        closed = _closed(read, lambda i, j: table.between(values[i], values[j]))
        return lambda i, j: closed[read[i], read[j]]


def _closed(read: Sequence[Database], far: Far) -> dict[tuple[Database, Database], Fraction | None]:
    """The largest metric on the values of a map that is nowhere above the distance of two databases.

    >>> apart = {(0, 1): 1, (2, 3): 2}
    >>> far = lambda i, j: Fraction(apart.get((min(i, j), max(i, j)), 9)) if i != j else Fraction(0)
    >>> _closed(["x", "y", "y", "z"], far)["x", "z"]
    Fraction(3, 1)
    """
    found: dict[tuple[Database, Database], Fraction | None] = {}
    for (i, x), (j, y) in product(enumerate(read), repeat=2):
        found[x, y] = _least(found.get((x, y)), Fraction(0) if x == y else far(i, j))
    points = list(dict.fromkeys(read))
    for via in points:
        for x in points:
            if (first := found[x, via]) is None:
                continue
            for y in points:
                if (second := found[via, y]) is not None:
                    found[x, y] = _least(found[x, y], first + second)
    return found


def _least(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return other if one is None else one if other is None else min(one, other)
