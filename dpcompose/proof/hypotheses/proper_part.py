"""A ⊊ X: every mechanism leaves out some record of the universe."""

from __future__ import annotations

from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.inputs.written import image

WORDS = "every mechanism reads a proper part of the record universe"


def check(inputs: Inputs) -> evidence.Evidence:
    databases = inputs.setting.databases
    if not databases.unordered:
        return evidence.fails(f"it is about multisets and sets of records, and not about {databases}")
    for mechanism in inputs.setting.mechanisms:
        f = mechanism.reads
        if f.is_identity(inputs.setting.databases):
            return evidence.fails(f"{mechanism.name} reads all records")
        if not f.restricts:
            return evidence.fails(
                Words(f"{mechanism.name} reads ", image(f), ", which is no part of the records")
            )
    return evidence.holds("by the record sets")
