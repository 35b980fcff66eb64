"""Replacements where any number of parts is written out: within parts, and among copies of named records."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cached_property

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.parts import Part
from dpcompose.spaces.moves.replacements import Copies, Groups, Placed, Replacement


@frozen
class InParts(Groups):
    """Two records are joined that lie in a common part of a partition, or of parts that overlap.

    groups -- the parts, where as many as are needed are written out; part -- the map to the i-th of them, of
    which there is a symbolic number.

    >>> InParts(frozenset(), Part("P", "k")).data()
    {'within': 'P'}
    """

    part: Part

    any_values = True
    names = frozenset()
    partial = True

    def data(self) -> object:
        return {"within": self.part.partition}

    @property
    def divisions(self) -> tuple[Part, ...]:
        return () if self.groups else (self.part,)

    def placed(self, partitions: Placed, copies: Copies) -> Replacement:
        return replace(self, groups=frozenset(partitions.get(self.part.partition, ())))

    def unfit(self, databases: DatabaseClass) -> str | None:
        if self.part.of != databases.kind or not databases.twice:
            return f"records move within the parts of {self.part.partition} on multisets"
        needed = databases.not_divided
        return None if needed is None else f"the parts of {self.part.partition} need {needed}"


@frozen
class Apart(Replacement):
    """Two records are joined that are joined by others, and no copies of one: it lies in one place only.

    inner -- which records are joined else; of -- copies of named records with these, one for each way to lie
    among the parts.
    """

    inner: Replacement
    of: frozenset[tuple[str, str]]

    def joins(self, x: str, y: str, databases: DatabaseClass | None) -> bool:
        return self._of.get(x, x) != self._of.get(y, y) and self.inner.joins(x, y, databases)

    def alike(self, x: str, databases: DatabaseClass) -> Hashable:
        return self._of.get(x), self.inner.alike(x, databases)

    @cached_property
    def _of(self) -> Mapping[str, str]:
        return dict(self.of)

    @property
    def any_values(self) -> bool:  # type: ignore[override]
        return self.inner.any_values

    def data(self) -> object:
        raise ValueError("a policy among copies of records has no words of its own")
