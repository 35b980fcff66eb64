"""Multisets and sequences, told by records: all that matters of a record is who reads it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from dpcompose.kernel.covers.types import Type
from dpcompose.privacy.elaboration.kinds import ANY, Kind, Pair, any_two, groups_pushed, told_apart
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.databases import Multisets
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.maps import Everything, Map, Restriction
from dpcompose.spaces.sequences import Sequences


class Records(Kind):
    """Neighbours are given by counted edits, and every map reads records by name, or all of them."""

    @classmethod
    def of(cls, setting: Setting) -> Kind | None:
        databases = setting.databases
        if not isinstance(databases, Multisets | Sequences):
            return None
        edits = setting.target.edits(databases)
        maps = all(isinstance(one.reads, Everything | Restriction) for one in setting.mechanisms)
        if edits is None or not maps or any(one.edits(databases) is None for one in told_apart(setting)):
            return None
        if databases.sizes.least and databases.sizes.n is not None and groups_pushed(setting):
            return None
        if isinstance(databases, Sequences) and (n := databases.sizes.n) is not None:
            room = edits.single is not None and (databases.sizes.exactly or edits.most <= n)
            return cls(setting) if room else None
        return cls(setting)

    @property
    def _class(self) -> Multisets | Sequences:
        assert isinstance(self.setting.databases, Multisets | Sequences)
        return self.setting.databases

    @cached_property
    def _atoms(self) -> dict[tuple[int, ...], list[str]]:
        """For each set of maps the records that just these hold."""
        readers: dict[str, list[int]] = {}
        for i, mechanism in enumerate(self.setting.mechanisms):
            for record in mechanism.reads.inside if isinstance(mechanism.reads, Restriction) else ():
                readers.setdefault(record, []).append(i)
        found: dict[tuple[int, ...], list[str]] = {}
        for record in (*self._class.records, *self._class.spare):
            found.setdefault(tuple(readers.get(record, ())), []).append(record)
        return found

    def databases(self) -> dict[str, Any]:
        sizes = self._class.sizes
        return {
            "kind": "records",
            "of": self._class.kind,
            "size": [sizes.kind, sizes.n],
            **({"least": sizes.least} if sizes.least else {}),
            "atoms": [records[:2] for records in self._atoms.values()],
        }

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if any_two(granularity, self._class):
            return ANY
        edits = granularity.edits(self._class)
        assert edits is not None and edits.single is not None
        return {"single": [list(one) for one in sorted(edits.single)], "steps": edits.most}

    def reads(self, f: Map) -> list[int] | None:
        if f.is_identity(self._class):
            return None
        assert isinstance(f, Restriction)
        return [n for n, records in enumerate(self._atoms.values()) if records[0] in f.inside]

    def pair(self, of: Type) -> Pair:
        D, E = of.pair
        return D, E
