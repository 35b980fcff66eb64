"""Steps worth trying where a function is to be at least 0: simpler ones, and those near a low point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from dpcompose.kernel.deciders.calculus import elementary, steps
from dpcompose.kernel.deciders.calculus.calculus import Step
from dpcompose.kernel.deciders.calculus.elementary import Box, Elementary, Letter
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.search.comparisons.sampling import Values, value

Polynomial = Mapping[tuple[int, ...], Fraction]
"""By the exponents of the variables the coefficients."""


def surely_useful(f: Elementary, box: Box) -> Iterator[Step]:
    """Steps that lose nothing, and make f simpler."""
    yield from division(elementary.least_powers(f), box)
    powers: dict[str, int] = {}
    for letter, r in all_powers(f):
        if letter[0] == "x" and r.denominator > 1:
            powers[letter[1]] = math.lcm(powers.get(letter[1], 1), r.denominator)
    for name, n in sorted(powers.items()):
        yield Step("real", (name,)) if box[name].integer else Step("change", (name, f"root {n}"))
    for name in sorted(f.names):
        domain = box[name]
        if domain.integer and domain.least is not None and domain.least == domain.greatest:
            yield Step("number", (name,))
        elif not domain.nonnegative and domain.least is not None:
            yield Step("change", (name, "least"))
        elif domain.least is None and domain.greatest is not None:
            yield Step("change", (name, "greatest"))
        elif domain.greatest == 1 and domain.nonnegative and not domain.integer:
            log = log_of(name)
            if log in elementary.every_letter(f) and not any(
                name in names_of(one) for one in f.letters if one not in (log, ("x", name))
            ):
                yield Step("change", (name, "-exp"))


def division(term: elementary.Term, box: Box) -> Iterator[Step]:
    """Division by what of a product has a sign that is seen."""
    signed = tuple(pair for pair in term if steps.positive_sign(*pair, box) is not None)
    if signed:
        yield Step("divided", (Elementary(((signed, Fraction(1)),)),))


@lru_cache(maxsize=4096)
def factors_of(f: Elementary) -> tuple[Fraction, list[tuple[Elementary, int]]] | None:
    """f as a number times powers of polynomials in powers of its letters; None where it is none, or large."""
    letters = f.letters
    units = []
    for letter in letters:
        powers = [dict(term).get(letter, Fraction(0)) for term, _ in f.terms]
        if min(powers) < 0:
            return None
        units.append(Fraction(1, math.lcm(*(r.denominator for r in powers))))
    if not letters or len(letters) > MOST_IN_FACTORS or len(f.terms) > MOST_FACTORED:
        return None
    if any(
        max(abs(c.numerator), c.denominator).bit_length() > steps.MOST_COEFFICIENT_BITS for _, c in f.terms
    ):
        return None
    polynomial = {}
    for term, c in f.terms:
        of = dict(term)
        degrees = (of.get(letter, Fraction(0)) / unit for letter, unit in zip(letters, units, strict=True))
        polynomial[tuple(map(int, degrees))] = c
    if max(map(sum, polynomial)) > steps.MOST_DEGREE:
        return None
    found = factored(polynomial)
    if found is None:
        return None
    lead = polynomial[max(polynomial)]
    factors = []
    for values, n in found:
        lead /= values[max(values)] ** n
        made = Elementary()
        for exponents, c in values.items():
            pairs = zip(letters, exponents, units, strict=True)
            term = tuple((letter, unit * e) for letter, e, unit in pairs if e)
            made = made + elementary.elementary([(term, c)])
        factors.append((made, n))
    return lead, factors


MOST_IN_FACTORS = 6
MOST_FACTORED = 60


def names_of(letter: Letter) -> frozenset[str]:
    return elementary.of_letter(letter).names


def log_of(name: str) -> Letter:
    return elementary.letter_of("l", elementary.parameter(name).terms)


def all_powers(f: Elementary) -> Iterator[tuple[Letter, Fraction]]:
    for term, _ in f.terms:
        for letter, r in term:
            yield letter, r
            for one in elementary.inside(letter):
                yield from all_powers(one)


def simple_near(x: float, domain: Domain) -> list[Fraction]:
    """A few simple numbers inside of the domain, near to x."""
    exact = Fraction(x)
    size = Fraction(10) ** math.floor(math.log10(abs(x))) if x else Fraction(1)
    near = [exact.limit_denominator(n) for n in (1, 2, 12)] + [(exact / size).limit_denominator(4) * size]
    if domain.integer:
        near = [Fraction(math.floor(exact)), Fraction(math.floor(exact)) - 1]
    inside = [
        c
        for c in dict.fromkeys(near)
        if (domain.least is None or c > domain.least or (domain.integer and c == domain.least))
        and (domain.greatest is None or c < domain.greatest)
    ]
    return sorted(inside, key=lambda c: (abs(c - exact) > size / 100, c.denominator))[:2]


def orders(names: list[str], low: Values) -> list[Step]:
    """Two parameters compared by a simple factor, which is close to the one where f is small."""
    found: list[tuple[bool, int, Step]] = []
    for x, y in combinations(names, 2):
        ratio = low[x] / low[y] if low[y] else math.inf
        if 1 / LARGEST_RATIO < ratio < LARGEST_RATIO:
            for c in simple_near(ratio, Domain(Fraction(0), True)):
                far = abs(float(c) / ratio - 1) * 100 > 1
                found.append((far, c.numerator + c.denominator, Step("order", (x, y, c))))
    return [step for _, _, step in sorted(found, key=lambda one: one[:2])[:MOST_ORDERS]]


LARGEST_RATIO = 20
MOST_ORDERS = 4


def tangents(f: Elementary, low: Values) -> Iterator[Step]:
    """Tangents of the exponentials and logarithms of f, at a simple number and where f is small."""
    for letter in f.letters:
        if letter[0] not in "el":
            continue
        for r in sorted({r for term, _ in f.terms for one, r in term if one == letter}):
            there = value(elementary.inside(letter)[0].scaled(r if letter[0] == "e" else Fraction(1)), low)
            near = [Fraction(0 if letter[0] == "e" else 1)]
            if there is not None:
                near.append(Fraction(there[0]).limit_denominator(8))
            for p in dict.fromkeys(near):
                yield Step("tangent", (letter, r, p))


def squares_of(f: Elementary) -> list[tuple[Fraction, Elementary]]:
    """c·(m − s·n)² for each term −2·c·s·m·n that is subtracted, of terms c·m² and c·s²·n² that are added.

    As in Lagrange's identity, by which Σ a_i²·Σ b_j² − (Σ a_i·b_i)² is Σ (a_i·b_j − a_j·b_i)².

    >>> a, b, x, y = (elementary.parameter(name) for name in "abxy")
    >>> f = (a * a + b * b) * (x * x + y * y) - elementary.power(a * x + b * y, Fraction(2))
    >>> [(str(c), len(g.terms)) for c, g in squares_of(f)]
    [('1', 2)]
    """
    added = {
        tuple((letter, r / 2) for letter, r in term): c
        for term, c in f.terms
        if c > 0 and term and all(r.denominator == 1 and r % 2 == 0 for _, r in term)
    }
    found = []
    for term, c in f.terms if added else ():
        for m in added if c < 0 else ():
            n = elementary.divided_by_term(Elementary(((term, Fraction(1)),)), m).terms[0][0]
            if n == m or n not in added or not added[m] or 4 * added[m] * added[n] < c * c:
                continue
            often = -c / 2 if min(added[m], added[n]) >= -c / 2 else added[m]
            s = -c / (2 * often)
            added[m] -= often
            added[n] -= often * s * s
            found.append((often, Elementary(((m, Fraction(1)),)) - Elementary(((n, s),))))
            break
    return found


def factored(f: Polynomial) -> list[tuple[Polynomial, int]] | None:
    """Polynomials and their powers, of which f is a multiple by a number; None where it has no factors.

    >>> f = {(2, 0): Fraction(1), (1, 1): Fraction(-2), (0, 2): Fraction(1)}
    >>> [(sorted(map(str, g.values())), n) for g, n in factored(f)]
    [(['-1', '1'], 2)]
    """
    from sympy.polys.domains import QQ
    from sympy.polys.rings import ring

    polynomials, *_ = ring([f"x{n}" for n in range(len(next(iter(f))))], QQ)
    terms = {e: QQ(c.numerator, c.denominator) for e, c in f.items()}
    _, factors = polynomials.from_dict(terms).factor_list()
    found: list[tuple[Polynomial, int]] = [
        ({e: Fraction(int(c.numerator), int(c.denominator)) for e, c in g.terms()}, n) for g, n in factors
    ]
    return found if sum(n for _, n in found) > 1 else None
