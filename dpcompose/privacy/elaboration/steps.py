"""Classes of which nothing is told: everything is read, and only steps of the target's relation count."""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.covers.types import Type
from dpcompose.privacy.elaboration.kinds import Kind, Pair
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity


class Steps(Kind):
    """All guarantees are in steps of the target's relation, and databases are known that are as far apart."""

    @classmethod
    def any_number_of_steps(cls, setting: Setting) -> bool:
        return False

    @classmethod
    def of(cls, setting: Setting) -> Kind | None:
        single, steps = setting.target.innermost()
        stated = [mechanism.satisfies.granularity for mechanism in setting.mechanisms]
        own = all(granularity is not None and granularity.innermost()[0] == single for granularity in stated)
        everything = all(mechanism.reads.is_identity(setting.databases) for mechanism in setting.mechanisms)
        if not own or not everything:
            return None
        return None if single.pair_apart(setting.databases, steps) is None else cls(setting)

    def databases(self) -> dict[str, Any]:
        return {"kind": "steps"}

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        return {"single": "step", "steps": granularity.innermost()[1]}

    def reads(self, f: Map) -> list[int] | None:
        return None

    def pair(self, of: Type) -> Pair:
        single, steps = self.setting.target.innermost()
        pair = single.pair_apart(self.setting.databases, steps)
        assert pair is not None
        return pair
