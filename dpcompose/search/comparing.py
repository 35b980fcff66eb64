"""Comparing: certificates that one term is at least another, and points where it is not, for the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import islice, product
from typing import Any

from dpcompose.kernel import comparison, forms, formulas, polynomials
from dpcompose.kernel.certificates import BadCertificate, domain_data
from dpcompose.kernel.domains import Domain
from dpcompose.kernel.polynomials import NotAForm
from dpcompose.kernel.terms import ZERO, Term

MOST_MEMBERS = 2_000
"""Up to how many members of a family have values at a point."""


def at_least(greater: Term, lesser: Term, squared: bool = False) -> Any:
    """A certificate that greater ≥ lesser for all allowed values; None where none is found.

    squared -- whether the squares of values ≥ 0 are compared.
    """
    if not squared:
        return _plain(greater, lesser)
    found: dict[str, Any] = {}
    if not greater.nonnegative:
        shown = _plain(greater, ZERO)
        if shown is None:
            return None
        found["not negative"] = shown
    with suppress(NotAForm):
        squares = _plain(forms.squared(greater), forms.squared(lesser))
        return None if squares is None else found | {"squares": squares}
    return None


def _plain(greater: comparison.Side, lesser: comparison.Side) -> Any:
    with suppress(NotAForm, BadCertificate):
        difference = comparison.form_of(greater) - comparison.form_of(lesser)
        text = formulas.to_text(forms.write(difference))
        letters = {name: domain_data(one) for name, one in comparison.domains_of(greater, lesser).items()}
        made = {"letters": letters, "difference": text, "proof": {"rest": text}}
        comparison.check_at_least(greater, lesser, made)
        return made
    return None


def where_larger(greater: Term, lesser: Term) -> dict[str, Fraction] | None:
    """A point of allowed values at which greater > lesser; None where none is found."""
    domains = dict(comparison.domains_of(greater, lesser))
    for point in islice(points(domains), 200):
        with suppress(BadCertificate):
            comparison.check_larger(greater, lesser, point)
            return point
    return None


def usual(domains: Mapping[str, Domain]) -> dict[str, Fraction]:
    """The usual simple point: 1 for most parameters."""
    return {name: _simple(domain)[0] for name, domain in sorted(domains.items())}


def points(domains: Mapping[str, Domain]) -> Iterator[dict[str, Fraction]]:
    """A few simple points: all alike, one much larger or smaller than the rest, and mixtures of a few."""
    names = sorted(domains)
    few = {name: _simple(domains[name])[:4] for name in names}
    usual_point = {name: values[0] for name, values in few.items()}
    yield usual_point
    if len(names) <= 4:
        yield from (dict(zip(names, values, strict=True)) for values in product(*few.values()))
        return
    for choice in (1, 2, 3):
        other = {name: values[min(choice, len(values) - 1)] for name, values in few.items()}
        yield other
        for name in names[:50]:
            yield usual_point | {name: other[name]}
            yield other | {name: usual_point[name]}


def _simple(domain: Domain) -> tuple[Fraction, ...]:
    """A few allowed values, the usual one first."""
    tried = [Fraction(c) for c in (1, "1/2", "1/100", 100, 0, -1, 2, 3)]
    if domain.least is not None:
        some = [domain.least, domain.least + 1, domain.least + 2, domain.least + 100]
        tried = [*some, *tried] if domain.integer else [*tried, *some]
    return tuple(value for value in dict.fromkeys(tried) if domain.contains(value))


__all__ = ["at_least", "points", "polynomials", "usual", "where_larger"]
