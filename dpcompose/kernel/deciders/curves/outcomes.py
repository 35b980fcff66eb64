"""The least δ of few pure and (ε, δ) mechanisms one step apart, as a formula in letters.

Each is randomized response with the odds e^ε that tells all with probability δ: a composition has finitely
many outcomes, and P(S) − e^ε'·Q(S) is largest for those with P > e^ε'·Q.  The proof is on the page
optimal-composition.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb, prod

from dpcompose.kernel.core.assumptions import NOTHING, Assumed
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.deciders.curves.curves import Part
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term

MOST_OUTCOMES = 32
"""Of how many different losses a formula is written out."""


class NoFormula(ValueError):
    """There is no formula of what is asked for; the message says why."""


def delta(parts: Sequence[Part], epsilon: Term, assumed: Assumed = NOTHING) -> Term:
    """δ(ε') = 1 − s + s·Σ max(0, P(o) − e^ε'·Q(o)), where s = Π(1 − δ_i), over the outcomes o of the rest.

    parts -- with constants or formulas ≥ 0, of which each δ is at most 1.  Raises NoFormula.

    >>> from dpcompose.kernel.expressions import formulas
    >>> e = terms.letter("e")
    >>> formulas.to_text(delta([Part(e, ZERO)], ZERO))
    '(exp(e) - 1)/(exp(e) + 1)'
    """
    if any(part.steps != 1 for part in parts):
        raise NoFormula("the least delta is written out for inputs that are one step apart")
    if prod(part.count + 1 for part in parts) > MOST_OUTCOMES:
        raise NoFormula(f"the least delta is written out for up to {MOST_OUTCOMES} different losses")
    gains = list[Term]()
    for minus in product(*(range(part.count + 1) for part in parts)):
        counted = list(zip(parts, minus, strict=True))
        here = terms.add((part.count - j) * part.epsilon for part, j in counted)
        there = epsilon + terms.add(j * part.epsilon for part, j in counted)
        if not values.surely(there - here, False, assumed):
            gain = prod(comb(part.count, j) for part, j in counted) * (terms.exp(here) - terms.exp(there))
            gains.append(gain if values.surely(here - there, False, assumed) else terms.top(1, [ZERO, gain]))
    over = terms.multiply((1 + terms.exp(part.epsilon)) ** part.count for part in parts)
    stays = terms.multiply((1 - part.delta) ** part.count for part in parts)
    return ONE - stays + stays * terms.add(gains) / over
