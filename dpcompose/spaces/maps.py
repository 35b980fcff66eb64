"""Maps f: what a mechanism reads of a database.

A map is a function on databases, one method: `__call__`.  The class also says what its
images form (`image`), which is where a guarantee on the map's own domain lives.  At a database
symbol the maps of this file give an expression: D|{a}, f(D).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from dpcompose.kernel.fields import near
from dpcompose.language.shown import Shown
from dpcompose.spaces.databases import Cell, Database, DatabaseClass, Symbolic
from dpcompose.spaces.listed import Listed
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.sequences import Sequences
from dpcompose.spaces.sizes import Size
from dpcompose.spaces.subsets import Sets
from dpcompose.spaces.tuples import Tuples


class Map(Shown, ABC):
    """A function f on the databases of a class."""

    @abstractmethod
    def __call__(self, D: Database) -> Database:
        """f(D)."""

    @abstractmethod
    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """The class that f's values form: the own domain of a mechanism that reads f."""

    @abstractmethod
    def written(self, D: str) -> str:
        """f(D) in symbols, D being the letter of the database."""

    def __repr__(self) -> str:
        return f"the map of D to {self.written('D')}"

    def is_identity(self, databases: DatabaseClass) -> bool:
        """Whether f(D) = D on the whole class."""
        return False

    def neighbours_for(self, granularity: str) -> frozenset[tuple[Database, Database]] | None:
        """The neighbouring images that are listed with the map; None where they follow from the class."""
        return None

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        """The cells of a product that the map keeps as they are, and nothing else; None where it does not."""
        return None

    @property
    def passes_groups(self) -> bool:
        """Whether images of databases at most m steps apart are those that are at most m steps apart, in the
        relation of images of neighbours, whatever the neighbours."""
        return False

    @property
    def names(self) -> frozenset[object]:
        """The records or vertices that the map names: an arbitrary universe holds them."""
        return frozenset()

    def on(self, databases: DatabaseClass) -> Map:
        """The same map as it reads a class, whose records are known only there."""
        return self

    def unfit(self, databases: DatabaseClass) -> str | None:
        """Why the map cannot read the databases of a class, in words; None where it can."""
        return None

    def data(self) -> str | dict[str, Any]:
        """What is read, as `reads` of a problem file says it."""
        raise ValueError(f"problem files cannot say {self!r}")


@dataclass(frozen=True, repr=False)
class Everything(Map):
    """The identity: the mechanism reads all of D."""

    def __call__(self, D: Database) -> Database:
        return D

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return databases

    def written(self, D: str) -> str:
        return D

    def is_identity(self, databases: DatabaseClass) -> bool:
        return True

    passes_groups = True

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        return None if shape.cells is None else frozenset(shape.cells)

    def data(self) -> str | dict[str, Any]:
        return "everything"


@dataclass(frozen=True, repr=False)
class Restriction(Map):
    """D ↦ D|A: the records of D that lie in A, with their multiplicities.

    >>> Restriction(("a", "b"))(("a", "a", "c"))
    ('a', 'a')
    """

    records: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", tuple(sorted(set(self.records))))

    @property
    def told(self) -> bool:
        """Whether A is known, whatever the class."""
        return True

    @cached_property
    def inside(self) -> frozenset[str]:
        """A as a set."""
        if not self.told:
            raise TypeError(f"which records {self.written('D')} has is known of a class: ask f.on(databases)")
        return frozenset(self.records)

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple):
            if isinstance(D, Symbolic):
                return D.read_by(self)
            raise TypeError(f"{D!r} is no multiset of records")
        return tuple(record for record in D if record in self.inside)

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """Multisets, sets or sequences over A: of any size, or at most n where 𝔻 limits it (A = X: 𝔻 itself).

        Sets of at least m records have at least m − |X∖A| in A.
        """
        if not isinstance(databases, Multisets | Sets | Sequences):
            raise TypeError("only multisets, sets and sequences are restricted to records")
        if self.is_identity(databases):
            return databases
        if not self.records:
            return Listed(((),))
        if not isinstance(databases, Sets):
            return replace(databases, records=self.records, sizes=Size(databases.sizes.n), arbitrary=False)
        return databases.restricted([one for one in self.records if one in databases.elements])

    def written(self, D: str) -> str:
        return f"{D}|{{{', '.join(self.records)}}}"

    def is_identity(self, databases: DatabaseClass) -> bool:
        return (
            isinstance(databases, Multisets | Sets | Sequences)
            and not databases.arbitrary
            and self.inside.issuperset(databases.records)
        )

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        return self.inside.intersection(shape.elements) if isinstance(shape, Sets) else None

    @property
    def names(self) -> frozenset[object]:
        return self.inside

    @property
    def passes_groups(self) -> bool:
        return not self.records  # who reads nothing never sees a move

    def data(self) -> str | dict[str, Any]:
        return {"records": list(self.records)}


@dataclass(frozen=True, repr=False)
class Recoding(Map):
    """D ↦ the multiset of what each record of D becomes.

    codes -- what some records become; others -- what all others become; None: they stay as they are.

    >>> recoding("towns", {"a1": "A", "a2": "A"})(("a1", "a2", "b"))
    ('A', 'A', 'b')
    """

    name: str
    codes: tuple[tuple[str, str], ...]
    others: str | None = None

    @cached_property
    def _by_record(self) -> Mapping[str, str]:
        return dict(self.codes)

    def code(self, record: str) -> str:
        """What a record becomes."""
        return self._by_record.get(record, record if self.others is None else self.others)

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple):
            if isinstance(D, Symbolic):
                return D.read_by(self)
            raise TypeError(f"{D!r} is no multiset of records")
        return tuple(sorted(map(self.code, D)))

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """Multisets, of the same sizes, of what records can become."""
        if not isinstance(databases, Multisets):
            raise TypeError("only records of multisets are recoded")
        known = tuple(dict.fromkeys(self.code(x) for x in (*databases.records, *databases.spare)))
        if not databases.arbitrary or self.others is not None:
            return replace(databases, records=known, arbitrary=False, attributes=None)
        return replace(databases, records=tuple(x for x in known if x not in databases.spare))

    def written(self, D: str) -> str:
        return f"{self.name}({D})"

    def is_identity(self, databases: DatabaseClass) -> bool:
        return isinstance(databases, Multisets) and all(
            self.code(x) == x for x in (*databases.records, *databases.spare)
        )

    @property
    def names(self) -> frozenset[object]:
        codes = {code for _, code in self.codes} | ({self.others} if self.others is not None else set())
        return frozenset(self._by_record) | codes

    def unfit(self, databases: DatabaseClass) -> str | None:
        if not isinstance(databases, Multisets):
            return f"recodes records of multisets, not of {databases}"
        if databases.unlimited and not databases.arbitrary:
            return (
                "names records, which are told by their attributes; reads = { attributes = [...] } would do"
            )
        if not databases.arbitrary:
            for record in self._by_record:
                if record not in databases.records:
                    there = near(record, databases.records)
                    return f"recodes {record!r}, which is no record of the class{there}"
        return None

    def data(self) -> str | dict[str, Any]:
        return {"map": self.name}

    def table(self) -> dict[str, Any]:
        """The map as a problem file writes it down."""
        return {"recode": dict(self.codes)} | ({} if self.others is None else {"others": self.others})


@dataclass(frozen=True, repr=False)
class Positions(Map):
    """D ↦ the records of a tuple D at some positions (1, 2, …), which keep their identifiers.

    >>> Positions((1, 3))(("a", "b", "c"))
    ('a', 'c')
    """

    positions: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", tuple(sorted(set(self.positions))))
        if any(type(at) is not int or at < 1 for at in self.positions):
            raise ValueError(f"positions are whole numbers from 1, not {self.positions}")

    @cached_property
    def inside(self) -> frozenset[int]:
        """The positions as a set."""
        return frozenset(self.positions)

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple) or (self.positions and self.positions[-1] > len(D)):
            raise TypeError(f"{D!r} is no tuple that has the positions {self.positions}")
        return tuple(D[at - 1] for at in self.positions)

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """Tuples at the chosen positions."""
        if not isinstance(databases, Tuples):
            raise TypeError("only tuples are restricted to positions")
        if self.is_identity(databases):
            return databases
        if not self.positions:
            return Listed(((),))
        length = Size(len(self.positions), exactly=True)
        return replace(databases, sizes=length, positions=self.positions)

    def written(self, D: str) -> str:
        return f"{D}[{', '.join(map(str, self.positions))}]"

    def is_identity(self, databases: DatabaseClass) -> bool:
        return isinstance(databases, Tuples) and databases.sizes == Size(len(self.positions), exactly=True)

    def kept(self, shape: DatabaseClass) -> frozenset[Cell] | None:
        if not isinstance(shape, Tuples):
            return None
        return frozenset(cell for at in self.positions for cell in shape.at(at)).intersection(
            shape.cells or ()
        )

    passes_groups = True

    def data(self) -> str | dict[str, Any]:
        return {"positions": list(self.positions)}


@dataclass(frozen=True, repr=False)
class Table(Map):
    """A map given by its values: D ↦ values[D].

    image_neighbours -- for each granularity, by name, the neighbouring pairs of images that
    a guarantee on the own domain is stated for; "" holds for every granularity.  A
    granularity that is not listed: the images of neighbouring databases.

    >>> table("merge", {"a": "x", "b": "x"})("b")
    'x'
    """

    name: str
    values: Mapping[Database, Database]
    image_neighbours: Mapping[str, frozenset[tuple[Database, Database]]]

    def __call__(self, D: Database) -> Database:
        try:
            return self.values[D]
        except KeyError:
            if isinstance(D, Symbolic):
                return D.read_by(self)
            raise ValueError(f"the map {self.name} has no value for the database {D!r}") from None

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.values.items())))

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return Listed(tuple(dict.fromkeys(self(D) for D in databases.databases())))

    def neighbours_for(self, granularity: str) -> frozenset[tuple[Database, Database]] | None:
        """The neighbouring images that are listed for a granularity; None where they are not listed."""
        return self.image_neighbours.get(granularity, self.image_neighbours.get(""))

    def written(self, D: str) -> str:
        return f"{self.name}({D})"

    def data(self) -> str | dict[str, Any]:
        return {"map": self.name}


@dataclass(frozen=True, repr=False)
class Function(Map):
    """A map given by a Python function; used on finite classes, where it is called once a database."""

    name: str
    function: Callable[[Database], Database]

    def __call__(self, D: Database) -> Database:
        return D.read_by(self) if isinstance(D, Symbolic) else self.function(D)

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return Listed(tuple(dict.fromkeys(self.function(D) for D in databases.databases())))

    def written(self, D: str) -> str:
        return f"{self.name}({D})"


@dataclass(frozen=True, repr=False)
class Composed(Map):
    """g∘f: D ↦ g(f(D)).  `composed` makes it, and joins restrictions into one."""

    outer: Map
    inner: Map

    def __call__(self, D: Database) -> Database:
        return self.outer(self.inner(D))

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return self.outer.image(self.inner.image(databases))

    def on(self, databases: DatabaseClass) -> Map:
        inner = self.inner.on(databases)
        outer = self.outer.on(inner.image(databases))
        return self if (inner, outer) == (self.inner, self.outer) else composed(outer, inner)

    def written(self, D: str) -> str:
        return self.outer.written(self.inner.written(D))

    def is_identity(self, databases: DatabaseClass) -> bool:
        return self.inner.is_identity(databases) and self.outer.is_identity(databases)

    def neighbours_for(self, granularity: str) -> frozenset[tuple[Database, Database]] | None:
        return self.outer.neighbours_for(granularity)


@dataclass(frozen=True, repr=False)
class Part(Map):
    """D ↦ p_i(D), the i-th part of a partition, or of parts that overlap, with a symbolic number of parts.

    The parts are record sets of an arbitrary universe (record-wise), or sets of positions of tuples
    of any length (order-based), and are not named: a setting writes out as many of them as are
    needed, as restrictions to records or positions.  It has no value at a database by itself.

    partition -- the partition's name; parts -- the number k of its parts, as a formula;
    of -- the kind of class whose databases are divided: "multisets", "tuples" or "streams";
    most -- in how many parts a record is at most: 1 in a partition.
    """

    partition: str
    parts: str
    of: str = "multisets"
    most: int = 1

    def __call__(self, D: Database) -> Database:
        raise TypeError(f"part i of {self.partition} must be written out for some i first")

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        raise TypeError(f"part i of {self.partition} must be written out for some i first")

    def written(self, D: str) -> str:
        return f"{self.partition}_i({D})"

    def data(self) -> str | dict[str, Any]:
        return {"part": "i", "of": self.partition}

    def table(self) -> dict[str, Any]:
        """The partition as a problem file writes it down."""
        if self.most > 1:
            return {"kind": "overlapping", "parts": self.parts, "at-most": str(self.most)}
        return {"kind": "record-wise" if self.of == "multisets" else "order-based", "parts": self.parts}


everything = Everything()
"""The identity."""


def restriction(records: Iterable[str]) -> Restriction:
    """D ↦ D|A, the part of a multiset D that lies in the record set A (GB Ex. IV.4).

    records -- A, a collection of records; sets of several maps may overlap.

    >>> restriction(["a", "b"])(("a", "a", "c"))
    ('a', 'a')
    """
    if isinstance(records, str):
        raise TypeError(f"a record set is a list of records, not the text {records!r}: write [{records!r}]")
    return Restriction(tuple(str(record) for record in records))


def positions(*at: int) -> Positions:
    """D ↦ the records of a tuple or stream at some positions, which keep their identifiers (GB Ex. IV.7).

    at -- the positions, whole numbers from 1 to the length, which all databases of the class must share.
    Their order does not matter; sets of several maps may overlap.

    >>> positions(2, 1)(("a", "b", "c"))
    ('a', 'b')
    >>> positions(2, 3).written("D")
    'D[2, 3]'
    """
    return Positions(tuple(at))


def record_partition(databases: Multisets, *parts: Iterable[str]) -> tuple[Restriction, ...]:
    """The restrictions to disjoint record sets A_1, …, A_k (GB Ex. IV.4).

    Raises ValueError where two sets share a record, or a record is not in the universe.

    >>> from dpcompose.spaces.multisets import multisets
    >>> record_partition(multisets({"a", "b", "c"}), {"a"}, {"b", "c"})[1].records
    ('b', 'c')
    """
    sets = [frozenset(map(str, part)) for part in parts]
    for i, part in enumerate(sets):
        for j in range(i):
            if shared := sorted(part & sets[j]):
                raise ValueError(f"parts {j + 1} and {i + 1} share the record {shared[0]!r}")
        if not databases.arbitrary and (strange := sorted(part - set(databases.records))):
            raise ValueError(f"part {i + 1} holds {strange[0]!r}, which is no record of {databases}")
    return tuple(restriction(part) for part in sets)


def composed(outer: Map, inner: Map) -> Map:
    """g∘f: the map that reads g of what f reads (GB Prop. III.8); g is the first.

    Restrictions join: (D|B)|A = D|(A∩B), so that lemmas about restrictions apply to them.

    >>> composed(restriction(["a", "c"]), restriction(["a", "b"]))
    the map of D to D|{a}
    """
    for f in (outer, inner):
        if not isinstance(f, Map):
            raise TypeError(f"a map such as dpcompose.restriction([...]) is composed, not {f!r}")
    if isinstance(outer, Everything) or isinstance(inner, Everything):
        return inner if isinstance(outer, Everything) else outer
    if isinstance(outer, Restriction) and isinstance(inner, Restriction) and outer.told and inner.told:
        return Restriction(tuple(outer.inside & inner.inside))
    return Composed(outer, inner)


def recoding(name: str, codes: Mapping[str, str], others: str | None = None) -> Recoding:
    """The map that recodes each record of a multiset, as from towns to counties (a record-wise map).

    name -- what results call it; codes -- what records become; others -- what all others become; left out,
    they stay as they are.  On the own domain a guarantee is about multisets of what records become; on the
    common domain what is read moves where the image of an edge does.

    >>> import dpcompose as dpc
    >>> towns = dpc.multisets({"a1", "a2", "b1", "b2"})
    >>> counties = recoding("counties", {"a1": "A", "a2": "A", "b1": "B", "b2": "B"})
    >>> local = dpc.policy("local", replace=[["a1", "a2"], ["b1", "b2"]])
    >>> M = dpc.mechanism("M", dpc.pure("e", dpc.bounded, "own"), reads=counties)
    >>> dpc.compose(M, on=towns, target=local).guarantee().epsilon
    0
    """
    return Recoding(name, tuple(sorted((str(x), str(y)) for x, y in codes.items())), others)


def function(name: str, f: Callable[[Database], Database]) -> Function:
    """The map D ↦ f(D) of a Python function, for finite classes.

    name -- what results call it; f -- called once a database, returns hashable values.

    >>> function("total", len)(("a", "a", "b"))
    3
    """
    return Function(name, f)


def table(
    name: str,
    values: Mapping[Any, Database],
    image_neighbours: Mapping[str, Iterable[tuple[Database, Database]]] | None = None,
) -> Table:
    """The map D ↦ values[D], for finite classes.

    name -- what results call it; values -- an image for each database;
    image_neighbours -- by the name of a granularity ("" for all), the pairs of images that are neighbours
    where a guarantee is on the own domain; left out: the images of neighbouring databases.

    >>> table("merge", {"a": "x", "b1": "y", "b2": "y"})("b2")
    'y'
    """
    listed = {
        granularity: frozenset((x, y) for x, y in given if x != y)
        for granularity, given in (image_neighbours or {}).items()
    }
    return Table(name, MappingProxyType(dict(values)), MappingProxyType(listed))
