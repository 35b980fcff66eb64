"""What a certificate must leave: a polynomial each of whose terms is ≥ 0 by its sign."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from dpcompose.language.forms import ONE, Form, Monomial, Peak
from dpcompose.language.symbols import Domain


class BadCertificate(ValueError):
    """A certificate does not show what it is said to show; the message says where it fails."""


def bound_form(name: str, end: str, domain: Domain) -> Form:
    """x − least or greatest − x, ≥ 0 on the domain.  Raises BadCertificate without that end."""
    x = Form.parameter(name)
    if end == "least" and domain.least is not None:
        return x - Form.constant(domain.least)
    if end == "greatest" and domain.greatest is not None:
        return Form.constant(domain.greatest) - x
    raise BadCertificate(f"{name} has no {end} value")


def named(term: Monomial | Peak) -> str:
    """A term in a message."""
    if isinstance(term, Peak):
        return "max(...)"
    return "1" if term == ONE else "*".join(name if p == 1 else f"{name}**{p}" for name, p in term)


def number(text: Any) -> Fraction:
    """A rational as it is saved, "-3/4"; raises ValueError for anything else, and for one of many digits."""
    if not (isinstance(text, str) and len(text) <= 2000 and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", text)):
        raise ValueError("no rational number")
    return Fraction(text)
