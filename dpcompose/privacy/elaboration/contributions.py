"""Multisets of rows whose neighbours differ in what one person contributes: a row matters by its part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.elaboration.kinds import ANY, Kind, NoLemma, Pair
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.neighbours import LARGEST_PREDICATE_CLASS


class Contributions(Kind):
    """Multisets of which maps read parts of partitions, or everything, unless they are few."""

    @classmethod
    def of(cls, setting: Setting) -> Contributions | None:
        databases, single = setting.databases, setting.target.single_step.innermost()[0]
        if not single.by_rows or not databases.twice:
            return None
        if databases.unlimited and not databases.arbitrary:
            return None
        maps = [mechanism.reads for mechanism in setting.mechanisms]
        if not all(f.is_everything or f.restricts or f.divided for f in maps):
            return None
        letters = databases.parameters or setting.target.parameters
        few = None if letters or databases.sizes.n is None else databases.count()
        return None if few is not None and few <= LARGEST_PREDICATE_CLASS else cls(setting)

    @property
    def target(self) -> Any:
        """What a person contributes."""
        return self.setting.target.single_step.innermost()[0]

    @cached_property
    def universe(self) -> DatabaseClass:
        """The class."""
        return self.setting.databases

    @cached_property
    def parts(self) -> list[list[str]]:
        """The records of each part that is read by name."""
        partitions: Sequence[Any] = self.target.partitions or ()
        if len(partitions) > 1 and any(not a.isdisjoint(b) for a in partitions[0] for b in partitions[1]):
            raise NoLemma("parts of several partitions are told for families on them only")
        return [sorted(part) for partition in partitions for part in partition]

    @cached_property
    def outside(self) -> list[str]:
        """Two rows that lie in no part, if there are such.

        Where there is one, another one may stand beside it if all that is read lies in parts: what is read,
        how many rows there are and who are neighbours is the same with the one in place of the other.
        """
        held = {row for part in self.parts for row in part}
        rows = [row for row in (*self.universe.records, *self.universe.spare) if row not in held]
        if len(rows) != 1:
            return rows[:2]
        if not all(mechanism.reads.restricts for mechanism in self.setting.mechanisms):
            raise NoLemma(
                f"{rows[0]!r} is the only record outside of all parts, and is read; none, or two, or an "
                "arbitrary universe would do"
            )
        return [rows[0], self._double(rows[0])]

    @staticmethod
    def _double(row: str) -> str:
        """What the row is called that stands beside the only one outside of all parts."""
        return f"{row} {BESIDE}"

    def databases(self) -> dict[str, Any]:
        limits = self.universe.sizes
        word = "exactly" if limits.exactly else "at most"
        return {
            "kind": "contributions",
            "parts": [part[:2] for part in self.parts],
            "outside": self.outside,
            **({"size": [word, limits.n]} if limits.n is not None else {}),
            **({"least": limits.least} if limits.least else {}),
            **limits.named,
        }

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if granularity.any_two(self.universe):
            return ANY
        single, steps = granularity.innermost()
        if single.by_rows:
            return {"single": single.contributed, "steps": steps}
        edits = granularity.edits(self.universe)
        if edits is None or edits.single is None:
            raise NoLemma(
                f"how far {granularity} neighbours are apart is not known beside what a person contributes"
            )
        return {"single": [list(numbers) for numbers in sorted(edits.single)], "steps": edits.most}

    def tells_neighbours(self, granularity: Granularity) -> bool:
        try:
            return bool(self.relation(granularity))
        except NoLemma:
            return False

    def reads(self, f: Map) -> list[int] | None:
        if f.is_identity(self.universe):
            return None
        if f.divided:
            return []
        return [n for n, part in enumerate(self.parts) if part[0] in f.inside]

    def times(self, D: tuple[Any, ...], n: int) -> tuple[Any, ...]:
        """The rows that lie in no part, n times; of those in parts a person has no more."""
        return tuple(row for row in D for _ in range(n if row in self.outside else 1))

    def pair(self, of: Type) -> Pair:
        rows = fewest(self.target.rows)
        x, y = (Counter(side) for side in of.pair if isinstance(side, tuple))
        doubled = {self._double(row): row for row in self.outside}
        differing = ([*(one - other).elements()] * rows for one, other in ((x, y), (y, x)))
        sides = ([*records, *(x & y).elements()] for records in differing)
        D, E = (tuple(sorted(doubled.get(row, row) for row in side)) for side in sides)
        return D, E


BESIDE = "(another)"
"""What marks a row that stands beside the only one outside of all parts."""


def fewest(count: Term) -> int:
    """A number, or the least value of a letter for one."""
    if count.number is not None:
        return int(count.number)
    (domain,) = count.letters.values()
    return int(domain.least or 1)
