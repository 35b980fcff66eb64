"""Granularities of one's own: listed pairs, a predicate of two databases, or a function that edits one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.listed import edges_of, is_graph
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from networkx import Graph


@frozen(repr=False)
class Pairs(Granularity):
    """Neighbours as a list of unordered pairs; the symmetric closure is taken.

    >>> pairs("mine", [("a", "b")]).are_neighbours("b", "a")
    True
    """

    by_asking = False

    name: str
    listed: frozenset[tuple[Database, Database]]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and ((D, E) in self.listed or (E, D) in self.listed)

    def unfit(self, databases: DatabaseClass) -> str | None:
        """Pairs of records where there are records: neighbours by these are a policy."""
        records = set(getattr(databases, "records", None) or ())
        for record in (
            end for pair in self.listed for end in pair if isinstance(end, str) and end in records
        ):
            return (
                f"the granularity {self} has pairs of databases, and {record!r} is a record: which records "
                "may become which is said by dpcompose.policy(G), in files by replace"
            )
        return None

    @property
    def neighbour_pairs(self) -> frozenset[tuple[Database, Database]]:
        return self.listed


@frozen(repr=False)
class Relation(Granularity):
    """Neighbours by a predicate of the user's; its symmetry is checked on the class it is used on."""

    name: str
    holds: Callable[[Database, Database], bool]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and bool(self.holds(D, E))


@frozen(repr=False)
class Steps(Granularity):
    """Neighbours by an edit function of the user's: D ↦ the databases one step away."""

    by_asking = False

    name: str
    step: Callable[[Database], Iterable[Database]]

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E and E in set(self.step(D))

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        return (E for E in dict.fromkeys(self.step(D)) if E != D and E in databases)

    @property
    def edit_function(self) -> Callable[[Database], Iterable[Database]]:
        return self.step


def pairs(name: str, listed: Iterable[tuple[Database, Database]] | Graph) -> Pairs:
    """The granularity with the listed unordered pairs as neighbours; used on listed classes.

    name -- what results call it; listed -- pairs of databases, each in one order, or a networkx graph, of
    which they are the edges; a database paired with itself is ignored.

    Databases of other classes than these are in no pair, and have no neighbours.  Raises ValueError for what
    are no pairs.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.listed("abc"), dpc.pairs("line", [("a", "b"), ("b", "c")]))
    >>> d("a", "c")
    2
    """
    listed = edges_of(listed) if is_graph(listed) else listed
    return Pairs(name, frozenset((D, E) if str(D) <= str(E) else (E, D) for D, E in listed if D != E))


def relation(name: str, holds: Callable[[Database, Database], bool]) -> Relation:
    """The granularity in which D and E are neighbours where a predicate of the two holds.

    name -- what results call it; holds -- called on all pairs of a finite class, and must be symmetric.

    Raises NotSymmetric with the pair, once neighbours are asked; TooLarge on infinite classes.

    >>> near = relation("near", lambda D, E: abs(D - E) == 1)
    >>> near.are_neighbours(2, 3)
    True
    """
    return Relation(name, holds)


def steps(name: str, step: Callable[[Database], Iterable[Database]]) -> Steps:
    """The granularity in which the neighbours of D are the databases that a function of D lists.

    step -- D ↦ the databases one step away; those outside of the class, and D itself, do not count.  On
    large finite classes this is faster than a predicate.

    name -- what results call it.  Raises NotSymmetric with the pair, once neighbours are asked.

    >>> next_to = steps("next to", lambda n: [n - 1, n + 1])
    >>> from dpcompose.spaces.classes.listed import listed
    >>> list(next_to.neighbours(0, listed(range(3))))
    [1]
    """
    return Steps(name, step)
