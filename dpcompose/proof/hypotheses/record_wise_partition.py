"""p is a record-wise partition: p_i(D) = D|A_i with disjoint record sets A_i (GB Ex. IV.4)."""

from __future__ import annotations

from collections.abc import Iterable

from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.inputs.written import image

WORDS = "{p} is a record-wise partition"


def check(inputs: Inputs, maps: tuple[Map, ...]) -> evidence.Evidence:
    databases = inputs.setting.databases
    if not databases.unordered:
        return evidence.fails(f"it is about multisets and sets of records, and not about {databases}")
    names = [mechanism.name for mechanism in inputs.setting.mechanisms]
    owner: dict[str, str] = {}
    for name, f in zip(names, maps, strict=True):
        records: Iterable[str]
        if f.restricts:
            records = sorted(f.inside)
        elif f.is_identity(databases):
            records = (*databases.records, *databases.spare)
        else:
            return evidence.fails(Words(f"{name} reads ", image(f), ", which is no restriction to records"))
        for record in records:
            if record in owner:
                return evidence.fails(f"{owner[record]} and {name} both read the record {record}")
            owner[record] = name
    return evidence.holds("by the record sets")
