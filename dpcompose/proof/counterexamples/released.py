"""What mechanisms that add noise release at two databases: the values of their queries there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.proof.counterexamples import rows
from dpcompose.proof.counterexamples.rows import Row
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.classes.databases import Database


def released_values(
    inputs: Inputs, i: int, pair: tuple[Database, Database], point: Mapping[str, Fraction]
) -> tuple[Sequence[Term], Sequence[Term], Noise]:
    """The values of M_i's query at D and E, where they are as far apart as they can be, and its noise."""
    mechanism, metric = inputs.setting.mechanisms[i - 1], inputs.metric(i).metric
    query, noise = mechanism.query, mechanism.noise
    assert query is not None and noise is not None
    x, y = (mechanism.reads(D) for D in pair)
    kept, removed, added, n = metric.compared(x, y)
    bounds = [formulas.at(bound, point) for bound in query.terms]
    at_D, at_E = query.with_bounds(bounds).at(kept, removed, added, n)
    return at_D, at_E, noise.changed(lambda term: formulas.at(term, point))


@frozen
class Chosen:
    """A mechanism that chooses a bin: the scores of all bins at D and at E, and its noise."""

    mechanism: int
    at_D: Sequence[Term]
    at_E: Sequence[Term]
    noise: Noise

    def probabilities(self) -> list[list[Term]]:
        """Of each bin to be chosen, at D and at E."""
        weights = [
            [terms.exp(self.noise.term * term) for term in counts] for counts in (self.at_D, self.at_E)
        ]
        return [[term / terms.add(weight) for term in weight] for weight in weights]

    def lost(self, by: str, epsilon: Term) -> Term:
        """P − e^ε·Q of the first bin by an event; Σ P·ln(P/Q) of all by noise; else ln(P/Q) of the first."""
        at_D, at_E = self.probabilities()
        if by == "event":
            return at_D[0] - terms.exp(epsilon) * at_E[0]
        return terms.add(p * self._loss(j) for j, p in enumerate(at_D)) if by == "noise" else self._loss(0)

    def _loss(self, j: int) -> Term:
        a, c = (
            terms.add(terms.exp(self.noise.term * term) for term in counts)
            for counts in (self.at_D, self.at_E)
        )
        return self.noise.term * (self.at_D[j] - self.at_E[j]) + terms.log(c / a)

    def row(self) -> Row:
        """With the scores at both."""
        return rows.of_noise(self.mechanism, shown_value(self.at_D), shown_value(self.at_E), self.noise.words)


def chosen(
    inputs: Inputs, i: int, pair: tuple[Database, Database], point: Mapping[str, Fraction]
) -> Iterator[Chosen]:
    """M_i where all that only D has is in the first bin, what only E has in the second, and what both have
    in these: all of it in the second; or shared out so that the first one has 0, 1, 4 or 16 fewer at D."""
    mechanism, metric = inputs.setting.mechanisms[i - 1], inputs.metric(i).metric
    assert mechanism.noise is not None and mechanism.query is not None
    kept, removed, added, _ = metric.compared(*(mechanism.reads(D) for D in pair))
    noise = mechanism.noise.with_parameter(formulas.at(mechanism.noise.term, point))
    query = mechanism.query.with_bounds([formulas.at(term, point) for term in mechanism.query.terms])
    for first in dict.fromkeys([0, *(max(0, (kept - removed - fewer) // 2) for fewer in FEWER)]):
        yield Chosen(i, *query.scores(first, kept, removed, added), noise)


FEWER = (0, 1, 4, 16)
"""How many fewer records the bin of an event has, as on the page of the exponential mechanism."""


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
