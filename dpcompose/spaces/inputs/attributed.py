"""Records with attributes: tables, tuples of such records, and the maps that read by attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import near
from dpcompose.spaces.classes.attributes import ITSELF, Value, condition, of_columns, written
from dpcompose.spaces.classes.databases import (
    LARGEST_CLASS,
    LARGEST_SHAPE,
    Cell,
    Database,
    DatabaseClass,
    TooLarge,
)
from dpcompose.spaces.classes.lines import Range, read_ranges
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.classes.tuples import Tuples
from dpcompose.spaces.inputs.maps import Map, Signs
from dpcompose.spaces.inputs.recodings import Recoding
from dpcompose.spaces.inputs.restrictions import Restriction

Attribute = tuple[str, tuple[str, ...]]


@frozen(repr=False)
class Tables(Tuples):
    """Tuples of records with attributes: the cell (i, a) has the attribute a of the record at position i.

    attributes -- names with the values that each can have; records are all combinations, written (v, w).
    """

    kind = "tables"
    from_some_size_on = False
    entry = "row"
    of_attributes = True

    records: tuple[str, ...] = field(default=(), compare=False)
    attributes: tuple[Attribute, ...] = ()

    def __post_init__(self) -> None:
        for name, values in self.attributes:
            if not values or len(set(values)) < len(values):
                raise ValueError(f"the attribute {name} needs values, each listed once")
        if not self.attributes:
            raise ValueError("a table needs at least one attribute")
        if (many := prod(len(values) for _, values in self.attributes)) > LARGEST_CLASS:
            raise TooLarge(f"{many:,} different records are too many to list; fewer attributes would do")
        object.__setattr__(self, "records", tuple(self._values_of))
        super().__post_init__()

    @cached_property
    def _values_of(self) -> Mapping[str, Mapping[str, str]]:
        """The values of each record, by attribute."""
        names = [name for name, _ in self.attributes]
        table = {
            written(values): dict(zip(names, values, strict=True))
            for values in product(*(values for _, values in self.attributes))
        }
        if len(table) < prod(len(values) for _, values in self.attributes):
            raise ValueError("two records of other attributes are written alike; use other words for values")
        return table

    def values_of(self, record: str) -> Mapping[str, str]:
        return self._values_of[record]

    def of(self, record: str, names: Iterable[str]) -> str:
        """What a record has in some attributes, as a record of the table with these only."""
        known = self._values_of[record]
        return written(known[name] for name in names)

    @property
    def not_recoded(self) -> str | None:
        return f"recodes records of multisets, sets and tuples, not of {self}"

    def at(self, position: int) -> tuple[Cell, ...]:
        return tuple((position, name) for name, values in self.attributes if len(values) > 1)

    @property
    def cells(self) -> tuple[Cell, ...] | None:
        if self.sizes.exactly and (self.sizes.n or 0) * len(self.attributes) > LARGEST_SHAPE:
            raise TooLarge(f"{self}: too many cells to go through; shorter tables would do")
        return super().cells

    def values(self, cell: Cell) -> tuple[Any, ...]:
        assert isinstance(cell, tuple)
        return dict(self.attributes)[cell[1]]

    def value(self, D: Database, cell: Cell) -> Any:
        assert isinstance(cell, tuple)
        return self._values_of[super().value(D, cell[0])][cell[1]]

    def differ(self, a: str, b: str, cell: Cell) -> bool:
        assert isinstance(cell, tuple)
        return self._values_of[a][cell[1]] != self._values_of[b][cell[1]]

    def put(self, D: Database, changes: Mapping[Cell, Any]) -> Database:
        for cell, value in changes.items():
            assert isinstance(cell, tuple)
            known = {**self._values_of[super().value(D, cell[0])], cell[1]: value}
            D = super().put(D, {cell[0]: written(known.values())})
        return D

    def data(self) -> dict[str, Any]:
        attributes = {name: list(values) for name, values in self.attributes}
        return {"kind": self.kind, "size": str(self.sizes), "attributes": attributes}

    def __str__(self) -> str:
        length = {
            "any": "all tables of any length",
            "at most": f"all tables of at most {self.sizes.n} rows",
            "exactly": f"all tables of {self.sizes.n} row{'' if self.sizes.n == 1 else 's'}",
        }[self.sizes.kind]
        columns = ", ".join(f"{name} in {{{', '.join(values)}}}" for name, values in self.attributes)
        at = "" if self.positions is None else f", the rows {', '.join(map(str, self.positions))}"
        return f"{length} with {columns}{at}"


@frozen(repr=False)
class Columns(Map):
    """D ↦ some attributes of all records of a table D.

    of -- the table's attributes, which tell how its records are written.
    """

    names_read: tuple[str, ...]
    of: tuple[Attribute, ...] = field(repr=False)

    def __post_init__(self) -> None:
        known = [name for name, _ in self.of]
        strange = [name for name in self.names_read if name not in known]
        if strange:
            raise ValueError(f"there is no attribute {strange[0]!r}; there are {', '.join(known)}")
        object.__setattr__(self, "names_read", tuple(name for name in known if name in self.names_read))
        if self.names_read:
            Tables(attributes=self._kept)  # refuses values that are written alike

    @property
    def _kept(self) -> tuple[Attribute, ...]:
        return tuple(column for column in self.of if column[0] in self.names_read)

    @cached_property
    def _table(self) -> Tables:
        return Tables(attributes=self.of)

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple):
            raise TypeError(f"{D!r} is no table")
        return tuple(self._table.of(record, self.names_read) for record in D) if self.names_read else ()

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        if not isinstance(shape, Tables) or not self.names_read:
            return None
        return frozenset(
            cell
            for at in shape.identifiers
            for cell in shape.at(at)
            if cell[1] in self.names_read  # type: ignore[index]
        )

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        if not isinstance(databases, Tables):
            raise TypeError("attributes are read of tables")
        if not self.names_read:
            return Listed(((),))
        return replace(databases, attributes=self._kept)

    def is_identity(self, databases: DatabaseClass) -> bool:
        return self.unfit(databases) is None and len(self.names_read) == len(self.of)

    def unfit(self, databases: DatabaseClass) -> str | None:
        if isinstance(databases, Tables) and databases.attributes == self.of:
            return None
        return f"reads attributes of other databases than {databases}"

    def shown(self, D: str, signs: Signs) -> str:
        return signs.beside(D, f".{'+'.join(self.names_read)}")

    def data(self) -> str | dict[str, Any]:
        return {"attributes": list(self.names_read)}


@frozen(repr=False)
class Where(Restriction):
    """D ↦ the records of D that have one of some values in each of some attributes.

    conditions -- for some attributes the values that are read; records -- those that a class has of these,
    once `on` was told the class.
    """

    by_attributes = True

    conditions: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    of: DatabaseClass | None = field(default=None, compare=False, repr=False)

    @property
    def told(self) -> bool:
        return self.of is not None

    def on(self, databases: DatabaseClass) -> Map:
        if self.of == databases or self.unfit(databases):
            return self
        return replace(self, records=self._chosen(databases), of=databases)

    def _chosen(self, databases: DatabaseClass) -> tuple[str, ...]:
        known = databases.described
        assert known is not None
        return tuple(
            record
            for record in databases.records
            if all(known.has(name, known.by_record[record][name], wanted) for name, wanted in self.conditions)
        )

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        if databases.described is None or not self.records or self.is_identity(databases):
            return super().image(databases)
        return databases.chosen(self.records, databases.described.where(dict(self.conditions)))

    @property
    def names(self) -> frozenset[object]:
        return frozenset((name, value) for name, values in self.conditions for value in values)

    def unfit(self, databases: DatabaseClass) -> str | None:
        known = databases.described
        if known is None:
            return f"reads records by attributes, but those of {databases} have none"
        for name, values in self.conditions:
            if name not in known.names:
                return f"reads the attribute {name!r}, which records do not have{near(name, known.names)}"
            if why := next(filter(None, (known.lacking(name, value) for value in values)), None):
                return f"reads {why}"
        return None

    def shown(self, D: str, signs: Signs) -> str:
        return signs.restricted(D, [", ".join(condition(*pair) for pair in self.conditions)])

    def data(self) -> str | dict[str, Any]:
        data = {name: _values_data(values) for name, values in self.conditions}
        return {"between": data[ITSELF]["between"]} if ITSELF in data else {"where": data}


@frozen(repr=False)
class Projection(Recoding):
    """D ↦ the multiset of some attributes of all records of a multiset D.

    kept_attributes -- the names of these attributes; of -- the class, once `on` was told it.
    """

    by_attributes = True

    kept_attributes: tuple[str, ...] = ()

    def on(self, databases: DatabaseClass) -> Map:
        if isinstance(databases, Tables):
            return Columns(self.kept_attributes, databases.attributes)
        if self.of == databases or self.unfit(databases):
            return self
        assert databases.described is not None
        kept = [name for name in databases.described.names if name in self.kept_attributes]
        codes = ((x, written(databases.values_of(x)[name] for name in kept)) for x in databases.records)
        return replace(self, codes=tuple(codes), of=databases)

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        assert databases.described is not None
        return databases.projected(databases.described.keeping(self.kept_attributes))

    @property
    def names(self) -> frozenset[object]:
        return frozenset()

    def unfit(self, databases: DatabaseClass) -> str | None:
        known = databases.described
        if known is None or not databases.twice:
            return f"reads attributes, but the records of {databases} have none"
        for name in self.kept_attributes:
            if name not in known.names:
                return f"reads the attribute {name!r}, which records do not have{near(name, known.names)}"
        return None

    def shown(self, D: str, signs: Signs) -> str:
        return signs.beside(D, f".{'+'.join(self.kept_attributes)}")

    def data(self) -> str | dict[str, Any]:
        return {"attributes": list(self.kept_attributes)}


def where(conditions: Mapping[str, Iterable[str] | Mapping[str, Any]]) -> Where:
    """D ↦ the records of D that have one of the given values, in each of the given attributes.

    conditions -- for each attribute that matters the values that are read; of numbers those that lie in
    ranges, as `between` has them: {"age": {"between": "[18, 65)"}}.

    Raises ValueError without conditions; `compose` raises InvalidSetting where records have no attributes.

    >>> import dpcompose as dpc
    >>> people = dpc.multisets(attributes={"county": ["north", "south"], "name": "any"})
    >>> north = where({"county": ["north"]})
    >>> local = dpc.policy("local", replace={"keeps": ["county"]})
    >>> M = dpc.mechanism("M", dpc.pure("e", local, "common"), reads=north)
    >>> N = dpc.mechanism("N", dpc.pure("f", local, "common"), reads=where({"county": ["south"]}))
    >>> dpc.compose(M, N, on=people, target=local).guarantee().epsilon
    max(e, f)
    """
    given = {str(name): _values(values) for name, values in conditions.items()}
    if not given or not all(given.values()):
        raise ValueError('say which values are read: {"county": ["north"]}')
    return Where((), tuple(given.items()))


def between(*ranges: object) -> Where:
    """D ↦ the records of D that lie in one of some ranges, where records are numbers.

    ranges -- texts such as "[0, 10)" and "(-oo, 5]", or two numbers, which are both read.

    Raises ValueError without a range; `compose` raises InvalidSetting where records are no numbers.

    >>> import dpcompose as dpc
    >>> numbers = dpc.multisets({"integers": "all"})
    >>> near = dpc.policy("near", replace={"within-distance": 1, "norm": "L1"})
    >>> M = [dpc.mechanism(n, dpc.pure(n.lower(), near, "common"), reads=dpc.between(bin))
    ...      for n, bin in [("A", "(-oo, 0)"), ("B", [0, 9]), ("C", [10, 19])]]
    >>> dpc.compose(*M, on=numbers, target=near).guarantee().epsilon
    max(a + b, b + c)
    """
    intervals = [interval for ranges_of_one in ranges for interval in read_ranges(ranges_of_one)]
    if not intervals:
        raise ValueError('say which numbers are read: "[0, 10)"')
    return Where((), ((ITSELF, tuple(dict.fromkeys(intervals))),))


def _values(given: Iterable[str] | Mapping[str, Any]) -> tuple[Value, ...]:
    """The values, or the ranges of numbers, that are read of an attribute."""
    if isinstance(given, Mapping):
        if set(given) != {"between"}:
            raise ValueError('numbers are read in ranges: { between = "[18, 65)" }')
        return tuple(dict.fromkeys(read_ranges(given["between"])))
    return tuple(dict.fromkeys([given] if isinstance(given, str) else map(str, given)))


def _values_data(values: tuple[Value, ...]) -> Any:
    """What is read of an attribute, as a problem file says it."""
    ranges = any(isinstance(value, Range) for value in values)
    return {"between": [str(value) for value in values]} if ranges else list(values)


def tables(attributes: Mapping[str, Iterable[str]] | Any, size: str = "any") -> Tables:
    """The class of all tables: tuples of records that have a value for each attribute.

    attributes -- for each name the values that it can have; every combination is a record, written (v, w)
    in the order of the attributes; a data frame of pandas: the values that its columns have;
    size -- how many rows: "any", "<= n" or "= n".

    Raises ValueError without attributes, or for a size that is none.

    >>> people = tables({"age": ["young", "old"], "sick": ["no", "yes"]}, "= 2")
    >>> ("(young, no)", "(old, yes)") in people
    True
    >>> people
    all tables of 2 rows with age in {young, old}, sick in {no, yes}
    """
    given = tuple((str(name), tuple(map(str, values))) for name, values in of_columns(attributes).items())
    return Tables((), Size.read(size), attributes=given)


def columns(databases: DatabaseClass | str, *names: str) -> Map:
    """D ↦ the named attributes of all records of a table or multiset, in the order of the class.

    databases -- the class, which may be left out where the map is read by a mechanism: columns("age").

    names -- the attributes.  Raises ValueError where records have none of that name.

    >>> people = tables({"age": ["young", "old"], "sick": ["no", "yes"]})
    >>> columns(people, "age")(("(young, no)", "(old, yes)"))
    ('young', 'old')
    """
    if isinstance(databases, str):
        return Projection("", (), kept_attributes=tuple(dict.fromkeys((databases, *names))))
    if isinstance(databases, Tables):
        return Columns(names, databases.attributes)
    made = Projection("", (), kept_attributes=tuple(dict.fromkeys(names)))
    if not names or made.unfit(databases):
        raise ValueError(made.unfit(databases) or "say which attributes are read")
    return made.on(databases)
