"""The least δ of a composition written out as a formula, for claims in letters: the largest of all types.

It is for few mechanisms one step apart, or any number of them that are alike, and for one whose losses lie in
an interval, or with Laplace noise.  The proofs are on the pages optimal-composition, exponential-curve and
laplace-curve of theorems/computed/.
"""

from __future__ import annotations

from dataclasses import replace

from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.computed import Curves
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.deciders.calculus.values import surely
from dpcompose.kernel.deciders.curves import outcomes
from dpcompose.kernel.deciders.curves.outcomes import Alike
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.terms import Term


def delta(curves: Curves, epsilon: Term, cover: Cover) -> tuple[Term, frozenset[str]]:
    """The largest δ of the types at an ε in letters, and the pages by which it is found.

    Raises ValueError where it is not written out.
    """
    by_guarantees = replace(curves, by_noise=False)
    pairs = [_of_type(curves, by_guarantees, epsilon, type) for type in cover.types]
    deltas = dict.fromkeys(delta for delta, _ in pairs)
    return terms.top(1, list(deltas)), frozenset(page for _, page in pairs)


def _of_type(curves: Curves, by_guarantees: Curves, epsilon: Term, type: Type) -> tuple[Term, str]:
    """By the law of one mechanism, or by the guarantees of all."""
    if type.lost or dict(type.moves).keys() != dict(type.every).keys():
        raise NoLoss("the formula is for inputs that are a known number of steps apart")
    assumed = curves.setting.assumed
    every = [(i, curves.members(i, many), r) for i, members in type.moves for many, r in members]
    if len(every) == 1 and (alone := _of_law(curves, epsilon, *every[0])) is not None:
        return alone, curves.page.id
    alike = [_alike(*_asked(by_guarantees, i), count, r, assumed) for i, count, r in every]
    return outcomes.delta(alike, epsilon, assumed), by_guarantees.page.id


def _of_law(curves: Curves, epsilon: Term, i: int, count: Term, r: Term) -> Term | None:
    """The least δ of one mechanism by its law; None where there are more, or none is written out."""
    texts, known = _asked(curves, i)
    (key, text), *others = texts.items()
    moving = any(terms.moves(name) for value in known.values() for name in value.letters)
    if count != terms.ONE or others or moving or key not in OF_ONE or curves.mechanism(i).sampled is not None:
        return None
    return OF_ONE[key](formulas.parse(text, {**known, "r": r}), epsilon, curves.setting.assumed)


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
    if wide.kind == "oo" or not _are_nonnegative([epsilon, wide - epsilon], assumed):
        raise NoLoss("epsilon is not seen to lie between 0 and the length of the interval of losses")
    below = 1 - terms.exp((epsilon - wide) / 2)
    return below * below / (1 - terms.exp(-wide))


def _of_laplace(ratio: Term, epsilon: Term, assumed: Assumed) -> Term:
    """The least δ of Laplace noise, where ε is seen to lie between −a and the ratio a."""
    if ratio.kind == "oo" or not _are_nonnegative([epsilon + ratio, ratio - epsilon], assumed):
        raise NoLoss("epsilon is not seen to lie between the least and the largest loss of the noise")
    return 1 - terms.exp((epsilon - ratio) / 2)


def _are_nonnegative(values: list[Term], assumed: Assumed) -> bool:
    return all(surely(value, False, assumed) for value in values)


OF_ONE = {"range": _of_interval, "ratio": _of_laplace}
"""The formulas for one mechanism, by what its page asks for."""
