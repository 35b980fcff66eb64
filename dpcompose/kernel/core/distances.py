"""The distances that guarantees and claims speak of, where databases have several parts, points among them.

A database of a product has one database of each part.  A distance is a formula in the coordinates of both, or
in distances before it, or as far as what a mechanism reads of a part is apart in the steps of its guarantee.
"""

from __future__ import annotations

from typing import Any, Protocol

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term


class Input(Protocol):
    """A mechanism of a part, by what it reads."""

    def data(self) -> dict[str, Any]: ...


@frozen
class Distance:
    """How far apart two databases are, in one way.

    formula -- in coordinates and in distances before it; apart -- then it is 0 where that is finite, and ∞
    where it is ∞; within -- then it is 0 where that is at most this number, and ∞ elsewhere;
    differences -- it is 1 where one of these is not 0, formulas in coordinates, or where one of these `parts`
    differs, else 0;
    over -- it is the closure of a norm over the fibres of the map that reads these coordinates: `formula` is
    that closure, `norm` the norm;
    part, input -- as far as what a mechanism reads of a part is apart; nothing of all this: only a bound is
    known of it;
    at_most -- what it is at most, a formula in distances: declared, or shown where it is asked for.
    """

    formula: Term | None = None
    apart: bool = False
    within: Term | None = None
    differences: tuple[Term, ...] = ()
    parts: tuple[str, ...] = ()
    part: str | None = None
    input: Input | None = None
    at_most: Term | None = None
    over: tuple[str, ...] | None = None
    norm: Term | None = None

    @property
    def declared(self) -> bool:
        """Whether only a bound is known."""
        return self.formula is None and self.input is None and not self.differences and not self.parts

    @property
    def plain(self) -> Term | None:
        """Its formula, where it is just what that says."""
        return None if self.apart or self.within is not None else self.formula

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {}
        if self.norm is not None and self.over is not None:
            data |= {"formula": formulas.to_text(self.norm), "over": list(self.over)}
        elif self.formula is not None:
            data["formula"] = formulas.to_text(self.formula)
        data |= {"apart": True} if self.apart else {}
        data |= {} if self.within is None else {"within": formulas.to_text(self.within)}
        data |= (
            {"differences": [formulas.to_text(difference) for difference in self.differences]}
            if self.differences
            else {}
        )
        data |= {"parts": list(self.parts)} if self.parts else {}
        if self.input is not None:
            data |= {"part": self.part, "input": self.input.data()}
        return data if self.at_most is None else data | {"at most": formulas.to_text(self.at_most)}
