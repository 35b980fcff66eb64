"""Poisson samples where a record is replaced, against mixtures of tables with exact probabilities."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from shares import seeds

import dpcompose as dpc

Row = list[Fraction]


def row(rng: random.Random, outcomes: int) -> Row:
    some = [rng.randint(0, 12) for _ in range(outcomes)]
    some[rng.randrange(outcomes)] += 1
    return [Fraction(n, sum(some)) for n in some]


def excess(P: Row, Q: Row, c: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - c * q) for p, q in zip(P, Q, strict=True)), Fraction(0))


@seeds(4, 40)
def test_no_mixture_exceeds_the_formulas(seed: int) -> None:
    """R without the records, A and B with one of them in the sample, as c and δ bound them in both orders."""
    rng = random.Random(seed)
    for _ in range(50):
        outcomes, s, c = rng.randint(2, 4), Fraction(rng.randint(1, 9), 10), Fraction(rng.randint(4, 20), 4)
        R, A, B = (row(rng, outcomes) for _ in range(3))
        delta = max(excess(*pair, c) for one in (A, B) for pair in ((one, R), (R, one)))
        star = (1 + s * (c - 1)) / (1 - s + s / c)
        at_D, at_E = ([(1 - s) * r + s * x for r, x in zip(R, one, strict=True)] for one in (A, B))
        allowed = s * delta * (1 + star / c)
        assert max(excess(at_E, at_D, star), excess(at_D, at_E, star)) <= allowed


def sampled(*others: dpc.Mechanism, notion: object = None, target: object = dpc.bounded) -> dpc.Study:
    M = dpc.mechanism("M", notion or dpc.pure("log(3)", dpc.unbounded), sampled=dpc.poisson_sample("1/2"))
    return dpc.compose(M, *others, on=dpc.multisets("ab"), target=target)


def test_the_guarantee_is_for_the_targets_neighbours() -> None:
    assert sampled().check("log(3)").verdict == "proved" and sampled().check("log(3)").loose is False
    assert sampled().check("log(29/10)").verdict == "refuted"
    assert sampled(target=dpc.unbounded).check("log(2)").loose is False


def test_two_add_up_and_are_attained() -> None:
    again = dpc.mechanism("N", dpc.pure("log(2)", dpc.unbounded), sampled=dpc.poisson_sample("1/4"))
    wanted = "log(3) + log((5/4)/(7/8))"
    assert sampled(again).check(wanted).loose is False


def test_with_a_delta() -> None:
    found = sampled(notion=dpc.approximate("log(3)", "1/10", dpc.unbounded))
    assert found.check(dpc.approximate("log(3)", "1/10")).verdict == "proved"
    assert found.check(dpc.approximate("log(3)", "1/100")).verdict != "proved"


def test_what_reads_a_part_is_as_before() -> None:
    """One that comes or goes is less than one that is replaced."""
    M = dpc.mechanism(
        "M", dpc.pure("log(3)", dpc.unbounded, "own"), reads={"a"}, sampled=dpc.poisson_sample("1/2")
    )
    found = dpc.compose(M, on=dpc.multisets("ab"), target=dpc.bounded)
    assert found.check("log(2)").verdict == "proved"


@pytest.mark.parametrize("s", ["0", "1/10", "1/2", "1"])
def test_at_the_ends(s: str) -> None:
    """Nobody in the sample: nothing is lost; everybody: two steps."""
    M = dpc.mechanism("M", dpc.pure("1", dpc.unbounded), sampled=dpc.poisson_sample(s))
    found = dpc.compose(M, on=dpc.multisets("ab"), target=dpc.bounded)
    rate = float(Fraction(s))
    wanted = math.log((1 + rate * (math.e - 1)) / (1 - rate + rate / math.e))
    (value,) = found.guarantee().values.values()
    assert abs(float(value) - wanted) < 1e-12
