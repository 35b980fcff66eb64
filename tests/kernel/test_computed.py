"""Claims with numbers that curves refute: by mechanisms that a setting allows, or by its noise, and no others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import told

import dpcompose as dpc
from dpcompose.kernel import computed
from dpcompose.kernel.expressions.terms import number
from dpcompose.kernel.judgements import Refuted
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.privacy.elaboration import Elaborated


def exceeded(mechanism: Any, epsilon: str, delta: str, notion: str = "pure") -> Theorem:
    """What the curve of one mechanism that reads one record refutes."""
    setting = dpc.compose(mechanism, on=dpc.tuples("ab", "= 1"), target=dpc.bounded).setting
    prover = Prover(Elaborated(setting).core, told.THEORY)
    given = prover.by("noise", i=1, notion=notion) if mechanism.noise else prover.by("given", i=1)
    claim = {"notion": "approximate", "epsilon": epsilon, "delta": delta}
    return prover.by("exceed", prover.by("cover"), given, claim=claim, point={}, neighbours=1, bits=64)


def test_other_mechanisms_with_the_guarantee_of_a_noise_say_nothing_of_it() -> None:
    """Planar Laplace noise of scale 1 on a disc of diameter 1 is (1/5, 0.23)-DP, by integration; some
    mechanisms that are 1-DP need δ = 0.402 there."""
    planar = dpc.mechanism("M", query=dpc.location(1), noise=dpc.planar_laplace(1))
    for delta in ("2/5", "1/4"):
        with pytest.raises(NoTheorem, match="not known, only what bounds it"):
            exceeded(planar, "1/5", delta)
    exponential = dpc.mechanism("M", query=dpc.histogram(3), noise=dpc.exponential("1/2"))
    with pytest.raises(NoTheorem, match="not known, only what bounds it"):
        exceeded(exponential, "1/5", "2/5")


def test_what_may_be_anything_is_refuted_by_the_worst() -> None:
    pure = dpc.mechanism("M", dpc.pure(1, dpc.bounded))
    assert isinstance(exceeded(pure, "1/5", "2/5").says, Refuted)
    with pytest.raises(NoTheorem, match="not seen to be above"):
        exceeded(pure, "1/5", "41/100")


def test_noise_that_a_page_is_about_is_refuted_by_its_own_curve() -> None:
    """One bit with Laplace noise of scale 1: δ = 1 − e^{(1/5 − 1)/2} = 0.3296…, below that of all 1-DP."""
    laplace = dpc.mechanism("M", query=dpc.bit, noise=dpc.laplace(1))
    assert isinstance(exceeded(laplace, "1/5", "329/1000").says, Refuted)
    with pytest.raises(NoTheorem, match="not seen to be above"):
        exceeded(laplace, "1/5", "33/100")


of: Any = SimpleNamespace


@pytest.mark.parametrize(("query", "value"), [(None, "7"), ("q", "3/2"), ("other", "7")])
def test_the_event_of_noise_is_that_of_its_query(
    query: str | None, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With s = 2, r = 3 and ε = 1: r·s + ε, and r/s for one query."""
    monkeypatch.setattr(computed.noises, "fit", lambda head, parameter, *_: parameter)
    head: Any = of(letters=(), parameter="s", events={"q": "r/s"}, event="r*s + epsilon")
    noise: Any = of(letters={}, parameter=number(2), query=None if query is None else of(page=query))
    curves: Any = of(setting=of(assumed=()))
    assert computed.Curves._of_event(curves, head, noise, number(3), number(1), {}) == number(value)
