"""Granularities: which databases are neighbours (GB Def. III.1).

A granularity is a symmetric relation, and one method says it: `are_neighbours(D, E)`.
Everything else, the neighbourhood graph, the canonical metric, the profile of a
composition, follows.  To add one, write a class with that method, or use `relation`
(from a predicate), `steps` (from an edit function) or `pairs` (from a list); `group` makes
a coarser one of another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.shown import Shown
from dpcompose.spaces.classes.databases import Counts, Database, DatabaseClass
from dpcompose.spaces.inputs.parts import Part
from dpcompose.spaces.moves.blocks import Blocks
from dpcompose.spaces.moves.edits import Edits

if TYPE_CHECKING:
    from dpcompose.spaces.arrays.layouts import Layout


class NotSymmetric(ValueError):
    """The relation holds from D to E and not from E to D; the message names the pair."""


@frozen
class Meaning:
    """What neighbours are: `short`, in one clause, and what `help` says after it."""

    short: str = ""
    more: str = ""

    def __str__(self) -> str:
        return f"{self.short[:1].upper()}{self.short[1:]}{self.more}"


class Granularity(Shown, ABC):
    """A symmetric relation on databases; a database is not its own neighbour."""

    name: str
    means: Meaning = Meaning()

    def __post_init__(self) -> None:
        if means := str(self.means):  # one value has a docstring of its own
            object.__setattr__(self, "__doc__", means)

    by_asking: ClassVar[bool] = True
    """Whether its neighbours are found by asking about every pair of databases."""

    @abstractmethod
    def are_neighbours(self, D: Database, E: Database) -> bool:
        """Whether D and E are neighbours."""

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The neighbours of D in a finite class.  Override where they can be listed directly."""
        return (E for E in databases.databases() if E != D and self.relates(D, E, databases))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        """The counted edits that lead from a database of the class to its neighbours, where these say all.

        None for relations that are not given by counted edits.
        """
        return None

    @property
    def changed(self) -> frozenset[Counts]:
        """How many records of the one, and of the other of two neighbours the other has not, in all ways in
        which single steps change multisets; none where these are not of records."""
        return frozenset()

    def by_counts(self, databases: DatabaseClass) -> bool:
        """Whether all that matters is how many records two databases differ in, or at how many positions."""
        if self.made_of:
            return all(granularity.by_counts(databases) for granularity in self.made_of)
        return self.edits(databases) is not None

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        """The blocks of cells, in a class that is a product, that neighbours differ in; None where they are
        not given by blocks."""
        return None

    def any_two(self, databases: DatabaseClass) -> bool:
        """Whether any two databases are neighbours, whatever the class."""
        edits = self.edits(databases)
        return edits is not None and edits.single is None

    @property
    def reach(self) -> int | None:
        """In how many positions, one after the other, neighbours differ at most, whatever the length; None
        where that has no limit, or they need not be one after the other."""
        return None

    def data(self) -> str | dict[str, Any]:
        """The granularity as a problem file names it."""
        return str(self)

    form: ClassVar[str | None] = None
    """The closed form of the canonical metric that `distance` is, as fact pages call it; None without one."""

    def distance(self, D: Database, E: Database) -> int:
        """The canonical metric in closed form, where there is a form."""
        raise TypeError(f"no closed form of the {self.name} metric is known")

    def pair_apart(self, databases: DatabaseClass, m: int) -> tuple[Database, Database] | None:
        """Two databases of the class that are m steps apart, where these are easily named."""
        return None

    def is_known(self, named: Mapping[str, Granularity]) -> bool:
        """Whether problem files know it, by its name as one of those given or by how it is made."""
        if self.made_of:
            return all(granularity.innermost()[0].is_known(named) for granularity in self.made_of)
        return named.get(self.name) == self

    made_from: ClassVar[tuple[str, ...]] = ()
    """Under which names it has the granularities that it is made of."""

    @property
    def made_of(self) -> tuple[Granularity, ...]:
        """The granularities that it is made of: a group of that of its steps, a union of both."""
        return tuple(getattr(self, name) for name in self.made_from)

    def of_each(self, changed: Callable[[Granularity], Granularity]) -> Granularity:
        """The same with others in place of those that it is made of."""
        others: dict[str, Any] = {name: changed(getattr(self, name)) for name in self.made_from}
        return replace(self, **others) if others else self  # type: ignore[type-var]

    @property
    def either(self) -> tuple[Granularity, ...]:
        """The granularities whose neighbours are its own, taken together: itself, where it is no union."""
        return (self,)

    @property
    def edit_function(self) -> Callable[[Database], Iterable[Database]] | None:
        """D ↦ databases among which all neighbours of D are, where a function of one's own says it."""
        return None

    @property
    def neighbour_pairs(self) -> frozenset[tuple[Database, Database]] | None:
        """The neighbouring pairs, where they are listed."""
        return None

    @property
    def names(self) -> frozenset[str]:
        """The records that it names."""
        return frozenset[str]().union(*(granularity.names for granularity in self.made_of))

    by_cells: ClassVar[bool] = False
    """Whether neighbours are told by the cells in which they differ, whatever these have."""

    by_rows: ClassVar[bool] = False
    """Whether neighbours are told by how many rows a person has in how many parts."""

    @property
    def contributed(self) -> dict[str, str]:
        """What one person contributes, as core settings say it, where neighbours are told by rows."""
        return {}

    def in_room(
        self,
        pair: tuple[Any, Any],
        steps: int,
        databases: DatabaseClass,
        outside: Sequence[str],
        numbers: Sequence[int],
    ) -> Iterator[tuple[Any, Any]]:
        """Two databases with the rows of a pair, of as many persons as there are steps, each row as often as
        one of the numbers says; they have as many rows as there is room for.

        outside -- a row that lies in no part, and one that comes in its place.  There are none where
        neighbours are not told by rows.
        """
        return iter(())

    partitions: tuple[tuple[frozenset[str], ...], ...] | None = None
    """The parts in which rows are counted, where they are known."""

    is_counted_elsewhere: ClassVar[bool] = False
    """Whether its steps lead through databases that the class may not have."""

    @property
    def parameters(self) -> Mapping[str, Domain]:
        """The parameters on which it depends, with their values."""
        return {name: x for granularity in self.made_of for name, x in granularity.parameters.items()}

    @property
    def divisions(self) -> tuple[Part, ...]:
        """The partitions with a symbolic number of parts of which it speaks."""
        return tuple(part for granularity in self.made_of for part in granularity.divisions)

    def placed(self, partitions: Mapping[str, tuple[frozenset[str], ...]]) -> Granularity:
        """The same where it is known which sets of records are the parts, by the names of partitions."""
        return self.of_each(lambda granularity: granularity.placed(partitions))

    def at(self, point: Mapping[str, Fraction]) -> Granularity:
        """The same with numbers in place of parameters."""
        return self.of_each(lambda granularity: granularity.at(point))

    @property
    def times(self) -> Term | None:
        """A parameter for how many steps it counts, where it counts as many."""
        return None

    @property
    def single_step(self) -> Granularity:
        """One of as many steps as a parameter says; itself where it is no such group."""
        return self

    def inside(self, databases: DatabaseClass) -> Granularity:
        """The same relation on a class, of which steps lead through the class only, where there is one."""
        return self

    @property
    def touched(self) -> int | None:
        """In how many parts of a partition neighbours differ at most; None where it does not say so."""
        return None

    @property
    def partial(self) -> bool:
        """Whether it says of some records and not of others that they may become each other, come or go."""
        return any(granularity.partial for granularity in self.made_of) if self.made_of else bool(self.names)

    @property
    def any_values(self) -> bool:
        """Whether records that take others' place, come or go may have any values of attributes."""
        return all(part.any_values for part in self.made_of) if self.made_of else not self.partial

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        """Whether D and E are neighbours inside the class."""
        if D == E:
            return False
        if (edits := self.edits(databases)) is not None:
            counts = () if edits.single is None else databases.counts(D, E, edits.single)
            return edits.single is None or edits.within(databases).fewest(counts) is not None
        shape = databases.shape_of(D)
        blocks = None if shape is None or shape.cells is None else self.blocks(shape)
        if shape is None or blocks is None:
            return self.reaches(D, E, databases)
        return E in shape and blocks.fewest(shape.differing(D, E)) <= blocks.most

    def reaches(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        """The same of different databases, of which neither edits nor blocks say it."""
        return self.are_neighbours(D, E)

    def arrays(self, databases: DatabaseClass) -> Layout | None:
        """The neighbourhood graph of a finite class by a formula, where there is one: see `arrays.layouts`.

        Its nodes 0, 1, … stand for the databases in the order in which the class lists them.
        """
        return None

    def innermost(self) -> tuple[Granularity, int]:
        """G and m, where the granularity is a group of m steps of G; itself and 1 where it is no group."""
        return self, 1

    def unfit(self, databases: DatabaseClass) -> str | None:
        """Why the granularity has no meaning on the class, in words; None where it has one."""
        return next(filter(None, (granularity.unfit(databases) for granularity in self.made_of)), None)

    @property
    def words(self) -> str:
        """What its neighbours are called in sentences."""
        return self.name

    @property
    def about(self) -> str:
        """What is for these pairs, in words."""
        return f"for {self} neighbours"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{self} neighbours"

    def _line(self) -> Sequence[str]:
        """The name, and how its definition begins."""
        means = " ".join((self.__doc__ or "").split("\n\n")[0].split())
        return [f"{self.words} neighbours: {means}"]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))
