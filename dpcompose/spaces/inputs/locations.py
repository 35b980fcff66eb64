"""Locations: a query that tells where the one record is that is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import ZERO, Term, number
from dpcompose.language import formulas
from dpcompose.spaces.inputs.queries import REAL, Point, Query


@dataclass(frozen=True)
class Location(Query):
    """Where the one record that is read is, in a disc of a diameter.

    >>> Location(number(3)).moves(1, 1, 1, "L2")
    3
    """

    diameter: Term

    attribute = True
    one = True
    values = REAL | {"plane"}
    page = "location"

    def __post_init__(self) -> None:
        object.__setattr__(self, "diameter", formulas.term(self.diameter))

    def moves(self, removed: int, added: int, n: int | None, norm: str) -> Term:
        if not (removed and added):
            return ZERO
        return terms.sqrt(number(2)) * self.diameter if norm == "L1" else self.diameter

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        """On a diagonal, along which both norms are largest."""
        half = self.diameter / (2 * terms.sqrt(number(2)))
        return (half, half), (-half, -half)

    @property
    def words(self) -> str:
        return f"the location, in a disc of diameter {formulas.to_text(self.diameter)},"

    @property
    def letters(self) -> Mapping[str, Term]:
        return {"w": self.diameter}

    @property
    def nonnegative(self) -> Mapping[str, Term]:
        return {"it is not known that the diameter is at least 0": self.diameter}

    def data(self) -> str | dict[str, Any]:
        return {"location": formulas.to_text(self.diameter)}

    def with_bounds(self, bounds: Sequence[Term]) -> Location:
        return Location(*map(formulas.term, bounds))


def location(diameter: object) -> Location:
    """Where the one record that is read is, in a disc of this diameter, a nonnegative formula.

    >>> location("w").moves(1, 1, 1, "L2")
    w
    """
    return Location(formulas.term(diameter))
