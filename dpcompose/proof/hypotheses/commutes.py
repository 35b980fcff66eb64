"""d_G commutes with p: Σ_i d_G(p_i(D), p_i(E)) ≤ d_G(D, E) for all D, E (GB before IV.6).

The left side obeys the triangle inequality, so for the canonical metric it is enough that the
sum is at most 1 at neighbours.
"""

from __future__ import annotations

from dpcompose.language.said import Words
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.canonical.metrics import INFINITE, shown, steps
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity

WORDS = "the {granularity} metric commutes with {p}"


def check(inputs: Inputs, maps: tuple[Map, ...], granularity: Granularity) -> evidence.Evidence:
    pairs = inputs.neighbouring_pairs(granularity)
    metrics = [inputs.metric_of(f, granularity, "own").metric for f in maps]
    for pair in pairs.pairs:
        moved = [steps(metrics[i - 1](*(maps[i - 1](D) for D in pair))) for i in inputs.changed(pair, maps)]
        total = INFINITE if INFINITE in moved else sum(moved)
        if total == INFINITE or total > 1:
            return evidence.fails(
                Words(inputs.show(pair), f" are neighbours, and the parts move by {shown(total)} in all"),
                pair,
            )
    return evidence.holds(pairs.covered)
