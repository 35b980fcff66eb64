"""A ⊊ X: every mechanism leaves out some record of the universe."""

from __future__ import annotations

from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.restrictions import Restriction
from dpcompose.spaces.subsets import Sets

WORDS = "every mechanism reads a proper part of the record universe"


def check(inputs: Inputs) -> evidence.Evidence:
    databases = inputs.setting.databases
    if not isinstance(databases, Multisets | Sets):
        return evidence.fails(f"it is about multisets and sets of records, and not about {databases}")
    for mechanism in inputs.setting.mechanisms:
        f = mechanism.reads
        if f.is_identity(inputs.setting.databases):
            return evidence.fails(f"{mechanism.name} reads all records")
        if not isinstance(f, Restriction):
            return evidence.fails(f"{mechanism.name} reads {f.written('D')}, which is no part of the records")
    return evidence.holds("by the record sets")
