"""What some of the mechanisms refute is refuted of all together; the δ of noise of several scales.

The δ of Laplace noise is computed again by numpy, which shares no code with what encloses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import rechecks
from shares import every_third, rows

import dpcompose as dpc
from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import ONE, ZERO
from dpcompose.language import formulas
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism

ON = dpc.multisets({"a", "b", "c"})
FEW = dpc.multisets({"a", "b", "c"}, "<= 9")
"""Here what the exponential mechanism loses is only bounded; of databases of any size it is nearly the bound."""
U, B = dpc.unbounded, dpc.bounded


def decided(claim: Guarantee, *mechanisms: Mechanism, target: Any = B, on: Any = ON) -> Verdict:
    """The verdict on a claim, which the kernel accepts from its saved derivation."""
    study = dpc.compose(*mechanisms, on=on, target=target)
    verdict = study.check(claim)
    rechecks.rechecked(study, [verdict])
    return verdict


def histogram(name: str, scale: object) -> Mechanism:
    return dpc.mechanism(name, query=dpc.histogram(4), noise=dpc.laplace(scale))


# ---------------------------------------------------------------- noise of several scales

STEP = 1 / 4_000


def by_numpy(ratios: Sequence[float], epsilon: float) -> float:
    """The mean of max(0, 1 - e^(ε - L)) for sums L of the losses of Laplace noise, on a fine grid."""
    total, origin = np.array([1.0]), 0.0
    for a in ratios:
        n = round(a / STEP)
        h = a / n
        losses = np.array([0.0] * (2 * n + 1))  # (j - n)*h
        inside = (np.arange(n) + 0.5) * h  # outputs between the two centres; the loss is a - 2y
        mass = np.exp(-np.arange(n) * h) * (1 - np.exp(-h)) / 2
        at = np.rint((a - 2 * inside) / h).astype(int) + n
        np.add.at(losses, at, mass)
        losses[2 * n] += 0.5
        losses[0] += np.exp(-a) / 2
        grid = np.zeros(2 * round(a / STEP) + 1)
        np.add.at(grid, np.rint((np.arange(2 * n + 1) - n) * h / STEP).astype(int) + round(a / STEP), losses)
        size = len(total) + len(grid) - 1
        total = np.fft.irfft(np.fft.rfft(total, 2 * size) * np.fft.rfft(grid, 2 * size), 2 * size)[:size]
        origin -= round(a / STEP) * STEP
    loss = origin + np.arange(len(total)) * STEP
    return float(np.sum(total * np.maximum(0, 1 - np.exp(epsilon - loss))))


HALF = formulas.term("1/2")
SCALES: list[tuple[list[str], str]] = [
    (["1", "1", "1/2", "1/2"], "1/2"),
    (["2", "2", "1", "1"], "3"),
    (["1", "1/3", "1/5"], "1/2"),
    (["3", "1/100", "10"], "4"),
    (["1", "999/1000", "997/1000", "1"], "1/4"),
    (["1", "sqrt(2)", "sqrt(3)"], "1"),
    (["1/2", "sqrt(2)", "1/2"], "0"),
    (["1/7", "1/7", "1/7", "sqrt(3)"], "-1/2"),
]


@pytest.mark.parametrize(("ratios", "epsilon"), rows(SCALES))
def test_noise_of_several_scales(ratios: list[str], epsilon: str) -> None:
    exact = [formulas.term(ratio) for ratio in ratios]
    found = Curve.of([Laplace(ratio) for ratio in exact]).delta(formulas.term(epsilon), 64)
    value = by_numpy([float(enclosure(ratio, 64).low) for ratio in exact], float(Fraction(epsilon)))
    assert float(found.low) - 2e-4 <= value <= float(found.high) + 2e-4
    assert float(found.high - found.low) <= 4e-3


def test_laplace_beside_other_mechanisms() -> None:
    """Of mechanisms with a few losses each loss shifts the curve of the noise."""
    noisy = [Laplace(ONE), Laplace(HALF), Laplace(HALF)]
    response = Part(formulas.term("log(3)"), ZERO)
    found = Curve.of([*noisy, response]).delta(HALF, 64)
    value = sum(p * by_numpy([1, 0.5, 0.5], 0.5 - sign * np.log(3)) for sign, p in ((1, 0.75), (-1, 0.25)))
    assert float(found.low) - 1e-4 <= value <= float(found.high) + 1e-4
    assert float(found.high - found.low) <= 1e-4
    beside = Curve.of([*noisy, Normal(HALF * HALF, ZERO)]).delta(HALF, 64)
    assert found.low > Curve.of(noisy).delta(HALF, 64).high
    assert beside.low > Curve.of(noisy).delta(HALF, 64).high - 1e-3
    assert float(beside.high - beside.low) <= 1e-3


@cache
def histograms() -> Study:
    return dpc.compose(histogram("H1", 1), histogram("H2", 2), on=ON, target=B)


@pytest.mark.parametrize(
    ("delta", "verdict"),
    [
        pytest.param("1e-6", "refuted", marks=pytest.mark.slow),
        pytest.param("0.35", "refuted", marks=pytest.mark.slow),
        ("0.407", "refuted"),
        ("0.4075", "proved"),
        pytest.param("0.571", "proved", marks=pytest.mark.slow),
    ],
)
def test_two_histograms(delta: str, verdict: str) -> None:
    """A replacement moves two bins of each by 1: four losses of Laplace noise, folded on a grid, have 0.40703206."""
    study = histograms()
    found = study.check(dpc.approximate("1/2", delta))
    rechecks.rechecked(study, [found])
    assert found.verdict == verdict


# ---------------------------------------------------------------- some of the mechanisms

KINDS: dict[str, Callable[[str], Mechanism]] = {
    "pure": lambda name: dpc.mechanism(name, dpc.pure("1/2", U)),
    "approximate": lambda name: dpc.mechanism(name, dpc.approximate("1", "1/100", U)),
    "zcdp": lambda name: dpc.mechanism(name, dpc.zcdp("1/10", U)),
    "gaussian": lambda name: dpc.mechanism(name, dpc.gaussian("1/2", U)),
    "laplace": lambda name: histogram(name, "3/2"),
    "normal": lambda name: dpc.mechanism(name, query=dpc.histogram(3), noise=dpc.gaussian_noise("3")),
    "geometric": lambda name: dpc.mechanism(name, query=dpc.count, noise=dpc.geometric("1")),
    "response": lambda name: dpc.mechanism(
        name, noise=dpc.randomized_response("3/4"), reads=dpc.restriction(["a"])
    ),
    "exponential": lambda name: dpc.mechanism(name, query=dpc.histogram(3), noise=dpc.exponential("1/2")),
}
CLAIMS = [dpc.approximate("1/10", "1e-6"), dpc.pure("1/4"), dpc.zcdp("1/100")]


@cache
def refuted_alone() -> set[tuple[str, str]]:
    """The kinds of which one mechanism refutes a claim."""
    return {
        (kind, str(claim))
        for kind, one in KINDS.items()
        for claim in CLAIMS
        if dpc.compose(one("M"), on=ON, target=B).check(claim).verdict == "refuted"
    }


def test_most_are_refuted_alone() -> None:
    assert len(refuted_alone()) >= 15


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        *every_third(list(KINDS)[:-1], ["exponential"]),
        *[("zcdp", "pure"), ("laplace", "response"), ("gaussian", "response")],
    ],
)
def test_what_one_of_them_refutes(kind: str, other: str) -> None:
    kinds = (kind, other)
    for claim in CLAIMS:
        if any((kind, str(claim)) in refuted_alone() for kind in kinds):
            some = [KINDS[kind](f"M{i}") for i, kind in enumerate(kinds, start=1)]
            assert decided(claim, *some).verdict == "refuted", str(claim)


def test_what_is_left_out_is_said() -> None:
    found = decided(dpc.pure("9/10"), KINDS["exponential"]("E"), histogram("H", 1), on=FEW)
    example = found.counterexample
    assert example is not None and example.without == ("E",) and example.names == ("H",)
    assert example.lost() == "claimed 9/10, true loss at least 2"
    assert example.data()["without"] == ["E"]
    above = decided(dpc.pure("5/2"), KINDS["exponential"]("E"), histogram("H", 1), on=FEW)
    assert above.verdict == "undecided" and "what E loses at two databases is not known" in above.reason


def test_it_rests_on_the_page_by_which_outputs_are_left_out() -> None:
    """A theory may not have that page, or not be believed: so it is among those that are said."""
    study = dpc.compose(KINDS["exponential"]("E"), histogram("H", 1), on=FEW, target=B)
    for claim, computes in ((dpc.pure("9/10"), None), (dpc.approximate("1/2", "1e-6"), "laplace-curve")):
        found = study.check(claim)
        assert found.counterexample is not None and found.counterexample.without == ("E",)
        assert found.counterexample.by_parts == "GB:VII.2"
        used = [page.id for page in found.relies_on]
        assert "parts" in used and (computes is None or computes in used)
    alone = dpc.compose(histogram("H", 1), on=FEW, target=B).check(dpc.pure("9/10"))
    assert alone.verdict == "refuted" and "parts" not in [page.id for page in alone.relies_on]


def test_a_refutation_by_other_mechanisms_is_refused() -> None:
    """What is left out cannot be changed, added or hidden."""
    study = dpc.compose(KINDS["exponential"]("E"), histogram("H", 1), on=FEW, target=B)
    data = rechecks.saved(study, [study.check(dpc.pure("9/10"))])
    assert rechecks.check(data, study.theory).verdicts == ("refuted",)
    steps = data["derivation"]["steps"]
    (attain,) = (step for step in steps if step["rule"] == "attain")
    assert attain["by"] == [2]  # of the histogram alone: what E loses need not be reached
    for key, others in (
        ("by", ([1], [1, 2], [], [3], [0], "2", ["2"], [[2]], [True], {}, None)),
        ("from", (attain["from"][:1], attain["from"][:2], [*attain["from"], attain["from"][-1]], [], None)),
    ):
        right = attain[key]
        for wrong in others:
            attain[key] = wrong
            with pytest.raises(Refused, match=r"^step \d+"):
                rechecks.check(data, study.theory)
        attain[key] = right
    del attain["by"]
    with pytest.raises(Refused, match=r"^step \d+"):
        rechecks.check(data, study.theory)


def test_beside_a_table() -> None:
    """A quiet table loses nothing, and is no canonical noise; another mechanism refutes alone."""
    quiet = dpc.probability_table({D: ["1/2", "1/2"] for D in "abc"})
    on = dpc.listed("abc")
    near = dpc.pairs("next", [("a", "b"), ("b", "c")])
    tabled = dpc.mechanism("T", dpc.pure("log(2)", near), table=quiet)
    free = dpc.mechanism("M", dpc.pure("log(3)", near))
    for claim in (dpc.approximate("log(2)", "1/5"), dpc.pure(1)):
        assert decided(claim, tabled, free, target=near, on=on).verdict == "refuted"
    found = decided(dpc.approximate("log(2)", "3/10"), tabled, free, target=near, on=on)
    assert found.verdict == "proved"  # 1/4 of the other one; canonical noise in place of the table has 1/3
