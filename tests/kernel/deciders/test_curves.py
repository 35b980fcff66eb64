"""The least δ of a composition: against exact tables of other mechanisms, definitions, and known numbers."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import ONE, chain, excess, geometric

from dpcompose.kernel.deciders.curves import curves
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.lattices import Rounding, TooManyLosses
from dpcompose.kernel.deciders.curves.losses import Losses
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Known, Together
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure, enclosure
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, exp, letter, log, number, sqrt
from dpcompose.search.least import least_epsilon_of

FACTORS = st.fractions(Fraction(1), Fraction(4), max_denominator=5)
DELTAS = st.sampled_from(
    [Fraction(0), Fraction(1, 100), Fraction(1, 30), Fraction(1, 7), Fraction(1, 2), ONE]
)
AT = st.fractions(Fraction(1, 9), Fraction(9), max_denominator=9).filter(bool)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(FACTORS, st.integers(1, 3)), min_size=1, max_size=3), AT)
def test_pure_is_what_geometric_noise_attains(some: list[tuple[Fraction, int]], c: Fraction) -> None:
    exact = excess([geometric(x, r) for x, r in some], c)
    curve = Curve.of([Part(log(number(x)), ZERO, r) for x, r in some])
    for bits, points in ((128, 10**6), (14, 10**6), (128, 60)):  # also with few bits, or on a coarse lattice
        found = curve.delta(log(number(c)), bits, points)
        assert found.low <= exact <= found.high
    assert (found := curve.delta(log(number(c)))).high - found.low < Fraction(1, 2**90)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(FACTORS, DELTAS, st.integers(1, 4)), min_size=1, max_size=2), AT)
def test_approximate_is_what_the_iterates_of_g_say(
    some: list[tuple[Fraction, Fraction, int]], c: Fraction
) -> None:
    tables = [list(zip(rows[-1], rows[0], strict=True)) for x, d, r in some if (rows := chain(x, d, r))]
    exact = excess(tables, c)
    parts = [Part(log(number(x)), number(d), r) for x, d, r in some]
    for bits, points in ((16, 10**6), (128, 60), (128, 25)):  # also with few bits, or on a coarse lattice
        found = Curve.of(parts).delta(log(number(c)), bits, points)
        assert found.low <= exact <= found.high
    found = Curve.of(parts).delta(log(number(c)))
    assert found.low <= exact <= found.high and found.high - found.low < Fraction(1, 2**90)


@settings(max_examples=30, deadline=None)
@given(FACTORS, DELTAS, st.integers(1, 4))
def test_consecutive_noise_keeps_the_guarantee(x: Fraction, delta: Fraction, r: int) -> None:
    for P, Q in pairwise(chain(x, delta, r)):
        assert sum(P) == sum(Q) == 1
        assert excess([list(zip(P, Q, strict=True))], x) <= delta
        assert excess([list(zip(Q, P, strict=True))], x) <= delta


def test_no_mechanisms_exceed_the_curve() -> None:
    """Random mechanisms on a path of inputs, with their own least δ at some ε, one reading the other."""
    rng = random.Random(11)

    def walk(r: int) -> list[list[Fraction]]:
        rows = []
        for _ in range(r + 1):
            weights = [Fraction(rng.choice([0, 1, 1, 2, 3, 5, 8])) for _ in range(3)]
            weights[rng.randrange(3)] += 1
            rows.append([w / sum(weights) for w in weights])
        return rows

    def delta(rows: list[list[Fraction]], x: Fraction) -> Fraction:
        both = [*pairwise(rows), *((Q, P) for P, Q in pairwise(rows))]
        return max(excess([list(zip(P, Q, strict=True))], x) for P, Q in both)

    for _ in range(60):
        (r, s), (x, y) = (
            (rng.choices([1, 2, 3], k=2)),
            rng.choices([Fraction(3, 2), Fraction(2), Fraction(4)], k=2),
        )
        first, after = walk(r), [walk(s) for _ in range(3)]
        parts = [
            Part(log(number(x)), number(delta(first, x)), r),
            Part(log(number(y)), number(max(delta(rows, y) for rows in after)), s),
        ]
        joint = [
            (first[-1][y] * rows[-1][z], first[0][y] * rows[0][z])
            for y, rows in enumerate(after)
            for z in range(3)
        ]
        for c in (Fraction(1, 2), ONE, Fraction(2), Fraction(5)):
            assert excess([joint], c) <= Curve.of(parts).delta(log(number(c))).high


KNOWN = [
    ([("1", 2)], "1", "0.337834712147"),
    ([("1/10", 10)], "1/2", "0.00992962691739"),
    ([("1/10", 100)], "2", "0.0201401784282"),
]


@pytest.mark.parametrize(("parts", "epsilon", "delta"), KNOWN)
def test_known_numbers(parts: list[tuple[str, int]], epsilon: str, delta: str) -> None:
    curve = Curve.of([Part(number(Fraction(e)), ZERO, count=k) for e, k in parts])
    found = curve.delta(number(Fraction(epsilon)))
    assert abs(found.low - Fraction(delta)) < Fraction(1, 10**12)


def test_least_epsilon_of_five_hundred() -> None:
    found = least_epsilon_of(Curve.of([Part(number(1), ZERO, count=500)]), Fraction(1, 10**5))
    assert found == Interval(Fraction("311.767604"), Fraction("311.767605"))


def test_least_epsilon_where_there_is_none() -> None:
    curve = Curve.of([Part(number(1), number(Fraction(1, 10)), count=2)])
    assert least_epsilon_of(curve, Fraction("0.18")) is None
    at_most = least_epsilon_of(curve, Fraction("0.19"))  # 1 − 0.9², at the sum of all ε
    assert at_most is not None and at_most.high == 2


def test_equality_at_the_largest_loss_is_seen() -> None:
    """Beyond Σ r_i·ε_i no finite loss is left: δ is exactly 1 − Π(1 − δ_i), whatever ε is."""
    for e in (number(1), sqrt(number(2)), log(number(3))):
        curve = Curve.of([Part(e, number(Fraction(1, 100)), count=2), Part(1 + e, number(Fraction(1, 10)))])
        assert curve.delta(3 * e + 1) == Interval.of(1 - Fraction("0.99") ** 2 * Fraction("0.9"))
        assert curve.delta(3 * e + 1 - number(Fraction(1, 10**9))).low > 1 - Fraction("0.99") ** 2 * Fraction(
            "0.9"
        )


def test_a_loss_just_above_epsilon_counts() -> None:
    """The loss √2 exceeds ε' by less than the digits show; so no upper bound may leave it out."""
    curve = Curve.of([Part(sqrt(number(2)), ZERO)])
    found = curve.delta(sqrt(number(2)) - number(Fraction(1, 10**30)), bits=16)
    assert found.low == 0 < found.high


def test_few_bits_still_enclose() -> None:
    """Rounding goes outward everywhere, so enclosures with few bits hold those with many."""
    curve = Curve.of(
        [
            Part(number(Fraction(1, 3)), number(Fraction(1, 1000)), 2, 40),
            Part(number(Fraction(1, 2)), ZERO, 1, 9),
        ]
    )
    for at in ("1/7", "1", "3"):
        few, many = (curve.delta(number(Fraction(at)), bits) for bits in (12, 128))
        assert few.low < many.low <= many.high < few.high


def test_group_privacy_is_the_sum_while_that_is_the_least() -> None:
    found = Curve.of([Part(number(Fraction(1, 2)), number(Fraction(1, 10**6)), 3)]).delta(
        number(Fraction(3, 2))
    )
    assert abs(found.low - Fraction("5.367003e-6")) < Fraction(1, 10**12)


def test_group_privacy_ends_where_the_exact_rule_says() -> None:
    delta = number(Fraction(1, 10**6))
    assert Curve.of([Part(number(1), delta, 27)]).delta(number(27)).high < 1
    assert Curve.of([Part(number(1), delta, 28)]).delta(number(28)).low == 1


def test_many_different_parameters() -> None:
    """Enclosures on a coarse lattice hold what the finer one does."""
    curve = Curve.of([Part(sqrt(number(j)) / 10, number(Fraction(j, 10**7))) for j in range(2, 20)])
    coarse, fine = (curve.delta(number(1), points=points) for points in (2_000, 20_000))
    assert coarse.low <= fine.low <= fine.high <= coarse.high
    assert fine.high - fine.low < Fraction(1, 1000)


def test_too_many_are_refused() -> None:
    with pytest.raises(TooManyLosses):
        Curve.of([Part(number(1), ZERO, 10**6)]).delta(number(1))
    with pytest.raises(NoEnclosure):
        Curve.of([Part(letter("e"), ZERO)]).delta(number(1))


def test_against_dp_accounting() -> None:
    """Its bound is an upper one on a fine lattice: ours is never above it, and close."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    common = pytest.importorskip("dp_accounting.pld.common")
    for e in ("1/10", "1/2", "1"):
        for d in ("0", "1/100000"):
            for k in (1, 7, 60):
                given_ = common.DifferentialPrivacyParameters(float(Fraction(e)), float(Fraction(d)))
                theirs = pld.from_privacy_parameters(given_, value_discretization_interval=1e-3).self_compose(
                    k
                )
                curve = Curve.of([Part(number(Fraction(e)), number(Fraction(d)), count=k)])
                for at in ("1/4", "1", "4"):
                    ours = float(curve.delta(number(Fraction(at))).high)
                    other = theirs.get_delta_for_epsilon(float(Fraction(at)))
                    assert ours <= other + 1e-9 and other <= ours + 1e-3 * k


@settings(max_examples=30, deadline=None)
@given(st.fractions(-40, 40, max_denominator=300), st.sampled_from([24, 53, 128]))
def test_enclosures_hold_the_number(x: Fraction, bits: int) -> None:
    import mpmath

    with mpmath.workprec(400):
        at = mpmath.mpf(x.numerator) / x.denominator
        for value, true in (
            (exp(number(x)), mpmath.exp(at)),
            (log(number(abs(x) + 1)), mpmath.log(abs(at) + 1)),
            (sqrt(number(abs(x) + 2)), mpmath.sqrt(abs(at) + 2)),
        ):
            found = enclosure(value, bits)
            low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (found.low, found.high))
            assert low <= true * (1 + mpmath.mpf(2) ** -300) and high >= true * (1 - mpmath.mpf(2) ** -300)
            assert high - low <= abs(true) * mpmath.mpf(2) ** (4 - bits)


def test_what_is_not_enclosed() -> None:
    nearly = (
        sqrt(number(2)) + sqrt(number(3)) - sqrt(number(5) + 2 * sqrt(number(6)))
    )  # 0, which no precision shows
    values = [INFINITY, letter("x"), exp(number(10**6)), 1 / nearly, sqrt(-nearly)]
    for value in values:
        with pytest.raises(NoEnclosure):
            enclosure(value, 64)


@pytest.mark.parametrize("delta", ["0", "1/100000"])
def test_many_that_are_alike_by_their_most_likely_losses(delta: str) -> None:
    """The same as by the whole lattice of losses, with which there is room to spare."""
    curve = Curve.of([Part(number(Fraction(1, 10)), number(Fraction(delta)), count=1000)])
    for epsilon in (-1, 0, 8, 20, 101):
        few, all_ = (curve.delta(number(epsilon), points=n) for n in (100, 1001))
        assert few.low <= all_.high and all_.low <= few.high
        assert few.high - few.low < Fraction(1, 10**30)


def test_a_million_that_are_alike() -> None:
    """Nearly normal noise with mu = 1000·(1/1000), whose least ε is 4.377178."""
    curve = Curve.of([Part(number(Fraction(1, 1000)), ZERO, count=10**6)])
    found = least_epsilon_of(curve, Fraction(1, 10**5))
    assert found == Interval(Fraction(4377171, 10**6), Fraction(4377172, 10**6))
    large = Curve.of([Part(number(1), ZERO, count=10**6)]).delta(number(1))
    assert 1 - Fraction(1, 10**30) < large.low <= large.high <= 1


# against plain sums, and limits of work


def test_laplace_noise_of_several_scales() -> None:
    """Scales 1 and 2, two entries each: both numbers are close to the losses of plain sums on a lattice."""
    curve = Curve.of([Laplace(number(1), 2), Laplace(number(Fraction(1, 2)), 2)])
    found = curve.delta(number(Fraction(1, 2)))
    assert found.high - found.low < Fraction(1, 10**8)

    def cells(a: int, n: int = 40) -> list[tuple[float, float]]:
        """Laplace noise around 0 and around a, rounded down to multiples of 1/n: (P, Q) a cell."""
        ends = [-30 + j / n for j in range((60 + a) * n)]
        below = [
            [math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2 for x in shifted]
            for shifted in (ends, [x - a for x in ends])
        ]
        return [(P - p, Q - q) for (p, P), (q, Q) in zip(pairwise(below[0]), pairwise(below[1]), strict=True)]

    one = cells(1)
    joint = Curve.of([Laplace(number(1), 2)]).delta(number(Fraction(1, 2)))
    total = sum(max(0.0, p * u - math.exp(0.5) * q * v) for p, q in one for u, v in one)
    assert float(joint.low) - 1e-3 < total < float(joint.high)


def test_thirty_with_laplace_noise_are_enclosed_closely() -> None:
    found = Curve.of([Laplace(number(Fraction(1, 5)), 30)]).delta(number(2))
    assert found.high - found.low < Fraction(1, 10**7)


def test_masses_that_are_all_rounded_away() -> None:
    curve = Curve.of(
        [Part(number(10), number(Fraction(1, 2)), 2, 400), Part(number(1), number(Fraction(1, 2)))]
    )
    found = curve.delta(number(1), bits=20)
    assert found.low > 1 - Fraction(1, 2**18) and found.high == 1


def test_loads_of_work_are_refused_before_they_are_done() -> None:
    for curve, bits in (
        (Curve.of([Part(number(1), ZERO, 10_001)]), 128),
        (Curve.of([Part(number(1), ZERO, count=20_000)]), 4_096),
    ):
        start = time.process_time()
        with pytest.raises(TooManyLosses):
            curve.above(number(1), bits)
        assert time.process_time() - start < 5


# groups of losses, by hand


def group(*parts: tuple[int, int, int], noisy: tuple[tuple[int, int], ...] = ()) -> curves._Group:
    """Mechanisms by their steps, how many they are, and their weight; noise by how many, and its weight."""
    return curves._Group(
        number(1),
        tuple((Part(number(w), ZERO, r, k), w) for r, k, w in parts),
        tuple((Laplace(number(w), k), w) for k, w in noisy),
    )


def test_the_lengths_of_lattices() -> None:
    one = group((2, 3, 2), noisy=((4, 3),))
    assert one.length == 2 * 3 * 2 + 4 * 3 and [each.count for each in one.members] == [3, 4]
    finer = one.finer(4)
    assert (finer.step, finer.length) == (number(Fraction(1, 4)), 4 * one.length)
    assert [weight for _, weight in (*finer.parts, *finer.noisy)] == [8, 12]


def test_lattices_as_fine_as_points_allow() -> None:
    ten, noise = group((1, 10, 1)), group(noisy=((3, 2),))
    assert curves._refined([ten], 11) == [ten] and curves._refined([ten], 10) is None
    assert curves._refined([ten, ten], 121) == [ten, ten] and curves._refined([ten, ten], 120) is None
    assert curves._refined([noise], 13) == [noise.finer(2)] and curves._refined([noise], 12) is None
    assert curves._refined([noise], 25) == [noise.finer(4)] and curves._refined([noise], 24) == [
        noise.finer(2)
    ]
    assert curves._refined([ten, noise], 11 * 13) == [ten, noise.finer(2)]
    assert curves._refined([ten, noise], 11 * 13 - 1) is None
    assert (
        curves._refined([noise, noise], 169) == [noise.finer(2)] * 2
        and curves._refined([noise, noise], 168) is None
    )
    assert curves._refined([noise] * 3, 10**9) is None


def test_losses_with_a_common_measure_are_one_group() -> None:
    two = sqrt(number(2))
    parts, noisy = [Part(number(1), ZERO), Part(two, ZERO), Part(number(2), ZERO)], [Laplace(number(3), 2)]
    first, second = curves._groups(parts, noisy)
    assert [(part, weight) for part, weight in first.parts] == [(parts[0], 1), (parts[2], 2)]
    assert first.noisy == ((noisy[0], 3),) and first.step == number(1)
    assert second.parts == ((parts[1], 1),) and second.step == two
    lone, rest = curves._least_like(parts, [*noisy, Laplace(two), Laplace(number(9), middle=True)])
    assert lone.count == 1 and sum(law.count for law in rest) == 3 and not lone.middle
    assert [law.ratio for law in rest if law.middle] == [number(9)]


def test_curves_of_pieces() -> None:
    """What is alike is counted together; of no normal noise nothing is said; tables stand beside no other order."""
    third = Fraction(1, 3)
    known = Known(((third, 2 * third), (2 * third, third)))
    pieces = [
        Part(number(1), ZERO),
        Part(number(1), ZERO, count=2),
        Laplace(ZERO),
        Normal(ZERO),
        Laplace(number(2)),
    ]
    curve = Curve.of([*pieces, Normal(number(1)), Normal(number(2)), known, known.times(2)])
    assert curve.parts == (Part(number(1), ZERO, count=3),) and curve.laplace == (Laplace(number(2)),)
    assert curve.normal == Normal(number(3)) and curve.together == (known.times(3),)
    assert Curve.of(pieces[:4]).normal is None and Curve.of([Normal(ZERO, number(1))]).normal is not None
    ordered = Together(((number(1), ZERO),), rate=number(Fraction(1, 2)), own=(1, 0))
    with pytest.raises(ValueError, match="tables beside samples"):
        Curve.of([known, ordered])
    assert Curve.of([known, replace(ordered, own=(1, 1))]) and Curve.of(
        [ordered, replace(ordered, own=(0, 1))]
    )
    middle = Laplace(number(1), 2, middle=True)
    assert (
        Curve.of([middle]).alike_middles == middle
        and Curve.of([middle, Part(number(1), ZERO)]).alike_middles is None
    )
    for others in (
        [Laplace(number(1))],
        [middle, Laplace(number(2), middle=True)],
        [middle, Normal(number(1))],
        [middle.times(60)],
    ):
        assert Curve.of(others).alike_middles is None
    assert len(curve._orders) == 2 and len(Curve.of(pieces)._orders) == 1


def test_what_is_infinite_adds_up() -> None:
    """1 − (1 − 1/5)·1/2 = 3/5, with the stays on the side that makes it larger, or smaller."""
    stays = Interval(Fraction(49, 100), Fraction(1, 2))
    for up, exact in ((True, 1 - Fraction(4, 5) * Fraction(49, 100)), (False, Fraction(3, 5))):
        lost = Losses((), Fraction(1), Fraction(1, 5), 64, Rounding(6, up))
        assert curves._infinite(lost, stays) == exact
