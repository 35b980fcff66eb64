"""Points in coordinates: of two points D and E the coordinate x is a letter at each, x__D and x__E."""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

REAL = Domain.read("real")
Ends = tuple[Term | None, Term | None]
"""The least and the greatest value of a coordinate, formulas in the parameters; None: there is no end."""


def coordinate(name: str, database: str) -> Term:
    """The letter of a coordinate of one of the databases D, E, F.

    >>> coordinate("x", "D")
    x__D
    """
    return terms.letter(naming.at(name, database), REAL)


@frozen
class Points:
    """The points whose coordinates lie between ends, or in a disc around the origin, of some diameter."""

    coordinates: tuple[str, ...]
    box: tuple[Ends, ...]
    disc: Term | None = None

    def letters(self, databases: str = "DE") -> dict[str, Term]:
        """The letters of the coordinates, by name."""
        some = [coordinate(name, who) for who in databases for name in self.coordinates]
        return {str(term.of[0]): term for term in some}

    def inside(self, database: str) -> list[Term]:
        """What is ≥ 0 where a database is one of these points."""
        at = [coordinate(name, database) for name in self.coordinates]
        if self.disc is not None:
            return [self.disc**2 - 4 * terms.add(x**2 for x in at)]
        ends = zip(at, self.box, strict=True)
        return [term for x, (low, high) in ends for term in _between(x, low, high)]

    def data(self) -> dict[str, Any]:
        """As JSON."""
        box = [[None if end is None else formulas.to_text(end) for end in ends] for ends in self.box]
        disc = {} if self.disc is None else {"disc": formulas.to_text(self.disc)}
        return {"kind": "points", "coordinates": list(self.coordinates), "box": box} | disc


def _between(x: Term, low: Term | None, high: Term | None) -> list[Term]:
    return ([] if low is None else [x - low]) + ([] if high is None else [high - x])
