"""What the lecture of Harvard's course CS 2080 states, against tables of probabilities: exactly, where these are."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from mpmath import iv

import dpcompose as dpc

Row = Sequence[Fraction]
"""A distribution: the probabilities of finitely many outcomes."""

FACTORS = [Fraction(1), Fraction(4, 3), Fraction(2), Fraction(7, 2)]
"""e to the epsilon."""


def tables(seed: int, rows: int = 2, outcomes: int = 5) -> list[list[Fraction]]:
    """Distributions at random, of which some probabilities are 0."""
    chance = random.Random(seed)
    found = []
    for _ in range(rows):
        weights = [chance.choice((0, 1, 2, 3, 5, 9)) for _ in range(outcomes - 1)] + [1]
        found.append([Fraction(w, sum(weights)) for w in weights])
    return found


def events(P: Row, Q: Row) -> Iterator[tuple[Fraction, Fraction]]:
    """The probabilities of all sets of outcomes."""
    for chosen in product((0, 1), repeat=len(P)):
        yield (
            sum(p for p, c in zip(P, chosen, strict=True) if c),
            sum(q for q, c in zip(Q, chosen, strict=True) if c),
        )


def least_delta(P: Row, Q: Row, factor: Fraction) -> Fraction:
    """The least delta with P(S) <= factor·Q(S) + delta for all sets S, by looking at all of them."""
    return max(p - factor * q for p, q in events(P, Q))


# privacy loss


@pytest.mark.parametrize("seed", range(10))
def test_outcome_by_outcome(seed: int) -> None:
    P, Q = tables(seed)
    for factor in FACTORS:
        pure = all(p <= factor * q for p, q in zip(P, Q, strict=True))
        assert pure == all(p <= factor * q for p, q in events(P, Q))
        assert least_delta(P, Q, factor) == sum(max(0, p - factor * q) for p, q in zip(P, Q, strict=True))


def test_outcomes_alone_say_nothing_of_sets() -> None:
    """Twenty outcomes for each of two databases: each is within 1/20, together they tell the two apart."""
    P, Q = [Fraction(1, 20)] * 20 + [Fraction(0)] * 20, [Fraction(0)] * 20 + [Fraction(1, 20)] * 20
    assert all(p <= q + Fraction(1, 20) for p, q in zip(P, Q, strict=True))
    assert sum(max(0, p - 10**9 * q) for p, q in zip(P, Q, strict=True)) == 1


def test_a_table_is_checked_on_sets() -> None:
    """File 200: within 1/8 for each outcome, and for sets of them only within 1/2."""
    rows = {"D": ["3/16"] * 4 + ["1/16"] * 4, "E": ["1/16"] * 4 + ["3/16"] * 4}
    M = dpc.probability_table(rows)
    two = dpc.pairs("two", [("D", "E")])
    assert M.check(dpc.approximate(0, "1/2", two)).holds
    assert M.check(dpc.approximate(0, "1/8", two)).verdict == "refuted"
    assert str(M.loss(two).expression) == "log(3)"


def test_a_row_at_random() -> None:
    """All databases of up to four rows with values 0, 1, 2, and groups: g/n for every epsilon, attained."""
    for n in (1, 2, 3, 4):
        every = [[Fraction(D.count(v), n) for v in range(3)] for D in product(range(3), repeat=n)]
        least = dict.fromkeys(range(n + 1), Fraction(0))
        for (D, P), (E, Q) in product(zip(product(range(3), repeat=n), every, strict=True), repeat=2):
            apart = sum(x != y for x, y in zip(D, E, strict=True))
            least[apart] = max(least[apart], sum(max(0, p - q) for p, q in zip(P, Q, strict=True)))
        assert least == {g: Fraction(g, n) for g in range(n + 1)}


# error rates


def least_error(P: Row, Q: Row, rate: Fraction) -> Fraction:
    """T(P, Q)(rate): the tests of Neyman and Pearson take outcomes by the ratio of Q to P, the last one in part."""
    left, found = rate, Fraction(1)
    by_ratio = sorted(range(len(P)), key=lambda y: (P[y] > 0, -Q[y] / P[y] if P[y] else 0))
    for y in by_ratio:
        share = Fraction(1) if P[y] <= left else left / P[y]
        left, found = left - share * P[y], found - share * Q[y]
        if share < 1:
            break
    return found


RATES = [Fraction(n, 24) for n in range(25)]


def corners(P: Row, Q: Row) -> list[tuple[Fraction, Fraction]]:
    """(false positive rate, T there) where T(P, Q) bends: it is straight in between."""
    by_ratio = sorted(range(len(P)), key=lambda y: (P[y] > 0, -Q[y] / P[y] if P[y] else 0))
    rates = [sum((P[y] for y in by_ratio[:n]), Fraction(0)) for n in range(len(P) + 1)]
    return [(a, least_error(P, Q, a)) for a in rates]


@pytest.mark.parametrize("seed", range(8))
def test_error_rates(seed: int) -> None:
    """(eps, delta) in both orders is T >= f; delta(eps) is 1 + f*(-e^eps); groups are the function applied again."""
    P, Q, R = tables(seed, rows=3)
    bends = corners(P, Q)
    for factor in [*FACTORS, *(1 / one for one in FACTORS)]:
        assert least_delta(Q, P, factor) == max(1 - b - factor * a for a, b in bends)
    for factor in FACTORS:
        delta = max(least_delta(P, Q, factor), least_delta(Q, P, factor))
        for lower in (delta, delta * Fraction(9, 10)):
            above = all(
                b >= max(0, 1 - lower - factor * a, (1 - lower - a) / factor)
                for a, b in [*bends, *rated(P, Q)]
            )
            assert above == (lower == delta)
        assert all(q <= factor * p + delta for q, p in events(Q, P))
    for a in RATES:
        once = 1 - min(least_error(P, Q, a), least_error(Q, R, a))
        # T(P, R)(a) >= 1 - (1 - f)((1 - f)(a)), for the f that is the less of the two at each rate
        twice = 1 - min(least_error(P, Q, once), least_error(Q, R, once))
        assert least_error(P, R, a) >= 1 - twice


@pytest.mark.parametrize("seed", range(5))
def test_a_delta_is_a_leak(seed: int) -> None:
    """Beside a mechanism that tells with probability 1/5: the error rates of the page; for randomized response f_eps,d."""
    told, factor = Fraction(1, 5), Fraction(3)
    response = [factor / (1 + factor), 1 / (1 + factor)]
    for P, Q in (tables(seed), (response, response[::-1])):
        with_leak = [
            [*((1 - told) * x for x in row), *tail] for row, tail in ((P, (told, 0)), (Q, (0, told)))
        ]
        for a in RATES:
            expected = (1 - told) * least_error(P, Q, a / (1 - told)) if a <= 1 - told else 0
            assert least_error(*with_leak, a) == expected
            if P is response:
                assert expected == max(0, 1 - told - factor * a, (1 - told - a) / factor)


def rated(P: Row, Q: Row) -> Iterable[tuple[Fraction, Fraction]]:
    return ((a, least_error(P, Q, a)) for a in RATES)


def test_geometric_noise_reaches_the_error_rates_of_groups() -> None:
    """Noise that loses log(3) a step, cut off at 0 and 6: two steps are the function applied twice, in the middle."""
    rows = []
    for x in (2, 3, 4):
        weights = [
            Fraction(1, 3 ** abs(x - y)) * (Fraction(2, 4) if 0 < y < 6 else Fraction(3, 4)) for y in range(7)
        ]
        rows.append(weights)
        assert sum(weights) == 1
    P, _, R = rows

    def grown(a: Fraction) -> Fraction:
        return 1 - max(Fraction(0), 1 - 3 * a, (1 - a) / 3)

    a = Fraction(1, 12)  # the noise of P at 4 or above: where the test of two steps bends
    assert least_error(P, R, a) == 1 - grown(grown(a))


# mechanisms


def phi(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.ncdf(x)


def delta_of_noise(sigma: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    """The least delta of normal noise on what moves by 1 (Balle, Wang 2018)."""
    return phi(1 / (2 * sigma) - epsilon * sigma) - mpmath.exp(epsilon) * phi(
        -1 / (2 * sigma) - epsilon * sigma
    )


def test_normal_noise_of_the_lecture() -> None:
    """sqrt(2 ln(2/delta))/epsilon: for 1e-5 right at 9 and wrong at 9.4; at no delta of a grid wrong up to 6.36."""
    with mpmath.workdps(40):

        def is_right(epsilon: str, delta: str) -> bool:
            e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
            return bool(delta_of_noise(mpmath.sqrt(2 * mpmath.log(2 / d)) / e, e) <= d)

        assert is_right("9", "1e-5") and is_right("9.3913", "1e-5")
        assert not is_right("9.3914", "1e-5") and not is_right("9.4", "1e-5")
        deltas = ["0.99", "0.7", "0.6", "0.5", "0.2", "0.05", "1e-3", "1e-9", "1e-30"]
        assert all(is_right(e, d) for e in ("0.01", "0.5", "1", "3", "6", "6.36") for d in deltas)
        assert not is_right("6.37", "0.6")


def test_advanced_composition_against_the_least_delta() -> None:
    """k randomized responses with a leak of d each: the lecture's pair is above the least delta, by the binomial
    sum in intervals."""
    for k, e, d, spent in ((10, "0.1", "1e-3", "1e-2"), (40, "0.2", "1e-4", "1e-3"), (3, "1", "0.01", "0.1")):
        eps, leak, more = iv.mpf(e), iv.mpf(d), iv.mpf(spent)
        total = eps * iv.sqrt(2 * k * iv.log(1 / more)) + k * eps * (iv.exp(eps) - 1)
        p, q = iv.exp(eps) / (1 + iv.exp(eps)), 1 / (1 + iv.exp(eps))
        lost = iv.mpf(0)
        for j in range(k + 1):
            gain = p**j * q ** (k - j) - iv.exp(total) * q**j * p ** (k - j)
            lost += int(mpmath.binomial(k, j)) * (gain if gain.a > 0 else iv.mpf([0, max(0, gain.b)]))
        least = 1 - (1 - leak) ** k * (1 - lost)
        assert least.b <= (k * leak + more).a


def test_groups() -> None:
    """A chain of randomized responses with a leak: k steps cost k·eps, and delta(1 + e^eps + ...) in metric form."""
    whole = dpc.multisets()
    pure = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.bounded)), on=whole, target=dpc.group(3, dpc.bounded)
    )
    assert str(pure.guarantee().epsilon) == "3*e"
    both = dpc.mechanism("M", dpc.approximate("1", "1/100", dpc.bounded))
    made = dpc.compose(both, on=whole, target=dpc.group(3, dpc.bounded))
    assert made.check(dpc.approximate(3, "1/100*(1 + exp(1) + exp(2))")).verdict == "proved"
    assert made.check(dpc.approximate(3, "3/100")).verdict == "refuted"


@pytest.mark.parametrize(
    ("target", "scale", "others"), [(dpc.unbounded, "1/e", "0.9/e"), (dpc.bounded, "2/e", "1/e")]
)
def test_histograms(target: dpc.Granularity, scale: str, others: str) -> None:
    for noise, verdict in ((scale, "proved"), (others, "refuted")):
        bins = dpc.mechanism("bins", query=dpc.histogram(5), noise=dpc.laplace(noise))
        assert dpc.compose(bins, on=dpc.multisets(), target=target).check(dpc.pure("e")).verdict == verdict


def test_a_budget_for_k_queries() -> None:
    """k queries at e/k each are e together, whoever chooses them; a million at 1/1000 are 4.4 and not 1000 with a
    delta, so noise need not grow as the number of queries, but as its root (file 59)."""
    (e,), (k,) = dpc.parameters("e"), dpc.parameters("k", "integer >= 1")
    M = dpc.mechanism("M", dpc.pure(e / k, dpc.unbounded), count=k)
    made = dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded, adaptive=True)
    assert str(made.guarantee().epsilon) == "e"
    many = dpc.mechanism("M", dpc.pure("1/1000", dpc.unbounded), count=10**6)
    million = dpc.compose(many, on=dpc.multisets(), target=dpc.unbounded)
    assert million.check(dpc.approximate("4.377172", "1e-5")).verdict == "proved"
    assert million.check(dpc.pure(999)).verdict == "refuted"


def test_gradients_add_up() -> None:
    """Steps of gradient descent: vectors of length c, noise z·c, each chosen by the results before."""
    steps = dpc.mechanism("step", query=dpc.vector_sum("c"), noise=dpc.gaussian_noise("z*c"), count=100)
    made = dpc.compose(steps, on=dpc.multisets(), target=dpc.unbounded, adaptive=True)
    assert made.check(dpc.zcdp("50/z**2")).verdict == "proved"
    assert made.check(dpc.zcdp("49/z**2")).verdict == "refuted"
