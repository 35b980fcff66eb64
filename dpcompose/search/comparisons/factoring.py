"""Factors of polynomials in several variables, which sympy finds: what checks them multiplies them out."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

Polynomial = Mapping[tuple[int, ...], Fraction]
"""By the exponents of the variables the coefficients."""


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
