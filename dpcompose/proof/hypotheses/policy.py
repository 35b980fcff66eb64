"""Neighbours are one step of a policy apart that does not treat all records alike (policy-metric)."""

from __future__ import annotations

from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import policy_of

WORDS = "{granularity} neighbours differ along an edge of a policy"


def check(inputs: Inputs, granularity: Granularity) -> evidence.Evidence:
    pair = policy_of(granularity)
    if pair is None or not granularity.partial:
        return evidence.fails(f"{granularity} neighbours are given by no policy on some of the records")
    _, steps = pair
    if steps > 1:
        return evidence.fails(f"{granularity} neighbours may be {steps} steps apart")
    return evidence.holds("by its edges")
