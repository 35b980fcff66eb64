"""What room databases have for records that differ: multisets, sets and tuples, whose records have a policy.

Of a multiset a record may be there any number of times, of a set once; a tuple has one record at each place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from math import prod

from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.settings import NOTHING, Edge
from dpcompose.kernel.covers.types import NoCover, Pair, smallest_pair

Side = tuple[int, ...]
"""The atoms of records that only one of two databases has, one number a record, in order."""


MOST_UNIVERSES = 300
"""In how many ways other records may lie at most, for each two databases."""


class Room:
    """Multisets: records are there as often as one likes, up to the size."""

    def __init__(self, databases: Databases) -> None:
        self.databases, self.atoms = databases, databases.atoms

    @property
    def groups_pushed(self) -> bool:
        """Whether groups of steps become groups of as many steps of what is read: there is room outside of it
        for all records that steps lead to, and start from."""
        return self.databases.size[1] is None

    def differ(self, left: Side, right: Side) -> bool:
        """Whether some two databases differ by records of these atoms.

        A record that both have is no difference: some other pairs match then, at no higher cost.
        """
        alone = any(len(self.atoms[number].records) < 2 for number in {*left} & {*right})
        twice = any(len({*left, *right} & {*some}) > 1 for some in self.databases.copies)
        return not alone and not twice and self.databases.differ(len(left), len(right))

    def pair(self, left: Side, right: Side) -> Pair:
        """The smallest two databases that do."""
        return smallest_pair(self.databases, left, right)

    def of_one_size(self, inside: frozenset[int]) -> bool:
        """Whether all databases have the same number of records of some atoms: then none comes or goes."""
        word, n = self.databases.size
        return n == 0 or (word == "exactly" and len(inside) == len(self.atoms))

    def usable(self, edges: frozenset[Edge], inside: frozenset[int]) -> frozenset[Edge]:
        """The edges by which some records of these atoms, as databases have them, lead to others."""
        if self.databases.size[1] == 0:
            return frozenset()
        fixed = self.of_one_size(inside)
        return frozenset(edge for edge in edges if not (fixed and NOTHING in edge))

    def around(self, atoms: Iterable[int]) -> frozenset[int]:
        """Some atoms, and those that are there where these are."""
        found, more = frozenset[int](), frozenset(atoms)
        while more != found:
            found, more = more, more.union(*(self.databases.beside[number] for number in more))
        return found

    def universes(self, ends: frozenset[int], joined: frozenset[int]) -> Iterator[frozenset[int]]:
        """Some atoms, and of those that are joined with these one for each record that lies in one of several
        places, in all ways."""
        apart = (some for some in self.databases.copies if ends.isdisjoint(some))
        others = [some for some in apart if not joined.isdisjoint(some)]
        if prod(map(len, others)) > MOST_UNIVERSES:
            raise NoCover(
                f"distances depend on how {len(others):,} records lie among the parts, in more than "
                f"{MOST_UNIVERSES} ways; fewer of them would do, or parts written out"
            )
        return (ends.union(places) for places in product(*others))

    def gathered(self, ends: frozenset[int], joined: frozenset[int]) -> Iterator[frozenset[int]]:
        """Some atoms, and of the records joined with these the copies at one place; for each place."""
        others = [some for some in self.databases.copies if ends.isdisjoint(some)]
        others = [some for some in others if not joined.isdisjoint(some)]
        for place in range(len(self.databases.copies[0])):
            yield ends.union(some[place] for some in others)

    def gathered_but_one(self, ends: frozenset[int], joined: frozenset[int]) -> Iterator[frozenset[int]]:
        """The same with one of these at another place."""
        for there in self.gathered(ends, joined):
            for copies in self.databases.copies:
                if ends.isdisjoint(copies) and not there.isdisjoint(copies):
                    yield from (there.difference(copies) | {other} for other in {*copies} - there)


class OfSets(Room):
    """Sets: a record is there once at most, so that enough others are needed; atoms have all records."""

    groups_pushed = False

    def _many(self, atoms: frozenset[int]) -> int:
        """How many records there are of some atoms."""
        return sum(len(self.atoms[atom].records) for atom in atoms)

    def _rest(self, left: Side, right: Side) -> list[str]:
        """The records that neither side has."""
        taken = Counter((*left, *right))
        return [x for number, atom in enumerate(self.atoms) for x in atom.records[taken[number] :]]

    def differ(self, left: Side, right: Side) -> bool:
        taken = Counter((*left, *right))
        if any(len(self.atoms[number].records) < many for number, many in taken.items()):
            return False
        shared = self.databases.shared(len(left), len(right))
        return self.databases.differ(len(left), len(right)) and shared <= len(self._rest(left, right))

    def pair(self, left: Side, right: Side) -> Pair:
        taken: Counter[int] = Counter()

        def records_of(side: Side) -> list[str]:
            found = []
            for number in side:
                found.append(self.atoms[number].records[taken[number]])
                taken[number] += 1
            return found

        D, E = records_of(left), records_of(right)
        same = self._rest(left, right)[: self.databases.shared(len(left), len(right))]
        return tuple(sorted(D + same)), tuple(sorted(E + same))

    def of_one_size(self, inside: frozenset[int]) -> bool:
        word, n = self.databases.size
        fewest = n if word == "exactly" and n is not None else self.databases.least
        here, outside = self._many(inside), self._many(frozenset(range(len(self.atoms))) - inside)
        most = here if n is None else min(n, here)
        return max(0, fewest - outside) >= most


class OfTuples(Room):
    """Tuples: one record at each place, which another one at the same place may follow."""

    groups_pushed = True

    def differ(self, left: Side, right: Side) -> bool:
        here, there = ([self.databases.places[number] for number in side] for side in (left, right))
        alone = any(len(self.atoms[number].records) < 2 for number in {*left} & {*right})
        return not alone and sorted(here) == sorted(there) and len({*here}) == len(here)

    def pair(self, left: Side, right: Side) -> Pair:
        taken = set(left)
        D = (self.atoms[number].records[0] for number in left)
        E = (self.atoms[number].records[1 if number in taken else 0] for number in right)
        return tuple(D), tuple(E)


ROOMS: dict[str, type[Room]] = {"multisets": Room, "sets": OfSets, "tuples": OfTuples}
"""The rooms of what records form."""


def room(databases: Databases) -> Room:
    """The room of a class."""
    return ROOMS[databases.of](databases)
