"""Metrics on finite and infinite classes: canonical metrics and what dependency makes of them.

Distances are whole numbers of neighbour steps, or ∞ (`INFINITE`).  The canonical metric
of (𝔻, G) is the fewest G-steps inside 𝔻 (GB Prop. A.1): by shortest paths on a finite
class, in closed form where a fact page of theorems/ states one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from dpcompose.kernel import formulas
from dpcompose.kernel.covers.policies import Costs, cheapest
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.domains import NONNEGATIVE
from dpcompose.kernel.settings import NOTHING, Edge
from dpcompose.kernel.terms import Term, letter
from dpcompose.spaces.blocks import Blocks
from dpcompose.spaces.contributions import Contribution
from dpcompose.spaces.databases import Counts, Database, DatabaseClass
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.graphs import fibres
from dpcompose.spaces.maps import Map
from dpcompose.spaces.multisets import difference
from dpcompose.spaces.policies import Policy, edges
from dpcompose.spaces.queries import Query
from dpcompose.spaces.sequences import aligned

if TYPE_CHECKING:
    from networkx import Graph

    from dpcompose.spaces.finite import FiniteSpace

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


def at_most(r: Distance, s: Distance) -> bool:
    """r ≤ s in [0, ∞], for sure where they are formulas."""
    if not isinstance(r, int) or not isinstance(s, int):
        further: Any = s - r
        return s == INFINITE or (r != INFINITE and bool(further.nonnegative))
    return s == INFINITE or (r != INFINITE and r <= s)


class Metric(ABC):
    """A distance d(x, y) of two inputs, of canonical metrics in {0, 1, 2, …, ∞}; symmetric, d(x, x) = 0."""

    @abstractmethod
    def __call__(self, x: Database, y: Database) -> Distance:
        """d(x, y)."""


@dataclass(frozen=True)
class ClosedForm(Metric):
    """A metric that depends on how much x and y differ only: on |x∖y| and |y∖x|, or on the changed positions.

    >>> Replacements = ClosedForm("max(removed, added)", same_size=True)
    >>> Replacements(("a", "a"), ("b", "c")), Replacements(("a",), ()) == INFINITE
    (2, True)
    >>> ClosedForm("changed", ordered=True, at_once=2)(("a", "a", "a"), ("b", "b", "b"))
    2
    """

    formula: str
    """In `removed` and `added`, or in `changed`; "oo" where only equal databases have a finite distance."""
    same_size: bool = False
    """Whether databases of different sizes are at distance ∞ (tuples of different lengths always are)."""
    ordered: bool = False
    """Whether databases are tuples: positions count, not multiplicities."""
    aligned: bool = False
    """Whether databases are sequences: what is removed and added leaves a longest common subsequence."""
    at_once: int = 1
    """m, for groups of m steps at once: the distance is ⌈formula/m⌉."""
    _known: dict[Counts, Distance] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, x: Database, y: Database) -> Distance:
        if not self.ordered:
            return self.of(*(aligned if self.aligned else difference)(x, y))
        if not (isinstance(x, tuple) and isinstance(y, tuple)) or len(x) != len(y):
            return INFINITE
        return self.of(sum(1 for a, b in zip(x, y, strict=True) if a != b))

    def of(self, *counts: int) -> Distance:
        """The distance of databases that differ by these counts."""
        if counts not in self._known:
            self._known[counts] = self._distance(counts)
        return self._known[counts]

    def _distance(self, counts: Counts) -> Distance:
        if not any(counts):
            return 0
        if self.formula == "oo" or (self.same_size and len(set(counts)) > 1):
            return INFINITE
        letters = ("changed",) if self.ordered else ("removed", "added")
        return -(-_steps(self.formula, tuple(zip(letters, counts, strict=True))) // self.at_once)


@lru_cache(maxsize=1024)
def _steps(formula: str, letters: tuple[tuple[str, int], ...]) -> int:
    """The value of a closed form at some counts, which is a whole number."""
    term = formulas.parse(formula, {name: letter(name, NONNEGATIVE) for name, _ in letters})
    value = formulas.evaluate(term, {name: Fraction(n) for name, n in letters})
    if value is None or value.denominator != 1:
        raise ValueError(f"the closed form {formula!r} is no whole number of steps")
    return int(value)


@dataclass(frozen=True, eq=False)
class CheapestMatching(Metric):
    """The cheapest matching of what only x has with what only y has, by shortest paths in a policy.

    atoms -- the number of each record's atom; at_once -- m, for groups of m steps at once; others -- the atom
    of all other records, where there is no list of them.
    """

    atoms: Mapping[str, int]
    costs: Costs
    at_once: int = 1
    others: int | None = None

    @staticmethod
    def of(
        policy: Policy,
        at_once: int,
        databases: DatabaseClass,
        f: Map,
        own: bool,
    ) -> CheapestMatching:
        """The metric on what a restriction or recoding reads, on its own domain or on the common one.

        >>> from dpcompose.spaces.multisets import multisets
        >>> from dpcompose.spaces.maps import everything
        >>> from dpcompose.spaces.policies import policy
        >>> homes = multisets({"a1", "a2", "b"})
        >>> county = policy("county", replace=[["a1", "a2"]], add_remove=["a1"])
        >>> d = CheapestMatching.of(county, 1, homes, everything, own=True)
        >>> d(("a2",), ()), d(("b",), ()) == INFINITE
        (2, True)
        """
        whole = f.is_identity(databases)
        if f.recodes and not whole:
            if own:
                return _of_image(policy, at_once, databases, f)
            return _of_recoded(policy, at_once, databases, f)
        read = f.inside
        found: dict[tuple[Any, bool], list[str]] = {}
        for record in (*databases.records, *databases.spare):
            found.setdefault((policy.alike(record, databases), record in read), []).append(record)
        atoms = {record: n for n, some in enumerate(found.values()) for record in some}
        usable = edges(policy, list(found.values()), databases)
        if databases.sizes.exactly and (whole or not own):
            usable = [one for one in usable if NOTHING not in one]
        if not whole:
            inside = frozenset(n for n, (key, _) in enumerate(found.items()) if key[-1])
            kept = [one for one in usable if {*one} <= {*inside, NOTHING}]
            usable = kept if own else sorted(Seen(inside).contracted(usable))
        others = atoms[databases.spare[-1]] if databases.spare else None
        return CheapestMatching(atoms, Costs(usable), at_once, others)

    def __call__(self, x: Database, y: Database) -> Distance:
        assert isinstance(x, tuple) and isinstance(y, tuple)
        left, right = Counter(x) - Counter(y), Counter(y) - Counter(x)
        gone, come = (tuple(sorted(map(self._atom, some.elements()))) for some in (left, right))
        cost = cheapest(self.costs, gone, come)
        return INFINITE if cost is None else -(-cost // self.at_once)

    def _atom(self, record: str) -> int:
        return self.atoms[record] if self.others is None else self.atoms.get(record, self.others)


def _within(joined: list[Edge], databases: DatabaseClass) -> list[Edge]:
    """The edges that lead from databases of a class to others: of one size none comes or goes."""
    return [one for one in joined if not (databases.sizes.exactly and NOTHING in one)]


def _of_image(policy: Policy, at_once: int, databases: DatabaseClass, f: Map) -> CheapestMatching:
    """The metric of a policy on what records become."""
    image = f.image(databases)
    found: dict[Any, list[str]] = {}
    for code in dict.fromkeys(map(f.code, (*databases.records, *databases.spare))):
        found.setdefault(policy.alike(code, image), []).append(code)
    atoms = {code: n for n, some in enumerate(found.values()) for code in some}
    usable = _within(edges(policy, list(found.values()), image), image)
    return CheapestMatching(atoms, Costs(usable), at_once)


def _of_recoded(policy: Policy, at_once: int, databases: DatabaseClass, f: Map) -> CheapestMatching:
    """The metric of the images of a policy's edges on what records become."""
    every = (*databases.records, *databases.spare)
    many = Counter(map(f.code, every))
    found: dict[Any, list[str]] = {}
    codes: dict[Any, str] = {}
    for record in every:
        code = f.code(record)
        recoded = code != record or many[code] > 1
        key = policy.alike(record, databases), code if recoded else None
        found.setdefault(key, []).append(record)
        codes |= {key: code} if recoded else {}
    numbers = {key: n for n, key in enumerate(found)}
    merged: dict[str, list[int]] = {}
    for key, code in codes.items():
        merged.setdefault(code, []).append(numbers[key])
    usable = _within(edges(policy, list(found.values()), databases), databases)
    atoms = {record: numbers[key] for key, some in found.items() if key not in codes for record in some}
    atoms |= {code: min(some) for code, some in merged.items()}
    seen = Seen(frozenset(numbers.values()), merged.values())
    return CheapestMatching(atoms, Costs(seen.contracted(usable)), at_once)


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True)
class Queried(Metric):
    """‖q(x) − q(y)‖ for a query, at attributes of the records that make it largest.

    ordered -- whether inputs are tuples of one length; n -- how many records they have, where that is fixed;
    least -- else how many they have at least.

    >>> from dpcompose.spaces.queries import histogram
    >>> Queried(histogram(3), "L2")(("a", "b"), ("a", "c"))
    (power 2 1/2)
    """

    query: Query
    norm: str
    ordered: bool = False
    n: int | None = None
    least: int = 0

    def __call__(self, x: Database, y: Database) -> Distance:
        _, removed, added = self.counts(x, y)
        if self.n is None and self.query.sized:
            return self.query.moves_from(removed, added, self.least, self.norm)
        return self.query.moves(removed, added, self.n, self.norm)

    def counts(self, x: Database, y: Database) -> tuple[int, int, int]:
        """How many records x and y share, how many x has besides, and y."""
        assert isinstance(x, tuple) and isinstance(y, tuple)
        if self.ordered:
            removed = added = sum(1 for a, b in zip(x, y, strict=True) if a != b)
        else:
            removed, added = difference(x, y)
        return len(x) - removed, removed, added


@dataclass(frozen=True)
class Discrete(Metric):
    """1 between different inputs: the canonical metric where any two are neighbours."""

    def __call__(self, x: Database, y: Database) -> Distance:
        return 0 if x == y else 1


@dataclass(frozen=True, eq=False)
class FewestBlocks(Metric):
    """The fewest blocks that cover the cells in which x and y differ, for a granularity by blocks.

    databases -- the class that x and y are in; of a group of m steps the distance is the number over m,
    rounded up.  Between databases of different shape, as tuples of different length, it is ∞.

    >>> from dpcompose.spaces.built_in import node
    >>> from dpcompose.spaces.subsets import graphs
    >>> FewestBlocks(graphs(4), node)(((1, 2),), ((1, 3), (1, 4)))
    1
    """

    databases: DatabaseClass
    granularity: Granularity
    _blocks: dict[DatabaseClass, Blocks] = field(default_factory=dict, repr=False)

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


@dataclass(frozen=True)
class OwnForm(Metric):
    """The closed form that a granularity has for its canonical metric; over m, rounded up, for groups of m.

    >>> from dpcompose.spaces.built_in import node_removal
    >>> OwnForm(node_removal, 2)(((1,), (2,), (3,)), ())
    2
    """

    granularity: Granularity
    at_once: int = 1

    def __call__(self, x: Database, y: Database) -> Distance:
        return -(-self.granularity.distance(x, y) // self.at_once)


@dataclass(frozen=True, eq=False)
class ShortestPaths(Metric):
    """The fewest edges between two nodes of a graph, ∞ where there is no path.

    Neighbours of one granularity are mostly one or two steps of another apart, which is seen at once;
    other searches run from one node at a time and are kept.
    """

    graph: Graph
    _from: dict[Database, dict[Database, int]] = field(default_factory=dict, repr=False)

    def __call__(self, x: Database, y: Database) -> Distance:
        if x == y:
            return 0
        if x not in self._from:
            beside = self.graph.adj[x]
            if y in beside:
                return 1
            if not beside.keys().isdisjoint(self.graph.adj[y]):
                return 2
            import networkx

            self._from[x] = dict(networkx.single_source_shortest_path_length(self.graph, x))
        return self._from[x].get(y, INFINITE)


@dataclass(frozen=True, eq=False)
class StepsInSpace(Metric):
    """The fewest steps between two databases of a class on arrays: ShortestPaths for large classes.

    >>> import dpcompose as dpc
    >>> StepsInSpace(dpc.finite(range(9), dpc.steps("two on", lambda n: [n - 2, n + 2])))(1, 7)
    3
    """

    space: FiniteSpace

    def __call__(self, x: Database, y: Database) -> Distance:
        return self.space.distance(x, y)  # ∞ is −1 there as here


@dataclass(frozen=True, eq=False)
class MinimumOverFibresInSpace(Metric):
    """d^f for the databases of a class on arrays: MinimumOverFibres for large classes.

    >>> import dpcompose as dpc
    >>> next_to = dpc.steps("next", lambda n: [n - 1, n + 1])
    >>> thirds = dpc.function("thirds", lambda n: n // 3)
    >>> MinimumOverFibresInSpace(dpc.finite(range(9), next_to), thirds)(0, 2)
    4
    """

    space: FiniteSpace
    f: Map
    _from: dict[Database, dict[Database, int]] = field(default_factory=dict, repr=False)

    @cached_property
    def _labels(self) -> Any:
        return self.space.labels(self.f)

    def __call__(self, x: Database, y: Database) -> Distance:
        if x not in self._from:
            self._from[x] = self.space.from_fibre(x, *self._labels)
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
