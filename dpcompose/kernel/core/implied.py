"""One mechanism alone, for the neighbours that another one of its guarantees is about.

A guarantee on the own domain is about what is read, and so is one on the common domain: about images of
neighbours.  Where sizes have no limit, every multiset of the records that are read is read of some database,
and what a step does not change in these it changes in others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.contributions import Contribution
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Mechanism, Relation, Setting, Stated, Values


def implying(setting: Setting, i: int, n: int, m: int, values: Values | None = None) -> Setting:
    """The setting of M_i alone, with its guarantee n, for the neighbours of its guarantee m.

    values -- other values of the parameters of guarantee n.

    What holds there of all M_i with the guarantee n is the guarantee m: both are about M_i on the whole
    class, or there databases are what M_i reads.  Raises BadSetting where that is not told.
    """
    if not 1 <= i <= len(setting.mechanisms):
        raise BadSetting(f"there is no mechanism {i}")
    mechanism = setting.mechanisms[i - 1]
    stated, other = mechanism.guarantee(n), mechanism.guarantee(m)
    if mechanism.count is not None or setting.databases.on_arrays:
        raise BadSetting(f"the guarantees of {mechanism.name} are not both about one map on the class")
    target, alone, databases = (
        other.stated or setting.target,
        mechanism.with_only(n, values),
        setting.databases,
    )
    if mechanism.reads != (None,) and (stated.domain, other.domain) != ("common", "common"):
        databases = image(setting.databases, mechanism)
        target, here = (pushed_forward(guarantee, setting.databases) for guarantee in (other, stated))
        alone = replace(alone, reads=(None,), domain="own", stated=here)
    return replace(
        setting, databases=databases, target=target, mechanisms=(alone,), adaptive=False, flat=None
    )


def for_steps(setting: Setting, values: Mapping[int, Values]) -> Setting:
    """The setting in which some mechanisms, which are stated in a formula of one distance in whole steps, are
    stated for inputs one of these steps apart, with these parameters, and no others.  Raises BadSetting."""
    made = list(setting.mechanisms)
    for i, given in values.items():
        mechanism, metric = made[i - 1], made[i - 1].metric
        known = (mechanism.noise, mechanism.table, mechanism.study, mechanism.sampled, mechanism.curve)
        if metric is None or known != (None,) * 5 or mechanism.also or len(metric.distances) != 1:
            raise BadSetting(f"{mechanism.name} is not just stated in one distance")
        ((_, far),) = metric.distances
        if far.stated is None or far.stated.lengths or far.stated.times is not None or far.noise is not None:
            raise BadSetting(f"what {mechanism.name} is stated in counts no steps")
        about = {key: getattr(far, key) for key in ("reads", "codes", "partition", "domain", "stated")}
        made[i - 1] = replace(mechanism, metric=None, values=given, **about)
    return replace(setting, mechanisms=tuple(made), flat=None)


def image(databases: Databases, mechanism: Mechanism) -> Databases:
    """The class of what a mechanism reads, which are not all records.  Raises BadSetting."""
    (atoms,) = mechanism.reads
    there = len(databases.atoms) + len(databases.outside)
    told = databases.steps_add_up and not databases.by_edges and databases.size[1] is None
    if not told or atoms is None or not 0 < len(atoms) < there or mechanism.codes:
        raise BadSetting(f"the guarantees of {mechanism.name} are not both about one map on the class")
    kept = tuple(atom for n, atom in enumerate(databases.atoms) if n in atoms)
    return Databases(databases.kind, databases.shown, atoms=kept)


def pushed_forward(stated: Stated, databases: Databases) -> Relation:
    """The neighbours of a guarantee among what is read: on the common domain images.  Raises BadSetting."""
    told = stated.stated
    if told is None or told.elsewhere or told.times is not None:
        raise BadSetting("it is not told which of the values that are read are neighbours")
    if stated.domain == "own" or told.any_two:
        return told
    bag = told.single
    if not isinstance(bag, Contribution):
        kept = {edit for a, b in told.edits for edit in product(range(a + 1), range(b + 1))} - {(0, 0)}
        return Relation(tuple(sorted(kept)), told.steps)
    if told.steps > 1 or bag.records or bag.among or (bag.replaced == "rows" and not databases.outside):
        raise BadSetting("it is not told which images of what a person contributes are neighbours")
    return Relation(replace(bag, replaced="bag") if bag.replaced == "rows" else bag)
