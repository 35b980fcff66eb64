"""Multisets whose steps are edges of policies: a record matters by who reads it and what it may become."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any

from dpcompose.kernel.covers.policies import MOST_STEPS, differences
from dpcompose.kernel.covers.records import smallest_pair
from dpcompose.kernel.settings import NOTHING, Atom, Databases, Relation
from dpcompose.privacy.elaboration.atoms import OfAtoms
from dpcompose.privacy.elaboration.kinds import ANY, Pair, any_two, groups_pushed, told_apart
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.databases import Multisets
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.maps import Everything, Restriction
from dpcompose.spaces.policies import Policy, edges, policy_of


class Policies(OfAtoms):
    """Neighbours are given by policies, some by no counted edits, and every map reads records by name."""

    word = "policies"

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
        many = steps > MOST_STEPS and databases.sizes.n is not None
        return None if groups_pushed(setting) or many else cls(setting)

    @cached_property
    def _policies(self) -> list[Policy]:
        """All policies, each once."""
        found = [policy_of(one) for one in (self.setting.target, *told_apart(self.setting))]
        return list(dict.fromkeys(one[0] for one in found if one is not None))

    def sets(self) -> Iterator[Collection[str]]:
        yield from self.read()
        for one in self._policies:
            yield from (one.replace or ())
            yield one.add_remove or ()

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if any_two(granularity, self.universe):
            return ANY
        of = policy_of(granularity)
        assert of is not None
        policy, steps = of
        found = edges(policy, self.shown)
        return {"single": [[None if x == NOTHING else x for x in one] for one in found], "steps": steps}

    def pairs(self) -> Iterator[Pair]:
        """A pair for each way in which the target's neighbours differ."""
        sizes = self.universe.sizes
        atoms = tuple(Atom(tuple(records)) for records in self.shown)
        databases = Databases("policies", "", "multisets", (sizes.kind, sizes.n), sizes.least, atoms)
        of = policy_of(self.setting.target)
        assert of is not None
        target = Relation(tuple(edges(of[0], [one.records for one in atoms])), of[1])
        for left, right in differences(databases, target):
            yield smallest_pair(databases, left, right)
