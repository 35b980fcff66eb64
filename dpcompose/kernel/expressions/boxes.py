"""Letters between their ends: how far they are from these, and polynomials of letters in [0, 1]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod

from dpcompose.kernel.expressions import forms, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import Form
from dpcompose.kernel.expressions.terms import Term

MOST_COEFFICIENTS = 4_096
"""The most coefficients of Bernstein polynomials that a proof may look at."""


def bound_form(x: Term, end: str) -> Form:
    """x − least or greatest − x, ≥ 0 for all values of a letter."""
    value = Form.constant(_end(x.of[1], end))
    return Form.letter(x) - value if end == "least" else value - Form.letter(x)


def shifted(domain: Domain, end: str) -> Domain:
    """The domain of how far a letter is from one of its ends."""
    _end(domain, end)
    width = None if domain.least is None or domain.greatest is None else domain.greatest - domain.least
    opens = (domain.open_least, domain.open_greatest)
    near, far = opens if end == "least" else opens[::-1]
    whole = domain.integer and (_end(domain, end).denominator == 1)
    return Domain(Fraction(0), near, width, far, whole)


def _end(domain: Domain, end: str) -> Fraction:
    value = {"least": domain.least, "greatest": domain.greatest}.get(end)
    if value is None:
        raise BadCertificate(f"there is no {end} value")
    return value


def distance(name: Term, domain: Domain, end: str) -> Term:
    """least + x or greatest − x for a letter x; its own inverse up to the sign of least."""
    value = terms.number(_end(domain, end))
    return value + name if end == "least" else value - name


def coefficients(form: Form, unit: Sequence[Term | None]) -> Iterator[Form]:
    """The coefficients of a polynomial in the Bernstein polynomials of letters in [0, 1].

    x^p = Σ_{j ≤ n} (C(j, p)/C(n, p))·C(n, j)·x^j·(1 − x)^(n − j) for p ≤ n, its summands ≥ 0 on [0, 1]:
    where all coefficients are ≥ 0, so is the polynomial.  For n = 1 they are its values at 0 and 1.
    Without any letters: the form itself.

    >>> from dpcompose.kernel.expressions.domains import UNIT_INTERVAL
    >>> x, y = terms.letter("x", UNIT_INTERVAL), terms.letter("y", UNIT_INTERVAL)
    >>> [str(one.number) for one in coefficients(forms.read(x + y - x * y), (x, y))]
    ['0', '1', '1', '1']
    """
    if not unit:
        yield form
        return
    degrees: dict[Term, int] = {}
    for x in unit:
        if x is None or x.kind != "letter" or not is_unit(x.of[1]):
            raise BadCertificate(f"{x} is no letter in [0, 1]")
        degrees[x] = 0
    if form.peaks:
        raise BadCertificate("a worst case is no polynomial")
    for term, _ in form.monomials:
        for x, n in term:
            if x in degrees:
                degrees[x] = max(degrees[x], n)
    if prod(n + 1 for n in degrees.values()) > MOST_COEFFICIENTS:
        raise BadCertificate("the polynomial has too many coefficients")
    for at in product(*(range(n + 1) for n in degrees.values())):
        chosen = dict(zip(degrees, at, strict=True))
        parts = []
        for term, c in form.monomials:
            for x, n in term:
                if x in chosen:
                    c *= Fraction(comb(chosen[x], n), comb(degrees[x], n))
            parts.append(Form(((tuple(one for one in term if one[0] not in chosen), c),)) if c else Form())
        yield forms.total(parts)


def is_unit(domain: Domain) -> bool:
    """Whether the numbers of the domain lie between 0 and 1, and are bounded by these."""
    return domain.least == 0 and domain.greatest == 1
