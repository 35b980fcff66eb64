"""Parts of a partition, or parts that overlap, of which there is a symbolic number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term, number
from dpcompose.language import formulas
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map, Signs


@frozen(repr=False)
class Part(Map):
    """D ↦ p_i(D), the i-th part of a partition, or of parts that overlap, with a symbolic number of parts.

    The parts are record sets of an arbitrary universe (record-wise), or sets of positions of tuples
    of any length (order-based), and are not named: a setting writes out as many of them as are
    needed, as restrictions to records or positions.  It has no value at a database by itself.

    partition -- the partition's name; parts -- the number k of its parts, as a formula;
    of -- the kind of class whose databases are divided: "multisets", "sequences", "tuples" or "streams";
    most -- in how many parts a record is at most, a number or a letter for one: 1 in a partition.
    """

    divided = True

    partition: str
    parts: str
    of: str = "multisets"
    most: Term = ONE

    @property
    def few(self) -> int:
        return max(2, int(self.most.of[1].least or 0)) if self.most.number is None else int(self.most.number)

    def at(self, point: Mapping[str, Fraction]) -> Part:
        name = formulas.to_text(self.most)
        return replace(self, most=number(point[name])) if name in point else self

    def counted(self, point: Mapping[str, Fraction]) -> Part:
        return replace(self, parts=str(point[self.parts])) if self.parts in point else self

    def dividing(self, kind: str) -> Part:
        return replace(self, of=kind)

    def unfit(self, databases: DatabaseClass) -> str | None:
        if self.of != databases.kind:
            return f"reads a part of {self.partition}, which divides {self.of}, not {databases}"
        needed = databases.not_divided
        return None if needed is None else f"reads a part of {self.partition}, which needs {needed}"

    def __call__(self, D: Database) -> Database:
        raise TypeError(f"part i of {self.partition} must be written out for some i first")

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        raise TypeError(f"part i of {self.partition} must be written out for some i first")

    def shown(self, D: str, signs: Signs) -> str:
        return signs.applied(self.partition, D, "i")

    def data(self) -> str | dict[str, Any]:
        return {"part": "i", "of": self.partition}

    def table(self) -> dict[str, Any]:
        if self.most != ONE:
            return {"kind": "overlapping", "parts": self.parts, "at-most": formulas.to_text(self.most)}
        ordered = self.of not in ("multisets", "sequences")
        return {"kind": "order-based" if ordered else "record-wise", "parts": self.parts}
