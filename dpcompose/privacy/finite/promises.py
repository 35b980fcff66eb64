"""What is promised of pairs of rows, gone through one by one: kept by all, or broken, with the witness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dpcompose.kernel.deciders.calculus.exponentials import NotDecided
from dpcompose.kernel.deciders.tables import divergences
from dpcompose.kernel.deciders.tables.promises import Broken, broken
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.finite.findings import Finding, Outcome, outcome_text, where
from dpcompose.privacy.finite.probabilities import text
from dpcompose.privacy.finite.rows import Rows

Promise = tuple[int, int, Mapping[str, Term]]
"""What is promised of M(D) and M(E), by the places of their rows: ε of pure privacy, for example."""


@frozen
class Promises:
    """Promises of one notion about a table's rows, which have a probability for each of the outcomes.

    >>> from fractions import Fraction
    >>> from dpcompose.kernel.expressions import terms
    >>> from dpcompose.spaces.classes.listed import listed
    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> rows = Rows(listed("ab"), {"a": (half, half), "b": (third, 1 - third)})
    >>> Promises("pure", rows, ("yes", "no")).checked([(0, 1, {"epsilon": terms.ONE})], "the pair")
    proved: the pair
    """

    notion: str
    rows: Rows
    outcomes: Sequence[Outcome]

    def checked(self, promises: Iterable[Promise], words: str) -> Finding:
        """Whether all are kept; words -- what was gone through, then."""
        rows, undecided = self.rows.listed, ""
        for i, j, promised in promises:
            try:
                found = broken(self.notion, rows[i], rows[j], promised)
            except NotDecided as error:
                undecided = undecided or f"{error}, at {self._both(i, j)}"
                continue
            if found is not None:
                return self._refuted(found, i, j)
        return Finding("undecided", undecided) if undecided else Finding("proved", words)

    def _shown(self, place: int) -> str:
        return self.rows.databases.printed(self.rows.order[place])

    def _both(self, i: int, j: int) -> str:
        return f"D = {self._shown(i)}, D' = {self._shown(j)}"

    def _refuted(self, found: Broken, i: int, j: int) -> Finding:
        event = tuple(self.outcomes[o] for o in found.event)
        words = f"{found.words}, at {self._both(i, j)}{where(found.point, ', for')}"
        if event:
            p, q = (text(divergences.total(self.rows.listed[x], found.event)) for x in (i, j))
            words = (
                f"P({' or '.join(map(outcome_text, event))}) = {p} at D = {self._shown(i)}, {q} at D' = "
                f"{self._shown(j)}, {found.words}{where(found.point, ', for')}"
            )
        pair = self.rows.order[i], self.rows.order[j]
        return Finding("refuted", words, pair, event, found.point)
