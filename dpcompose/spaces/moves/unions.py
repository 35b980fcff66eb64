"""Neighbours of either of two granularities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.given import Neighbours, neighbours
from dpcompose.spaces.moves.blocks import Blocks
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity


@frozen(repr=False)
class Union(Granularity):
    """Neighbours of either of two granularities.

    one, other -- the two, in the order of their names.
    """

    made_from = ("one", "other")

    one: Granularity
    other: Granularity

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.one} or {self.other}"

    @property
    def by_asking(self) -> bool:  # type: ignore[override]
        return self.one.by_asking or self.other.by_asking

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError("a union may count steps inside a class: ask relates(D, E, databases)")

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        return any(granularity.relates(D, E, databases) for granularity in self.made_of)

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        every = (E for granularity in self.made_of for E in granularity.neighbours(D, databases))
        return iter(dict.fromkeys(every))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        both = self.one.edits(databases), self.other.edits(databases)
        if any(edits is not None and edits.single is None for edits in both):
            return Edits(None)
        singles = [edits.single for edits in both if edits is not None and edits.most == 1]
        if len(singles) < 2 or singles[0] is None or singles[1] is None:
            return None
        return Edits(singles[0] | singles[1])

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        both = [granularity.blocks(shape) for granularity in self.made_of]
        sets = [blocks.sets for blocks in both if blocks is not None and blocks.most == 1]
        return None if len(sets) < 2 else Blocks(sets[0] | sets[1])

    def of_each(self, changed: Callable[[Granularity], Granularity]) -> Granularity:
        return union(changed(self.one), changed(self.other))

    @property
    def reach(self) -> int | None:
        both = [granularity.reach for granularity in self.made_of]
        return None if None in both else max(reach for reach in both if reach is not None)

    def data(self) -> str | dict[str, Any]:
        return {"union": [self.one.data(), self.other.data()]}

    @property
    def either(self) -> tuple[Granularity, ...]:
        return self.made_of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Union) and (self.one, self.other) == (other.one, other.other)

    def __hash__(self) -> int:
        return hash((self.one, self.other))


def union(granularity: Neighbours, other: Neighbours) -> Granularity:
    """The granularity whose neighbours are those of either of two.

    Its canonical metric is by shortest paths; for add/remove or replace-one neighbours on multisets it is
    max(|D∖E|, |E∖D|).  The order of the two does not matter.

    granularity, other -- the two, or their names, or graphs.  Raises TypeError, ValueError for what is none,
    and ValueError for groups of any number of steps.

    >>> import dpcompose as dpc
    >>> either = dpc.union(dpc.unbounded, dpc.bounded)
    >>> either
    bounded or unbounded neighbours
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), either)(("a", "a", "a"), ("b",))
    3
    """
    first, second = sorted((neighbours(granularity), neighbours(other)), key=str)
    if of_any := next((each for each in (first, second) if each.single_step is not each), None):
        raise ValueError(
            f"a union is of granularities with a number of steps, and {of_any} has any number: "
            "a composition for each of the two, or a group of their union, would do"
        )
    return first if first == second else Union(first, second)
