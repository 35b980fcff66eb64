"""Lines in a frame with two axes, as marks; the words for each stand beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

from dpcompose.front.drawings.marks import Mark, Path, Place, Sheet, Words, width_of
from dpcompose.kernel.expressions.keeping import frozen

LEFT, TOP, ROW = 64, 16, 24
"""Where a frame begins, and how far apart the words are."""

SIGNED = 8
"""About how many signs a line has."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@frozen
class Axis:
    """An axis from low to high; logarithmic -- powers of ten at equal distances, for which low is above 0.

    >>> Axis("ε", 0, 2.2).ticks
    [0.0, 0.5, 1.0, 1.5, 2.0]
    >>> Axis("δ", 1e-6, 2, logarithmic=True).ticks[-2:]
    [0.1, 1.0]
    """

    name: str
    low: float
    high: float
    logarithmic: bool = False

    def share(self, x: float) -> float:
        """How far along a value is: 0 at the lower end, 1 at the higher."""
        if self.logarithmic:
            return math.log(max(x, self.low) / self.low) / math.log(self.high / self.low)
        return (x - self.low) / (self.high - self.low or 1.0)

    def written(self, tick: float) -> str:
        """A value as it stands beside the axis: powers of ten as such, where all are.

        >>> Axis("δ", 1e-6, 2, logarithmic=True).written(1e-6), Axis("ε", 0, 2).written(0.5)
        ('10⁻⁶', '0.5')
        """
        power = round(math.log10(tick)) if self.logarithmic else 0
        return f"10{str(power).translate(RAISED)}" if power else f"{tick:g}"

    @cached_property
    def ticks(self) -> list[float]:
        """The values that are written beside it."""
        if self.logarithmic:
            first, last = (math.log10(x) for x in (self.low, self.high))
            tens = range(math.ceil(first), math.floor(last) + 1)
            return [10.0**n for n in tens[:: -(len(tens) // 8 + 1)]][::-1]
        rough = (self.high - self.low) / 5 or 1.0
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
        return [n * step for n in range(math.ceil(self.low / step), math.floor(self.high / step + 1e-9) + 1)]


@frozen
class Trace:
    """A line: what it is called, its points, how it looks.

    sign -- stands at some of its points; at -- a point of its own that is marked by the sign instead.
    """

    called: str
    points: Sequence[Place]
    colour: str = "#000000"
    dashes: Sequence[float] = ()
    sign: str = ""
    at: Place | None = None


@frozen
class Chart:
    """Lines over two axes; wide, high -- of the frame."""

    x: Axis
    y: Axis
    curves: Sequence[Trace]
    wide: float = 360
    high: float = 270

    def sheet(self, title: str) -> Sheet:
        """As it is drawn."""
        marks = [
            *self._frame(),
            *(mark for curve in self.curves for mark in self._curve(curve)),
            *self._key(),
        ]
        beside = 60 + max(width_of(curve.called) for curve in self.curves)
        return Sheet(LEFT + self.wide + beside, TOP + self.high + 48, title, marks)

    def _place(self, point: Place) -> Place:
        x, y = point
        return LEFT + self.wide * self.x.share(x), TOP + self.high * (1 - self.y.share(y))

    def _frame(self) -> Iterator[Mark]:
        bottom, right = TOP + self.high, LEFT + self.wide
        yield Path([(LEFT, TOP), (LEFT, bottom), (right, bottom)])
        for tick in self.x.ticks:
            x, _ = self._place((tick, self.y.high))
            yield Path([(x, bottom), (x, bottom + 5)])
            yield Words(self.x.written(tick), (x, bottom + 19), "middle")
        for tick in self.y.ticks:
            _, y = self._place((self.x.low, tick))
            yield Path([(LEFT - 5, y), (LEFT, y)])
            yield Words(self.y.written(tick), (LEFT - 9, y + 4), "end")
        yield Words(self.x.name, (LEFT + self.wide / 2, bottom + 38), "middle")
        yield Words(self.y.name, (14, TOP + self.high / 2), "middle", turned=True)

    def _curve(self, curve: Trace) -> Iterator[Mark]:
        """The line, in pieces where it leaves the frame, and its signs."""
        places = [self._place(point) for point in curve.points]
        piece = list[Place]()
        for place, (_, y) in zip([*places, None], [*curve.points, (0, math.nan)], strict=True):
            if place is not None and self.y.low <= y <= self.y.high:
                piece.append(place)
            elif piece:
                yield Path(piece, curve.colour, 1.6, curve.dashes)
                piece = []
        signed = places[:: max(1, len(places) // SIGNED)] if curve.at is None else [self._place(curve.at)]
        for x, y in signed if curve.sign else ():
            yield Words(curve.sign, (x, y + 4), "middle", curve.colour)

    def _key(self) -> Iterator[Mark]:
        x = LEFT + self.wide + 12
        for n, curve in enumerate(self.curves):
            y = TOP + ROW * (n + 1)
            yield Path([(x, y), (x + 30, y)], curve.colour, 1.6, curve.dashes)
            if curve.sign:
                yield Words(curve.sign, (x + 15, y + 4), "middle", curve.colour)
            yield Words(curve.called, (x + 38, y + 4))
