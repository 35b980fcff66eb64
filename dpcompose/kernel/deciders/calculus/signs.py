"""The sign of a sum of powers of e for all allowed parameters: shown, refuted at a point, or undecided.

In one parameter, where exponents are linear, this is decided: by roots of a polynomial in a power of e.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import islice, product
from math import comb, lcm, prod
from typing import TypeAlias

from dpcompose.kernel.deciders.calculus import roots
from dpcompose.kernel.deciders.calculus.exponentials import (
    Exponential,
    NotDecided,
    Point,
    Value,
    exponential,
    parts,
    power,
)
from dpcompose.kernel.expressions import intervals, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, REAL, Domain
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure
from dpcompose.kernel.expressions.terms import ONE, Term

HIGHEST_DEGREE = 60
"""Up to which degree the roots of a polynomial in a power of e are counted."""
MOST_POINTS = 100
FEW_POINTS = 9
MOST_COEFFICIENTS = 1_500
SIMPLE = tuple(map(Fraction, ("1", "1/2", "2", "1/10", "5", "1/100", "20", "0", "-1")))


def is_at_least(x: Value, y: Value) -> Point | None:
    """None where x ≥ y for all allowed parameters, else a point where x < y.  Raises NotDecided."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return None if x >= y else {}
    (n, d), (m, c) = parts(x), parts(y)
    return where_negative(n - m if d == c else n * c - m * d)


def where_negative(value: Exponential) -> Point | None:
    """None where a sum is ≥ 0 for all allowed parameters, else a point where it is not.

    In one parameter this is decided, by counting roots of a polynomial in a power of e; in several it is
    shown by signs of coefficients, or refuted at one of a few points.  Raises NotDecided.

    >>> e, two = power(terms.letter("e")), power(terms.ZERO, Fraction(2))
    >>> where_negative(e * e - e * two + power(terms.ZERO))
    >>> where_negative(e - two)
    {'e': Fraction(1, 2)}
    """
    if all(c > 0 for _, c in value.terms):
        return None
    names = sorted(value.letters)
    if not names:
        return None if value.sign() >= 0 else {}
    points = list(_points(value.letters))
    for point in points[:FEW_POINTS]:
        if value.at(point).sign() < 0:
            return point
    letters = _parameters(value)
    polynomial = _polynomial(value, letters)
    shifted = _shifted(polynomial, letters.values())
    if shifted is not None and all(c.sign() > 0 for c in shifted.values()):
        return None
    for point in points[FEW_POINTS:]:
        if value.at(point).sign() < 0:
            return point
    if shifted is None:
        raise NotDecided("the exponents are too large, and simple points decide nothing")
    if len(letters) == 1 and all(c.rational is not None for c in polynomial.values()):
        return _in_one_parameter(value, polynomial, next(iter(letters)))
    raise NotDecided("neither the signs of coefficients nor simple points decide it")


def _points(letters: Mapping[str, Domain]) -> Iterable[Point]:
    """A few allowed points."""
    allowed = []
    for name in sorted(letters):
        least = letters[name].least or Fraction(0)
        some = dict.fromkeys([*SIMPLE, *(least + x for x in SIMPLE)])
        allowed.append([x for x in some if letters[name].contains(x)])
    return (
        dict(zip(sorted(letters), values, strict=True)) for values in islice(product(*allowed), MOST_POINTS)
    )


Polynomial: TypeAlias = dict[tuple[int, ...], Exponential]
"""Σ c·x^a as {a: c}, with x_p = e^(p'/N) for each p = least + p', or p = p' without a least.

p is a parameter, or a product of powers of parameters that stands in an exponent, taken as one of its own:
what holds for all its values holds for those that it has.
"""


def _linear(exponent: Term) -> dict[Term, Fraction]:
    """The coefficients of an exponent, the constant one under 1."""
    return {rest: c for c, rest in (summand.split for summand in exponent.summands)}


def _parameters(value: Exponential) -> dict[Term, Domain]:
    """What stands in exponents, with what is known of its values."""
    found = {rest for L, _ in value.terms for rest in _linear(L) if rest != ONE}
    return {one: _domain(one) for one in sorted(found, key=lambda one: one.key)}


def _domain(term: Term) -> Domain:
    if term.kind == "letter":
        domain: Domain = term.of[1]
        return domain
    return NONNEGATIVE if term.nonnegative else REAL


def _polynomial(value: Exponential, letters: Mapping[Term, Domain]) -> Polynomial:
    """The sum as a polynomial, times a power that makes exponents ≥ 0."""
    least = {term: domain.least or Fraction(0) for term, domain in letters.items()}
    scales = _scales(value)
    polynomial: Polynomial = {}
    for L, c in value.terms:
        of = _linear(L)
        number = sum((a * least.get(term, 1) for term, a in of.items()), Fraction(0))
        whole = tuple(int(of.get(letter, Fraction(0)) * scales[letter]) for letter in letters)
        polynomial[whole] = polynomial.get(whole, Exponential()) + power(terms.number(number), c)
    low = [min(a[i] for a in polynomial) for i in range(len(letters))]
    return {tuple(x - y for x, y in zip(a, low, strict=True)): c for a, c in polynomial.items() if c.terms}


def _scales(value: Exponential) -> dict[Term, int]:
    """N for each parameter: then its exponents are whole."""
    numbers: dict[Term, int] = {}
    for L, _ in value.terms:
        for term, c in _linear(L).items():
            numbers[term] = lcm(numbers.get(term, 1), c.denominator)
    return numbers


def _shifted(polynomial: Polynomial, domains: Iterable[Domain]) -> Polynomial | None:
    """The same in u = x − 1 ≥ 0, for parameters with a least value; others keep x > 0.  None: too large."""
    bounded = [domain.least is not None for domain in domains]
    if sum(prod(a + 1 for a in powers) for powers in polynomial) > MOST_COEFFICIENTS:
        return None
    found: dict[tuple[int, ...], dict[Term, Fraction]] = {}
    for powers, c in polynomial.items():
        choices = [range(a + 1) if b else (a,) for a, b in zip(powers, bounded, strict=True)]
        for chosen in product(*choices):
            times = prod(comb(a, j) if b else 1 for a, j, b in zip(powers, chosen, bounded, strict=True))
            coefficient = found.setdefault(chosen, {})
            for L, r in c.terms:
                coefficient[L] = coefficient.get(L, Fraction(0)) + r * times
    return {powers: c for powers, values in found.items() if (c := exponential(values.items())).terms}


def _in_one_parameter(value: Exponential, polynomial: Polynomial, letter: Term) -> Point | None:
    """The decision for a polynomial with rational coefficients in one x > low, up to the largest one."""
    degree = max(a for (a,) in polynomial)
    if degree > HIGHEST_DEGREE:
        raise NotDecided("the exponents are too far apart to count the roots of a polynomial")
    domain, scale = _domain(letter), _scales(value)[letter]
    coefficients = [Fraction(0)] * (degree + 1)
    for (power_of_x,), c in polynomial.items():
        coefficients[power_of_x] = c.rational or Fraction(0)
    low = Fraction(0 if domain.least is None else 1)
    high = _highest(domain, scale)
    if roots.never_negative(coefficients, low, high):
        return None
    if letter.kind != "letter":
        raise NotDecided("the exponents are not linear, and simple points decide nothing")
    name = letter.of[0]
    odd = roots.with_odd_roots(roots.polynomial(coefficients))
    chain = roots.Sturm(roots.without_roots_at(odd, low))
    for digits in (10, 1_000, 10**9):
        ends = list(chain.enclosed(low, high, Fraction(1, digits)))
        starts = [low, *(b for _, b in ends)]
        for a, b in zip(starts, [*(a for a, _ in ends), high], strict=True):
            # The logarithm only suggests a point: the sign there is found exactly.
            middle = a + 1 if b is None else (a + b) / 2
            if middle <= 0:
                continue
            logarithm = intervals.log(Interval.of(middle), 60).low.limit_denominator(10 * digits)
            near = scale * logarithm + (domain.least or 0)
            if domain.contains(near) and value.at({name: near}).sign() < 0:
                return {name: near}
    raise NotDecided(f"it is negative for some {name}, but no rational one was found that is allowed")


def _highest(domain: Domain, scale: int) -> Fraction | None:
    """A number that x = e^((p − least)/N) is never above; None: it may be anything."""
    if domain.greatest is None:
        return None
    try:
        return intervals.exp(Interval.of((domain.greatest - (domain.least or 0)) / scale), 64).high
    except NoEnclosure:
        return None
