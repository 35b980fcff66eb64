"""Counts by keys with normal noise, shown from a threshold on: what one person's keys tell who comes or goes.

Of at most L keys, j are new, those of nobody else: each is shown with the probability p = Φ(−a) where the
person is there, and never else, a being how far the threshold is above such a count, in standard deviations.
The other L − j are old ones, of which the noisy counts move.  So for each j there are two distributions, and
no j is always the worst.  The proof is on the page gaussian-with-threshold of theorems/noises/.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import ClassVar

from dpcompose.kernel.deciders.curves.normal import distribution
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Table
from dpcompose.kernel.expressions.intervals import ONE, ZERO, Interval, enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

MOST_WAYS = 300
"""In how many ways keys of several persons and mechanisms are new or old at most, that are gone through."""


@frozen
class Appearing:
    """`count` mechanisms that tell, at P, with the probability 1 − (1 − p)^keys that a person is there.

    apart -- a constant a ≥ 0 with p = Φ(−a); back -- whether the person is there at Q, and not at P.

    >>> from dpcompose.kernel.expressions import terms
    >>> Appearing(terms.ZERO, 2).table(64, True).infinite
    Fraction(3, 4)
    """

    apart: Term
    keys: int
    back: bool = False
    count: int = 1
    tail: ClassVar[None] = None

    @property
    def turned(self) -> Appearing:
        """The same with P and Q exchanged."""
        return replace(self, back=not self.back)

    def times(self, count: int) -> Appearing:
        """The same of so many mechanisms."""
        return replace(self, count=self.count * count)

    def table(self, bits: int, up: bool) -> Table:
        """The losses of one of them, with p rounded one way: δ does not fall where p grows."""
        a = enclosure(self.apart, bits)
        p = distribution(Interval(-a.high, -a.low), bits).at_least(ZERO).at_most(ONE).end(up)
        hidden = (1 - p) ** self.keys
        if self.back:
            return Table({1 / hidden: Fraction(1)}, Fraction(0))
        return Table({hidden: hidden}, 1 - hidden)


@frozen
class Keyed:
    """`count` mechanisms that show noisy counts of keys, of which a person who comes or goes has some.

    square -- μ² of one old key; keys -- how many keys the person has at most; apart -- of a new one, as in
    `Appearing`; back -- whether the person is there at Q, and not at P.
    """

    square: Term
    keys: int
    apart: Term
    back: bool = False
    count: int = 1

    @property
    def turned(self) -> Keyed:
        """The same with P and Q exchanged."""
        return replace(self, back=not self.back)

    def times(self, count: int) -> Keyed:
        """The same of so many mechanisms."""
        return replace(self, count=self.count * count)

    def with_new(self, new: int, old: int) -> tuple[Normal, Appearing]:
        """The two distributions of one of them where so many keys are new, and so many old."""
        return Normal(self.square * old), Appearing(self.apart, new, self.back)


Pieces = tuple[Normal | Appearing, ...]
"""What keys that are new or old make of some mechanisms."""


def every_way(some: Sequence[Keyed], joint: bool) -> Iterator[Pieces]:
    """All ways in which keys are new or old; or, where these are too many, one that loses more than each.

    joint -- whether only that: which keys a mechanism looks at may be chosen by earlier outputs.
    """
    ways = math.prod(math.comb(one.keys + one.count, one.count) for one in some)
    if joint or ways > MOST_WAYS:
        yield tuple(piece.times(one.count) for one in some for piece in one.with_new(one.keys, one.keys))
        return
    each = (combinations_with_replacement(range(one.keys + 1), one.count) for one in some)
    for choice in product(*each):
        yield tuple(
            piece
            for one, numbers in zip(some, choice, strict=True)
            for new in numbers
            for piece in one.with_new(new, one.keys - new)
        )


def alike_ways(some: Sequence[Keyed]) -> Iterator[Pieces]:
    """The ways in which all have as many new keys, as far as they have some."""
    for new in range(min(max(one.keys for one in some), MOST_WAYS) + 1):
        numbers = ((one, min(new, one.keys)) for one in some)
        yield tuple(piece.times(one.count) for one, n in numbers for piece in one.with_new(n, one.keys - n))
