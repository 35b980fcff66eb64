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

    @classmethod
    def of(cls, setting: Setting) -> Kind | None:
        databases = setting.databases
        if not (databases.twice or databases.aligned):
            return None
        edits = setting.target.edits(databases)
        every = [one.reads for one in setting.mechanisms]
        maps = all(one.is_everything or one.restricts or one.dealt for one in every)
        stated = [one.edits(databases) for one in told_apart(setting)]
        if edits is None or not maps or any(one is None or one.elsewhere for one in stated):
            return None
        if databases.sizes.between and groups_pushed(setting):
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
        single = [list(one) for one in sorted(edits.single)]
        return {"single": single, "steps": edits.most} | ({"within": ANY_SIZE} if edits.elsewhere else {})
