"""Replacements within parts, of which there is any number."""

from __future__ import annotations

from dataclasses import replace

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

    def placed(self, partitions: Placed, copies: Copies, databases: DatabaseClass) -> Replacement:
        return replace(self, groups=frozenset(partitions.get(self.part.partition, ())))

    def unfit(self, databases: DatabaseClass) -> str | None:
        if self.groups:
            return None
        if self.part.of != databases.kind or not databases.twice:
            return f"records move within the parts of {self.part.partition} on multisets"
        needed = databases.not_divided
        return None if needed is None else f"the parts of {self.part.partition} need {needed}"
