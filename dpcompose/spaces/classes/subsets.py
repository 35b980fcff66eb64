"""Classes of subsets of some elements, and sets of records.

A database is the sorted tuple of its elements.  Each possible element is a cell that is there or not, so
that sets of any size are products.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, pairwise
from math import comb
from typing import Any

from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.covers.sizes import with_most_room
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.attributes import Attributes, made_of
from dpcompose.spaces.classes.databases import Cell, Database, DatabaseClass, Sized, refuse_if_large
from dpcompose.spaces.classes.records import Collections, names_of, records_of, universe, unnamed
from dpcompose.spaces.classes.sizes import ANY_SIZE, Size


class Subsets(Sized):
    """All subsets, of the allowed sizes, of some possible elements."""

    sizes: Size = ANY_SIZE

    @property
    @abstractmethod
    def elements(self) -> tuple[Any, ...]:
        """The possible elements, in order; in an arbitrary universe some that stand for all."""

    @cached_property
    def _possible(self) -> frozenset[Any]:
        return frozenset(self.elements)

    def __contains__(self, D: object) -> bool:
        if not isinstance(D, tuple) or D[: len(self.always)] != self.always:
            return False
        free = D[len(self.always) :]
        return (
            self.sizes.allows(len(free))
            and self._possible.issuperset(free)
            and all(a < b for a, b in pairwise(free))
        )

    def count(self) -> int | None:
        if self.unlimited or self.sizes.letters:
            return None
        return sum(comb(len(self.elements), size) for size in self._sizes)

    @property
    def _sizes(self) -> Sequence[int]:
        """How many elements a database can have."""
        m, sizes = len(self.elements), self.sizes
        if sizes.exactly:
            return [sizes.n or 0]
        return range(sizes.least, (m if sizes.n is None else min(m, sizes.n)) + 1)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        for size in self._sizes:
            yield from (self.always + free for free in combinations(self.elements, size))

    def show(self, D: Database) -> str | list[str]:
        return [self.written(subset) for subset in D] if isinstance(D, tuple) else str(D)

    def written(self, element: Any) -> str:
        """An element as a problem file writes it."""
        return str(element)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple):
            known = {self.written(element): element for element in self.elements}
            if all(isinstance(text, str) and text in known for text in shown):
                D = tuple(sorted(known[text] for text in shown))
                if D in self:
                    return D
        return super().parse(shown)

    @property
    def cells(self) -> tuple[Cell, ...] | None:
        return self.elements if self.sizes == ANY_SIZE else None

    def shape_of_both(self, D: Database, E: Database) -> DatabaseClass | None:
        shape = self.holding(D, E)
        return shape if D in shape and E in shape else None

    def blank(self) -> Database:
        return self.always

    @property
    def always(self) -> tuple[Any, ...]:
        """What every database has."""
        return ()

    def values(self, cell: Cell) -> tuple[Any, ...]:
        return False, True

    def value(self, D: Database, cell: Cell) -> Any:
        assert isinstance(D, tuple)
        return cell in D

    def put(self, D: Database, changes: Mapping[Cell, Any]) -> Database:
        assert isinstance(D, tuple)
        there: set[Any] = {cell for cell, value in changes.items() if value}
        free = (set(D[len(self.always) :]) - changes.keys()) | there
        return (*self.always, *sorted(free))

    def differing(self, D: Database, E: Database) -> frozenset[Cell]:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        return frozenset(D) ^ frozenset(E)


@frozen(repr=False)
class Sets(Collections, Subsets):
    """All sets of records: a record is there or not, and never twice.

    records -- the record universe X; where `arbitrary`, X holds these and others, as many as matter.
    Raises ValueError where no set has so many records: a class has a database, or every claim would hold.

    >>> list(Sets(("a", "b")).databases())
    [(), ('a',), ('b',), ('a', 'b')]
    """

    kind = "sets"

    records: tuple[str, ...]
    sizes: Size = ANY_SIZE
    arbitrary: bool = False
    others: int = 2
    """How many unnamed records of an arbitrary universe stand for all of them."""
    attributes: Attributes | None = None

    def __post_init__(self) -> None:
        if self.attributes is not None and not self.records:
            object.__setattr__(self, "records", tuple(self.attributes.by_record))
        object.__setattr__(self, "records", universe(self.records, self.arbitrary))
        n, m = self.sizes.n if self.sizes.exactly else self.sizes.least, len(self.records)
        if n is not None and n > m and not self.unlimited:
            raise ValueError(
                f"no set has {n:,} different records of the {m:,} in the universe; "
                f'size = "= {m}" at most, or more records, would do'
            )

    @property
    def _limit(self) -> int | None:
        return None if self.unlimited else len(self.records)

    def with_room(self, steps: int, places: int = 0) -> Sets:
        if not (self.parameters and self.sizes.exactly):
            return super().with_room(steps)
        n = with_most_room(self.sizes.n or 0, steps, *([] if self.unlimited else [len(self.records)]))
        return replace(self, sizes=replace(self.sizes, n=n))

    def unknown(self, assumed: Assumed) -> str:
        return self.sizes.unknown(assumed, self._limit)

    @cached_property
    def spare(self) -> tuple[str, ...]:
        return unnamed(self.records, self.others) if self.arbitrary else ()

    @property
    def elements(self) -> tuple[str, ...]:
        return tuple(sorted((*self.records, *self.spare)))

    @property
    def cells(self) -> tuple[Cell, ...] | None:
        return super().cells if self.arbitrary or not self.unlimited else None

    def holding(self, *databases: Database) -> DatabaseClass:
        records = records_of(databases)
        if not self.arbitrary or self.sizes.n is not None or records <= self._possible:
            return self
        return replace(self, records=tuple(sorted(records.union(self.records))))

    @property
    def by_record(self) -> Iterable[frozenset[Cell]] | None:
        return (frozenset({cell}) for cell in self.cells or ())

    def cells_of(self, records: frozenset[str]) -> frozenset[Cell] | None:
        return records.intersection(self.elements)

    @property
    def not_recoded(self) -> str | None:
        if self.sizes != ANY_SIZE:
            return f"recodes records of sets of any size, as two may become one: not of {self}"
        return f"recodes records that are listed, and those of {self} are not" if self.arbitrary else None

    def restricted(self, records: Collection[str]) -> Sets:
        """The sets over some of the records that sets of the class have there: of these sizes.

        >>> str(Sets(("a", "b", "c"), Size(2, exactly=True)).restricted(["a", "b"]))
        'all sets of size >= 1 over {a, b}'
        """
        records = [record for record in records if record in self._possible]
        if self.parameters and (self.unlimited or len(records) < len(self.records)):
            return Sets(
                tuple(records), attributes=self.attributes
            )  # whatever numbers they have, of several sizes
        outside = self.sizes.filling if self.unlimited else len(self.records) - len(records)
        least = max(0, self.sizes.filling - outside)
        most = len(records) if self.sizes.n is None else min(self.sizes.n, len(records))
        if least == most:
            return Sets(tuple(records), Size(most, exactly=True), attributes=self.attributes)
        sizes = Size(None if most == len(records) else most, least=least)
        return Sets(tuple(records), sizes, attributes=self.attributes)

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        if self.attributes is not None and self.unlimited:
            values = sorted((name for name in names if isinstance(name, tuple)), key=str)
            many = max(self.sizes.n or 0, self.sizes.least) + 2 * most + 1  # also what fills databases up
            return replace(self, records=(), attributes=self.attributes.naming(values, many))
        if not self.arbitrary:
            return self
        others = self.sizes.filling + 2 * most if self.sizes.filling else max(2, most)
        return replace(self, records=tuple(sorted(map(str, names))), others=others)

    def with_others(self, others: int) -> DatabaseClass:
        return replace(self, others=max(self.others, others))

    def larger(self) -> DatabaseClass:
        return replace(self, others=self.others + 1) if self.arbitrary else self

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": self.kind, "size": str(self.sizes)}
        if self.attributes is not None:
            return data | self.attributes.data()
        return data if self.arbitrary else data | {"records": list(self.records)}

    def __str__(self) -> str:
        size = {"any": f" of size {self.sizes}" if self.sizes != ANY_SIZE else ""}
        size |= {"at most": f" of size {self.sizes}", "exactly": f" of size {self.sizes.most}"}
        if self.attributes is not None and len(self.records) == len(self.attributes.by_record):
            return f"all sets{size[self.sizes.kind]} {self.attributes}"
        named = f" that holds {', '.join(self.records)}" if self.records else ""
        over = f"an arbitrary record universe{named}" if self.arbitrary else f"{{{', '.join(self.records)}}}"
        return f"all sets{size[self.sizes.kind]} over {over}"


def sets(
    records: Iterable[str] | None = None,
    size: str = "any",
    attributes: Mapping[str, str | Iterable[str]] | None = None,
) -> Sets:
    """The class of all sets of `records`: a record is there or not.

    Add/remove and replace-one neighbours are those of multisets, inside this class.

    records -- the record universe; None: an arbitrary one, and verdicts are worst cases over large ones;
    size -- how many records a database has: "any", "<= n" or "= n";
    attributes -- instead of records: for each name the values that it can have, or "any".

    Raises ValueError for a size that is none, and for both records and attributes.

    >>> import dpcompose as dpc
    >>> sets({"a", "b", "c"}, "<= 2")
    all sets of size <= 2 over {a, b, c}
    >>> dpc.canonical_metric(sets("ab"), dpc.unbounded)(("a",), ("b",))
    2
    """
    made = made_of(records, attributes)
    if made is not None and made.lines:
        raise ValueError("attributes of sets list their values, or have any; numbers are for multisets")
    names = () if made is not None else names_of(records)
    return Sets(names, Size.read(size), arbitrary=records is None and made is None, attributes=made)
