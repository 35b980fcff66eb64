"""Several (ε, δ) at once, against products of outcomes that are found another way: lines, intersected in pairs."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from shares import seeds

from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.lattices import Rounding, TooManyLosses
from dpcompose.kernel.deciders.curves.losses import Axis, Losses
from dpcompose.kernel.deciders.curves.spreading import common_step, on_lattice, steps
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Table, Together, added_up
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term, number
from dpcompose.search.least import least_epsilon_of

Pairs = list[tuple[Fraction, Fraction]]
"""(e^ε, δ) of one mechanism."""


def outcomes(pairs: Pairs, r: int) -> list[tuple[Fraction, Fraction]]:
    """Probabilities of outcomes at two inputs r steps apart: what P(S) can be at most where Q(S) = a, between
    all points at which r steps may turn."""
    lines = [(Fraction(0), Fraction(1)), *pairs, *((1 / c, 1 - (1 - d) / c) for c, d in pairs)]

    def most(a: Fraction) -> Fraction:
        return min(s * a + b for s, b in lines)

    def after(a: Fraction) -> Fraction:
        for _ in range(r):
            a = most(a)
        return a

    turns = {Fraction(0), Fraction(1)} | {
        (e - b) / (s - t) for (s, b), (t, e) in combinations(lines, 2) if s != t
    }
    turns = {x for x in turns if 0 <= x <= 1}
    points = turns
    for _ in range(r - 1):
        before = {(y - b) / s for y in points for s, b in lines if s}
        points = turns | {x for x in before if 0 <= x <= 1}
    every = sorted(points)
    return [(after(Fraction(0)), Fraction(0)), *((after(b) - after(a), b - a) for a, b in pairwise(every))]


def piece(pairs: Pairs, r: int) -> Together | Part:
    told = tuple((terms.log(number(c)), number(d)) for c, d in pairs)
    return Together(told, r) if len(told) > 1 else Part(*told[0], r)


@seeds(8, 300)
def test_products_of_outcomes(seed: int) -> None:
    rng = random.Random(seed)
    some = [
        (
            [
                (Fraction(rng.randint(4, 16), 4), Fraction(rng.randint(0, 8), 16))
                for _ in range(rng.choice([1, 2, 3]))
            ],
            rng.choice([1, 1, 2, 3]),
        )
        for _ in range(rng.choice([1, 2]))
    ]
    together = [(Fraction(1), Fraction(1))]
    for pairs, r in some:
        together = [(p * a, q * b) for p, q in together for a, b in outcomes(pairs, r) if a or b]
    curve = Curve.of(piece(pairs, r) for pairs, r in some)
    for c in (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(7)):
        found = curve.delta(terms.log(number(c)))
        wanted = sum((max(Fraction(0), p - c * q) for p, q in together), Fraction(0))
        assert found.low <= wanted <= found.high
        assert found.high - found.low < Fraction(1, 10**12)
        assert not curve.together or found.low == found.high


HALF = Together(((terms.log(number(3)), terms.ZERO), (terms.ZERO, number(Fraction(2, 5)))))
OTHER = Together(
    ((terms.log(number(2)), number(Fraction(1, 100))), (number(Fraction(1, 3)), number(Fraction(1, 10)))), 2
)


@pytest.mark.parametrize(
    "some",
    [
        [HALF.times(9)],
        pytest.param([OTHER.times(5)], marks=pytest.mark.slow),
        [HALF.times(3), OTHER.times(2)],
    ],
)
@pytest.mark.parametrize("epsilon", [terms.ZERO, number(Fraction(1, 2)), number(2)])
def test_on_a_lattice_it_is_as_exactly(some: list[Together], epsilon: Term) -> None:
    """Above is above and below is below, and where the losses are multiples of one both are close."""
    for up in (True, False):
        exact = added_up(some, 128, up).delta(epsilon, 128, up)
        tables = [(one.table(128, up), one.count) for one in some]
        step = common_step(some, 20_000) or steps(tables, 2_000)[0]
        there = on_lattice(tables, step, 128, Rounding.of(128, up))
        found = delta_of(there.axis, there.infinite, epsilon, there.off, up)
        assert found >= exact - Fraction(1, 10**30) if up else found <= exact + Fraction(1, 10**30)
        assert abs(found - exact) < Fraction(1, 10**25 if some == [HALF.times(9)] else 1000)


@seeds(2, 300)
def test_tables_on_a_lattice_stay_on_their_sides(seed: int) -> None:
    """Tables of any losses, and more of them, on fine and coarse lattices."""
    rng = random.Random(seed)
    tables = []
    for _ in range(rng.choice([1, 2])):
        weights = {Fraction(rng.randint(1, 60), rng.randint(1, 20)): rng.randint(1, 9) for _ in range(4)}
        infinite = rng.choice([0, 0, 1])
        whole = sum(weights.values()) + infinite
        masses = {x: Fraction(p, whole) for x, p in weights.items()}
        tables.append((Table(masses, Fraction(infinite, whole)), rng.choice([1, 2, 3])))
    exact = Table({Fraction(1): Fraction(1)}, Fraction(0))
    for table, count in tables:
        for _ in range(count):
            exact = exact.and_(table)
    for epsilon in (number(rng.randint(-3, 3)), number(Fraction(rng.randint(-9, 9), 7))):
        wanted = [exact.delta(epsilon, 128, up) for up in (False, True)]
        widths = []
        for step in (number(Fraction(1, 3)), number(Fraction(1, 64))):
            low, high = (
                delta_of(there.axis, there.infinite, epsilon, there.off, up)
                for up in (False, True)
                for there in [on_lattice(tables, step, 128, Rounding.of(128, up))]
            )
            assert low <= wanted[1] and wanted[0] <= high
            widths.append(high - low)
        assert widths[1] < Fraction(1, 20)


def delta_of(axis: Axis, infinite: Fraction, epsilon: Term, off: Fraction, up: bool) -> Fraction:
    return Losses((axis,), Fraction(1), infinite, 128, Rounding.of(128, up)).delta(epsilon - number(off))


def test_many_are_as_close_as_others() -> None:
    """A hundred with multiples of one loss, also beside normal noise: enclosed to ten digits, or four."""
    many = HALF.times(100)
    alone = Curve.of([many]).delta(number(5))
    assert alone.low > 0 and alone.high - alone.low < Fraction(1, 10**10)
    beside = Curve.of([many, Normal(number(Fraction(1, 4)))]).delta(number(5))
    assert alone.high < beside.low and beside.high - beside.low < Fraction(1, 10**4)


def test_one_guarantee_is_as_it_was() -> None:
    one = Together(((number(1), number(Fraction(1, 50))),), 2, 3)
    part = Part(number(1), number(Fraction(1, 50)), 2, 3)
    for epsilon in (terms.ZERO, number(1), number(3)):
        known, found = (Curve.of([each]).delta(epsilon) for each in (part, one))
        assert found.low <= known.high and known.low <= found.high
        assert max(known.high, found.high) - min(known.low, found.low) < Fraction(1, 10**20)


def test_a_weaker_guarantee_beside_changes_nothing() -> None:
    pure = (number(1), terms.ZERO)
    for r in (1, 3):
        alone = Curve.of([Part(*pure, r)]).delta(number(Fraction(1, 2)))
        both = Curve.of([Together((pure, (number(2), number(Fraction(1, 3)))), r)]).delta(
            number(Fraction(1, 2))
        )
        assert abs(alone.low - both.low) < Fraction(1, 10**20)


def test_the_loss_without_limit_is_told() -> None:
    leak = Together(((number(1), number(Fraction(1, 10))), (number(2), number(Fraction(1, 20)))), 1, 4)
    curve = Curve.of([leak])
    assert abs(curve.without_limit(128) - (1 - Fraction(19, 20) ** 4)) < Fraction(1, 10**20)
    assert least_epsilon_of(curve, Fraction(1, 10)) is None
    assert least_epsilon_of(curve, Fraction(1, 4)) is not None


@pytest.mark.slow
def test_too_many_are_refused() -> None:
    with pytest.raises(TooManyLosses):
        Curve.of([HALF.times(10**9)]).above(terms.ONE)
