"""f-DP and Rényi privacy of tables, filters and studies, against outcomes that are gone through.

Interactions are trees: after each answer another mechanism is asked, within what is left of the totals.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from test_curves_on_samples import NEAR, RATIOS, SHARDS, Row, canonical, excess, guarantees, lines, row, worst

import dpcompose as dpc
from dpcompose.privacy import problems, writing
from dpcompose.privacy.guarantees.tradeoffs import as_one

TOWN = dpc.multisets("ab")


def f_dp(some: Any, granularity: Any = None, domain: str | None = None) -> dpc.Guarantee:
    """Several (c, δ) as one trade-off function."""
    one = as_one(guarantees(some, granularity))
    return dpc.f_dp(dict(one.text())["tradeoff"], granularity, domain)


# tables


@pytest.mark.parametrize("part", SHARDS[:8])
def test_a_table_is_checked_line_by_line(part: int) -> None:
    rng = random.Random(part)
    rows = {name: row(rng) for name in "xyz"}
    on, step = dpc.listed("xyz"), dpc.pairs("step", [("x", "y"), ("y", "z")])
    held = lines([(rows["x"], rows["y"]), (rows["y"], rows["z"])], RATIOS)
    table = dpc.probability_table(rows)

    def study(some: Any) -> dpc.Study:
        mechanism = dpc.mechanism("M", guarantees(some, step), table=table)
        return dpc.compose(mechanism, on=on, target=step)

    for c, d in held:
        assert study(held).check(dpc.approximate(f"log({c})", d)).verdict == "proved"
    for n, (c, d) in enumerate(held):
        if d:
            with pytest.raises(ValueError, match="not what its table shows"):
                study([*held[:n], (c, d - NEAR), *held[n + 1 :]])
    again = problems.read_data(writing.to_data(study(held).setting)).setting
    assert set(map(str, again.mechanisms[0].alone)) == set(map(str, study(held).setting.mechanisms[0].alone))


# filters


def tree(rng: random.Random, left: list[tuple[Fraction, Fraction]], depth: int) -> tuple[Row, Row]:
    """The view of an interaction at D and at E, of which all (c, δ) that are left are kept."""
    P, Q = row(rng), row(rng)
    # each question is (c_j, δ_j) for all totals j, with c_j of its own: of a first half, or all, or nothing
    share = rng.choice((Fraction(0), Fraction(1, 2), Fraction(1)))
    factor = {Fraction(0): lambda c: ONE, Fraction(1): lambda c: c}.get(share, _root)
    spent = [(factor(c), max(excess(P, Q, factor(c)), excess(Q, P, factor(c)))) for c, _ in left]
    fits = all(d <= there for (_, d), (_, there) in zip(spent, left, strict=True))
    if not fits or not depth:
        return [ONE], [ONE]
    at: list[Row] = [[], []]
    for p, q in zip(P, Q, strict=True):
        rest = [(c / b, there - d) for (b, d), (c, there) in zip(spent, left, strict=True)]
        some = tree(rng, rest, depth - 1)
        at[0] = [*at[0], *(p * x for x in some[0])]
        at[1] = [*at[1], *(q * x for x in some[1])]
    return at[0], at[1]


ONE = Fraction(1)


def _root(c: Fraction) -> Fraction:
    """A rational number, of which the square is at most c."""
    return max(ONE, Fraction(math.isqrt(int(c * 10**6)), 1000))


@pytest.mark.parametrize("part", SHARDS[:8])
def test_several_totals_are_kept_whatever_is_asked(part: int) -> None:
    rng, asked = random.Random(part), 0
    totals = [(Fraction(9), Fraction(1, 20)), (Fraction(3), Fraction(2, 5)), (ONE, Fraction(3, 5))]
    F = dpc.mechanism("F", filter=f_dp(totals, dpc.unbounded))
    N = dpc.mechanism("N", dpc.pure("log(2)", dpc.unbounded))
    study = dpc.compose(F, N, on=TOWN, target=dpc.unbounded)
    for _ in range(40):
        P, Q = tree(rng, totals, 3)
        asked += len(P) > 1
        beside = canonical([(Fraction(2), Fraction(0))])
        for c in (ONE, Fraction(3), Fraction(6)):
            true = worst([(P, Q), beside], c)
            if len(P) > 1 and true > 0 and rng.random() < 0.1:
                claim = dpc.approximate(f"log({c})", true - NEAR)
                assert study.check(claim).verdict != "proved"
        for c, d in totals:
            assert max(excess(P, Q, c), excess(Q, P, c)) <= d
    assert asked > 3
    exact = worst([canonical(totals), canonical([(Fraction(2), Fraction(0))])], Fraction(3))
    assert study.check(dpc.approximate("log(3)", exact + NEAR)).verdict == "proved"
    assert study.check(dpc.approximate("log(3)", exact - NEAR)).verdict == "refuted"
    again = problems.read_data(writing.to_data(study.setting)).setting
    assert [one.alone for one in again.mechanisms] == [one.alone for one in study.setting.mechanisms]


@pytest.mark.parametrize("part", SHARDS[:8])
def test_a_renyi_filter_keeps_its_total_at_each_order(part: int) -> None:
    """Questions of two outcomes, chosen by the answers, within a total at two orders at once."""
    rng = random.Random(part)
    orders, totals = (1.5, 4.0), (0.4, 1.5)

    def divergence(p: float, q: float, order: float) -> float:
        both = ((p, q), (1 - p, 1 - q))
        return math.log(sum(x**order * y ** (1 - order) for x, y in both)) / (order - 1)

    def view(left: tuple[float, ...], depth: int) -> list[tuple[float, float]]:
        p, q = rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.95)
        spent = [max(divergence(p, q, a), divergence(q, p, a)) for a in orders]
        if not depth or any(x > y for x, y in zip(spent, left, strict=True)):
            return [(1.0, 1.0)]
        rest = tuple(y - x for x, y in zip(spent, left, strict=True))
        both = ((p, q), (1 - p, 1 - q))
        return [(x * u, y * v) for x, y in both for u, v in view(rest, depth - 1)]

    for _ in range(200):
        some = view(totals, 4)
        for order, total in zip(orders, totals, strict=True):
            for P, Q in (zip(*some, strict=True), zip(*((v, u) for u, v in some), strict=True)):
                moment = sum(x**order * y ** (1 - order) for x, y in zip(P, Q, strict=True))
                assert math.log(moment) / (order - 1) <= total + 1e-9


# studies

INNER: dict[str, Any] = {
    "renyi": lambda *to: dpc.renyi("alpha*x", "(1, 8]", *to),
    "tcdp": lambda *to: dpc.tcdp("x", "9", *to),
    "laplace": lambda *to: dpc.f_dp("L(x)", *to),
    "gaussian": lambda *to: dpc.f_dp("G(x)", *to),
}
CLAIMS: dict[str, tuple[Any, Any]] = {
    "renyi": (dpc.renyi("3*alpha*x", "(1, 8]"), dpc.renyi("2*alpha*x", "(1, 8]")),
    "tcdp": (dpc.tcdp("3*x", "9"), dpc.tcdp("2*x", "9")),
    "laplace": (dpc.f_dp("L(3*x)"), dpc.f_dp("L(2*x)")),
    "gaussian": (dpc.f_dp("G(sqrt(3)*x)"), dpc.f_dp("G(sqrt(2)*x)")),
}


@pytest.mark.parametrize("notion", INNER)
def test_studies_on_parts_in_every_notion(notion: str) -> None:
    """Two releases of an office about one part, one about the other, and a record that moves from one to the other."""
    office = dpc.compose(
        *(dpc.mechanism(n, INNER[notion](dpc.unbounded)) for n in "AB"),
        on=dpc.multisets("a"),
        target=dpc.unbounded,
    )
    other = dpc.mechanism("C", INNER[notion](dpc.unbounded, "own"), reads={"b"})
    whole = dpc.compose(
        dpc.mechanism("office", study=office, reads={"a"}), other, on=TOWN, target=dpc.bounded
    )
    proved, refuted = CLAIMS[notion]
    assert whole.check(proved).verdict == "proved" and whole.check(refuted).verdict == "refuted"


@pytest.mark.parametrize("part", SHARDS[:8])
def test_studies_of_trade_off_functions_are_composed_one_by_one(part: int) -> None:
    rng = random.Random(part)
    stated = [lines([(row(rng), row(rng))], rng.sample(RATIOS, 2)) for _ in range(3)]
    on = {"on": dpc.multisets("a"), "target": dpc.unbounded}
    office = dpc.compose(
        *(dpc.mechanism(n, f_dp(s, dpc.unbounded)) for n, s in zip("AB", stated[:2], strict=True)), **on
    )
    other = dpc.mechanism("C", f_dp(stated[2], dpc.unbounded, "own"), reads={"b"})
    members = [dpc.mechanism("office", study=office, reads={"a"}), other]
    for target, together in ((dpc.unbounded, (stated[:2], stated[2:])), (dpc.bounded, (stated,))):
        whole = dpc.compose(*members, on=TOWN, target=target)
        c = rng.choice((ONE, Fraction(5, 4), Fraction(2)))
        true = max(worst([canonical(one) for one in some], c) for some in together)
        assert whole.check(dpc.approximate(f"log({c})", true + NEAR)).verdict == "proved"
        below = whole.check(dpc.approximate(f"log({c})", max(true - NEAR, Fraction(0)))).verdict
        assert below == ("refuted" if true else "proved")


def test_all_answers_of_three_outcomes() -> None:
    """The product of two distributions is what two of them have: the claim is a list, as files write it."""
    f = "max(0, 1 - 3*alpha, 3/5 - alpha, (1 - alpha)/3)"
    study = dpc.compose(
        *(dpc.mechanism(n, dpc.f_dp(f, dpc.unbounded)) for n in "MN"), on=TOWN, target=dpc.unbounded
    )
    assert study.check(dpc.f_dp([f, f])).verdict == "proved"
    assert study.check(dpc.f_dp([f, "max(0, 1 - 2*alpha, (1 - alpha)/2)"])).verdict == "refuted"
