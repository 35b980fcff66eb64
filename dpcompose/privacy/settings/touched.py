"""How much of a class neighbours change: places in a row, parts of a partition, vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.vertices import Graphs
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import policy_of

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting

MOST_TOUCHED = 12
"""How many parts are written out at most in which a person's rows lie."""


def places(setting: Setting) -> int | None:
    """In how many places in a row neighbours show all that they may change, whatever the length; None
    where that has no limit.

    Blocks of neighbours beyond the places that are named are moved so far apart that no block of a
    guarantee meets two of them.
    """
    single, steps = setting.target.innermost()
    positions = (m.reads.positions for m in setting.mechanisms if m.reads.keeps_positions)
    named = max((at for position in positions for at in position), default=0)
    told = [
        granularity for granularity in setting.granularities[1:] if not granularity.any_two(setting.databases)
    ]
    reaches = [granularity.innermost()[0].reach for granularity in (single, *told)]
    if (width := reaches[0]) is None or None in reaches:
        return None
    apart = max((reach - 1 for reach in reaches[1:] if reach is not None), default=0)
    return named + steps * (width + apart) - (0 if named else apart)


def parts(setting: Setting) -> int:
    """How many parts of a partition differ between neighbours of the target, at most."""
    if setting.databases.on_vertices:
        return _vertices(setting)
    if (person := setting.target.single_step.innermost()[0]).by_rows:
        return min(person.touched or 2, MOST_TOUCHED)
    any_two = setting.target.any_two(setting.databases)
    if any_two and setting.databases.any_number:
        return 2  # all parts at once
    if any_two or not is_placed(setting.target, setting.databases):
        raise InvalidSetting(
            f"a symbolic number of parts of {setting.databases}, of which {setting.target} neighbours may "
            "change any number, is not supported; multisets of any size are, and parts written out"
        )
    return max((m.reads.few for m in setting.divided), default=1) * setting.changed


def is_placed(granularity: Granularity, databases: DatabaseClass) -> bool:
    """Whether neighbours can be told among parts of which nothing else is known: by how many records differ,
    by a person's rows, or by a policy, whose records may lie anywhere."""
    single, _ = granularity.single_step.innermost()
    return all(
        alternative.by_counts(databases) or alternative.by_rows or policy_of(alternative) is not None
        for alternative in single.either
    )


def _vertices(setting: Setting) -> int:
    """At how many vertices edges differ between neighbours of the target, at most."""
    numbers = []
    for n in (7, 8):
        blocks = setting.target.blocks(Graphs(tuple(range(1, n + 1))))
        assert blocks is not None
        numbers.append(max(len({v for pair in block for v in pair}) for block in blocks.sets))  # type: ignore[attr-defined]
    if numbers[0] != numbers[1]:
        raise InvalidSetting(
            f"{setting.target} neighbours may differ in edges at any number of vertices: a mechanism for "
            "each of a symbolic number of them is not supported; mechanisms written out are"
        )
    return numbers[0] * setting.target.innermost()[1]
