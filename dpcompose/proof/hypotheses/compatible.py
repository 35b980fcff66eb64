"""G-compatible: for all neighbours D, E at most one i has f_i(D) ≠ f_i(E) (GB Def. before IV.6)."""

from __future__ import annotations

from dpcompose.language.said import Words, in_series
from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.moves.built_in import free_lunch
from dpcompose.spaces.moves.granularities import Granularity

WORDS = "{p} is compatible with the {granularity} granularity"


def check(inputs: Inputs, granularity: Granularity) -> evidence.Evidence:
    neighbouring = inputs.neighbouring(granularity, counted=free_lunch)
    for type in neighbouring.types:
        if len(type.far) > 1:
            names = [inputs.setting.mechanisms[i - 1].name for i in type.far]
            several = in_series(names) if len(names) <= 4 else f"{len(names)} mechanisms"
            words = Words(inputs.show(type.pair), f" are neighbours, and what {several} read changes")
            return evidence.fails(words, type.pair)
    return evidence.holds(neighbouring.covered)
