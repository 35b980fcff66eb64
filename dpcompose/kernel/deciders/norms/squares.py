"""Sums of squares as vectors, in one way whatever the signs, the order and the scale of their entries.

An entry v is a·p, p having the factor 1 in its first summand: so v and −v have the same p.  Σ v_j² is
Σ q_p·p² with numbers q_p > 0, and √ of it is √q times the length of a vector whose first q is 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dpcompose.kernel.expressions.metrics import is_constant
from dpcompose.kernel.expressions.substitution import expanded
from dpcompose.kernel.expressions.terms import ZERO, Term, moves, multiply, number, power, sqrt

Squares = Mapping[Term, Fraction]
"""Σ q_p·p² by p."""
Vector = tuple[tuple[Term, Fraction], ...]
"""The same in the order of the p, the first q being 1."""


def leading(v: Term) -> tuple[Fraction, Term]:
    """a and p, v = a·p, p being multiplied out and with the factor 1 in its first summand; (0, 0) for 0.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> x, y = letter("x"), letter("y")
    >>> leading(3 * y - 2 * x) == (Fraction(-2), x - y * Fraction(3, 2))
    True
    """
    v = expanded(v)
    if v == ZERO:
        return Fraction(0), ZERO
    a, _ = min((summand.split for summand in v.summands), key=lambda split: split[1].key)
    return a, v * (1 / a)


def inside_of_size(term: Term) -> Term | None:
    """v where a term is |v| = max(v, −v); None for another one."""
    if term.kind != "top" or term.of[0] != 1 or len(term.parts) != 2:
        return None
    first, second = term.parts
    return first if expanded(first + second) == ZERO else None


def squares(sum_of: Term) -> Squares | None:
    """A sum of squares, also with factors that are seen to be ≥ 0; None where a summand is no square.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> x, y = letter("x"), letter("y__D")
    >>> squares(x + 4 * (2 * y) ** 2) == {power(x, Fraction(1, 2)): 1, y: 16}, squares(y**3 + x)
    (True, None)
    """
    values: dict[Term, Fraction] = {}
    for summand in sum_of.summands:
        if (entry := square(summand)) is None:
            return None
        p, q = entry
        if q:
            values[p] = values.get(p, Fraction(0)) + q
    return values


def square(term: Term) -> tuple[Term, Fraction] | None:
    """p and q where a term is q·p², q being 0 where it is 0; None where it is seen to be no square."""
    c, rest = term.split
    entry = [_root_of(factor) for factor in rest.factors]
    if c < 0 or any(one is None for one in entry):
        return None
    a, p = leading(multiply([one for one in entry if one is not None]))
    return p, c * a**2


def _root_of(factor: Term) -> Term | None:
    """v where a factor is v², a factor without letters of databases also where it is ≥ 0."""
    base, exponent = factor.base_and_exponent
    n = exponent.number
    if n is not None and n.denominator == 1 and n % 2 == 0 and factor.kind == "power":
        inside = inside_of_size(base)
        return power(base if inside is None else inside, n / 2)
    return sqrt(factor) if is_constant(factor) and factor.nonnegative else None


def root(term: Term) -> tuple[Squares, Fraction] | None:
    """A power of the root of a sum of squares that depends on databases: the squares, and the exponent.

    None for other terms, and where members of families are in the entries.
    """
    r = term.parts[1].number if term.kind == "power" else None
    if r is None or r.denominator != 2 or is_constant(term):
        return None
    values = squares(term.parts[0])
    if not values or (len(values) > 1 and any(moves(name) for p in values for name in p.letters)):
        return None
    return values, 2 * r


def vectors(term: Term) -> Iterator[Vector]:
    """The vectors whose lengths occur in a term, as roots of at least two squares."""
    found = root(term)
    if found is not None and len(found[0]) > 1:
        yield scaled(found[0])[1]
    for part in term.parts:
        yield from vectors(part)


def scaled(some: Squares) -> tuple[Fraction, Vector]:
    """s and the vector, Σ q·p² being s times the square of its length."""
    ordered = sorted(some.items(), key=lambda item: item[0].key)
    first = ordered[0][1]
    return first, tuple((p, q / first) for p, q in ordered)


def ratio(some: Squares, vector: Vector) -> Fraction | None:
    """s where s times the squares of a vector are among some; None where they are not."""
    values = {some[p] / q for p, q in vector if p in some}
    return values.pop() if len(values) == 1 and all(p in some for p, _ in vector) else None


def entries(vector: Vector) -> list[Term]:
    """The entries of a vector."""
    return [sqrt(number(q)) * p for p, q in vector]
