"""Metrics that have a name, which need not be canonical: each says what it is, in words, and to the kernel.

How far two databases are apart is a formula in the coordinates of both, in how many records differ, or in
other metrics; or a table says it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.spaces.canonical.points import Values, gone_through
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import Query
from dpcompose.spaces.moves.built_in import free_lunch
from dpcompose.spaces.moves.granularities import Granularity

Far = Fraction | None
"""How far apart two databases are; None: ∞."""
Pairwise = Callable[[Database, Database], Far]


def counted(granularity: Granularity) -> Granularity:
    """A granularity whose steps a canonical metric counts.

    Raises ValueError where a step is as many single ones as a letter m says: of ⌈d/m⌉, which that metric is
    where d counts single ones, there is no formula.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> from dpcompose.spaces.classes.sizes import COUNT
    >>> from dpcompose.spaces.moves.built_in import bounded
    >>> from dpcompose.spaces.moves.groups import group
    >>> counted(group(2, bounded))
    group of 2 bounded neighbours
    >>> counted(group(letter("m", COUNT), bounded))
    Traceback (most recent call last):
    ValueError: in metrics a number of steps is a number, and no parameter, as it is of group of m bounded \
neighbours; a number of steps would do
    """
    if granularity.times is not None:
        raise ValueError(
            "in metrics a number of steps is a number, and no parameter, as it is of "
            f"{granularity} neighbours; a number of steps would do"
        )
    return granularity


class NotOutside(ValueError):
    """A metric on what a study reads cannot be stated on the whole; the message says which."""


@frozen
class Input:
    """What is compared of a part, as the input of a mechanism is: a map of it, in steps of neighbours.

    query -- that of which the value is compared, where it is one.
    """

    part: str
    granularity: Granularity = free_lunch
    reads: Map = everything
    domain: str = "own"
    query: Query | None = None


@frozen
class Outside:
    """Where a study stands in a larger one: what it reads, and what is known of both.

    part -- the part that it is about, "" for the whole; reads -- the map, if it reads one; inner, outer --
    the classes, where they are no products; formula, values -- a formula, or values, of the study as those
    outside; declared -- what values are called there of which only a bound is known.
    """

    part: str
    reads: Map
    inner: DatabaseClass | None
    outer: DatabaseClass | None
    formula: Callable[[Term], Term]
    values: Callable[[Values], Values]
    declared: Callable[[str], str]

    @property
    def listed(self) -> DatabaseClass | None:
        """The class of the study, where both classes are gone through."""
        both = all(
            database_class is not None and gone_through(database_class) is not None
            for database_class in (self.inner, self.outer)
        )
        return self.inner if both else None


class Distance:
    """How far two databases are apart.

    by_definition -- whether it is known to be a metric; unsaid -- whether no file says it; in_a_table --
    whether it is said pair by pair.
    """

    by_definition: bool = False
    unsaid: bool = False
    in_a_table: bool = False

    @property
    def made_of(self) -> Term | None:
        """The formula in other metrics that it is made of, if it is."""
        return None

    @property
    def equal_to(self) -> Term | None:
        """The formula in other metrics that it is, if it is one."""
        return None

    def words(self) -> Sequence[str | Term]:
        """What it is, in words and formulas."""
        return ["of which only a bound is known"]

    def told(self, term: Callable[[Term], Term]) -> dict[str, Any]:
        """What a core setting says of it, where it is no input of a part; term -- a formula in its letters.

        Of what is not known nothing is told.
        """
        return {}

    @property
    def input(self) -> Input | None:
        """As the input of a mechanism that reads one part; None where it is none."""
        return None

    def on_listed(
        self, elements: Sequence[Database], size: Callable[[Database], int], term: Callable[[Term], Term]
    ) -> dict[str, Any]:
        """What a core setting says besides of that mechanism where databases are listed."""
        return {}

    @property
    def is_whole(self) -> bool:
        """Whether it is one of whole databases, as far as it is made of no others."""
        return False

    @property
    def over_fibres(self) -> bool:
        """Whether it is closed over the fibres of a map, as on the common domain."""
        return False

    @property
    def at_the_nearest(self) -> bool:
        """Whether it is that of the nearest databases with the same values of a map, on the common domain."""
        return False

    @property
    def counted(self) -> Granularity | None:
        """The granularity whose steps between whole databases it counts; None where it counts none."""
        return None

    def counted_of(self, reads: Map, domain: str | None) -> Granularity | None:
        """The granularity whose steps it counts on what a map reads; None where it counts none, or those of
        something else."""
        return self.counted if reads.is_everything else None

    @property
    def pairwise(self) -> Pairwise | None:
        """How far two whole databases are apart, where that is listed pair by pair."""
        return None

    def is_of(self, values: Values) -> bool:
        """Whether it compares these values."""
        return False

    def of_input(self, reads: Map, domain: str) -> Distance | None:
        """The same of what a map reads, on the domain of a guarantee; None where that is not known."""
        return None

    def over(self, values: Values, coordinates: Collection[str]) -> Distance | None:
        """The same closed over the fibres of a map of points; None where that is not known."""
        return None

    def regarding(self, change: Callable[[Granularity], Granularity]) -> Distance:
        """The same in steps of other neighbours, where it counts such."""
        return self

    def reading(self, change: Callable[[Map], Map]) -> Distance:
        """The same of other inputs."""
        return self

    # of a study, in what that is part of

    def outside(self, to: Outside) -> Distance:
        """The same about the databases outside.  Raises NotOutside."""
        return self.of_part(to) if to.reads.is_everything else self.of_read(to)

    def of_part(self, to: Outside) -> Distance:
        """The same of the part that a study is about."""
        return self

    def of_read(self, to: Outside) -> Distance:
        """The same of what a study reads.  Raises NotOutside."""
        raise NotOutside(f"{type(self).__name__} is about what the study reads, which is no part")


@frozen
class Declared(Distance):
    """How far values are apart about which nothing else is known: at most the bound that is declared.

    of -- which values: two such metrics are different ones, also where the same bound is declared of both.
    """

    of: str

    def outside(self, to: Outside) -> Distance:
        return Declared(to.declared(self.of))


@frozen
class Made(Distance):
    """A formula in other metrics: a weighted sum, a maximum, a minimum with a number, …"""

    formula: Term

    is_whole = True

    @property
    def made_of(self) -> Term:
        return self.formula

    @property
    def equal_to(self) -> Term | None:
        return self.formula

    def words(self) -> Sequence[str | Term]:
        return [self.formula]

    def told(self, term: Callable[[Term], Term]) -> dict[str, Any]:
        return {"formula": to_text(term(self.formula))}

    def outside(self, to: Outside) -> Distance:
        return replace(self, formula=to.formula(self.formula))


@frozen
class Apart(Made):
    """0 times a metric: 0 where it is finite, and ∞ where it is ∞.

    A mechanism with ε = 0 always says the same of databases between which there is a path; of others nothing
    is known.
    """

    unsaid = True
    equal_to = None

    def words(self) -> Sequence[str | Term]:
        return ["oo where ", self.formula, " is, and 0 elsewhere"]

    def told(self, term: Callable[[Term], Term]) -> dict[str, Any]:
        return {**super().told(term), "apart": True}


@frozen
class Within(Made):
    """What a claim for neighbours has beside it: 0 where a metric is at most a radius, and ∞ elsewhere.

    called -- who these neighbours are, in words, where they have a name.
    """

    radius: Term
    called: str = ""

    unsaid = True
    equal_to = None

    def words(self) -> Sequence[str | Term]:
        return ["0 where ", self.formula, " is at most ", self.radius, ", and oo elsewhere"]

    def told(self, term: Callable[[Term], Term]) -> dict[str, Any]:
        return {**super().told(term), "within": to_text(term(self.radius))}


@frozen
class NamedMetric:
    """A metric on the databases of a product, under the name that formulas have for it.

    at_most -- a formula in other metrics that is declared to be no smaller.
    """

    name: str
    distance: Distance
    at_most: Term | None = None
