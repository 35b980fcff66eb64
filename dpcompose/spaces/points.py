"""Points in coordinates, databases of several parts, and metrics on them that need not be canonical.

A database is a point of ℝ^m (in a box, or in a disc of the plane), a database of records, or one of
each of several parts.  How far two of them are apart is a formula in the coordinates of both, or in
how many records differ; formulas are sympy expressions over letters that `letter` names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import sympy

from dpcompose.kernel import naming
from dpcompose.language import formulas
from dpcompose.language.symbols import REAL, symbol
from dpcompose.language.worstcase import Top, largest
from dpcompose.language.writing import absolute
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.maps import Map, everything
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.tuples import Tuples


@dataclass(frozen=True)
class Interval:
    """The real numbers from `least` to `greatest`, formulas in the parameters; None: no end there.

    >>> str(Interval(sympy.Integer(0), None)), str(Interval())
    ('[0, oo)', 'real')
    """

    least: sympy.Expr | None = None
    greatest: sympy.Expr | None = None

    def __str__(self) -> str:
        if self.least is None and self.greatest is None:
            return "real"
        low = "(-oo" if self.least is None else f"[{formulas.to_text(self.least)}"
        high = "oo)" if self.greatest is None else f"{formulas.to_text(self.greatest)}]"
        return f"{low}, {high}"


@dataclass(frozen=True)
class Points:
    """The points of ℝ^m whose coordinates lie in these intervals, or in a disc around the origin.

    coordinates -- m names; box -- m intervals; disc -- for two coordinates the diameter of a disc, a
    formula that is ≥ 0: so ‖x − y‖₂ is at most that.

    >>> print(Points(("x", "y"), (Interval(), Interval()), symbol("w")))
    all points (x, y) in a disc of diameter w
    """

    coordinates: tuple[str, ...]
    box: tuple[Interval, ...]
    disc: sympy.Expr | None = None

    def __str__(self) -> str:
        inside = ", ".join(
            f"{name} {'in ' if str(one) != 'real' else ''}{one}"
            for name, one in zip(self.coordinates, self.box, strict=True)
        )
        names = ", ".join(self.coordinates)
        if self.disc is not None:
            return f"all points ({names}) in a disc of diameter {formulas.to_text(self.disc)}"
        return f"all points ({names}), {inside}"


@dataclass(frozen=True)
class Enumerated:
    """A finite class of databases of any kind, which are gone through one by one.

    >>> from dpcompose.spaces.listed import listed
    >>> Enumerated(listed(["a", "b"])).elements
    ('a', 'b')
    """

    of: DatabaseClass

    @cached_property
    def elements(self) -> tuple[Database, ...]:
        """The databases, in their order."""
        return tuple(self.of.databases())

    def __str__(self) -> str:
        return str(self.of)


MOST_ENUMERATED = 300
"""Of how many databases all pairs are gone through."""


@dataclass(frozen=True)
class Unlisted:
    """A class of which no two databases are looked at: metrics on it are letters, of any values."""

    of: DatabaseClass

    def __str__(self) -> str:
        return str(self.of)


Part = Points | Multisets | Tuples | Enumerated | Unlisted


def part_of(databases: DatabaseClass) -> Part:
    """A class of databases as a part: gone through, or of records of which any number may differ, or neither.

    >>> from dpcompose.spaces.multisets import multisets
    >>> print(part_of(multisets({"a"}, "<= 1")))
    all multisets of size <= 1 over {a}
    """
    if databases.parameters:
        return Unlisted(databases)
    count = databases.count()
    if count is not None and count <= MOST_ENUMERATED:
        return Enumerated(databases)
    if isinstance(databases, Multisets) or (isinstance(databases, Tuples) and databases.sizes.exactly):
        return databases
    return Unlisted(databases)


def class_of(part: Multisets | Tuples | Enumerated | Unlisted) -> DatabaseClass:
    """The class of databases that is a part.

    >>> from dpcompose.spaces.listed import listed
    >>> class_of(part_of(listed(["a", "b"]))) == listed(["a", "b"])
    True
    """
    return part.of if isinstance(part, Enumerated | Unlisted) else part


@dataclass(frozen=True)
class Product:
    """The databases that have one database of each part, independently of each other.

    parts -- (name, class) pairs; of a single part the name may be "".
    """

    parts: tuple[tuple[str, Part], ...]

    def __getitem__(self, name: str) -> Part:
        return dict(self.parts)[name]

    @property
    def points(self) -> Iterator[tuple[str, Points]]:
        """The parts that are points."""
        return ((name, part) for name, part in self.parts if isinstance(part, Points))

    @property
    def enumerated(self) -> Iterator[tuple[str, Enumerated]]:
        """The parts that are gone through."""
        return ((name, part) for name, part in self.parts if isinstance(part, Enumerated))

    @property
    def records(self) -> Iterator[tuple[str, Multisets | Tuples]]:
        """The parts of records of which any number may differ."""
        return ((name, part) for name, part in self.parts if isinstance(part, Multisets | Tuples))

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """All coordinates, each with the interval that it lies in."""
        return {
            name: interval
            for _, part in self.points
            for name, interval in zip(part.coordinates, part.box, strict=True)
        }

    @staticmethod
    def show(database: Mapping[str, Any]) -> dict[str, Any]:
        """A database by its parts."""
        return dict(database)

    @staticmethod
    def printed(database: Mapping[str, Any]) -> str:
        """A database as results print it: (x = 1, y = 0, records = {a, a})."""
        shown = [
            f"{name} = {value}" if isinstance(value, str) else f"{name} = {{{', '.join(value)}}}"
            for name, value in database.items()
        ]
        return f"({', '.join(shown)})"

    def __str__(self) -> str:
        if len(self.parts) == 1:
            return str(self.parts[0][1])
        return "; ".join(f"{name}: {part}" for name, part in self.parts)


def letter(coordinate: str, database: str) -> sympy.Symbol:
    """The coordinate of one of two or three databases, which are called D, E and F.

    >>> letter("x", "D"), letter("x", "E")
    (x__D, x__E)
    """
    return symbol(naming.at(coordinate, database), REAL)


@dataclass(frozen=True)
class Values:
    """What is compared of two databases: a vector of real values, or whatever a part holds.

    name -- of a map or of a part, "" for the whole database;
    formulas -- the entries of the vector, in coordinates and parameters; None: it is no vector;
    coordinates -- those that it depends on; parts -- the parts that it is, as a whole: () for a map.
    """

    name: str
    formulas: tuple[sympy.Expr, ...] | None
    coordinates: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def of(self, database: str) -> tuple[sympy.Expr, ...]:
        """The vector for one of the databases D, E, F."""
        assert self.formulas is not None
        letters = {symbol(name, REAL): letter(name, database) for name in self.coordinates}
        return tuple(value.xreplace(letters) for value in self.formulas)


class Euclid(sympy.Function):
    """√(v_1² + … + v_m²), as it is compared: equal vectors up to signs and order are one expression.

    >>> x, y = letter("x", "D"), letter("x", "E")
    >>> Euclid(x - y, 0, 3) == Euclid(3, y - x), Euclid(sympy.Integer(3), sympy.Integer(4))
    (True, 5)
    """

    @classmethod
    def eval(cls, *entries: sympy.Expr) -> sympy.Expr | None:
        vector = []
        for entry in entries:
            one = sympy.expand(sympy.Mul(*map(_without_absolute, sympy.Mul.make_args(sympy.expand(entry)))))
            if one != 0:
                vector.append(-one if one.could_extract_minus_sign() else one)
        if not vector:
            return sympy.Integer(0)
        if all(one.is_number for one in vector):
            return sympy.sqrt(sum(one**2 for one in vector))
        if len(vector) == 1:
            return absolute(vector[0])
        vector.sort(key=sympy.default_sort_key)
        return None if tuple(vector) == entries else cls(*vector)

    def _eval_is_extended_real(self) -> bool:
        return True

    def _eval_is_extended_nonnegative(self) -> bool:
        return True

    @property
    def root(self) -> sympy.Expr:
        """The same as formulas write it."""
        return sympy.sqrt(sympy.Add(*(one**2 for one in self.args)))


class Apart(sympy.Function):
    """0 times a metric: 0 where it is finite, and ∞ where it is ∞.

    A mechanism with ε = 0 always says the same of databases between which there is a path; of others nothing
    is known.  (sympy has 0·d = 0.)

    >>> Apart(symbol("d")), Apart(sympy.Integer(3))
    (Apart(d), 0)
    """

    @classmethod
    def eval(cls, metric: sympy.Expr) -> sympy.Expr | None:
        if metric is sympy.oo:
            return sympy.oo
        return sympy.Integer(0) if metric.is_number else None

    def _eval_is_extended_real(self) -> bool:
        return True

    def _eval_is_extended_nonnegative(self) -> bool:
        return True


def _without_absolute(it: sympy.Expr) -> sympy.Expr:
    """v of |v|, which has the same square; everything else as it is."""
    both = isinstance(it, Top) and it.args[0] == 1 and len(it.terms) == 2
    return it.terms[0] if both and sympy.expand(it.terms[0] + it.terms[1]) == 0 else it


NORMS: Mapping[str, Any] = {
    "L1": lambda v: sympy.Add(*(absolute(one) for one in v)),
    "L2": lambda v: Euclid(*v),
    "Linf": lambda v: largest(*(absolute(one) for one in v)),
}
"""The norms of a vector: the sum of its entries, the root of the sum of their squares, the largest entry."""


@dataclass(frozen=True)
class Norm:
    """‖f(D) − f(E)‖ in one of NORMS; over -- closed over the fibres of a map that reads these coordinates."""

    word: str
    of: Values
    over: tuple[str, ...] | None = None

    def between(self, one: str, two: str) -> sympy.Expr:
        """The distance of two of the databases D, E, F."""
        every = zip(self.of.formulas or (), self.of.of(one), self.of.of(two), strict=True)
        moved = tuple(x - y for entry, x, y in every if self.over is None or str(entry) in self.over)
        value: sympy.Expr = NORMS[self.word](moved)
        return value


@dataclass(frozen=True)
class Own:
    """A formula of the user's in the coordinates of two points.

    first, second -- the letters that stand for the values at the two, as the formula has them.
    """

    first: tuple[sympy.Symbol, ...]
    second: tuple[sympy.Symbol, ...]
    formula: sympy.Expr
    of: Values

    def between(self, one: str, two: str) -> sympy.Expr:
        """The distance of two of the databases D, E, F."""
        values = dict(zip(self.first, self.of.of(one), strict=True))
        values |= dict(zip(self.second, self.of.of(two), strict=True))
        return _with_norms(self.formula.xreplace(values))


def _with_norms(expression: sympy.Expr) -> sympy.Expr:
    """The same, with `Euclid` for the root of a sum of squares."""
    if expression.is_Atom:
        return expression
    if expression.is_Pow and expression.exp == sympy.Rational(1, 2):
        squares = [_square_root(term) for term in sympy.Add.make_args(expression.base)]
        if all(one is not None for one in squares) and expression.base.free_symbols:
            return Euclid(*(_with_norms(one) for one in squares if one is not None))
    return expression.func(*(_with_norms(part) for part in expression.args))


def is_sum_of_squares(expression: sympy.Expr) -> bool:
    """Whether an expression is written as a sum of squares, so that it is seen to be ≥ 0."""
    return all(_square_root(term) is not None for term in sympy.Add.make_args(expression))


def _square_root(term: sympy.Expr) -> sympy.Expr | None:
    """x where the term is x²; None where it is seen to be no square."""
    factor, rest = term.as_coeff_Mul()
    if factor < 0 or not all(one.is_Pow and one.exp == 2 for one in sympy.Mul.make_args(rest)):
        return None
    return sympy.sqrt(factor) * sympy.Mul(*(one.base for one in sympy.Mul.make_args(rest)))


@dataclass(frozen=True)
class AnyTwo:
    """1 where what is compared differs, else 0: the canonical metric where any two are neighbours."""

    of: Values


@dataclass(frozen=True)
class Steps:
    """The canonical metric of a granularity, of what a map reads of a part.

    domain -- "own": that of the image class; "common": that of the part with each fibre of the map contracted
    to one node, its metric closure over fibres.
    """

    granularity: Granularity
    part: str
    reads: Map = everything
    domain: str = "own"


@dataclass(frozen=True)
class Tabled:
    """A metric on a part that is gone through, by its values: numbers ≥ 0, or ∞ for pairs that have none.

    values -- of unordered pairs of databases; of -- a map: then they are about what it reads;
    reads -- a map over the fibres of which the metric is closed, as on the common domain.
    """

    part: str
    values: Mapping[frozenset[Database], Fraction] = field(hash=False)
    of: Map = everything
    reads: Map = everything

    def between(self, x: Database, y: Database) -> Fraction | None:
        """The value at two of its points; None: ∞."""
        return Fraction(0) if x == y else self.values.get(frozenset((x, y)))

    def broken(self, points: Sequence[Database]) -> tuple[Database, Database, Database] | None:
        """Three points at which the triangle inequality fails, if there are any.

        >>> wrong = {frozenset("ab"): Fraction(1), frozenset("bc"): Fraction(1)}
        >>> Tabled("", wrong).broken("abc")
        ('a', 'b', 'c')
        """
        for x in points:
            near = [(y, at) for y in points if (at := self.between(x, y)) is not None and y != x]
            for y, first in near:
                for z in points:
                    second, whole = self.between(y, z), self.between(x, z)
                    if second is not None and (whole is None or whole > first + second):
                        return x, y, z
        return None


@dataclass(frozen=True)
class Lost:
    """How far rows of a table of probabilities are apart: the largest |ln(p/q)|; ∞ where one alone is 0.

    table -- what it is called; rows -- for each database of a listed class the probabilities of the
    outcomes, each surely positive, or 0.

    >>> half, one = sympy.Rational(1, 2), sympy.Integer(1)
    >>> rows = {"a": (half, half), "b": (half / 2, 3 * half / 2), "c": (one, 0 * one)}
    >>> coin = Lost("", "T", rows, ("x", "y"))
    >>> coin.between("a", "b"), coin.between("a", "c"), coin.directed("c", "a")
    (log(2), None, log(2))
    """

    part: str
    table: str
    rows: Mapping[Database, tuple[sympy.Expr, ...]] = field(hash=False)
    outcomes: tuple[str, ...] = ()

    def ratios(self, x: Database, y: Database) -> dict[str, sympy.Expr | None]:
        """P(o) at x over that at y by the outcomes that come out at x; None: ∞."""
        pairs = zip(self.outcomes, self.rows[x], self.rows[y], strict=True)
        return {o: None if q == 0 else sympy.cancel(p / q) for o, p, q in pairs if p != 0}

    def directed(self, x: Database, y: Database) -> sympy.Expr | None:
        """The largest ln(P(o) at x / P(o) at y); None: ∞."""
        return _largest_log(self.ratios(x, y).values())

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether the largest ln(p/q) is the same in both directions, for all databases."""
        pairs = combinations(self.rows, 2)
        return all(self.directed(x, y) == self.directed(y, x) for x, y in pairs)

    def between(self, x: Database, y: Database) -> sympy.Expr | None:
        """The value at two databases; None: ∞."""
        return _largest_log([*self.ratios(x, y).values(), *self.ratios(y, x).values()])


def _largest_log(ratios: Iterable[sympy.Expr | None]) -> sympy.Expr | None:
    """The largest logarithm, of numbers as one; None stands for ∞."""
    every = list(ratios)
    known = [one for one in every if one is not None]
    if len(known) < len(every):
        return None
    numbers = [max(one for one in known if one.is_Rational)] if any(one.is_Rational for one in known) else []
    return largest(*(sympy.log(one) for one in [*numbers, *(one for one in known if not one.is_Rational)]))


@dataclass(frozen=True)
class Counted:
    """How far the number of records moves that a map reads of a part: |#f(D) − #f(E)|."""

    part: str
    reads: Map = everything


@dataclass(frozen=True)
class Declared:
    """How far values are apart about which nothing else is known: at most the bound that is declared.

    of -- which values: two such metrics are different ones, also where the same bound is declared of both.
    """

    of: str


@dataclass(frozen=True)
class Made:
    """A formula in other metrics: a weighted sum, a maximum, a minimum with a number, …"""

    formula: sympy.Expr


Distance = Norm | Own | AnyTwo | Steps | Tabled | Lost | Counted | Declared | Made


@dataclass(frozen=True)
class NamedMetric:
    """A metric on the databases of a product, under the name that formulas have for it.

    at_most -- a formula in other metrics that is declared to be no smaller.
    """

    name: str
    distance: Distance
    at_most: sympy.Expr | None = None
    words: Mapping[str, Any] = field(default_factory=dict, compare=False)
