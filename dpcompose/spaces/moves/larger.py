"""Relations counted in a larger class: databases of one size that are a few steps apart among all sizes.

Where all databases have n records, none is one record short of another, and groups of unbounded neighbours
say nothing.  Counted among databases of any size, a record that is replaced is two such steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.given import Neighbours, neighbours
from dpcompose.spaces.moves.built_in import bounded, unbounded
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import LARGEST_GROUP, Group

ANY_SIZE = "any size"


@frozen(repr=False)
class WithinAnySize(Granularity):
    """Different databases of the class that at most m steps lead to each other, through any sizes.

    m -- at least 1; of -- the single steps, on multisets or sets.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> from dpcompose.spaces.moves.built_in import unbounded
    >>> two = within_any_size(2, unbounded)
    >>> two.relates(("a", "b"), ("b", "c"), multisets("abc", size="= 2"))
    True
    """

    by_asking = False
    is_counted_elsewhere = True
    made_from = ("of",)

    m: int
    of: Granularity

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.m} {self.of} {'step' if self.m == 1 else 'steps'} within any size"

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError("steps through any sizes are counted for a class: ask relates(D, E, databases)")

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        return D != E and Group(self.m, self.of).relates(D, E, databases.of_sizes(Size()))

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        of_any_size = Group(self.m, self.of).neighbours(D, databases.of_sizes(Size()))
        return (E for E in of_any_size if E in databases)

    def edits(self, databases: DatabaseClass) -> Edits | None:
        edits = Group(self.m, self.of).edits(databases)
        if edits is None or edits.single is None or databases.sizes == Size():
            return edits
        return replace(edits, elsewhere=True)

    def inside(self, databases: DatabaseClass) -> Granularity:
        """Groups of steps of the class: records that come and go take turns, and where all databases have as
        many records two such steps replace one; steps that replace records keep the size.

        >>> from dpcompose.spaces.moves.built_in import unbounded
        >>> from dpcompose.spaces.classes.multisets import multisets
        >>> two, many = (within_any_size(m, unbounded) for m in (2, 5))
        >>> two.inside(multisets(size="= 3")), many.inside(multisets(size="= 3")), two.inside(multisets())
        (bounded neighbours, group of 2 bounded neighbours, group of 2 unbounded neighbours)
        """
        exactly, letters = databases.sizes.exactly, databases.sizes.letters
        if not databases.unordered or self.of not in (unbounded, bounded) or (letters and not exactly):
            return self
        halved = self.of == unbounded and exactly
        m, of = (self.m // 2, bounded) if halved else (self.m, self.of)
        return self if m == 0 else of if m == 1 else Group(m, of)

    def unfit(self, databases: DatabaseClass) -> str | None:
        if not databases.unordered:
            fitting = "they are about multisets and sets"
            return f"steps through any sizes have no meaning on {databases.kind}: {fitting}"
        return super().unfit(databases)

    def data(self) -> dict[str, Any]:
        return {"steps": self.m, "of": self.of.data(), "within": ANY_SIZE}


def within_any_size(m: int, of: Neighbours) -> WithinAnySize:
    """The granularity of databases that are at most m steps apart among databases of any size.

    m -- a whole number of steps, from 1; of -- a granularity on multisets or sets, or its name.  Where
    sizes have no limits it is the group of m steps.  Where all databases have n records, two unbounded steps
    are one bounded step.

    Raises ValueError for numbers below 1, and for groups.

    >>> import dpcompose as dpc
    >>> people = dpc.multisets({"a", "b"}, size="= 3")
    >>> d = dpc.canonical_metric(people, dpc.within_any_size(2, dpc.unbounded))
    >>> d(["a", "a", "a"], ["b", "b", "b"])
    3
    """
    if type(m) is not int or not 1 <= m <= LARGEST_GROUP:
        raise ValueError(f"1 to {LARGEST_GROUP:,} steps are counted, not {m!r}")
    of = neighbours(of)
    if of.innermost()[1] > 1 or of.single_step is not of or isinstance(of, WithinAnySize):
        raise ValueError(f"single steps are counted, and {of} neighbours are several already")
    return WithinAnySize(m, of)
