"""Metrics on finite and infinite classes: canonical metrics and what dependency makes of them.

Distances are whole numbers of neighbour steps, or ∞ (`INFINITE`).  The canonical metric
of (𝔻, G) is the fewest G-steps inside 𝔻 (GB Prop. A.1): by shortest paths on a finite
class, in closed form where a fact page of theorems/ states one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, letter
from dpcompose.spaces.classes.databases import Counts, Database, DatabaseClass
from dpcompose.spaces.classes.multisets import difference
from dpcompose.spaces.classes.sequences import aligned
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.blocks import Blocks
from dpcompose.spaces.moves.contributions import Contribution
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from dpcompose.spaces.canonical.small import Space

MANY = 100
"""Of more databases the distances from one to all others are not kept."""
INFINITE = -1
"""Stands for ∞ among distances, which are otherwise 0, 1, 2, …; shown as oo."""

Distance: TypeAlias = int | Term
"""Steps are whole numbers; how far the value of a query moves is a formula that is ≥ 0."""


def shown(distance: Distance) -> str:
    """A distance as formulas write it.

    >>> shown(2), shown(INFINITE)
    ('2', 'oo')
    """
    if isinstance(distance, int):
        return "oo" if distance == INFINITE else str(distance)
    return formulas.to_text(distance)


def steps(distance: Distance) -> int:
    """A distance of a metric that counts steps, as the number that it is."""
    assert not isinstance(distance, Term)
    return int(distance)


class Metric(ABC):
    """A distance d(x, y) of two inputs, of canonical metrics in {0, 1, 2, …, ∞}; symmetric, d(x, x) = 0."""

    by_counts: ClassVar[bool] = False
    """Whether distances depend on how much two inputs differ only: the premise of edit types."""

    @abstractmethod
    def __call__(self, x: Database, y: Database) -> Distance:
        """d(x, y)."""

    def is_least(self, databases: DatabaseClass, f: Map) -> bool:
        """Whether, on what f reads of a class, it is known to be the least distance over fibres."""
        return self.by_counts

    def compared(self, x: Database, y: Database) -> tuple[int, int, int, int | None]:
        """How many records x and y share, how many x has besides, and y, as far as a query is told by them;
        and how many they have, where that is fixed."""
        return 0, 1, 0, None


@frozen
class ClosedForm(Metric):
    """A metric that depends on how much x and y differ only: on |x∖y| and |y∖x|.

    >>> Replacements = ClosedForm("max(removed, added)", same_size=True)
    >>> Replacements(("a", "a"), ("b", "c")), Replacements(("a",), ()) == INFINITE
    (2, True)
    """

    formula: str
    """In `removed` and `added`; "oo" where only equal databases have a finite distance."""
    same_size: bool = False
    """Whether databases of different sizes are at distance ∞."""
    aligned: frozenset[Counts] | None = None
    """Of sequences the single steps, of which the fewest are counted; None of multisets."""
    at_once: int = 1
    """m, for groups of m steps at once: the distance is ⌈formula/m⌉."""
    _known: dict[Counts, Distance] = field(default_factory=dict, compare=False, repr=False)

    by_counts = True

    def __call__(self, x: Database, y: Database) -> Distance:
        counts = difference(x, y) if self.aligned is None else aligned(x, y, self.aligned)
        if counts not in self._known:
            self._known[counts] = self._distance(counts)
        return self._known[counts]

    def _distance(self, counts: Counts) -> Distance:
        if not any(counts):
            return 0
        if self.formula == "oo" or (self.same_size and len(set(counts)) > 1):
            return INFINITE
        return -(-_steps(self.formula, counts) // self.at_once)


@lru_cache(maxsize=1024)
def _steps(formula: str, counts: Counts) -> int:
    """The value of a closed form at some counts, which is a whole number."""
    letters = dict(zip(("removed", "added"), map(Fraction, counts), strict=True))
    term = formulas.parse(formula, {name: letter(name, NONNEGATIVE) for name in letters})
    value = formulas.evaluate(term, letters)
    if value is None or value.denominator != 1:
        raise ValueError(f"the closed form {formula!r} is no whole number of steps")
    return int(value)


@frozen(eq=False)
class Bags(Metric):
    """The fewest contributions of one person each that lead from x to y, where these are one or two.

    even -- whether as many rows are put in as are taken out of what is read, where neighbours are such.
    """

    contribution: Contribution
    even: bool

    def __call__(self, x: Database, y: Database) -> Distance:
        assert isinstance(x, tuple) and isinstance(y, tuple)
        gone, come = Counter(x) - Counter(y), Counter(y) - Counter(x)
        return INFINITE if (steps := self.contribution.fewest(gone, come, self.even)) is None else steps


@frozen
class Queried(Metric):
    """‖q(x) − q(y)‖ for a query, at attributes of the records that make it largest.

    moves -- how far the query's page says that it moves, by how many records go and come; ordered -- whether
    inputs are tuples of one length; n -- how many records they have, where that is fixed.
    """

    moves: Callable[[int, int], Term]
    ordered: bool = False
    n: int | None = None

    by_counts = True

    def compared(self, x: Database, y: Database) -> tuple[int, int, int, int | None]:
        return *self.counts(x, y), self.n

    def __call__(self, x: Database, y: Database) -> Distance:
        return self.moves(*self.counts(x, y)[1:])

    def counts(self, x: Database, y: Database) -> tuple[int, int, int]:
        """How many records x and y share, how many x has besides, and y."""
        assert isinstance(x, tuple) and isinstance(y, tuple)
        if self.ordered:
            removed = added = sum(1 for a, b in zip(x, y, strict=True) if a != b)
        else:
            removed, added = difference(x, y)
        return len(x) - removed, removed, added


@frozen
class Discrete(Metric):
    """1 between different inputs: the canonical metric where any two are neighbours."""

    by_counts = True

    def __call__(self, x: Database, y: Database) -> Distance:
        return 0 if x == y else 1


@frozen(eq=False)
class FewestBlocks(Metric):
    """The fewest blocks that cover the cells in which x and y differ, for a granularity by blocks.

    databases -- the class that x and y are in; of a group of m steps the distance is the number over m,
    rounded up.  Between databases of different shape, as tuples of different length, it is ∞.

    >>> from dpcompose.spaces.moves.built_in import node
    >>> from dpcompose.spaces.classes.vertices import graphs
    >>> FewestBlocks(graphs(4), node)(((1, 2),), ((1, 3), (1, 4)))
    1
    """

    databases: DatabaseClass
    granularity: Granularity
    _blocks: dict[DatabaseClass, Blocks] = field(default_factory=dict, repr=False)

    def is_least(self, databases: DatabaseClass, f: Map) -> bool:
        return True

    def __call__(self, x: Database, y: Database) -> Distance:
        if x == y:
            return 0
        shape = self.databases.shape_of_both(x, y)
        if shape is None:
            return INFINITE
        if shape not in self._blocks:
            blocks = self.granularity.blocks(shape)
            assert blocks is not None
            self._blocks[shape] = blocks
        blocks = self._blocks[shape]
        return -(-blocks.fewest(shape.differing(x, y)) // blocks.most)


@frozen
class OwnForm(Metric):
    """The closed form that a granularity has for its canonical metric; over m, rounded up, for groups of m.

    >>> from dpcompose.spaces.moves.built_in import node_removal
    >>> OwnForm(node_removal, 2)(((1,), (2,), (3,)), ())
    2
    """

    granularity: Granularity
    at_once: int = 1

    def is_least(self, databases: DatabaseClass, f: Map) -> bool:
        return True

    def __call__(self, x: Database, y: Database) -> Distance:
        return -(-self.granularity.distance(x, y) // self.at_once)


@frozen(eq=False)
class StepsInSpace(Metric):
    """The fewest steps between two databases of a finite class.

    >>> import dpcompose as dpc
    >>> StepsInSpace(dpc.finite(range(9), dpc.steps("two on", lambda n: [n - 2, n + 2])))(1, 7)
    3
    """

    space: Space
    _from: dict[Database, list[int]] = field(default_factory=dict, repr=False)

    def __call__(self, x: Database, y: Database) -> Distance:
        if self.space.nodes > MANY:
            return self.space.distance(x, y)  # ∞ is −1 there as here
        if x not in self._from:
            self._from[x] = self.space.distances(x).tolist()
        return self._from[x][self.space.number(y)]


@frozen(eq=False)
class MinimumOverFibres(Metric):
    """d^f(x, y) = min d(D, E) over f(D) = x and f(E) = y, d canonical (GB Prop. IV.10).

    It may break the triangle inequality; its metric closure is the canonical metric of the push-forward.

    >>> import dpcompose as dpc
    >>> next_to = dpc.steps("next", lambda n: [n - 1, n + 1])
    >>> thirds = dpc.function("thirds", lambda n: n // 3)
    >>> MinimumOverFibres(dpc.finite(range(9), next_to), thirds)(0, 2)
    4
    """

    space: Space
    f: Map
    _from: dict[Database, dict[Database, int]] = field(default_factory=dict, repr=False)

    @cached_property
    def _labels(self) -> Any:
        return self.space.labels(self.f)

    def __call__(self, x: Database, y: Database) -> Distance:
        if x not in self._from:
            self._from[x] = self.space.from_fibre(x, *self._labels)
        return self._from[x].get(y, INFINITE)
