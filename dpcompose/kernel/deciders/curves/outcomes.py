"""The least δ of pure and (ε, δ) mechanisms one step apart, as a formula in letters.

Each is randomized response with the odds e^ε that tells all with probability δ: a composition has finitely
many outcomes, and P(S) − e^ε'·Q(S) is largest for those with P > e^ε'·Q.  The proof is on the page
optimal-composition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from dpcompose.kernel.core.assumptions import NOTHING, Assumed
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term

MOST_OUTCOMES = 32
"""Of how many different losses a formula is written out."""
MOST_NEGATIVE = 8
"""Of mechanisms whose number is a letter, below how many losses below 0 it is written out."""


class NoFormula(ValueError):
    """There is no formula of what is asked for; the message says why."""


@frozen
class Alike:
    """`count` mechanisms that are (ε, δ)-DP, at inputs one step apart; all three may be formulas, δ ≤ 1."""

    epsilon: Term
    delta: Term
    count: Term = ONE

    @property
    def number(self) -> int | None:
        """How many they are, where that is a number."""
        number = self.count.number
        return None if number is None else int(number)


def delta(every: Sequence[Alike], epsilon: Term, assumed: Assumed = NOTHING) -> Term:
    """δ(ε') = 1 − s + s·Σ max(0, P(o) − e^ε'·Q(o)), where s = Π(1 − δ_i), over the outcomes o of the rest.

    Raises NoFormula.

    >>> from dpcompose.kernel.expressions import formulas
    >>> e = terms.letter("e")
    >>> formulas.to_text(delta([Alike(e, ZERO)], ZERO))
    '(exp(e) - 1)/(exp(e) + 1)'
    """
    counted = [alike for alike in every if alike.number is not None]
    if prod((alike.number or 0) + 1 for alike in counted) > MOST_OUTCOMES:
        raise NoFormula(f"the least delta is written out for up to {MOST_OUTCOMES} different losses")
    if len(every) - len(counted) > 1:
        raise NoFormula("the least delta is written out where at most one number of mechanisms is a letter")
    last = next((alike for alike in every if alike.number is None), None)
    chosen = product(*(range((alike.number or 0) + 1) for alike in counted))
    gains = [
        gain
        for negative in chosen
        for gain in _gains(list(zip(counted, negative, strict=True)), last, epsilon, assumed)
    ]
    over = terms.multiply((1 + terms.exp(alike.epsilon)) ** alike.count for alike in every)
    stays = terms.multiply((1 - alike.delta) ** alike.count for alike in every)
    return ONE - stays + stays * terms.add(gains) / over


def _gains(
    known: Sequence[tuple[Alike, int]], last: Alike | None, epsilon: Term, assumed: Assumed
) -> Iterator[Term]:
    """max(0, P(o) − e^ε'·Q(o)) of the outcomes with so many losses below 0, times what all have in common.

    Of the last mechanisms j = 0, 1, … losses are below 0, up to the first j from which on P(o) ≤ e^ε'·Q(o):
    P(o)/Q(o) falls with j.  Where j is above their number, the number of such outcomes is 0.
    """

    def losses(j: int) -> list[tuple[Alike, int]]:
        return [*known] if last is None else [*known, (last, j)]

    def gain(some: list[tuple[Alike, int]]) -> Term | None:
        """e^a − e^b for P(o) and e^ε'·Q(o) without what they have in common; None where that is seen ≤ 0."""
        here = terms.add((alike.count - m) * alike.epsilon for alike, m in some)
        there = epsilon + terms.add(m * alike.epsilon for alike, m in some)
        if values.surely(there - here, False, assumed):
            return None
        more = terms.exp(here) - terms.exp(there)
        return more if values.surely(here - there, False, assumed) else terms.top(1, [ZERO, more])

    if last is not None and gain(losses(MOST_NEGATIVE)) is not None:
        raise NoFormula(f"more than {MOST_NEGATIVE} of the losses may be below 0")
    for j in range(1 if last is None else MOST_NEGATIVE):
        if (more := gain(losses(j))) is None:
            return
        yield more * terms.multiply(_ways(alike.count, m) for alike, m in losses(j))


def _ways(count: Term, m: int) -> Term:
    """In how many ways m of so many are chosen: n(n − 1)…(n − m + 1)/m!."""
    return terms.multiply((count - n) / (n + 1) for n in range(m))
