"""Queries: what a mechanism computes of the records it reads, before it adds noise.

A query looks at records one by one: it counts them, adds up an attribute of theirs, or counts
them by bins.  An attribute is no part of a database here: every record is taken to come with
every value that is allowed, and what is said is the worst case over these values.  So how far a
query moves between two databases depends only on how many of the records read go and come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Self

from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ZERO, Term, number
from dpcompose.language import formulas
from dpcompose.language.shown import Shown

Point = tuple[Term, ...]
"""The value of a query: a vector, of one entry for all but histograms."""

REAL = frozenset({"real", "vector"})
"""What noise on numbers can take."""

NORMS = {
    "L1": "the sum of the changes of its entries",
    "L2": "the root of the sum of their squares",
    "range": "the largest change of an entry minus the smallest",
}
"""How far the value of a query moves."""


class Query(Shown, ABC):
    """A function q of the records that are read, with values in ℝ^m.

    attribute -- whether it looks at an attribute of the records; one -- whether at one record only;
    values -- what noise can take its values for: "real", "integer", "bit", "plane", "scores"; "vector" for
    noise that is alike in all directions; values_of_one -- what else where one record at most is read;
    sized -- whether how far it moves depends on how many records are read;
    page -- the id of the page that says how far it moves;
    about_records -- whether its value is told by the records, and not any function of all that is read.
    """

    attribute: ClassVar[bool] = False
    one: ClassVar[bool] = False
    sized: ClassVar[bool] = False
    values: ClassVar[frozenset[str]] = REAL | {"integer"}
    values_of_one: ClassVar[frozenset[str]] = frozenset()
    about_records: ClassVar[bool] = True
    page: str

    @abstractmethod
    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        """q(x) and q(y) at attributes for which they are that far apart; x and y share `kept` records."""

    def scores(self, first: int, kept: int, removed: int, added: int) -> tuple[Point, Point]:
        """The same of candidates, of which the first one has `first` of the records of both."""
        raise NotImplementedError

    @property
    @abstractmethod
    def words(self) -> str:
        """What is computed, in words."""

    def moved(self, norm: str) -> str:
        """How far it moves, in words."""
        return f"how far {self.words} moves in the {norm} norm"

    def _line(self) -> Sequence[str]:
        return [self.words]

    @property
    def letters(self) -> Mapping[str, Term]:
        """What the letters of its page mean here."""
        return {}

    @property
    def terms(self) -> tuple[Term, ...]:
        """The formulas that it is given by."""
        return tuple(self.letters.values())

    @property
    def nonnegative(self) -> Mapping[str, Term]:
        """What has to be ≥ 0 among these formulas, by the words that it is not known to be."""
        return {}

    def nonnegative_with(self, parameters: Mapping[str, Term]) -> Mapping[str, Term]:
        """The same of further parameters of noise, by their letters."""
        return {}

    def with_noise(self, term: Term, further: Mapping[str, Term]) -> Query:
        """The same, asked with noise of this parameter and these further ones, by their words."""
        return self

    def data(self) -> str | dict[str, Any]:
        """The query as a problem file states it."""
        return self.page

    def with_bounds(self, bounds: Sequence[Term]) -> Query:
        """The same with other values of these formulas."""
        return self


@frozen
class Count(Query):
    """How many records there are.

    `compose` raises InvalidSetting for noise that is not for numbers.

    >>> Count().at(2, 1, 0, None)
    ((3,), (2,))
    """

    page = "count"
    values_of_one = frozenset({"bit"})

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        return (number(kept + removed),), (number(kept + added),)

    @property
    def words(self) -> str:
        return "the number of records"


@frozen
class Sum(Query):
    """The sum of an attribute that takes every value in [lower, upper], values outside being clipped."""

    lower: Term
    upper: Term

    attribute = True
    values = REAL
    page = "sum"

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", formulas.term(self.lower))
        object.__setattr__(self, "upper", formulas.term(self.upper))

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        """For bounds that are numbers; what is kept may be copies of what is removed."""
        low, high = self.lower, self.upper
        if sign(added * high - removed * low - removed * high + added * low) == 1:
            low, high = high, low
        rest = kept * (high if removed else low)
        return (rest + removed * high,), (rest + added * low,)

    @property
    def words(self) -> str:
        return f"the sum of an attribute in {self._interval}"

    @property
    def _interval(self) -> str:
        return f"[{formulas.to_text(self.lower)}, {formulas.to_text(self.upper)}]"

    @property
    def letters(self) -> Mapping[str, Term]:
        return {"l": self.lower, "u": self.upper}

    @property
    def nonnegative(self) -> Mapping[str, Term]:
        ordered = f"{formulas.to_text(self.lower)} <= {formulas.to_text(self.upper)}"
        words = f"an attribute lies in [lower, upper], and it is not known that {ordered}"
        return {words: self.upper - self.lower}

    def data(self) -> str | dict[str, Any]:
        return {self.page: [formulas.to_text(bound) for bound in self.terms]}

    def with_bounds(self, bounds: Sequence[Term]) -> Sum:
        return type(self)(*map(formulas.term, bounds))


@frozen
class Mean(Sum):
    """The same sum divided by the number of records that are read; of none the middle of the interval."""

    sized = True
    page = "mean"

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        if n is not None:
            (x,), (y,) = super().at(kept, removed, added, n)
            return (x / _size(n),), (y / _size(n),)
        here, there = _share(kept, removed), _share(kept, added)
        high, low = (self._at(here), self.lower) if removed >= added else (self.lower, self._at(there))
        middle = (self.lower + self.upper) / 2
        return (high if kept + removed else middle,), (low if kept + added else middle,)

    def _at(self, share: Fraction) -> Term:
        return self.lower + (self.upper - self.lower) * share

    @property
    def words(self) -> str:
        return f"the mean of an attribute in {self._interval}"


@frozen
class Variance(Sum):
    """The mean square of an attribute's distance from its mean; 0 of no records."""

    sized = True
    page = "variance"

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        here, there = _share(kept, removed), _share(kept, added)
        return (self._spread(here) if removed >= added else ZERO,), (
            ZERO if removed >= added else self._spread(there),
        )

    def _spread(self, share: Fraction) -> Term:
        """The variance where such a share has the largest value, and the rest the smallest."""
        return (self.upper - self.lower) ** 2 * share * (1 - share)

    @property
    def words(self) -> str:
        return f"the variance of an attribute in {self._interval}"


def _share(kept: int, changed: int) -> Fraction:
    """Which share of kept + changed records is changed."""
    return Fraction(changed, kept + changed) if changed else Fraction(0)


@frozen
class OfOneBound(Query):
    """A query of an attribute that has one bound, a formula that is never negative.

    letter -- what its page calls the bound; called -- what that is, in words.
    """

    bound: Term

    attribute = True
    letter: ClassVar[str] = "c"
    called: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "bound", formulas.term(self.bound))

    @property
    def letters(self) -> Mapping[str, Term]:
        return {self.letter: self.bound}

    @property
    def nonnegative(self) -> Mapping[str, Term]:
        return {f"it is not known that {self.called} is at least 0": self.bound}

    def data(self) -> str | dict[str, Any]:
        return {self.page: formulas.to_text(self.bound)}

    def with_bounds(self, bounds: Sequence[Term]) -> Self:
        return type(self)(*map(formulas.term, bounds))


@frozen
class VectorSum(OfOneBound):
    """The sum of vectors of any dimension, one a record, each scaled down to an L2 norm of at most c.

    Removed vectors that all point one way, and added ones that all point the other way, move it most.
    """

    values = frozenset({"vector"})
    page = "vector-sum"
    called = "the norm to which vectors are scaled down"

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        return ((kept + removed) * self.bound,), ((kept - added) * self.bound,)

    @property
    def words(self) -> str:
        return f"the sum of vectors of L2 norm at most {formulas.to_text(self.bound)}"


@frozen
class Histogram(Query):
    """How many records each of m bins has, a record being in one of them.

    Removed records that are all in one bin, and added ones that are all in another, move it most.
    """

    bins: int

    attribute = True
    values = REAL | {"integer", "scores"}

    @property
    def page(self) -> str:  # type: ignore[override]
        return "count" if self.bins == 1 else "histogram"

    def data(self) -> str | dict[str, Any]:
        return {"histogram": self.bins}

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        if self.bins == 1:
            return (number(kept + removed),), (number(kept + added),)
        empty = [ZERO] * (self.bins - 2)
        return (
            (number(kept + removed), ZERO, *empty),
            (number(kept), number(added), *empty),
        )

    def scores(self, first: int, kept: int, removed: int, added: int) -> tuple[Point, Point]:
        rest, empty = kept - first, (ZERO,) * (self.bins - 2)
        return (number(removed + first), number(rest), *empty), (number(first), number(rest + added), *empty)

    @property
    def words(self) -> str:
        return f"a histogram of {self.bins} bin{'' if self.bins == 1 else 's'}"


@frozen
class Bit(Query):
    """One bit of what is read, any function of it with the values 0 and 1: so 1 apart where it differs.

    `compose` raises InvalidSetting for noise that is not for a bit.

    >>> Bit().at(2, 1, 0, None)
    ((1,), (0,))
    """

    values = REAL | {"integer", "bit"}
    about_records = False
    page = "bit"

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        return (number(1),), (ZERO,)

    @property
    def words(self) -> str:
        return "one bit"


def _size(n: int | None) -> int:
    if not n:
        raise ValueError("a mean needs a known number of records, at least one")
    return n


count = Count()
"""How many records there are of what is read."""

bit = Bit()
"""One bit of what is read, any function of it with the values 0 and 1."""


def clipped_sum(lower: object, upper: object) -> Sum:
    """The sum over the records read of an attribute, clipped to [lower, upper].

    lower, upper -- as parameters of guarantees: sympy expressions, exact numbers, or formulas' texts.

    `compose` raises InvalidSetting where lower may exceed upper.

    >>> clipped_sum(0, "c").words
    'the sum of an attribute in [0, c]'
    """
    return Sum(formulas.term(lower), formulas.term(upper))


def mean(lower: object, upper: object) -> Mean:
    """The mean over the records read of an attribute clipped to [lower, upper]; of none (lower + upper)/2.

    `compose` raises InvalidSetting where lower may exceed upper.

    >>> mean(0, 1).words
    'the mean of an attribute in [0, 1]'
    """
    return Mean(formulas.term(lower), formulas.term(upper))


def variance(lower: object, upper: object) -> Variance:
    """The mean over the records read of (attribute − mean)², clipped to [lower, upper]; 0 of none.

    `compose` raises InvalidSetting where lower may exceed upper.

    >>> variance(0, 1).words
    'the variance of an attribute in [0, 1]'
    """
    return Variance(formulas.term(lower), formulas.term(upper))


def vector_sum(clip: object) -> VectorSum:
    """The sum over the records read of vectors, each scaled down to an L2 norm of at most `clip`.

    clip -- a nonnegative formula.  For normal noise in every coordinate, whatever the dimension is.

    `compose` raises InvalidSetting where that may be less than 0.

    >>> vector_sum("c").words
    'the sum of vectors of L2 norm at most c'
    """
    return VectorSum(formulas.term(clip))


def histogram(bins: int) -> Histogram:
    """How many of the records read each of so many bins has; a record is in one bin, in any of them.

    Raises ValueError for a number of bins that is none.

    >>> histogram(4).words
    'a histogram of 4 bins'
    """
    if type(bins) is not int or not 1 <= bins <= MOST_BINS:
        raise ValueError(
            f"a histogram has 1 to {MOST_BINS:,} bins, not {bins!r}: say how many, as in histogram(2); which "
            "record is in which bin is left open"
        )
    return Histogram(bins)


MOST_BINS = 1_000_000
"""The most bins of a histogram."""
