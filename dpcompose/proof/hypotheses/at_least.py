"""A number of the setting is at least a bound.

k -- the mechanisms; non-empty parts -- those that can read something; largest size -- how
many records a database can have.
"""

from __future__ import annotations

from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.databases import Multisets
from dpcompose.spaces.maps import Restriction

WORDS = "{value} >= {bound}"


def check(inputs: Inputs, value: str, bound: int) -> evidence.Evidence:
    number = _number(inputs, value)
    if number is None:
        return evidence.holds(f"{value} is unlimited")
    words = f"{value} = {number}"
    return evidence.holds(words) if number >= bound else evidence.fails(words)


def _number(inputs: Inputs, value: str) -> int | None:
    maps = [mechanism.reads for mechanism in inputs.setting.mechanisms]
    if value == "k":
        return len(maps)
    if value == "non-empty parts":
        return sum(1 for f in maps if not (isinstance(f, Restriction) and not f.records))
    databases = inputs.setting.databases
    return databases.sizes.n if isinstance(databases, Multisets) else 0
