"""What is found out about tables of probabilities: what is largest over databases, and what a check shows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from dpcompose.kernel.deciders.calculus.exponentials import Point, Value
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.spaces.classes.databases import Database, DatabaseClass

if TYPE_CHECKING:
    import sympy

Outcome = Hashable
Pair = tuple[Database, Database]


@frozen(repr=False)
class Worst(Shown):
    """What is largest over pairs of databases: the maximum of `values`, each with its pair and event.

    values -- exact; more than one only where it depends on the parameters which is larger; None is ∞;
    pairs, events -- the database pair (D, D') of each, and the outcomes: P is the distribution at D;
    term -- the quantity: log of the largest ratio for pure losses.
    """

    values: tuple[Value | None, ...]
    pairs: tuple[Pair, ...]
    events: tuple[tuple[Outcome, ...], ...]
    term: Term
    databases: DatabaseClass

    @property
    def expression(self) -> sympy.Expr:
        """The quantity as a sympy expression."""
        return formulas.expression(self.term)

    @property
    def pair(self) -> Pair:
        """The pair of the first value."""
        return self.pairs[0]

    @property
    def event(self) -> tuple[Outcome, ...]:
        """The outcomes of the first value."""
        return self.events[0]

    def __repr__(self) -> str:
        return f"{formulas.to_text(self.term)}, {self._where}"

    def _line(self) -> Sequence[str | sympy.Expr]:
        return [self.expression, f", {self._where}"]

    @property
    def _where(self) -> str:
        """At which pair it is attained, in words."""
        if not self.pairs:
            return "there being no neighbours"
        D, E = map(self.databases.printed, self.pair)
        return f"at D = {D}, D' = {E}{_at(self.event)}"


def _at(event: Sequence[Outcome]) -> str:
    if not event:
        return ""
    if len(event) == 1:
        return f" and the outcome {outcome_text(event[0])}"
    return f" and the outcomes {', '.join(map(outcome_text, event))}"


def outcome_text(outcome: Outcome) -> str:
    """An outcome in results; tuples of outcomes in parentheses."""
    return f"({', '.join(map(outcome_text, outcome))})" if isinstance(outcome, tuple) else str(outcome)


def where(point: Point, front: str = " at") -> str:
    """The values of the parameters at which a witness is one; nothing where there are none."""
    return f"{front} {', '.join(f'{name} = {x}' for name, x in sorted(point.items()))}" if point else ""


@frozen(repr=False)
class Finding(Shown):
    """What a check on a table showed.

    verdict -- "proved" (for all allowed parameters), "refuted" (by the witness) or "undecided";
    words -- what was gone through, what the witness shows, or why it is undecided;
    pair -- the two databases where it is refuted, or first undecided;
    event, point -- refuted: the outcomes and the values of the parameters.
    """

    verdict: str
    words: str
    pair: Pair | None = None
    event: tuple[Outcome, ...] = ()
    point: Point = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether it was proved."""
        return self.verdict == "proved"

    def __repr__(self) -> str:
        return f"{self.verdict}: {self.words}"
