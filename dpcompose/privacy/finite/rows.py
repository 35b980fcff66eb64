"""The rows of a table, one distribution for each database, and what is largest over neighbouring ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from dpcompose.kernel.deciders.calculus.exponentials import Value
from dpcompose.kernel.deciders.tables import divergences
from dpcompose.kernel.deciders.tables.divergences import Attained
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy.finite import nearest
from dpcompose.privacy.finite.findings import Pair
from dpcompose.spaces.canonical.finite import finite
from dpcompose.spaces.canonical.graphs import is_large, neighbouring_pairs
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from networkx import Graph

Row = Sequence[Value]
Places = tuple[int, int]
"""Two rows, by their places."""
Edges: TypeAlias = "Iterable[tuple[Database, Database]] | Graph"
"""Neighbours, each two once or more often, in either order; or a networkx graph of them."""


@frozen(eq=False)
class Rows:
    """The distributions M(D), one for each database D of a class, in the order of the class.

    >>> from dpcompose.spaces.moves.built_in import free_lunch
    >>> from dpcompose.spaces.classes.listed import listed
    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> rows = Rows(listed("ab"), {"a": (half, half), "b": (third, 1 - third)})
    >>> rows.pairs(free_lunch)
    [(0, 1), (1, 0)]
    >>> [(one.value, pair) for one, pair in rows.largest_ratios(free_lunch)]
    [(Fraction(3, 2), ('a', 'b'))]
    """

    databases: DatabaseClass
    of: Mapping[Database, tuple[Value, ...]]

    @cached_property
    def order(self) -> list[Database]:
        """The database of each row."""
        return list(self.of)

    @cached_property
    def listed(self) -> list[Any]:
        """The rows by their places."""
        return list(self.of.values())

    @cached_property
    def rational(self) -> bool:
        """Whether all probabilities are rational numbers."""
        return all(isinstance(p, Fraction) for row in self.listed for p in row)

    def pairs(self, granularity: Granularity, edges: Edges | None = None) -> list[Places]:
        """The neighbours, in both orders, by the places of their rows; those that are given, if any."""
        place = {D: n for n, D in enumerate(self.order)}
        if edges is None:
            self._check_fit(granularity)
            if is_large(self.databases):
                ends = self._edges(granularity)
                found = list(zip(*(end.tolist() for end in ends), strict=True))
                return [pair for i, j in found for pair in ((i, j), (j, i))]
            edges = neighbouring_pairs(self.databases, granularity)
        edges = getattr(edges, "edges", edges)
        found = sorted({(min(pair), max(pair)) for pair in ((place[D], place[E]) for D, E in edges)})
        return [pair for i, j in found for pair in ((i, j), (j, i))]

    def _check_fit(self, granularity: Granularity) -> None:
        if unfit := granularity.unfit(self.databases):
            raise ValueError(f"{unfit}; say of which class the rows are: on = dpcompose.multisets(...)")

    def _edges(self, granularity: Granularity) -> tuple[Any, Any]:
        """The neighbours (i, j), i < j, in lexicographic order, as two arrays."""
        import numpy

        self._check_fit(granularity)
        first, second = finite(self.databases, granularity).edges()
        least, most = numpy.minimum(first, second), numpy.maximum(first, second)
        order = numpy.argsort(least.astype(numpy.int64) * len(self.of) + most)
        return least[order], most[order]

    @cached_property
    def _logarithms(self) -> tuple[Any, Any] | None:
        """For rational tables: see `nearest.logarithms`."""
        return nearest.logarithms(self.listed)

    def largest(
        self,
        granularity: Granularity,
        exact: Callable[[Row, Row], Iterable[Attained]],
        near: Callable[[list[Places]], Sequence[Places]] | None = None,
    ) -> list[tuple[Attained, Pair]]:
        """The largest values over neighbours, ∞ alone where there is one.

        near -- leaves out pairs that are surely not the worst, of rational tables.
        """
        pairs: Sequence[Places] = self.pairs(granularity)
        if near is not None and self.rational:
            pairs = near(list(pairs))
        return self._largest(exact, pairs)

    def largest_ratios(self, granularity: Granularity) -> list[tuple[Attained, Pair]]:
        """The largest quotients of the probabilities of one outcome at neighbours."""
        if is_large(self.databases) and self.rational and self._logarithms is not None:
            pairs = nearest.pairs_of_largest_ratio(*self._logarithms, *self._edges(granularity))
            return self._largest(divergences.ratios, pairs)
        return self.largest(granularity, divergences.ratios, self._near(None))

    def largest_excesses(self, granularity: Granularity, t: Value) -> list[tuple[Attained, Pair]]:
        """The largest Σ max(0, P(o) − t·Q(o)) at neighbours."""
        near = self._near(t) if isinstance(t, Fraction) else None
        return self.largest(granularity, lambda P, Q: divergences.excesses(P, Q, t), near)

    def largest_moments(self, granularity: Granularity, order: int) -> list[tuple[Attained, Pair]]:
        """The largest Σ P(o)^α·Q(o)^(1−α) at neighbours."""
        return self.largest(
            granularity,
            lambda P, Q: [divergences.moment(P, Q, order)],
            lambda pairs: nearest.near_largest_moment(self.listed, pairs, order),
        )

    def _largest(
        self, exact: Callable[[Row, Row], Iterable[Attained]], pairs: Sequence[Places]
    ) -> list[tuple[Attained, Pair]]:
        """The largest values over pairs of rows."""
        order, rows = self.order, self.of
        at = (((D, E), rows[D], rows[E]) for D, E in ((order[i], order[j]) for i, j in pairs))
        found = ((attained, pair) for pair, P, Q in at for attained in exact(P, Q))
        return divergences.largest(found)

    def _near(self, t: Fraction | None) -> Callable[[list[Places]], Sequence[Places]]:
        return lambda pairs: nearest.near_largest(self.listed, pairs, t)
