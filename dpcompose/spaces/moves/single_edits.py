"""Granularities by a single edit: of a record, of an entry, of a vertex, or of everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import in_series
from dpcompose.spaces.classes.databases import Counts, Database, DatabaseClass
from dpcompose.spaces.classes.multisets import difference
from dpcompose.spaces.classes.sequences import aligned
from dpcompose.spaces.classes.vertices import Graphs
from dpcompose.spaces.moves.blocks import Blocks
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity, Meaning, NotSymmetric

if TYPE_CHECKING:
    from dpcompose.spaces.arrays.layouts import Layout


@lru_cache(maxsize=32)
def _record_by_record(shape: DatabaseClass) -> Blocks | None:
    """The blocks of which each holds the cells of one record."""
    sets = shape.by_record
    return None if sets is None else Blocks(frozenset(sets)).within({*(shape.cells or ())})


@frozen(repr=False)
class RecordEdits(Granularity):
    """Neighbours differ by one edit of records.

    kinds -- on multisets: the edits (removed, added), a symmetric set out of (1, 0), (0, 1), (1, 1);
    ordered -- the kinds of classes with positions on which neighbours differ at one position;
    called -- what people call such neighbours;
    means -- the definition, which `help` shows.

    >>> from dpcompose.spaces.moves.built_in import bounded, unbounded
    >>> bounded.are_neighbours(("a", "a"), ("a", "b")), unbounded.are_neighbours(("a",), ("a", "b"))
    (True, True)
    """

    by_asking = False

    name: str
    kinds: frozenset[Counts] = frozenset()
    ordered: frozenset[str] = frozenset()
    called: str = ""
    means: Meaning = field(default=Meaning(), repr=False, compare=False)

    @property
    def words(self) -> str:
        return f"{self.called} ({self.name})" if self.called else self.name

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.kinds <= {(1, 0), (0, 1), (1, 1)}:
            raise ValueError(
                f"{self.name}: an edit removes at most one record and adds at most one, not neither"
            )
        if ((1, 0) in self.kinds) != ((0, 1) in self.kinds):
            raise NotSymmetric(f"{self.name} is not symmetric: removing a record and adding one go together")

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return difference(D, E) in self.kinds

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The neighbours of D, made by its edits."""
        ways = {(1, 1)} if databases.kind in self.ordered else self.kinds
        return (E for removed, added in sorted(ways) for _, _, E in databases.edited(D, removed, added))

    @property
    def changed(self) -> frozenset[Counts]:
        return self.kinds

    def edits(self, databases: DatabaseClass) -> Edits | None:
        told = databases.twice or (databases.aligned and databases.kind in self.ordered)
        return Edits(self.kinds) if self.kinds and told else None

    def by_counts(self, databases: DatabaseClass) -> bool:
        return databases.kind in self.ordered or super().by_counts(databases)

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        alone = shape.unordered and self.kinds == {(1, 0), (0, 1)}
        return _record_by_record(shape) if alone or shape.kind in self.ordered else None

    @property
    def reach(self) -> int | None:
        return 1 if self.ordered else None

    def pair_apart(self, databases: DatabaseClass, m: int) -> tuple[Database, Database] | None:
        return databases.replaced(m) if databases.kind in self.ordered else None

    def arrays(self, databases: DatabaseClass) -> Layout | None:
        from dpcompose.spaces.arrays.layouts import MultisetLayout, TupleLayout

        if databases.count() is None:
            return None
        if not (databases.by_counts or databases.by_digits):
            return None
        m, n, exactly = len(databases.records), databases.sizes.n or 0, databases.sizes.exactly
        if databases.by_counts and self.kinds and not databases.sizes.least:
            return MultisetLayout(m, n, exactly, (1, 0) in self.kinds, (1, 1) in self.kinds)
        if databases.by_digits and databases.kind in self.ordered:
            return TupleLayout(m, n if exactly else 0, n)
        return None

    def unfit(self, databases: DatabaseClass) -> str | None:
        if databases.kind in self.ordered or (self.kinds and databases.unordered):
            return None
        if databases.is_listed:
            return f"the granularity {self.name} is about records; a listed class has none"
        kinds = in_series(sorted({*self.ordered, *(["multisets", "sets"] if self.kinds else [])}))
        return f"the granularity {self.name} has no meaning on {databases.kind}: it is about {kinds}"


@frozen(repr=False)
class EntryEdits(Granularity):
    """Neighbours differ by one inserted or deleted entry of a sequence.

    means -- the definition, which `help` shows.
    """

    by_asking = False

    name: str
    means: Meaning = field(default=Meaning(), repr=False, compare=False)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return aligned(D, E) in ((1, 0), (0, 1))

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        edits = (edit for way in ((1, 0), (0, 1)) for edit in databases.edited(D, *way))
        return iter(dict.fromkeys(E for _, _, E in edits))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        return Edits(frozenset({(1, 0), (0, 1)})) if databases.aligned else None

    def unfit(self, databases: DatabaseClass) -> str | None:
        if databases.aligned:
            return None
        return f"the granularity {self.name} has no meaning on {databases.kind}: it is about sequences"


@frozen(repr=False)
class VertexEdits(Granularity):
    """Neighbours differ by one vertex, which comes or goes with all its edges.

    means -- the definition, which `help` shows.
    """

    by_asking = False
    form = "vertices and twice a cover"

    name: str
    means: Meaning = field(default=Meaning(), repr=False, compare=False)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        gone = {vertex for vertex in {*D} ^ {*E} if len(vertex) == 1}
        return len(gone) == 1 and all(vertex[0] in pair for (vertex,) in [gone] for pair in {*D} ^ {*E})

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        return databases.one_vertex_away(D)

    def distance(self, D: Database, E: Database) -> int:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        of_D, of_E = ({element[0] for element in graph if len(element) == 1} for graph in (D, E))
        both = Graphs(tuple(of_D & of_E))
        changed = ({*D} ^ {*E}) & {*both.elements}
        stars = Blocks(frozenset(map(frozenset, both.stars)) - {frozenset()})
        return len(of_D ^ of_E) + 2 * stars.fewest(changed)

    def pair_apart(self, databases: DatabaseClass, m: int) -> tuple[Database, Database] | None:
        apart = databases.unjoined(m)
        return None if apart is None else (apart, ())

    def unfit(self, databases: DatabaseClass) -> str | None:
        if databases.varying:
            return None
        if databases.on_vertices:
            return f'the granularity {self.name} needs vertices that come and go: vertices = "<= 4" or "any"'
        return f"the granularity {self.name} has no meaning on {databases.kind}: it is about graphs"


@frozen(repr=False)
class AnyTwo(Granularity):
    """Any two different databases are neighbours (free lunch).

    means -- the definition, which `help` shows.
    """

    name: str
    means: Meaning = field(default=Meaning(), repr=False, compare=False)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return D != E

    def edits(self, databases: DatabaseClass) -> Edits:
        return Edits(None)

    def blocks(self, shape: DatabaseClass) -> Blocks | None:
        return None if shape.cells is None else Blocks(frozenset({frozenset(shape.cells)}) - {frozenset()})

    def arrays(self, databases: DatabaseClass) -> Layout | None:
        from dpcompose.spaces.arrays.layouts import CompleteLayout

        return None if (count := databases.count()) is None else CompleteLayout(count)


class AllPairs(AnyTwo):
    """Any two databases, which claims that are formulas in metrics are about."""

    @property
    def about(self) -> str:
        return "in metrics"
