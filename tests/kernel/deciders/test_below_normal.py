"""Curves below that of normal noise: hand values, what is forged, and the least μ of random compositions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import pytest

from dpcompose.kernel.deciders.curves.below_normal import _is_below_far_out, is_below_normal
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term, number
from dpcompose.search.conversions.below import Compared, compared

F = Fraction
THREE = terms.log(number(3))
ONCE = Curve.of([Part(THREE, terms.ZERO)])
"""Randomized response with 3/4: the events {1} and {0} have 3/4 and 1/4, so that μ = 2·Φ⁻¹(3/4) = 1.348979500…"""


def holds(
    curve: Curve, mu: Fraction, ends: Sequence[Term], events: Sequence[Fraction], limit: Term = THREE
) -> bool:
    return is_below_normal(curve, number(mu * mu), ends, events, limit, 128)


def seen(curve: Curve, mu: Fraction) -> bool:
    """Whether the chords that the search finds show it."""
    found = compared(curve)
    assert found is not None
    return is_below_normal(
        curve, number(mu * mu), found.ends, [chord.event for chord in found.chords], found.limit, found.bits
    )


def test_randomized_response_by_hand() -> None:
    z = F(674489750, 10**9)  # Φ⁻¹(3/4)
    assert holds(ONCE, F("1.3489796"), [terms.ZERO, THREE], [z])
    assert not holds(ONCE, F("1.3489794"), [terms.ZERO, THREE], [z])
    assert seen(ONCE, F("1.3489796")) and not seen(ONCE, F("1.3489794"))


def test_normal_noise_alone_needs_no_chords() -> None:
    alone, beside = Curve.of([Normal(number(2))]), Curve.of([Normal(number(2)), Part(THREE, terms.ZERO)])
    assert [is_below_normal(alone, number(F(x)), [], [], THREE, 64) for x in ("2", "1.999999")] == [
        True,
        False,
    ]
    assert not is_below_normal(beside, number(100), [], [], THREE, 64)
    assert not is_below_normal(Curve.of([Normal(terms.ZERO, number(1))]), number(100), [], [], THREE, 64)


@pytest.mark.parametrize(
    ("ends", "events"),
    [
        ([terms.ZERO, THREE / 2], ["0.67449"]),  # something is lost beyond it
        ([THREE / 2, THREE], ["0.67449"]),  # and before it
        ([terms.ZERO, THREE], []),
        ([terms.ZERO, THREE], ["0.67449", "0.67449"]),
        ([terms.ZERO], []),
        ([], []),
        ([terms.ZERO, THREE], ["0"]),  # an event of another slope
        ([terms.ZERO, THREE], ["2"]),
        ([THREE, terms.ZERO], ["0.67449"]),
        ([terms.ZERO, THREE, terms.ZERO], ["0.67449", "0.67449"]),
    ],
)
def test_chords_that_do_not_show_it(ends: Sequence[Term], events: Sequence[str]) -> None:
    """Each leaves something out of what shows that μ = 1.4 is enough."""
    assert holds(ONCE, F("1.4"), [terms.ZERO, THREE], [F("0.67449")])
    assert not holds(ONCE, F("1.4"), ends, list(map(F, events)))


def test_beside_normal_noise() -> None:
    """Far out ε with (ε − T) − 1/2 ≥ ε/μ − μ/2: for T = log 3 and μ = 3/2 from 3·(log 3 − 1/4) = 2.5458 on."""
    beside = Curve.of([Part(THREE, terms.ZERO), Normal(terms.ONE)])
    assert seen(beside, F("1.5277")) and not seen(beside, F("1.52"))
    found = compared(beside)
    assert found is not None
    for last, far_enough in ((F("2.5"), False), (F("2.6"), True)):
        is_far = _is_below_far_out(beside, F(3, 2), number(last), THREE, 128)
        assert is_far == far_enough
    assert not _is_below_far_out(beside, F(3, 2), number(3), THREE / 2, 128)  # more is lost than that
    assert not _is_below_far_out(
        beside, F(1), number(100), THREE, 128
    )  # not less normal than what it is beside
    assert not _is_below_far_out(Curve.of([Normal(terms.ZERO, number(F(1, 2)))]), F(9), number(9), THREE, 128)
    fewer = found.ends[:10], [chord.event for chord in found.chords][:9]
    assert not holds(beside, F(2), *fewer, found.limit)


def test_what_is_lost_without_a_limit_is_not_below() -> None:
    """A δ > 0 at every ε is above normal noise far out."""
    with_delta = Curve.of([Part(THREE, number(F(1, 10**9)))])
    assert compared(with_delta) is None
    assert not holds(with_delta, F(50), [terms.ZERO, number(40)], [F(1)], number(40))


def least(parts: Sequence[tuple[float, int]]) -> mpmath.mpf:
    """The least μ of ε_i-DP mechanisms r_i steps apart, by their likelihood ratios: its noise is told by hand.

    At r steps outcome u has the loss (2u − r)ε; P(u) and Q(u) are what the iterates of g leave.
    """
    tables = []
    for epsilon, r in parts:
        e = mpmath.mpf(epsilon)
        c = 1 / (1 + mpmath.exp(e))
        b = [c * mpmath.exp(-j * e) for j in range(r)]
        ends = [mpmath.mpf(0), *[b[r - 1 - u] for u in range(r)], mpmath.mpf(1)]
        p = [hi - lo for lo, hi in pairwise(ends)]
        tables.append([((2 * u - r) * e, p[u]) for u in range(r + 1)])
    rows = []
    for some in product(*tables):
        loss = mpmath.fsum(x for x, _ in some)
        mass = mpmath.fprod(x for _, x in some)
        rows.append((loss, mass, mass * mpmath.exp(-loss)))
    rows.sort(reverse=True, key=lambda row: row[0])
    best, P, Q = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0)
    for n, (loss, p, q) in enumerate(rows[:-1]):
        P, Q = P + p, Q + q
        if loss - rows[n + 1][0] > mpmath.mpf(10) ** -20:
            best = max(best, _quantile(P) - _quantile(Q))
    return best


def _quantile(p: mpmath.mpf) -> mpmath.mpf:
    return mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(n, marks=pytest.mark.slow) for n in range(6, 200))]
)
def test_the_least_of_random_compositions(seed: int) -> None:
    rng = random.Random(seed)
    drawn = [(F(rng.randint(1, 20), 10), rng.randint(1, 3)) for _ in range(rng.randint(1, 4))]
    curve = Curve.of([Part(number(epsilon), terms.ZERO, steps=r) for epsilon, r in drawn])
    with mpmath.workdps(40):
        mu = F(
            str(
                mpmath.nstr(
                    least([(epsilon.numerator / mpmath.mpf(epsilon.denominator), r) for epsilon, r in drawn]),
                    25,
                )
            )
        )
    assert seen(curve, mu * (1 + F(1, 10**5))), drawn
    assert not seen(curve, mu * (1 - F(1, 10**5))), drawn
    found = compared(curve)
    assert isinstance(found, Compared) and abs(found.least - float(mu)) < 1e-6


def test_laplace_noise() -> None:
    """Of scale 1 around 0 and 1 the events {x > 1/2} are furthest apart: 2·Φ⁻¹(1 − e^(−1/2)/2) = 1.0299…"""
    curve = Curve.of([Laplace(terms.ONE)])
    mu = 2 * float(_quantile(1 - mpmath.exp(-mpmath.mpf(1) / 2) / 2))
    assert seen(curve, F(round((mu + 0.001) * 10**6), 10**6))
    assert not seen(curve, F(round((mu - 0.001) * 10**6), 10**6))
