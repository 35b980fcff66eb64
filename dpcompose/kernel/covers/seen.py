"""What a mechanism sees of records: some as they are, some as one record, and of others nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dpcompose.kernel.core.settings import NOTHING, Edge
from dpcompose.kernel.covers.rooms import Side


class Seen:
    """A map of records: D becomes what each of its records becomes, or nothing.

    inside -- the atoms that are read; codes -- of these, those whose records all become one, which is called
    by the first of its atoms; the others are read as they are.

    >>> Seen(frozenset({0, 1, 2}), [(1, 2)]).sides((0, 1, 1), (2, 3))
    ((0, 1), ())
    """

    def __init__(self, inside: frozenset[int], codes: Iterable[Sequence[int]] = ()) -> None:
        self.inside = inside
        self.of = {atom: atom for atom in inside}
        self.of |= {atom: min(code) for code in codes for atom in code}
        self.single = frozenset(min(code) for code in codes)
        """The records that stand for several: two of them are equal."""

    def __call__(self, atom: int) -> int:
        return self.of.get(atom, NOTHING)

    def sides(self, left: Side, right: Side) -> tuple[Side, Side]:
        """What is seen of records that only one of two databases has: equal ones are no difference."""
        here, there = (
            sorted(self.of[number] for number in side if number in self.of) for side in (left, right)
        )
        if self.single:
            both = Counter(here) & Counter(there)
            for number in self.single & both.keys():
                for numbers in (here, there):
                    del numbers[numbers.index(number) : numbers.index(number) + both[number]]
        return tuple(here), tuple(there)

    def contracted(self, edges: Iterable[Edge]) -> frozenset[Edge]:
        """The policy of what is seen: each edge joins what its ends become, if that is two."""
        found = {(min(self(x), self(y)), max(self(x), self(y))) for x, y in edges}
        return frozenset(found - {(number, number) for number in (NOTHING, *self.single)})

    def stuck(self, edges: Iterable[Edge]) -> Edge | None:
        """A record, and what no step of its own leads to, though one of a record does that is seen as the
        same; None where there is none: then each step of what is seen is one of any records seen so.

        >>> Seen(frozenset(range(4)), [(2, 3)]).stuck([(0, 2), (3, 1)])
        (2, 1)
        """
        led = {(x, self(y)) for edge in edges for x, y in (edge, edge[::-1])}
        seen = {(self(x), y) for x, y in led if self(x) != y}
        alone = ((x, y) for x, code in sorted(self.of.items()) for c, y in sorted(seen) if c == code)
        return next((step for step in alone if step not in led), None)

    def among(self, edges: Iterable[Edge]) -> frozenset[Edge]:
        """The edges between what is seen, or from that to nothing."""
        there = {NOTHING, *self.of.values()}
        same = {(number, number) for number in self.single}
        return frozenset(edge for edge in edges if {*edge} <= there and edge not in same)
