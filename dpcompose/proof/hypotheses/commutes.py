"""d_G commutes with p: Σ_i d_G(p_i(D), p_i(E)) ≤ d_G(D, E) for all D, E (GB before IV.6).

The left side obeys the triangle inequality, so for the canonical metric it is enough that the
sum is at most 1 at neighbours.
"""

from __future__ import annotations

from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.terms import ONE, ZERO, add
from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.moves.granularities import Granularity

WORDS = "the {granularity} metric commutes with {p}"


def check(inputs: Inputs, granularity: Granularity) -> evidence.Evidence:
    neighbouring = inputs.neighbouring(granularity, counted=granularity)
    for type in neighbouring.types:
        if (total := add(type.far.values())) not in (ZERO, ONE):
            words = f" are neighbours, and the parts move by {to_text(total)} in all"
            return evidence.fails(Words(inputs.show(type.pair), words), type.pair)
    return evidence.holds(neighbouring.covered)
