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
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.terms import ZERO
from dpcompose.search.comparisons import comparing, parameters, points
from dpcompose.search.comparisons.comparing import Proof
from dpcompose.search.comparisons.linear import TooMuchWork

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
    try:
        some = [(forms.read(assumption.term), assumption.strictly) for assumption in assumed]
        relations = [points.constraint(*one) for one in some]
        atoms = [letter for form, _ in some for letter in form.letters if letter.kind != "letter"]
        if atoms or any(form.peaks for form, _ in some) or not points.are_linear(relations):
            return None
        real = points.by_program([*relations, *points.of_domains(domains)], domains)
    except (NotAForm, TooMuchWork):
        return None
    if real is None:
        raise _none(assumed)
    real = dict.fromkeys(domains, Fraction(0)) | real
    for rounded in (Fraction, ceil, floor):
        near = {name: Fraction(rounded(x)) if domains[name].integer else x for name, x in real.items()}
        allowed = all(domain.contains(near[name]) for name, domain in domains.items())
        if allowed and assumptions.holds_at(assumed, near):
            return near
    return None


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
