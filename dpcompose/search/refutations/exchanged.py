"""Neighbours of a type at a point: which of many atoms change, and how often a step is repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import groups
from dpcompose.kernel.covers.room_for_rows import fewest_rows
from dpcompose.kernel.covers.types import Moves, Type
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term
from dpcompose.kernel.library.theory import NoPage

Lost = Callable[[int, Term], Term]
"""What M_i adds to what is lost where its input moves so far."""


def at_point(type: Type, setting: Setting, point: Mapping[str, Fraction], lost: Lost | None = None) -> Type:
    """The type with as many steps as the point says, and of atoms of which any may change those for which
    most is lost there, in its two databases.  Raises NoCover where so many do not fit.

    lost -- left out, a mechanism loses the first parameter of its guarantee.
    """
    if type.often != ONE:
        often = int(formulas.evaluate(type.often, point) or 0)
        besides = [(pair, int(formulas.evaluate(many, point) or 0)) for pair, many in type.besides]
        rows = fewest_rows(setting.target)
        pair = groups.repeated(type, often, setting.databases.at(point), besides, rows)
        type = replace(type, pair=pair, besides=())
    if not type.choices:
        return type
    return _exchanged(type, setting, point, lost or (lambda i, _: setting.mechanisms[i - 1].values[0][1]))


def _exchanged(type: Type, setting: Setting, point: Mapping[str, Fraction], lost: Lost) -> Type:
    """The type with those atoms in place of the ones that it has, and their records in its two databases."""
    there, records = dict(type.moves), dict[str, str]()
    for choice in type.choices:
        most = sorted(choice.of, key=lambda part: _size(part[1], point, lost), reverse=True)[: choice.many]
        first = choice.of[: choice.many]
        there = {i: far for i, far in there.items() if i not in choice.mechanisms}
        there |= {i: far for _, moves in most for i, far in moves}
        go, come = (
            [part for part in parts if part not in others] for parts, others in ((first, most), (most, first))
        )
        for (old, _), (new, _) in zip(go, come, strict=True):
            mine, others = (setting.databases.atoms[atom].records for atom in (old, new))
            records |= dict(zip(mine, others, strict=False)) | dict(zip(others, mine, strict=False))
    D, E = (tuple(sorted(records.get(record, record) for record in side)) for side in type.pair)  # type: ignore[union-attr]
    return replace(type, moves=tuple(sorted(there.items())), pair=(D, E), choices=())


def _size(moves: Moves, point: Mapping[str, Fraction], lost: Lost) -> tuple[bool, Fraction]:
    """How much is lost at a point by what moves so far: whether ∞, and else how much, from below."""
    values = [formulas.extended(_known(lost, i, r), point) for i, ((_, r),) in moves]
    if any(value.kind == "oo" for value in values):
        return True, Fraction(0)
    return False, sum((enclosure(value, 64).low for value in values), Fraction(0))


def _known(lost: Lost, i: int, r: Term) -> Term:
    """What is known to be lost: nothing, where no page says it, as beside one that loses ∞."""
    try:
        return lost(i, r)
    except NoPage:
        return ZERO
