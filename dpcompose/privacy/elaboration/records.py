"""Multisets and sequences, told by records: all that matters of a record is who reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from dpcompose.kernel.core import settings as kernel
from dpcompose.kernel.covers.alike import Alike
from dpcompose.kernel.covers.types import smallest_pair
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy.elaboration.atoms import OfAtoms
from dpcompose.privacy.elaboration.kinds import ANY, Kind, Pair, groups_pushed, told_apart
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
        every = [mechanism.reads for mechanism in setting.mechanisms]
        maps = all(one.is_everything or one.restricts or one.dealt for one in every)
        stated = [granularity.edits(databases) for granularity in told_apart(setting)]
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
        single = [list(numbers) for numbers in sorted(edits.single)]
        return {"single": single, "steps": edits.most} | ({"within": ANY_SIZE} if edits.elsewhere else {})

    def pairs(
        self, granularity: Granularity, known: Sequence[object], only_whether: bool, theory: Theory
    ) -> Iterator[Pair]:
        """A smallest pair of neighbours for each type of edit; of any two of any size none, and all records.

        known -- for each mechanism what tells it from others, if any is like it; only_whether -- all that
        matters of what is read is whether it differs.  Raises NoCover where there are too many.
        """
        read = [self.reads(mechanism.reads) for mechanism in self.setting.mechanisms]
        core = self.core(self.relation(granularity), read)
        cover = _Told(core, theory, () if core.target.any_two else known)
        edits, databases = cover.within(core.target, core.databases.size), core.databases
        if edits.any_two and databases.size[1] is None:
            yield smallest_pair(databases, (), tuple(range(len(databases.atoms))))
            return
        changed = cover.all_changed() if edits.any_two and only_whether else None
        for left, right in cover.changes(edits) if changed is None else [changed]:
            yield smallest_pair(databases, left, right)


class _Told(Alike):
    """Types of edits, where of mechanisms only as much is said as `known`."""

    def __init__(self, setting: kernel.Setting, theory: Theory, known: Sequence[object]) -> None:
        super().__init__(setting, theory)
        self._known = known

    def known_of(self, i: int) -> object:
        return self._known[i - 1] if self._known else None
