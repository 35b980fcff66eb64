"""What lemmas state of any two distributions, on exact tables; and the same tables refute forms that are false.

Probabilities are exact.  What has logarithms is enclosed in intervals: a statement holds on a table where the
enclosures say so, and fails where they say so; in between, it would do neither.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any

import pytest
from mpmath import iv

F = Fraction
Row = tuple[Fraction, ...]


def interval(x: Fraction | int) -> Any:
    return iv.mpf(F(x).numerator) / F(x).denominator


@dataclass(frozen=True)
class Pair:
    """Two distributions, most likely under P first as against Q; rho -- a parameter of zCDP that they have."""

    P: Row
    Q: Row
    rho: Any

    def events(self) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
        """The outcomes whose ratio is at least so large, for each ratio: p, q, and the ratio where it is finite."""
        p = q = F(0)
        for n, (x, y) in enumerate(zip(self.P, self.Q, strict=True)):
            p, q = p + x, q + y
            last = n + 1 == len(self.P) or self.P[n + 1] * y < x * self.Q[n + 1]
            if x and y and last:
                yield p, q, x / y


def pair(P: Sequence[Fraction], Q: Sequence[Fraction], rho: Any = None) -> Pair:
    order = sorted(range(len(P)), key=lambda n: (Q[n] > 0, -P[n] / Q[n] if Q[n] else 0))
    return Pair(tuple(P[n] for n in order), tuple(Q[n] for n in order), rho)


def of_pure(odds: Fraction) -> Any:
    """ε·tanh(ε/2), the least parameter of zCDP that ε-DP has."""
    return iv.log(interval(odds)) * interval((odds - 1) / (odds + 1))


def responses(odds: Fraction, k: int) -> Pair:
    """How many of k randomised responses are yes."""
    p = odds / (1 + odds)
    rows = [[comb(k, j) * x**j * (1 - x) ** (k - j) for j in range(k + 1)] for x in (p, 1 - p)]
    return pair(*rows, k * of_pure(odds))


def at_random(seed: int) -> Pair:
    chance = random.Random(seed)
    weights = [F(chance.randrange(1, 9)) for _ in range(5)]
    changed = [w * chance.choice((F(3, 5), F(1), F(8, 5))) for w in weights]
    P, Q = [w / sum(weights) for w in weights], [w / sum(changed) for w in changed]
    return pair(P, Q, of_pure(max(max(p / q, q / p) for p, q in zip(P, Q, strict=True))))


def with_zeros(seed: int) -> Pair:
    chance = random.Random(seed)
    some = [[chance.choice((0, 1, 2, 3, 5, 9)) for _ in range(4)] + [1] for _ in "PQ"]
    return pair(*([F(w, sum(weights)) for w in weights] for weights in some))


CONCENTRATED = [
    *map(at_random, range(6)),
    *(responses(F(x), k) for x, k in ((F(11, 10), 1), (2, 1), (50, 1), (F(5, 4), 60), (2, 12))),
]
H = F(1, 10**6)
ANY = [*map(with_zeros, range(12)), pair([F(1, 2)] * 2, [1 / (4 + 2 * H), 1 - 1 / (4 + 2 * H)])]


Comparison = tuple[Any, Any]
"""What is to be at most the other, as numbers or intervals."""


def losses(bound: Callable[[Any, Any], Any], above: bool = True) -> Iterator[Comparison]:
    """P(L ≥ t) against a bound in t and ρ, at every loss t of a table that is above ρ, or at each."""
    for one in CONCENTRATED:
        for p, _, ratio in one.events():
            t = iv.log(interval(ratio))
            if t.a > one.rho.b or not above:
                yield interval(p), bound(t, one.rho)


def rare(bound: Callable[[Any, Any, Any], Any]) -> Iterator[Comparison]:
    """P(S) against a bound in Q(S), the order and ρ."""
    for one, order in product(CONCENTRATED, (F(11, 10), F(3, 2), F(2), F(10))):
        for p, q, _ in one.events():
            if q < 1:
                yield interval(p), bound(interval(q), interval(order), one.rho)


def roots(limit: Callable[[Any], Any], less: Callable[[Any], Any]) -> Iterator[Comparison]:
    """√ln 1/Q(S) − less ≤ √ln 1/P(S), of events with Q(S) below a limit."""
    for one in CONCENTRATED:
        for p, q, _ in one.events():
            if p < 1 and interval(q).b < limit(one.rho).a:
                yield iv.sqrt(-iv.log(interval(q))) - less(one.rho), iv.sqrt(-iv.log(interval(p)))


def excess(one: Pair, odds: Fraction) -> Fraction:
    return sum((max(F(0), p - odds * q) for p, q in zip(one.P, one.Q, strict=True)), F(0))


def beyond(one: Pair, odds: Fraction) -> Fraction:
    return sum((p for p, q in zip(one.P, one.Q, strict=True) if p > odds * q), F(0))


ODDS = [F(1), F(4, 3), F(2), F(7, 2)]


def to_delta(share: Fraction) -> Iterator[Comparison]:
    """The least δ at ε against P(L > ε)."""
    return ((excess(one, x), share * beyond(one, x)) for one, x in product(ANY, ODDS))


def back(bound: Callable[[Fraction, Fraction], Fraction]) -> Iterator[Comparison]:
    """P(L > ε') against a bound in the least δ at ε, and e^(ε−ε')."""
    for one, (x, y) in product(ANY, [*pairwise(ODDS), (F(1), F(7, 2)), (F(2), 2 + H / 2)]):
        yield beyond(one, y), bound(excess(one, x), x / y)


def outcome_by_outcome(most: Callable[[Sequence[Fraction]], Fraction]) -> Iterator[Comparison]:
    """P(S) − e^ε·Q(S), for the set that has most of it, against what outcomes have each."""
    for one, x in product(ANY, ODDS):
        yield excess(one, x), most([max(F(0), p - x * q) for p, q in zip(one.P, one.Q, strict=True)])


def information(most: Callable[[Any, int], Any]) -> Iterator[Comparison]:
    """I(X; M(X)) against a bound in ρ and n: one record of m values by randomised response, and n equal bits
    with geometric noise on how many are 1, cut off to 0..n."""
    for odds, m in ((F(3), 2), (F(2), 9), (F(10**9), 10**7)):
        p, q = odds / (odds + m - 1), 1 / (odds + m - 1)
        told = sum(
            interval(many * x) * iv.log(interval(m * x)) for x, many in ((p, 1), (q, m - 1))
        )  # each value is as likely as any other
        yield told, most(of_pure(odds), 1)
    n, r = 8, F(49, 50)
    ends = [[r ** abs(x - y) * (1 - r if 0 < y < n else 1) / (1 + r) for y in range(n + 1)] for x in (0, n)]
    told = sum(interval(x / 2) * iv.log(interval(2 * x / (x + y))) for x, y in zip(*ends, strict=True))
    yield 2 * told, most(of_pure(1 / r), n)


def gaussian(t: Any, rho: Any, c: int = 4) -> Any:
    return iv.exp(-((t - rho) ** 2) / (c * rho))


STATED: dict[str, Callable[[], Iterator[Comparison]]] = {
    "tail": lambda: losses(gaussian),
    "bad-events": lambda: rare(lambda q, a, rho: iv.exp((a - 1) * rho) * q ** (1 - 1 / a)),
    "bad-events, best order": lambda: roots(lambda rho: iv.exp(-rho), iv.sqrt),
    "loss-but-for-delta, 1": lambda: to_delta(F(1)),
    "loss-but-for-delta, 2": lambda: back(lambda delta, c: delta / (1 - c)),
    "pointwise": lambda: outcome_by_outcome(lambda some: sum(some, F(0))),
    "mutual-information": lambda: information(lambda rho, n: rho * n**2),
}
FALSE: dict[str, Callable[[], Iterator[Comparison]]] = {
    "tail, twice as thin": lambda: losses(lambda t, rho: gaussian(t, rho, 2)),
    "tail, a third thinner": lambda: losses(lambda t, rho: gaussian(t, rho, 3)),
    "tail, of normal noise of mean 0": lambda: losses(lambda t, rho: iv.exp(-(t**2) / (4 * rho))),
    "tail, half of it": lambda: losses(lambda t, rho: gaussian(t, rho) / 2),
    "tail, below rho": lambda: losses(gaussian, above=False),
    "bad-events, without the factor": lambda: rare(lambda q, a, rho: q ** (1 - 1 / a)),
    "bad-events, without the root": lambda: rare(lambda q, a, rho: iv.exp((a - 1) * rho) * q),
    "bad-events, half of rho": lambda: rare(lambda q, a, rho: iv.exp((a - 1) * rho / 2) * q ** (1 - 1 / a)),
    "bad-events, half of its root": lambda: roots(lambda rho: iv.exp(-rho), lambda rho: iv.sqrt(rho) / 2),
    "loss-but-for-delta, 1 in half": lambda: to_delta(F(1, 2)),
    "loss-but-for-delta, 2 with the same delta": lambda: back(lambda delta, _: delta),
    "loss-but-for-delta, 2 with twice": lambda: back(lambda delta, _: 2 * delta),
    "pointwise, each outcome": lambda: outcome_by_outcome(max),
    "mutual-information, n times": lambda: information(lambda rho, n: rho * n),
    "mutual-information, in bits": lambda: information(lambda rho, n: rho * n**2 * iv.log(2)),
}


def upper(x: Any) -> Any:
    return x if isinstance(x, Fraction) else x.b


def lower(x: Any) -> Any:
    return x if isinstance(x, Fraction) else x.a


@pytest.mark.parametrize("lemma", STATED)
def test_it_holds(lemma: str) -> None:
    compared = [*STATED[lemma]()]
    assert len(compared) >= 4 and all(upper(less) <= lower(more) for less, more in compared)


@pytest.mark.parametrize("form", FALSE)
def test_it_falls(form: str) -> None:
    assert any(lower(less) > upper(more) for less, more in FALSE[form]())


@pytest.mark.parametrize(
    ("lemma", "share"), [("tail", 0.8), ("bad-events", 0.8), ("loss-but-for-delta, 2", 0.99)]
)
def test_it_is_nearly_reached(lemma: str, share: float) -> None:
    assert any(float(lower(less)) >= share * float(upper(more)) for less, more in STATED[lemma]())
