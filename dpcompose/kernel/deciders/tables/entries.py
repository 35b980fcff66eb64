"""Entries of tables: the value that a term means, where it is made of powers of e."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import (
    NotDecided,
    Quotient,
    Value,
    constant,
    quotient,
)
from dpcompose.kernel.deciders.calculus.signs import where_negative
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.terms import Term

LARGEST_POWER = 64
"""The highest whole power that is multiplied out."""


class NotExponential(ValueError):
    """The term is no quotient of sums of rational multiples of powers of e; the message says where."""


def read(given: Term) -> Value:
    """The value of a term made of rationals, sums, products, whole powers and exp of polynomials.

    Raises NotExponential, which names the part that is something else.
    """
    if given.kind == "number":
        return Fraction(given.of[0])
    if given.kind == "sum":
        total: Value = Fraction(0)
        for part in given.of:
            total = total + read(part)
        return total
    if given.kind == "product":
        result: Value = Fraction(1)
        for part in given.of:
            result = result * read(part)
        return result
    n = given.of[1].number if given.kind == "power" else None
    if n is not None and n.denominator == 1 and abs(n) <= LARGEST_POWER:
        base = read(given.of[0])
        if n < 0 and not isinstance(base, Fraction):
            base = _positive(base, given.of[0])
        if n < 0 and base == 0:
            raise NotExponential(f"{formulas.to_text(given)} divides by 0")
        return base ** int(n)
    if given.kind == "exp" and is_polynomial(exponent := substitution.expanded(given.of[0])):
        return quotient(exponentials.power(exponent), constant(1))
    raise NotExponential(
        f"{formulas.to_text(given)} is no number that is computed exactly: they are made of rationals, sums, "
        "products, quotients, and exp of sums of rational multiples of parameters"
    )


def power(epsilon: Term) -> Value:
    """e^ε, where log(c) in ε becomes a factor c.  Raises NotDecided where it is no value of a table."""
    try:
        return read(terms.exp(substitution.expanded(epsilon)))
    except NotExponential:
        raise NotDecided(
            f"exp({formulas.to_text(epsilon)}) is no quotient of sums of powers of e, and not compared"
        ) from None


def is_polynomial(exponent: Term) -> bool:
    """Whether a term that is multiplied out is a polynomial in letters, those > 0 also to powers below 0."""

    def fine(factor: Term) -> bool:
        base, times = factor.base_and_exponent
        n = times.number
        whole = n is not None and n.denominator == 1 and (n > 0 or base.positive)
        return factor.kind == "number" or (base.kind == "letter" and whole)

    return all(fine(factor) for part in exponent.summands for factor in part.factors)


def _positive(value: Quotient, written: Term) -> Quotient:
    """A denominator, shown to be positive."""
    for signed in (value, -value):
        try:
            if where_negative(signed.n) is None:
                if signed is value:
                    return value
                raise NotExponential(f"write 1/(-({formulas.to_text(written)})) with a positive denominator")
        except NotDecided:
            continue
    raise NotExponential(f"nothing shows that {formulas.to_text(written)}, which is divided by, is positive")
