"""The curves beside other tools, where these are installed: `pip install 'dpcompose[interop]'`, `pytest -m slow`.

dp-accounting rounds privacy losses to a grid, once up and once down, and opendp converts zCDP; both calculate
in floating-point numbers, for which a little room is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.deciders.curves.curves import Curve, Part, Piece
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.expressions import terms

pytestmark = pytest.mark.slow
ROOM = 1e-9
"""What floating-point numbers may be off by, in δ."""


def ours(piece: Piece, k: int, epsilon: Fraction) -> tuple[float, float]:
    """Between which numbers δ lies, for k mechanisms that are alike."""
    curve = Curve.of([piece.times(k)])
    return float(curve.below(terms.number(epsilon))), float(curve.above(terms.number(epsilon)))


def one(x: Fraction) -> Part:
    return Part(terms.number(x), terms.ZERO)


LAWS: list[tuple[str, Callable[[Any, Fraction, bool], Any], Callable[[Fraction], Piece]]] = [
    (
        "Laplace",
        lambda pld, x, up: pld.from_laplace_mechanism(
            float(1 / x), value_discretization_interval=1e-3, pessimistic_estimate=up
        ),
        lambda x: Laplace(terms.number(x)),
    ),
    (
        "geometric",
        lambda pld, x, up: pld.from_discrete_laplace_mechanism(
            float(x), value_discretization_interval=1e-3, pessimistic_estimate=up
        ),
        one,
    ),
    (
        "Gaussian",
        lambda pld, x, up: pld.from_gaussian_mechanism(
            float(1 / x), value_discretization_interval=1e-3, pessimistic_estimate=up
        ),
        lambda x: Normal(terms.number(x * x)),
    ),
    (
        "randomized response",
        lambda pld, x, up: pld.from_randomized_response(
            2 / (1 + math.exp(x)), 2, value_discretization_interval=1e-3, pessimistic_estimate=up
        ),
        one,
    ),
]


TABLES = [
    ([Fraction(3), Fraction(1)], [Fraction(0), Fraction(2, 5)]),
    ([Fraction(4), Fraction(3, 2)], [Fraction(1, 100), Fraction(1, 10)]),
    ([Fraction(14, 5), Fraction(1)], [Fraction(0), Fraction(9, 100)]),
]
"""e^ε and δ of several guarantees at once."""


@pytest.mark.parametrize(("odds", "deltas"), TABLES)
@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("k", [1, 7, 60, 300])
def test_tables_of_losses(odds: list[Fraction], deltas: list[Fraction], steps: int, k: int) -> None:
    """The same two distributions, given to theirs outcome by outcome."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    pairs = tuple((terms.log(terms.number(c)), terms.number(d)) for c, d in zip(odds, deltas, strict=True))
    piece = Together(pairs, steps)
    table = piece.table(128, True)
    upper = {n: math.log(p) for n, p in enumerate(table.masses.values())}
    lower = {n: math.log(p / x) for n, (x, p) in enumerate(table.masses.items())}
    if table.infinite:
        upper[-1] = lower[-2] = math.log(table.infinite)
    for end in (True, False):
        made = pld.from_two_probability_mass_functions(
            lower, upper, value_discretization_interval=1e-4, pessimistic_estimate=end
        ).self_compose(k)
        for epsilon in (Fraction(0), Fraction(1), Fraction(3)):
            low, high = ours(piece, k, epsilon)
            found = made.get_delta_for_epsilon(float(epsilon))
            assert low <= high
            assert low <= found + ROOM if end else high >= found - ROOM, (k, epsilon)


@pytest.mark.parametrize(("law", "theirs", "piece"), LAWS, ids=[name for name, _, _ in LAWS])
@pytest.mark.parametrize("k", [1, 2, 10, 100, 1000])
def test_dp_accounting(
    law: str, theirs: Callable[[Any, Fraction, bool], Any], piece: Callable[[Fraction], Piece], k: int
) -> None:
    """Theirs rounded down is not above ours from above, and theirs rounded up not below ours from below."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    x = Fraction(1) if k <= 2 else Fraction(1, round(math.sqrt(k)))
    up, down = (theirs(pld, x, end).self_compose(k) for end in (True, False))
    for epsilon in (Fraction(0), x / 2, Fraction(1), Fraction(2)):
        low, high = ours(piece(x), k, epsilon)
        assert low <= high
        assert low <= up.get_delta_for_epsilon(float(epsilon)) + ROOM, (k, epsilon)
        assert high >= down.get_delta_for_epsilon(float(epsilon)) - ROOM, (k, epsilon)


def test_pure_mechanisms_of_dp_accounting() -> None:
    """k mechanisms of which only ε, δ are known, by their accountant of (ε, δ) pairs."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    common = pytest.importorskip("dp_accounting.pld.common")
    for k, x, d in ((1, 1.0, 0.125), (5, 0.5, 0.0), (40, 0.125, 2**-20)):
        part = Part(terms.number(Fraction(x)), terms.number(Fraction(d)))
        up = pld.from_privacy_parameters(common.DifferentialPrivacyParameters(x, d)).self_compose(k)
        for epsilon in (Fraction(0), Fraction(1, 2), Fraction(3, 2)):
            assert ours(part, k, epsilon)[0] <= up.get_delta_for_epsilon(float(epsilon)) + ROOM


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_zcdp_of_opendp(k: int) -> None:
    """Their ε at δ by the best Rényi order: ours from above needs no larger δ there, up to their rounding."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    scale = 4 * math.sqrt(k)
    alone = dp.m.make_gaussian(*space, scale=scale)
    every = dp.c.make_composition([alone] * k) if k > 1 else alone
    curve = dp.c.make_zCDP_to_approxDP(every).map(1.0)
    rho = Fraction(k, 2) / Fraction(scale) ** 2
    normal = Normal(terms.ZERO, terms.number(rho))
    for delta in (1e-3, 1e-6, 1e-9):
        epsilon = Fraction(curve.epsilon(delta))
        assert normal.above(epsilon, 128) <= Fraction(delta) * Fraction(1001, 1000)
        assert normal.below(epsilon, 128) <= Fraction(delta)


@pytest.mark.parametrize("k", [1, 3, 1000])
def test_sums_of_opendp(k: int) -> None:
    """Laplace and geometric noise: their ε is not below the sum, and next to it."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    floats = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    integers = dp.atom_domain(T="i32"), dp.absolute_distance(T="i32")
    for space, near in ((floats, 1.0), (integers, 1)):
        alone = dp.m.make_laplace(*space, scale=8.0)
        every = dp.c.make_composition([alone] * k) if k > 1 else alone
        assert k / 8 <= every.map(near) <= k / 8 * (1 + 1e-6)
