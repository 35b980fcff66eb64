"""Decides claims with numbers by the curve δ(ε') of a page of kind computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language.enclosures import NoEnclosure
from dpcompose.privacy.curves import TooManyLosses
from dpcompose.privacy.notions import Guarantee
from dpcompose.proof import computed, counterexamples
from dpcompose.proof.computed import COMPUTED
from dpcompose.proof.counterexamples import Counterexample
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Page
from dpcompose.proof.signs import BadCertificate
from dpcompose.search.bounds import Bound

BITS = (128, 512)
"""With how many binary digits a curve is enclosed, until a claim is seen to lie above or below it."""


ONLY_NUMBERS = (
    "the least delta for each epsilon is computed for numbers only, and at the values of the parameters "
    "that were tried it does not refute the claim"
)


@dataclass(frozen=True)
class Proved:
    """The claimed δ is at least the curve; loose -- whether it is larger; as in `claims.Verdict`."""

    loose: bool | None
    certificate: Mapping[str, Any]


def decide(
    claimed: Guarantee, bound: Bound, points: list[dict[str, Fraction]]
) -> Proved | Counterexample | str | None:
    """A proof or a counterexample by the curve; in words why there is none; None where no page has a curve.

    points -- values of all parameters, at which refutations of claims with parameters are tried.
    """
    page = computed.page(bound.steps.theory, bound.setting, claimed.notion)
    if page is None:
        return None
    values = [value for _, value in claimed.values]
    if sympy.oo in values:
        return _proved(page, claimed, bound, BITS[0])  # nothing is claimed
    if bound.setting.used or any(value.free_symbols for value in values):
        found = _refuted(claimed, bound, points, BITS[0])
        return found if isinstance(found, Counterexample) else ONLY_NUMBERS
    reason = ""
    for bits in BITS:
        try:
            return _proved(page, claimed, bound, bits)
        except (BadCertificate, NoEnclosure, TooManyLosses) as error:
            reason = str(error)
        found = _refuted(claimed, bound, [{}], bits)
        if isinstance(found, Counterexample):
            return found
    try:
        worst = computed.delta(computed.curves(page, bound.steps, bound.profile), claimed, BITS[-1], {})
    except BadCertificate:
        return reason
    low, high = counterexamples.between(worst)
    concrete = any(mechanism.is_concrete for mechanism in bound.setting.mechanisms)
    least = "the least delta that is known" if concrete else "the least delta for which it holds"
    return f"at this epsilon {least} lies between {low} and {high}: {found}"


def _proved(page: Page, claimed: Guarantee, bound: Bound, bits: int) -> Proved:
    certificate = {"by": page.id, "page": page.sha256, "bits": bits}
    loose = computed.check_proved(certificate, claimed, bound.steps, bound.profile)
    return Proved(loose, {COMPUTED: certificate})


def _refuted(
    claimed: Guarantee, bound: Bound, points: list[dict[str, Fraction]], bits: int
) -> Counterexample | str:
    """The counterexample at the pair that loses most at some point, or why there is none."""
    reason = ""
    for point in points:
        try:
            inputs = counterexamples.instance(bound.steps.inputs, point)
        except BadCertificate as error:
            reason = str(error)
            continue
        for pair in counterexamples.with_multiples(inputs, _pairs(inputs, bound)):
            try:
                return counterexamples.by_curve(inputs, claimed, pair, point, bits)
            except BadCertificate as error:
                reason = str(error)
    return reason


def _pairs(inputs: Inputs, bound: Bound) -> Iterator[tuple[Any, Any]]:
    """Pairs of neighbours, one for each way in which inputs move: those of the profile, or of an instance."""
    if inputs is bound.steps.inputs:
        parse = inputs.setting.databases.parse
        pairs = [(parse(D), parse(E)) for D, E in bound.profile.pairs]
    else:
        pairs = list(inputs.neighbouring_pairs().pairs)
    stated = [mechanism.satisfies.values for mechanism in inputs.setting.mechanisms]
    seen = set()
    for pair in pairs:
        moved = tuple(sorted((str(stated[i - 1]), r) for i, r in inputs.distances(pair).items()))
        if moved not in seen:
            seen.add(moved)
            yield pair


def least(claimed: Guarantee, bound: Bound) -> Guarantee | None:
    """The claim with the least ε that is known at its δ, up to 1e-6, where a curve is computed.

    ε is oo where the claimed δ is below all that the curve reaches.
    """
    page = computed.page(bound.steps.theory, bound.setting, claimed.notion)
    if page is None or not bound.profile.vectors or claimed["delta"] is sympy.oo:
        return None
    epsilon: sympy.Expr = sympy.Integer(0)
    try:
        delta = computed.claimed_delta(claimed, BITS[0], {}).low
        for curve in computed.curves(page, bound.steps, bound.profile) if delta < 1 else []:
            if curve is not None and curve.delta(epsilon).high <= delta:
                continue
            one = None if curve is None else curve.least_epsilon(delta)
            if one is None:
                epsilon = sympy.oo
                break
            epsilon = sympy.Rational(one.high.numerator, one.high.denominator)
    except (BadCertificate, NoEnclosure, TooManyLosses):
        return None
    return replace(claimed, values=(("epsilon", epsilon), ("delta", claimed["delta"])))
