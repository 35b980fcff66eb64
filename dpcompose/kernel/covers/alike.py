"""Covers where many mechanisms are alike: of k parts of the records a few stand for all.

Where each of some mechanisms reads records that no other one of them reads, and all are stated alike, an
exchange of two of them, with the records that they read, turns neighbours into neighbours, and what each
reads moves as far.  As many of them as one step can touch tell the types; the number of types does not grow
with k.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.covers.records import Counts, Records
from dpcompose.kernel.covers.types import Choice, Cover, NoCover, Type

MANY = 24
"""How many mechanisms have to be alike for a few to stand for all of them."""


class Alike(Records):
    def cover_by_few(self) -> Cover | None:
        """The types with the first of the mechanisms that are alike; None where none are, or where it is not
        seen that as many others may move in their place."""
        if not self.classes or self.setting.target.any_two:
            return None
        try:
            cover = self.cover()
        except NoCover:
            return None
        types = tuple(self.with_others(type) for type in cover.types)
        return replace(cover, types=tuple(filter(None, types))) if all(types) else None

    @cached_property
    def classes(self) -> list[list[tuple[int, int]]]:
        """Mechanisms that are alike, each with the number of the atom that it reads."""
        mechanisms, databases = self.setting.mechanisms, self.setting.databases
        if databases.of != "multisets" or databases.letters:
            return []
        found: dict[object, list[tuple[int, int]]] = {}
        for atom, readers in enumerate(self.readers_of):
            alone = [i for i, _ in readers if mechanisms[i - 1].reads == ((atom,),)]
            if len(alone) == 1 and (known := self.known_of(alone[0])) is not None:
                others = tuple(reader for reader in readers if reader[0] != alone[0])
                several = len(databases.atoms[atom].records) > 1
                found.setdefault((known, others, several), []).append((alone[0], atom))
        return [some for some in found.values() if len(some) >= MANY]

    def known_of(self, i: int) -> object:
        """What tells a mechanism from others, but for what it reads; None where none is like it."""
        mechanism = self.setting.mechanisms[i - 1]
        return replace(mechanism, name="", reads=(), values=(), notion="") if is_plain(mechanism) else None

    def through(self, differences: Collection[Counts]) -> Sequence[int]:
        most = max((a + b for a, b in differences), default=0)
        left_out = {atom for some in self.classes for _, atom in some[most:]}
        return [atom for atom in super().through(differences) if atom not in left_out]

    def with_others(self, type: Type) -> Type | None:
        """The type with what may move in place of what does; None where some that are alike do not move as
        far as others."""
        moved, choices = dict(type.moves), list[Choice]()
        for some in self.classes:
            there = [one for one in some if one[0] in moved]
            if len({moved[i] for i, _ in there}) > 1:
                return None
            if there:
                far = moved[there[0][0]]
                every = dict.fromkeys([*there, *some])
                choices.append(Choice(len(there), tuple((atom, ((i, far),)) for i, atom in every)))
        return replace(type, choices=tuple(choices))


def is_plain(mechanism: Mechanism) -> bool:
    """Whether a mechanism is known by its guarantee alone, on what it reads of one database."""
    others = (mechanism.count, mechanism.noise, mechanism.table, mechanism.study, mechanism.metric)
    more = (mechanism.also, mechanism.codes, mechanism.partition, mechanism.dealt, mechanism.curve)
    return others == (None,) * 5 and mechanism.sampled is None and not any(more)
