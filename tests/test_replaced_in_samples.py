"""A replaced record under Poisson samples: one leaves a sample, another enters; by tables gone through exactly."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import dpcompose as dpc
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.expressions import terms


def replaced(c: Fraction, d: Fraction, s: Fraction, count: int = 1) -> Curve:
    """The curve of mechanisms that are (log c, d)-DP on samples of a rate where one record comes or goes."""
    pair = terms.log(terms.number(c)), terms.number(d)
    return Curve.of([Together((pair,), count=count, rate=terms.number(s), own=(1, 1))])


def hockey_stick(P: Sequence[Fraction], Q: Sequence[Fraction], t: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - t * q) for p, q in zip(P, Q, strict=True)), Fraction(0))


def some_row(rng: random.Random, n: int) -> list[Fraction]:
    weights = [rng.randint(0, 6) for _ in range(n - 1)] + [1]
    return [Fraction(x, sum(weights)) for x in weights]


def test_no_table_loses_more_where_a_record_is_replaced() -> None:
    """Random M on samples without the record, with that of D and with that of E; one mechanism, and two."""
    rng = random.Random(11)
    for _ in range(120):
        n = rng.randint(2, 3)
        R = some_row(rng, n)
        A, B = (
            [w * x + (1 - w) * y for x, y in zip(some_row(rng, n), R, strict=True)]
            for w in (Fraction(rng.randint(0, 10), 10) for _ in range(2))
        )
        c, s = rng.choice([Fraction(3, 2), Fraction(2), Fraction(3)]), Fraction(rng.randint(1, 9), 10)
        d = max(hockey_stick(X, Y, c) for X, Y in ((A, R), (R, A), (B, R), (R, B)))
        D, E = ([(1 - s) * r + s * x for r, x in zip(R, some, strict=True)] for some in (A, B))
        t = rng.choice([Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(5, 2)])
        for count in (1, 2):
            P, Q = ([math.prod(two) for two in product(row, repeat=count)] for row in (D, E))
            most = max(hockey_stick(P, Q, t), hockey_stick(Q, P, t))
            assert most <= replaced(c, d, s, count).above(terms.log(terms.number(t))), (A, R, B, c, d, s, t)


def test_some_table_loses_just_as_much_where_a_record_is_replaced() -> None:
    """B([0, a]) = g(a), R uniform and A([0, a]) = 1 - g(1 - a), on the pieces of g and of its mirror image."""
    c, d, s = Fraction(3), Fraction(1, 100), Fraction(1, 2)

    def g(a: Fraction) -> Fraction:
        return min(Fraction(1), d + c * a, 1 - (1 - d - a) / c)

    bend, end = (1 - d) / (1 + c), 1 - d
    cuts = sorted({Fraction(0), Fraction(1), bend, 1 - bend, end, 1 - end})
    low = [(x, g(x), x, 1 - g(1 - x)) for x in cuts]
    R, B, A = ([after[n] - before[n] for before, after in pairwise(low)] for n in (0, 1, 3))
    R, B, A = [Fraction(0), *R, Fraction(0)], [g(Fraction(0)), *B, Fraction(0)], [Fraction(0), *A, d]
    assert sum(R) == sum(B) == sum(A) == 1
    assert all(hockey_stick(X, Y, c) <= d for X, Y in ((A, R), (R, A), (B, R), (R, B)))
    D, E = ([(1 - s) * r + s * x for r, x in zip(R, some, strict=True)] for some in (A, B))
    for t in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 2)):
        for count in (1, 2):
            P, Q = ([math.prod(two) for two in product(row, repeat=count)] for row in (E, D))
            curve, epsilon = replaced(c, d, s, count), terms.log(terms.number(t))
            assert curve.below(epsilon) <= hockey_stick(P, Q, t) <= curve.above(epsilon)
            assert curve.above(epsilon) - curve.below(epsilon) < Fraction(1, 10**9)


def test_databases_with_others_like_the_one_that_is_replaced() -> None:
    """Where databases have two records at least, it is not known whether as much is lost."""
    found = {}
    for size in ("any", "= 1", "= 2", ">= 2"):
        study = dpc.compose(
            dpc.mechanism("M", dpc.approximate("log(3)", "1/100", dpc.unbounded), sampled={"poisson": "1/2"}),
            on=dpc.multisets("xy", size=size),
            target=dpc.bounded,
        )
        found[size] = [study.check(dpc.approximate("log(2)", d)).verdict for d in ("0.1734", "0.1733")]
    assert found == {size: ["proved", "undecided" if "2" in size else "refuted"] for size in found}
