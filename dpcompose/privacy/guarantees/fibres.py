"""What a guarantee on the common domain says of what is read: at two values that of any databases with these.

A mechanism that depends on f alone has at D and E the guarantee that it has at any databases with the same
values of f (GB Prop. IV.10, A.12).  Those nearest to each other are taken, with the least δ among them.
Such a distance may break the triangle inequality; then it is the least of metrics, each of pairs apart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.privacy.guarantees.notions import POWERS, Guarantee
from dpcompose.spaces.canonical.compared import Tabled
from dpcompose.spaces.canonical.graphs import neighbourhood_graph
from dpcompose.spaces.canonical.named import Distance, Far, NamedMetric, Pairwise
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity

Table = Mapping[tuple[Any, Any], Fraction]
"""How far apart values are, each pair once; those that are left out are at distance ∞."""


ONE_METRIC = (
    "on the common domain a guarantee is a number times one metric, the least of such, or a formula in "
    "metrics that are all least at the same databases, whichever values are read: on a class of few "
    "databases, or counting steps of what is read as well; elsewhere what remains of a sum over the fibres "
    'of a map is no sum; state one of them, or domain = "own"'
)
ONE_DELTA = (
    "on the common domain a delta does not add up along the fibres of a map: it is one at the nearest "
    "databases, on a class of few, and a formula in at most one more metric of these; or all is in metrics "
    "that are least at the same databases, and count steps of what is read as well; state the guarantee for "
    'neighbours, with a granularity, or on domain = "own", or delta = "0"'
)


def nearest(
    databases: Sequence[Any],
    f: Callable[[Any], Any],
    far: Sequence[Callable[[Any, Any], Far]],
    together: int = 1,
    finite: Collection[int] = (),
    growing: bool = True,
) -> list[list[dict[tuple[Any, Any], Fraction]]] | None:
    """For each distance what it is at databases with two values of f: first at the nearest, those at which
    the first distance is least, and among these the second, and so on; then at others, which say something
    that is not known of those before.

    together -- how many of the first have to be least at once, else None; finite -- the distances of which
    one that is ∞ says nothing: databases at which none is are nearer; growing -- whether less is promised
    where no distance is less.

    >>> at = {("a", "b"): Fraction(2), ("c", "d"): Fraction(1)}
    >>> nearest("abcd", {"a": "x", "c": "x", "b": "y", "d": "y"}.get, [lambda D, E: at.get((D, E))])
    [[{('x', 'y'): Fraction(1, 1)}]]
    """
    fibres: dict[Any, list[Any]] = {}
    for D in databases:
        fibres.setdefault(f(D), []).append(D)
    values, pairs = list(fibres), dict[tuple[Any, Any], list[Lengths]]()
    for n, x in enumerate(values):
        for y in values[n + 1 :]:
            every = {tuple(d(D, E) for d in far) for D, E in product(fibres[x], fibres[y])}
            ranked = sorted((lengths for lengths in every if _says(lengths, finite)), key=_rank)
            if ranked and any(
                _rank(ranked[0])[n] > min(_rank(x)[n] for x in ranked) for n in range(together)
            ):
                return None
            pairs[x, y] = _least(ranked) if growing else ranked
    most = max(map(len, pairs.values()), default=0)
    return [
        [
            {pair: length for pair, some in pairs.items() if (length := _entry(some, layer, n)) is not None}
            for n in range(len(far))
        ]
        for layer in range(max(most, 1))
    ]


Lengths = tuple[Far, ...]


def _says(lengths: Lengths, finite: Collection[int]) -> bool:
    """Whether anything is promised at databases that are so far apart."""
    return None not in (lengths[n] for n in finite)


def _rank(lengths: Lengths) -> list[tuple[bool, Fraction]]:
    return [(value is None, value or Fraction(0)) for value in lengths]


def _least(ranked: Sequence[Lengths]) -> list[Lengths]:
    """Those of which no other one before is nowhere larger."""
    kept: list[Lengths] = []
    for lengths in ranked:
        if not any(all(a <= b for a, b in zip(_rank(x), _rank(lengths), strict=True)) for x in kept):
            kept.append(lengths)
    return kept


def _entry(some: Sequence[Lengths], layer: int, n: int) -> Far:
    """A distance of those of a number, or of the last ones."""
    return some[min(layer, len(some) - 1)][n] if some else None


def factor(formula: Term, distances: Iterable[str]) -> Term | None:
    """x where a formula is x times one distance, which may be written as a sum; None where it is none.

    >>> e, d = terms.letter("e"), terms.letter("d")
    >>> factor(e * d + 2 * d, ["d"]), factor(e * d * d, ["d"])
    ((sum 2 e), None)
    """
    used = [name for name in distances if name in formula.letters]
    if len(used) != 1:
        return None
    distance = terms.letter(used[0], formula.letters[used[0]])
    term = terms.add(summand / distance for summand in substitution.expanded(formula).summands)
    return None if used[0] in term.letters else term


def in_steps(guarantee: Guarantee, reads: Map) -> Guarantee:
    """A guarantee that is a number times one canonical metric of what is read as the one for neighbours
    that it is (GB Prop. III.3, VI.12, VI.20); others as they are, also those in metrics of other parts."""
    metric = guarantee.metric
    if metric is None or metric.bounded or guarantee.notion not in POWERS:
        return guarantee
    if any(value != ZERO for _, value in metric.besides):
        return guarantee
    value = factor(metric.formula, [named.name for named in metric.distances])
    used = (named.distance for named in metric.distances if named.name in metric.formula.letters)
    counted = {distance.counted_of(reads, guarantee.domain) for distance in used}
    if value is None or None in counted or len(counted) > 1:
        return guarantee
    (key, power), (granularity,) = POWERS[guarantee.notion], counted
    return Guarantee(guarantee.notion, ((key, value**power), *metric.besides), granularity, guarantee.domain)


def steps_between(databases: DatabaseClass, granularity: Granularity) -> Mapping[Any, Mapping[Any, Fraction]]:
    """How many steps lead from each database of a small class to all that can be reached."""
    import networkx

    graph = neighbourhood_graph(databases, granularity)
    every = networkx.all_pairs_shortest_path_length(graph)
    return {D: {E: Fraction(n) for E, n in lengths.items()} for D, lengths in every}


def far(distance: Distance, databases: DatabaseClass) -> Pairwise | None:
    """How far databases of a small class are apart, where that is known pair by pair."""
    if (counted := distance.counted) is None:
        return distance.pairwise
    steps = steps_between(databases, counted)
    return lambda D, E: steps[D].get(E)


def at_the_nearest(
    distances: Mapping[str, Distance],
    databases: DatabaseClass,
    reads: Map,
    together: int = 1,
    finite: Collection[str] = (),
    growing: bool = True,
) -> list[dict[str, list[NamedMetric]]] | None:
    """Distances as those of values of a map, at the databases that the first one has nearest, and at others
    that say more; of one that is no metric then those of which it is the least.  None where one is not known
    pair by pair, or the first ones, so many of them, are not least together."""
    every = [
        pairwise for distance in distances.values() if (pairwise := far(distance, databases)) is not None
    ]
    if len(every) < len(distances):
        return None
    needed = [n for n, name in enumerate(distances) if name in finite]
    layers = nearest([*databases.databases()], reads, every, together, needed, growing)
    if layers is None:
        return None
    return [
        {
            name: list(_tabled(name if n == 1 else f"{name}_at_{n}", table, reads))
            for name, table in zip(distances, tables, strict=True)
        }
        for n, tables in enumerate(layers, start=1)
    ]


def _tabled(name: str, table: Table, reads: Map) -> Iterator[NamedMetric]:
    tables = metrics(table)
    for n, values in enumerate(tables, start=1):
        tabled = Tabled(
            "", {frozenset(pair): length for pair, length in values.items()}, of=reads, nearest=True
        )
        yield NamedMetric(name if len(tables) == 1 else f"{name}_{n}", tabled)


def metrics(table: Table) -> list[dict[tuple[Any, Any], Fraction]]:
    """The table itself where it is a metric; else some of which it is the least, no two pairs of which meet.

    >>> [*map(sorted, metrics({("x", "y"): Fraction(1), ("y", "z"): Fraction(1)}))]
    [[('x', 'y')], [('y', 'z')]]
    """
    if broken(table, {end: None for pair in table for end in pair}) is None:
        return [dict(table)]
    parts: list[dict[tuple[Any, Any], Fraction]] = []
    for pair, length in table.items():
        fits = (values for values in parts if all(end not in other for other in values for end in pair))
        values = next(fits, None)
        if values is None:
            parts.append(values := {})
        values[pair] = length
    return parts


def both_ways(table: Table) -> dict[tuple[Any, Any], Fraction]:
    """The table with each pair in both orders."""
    return {**table, **{(y, x): far for (x, y), far in table.items()}}


def broken(table: Table, values: Collection[Any]) -> tuple[Any, Any, Any] | None:
    """The first three values x, y, z of which the way from x to z by y is the shorter one, if there are any.

    >>> broken({("x", "y"): Fraction(1), ("y", "z"): Fraction(1)}, "xyz")
    ('x', 'y', 'z')
    """
    both = both_ways(table)
    for y in values:
        for x, z in permutations([x for x in values if (x, y) in both], 2):
            if (direct := both.get((x, z))) is None or direct > both[x, y] + both[y, z]:
                return x, y, z
    return None
