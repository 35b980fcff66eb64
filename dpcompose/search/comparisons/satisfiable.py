"""Whether any values satisfy what is assumed of parameters: a point, that there is none, or neither.

Linear relations between real numbers are decided by a linear program.  Nothing here decides a verdict:
refutations are at points that the kernel checks, and what is proved holds at all that there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import chain, islice
from math import ceil, floor

from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import forms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import Form, NotAForm
from dpcompose.kernel.expressions.terms import ZERO
from dpcompose.search.comparisons import comparing, parameters
from dpcompose.search.comparisons.comparing import Proof
from dpcompose.search.comparisons.linear import Program, TooMuchWork

MOST_POINTS = 2_000
"""At how many simple points it is looked whether all relations hold."""
Point = Mapping[str, Fraction]


class NoValues(ValueError):
    """No values satisfy the assumptions."""


def point(assumed: Assumed) -> Point | None:
    """Values that satisfy all assumptions; None where neither any are found, nor that there are none.

    Raises NoValues.

    >>> from dpcompose.kernel.core.assumptions import Assumption
    >>> from dpcompose.kernel.expressions.terms import letter
    >>> e, f = letter("e"), letter("f")
    >>> point((Assumption(e, ">", f), Assumption(f, ">=", e)))
    Traceback (most recent call last):
    dpcompose.search.comparisons.satisfiable.NoValues: no values satisfy e > f and f >= e
    """
    domains = dict(assumptions.letters_of(assumed))
    some = chain(parameters.points(domains, assumed), parameters.far_points(domains, assumed))
    if (found := next(islice(some, MOST_POINTS), None)) is not None:
        return found
    found = _by_program(assumed, domains)
    if found is None and _is_contradicted(assumed):
        raise _none(assumed)
    return found


def _none(assumed: Assumed) -> NoValues:
    return NoValues(f"no values satisfy {' and '.join(map(str, assumed))}")


def _by_program(assumed: Assumed, domains: Mapping[str, Domain]) -> Point | None:
    """Values by a linear program where all relations are linear.  Raises NoValues where it has none."""
    program, by = Program(), "by"
    try:
        rows = [(forms.read(assumption.term), assumption.strictly) for assumption in assumed]
        rows += [
            (_end(name, domain, end), is_open)
            for name, domain in domains.items()
            for end, is_open in _ends(domain)
        ]
        for form, strictly in rows:
            row, constant = _row(form)
            program.at_least(row | ({by: Fraction(-1)} if strictly else {}), constant)
        program.at_least({by: Fraction(-1)}, Fraction(1))
        found = program.solve({by: Fraction(1)})
    except (NotAForm, TooMuchWork):
        return None
    if found is None or found.get(by, 0) <= 0:
        raise _none(assumed)
    real = {name: found.get((name, 1), Fraction(0)) - found.get((name, -1), Fraction(0)) for name in domains}
    for rounded in (Fraction, ceil, floor):
        near = {name: Fraction(rounded(x)) if domains[name].integer else x for name, x in real.items()}
        allowed = all(domain.contains(near[name]) for name, domain in domains.items())
        if allowed and assumptions.holds_at(assumed, near):
            return near
    return None


def _ends(domain: Domain) -> list[tuple[str, bool]]:
    found = (("least", domain.open_least), ("greatest", domain.open_greatest))
    return [(end, is_open) for end, is_open in found if getattr(domain, end) is not None]


def _end(name: str, domain: Domain, end: str) -> Form:
    from dpcompose.kernel.expressions.boxes import bound_form
    from dpcompose.kernel.expressions.terms import letter

    return bound_form(letter(name, domain), end)


def _row(form: Form) -> tuple[dict[object, Fraction], Fraction]:
    """A linear form as a row of a program, each letter as a difference.  Raises NotAForm for others."""
    row: dict[object, Fraction] = {}
    constant = Fraction(0)
    for term, c in form.monomials:
        if not term:
            constant = c
        elif len(term) == 1 and term[0][1] == 1 and term[0][0].kind == "letter":
            row |= {(term[0][0].of[0], 1): c, (term[0][0].of[0], -1): -c}
        else:
            raise NotAForm("it is not linear")
    if form.peaks:
        raise NotAForm("it is not linear")
    return row, constant


def _is_contradicted(assumed: Assumed) -> bool:
    """Whether the others are seen to say the opposite of one of the relations."""
    for n, assumption in enumerate(assumed):
        others = (*assumed[:n], *assumed[n + 1 :])
        if values.surely(-assumption.term, not assumption.strictly, others):
            return True
        with suppress(NotAForm):
            if assumption.strictly and isinstance(
                comparing.compare(ZERO, assumption.term, to_prove=True, assumed=others), Proof
            ):
                return True
    return False
