"""M_i is f_i-dependent: M_i = M_i*∘f_i for some M_i*, so it sees f_i(D) only (GB Def. IV.8).

On the own domain, and for mechanisms that read everything, this is so by what the mechanism
is.  On the common domain it is what `domain = "common"` declares: an assumption, except where the
mechanism is given as a table of probabilities.  On that the setting checks it.
"""

from __future__ import annotations

from dpcompose.proof.hypotheses import evidence
from dpcompose.proof.hypotheses.inputs import Inputs

WORDS = "every mechanism depends only on what it reads"


def check(inputs: Inputs) -> evidence.Evidence:
    mechanisms = enumerate(inputs.setting.mechanisms, start=1)
    common = [mechanism.name for i, mechanism in mechanisms if inputs.domain(i) == "common"]
    assumed = [name for name in common if name not in inputs.setting.on_tables]
    if common and not assumed:
        return evidence.holds("on the tables of " + ", ".join(common))
    if assumed:
        return evidence.declared(f"declared by domain = common, for {', '.join(assumed)}")
    return evidence.holds("by what they read")
