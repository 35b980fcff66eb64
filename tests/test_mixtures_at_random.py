"""Random mixtures of notions against mechanisms of one's own, whose losses are numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import sympy
from against_oracle import vectors_of
from converted import MAKE, diverging, number, rechecked, stated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose.front.studies.study import Study

LOW = [HealthCheck.too_slow]


# ---------------------------------------------------------------- against numbers of one's own


PARAMETERS = st.sampled_from([Fraction(n, d) for n, d in ((1, 10), (1, 3), (1, 2), (1, 1), (2, 1), (7, 2))])


@st.composite
def mixtures(draw: st.DrawFn) -> list[tuple[str, Fraction, str, list[str] | None]]:
    """Two or three mechanisms: notion, parameter, the neighbours it is stated for, and what it reads."""
    return [
        (
            draw(st.sampled_from(["pure", "pure", "zcdp", "gaussian"])),
            draw(PARAMETERS),
            draw(st.sampled_from(["unbounded", "bounded"])),
            draw(st.sampled_from([None, ["a"], ["b"], ["a", "b"]])),
        )
        for _ in range(draw(st.integers(1, 3)))
    ]


def composed(parts: Sequence[tuple[str, Fraction, str, list[str] | None]], pure: bool = False) -> Study:
    neighbours = {"unbounded": dpc.unbounded, "bounded": dpc.bounded}
    mechanisms = []
    for i, (notion, x, granularity, reads) in enumerate(parts, start=1):
        said = MAKE["pure" if pure else notion](
            x, neighbours[granularity], None if reads is None else "common"
        )
        f = dpc.everything if reads is None else dpc.restriction(reads)
        mechanisms.append(dpc.mechanism(f"M{i}", said, reads=f))
    return dpc.compose(*mechanisms, on=dpc.multisets("abc"), target=dpc.bounded)


def vectors(parts: Sequence[tuple[str, Fraction, str, list[str] | None]]) -> list[dict[int, int]]:
    """How far the inputs move, from the profile of the same mechanisms with pure guarantees."""
    return [{i: int(r) for i, r in vector} for vector in vectors_of(composed(parts, pure=True))]


def moved(parts: Sequence[Any], vector: Mapping[int, int]) -> list[tuple[str, Any]]:
    """Notion and parameter of what moves, at its distance: rε, r²ρ, rμ."""
    found = []
    for i, r in vector.items():
        notion, x = parts[i - 1][0], mpmath.mpf(parts[i - 1][1].numerator) / parts[i - 1][1].denominator
        found.append((notion, x * (r**2 if notion == "zcdp" else r)))
    return found


def exact_delta(losses: Sequence[Any], mu: Any, epsilon: Any) -> Any:
    """δ(ε) of randomized responses with these losses and normal noise at distance μ (deviations), together."""
    total = mpmath.mpf(0)
    for signs in product((1, -1), repeat=len(losses)):
        chance = mpmath.fprod(
            mpmath.exp(e if s == 1 else 0) / (mpmath.exp(e) + 1) for e, s in zip(losses, signs, strict=True)
        )
        left = epsilon - mpmath.fsum(s * e for e, s in zip(losses, signs, strict=True))
        if mu == 0:
            total += chance * max(0, 1 - mpmath.exp(left))
            continue
        total += chance * (
            mpmath.ncdf(mu / 2 - left / mu) - mpmath.exp(left) * mpmath.ncdf(-mu / 2 - left / mu)
        )
    return total


def attained(moves: Sequence[tuple[str, Any]]) -> tuple[list[Any], Any]:
    """Mechanisms that keep the guarantees: losses of randomized responses, and the distance of normal noise."""
    losses = [x for notion, x in moves if notion == "pure"]
    squares = [2 * x if notion == "zcdp" else x**2 for notion, x in moves if notion != "pure"]
    return losses, mpmath.sqrt(mpmath.fsum(squares))


@settings(max_examples=6, deadline=None, suppress_health_check=LOW)
@given(mixtures())
def test_random_mixtures(parts: list[tuple[str, Fraction, str, list[str] | None]]) -> None:
    """The bounds are what the pages say by hand, hold for real mechanisms, and prove what they should."""
    study = composed(parts)
    moves = [moved(parts, vector) for vector in vectors(parts)]
    rho = max(
        mpmath.fsum({"pure": x * mpmath.tanh(x / 2), "zcdp": x, "gaussian": x**2 / 2}[n] for n, x in one)
        for one in moves
    )
    bound = study.guarantee("zcdp")
    assert mpmath.almosteq(number(bound.values["rho"]), rho, 1e-12)
    up, down = (sympy.Rational(str(rho)[:17]) * sympy.Rational(n, 1000) for n in (1001, 999))
    verdicts = rechecked(study, dpc.zcdp(up), dpc.zcdp(down))
    assert verdicts[0] == "proved" and verdicts[1] != "proved"
    lost = max(mpmath.fsum(diverging(parts[i - 1], r) for i, r in one.items()) for one in vectors(parts))
    assert (verdicts[1] == "refuted") == (lost > number(down))
    delta = sympy.Rational(1, 1000)
    if any(one[0] != "pure" for one in parts):
        claim = dpc.approximate(number_text(rho, delta), delta)
        found = study.check(claim)
        assert found.verdict == "proved" and found.bound is not None
        epsilon = number(stated(found.bound)["epsilon"])
        for one in moves:
            assert exact_delta(*attained(one), epsilon) <= number(delta)
    if all(one[0] != "zcdp" for one in parts):
        values = {
            page: max(
                mpmath.sqrt(mpmath.fsum((square(x) if n == "pure" else x**2) for n, x in one))
                for one in moves
            )
            for page, square in (("multiple", lambda x: (94 * x / 75) ** 2), ("root", lambda x: 8 * x))
        }
        mu = number(study.guarantee("gaussian").values["mu"])
        assert mpmath.almosteq(mu, min(values.values()), 1e-12)
        for one, epsilon in product(moves, (-2, 0, mpmath.mpf("0.5"), 3)):
            assert (
                exact_delta(*attained(one), epsilon) <= exact_delta([], mu, epsilon) + mpmath.mpf(10) ** -12
            )


def number_text(rho: Any, delta: sympy.Rational) -> str:
    """An ε a little above ρ + 2√(ρ·ln(1/δ))."""
    value = rho + 2 * mpmath.sqrt(rho * mpmath.log(1 / number(delta)))
    return str(Fraction(int(value * 1000) + 2, 1000))
