"""Multisets whose steps are edges of policies: a record matters by who reads it and what it may become."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from dpcompose.kernel.covers.policies import MOST_STEPS, differences
from dpcompose.kernel.covers.records import smallest_pair
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.settings import NOTHING, Atom, Databases, Relation
from dpcompose.privacy.elaboration.kinds import ANY, Kind, Pair, any_two, groups_pushed, told_apart
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.databases import Multisets
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.maps import Everything, Map, Restriction
from dpcompose.spaces.policies import Policy, edges, policy_of


class Policies(Kind):
    """Neighbours are given by policies, some by no counted edits, and every map reads records by name."""

    @classmethod
    def of(cls, setting: Setting) -> Policies | None:
        databases = setting.databases
        stated = told_apart(setting)
        if not isinstance(databases, Multisets) or any_two(setting.target, databases):
            return None
        if not all(isinstance(one.reads, Everything | Restriction) for one in setting.mechanisms):
            return None
        if any(policy_of(one) is None for one in (setting.target, *stated)):
            return None
        _, steps = setting.target.innermost()
        return None if groups_pushed(setting) or steps > MOST_STEPS else cls(setting)

    @property
    def _class(self) -> Multisets:
        assert isinstance(self.setting.databases, Multisets)
        return self.setting.databases

    @cached_property
    def _policies(self) -> list[Policy]:
        """All policies, each once."""
        found = [policy_of(one) for one in (self.setting.target, *told_apart(self.setting))]
        return list(dict.fromkeys(one[0] for one in found if one is not None))

    @cached_property
    def _atoms(self) -> dict[tuple[Any, ...], list[str]]:
        """For each set of maps, groups and lists of records those that just these hold."""
        found: dict[tuple[Any, ...], list[str]] = {}
        maps = [one.reads.inside for one in self.setting.mechanisms if isinstance(one.reads, Restriction)]
        sets = [
            *maps,
            *(group for one in self._policies for group in (*(one.replace or ()), one.add_remove or ())),
        ]
        for record in (*self._class.records, *self._class.spare):
            found.setdefault(tuple(n for n, some in enumerate(sets) if record in some), []).append(record)
        return found

    def databases(self) -> dict[str, Any]:
        sizes = self._class.sizes
        return {
            "kind": "policies",
            "of": self._class.kind,
            "size": [sizes.kind, sizes.n],
            **({"least": sizes.least} if sizes.least else {}),
            "atoms": [records[:2] for records in self._atoms.values()],
        }

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if any_two(granularity, self._class):
            return ANY
        of = policy_of(granularity)
        assert of is not None
        policy, steps = of
        found = edges(policy, [records[:2] for records in self._atoms.values()])
        return {"single": [[None if x == NOTHING else x for x in one] for one in found], "steps": steps}

    def reads(self, f: Map) -> list[int] | None:
        if f.is_identity(self._class):
            return None
        assert isinstance(f, Restriction)
        return [n for n, records in enumerate(self._atoms.values()) if records[0] in f.inside]

    def pairs(self) -> Iterator[Pair]:
        """A pair for each way in which the target's neighbours differ."""
        sizes = self._class.sizes
        atoms = tuple(Atom(tuple(records[:2])) for records in self._atoms.values())
        databases = Databases("policies", "", "multisets", (sizes.kind, sizes.n), sizes.least, atoms)
        of = policy_of(self.setting.target)
        assert of is not None
        target = Relation(tuple(edges(of[0], [one.records for one in atoms])), of[1])
        for left, right in differences(databases, target):
            yield smallest_pair(databases, left, right)

    def pair(self, of: Type) -> Pair:
        D, E = of.pair
        return D, E
