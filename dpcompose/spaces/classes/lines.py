"""Lines: attributes whose values are numbers, infinitely many of them, and the few that decide.

What records become by at most a distance depends on where they lie between the ends of what is read.  So the
numbers near these ends stand for all (shapes/policies.md, "Numbers").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise
from math import ceil, floor, gcd, lcm
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import Words, listed, mathematics

EVERY = "all"
MOST_POINTS = 2_000
"""The most numbers of a line that stand for all."""
NUMBER = r"[-+]?(?:[0-9]{1,60}(?:/0*[1-9][0-9]{0,59})?|[0-9]{0,60}\.[0-9]{1,60})"
_RANGE = re.compile(rf"\s*([\[(])\s*({NUMBER}|-oo)\s*,\s*({NUMBER}|oo)\s*([\])])\s*")
HOW = 'an interval is "[0, 10)" or "(-oo, 5]"; [0, 10] is one with both its ends; several are a list of texts'


@frozen
class Range:
    """The numbers between two ends; None: no end there.

    closed -- whether the least and the greatest end belong to it.

    >>> Fraction(10) in Range.read("[0, 10)"), str(Range.read("( -oo, 1/2]"))
    (False, '(-oo, 0.5]')
    """

    least: Fraction | None
    greatest: Fraction | None
    closed: tuple[bool, bool]

    @staticmethod
    def read(text: str) -> Range:
        """The range that a text is.  Raises ValueError."""
        if not (match := _RANGE.fullmatch(text)):
            raise ValueError(f"{text!r} is no interval: {HOW}")
        left, a, b, right = match.groups()
        least, greatest = (None if x.endswith("oo") else Fraction(x) for x in (a, b))
        interval = Range(least, greatest, (left == "[", right == "]"))
        if (interval.closed[0] and least is None) or (interval.closed[1] and greatest is None):
            raise ValueError(f'{text!r}: infinity is no number; an end without limit is open, "[0, oo)"')
        ends = interval.ends
        if len(ends) == 2 and (ends[0] > ends[1] or (ends[0] == ends[1] and interval.closed != (True, True))):
            raise ValueError(f"no number lies in {text}")
        return interval

    def __contains__(self, x: Fraction) -> bool:
        above = self.least is None or x > self.least or (x == self.least and self.closed[0])
        below = self.greatest is None or x < self.greatest or (x == self.greatest and self.closed[1])
        return above and below

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """The ends that there are."""
        return tuple(value for value in (self.least, self.greatest) if value is not None)

    @property
    def mirrored(self) -> Range:
        """The range of the numbers −x."""
        a, b = (None if value is None else -value for value in (self.greatest, self.least))
        return Range(a, b, (self.closed[1], self.closed[0]))

    def intersection(self, other: Range) -> Range | None:
        """The numbers in both ranges, if there are any."""
        lefts = [
            (interval.least, not interval.closed[0])
            for interval in (self, other)
            if interval.least is not None
        ]
        rights = [
            (interval.greatest, interval.closed[1])
            for interval in (self, other)
            if interval.greatest is not None
        ]
        a, opened = max(lefts, default=(None, True))
        b, closed = min(rights, default=(None, False))
        if a is not None and b is not None and (a > b or (a == b and (opened or not closed))):
            return None
        return Range(a, b, (not opened, closed))

    def __str__(self) -> str:
        a = "-oo" if self.least is None else text_of(self.least)
        b = "oo" if self.greatest is None else text_of(self.greatest)
        return Words(mathematics(f"{'(['[self.closed[0]]}{a}, {b}{')]'[self.closed[1]]}"))


Ranges = tuple[Range, ...]
ALL = Range(None, None, (False, False))


def read_ranges(given: object) -> Ranges:
    """The intervals that a file, or a person, says: "all", a text, two numbers, or texts.  Raises ValueError.

    >>> [*map(str, read_ranges(["[0, 1)", "(2, oo)"]))], str(*read_ranges([0, 10]))
    (['[0, 1)', '(2, oo)'], '[0, 10]')
    """
    if given == EVERY:
        return (ALL,)
    if isinstance(given, str):
        return (Range.read(given),)
    if not isinstance(given, list | tuple) or not given:
        raise ValueError(f"{given!r}: {HOW}")
    texts = list(map(str, given))
    if len(texts) == 2 and not any(text.lstrip().startswith(("[", "(")) for text in texts):
        return (Range.read(f"[{texts[0]}, {texts[1]}]"),)
    return tuple(map(Range.read, texts))


@frozen
class Moves:
    """How far the values of an attribute may change.

    reach -- between neighbours, by at most so much; near -- how far away an end matters, by paths that lead
    there; None: any end may; distances -- those within which policies join records; records -- in how many
    records neighbours differ at most.
    """

    reach: Fraction = Fraction(0)
    near: Fraction | None = Fraction(0)
    distances: frozenset[Fraction] = frozenset()
    records: int = 1


@frozen
class Line:
    """All integers, or all real numbers, in some ranges.

    >>> line = Line(True, read_ranges("[0, oo)"))
    >>> Fraction(3) in line, Fraction(1, 2) in line, str(line)
    (True, False, 'the integers in [0, oo)')
    >>> line.points(read_ranges("[0, 10)"), Moves(reach=Fraction(1)))
    ('0', '1', '8', '9', '10', '11')
    """

    whole: bool
    ranges: Ranges

    def __post_init__(self) -> None:
        if not any(map(self._meets, self.ranges)):
            raise ValueError(f"there are no integers in {shown(self.ranges)}")

    @staticmethod
    def read(given: Mapping[str, Any]) -> Line:
        """The line that { integers = … } or { reals = … } says.  Raises ValueError."""
        if len(given) != 1 or not {*given} <= {"integers", "reals"}:
            raise ValueError('numbers are { integers = "all" } or { reals = "[0, 100)" }')
        ((word, ranges),) = given.items()
        return Line(word == "integers", read_ranges(ranges))

    def __contains__(self, x: Fraction) -> bool:
        return (not self.whole or x.denominator == 1) and any(x in interval for interval in self.ranges)

    @cached_property
    def bounded(self) -> bool:
        """Whether there is a least and a greatest number."""
        return all(len(interval.ends) == 2 for interval in self.ranges)

    @property
    def endless(self) -> bool:
        """Whether there is any number of numbers."""
        return not self.bounded or not (
            self.whole or all(interval.least == interval.greatest for interval in self.ranges)
        )

    def within(self, ranges: Iterable[Range]) -> Line | None:
        """The numbers of the line that lie in one of some ranges; None where there are none.

        >>> print(Line(False, (ALL,)).within(read_ranges("[0, 10)")))
        the real numbers in [0, 10)
        """
        common = (interval.intersection(other) for interval in self.ranges for other in ranges)
        met = tuple(interval for interval in common if interval is not None and self._meets(interval))
        return Line(self.whole, met) if met else None

    def points(self, read: Iterable[Range], moves: Moves) -> tuple[str, ...]:
        """The numbers that stand for all, in order.  Raises ValueError where these are too many, or none do.

        read -- the ranges that are read.
        """
        if moves.near is None and not self.bounded:
            raise ValueError(
                f"how many steps of a policy neighbours are apart has no limit on {self}, or none that is "
                "known: an interval such as { reals = [0, 100] } would do, or guarantees for the neighbours "
                "of the target"
            )
        ends = sorted({x for interval in (*self.ranges, *read) for x in self._ends(interval)}) or [
            Fraction(0)
        ]
        step, spread = self._step(ends, moves), self._spread(ends, moves)
        far = moves.near is None or (moves.distances and len(self.ranges) > 1)
        stretches = [(ends[0] - spread, ends[-1] + spread)] if far else _around(ends, spread)
        if sum((b - a) / step for a, b in stretches) > MOST_POINTS:
            raise ValueError(
                f"more than {MOST_POINTS:,} numbers matter of {self}: ends and distances have the step "
                f"{text_of(step)} in common; rounder ends, or longer distances, would do"
            )
        values = (k * step for a, b in stretches for k in range(ceil(a / step), floor(b / step) + 1))
        return tuple(text_of(x) for x in values if x in self)

    def _meets(self, interval: Range) -> bool:
        """Whether a number of its kind lies in a range, which is not empty."""
        return not self.whole or not interval.ends or bool(self._ends(interval))

    def _ends(self, interval: Range) -> tuple[Fraction, ...]:
        """Where a range begins and ends: between two integers, or at a real number."""
        if not self.whole:
            return interval.ends
        first, last = _first(interval), _first(interval.mirrored)
        half = Fraction(1, 2)
        return (*(() if first is None else [first - half]), *(() if last is None else [half - last]))

    def _step(self, ends: Iterable[Fraction], moves: Moves) -> Fraction:
        """How far points are apart: so many lie between multiples of what all lengths have in common."""
        if self.whole:
            return Fraction(1)
        return _in_common([*ends, *moves.distances]) / (2 * moves.records + 2)

    def _spread(self, ends: Iterable[Fraction], moves: Moves) -> Fraction:
        """How far from ends a number matters."""
        near = (moves.near or Fraction(0)) + (2 * moves.records - 1) * moves.reach
        if self.whole:
            return max(near, Fraction(2 * moves.records - 1)) + Fraction(1, 2)
        return near + _in_common([*ends, *moves.distances])

    def data(self) -> dict[str, Any]:
        """As a problem file says it."""
        word = "integers" if self.whole else "reals"
        return {word: EVERY if self.ranges == (ALL,) else [str(interval) for interval in self.ranges]}

    @property
    def noun(self) -> str:
        """What one of the numbers is called."""
        return self._among("an integer" if self.whole else "a real number")

    def __str__(self) -> str:
        return self._among("the integers" if self.whole else "the real numbers")

    def _among(self, numbers: str) -> str:
        return numbers if self.ranges == (ALL,) else Words(numbers, " in ", shown(self.ranges))


def shown(ranges: Iterable[object]) -> Words:
    """Some ranges in words."""
    return listed([str(interval) for interval in ranges], None, " or ")


def text_of(x: Fraction) -> str:
    """A number as results write it: as a decimal where it is one with few digits.

    >>> text_of(Fraction(5, 4)), text_of(Fraction(-1, 3)), text_of(Fraction(7))
    ('1.25', '-1/3', '7')
    """
    digits = next((n for n in range(7) if (x * 10**n).denominator == 1), None)
    if not digits:
        return str(x)
    whole, rest = divmod(abs(x.numerator) * 10**digits // x.denominator, 10**digits)
    return f"{'-' if x < 0 else ''}{whole}.{rest:0{digits}}"


def _around(ends: list[Fraction], spread: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The stretches around ends, joined where they nearly meet."""
    stretches = [(ends[0] - spread, ends[0] + spread)]
    for _, b in pairwise(ends):
        if b - spread > stretches[-1][1] + spread:
            stretches.append((b - spread, b + spread))
        else:
            stretches[-1] = (stretches[-1][0], b + spread)
    return stretches


def _in_common(numbers: Iterable[Fraction]) -> Fraction:
    """The largest number of which all are multiples; 1 where all are 0."""
    values = [number for number in numbers if number]
    below = lcm(*(value.denominator for value in values))
    return Fraction(reduce(gcd, (int(value * below) for value in values), 0), below) or Fraction(1)


def _first(interval: Range) -> Fraction | None:
    """The least integer of a range; None where there is none, or none is least."""
    if interval.least is None:
        return None
    near = (Fraction(floor(interval.least) + n) for n in (0, 1))
    return next((x for x in near if x in interval), None)
