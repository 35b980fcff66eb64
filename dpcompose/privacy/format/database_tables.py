"""The schema of classes of databases in problem files: of records, points, and products."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.privacy.format.checks import (
    FORMULA,
    NAME,
    TEXT,
    Check,
    Either,
    ListOf,
    Mistakes,
    OneOf,
    OrOwn,
    Place,
    Table,
    TableOf,
    Whole,
    Word,
    key,
    need,
)
from dpcompose.spaces.classes.lines import Line, read_ranges

KINDS = ("multisets", "sets", "sequences", "tuples", "streams", "tables", "graphs", "listed")

NAMES = ListOf(NAME)
NUMBERS = ListOf(Whole(1))


class _Ranges(Check):
    """Numbers: "all", an interval as a text, with both its ends as a list, or a list of texts."""

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        with mistakes.telling(path):
            read_ranges(value)
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        number = {"type": ["string", "number"]}
        return {"anyOf": [{"type": "string"}, {"items": number, "type": "array"}]}


RANGES = _Ranges()


class LineTable(Table):
    integers: Any = key(RANGES)
    reals: Any = key(RANGES)

    def data(self) -> dict[str, Any]:
        """The table as files write it."""
        return {name: getattr(self, name) for name in sorted(self.given)}

    def check(self) -> None:
        Line.read(self.data())


class BetweenTable(Table):
    between: Any = need(RANGES)

    def data(self) -> dict[str, Any]:
        """The table as files write it."""
        return {"between": self.between}


def plain(given: Any) -> Any:
    """What is given in words or lists, or in a table of numbers, as files write it."""
    return given.data() if isinstance(given, LineTable | BetweenTable) else given


class DatabasesTable(Table):
    kind: str = need(OrOwn(lambda *more: Word("kind", (*KINDS, *more)), lambda own: own.classes))
    records: list[str] | LineTable | None = key(Either(NAMES, LineTable))
    size: str = key(TEXT, "any")
    elements: list[str] | None = key(NAMES)
    vertices: int | str | None = key(Either(Whole(1), TEXT, str))
    attributes: dict[str, str | list[str] | LineTable] | None = key(
        TableOf(Either(Either(Word("word", ("any",)), ListOf(NAME, 1), list), LineTable), 1)
    )
    users: dict[str, list[int]] | None = key(TableOf(NUMBERS))

    @property
    def numbers(self) -> bool:
        """Whether records are numbers."""
        return isinstance(self.records, LineTable)

    @property
    def named(self) -> list[str] | None:
        """The records that are listed."""
        return None if isinstance(self.records, LineTable) else self.records

    def check(self) -> None:
        for about, kinds in (
            ("vertices", ["graphs"]),
            ("attributes", ["tables", "multisets", "sets"]),
            ("users", ["tuples", "streams"]),
        ):
            if getattr(self, about) is not None and self.kind not in kinds:
                raise ValueError(f"{about} are about {' and '.join(kinds)}, not about {self.kind}")
        if self.kind == "graphs" and (self.records is not None or self.size != "any"):
            raise ValueError("records and size are about records; graphs have vertices = 4")
        if self.kind == "tables" and (self.records is not None or self.attributes is None):
            raise ValueError('tables have attributes = { age = ["young", "old"] }, which make their records')
        if self.attributes is not None and self.records is not None:
            raise ValueError("attributes make the records: leave out records, or attributes")
        if self.numbers and self.kind != "multisets":
            raise ValueError(
                f"records that are numbers are those of multisets, not of {self.kind}: list them"
            )
        lines = any(isinstance(attribute, LineTable) for attribute in (self.attributes or {}).values())
        if self.kind == "sets" and lines:
            raise ValueError("attributes of sets list their values, or have any; numbers are for multisets")
        if self.kind == "tables" and (lines or "any" in (self.attributes or {}).values()):
            raise ValueError("attributes of tables list their values; those of multisets may have any")
        if self.kind == "listed" and self.elements is None:
            raise ValueError("a listed class needs its databases: elements = [...]")
        if self.kind == "listed" and (self.records is not None or self.size != "any"):
            raise ValueError("records and size are about records; a listed class has elements")
        if self.kind != "listed" and self.elements is not None:
            raise ValueError(f"elements are about listed classes; {self.kind} have records")


BOUNDS = ListOf(FORMULA, 2, 2)


class PointsTable(Table):
    kind: str = need(OneOf("points"))
    coordinates: list[str] = need(ListOf(NAME, 1, 20))
    box: list[list[str]] | None = key(ListOf(BOUNDS))
    disc: str | None = key(FORMULA)

    def check(self) -> None:
        if self.box is not None and len(self.box) != len(self.coordinates):
            raise ValueError('a box has one interval for each coordinate: box = [["0", "1"], ["-oo", "oo"]]')
        if self.disc is not None and (self.box is not None or len(self.coordinates) != 2):
            raise ValueError("a disc is one of points with two coordinates, without a box")


class ByKind(Check):
    """A class of databases: points, a product, or one of the other kinds.

    product -- whether it may be a product.
    """

    def __init__(self, product: bool) -> None:
        self.own: dict[str, type[Table]] = {"points": PointsTable}
        if product:
            self.own["product"] = ProductTable

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        kind = value.get("kind") if isinstance(value, Mapping) else None
        table = self.own.get(kind, DatabasesTable) if isinstance(kind, str) else DatabasesTable
        return table.read(value, path, mistakes)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        every: list[type[Table]] = [DatabasesTable, *self.own.values()]
        return {"anyOf": [table.schema(defs) for table in every]}


class ProductTable(Table):
    kind: str = need(OneOf("product"))
    parts: Mapping[str, PointsTable | DatabasesTable] = need(TableOf(ByKind(False), 1, 50))
