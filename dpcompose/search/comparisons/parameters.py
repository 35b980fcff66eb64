"""Parameters of guarantees compared: certificates for the rules, by squares where they are composed so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, Protocol

from dpcompose.kernel import comparison
from dpcompose.kernel.composition.given import letters
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import NOTHING, Assumed
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import forms, formulas, naming, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.polynomials import NotAForm
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.language.symbols import simple
from dpcompose.search.comparisons import comparing
from dpcompose.search.comparisons.assuming import allowed_points
from dpcompose.search.comparisons.comparing import Point, Proof
from dpcompose.search.comparisons.instances import instances
from dpcompose.search.comparisons.points import grid, usual
from dpcompose.search.comparisons.solver import Solver

MANY = 12
"""Of how many summands the squares are added up before their sum is squared."""
MOST_SIGNS = 3
"""Of up to how many letters both signs are gone through."""
MOST_MEMBERS = 2_000
"""Up to how many members of a family have values at a point."""

__all__ = ["MOST_MEMBERS", "at_least", "completed", "far_points", "points", "simple", "usual", "where_larger"]


def at_least(
    greater: Term,
    lesser: Term,
    squared: bool = False,
    efforts: int | None = None,
    assumed: Assumed = NOTHING,
) -> Any:
    """A certificate that greater ≥ lesser for all allowed values; None where none is found.

    squared -- whether the squares of values ≥ 0 are compared, if that shows it; efforts, assumed -- see
    `comparing.compare`.
    """
    return certified(greater, lesser, squared, efforts, assumed)


@lru_cache(maxsize=4096)
def certified(greater: Term, lesser: Term, squared: bool, efforts: int | None, assumed: Assumed) -> Any:
    """The same, kept: a cache tells calls apart that leave out defaults, or name them, so here none does."""
    by_squares = _by_squares(greater, lesser, efforts, assumed) if squared else None
    return _shown(greater, lesser, efforts, assumed) if by_squares is None else by_squares


def _by_squares(greater: Term, lesser: Term, efforts: int | None, assumed: Assumed) -> Any:
    """A certificate that the square of what is ≥ 0 is at least another one."""
    data: dict[str, Any] = {}
    if not greater.nonnegative:
        shown = _shown(greater, ZERO, efforts, assumed)
        if shown is None:
            return None
        data["not negative"] = shown
    summands = greater.summands
    if len(summands) > MANY and all(summand.nonnegative for summand in summands):
        below = terms.add(summand**2 for summand in summands)
        squares = _shown(below, _square(lesser, assumed), 0, assumed)
        if squares is not None:
            return data | {"summands": True, "squares": squares}
    with suppress(NotAForm):
        squares = _shown(_square(greater, assumed), _square(lesser, assumed), efforts, assumed)
        return None if squares is None else data | {"squares": squares}
    return None


def _shown(greater: Term, lesser: Term, efforts: int | None, assumed: Assumed) -> Any:
    for way in (_by_instance, _alone):
        if (certificate := way(greater, lesser, efforts, assumed)) is not None:
            return certificate
    with suppress(BadCertificate, terms.TermError):  # for one sign there may be no value
        certificate = _by_sign(greater, lesser, efforts, assumed)
        if certificate is not None:
            comparison.check_at_least(greater, lesser, certificate, assumed)
        return certificate
    return None


def _alone(greater: Term, lesser: Term, efforts: int | None, assumed: Assumed) -> Any:
    """A certificate for all values at once; None where none is found."""
    found = comparing.compare(greater, lesser, efforts=efforts, to_prove=True, assumed=assumed)
    return found.certificate if isinstance(found, Proof) else None


def _by_instance(greater: Term, lesser: Term, efforts: int | None, assumed: Assumed) -> Any:
    """A certificate that it is an instance of what holds for every x > 0; None where none is found."""
    for instance in instances(greater, lesser, assumptions.letters_of(assumed)):
        if (shown := _alone(instance.greater, instance.lesser, efforts, assumed)) is not None:
            certificate = instance.certificate(shown)
            with suppress(BadCertificate):
                comparison.check_at_least(greater, lesser, certificate, assumed)
                return certificate
    return None


def _by_sign(greater: Term, lesser: Term, efforts: int | None, assumed: Assumed) -> Any:
    """A certificate by the signs of letters that stand in maxima, such as |x|; None where none is found."""
    both = assumptions.of_both_signs((greater, lesser), assumed)
    if not 1 <= len(both) <= MOST_SIGNS or not (greater.has("top") or lesser.has("top")):
        return None
    shown: dict[str, Any] = {"sign": both[0]}
    for key in ("above", "below"):
        signed = assumptions.of_sign(both[0], key == "above", (greater, lesser), assumed)
        more, less = signed.sides
        ways = (way(more, less, efforts, signed.assumed) for way in (_alone, _by_sign))
        if (certificate := next(filter(None, ways), None)) is None:
            return None
        shown[key] = certificate
    return shown


def where_larger(
    greater: Term,
    lesser: Term,
    squared: bool = False,
    assumed: Assumed = NOTHING,
    solver: Solver | None = comparing.STANDARD,
) -> Mapping[str, Fraction] | None:
    """A point of allowed values at which greater > lesser; None where none is found.

    solver -- what finds points of polynomials; None: only those are looked at that are seen without one.
    """
    sides = (lesser, greater)
    if squared and len(greater.summands) <= MANY:
        with suppress(NotAForm):
            sides = _square(lesser, assumed), _square(greater, assumed)
    found = comparing.compare(*sides, solver=solver, assumed=assumed)
    return found.values if isinstance(found, Point) else None


Values = Iterator[dict[str, Fraction]]


class Points(Protocol):
    """Points of letters in their domains at which holds what is assumed."""

    def __call__(
        self, domains: Mapping[str, Domain], assumed: Assumed = NOTHING
    ) -> Iterator[Mapping[str, Fraction]]: ...


def _where_assumed(some: Callable[[Mapping[str, Domain]], Values]) -> Points:
    """Those of some points at which holds what is assumed."""

    @wraps(some)
    def allowed(
        domains: Mapping[str, Domain], assumed: Assumed = NOTHING
    ) -> Iterator[Mapping[str, Fraction]]:
        return allowed_points(assumed, domains, some)

    return allowed


points = _where_assumed(grid)
"""Simple points: all alike, one much larger or smaller than the rest, and mixtures of a few."""


@_where_assumed
def far_points(domains: Mapping[str, Domain]) -> Values:
    """Points at which all letters, one, or all but one are much larger or smaller than usual."""
    few = {name: simple(domain)[:4] for name, domain in sorted(domains.items())}
    if not all(few.values()):
        return
    first = {name: values[0] for name, values in few.items()}
    for choice in (3, 2, 1):
        other = {name: values[min(choice, len(values) - 1)] for name, values in few.items()}
        yield other
        for name in few if len(few) > 1 else ():
            yield first | {name: other[name]}
            yield other | {name: first[name]}


def _first(domains: Mapping[str, Domain]) -> dict[str, Fraction]:
    """The first simple value of each letter, members of families among them; none where one has none."""
    found = {name: values[0] for name, domain in domains.items() if (values := simple(domain))}
    return found if len(found) == len(domains) else {}


EXTREMES = tuple(Fraction(x) for x in (1001, 10**6, 10**12, 10**24, "1/1000000", 10**4))
"""Values far beyond the usual ones, most of them squares."""


@_where_assumed
def extreme_points(domains: Mapping[str, Domain]) -> Values:
    """Points at which one letter has a value far beyond the usual ones; numbers of members first."""
    usual_values = _first(domains)
    for name in sorted(usual_values, key=lambda value: (not domains[value].integer, value)):
        yield from (usual_values | {name: x} for x in EXTREMES if domains[name].contains(x))


@_where_assumed
def points_of_many(domains: Mapping[str, Domain]) -> Values:
    """Points at which all numbers of members are large, and other letters small; larger where none differ."""
    whole = [name for name, domain in domains.items() if domain.integer and domain.greatest is None]
    usual_values = _first(domains)
    if not whole or not usual_values:
        return
    small = {name: Fraction(1, 10**6 if domain.greatest == 1 else 2) for name, domain in domains.items()}
    fitting = {name: x for name, x in small.items() if domains[name].contains(x)}
    yield {**usual_values, **fitting, **dict.fromkeys(whole, MANY_MEMBERS[0])}
    if not any(map(terms.moves, domains)):
        yield from ({**usual_values, **dict.fromkeys(whole, many)} for many in MANY_MEMBERS[1:])


MANY_MEMBERS = tuple(map(Fraction, (101, 1001, 10**6)))
"""How many members curves are looked at of, where few refute nothing."""
BETWEEN = (Fraction(3), Fraction(12))
"""Values between 1 and 100, at which exponentials are neither small nor too large to be told apart."""


@_where_assumed
def points_between(domains: Mapping[str, Domain]) -> Values:
    """Points at which all letters that can have a value in between have it."""
    usual_values = _first(domains)
    for x in BETWEEN if usual_values else ():
        there = {name: x for name, domain in domains.items() if domain.contains(x) and not domain.integer}
        if there:
            yield usual_values | there


def with_members(
    setting: Setting, types: Iterable[Type], points: Iterable[Mapping[str, Fraction]]
) -> list[dict[str, Fraction]]:
    """Points with values for the members of families, of which there are as many as some neighbours move."""
    fewest: dict[str, Fraction] = {}
    for i, some in (move for type in types for move in type.moves):
        count = setting.mechanisms[i - 1].count
        if count is not None and count.kind == "letter":
            many = sum((terms.as_term(many).number or Fraction(1) for many, _ in some), Fraction(0))
            fewest[count.of[0]] = max(many, fewest.get(count.of[0], many))
    return [
        completed(setting, point | {name: max(point[name], many) for name, many in fewest.items()})
        for point in map(dict, points)
    ]


def completed(setting: Setting, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """A point with values for the members of families: for as many as it says there are, and no others."""
    values = {name: x for name, x in point.items() if not terms.moves(name)}
    domains, there = dict(setting.parameters), set[str]()
    if not sizes.is_there(setting, values):  # numbers with which all types of neighbours are there
        values |= sizes.numbers(setting, values)
    for mechanism in setting.mechanisms:
        families = {name for value in letters(mechanism) for name in value.letters if terms.moves(name)}
        if mechanism.count is None or not families:
            continue
        count = formulas.at(mechanism.count, values).number
        for name in families:
            value, base = point.get(name, simple(domains[name])[0]), naming.read(name).base
            for j in range(1, min(int(count or 0), MOST_MEMBERS) + 1):
                values.setdefault(naming.member(base, j), value)
                there.add(naming.member(base, j))
    return {name: x for name, x in values.items() if naming.read(name).index is None or name in there}


def _square(term: Term, assumed: Assumed) -> Term:
    known = frozenset((assumption.term, assumption.strictly) for assumption in assumed)
    return forms.write(forms.squared(term, known))
