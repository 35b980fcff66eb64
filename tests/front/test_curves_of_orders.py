"""Curves and budgets where mechanisms are stated by their divergences."""

from __future__ import annotations

import math

import pytest

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.numbers.curve import NoCurve
from dpcompose.front.numbers.numbers import NoBudget
from dpcompose.front.numbers.totals import read_total
from dpcompose.search.conversions.orders import TRIED

ORDERS = [float(one) for one in TRIED]


def ledger(*some: dpc.Guarantee) -> dpc.Study:
    made = [dpc.mechanism(f"M{n}", one) for n, one in enumerate(some)]
    return dpc.compose(*made, on=dpc.multisets("ab"), target=dpc.unbounded)


def epsilon_at(alpha: float, tau: float, delta: float) -> float:
    """Canonne, Kamath, Steinke 2020."""
    return max(0.0, tau + math.log(1 - 1 / alpha) - (math.log(delta) + math.log(alpha)) / (alpha - 1))


@pytest.mark.parametrize("rho", [0.02, 0.5, 3.0])
def test_epsilon_is_the_least_over_the_orders(rho: float) -> None:
    curve = ledger(dpc.renyi(f"alpha*{rho}", "(1, oo)", dpc.unbounded)).curve()
    for delta in (1e-2, 1e-5, 1e-9):
        wanted = min(epsilon_at(a, a * rho, delta) for a in ORDERS)
        found = curve.epsilon(str(delta))
        assert found.lower is None and wanted - 1e-9 <= float(found.upper) <= wanted + 1e-6


def test_delta_is_where_epsilon_is_reached() -> None:
    curve = ledger(dpc.renyi("alpha/10", "(1, 64]", dpc.unbounded)).curve()
    delta = curve.delta(1).upper
    assert float(curve.epsilon(delta).upper) <= 1 + 1e-12 < float(curve.epsilon(delta * 99 / 100).upper)


def test_what_the_curve_says_is_proved() -> None:
    made = ledger(dpc.renyi("1/5", "16", dpc.unbounded), dpc.pure("1/10", dpc.unbounded))
    delta = made.curve().delta(1).upper
    assert made.check(dpc.approximate(1, delta)).verdict == "proved"


def test_nothing_is_known_near_zero() -> None:
    curve = ledger(dpc.renyi("3", "2", dpc.unbounded)).curve()
    assert curve.delta(0).upper == 1
    with pytest.raises(NoCurve, match="between 0 and 1"):
        curve.epsilon(0)


def test_a_budget_at_one_order() -> None:
    some = [dpc.renyi(one, "(1, oo)", dpc.unbounded) for one in ("alpha*x", "2*x")]
    made = ledger(*some)
    assert str(made.budget(read_total("renyi", "epsilon=1,orders=8"))).startswith(
        "x = 0.1078932"
    )  # 8*x + D_8 of 2*x
    noisy = dpc.mechanism("M", query=dpc.count, noise=dpc.gaussian_noise("s"))
    found = dpc.compose(noisy, on=dpc.multisets("ab"), target=dpc.unbounded)
    chosen = found.budget(read_total("zcdp", "epsilon=1,orders=8"))
    assert str(chosen).startswith("s = 2\n")  # 8/(2 s²) = 1


def test_no_budget_for_an_order_of_which_nothing_is_known() -> None:
    """At two steps order 3 is known up to 9/5, with 5/2 times as much: a budget for order 3 was told as well."""
    M = dpc.mechanism("M", dpc.renyi("x", "3", dpc.unbounded))
    made = dpc.compose(M, on=dpc.multisets("ab"), target=dpc.group(2, dpc.unbounded))
    assert str(made.budget(dpc.renyi(2, "9/5"))).startswith("x = 4/5")
    for order in ("2", "3"):
        with pytest.raises(NoBudget, match="nothing is known of all orders in"):
            made.budget(dpc.renyi(2, order))


@pytest.mark.parametrize("total", ["epsilon=1,orders=(1, 8]", "epsilon=1,orders=1", "rho=1,orders=8"])
def test_totals_that_are_none(total: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = "notebooks/problems/184-renyi-on-parts.toml"
    assert cli.main(["budget", file, "--total", total]) == 2
    assert "order" in capsys.readouterr().err
