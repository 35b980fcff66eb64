"""Whether steps of what a map reads are steps of databases, whichever have these values."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

from dpcompose.kernel.expressions.terms import ONE
from dpcompose.privacy.elaboration.kinds import groups_pushed
from dpcompose.privacy.elaboration.policies import Policies
from dpcompose.privacy.elaboration.records import Records
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import LARGEST_GROUP, Group


def lifts_steps(databases: DatabaseClass, f: Map, granularity: Granularity) -> bool:
    """Whether two values of f that are r steps of images of neighbours apart, for any r, are those of two
    databases r steps apart: so groups of steps pass through f, and the least distance of databases with two
    values (GB Prop. IV.10) satisfies the triangle inequality.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> from dpcompose.spaces.inputs.restrictions import restriction
    >>> from dpcompose.spaces.moves.built_in import bounded, unbounded
    >>> lifts_steps(multisets("abc"), restriction(["a", "b"]), bounded)
    True
    >>> lifts_steps(multisets("abc", "1..4"), restriction(["a", "b"]), unbounded)  # of more steps than sizes
    False
    """
    if f.divided or f.dealt:  # these are told of families, not of one map
        return False
    single = granularity.innermost()[0]
    many = Guarantee("pure", (("epsilon", ONE),), Group(LARGEST_GROUP, single), "common")
    setting = Setting(databases, single, (Mechanism("M", f, many),), {})
    if not groups_pushed(setting):
        return True
    edits, told = many.about_granularity.edits(databases), Policies.of(setting)
    if edits is not None and edits.pass_through(databases) and Records.of(setting) is not None:
        return True
    return told is not None and all(map(told.pushes_groups, groups_pushed(setting)))


def lift_together(databases: DatabaseClass, f: Map, granularities: Collection[Granularity]) -> bool:
    """Whether any two values of f are those of two databases that are as near for each of some granularities
    as any with these values.

    Two values, each with the same other records, are as far apart as the values are, where edits may be of
    fewer records; and where any two databases are neighbours, all that differ are.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> from dpcompose.spaces.inputs.restrictions import restriction
    >>> from dpcompose.spaces.moves.built_in import bounded, free_lunch, unbounded
    >>> a = restriction(["a"])
    >>> [lift_together(multisets("abc"), a, [unbounded, other]) for other in (free_lunch, bounded)]
    [True, False]
    """
    others = [granularity for granularity in granularities if not granularity.any_two(databases)]
    if not all(lifts_steps(databases, f, granularity) for granularity in granularities):
        return False
    return len(others) <= 1 or all(_keeps_others(databases, granularity) for granularity in others)


def _keeps_others(databases: DatabaseClass, granularity: Granularity) -> bool:
    """Whether what is read is as far apart as databases that have all other records in common."""
    edits = granularity.edits(databases)
    if edits is None or edits.single is None or not databases.twice or databases.sizes.n is not None:
        return False
    fewer = {kept for a, b in edits.single for kept in product(range(a + 1), range(b + 1))}
    return fewer - {(0, 0)} <= edits.single


def of_one_size(databases: DatabaseClass, granularity: Granularity) -> int | None:
    """How many steps a replaced record is, at databases with as many records, for each that differs; None
    where that is not known."""
    edits = granularity.edits(databases)
    if edits is None or edits.single is None or edits.most > 1 or edits.elsewhere:
        return None
    if not databases.twice or databases.sizes.n is not None:
        return None
    return 1 if (1, 1) in edits.single else 2
