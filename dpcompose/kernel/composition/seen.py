"""What the form of a term shows: that it lies in a domain, or is a power of the distance."""

from __future__ import annotations

from dpcompose.kernel.deciders.calculus import elementary, ranges, values
from dpcompose.kernel.expressions import forms, substitution, terms
from dpcompose.kernel.expressions.domains import POSITIVE, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.terms import ZERO, Term


def lies_within(value: Term, domain: Domain) -> bool:
    """Whether a number, or a letter with all its values, lies in a domain; of the positive numbers, and of
    those between 0 and 1, any term that is seen to."""
    if value.number is not None:
        return domain.contains(value.number)
    if domain == UNIT_INTERVAL and value.kind != "oo":
        return _is_product_below_1(value) or forms.term_sign(value) == 1 == forms.term_sign(1 - value)
    return (value.kind == "letter" and value.of[1] == domain) or (domain == POSITIVE and value.positive)


def _is_product_below_1(value: Term) -> bool:
    """Whether a term is a product of numbers and letters in (0, 1), and of 1/k for letters k from 1 on."""
    below = False
    for factor in value.factors:
        base, exponent = factor.base_and_exponent
        n, least = exponent.number, base.of[1].least if base.kind == "letter" else None
        if factor.number is not None:
            inside, strictly = 0 < factor.number <= 1, factor.number < 1
        elif base.kind == "letter" and base.of[1] == UNIT_INTERVAL:
            inside = strictly = n is not None and n > 0
        else:
            inside, strictly = n is not None and n < 0 and least is not None and least >= 1, False
        if not inside:
            return False
        below = below or strictly
    return below


def is_convex(value: Term, r: Term) -> bool:
    """Whether a function of r ≥ 0 is 0 at 0, ≥ 0 and convex, so that it never falls: a power, or one whose
    second derivative is seen to be ≥ 0."""
    if is_power(value, r):
        return True
    name = r.of[0]
    try:
        if substitution.expanded(substitution.substituted(value, {name: ZERO})) != ZERO:
            return False
        f, box = values.goal(value)
        second = elementary.derivative(elementary.derivative(f, name), name)
        known = ranges.undefined(f, box) is None and values.surely(value, False)
        return known and values.surely(values.to_term(second, box), False)
    except (elementary.NotElementary, forms.NotAForm, terms.TermError):
        return False


def is_power(value: Term, r: Term) -> bool:
    """Whether a term is c·r^p for some c ≥ 0 and p ≥ 1, or ∞: a sum of such is convex, and so is the root of
    the sum of their squares."""
    if value.kind == "oo" or value == ZERO:
        return True
    factors = value.of if value.kind == "product" else (value,)
    powers = [factor for factor in factors if r.of[0] in factor.letters]
    rest = terms.multiply([factor for factor in factors if r.of[0] not in factor.letters])
    if len(powers) != 1 or not rest.nonnegative:
        return False
    (power,) = powers
    if power == r:
        return True
    p = power.of[1].number if power.kind == "power" and power.of[0] == r else None
    return p is not None and p >= 1
