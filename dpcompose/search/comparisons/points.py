"""Points at which a comparison may fail: simple ones first, then those of linear programs or of a solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import ceil, floor, lcm
from typing import Any

from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import Form, Monomial, NotAForm, total
from dpcompose.kernel.expressions.formulas import FormulaError
from dpcompose.kernel.expressions.terms import moves
from dpcompose.language.symbols import simple
from dpcompose.search.comparisons.linear import Program, TooMuchWork
from dpcompose.search.comparisons.solver import Constraint, Solver
from dpcompose.search.comparisons.weights import value_at

Point = dict[str, Fraction]
Domains = Mapping[str, Domain]
ZERO, ONE = Fraction(0), Fraction(1)
MOST_LARGE = 30
"""How many monomials are made large one by one."""
MOST_SIMPLER = 30
"""For how many letters simpler values are looked for."""


def usual(domains: Domains) -> Point:
    """The usual simple point: 1 for most letters."""
    return {name: simple(domain)[0] for name, domain in domains.items() if not moves(name)}


def simpler(point: Point, fails: Callable[[Point], bool]) -> Point:
    """The point with simpler values, one after the other, as long as it still `fails`; of few letters.

    >>> simpler({"e": Fraction(100), "f": Fraction(1)}, lambda point: point["e"] > 2 * point["f"])
    {'e': Fraction(3, 1), 'f': Fraction(1, 1)}
    """
    for name, x in point.items() if len(point) <= MOST_SIMPLER else ():
        tried = [*SIMPLE, *(x.limit_denominator(n) for n in (1, 10, 100))]
        simple = next((y for y in tried if y == x or fails({**point, name: y})), x)
        point = {**point, name: simple}
    return point


SIMPLE = tuple(map(Fraction, ("1", "1/2", "2", "3", "5", "10", "1/10", "100", "1/100", "1000")))


def grid(domains: Domains) -> Iterator[Point]:
    """A few simple points: all alike, one much larger or smaller than the rest, and all mixtures of a few."""
    few = {name: simple(domain)[:4] for name, domain in sorted(domains.items())}
    if not all(few.values()):
        return
    if not few:
        yield {}
        return
    first = {name: values[0] for name, values in few.items()}
    yield first
    if len(few) <= 4:
        yield from (dict(zip(few, values, strict=True)) for values in product(*few.values()))
        return
    for choice in (1, 2, 3):
        other = {name: values[min(choice, len(values) - 1)] for name, values in few.items()}
        yield other
        for name in list(few)[:50]:
            yield first | {name: other[name]}
            yield other | {name: first[name]}


def where_large(difference: Form, uncovered: Sequence[Monomial], domains: Domains) -> Iterator[Point]:
    """Simple points where one choice of the lesser side, or what no rule covers, is large beside the rest."""
    few = {name: simple(domain)[:4] for name, domain in domains.items()}
    if not uncovered or not all(few.values()):
        return
    small = {name: min(values) for name, values in few.items()}
    first = {name: values[0] for name, values in few.items()}
    groups = [list(uncovered), *([term] for term in uncovered[:MOST_LARGE])]
    piece = piece_at(difference, first)
    if piece is not None:
        groups.insert(0, [t for t, c in piece.monomials if c < 0])
    for group in groups:
        names = {name for term in group for letter, _ in term for name in letter.letters}
        large = {name: max(few[name]) for name in names if name in few}
        yield small | large
        yield first | large


def piece_at(form: Form, point: Point) -> Form | None:
    """A piece of the form that has its value at the point: each −c·top(m, x) as the m largest there."""
    parts = [Form(form.monomials)]
    try:
        for peak, c in form.peaks:
            if c > 0:
                parts.append(Form(((peak, c),)))
                continue
            there = sorted(peak.of, key=lambda inner: value_at(inner, point), reverse=True)[: peak.m]
            inner = piece_at(total(there).scaled(c), point)
            if inner is None:
                return None
            parts.append(inner)
    except (NotAForm, FormulaError, KeyError):
        return None
    return total(parts)


def where_negative(
    piece: Form, domains: Domains, solver: Solver | None, assumed: Sequence[tuple[Form, bool]] = ()
) -> Iterator[Point]:
    """Points where a piece, whose peaks all have positive factors, may be negative.

    assumed -- what is ≥ 0 besides, and whether it is above 0.
    """
    letters = {letter for letter in piece.letters if letter.kind != "letter"}
    plain = ((form, strictly) for form, strictly in assumed if not form.peaks)
    constraints = [*_negative(piece, domains), *(constraint(form, strictly) for form, strictly in plain)]
    whole = frozenset(name for name, domain in domains.items() if domain.integer)
    linear, first = are_linear(constraints), usual(domains)
    if linear and not letters:
        try:
            values = by_program(constraints, domains)
        except TooMuchWork:
            return
        if values is None:
            return
        yield from _whole({**first, **values}, whole)
    if (whole or not linear or letters) and solver is not None:
        values = solver.solve(constraints, whole)
        if values is not None:
            yield {name: values.get(name, x) for name, x in first.items()}


def _whole(point: Point, whole: frozenset[str]) -> Iterator[Point]:
    """The point, or with whole numbers: all values multiplied, or some rounded."""
    if all(point[name].denominator == 1 for name in whole):
        yield point
        return
    common = lcm(*(point[name].denominator for name in whole))
    yield {name: x * common for name, x in point.items()}
    broken = sorted(name for name in whole if point[name].denominator != 1)[:6]
    for up in islice(product((False, True), repeat=len(broken)), 64):
        rounded = {
            name: Fraction(ceil(point[name]) if one else floor(point[name]))
            for name, one in zip(broken, up, strict=True)
        }
        yield point | rounded


def are_linear(constraints: Sequence[Constraint]) -> bool:
    """Whether no variables are multiplied."""
    return all(sum(n for _, n in t) <= 1 for constraint in constraints for t in constraint.polynomial)


def by_program(constraints: Sequence[Constraint], domains: Domains) -> Point | None:
    """Values that satisfy linear constraints, those with > by as much as possible, up to 1; None where there
    are none.  Raises TooMuchWork."""
    program = Program()
    signed = {name for name, domain in domains.items() if domain.nonnegative}

    def row(polynomial: Mapping[Any, Fraction]) -> tuple[dict[Any, Fraction], Fraction]:
        values: dict[Any, Fraction] = {}
        for term, c in polynomial.items():
            for x, _ in term:
                values[x, 1] = values.get((x, 1), ZERO) + c
                if x not in signed and not (isinstance(x, tuple) and x[0] == "u"):
                    values[x, -1] = values.get((x, -1), ZERO) - c
        return values, polynomial.get((), ZERO)

    for constraint in constraints:
        found, constant = row(constraint.polynomial)
        if constraint.relation == ">":
            found["by"] = Fraction(-1)
        program.at_least(found, constant)
    program.at_least({"by": Fraction(-1)}, ONE)
    values = program.solve({"by": ONE})
    if values is None or values.get("by", ZERO) <= 0:
        return None
    return {
        name: values.get((name, 1), ZERO) - values.get((name, -1), ZERO)
        for name in domains
        if (name, 1) in values
    }


def of_domains(domains: Domains) -> list[Constraint]:
    """That letters lie in their domains."""
    constraints: list[Constraint] = []
    for name, domain in domains.items():
        x: Any = ((name, 1),)
        if domain.least is not None:
            constraints.append(Constraint({x: ONE, (): -domain.least}, ">" if domain.open_least else ">="))
        if domain.greatest is not None:
            constraints.append(
                Constraint({x: -ONE, (): domain.greatest}, ">" if domain.open_greatest else ">=")
            )
    return constraints


def _negative(piece: Form, domains: Domains) -> list[Constraint]:
    """What says that the piece is negative: each peak becomes a variable that is at least the peak.

    Parameters are variables by their names, and atoms by themselves, as if they were free.
    """
    constraints = of_domains(domains)
    fresh = iter(range(10**9))

    def above(form: Form) -> dict[Any, Fraction]:
        """A polynomial that is at least the form, with variables for its peaks: top(m, x) is the
        least m·s + Σ u_j with u_j ≥ 0 and u_j ≥ x_j − s."""
        values = {_variables(t): c for t, c in form.monomials}
        for peak, c in form.peaks:
            s: Any = ((("s", next(fresh)), 1),)
            values[s] = c * peak.m
            for inner in peak.of:
                value = above(inner)
                value[s] = value.get(s, ZERO) - 1
                u: Any = ((("u", next(fresh)), 1),)
                more = {} if peak.m == 1 else {u: ONE}
                if more:
                    values[u] = c
                    constraints.append(Constraint(more, ">="))
                constraints.append(Constraint({t: -d for t, d in value.items()} | more, ">="))
        return values

    value = above(piece)
    constraints.append(Constraint({t: -c for t, c in value.items()}, ">"))
    return constraints


def constraint(form: Form, strictly: bool) -> Constraint:
    """That a form without peaks is ≥ 0, or > 0."""
    return Constraint({_variables(t): c for t, c in form.monomials}, ">" if strictly else ">=")


def _variables(term: Monomial) -> Any:
    return tuple((x.of[0] if x.kind == "letter" else x, n) for x, n in term)
