"""Databases of records, told by their atoms: classes of records that nothing in the setting tells apart."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterator
from functools import cached_property
from typing import Any, ClassVar

from dpcompose.kernel.covers.types import Type
from dpcompose.privacy.elaboration.kinds import Kind, Pair
from dpcompose.spaces.inputs.maps import Map


class OfAtoms(Kind):
    """All that matters of a record is in which of some sets it is: those that maps read, and others."""

    word: ClassVar[str]
    """What the core setting calls the kind."""

    @abstractmethod
    def sets(self) -> Iterator[Collection[str]]:
        """The sets of records that tell records apart."""

    def alike(self, record: str) -> Hashable:
        """What else tells records apart: of records with one value all else is the same."""
        return None

    def read(self) -> Iterator[Collection[str]]:
        """The sets that maps read."""
        for mechanism in self.setting.mechanisms:
            if mechanism.reads.restricts:
                yield mechanism.reads.inside

    @property
    def universe(self) -> Any:
        """The class, of multisets, sequences, sets or tuples of records."""
        return self.setting.databases

    @cached_property
    def atoms(self) -> list[list[str]]:
        """The records that nothing tells apart, together."""
        holding: dict[str, list[int]] = {}
        for n, records in enumerate(self.sets()):
            for record in records:
                holding.setdefault(record, []).append(n)
        atoms: dict[Hashable, list[str]] = {}
        for record in (*self.universe.records, *self.universe.spare):
            apart = tuple(holding.get(record, ())), self.alike(record)
            atoms.setdefault(apart, []).append(record)
        return list(atoms.values())

    @property
    def unlimited(self) -> bool:
        """Whether a record is there once at most, and there are more of them than are told."""
        return False

    @property
    def shown(self) -> list[list[str]]:
        """One record of each atom, or two where there are more."""
        return [records[:2] for records in self.atoms]

    def databases(self) -> dict[str, Any]:
        sizes = self.universe.sizes
        return {
            "kind": self.word,
            "of": self.universe.kind,
            "size": [sizes.kind, sizes.n],
            **({"least": sizes.least} if sizes.least else {}),
            **sizes.named,
            **({"unlimited": True} if sizes.letters and self.unlimited else {}),
            "atoms": self.shown,
        }

    def reads(self, f: Map) -> list[int] | None:
        if f.is_identity(self.universe) or f.dealt:
            return None
        return sorted(self._numbers[record] for record in f.inside if record in self._numbers)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each atom, by the record that stands for it."""
        return {records[0]: n for n, records in enumerate(self.atoms)}

    def pair(self, of: Type) -> Pair:
        D, E = of.pair
        return D, E
