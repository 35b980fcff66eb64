"""Mechanisms of which only a guarantee of another notion is known, and what they can lose in this one."""

from __future__ import annotations

from collections.abc import Mapping

from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.intervals import enclosure, sign
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.decimals import SHOWN_DIGITS, decimal, rounded
from dpcompose.proof.counterexamples import witnesses
from dpcompose.proof.counterexamples.witnesses import Number, Row, Violating
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Page
from dpcompose.spaces.canonical.metrics import Distance


def violating(inputs: Inputs, page: Page, i: int, r: Distance, stated: Mapping[str, Term]) -> Row | None:
    """M_i as a page on violations says, where its inputs are r apart; None where it says the same always.

    page -- that of the witnesses of the notion that is looked at; stated -- the parameters at the point.
    """
    mechanism = inputs.setting.mechanisms[i - 1]
    found = inputs.theory.violation(mechanism.satisfies.notion, page.head.notion)
    if found is None or mechanism.is_concrete or not isinstance(r, int) or r < 1:
        return None
    lost = found.head.in_a_metric if mechanism.satisfies.apart == 0 else found.head.loss
    if lost is None or not stated or sign(formulas.parse(found.head.positive, stated)) != 1:
        return None
    loss: Number | None = None
    if lost != "oo":
        value = formulas.parse(lost, {**stated, "r": terms.number(r)})
        loss = witnesses.number_of(value)
        if found.head.alone and page.head.shows in inputs.theory.rule(page.head.notion).head.squared:
            shown = decimal(rounded(enclosure(value, 64).low, SHOWN_DIGITS, up=False))
            square = witnesses.number_of(substitution.expanded(value * value))
            return Violating(i, found.id, found.head.mechanism, square, f"at least {shown}")
    return Violating(i, found.id, found.head.mechanism, loss)
