"""f_i = id: every mechanism reads the whole database."""

from __future__ import annotations

from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs

WORDS = "every mechanism reads the whole database"


def check(inputs: Inputs) -> evidence.Evidence:
    for mechanism in inputs.setting.mechanisms:
        if not mechanism.reads.is_identity(inputs.setting.databases):
            return evidence.fails(f"{mechanism.name} reads {mechanism.reads.written('D')} only")
    return evidence.holds("by the maps")
