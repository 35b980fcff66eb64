"""Δf_i ≤ c: the values of f_i at neighbours are at most c steps apart, in the metric of M_i's guarantee.

For a canonical metric on 𝔻 it is enough to look at neighbours (GB Def. III.5 and below).
"""

from __future__ import annotations

from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.terms import INFINITY
from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.moves.granularities import Granularity

WORDS = "every {p_i} has sensitivity at most {bound} for the {granularity} granularity"


def check(inputs: Inputs, granularity: Granularity, bound: int) -> evidence.Evidence:
    neighbouring = inputs.neighbouring(granularity)
    for type in neighbouring.types:
        for i, far in type.far.items():
            if far == INFINITY or not (bound - far).nonnegative:
                name = inputs.setting.mechanisms[i - 1].name
                words = f" are neighbours, and what {name} reads moves by {to_text(far)}"
                return evidence.fails(Words(inputs.show(type.pair), words), type.pair)
    return evidence.holds(neighbouring.covered)
