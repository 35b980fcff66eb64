"""Where records lie among parts of which nothing else is known: what neighbours and guarantees have to say.

Verdicts are the worst case of all ways: a path of several steps leads through other records, if these lie so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dpcompose.kernel.core.classes import ALIKE, OTHERS
from dpcompose.kernel.expressions.terms import ONE
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.moves.policies import policy_of

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting


def named(setting: Setting) -> tuple[str, ...]:
    """The records with a name, where parts hold records: in which of these they lie is not said.

    Of records with attributes these are some of each kind that matters, of any number.
    """
    databases = setting.databases
    of_records = (databases.twice or databases.aligned) and databases.unlimited
    return databases.records if of_records and setting.divided else ()


def further(setting: Setting) -> str:
    """What records with attributes there are besides those that are named: with other values of attributes,
    which are alike wherever they lie, or others."""
    known = setting.databases.described
    if known is None or not setting.divided:
        return ""
    within = any(granularity.divisions for granularity in setting.granularities[1:])
    return OTHERS if known.lines or within else ALIKE


def across(setting: Setting) -> bool:
    """Whether records move within parts, and may lie in several of these, or of different partitions."""
    read = {m.reads.partition: m.reads for m in setting.divided}
    several = len(read) > 1 or any(f.most != ONE for f in read.values())
    return several and any(granularity.divisions for granularity in setting.granularities)


def check_placed(setting: Setting) -> None:
    """Raises InvalidSetting where it matters what is not said of where records lie."""
    read = {m.reads.partition for m in setting.divided}
    for granularity in setting.granularities:
        if unread := [f.partition for f in granularity.divisions if f.partition not in read]:
            raise InvalidSetting(
                f"{granularity} neighbours move within the parts of {unread[0]}, which no mechanism reads: a "
                f'family that does, reads = {{ part = "i", of = "{unread[0]}" }}, would do'
            )
    records = named(setting)
    if records and (why := next(_not_placed(setting), None)):
        raise InvalidSetting(
            f"which part holds {records[0]!r} is not said: {why} would do, or parts written out"
        )


def _not_placed(setting: Setting) -> Iterator[str]:
    """What would do in place of what does not stand beside parts that hold named records, in words."""
    target = setting.target
    if setting.databases.aligned:
        yield "multisets in place of sequences"
    if policy_of(target.single_step) is None:
        yield f"neighbours by steps of edits or a policy in place of {target} neighbours"
    for mechanism in setting.mechanisms:
        f = mechanism.reads
        if f.recodes or f.dealt or mechanism.sampled is not None or mechanism.table is not None:
            yield f"guarantees on records in place of {mechanism.name}, which recodes, draws or lists them,"
        if mechanism.study is not None or mechanism.satisfies.metric is not None:
            yield f"a guarantee for neighbours in place of that of {mechanism.name}"
    for granularity in setting.granularities:
        if granularity.single_step.innermost()[0].by_rows:
            yield f"neighbours by single records in place of {granularity} neighbours"
