"""Keys that one of two databases has only, and such as both have: what is shown of them, and how likely."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.proof.counterexamples import rows
from dpcompose.proof.counterexamples.released import Chosen, chosen, shown_value
from dpcompose.proof.counterexamples.rows import Row
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.spaces.classes.databases import Database


@frozen
class Appearing:
    """A mechanism that shows noisy counts of keys from a threshold on, at D and at E.

    times -- how many keys have these counts, all alike; at_D, at_E -- 0 where nobody has the key.
    """

    mechanism: int
    times: int
    at_D: Term
    at_E: Term
    noise: Noise

    def lost(self, by: str, epsilon: Term) -> Term:
        """P − e^ε·Q of an event; ∞ in what is no event where a key appears at D only."""
        if by == "event":
            return self._of_event(epsilon)
        return INFINITY if self.at_D != ZERO and self.at_E == ZERO else ZERO

    def _of_event(self, epsilon: Term) -> Term:
        """That one of the keys is shown, where they are new; else that a count is above what tells most, or
        that all counts are above those at D."""
        b, threshold = self.noise.term, self.noise.besides["tau"]
        if self.at_E == ZERO and self.at_D != ZERO:
            return ONE - (ONE - self._above(threshold, self.at_D)) ** self.times
        between = self.at_D if self.times > 1 else (self.at_D + self.at_E + epsilon * b) / 2
        from_ = between if sign(between - threshold) == 1 else threshold
        here, there = (self._above(from_, x) ** self.times for x in (self.at_D, self.at_E))
        return here - terms.exp(epsilon) * there

    def _above(self, y: Term, x: Term) -> Term:
        """The probability that noise takes x above y."""
        if x == ZERO:
            return ZERO
        far = (y - x) / self.noise.term
        return terms.exp(-far) / 2 if sign(far) in (0, 1) else ONE - terms.exp(far) / 2

    def row(self) -> Row:
        """With the counts at both."""
        here, there = (
            "no key" if x == ZERO else f"{self._many} {shown_value((x,))}" for x in (self.at_D, self.at_E)
        )
        return rows.of_noise(self.mechanism, here, there, self.noise.words)

    @property
    def _many(self) -> str:
        return "a key with the count" if self.times == 1 else f"{self.times} keys with the count"


def appearing(
    inputs: Inputs, i: int, pair: tuple[Database, Database], point: Mapping[str, Fraction]
) -> Iterator[Appearing]:
    """M_i where all keys of records that only D has are new; or where all records have the same ones."""
    mechanism, metric = inputs.setting.mechanisms[i - 1], inputs.metric(i).metric
    assert mechanism.noise is not None and mechanism.query is not None
    kept, removed, _, _ = metric.compared(*(mechanism.reads(D) for D in pair))
    noise = mechanism.noise.changed(lambda term: formulas.at(term, point))
    most, each = (formulas.at(term, point) for term in mechanism.query.terms)
    many = int(most.number or 1)
    if removed:
        yield Appearing(i, many, each, ZERO, noise)
    for times in dict.fromkeys((1, many)):
        yield Appearing(i, times, (kept + removed) * each, kept * each, noise)


WAYS: Mapping[str, Callable[..., Iterator[Chosen | Appearing]]] = {"scores": chosen, "keys": appearing}
"""By what noise is for: what it releases at two databases, of which more records may make it lose more."""


def towards_the_limit(
    inputs: Inputs, i: int, pair: tuple[Database, Database], point: Mapping[str, Fraction]
) -> Iterator[Chosen | Appearing]:
    """M_i in a few ways to have attributes, where it loses most in the limit of more and more records."""
    noise = inputs.setting.mechanisms[i - 1].noise
    assert noise is not None
    return WAYS[noise.kind.takes](inputs, i, pair, point)
