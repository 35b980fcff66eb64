"""Families of mechanisms: neighbours move as many members as there are room for, if so many are there.

Where k parts are any number from 1 on, neighbours of a type may move two of them.  What bounds the loss of
two bounds that of one as well; but what two lose is lost only where k ≥ 2.
"""

from __future__ import annotations

from dpcompose.kernel.core.assumptions import Assumed, Assumption, known_least
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Moves
from dpcompose.kernel.expressions.terms import number


def needed(setting: Setting, moves: Moves) -> Assumed:
    """The relations for as many members as move to be there, without those that always hold."""
    assumptions = list[Assumption]()
    for i, members in moves:
        count, moving = setting.mechanisms[i - 1].count, [many for many, _ in members]
        if count is not None and all(isinstance(many, int) for many in moving):
            there = number(sum(many for many in moving if isinstance(many, int)))
            least = known_least(count - there, setting.assumed)
            if least is None or least < 0:
                assumptions.append(Assumption(count, ">=", there))
    return tuple(dict.fromkeys(assumptions))
