"""Two hundred more claims at numbers, a little too large and a little too small: other notions, policies, groups, streams,
bags of rows, samples and noise together, decided in the tests by going through all cases, or by mpmath."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import pytest
from test_claims_at_numbers import ON, B, Claims, U, alike, delta_at, eval_fraction, exp, log, released, x

import dpcompose as dpc

RECORDS = "abcd"


def policies() -> Claims:
    """Mechanisms stated for one policy, neighbours of another: all pairs of records, shortest paths."""
    rng = random.Random(11)
    pairs = list(itertools.combinations(RECORDS, 2))
    for n in range(12):
        target = rng.sample(pairs, rng.randint(1, 4))
        each, stated = [rng.randint(1, 9) for _ in range(2)], []
        for _ in each:  # connected, so that no distance is infinite
            path = rng.sample(RECORDS, 4)
            stated.append([*itertools.pairwise(path), *rng.sample(pairs, rng.randint(0, 2))])
        right = max(
            sum(e * steps(a, b, some) for e, some in zip(each, stated, strict=True)) for a, b in target
        )
        some = [
            dpc.mechanism(f"M{i}", dpc.pure(e, dpc.policy(f"P{i}", replace=edges)))
            for i, (e, edges) in enumerate(zip(each, stated, strict=True))
        ]
        size = ("any", "= 3", "<= 2")[n % 3]
        yield (
            dpc.compose(*some, on=dpc.multisets(RECORDS, size=size), target=dpc.policy("T", replace=target)),
            dpc.pure,
            x(right),
        )


def steps(a: str, b: str, edges: Any) -> int:
    """The fewest edges from a to b."""
    reached, n = {a}, 0
    while b not in reached:
        n += 1
        reached |= {v for u, v in (*edges, *(edge[::-1] for edge in edges)) if u in reached}
    return n


def groups_of_readers() -> Claims:
    """g records come and go: all choices of them, Σ e_i·r_i and Σ ρ_i·r_i², r_i of them in what M_i reads."""
    rng = random.Random(12)
    for n in range(12):
        g = rng.choice((2, 3))
        reads = [set(rng.sample(RECORDS, rng.choice((1, 2)))) for _ in range(3)]
        each = [rng.randint(1, 9) for _ in reads]
        of, power = ((dpc.pure, 1), (dpc.zcdp, 2))[n % 2]
        right = max(
            sum(e * sum(one in read for one in some) ** power for e, read in zip(each, reads, strict=True))
            for some in itertools.combinations_with_replacement(RECORDS, g)
        )
        mechanisms = [
            dpc.mechanism(f"M{i}", of(e, U, "own"), reads=read)
            for i, (e, read) in enumerate(zip(each, reads, strict=True))
        ]
        yield dpc.compose(*mechanisms, on=ON, target=dpc.group(g, U)), of, x(right)


def windows() -> Claims:
    """Streams of six steps: neighbours differ within three in a row, mechanisms are stated for one step."""
    rng = random.Random(13)
    for _ in range(8):
        reads = [rng.sample(range(1, 7), rng.choice((1, 2, 4))) for _ in range(3)]
        each = [rng.randint(1, 9) for _ in reads]
        right = max(
            sum(e * len({t, t + 1, t + 2} & set(read)) for e, read in zip(each, reads, strict=True))
            for t in range(1, 5)
        )
        some = [
            dpc.mechanism(f"M{i}", dpc.pure(e, dpc.event, "own"), reads=dpc.positions(*sorted(read)))
            for i, (e, read) in enumerate(zip(each, reads, strict=True))
        ]
        yield dpc.compose(*some, on=dpc.streams("ab", size="= 6"), target=dpc.w_event(3)), dpc.pure, x(right)


def renyi() -> Claims:
    """mathematics.md, §8.4: randomized response, Laplace and normal noise, each and together, at one order."""

    def pure(e: Any, a: Any) -> Any:
        return log(mpmath.cosh((a - x(1) / 2) * e) / mpmath.cosh(e / 2)) / (a - 1)

    def laplace(e: Any, a: Any) -> Any:
        return log(a * exp((a - 1) * e) / (2 * a - 1) + (a - 1) * exp(-a * e) / (2 * a - 1)) / (a - 1)

    for e, order in (("1", "2"), ("1/2", "8"), ("3", "3/2"), ("2", "32")):
        value, a = eval_fraction(e), eval_fraction(order)

        def at(epsilon: str, order: str = order) -> Any:
            return dpc.renyi(epsilon, order)

        yield alike(1, dpc.pure(e, U)), at, pure(value, a)
        yield alike(3, dpc.pure(e, U)), at, 3 * pure(value, a)
        yield released(dpc.count, dpc.laplace(f"1/({e})")), at, laplace(value, a)
        some = [
            dpc.mechanism("M", query=dpc.count, noise=dpc.laplace(f"1/({e})")),
            dpc.mechanism("N", dpc.gaussian(e, U)),
        ]
        yield dpc.compose(*some, on=ON, target=U), at, laplace(value, a) + a * value**2 / 2


def unlike() -> Claims:
    """Murtagh and Vadhan 2016: all subsets of some (ε_i, δ_i)."""
    rng = random.Random(14)
    for _ in range(10):
        some = [(rng.randint(1, 20), rng.randint(0, 5)) for _ in range(rng.choice((2, 3, 5)))]
        epsilon = x(rng.randint(1, 10)) / 10
        total = x(0)
        for chosen in itertools.product((1, -1), repeat=len(some)):
            lost = sum(sign * x(e) / 10 for sign, (e, _) in zip(chosen, some, strict=True))
            mass = mpmath.fprod(
                exp(x(e) / 10 if sign == 1 else 0) / (1 + exp(x(e) / 10))
                for sign, (e, _) in zip(chosen, some, strict=True)
            )
            total += max(x(0), mass * (1 - exp(epsilon - lost)))
        stays = mpmath.fprod(1 - x(d) / 100 for _, d in some)
        mechanisms = [
            dpc.mechanism(f"M{i}", dpc.approximate(f"{e}/10", f"{d}/100", U)) for i, (e, d) in enumerate(some)
        ]
        right = 1 - stays * (1 - total)
        if right > x("1e-9"):
            yield (
                dpc.compose(*mechanisms, on=ON, target=U),
                delta_at(f"{int(10 * epsilon + x(1) / 2)}/10"),
                right,
            )


def far_apart() -> Claims:
    """Pure privacy for groups of r: geometric noise at r steps, summed over all whole numbers."""
    for e, r, epsilon in (("1", 2, "1"), ("1/2", 3, "1/2"), ("2", 2, "3"), ("1/4", 4, "1/10"), ("1", 5, "2")):
        q = exp(-eval_fraction(e))
        norm, grown = (1 - q) / (1 + q), exp(eval_fraction(epsilon))
        right = norm * mpmath.fsum(max(x(0), q ** abs(y) - grown * q ** abs(y - r)) for y in range(-600, 601))
        yield (
            dpc.compose(dpc.mechanism("M", dpc.pure(e, U)), on=ON, target=dpc.group(r, U)),
            delta_at(epsilon),
            right,
        )


def samples_of_so_many() -> Claims:
    """m of n without replacement, ln(1 + (m/n)(e^ε − 1)); δ of one round, (m/n)·δ(ε)."""
    for m, n, e in ((1, 10, "1"), (5, 10, "1/2"), (3, 100, "2"), (99, 100, "1")):
        on = dpc.multisets(RECORDS, size=f"= {n}")
        o, rate = exp(eval_fraction(e)), x(m) / n
        one = dpc.mechanism("M", dpc.pure(e, B), sampled={"fixed": [str(m), str(n)]})
        yield dpc.compose(one, on=on, target=B), dpc.pure, log(1 + rate * (o - 1))
        one = dpc.mechanism("M", dpc.approximate(e, "1/100", B), sampled={"fixed": [str(m), str(n)]})
        grown = mpmath.nstr(log(1 + rate * (o - 1)), 40)
        yield dpc.compose(one, on=on, target=B), delta_at(grown), rate / 100


def keys() -> Claims:
    """Laplace noise with a threshold: 1 − (1 − e^(−(τ − m)ε/(L·m))/2)^L (Wilson et al. 2020)."""
    for most, each, tau, e in ((1, 1, 10, "1"), (3, 1, 20, "1"), (2, 5, 40, "1/2"), (4, 1, 5, "2")):
        p = exp(-(x(tau) - each) * eval_fraction(e) / (most * each)) / 2
        noise = dpc.laplace(f"{most * each}/({e})", threshold=tau)
        yield released(dpc.keys(most, each), noise), delta_at(e), 1 - (1 - p) ** most


def choices() -> Claims:
    """(1 − e^((ε − η)/2))²/(1 − e^−η) of one exponential mechanism (Dong, Durfee and Rogers 2019)."""
    for eta, epsilon in (("1", "1/2"), ("2", "1"), ("3", "1/10"), ("1/2", "1/4")):
        e, n = eval_fraction(epsilon), eval_fraction(eta)
        right = (1 - exp((e - n) / 2)) ** 2 / (1 - exp(-n))
        yield released(dpc.monotone_scores(1), dpc.exponential(eta)), delta_at(epsilon), right


def noise_together() -> Claims:
    """Laplace noise besides randomized response: the excess of one, integrated over what the other loses."""
    for a, e, epsilon in (("1", "1", "1"), ("1/2", "1", "1/2"), ("2", "1/2", "1"), ("1", "2", "2")):
        far, other, threshold = map(eval_fraction, (a, e, epsilon))
        p = exp(other) / (1 + exp(other))
        right = p * laplace_excess(far, threshold - other) + (1 - p) * laplace_excess(far, threshold + other)
        some = [
            dpc.mechanism("M", query=dpc.count, noise=dpc.laplace(f"1/({a})")),
            dpc.mechanism("N", dpc.pure(e, U)),
        ]
        yield dpc.compose(*some, on=ON, target=U), delta_at(epsilon), right


def laplace_excess(a: Any, epsilon: Any) -> Any:
    """δ(ε) of Laplace noise at values a scales apart, for any real ε."""
    if epsilon >= a:
        return x(0)
    return 1 - exp((epsilon - a) / 2) if epsilon >= -a else 1 - exp(epsilon)


def bags_of_rows() -> Claims:
    """mathematics.md, §8.2: a user has m rows in each of at most L of k parts; all choices of parts."""
    rng = random.Random(15)
    for n in range(6):
        k, most, rows = 4, rng.choice((1, 2, 3)), rng.choice((1, 2))
        each = [rng.randint(1, 9) for _ in range(k)]
        of, power = ((dpc.pure, 1), (dpc.zcdp, 2))[n % 2]
        right = max(
            sum(each[i] * rows**power for i in some) for some in itertools.combinations(range(k), most)
        )
        parts = dpc.record_partition(ON, *RECORDS)
        mechanisms = [
            dpc.mechanism(f"M{i}", of(e, U, "own"), reads=part)
            for i, (e, part) in enumerate(zip(each, parts, strict=True))
        ]
        yield dpc.compose(*mechanisms, on=ON, target=dpc.contribution(most, rows)), of, x(right)


def nodes() -> Claims:
    """Edges at one vertex: n − 1 of them."""
    for n in (3, 4, 5):
        one = dpc.mechanism("M", dpc.pure("1/3", dpc.edge))
        yield dpc.compose(one, on=dpc.graphs(n), target=dpc.node), dpc.pure, x(n - 1) / 3
        one = dpc.mechanism("M", dpc.gaussian("1/3", dpc.edge))
        yield dpc.compose(one, on=dpc.graphs(n), target=dpc.node), dpc.gaussian, x(n - 1) / 3


def of_gaussians() -> Claims:
    """μ²/2-zCDP and μ of many, and D_α ≤ αμ²/2."""
    for k, mu in ((3, "1/2"), (50, "1/7"), (1000, "1/100")):
        m = eval_fraction(mu)
        yield alike(k, dpc.gaussian(mu, U)), dpc.gaussian, mpmath.sqrt(k) * m
        yield alike(k, dpc.gaussian(mu, U)), dpc.zcdp, k * m**2 / 2
        yield alike(k, dpc.zcdp(mu, U)), (lambda epsilon: dpc.renyi(epsilon, "3")), 3 * k * m


KINDS = [
    policies,
    groups_of_readers,
    windows,
    renyi,
    unlike,
    far_apart,
    samples_of_so_many,
    keys,
    choices,
    noise_together,
    bags_of_rows,
    nodes,
    of_gaussians,
]
NEAR = x("1e-5")


def judged(kind: Callable[[], Claims]) -> Iterator[tuple[Any, str, str]]:
    for study, claim, right in kind():
        for way, verdict in ((1, "proved"), (-1, "refuted")):
            said = claim(mpmath.nstr(right * (1 + way * NEAR), 18))
            yield said, verdict, study.check(said).verdict


@pytest.mark.parametrize("kind", [pytest.param(one, marks=pytest.mark.slow) for one in KINDS])
def test_a_little_more_holds_and_a_little_less_does_not(kind: Callable[[], Claims]) -> None:
    wrong = [(str(said), right, found) for said, right, found in judged(kind) if found != right]
    assert not wrong


@pytest.mark.slow
def test_so_many_they_are() -> None:
    assert 2 * sum(1 for kind in KINDS for _ in kind()) >= 200
