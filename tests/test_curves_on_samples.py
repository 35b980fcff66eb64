"""Whole curves of mechanisms on samples, against mechanisms that are gone through outcome by outcome.

Mechanisms are tables of probabilities on the samples; what they satisfy on samples is read off these for some
ratios, as several (ε, δ) at once.  Compositions of their mixtures are multiplied out in both orders.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import comb, exp
from statistics import NormalDist

import pytest

import dpcompose as dpc

Row = Sequence[Fraction]
ONE = Fraction(1)


def row(rng: random.Random, outcomes: int = 3) -> Row:
    parts = [rng.choice((0, 1, 1, 2, 3, 5, 9)) for _ in range(outcomes)]
    return row(rng, outcomes) if not sum(parts) else [Fraction(one, sum(parts)) for one in parts]


def excess(P: Row, Q: Row, c: Fraction) -> Fraction:
    """The largest P(S) − c·Q(S)."""
    return sum((max(p - c * q, Fraction(0)) for p, q in zip(P, Q, strict=True)), Fraction(0))


def mixed(some: Iterable[tuple[Fraction, Row]]) -> Row:
    every = list(some)
    return [sum((p * one[o] for p, one in every), Fraction(0)) for o in range(len(every[0][1]))]


def together(rows: Sequence[Row]) -> Row:
    found: Row = [ONE]
    for one in rows:
        found = [p * q for p, q in product(found, one)]
    return found


def lines(pairs: Sequence[tuple[Row, Row]], ratios: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """(c, δ) that all pairs satisfy in both orders."""
    both = [*pairs, *((Q, P) for P, Q in pairs)]
    return [(c, max(excess(P, Q, c) for P, Q in both)) for c in ratios]


def guarantees(some: Sequence[tuple[Fraction, Fraction]], granularity: object) -> list[dpc.Guarantee]:
    return [dpc.approximate(f"log({c})", d, granularity) for c, d in some]


def worst(pairs: Sequence[tuple[Row, Row]], c: Fraction) -> Fraction:
    """The δ of a composition at c, the larger one of both orders."""
    P, Q = (together(rows) for rows in zip(*pairs, strict=True))
    return max(excess(P, Q, c), excess(Q, P, c))


def canonical(some: Sequence[tuple[Fraction, Fraction]]) -> tuple[Row, Row]:
    """Two distributions that have just these (c, δ): the pieces of the least of their lines, by all corners."""
    every = [(Fraction(0), ONE), *some, *((1 / c, 1 - (1 - d) / c) for c, d in some)]

    def g(a: Fraction) -> Fraction:
        return min(c * a + d for c, d in every)

    met = {(e - d) / (b - c) for b, d in every for c, e in every if b != c}
    ends = sorted({Fraction(0), ONE, *(x for x in met if 0 < x < 1)})
    Q = [Fraction(0), *(b - a for a, b in pairwise(ends))]
    P = [g(Fraction(0)), *(g(b) - g(a) for a, b in pairwise(ends))]
    return P, Q


RATIOS = (ONE, Fraction(3, 2), Fraction(3))
SHARDS = [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 40))]
NEAR = Fraction(1, 10**6)


def verdicts(study: object, c: Fraction, delta: Fraction) -> tuple[str, str]:
    """Of a δ a little smaller, and a little larger."""
    epsilon = f"log({c})"
    less, more = max(delta - NEAR, Fraction(0)), delta + NEAR
    return tuple(study.check(dpc.approximate(epsilon, one)).verdict for one in (less, more))  # type: ignore[attr-defined, return-value]


@pytest.mark.parametrize("part", SHARDS)
def test_of_poisson_samples_it_is_exact(part: int) -> None:
    rng = random.Random(part)
    for _ in range(2):
        rate, many = rng.choice((Fraction(1, 3), Fraction(1, 2), Fraction(9, 10))), rng.choice((1, 2, 2))
        stated = [
            lines([(row(rng), row(rng))], rng.sample(RATIOS, rng.choice((1, 2, 3)))) for _ in range(many)
        ]
        beside = rng.choice((None, lines([(row(rng), row(rng))], RATIOS[1:])))
        some = [
            dpc.mechanism(f"M{n}", guarantees(one, dpc.unbounded), sampled={"poisson": str(rate)})
            for n, one in enumerate(stated)
        ]
        some += [] if beside is None else [dpc.mechanism("N", guarantees(beside, dpc.unbounded))]
        study = dpc.compose(*some, on=dpc.multisets("ab"), target=dpc.unbounded)
        pairs = [canonical(one) for one in stated]
        pairs = [(mixed([(1 - rate, Q), (rate, P)]), Q) for P, Q in pairs]
        pairs += [] if beside is None else [canonical(beside)]
        c = rng.choice((ONE, Fraction(41, 40), Fraction(5, 4), Fraction(2)))
        true = worst(pairs, c)
        less, more = verdicts(study, c, true)
        assert more == "proved", (stated, rate, c, true)
        assert less == ("refuted" if true else "proved"), (stated, rate, c, true)


@pytest.mark.parametrize("part", SHARDS)
def test_of_so_many_records_nothing_less_is_proved(part: int) -> None:
    """Two of three records, of which one is replaced: each mechanism is a table on all samples of two."""
    rng = random.Random(1000 + part)
    records, n, m = "abc", 3, 2
    samples = [tuple(sorted(one)) for one in product(records, repeat=m) if one == tuple(sorted(one))]
    near = [(S, T) for S, T in product(samples, repeat=2) if sum(map(S.count, set(S))) and _replaced(S, T)]
    for _ in range(2):
        many = rng.choice((1, 2))
        tables = [{S: row(rng) for S in samples} for _ in range(many)]
        stated = [lines([(M[S], M[T]) for S, T in near], (Fraction(3, 2), Fraction(4))) for M in tables]
        study = dpc.compose(
            *(
                dpc.mechanism(f"M{j}", guarantees(one, dpc.bounded), sampled={"fixed": [str(m), str(n)]})
                for j, one in enumerate(stated)
            ),
            on=dpc.multisets(records, size=f"= {n}"),
            target=dpc.bounded,
        )
        D, E = ("a", "a", "b"), ("a", "b", "c")
        c = rng.choice((ONE, Fraction(5, 4), Fraction(2)))
        true = worst([(_run(M, D, m), _run(M, E, m)) for M in tables], c)
        less, more = verdicts(study, c, true)
        assert less != "proved" or not true, (stated, c, true)
        noise = [canonical(one) for one in stated]
        rate = Fraction(m, n)
        at_least = worst([(mixed([(1 - rate, Q), (rate, P)]), Q) for P, Q in noise], c)
        assert verdicts(study, c, at_least)[0] != "proved" or not at_least
        if many == 1:
            assert verdicts(study, c, at_least)[1] == "proved"
        assert more != "refuted" or true < at_least


def _replaced(S: tuple[str, ...], T: tuple[str, ...]) -> bool:
    rest = list(T)
    for one in S:
        if one in rest:
            rest.remove(one)
    return len(rest) == 1


def _run(M: dict[tuple[str, ...], Row], D: tuple[str, ...], m: int) -> Row:
    """A table on samples of so many of the records of D."""
    some = [D[:i] + D[i + 1 :] for i in range(len(D))] if m == len(D) - 1 else []
    assert len(some) == comb(len(D), m)
    return mixed((Fraction(1, len(some)), M[tuple(sorted(one))]) for one in some)


@pytest.mark.parametrize("part", SHARDS)
def test_of_records_that_go_and_come_nothing_less_is_proved(part: int) -> None:
    """A Poisson sample of what is read, one of two records being replaced, or two of them coming."""
    rng = random.Random(2000 + part)
    rate = rng.choice((Fraction(1, 3), Fraction(1, 2)))
    group, many = rng.choice((False, True)), rng.choice((1, 2))
    pairs, stated = [], []
    for _ in range(many):
        # outputs by how many records x there are in the sample, and how many y
        M = {(x, y): row(rng) for x, y in product(range(3), range(2))}
        near = [(S, T) for S, T in product(M, repeat=2) if abs(S[0] - T[0]) + abs(S[1] - T[1]) == 1]
        stated.append(lines([(M[S], M[T]) for S, T in near], (Fraction(2), Fraction(6))))

        def at(x: int, y: int, M: dict[tuple[int, int], Row] = M) -> Row:
            return mixed(
                (
                    comb(x, i)
                    * rate**i
                    * (1 - rate) ** (x - i)
                    * comb(y, j)
                    * rate**j
                    * (1 - rate) ** (y - j),
                    M[i, j],
                )
                for i, j in product(range(x + 1), range(y + 1))
            )

        pairs.append((at(2, 0), at(0, 0)) if group else (at(1, 0), at(0, 1)))
    study = dpc.compose(
        *(
            dpc.mechanism(f"M{j}", guarantees(one, dpc.unbounded), sampled={"poisson": str(rate)})
            for j, one in enumerate(stated)
        ),
        on=dpc.multisets("xy"),
        target=dpc.group(2, dpc.unbounded) if group else dpc.bounded,
    )
    for c in (ONE, Fraction(5, 4), Fraction(2)):
        true = worst(pairs, c)
        less, _ = verdicts(study, c, true)
        assert less != "proved" or not true, (stated, rate, c, true, group)


@pytest.mark.parametrize(
    ("guarantee", "rate", "low", "high"),
    [
        (dpc.gaussian(1, dpc.unbounded), "1/10", "0.0020320", "0.0020326"),
        (dpc.f_dp("L(1)", dpc.unbounded), "1/2", "0.0403254", "0.0403312"),
    ],
)
def test_noise_on_samples(guarantee: dpc.Guarantee, rate: str, low: str, high: str) -> None:
    """At ε = 1/2 the larger one of both orders, between what distributions on a fine grid have."""
    study = dpc.compose(
        dpc.mechanism("M", guarantee, sampled={"poisson": rate}), on=dpc.multisets(), target=dpc.unbounded
    )
    less, more = Fraction(low) * Fraction(99, 100), Fraction(high) * Fraction(101, 100)
    assert study.check(dpc.approximate("1/2", less)).verdict == "refuted"
    assert study.check(dpc.approximate("1/2", more)).verdict == "proved"


@pytest.mark.parametrize("part", SHARDS)
def test_noise_beside_other_guarantees_of_the_same_mechanism(part: int) -> None:
    """The largest g(a) − c·a, with g the least of the function of noise and of all lines, by a fine grid."""
    rng = random.Random(part)
    normal, a = part % 2 == 0, rng.choice((0.25, 1.0, 2.0))
    some = [(rng.choice((1.0, 1.5, 3.0)), rng.choice((0.0, 0.05, 0.2))) for _ in range(rng.choice((1, 2)))]

    def noise(x: float) -> float:
        if normal:
            return 1 - NormalDist().cdf(NormalDist().inv_cdf(1 - x) - a)
        between = exp(-a) / 2 <= x <= 1 / 2
        return 1 - exp(-a) / (4 * x) if between else min(x * exp(a), 1 - (1 - x) * exp(-a))

    def g(x: float) -> float:
        return min(noise(x), *(min(c * x + d, 1 - (1 - d - x) / c) for c, d in some))

    given = dpc.gaussian(str(a)) if normal else dpc.f_dp(f"L({a})")
    others = [dpc.approximate(f"log({c})", str(d)) for c, d in some]
    M = dpc.mechanism("M", [one.about(dpc.unbounded) for one in (given, *others)])
    study = dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded)
    for c in (1.0, 1.25, 2.0):
        true = max(g(n / 20_000) - c * n / 20_000 for n in range(1, 20_000))
        found = [study.check(dpc.approximate(f"log({c})", max(0, true + x))).verdict for x in (-2e-3, 1e-3)]
        assert found[1] == "proved" and found[0] in ("refuted", "proved" if true < 2e-3 else ""), (some, c)


def on_samples(rate: str, function: str, count: int) -> object:
    return dpc.mechanism("N", dpc.f_dp(function, dpc.unbounded), sampled={"poisson": rate}, count=count)


@pytest.mark.slow
def test_a_hundred_rounds_are_enclosed_closely() -> None:
    """Against a discrete Fourier transform of the losses, on a grid of 1/2000: 0.0114982 at 1."""
    study = dpc.compose(on_samples("1/10", "G(1/2)", 100), on=dpc.multisets("ab"), target=dpc.unbounded)
    known = study.curve().delta(1)
    assert 0.01145 < known.lower < 0.0114982 < known.upper < 0.01155


@pytest.mark.slow
def test_beside_two_noises_the_work_is_counted() -> None:
    """Of 257 losses beside 1,000 of Laplace noise each would take a value of normal noise: that did not end."""
    laplace, normal = (dpc.mechanism(one, dpc.f_dp(one, dpc.unbounded)) for one in ("L(3/2)", "G(1/4)"))
    study = dpc.compose(
        laplace, normal, on_samples("1/2", "G(1/4)", 1), on=dpc.multisets("ab"), target=dpc.unbounded
    )
    known = study.curve().delta("1/4")
    assert 0 < known.upper - known.lower < 0.001
    assert study.check(dpc.approximate("1/4", "0.423")).verdict == "refuted"
