"""The tables of what mechanisms read: maps, parts of the database, and partitions."""

from __future__ import annotations

from typing import Any

from dpcompose.privacy.format.checks import (
    FORMULA,
    NAME,
    Either,
    ListOf,
    Table,
    TableOf,
    Whole,
    Word,
    key,
    need,
)
from dpcompose.privacy.format.database_tables import NAMES, NUMBERS, RANGES, BetweenTable
from dpcompose.privacy.format.neighbourhoods import PAIRS

EVERYTHING = "everything"
"""What a mechanism reads that reads the whole database."""


class MapTable(Table):
    values: list[str] | None = key(ListOf(FORMULA, 1, 50))
    table: dict[str, str] | None = key(TableOf(NAME))
    image_neighbours: list[list[str]] | dict[str, list[list[str]]] | None = key(
        Either(PAIRS, TableOf(PAIRS)), written="image-neighbours"
    )
    recode: dict[str, str] | None = key(TableOf(NAME, 1))
    others: str | None = key(NAME)

    def check(self) -> None:
        if sum(given is not None for given in (self.table, self.recode, self.values)) != 1:
            raise ValueError(
                'a map is table = { a = "x", b = "y" } on a listed class, or recodes records: '
                'recode = { a1 = "A", a2 = "A" }; of points it has values = ["x + y"]'
            )
        if self.recode is None and self.others is not None:
            raise ValueError("others is what all records become that recode does not list")
        if self.table is None and self.image_neighbours is not None:
            raise ValueError("image-neighbours are those of a table; of recoded records they follow")


class ReadsTable(Table):
    records: list[str] | None = key(NAMES)
    map: str | None = key(NAME)
    positions: list[int] | None = key(NUMBERS)
    window: list[int] | None = key(ListOf(Whole(1), 2, 2))
    users: list[str] | None = key(NAMES)
    attributes: list[str] | None = key(NAMES)
    where: dict[str, list[str] | BetweenTable] | None = key(TableOf(Either(ListOf(NAME, 1), BetweenTable), 1))
    between: Any = key(RANGES)
    vertex: int | str | None = key(Either(Whole(1), NAME, str))
    vertices: list[int] | None = key(NUMBERS)
    part: str | None = key(NAME)
    random_part: str | None = key(NAME, written="random-part")
    of: str | None = key(NAME)

    def check(self) -> None:
        if len(self.given - {"of"}) != 1:
            raise ValueError(
                'say what is read: "everything", { records = [...] }, { positions = [...] }, '
                "{ window = [first, last] }, { users = [...] }, { attributes = [...] }, "
                '{ where = { county = ["north"] } }, { between = "[0, 10)" }, { vertex = 2 }, '
                "{ vertices = [...] }, "
                '{ map = "NAME" }, { part = "i", of = "P" } or { random-part = "i", of = "k" }'
            )
        if (self.part is None and self.random_part is None) != (self.of is None):
            raise ValueError('a part is read as { part = "i", of = "P" }')


class PartitionTable(Table):
    kind: str = need(Word("kind", ("record-wise", "order-based", "overlapping")))
    parts: str = need(FORMULA)
    at_most: str | None = key(FORMULA, written="at-most")

    def check(self) -> None:
        if (self.at_most is None) == (self.kind == "overlapping"):
            raise ValueError(
                "overlapping parts, and no others, say at-most: in how many of them a record is at most"
            )
