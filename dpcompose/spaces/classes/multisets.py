"""Multisets of records: how often a record is there counts, its place does not.

A database is a sorted tuple of records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations_with_replacement
from math import comb
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import Words
from dpcompose.spaces.classes.attributes import Attributes, Given, made_of
from dpcompose.spaces.classes.databases import Counts, Database, DatabaseClass, refuse_if_large
from dpcompose.spaces.classes.records import Collections, OfRecords, names_of
from dpcompose.spaces.classes.sizes import Size


@frozen(repr=False)
class Multisets(Collections, OfRecords):
    """All finite multisets of records, of the given size; a database is a sorted tuple.

    records -- the record universe X; where `arbitrary`, X holds these and at least two
    more, so that verdicts are worst cases over large universes.

    >>> list(Multisets(("a", "b"), Size(1)).databases())
    [(), ('a',), ('b',)]
    >>> str(Multisets((), arbitrary=True))
    'all finite multisets over an arbitrary record universe'
    """

    kind = "multisets"
    from_some_size_on = True
    twice = True
    queried = True

    attributes: Attributes | None = None

    def __post_init__(self) -> None:
        if self.attributes is not None and not self.records:
            object.__setattr__(self, "records", tuple(self.attributes.by_record))
        super().__post_init__()

    def chosen(self, records: Collection[str], kept: Attributes) -> DatabaseClass:
        return replace(self, records=(), sizes=self.sizes.up_to, attributes=kept)

    def projected(self, kept: Attributes) -> DatabaseClass:
        return replace(self, records=(), attributes=kept)

    @property
    def not_recoded(self) -> str | None:
        if self.arbitrary or not self.unlimited:
            return None
        return "names records, which are told by their attributes; reads = { attributes = [...] } would do"

    @property
    def not_divided(self) -> str | None:
        needs = "multisets over an arbitrary record universe (leave out records)"
        if self.described is not None:
            needs = 'any number of records: an attribute with any values, such as name = "any"'
            return None if self.described.endless else needs
        return None if self.arbitrary else needs

    def data(self) -> dict[str, Any]:
        if self.attributes is None:
            return super().data()
        return {"kind": self.kind, "size": str(self.sizes), **self.attributes.data()}

    def naming(self, names: Collection[object], most: int) -> DatabaseClass:
        if self.attributes is None or not self.attributes.unlimited:
            return super().naming(names, most)
        values = sorted((name for name in names if isinstance(name, tuple)), key=str)
        return replace(self, records=(), attributes=self.attributes.naming(values, max(2, 2 * most)))

    @property
    def by_counts(self) -> bool:
        return type(self) is Multisets

    def counts(self, D: Database, E: Database, single: Collection[Counts] = ()) -> Counts:
        """(|D∖E|, |E∖D|), whatever single steps are.

        >>> multisets("abc").counts(("a", "a", "b"), ("a", "c"))
        (2, 1)
        """
        return difference(D, E)

    def __contains__(self, D: object) -> bool:
        return (
            isinstance(D, tuple)
            and self.sizes.allows(len(D))
            and list(D) == sorted(map(str, D))
            and set(D) <= {*self.records, *self.spare}
        )

    def count(self) -> int | None:
        if self.unlimited or self.sizes.n is None or self.sizes.letters:
            return None
        m, n, least = len(self.records), self.sizes.n, self.sizes.least
        if self.sizes.exactly:
            return comb(n + m - 1, n)
        return comb(n + m, m) - (comb(least - 1 + m, m) if least else 0)

    def databases(self) -> Iterator[Database]:
        refuse_if_large(self)
        n = self.sizes.n or 0
        sizes = [n] if self.sizes.exactly else range(self.sizes.least, n + 1)
        return chain.from_iterable(combinations_with_replacement(self.records, size) for size in sizes)

    def parse(self, shown: object) -> Database:
        if isinstance(shown, list | tuple) and all(isinstance(record, str) for record in shown):
            D = tuple(sorted(shown))
            if D in self:
                return D
        return super().parse(shown)

    def __str__(self) -> str:
        sizes = self.sizes
        size = {
            "any": "all finite multisets" + (f" of size {sizes}" if sizes != Size() else ""),
            "at most": f"all multisets of size {sizes}",
            "exactly": f"all multisets of size {sizes.most}",
        }[sizes.kind]
        if self.attributes is not None and len(self.records) == len(self.attributes.by_record):
            return Words(size, " ", str(self.attributes))
        if not self.arbitrary:
            return f"{size} over {{{', '.join(self.records)}}}"
        named = f" that holds {', '.join(self.records)}" if self.records else ""
        return f"{size} over an arbitrary record universe{named}"


def difference(D: Database, E: Database) -> tuple[int, int]:
    """(|D∖E|, |E∖D|) of two multisets.

    >>> difference(("a", "a", "b"), ("a", "c"))
    (2, 1)
    """
    if not (isinstance(D, tuple) and isinstance(E, tuple)):
        raise TypeError(f"{D!r} and {E!r} are not both multisets of records")
    removed, added = Counter(D), Counter(E)
    return (removed - added).total(), (added - removed).total()


def multisets(
    records: Iterable[str] | Mapping[str, Any] | None = None,
    size: str = "any",
    attributes: Mapping[str, Given] | None = None,
) -> Multisets:
    """The class of all finite multisets over `records`: how often a record is there counts, its place not.

    records -- the record universe; None: an arbitrary one, and verdicts are worst cases over large ones;
    numbers are {"integers": "all"}, {"reals": "[0, 100)"} or {"integers": [0, 9]};
    size -- how many records a database has: "any", "<= 4", "= 4", ">= 2" or "2..4"; also with a letter,
    such as "= n", for any number from 1, or as a setting's parameters say;
    attributes -- instead of records: for each name the values that it can have, numbers, or "any"; every
    combination is a record, written (v, w) in the order of the attributes; a data frame of pandas
    says these, here or as records.

    Raises ValueError for a size or attributes that are none.

    >>> str(multisets({"child", "adult"}, size="<= 4"))
    'all multisets of size <= 4 over {adult, child}'
    >>> multisets(attributes={"county": ["north", "south"], "name": "any"})
    all finite multisets of records with county in {north, south}, name arbitrary
    """
    made = made_of(records, attributes)
    names = () if made is not None else names_of(records)
    return Multisets(names, Size.read(size), arbitrary=records is None and made is None, attributes=made)
