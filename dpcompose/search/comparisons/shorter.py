"""Shorter guarantees: worst cases over families without those that others are at least, with certificates.

The kernel leaves out losses that another one is seen to be at least by signs.  Of sums of largest members of
families that takes more: 3·max(e[i]) is at least top(3, e[i]).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpcompose.kernel.core.assumptions import NOTHING, Assumed, letters_of
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.trying import tried

MOST_COMPARED = 12
"""Of up to so many losses each is compared with each other one."""
FEW_EFFORTS = 1
"""How often a proof by calculus is looked for."""


def shorter(prover: Prover, guarantee: Theorem) -> Theorem:
    """The same guarantee, written with fewer losses, where families occur in it, or relations are
    assumed; else as it is."""
    said = guarantee.says
    assert isinstance(said, Satisfies)
    squared, assumed = prover.theory.rule(said.notion).head.squared, prover.setting.assumed
    certificates: dict[str, Any] = {}
    values = dict(said.values)
    for key, value in said.values:
        less = shared(largest(value, key in squared, assumed))
        shown = None if less == value else parameters.at_least(less, value, key in squared, None, assumed)
        if shown is not None:
            values[key], certificates[key] = less, shown
    if not certificates:
        return guarantee
    claim = {"notion": said.notion} | {key: formulas.to_text(value) for key, value in values.items()}
    return tried(prover, "weaken", guarantee, claim=claim, certificates=certificates) or guarantee


def largest(value: Term, squared: bool, assumed: Assumed = NOTHING) -> Term:
    """A maximum without those losses that another one is seen to be at least."""
    if value.kind != "top" or value.of[0] != 1 or len(value.parts) > MOST_COMPARED:
        return value
    if not value.has("over") and not (assumed and value.letters.keys() & letters_of(assumed).keys()):
        return value
    return terms.top(1, _undominated(value.parts, squared, assumed))


def shared(value: Term) -> Term:
    """A maximum, or minimum, with what is lost of families in all of its parts taken out of it.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> worst = terms.over(2, letter("e[i]"), letter("k"))
    >>> formulas.to_text(shared(terms.least(letter("m") * worst, letter("n") * worst)))
    'min(m, n)*top(2, e[i], i, 1, k)'
    """
    factor, peak = value.split
    if peak.kind != "top" or peak.of[0] != 1:
        return value
    every = [part.factors for part in peak.parts]
    common = [one for one in every[0] if one.has("over") and all(one in factors for factors in every)]
    if not common:
        return value
    rest = terms.top(1, (terms.multiply(x for x in factors if x not in common) for factors in every))
    return terms.multiply([terms.number(factor), *common, rest])


def _undominated(some: Iterable[Term], squared: bool, assumed: Assumed) -> list[Term]:
    def is_least(greater: Term, lesser: Term) -> bool:
        return parameters.at_least(greater, lesser, squared, FEW_EFFORTS, assumed) is not None

    kept: list[Term] = []
    for term in some:
        if any(is_least(other, term) for other in kept):
            continue
        kept = [other for other in kept if not is_least(term, other)] + [term]
    return kept
