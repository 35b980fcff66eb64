"""Large finite classes: all neighbours are gone through on arrays, and the types that were counted are told.

The databases are numbered as `FiniteSpace` numbers them.  Nothing that is told here can be looked at by the
kernel; it is counted again when a saved derivation is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy.elaboration.kinds import ANY, Kind, NoLemma, Pair
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.arrays.sizes import IN_A_PROOF
from dpcompose.spaces.canonical.finite import FiniteSpace, finite
from dpcompose.spaces.canonical.graphs import is_large, neighbours_of_inputs
from dpcompose.spaces.canonical.metrics import INFINITE, Discrete, Metric, StepsInSpace, steps
from dpcompose.spaces.classes.databases import DatabaseClass, TooLarge
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity

LARGEST = 200_000
"""The most pairs times mechanisms that are gone through."""


@frozen
class Arrays(Kind):
    """Of the pairs between which the maps change alike the first one is looked at; types are what differs."""

    by_number = True

    _spaces: dict[tuple[DatabaseClass, Granularity], FiniteSpace] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, setting: Setting) -> Kind | None:
        if not is_large(setting.databases):
            return None
        for mechanism in setting.mechanisms:
            if mechanism.query is not None and mechanism.query.about_records:
                words = f"{setting.databases} are gone through on arrays"
                raise NoLemma(f"{mechanism.name} asks for {mechanism.query.words}, and {words}")
        return cls(setting)

    def databases(self) -> dict[str, Any]:
        space = self._target
        told = [
            {
                "pair": [space.number(D), space.number(E)],
                "moves": ["oo" if r == INFINITE else r for r in moves],
            }
            for moves, (D, E) in self._types().items()
        ]
        return {
            "kind": "arrays",
            "count": space.nodes,
            "gone through": space.layout.edges,
            "types": told,
        }

    def _types(self) -> dict[tuple[int, ...], Pair]:
        """How far neighbours move the inputs, each with the first two that do."""
        maps = [mechanism.reads for mechanism in self.setting.mechanisms]
        pairs = self._target.smallest_changes(*maps)
        if len(pairs) * len(maps) > LARGEST:
            raise TooLarge(
                f"{len(pairs):,} neighbouring pairs for {len(maps)} mechanisms are more than the {LARGEST:,} "
                f"pairs times mechanisms that are gone through; a class with {LARGEST // len(maps):,} "
                "neighbouring pairs would do"
            )
        metrics = self._metrics(self.setting.mechanisms)
        types: dict[tuple[int, ...], Pair] = {}
        for D, E in pairs:
            moves = tuple(steps(d(f(D), f(E))) for f, d in zip(maps, metrics, strict=True))
            types.setdefault(moves, (D, E))
        return types

    def _metrics(self, mechanisms: Sequence[Mechanism]) -> list[Metric]:
        """The metrics in which guarantees read their inputs; the same for those that read and state alike."""
        known: dict[tuple[Map, Granularity, bool], Metric] = {}
        metrics: list[Metric] = []
        for mechanism in mechanisms:
            if mechanism.noise is not None:
                metrics.append(Discrete())
                continue
            own = mechanism.satisfies.domain != "common" or mechanism.reads.is_identity(
                self.setting.databases
            )
            key = (mechanism.reads, mechanism.satisfies.about_granularity, own)
            if key not in known:
                known[key] = self._metric(*key)
            metrics.append(known[key])
        return metrics

    def _metric(self, f: Map, stated: Granularity, own: bool) -> Metric:
        """The canonical metric on the values of f, on the own domain or of the push-forward."""
        databases = self.setting.databases
        listed = f.neighbours_for(stated.innermost()[0].name) if own else None
        if listed is None and stated.any_two(databases):
            return Discrete()
        where, neighbours, along = neighbours_of_inputs(databases, stated, f, own)
        space = self._space(where, neighbours)
        return StepsInSpace(space if along is None else space.push_forward(along))

    @cached_property
    def _target(self) -> FiniteSpace:
        return self._space(self.setting.databases, self.setting.target)

    def _space(self, databases: DatabaseClass, granularity: Granularity) -> FiniteSpace:
        key = (databases, granularity)
        if key not in self._spaces:
            self._spaces[key] = finite(databases, granularity, IN_A_PROOF)
        return self._spaces[key]

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if granularity.any_two(self.setting.databases):
            return ANY
        single, steps = granularity.innermost()
        return {"single": f"step of {single}", "steps": steps}

    def reads(self, f: Map) -> list[int] | None:
        return None if f.is_identity(self.setting.databases) else [self._numbers[f]]

    @cached_property
    def _numbers(self) -> dict[Map, int]:
        """The maps by number, in the order of the mechanisms."""
        maps = dict.fromkeys(mechanism.reads for mechanism in self.setting.mechanisms)
        read = [f for f in maps if not f.is_identity(self.setting.databases)]
        return {f: n for n, f in enumerate(read)}

    def pair(self, of: Type) -> Pair:
        D, E = (self._target.database(n) for n in of.pair if isinstance(n, int))
        return D, E
