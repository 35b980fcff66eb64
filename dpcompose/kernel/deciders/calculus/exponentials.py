"""Exponentials: finite sums of c·e^L, c rational and L a polynomial in parameters, and their quotients.

These are the probabilities of mechanisms that are written down as tables.  Powers of e with different
exponents are linearly independent over the rationals (Lindemann and Weierstrass for numbers; for functions
of parameters by how fast they grow), so a sum is 0 only where all its terms cancel: equality is exact, and
the sign of a number is found by enclosing it ever more closely.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import TypeAlias

from dpcompose.kernel.expressions import formulas, intervals, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ZERO, Term

Point: TypeAlias = Mapping[str, Fraction]
"""Values of parameters, by name."""
MOST_PRODUCTS = 20_000
"""How many terms are multiplied out at once."""
MOST_DIGITS = 20_000
"""To how many digits the sign of a number is looked for."""


class NotDecided(ValueError):
    """Whether a value is ≥ 0 for all allowed parameters was not found out."""


@frozen
class Exponential:
    """Σ c·e^L over `terms` (L, c): L a polynomial in parameters, c ≠ 0 a Fraction; L in a fixed order.

    >>> e = power(terms.letter("e"))
    >>> (e + constant(1)) * (e - constant(1)) == e * e - constant(1)
    True
    """

    terms: tuple[tuple[Term, Fraction], ...] = ()

    def __add__(self, other: Exponential) -> Exponential:
        return exponential((*self.terms, *other.terms))

    def __sub__(self, other: Exponential) -> Exponential:
        return self + other.scaled(Fraction(-1))

    def __mul__(self, other: Exponential) -> Exponential:
        if len(self.terms) * len(other.terms) > MOST_PRODUCTS:
            raise NotDecided("a product of sums of powers of e has too many terms")
        return exponential((L + K, c * b) for L, c in self.terms for K, b in other.terms)

    def scaled(self, factor: Fraction) -> Exponential:
        """factor times the sum."""
        return Exponential(tuple((L, c * factor) for L, c in self.terms)) if factor else Exponential()

    def times_power(self, exponent: Term, factor: Fraction = Fraction(1)) -> Exponential:
        """factor·e^exponent times the sum."""
        if exponent == ZERO:
            return self.scaled(factor)
        return exponential((L + exponent, c * factor) for L, c in self.terms)

    @cached_property
    def letters(self) -> Mapping[str, Domain]:
        """The parameters that occur, with their domains."""
        domains: dict[str, Domain] = {}
        for L, _ in self.terms:
            domains |= L.letters
        return domains

    @property
    def single(self) -> tuple[Term, Fraction] | None:
        """(L, c) where the sum is c·e^L, c ≠ 0; else None."""
        return self.terms[0] if len(self.terms) == 1 else None

    @property
    def rational(self) -> Fraction | None:
        """The value where it is a rational number, whatever the parameters; else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == ZERO else None

    def at(self, point: Point) -> Exponential:
        """The number at a point."""
        return exponential((formulas.at(L, point), c) for L, c in self.terms)

    def enclosure(self, digits: int = 20) -> Interval:
        """A number, from powers of e to so many digits.

        >>> found = power(terms.ONE).enclosure(5)
        >>> found.low * 10**4 // 1, found.high - found.low < Fraction(1, 10**5)
        (27182, True)
        """
        total = intervals.ZERO
        for L, c in self.terms:
            assert L.number is not None, "only a number is enclosed: give values to its parameters"
            total = total + power_of_e(L.number, digits) * Interval.of(c)
        return total

    def sign(self) -> int:
        """−1, 0 or 1 of a number.  It ends: unless all terms cancel, the number is not 0."""
        if all(c > 0 for _, c in self.terms):
            return 1 if self.terms else 0
        digits = 20
        while digits <= MOST_DIGITS:
            interval = self.enclosure(digits)
            if interval.low > 0 or interval.high < 0:
                return 1 if interval.low > 0 else -1
            digits *= 2
        raise NotDecided(f"a number is closer to 0 than {MOST_DIGITS} digits tell")

    @property
    def term(self) -> Term:
        """As a term."""
        return terms.add(c * terms.exp(L) for L, c in self.terms)


def exponential(some: Iterable[tuple[Term, Fraction]]) -> Exponential:
    """Σ c·e^L, terms of one exponent added up."""
    total: dict[Term, Fraction] = {}
    for L, c in some:
        total[L] = total.get(L, Fraction(0)) + c
    return Exponential(tuple(sorted(((L, c) for L, c in total.items() if c), key=lambda one: one[0].key)))


def constant(c: Fraction | int) -> Exponential:
    """A rational number."""
    return power(ZERO, Fraction(c))


def power(exponent: Term, factor: Fraction = Fraction(1)) -> Exponential:
    """factor·e^exponent, for a polynomial that is multiplied out."""
    return Exponential(((exponent, factor),)) if factor else Exponential()


def power_of_e(q: Fraction, digits: int) -> Interval:
    """e^q, to so many digits.  Raises NotDecided where q is too large."""
    try:
        return intervals.exp(Interval.of(q), digits * 10 // 3 + 4)
    except NoEnclosure:
        raise NotDecided("an exponent is too large for a power of e to be enclosed") from None


# quotients


@frozen
class Quotient:
    """n/d of two sums, d > 0 for all allowed parameters; no rational number.

    Values are made by `quotient`, which cancels what is seen to cancel; equality is decided by
    `same`, not by ==.
    """

    n: Exponential
    d: Exponential

    def __add__(self, other: Value) -> Value:
        n, d = parts(other)
        if d == self.d:
            return quotient(self.n + n, d)
        return quotient(self.n * d + n * self.d, self.d * d)

    __radd__ = __add__

    def __neg__(self) -> Quotient:
        return Quotient(self.n.scaled(Fraction(-1)), self.d)

    def __sub__(self, other: Value) -> Value:
        return self + (-other)

    def __rsub__(self, other: Fraction) -> Value:
        return other + -self

    def __mul__(self, other: Value) -> Value:
        n, d = parts(other)
        return quotient(self.n * n, self.d * d)

    __rmul__ = __mul__

    def __pow__(self, times: int) -> Value:
        result: Value = Fraction(1)
        for _ in range(abs(times)):
            result = result * self
        return result if times >= 0 else divided(Fraction(1), result)


Value: TypeAlias = Fraction | Quotient
"""A rational number, or a quotient that is none."""
_ONE = Exponential(((ZERO, Fraction(1)),))


def parts(value: Value) -> tuple[Exponential, Exponential]:
    """Numerator and denominator, which is positive."""
    return (value.n, value.d) if isinstance(value, Quotient) else (constant(value), _ONE)


def divided(x: Value, y: Value) -> Value:
    """x/y, for y > 0 for all allowed parameters."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y
    (n, d), (m, c) = parts(x), parts(y)
    return quotient(n, m) if d == c else quotient(n * c, d * m)


def quotient(n: Exponential, d: Exponential) -> Value:
    """n/d, for d > 0; a Fraction where it is a rational number.

    >>> e = power(terms.letter("e"))
    >>> quotient(e + e, e), quotient(e * e + e, e + constant(1)) == Quotient(e, constant(1))
    (Fraction(2, 1), True)
    """
    numerators, denominators = zip(*((c.numerator, c.denominator) for _, c in d.terms), strict=True)
    content = Fraction(gcd(*numerators), lcm(*denominators))
    inverse = -d.terms[0][0]
    n, d = n.times_power(inverse, 1 / content), d.times_power(inverse, 1 / content)
    first, c = d.terms[0]
    for L, b in n.terms:  # n may be one term times d
        if n == d.times_power(L - first, b / c):
            n, d = power(L - first, b / c), _ONE
            break
    rational = n.rational if d == _ONE or not n.terms else None
    return Quotient(n, d) if rational is None else rational


def same(x: Value, y: Value) -> bool:
    """Whether x = y, for all parameters."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x == y
    (n, d), (m, c) = parts(x), parts(y)
    return n * c == m * d


def value_at(value: Value, point: Point) -> Value:
    """The number at a point."""
    if isinstance(value, Fraction):
        return value
    return quotient(value.n.at(point), value.d.at(point))


def enclosed(value: Value, digits: int = 20) -> Interval:
    """A number x ≥ 0, the closer the more digits."""
    if isinstance(value, Fraction):
        return Interval.of(value)
    while (below := value.d.enclosure(digits)).low <= 0:
        digits *= 2
    return value.n.enclosure(digits) * below.inverse()


def letters(*values: Value) -> dict[str, Domain]:
    """The parameters of some values, with their domains."""
    domains: dict[str, Domain] = {}
    for value in values:
        if isinstance(value, Quotient):
            domains |= {**value.n.letters, **value.d.letters}
    return domains


def as_term(value: Value) -> Term:
    """The value as a term.

    >>> as_term(quotient(power(terms.letter("e")), constant(2)))
    (product 1/2 (exp e))
    """
    n, d = parts(value)
    return n.term / d.term


def log_of(value: Value) -> Term:
    """log of a positive value; of c·e^L it is L + log c.

    >>> log_of(quotient(power(terms.letter("e"), Fraction(3)), constant(1)))
    (sum e (log 3))
    """
    n, d = parts(value)
    if n.single is None or d.single is None:
        return terms.log(as_term(value))
    (L, c), (K, b) = n.single, d.single
    return L - K + terms.log(terms.number(c / b))
