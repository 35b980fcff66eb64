"""Decides claims with numbers by the curve δ(ε') of a page of kind computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language.decimals import SHOWN_DIGITS, decimal, rounded
from dpcompose.language.enclosures import NoEnclosure
from dpcompose.privacy.curves import TooManyLosses
from dpcompose.privacy.notions import Guarantee
from dpcompose.proof import computed, counterexamples
from dpcompose.proof.computed import COMPUTED
from dpcompose.proof.counterexamples import Counterexample
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Page
from dpcompose.proof.signs import BadCertificate
from dpcompose.search import some
from dpcompose.search.bounds import Bound
from dpcompose.search.some import Missed

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
    reason, missed = "", Missed("")
    for bits in BITS:
        try:
            return _proved(page, claimed, bound, bits)
        except (BadCertificate, NoEnclosure, TooManyLosses) as error:
            reason = str(error)
        found = _refuted(claimed, bound, [{}], bits)
        if isinstance(found, Counterexample):
            return found
        missed = found
    return _between(page, claimed, bound, missed, reason)


def _between(page: Page, claimed: Guarantee, bound: Bound, missed: Missed, reason: str) -> str:
    """The least δ that is proved, and the largest that is attained, in words; why neither decides."""
    below, above = "no lower bound that is known", f"no upper bound that is known ({reason})"
    if missed.least is not None:
        below = f"the lower bound {decimal(rounded(missed.least, SHOWN_DIGITS, up=False))}"
    with suppress(BadCertificate, NoEnclosure, TooManyLosses):
        worst = computed.delta(computed.curves(page, bound.steps, bound.profile), claimed, BITS[-1], {})
        above = f"the upper bound {decimal(rounded(worst.high, SHOWN_DIGITS, up=True))}"
    return f"at this epsilon the least delta has {below} and {above}: {missed.reason}"


def _proved(page: Page, claimed: Guarantee, bound: Bound, bits: int) -> Proved:
    certificate = {"by": page.id, "page": page.sha256, "bits": bits}
    loose = computed.check_proved(certificate, claimed, bound.steps, bound.profile)
    return Proved(loose, {COMPUTED: certificate})


def _refuted(
    claimed: Guarantee, bound: Bound, points: list[dict[str, Fraction]], bits: int
) -> Counterexample | Missed:
    """The counterexample at the pair that loses most at some point, or why there is none, with the largest δ
    that is attained."""
    missed: list[Missed] = []
    for point in points:
        try:
            inputs = counterexamples.instance(bound.steps.inputs, point)
        except BadCertificate as error:
            missed.append(Missed(str(error)))
            continue
        for pair in counterexamples.with_multiples(inputs, _pairs(inputs, bound)):

            def make(
                without: Sequence[str], inputs: Any = inputs, pair: Any = pair, point: Any = point
            ) -> Any:
                return counterexamples.by_curve(inputs, claimed, pair, point, bits, without)

            found = some.of_some(make, _alike(inputs, pair))
            if isinstance(found, Counterexample):
                return found
            missed.append(found)
    attained = [one.least for one in missed if one.least is not None]
    return Missed(missed[-1].reason if missed else "", max(attained, default=None))


def _alike(inputs: Inputs, pair: tuple[Any, Any]) -> list[list[str]]:
    """The names of the mechanisms that a pair moves, those together that are given alike and move as far."""
    found: dict[object, list[str]] = {}
    for i, r in inputs.distances(pair).items():
        one = inputs.setting.mechanisms[i - 1]
        found.setdefault((one.noise, one.query, one.satisfies, str(r)), []).append(one.name)
    return list(found.values())


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
    return claimed.with_values((("epsilon", epsilon), ("delta", claimed["delta"])))
