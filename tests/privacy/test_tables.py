"""Mechanisms as tables of probabilities: what they lose, and that wrong tables are refused with the witness."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, permutations, product
from statistics import NormalDist
from typing import Any

import networkx as nx
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from privacy.plain_tables import COIN, RESPONSE, e, f, made
from tables import Rows, ordered_pairs, weighted_rows

import dpcompose as dpc
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.deciders.curves import normal
from dpcompose.kernel.deciders.tables import entries
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.privacy.finite import nearest
from dpcompose.privacy.finite.probabilities import WrongTable
from dpcompose.privacy.finite.tables import ProbabilityTable

FEW = settings(max_examples=25, deadline=None)
LOUD = ["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"]


# plain loops over Fractions, to compare with


def plain_ratio(rows: Rows) -> tuple[Fraction | None, tuple[int, int], int]:
    """The largest p/q over all pairs of rows, None for ∞, with the first pair and outcome that have it."""
    best: tuple[Fraction | None, tuple[int, int], int] | None = None
    for i, j in ordered_pairs(len(rows)):
        for o, (p, q) in enumerate(zip(rows[i], rows[j], strict=True)):
            if p == 0:
                continue
            if q == 0:
                return None, (i, j), o
            if best is None or p / q > best[0]:  # type: ignore[operator]
                best = p / q, (i, j), o
    assert best is not None
    return best


def plain_delta(rows: Rows, t: Fraction) -> tuple[Fraction, tuple[int, int]]:
    best: tuple[Fraction, tuple[int, int]] | None = None
    for i, j in ordered_pairs(len(rows)):
        value = sum((max(Fraction(0), p - t * q) for p, q in zip(rows[i], rows[j], strict=True)), Fraction(0))
        if best is None or value > best[0]:
            best = value, (i, j)
    assert best is not None
    return best


def plain_moment(rows: Rows, order: int) -> tuple[Fraction | None, tuple[int, int]]:
    """The largest sum of P(o)^α·Q(o)^(1−α) and the first pair of rows at which it is attained; None is ∞."""

    def moment(pair: tuple[int, int]) -> Fraction | None:
        both = [(p, q) for p, q in zip(rows[pair[0]], rows[pair[1]], strict=True) if p]
        return None if any(q == 0 for _, q in both) else sum(p**order / q ** (order - 1) for p, q in both)

    found = [(moment(pair), pair) for pair in ordered_pairs(len(rows))]
    if infinite := [one for one in found if one[0] is None]:
        return infinite[0]
    return max(found, key=lambda one: (one[0], -found.index(one)))


@FEW
@given(weighted_rows())
def test_the_filter_changes_nothing(rows: Rows) -> None:
    before = nearest.FEW_PAIRS
    nearest.FEW_PAIRS = 0
    try:
        T = made(rows)
        ratio, pair, outcome = plain_ratio(rows)
        loss = T.loss(dpc.free_lunch)
        assert (loss.values[0], loss.pair, loss.event) == (ratio, pair, (outcome,))
        for t in (Fraction(1), Fraction(3, 2), Fraction(10**9 + 1, 10**9), Fraction(7)):
            found = T.delta(sympy.log(sympy.Rational(t.numerator, t.denominator)), dpc.free_lunch)
            assert (found.values[0], found.pair) == plain_delta(rows, t)
        for order in (2, 7):
            worst = T.renyi(order, dpc.free_lunch)
            assert (worst.values[0], worst.pair) == plain_moment(rows, order)
    finally:
        nearest.FEW_PAIRS = before


@FEW
@given(weighted_rows(), st.fractions(1, 4, max_denominator=30))
def test_curve_trade_off_and_checks_say_the_same(rows: Rows, t: Fraction) -> None:
    T = made(rows)
    delta = plain_delta(rows, t)[0]
    pieces = T.delta_curve(dpc.free_lunch)
    piece = [one for one in pieces if one.start <= t][-1]
    assert piece.constant - piece.slope * t == delta
    epsilon = sympy.log(sympy.Rational(t.numerator, t.denominator))
    assert T.check(dpc.approximate(epsilon, delta, dpc.free_lunch)).holds
    if delta > 0:
        refuted = T.check(dpc.approximate(epsilon, delta * Fraction(99, 100), dpc.free_lunch))
        assert refuted.verdict == "refuted" and refuted.pair is not None
        i, j = refuted.pair
        P, Q = (sum((rows[n][o] for o in refuted.event), Fraction(0)) for n in (i, j))
        assert t * Q + delta * Fraction(99, 100) < P
    ratio = plain_ratio(rows)[0]
    assert T.check(dpc.pure(epsilon, dpc.free_lunch)).holds == (ratio is not None and ratio <= t)
    # the trade-off function from row 1 to row 0 is the dual of δ: β ≥ 1 − δ(t) − t·α, with equality somewhere
    corners = [(Fraction(str(x)), Fraction(str(y))) for x, y in T.trade_off(1, 0)]
    between = sum((max(Fraction(0), p - t * q) for p, q in zip(rows[0], rows[1], strict=True)), Fraction(0))
    assert min(beta + t * alpha for alpha, beta in corners) == 1 - between


def test_an_event_is_as_bad_as_all_events() -> None:
    """δ and the trade-off against the definition: all events, one after another."""
    rows = [[Fraction(n, 20) for n in row] for row in ([1, 4, 6, 9], [5, 5, 5, 5], [0, 10, 6, 4])]
    T = made(rows)
    events = [S for S in product((0, 1), repeat=4)]
    for t in (Fraction(1), Fraction(6, 5), Fraction(2)):
        worst = max(
            sum(s * (p - t * q) for s, p, q in zip(S, rows[i], rows[j], strict=True))
            for i, j in permutations(range(3), 2)
            for S in events
        )
        assert T.delta(sympy.log(sympy.Rational(t.numerator, t.denominator)), dpc.free_lunch).values == (
            worst,
        )
    for D, E in permutations(range(3), 2):
        corners = T.trade_off(D, E)
        assert corners[0][0] == 0 and corners[-1][1] == 0
        for S in events:
            alpha = sum(s * p for s, p in zip(S, rows[D], strict=True))
            beta = 1 - sum(s * q for s, q in zip(S, rows[E], strict=True))
            assert (
                any(  # no test lies below the line through two corners next to each other
                    x <= alpha <= u and (beta - y) * (u - x) >= (v - y) * (alpha - x)
                    for (x, y), (u, v) in pairwise(corners)
                )
                or alpha >= corners[-1][0]
            )


# parameters


def test_randomized_response() -> None:
    assert RESPONSE.loss(COIN).expression == e
    assert RESPONSE.delta(0, COIN).expression == (sympy.exp(e) - 1) / (sympy.exp(e) + 1)
    assert dpc.randomized_response_table("e", "abcd").loss(dpc.free_lunch).expression == e
    twice, other = dpc.independent(RESPONSE, RESPONSE), dpc.randomized_response_table("f")
    assert twice.loss(COIN).expression == 2 * e
    assert dpc.independent(RESPONSE, other).loss(COIN).expression == e + f
    assert twice.check(dpc.pure(2 * e, COIN)).holds
    found = twice.check(dpc.pure("3*e/2", COIN))
    assert found.verdict == "refuted" and found.pair == (0, 1) and found.event == ((0, 0),)
    best = twice.delta("e", COIN).expression  # one of two answers is right too often
    value = sympy.exp(2 * e) / (1 + sympy.exp(e)) ** 2 - sympy.exp(e) / (1 + sympy.exp(e)) ** 2
    assert sympy.expand(sympy.together(best - value)) == 0
    assert RESPONSE.check(dpc.approximate(0, "(exp(e) - 1)/(exp(e) + 1)", COIN)).holds
    assert RESPONSE.check(dpc.zcdp("e**2/2", COIN)).holds
    refuted = RESPONSE.check(dpc.zcdp("e**2/4", COIN))
    assert refuted.verdict == "refuted" and refuted.point
    two = dpc.probability_table({0: ["1/2", "1/2"], 1: ["1/2", "1/2"]}).then({0: RESPONSE, 1: other})
    assert two.loss(COIN).expression.subs({e: 2, f: 3}) == 3 and len(two.loss(COIN).values) == 2
    assert two.check(dpc.pure("max(e, f)", COIN)).holds
    assert two.check(dpc.pure("e", COIN)).verdict == "refuted"


def test_huge_parameters_are_no_error() -> None:
    T = dpc.randomized_response_table("log(3)")
    assert T.check(dpc.pure(10**9, COIN)).verdict == "undecided"  # no power of e is enclosed so far out
    assert T.check(dpc.pure(10**4, COIN)).holds and T.check(dpc.gaussian(10**9, COIN)).holds
    assert T.check(dpc.zcdp(10**9, COIN)).verdict in ("proved", "undecided")
    assert dpc.randomized_response_table(10**9).loss(COIN).expression == 10**9
    tiny = dpc.randomized_response_table("1/10**40")
    assert tiny.check(dpc.pure("1/10**40", COIN)).holds
    assert tiny.check(dpc.pure("1/10**41", COIN)).verdict == "refuted"


def test_zcdp_of_weights_that_are_large_numbers() -> None:
    half = [Fraction(1, 2), Fraction(1, 2)]
    for n in (10, 10**9):  # the largest ratio R = 2 + 2/n shows rho >= log(R)*(R - 1)/(R + 1), about 0.231
        row = [Fraction(n + 1, 3 * n), Fraction(2 * n - 1, 3 * n)]
        T = dpc.probability_table({0: row, 1: [Fraction(1, 6), Fraction(5, 6)]})
        verdicts = [T.check(dpc.zcdp(rho, COIN)).verdict for rho in ("3/10", "1/20")]
        assert verdicts == ["proved", "refuted"]
    close = dpc.probability_table({0: half, 1: [half[0] + Fraction(1, 10**9), half[1] - Fraction(1, 10**9)]})
    assert close.check(dpc.zcdp(1, COIN)).verdict == "proved"  # no power of e is enclosed so far out


def test_zcdp_is_decided_by_orders_where_no_formula_decides() -> None:
    T = dpc.randomized_response_table(1)
    exactly = 0.4621171572600098  # tanh(1/2), what 1-DP implies, attained by randomized response at α → 1
    assert math.isclose(exactly, math.tanh(0.5))
    verdicts = {
        rho: T.check(dpc.zcdp(rho, COIN)).verdict for rho in ("46/100", "4621/10000", "463/1000", "oo")
    }
    assert verdicts == {"46/100": "refuted", "4621/10000": "refuted", "463/1000": "proved", "oo": "proved"}
    impossible = dpc.probability_table({0: [1, 0], 1: ["1/2", "1/2"]})
    assert impossible.check(dpc.zcdp(100, COIN)).verdict == "refuted"


def test_gaussian_privacy_is_decided_at_the_corners_of_the_trade_off() -> None:
    """The least mu of randomized response is 2·Φ⁻¹(3/4) = 1.348979500…; of other tables the worst corner's."""
    response = dpc.randomized_response_table("log(3)")
    verdicts = [response.check(dpc.gaussian(mu, COIN)).verdict for mu in ("1.3489795", "1.3489796", "oo", 0)]
    assert verdicts == ["refuted", "proved", "proved", "refuted"]
    T = dpc.probability_table({0: ["1/10", "4/10", "5/10"], 1: ["1/2", "4/10", "1/10"]})
    least = max(
        NormalDist().inv_cdf(sum(P[:n])) - NormalDist().inv_cdf(sum(Q[:n]))
        for P, Q in permutations([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]])
        for P, Q in [(P, Q) if P[0] > Q[0] else (P[::-1], Q[::-1])]
        for n in (1, 2)
    )
    near = Fraction(least).limit_denominator(10**6)
    assert T.check(dpc.gaussian(near - Fraction(1, 10**4), COIN)).verdict == "refuted"
    assert T.check(dpc.gaussian(near + Fraction(1, 10**4), COIN)).holds
    impossible = dpc.probability_table({0: [1, 0], 1: ["99/100", "1/100"]})
    assert impossible.check(dpc.gaussian(100, COIN)).event == (0,)  # certain at 0 only
    assert RESPONSE.check(dpc.gaussian(2, COIN)).verdict == "undecided"
    same = dpc.probability_table({0: LOUD, 1: LOUD})
    assert same.check(dpc.gaussian(0, COIN)).holds


def test_the_normal_distribution_function() -> None:
    for x in (Fraction(-25), Fraction(-7, 3), Fraction(0), Fraction(1, 7), Fraction(4), Fraction(31)):
        found = normal.distribution(Interval.of(x), 100)
        lower, upper = found.low, found.high
        exact = sympy.erfc(-sympy.Rational(x.numerator, x.denominator) / sympy.sqrt(2)) / 2
        assert (
            sympy.N(lower, 60) - sympy.N("1e-59")
            <= sympy.N(exact, 60)
            <= sympy.N(upper, 60) + sympy.N("1e-59")
        )
        assert upper - lower < Fraction(1, 10**29)
    assert normal.quantile(Interval.of(Fraction(1, 10**300)), 64) is None


def test_the_exponential_mechanism_against_its_formula() -> None:
    scores = {0: [0, 1, "1/2"], 1: [1, 1, 0], 2: [0, 0, 0]}
    T = dpc.exponential_mechanism_table(scores, "log(81)")  # weights 81**(u/2)
    rows = [[T[D, o] for o in range(3)] for D in range(3)]
    weights = [[1, 9, 3], [9, 9, 1], [1, 1, 1]]
    assert rows == [[sympy.Rational(w, sum(row)) for w in row] for row in weights]
    assert T.check(dpc.pure("log(81)", dpc.free_lunch)).holds
    with pytest.raises(WrongTable, match="no quotient"):
        dpc.exponential_mechanism_table({0: [0, "1/3"]}, "log(2)")
    assert dpc.exponential_mechanism_table(scores, "2*e").check(dpc.pure("2*e", dpc.free_lunch)).holds


def test_signs_for_all_parameters() -> None:
    def point(left: str, right: str) -> Any:
        return is_at_least(*(entries.read(dict(dpc.pure(text).terms)["epsilon"]) for text in (left, right)))

    assert point("(exp(e) - 2)**2*(exp(2*e) + exp(e))", "0") is None
    assert point("exp(e + f) + 1", "exp(e) + exp(f)") is None
    narrow = point("(exp(e) - 2)*(exp(e) - 201/100)", "0")  # negative between log 2 and log 2.01 only
    assert math.log(2) < narrow["e"] < math.log(2.01)
    assert point("exp(1/3)", "1395612425086089528628125319602/10**30") is None  # 30 digits, rounded down
    assert point("exp(1/3)", "1395612425086089528628125319603/10**30") == {}
    with pytest.raises(NotDecided):
        point("exp(2*e) - 2*exp(e + f) + exp(2*f) + exp(e) - exp(f) + 1/4", "0")  # a square


# what is wrong is refused, with the witness


LINE = dpc.pairs("next", [("a", "b"), ("b", "c")])
READS = dpc.table("which", {"a": "x", "b": "x", "c": "y"})


def abc(a: list[Any], b: list[Any], c: list[Any]) -> Callable[[], ProbabilityTable]:
    return lambda: dpc.probability_table({"a": a, "b": b, "c": c}, ["yes", "no"])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (abc(["1/2", "1/3"], ["1/2", "1/2"], [0, 1]), "row a: the probabilities add up to 5/6, not 1"),
        (abc(["1/2", "1/2"], ["3/2", "-1/2"], [0, 1]), r"row b: P\(no\) = -1/2 is negative"),
        (abc(["1/2", "1/2"], [0, 1], ["exp(e)/2", "1 - exp(e)/2"]), r"row c: P\(no\) = .* negative at e = 1"),
        (
            abc(["1/2", "1/2"], [0, 1], ["exp(e)/(1+exp(e))", "1/(1+exp(f))"]),
            "row c: the probabilities add up",
        ),
        (abc(["1/2", "1/2"], [0, 1], ["1/2"]), "row c has 1 probabilities for 2 outcomes"),
        (abc([0.5, 0.4], [0, 1], [1, 0]), "row a: the probabilities add up"),
        (abc(["e", "1 - e"], [0, 1], [1, 0]), "row a: e is no number that is computed exactly"),
    ],
)
def test_what_is_no_table_is_refused(make: Callable[[], ProbabilityTable], words: str) -> None:
    with pytest.raises(WrongTable, match=words):
        make()


E1 = "exp(e)/(1 + exp(e))"
E0 = "1/(1 + exp(e))"


@pytest.mark.parametrize(
    ("rows", "check", "pair", "outcome"),
    [
        ([["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]], dpc.pure("1/2", LINE), ("a", "b"), "yes"),
        ([["1/2", "1/2"], ["1/2", "1/2"], ["1/3", "2/3"]], dpc.pure("log(7/5)", LINE), ("b", "c"), "yes"),
        ([["1/2", "1/2"], ["1/2", "1/2"], [0, 1]], dpc.pure("100", LINE), ("b", "c"), "yes"),
        ([[E1, E0], [E0, E1], [E0, E1]], dpc.pure("e/2", LINE), ("a", "b"), "yes"),
        ([[E1, E0], ["1/2", "1/2"], ["1/4", "3/4"]], dpc.pure("e", LINE), ("b", "c"), "yes"),
        (
            [["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]],
            dpc.approximate(0, "1/5", LINE),
            ("a", "b"),
            "yes",
        ),
        ([["1/2", "1/2"], ["1/2", "1/2"], ["1/100", "99/100"]], dpc.zcdp("1/2", LINE), ("b", "c"), None),
        ([["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]], READS, ("a", "b"), "yes"),
        ([["1/2", "1/2"], ["1000/2001", "1001/2001"], [0, 1]], READS, ("a", "b"), "yes"),
        ([[E1, E0], [E0, E1], [0, 1]], READS, ("a", "b"), "yes"),
    ],
)
def test_ten_wrong_promises_are_refused(rows: Any, check: Any, pair: Any, outcome: str | None) -> None:
    T = abc(*rows)()
    found = T.check_depends(check) if check is READS else T.check(check)
    assert found.verdict == "refuted" and found.pair == pair
    assert found.event == (() if outcome is None else (outcome,))
    for D in pair:
        assert f" = {D}" in found.words
    # the witness is right: at its point the promise is broken (at orders: the words name the order)
    values = {name: found.point.get(name, Fraction(1)) for name in T.domains}
    p, q = (T.at(values)[D, outcome or "yes"] for D in pair)
    if check is READS:
        assert p != q
    elif check.notion == "pure":
        bound = sympy.exp(check["epsilon"].subs(e, sympy.Rational(str(values.get("e", 1)))))
        assert p > bound * q
    else:
        assert p > q


def test_neighbours_are_a_graph_or_its_edges() -> None:
    """Of three databases in a row the ends are no neighbours."""
    rows = {"x": ["1/2", "1/2"], "y": ["1/4", "3/4"], "z": ["1/8", "7/8"]}
    table = dpc.probability_table(rows, [0, 1], dpc.listed(["x", "y", "z"]))
    guarantee = dpc.pure("log(2)", dpc.free_lunch)
    path = nx.path_graph(["x", "y", "z"])
    assert table.check(guarantee).verdict == "refuted"
    for neighbours in (path, path.edges, [("x", "y"), ("z", "y")]):
        assert table.check(guarantee, neighbours).verdict == "proved"
    assert table.check(guarantee, graph=nx.path_graph(["y", "x", "z"])).verdict == "refuted"
