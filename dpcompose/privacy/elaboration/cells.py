"""Products of cells: tuples, streams, tables, sets and graphs, where neighbours differ in blocks of cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy.elaboration.kinds import ANY, Kind, NoLemma, Pair, told_apart
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.classes.databases import Cell, DatabaseClass
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.blocks import differing_in
from dpcompose.spaces.moves.granularities import Granularity


@frozen
class Cells(Kind):
    """Every map keeps cells of a product, and all neighbours are given by blocks of them.

    product -- the class, or the product whose neighbours stand for all of it.
    """

    product: DatabaseClass

    @classmethod
    def any_number_of_steps(cls, setting: Setting) -> bool:
        return not setting.databases.parameters

    @classmethod
    def of(cls, setting: Setting) -> Kind | None:
        if lengths_differ(setting):
            return WholeTuples(setting)
        product = shape(setting)
        if product is None or not _is_by_blocks(setting.target, product):
            return None
        if any(mechanism.reads.kept(product) is None for mechanism in setting.mechanisms):
            return None
        if not all(_is_by_blocks(granularity, product) for granularity in told_apart(setting)):
            return None
        kind = cls(setting, product)
        kind.check_limits()
        return kind

    @cached_property
    def _numbers(self) -> dict[Cell, int]:
        return {cell: n for n, cell in enumerate(self.product.cells or ())}

    @cached_property
    def _cells(self) -> list[Cell]:
        return list(self._numbers)

    def databases(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": "cells", "count": len(self._numbers)}
        sizes = getattr(self.setting.databases, "sizes", Size())
        if not sizes.letters:
            return data
        return data | sizes.named | {"size": [sizes.kind, None if sizes.n is None else data["count"]]}

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        return self._within(granularity, self._numbers)

    def stated(self, mechanism: Mechanism, *others: Mechanism) -> dict[str, Any]:
        """The blocks on what is read, which is all that matters of them."""
        maps = [mechanism.reads, *(other.reads for other in others)]
        read = frozenset[Cell]().union(*(f.kept(self.product) or () for f in maps))
        return self._within(mechanism.satisfies.about_granularity, read)

    def _within(self, granularity: Granularity, kept: Collection[Cell]) -> dict[str, Any]:
        if granularity.any_two(self.product):
            return ANY
        blocks = granularity.blocks(self.product)
        assert blocks is not None
        sets = blocks.largest_within(kept) if len(kept) < len(self._numbers) else blocks.sets
        single = sorted(sorted(self._numbers[cell] for cell in block) for block in sets)
        return {"single": single, "steps": blocks.most}

    def reads(self, f: Map) -> list[int] | None:
        if f.is_identity(self.product):
            return None
        return sorted(self._numbers[cell] for cell in f.kept(self.product) or ())

    def pair(self, of: Type) -> Pair:
        D, E = differing_in(self.product, (self._cells[n] for n in of.pair if isinstance(n, int)))
        return (E, D) if self.product.size(E) > self.product.size(D) else (D, E)

    def check_limits(self) -> None:
        """Raises NoLemma where an input moves further and further as an arbitrary universe grows."""
        for mechanism in self.setting.mechanisms:
            stated = mechanism.satisfies.granularity
            if stated is None or stated.any_two(self.product):
                continue
            if grows(self.product, self.setting.target, mechanism.reads, stated):
                raise NoLemma(
                    f"how far what {mechanism.name} reads moves has no limit on {self.setting.databases}: a "
                    f"{self.setting.target} step can be any number of {stated.innermost()[0]} steps; a fixed "
                    "number would do",
                    _furthest(self.product, self.setting.target, mechanism.reads, stated),
                )


def _is_by_blocks(granularity: Granularity, product: DatabaseClass) -> bool:
    return granularity.any_two(product) or granularity.blocks(product) is not None


def grows(product: DatabaseClass, target: Granularity, f: Map, stated: Granularity) -> bool:
    """Whether f moves further, in steps of a granularity by blocks, where an arbitrary universe is larger."""
    if (larger := product.larger()) == product:
        return False
    here, there = (moves(database_class, target, f, stated) for database_class in (product, larger))
    return max(here.values(), default=0) != max(there.values(), default=0)


def moves(
    product: DatabaseClass, target: Granularity, f: Map, stated: Granularity
) -> dict[frozenset[Cell], int]:
    """How many blocks f's change needs, by the largest sets of cells in which neighbours differ."""
    changes, by, kept = target.blocks(product), stated.blocks(product), f.kept(product)
    assert changes is not None and by is not None and kept is not None
    inside = by.within(kept)
    return {changed: inside.fewest(changed & kept) for changed in changes.unions()}


def _furthest(product: DatabaseClass, target: Granularity, f: Map, stated: Granularity) -> Pair:
    """Neighbours between which f moves the furthest, in steps of a granularity by blocks."""
    numbers = moves(product, target, f, stated)
    cells, _ = max(numbers.items(), key=lambda entry: (entry[1], sorted(map(str, entry[0]))))
    return differing_in(product, cells)


def shape(setting: Setting) -> DatabaseClass | None:
    """The product whose neighbours stand for all of the class: itself; of any length those with room for as
    many target blocks as a neighbour may change, so far apart that no stated block meets two of them."""
    databases = setting.databases
    if databases.cells is not None and not databases.parameters:
        return databases.largest_shape(0)
    if setting.target.any_two(databases) and databases.parameters:
        return databases.largest_shape(1)
    return None if setting.places is None else databases.largest_shape(setting.places)


def lengths_differ(setting: Setting) -> bool:
    """Whether any two tuples are neighbours, of different lengths as well, and everything is read."""
    databases = setting.databases
    if not databases.identified or databases.sizes.exactly or databases.parameters:
        return False
    database_class = databases.largest_shape(1)
    assert database_class is not None
    return (
        setting.target.any_two(databases)
        and all(mechanism.reads.is_everything for mechanism in setting.mechanisms)
        and not any(m.query is not None and m.query.about_records for m in setting.mechanisms)
        and all(_is_by_blocks(stated, database_class) for stated in told_apart(setting))
    )


class WholeTuples(Kind):
    """Tuples of any length as one cell, where any two are neighbours and everything is read: no step of
    another relation leads to another length.  So they are furthest apart, and of others nothing is told."""

    by_pairs = False

    @classmethod
    def of(cls, setting: Setting) -> Kind | None:
        return cls(setting) if lengths_differ(setting) else None

    @property
    def _class(self) -> DatabaseClass:
        return self.setting.databases

    def databases(self) -> dict[str, Any]:
        return {"kind": "cells", "count": 0 if self._class.sizes.n == 0 else 1}

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        return ANY if granularity.any_two(self._class) else {"single": [], "steps": 1}

    def reads(self, f: Map) -> list[int] | None:
        return None

    def pair(self, of: Type) -> Pair:
        known: Sequence[str] = self._class.records or self._class.spare
        least = self._class.sizes.least
        return (known[0],) * (least + 1), (known[0],) * least
