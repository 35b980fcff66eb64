"""The exponential mechanism refuted below: what the page says of an event and of the divergence is what two
databases with many records have, by mpmath; claims around it; no refutation where sizes are bounded."""

import random
from typing import Any

import mpmath
import pytest
import sympy
from precision import with_digits

import dpcompose as dpc
from dpcompose.privacy.settings.invalid import InvalidSetting

DIGITS = 60
digits = with_digits(DIGITS)
U, B = dpc.unbounded, dpc.bounded


def chosen(t: Any, counts: list[int]) -> list[Any]:
    weights = [mpmath.exp(t * n) for n in counts]
    return [w / mpmath.fsum(weights) for w in weights]


def outputs(t: Any, p: int, q: int, j: int, bins: int, N: int) -> tuple[list[Any], list[Any]]:
    """The outputs at D and E of the proof on the page."""
    rest = [0] * (bins - 2)
    return chosen(t, [N - j, N, *rest]), chosen(t, [N - p - j, N + q, *rest])


@pytest.mark.parametrize("t", [mpmath.mpf(1) / 10, mpmath.mpf(1), mpmath.mpf(3)])
@pytest.mark.parametrize(("p", "q"), [(1, 0), (0, 1), (1, 1), (2, 1)])
@pytest.mark.parametrize("bins", [2, 4])
def test_what_the_page_says_is_what_large_databases_have(t: Any, p: int, q: int, bins: int) -> None:
    eta = t * (p + q)
    P, Q = outputs(t, p, q, 0, bins, 2000)
    divergence = mpmath.fsum(x * mpmath.log(x / z) for x, z in zip(P, Q, strict=True))
    assert abs(divergence - mpmath.log(mpmath.cosh(eta / 2))) < mpmath.mpf("1e-20")
    for j in (0, 1, 4, 16):
        P, Q = outputs(t, p, q, j, bins, 2000)
        for epsilon in (0, eta / 2, eta * mpmath.mpf("0.99")):
            said = 1 / (1 + mpmath.exp(j * t)) - mpmath.exp(epsilon) / (1 + mpmath.exp((j + p + q) * t))
            assert abs(P[0] - mpmath.exp(epsilon) * Q[0] - said) < mpmath.mpf("1e-20")
    P, Q = outputs(t, p, q, 900, bins, 2000)
    assert mpmath.log(P[0] / Q[0]) > eta * mpmath.mpf("0.999")


def mode(t: str, name: str = "M", **more: Any) -> Any:
    return dpc.mechanism(name, query=dpc.histogram(4), noise=dpc.exponential(t), **more)


def study(*mechanisms: Any, target: Any = B, size: str = "any") -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab", size=size), target=target)


CLAIMS = [
    (study(mode("e/2")), dpc.pure("e"), "proved"),
    (study(mode("e/2")), dpc.pure("0.999*e"), "refuted"),
    (study(mode("e/2")), dpc.zcdp("e**2/8"), "proved"),
    (study(mode("e/2")), dpc.zcdp("e**2/9"), "refuted"),
    (study(mode("1/2")), dpc.zcdp("0.1201"), "refuted"),  # ln cosh(1/2) = 0.120114...
    (study(mode("1/2")), dpc.zcdp("0.1202"), "undecided"),
    (study(mode("1/2")), dpc.approximate("1/2", "0.0565"), "refuted"),
    (
        study(mode("1/2")),
        dpc.approximate("1/2", "0.0775"),
        "proved",
    ),  # (1 - e^(-1/4))^2/(1 - 1/e) is 0.0774
    (study(mode("e/2")), dpc.approximate("e/2", "1e-9"), "refuted"),
    (study(mode("e"), target=U), dpc.pure("0.9*e"), "refuted"),
    (study(mode("e"), mode("e", "N"), target=U), dpc.pure("2*e"), "proved"),
    (study(mode("e"), mode("e", "N"), target=U), dpc.pure("1.9*e"), "refuted"),
    pytest.param(
        study(mode("1", count=1000), target=U), dpc.pure("999"), "refuted", marks=pytest.mark.slow, id="1000"
    ),
    # where sizes are bounded nothing comes near to it
    (study(mode("e/2"), size="<= 5"), dpc.pure("0.9*e"), "undecided"),
    (study(mode("e/2"), size="= 2"), dpc.pure("e/2"), "undecided"),
    (study(mode("1/2"), size="<= 5"), dpc.zcdp("1/100"), "undecided"),
    (study(mode("1/2"), size="<= 5"), dpc.approximate("1/2", "1e-9"), "undecided"),
    # nor where something else is reached with few records only
    (
        study(mode("e"), dpc.mechanism("N", query=dpc.mean(0, 1), noise=dpc.laplace(1)), target=U),
        dpc.pure("e/2 + 1/2"),
        "undecided",
    ),
]


@pytest.mark.parametrize(("found", "claim", "verdict"), CLAIMS)
def test_claims(found: dpc.Study, claim: Any, verdict: str) -> None:
    assert found.check(claim).verdict == verdict


def number(of: Any) -> Any:
    """The value of a formula at e = 1."""
    return mpmath.mpf(str(sympy.sympify(str(of)).subs({"e": 1}).evalf(DIGITS)))


SHOWN = [
    (mode("e/2"), U, dpc.pure("0.49*e"), 10, 9),  # 1/2 + ln((3 + e^(9/2))/(2 + e^(1/2) + e^(9/2))) = 0.4930
    (mode("e/2"), U, dpc.pure("e/3"), 1, 0),
    (mode("1"), B, dpc.pure("1"), 2, 2),
    (mode("1/100"), U, dpc.pure("0.009"), None, None),
    (mode("1"), B, dpc.zcdp("1/9"), 1, 1),  # (e - 1)/(e + 3) = 0.3005
    (mode("1"), B, dpc.zcdp("1/3"), 2, 2),
    (mode("1"), B, dpc.approximate("1/2", "1/5"), 2, 2),
    (mode("1"), B, dpc.approximate("1/2", "0.3"), 10, 10),
    (mode("1"), dpc.group(2, U), dpc.approximate("1/2", "0.3"), None, None),
]


@pytest.mark.parametrize(("one", "target", "claim", "here", "there"), SHOWN)
def test_databases_are_shown(one: Any, target: Any, claim: Any, here: Any, there: Any) -> None:
    """With as few records as it takes; what is lost there is computed again, from the scores that are shown."""
    found = study(one, target=target).check(claim)
    shown = found.counterexample
    assert found.verdict == "refuted" and shown is not None
    D, E = shown.pair
    assert (here, there) in ((len(D), len(E)), (None, None))
    data = shown.data()["mechanisms"][0]
    x, z = ([int(n) for n in data[f"query at {side}"].strip("()").split(",")] for side in "DE")
    assert (sum(x), sum(z)) == (len(D), len(E))
    t = number(one.noise.parameter)
    P, Q = chosen(t, x), chosen(t, z)
    ways = {
        "pure": mpmath.log(P[0] / Q[0]),
        "zcdp": mpmath.fsum(p * mpmath.log(p / q) for p, q in zip(P, Q, strict=True)),
        "approximate": P[0] - mpmath.exp(mpmath.mpf("0.5")) * Q[0],
    }
    said = number(shown.data()["actual"])
    assert abs(ways[claim.notion] - said) < mpmath.mpf("1e-20")
    assert said > number(shown.data()["claimed"])


def test_several_are_shown_together() -> None:
    """What two lose is added up; of an event one of them is enough, and the other is left out."""
    both = study(mode("e"), mode("e", "N"), target=U)
    shown = both.check(dpc.pure("1.9*e")).counterexample
    assert shown is not None and len(shown.rows) == 2
    shown = both.check(dpc.approximate("e/2", "0.01")).counterexample
    assert shown is not None and len(shown.rows) == 1 and shown.without == ("N",)


def test_the_best_guarantee_is_approached() -> None:
    assert study(mode("e/2")).guarantee().optimal
    assert not study(mode("e/2"), size="<= 5").guarantee().optimal


@pytest.mark.parametrize(("query", "least"), [(dpc.scores, -2), (dpc.monotone_scores, 0)])
@pytest.mark.parametrize(("target", "lost", "gained"), [(U, 1, 0), (B, 1, 1)])
def test_scores(query: Any, least: int, target: Any, lost: int, gained: int) -> None:
    """Sums of numbers in [least, 2] at random never lose more than is proved; claims just below are refuted."""
    rng = random.Random(5)
    one = dpc.mechanism("M", query=query(2), noise=dpc.exponential("1/4"))
    found = study(one, target=target)
    worst = number(found.guarantee().epsilon)
    assert worst == mpmath.mpf((2 - least) * (lost + gained)) / 4
    for _ in range(200):
        both, gone, come = (
            [[rng.randint(least, 2) for _ in range(3)] for _ in range(n)]
            for n in (rng.randint(0, 9), lost, gained)
        )
        x, z = (
            [sum(column) for column in zip([0] * 3, *some, strict=True)]
            for some in (both + gone, both + come)
        )
        P, Q = chosen(mpmath.mpf(1) / 4, x), chosen(mpmath.mpf(1) / 4, z)
        assert all(abs(mpmath.log(p / q)) <= worst for p, q in zip(P, Q, strict=True))
        divergence = mpmath.fsum(p * mpmath.log(p / q) for p, q in zip(P, Q, strict=True))
        assert divergence <= worst**2 / 8
    exact = sympy.Rational((2 - least) * (lost + gained), 4)
    assert found.check(dpc.pure(exact)).verdict == "proved"
    assert found.check(dpc.zcdp(exact**2 / 8)).verdict == "proved"
    below = found.check(dpc.pure(exact * sympy.Rational(99, 100)))
    assert below.verdict == "refuted" and below.counterexample is not None
    data = below.counterexample.data()["mechanisms"][0]
    x, z = ([number(n) for n in data[f"query at {side}"].strip("()").split(",")] for side in "DE")
    P, Q = (chosen(mpmath.mpf(1) / 4, some) for some in (x, z))
    assert abs(mpmath.log(P[0] / Q[0]) - number(below.counterexample.data()["actual"])) < mpmath.mpf("1e-20")


def test_what_scores_need() -> None:
    with pytest.raises(InvalidSetting, match="laplace is not for scores"):
        study(dpc.mechanism("M", query=dpc.scores(1), noise=dpc.laplace(1)))
    with pytest.raises(InvalidSetting, match="moves scores by is at least 0"):
        study(dpc.mechanism("M", query=dpc.scores(-1), noise=dpc.exponential(1)))


# ---------------------------------------------------------------- (ε, δ)


def exact(eta: Any, epsilon: Any) -> Any:
    """(1 − e^((ε − η)/2))²/(1 − e^−η)."""
    return (1 - mpmath.exp((epsilon - eta) / 2)) ** 2 / (1 - mpmath.exp(-eta))


def excess(P: list[Any], Q: list[Any], epsilon: Any) -> Any:
    return mpmath.fsum(max(0, x - mpmath.exp(epsilon) * z) for x, z in zip(P, Q, strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_no_scores_have_more_than_the_curve(seed: int) -> None:
    """By enumeration of outputs: random scores that change by 0 to η, both orders, also below ε = 0."""
    rng = random.Random(seed)
    for _ in range(20):
        eta, m = mpmath.mpf(rng.choice(["0.1", "1", "4"])), rng.randint(2, 6)
        x = [rng.uniform(-9, 9) * rng.random() for _ in range(m)]
        z = [a + rng.choice([0, eta, rng.random() * eta]) for a in x]
        P, Q = chosen(1, x), chosen(1, z)
        for share in ("-0.6", "0", "0.3", "0.9"):
            epsilon = eta * mpmath.mpf(share)
            most = exact(eta, epsilon) + mpmath.mpf("1e-30")
            assert max(excess(P, Q, epsilon), excess(Q, P, epsilon)) <= most


@pytest.mark.parametrize("eta", ["0.1", "1", "5"])
@pytest.mark.parametrize("share", ["-0.9", "0", "0.5", "0.9"])
def test_two_candidates_attain_the_curve(eta: str, share: str) -> None:
    """At the larger loss u = (ε + η)/2."""
    length = mpmath.mpf(eta)
    epsilon = length * mpmath.mpf(share)
    u = (epsilon + length) / 2
    p = (1 - mpmath.exp(u - length)) / (1 - mpmath.exp(-length))
    first = mpmath.log(p / (1 - p))
    found = excess(chosen(1, [first, 0]), chosen(1, [first - length, 0]), epsilon)
    assert abs(found - exact(length, epsilon)) < mpmath.mpf("1e-40")


def scored(t: str, name: str = "M") -> Any:
    return dpc.mechanism(name, query=dpc.scores(1), noise=dpc.exponential(t))


def test_claims_around_the_curve() -> None:
    one = study(scored("1/2"), target=U)
    for epsilon, word in ((0, "0"), (sympy.Rational(1, 4), "1/4"), (sympy.Rational(9, 10), "9/10")):
        least = exact(mpmath.mpf(1), mpmath.mpf(epsilon.p) / epsilon.q if epsilon else mpmath.mpf(0))
        for factor, verdict in (("1.0001", "proved"), ("0.9999", "refuted")):
            delta = str(sympy.Rational(str(mpmath.nstr(least * mpmath.mpf(factor), 30))))
            assert one.check(dpc.approximate(word, delta)).verdict == verdict, (word, factor)


SEVERAL = [
    # η = 2 each at ε = 3/10: 0.47605… in advance, by a grid of both losses; adaptive choices have 0.4911 and more
    ((("1", "1"), False), "0.4761", "proved"),
    ((("1", "1"), False), "0.476", "refuted"),
    ((("1", "1"), True), "0.527", "proved"),
    ((("1", "1"), True), "0.49", "undecided"),
    ((("1", "1"), True), "0.476", "refuted"),
    # η = 2 and 4: 0.7245… by a grid of both losses
    ((("1", "2"), False), "0.772", "proved"),
    ((("1", "2"), False), "0.723", "refuted"),
]


@pytest.mark.parametrize(("made", "delta", "verdict"), SEVERAL)
def test_several_lose_what_they_lose_together(made: Any, delta: str, verdict: str) -> None:
    rates, adaptive = made
    some = [scored(t, f"M{i}") for i, t in enumerate(rates)]
    found = dpc.compose(*some, on=dpc.multisets("ab"), target=U, adaptive=adaptive)
    assert found.check(dpc.approximate("3/10", delta)).verdict == verdict


LETTERS = [
    (U, dpc.approximate(0, "tanh(e/4)"), "proved"),
    (U, dpc.approximate(0, "0.99*tanh(e/4)"), "refuted"),
    (U, dpc.approximate("e/3", "(1 - exp(-e/3))**2/(1 - exp(-e))"), "proved"),
    (U, dpc.approximate("e/3", "0.99*(1 - exp(-e/3))**2/(1 - exp(-e))"), "refuted"),
    (U, dpc.approximate("e/2", "1/4"), "refuted"),  # it tends to 1 where e grows
    (B, dpc.approximate("e", "(1 - exp(-e/2))**2/(1 - exp(-2*e))"), "proved"),
    (B, dpc.approximate("e", "(1 - exp(-e/4))**2/(1 - exp(-e))"), "refuted"),
]


@pytest.mark.parametrize(("target", "claim", "verdict"), LETTERS)
def test_the_curve_of_one_in_letters(target: Any, claim: Any, verdict: str) -> None:
    assert study(scored("e/2"), target=target).check(claim).verdict == verdict


def test_several_beside_others() -> None:
    """δ at ε = 1/2 beside Laplace noise of scale 1: more than either has, 0.2211 and 0.1524."""
    beside = dpc.mechanism("L", query=dpc.count, noise=dpc.laplace(1))
    found = study(scored("1/2", "M"), scored("1/2", "N"), beside, target=U).curve().delta("1/2")
    assert sympy.Rational(3, 10) < found.lower < found.upper < sympy.Rational(2, 5)


def test_the_divergence_of_scores() -> None:
    """Of two losses s and s - 1 the mean is largest at e^s = e - 1, which is ln(e - 1) - 1 + 1/(e - 1) = 0.12330…"""
    for rho, verdict in (("0.1233", "refuted"), ("0.12331", "proved"), ("1/8", "proved")):
        assert study(scored("1/2"), target=U).check(dpc.zcdp(rho)).verdict == verdict


@pytest.mark.parametrize("query", [dpc.scores(1), dpc.monotone_scores(1), dpc.histogram(3)])
@pytest.mark.parametrize("target", [U, B])
@pytest.mark.parametrize("epsilon", ["3/2*e", "2*e", "5*e"])
def test_beyond_the_largest_loss_nothing_is_refuted(query: Any, target: Any, epsilon: str) -> None:
    """There the formula of the curve grows again, and means nothing: at least 1.5 times what M loses; N has tanh(1/20)
    at 0."""
    one = dpc.mechanism("M", query=query, noise=dpc.exponential("e/4"))
    beside = dpc.mechanism("N", dpc.pure("1/10"))
    found = study(one, beside, target=target).check(dpc.approximate(epsilon, "1/2"))
    assert found.verdict != "refuted", str(found)


@pytest.mark.parametrize("epsilon", ["1.2", "1.9", "2", "7"])
def test_both_sides_of_two_are_in_order(epsilon: str) -> None:
    two = study(scored("1/2", "M"), scored("1/2", "N"), target=U)
    found = two.curve().delta(epsilon)
    assert found.lower <= found.upper < 1
    least = two.curve().epsilon("1e-3")
    assert least.lower < least.upper < 2 and two.curve().delta(least.lower).upper > sympy.Rational(1, 1000)


def test_losses_near_zero() -> None:
    """tanh(η/4) at ε = 0, which is η/4."""
    tiny = study(scored("1/10**30"), target=U)
    for delta, verdict in (("1e-30", "proved"), ("4.9e-31", "refuted"), ("1e-35", "refuted")):
        assert tiny.check(dpc.approximate(0, delta)).verdict == verdict
