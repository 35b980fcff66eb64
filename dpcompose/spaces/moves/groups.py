"""Groups: as many steps as a number or a letter says, m people at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, letter
from dpcompose.language import formulas
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.classes.sizes import COUNT
from dpcompose.spaces.given import Neighbours, neighbours
from dpcompose.spaces.moves.blocks import Blocks
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity


@frozen(repr=False)
class Group(Granularity):
    """G^m: different databases that at most m steps of G, inside the class, lead to each other.

    of -- G; m -- at least 1.  A group of groups counts the steps of the innermost one.

    >>> from dpcompose.spaces.moves.built_in import bounded
    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> pairs_at_once = Group(2, bounded)
    >>> str(pairs_at_once), pairs_at_once.relates(("a", "a"), ("b", "c"), multisets("abc"))
    ('group of 2 bounded', True)
    """

    by_asking = False
    made_from = ("of",)

    m: int
    of: Granularity

    def __post_init__(self) -> None:
        if type(self.m) is not int or self.m < 1 or self.innermost()[1] > LARGEST_GROUP:
            raise ValueError(f"a group counts 1 to {LARGEST_GROUP:,} steps in all, not {self.m!r}")
        if self.of.single_step is not self.of:
            raise ValueError(f"a group of a group of {self.of.times} steps is not supported")
        if self.m > 1 and self.of.is_counted_elsewhere:
            raise ValueError(f"groups are of steps inside of the class, which {self.of} are not")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The innermost granularity with the number of its steps."""
        single, steps = self.innermost()
        return f"group of {steps} {single}"

    def innermost(self) -> tuple[Granularity, int]:
        single, steps = self.of.innermost()
        return single, steps * self.m

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TypeError("a group counts steps inside a class: ask relates(D, E, databases)")

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The databases at most m steps away, nearest first."""
        seen = layer = {D: None}
        for _ in range(self.m):
            layer = {E: None for at in layer for E in self.of.neighbours(at, databases) if E not in seen}
            seen = seen | layer
            yield from layer

    def edits(self, databases: DatabaseClass) -> Edits | None:
        single = self.of.edits(databases)
        if single is None or single.single is None:
            return single
        return Edits(single.single, single.most * self.m)

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        single = self.of.blocks(shape)
        return None if single is None else replace(single, most=single.most * self.m)

    def data(self) -> str | dict[str, Any]:
        single, steps = self.innermost()
        return {"group": steps, "of": single.data()}

    def reaches(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        single, steps = self.innermost()
        if single.form is not None and D in databases and E in databases:
            return single.distance(D, E) <= steps
        return any(neighbour == E for neighbour in self.neighbours(D, databases))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.innermost() == other.innermost()

    def __hash__(self) -> int:
        return hash(self.innermost())


LARGEST_GROUP = 1_000
"""The most steps that a group counts."""


@frozen(repr=False)
class AnyGroup(Granularity):
    """G^m for a parameter m: different databases that at most m steps of G lead to each other.

    m -- a letter for a whole number from 1; of -- G, on multisets of any size, on products of cells, or on
    listed databases.
    """

    by_asking = False
    made_from = ("of",)

    m: Term
    of: Granularity

    @property
    def times(self) -> Term:
        return self.m

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"group of {formulas.to_text(self.times)} {self.of}"

    @property
    def parameters(self) -> Mapping[str, Domain]:
        return {**self.times.letters, **super().parameters}

    def at(self, point: Mapping[str, Fraction]) -> Granularity:
        name, of = str(self.times), self.of.at(point)
        if name not in point:
            return replace(self, of=of)
        if point[name] > LARGEST_GROUP:
            raise ValueError(f"groups of {point[name]} steps are not gone through")
        return Group(int(point[name]), of) if point[name] > 1 else of

    @property
    def single_step(self) -> Granularity:
        return self.of

    def are_neighbours(self, D: Database, E: Database) -> bool:
        raise TooLarge(f"which databases are {self} neighbours depends on {self.times}, which has no value")

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        return self.are_neighbours(D, E)

    def edits(self, databases: DatabaseClass) -> Edits | None:
        """Those of a single step: which atoms there are, and how many parts are touched, depends on these."""
        return self.of.edits(databases)

    def unfit(self, databases: DatabaseClass) -> str | None:
        product = databases.cells is not None and databases.larger() == databases
        if not (databases.twice or product or databases.is_listed):
            return (
                f"a {self} neighbour is reached by any number of steps, which needs multisets, "
                f"tuples of one length, graphs on some vertices or listed databases, not {databases}; a "
                "number of steps would do"
            )
        return super().unfit(databases)

    def data(self) -> dict[str, Any]:
        return {"group": formulas.to_text(self.times), "of": self.of.data()}


def group(m: object, of: Neighbours) -> Granularity:
    """G^m: different databases that at most m steps of the granularity `of` lead to each other.

    m -- a whole number of steps, from 1; a group of groups counts the innermost steps, up to 1,000; or a name
    or symbol for any whole number from 1, on multisets of any size; of -- a granularity, a name or a graph.
    The canonical metric is ⌈d_G/m⌉.  As a target it is what G-privacy says of m people at once.

    Raises TypeError, ValueError for what is no granularity, and ValueError for numbers below 1, or too large.

    >>> import dpcompose as dpc
    >>> pairs_at_once = dpc.group(2, dpc.bounded)
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), pairs_at_once)(["a"] * 5, ["b"] * 5)
    3
    >>> M = dpc.mechanism("M", dpc.pure("e", dpc.bounded))
    >>> dpc.compose(M, on=dpc.multisets(), target=dpc.group("m", dpc.bounded)).guarantee().epsilon
    e*m
    """
    of = neighbours(of)
    named = formulas.names(m) if isinstance(m, str) else ()
    if not named and not isinstance(m, Term) and not formulas.is_expression(m):
        return Group(m, of)  # type: ignore[arg-type]
    times = formulas.term(m, {symbol: letter(symbol, COUNT) for symbol in named} or None)
    if (number := times.number) is not None and number.denominator == 1:
        return Group(int(number), of)
    if times.kind != "letter" or not is_count(times):
        raise ValueError(f'a group counts a number of steps, or a parameter such as "integer >= 1", not {m}')
    if of.innermost()[1] > 1 or of.single_step is not of or of.is_counted_elsewhere:
        raise ValueError(f"a group of any number of steps is of single ones, which {of} are not")
    return AnyGroup(times, of)
