"""Covers of groups of edits on classes of records: all that go are of one atom, and all that come of one.

Losses that are convex in distances, which are convex in how many records go and come, are largest at the
corners of what neighbours may differ in: there all records that go are of the same atom, and so are all that
come, and as many go and come as at a corner of all such numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from dpcompose.kernel.core.settings import Relation
from dpcompose.kernel.covers.records import Changes, Counts, Records
from dpcompose.kernel.covers.types import LARGEST, Cover, NoCover


class Corners(Records):
    procedure = "corners"

    def cover(self) -> Cover:
        if self.setting.databases.of != "multisets":
            raise NoCover("of groups of many edits, the corners are known for multisets")
        for (i, _), metric in self.metrics.items():
            if not metric.convex:
                name = self.setting.mechanisms[i - 1].name
                raise NoCover(
                    f"how far what {name} reads moves is not convex in how many records change, so that "
                    "groups of many steps are not told by a few; smaller groups would do"
                )
        every = frozenset(range(1, len(self.setting.mechanisms) + 1))
        return replace(super().cover(), convex=every)

    def changes(self, target: Relation) -> Iterator[Changes]:
        """Which atom loses and which gains records, at the corners of the numbers of these."""
        atoms = self.setting.databases.atoms
        for removed, added in corners(self.differences(target)):
            if removed < added or removed == 0:
                continue
            if len(atoms) ** 2 * removed > LARGEST:
                raise NoCover(f"{removed:,} records of {len(atoms):,} kinds are too many to write down")
            for left, right in product(range(len(atoms)), range(len(atoms) if added else 1)):
                alone = left == right and len(atoms[left].records) < 2
                if not (added and (alone or (removed == added and right < left))):
                    yield (left,) * removed, (right,) * added


def corners(points: Iterable[Counts]) -> list[Counts]:
    """The corners of the convex hull of some points of the plane, and of the origin.

    >>> corners([(1, 0), (2, 0), (0, 1), (0, 2), (1, 1)])
    [(0, 0), (2, 0), (0, 2)]
    """
    some = sorted({(0, 0), *points})
    below, above = _half(some), _half(some[::-1])
    return list(dict.fromkeys(below + above))


def _half(some: list[Counts]) -> list[Counts]:
    """The corners met from the first to the last point, turning left."""
    counts: list[Counts] = []
    for point in some:
        while len(counts) > 1 and _turn(counts[-2], counts[-1], point) <= 0:
            counts.pop()
        counts.append(point)
    return counts


def _turn(a: Counts, b: Counts, c: Counts) -> int:
    """Above 0 where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
