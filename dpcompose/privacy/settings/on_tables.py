"""What the tables of mechanisms show of their guarantees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.canonical.graphs import neighbouring_pairs, pairs_of_inputs

if TYPE_CHECKING:
    from dpcompose.privacy.finite.findings import Finding
    from dpcompose.privacy.finite.tables import ProbabilityTable
    from dpcompose.privacy.settings import Setting


def on_table(setting: Setting, mechanism: Mechanism, table: ProbabilityTable) -> Finding:
    """What a table shows of a mechanism: its guarantee, and what it depends on.

    Raises InvalidSetting where its rows, or its parameters, are not those of the setting.
    """
    f, stated, databases = mechanism.reads, mechanism.satisfies, setting.databases
    if databases.count() is None or f.image(databases).count() is None:
        raise InvalidSetting(
            f"{mechanism.name} has a table, with a row for each database, but {databases} are infinitely "
            "many; a finite class would do"
        )
    for name, domain in table.domains.items():
        if setting.domains.get(name) != domain:
            known = f"is {setting.domains[name]} here" if name in setting.domains else "is no parameter here"
            raise InvalidSetting(f"{name} in the table of {mechanism.name} is {domain}, and {known}")
    whole, inputs = set(databases.databases()), set(f.image(databases).databases())
    own = _on_own_domain(setting, mechanism)
    if set(table.rows) not in ([inputs] if own else [whole, inputs]):
        wanted = f"value of {f.written('D')}" if own else "database of the class"
        missing = sorted(map(str, (inputs if own else whole) - set(table.rows)))
        example = f": {missing[0]} has none" if missing else ", and no others"
        raise InvalidSetting(f"the table of {mechanism.name} needs a row for each {wanted}{example}")
    granularity = stated.about_granularity
    if has_inputs_as_rows(setting, mechanism):
        # On the common domain a table on the inputs is M*: privacy for the push-forward is the same.
        return table.check(stated, pairs_of_inputs(databases, granularity, f, own))
    depends = table.check_depends(f)
    if not depends.holds:
        return depends
    return table.check(stated, neighbouring_pairs(databases, granularity))


def worst(findings: Iterable[Finding]) -> Finding:
    """The first that is refuted, or else undecided, of what a table shows of several guarantees."""
    return min(findings, key=lambda finding: ("refuted", "undecided", "proved").index(finding.verdict))


def _on_own_domain(setting: Setting, mechanism: Mechanism) -> bool:
    """Whether the guarantee is about what is read, where that is not everything."""
    return mechanism.satisfies.domain == "own" and not mechanism.reads.is_identity(setting.databases)


def has_inputs_as_rows(setting: Setting, mechanism: Mechanism) -> bool:
    """Whether the rows of a mechanism's table are values of what it reads, and no databases."""
    assert mechanism.table is not None
    return _on_own_domain(setting, mechanism) or set(mechanism.table.rows) != set(
        setting.databases.databases()
    )
