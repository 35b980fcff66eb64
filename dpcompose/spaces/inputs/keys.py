"""Counts by keys that are not known before: of those that somebody has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.language import formulas
from dpcompose.spaces.inputs.queries import Point, Query


@frozen
class Keys(Query):
    """How much all records add to each key that one of them has: a record is a person's contribution.

    most -- how many keys a record has at most, a whole number from 1; each -- what it adds to a key at most.

    >>> keys(3).words
    'counts by keys, of which a record has at most 3 and adds at most 1 to each'
    """

    most: Term
    each: Term

    attribute = True
    values = frozenset({"keys"})
    page = "keys"

    def __post_init__(self) -> None:
        object.__setattr__(self, "most", formulas.term(self.most))
        object.__setattr__(self, "each", formulas.term(self.each))

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        """The count of a key that all have but those who come."""
        return ((kept + removed) * self.each,), (kept * self.each,)

    @property
    def words(self) -> str:
        most, each = map(formulas.to_text, (self.most, self.each))
        return f"counts by keys, of which a record has at most {most} and adds at most {each} to each"

    def moved(self, norm: str) -> str:
        return "how many records come and go"

    @property
    def letters(self) -> Mapping[str, Term]:
        return {"L": self.most, "m": self.each}

    @property
    def nonnegative(self) -> Mapping[str, Term]:
        return {
            "it is not known that how many keys a record has is at least 1": self.most - terms.ONE,
            "it is not known that what a record adds to a key is at least 0": self.each,
        }

    def nonnegative_with(self, parameters: Mapping[str, Term]) -> Mapping[str, Term]:
        threshold = parameters.get("tau")
        if threshold is None:
            return {}
        shown = formulas.to_text(self.each)
        return {f"it is not known that the threshold is at least {shown}": threshold - self.each}

    def data(self) -> str | dict[str, Any]:
        most, each = map(formulas.to_text, (self.most, self.each))
        return {self.page: most if self.each == ONE else [most, each]}

    def with_bounds(self, bounds: Sequence[Term]) -> Keys:
        return type(self)(*map(formulas.term, bounds))


def keys(most: object, each: object = 1) -> Keys:
    """Counts by keys that are not known before: of those that somebody has, shown with noise from a threshold
    on, `laplace(b, threshold=t)`.

    most -- how many keys a record (all that one person contributes) has at most; each -- what it adds to a
    key at most.

    `compose` raises InvalidSetting where they may be less than 1.

    >>> keys("L").data(), keys(2, "m").data()
    ({'keys': 'L'}, {'keys': ['2', 'm']})
    """
    return Keys(formulas.term(most), formulas.term(each))
