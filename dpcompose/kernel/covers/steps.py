"""Covers where every mechanism reads everything and is stated in steps of the target's own relation.

Neighbours at most m steps apart are at most ⌈m/n⌉ groups of n steps apart, whatever the class and relation.
"""

from __future__ import annotations

from dpcompose.kernel.covers.covering import Covering
from dpcompose.kernel.covers.types import Cover, NoCover, Type
from dpcompose.kernel.expressions.terms import number


class Steps(Covering):
    procedure = "own steps"

    def cover(self) -> Cover:
        target, far = self.setting.target, {}
        if target.any_two:
            raise NoCover("how many steps any two databases are apart is not known")
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            if mechanism.stated is None or mechanism.stated.any_two:
                raise NoCover(f"{mechanism.name} is not stated in steps of the target")
            far[i] = {0: number(-(-target.steps // mechanism.stated.steps))}
        return self.of_types([Type(self.gathered(far), frozenset(), ())], 1, [()] * len(far))
