"""Tables of probabilities: the sources' examples, large tables, and how they are shown."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import permutations

import pytest
import sympy
from privacy.plain_tables import COIN, RESPONSE, e, f, made
from tables import ordered_pairs

import dpcompose as dpc
from dpcompose.privacy.finite import nearest
from dpcompose.privacy.finite.findings import Finding
from dpcompose.privacy.finite.probabilities import WrongTable
from dpcompose.privacy.finite.tables import ProbabilityTable
from dpcompose.spaces.canonical import graphs


def geometric(n: int) -> ProbabilityTable:
    """x ↦ x + geometric noise on 0..n, what falls outside moved to the ends: ε·|x − y|-private."""
    stay = "(exp(e) - 1)/(exp(e) + 1)"
    rows = {
        x: [f"exp({-abs(x - o)}*e)*" + (stay if 0 < o < n else "exp(e)/(exp(e) + 1)") for o in range(n + 1)]
        for x in range(n + 1)
    }
    return dpc.probability_table(rows)


def test_the_converse_of_preprocessing_fails() -> None:
    """GB Rem. III.7: M is not free-lunch ε-private, but M∘f is where the values of f are next to each other."""
    M = geometric(4)
    assert M.check_metric(lambda x, y: e * abs(x - y)).holds
    assert M.check(dpc.pure(e, dpc.free_lunch)).verdict == "refuted"
    assert M.loss(dpc.free_lunch).expression == 4 * e
    on = dpc.listed(["p", "q", "r"])
    near = M.reading(dpc.table("f", {"p": 1, "q": 2, "r": 1}), on)
    assert near.loss(dpc.free_lunch).expression == e


def test_counts_of_districts_depend_on_the_district_only() -> None:
    """GB Ex. IV.9: the noisy count of one district, on all of the database."""
    X = dpc.multisets({"north", "south"}, size="= 2")
    counts = dpc.function("north", lambda D: D.count("north"))
    M = geometric(2).reading(counts, X)
    assert M.check_depends(counts).holds and M.check_depends(dpc.restriction(["north"])).holds
    found = M.check_depends(dpc.function("how many", len))
    assert found.verdict == "refuted" and found.pair == (("north", "north"), ("north", "south"))
    assert M.check(dpc.pure(e, dpc.bounded)).holds
    assert M.check(dpc.pure("e/2", dpc.bounded)).verdict == "refuted"


def test_a_shared_coin_shows_that_independence_is_needed() -> None:
    joint = dpc.probability_table({x: {(c, c ^ x): "1/2" for c in (0, 1)} for x in (0, 1)})
    for i in (1, 2):
        assert joint.marginal(i).check(dpc.pure(0, COIN)).holds
    assert joint.loss(COIN).expression is sympy.oo
    assert joint.check(dpc.approximate(0, "99/100", COIN)).verdict == "refuted"
    assert joint.check(dpc.approximate(0, 1, COIN)).holds
    found = joint.check_independent()
    assert found.verdict == "refuted" and found.event == ((0, 0),)
    apart = dpc.independent(joint.marginal(1), joint.marginal(2))
    assert apart.check_independent().holds and apart.check(dpc.pure(0, COIN)).holds


def test_adaptive_chains_and_post_processing() -> None:
    keep, swap = RESPONSE, RESPONSE.after({0: 1, 1: 0})
    chain = RESPONSE.then({0: keep, 1: swap})
    assert chain.loss(COIN).expression == 2 * e
    assert chain.marginal(1) == RESPONSE and chain.marginal(1) != swap
    assert chain.marginal(1, 2) == chain and chain.check_independent().verdict == "refuted"
    forgotten = chain.after(lambda outcome: "same")
    assert forgotten.loss(COIN).expression == 0
    noisy = RESPONSE.after(dpc.randomized_response_table("f"))
    assert noisy.check(dpc.pure(e, COIN)).holds and noisy.check(dpc.pure(f, COIN)).holds
    with pytest.raises(WrongTable, match="same databases"):
        RESPONSE.then(geometric(2))


def test_renyi_divergences() -> None:
    T = dpc.probability_table({0: ["1/2", "1/2"], 1: ["1/4", "3/4"]})
    for order in (2, 3, 7):
        value = max(
            sum(Fraction(p) ** order * Fraction(q) ** (1 - order) for p, q in zip(P, Q, strict=True))
            for P, Q in permutations((("1/2", "1/2"), ("1/4", "3/4")))
        )
        assert T.renyi(order, COIN).values == (value,)
    assert T.renyi_between(2, 0, 1) == sympy.log(sympy.Rational(4, 3))
    assert math.isclose(T.renyi_between("3/2", 0, 1), 2 * math.log(0.5**1.5 * (2 + (4 / 3) ** 0.5)))
    # by hand: D_1 = Σ p·ln(p/q) = ln 2/2 + ln(2/3)/2, and D_∞ = max ln(p/q), the largest loss
    assert math.isclose(T.renyi_between(1, 0, 1), (math.log(2) + math.log(2 / 3)) / 2)
    assert T.renyi_between(sympy.oo, 0, 1) == sympy.log(2)
    orders = [T.renyi_between(one, 0, 1) for one in (1, "101/100", 2, 7, "oo")]
    assert [float(one.doit()) for one in orders] == sorted(float(one.doit()) for one in orders)
    for wrong in ("1/2", 0, "e"):
        with pytest.raises(ValueError, match="rational number from 1, or oo"):
            T.renyi_between(wrong, 0, 1)
    assert RESPONSE.renyi(2, COIN).expression.subs(e, 0) == 0


def test_of_a_large_table_few_pairs_are_compared_exactly() -> None:
    n, m = 200, 40
    rows = [[Fraction(1 + (i * i * o + 7 * o) % 97) for o in range(m)] for i in range(n)]
    rows = [[p / sum(row) for p in row] for row in rows]
    pairs = ordered_pairs(n)
    assert len(pairs) == 39_800
    for t in (None, Fraction(3, 2)):
        near = nearest.near_largest(rows, pairs, t)
        assert 1 <= len(near) <= 30
    for order in (2, 50):
        assert 1 <= len(nearest.near_largest_moment(rows, pairs, order)) <= 30
    assert nearest.near_largest_moment(rows, pairs, 10**7) is pairs  # so high an order is not by floats
    tiny = [[p / 10**300 for p in rows[0]]]
    assert nearest.near_largest_moment(tiny, pairs, 2) is pairs
    assert nearest.near_largest([[p / 10**300 for p in rows[0]]], pairs, None) is pairs  # not by floats


@pytest.mark.parametrize("kind", ["random", "with zeros", "with ties", "tiny"])
def test_the_loss_of_a_large_table_is_that_of_a_small_one(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly, with the same pair and outcome: logarithms only choose which pairs are compared."""
    draw = random.Random(kind)
    databases = dpc.multisets("abc", "<= 4")

    def entry() -> Fraction:
        if kind == "with ties":
            return Fraction(2 ** draw.randrange(3))
        if kind == "tiny":
            return Fraction(1, 10 ** draw.randrange(280, 300))
        return Fraction(draw.randrange(0 if kind == "with zeros" else 1, 40))

    rows = {}
    for D in databases.databases():
        row = [*(entry() for _ in range(3)), Fraction(41)]
        rows[D] = [p / sum(row) for p in row]
    T = dpc.probability_table(rows, "wxyz", on=databases)
    for granularity in (dpc.unbounded, dpc.bounded, dpc.free_lunch):
        small = T.loss(granularity)
        with monkeypatch.context() as patch:
            patch.setattr(graphs, "SMALL_CLASS", 0)
            large = T.loss(granularity)
            assert T.check(dpc.pure(small.expression, granularity)).holds or small.values == (None,)
        assert (large.values, large.pairs, large.events) == (small.values, small.pairs, small.events)
    none = dpc.probability_table({"a": [1]}, "w")
    monkeypatch.setattr(graphs, "SMALL_CLASS", 0)
    assert none.loss(dpc.free_lunch).values == ()


def test_few_pairs_decide_zcdp_of_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    T = made(
        [
            [Fraction(1 + (i * o) % 5, 1) / sum(1 + (i * u) % 5 for u in range(3)) for o in range(3)]
            for i in range(9)
        ]
    )
    verdicts = []
    for few in (0, 10**9):
        monkeypatch.setattr(nearest, "FEW_PAIRS", few)
        verdicts.append([T.check(dpc.zcdp(rho, dpc.free_lunch)).verdict for rho in ("1/10", "1/2", "2")])
    assert verdicts[0] == verdicts[1] and {"refuted", "proved"} <= set(verdicts[0])


def test_how_tables_are_shown() -> None:
    T = dpc.probability_table({"<a>": {"$y": "1/2", "n_": "1/2"}, "b": {"$y": 1}})
    assert repr(T) == "table of 2 databases and 2 outcomes"
    shown = T._repr_html_()
    assert "&lt;a&gt;" in shown and "<a>" not in shown and r"\frac{1}{2}" in shown
    assert '<span class="mathjax_ignore tex2jax_ignore">$</span>y' in shown
    assert r"n\_" in T._repr_latex_() and T._repr_latex_().startswith(r"$\begin{array}{l|cc}")
    assert r"$\varepsilon$" in dpc.randomized_response_table("epsilon").loss(COIN)._repr_latex_()
    assert repr(Finding("proved", "all")) == "proved: all"
    found = T.check_depends(dpc.function("<f>", lambda D: 0))
    assert "&lt;f&gt;(D)" in found._repr_html_() and "<f>" not in found._repr_html_()
    assert T.loss(dpc.free_lunch)._repr_html_().startswith("<p>$\\infty$, at D = &lt;a&gt;")
