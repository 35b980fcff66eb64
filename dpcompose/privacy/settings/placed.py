"""Where records lie among parts of which nothing else is known: what neighbours and guarantees have to say.

Verdicts are the worst case of all ways.  How far what is read moves has to depend on the two records that
differ, and on the parts that hold these: a path of several steps leads through others, which may be anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.terms import ONE
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import policy_of

if TYPE_CHECKING:
    from dpcompose.privacy.mechanisms.mechanism import Mechanism
    from dpcompose.privacy.settings import Setting


def named(setting: Setting) -> tuple[str, ...]:
    """The records with a name, where parts hold records: in which of these they lie is not said."""
    databases = setting.databases
    of_records = (databases.twice or databases.aligned) and databases.arbitrary
    return databases.records if of_records and setting.divided else ()


def check_placed(setting: Setting) -> None:
    """Raises InvalidSetting where it matters what is not said of where records lie."""
    read = {m.reads.partition: m.reads for m in setting.divided}
    for granularity in setting.granularities:
        if unread := [f.partition for f in granularity.divisions if f.partition not in read]:
            raise InvalidSetting(
                f"{granularity} neighbours move within the parts of {unread[0]}, which no mechanism reads: a "
                f'family that does, reads = {{ part = "i", of = "{unread[0]}" }}, would do'
            )
    across = len(read) > 1 or any(f.most != ONE for f in read.values())
    records = named(setting)
    if records and (why := next(_not_placed(setting), None)):
        raise InvalidSetting(
            f"which part holds {records[0]!r} is not said: {why} would do, or parts written out"
        )
    if records or (across and any(granularity.divisions for granularity in setting.granularities)):
        for mechanism, granularity in _stated(setting):
            if not _depends_on_ends(setting, mechanism, granularity):
                what = f"in which part {records[0]!r} is" if records else "which records are in two parts"
                raise InvalidSetting(
                    f"{what} is not said, and steps of {granularity} neighbours, for which {mechanism.name} "
                    f"is stated, may lead through it: a guarantee for {setting.target} neighbours on the "
                    "common domain would do, or one for neighbours of which all records come and go"
                )


def _not_placed(setting: Setting) -> Iterator[str]:
    """What would do in place of what does not stand beside parts that hold named records, in words."""
    target = setting.target
    if setting.databases.aligned:
        yield "multisets in place of sequences"
    if policy_of(target) is None or target.innermost()[1] > 1 or target.times is not None:
        yield f"neighbours by single steps of edits or a policy in place of {target} neighbours"
    for mechanism in setting.mechanisms:
        f = mechanism.reads
        if f.recodes or f.dealt or mechanism.sampled is not None or mechanism.table is not None:
            yield f"guarantees on records in place of {mechanism.name}, which recodes, draws or lists them,"
        if mechanism.study is not None or mechanism.satisfies.metric is not None:
            yield f"a guarantee for neighbours in place of that of {mechanism.name}"
    for granularity in setting.granularities:
        if granularity.single_step.innermost()[0].by_rows:
            yield f"neighbours by single records in place of {granularity} neighbours"


def _stated(setting: Setting) -> Iterator[tuple[Mechanism, Granularity]]:
    """The mechanisms whose guarantees may depend on where records lie, and for which neighbours these are."""
    for mechanism in setting.mechanisms:
        for guarantee in mechanism.every:
            granularity = guarantee.granularity
            if granularity is not None and (mechanism.reads.divided or granularity.divisions):
                yield replace(mechanism, satisfies=guarantee), granularity


def _depends_on_ends(setting: Setting, mechanism: Mechanism, granularity: Granularity) -> bool:
    """Whether single steps of the target move what is read by what they say themselves."""
    databases = setting.databases
    if granularity.any_two(databases):
        return True
    target, of = policy_of(setting.target), policy_of(granularity)
    if target is None or of is None or target[1] > 1 or of[1] > 1:
        return False
    if of[0].edits(databases) is not None and not granularity.divisions:
        return True
    own = mechanism.satisfies.domain == "own" and mechanism.reads.divided
    return of[0].says_all(target[0], own, databases.sizes.exactly)
