"""Covers where rows of several persons come and go, or guarantees are for persons with other numbers of rows.

A type says of how many persons rows lie in which part, m rows of each: on the one side, and on the other.
Several persons of the target may be one of a guarantee, or one of the target several: what is read is as many
bags of a guarantee away as hold all the rows.  Distances never fall when more rows change, so persons with
all the rows that they may have stand for others; what is lost need not be convex.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import comb, prod
from typing import Any

from dpcompose.kernel.core.contributions import Contribution
from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.covers.contributions import MOST_NAMED, Contributions, Far
from dpcompose.kernel.covers.types import LARGEST, Cover, NoCover, Type
from dpcompose.kernel.expressions.terms import INFINITY, Term, number

Lie = tuple[tuple[int, int], ...]
"""For each part of how many persons rows are lost in it, and of how many some are gained; of a partition that
is not written out in any order of parts, without those that nobody touches."""
MOST_WAYS = 20_000
"""In how many ways rows may lie in the parts of one partition."""
WRITTEN = ""
"""What the parts are called that are written out."""
MOST_PARTS = 500
"""In how many written parts the rows of several persons may lie."""
TOO_MANY = (
    "the rows of several persons may lie in too many ways to write down; fewer parts or persons would do"
)


class Persons(Contributions):
    """The cover of several persons, or of guarantees for other ones, by all ways in which their rows lie."""

    def cover(self) -> Cover:
        self.check_told()
        types, counted = list[Type](), 0
        for lost, gained in self.sides():
            partitions = [WRITTEN, *self.partitions] if self.setting.databases.atoms else [*self.partitions]
            ways = [[*islice(self.ways(partition, lost, gained), MOST_WAYS + 1)] for partition in partitions]
            if any(len(some) > MOST_WAYS for some in ways):
                raise NoCover(TOO_MANY)
            for choice in product(*ways):
                if (counted := counted + 1) * len(self.setting.mechanisms) > LARGEST:
                    raise NoCover(TOO_MANY)
                types.append(self.of_persons(dict(zip(partitions, choice, strict=True))))
        types.sort(key=lambda type: str(type.pair))
        return self.of_types(types, counted, [*self.pages.values()])

    @property
    def differ(self) -> bool:
        """Whether there are several persons, or guarantees for such with other numbers of rows or parts."""
        stated = (mechanism.stated for mechanism in self.setting.mechanisms if mechanism.stated is not None)
        bags = ((of.steps, of.single) for of in stated if isinstance(of.single, Contribution))
        limits = ((steps, bag.parts, bag.rows, bag.among) for steps, bag in bags)
        return self.persons > 1 or any(
            limit != (1, self.bag.parts, self.bag.rows, self.bag.among) for limit in limits
        )

    @property
    def persons(self) -> int:
        """How many persons there are."""
        return self.setting.target.steps

    def check_told(self) -> None:
        """Raises NoCover where numbers are letters, and where fewer rows may count for more than all."""
        target, mechanisms = self.setting.target, self.setting.mechanisms
        limits = (self.bag.rows, *map(self.bag.parts_of, (WRITTEN, *self.partitions)))
        if target.times is not None or any(limit.number is None for limit in limits):
            raise NoCover("what several persons contribute together is told for numbers of parts and rows")
        for i, mechanism in enumerate(mechanisms, start=1):
            if mechanism.noise is not None:
                raise NoCover(
                    f"what {mechanism.name} loses where several persons' rows come and go is known where it "
                    "has a guarantee without noise"
                )
            if mechanism.reads == (None,) and (self.setting.databases.outside or self.partitions):
                raise NoCover(f"{mechanism.name} reads everything, beside rows of several persons in parts")
            if self.falls(i):
                raise NoCover(
                    f"{mechanism.name} promises nothing unless as many rows come as go; of several persons' "
                    "rows it is not told which do"
                )
        alone = any(len(atom.records) < 2 for atom in self.setting.databases.atoms)
        if alone and (self.bag.replaced != "no" or self.persons > 1):
            raise NoCover("a part of a single record has no other one that takes its place")

    # whose rows lie where

    def sides(self) -> Iterator[tuple[int, int]]:
        """Of how many persons rows go, and of how many some come."""
        if self.bag.replaced == "no" and self.of_one_size:
            return
        if self.bag.replaced != "no":
            yield self.persons, self.persons
            return
        for gained in range(self.persons // 2 + 1):
            yield self.persons - gained, gained

    def ways(self, partition: str, lost: int, gained: int) -> Iterator[Lie]:
        """In which parts of a partition the rows of as many persons lie, each in as many parts as may be."""
        parts, count = int(self.bag.parts_of(partition).number or 0), self.count(partition)
        most = (parts + parts) * self.persons if count is None else count
        totals = [min(parts, most) * side for side in (lost, gained)]
        if partition == WRITTEN:
            sides = [_how_many(total, most, side) for total, side in zip(totals, (lost, gained), strict=True)]
            if prod(sides) * len(self.setting.mechanisms) > LARGEST or most > MOST_PARTS:
                raise NoCover(TOO_MANY)
            left, right = (
                _spread(total, most, side) for total, side in zip(totals, (lost, gained), strict=True)
            )
            yield from (tuple(zip(s, t, strict=True)) for s, t in product([*left], [*right]))
        else:
            yield from _gathered(totals[0], totals[1], (lost, gained), most)

    def count(self, partition: str) -> int | None:
        """How many parts a partition has; None: any number."""
        if partition == WRITTEN:
            return len(self.setting.databases.atoms)
        count = self.setting.mechanisms[self.partitions[partition][0] - 1].count
        return None if count is None or count.number is None else int(count.number)

    # how far inputs move

    def by_bags(self, mechanism: Mechanism, stated: Contribution, whole: bool) -> Far:
        """The same for the rows in one part, by the bags of a guarantee that hold them."""
        sizes_tell = stated.replaced == "rows" and (mechanism.domain == "own" or whole)
        if stated.replaced == "rows" and not sizes_tell and not self.setting.databases.outside:
            raise NoCover(
                f"{mechanism.name} is stated on the common domain for bags of as many rows, which needs rows "
                "outside of all parts"
            )

        def at(a: int, b: int) -> Term:
            return INFINITY if sizes_tell and a != b else self.bags(stated, mechanism, [(a, b)])

        return at

    def bags(self, stated: Contribution, mechanism: Mechanism, touched: Sequence[tuple[int, int]]) -> Term:
        """How many bags of a guarantee the rows in some parts are, those that go and those that come."""
        limits = (stated.parts_of(mechanism.partition or WRITTEN), stated.rows, self.bag.rows)
        if any(limit.number is None for limit in limits):
            raise NoCover(f"{mechanism.name} is stated for persons with any number of rows or parts")
        parts, rows, m = (int(limit.number or 0) for limit in limits)

        def bags_of(persons: Sequence[int]) -> int:
            lots = [-(-m * several // rows) for several in persons]
            return max(max(lots), -(-sum(lots) // parts))

        gone, come = (bags_of(side) for side in zip(*touched, strict=True))
        assert mechanism.stated is not None
        bags = gone + come if stated.replaced == "no" else max(gone, come)
        return number(-(-bags // mechanism.stated.steps))

    def moved_by(self, i: int, touched: Sequence[tuple[int, int]]) -> Term:
        """How far the rows of so many persons in some parts move what a mechanism reads."""
        mechanism = self.setting.mechanisms[i - 1]
        stated = mechanism.stated
        if stated is not None and isinstance(stated.single, Contribution):
            return self.bags(stated.single, mechanism, touched)
        (far,) = self.far(i, sum(s for s, _ in touched), sum(t for _, t in touched))
        return far

    def of_persons(self, lie: dict[str, Lie]) -> Type:
        """The type of persons whose rows lie so, and two databases."""
        far: dict[int, dict[int, Term]] = {}
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            persons = lie[mechanism.partition or WRITTEN]
            if mechanism.partition:
                far[i] = {j: self.moved_by(i, [touched]) for j, touched in enumerate(persons)}
                continue
            (read,) = mechanism.reads
            touched = [each for j, each in enumerate(persons) if (read is None or j in read) and any(each)]
            if touched:
                far[i] = {0: self.moved_by(i, touched)}
        return Type(self.gathered(far), frozenset(), self.databases(lie))

    def databases(self, lie: dict[str, Lie]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A row of each person in each part where rows are lost, and where some are gained."""
        D, E = list[str](), list[str]()
        for partition, persons in lie.items():
            if len(persons) > MOST_NAMED:
                raise NoCover(f"the rows of {self.persons} persons lie in more than {MOST_NAMED} parts")
            for j, (lost, gained) in enumerate(persons):
                names: Any = (f"{partition}{j + 1}", f"{partition}{j + 1}'")
                names = names if partition != WRITTEN else self.setting.databases.atoms[j].records
                D += [names[0]] * lost
                E += [names[-1 if lost else 0]] * gained
        return self.filled(D, E)


def _how_many(total: int, parts: int, most: int) -> int:
    """In how many ways so many persons have rows in some parts, at most so many in each.

    >>> _how_many(2, 2, 2), _how_many(2, 2, 1), _how_many(0, 1, 0)
    (3, 1, 1)
    """
    if parts == 0:
        return int(total == 0)
    full = range(min(parts, total // (most + 1)) + 1)
    ways = (comb(total - n * (most + 1) + parts - 1, parts - 1) for n in full)
    return sum((-1) ** n * comb(parts, n) * many for n, many in zip(full, ways, strict=True))


def _spread(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """How many persons have rows in each part, one after the other, at most so many in each.

    >>> list(_spread(2, 2, 2)), list(_spread(0, 1, 0))
    ([(0, 2), (1, 1), (2, 0)], [(0,)])
    """
    if parts == 0:
        yield from [()] if total == 0 else []
        return
    for here in range(max(0, total - (parts - 1) * most), min(most, total) + 1):
        yield from ((here, *rest) for rest in _spread(total - here, parts - 1, most))


def _gathered(
    lost: int, gained: int, most: tuple[int, int], parts: int, below: tuple[int, int] | None = None
) -> Iterator[Lie]:
    """The same of parts in any order, those that are touched.

    >>> list(_gathered(2, 0, (2, 0), 2)), list(_gathered(1, 1, (1, 1), 2))
    ([((2, 0),), ((1, 0), (1, 0))], [((1, 1),), ((1, 0), (0, 1))])
    """
    if lost == gained == 0:
        yield ()
        return
    if parts == 0:
        return
    for here in product(range(min(lost, most[0]), -1, -1), range(min(gained, most[1]), -1, -1)):
        if here != (0, 0) and (below is None or here <= below):
            rest = _gathered(lost - here[0], gained - here[1], most, parts - 1, here)
            yield from ((here, *others) for others in rest)
