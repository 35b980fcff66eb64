"""Certificates as data: what is read from JSON, of which nothing is believed.

Sizes, types and depths are looked at before anything is done with them; whatever is odd is a
`BadCertificate`, whose message says where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NoReturn

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.polynomials import NotAForm
from dpcompose.kernel.expressions.terms import Term, TermError, add, letter

MOST_DIGITS = 2_000  # of a written number
MOST_LISTED = 100_000  # entries of a list
MOST_WORD = 200
INDEX = "i"  # of the general member of a family, which may stand alone


class BadCertificate(ValueError):
    """A certificate does not show what it is said to show; the message says where it fails."""


def number(data: Any) -> Fraction:
    """A rational as it is saved: "-3/4"."""
    fine = isinstance(data, str) and len(data) <= MOST_DIGITS
    if not (fine and re.fullmatch(r"-?[0-9]+(/0*[1-9][0-9]*)?", data, re.ASCII)):
        raise BadCertificate("a number of the certificate cannot be read")
    return Fraction(data)


def whole(data: Any, most: int = MOST_LISTED) -> int:
    """A whole number from 0 to `most`."""
    if type(data) is not int or not 0 <= data <= most:
        raise BadCertificate("a whole number of the certificate cannot be read")
    return data


def word(data: Any) -> str:
    """A short text."""
    if not isinstance(data, str) or len(data) > MOST_WORD:
        raise BadCertificate("a word of the certificate cannot be read")
    return data


def listed(data: Any, of: int | None = None) -> list[Any]:
    """A list; with `of` entries where that is given."""
    if not isinstance(data, list) or len(data) > MOST_LISTED or (of is not None and len(data) != of):
        raise BadCertificate("a list of the certificate cannot be read")
    return data


def entries(data: Any, of: int) -> Iterator[list[Any]]:
    """The entries of a list, each a list of so many."""
    for one in listed(data):
        yield listed(one, of)


def table(data: Any, needed: Iterable[str], more: Iterable[str] = ()) -> Mapping[str, Any]:
    """A table with the keys that are needed, and perhaps more; no others."""
    needed = set(needed)
    if not (isinstance(data, dict) and needed <= set(data) <= needed | set(more)):
        raise BadCertificate(f"a table of the certificate needs {', '.join(sorted(needed)) or 'other keys'}")
    return data


def domain_data(domain: Domain) -> str | dict[str, Any]:
    """A domain as JSON: in a problem file's words where there are such, else its ends.

    >>> domain_data(Domain.read("in (0,1)")), domain_data(Domain(greatest=Fraction(3)))
    ('in (0,1)', {'greatest': '3'})
    """
    try:
        if Domain.read(str(domain)) == domain:
            return str(domain)
    except ValueError:
        pass
    data: dict[str, Any] = {}
    for end in ("least", "greatest"):
        if (value := getattr(domain, end)) is not None:
            data[end] = str(value)
        if getattr(domain, f"open_{end}"):
            data[f"open-{end}"] = True
    return data | ({"integer": True} if domain.integer else {})


def letters(domains: Mapping[str, Domain]) -> dict[str, Term]:
    """The symbols with which the formulas of a certificate are read."""
    return {name: letter(name, domain) for name, domain in domains.items()}


@contextmanager
def read_as_certificate() -> Iterator[None]:
    """Errors of formulas within are errors of the certificate."""
    try:
        yield
    except (FormulaError, NotAForm, TermError) as error:
        raise BadCertificate(error.args[0] if error.args else "a formula cannot be read") from None
    except BadCertificate:
        raise
    except (ValueError, RecursionError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        raise BadCertificate(f"the certificate cannot be read ({type(error).__name__})") from None


def formula(data: Any, symbols: Mapping[str, Term]) -> Term:
    """A formula of the certificate; a long sum may be written as the list of its parts."""
    if isinstance(data, list):
        return add(
            formulas.parse(one, symbols, index=INDEX) if isinstance(one, str) else _no_text()
            for one in listed(data)
        )
    return formulas.parse(data, symbols, index=INDEX) if isinstance(data, str) else _no_text()


def _no_text() -> NoReturn:
    raise BadCertificate("a formula of the certificate is no text")
