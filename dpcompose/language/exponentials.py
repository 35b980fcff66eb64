"""Exponentials: finite sums of c·e^L, c rational and L a polynomial in parameters, and their quotients.

These are the probabilities of mechanisms that are written down as tables.  Powers of e with
different exponents are linearly independent over the rationals (Lindemann and Weierstrass for
numbers; for functions of parameters by how fast they grow), so a sum is 0 only where all its terms
cancel: equality is exact, and the sign of a number is found by enclosing it ever more closely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from math import comb, gcd, lcm, prod
from typing import TYPE_CHECKING

from dpcompose.language import enclosures, forms
from dpcompose.language.enclosures import Interval, NoEnclosure
from dpcompose.language.forms import ONE, Form
from dpcompose.language.symbols import Domain, symbol

if TYPE_CHECKING:
    import sympy

Point = Mapping[str, Fraction]
"""Values of parameters, by name."""


class NotExponential(ValueError):
    """The expression is no quotient of sums of rational multiples of powers of e; the message says where."""


class NotDecided(ValueError):
    """Whether a value is ≥ 0 for all allowed parameters was not found out."""


@dataclass(frozen=True)
class Exponential:
    """Σ c·e^L over `terms` (L, c): L a polynomial in parameters, c ≠ 0 a Fraction; L in a fixed order.

    >>> e = Form.parameter("e")
    >>> (power(e) + constant(1)) * (power(e) - constant(1)) == power(e + e) - constant(1)
    True
    """

    terms: tuple[tuple[Form, Fraction], ...] = ()

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

    def times_power(self, exponent: Form, factor: Fraction = Fraction(1)) -> Exponential:
        """factor·e^exponent times the sum."""
        return exponential((L + exponent, c * factor) for L, c in self.terms)

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that occur."""
        return frozenset().union(*(L.names for L, _ in self.terms))

    @property
    def single(self) -> tuple[Form, Fraction] | None:
        """(L, c) where the sum is c·e^L, c ≠ 0; else None."""
        return self.terms[0] if len(self.terms) == 1 else None

    @property
    def rational(self) -> Fraction | None:
        """The value where it is a rational number, whatever the parameters; else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0].terms else None

    def at(self, point: Point) -> Exponential:
        """The number at a point."""
        return exponential((Form.constant(L.at(point)), c) for L, c in self.terms)

    def enclosure(self, digits: int = 20) -> tuple[Fraction, Fraction]:
        """Rationals lower ≤ x ≤ upper around a number x, found from powers of e to so many digits.

        >>> lower, upper = power(Form.constant(1)).enclosure(5)
        >>> f"{float(lower):.4f}", upper - lower < Fraction(1, 10**5)
        ('2.7183', True)
        """
        lower = upper = Fraction(0)
        for L, c in self.terms:
            q = L.value_if_constant
            assert q is not None, "only a number is enclosed: give values to its parameters"
            ends = [c * end for end in power_of_e(q, digits)]
            lower, upper = lower + min(ends), upper + max(ends)
        return lower, upper

    def sign(self) -> int:
        """−1, 0 or 1 of a number.  It ends: unless all terms cancel, the number is not 0."""
        if all(c > 0 for _, c in self.terms):
            return 1 if self.terms else 0
        digits = 20
        while True:
            lower, upper = self.enclosure(digits)
            if lower > 0 or upper < 0:
                return 1 if lower > 0 else -1
            digits *= 2

    def expression(self, domains: Mapping[str, Domain]) -> sympy.Expr:
        """As a sympy expression."""
        import sympy

        symbols = {name: symbol(name, domains[name]) for name in self.names}
        return sympy.Add(
            *(
                sympy.Rational(c.numerator, c.denominator) * sympy.exp(forms.write(L, symbols))
                for L, c in self.terms
            )
        )


def exponential(terms: Iterable[tuple[Form, Fraction]]) -> Exponential:
    """Σ c·e^L, terms of one exponent added up."""
    total: dict[Form, Fraction] = {}
    for L, c in terms:
        total[L] = total.get(L, Fraction(0)) + c
    return Exponential(tuple(sorted(((L, c) for L, c in total.items() if c), key=lambda term: term[0].key)))


def constant(c: Fraction | int) -> Exponential:
    """A rational number."""
    return power(Form(), Fraction(c))


def power(exponent: Form, factor: Fraction = Fraction(1)) -> Exponential:
    """factor·e^exponent."""
    return Exponential(((exponent, factor),)) if factor else Exponential()


def power_of_e(q: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Rationals lower ≤ e^q ≤ upper, to so many digits.  Raises NotDecided where q is too large."""
    try:
        found = enclosures.exp(Interval.of(q), digits * 10 // 3 + 4)
    except NoEnclosure:
        raise NotDecided("an exponent is too large for a power of e to be enclosed") from None
    return found.low, found.high


HIGHEST_DEGREE = 60
"""Up to which degree the roots of a polynomial in a power of e are counted."""

MOST_PRODUCTS = 20_000
"""How many terms are multiplied out at once."""


# quotients


@dataclass(frozen=True)
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

    def __truediv__(self, other: Value) -> Value:
        return divided(self, other)

    def __rtruediv__(self, other: Fraction) -> Value:
        return divided(other, self)

    def __pow__(self, times: int) -> Value:
        result: Value = Fraction(1)
        for _ in range(abs(times)):
            result = result * self
        return result if times >= 0 else divided(Fraction(1), result)


Value = Fraction | Quotient
"""A rational number, or a quotient that is none."""


def parts(value: Value) -> tuple[Exponential, Exponential]:
    """Numerator and denominator, which is positive."""
    if isinstance(value, Quotient):
        return value.n, value.d
    return constant(value), _ONE


_ONE = Exponential(((Form(), Fraction(1)),))


def divided(x: Value, y: Value) -> Value:
    """x/y, for y > 0 for all allowed parameters."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y
    (n, d), (m, c) = parts(x), parts(y)
    return quotient(n, m) if d == c else quotient(n * c, d * m)


def quotient(n: Exponential, d: Exponential) -> Value:
    """n/d, for d > 0; a Fraction where it is a rational number.

    >>> e = power(Form.parameter("e"))
    >>> quotient(e + e, e), quotient(e * e + e, e + constant(1)) == Quotient(e, constant(1))
    (Fraction(2, 1), True)
    """
    numerators, denominators = zip(*((c.numerator, c.denominator) for _, c in d.terms), strict=True)
    content = Fraction(gcd(*numerators), lcm(*denominators))
    inverse = d.terms[0][0].scaled(Fraction(-1))
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
    n, d = parts(value)
    return value if isinstance(value, Fraction) else quotient(n.at(point), d.at(point))


def enclosed(value: Value, digits: int = 20) -> tuple[Fraction, Fraction]:
    """Rationals lower ≤ x ≤ upper around a number x ≥ 0, the closer the more digits."""
    if isinstance(value, Fraction):
        return value, value
    (n, N), (d, D) = value.n.enclosure(digits), value.d.enclosure(digits)
    while d <= 0:
        digits *= 2
        (n, N), (d, D) = value.n.enclosure(digits), value.d.enclosure(digits)
    return (n / D if n > 0 else n / d), (N / d if N > 0 else N / D)


def expression(value: Value, domains: Mapping[str, Domain]) -> sympy.Expr:
    """As a sympy expression."""
    n, d = parts(value)
    return n.expression(domains) / d.expression(domains)


def log(value: Value, domains: Mapping[str, Domain]) -> sympy.Expr:
    """log of a positive value as a sympy expression; of c·e^L it is L + log c."""
    return log_of(expression(value, domains))


def log_of(value: sympy.Expr) -> sympy.Expr:
    """The same of an expression.

    >>> import sympy
    >>> log_of(3 * sympy.exp(symbol("e")))
    e + log(3)
    """
    import sympy

    number, rest = value.as_coeff_Mul()
    if rest is sympy.E:
        return 1 + sympy.log(number)
    if isinstance(rest, sympy.exp):
        return rest.args[0] + sympy.log(number)
    return sympy.log(value)


def read(given: sympy.Expr, domains: Mapping[str, Domain]) -> Value:
    """The value of an expression made of rationals, sums, products, whole powers and exp of polynomials.

    domains -- of the parameters.  Raises NotExponential, which names the part that is something else.

    >>> from dpcompose.language import formulas
    >>> value = read(formulas.from_python("exp(e)/(1 + exp(e))"), {"e": Domain.read("positive")})
    >>> print(expression(value, {"e": Domain.read("positive")}))
    exp(e)/(exp(e) + 1)
    """
    import sympy

    if given.is_Rational:
        return Fraction(int(given.p), int(given.q))
    if given is sympy.E:
        return quotient(power(Form.constant(1)), _ONE)
    if given.is_Add:
        total: Value = Fraction(0)
        for part in given.args:
            total = total + read(part, domains)
        return total
    if given.is_Mul:
        result: Value = Fraction(1)
        for part in given.args:
            result = result * read(part, domains)
        return result
    if given.is_Pow and given.exp.is_Integer and abs(int(given.exp)) <= LARGEST_POWER:
        base = read(given.base, domains)
        if given.exp < 0:
            if isinstance(base, Fraction):
                if base == 0:
                    raise NotExponential(f"{given} divides by 0")
            else:
                base = _positive(base, given.base, domains)
        return base ** int(given.exp)
    if isinstance(given, sympy.exp):
        try:
            exponent = forms.read(given.args[0], domains)
        except forms.NotAForm as error:
            raise NotExponential(str(error)) from None
        if not exponent.peaks and exponent.names <= set(domains):
            return quotient(power(exponent), _ONE)
    raise NotExponential(
        f"{given} is no number that is computed exactly: they are made of rationals, sums, products, "
        "quotients, and exp of sums of rational multiples of parameters"
    )


LARGEST_POWER = 64
"""The highest whole power that is multiplied out."""


def _positive(value: Quotient, written: sympy.Expr, domains: Mapping[str, Domain]) -> Quotient:
    """A denominator, shown to be positive, or made so by a sign."""
    for signed in (value, -value):
        try:
            if where_negative(signed.n, domains) is None:
                if signed is value:
                    return value
                raise NotExponential(f"write 1/(-({written})) with a positive denominator")
        except NotDecided:
            continue
    raise NotExponential(f"nothing shows that {written}, which is divided by, is positive")


# signs for all parameters


def is_at_least(x: Value, y: Value, domains: Mapping[str, Domain]) -> Point | None:
    """None where x ≥ y for all allowed parameters, else a point where x < y.  Raises NotDecided."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return None if x >= y else {}
    (n, d), (m, c) = parts(x), parts(y)
    return where_negative(n - m if d == c else n * c - m * d, domains)


def where_negative(value: Exponential, domains: Mapping[str, Domain]) -> Point | None:
    """None where a sum is ≥ 0 for all allowed parameters, else a point where it is not.

    In one parameter this is decided, by counting roots of a polynomial in a power of e; in several it
    is shown by signs of coefficients, or refuted at one of a few points.  Raises NotDecided.

    >>> e = power(Form.parameter("e"))
    >>> where_negative(e * e - e.scaled(Fraction(2)) + constant(1), {"e": Domain.read("positive")})
    >>> where_negative(e - constant(2), {"e": Domain.read("positive")})
    {'e': Fraction(1, 2)}
    """
    if all(c > 0 for _, c in value.terms):
        return None
    names = sorted(value.names)
    if not names:
        return None if value.sign() >= 0 else {}
    points = list(_points(names, domains))
    for point in points[:_FEW_POINTS]:
        if value.at(point).sign() < 0:
            return point
    polynomial = _polynomial(value, domains)
    shifted = None if polynomial is None else _shifted(polynomial, names, domains)
    if shifted is not None and all(c.sign() > 0 for c in shifted.values()):
        return None
    for point in points[_FEW_POINTS:]:
        if value.at(point).sign() < 0:
            return point
    if polynomial is None or shifted is None:
        raise NotDecided("the exponents are not linear, or too large, and simple points decide nothing")
    if len(names) == 1 and all(c.rational is not None for c in polynomial.values()):
        return _in_one_parameter(value, polynomial, names[0], domains[names[0]])
    raise NotDecided("neither the signs of coefficients nor simple points decide it")


_SIMPLE = tuple(map(Fraction, ("1", "1/2", "2", "1/10", "5", "1/100", "20", "0", "-1")))
_MOST_POINTS = 100
_FEW_POINTS = 9
_MOST_COEFFICIENTS = 1_500


def _points(names: list[str], domains: Mapping[str, Domain]) -> Iterable[Point]:
    """A few allowed points."""
    allowed = []
    for name in names:
        domain = domains[name]
        least = domain.least or Fraction(0)
        some = dict.fromkeys([*_SIMPLE, *(least + x for x in _SIMPLE)])
        allowed.append([x for x in some if domain.contains(x)])
    return (dict(zip(names, values, strict=True)) for values in islice(product(*allowed), _MOST_POINTS))


_Polynomial = dict[tuple[int, ...], Exponential]
"""Σ c·x^a as {a: c}, with x_p = e^(p'/N) for each parameter p = least + p', or p = p' without a least."""


def _scales(value: Exponential, names: list[str]) -> list[int]:
    """N for each parameter: then its exponents are whole."""
    found = dict.fromkeys(names, 1)
    for L, _ in value.terms:
        for monomial, c in L.monomials:
            for name, _n in monomial:
                found[name] = lcm(found[name], c.denominator)
    return [found[name] for name in names]


def _polynomial(value: Exponential, domains: Mapping[str, Domain]) -> _Polynomial | None:
    """The sum as a polynomial, times a power that makes exponents ≥ 0; None where one is not linear."""
    names = sorted(value.names)
    scales = _scales(value, names)
    least = [domains[name].least or Fraction(0) for name in names]
    found: _Polynomial = {}
    for L, c in value.terms:
        number, linear = Fraction(0), dict.fromkeys(names, Fraction(0))
        for monomial, a in L.monomials:
            if monomial == ONE:
                number += a
            elif len(monomial) == 1 and monomial[0][1] == 1:
                linear[monomial[0][0]] += a
            else:
                return None
        number += sum((a * b for a, b in zip(linear.values(), least, strict=True)), Fraction(0))
        whole = tuple(int(a * N) for a, N in zip(linear.values(), scales, strict=True))
        found[whole] = found.get(whole, Exponential()) + power(Form.constant(number), c)
    low = [min(a[i] for a in found) for i in range(len(names))]
    return {tuple(x - y for x, y in zip(a, low, strict=True)): c for a, c in found.items() if c.terms}


def _shifted(polynomial: _Polynomial, names: list[str], domains: Mapping[str, Domain]) -> _Polynomial | None:
    """The same in u = x − 1 ≥ 0, for parameters with a least value; others keep x > 0.  None: too large."""
    bounded = [domains[name].least is not None for name in names]
    size = sum(prod(a + 1 for a in powers) for powers in polynomial)
    if size > _MOST_COEFFICIENTS:
        return None
    found: dict[tuple[int, ...], dict[Form, Fraction]] = {}
    for powers, c in polynomial.items():
        choices = [range(a + 1) if b else (a,) for a, b in zip(powers, bounded, strict=True)]
        for chosen in product(*choices):
            times = prod(comb(a, j) if b else 1 for a, j, b in zip(powers, chosen, bounded, strict=True))
            coefficient = found.setdefault(chosen, {})
            for L, r in c.terms:
                coefficient[L] = coefficient.get(L, Fraction(0)) + r * times
    return {powers: c for powers, terms in found.items() if (c := exponential(terms.items())).terms}


def _in_one_parameter(value: Exponential, polynomial: _Polynomial, name: str, domain: Domain) -> Point | None:
    """The decision for a polynomial with rational coefficients in one x, on x ≥ 1 or on x > 0."""
    import sympy

    if max(a for (a,) in polynomial) > HIGHEST_DEGREE:
        raise NotDecided("the exponents are too far apart to count the roots of a polynomial")
    x = symbol("x")
    P = sympy.Poly.from_dict(
        {a: sympy.Rational(r.numerator, r.denominator) for a, c in polynomial.items() if (r := c.rational)},
        x,
        domain="QQ",
    )
    low = sympy.Integer(0 if domain.least is None else 1)
    odd = sympy.Poly(1, x, domain="QQ")
    for factor, times in P.sqf_list()[1]:
        odd *= factor if times % 2 else 1
    while odd.count_roots(low, low):
        odd = odd.exquo(sympy.Poly(x - low, x, domain="QQ"))
    if odd.count_roots(low, None) == 0 and P.LC() > 0:
        return None
    N = _scales(value, [name])[0]
    for digits in (10, 1_000, 10**9):
        roots = [ends for ends, _ in odd.intervals(eps=sympy.Rational(1, digits)) if ends[1] > low]
        starts, ends = [low, *(b for _, b in roots)], [*(a for a, _ in roots), None]
        for a, b in zip(starts, ends, strict=True):
            # The logarithm only suggests a point: the sign there is found exactly.
            middle = Fraction(str(a + 1 if b is None else (a + b) / 2))
            if middle <= 0:
                continue
            near = N * Fraction(_near_log(middle)).limit_denominator(10 * digits) + (domain.least or 0)
            if domain.contains(near) and value.at({name: near}).sign() < 0:
                return {name: near}
    raise NotDecided(f"it is negative for some {name}, but no rational one was found that is allowed")


def _near_log(x: Fraction) -> float:
    """About log x, also of fractions that no floating-point number is near to."""
    return math.log(x.numerator) - math.log(x.denominator)
