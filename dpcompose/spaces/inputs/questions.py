"""Questions whether sums reach a threshold, asked one after the other until enough are answered by yes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.language import formulas
from dpcompose.spaces.inputs.queries import Point, Sum


@frozen
class Questions(Sum):
    """Any number of questions, each whether a sum of numbers in [lower, upper], one a record, is so large.

    times -- how often yes may be answered; weight -- how many times as much a change of the threshold counts
    as one of a sum: both are said by the noise.
    """

    times: Term = ONE
    weight: Term = ONE

    values = frozenset({"questions"})
    page = "questions"

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        """The sum of a question that is answered by no, and that of one that is answered by yes."""
        low, high = self.lower, self.upper
        if sign((removed - added) * (low + high)) == 1:
            low, high = high, low
        return (removed * low, removed * high), (added * high, added * low)

    @property
    def words(self) -> str:
        return f"whether sums of numbers in {self._interval} reach thresholds"

    def moved(self, norm: str) -> str:
        return "how far the threshold and the sums answered by yes move"

    @property
    def letters(self) -> Mapping[str, Term]:
        return {**super().letters, "L": self.times, "m": self.weight}

    @property
    def nonnegative(self) -> Mapping[str, Term]:
        often = "it is not known that how often yes may be answered is at least 1"
        return {**super().nonnegative, often: self.times - ONE}

    def with_noise(self, term: Term, further: Mapping[str, Term]) -> Questions:
        if not further.keys() >= {"threshold-scale", "times"}:
            return self
        return replace(self, times=further["times"], weight=term / further["threshold-scale"])

    def data(self) -> str | dict[str, Any]:
        lower, upper = map(formulas.to_text, (self.lower, self.upper))
        both_ways = self.lower == -self.upper
        return {self.page: upper if both_ways else [lower, upper]}

    def with_bounds(self, bounds: Sequence[Term]) -> Questions:
        return Questions(*map(formulas.term, bounds))


def questions(lower: object, upper: object = None) -> Questions:
    """Questions, chosen one after the other, whether sums over the records reach thresholds.

    lower, upper -- between which a record moves each sum: 0 and 1 for counts; or one number, what a record
    moves each sum by at most, up or down.  For `above_threshold`.

    `compose` raises InvalidSetting where lower may exceed upper.

    >>> questions(0, 1).data(), questions("c").data()
    ({'questions': ['0', '1']}, {'questions': 'c'})
    """
    first = formulas.term(lower)
    return Questions(-first, first) if upper is None else Questions(first, formulas.term(upper))
