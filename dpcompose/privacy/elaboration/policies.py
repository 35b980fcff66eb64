"""Multisets, sets and tuples whose steps are edges of policies.

A record matters by who reads it, and by what it may become.  Of tuples a record at a place is what matters;
places that the same mechanisms read are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from functools import cached_property
from typing import Any

from dpcompose.kernel.core import settings as kernel
from dpcompose.kernel.core.settings import NOTHING
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.policies import MOST_STEPS
from dpcompose.kernel.covers.pushed import MOST_SHARED, groups_pass, why_not_told
from dpcompose.kernel.covers.rooms import Room, room
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.covers.types import Type
from dpcompose.privacy.elaboration.atoms import OfAtoms
from dpcompose.privacy.elaboration.kinds import ANY, Pair, groups_pushed, told_apart
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.classes.databases import LARGEST_SHAPE, DatabaseClass
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import Policy, edges, policy_of

LISTED = 2_000
"""Of how many databases a class is listed at most where steps are too many for policies."""
MOST_SHOWN = 400
"""The most records of sets that are shown one by one, with those that fill them up."""


class Policies(OfAtoms):
    """Neighbours are given by policies, some by no counted edits, and every map reads records by name."""

    word = "policies"
    draws = True

    @classmethod
    def of(cls, setting: Setting) -> Policies | None:
        kind = next(
            (candidate for candidate in (Policies, OfSets, OfTuples) if candidate.tells(setting.databases)),
            None,
        )
        if kind is None or (setting.target.any_two(setting.databases) and not kind.tells_any_two(setting)):
            return None
        if not all(kind.is_told(mechanism.reads) for mechanism in setting.mechanisms):
            return None
        if any(policy_of(granularity) is None for granularity in _told(setting)):
            return None
        told = kind(setting) if kind.has_room(setting) else None
        return told if told is None or all(map(told.tells_groups, groups_pushed(setting))) else None

    @classmethod
    def any_number_of_steps(cls, setting: Setting) -> bool:
        return setting.databases.twice

    @classmethod
    def tells(cls, databases: DatabaseClass) -> bool:
        """Whether a class is told in this form."""
        return databases.twice

    @classmethod
    def is_told(cls, f: Map) -> bool:
        """Whether a map may be read."""
        return f.is_everything or f.restricts or f.recodes or f.dealt

    @classmethod
    def tells_any_two(cls, setting: Setting) -> bool:
        """Whether any two databases are so many steps apart as they have records, or without a limit."""
        return setting.databases.count() is None

    @classmethod
    def has_room(cls, setting: Setting) -> bool:
        """Whether all that is needed of the class can be written down: of many steps these are single ones,
        taken as often, where databases have room for as many records, and are too many to be listed."""
        databases, steps = setting.databases, _steps(setting)
        sizes, count = databases.sizes, databases.count()
        room = sizes.allows_difference(steps, steps if sizes.exactly else 0)
        return sizes.n is None or _are_few(setting) or (room and (count is None or count > LISTED))

    def pushes_groups(self, mechanism: Mechanism) -> bool:
        """Whether groups of steps become groups of as many steps of what a mechanism reads."""
        here, seen, edges = self._pushed(mechanism)
        return groups_pass(here, seen, edges)

    def tells_groups(self, mechanism: Mechanism) -> bool:
        """Whether it is told how far groups of steps move what a mechanism reads: on lines, of which numbers
        far from all ends are left out, only where they are groups of as many steps of that."""
        (here, seen, edges), of = self._pushed(mechanism), policy_of(mechanism.satisfies.about_granularity)
        steps = 1 if of is None else of[1]
        if groups_pass(here, seen, edges):
            return True
        described = self.setting.databases.described
        on_lines = described is not None and bool(described.lines)
        return not on_lines and not why_not_told(
            here.databases, seen, edges, steps, sizes.gap(self.outline())
        )

    def _pushed(self, mechanism: Mechanism) -> tuple[Room, Seen, frozenset[kernel.Edge]]:
        """The class, what a mechanism sees of it, and the edges that its guarantee is stated for."""
        here, of = room(self.outline().databases), policy_of(mechanism.satisfies.about_granularity)
        assert of is not None
        read, every = self.reads(mechanism.reads), frozenset(range(len(here.atoms)))
        seen = Seen(every if read is None else frozenset(read), self.codes(mechanism.reads))
        return here, seen, here.usable(frozenset(self.edges(of[0])), every)

    @cached_property
    def _policies(self) -> list[Policy]:
        """All policies, each once."""
        known = [policy_of(granularity) for granularity in _told(self.setting)]
        return list(dict.fromkeys(pair[0] for pair in known if pair is not None))

    @cached_property
    def universe(self) -> Any:
        """The class, with as many values of an attribute that are read alike as neighbours can have."""
        databases = self.setting.databases
        if (known := databases.described) is None:
            return databases
        told = {name for policy in self._policies for name in policy.told(known.names)}
        if not all(f.is_everything or f.by_attributes for f in self._maps):
            told = set(known.names)
        wanted = [dict(f.conditions) for f in self._maps if f.conditions]
        alike = {
            name: {
                x: tuple(known.has(name, x, conditions[name]) for conditions in wanted if name in conditions)
                for x in values
            }
            for name, values in known.values.items()
            if name not in told
        }
        most = 2 * min(_steps(self.setting), MOST_STEPS)  # more steps are told by single ones
        limited = databases.sizes.n is not None
        if any(limited or mechanism.reads.recodes for mechanism in groups_pushed(self.setting)):
            most += MOST_SHARED
        return databases.projected(known.fewer(alike, most))

    @property
    def _maps(self) -> list[Map]:
        return [mechanism.reads for mechanism in self.setting.mechanisms]

    def sets(self) -> Iterator[Collection[str]]:
        yield from self.read()

    def databases(self) -> dict[str, Any]:
        """The class; where it is not said how records lie, with a record in no part there in any case."""
        data, copies = super().databases(), self.setting.copies
        if copies is None:
            return data
        numbers = {record: n for n, records in enumerate(self.atoms) for record in records}
        always = {numbers[record] for record in self.universe.spare}
        beside = [set(always) for _ in self.atoms]
        there = [alike for alike in copies.values() if alike.keys() <= numbers.keys()]
        for copy, own in (pair for alike in there for pair in alike.items()):
            beside[numbers[copy]] |= {numbers[own]} if own in numbers else set()
        apart = [[numbers[copy] for copy in alike] for alike in there]
        further = {"further": self.setting.further} if self.setting.further else {}
        return data | {"beside": list(map(sorted, beside)), "copies": apart} | further

    @cached_property
    def _copies(self) -> frozenset[str]:
        """The copies of records with a name."""
        return frozenset(copy for alike in (self.setting.copies or {}).values() for copy in alike)

    def alike(self, record: str) -> Hashable:
        edges = tuple(policy.alike(record, self.universe) for policy in self._policies)
        alone = record if record in self._copies else ""
        return edges, alone, tuple(self._coded(f).get(record) for f in self._recodings)

    @cached_property
    def _recodings(self) -> list[Map]:
        """What recodes records, each once."""
        maps = (f for f in self._maps if f.recodes)
        return [f for f in dict.fromkeys(maps) if not f.is_identity(self.setting.databases)]

    def _coded(self, f: Map) -> dict[str, str]:
        """What each record becomes that does not stay as it is, or that others become."""
        if f not in self._known:
            becomes = {x: f.code(x) for x in (*self.universe.records, *self.universe.spare)}
            many = Counter(becomes.values())
            self._known[f] = {x: y for x, y in becomes.items() if x != y or many[y] > 1}
        return self._known[f]

    @cached_property
    def _known(self) -> dict[Map, dict[str, str]]:
        return {}

    def _codes(self, f: Map) -> dict[str, list[int]]:
        """The atoms of all records that become one, by what they become."""
        codes: dict[str, list[int]] = {}
        for n, atom in enumerate(self.atoms):
            if (code := self._coded(f).get(atom[0])) is not None:
                codes.setdefault(code, []).append(n)
        return codes

    def codes(self, f: Map) -> list[list[int]]:
        recoded = f.recodes and not f.is_identity(self.setting.databases)
        return list(self._codes(f).values()) if recoded else []

    def reads(self, f: Map) -> list[int] | None:
        return None if f.recodes else super().reads(f)

    def stated(self, mechanism: Mechanism, *others: Mechanism) -> dict[str, Any]:
        f, granularity = mechanism.reads, mechanism.satisfies.about_granularity
        of = policy_of(granularity)
        if not self.codes(f) or mechanism.satisfies.domain != "own" or of is None:
            return super().stated(mechanism)
        policy, steps = of
        codes = {members[0]: [code] for code, members in self._codes(f).items()}
        merged = {n for code in self._codes(f).values() for n in code}
        there = {
            n: codes.get(n, records) for n, records in enumerate(self.shown) if n in codes or n not in merged
        }
        numbers, image = list(there), f.image(self.universe)
        single = [
            [None if x == NOTHING else numbers[x] for x in edge]
            for edge in edges(policy, list(there.values()), image)
        ]
        return {"single": single, "steps": steps}

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if granularity not in self._relations:
            self._relations[granularity] = self._relation(granularity)
        return self._relations[granularity]

    @cached_property
    def _relations(self) -> dict[Granularity, dict[str, Any]]:
        """Those that were asked for: most mechanisms are stated for the same neighbours."""
        return {}

    def _relation(self, granularity: Granularity) -> dict[str, Any]:
        if granularity.any_two(self.universe):
            return ANY
        of = policy_of(granularity)
        assert of is not None
        policy, steps = of
        single = [[None if x == NOTHING else x for x in edge] for edge in self.edges(policy)]
        return {"single": single, "steps": steps}

    def edges(self, policy: Policy) -> list[kernel.Edge]:
        """The edges of a policy between atoms."""
        return edges(policy, self.shown, self.universe)

    def pair(self, of: Type) -> Pair:
        return self.shown_pair(*of.pair)

    def shown_pair(self, D: Any, E: Any) -> Pair:
        """Two databases of records as results print them."""
        return D, E


def _are_few(setting: Setting) -> bool:
    """Whether the types of as many steps as the target counts are written down."""
    return _steps(setting) <= MOST_STEPS


def _steps(setting: Setting) -> int:
    """How many steps neighbours are apart at most; of any two databases as many as they have records."""
    if not setting.target.any_two(setting.databases):
        return setting.target.innermost()[1]
    sizes = setting.databases.sizes
    return 1 if sizes.letters else sizes.n or 1


def _told(setting: Setting) -> list[Granularity]:
    """The granularities that say of some databases that they are no neighbours."""
    target = [] if setting.target.any_two(setting.databases) else [setting.target]
    return [*target, *told_apart(setting)]


class OfSets(Policies):
    """Sets: an atom has all its records, and of an arbitrary universe as many others as can differ."""

    draws = False

    @classmethod
    def tells(cls, databases: DatabaseClass) -> bool:
        return databases.unordered and not databases.twice

    @classmethod
    def is_told(cls, f: Map) -> bool:
        return f.is_everything or f.restricts

    @classmethod
    def tells_any_two(cls, setting: Setting) -> bool:
        databases = setting.databases
        limited = databases.sizes.n is not None and not databases.sizes.letters
        return limited and super().tells_any_two(setting)

    @classmethod
    def has_room(cls, setting: Setting) -> bool:
        databases = setting.databases
        few = databases.sizes.filling + 2 * MOST_STEPS if databases.arbitrary else 0
        return _are_few(setting) and len(databases.records) + few <= MOST_SHOWN

    @cached_property
    def universe(self) -> Any:
        databases = self.setting.databases
        if databases.described is not None:
            return databases
        return databases.with_others(_filling(databases.sizes) + 2 * _steps(self.setting))

    @property
    def shown(self) -> list[list[str]]:
        return self.atoms

    @property
    def unlimited(self) -> bool:
        return self.setting.databases.unlimited


def _filling(sizes: Size) -> int:
    """How many records the smallest databases have, or all of them have where that may be so."""
    return sizes.filling if sizes.lower is None else max(sizes.filling, sizes.n or 0)


class OfTuples(Policies):
    """Tuples: atoms are records at a place; of places that are read alike as many are told as can change."""

    draws = False

    @classmethod
    def tells(cls, databases: DatabaseClass) -> bool:
        return databases.identified

    @classmethod
    def is_told(cls, f: Map) -> bool:
        return f.is_everything or f.keeps_positions

    @classmethod
    def tells_any_two(cls, setting: Setting) -> bool:
        return False

    @classmethod
    def has_room(cls, setting: Setting) -> bool:
        n = setting.databases.sizes.n
        fits = _are_few(setting) and (n is None or 0 < n <= LARGEST_SHAPE)
        return fits and all(mechanism.noise is None for mechanism in setting.mechanisms)

    @cached_property
    def universe(self) -> Any:
        databases = self.setting.databases
        if not databases.arbitrary:
            return databases
        named = frozenset[str]().union(*(policy.names for policy in self._policies), databases.records)
        return databases.over(tuple(sorted(named)))

    @cached_property
    def places(self) -> list[int]:
        """Positions, as many of those that the same mechanisms read as one step of the target can change."""
        databases, (_, steps) = self.setting.databases, self.setting.target.innermost()
        if not databases.sizes.exactly:
            return list(range(1, min(steps, databases.sizes.n or steps) + 1))
        alike: dict[tuple[bool, ...], list[int]] = {}
        for at in range(1, (databases.sizes.n or 0) + 1):
            read = (not f.keeps_positions or at in f.positions for f in self._maps)
            alike.setdefault(tuple(read), []).append(at)
        return sorted(at for numbers in alike.values() for at in numbers[:steps])

    @cached_property
    def _told(self) -> dict[str, tuple[int, str]]:
        """The records at places, by what the core setting calls them."""
        return {f"{x} at {at}": (at, x) for at in self.places for record in self._records for x in record}

    @cached_property
    def _records(self) -> list[list[str]]:
        """The kinds of records, each by one or two."""
        return [atom[:2] for atom in self.atoms]

    @property
    def shown(self) -> list[list[str]]:
        return [[f"{x} at {at}" for x in record] for at in self.places for record in self._records]

    def databases(self) -> dict[str, Any]:
        each, n = len(self._records), len(self.places)
        places = [place for place in range(n) for _ in range(each)]
        data = super().databases() | {"of": "tuples", "size": ["exactly", n], "places": places}
        data.pop("least", None)
        sizes = self.setting.databases.sizes
        return data | ({"from": sizes.n} if sizes.letters and sizes.n is not None else {})

    def edges(self, policy: Policy) -> list[kernel.Edge]:
        each = len(self._records)
        pairs = edges(policy, self._records, self.universe)
        return [
            (place * each + x, place * each + y)
            for place in range(len(self.places))
            for x, y in pairs
            if x >= 0
        ]

    def reads(self, f: Map) -> list[int] | None:
        if f.is_identity(self.universe):
            return None
        each = len(self._records)
        return [n * each + x for n, at in enumerate(self.places) if at in f.positions for x in range(each)]

    def shown_pair(self, D: Any, E: Any) -> Pair:
        whole: Any = self.setting.databases.largest_shape(len(self.places))
        blank = (self.universe.records or self.universe.spare)[:1] * len(whole.identifiers)
        D, E = (whole.with_records(blank, dict(self._told[atom] for atom in side)) for side in (D, E))
        return D, E
