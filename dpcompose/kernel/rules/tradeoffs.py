"""Trade-off functions: they hold where all their (ε, δ) do, and are false where one is."""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.core import lines
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.judgements import Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, claimed, said


def by_lines(setting: Setting, theory: Theory, premises: Premises, *, claim: Any) -> Found:
    """A claimed function, the largest of straight lines, is a guarantee where the (ε, δ) of each line are
    one, and is false where those of one line are false."""
    guarantee = claimed(claim, setting, theory)
    rule = theory.rule(guarantee.notion)
    if not rule.head.lines:
        raise BadStep(f"a guarantee of {guarantee.notion} is no trade-off function")
    keys, ((_, function),) = theory.rule(rule.head.lines).head.parameters, guarantee.values
    needed = [
        Satisfies(rule.head.lines, tuple(zip(keys, pair, strict=True))) for pair in lines.pairs(function)
    ]
    grounds = Grounds(frozenset({rule.id}) | theory.lemmas([rule.id], guarantee.notion))
    if len(premises) == 1 and isinstance(refuted := premises[0].says, Refuted):
        if Satisfies(refuted.notion, refuted.values) not in needed:
            raise BadStep("what is false is no line of the claim")
        return Refuted(guarantee.notion, guarantee.values, refuted.point, refuted.through), grounds
    if not set(needed) <= set(said(premises, Satisfies, ...) if premises else ()):
        raise BadStep("not every line of the claim is shown")
    return guarantee, grounds
