"""Finite settings in order of size: databases, neighbours, and what mechanisms read, all of them as tables.

Nothing here asks the rest of the program what neighbours, distances or inputs are: all is gone through.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, combinations, combinations_with_replacement, islice, product
from random import Random
from typing import Any, TypeAlias

from dpcompose.kernel.expressions.keeping import frozen

Pairs: TypeAlias = frozenset[tuple[int, int]]
"""A symmetric relation on things that are numbered from 0: both orders of each pair."""

Records: TypeAlias = tuple[str, ...]
"""A multiset, in order."""

INFINITE = -1
"""What `Relation.steps` says where no chain leads."""

EMPTY = "none"
"""What the database without records is called."""


@frozen
class Relation:
    """Neighbours by name, among things numbered from 0; partial -- whether records are not treated alike."""

    name: str
    pairs: Pairs
    partial: bool = False

    def steps(self, x: int, y: int) -> int:
        """The canonical metric: the fewest steps from x to y; INFINITE where there is no chain."""
        return _from(self.pairs, x).get(y, INFINITE)


@lru_cache(maxsize=20_000)
def _from(pairs: Pairs, x: int) -> Mapping[int, int]:
    """How many steps there are from x to all that can be reached."""
    numbers, waiting = {x: 0}, deque([x])
    while waiting:
        here = waiting.popleft()
        for y in sorted(b for a, b in pairs if a == here):
            if y not in numbers:
                numbers[y] = numbers[here] + 1
                waiting.append(y)
    return numbers


@frozen
class Reading:
    """What a mechanism reads, and for which neighbours its guarantee is stated.

    values -- the number of the value at each database; words -- what the values are called;
    stated -- the neighbours among databases; inside -- those among values, on the own domain;
    records -- those that are kept, where it is a restriction; everything -- whether it is the identity.
    """

    values: tuple[int, ...]
    words: tuple[str, ...]
    stated: Relation
    inside: Relation | None = None
    records: frozenset[str] | None = None
    everything: bool = False

    @cached_property
    def near(self) -> Relation:
        """The neighbours among values: on the common domain the values of neighbouring databases."""
        if self.inside is not None:
            return self.inside
        pairs = frozenset((self.values[x], self.values[y]) for x, y in self.stated.pairs)
        return Relation(self.stated.name, frozenset((v, w) for v, w in pairs if v != w))

    def moves(self, x: int, y: int) -> int:
        """How far what is read moves between two databases."""
        return self.near.steps(self.values[x], self.values[y])

    @property
    def wholly(self) -> Reading:
        """The same guarantee of a mechanism that need not depend on what is read only."""
        if self.inside is not None:
            return self
        return Reading(tuple(range(len(self.values))), (), self.stated, everything=True)


# classes of databases


@frozen
class Base:
    """A class of databases: listed, with any relations, or multisets of some sizes over a universe.

    contents -- of multisets their records.
    """

    names: tuple[str, ...]
    contents: tuple[Records, ...] = ()
    universe: str = ""

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """The neighbours that there can be: all graphs, or by what is done to records."""
        if not self.universe:
            return tuple(Relation(f"G{n}", pairs) for n, pairs in enumerate(_graphs(len(self.names))))
        return tuple(edit.among(self.contents) for edit in edits(self.universe))

    def readings(self, own: bool) -> list[Reading]:
        """All that can be read on a domain, with all neighbours for which a guarantee can be stated."""
        kept, every = frozenset(self.universe) or None, tuple(range(len(self.names)))
        whole = [
            Reading(every, self.names, relation, relation if own else None, kept, True)
            for relation in self.relations
        ]
        return [*whole, *(self._restrictions(own) if self.universe else ()), *self._tables(own)]

    def _restrictions(self, own: bool) -> Iterator[Reading]:
        for part in chain.from_iterable(combinations(self.universe, r) for r in range(len(self.universe))):
            read = [tuple(x for x in content if x in part) for content in self.contents]
            images = tuple(sorted(set(read), key=lambda one: (len(one), one)))
            values = tuple(images.index(one) for one in read)
            for edit, stated in zip(edits(self.universe), self.relations, strict=True):
                inside = edit.among(images) if own else None
                yield Reading(values, tuple(map(_name, images)), stated, inside, frozenset(part))

    def _tables(self, own: bool) -> Iterator[Reading]:
        """Functions of any kind, of few databases; on the own domain with any neighbours among the values."""
        if len(self.names) > MOST_TABLED or (own and self.universe):
            return
        for values in _partitions(len(self.names)):
            words = tuple(str(v) for v in range(max(values) + 1))
            if own:
                graphs = [Relation("", graph) for graph in _graphs(len(words))]
                yield from (Reading(values, words, H, graph) for H in self.relations for graph in graphs)
            elif len(words) < len(values):
                yield from (Reading(values, words, H) for H in self.relations)


MOST_TABLED = 3
"""Of up to so many databases every function is read."""


def _name(records: Sequence[str]) -> str:
    return " ".join(records) or EMPTY


def _graphs(count: int) -> list[Pairs]:
    """All graphs on so many points, those with fewer edges first."""
    edges = list(combinations(range(count), 2))
    some = chain.from_iterable(combinations(edges, r) for r in range(len(edges) + 1))
    return [frozenset(chain.from_iterable(((x, y), (y, x)) for x, y in one)) for one in some]


def _partitions(count: int) -> list[tuple[int, ...]]:
    """All functions of so many databases, up to the names of their values: the first is 0."""
    every = product(range(count), repeat=count)
    return [
        numbers
        for numbers in every
        if all(v <= max(numbers[:n], default=-1) + 1 for n, v in enumerate(numbers))
    ]


def difference(D: Records, E: Records) -> tuple[Records, Records]:
    """Which records are to be removed, and which to be added, to make one multiset of another."""
    gone, come = Counter(D) - Counter(E), Counter(E) - Counter(D)
    return tuple(gone.elements()), tuple(come.elements())


@frozen
class Edits:
    """Neighbours of multisets: which record, or "" for none, takes the place of which; None: any two."""

    name: str
    edges: tuple[tuple[str, str], ...] | None
    partial: bool = False

    def among(self, contents: Sequence[Records]) -> Relation:
        """These neighbours among some multisets."""
        every = range(len(contents))
        pairs = ((x, y) for x in every for y in every if x != y and self._near(contents[x], contents[y]))
        return Relation(self.name, frozenset(pairs), self.partial)

    def _near(self, D: Records, E: Records) -> bool:
        gone, come = difference(D, E)
        if self.edges is None or max(len(gone), len(come)) > 1:
            return self.edges is None
        a, b = gone[0] if gone else "", come[0] if come else ""
        return (a, b) in self.edges or (b, a) in self.edges


@lru_cache
def edits(universe: str) -> tuple[Edits, ...]:
    """Records that come and go; that are replaced; policies: only the first one of either; any two."""
    first, others = universe[0], universe[1:]
    some = [
        Edits("unbounded", tuple(("", x) for x in universe)),
        Edits("bounded", tuple(combinations(universe, 2))),
    ]
    some += [Edits(f"only {first} comes or goes", (("", first),), True)] if others else []
    some += [Edits(f"only {first} for {others[0]}", ((first, others[0]),), True)] if len(others) > 1 else []
    return (*some, Edits("free-lunch", None))


def of_records(universe: str, least: int, most: int) -> Base:
    """The multisets of some sizes."""
    sizes = range(least, most + 1)
    some = tuple(chain.from_iterable(combinations_with_replacement(universe, n) for n in sizes))
    return Base(tuple(map(_name, some)), some, universe)


@lru_cache
def bases() -> tuple[Base, ...]:
    """The classes that are gone through, those with few databases first."""
    listed = [Base(tuple(f"D{n}" for n in range(1, count + 1))) for count in (2, 3)]
    sizes = [("a", 0, 1), ("ab", 1, 1), ("a", 0, 2), ("ab", 0, 1), ("ab", 2, 2), ("abc", 1, 1), ("abc", 0, 1)]
    some = [of_records(*one) for one in [*sizes, ("ab", 0, 2), ("abc", 2, 2), ("abc", 0, 2)]]
    return tuple(sorted([*listed, *some], key=lambda one: (len(one.names), one.universe != "")))


# settings


@frozen
class World:
    """A finite class of databases, its target neighbours, and what k mechanisms read."""

    base: Base
    target: Relation
    readings: tuple[Reading, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.base.names

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return sorted(self.target.pairs)

    @cached_property
    def stated(self) -> Relation | None:
        """The neighbours for which all guarantees are stated; None where they differ in them."""
        relations = {reading.stated for reading in self.readings}
        return relations.pop() if len(relations) == 1 else None

    @cached_property
    def apart(self) -> int:
        """m: how many of their steps target neighbours are apart at most; INFINITE without a chain."""
        steps = {reading.stated.steps(*pair) for reading in self.readings for pair in self.target.pairs}
        return INFINITE if INFINITE in steps else max(steps, default=0)

    def moved(self, x: int, y: int) -> dict[int, int]:
        """How far each input moves that does."""
        readings = enumerate(self.readings)
        return {i: reading.moves(x, y) for i, reading in readings if reading.values[x] != reading.values[y]}


SEED = 1
"""Where what is drawn starts."""
TRIES = 10
"""How many settings are drawn for each that is looked at, at most."""


def settings(wanted: Any, fits: Callable[[World], bool], most: int, seed: int = SEED) -> Iterator[World]:
    """The settings of a page's premises that fit, smallest first; of many of one kind some that are drawn.

    most -- how many of one kind there are: of one number of mechanisms and one target on one class.
    """
    random = Random(seed)
    domains = {"own": (True,), "common": (False,)}.get(wanted.domain, (False, True))
    for base in bases():
        read = [reading for own in domains for reading in base.readings(own)]
        for k in (wanted.k,) if wanted.k else (1, 2, 3):
            for target in base.relations:
                if target.pairs and wanted.target in (None, target.name):
                    for options in _options(wanted.stated, target, base, read):
                        worlds = (
                            World(base, target, readings) for readings in _tuples(options, k, most, random)
                        )
                        yield from islice(filter(fits, worlds), most)


def _options(
    stated: str | None, target: Relation, base: Base, read: Sequence[Reading]
) -> list[list[Reading]]:
    """What mechanisms can read whose guarantees are stated as premises say: one list for each such H."""
    if stated is None:
        return [list(read)]
    names = {"G": [target.name], "H": [relation.name for relation in base.relations]}.get(stated, [stated])
    return [
        readings
        for name in names
        if (readings := [reading for reading in read if reading.stated.name == name])
    ]


def _tuples(options: Sequence[Reading], k: int, most: int, random: Random) -> Iterator[tuple[Reading, ...]]:
    """What k mechanisms read: every way, or some that are drawn."""
    n, total = len(options), len(options) ** k
    for number in range(total) if total <= most else random.sample(range(total), min(total, TRIES * most)):
        yield tuple(options[number // n**place % n] for place in reversed(range(k)))
