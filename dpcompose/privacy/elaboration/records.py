"""Multisets and sequences, told by records: all that matters of a record is who reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from dpcompose.privacy.elaboration.atoms import OfAtoms
from dpcompose.privacy.elaboration.kinds import ANY, Kind, groups_pushed, told_apart
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.larger import ANY_SIZE


class Records(OfAtoms):
    """Neighbours are given by counted edits, and every map reads records by name, or all of them."""

    word = "records"
    draws = True
    leads_out = True

    @classmethod
    def of(cls, setting: Setting) -> Kind | None:
        databases = setting.databases
        if not (databases.twice or databases.aligned) or setting.copies:
            return None
        edits = setting.target.edits(databases)
        every = [mechanism.reads for mechanism in setting.mechanisms]
        maps = all(f.is_everything or f.restricts or f.dealt for f in every)
        stated = [granularity.edits(databases) for granularity in told_apart(setting)]
        if edits is None or not maps or any(relation is None or relation.elsewhere for relation in stated):
            return None
        pushed = (mechanism.satisfies.about_granularity for mechanism in groups_pushed(setting))
        groups = [granularity.edits(databases) for granularity in pushed]
        if not all(
            relation is not None and (databases.twice or relation.pass_through(databases))
            for relation in groups
        ):
            return None
        singles = [
            relation.single
            for relation in (edits, *stated)
            if relation is not None and relation.single is not None
        ]
        if databases.aligned and edits.most > 1 and any((1, 1) in single for single in singles):
            return None
        if databases.aligned and (n := databases.sizes.n) is not None:
            room = edits.single is not None and (databases.sizes.exactly or edits.most <= n)
            return cls(setting) if room else None
        return cls(setting)

    def sets(self) -> Iterator[Collection[str]]:
        return self.read()

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if granularity.any_two(self.universe):
            return ANY
        edits = granularity.edits(self.universe)
        assert edits is not None and edits.single is not None
        single = [list(numbers) for numbers in sorted(edits.single)]
        return {"single": single, "steps": edits.most} | ({"within": ANY_SIZE} if edits.elsewhere else {})
