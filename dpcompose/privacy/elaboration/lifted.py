"""Whether steps of what a map reads are steps of databases, whichever have these values."""

from __future__ import annotations

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
    return not groups_pushed(setting) or any(kind.of(setting) is not None for kind in (Records, Policies))
