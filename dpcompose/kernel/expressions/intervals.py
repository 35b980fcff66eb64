"""Intervals: two rational numbers between which a real constant lies, with integer arithmetic only.

exp is its Taylor series and log that of the inverse hyperbolic tangent, each with a bound of what is
left out; every rounding goes outward.  So an enclosure is a theorem, whatever its precision.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from math import isqrt

from dpcompose.kernel.expressions import rationals
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.substitution import changed
from dpcompose.kernel.expressions.terms import Term


class NoEnclosure(ValueError):
    """The expression is no real constant that is enclosed; the message says why."""


@frozen
class Interval:
    """A real number x with low ≤ x ≤ high; operations enclose all results that are possible.

    >>> x = Interval.of(Fraction(1, 3)) * Interval(Fraction(-1), Fraction(2))
    >>> x.low, x.high
    (Fraction(-1, 3), Fraction(2, 3))
    """

    low: Fraction
    high: Fraction

    def __init__(self, low: Fraction, high: Fraction) -> None:
        of = self.__dict__  # by hand, as very many are made
        of["low"], of["high"] = low, high

    @staticmethod
    def of(x: Fraction | int) -> Interval:
        """The number itself."""
        exact = x if type(x) is Fraction else Fraction(x)
        return Interval(exact, exact)

    def __add__(self, other: Interval) -> Interval:
        low = self.low + other.low
        if self.low is self.high and other.low is other.high:  # two numbers
            return Interval(low, low)
        return Interval(low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        if other.low is other.high:  # one number
            low = self.low * other.low
            high = low if self.low is self.high else self.high * other.low
            return Interval(low, high) if other.low.numerator >= 0 else Interval(high, low)
        if self.low.numerator >= 0 and other.low.numerator >= 0:
            return Interval(self.low * other.low, self.high * other.high)
        ends = [x * y for x in (self.low, self.high) for y in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def inverse(self) -> Interval:
        """1/x.  Raises NoEnclosure where x may be 0."""
        if self.low <= 0 <= self.high:
            raise NoEnclosure("this divides by 0, or by what is too close to it to tell")
        return Interval(1 / self.high, 1 / self.low)

    def end(self, up: bool) -> Fraction:
        """Its upper end, or its lower one."""
        return self.high if up else self.low

    def at_least(self, other: Interval) -> Interval:
        """max(x, y)."""
        return Interval(max(self.low, other.low), max(self.high, other.high))

    def at_most(self, other: Interval) -> Interval:
        """min(x, y)."""
        return Interval(min(self.low, other.low), min(self.high, other.high))

    def rounded(self, bits: int) -> Interval:
        """The same with ends of at most so many significant bits; short fractions stay as they are."""
        low = _rounded(self.low, bits, False)
        if low is self.low is self.high:  # a number with a short fraction
            return self
        return Interval(low, _rounded(self.high, bits, True))

    def power(self, n: int, bits: int) -> Interval:
        """xⁿ for a whole number n ≥ 0.

        >>> Interval.of(Fraction(1, 3)).power(5, 64).low
        Fraction(1, 243)
        """
        result, square = ONE, self
        while n:
            if n & 1:
                result = (result * square).rounded(bits)
            n >>= 1
            if n:
                square = (square * square).rounded(bits)
        return result

    def root(self, bits: int) -> Interval:
        """√x for x ≥ 0, to about so many significant bits; that of a square is exact.

        >>> Interval(Fraction(1, 4), Fraction(9, 4)).root(64)
        Interval(low=Fraction(1, 2), high=Fraction(3, 2))
        """
        if self.low.numerator < 0:
            raise NoEnclosure("the root of what is negative, or too close to 0 to tell")
        return Interval(_root(self.low, bits, False), _root(self.high, bits, True))


ZERO, ONE = Interval.of(0), Interval.of(1)


def _rounded(x: Fraction, bits: int, up: bool) -> Fraction:
    n, d = x.as_integer_ratio()
    if n.bit_length() + d.bit_length() <= 2 * bits:
        return x
    shift = bits + 1 - (n.bit_length() - d.bit_length())
    n, d = (n << shift, d) if shift >= 0 else (n, d << -shift)
    whole = -(-n // d) if up else n // d
    return Fraction(whole, 1 << shift) if shift >= 0 else Fraction(whole << -shift)


NOWHERE: Mapping[str, Fraction] = {}
"""The point that gives no parameter a value."""


def _root(x: Fraction, bits: int, up: bool) -> Fraction:
    """√(n/d), exact where both are squares, else rounded down or up: ⌊√(n·4^s/d)⌋ in units of 2^−s."""
    n, d = x.numerator, x.denominator
    if isqrt(n) ** 2 == n and isqrt(d) ** 2 == d:
        return Fraction(isqrt(n), isqrt(d))
    shift = max(0, bits + 1 - (n.bit_length() - d.bit_length()) // 2)
    whole = isqrt((n << 2 * shift) // d)
    return Fraction(whole + up, 1 << shift)


MOST_LOGARITHM = 100_000
"""The largest exponent of e that is enclosed."""
MOST_MULTIPLIED = 4_096
"""Up to which whole exponent powers are multiplied; larger ones are of e, of what is above 0."""


def exp(x: Interval, bits: int) -> Interval:
    """e^x, to about so many significant bits; far below 0 between 0 and e^−100000.

    >>> one = exp(ONE, 64)
    >>> float(one.low), one.high - one.low < Fraction(1, 2**60)
    (2.718281828459045, True)
    """
    if x.high > MOST_LOGARITHM:
        raise NoEnclosure("an exponent is too large to enclose a power of e")
    least = Fraction(0) if x.low < -MOST_LOGARITHM else _exp(x.low, bits)[0]
    return Interval(least, _exp(max(x.high, Fraction(-MOST_LOGARITHM)), bits)[1]).rounded(bits)


@functools.lru_cache(maxsize=4096)
def _exp(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of e^x: the series at |x|/2ⁿ ≤ 1/2, squared n times, inverted where x is negative."""
    if x == 0:
        return Fraction(1), Fraction(1)
    halvings = max(0, int(abs(x)).bit_length() + 1)
    scale = bits + halvings + 16
    r = abs(x) / 2**halvings * 2**scale
    low = _series(r.numerator // r.denominator, scale)
    high = _series_above(-(-r.numerator // r.denominator), scale)
    for _ in range(halvings):
        low, high = low * low >> scale, -(-high * high >> scale)
    below, above = Fraction(low, 1 << scale), Fraction(high, 1 << scale)
    return (below, above) if x > 0 else (1 / above, 1 / below)


def _series(r: int, scale: int) -> int:
    """Σ r^j/j! in units of 2^−scale from below: every term rounded down, the last ones left out."""
    total, term, j = 0, 1 << scale, 0
    while term:
        total += term
        j += 1
        term = (term * r >> scale) // j
    return total


def _series_above(r: int, scale: int) -> int:
    """The same from above; for r ≤ 1/2 all terms from one on are at most twice that one."""
    total, term, j = 0, 1 << scale, 0
    while term > 1:
        total += term
        j += 1
        term = -((-term * r >> scale) // j)
    return total + 2 * term


def log(x: Interval, bits: int) -> Interval:
    """The natural logarithm of x > 0.

    >>> float(log(Interval.of(2), 64).low)
    0.6931471805599453
    """
    if x.low <= 0:
        raise NoEnclosure("the logarithm of what is not positive, or too close to 0 to tell")
    return Interval(_log(x.low, bits)[0], _log(x.high, bits)[1]).rounded(bits)


@functools.lru_cache(maxsize=4096)
def _log(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of ln x = ln m + n ln 2 with 1/2 < m < 2, and ln m = 2 artanh((m − 1)/(m + 1))."""
    if x == 1:
        return Fraction(0), Fraction(0)
    n = x.numerator.bit_length() - x.denominator.bit_length()
    m = x / Fraction(2) ** n
    scale = bits + abs(n).bit_length() + 16
    below, above = _artanh((m - 1) / (m + 1), scale)
    if n == 0:
        return 2 * below, 2 * above
    two = _artanh(Fraction(1, 3), scale)
    ends = [2 * n * end for end in two]
    return 2 * below + min(ends), 2 * above + max(ends)


def _artanh(z: Fraction, scale: int) -> tuple[Fraction, Fraction]:
    """Bounds of Σ z^(2j+1)/(2j+1) for |z| ≤ 1/3: what follows a term is less than an eighth of it."""
    if z < 0:
        below, above = _artanh(-z, scale)
        return -above, -below
    shifted = z * 2**scale
    low = power_low = shifted.numerator // shifted.denominator
    high = power_high = -(-shifted.numerator // shifted.denominator)
    square_low, square_high = power_low**2 >> scale, -(-(power_high**2) >> scale)
    j = 1
    while power_low or power_high > 1:
        power_low, power_high = power_low * square_low >> scale, -(-power_high * square_high >> scale)
        j += 2
        low, high = low + power_low // j, high - (-power_high // j)
    return Fraction(low, 1 << scale), Fraction(high + 1, 1 << scale)


def enclosure(value: Term, bits: int, at: Mapping[str, Fraction] = NOWHERE) -> Interval:
    """Between which rationals a constant lies, or a formula at a point, to about so many significant bits.

    Raises NoEnclosure for what has other parameters, no real value, or comes too close to having none.

    >>> from dpcompose.kernel.expressions.terms import number, sqrt, exp as power_of_e
    >>> x = enclosure(sqrt(number(2)) * power_of_e(number(1)), 64)
    >>> float(x.low), x.high - x.low < Fraction(1, 2**60)
    (3.844231028159117, True)
    """
    if value.kind == "number":
        return Interval.of(value.of[0])
    if at and (exact := rationals.value(value, at)) is not None:
        return Interval.of(exact)
    if value.kind in ("letter", "over", "oo"):
        raise NoEnclosure(f"{value!r} is no real constant")
    parts = [enclosure(part, bits + 8, at) for part in value.parts]
    if value.kind == "sum":
        return functools.reduce(Interval.__add__, parts).rounded(bits)
    if value.kind == "product":
        return functools.reduce(lambda x, y: (x * y).rounded(bits + 8), parts).rounded(bits)
    if value.kind == "top":
        low = sorted((part.low for part in parts), reverse=True)[: value.of[0]]
        high = sorted((part.high for part in parts), reverse=True)[: value.of[0]]
        return Interval(sum(low, Fraction(0)), sum(high, Fraction(0))).rounded(bits)
    if value.kind == "exp":
        return exp(parts[0], bits)
    if value.kind == "log":
        return log(parts[0], bits)
    exponent = value.of[1].number
    if exponent is not None and exponent.denominator <= 2 and abs(exponent) <= MOST_MULTIPLIED:
        base = parts[0] if exponent.denominator == 1 else parts[0].root(bits + 16)
        result = base.power(abs(exponent.numerator), bits + 8)
        return (result if exponent > 0 else result.inverse()).rounded(bits)
    more = 16 if exponent is None else 16 + int(exponent).bit_length()
    return exp(parts[1] * log(parts[0], bits + more), bits)


SIGN_BITS = (64, 256, 1_024)
"""With how many digits the sign of a constant is looked for, one after the other."""


def sign(constant: Term) -> int | None:
    """The sign of a real constant, 1, 0 or -1, from an enclosing interval.

    None where it has parameters, has no value, or lies too close to 0 to tell.

    >>> from dpcompose.kernel.expressions.terms import number, sqrt
    >>> sign(1 - sqrt(number(2)))
    -1
    """
    if constant.has("top"):
        constant = changed(constant, largest_constant)  # log(3) - max(log(2), log(3)) is 0 then
    if constant.kind == "number":
        return int(constant.of[0] > 0) - int(constant.of[0] < 0)
    for bits in SIGN_BITS:
        try:
            interval = enclosure(constant, bits)
        except NoEnclosure:
            return None
        if interval.low > 0 or interval.high < 0:
            return 1 if interval.low > 0 else -1
    return None


def difference(greater: Term, lesser: Term, at: Mapping[str, Fraction]) -> int | None:
    """The sign of greater − lesser at a point, where intervals around the two have no number in common, or
    both are rational; None says nothing.

    >>> from dpcompose.kernel.expressions.terms import letter, sqrt
    >>> x = letter("x")
    >>> difference(sqrt(x), x, {"x": Fraction(2)}), difference(sqrt(x), x, {"x": Fraction(1)})
    (-1, 0)
    """
    try:
        x, y = (enclosure(side, SIGN_BITS[0], at) for side in (greater, lesser))
    except NoEnclosure:
        return None
    if x.low > y.high or x.high < y.low:
        return 1 if x.low > y.high else -1
    return 0 if x.low == x.high == y.low == y.high else None


def largest_constant(term: Term) -> Term | None:
    """The largest of the constants of a maximum; None where it is not told, or is something else."""
    if term.kind != "top" or term.of[0] != 1 or term.letters:
        return None
    greatest, *others = term.parts
    for other in others:
        number = sign(other - greatest)
        if number is None:
            return None
        greatest = other if number == 1 else greatest
    return greatest
