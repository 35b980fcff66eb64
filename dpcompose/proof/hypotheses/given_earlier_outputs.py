"""For every value of earlier outputs M_i keeps its guarantee, and f_i does not depend on them (GB V.1).

Of independent mechanisms, which read no outputs, this is true; of adaptive ones it is what
`adaptive = true` declares: an assumption.
"""

from __future__ import annotations

from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs

WORDS = (
    "whatever the earlier outputs are, every mechanism keeps its guarantee and depends only on what it "
    "reads, which they do not change"
)


def check(inputs: Inputs) -> evidence.Evidence:
    if inputs.setting.adaptive:
        return evidence.declared("declared by adaptive = true")
    return evidence.holds("the mechanisms read no outputs")
