"""Locations: a query that tells where the one record is that is read."""

from __future__ import annotations

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import number
from dpcompose.language import formulas
from dpcompose.spaces.inputs.queries import REAL, OfOneBound, Point


@frozen
class Location(OfOneBound):
    """Where the one record that is read is, in a disc of a diameter."""

    one = True
    values = REAL | {"plane"}
    page = "location"
    letter = "w"
    called = "the diameter"

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        """On a diagonal, along which both norms are largest."""
        half = self.bound / (2 * terms.sqrt(number(2)))
        return (half, half), (-half, -half)

    @property
    def words(self) -> str:
        return f"the location, in a disc of diameter {formulas.to_text(self.bound)},"


def location(diameter: object) -> Location:
    """Where the one record that is read is, in a disc of this diameter, a nonnegative formula.

    `compose` raises InvalidSetting where several records are read.

    >>> location("w").data()
    {'location': 'w'}
    """
    return Location(formulas.term(diameter))
