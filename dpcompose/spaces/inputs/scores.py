"""Scores of candidates, of which the exponential mechanism chooses one."""

from __future__ import annotations

from typing import ClassVar

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.spaces.inputs.queries import OfOneBound, Point


@frozen
class Scores(OfOneBound):
    """Scores of candidates, each of which one record moves by at most c, up or down.

    Records of which each moves one candidate up and another one down move it most.
    """

    values = frozenset({"scores"})
    page = "scores"
    called = "what a record moves scores by"
    lowers: ClassVar[bool] = True

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        return self.scores(kept, kept, removed, added)

    def scores(self, first: int, kept: int, removed: int, added: int) -> tuple[Point, Point]:
        counts = (removed + first, kept - first), (first, kept - first + added)
        lower = (0, removed), (added, 0)
        here, there = (
            tuple((up - self.lowers * down) * self.bound for up, down in zip(ups, downs, strict=True))
            for ups, downs in zip(counts, lower, strict=True)
        )
        return here, there

    @property
    def words(self) -> str:
        return f"scores that a record moves by at most {formulas.to_text(self.bound)}"


@frozen
class MonotoneScores(Scores):
    """The same where a record moves no score down: all that come move scores up, if at all."""

    page = "monotone-scores"
    lowers = False

    @property
    def words(self) -> str:
        return f"scores that a record moves up by at most {formulas.to_text(self.bound)}"


def scores(most: object) -> Scores:
    """Scores of candidates, each of which one record moves by at most `most`, up or down.

    `compose` raises InvalidSetting where that may be less than 0.

    >>> scores(1).words
    'scores that a record moves by at most 1'
    """
    return Scores(formulas.term(most))


def monotone_scores(most: object) -> Scores:
    """Scores of candidates, none of which a record moves down, and each up by at most `most`.

    `compose` raises InvalidSetting where that may be less than 0.

    >>> monotone_scores(1).words
    'scores that a record moves up by at most 1'
    """
    return MonotoneScores(formulas.term(most))
