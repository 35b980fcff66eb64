"""The oracle: best bounds on finite classes, by plain enumeration from the definitions.

Everything here is literal: classes are lists, relations are predicates, distances are found by walking
from neighbour to neighbour, minima and maxima run over all pairs. It shares no code with the package
that it judges, so that the two can only agree by both being right.

Databases are hashable values: a multiset is the sorted tuple of its records, any other database (a name,
a tuple with identifiers, ...) stands for itself. Numbers are int or Fraction, exact throughout; the float
INFINITY is only the symbol ∞: it is compared with, never computed with.

A finite class decides statements about that class alone. Where a list stands for a truncated infinite
class (all multisets, cut at size N), the caller names the databases far enough from the cut to be
compared (`Setting.compared`) and says why the cut does no harm.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any, Literal, TypeAlias

INFINITY = float("inf")

Number: TypeAlias = int | Fraction | float  # the only float allowed is INFINITY
Database: TypeAlias = Hashable
Pair: TypeAlias = tuple[Database, Database]
Map: TypeAlias = Callable[[Any], Any]
Relation: TypeAlias = Callable[[Any, Any], bool]
Distances: TypeAlias = Mapping[Pair, Number]  # a distance as a table: one entry for each ordered pair
InputDistance: TypeAlias = Callable[[Any, Any], Number]  # r_i(D, E), how far apart M_i's two inputs are
Vector: TypeAlias = tuple[Number, ...]
Size: TypeAlias = Literal["any", "<=", "="]


# ---------------------------------------------------------------- numbers in [0, ∞]


def exact(value: Number) -> Fraction | float:
    """A number of [0, ∞]: a Fraction, or the symbol INFINITY. Other floats and negatives are refused."""
    if value == INFINITY:
        return INFINITY
    if isinstance(value, float) or value < 0:
        raise ValueError(f"not an exact number of [0, ∞]: {value!r}")
    return Fraction(value)


def add(x: Number, y: Number) -> Number:
    """x + y in [0, ∞]."""
    return INFINITY if INFINITY in (x, y) else x + y


def total(values: Iterable[Number]) -> Number:
    """The sum of finitely many numbers of [0, ∞]."""
    result: Number = Fraction(0)
    for value in values:
        result = add(result, value)
    return result


def cost(epsilon: Number, distance: Number, same_input: bool) -> Fraction | float:
    """What an ε-private mechanism may lose between two inputs at this distance: ε·d, where

    * the same input costs 0, even at ε = ∞ (nothing has changed, so nothing is lost);
    * distance ∞ between different inputs costs ∞, even at ε = 0 (nothing is promised there);
    * ε = ∞ between different inputs costs ∞, even at distance 0 (nothing is promised at all).
    """
    epsilon, distance = exact(epsilon), exact(distance)
    if same_input:
        return Fraction(0)
    if INFINITY in (epsilon, distance):
        return INFINITY
    return Fraction(epsilon) * Fraction(distance)


# ---------------------------------------------------------------- classes of databases


def multiset(records: Iterable[Any]) -> tuple[Any, ...]:
    """The multiset of these records."""
    return tuple(sorted(records))


def multisets(records: Iterable[Any], size: Size, n: int) -> list[Database]:
    """All multisets over the record universe of size exactly n ("="), or of size at most n ("<=", and
    "any", where n is the truncation: the list then stands for all finite multisets)."""
    sizes = [n] if size == "=" else range(n + 1)
    universe = sorted(set(records))
    return [D for m in sizes for D in combinations_with_replacement(universe, m)]


def multisets_read(records: Iterable[Any], part: Iterable[Any], size: Size, n: int) -> list[Database]:
    """The own domain of a mechanism that reads the records in `part` of multisets(records, size, n):
    multisets over `part` of any size (cut at n), or of size at most n for both limits <= n and = n;
    of size exactly n only where the part is the whole universe."""
    whole = set(part) == set(records)
    return multisets(part, "=" if size == "=" and whole else "<=", n)


def symmetric_difference_size(D: Iterable[Any], E: Iterable[Any]) -> int:
    """|D △ E| for multisets, with multiplicity."""
    count_D, count_E = Counter(D), Counter(E)
    return sum(abs(count_D[record] - count_E[record]) for record in {*count_D, *count_E})


# ---------------------------------------------------------------- granularities


def unbounded(D: Sequence[Any], E: Sequence[Any]) -> bool:
    """One record is added or removed: |D △ E| = 1."""
    return abs(len(D) - len(E)) == 1 and symmetric_difference_size(D, E) == 1


def bounded(D: Sequence[Any], E: Sequence[Any]) -> bool:
    """One record is replaced by a different one: |D| = |E| and |D △ E| = 2."""
    return len(D) == len(E) and symmetric_difference_size(D, E) == 2


def free_lunch(D: Database, E: Database) -> bool:
    """Any two different databases."""
    return D != E


def from_pairs(pairs: Iterable[Sequence[Database]]) -> Relation:
    """Neighbours are exactly the unordered pairs listed; a database paired with itself is ignored."""
    listed = {frozenset((D, E)) for D, E in pairs if D != E}
    return lambda D, E: frozenset((D, E)) in listed


def group(relation: Relation, m: int, databases: Sequence[Database]) -> Relation:
    """Different databases that at most m steps of the relation, inside the class, lead to each other."""
    distance = canonical_distance(databases, relation)
    return lambda D, E: D != E and distance[D, E] <= m


def neighbouring_pairs(databases: Sequence[Database], relation: Relation) -> list[Pair]:
    """All pairs of neighbours, each unordered pair once. A relation that is not symmetric is refused."""
    found = []
    for D, E in combinations(databases, 2):
        near = relation(D, E)
        if near != relation(E, D):
            raise ValueError(f"the relation is not symmetric at {D!r}, {E!r}")
        if near:
            found.append((D, E))
    return found


# ---------------------------------------------------------------- distances


def canonical_distance(databases: Sequence[Database], relation: Relation) -> dict[Pair, int | float]:
    """The fewest steps from neighbour to neighbour, all inside the class; ∞ where no chain leads."""
    if len(set(databases)) != len(databases):
        raise ValueError("a database is listed twice")
    neighbours: dict[Database, list[Database]] = {D: [] for D in databases}
    for D, E in neighbouring_pairs(databases, relation):
        neighbours[D].append(E)
        neighbours[E].append(D)
    distance: dict[Pair, int | float] = {(D, E): INFINITY for D in databases for E in databases}
    for start in databases:  # walk outwards from `start`, nearest databases first
        distance[start, start] = 0
        waiting = deque([start])
        while waiting:
            D = waiting.popleft()
            for E in neighbours[D]:
                if distance[start, E] == INFINITY:
                    distance[start, E] = distance[start, D] + 1
                    waiting.append(E)
    return distance


def metric_closure(points: Sequence[Database], distance: Distances) -> dict[Pair, Number]:
    """The largest metric below a symmetric distance with zero diagonal: the length of the shortest chain
    of points (Floyd and Warshall)."""
    closure = {(x, y): distance[x, y] for x in points for y in points}
    for middle in points:
        for x in points:
            for y in points:
                detour = add(closure[x, middle], closure[middle, y])
                closure[x, y] = min(closure[x, y], detour)
    return closure


# ---------------------------------------------------------------- maps and their fibres


def identity(D: Database) -> Database:
    """The map that reads everything."""
    return D


def restriction(part: Iterable[Any]) -> Map:
    """D ↦ D ∩ A: the records of D that lie in A, with their multiplicities."""
    kept = frozenset(part)
    return lambda D: tuple(record for record in D if record in kept)


def from_table(table: Mapping[Any, Any]) -> Map:
    """The map listed by its values."""
    return lambda D: table[D]


def fibres(databases: Iterable[Database], f: Map) -> dict[Database, list[Database]]:
    """The value x ↦ all databases D with f(D) = x, for the values taken on the class."""
    result: dict[Database, list[Database]] = {}
    for D in databases:
        result.setdefault(f(D), []).append(D)
    return result


def pushed_forward(databases: Sequence[Database], relation: Relation, f: Map) -> Relation:
    """The image relation: two different values are neighbours when some two databases above them are."""
    above = fibres(databases, f)
    return lambda x, y: x != y and any(relation(D, E) for D in above[x] for E in above[y])


# ---------------------------------------------------------------- how far apart two inputs are


def own_distance(f: Map, image_class: Sequence[Database], image_relation: Relation) -> InputDistance:
    """Own domain: the canonical metric of the image class, between f(D) and f(E)."""
    distance = canonical_distance(image_class, image_relation)

    def between(D: Database, E: Database) -> Number:
        for image in (f(D), f(E)):
            if (image, image) not in distance:
                raise ValueError(f"{image!r} is not in the image class")
        return distance[f(D), f(E)]

    return between


def contracted_distance(databases: Sequence[Database], relation: Relation, f: Map) -> dict[Pair, int | float]:
    """Shortest paths in the neighbourhood graph with each fibre of f contracted to a node: the nodes are
    the values of f, the edges join the values of neighbouring databases."""
    nodes = list(fibres(databases, f))
    return canonical_distance(nodes, pushed_forward(databases, relation, f))


def common_distance(databases: Sequence[Database], relation: Relation, f: Map) -> InputDistance:
    """Common domain: the contracted distance between f(D) and f(E)."""
    distance = contracted_distance(databases, relation, f)
    return lambda D, E: distance[f(D), f(E)]


def minimum_privacy_distance(
    databases: Sequence[Database], distance: Distances, f: Map
) -> dict[Pair, Number]:
    """d^f(x, y) = the least d(D, E) over all D with f(D) = x and all E with f(E) = y. It is symmetric
    but need not satisfy the triangle inequality; its metric_closure does."""
    above = fibres(databases, f)
    return {(x, y): min(distance[D, E] for D in above[x] for E in above[y]) for x in above for y in above}


# ---------------------------------------------------------------- properties of maps


def sensitivity(
    databases: Sequence[Database], distance: Distances, f: Map, image_distance: Distances
) -> Number:
    """The least Δ with d₂(f(D), f(E)) ≤ Δ·d₁(D, E) for all pairs with d₁(D, E) < ∞."""
    least: Number = Fraction(0)
    for D, E in combinations(databases, 2):
        moved, change = distance[D, E], image_distance[f(D), f(E)]
        if moved == INFINITY or change == 0:
            continue
        needed = INFINITY if moved == 0 or change == INFINITY else Fraction(change) / Fraction(moved)
        least = max(least, needed)
    return least


def compatible(pairs: Iterable[Pair], maps: Sequence[Map]) -> bool:
    """Between any two neighbours at most one of the maps changes its value."""
    return all(sum(f(D) != f(E) for f in maps) <= 1 for D, E in pairs)


def commutes(
    databases: Sequence[Database],
    distance: Distances,
    maps: Sequence[Map],
    image_distances: Sequence[Distances],
) -> bool:
    """Σ_i d_i(p_i(D), p_i(E)) ≤ d(D, E) for all databases D, E."""
    return all(
        total(d[p(D), p(E)] for p, d in zip(maps, image_distances, strict=True)) <= distance[D, E]
        for D in databases
        for E in databases
    )


# ---------------------------------------------------------------- profile and bound


def profile(pairs: Iterable[Pair], input_distances: Sequence[InputDistance]) -> dict[Vector, Pair]:
    """All vectors r(D, E) = (r_1, ..., r_k) of input distances over the target's neighbours, each with the
    first pair where it occurs. Empty when the target has no neighbours."""
    witnesses: dict[Vector, Pair] = {}
    for D, E in pairs:
        witnesses.setdefault(tuple(r(D, E) for r in input_distances), (D, E))
    return witnesses


def pareto_maximal(vectors: Mapping[Vector, Pair]) -> dict[Vector, Pair]:
    """The vectors that no other one matches or exceeds in every entry, with their witnesses."""

    def below(r: Vector, s: Vector) -> bool:
        return r != s and all(a <= b for a, b in zip(r, s, strict=True))

    return {r: pair for r, pair in vectors.items() if not any(below(r, s) for s in vectors)}


def true_bound(
    pairs: Iterable[Pair],
    maps: Sequence[Map],
    epsilons: Sequence[Number],
    input_distances: Sequence[InputDistance],
) -> Number | None:
    """The best pure guarantee of the composition: the largest Σ_i cost(ε_i, r_i(D, E)) over the target's
    neighbours. None when there are no neighbours: then every guarantee holds vacuously."""
    losses = [
        total(
            cost(epsilon, r(D, E), f(D) == f(E))
            for f, epsilon, r in zip(maps, epsilons, input_distances, strict=True)
        )
        for D, E in pairs
    ]
    return max(losses, default=None)


# ---------------------------------------------------------------- settings


@dataclass(frozen=True)
class Mechanism:
    """M_i ∘ f_i, of which only this is known: it is ε-private for the relation `stated`.

    domain "common": as a map on the whole class, and it depends on f(D) only; `stated` relates databases.
    domain "own": as a map on `image_class`, which holds all values f(D); `stated` relates its elements.
    """

    f: Map
    epsilon: Number
    stated: Relation
    domain: Literal["common", "own"]
    image_class: Sequence[Database] | None = None


@dataclass(frozen=True)
class Setting:
    """A composition: the class, the target's relation, the mechanisms.

    `compared` lists the databases over which target pairs range; left out, the whole class. It is there
    for truncated classes, whose largest databases have lost neighbours."""

    databases: Sequence[Database]
    target: Relation
    mechanisms: Sequence[Mechanism]
    compared: Sequence[Database] | None = None


def target_pairs(setting: Setting) -> list[Pair]:
    """All pairs of the target's neighbours that are compared."""
    compared = setting.databases if setting.compared is None else setting.compared
    if not set(compared) <= set(setting.databases):
        raise ValueError("a database that is compared is not in the class")
    return neighbouring_pairs(compared, setting.target)


def input_distance(setting: Setting, mechanism: Mechanism) -> InputDistance:
    """r_i(D, E), by the mechanism's domain."""
    if mechanism.domain == "common":
        return common_distance(setting.databases, mechanism.stated, mechanism.f)
    if mechanism.image_class is None:
        raise ValueError("own domain: the image class is missing")
    return own_distance(mechanism.f, mechanism.image_class, mechanism.stated)


def vectors_of(setting: Setting) -> dict[Vector, Pair]:
    """All vectors of input distances over the target's neighbours, with witnesses."""
    return profile(target_pairs(setting), [input_distance(setting, M) for M in setting.mechanisms])


def profile_of(setting: Setting) -> dict[Vector, Pair]:
    """The sensitivity profile: the Pareto-maximal vectors, with witnesses."""
    return pareto_maximal(vectors_of(setting))


def bound(setting: Setting) -> Number | None:
    """The best pure guarantee under the target (∞: none holds; None: no neighbours, all hold)."""
    return true_bound(
        target_pairs(setting),
        [M.f for M in setting.mechanisms],
        [M.epsilon for M in setting.mechanisms],
        [input_distance(setting, M) for M in setting.mechanisms],
    )
