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
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.larger import ANY_SIZE


class Records(OfAtoms):
    """Neighbours are given by counted edits, and every map reads records by name, or all of them."""

    word = "records"
    counted = ("edit type", "edit types")
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

    def pairs(self, theory: Theory) -> Sequence[Pair]:
        cover = _Outlined(self.outline(), theory, self.setting.mechanisms)
        core, databases = cover.setting, cover.setting.databases
        edits = cover.within(core.target, databases.size)
        if edits.any_two and databases.size[1] is None:
            return [smallest_pair(databases, (), tuple(range(len(databases.atoms))))]
        only_whether = all(
            mechanism.stated is not None and mechanism.stated.any_two for mechanism in core.mechanisms
        )
        whole = cover.all_changed() if edits.any_two and only_whether else None
        changes = cover.changes(edits) if whole is None else [whole]
        pairs = (smallest_pair(databases, left, right) for left, right in changes)
        return sorted(pairs, key=lambda pair: (sum(map(len, pair)), pair))

    @property
    def grows(self) -> bool:
        databases = self.setting.databases
        return self.setting.target.any_two(databases) and databases.sizes.n is None


class _Outlined(Alike):
    """Types of edits, where of mechanisms only what they read and are stated for is said.

    told -- the mechanisms with all that is known of them.
    """

    def __init__(self, setting: kernel.Setting, theory: Theory, told: Sequence[Mechanism]) -> None:
        super().__init__(setting, theory)
        self._told = told

    def known_of(self, i: int) -> object:
        mechanism = self._told[i - 1]
        stated = mechanism.satisfies
        known = stated.curve is None and mechanism == Mechanism(mechanism.name, mechanism.reads, stated)
        counted = known and not self.setting.target.any_two
        return (stated.granularity, stated.domain, stated.metric) if counted else None
