"""Tables of probabilities: what they promise and lose, and that wrong tables are refused with the witness."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import Rows, ordered_pairs, weighted_rows

from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided, Value
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.deciders.tables import divergences, entries, promises
from dpcompose.kernel.deciders.tables.tables import Finding, Table, WrongTable
from dpcompose.kernel.expressions.domains import POSITIVE, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.formulas import names, parse
from dpcompose.kernel.expressions.terms import INFINITY, Term, letter, log, number
from dpcompose.privacy.finite.distributions import METRIC_FORMS, trade_off

FEW = settings(max_examples=25, deadline=None)
DOMAINS = {"p": UNIT_INTERVAL, "x": Domain(), "n": Domain.read("integer >= 2")}
LOUD, QUIET = ["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"], ["1/2", "1/2"]


def term(text: object) -> Term:
    """A formula in e, f > 0, p in (0,1), a real x and a whole n."""
    written = str(text)
    return parse(written, {name: letter(name, DOMAINS.get(name, POSITIVE)) for name in names(written)})


def table(rows: Mapping[Any, Sequence[object]]) -> Table:
    return Table.of({key: [term(entry) for entry in row] for key, row in rows.items()})


def check(T: Table, notion: str, *values: object, pairs: Any = None) -> Finding:
    """A guarantee with these parameters, at some pairs or at all."""
    keys = {"pure": ["epsilon"], "approximate": ["epsilon", "delta"], "zcdp": ["rho"], "gaussian": ["mu"]}
    promised = dict(zip(keys[notion], map(term, values), strict=True))
    some = pairs or [(D, E) for n, D in enumerate(T.rows) for E in list(T.rows)[n + 1 :]]
    return T.check(notion, [(D, E, promised) for D, E in some])


RESPONSE = table({0: LOUD, 1: LOUD[::-1]})


# plain loops over Fractions, to compare with


def plain_ratio(P: Sequence[Fraction], Q: Sequence[Fraction]) -> Fraction | None:
    """The largest p/q, None for ∞."""
    both = [(p, q) for p, q in zip(P, Q, strict=True) if p]
    return None if any(q == 0 for _, q in both) else max(p / q for p, q in both)


def plain_delta(P: Sequence[Fraction], Q: Sequence[Fraction], t: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - t * q) for p, q in zip(P, Q, strict=True)), Fraction(0))


def excess(T: Table, epsilon: Term, D: object, E: object) -> Value:
    """The largest P(S) − e^ε·Q(S), which is one value."""
    some = divergences.excesses(T.rows[D], T.rows[E], entries.power(epsilon))
    ((one, _),) = divergences.largest((one, None) for one in some)
    assert one.value is not None
    return one.value


def corners_of(T: Table, D: object, E: object) -> list[tuple[Value, Value]]:
    """The vertices of the trade-off function: of those above one another the lowest."""
    return list({alpha: (alpha, beta) for alpha, beta in trade_off(T.rows[D], T.rows[E])}.values())


@FEW
@given(weighted_rows(), st.fractions(1, 4, max_denominator=30))
def test_losses_trade_off_and_checks_say_the_same(rows: Rows, t: Fraction) -> None:
    T = table(dict(enumerate(rows)))
    at = log(number(t)) if t != 1 else number(0)
    worst = Fraction(0)
    ratios = []
    for i, j in ordered_pairs(len(rows)):
        P, Q = rows[i], rows[j]
        delta = plain_delta(P, Q, t)
        assert excess(T, at, i, j) == delta
        assert T.loss(i, j) == (INFINITY if (ratio := plain_ratio(P, Q)) is None else log(number(ratio)))
        corners = corners_of(T, j, i)
        assert min(beta + t * alpha for alpha, beta in corners) == 1 - delta
        lines = {(x, y) for x, y in corners}
        assert len(lines) == len(corners)
        worst = max(worst, delta)
        ratios.append(plain_ratio(P, Q))
    assert check(T, "approximate", f"log({t})" if t != 1 else 0, worst).verdict == "proved"
    if worst > 0:
        found = check(T, "approximate", f"log({t})" if t != 1 else 0, worst * Fraction(99, 100))
        assert found.verdict == "refuted" and found.pair is not None
        P, Q = (sum((rows[n][o] for o in found.event), Fraction(0)) for n in found.pair)  # type: ignore[index]
        assert t * Q + worst * Fraction(99, 100) < P
    holds = None not in ratios and max(r for r in ratios if r is not None) <= t
    assert (check(T, "pure", f"log({t})" if t != 1 else 0).verdict == "proved") == holds


def test_an_event_is_as_bad_as_all_events() -> None:
    """δ and the trade-off against the definition: all events, one after another."""
    rows = [[Fraction(n, 20) for n in row] for row in ([1, 4, 6, 9], [5, 5, 5, 5], [0, 10, 6, 4])]
    T = table(dict(enumerate(rows)))
    events = list(product((0, 1), repeat=4))
    for D, E in permutations(range(3), 2):
        for t in (Fraction(1), Fraction(6, 5), Fraction(2)):
            worst = max(
                sum(s * (p - t * q) for s, p, q in zip(S, rows[D], rows[E], strict=True)) for S in events
            )
            assert excess(T, term(f"log({t})") if t != 1 else number(0), D, E) == worst
        corners = corners_of(T, D, E)
        assert corners[0][0] == 0 and corners[-1][1] == 0
        for S in events:
            alpha = sum(s * p for s, p in zip(S, rows[D], strict=True))
            beta = 1 - sum(s * q for s, q in zip(S, rows[E], strict=True))
            assert alpha >= corners[-1][0] or any(  # no test lies below the line through two corners
                x <= alpha <= u and (beta - y) * (u - x) >= (v - y) * (alpha - x)
                for (x, y), (u, v) in pairwise(corners)
            )


# parameters


def test_randomized_response() -> None:
    assert RESPONSE.loss(0, 1) == term("e")
    assert exponentials.same(
        excess(RESPONSE, number(0), 0, 1), entries.read(term("(exp(e) - 1)/(exp(e) + 1)"))
    )  # type: ignore[arg-type]
    four = table(
        {x: ["exp(e)/(exp(e) + 3)" if x == y else "1/(exp(e) + 3)" for y in range(4)] for x in range(4)}
    )
    assert four.loss(0, 3) == term("e") and check(four, "pure", "e").verdict == "proved"
    both = list(product(LOUD, LOUD)), list(product(LOUD[::-1], LOUD[::-1]))
    twice = table({x: [f"({p})*({q})" for p, q in row] for x, row in enumerate(both)})
    assert twice.loss(0, 1) == term("2*e") and check(twice, "pure", "2*e").verdict == "proved"
    found = check(twice, "pure", "3*e/2")
    assert found.verdict == "refuted" and found.pair == (0, 1) and found.event == (0,) and found.point
    best = entries.read(term("(exp(2*e) - exp(e))/(1 + exp(e))**2"))  # one of two answers is right too often
    assert exponentials.same(excess(twice, term("e"), 0, 1), best)
    assert check(RESPONSE, "approximate", 0, "(exp(e) - 1)/(exp(e) + 1)").verdict == "proved"
    assert check(RESPONSE, "approximate", 0, "(exp(e) - 1)/(exp(e) + 2)").verdict == "refuted"
    assert check(RESPONSE, "zcdp", "e**2/2").verdict == "proved"
    refuted = check(RESPONSE, "zcdp", "e**2/4")
    assert refuted.verdict == "refuted" and refuted.point


def test_scales_stand_in_denominators() -> None:
    """Probabilities with e^(−1/b): signs decide, and simple points refute."""
    row = ["1/(1 + exp(-1/b))", "exp(-1/b)/(1 + exp(-1/b))"]
    T = table({0: row, 1: row[::-1]})
    assert T.loss(0, 1) == term("1/b")
    assert check(T, "pure", "1/b").verdict == check(T, "pure", "1/b + c").verdict == "proved"
    found = check(T, "pure", "1/(2*b)")
    assert found.verdict == "refuted" and set(found.point) == {"b"}
    with pytest.raises(WrongTable, match="is no number that is computed exactly"):
        table({0: ["1/(1 + exp(1/x))", "exp(1/x)/(1 + exp(1/x))"]})  # x may be 0


def test_a_maximum_is_promised() -> None:
    half = ["exp(e)/2/(1 + exp(e))", "1/2/(1 + exp(e))", "exp(f)/2/(1 + exp(f))", "1/2/(1 + exp(f))"]
    T = table({0: half, 1: [half[1], half[0], half[3], half[2]]})
    assert T.loss(0, 1) == term("max(e, f)")
    assert check(T, "pure", "max(e, f)").verdict == "proved"
    assert check(T, "pure", "e").verdict == check(T, "pure", "max(e, f/2)").verdict == "refuted"


def test_huge_parameters_are_no_error() -> None:
    T = table({0: ["3/4", "1/4"], 1: ["1/4", "3/4"]})
    assert check(T, "pure", 10**9).verdict == "undecided"  # no power of e is enclosed so far out
    assert check(T, "pure", 10**4).verdict == check(T, "gaussian", 10**9).verdict == "proved"
    assert check(T, "zcdp", 10**9).verdict in ("proved", "undecided")
    large = "exp(10**9)/(1 + exp(10**9))"
    with pytest.raises(Exception, match=r"10\^1000"):
        term(large)
    tiny = ["exp(1/10**40)/(1 + exp(1/10**40))", "1/(1 + exp(1/10**40))"]
    close = table({0: tiny, 1: tiny[::-1]})
    assert check(close, "pure", "1/10**40").verdict == "proved"
    assert check(close, "pure", "1/10**41").verdict == "refuted"


def test_zcdp_of_weights_that_are_large_numbers() -> None:
    half = [Fraction(1, 2), Fraction(1, 2)]
    for n in (10, 10**9):  # the largest ratio R = 2 + 2/n shows rho >= log(R)*(R - 1)/(R + 1), about 0.231
        row = [Fraction(n + 1, 3 * n), Fraction(2 * n - 1, 3 * n)]
        T = table({0: row, 1: [Fraction(1, 6), Fraction(5, 6)]})
        assert [check(T, "zcdp", rho).verdict for rho in ("3/10", "1/20")] == ["proved", "refuted"]
    close = table({0: half, 1: [half[0] + Fraction(1, 10**9), half[1] - Fraction(1, 10**9)]})
    assert check(close, "zcdp", 1).verdict == "proved"  # no power of e is enclosed so far out


def test_zcdp_is_decided_by_orders_where_no_formula_decides() -> None:
    one = ["exp(1)/(1 + exp(1))", "1/(1 + exp(1))"]
    T = table({0: one, 1: one[::-1]})
    exactly = 0.4621171572600098  # tanh(1/2), what 1-DP implies, attained by randomized response at α → 1
    assert math.isclose(exactly, math.tanh(0.5))
    verdicts = {rho: check(T, "zcdp", rho).verdict for rho in ("46/100", "4621/10000", "463/1000", "oo")}
    assert verdicts == {"46/100": "refuted", "4621/10000": "refuted", "463/1000": "proved", "oo": "proved"}
    impossible = table({0: [1, 0], 1: ["1/2", "1/2"]})
    assert check(impossible, "zcdp", 100).verdict == "refuted"


def test_gaussian_privacy_is_decided_at_the_corners_of_the_trade_off() -> None:
    """The least mu of randomized response is 2·Φ⁻¹(3/4) = 1.348979500…; of other tables the worst corner's."""
    response = table({0: ["3/4", "1/4"], 1: ["1/4", "3/4"]})
    verdicts = [check(response, "gaussian", mu).verdict for mu in ("1.3489795", "1.3489796", "oo", 0)]
    assert verdicts == ["refuted", "proved", "proved", "refuted"]
    T = table({0: ["1/10", "4/10", "5/10"], 1: ["1/2", "4/10", "1/10"]})
    least = max(
        NormalDist().inv_cdf(sum(P[:n])) - NormalDist().inv_cdf(sum(Q[:n]))
        for P, Q in permutations([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]])
        for P, Q in [(P, Q) if P[0] > Q[0] else (P[::-1], Q[::-1])]
        for n in (1, 2)
    )
    near = Fraction(least).limit_denominator(10**6)
    assert check(T, "gaussian", near - Fraction(1, 10**4)).verdict == "refuted"
    assert check(T, "gaussian", near + Fraction(1, 10**4)).verdict == "proved"
    impossible = table({0: [1, 0], 1: ["99/100", "1/100"]})
    assert check(impossible, "gaussian", 100).event == (0,)  # certain at 0 only
    assert check(RESPONSE, "gaussian", 2).verdict == "undecided"
    assert check(table({0: LOUD, 1: LOUD}), "gaussian", 0).verdict == "proved"


def test_signs_for_all_parameters() -> None:
    def point(left: str, right: str) -> Any:
        return is_at_least(entries.read(term(left)), entries.read(term(right)))

    assert point("(exp(e) - 2)**2*(exp(2*e) + exp(e))", "0") is None
    assert point("exp(e + f) + 1", "exp(e) + exp(f)") is None
    narrow = point("(exp(e) - 2)*(exp(e) - 201/100)", "0")  # negative between log 2 and log 2.01 only
    assert math.log(2) < narrow["e"] < math.log(2.01)
    assert point("exp(1/3)", "1395612425086089528628125319602/10**30") is None  # 30 digits, rounded down
    assert point("exp(1/3)", "1395612425086089528628125319603/10**30") == {}
    with pytest.raises(NotDecided):
        point("exp(2*e) - 2*exp(e + f) + exp(2*f) + exp(e) - exp(f) + 1/4", "0")  # a square
    # up to the end of the domain, and beyond it
    assert point("3", "exp(p)") is None and point("27/10", "exp(p)")["p"] > Fraction(99, 100)
    assert point("(exp(p) - 3)**2 - 1/100", "0") is None
    assert point("1 + exp(2*x)", "2*exp(x)") is None and point("1 + exp(2*x)", "201/100*exp(x)")["x"] < 1
    assert point("exp(n) - 7", "0") is None  # e² is 7.389
    with pytest.raises(NotDecided):
        point("(exp(n) - 8)*(exp(n) - 19)", "0")  # negative only between 2.08 and 2.94, no whole number


@FEW
@given(
    st.lists(st.tuples(st.integers(-3, 6), st.integers(0, 6)), min_size=1, max_size=6), st.sampled_from("epx")
)
def test_signs_in_one_parameter(some: list[tuple[int, int]], name: str) -> None:
    """Against values at many points: negative ones are found, or the point that is said is one."""
    written = "0 + " + " + ".join(f"({c})*exp({k}*{name})" for c, k in some)
    value = entries.read(term(written))
    try:
        found = is_at_least(value, Fraction(0))
    except NotDecided:
        return
    domain = DOMAINS.get(name, POSITIVE)
    if found is not None:
        assert domain.contains(found.get(name, Fraction(1, 2)))
        total = sum(c * math.exp(k * found.get(name, Fraction(1, 2))) for c, k in some)
        assert total < 1e-6
        return
    for x in (Fraction(n, 50) for n in range(-150, 300)):
        if domain.contains(x):
            parts = [c * math.exp(k * x) for c, k in some]
            assert sum(parts) > -1e-12 * (1 + sum(map(abs, parts)))


# what is wrong is refused, with the witness


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((["1/2", "1/3"], ["1/2", "1/2"], [0, 1]), "row a: the probabilities add up to 5/6, not 1"),
        ((["1/2", "1/2"], ["3/2", "-1/2"], [0, 1]), "row b: the probability -1/2 is negative"),
        (
            (["1/2", "1/2"], [0, 1], ["exp(e)/2", "1 - exp(e)/2"]),
            "row c: the probability .* negative at e = 1",
        ),
        ((["1/2", "1/2"], [0, 1], ["exp(e)/(1+exp(e))", "1/(1+exp(f))"]), "row c: the probabilities add up"),
        ((["1/2", "1/2"], [0, 1], ["1/2"]), "all with as many probabilities"),
        (([], [], []), "which are at least one"),
        ((["e", "1 - e"], [0, 1], [1, 0]), "row a: e is no number that is computed exactly"),
        ((["sqrt(2)/2", "1 - sqrt(2)/2"], [0, 1], [1, 0]), "row a: sqrt"),
        (
            (["1/(exp(e) - 1)", "1 - 1/(exp(e) - 1)"], [0, 1], [1, 0]),
            "row a: the probability .* is negative at",
        ),
        ((["1/(exp(x) - 1)", "1 - 1/(exp(x) - 1)"], [0, 1], [1, 0]), "nothing shows that .* is positive"),
    ],
)
def test_what_is_no_table_is_refused(rows: Any, words: str) -> None:
    with pytest.raises(WrongTable, match=words):
        table(dict(zip("abc", rows, strict=True)))


def test_one_name_has_one_domain() -> None:
    other = letter("e", Domain())
    with pytest.raises(WrongTable, match="e is real in what is promised, and positive before"):
        RESPONSE.check("pure", [(0, 1, {"epsilon": other})])


E1, E0 = LOUD


@pytest.mark.parametrize(
    ("rows", "notion", "values", "pair", "event"),
    [
        ([["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]], "pure", ["1/2"], ("a", "b"), (0,)),
        ([["1/2", "1/2"], ["1/2", "1/2"], ["1/3", "2/3"]], "pure", ["log(7/5)"], ("b", "c"), (0,)),
        ([["1/2", "1/2"], ["1/2", "1/2"], [0, 1]], "pure", ["100"], ("b", "c"), (0,)),
        ([[E1, E0], [E0, E1], [E0, E1]], "pure", ["e/2"], ("a", "b"), (0,)),
        ([[E1, E0], ["1/2", "1/2"], ["1/4", "3/4"]], "pure", ["e"], ("b", "c"), (0,)),
        ([["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]], "approximate", ["0", "1/5"], ("a", "b"), (0,)),
        ([["1/2", "1/2"], ["1/2", "1/2"], ["1/100", "99/100"]], "zcdp", ["1/2"], ("b", "c"), ()),
    ],
)
def test_wrong_promises_are_refused(rows: Any, notion: str, values: Any, pair: Any, event: Any) -> None:
    T = table(dict(zip("abc", rows, strict=True)))
    found = check(T, notion, *values, pairs=[("a", "b"), ("b", "c")])
    assert found.verdict == "refuted" and found.pair == pair and found.event == event
    # the witness is right: at its point the promise is broken
    at = {"e": found.point.get("e", Fraction(1))}
    p, q = (exponentials.enclosed(exponentials.value_at(T.rows[D][0], at), 30).low for D in pair)
    if notion == "pure":
        bound = term(values[0])
        assert float(p) > math.exp(
            float(at["e"]) / 2
            if bound.letters == {"e": POSITIVE} and values[0] == "e/2"
            else float(at["e"])
            if values[0] == "e"
            else 0.5
            if values[0] == "1/2"
            else math.log(1.4)
            if "log" in values[0]
            else 100
        ) * float(q)
    else:
        assert p > q


@pytest.mark.parametrize(
    ("rows", "holds"),
    [
        ([["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]], False),
        ([["1/2", "1/2"], ["1000/2001", "1001/2001"], [0, 1]], False),
        ([[E1, E0], [E0, E1], [0, 1]], False),
        ([[E1, E0], ["1 - 1/(1 + exp(e))", "exp(-e)/(1 + exp(-e))"], [0, 1]], True),
    ],
)
def test_rows_of_one_fibre_are_equal(rows: Any, holds: bool) -> None:
    T = table(dict(zip("abc", rows, strict=True)))
    found = T.check_depends({"a": "x", "b": "x", "c": "y"})
    assert found == Finding("proved") if holds else (found.pair, found.event) == (("a", "b"), (0,))


def test_privacy_in_a_metric() -> None:
    """GB Rem. III.7: x ↦ x + geometric noise on 0..4, moved to the ends outside: ε·|x − y|-private."""
    stay, most = "(exp(e) - 1)/(exp(e) + 1)", "exp(e)/(exp(e) + 1)"
    rows = {x: [f"exp({-abs(x - o)}*e)*" + (stay if 0 < o < 4 else most) for o in range(5)] for x in range(5)}
    T = table(rows)
    pairs = [(x, y) for x in range(5) for y in range(x)]
    promised = [(x, y, METRIC_FORMS["pure"]([term(f"{x - y}*e")])) for x, y in pairs]
    assert T.check("pure", promised).verdict == "proved"
    assert check(T, "pure", "e").verdict == "refuted" and T.loss(0, 4) == term("4*e")
    less = [(x, y, METRIC_FORMS["pure"]([term(f"{x - y}*e - e/100*{int(x - y == 3)}")])) for x, y in pairs]
    found = T.check("pure", less)
    assert found.verdict == "refuted" and found.pair is not None and abs(found.pair[0] - found.pair[1]) == 3  # type: ignore[operator]


def test_renyi_divergences() -> None:
    P, Q = [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]
    for order in (2, 3, 7):
        value = sum(p**order * q ** (1 - order) for p, q in zip(P, Q, strict=True))
        assert divergences.moment(P, Q, order).value == value
    found = divergences.moment_enclosure(P, Q, Fraction(3, 2), 30)
    assert found is not None and math.isclose(float(found.low), 0.5**1.5 * (2 + (4 / 3) ** 0.5))
    assert found.high - found.low < Fraction(1, 10**25)


def test_a_large_table_is_gone_through_in_whole_numbers() -> None:
    rng = random.Random(5)
    rows = [[Fraction(1 + rng.randrange(97)) for _ in range(6)] for _ in range(80)]
    rows = [[p / sum(row) for p in row] for row in rows]
    T = table(dict(enumerate(rows)))
    largest = max(plain_ratio(P, Q) or 0 for P, Q in permutations(rows, 2))
    assert check(T, "pure", f"log({largest})").verdict == "proved"
    found = check(T, "pure", f"log({largest - Fraction(1, 10**9)})")
    assert found.verdict == "refuted" and found.pair is not None
    assert plain_ratio(*(rows[n] for n in found.pair)) == largest  # type: ignore[index]
    t = Fraction(3, 2)
    delta = max(plain_delta(P, Q, t) for P, Q in permutations(rows, 2))
    assert check(T, "approximate", "log(3/2)", delta).verdict == "proved"
    assert check(T, "approximate", "log(3/2)", delta - Fraction(1, 10**9)).verdict == "refuted"
    assert [check(T, "zcdp", rho).verdict for rho in ("1/10", 10)] == ["refuted", "proved"]


def test_no_notion_of_that_name() -> None:
    with pytest.raises(NotDecided, match="no table is checked for laplace privacy; pure, approximate"):
        promises.broken("laplace", [Fraction(1)], [Fraction(1)], {})


# the tables that users hold


@FEW
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=2, max_size=2),
        min_size=2,
        max_size=3,
    ),
    st.sampled_from(["e", "2*e", "log(2)", "e + log(2)", "3*e/2", "2", "max(e, 1)"]),
    st.sampled_from(["0", "1/10", "1/2"]),
)
def test_a_table_of_a_user_says_the_same(
    weights: list[list[tuple[int, int]]], epsilon: str, delta: str
) -> None:
    dpc = pytest.importorskip("dpcompose")
    written = {}
    for i, row in enumerate(weights):
        total = " + ".join(f"{w}*exp({k}*e)" for w, k in row)
        written[i] = [f"{w}*exp({k}*e)/({total})" for w, k in row]
    told, held = table(written), dpc.probability_table(written)
    for notion, values in (("pure", [epsilon]), ("approximate", [epsilon, delta])):
        here = check(told, notion, *values).verdict
        there = held.check(getattr(dpc, notion)(*values, dpc.free_lunch)).verdict
        assert here == there or there == "undecided"


def test_a_broken_bound_is_told_by_the_least_of_its_formulas() -> None:
    """D_2 of (1/2, 1/2) and (1/4, 3/4) is ln(4/3): above min(1, alpha/10) = 1/5 at 2, by just that much."""
    P, Q = [Fraction(1, 2)] * 2, [Fraction(1, 4), Fraction(3, 4)]
    epsilon = parse("min(1, alpha/10)", {"alpha": letter("alpha")})
    broken = promises.broken("renyi", P, Q, {"epsilon": epsilon}, Orders.read("2"))
    assert broken is not None and broken.order == 2
    told = promises.measured("renyi", P, Q, {"epsilon": epsilon}, broken)
    assert told is not None and told[1].low <= Fraction(1, 5) <= told[1].high < Fraction(1, 4)
    assert told[2] is not None and told[2].low <= Fraction(math.log(4 / 3)) + Fraction(1, 10**12)
    assert promises.broken("renyi", P, Q, {"epsilon": epsilon * 2}, Orders.read("2")) is None  # 2/5 is more
