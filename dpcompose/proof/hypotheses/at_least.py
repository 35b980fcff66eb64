"""A number of the setting is at least a bound.

k -- the mechanisms; non-empty parts -- those that can read something; largest size -- how
many records a database can have.
"""

from __future__ import annotations

from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.said import Words
from dpcompose.privacy.settings import Setting
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs

WORDS = "{value} {at_least} {bound}"


def check(inputs: Inputs, value: str, bound: int) -> evidence.Evidence:
    number = _number(inputs, value)
    if number is None:
        return evidence.holds(f"{value} is unlimited")
    words = Words(evidence.K if value == evidence.K.text else value, f" = {number}")
    return evidence.holds(words) if number >= bound else evidence.fails(words)


def _least(count: Term | None, setting: Setting) -> int:
    """The least number of members of a family; 1 for a single mechanism."""
    if count is None or count.number is not None:
        return 1 if count is None else int(count.number or 0)
    return int(setting.domains[str(count)].least or 1)


def _number(inputs: Inputs, value: str) -> int | None:
    maps = [mechanism.reads for mechanism in inputs.setting.mechanisms]
    if inputs.stated is not None:
        counts = [_least(mechanism.members, inputs.stated) for mechanism in inputs.stated.mechanisms]
        if value in ("k", "non-empty parts"):
            return sum(counts)
    if value == "k":
        return len(maps)
    if value == "non-empty parts":
        return sum(1 for f in maps if f.inside or not f.restricts)
    databases = inputs.setting.databases
    return databases.sizes.n if databases.queried else 0
