"""Whether queries with noise fit a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings.inputs import read_records
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.moves.policies import policy_of

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting


def check_noise(setting: Setting, mechanism: Mechanism) -> None:
    """The query has a meaning on what is read, and values to which the noise can be added."""
    name, f, query, noise = mechanism.name, mechanism.reads, mechanism.query, mechanism.noise
    assert query is not None and noise is not None
    if unfit := noise.unfit(setting.domains, setting.assume):
        raise InvalidSetting(f"{name}: {unfit}")
    if not query.about_records:
        return
    if not (setting.databases.queried and f.record_wise):
        raise InvalidSetting(
            f"{name} asks for {query.words}, which is about records: it needs multisets, tuples or "
            "streams, and must read everything, some records, some positions or a part"
        )
    if query.attribute and setting.databases.of_attributes:
        raise InvalidSetting(
            f"{name} looks at an attribute besides those of {setting.databases}, and which one is not said; "
            "it needs multisets, tuples or streams"
        )
    n = read_records(setting.databases, f)
    few = n.n is not None and n.n <= 1
    if noise.kind.takes not in (query.values | query.values_of_one if few else query.values):
        raise InvalidSetting(f"{name}: {noise.word} is not for {query.words}; it needs {noise.kind.needs}")
    if query.one and n != Size(1, exactly=True):
        raise InvalidSetting(
            f"{name} asks for {query.words} of one record, and reads others too; "
            "reads = { positions = [1] } on tuples or streams would do"
        )
    if query.sized and not (n.n if n.exactly else setting.databases.twice):
        raise InvalidSetting(
            f"{name}: {query.words} divides by the number of records, and {f.written('D')} has no fixed "
            'number of them; multisets, or size = "= n" and reading everything would do, or a sum and a count'
        )
    for words, value in {**query.nonnegative, **query.nonnegative_with(noise.besides)}.items():
        if not _never_negative(setting, value):
            raise InvalidSetting(f"{name}: {words} for all allowed values")
    if query.attribute:
        check_attributes(setting, name)


def check_attributes(setting: Setting, name: str) -> None:
    """Where records differ in attributes too, all that is read and related must be told by records.

    A policy that names records does not say which of those of one name it joins.
    """
    told = setting.target.by_cells or setting.target.single_step.innermost()[0].by_rows
    told = told or setting.target.by_counts(setting.databases)
    unsaid = [granularity for granularity in setting.granularities if not granularity.any_values]
    if not told and policy_of(setting.target) is None:
        unsaid = [setting.target]
    if unsaid:
        raise InvalidSetting(
            f"{name} looks at an attribute of the records, of which {unsaid[0]} neighbours say nothing"
        )
    for other in setting.mechanisms:
        if not other.reads.record_wise:
            raise InvalidSetting(
                f"{name} looks at an attribute of the records, of which {other.reads.written('D')}, "
                f"what {other.name} reads, says nothing"
            )


def _never_negative(setting: Setting, value: Term) -> bool:
    """Whether a formula is seen to be ≥ 0 for all allowed values."""
    return values.surely(substitution.substituted(value, setting.letters), False, setting.assume)
