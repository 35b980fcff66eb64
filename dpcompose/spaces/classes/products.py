"""Points in coordinates, and databases of several parts: a point, or a database of a class, for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import ClassVar

from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.said import Words, listed, mathematics
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge


@frozen
class Interval:
    """The real numbers from `least` to `greatest`, formulas in the parameters; None: no end there.

    >>> from dpcompose.kernel.expressions.terms import ZERO
    >>> str(Interval(ZERO, None)), str(Interval())
    ('[0, oo)', 'real')
    """

    least: Term | None = None
    greatest: Term | None = None

    def __str__(self) -> str:
        if self.least is None and self.greatest is None:
            return "real"
        low = "(-oo" if self.least is None else f"[{to_text(self.least)}"
        high = "oo)" if self.greatest is None else f"{to_text(self.greatest)}]"
        return Words(mathematics(f"{low}, {high}"))


REAL = Interval()


@frozen
class Points(DatabaseClass):
    """The points of ℝ^m whose coordinates lie in these intervals, or in a disc around the origin.

    coordinates -- m names; box -- m intervals; disc -- for two coordinates the diameter of a disc, a
    formula that is ≥ 0: so ‖x − y‖₂ is at most that.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> print(Points(("x", "y"), (Interval(), Interval()), letter("w")))
    all points (x, y) in a disc of diameter w
    """

    kind: ClassVar[str] = "points"

    coordinates: tuple[str, ...]
    box: tuple[Interval, ...]
    disc: Term | None = None

    @property
    def points(self) -> Points:
        return self

    def __contains__(self, D: object) -> bool:
        """Whether D says where it lies in each coordinate; of a box with letters no more is known."""
        return isinstance(D, Mapping) and D.keys() == {*self.coordinates}

    def count(self) -> int | None:
        return None

    def databases(self) -> Iterator[Database]:
        raise TooLarge(f"{self} cannot be listed: there are infinitely many")

    def __str__(self) -> str:
        names, box = ", ".join(self.coordinates), zip(self.coordinates, self.box, strict=True)
        if self.disc is not None:
            return f"all points ({names}) in a disc of diameter {to_text(self.disc)}"
        each = [Words(name, " " if interval == REAL else " in ", str(interval)) for name, interval in box]
        return Words(f"all points ({names}), ", listed(each, None))


@frozen
class Product(DatabaseClass):
    """The databases that have one database of each part, independently of each other.

    each -- (name, class) pairs.
    """

    kind: ClassVar[str] = "product"

    each: tuple[tuple[str, DatabaseClass], ...]

    @property
    def parts(self) -> tuple[tuple[str, DatabaseClass], ...]:
        return self.each

    def __contains__(self, D: object) -> bool:
        named = isinstance(D, Mapping) and D.keys() == {name for name, _ in self.each}
        return named and all(D[name] in part for name, part in self.each)  # type: ignore[index]

    def count(self) -> int | None:
        every = [part.count() for _, part in self.each]
        return None if None in every else prod(number or 0 for number in every)

    def databases(self) -> Iterator[Database]:
        raise TooLarge(f"{self} cannot be listed: their parts are told one by one")

    def __str__(self) -> str:
        return listed([Words(name, ": ", str(part)) for name, part in self.each], None, "; ")
