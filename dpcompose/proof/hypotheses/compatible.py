"""G-compatible: for all neighbours D, E at most one i has f_i(D) ≠ f_i(E) (GB Def. before IV.6)."""

from __future__ import annotations

from dpcompose.language.said import Words, in_series
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity

WORDS = "{p} is compatible with the {granularity} granularity"


def check(inputs: Inputs, maps: tuple[Map, ...], granularity: Granularity) -> evidence.Evidence:
    pairs = inputs.neighbouring_pairs(granularity)
    for pair in pairs.pairs:
        changed = inputs.changed(pair, maps)
        if len(changed) > 1:
            names = [inputs.setting.mechanisms[i - 1].name for i in changed]
            several = in_series(names) if len(names) <= 4 else f"{len(names)} mechanisms"
            words = Words(inputs.show(pair), f" are neighbours, and what {several} read changes")
            return evidence.fails(words, pair)
    return evidence.holds(pairs.covered)
