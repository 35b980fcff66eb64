"""What mechanisms that add noise release at two databases: the values of their queries there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel import formulas, terms
from dpcompose.kernel.terms import Term
from dpcompose.proof import witnesses
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.witnesses import Noisy
from dpcompose.spaces.databases import Database


def released_values(
    inputs: Inputs, i: int, pair: tuple[Database, Database], point: Mapping[str, Fraction]
) -> tuple[Sequence[Term], Sequence[Term], str]:
    """The values of M_i's query at D and E, where they are as far apart as they can be, and its noise."""
    mechanism, metric = inputs.setting.mechanisms[i - 1], inputs.metric(i).metric
    query, noise = mechanism.query, mechanism.noise
    assert query is not None and noise is not None
    x, y = (mechanism.reads(D) for D in pair)
    kept, removed, added, n = metric.compared(x, y)
    bounds = [formulas.at(bound, point) for bound in query.terms]
    at_D, at_E = query.with_bounds(bounds).at(kept, removed, added, n)
    return at_D, at_E, noise.with_parameter(formulas.at(noise.term, point)).words


def released(
    inputs: Inputs, i: int, pair: tuple[Database, Database], point: Mapping[str, Fraction]
) -> tuple[Noisy, list[Term]]:
    """M_i itself, which adds noise to a query, and how far the entries of the query's value move."""
    at_D, at_E, words = released_values(inputs, i, pair, point)
    moves = [witnesses.length(x - y) for x, y in zip(at_D, at_E, strict=True)]
    return Noisy(i, shown_value(at_D), shown_value(at_E), words, None), [
        move for move in moves if move != terms.ZERO
    ]


def shown_value(of: Sequence[Term]) -> str:
    """The value of a query: 3, or the bins of a histogram, the empty ones at its end counted."""
    entries = list(of)
    filled = [n for n, entry in enumerate(entries, start=1) if entry != terms.ZERO]
    empty = len(entries) - max(filled, default=0)
    shown = entries if empty <= MOST_EMPTY else entries[: len(entries) - empty]
    texts = [formulas.to_text(entry) for entry in shown]
    if len(shown) < len(entries):
        texts.append(f"0 ({empty:,} times)")
    return texts[0] if len(entries) == 1 else f"({', '.join(texts)})"


MOST_EMPTY = 8
"""How many empty bins at the end of a histogram are written out."""
