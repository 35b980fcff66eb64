"""Δf_i ≤ c: the values of f_i at neighbours are at most c steps apart, in the metric of M_i's guarantee.

For a canonical metric on 𝔻 it is enough to look at neighbours (GB Def. III.5 and below).
"""

from __future__ import annotations

from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.canonical.metrics import at_most, shown
from dpcompose.spaces.moves.granularities import Granularity

WORDS = "every {p_i} has sensitivity at most {bound} for the {granularity} granularity"


def check(inputs: Inputs, granularity: Granularity, bound: int) -> evidence.Evidence:
    pairs = inputs.neighbouring_pairs(granularity)
    for pair in pairs.pairs:
        for i, r in inputs.furthest(pair, granularity).items():
            if not at_most(r, bound):
                name = inputs.setting.mechanisms[i - 1].name
                return evidence.fails(
                    Words(inputs.show(pair), f" are neighbours, and what {name} reads moves by {shown(r)}"),
                    pair,
                )
    return evidence.holds(pairs.covered)
