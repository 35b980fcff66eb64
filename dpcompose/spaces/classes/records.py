"""Databases that are made of records: the record universe, and what multisets, sequences and tuples share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import Any, ClassVar

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.attributes import Attributes, values_of
from dpcompose.spaces.classes.databases import Counts, Database, DatabaseClass, Sized, refuse_if_large
from dpcompose.spaces.classes.sizes import ANY_SIZE, Size, refuse_letter

MANY_LENGTHS = 1_000
"""Up to which length tuples are counted, where shorter ones belong to the class: more than can be listed."""


@frozen(repr=False)
class OfRecords(Sized):
    """Databases that are tuples of records.

    records -- the record universe X; where `arbitrary`, X holds these and at least two others;
    sizes -- how many records a database has.
    """

    from_some_size_on: ClassVar[bool] = False
    """Whether the class is known where its databases have at least some number of records."""

    records: tuple[str, ...]
    sizes: Size = ANY_SIZE
    arbitrary: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", universe(self.records, self.arbitrary))
        if not self.from_some_size_on:
            refuse_least(self.kind, self.sizes)
            refuse_letter(self.kind, self.sizes)

    @cached_property
    def spare(self) -> tuple[str, ...]:
        return unnamed(self.records) if self.arbitrary else ()

    def edit_allowed(self, counts: Counts) -> bool:
        fits = self.sizes.n is None or max(counts) <= self.sizes.n
        return fits and (not self.sizes.exactly or counts[0] == counts[-1])

    def restricted(self, records: Collection[str]) -> DatabaseClass:
        if not self.restrictable:
            return super().restricted(records)
        return replace(self, records=tuple(records), sizes=self.sizes.up_to, arbitrary=False)

    def show(self, D: Database) -> str | list[str]:
        return [str(record) for record in D] if isinstance(D, tuple) else str(D)

    def data(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": str(self.sizes)} | (
            {} if self.arbitrary else {"records": list(self.records)}
        )

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        return replace(self, records=tuple(sorted(map(str, names)))) if self.arbitrary else self

    def holding(self, *databases: Database) -> DatabaseClass:
        if not self.arbitrary:
            return self
        return replace(self, records=tuple({*self.records, *records_of(databases)}))


class Collections(DatabaseClass):
    """Databases that are sorted tuples of records: it only counts how often each is there."""

    unordered = True
    restrictable = True

    attributes: Attributes | None
    """What records are made of, if anything: where no records are given, all combinations are."""

    @property
    def described(self) -> Attributes | None:
        return self.attributes

    @property
    def unlimited(self) -> bool:
        return self.arbitrary or (self.attributes is not None and self.attributes.unlimited)

    def values_of(self, record: str) -> Mapping[str, str]:
        return {} if self.attributes is None else self.attributes.by_record[record]

    def edited(
        self, D: Database, removed: int, added: int
    ) -> Iterator[tuple[str | None, str | None, Database]]:
        assert isinstance(D, tuple)
        if not self.sizes.allows(len(D) - removed + added):
            return
        for x in sorted(set(D)) if removed else [None]:
            rest = list(D)
            if x is not None:
                rest.remove(x)
            for y in (*self.records, *self.spare) if added else [None]:
                if (y != x or y is None) and (y not in rest or self.twice):
                    yield x, y, tuple(sorted(rest if y is None else [*rest, y]))

    def exchanged(self, D: Database, E: Database) -> tuple[str | None, str | None] | None:
        return exchanged(D, E)

    def gathered(self, records: Iterable[str]) -> Database:
        return tuple(sorted(records if self.twice else set(records)))

    def recoded(self, records: tuple[str, ...], arbitrary: bool) -> DatabaseClass:
        return replace(self, records=records, arbitrary=arbitrary, attributes=None)  # type: ignore[type-var]


def exchanged(D: Database, E: Database) -> tuple[str | None, str | None] | None:
    """The record of a collection D that is another one in E, None for none; None where not one differs.

    >>> exchanged(("a", "b"), ("a", "c")), exchanged(("a",), ("a", "b")), exchanged(("a",), ())
    (('b', 'c'), (None, 'b'), ('a', None))
    """
    assert isinstance(D, tuple) and isinstance(E, tuple)
    gone, come = Counter(D) - Counter(E), Counter(E) - Counter(D)
    if max(gone.total(), come.total()) != 1:
        return None
    return next(iter(gone), None), next(iter(come), None)


@frozen(repr=False)
class OrderedRecords(OfRecords):
    """Databases that are tuples of records in any order."""

    brackets = ("(", ")")

    def __contains__(self, D: object) -> bool:
        return (
            isinstance(D, tuple)
            and self.sizes.allows(len(D))
            and set(map(str, D)) <= {*self.records, *self.spare}
        )

    def count(self) -> int | None:
        if self.arbitrary or self.sizes.n is None or self.sizes.letters:
            return None
        m, n, least = len(self.records), self.sizes.n, self.sizes.least
        lengths = [n] if self.sizes.exactly else range(least, min(n, least + MANY_LENGTHS) + 1)
        return sum(int(m**length) for length in lengths)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        n = self.sizes.n or 0
        for size in [n] if self.sizes.exactly else range(self.sizes.least, n + 1):
            yield from product(self.records, repeat=size)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(record, str) for record in shown):
            D = tuple(shown)
            if D in self:
                return D
        return super().parse(shown)


def records_of(databases: Iterable[Database]) -> set[str]:
    """The records that some multisets, tuples or sets hold."""
    return {str(record) for D in databases if isinstance(D, tuple) for record in D}


def refuse_least(kind: str, sizes: Size) -> None:
    """Raises ValueError where databases have at least some number of records."""
    if sizes.least:
        raise ValueError(
            f'{kind} of at least {sizes.least} records are not supported; "any", "<= n" and "= n" are'
        )


def names_of(records: Iterable[object] | None) -> tuple[str, ...]:
    """The names of the records that are given; none where the universe is arbitrary.  Raises TypeError."""
    records = values_of(records)
    if records is not None and not isinstance(records, Iterable):
        raise TypeError(
            f'records are listed, such as {{"a", "b"}}, not {records!r}; size = "= 3" says how many'
        )
    return () if records is None else tuple(map(str, records))


def universe(records: tuple[str, ...], arbitrary: bool) -> tuple[str, ...]:
    """The record universe in order.  Raises ValueError where a record comes twice, or there is none."""
    if len(set(records)) != len(records):
        twice = next(a for a, times in Counter(records).items() if times > 1)
        raise ValueError(f"record {twice!r} is listed twice")
    if not records and not arbitrary:
        raise ValueError("a record universe needs at least one record")
    return tuple(sorted(records))


def unnamed(records: tuple[str, ...], count: int = 2) -> tuple[str, ...]:
    """Some names that no record has."""
    names = (stem + "'" * n for n in range(len(records) + count) for stem in ("x", "y"))
    return tuple(islice((name for name in names if name not in records), count))
