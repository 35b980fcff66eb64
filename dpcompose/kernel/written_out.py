"""The least δ of a composition written out as a formula, for claims in letters: the largest of all types.

It is for few mechanisms one step apart, or any number of them that are alike, and for one whose losses lie
in an interval.  The proofs are on the pages optimal-composition and exponential-curve of theorems/computed/.
"""

from __future__ import annotations

from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.computed import Curves
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.deciders.calculus.values import surely
from dpcompose.kernel.deciders.curves import outcomes
from dpcompose.kernel.deciders.curves.outcomes import Alike
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.terms import Term


def delta(curves: Curves, epsilon: Term, cover: Cover) -> Term:
    """The largest δ of the types at an ε in letters.  Raises ValueError where it is not written out."""
    deltas = dict.fromkeys(_of_type(curves, epsilon, type) for type in cover.types)
    return terms.top(1, list(deltas))


def _of_type(curves: Curves, epsilon: Term, type: Type) -> Term:
    if type.lost or dict(type.moves).keys() != dict(type.every).keys():
        raise NoLoss("the formula is for inputs that are a known number of steps apart")
    every = [(i, many, r) for i, members in type.moves for many, r in members]
    asked = {i: _asked(curves, i) for i, _, _ in every}
    assumed = curves.setting.assumed
    if len(every) == 1:
        ((i, many, r),) = every
        texts, known = asked[i]
        if set(texts) == {"range"} and curves.members(i, many) == terms.ONE:
            return _of_interval(formulas.parse(texts["range"], {**known, "r": r}), epsilon, assumed)
    alike = [_alike(*asked[i], curves.members(i, many), r, assumed) for i, many, r in every]
    return outcomes.delta(alike, epsilon, assumed)


def _asked(curves: Curves, i: int) -> tuple[dict[str, str], dict[str, Term]]:
    """What the page asks of M_i, and the values of its letters."""
    (texts, known), *besides = curves.asked(curves.page.head.parts, curves.losses[i - 1])
    if besides:
        raise NoLoss("the formula is for mechanisms with one guarantee each")
    return dict(texts), known


def _alike(texts: dict[str, str], known: dict[str, Term], count: Term, r: Term, assumed: Assumed) -> Alike:
    """So many mechanisms that are (ε, δ)-DP; δ above 1 is read as 1."""
    if set(texts) != {"epsilon", "delta"} or terms.INFINITY in known.values() or r != terms.ONE:
        raise NoLoss("the formula is for (epsilon, delta) guarantees one step apart")
    if any(terms.moves(name) for value in known.values() for name in value.letters):
        raise NoLoss("the formula is for mechanisms that are alike, not for members of their own")
    value = {key: formulas.parse(text, known) for key, text in texts.items()}
    within = surely(1 - value["delta"], False, assumed)
    most = value["delta"] if within else terms.least(terms.ONE, value["delta"])
    return Alike(value["epsilon"], most, count)


def _of_interval(wide: Term, epsilon: Term, assumed: Assumed) -> Term:
    """The least δ of a mechanism with all losses in an interval of that length, where ε is seen to lie
    between 0 and it."""
    if wide.kind == "oo" or any(map(terms.moves, wide.letters)):
        raise NoLoss("the formula is for one mechanism with losses in an interval")
    if not all(surely(term, False, assumed) for term in (epsilon, wide - epsilon)):
        raise NoLoss("epsilon is not seen to lie between 0 and the length of the interval of losses")
    below = 1 - terms.exp((epsilon - wide) / 2)
    return below * below / (1 - terms.exp(-wide))
