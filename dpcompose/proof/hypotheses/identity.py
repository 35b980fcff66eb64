"""f_i = id: every mechanism reads the whole database."""

from __future__ import annotations

from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.inputs.written import image

WORDS = "every mechanism reads the whole database"


def check(inputs: Inputs) -> evidence.Evidence:
    for mechanism in inputs.setting.mechanisms:
        if not mechanism.reads.is_identity(inputs.setting.databases):
            return evidence.fails(Words(f"{mechanism.name} reads ", image(mechanism.reads), " only"))
    return evidence.holds("by the maps")
