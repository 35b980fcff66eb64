"""Neighbours of a type at a point: which of many alike mechanisms move, and how often a step is repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.core.classes import OF_ATOMS
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import groups
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas


def at_point(type: Type, setting: Setting, point: Mapping[str, Fraction]) -> Type:
    """The type with as many steps as the point says, and of alike mechanisms those move whose guarantees are
    largest there, with their records in its two databases.  Raises NoCover where so many do not fit."""
    times, databases = setting.target.times, setting.databases
    if times is not None and databases.kind in OF_ATOMS:
        often = int(formulas.evaluate(times, point) or 1)
        type = replace(type, pair=groups.repeated(type, often, databases))
    return _exchanged(type, setting, point) if type.alike else type


def _exchanged(type: Type, setting: Setting, point: Mapping[str, Fraction]) -> Type:
    """The type with those in place of the ones that it moves, and their records in its two databases."""
    there, records, pair = dict(type.moves), dict[str, str](), type.pair
    for numbers in type.alike:
        moving = [i for i in numbers if i in there]
        largest = sorted(numbers, key=lambda i: -_size(setting, i, point))[: len(moving)]
        stay = [i for i in largest if i in moving]
        for i, j in zip(
            (i for i in moving if i not in stay), (j for j in largest if j not in stay), strict=True
        ):
            there[j] = there.pop(i)
            mine, others = (setting.databases.atoms[_read(setting, number)].records for number in (i, j))
            records |= dict(zip(mine, others, strict=True)) | dict(zip(others, mine, strict=True))
    D, E = (tuple(sorted(records.get(one, one) for one in side)) for side in pair)  # type: ignore[union-attr]
    return replace(type, moves=tuple(sorted(there.items())), pair=(D, E), alike=())


def _read(setting: Setting, i: int) -> int:
    """The one atom that a mechanism reads."""
    (((atom,),),) = (setting.mechanisms[i - 1].reads,)  # type: ignore[misc]
    return atom


def _size(setting: Setting, i: int, point: Mapping[str, Fraction]) -> Fraction:
    """What a mechanism's first parameter is at a point; 0 where that is no rational number."""
    _, value = setting.mechanisms[i - 1].values[0]
    return (formulas.evaluate(value, point) if value.kind != "oo" else None) or Fraction(0)
