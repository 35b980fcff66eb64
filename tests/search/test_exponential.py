"""The exponential mechanism: ε by the range of its scores, ε²/8 in zCDP, and claims that use both."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import pytest

import dpcompose as dpc


def chosen(t: object, target: Any = dpc.bounded, bins: int = 4, many: int = 1) -> dpc.Study:
    some = [dpc.mechanism(f"M{i}", query=dpc.histogram(bins), noise=dpc.exponential(t)) for i in range(many)]
    return dpc.compose(*some, on=dpc.multisets(), target=target)


@pytest.mark.parametrize(
    ("target", "eta", "rho"),
    [
        (dpc.unbounded, "e", "e**2/8"),
        (dpc.bounded, "2*e", "e**2/2"),
    ],  # scores move apart by 1, and by 2 where one is replaced
)
def test_zcdp_by_the_range_of_the_scores(target: Any, eta: str, rho: str) -> None:
    """What is known is less than e**2/8, which all papers print."""
    known = f"{eta}/(exp({eta}) - 1) - log({eta}) + log(exp({eta}) - 1) - 1"
    assert str(chosen("e", target).guarantee("zcdp").values["rho"]) == known
    assert chosen("e", target).check(dpc.zcdp(rho)).verdict == "proved"


def test_what_pure_privacy_alone_gives_is_proved_as_well() -> None:
    """For large ε that is less: ε·tanh(ε/2) is about ε, and ε²/8 is more from ε = 8 on."""
    assert chosen("e", dpc.unbounded).check(dpc.zcdp("e*tanh(e/2)")).verdict == "proved"
    assert chosen(20, dpc.unbounded).check(dpc.zcdp(20)).verdict == "proved"


def test_many_choices_add_up_in_zcdp() -> None:
    """Twenty choices at 1/10 each: (2, 0), or 20·(1/10)²/8 + 2√(20·(1/10)²/8·ln 10⁶) = 1.2 at δ = 10⁻⁶."""
    study = chosen("1/10", dpc.unbounded, many=20)
    assert study.check(dpc.approximate("1.21", "1e-6")).verdict == "proved"
    assert study.check(dpc.pure(2)).verdict == "proved"


def test_pure_guarantees_beside_it_are_converted() -> None:
    study = dpc.compose(
        *(dpc.mechanism(f"M{i}", query=dpc.histogram(4), noise=dpc.exponential("1/10")) for i in range(20)),
        dpc.mechanism("N", dpc.pure("1/10", dpc.unbounded)),
        on=dpc.multisets(),
        target=dpc.unbounded,
    )
    assert study.check(dpc.approximate("1.35", "1e-6")).verdict == "proved"
    assert study.check(dpc.zcdp("20/800 + 1/200")).verdict == "proved"


@pytest.mark.parametrize("seed", range(40))
def test_no_divergence_is_above_the_page(seed: int) -> None:
    """D_α ≤ α(tw)²/8 for scores and orders at random, by sums with 40 digits."""
    draw = random.Random(seed)
    t, n = mpmath.mpf(draw.choice([0.1, 0.5, 1, 3])), draw.randint(2, 6)
    x = [draw.randint(0, 5) for _ in range(n)]
    z = [a + draw.choice([-1, 0, 1]) for a in x]
    w = max(a - b for a, b in zip(x, z, strict=True)) - min(a - b for a, b in zip(x, z, strict=True))
    with mpmath.workdps(40):
        P, Q = ([mpmath.exp(t * a) for a in some] for some in (x, z))
        P, Q = ([p / sum(some) for p in some] for some in (P, Q))
        for alpha in (mpmath.mpf("1.01"), 2, mpmath.mpf("7.5"), 30):
            moment = mpmath.fsum(p**alpha * q ** (1 - alpha) for p, q in zip(P, Q, strict=True))
            assert mpmath.log(moment) / (alpha - 1) <= alpha * (t * w) ** 2 / 8 + mpmath.mpf(10) ** -30
