"""f is record-wise: what is read of a database is what is read of each record, or position, by itself."""

from __future__ import annotations

from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.inputs.written import image

WORDS = "every mechanism reads records one by one"


def check(inputs: Inputs, maps: tuple[Map, ...]) -> evidence.Evidence:
    names = [mechanism.name for mechanism in inputs.setting.mechanisms]
    for name, f in zip(names, maps, strict=True):
        if not (f.is_everything or f.restricts or f.recodes or f.keeps_positions):
            return evidence.fails(Words(f"{name} reads ", image(f)))
    return evidence.holds("by the maps")
