"""What a predicate answers: holds, fails with a witness, undecided with a reason, or declared."""

from __future__ import annotations

from enum import Enum

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import Mathematics, same
from dpcompose.spaces.classes.databases import Database

P, P_I, K = map(same, ("p", "p_i", "k"))
"""The maps of a setting, each of them, and their number, in what is said of hypotheses."""
AT_LEAST = Mathematics(">=", r"\ge")


class Answer(Enum):
    """The four answers; only HOLDS supports a proof by itself, DECLARED becomes an assumption."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    DECLARED = "declared"


@frozen
class Evidence:
    """An answer with what supports it.

    words -- HOLDS: what was gone through; FAILS: what the witness shows; else the reason;
    pair -- FAILS: the smallest pair of databases that shows it, where there is one.
    """

    answer: Answer
    words: str
    pair: tuple[Database, Database] | None = None

    @property
    def holds(self) -> bool:
        """Whether a proof may use the hypothesis: it was checked, or the setting declares it."""
        return self.answer in (Answer.HOLDS, Answer.DECLARED)


def holds(covered: str) -> Evidence:
    return Evidence(Answer.HOLDS, covered)


def fails(words: str, pair: tuple[Database, Database] | None = None) -> Evidence:
    return Evidence(Answer.FAILS, words, pair)


def undecided(reason: str) -> Evidence:
    return Evidence(Answer.UNDECIDED, reason)


def declared(words: str) -> Evidence:
    return Evidence(Answer.DECLARED, words)
