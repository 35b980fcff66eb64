"""Metrics on finite and infinite classes: canonical metrics and what dependency makes of them.

Distances are whole numbers of neighbour steps, or ∞ (`INFINITE`).  The canonical metric
of (𝔻, G) is the fewest G-steps inside 𝔻 (GB Prop. A.1): by shortest paths on a finite
class, in closed form where a fact page of theorems/ states one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dpcompose.spaces.databases import Database, Multisets
from dpcompose.spaces.granularities import Edit, difference
from dpcompose.spaces.graphs import fibres
from dpcompose.spaces.maps import Map

if TYPE_CHECKING:
    from networkx import Graph

INFINITE = -1
"""Stands for ∞ among distances, which are otherwise 0, 1, 2, …; shown as oo."""

Distance = int


def shown(distance: Distance) -> str:
    """A distance as formulas write it.

    >>> shown(2), shown(INFINITE)
    ('2', 'oo')
    """
    return "oo" if distance == INFINITE else str(distance)


def at_most(r: Distance, s: Distance) -> bool:
    """r ≤ s in [0, ∞]."""
    return s == INFINITE or (r != INFINITE and r <= s)


class Metric(ABC):
    """A distance d(x, y) ∈ {0, 1, 2, …, ∞} of two inputs; symmetric, d(x, x) = 0."""

    @abstractmethod
    def __call__(self, x: Database, y: Database) -> Distance:
        """d(x, y)."""


@dataclass(frozen=True)
class ClosedForm(Metric):
    """A metric on multisets that depends on r = |x∖y| and s = |y∖x| only.

    >>> Replacements = ClosedForm("max(removed, added)", same_size=True)
    >>> Replacements(("a", "a"), ("b", "c")), Replacements(("a",), ()) == INFINITE
    (2, True)
    """

    formula: str
    """In `removed` = r and `added` = s; "oo" where only equal databases have a finite distance."""
    same_size: bool = False
    """Whether databases of different sizes are at distance ∞."""
    _known: dict[Edit, Distance] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, x: Database, y: Database) -> Distance:
        return self.of(*difference(x, y))

    def of(self, removed: int, added: int) -> Distance:
        """The distance of databases x, y with |x∖y| = removed and |y∖x| = added."""
        if (removed, added) not in self._known:
            self._known[removed, added] = self._distance(removed, added)
        return self._known[removed, added]

    def _distance(self, removed: int, added: int) -> Distance:
        from fractions import Fraction

        from dpcompose.language import formulas, symbols

        if removed == added == 0:
            return 0
        if self.formula == "oo" or (self.same_size and removed != added):
            return INFINITE
        names = {name: symbols.symbol(name) for name in ("removed", "added")}
        expression = formulas.parse(self.formula, names)
        value = formulas.evaluate(expression, {"removed": Fraction(removed), "added": Fraction(added)})
        if value is None or value.denominator != 1:
            raise ValueError(f"the closed form {self.formula!r} is no whole number of steps")
        return int(value)


@dataclass(frozen=True, eq=False)
class ShortestPaths(Metric):
    """The fewest edges between two nodes of a graph, ∞ where there is no path.

    Searches run from one node at a time and are kept.
    """

    graph: Graph
    _from: dict[Database, dict[Database, int]] = field(default_factory=dict, repr=False)

    def __call__(self, x: Database, y: Database) -> Distance:
        if x == y:
            return 0
        if x not in self._from:
            import networkx

            self._from[x] = dict(networkx.single_source_shortest_path_length(self.graph, x))
        return self._from[x].get(y, INFINITE)


@dataclass(frozen=True, eq=False)
class MinimumOverFibres(Metric):
    """d^f(x, y) = min d(D, E) over f(D) = x and f(E) = y, d canonical (GB Prop. IV.10).

    It may break the triangle inequality; its metric closure is the canonical metric of the
    push-forward.
    """

    graph: Graph
    f: Map
    _from: dict[Database, dict[Database, int]] = field(default_factory=dict, repr=False)

    @cached_property
    def _fibres(self) -> dict[Database, tuple[Database, ...]]:
        return dict(fibres(self.graph, self.f))

    def __call__(self, x: Database, y: Database) -> Distance:
        if x not in self._from:
            self._from[x] = self._search(x)
        return self._from[x].get(y, INFINITE)

    def _search(self, x: Database) -> dict[Database, int]:
        """Breadth-first from the whole fibre of x at once; the first hit of a fibre is d^f."""
        reached = {x: 0}
        seen = set(self._fibres[x])
        layer, steps = list(seen), 0
        while layer:
            steps += 1
            layer = list({E for D in layer for E in self.graph.adj[D]} - seen)
            seen.update(layer)
            for E in layer:
                reached.setdefault(self.f(E), steps)
        return reached


def edits_within(edits: frozenset[Edit], databases: Multisets) -> frozenset[Edit]:
    """The edits that lead from some database of the class to another one of it.

    On multisets of exactly n records no record is only added or only removed.

    >>> from dpcompose.spaces.databases import multisets
    >>> edits_within(frozenset({(1, 0), (0, 1)}), multisets(size="= 3"))
    frozenset()
    """
    n = databases.sizes.n
    return frozenset(
        (removed, added)
        for removed, added in edits
        if (removed == added or not databases.sizes.exactly) and (n is None or max(removed, added) <= n)
    )


def edits_of_images(edits: frozenset[Edit], databases: Multisets, f: Map) -> frozenset[Edit]:
    """The push-forward of a relation by edits along a restriction D ↦ D|A, again by edits.

    Where A is not all of X, a record that is replaced may come from outside A or go there:
    so a replacement becomes a replacement, a removal or an addition.

    >>> from dpcompose.spaces.databases import multisets
    >>> from dpcompose.spaces.maps import restriction
    >>> X = multisets({"a", "b"})
    >>> sorted(edits_of_images(frozenset({(1, 1)}), X, restriction(["a"])))
    [(0, 1), (1, 0), (1, 1)]
    """
    inside = edits_within(edits, databases)
    if f.is_identity(databases):
        return inside
    seen = {
        (kept_removed, kept_added)
        for removed, added in inside
        for kept_removed in range(removed + 1)
        for kept_added in range(added + 1)
    }
    return frozenset(seen - {(0, 0)})
