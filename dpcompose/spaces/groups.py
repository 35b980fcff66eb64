"""Groups of any number of steps: m people at once, for every m."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcompose.kernel.contributions import is_count
from dpcompose.kernel.domains import Domain
from dpcompose.kernel.terms import Term, letter
from dpcompose.language import formulas
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.edits import Edits
from dpcompose.spaces.granularities import LARGEST_GROUP, Granularity, Group
from dpcompose.spaces.multisets import Multisets


@dataclass(frozen=True, repr=False)
class AnyGroup(Granularity):
    """G^m for a parameter m: different databases that at most m steps of G lead to each other.

    m -- a letter for a whole number from 1; of -- G, on multisets of any size.
    """

    by_asking = False

    m: Term
    of: Granularity

    @property
    def times(self) -> Term:
        return self.m

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"group of {formulas.to_text(self.times)} {self.of}"

    @property
    def letters(self) -> Mapping[str, Domain]:
        return self.times.letters

    def at(self, point: Mapping[str, Fraction]) -> Granularity:
        name = str(self.times)
        if name not in point:
            return self
        if point[name] > LARGEST_GROUP:
            raise ValueError(f"groups of {point[name]} steps are not gone through")
        return Group(int(point[name]), self.of) if point[name] > 1 else self.of

    @property
    def single_step(self) -> Granularity:
        return self.of

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError(f"{self} neighbours are those of a number {self.times} of steps")

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        return self.are_neighbours(D, E)

    def edits(self, databases: DatabaseClass) -> Edits | None:
        """Those of a single step: which atoms there are, and how many parts are touched, depends on these."""
        return self.of.edits(databases)

    def unfit(self, databases: DatabaseClass) -> str | None:
        sizes = databases.sizes if isinstance(databases, Multisets) else None
        if sizes is None or sizes.n is not None:
            return (
                f"a {self} neighbour is reached by any number of steps, which needs multisets of any size, "
                f"not {databases}; a number of steps would do"
            )
        return self.of.unfit(databases)

    @property
    def built_in(self) -> bool:
        return self.of.built_in

    @property
    def names(self) -> frozenset[str]:
        return self.of.names

    @property
    def partial(self) -> bool:
        return self.of.partial

    def data(self) -> dict[str, Any]:
        return {"group": formulas.to_text(self.times), "of": self.of.data()}


def group(m: object, of: Granularity) -> Granularity:
    """G^m: different databases that at most m steps of the granularity `of` lead to each other.

    m -- a whole number of steps, from 1; a group of groups counts the innermost steps, up to 1,000; or a name
    or symbol for any whole number from 1, on multisets of any size.  The canonical metric is ⌈d_G/m⌉.  As a
    target it is what G-privacy says of m people at once.

    >>> import dpcompose as dpc
    >>> pairs_at_once = dpc.group(2, dpc.bounded)
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), pairs_at_once)(["a"] * 5, ["b"] * 5)
    3
    >>> M = dpc.mechanism("M", dpc.pure("e", dpc.bounded))
    >>> dpc.compose(M, on=dpc.multisets(), target=dpc.group("m", dpc.bounded)).guarantee().epsilon
    e*m
    """
    named = formulas.names(m) if isinstance(m, str) else ()
    if not named and not isinstance(m, Term) and not formulas.is_expression(m):
        return Group(m, of)  # type: ignore[arg-type]
    times = formulas.term(m, {one: letter(one, COUNT) for one in named} or None)
    if (number := times.number) is not None and number.denominator == 1:
        return Group(int(number), of)
    if times.kind != "letter" or not is_count(times):
        raise ValueError(f'a group counts a number of steps, or a parameter such as "integer >= 1", not {m}')
    if of.innermost()[1] > 1 or of.single_step is not of or of.is_counted_elsewhere or of.by_rows:
        raise ValueError(f"a group of any number of steps is of single ones, which {of} are not")
    return AnyGroup(times, of)


COUNT = Domain.read("integer >= 1")
"""The values of letters for numbers of steps, where nothing else is said of them."""
