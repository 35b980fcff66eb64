"""Whether the least δ of a composition is just a claimed one: by formulas in powers of e, not by enclosures.

δ(ε') is the mean of max(0, 1 − e^(ε' − L)) over finitely many losses L.  Times the common denominator of
their probabilities it is a polynomial in powers of e; so is the claimed δ, and the two are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dpcompose.kernel.deciders.curves.canonical import noise
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.substitution import expanded
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term

MOST_LOSSES, MOST_MECHANISMS = 200, 64
"""Up to how many losses, and mechanisms, are gone through."""
BITS = 512
"""With how many binary digits probabilities are told that are rational numbers."""

Masses = Mapping[Term, Term]
"""Losses, and the probability of each times the denominator."""


def is_least(curve: Curve, epsilon: Term, delta: Term) -> bool:
    """Whether δ is seen to be just the least one at ε'; False where it is not, or that is not known.

    >>> two = Curve.of([Part(terms.log(terms.number(3)), ZERO, count=2)])
    >>> is_least(two, ZERO, terms.number(1) / 2), is_least(two, ZERO, terms.number(3) / 8)
    (True, False)
    """
    if (alike := curve.alike_middles) is not None and alike.count == 1:
        return _is_of_middle(alike.ratio, epsilon, delta)
    many = sum(one.count for one in curve.parts) > MOST_MECHANISMS
    if curve.normal is not None or curve.laplace or curve.together or curve.keyed or many:
        return False
    masses: Masses = {ZERO: ONE}
    below, stays = list[Term](), ONE
    for part in curve.parts:
        found = _masses(part)
        if found is None:
            return False
        one, denominator, infinite = found
        below.append(denominator**part.count)
        stays = stays * (ONE - infinite) ** part.count
        for _ in range(part.count):
            masses = _convolved(masses, one)
            if len(masses) > MOST_LOSSES:
                return False
    signs = {loss: sign(loss - epsilon) for loss in masses}
    if None in signs.values():
        return False
    finite = (mass * (ONE - terms.exp(epsilon - loss)) for loss, mass in masses.items() if signs[loss] == 1)
    more = [*finite, *(terms.multiply([summand, *below]) for summand in (ONE - stays - delta).summands)]
    return terms.add(map(expanded, more)) == ZERO


def _is_of_middle(a: Term, epsilon: Term, delta: Term) -> bool:
    """Whether δ = (1 − e^((ε − a)/2))²/(1 − e^−a), for |ε| ≤ a."""
    if sign(a - epsilon) not in (0, 1) or sign(a + epsilon) not in (0, 1):
        return False
    root = ONE - terms.exp((epsilon - a) / 2)
    return expanded(root * root - delta * (ONE - terms.exp(-a))) == ZERO


def _masses(part: Part) -> tuple[Masses, Term, Term] | None:
    """The losses of one mechanism with their probabilities times a denominator; that; and the probability
    of ∞.  None where these have no formula here."""
    if part.steps == 1 and sign(ONE - part.delta) in (0, 1):
        x, stays = terms.exp(part.epsilon), ONE - part.delta
        if part.epsilon == ZERO:
            return {ZERO: stays}, ONE, part.delta
        return {-part.epsilon: stays, part.epsilon: stays * x}, ONE + x, part.delta
    table = noise(part.epsilon, part.delta, part.steps, BITS)
    if any(interval.low != interval.high for interval in (*table.masses, table.infinite)):
        return None
    found: dict[Term, Term] = {}
    for u, mass in enumerate(table.masses):
        loss = (2 * u - part.steps) * part.epsilon
        found[loss] = found.get(loss, ZERO) + terms.number(mass.low)
    return found, ONE, terms.number(table.infinite.low)


def _convolved(masses: Masses, others: Masses) -> Masses:
    found: dict[Term, Term] = {}
    for loss, mass in _pairs(masses, others):
        found[loss] = found[loss] + mass if loss in found else mass
    return found


def _pairs(masses: Masses, others: Masses) -> Iterator[tuple[Term, Term]]:
    """The sums of losses, multiplied out, with the products of their masses."""
    for x, p in masses.items():
        for y, q in others.items():
            yield expanded(x + y), expanded(p * q)
