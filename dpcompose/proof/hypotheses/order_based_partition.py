"""p is an order-based partition: p_i(D) are the records of D at disjoint sets of positions (GB Ex. IV.7)."""

from __future__ import annotations

from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.inputs.maps import Map

WORDS = "{p} is an order-based partition"


def check(inputs: Inputs, maps: tuple[Map, ...]) -> evidence.Evidence:
    databases = inputs.setting.databases
    if not databases.identified:
        return evidence.fails(f"{databases} have no positions")
    owner: dict[int, str] = {}
    for mechanism, f in zip(inputs.setting.mechanisms, maps, strict=True):
        if f.keeps_positions:
            read = f.positions
        elif databases.sizes.exactly:
            read = tuple(range(1, (databases.sizes.n or 0) + 1))
        else:
            read = (1,)  # everything: any two such mechanisms share what is read
        for position in read:
            if position in owner:
                return evidence.fails(
                    f"{owner[position]} and {mechanism.name} both read the {databases.entry} {position}"
                )
            owner[position] = mechanism.name
    return evidence.holds("by the positions")
