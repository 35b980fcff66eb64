"""Verdicts beside the accountants of dp-accounting and OpenDP on a grid: normal and Laplace noise, randomized response,
on all records, on Poisson samples and on samples of so many, once and composed.

What an accountant rounds down is never refuted above and never proved below; where both are exact, what it rounds up
is proved, and a little less than what it rounds down refuted.  `pip install 'dpcompose[interop]'`, `pytest -m slow`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front.studies.study import Study

pytestmark = pytest.mark.slow
STEP = 1e-3
"""To which multiples theirs rounds losses."""
ROOM = Fraction(1, 10**7)
"""What floating-point numbers may be off by."""
TIMES = (1, 2, 8)
EPSILONS = ("0", "1/4", "1", "2")
HALF, TENTH = "1/2", "1/10"


def study(
    times: int, size: str = "any", target: Any = dpc.unbounded, guarantee: Any = None, **said: Any
) -> Study:
    """So many mechanisms that are alike."""
    stated = () if guarantee is None else (guarantee,)
    some = [dpc.mechanism(f"M{n}", *stated, **said) for n in range(times)]
    return dpc.compose(*some, on=dpc.multisets(size=size), target=target)


def delta(found: float) -> Fraction:
    return Fraction(min(max(found, 0.0), 1.0)).limit_denominator(10**9)


def beside(ours: Study, theirs: Callable[[bool], list[Any]], exact: bool = True) -> None:
    """Claims a little above what theirs rounds up, and a little below what it rounds down; theirs -- the
    distributions of losses in both orders, rounded up or down."""
    for epsilon in EPSILONS:
        high, low = (
            max(one.get_delta_for_epsilon(float(Fraction(epsilon))) for one in theirs(up))
            for up in (True, False)
        )
        above = ours.check(dpc.approximate(epsilon, delta(high) + ROOM)).verdict
        assert above == "proved" if exact else above != "refuted", (epsilon, high)
        if low > 2 * ROOM:
            below = ours.check(dpc.approximate(epsilon, delta(low) - ROOM)).verdict
            assert below == "refuted" if exact else below != "proved", (epsilon, low)


def pld() -> Any:
    return pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")


def losses(one: Any, times: int, **said: Any) -> Callable[[bool], list[Any]]:
    def rounded(up: bool) -> list[Any]:
        found = one(pessimistic_estimate=up, value_discretization_interval=STEP, **said)
        return [found.self_compose(times) if times > 1 else found]

    return rounded


def of_rows(p: Fraction, q: Fraction, rate: Fraction, times: int) -> Callable[[bool], list[Any]]:
    """Of randomized response on a Poisson sample: both orders of the rows, the first of them on the sample."""

    def rounded(up: bool) -> list[Any]:
        at_D = [(1 - rate) * x + rate * y for x, y in ((q, p), (1 - q, 1 - p))]
        rows = [{n: math.log(x) for n, x in enumerate(row)} for row in (at_D, (q, 1 - q))]
        made = [
            pld().from_two_probability_mass_functions(
                lower, upper, pessimistic_estimate=up, value_discretization_interval=STEP, symmetric=True
            )
            for upper, lower in (rows, rows[::-1])
        ]
        return [one.self_compose(times) if times > 1 else one for one in made]

    return rounded


@pytest.mark.parametrize(("times", "scale"), list(product(TIMES, ("1/2", "1", "3"))))
def test_normal_noise(times: int, scale: str) -> None:
    ours = study(times, query=dpc.count, noise=dpc.gaussian_noise(scale))
    beside(ours, losses(pld().from_gaussian_mechanism, times, standard_deviation=float(Fraction(scale))))


@pytest.mark.parametrize(("times", "scale"), list(product(TIMES[:2], ("1/2", "1", "3"))))
def test_laplace_noise(times: int, scale: str) -> None:
    """Of several our lattice is coarser than theirs."""
    ours = study(times, query=dpc.count, noise=dpc.laplace(scale))
    made = losses(pld().from_laplace_mechanism, times, parameter=float(Fraction(scale)))
    beside(ours, made, exact=times == 1)


@pytest.mark.parametrize(("times", "odds", "rate"), list(product(TIMES, (2, 3), ("1", HALF, TENTH))))
def test_randomized_response_on_poisson_samples(times: int, odds: int, rate: str) -> None:
    """All that is log(odds)-DP on samples; a record that comes, and one that goes."""
    ours = study(times, guarantee=dpc.pure(f"log({odds})", dpc.unbounded), sampled={"poisson": rate})
    p = Fraction(odds, odds + 1)
    beside(ours, of_rows(p, 1 - p, Fraction(rate), times))


@pytest.mark.parametrize(("odds", "m"), list(product((2, 3), (1, 5))))
def test_randomized_response_on_samples_of_so_many(odds: int, m: int) -> None:
    """One of them is exact; of two it is not known in which order each is worst, and theirs is one order."""
    guarantee, p = dpc.pure(f"log({odds})", dpc.bounded), Fraction(odds, odds + 1)
    for times in (1, 2):
        ours = study(times, "= 10", dpc.bounded, guarantee=guarantee, sampled={"fixed": [str(m), "10"]})
        beside(ours, of_rows(p, 1 - p, Fraction(m, 10), times), exact=times == 1)


@pytest.mark.parametrize(("times", "rate"), list(product(TIMES, (HALF, TENTH))))
def test_nothing_is_proved_below_normal_and_laplace_noise_on_samples(times: int, rate: str) -> None:
    """Of these ours gains less than theirs, which knows the noise."""
    made = {
        dpc.gaussian(1, dpc.unbounded): losses(
            pld().from_gaussian_mechanism, times, standard_deviation=1.0, sampling_prob=float(Fraction(rate))
        ),
        dpc.pure(1, dpc.unbounded): losses(
            pld().from_laplace_mechanism, times, parameter=1.0, sampling_prob=float(Fraction(rate))
        ),
    }
    for guarantee, theirs in made.items():
        ours = study(times, guarantee=guarantee, sampled={"poisson": rate})
        for epsilon in EPSILONS[:3]:
            low = max(one.get_delta_for_epsilon(float(Fraction(epsilon))) for one in theirs(False))
            if low > 2 * ROOM:
                assert ours.check(dpc.approximate(epsilon, delta(low) - ROOM)).verdict != "proved"


@pytest.mark.parametrize("order", ["3/2", "2", "5", "16"])
def test_divergences(order: str) -> None:
    """Rényi divergences of normal and Laplace noise and of randomized response, composed, at an order."""
    rdp = pytest.importorskip("dp_accounting.rdp")
    event = pytest.importorskip("dp_accounting.dp_event")
    relations = pytest.importorskip("dp_accounting.privacy_accountant").NeighboringRelation
    accountant = rdp.RdpAccountant([float(Fraction(order))])
    accountant.compose(event.GaussianDpEvent(2.0), 3).compose(event.LaplaceDpEvent(1.5), 2)
    answers = rdp.RdpAccountant([float(Fraction(order))], relations.REPLACE_ONE)
    answers.compose(event.RandomizedResponseDpEvent(0.5, 2))
    ours = dpc.compose(
        *(dpc.mechanism(f"G{n}", query=dpc.count, noise=dpc.gaussian_noise(2)) for n in range(3)),
        *(dpc.mechanism(f"L{n}", query=dpc.count, noise=dpc.laplace("3/2")) for n in range(2)),
        dpc.mechanism("R", dpc.pure("log(3)", dpc.unbounded)),
        on=dpc.multisets(),
        target=dpc.unbounded,
    )
    found = Fraction(accountant._rdp[0] + answers._rdp[0]).limit_denominator(10**10)
    words = [ours.check(dpc.renyi(found + x, order)).verdict for x in (ROOM, -ROOM)]
    assert words == ["proved", "refuted"]


@pytest.mark.parametrize(("rate", "times"), list(product((HALF, TENTH), (1, 10))))
def test_nothing_is_proved_below_divergences_of_normal_noise_on_samples(rate: str, times: int) -> None:
    rdp = pytest.importorskip("dp_accounting.rdp")
    event = pytest.importorskip("dp_accounting.dp_event")
    for order in (2, 8, 64):
        accountant = rdp.RdpAccountant([float(order)])
        accountant.compose(
            event.PoissonSampledDpEvent(float(Fraction(rate)), event.GaussianDpEvent(1.0)), times
        )
        ours = study(times, guarantee=dpc.zcdp(HALF, dpc.unbounded), sampled={"poisson": rate})
        least = Fraction(accountant._rdp[0]).limit_denominator(10**10) - ROOM
        assert ours.check(dpc.renyi(least, order)).verdict != "proved"
        assert ours.check(dpc.renyi(Fraction(times * order, 2), order)).verdict == "proved"


@pytest.mark.parametrize(("times", "scale"), list(product((1, 3, 10), ("1/2", "2"))))
def test_opendp(times: int, scale: str) -> None:
    """Sums of losses and of ρ, and the ε at a δ that ρ-zCDP gives."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    b = Fraction(scale)
    laplace = dp.c.make_composition([dp.m.make_laplace(*space, scale=float(b))] * times)
    normal = dp.c.make_composition([dp.m.make_gaussian(*space, scale=float(b))] * times)
    pure = study(times, query=dpc.count, noise=dpc.laplace(scale))
    zcdp = study(times, query=dpc.count, noise=dpc.gaussian_noise(scale))
    for ours, claim, theirs in ((pure, dpc.pure, laplace.map(1.0)), (zcdp, dpc.zcdp, normal.map(1.0))):
        found = Fraction(theirs).limit_denominator(10**10)
        assert [ours.check(claim(found + x)).verdict for x in (ROOM, -ROOM)] == ["proved", "refuted"]
    curve = dp.c.make_zCDP_to_approxDP(normal).map(1.0)
    concentrated = study(times, guarantee=dpc.zcdp(Fraction(1, 2) / b**2, dpc.unbounded))
    for least in (1e-3, 1e-9):
        epsilon = Fraction(curve.epsilon(least)).limit_denominator(10**6) + Fraction(1, 1000)
        assert concentrated.check(dpc.approximate(epsilon, delta(least))).verdict == "proved"
