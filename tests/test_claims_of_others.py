"""Claims that people made about their mechanisms, and numbers that other programs print."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.deciders.curves.curves import Curve, Part, Piece
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions.terms import ONE, ZERO, log, number
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.search.least import least_epsilon_of

U, B = dpc.unbounded, dpc.bounded
ON = dpc.multisets({"a", "b", "c"})
A, REST = dpc.record_partition(ON, ["a"], ["b", "c"])


def everything(*stated: Guarantee, target: Any = U, **domains: str) -> Study:
    mechanisms = [dpc.mechanism(f"M{i}", one.about(U)) for i, one in enumerate(stated, start=1)]
    return dpc.compose(*mechanisms, on=ON, target=target, parameters=domains)


def times(k: int, stated: Guarantee) -> Study:
    """A family of k mechanisms that are alike."""
    return dpc.compose(dpc.mechanism("M", stated.about(U), count=k), on=ON, target=U)


def chunks(target: Any, stated: Any, domain: str) -> Study:
    """Two disjoint parts with one and the same parameter."""
    return parts("e", "e", target, stated, domain)


def parts(e1: str, e2: str, target: Any, stated: Any, domain: str) -> Study:
    both = [
        dpc.mechanism(f"M{i}", dpc.pure(e, stated, domain), reads=f)
        for i, (e, f) in enumerate(((e1, A), (e2, REST)), start=1)
    ]
    return dpc.compose(*both, on=ON, target=target)


def histogram(target: Any) -> Study:
    one = dpc.mechanism("H", query=dpc.histogram(4), noise=dpc.laplace("1/e"))
    return dpc.compose(one, on=dpc.multisets(), target=target)


GROUP = dpc.group(3, U)
CLAIMS: dict[str, tuple[Callable[[], Study], Guarantee, str, bool | None]] = {
    "chunks cost e, add/remove": (lambda: chunks(U, U, "own"), dpc.pure("e"), "proved", False),
    "chunks cost e, replace-one": (lambda: chunks(B, U, "own"), dpc.pure("e"), "refuted", None),
    "chunks cost 2e, replace-one": (lambda: chunks(B, U, "own"), dpc.pure("2*e"), "proved", False),
    "histogram, add/remove": (lambda: histogram(U), dpc.pure("e"), "proved", False),
    "histogram, replace-one": (lambda: histogram(B), dpc.pure("e"), "refuted", None),
    "histogram, L1 sensitivity 2": (lambda: histogram(B), dpc.pure("2*e"), "proved", False),
    "2*max of two parts": (
        lambda: parts("e1", "e2", B, B, "common"),
        dpc.pure("2*max(e1, e2)"),
        "proved",
        True,
    ),
    "the sum of two parts": (lambda: parts("e1", "e2", B, B, "common"), dpc.pure("e1 + e2"), "proved", False),
    "group of 3, Dwork and Roth 2.2": (
        lambda: everything(dpc.approximate("1/2", "1e-6"), target=GROUP),
        dpc.approximate("3/2", "3*exp(1)*1e-6"),
        "proved",
        True,
    ),
    "group of 3, 3*delta": (
        lambda: everything(dpc.approximate("e", "d"), target=GROUP, d="in (0,1)"),
        dpc.approximate("3*e", "3*d"),
        "refuted",
        None,
    ),
    "group of 3, in numbers": (
        lambda: everything(dpc.approximate("1/2", "1e-6"), target=GROUP),
        dpc.approximate("3/2", "5.367004e-6"),
        "proved",
        True,
    ),
    "group of 3, a little less": (
        lambda: everything(dpc.approximate("1/2", "1e-6"), target=GROUP),
        dpc.approximate("3/2", "5.367002e-6"),
        "refuted",
        None,
    ),
    "group of 3, zCDP": (
        lambda: everything(dpc.zcdp("r"), target=GROUP),
        dpc.zcdp("9*r"),
        "proved",
        False,
    ),
    "group of 3, Gaussian": (
        lambda: everything(dpc.gaussian("m"), target=GROUP),
        dpc.gaussian("3*m"),
        "proved",
        False,
    ),
    "zCDP to (epsilon, delta)": (
        lambda: everything(dpc.zcdp("1/10")),
        dpc.approximate("2.450789", "1e-6"),
        "proved",
        None,
    ),
    "zCDP to (epsilon, delta), rho = 1/2": (
        lambda: everything(dpc.zcdp("1/2")),
        dpc.approximate("5.7566", "1e-6"),
        "proved",
        None,
    ),
    "zCDP to (epsilon, delta), best order": (
        lambda: everything(dpc.zcdp("1/10")),
        dpc.approximate("2.141939", "1e-6"),
        "proved",
        True,
    ),
    "zCDP to (epsilon, delta), best order, rho = 1/2": (
        lambda: everything(dpc.zcdp("1/2")),
        dpc.approximate("5.2216", "1e-6"),
        "proved",
        True,
    ),
    "zCDP to (epsilon, delta), less than normal noise has": (
        lambda: everything(dpc.zcdp("1/2")),
        dpc.approximate("4.8", "1e-6"),
        "refuted",
        None,
    ),
    "a formula for advanced composition": (
        lambda: times(500, dpc.pure(1)),
        dpc.approximate("2*sqrt(2*500*log(10**5))", "1e-5"),
        "refuted",
        None,
    ),
    "advanced composition": (
        lambda: times(500, dpc.pure(1)),
        dpc.approximate("sqrt(2*500*log(10**5)) + 500*(exp(1) - 1)", "1e-5"),
        "proved",
        True,
    ),
    "optimal composition": (
        lambda: everything(dpc.pure("1"), dpc.pure("1")),
        dpc.approximate("1", "0.337834712148"),
        "proved",
        None,
    ),
    "less than optimal composition": (
        lambda: everything(dpc.pure("1"), dpc.pure("1")),
        dpc.approximate("1", "0.337834712147"),
        "refuted",
        None,
    ),
}


NUMBERS: dict[str, tuple[Callable[[], Study], str, str, str]] = {
    # a number that others print, which is the least δ at an ε, or the least ε at a δ, up to its last digit
    "Gaussian, mu = 1, epsilon": (lambda: everything(dpc.gaussian(1)), "4.377178", "1e-5", "epsilon"),
    "Gaussian, mu = 1/2, epsilon": (lambda: everything(dpc.gaussian("1/2")), "1.993091", "1e-5", "epsilon"),
    "Gaussian, delta at 0": (lambda: everything(dpc.gaussian(1)), "0", "0.3829249225", "delta"),
    "Gaussian, delta at 1": (lambda: everything(dpc.gaussian(1)), "1", "0.1269367375", "delta"),
    "Gaussian, delta at 2": (lambda: everything(dpc.gaussian(1)), "2", "0.0209236358", "delta"),
    "two Gaussians": (lambda: everything(dpc.gaussian(1), dpc.gaussian(1)), "6.572970", "1e-5", "epsilon"),
    "optimal, k = 10": (lambda: times(10, dpc.pure("1/10")), "1/2", "0.00992962691739", "delta"),
    "optimal, k = 100": (lambda: times(100, dpc.pure("1/10")), "2", "0.0201401784282", "delta"),
    "optimal, k = 500": (lambda: times(500, dpc.pure(1)), "311.7676", "1e-5", "epsilon"),
    "Laplace": (lambda: count_with(dpc.laplace(1)), "1/4", "0.312710721209", "delta"),
    "normal noise": (lambda: count_with(dpc.gaussian_noise(1)), "1", "0.1269367375", "delta"),
}


def count_with(noise: Noise) -> Study:
    one = dpc.mechanism("C", query=dpc.count, noise=noise)
    return dpc.compose(one, on=dpc.multisets(), target=U)


@pytest.mark.parametrize("name", NUMBERS)
def test_number(name: str) -> None:
    """One unit of the last digit above it is proved, and one below it is refuted."""
    make, epsilon, delta, which = NUMBERS[name]
    printed = {"epsilon": epsilon, "delta": delta}[which]
    unit = sympy.Rational(1, 10 ** len(printed.partition(".")[2]))
    study = make()
    for sign, verdict in ((1, "proved"), (-1, "refuted")):
        values = {"epsilon": sympy.Rational(epsilon), "delta": sympy.Rational(delta)}
        values[which] += sign * unit
        assert study.check(dpc.approximate(**values)).verdict == verdict


@pytest.mark.parametrize("name", CLAIMS)
def test_claim(name: str) -> None:
    make, claim, verdict, loose = CLAIMS[name]
    found = make().check(claim)
    assert found.verdict == verdict
    assert loose is None or found.loose is loose


def test_modifying_a_row_is_distance_two() -> None:
    """In the symmetric difference, whose steps are add/remove ones."""
    assert dpc.sensitivity(dpc.everything, ON, B, to=U).value == 2
    moved = dpc.size(dpc.symmetric_difference(*dpc.databases("D E")))
    assert dpc.at(moved, {"D": ["a"], "E": ["b"]}) == 2


def test_three_counts_on_three_groups() -> None:
    """e = 1, 2, 3: 3 for add/remove neighbours and 5 for replace-one ones; sums of all would be 6."""
    groups = dpc.record_partition(ON, ["a"], ["b"], ["c"])
    for target, expected in ((U, 3), (B, 5)):
        counts = [
            dpc.mechanism(f"C{e}", query=dpc.count, noise=dpc.geometric(f"1/{e}"), reads=f)
            for e, f in enumerate(groups, start=1)
        ]
        assert dpc.compose(*counts, on=ON, target=target).guarantee().epsilon == expected


def test_randomized_response() -> None:
    one = dpc.mechanism("R", noise=dpc.randomized_response("3/4"))
    study = dpc.compose(one, on=dpc.tuples("ab", "= 1"), target=B)
    assert study.guarantee().epsilon == sympy.log(3)


# other programs


def test_dp_accounting_agrees_on_noise() -> None:
    """Of Laplace noise and randomized response no δ is left at our ε, up to its discretisation, and some below."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    step = 1e-3
    for b in ("1/2", "1", "3"):
        for r in (1, 2):
            one = dpc.mechanism("C", query=dpc.count, noise=dpc.laplace(b))
            study = dpc.compose(one, on=dpc.multisets(), target=dpc.group(r, U))
            scale = float(sympy.Rational(b))
            theirs = pld.from_laplace_mechanism(scale, r, value_discretization_interval=step)
            ours = float(study.guarantee().epsilon)
            assert (
                theirs.get_delta_for_epsilon(ours + 2 * step)
                < 1e-9
                < theirs.get_delta_for_epsilon(ours * 0.9)
            )
    for p in ("3/4", "9/10"):
        one = dpc.mechanism("R", noise=dpc.randomized_response(p))
        study = dpc.compose(one, on=dpc.tuples("ab", "= 1"), target=B)
        at_random = 2 * (1 - float(sympy.Rational(p)))
        theirs = pld.from_randomized_response(at_random, 2, value_discretization_interval=step)
        ours = float(study.guarantee().epsilon)
        assert theirs.get_delta_for_epsilon(ours + 2 * step) < 1e-9 < theirs.get_delta_for_epsilon(ours * 0.9)


def ours(*pieces: Piece, epsilon: float) -> tuple[float, float]:
    found = Curve.of(pieces).delta(number(Fraction(epsilon).limit_denominator(10**6)))
    return float(found.low), float(found.high)


@pytest.mark.parametrize("times", [1, 4])
def test_dp_accounting_agrees_on_curves(times: int) -> None:
    """Its δ is above ours at every ε, and not above ours at ε less the steps to which it rounds losses up."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    step = 1e-3
    pairs: list[tuple[Any, Piece]] = [
        (pld.from_gaussian_mechanism(1.0, value_discretization_interval=step), Normal(ONE)),
        (pld.from_laplace_mechanism(1.0, value_discretization_interval=step), Laplace(ONE)),
        (
            pld.from_randomized_response(0.5, 2, value_discretization_interval=step),
            Part(log(number(3)), ZERO),
        ),
    ]
    for theirs, mine in pairs:
        composed = theirs.self_compose(times) if times > 1 else theirs
        for epsilon in (0.25, 1.0, 2.5):
            found = composed.get_delta_for_epsilon(epsilon)
            low, _ = ours(mine.times(times), epsilon=epsilon)
            _, high = ours(mine.times(times), epsilon=epsilon - 2 * times * step)
            assert low - 1e-8 <= found <= high + 1e-8


def test_dp_accounting_agrees_on_zero_concentrated_privacy() -> None:
    """From the divergences αρ at its orders it has an ε that is at least ours, and close to it."""
    rdp = pytest.importorskip("dp_accounting.rdp.rdp_privacy_accountant")
    orders = [1 + n / 50 for n in range(1, 2000)]
    for rho, delta in ((0.1, "1/1000000"), (0.5, "1/1000000"), (0.01, "1/1000")):
        exact = number(Fraction(rho).limit_denominator(1000))
        theirs, _ = rdp.compute_epsilon(orders, [rho * a for a in orders], float(sympy.Rational(delta)))
        least = least_epsilon_of(Curve.of([Normal(ZERO, exact)]), Fraction(delta))
        assert least is not None and float(least.high) - 1e-6 <= theirs <= float(least.high) + 0.005


def test_nothing_is_proved_below_what_dp_accounting_says_of_normal_noise() -> None:
    """Its curve of normal noise, which is exact up to the discretisation, is below the converted guarantee."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    for mu in ("1/2", "1"):
        for delta in ("1/1000", "1/100000"):
            deviation = 1 / float(sympy.Rational(mu))
            theirs = pld.from_gaussian_mechanism(deviation, value_discretization_interval=1e-3)
            least = theirs.get_epsilon_for_delta(float(sympy.Rational(delta)))
            below = sympy.Rational(round((least - 0.01) * 1000), 1000)
            study = everything(dpc.gaussian(mu))
            assert study.check(dpc.approximate(below, delta)).verdict != "proved"
            rho = sympy.Rational(mu) ** 2 / 2
            L = sympy.log(1 / sympy.Rational(delta))
            enough = sympy.ceiling((rho + 2 * sympy.sqrt(rho * L)) * 1000) / 1000
            assert enough > least
            assert study.check(dpc.approximate(enough, delta)).verdict == "proved"
