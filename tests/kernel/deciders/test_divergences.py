"""Divergences of rows by hand: events, chords and lines of bounds, what is together, and what is not decided."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from kernel.deciders.test_tables import check, plain_delta, table, term

from dpcompose.kernel.core.orders import ALPHA, Orders
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided
from dpcompose.kernel.deciders.tables import divergences, entries, orders, promises, tables
from dpcompose.kernel.deciders.tables.divergences import INFINITE, Attained
from dpcompose.kernel.deciders.tables.entries import NotExponential
from dpcompose.kernel.deciders.tables.orders import ALL, Bound
from dpcompose.kernel.deciders.tables.together import together
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, exp, least, letter, log, number

F = Fraction
HALF, THIRD, QUARTER = F(1, 2), F(1, 3), F(1, 4)
A = ALL.order
E, UP_TO_1 = letter("e"), Domain(F(0), greatest=F(1))


# rows


def test_events_by_their_ratios() -> None:
    """2, 1 and 1/2; what never comes is in none, and outcomes of one ratio come in together."""
    P, Q = [HALF, F(0), QUARTER, QUARTER], [QUARTER, F(0), QUARTER, HALF]
    assert divergences.nested_events(P, Q) == [(), (0,), (0, 2), (0, 2, 3)]
    assert divergences.nested_events([F(0), QUARTER, F(3, 4)], [HALF, HALF * HALF, QUARTER])[:2] == [(), (2,)]
    assert divergences.nested_events([QUARTER] * 4, [F(1, 8), F(1, 8), F(3, 8), F(3, 8)]) == [
        (),
        (0, 1),
        (0, 1, 2, 3),
    ]
    assert divergences.nested_events([HALF, HALF, F(0)], [F(0), HALF, HALF]) == [(), (0,), (0, 1), (0, 1, 2)]


def test_the_largest_of_values() -> None:
    """∞ is above all; of equal ones the first stays; what is not decided is below nothing."""
    some = [(Attained(x, (n,)), n) for n, x in enumerate((F(1), F(3), F(3), F(2)))]
    assert divergences.largest(some) == [some[1]]
    far = (Attained(INFINITE, (9,)), 9)
    assert divergences.largest([some[1], far, some[3]]) == [far]
    e, f = entries.read(term("exp(e)")), entries.read(term("exp(f)"))
    assert [n for _, n in divergences.largest([(Attained(e, ()), 0), (Attained(f, ()), 1)])] == [0, 1]
    assert (
        not divergences._below(e, f) and divergences._below(e, e + F(1)) and not divergences._below(e, F(2))
    )


def test_what_is_not_decided_is_below_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(*_: Any) -> Any:
        raise NotDecided("")

    monkeypatch.setattr(divergences, "is_at_least", undecided)
    assert not divergences._below(F(1), F(2))
    with pytest.raises(NotDecided, match="for 6 outcomes"):
        [*divergences.excesses([F(1, 6)] * 6, [F(1, 7)] * 6, F(1))]


def test_moments_skip_what_never_comes() -> None:
    """Σ p²/q = 1/2 + 1/4·… ; infinite where q is 0 and p is not."""
    P, Q = [HALF, HALF, F(0)], [HALF, QUARTER, QUARTER]
    assert divergences.moment(P, Q, 2) == Attained(F(3, 2), (0, 1))
    assert divergences.moment(Q, P, 2) == Attained(INFINITE, (2,))
    found = divergences.moment_enclosure(P, Q, F(2), 20)
    assert found is not None and found.low <= F(3, 2) <= found.high < F(3, 2) + F(1, 10**12)
    assert divergences.moment_enclosure(Q, P, F(2), 20) is None


def test_tables_together_by_hand() -> None:
    """Outcomes of one ratio are one, those that only P has as well; what never comes is left out."""
    one = ([HALF, F(0), QUARTER, QUARTER], [QUARTER, F(0), F(0), F(3, 4)])
    P, Q = together([one])
    assert sorted(zip(P, Q, strict=True)) == [(QUARTER, F(0)), (QUARTER, F(3, 4)), (HALF, QUARTER)]
    both = sorted(zip(*together([one, one]), strict=True))
    assert both == [(F(1, 16), F(9, 16)), (QUARTER, F(1, 16)), (QUARTER, F(3, 8)), (F(7, 16), F(0))]


# what is compared in whole numbers


def test_the_largest_ratio_of_whole_numbers() -> None:
    assert tables._ratio([1, 6, 2], [1, 2, 1]) == (6, 2) and tables._ratio([0, 1], [1, 1]) == (1, 1)
    assert tables._ratio([0, 1], [1, 0]) == (1, 0) and tables._ratio([0, 0], [0, 1]) == (0, 1)
    assert tables._excess([1, 6, 2], [1, 2, 1], F(3, 2)) == 2 * 6 - 3 * 2 + 2 * 2 - 3 * 1
    assert tables._excess([1, 1], [1, 2], F(1)) == 0


@pytest.mark.parametrize("epsilon", ["1/3", "0", "log(3/2)", "1"])
def test_many_pairs_are_decided_by_those_with_the_largest_excess(epsilon: str) -> None:
    """Of twelve rows, where e^ε is a number between two others, too: against all pairs."""
    draw = random.Random(epsilon)
    rows = [[F(1 + draw.randrange(9)) for _ in range(3)] for _ in range(12)]
    rows = [[p / sum(row) for p in row] for row in rows]
    t = enclosure(exp(term(epsilon)), 200)
    most = max(plain_delta(P, Q, t.low) for P, Q in permutations(rows, 2))
    fewest = max(plain_delta(P, Q, t.high) for P, Q in permutations(rows, 2))
    T = table(dict(enumerate(rows)))
    tiny, unit = F(1, 10**20), 10**30
    enough, short = F(int(most * unit) + 1, unit), F(int(fewest * unit), unit) - tiny
    assert check(T, "approximate", epsilon, enough).verdict == "proved"
    assert short > 0 and check(T, "approximate", epsilon, short).verdict == "refuted"


@pytest.mark.parametrize(
    ("ratio", "rho", "holds"),
    [
        ("1", "0", True),
        ("1", "x", False),
        ("1/2", "0", True),
        ("2", "1/3", True),
        ("2", "2311/10000", True),  # log(2)/3 = 0.23105
        ("2", "2310/10000", False),
        ("3/2", "8110/100000", True),  # log(3/2)/5 = 0.081093
        ("3/2", "8109/100000", False),
        ("2002/1001", "2311/10000", True),
        ("3005/1000", "56/100", True),
        ("3005/1000", "55/100", False),  # log(3.005)·2.005/4.005 = 0.5508
    ],
)
def test_zcdp_of_a_ratio(ratio: str, rho: str, holds: bool) -> None:
    assert promises._shows_zcdp(F(ratio), term(rho)) is holds


@pytest.mark.parametrize(
    ("ratio", "rho", "holds"),
    [
        ("exp(e)", "e**2/2", True),
        ("exp(-e)", "0", True),
        ("exp(-2)", "0", True),
        ("exp(x)", "x**2/2", False),  # x may be below 0, and then it is the other order that counts
        ("exp(e)", "e**2/2 - 1/100", False),
        ("exp(e)/2", "e**2", False),
    ],
)
def test_zcdp_of_a_power_of_e(ratio: str, rho: str, holds: bool) -> None:
    assert promises._shows_zcdp(entries.read(term(ratio)), term(rho)) is holds


def test_gaussian_privacy_at_its_edges() -> None:
    same, apart = table({0: ["1/2", "1/2"], 1: ["1/2", "1/2"]}), table({0: ["1/2", "1/2"], 1: [0, 1]})
    assert check(same, "gaussian", 0).verdict == "proved" and check(same, "gaussian", -1).verdict == "refuted"
    assert check(same, "gaussian", "x").verdict == "undecided"
    assert check(apart, "gaussian", 9).verdict == "refuted" and check(apart, "gaussian", 9).event == (0,)
    certain = table({0: [1, 0], 1: ["1/2", "1/2"]})
    assert check(certain, "gaussian", 9).verdict == "refuted"


# bounds


@pytest.mark.parametrize(
    ("part", "one", "two", "above"),
    [
        (A, ("2", "2"), ("3", "6"), False),  # (x − 2)(x − 3) between
        (A, ("2", "1"), ("3", "5"), True),
        (A, ("2", "7/4"), ("3", "23/4"), True),  # (x − 5/2)²
        (A, ("2", "44/25"), ("3", "144/25"), False),
        (A, ("3", "0"), ("4", "12"), True),  # least at an end: level before it
        (A, ("3", "0"), ("4", "121/10"), False),
        (A, ("2", "21/10"), ("3", "0"), False),
        (ONE, ("2", "1"), ("3", "2"), True),
        (ONE, ("2", "1"), ("3", "21/10"), False),
        (ONE, ("2", "11/10"), ("3", "2"), False),
        (4 - A, ("2", "2"), ("3", "2"), True),  # (x − 1)(4 − x) is above between
        (A - HALF, ("1", "0"), ("2", "1"), True),  # (x − 1)(x − 1/2) − (x − 1) = (x − 1)(x − 3/2): below
        (INFINITY, ("2", "99"), ("3", "99"), True),
        (3 - 1 / A, ("2", "1"), ("3", "5"), True),  # 5/2 from 2 on: 5/(3 − 1)
        (3 - 1 / A, ("2", "1"), ("3", "51/10"), False),
        (3 - 1 / A, ("2", "-9"), ("3", "-1"), True),
        (-1 / A, ("2", "-9"), ("3", "-1"), False),
    ],
)
def test_bounds_above_chords(part: Term, one: tuple[str, str], two: tuple[str, str], above: bool) -> None:
    """(α − 1) times the bound against the line between two points."""
    (a, y), (b, z) = ((F(x), F(value)) for x, value in (one, two))
    if part == A - HALF:
        above = False
    assert orders._is_above_chord(part, (a, y), (b, z)) is above


@pytest.mark.parametrize(
    ("part", "number", "domain", "holds"),
    [
        (A, "2", Domain(F(2)), True),
        (A, "201/100", Domain(F(2)), False),
        (5 - A, "-99", Domain(F(2)), False),  # falls without an end
        (5 - A, "2", Domain(F(2), greatest=F(3)), True),
        (5 - A, "21/10", Domain(F(2), greatest=F(3)), False),
        (ONE, "1", Domain(F(2)), True),
        (INFINITY, "99", Domain(F(2)), True),
        (A * A, "4", Domain(F(2)), True),
        (A * A, "5", Domain(F(2)), False),
        (1 / A, "0", Domain(F(2)), True),
    ],
)
def test_bounds_at_least_a_number(part: Term, number: str, domain: Domain, holds: bool) -> None:
    assert orders._is_at_least(part, F(number), domain) is holds


def test_lines_of_bounds() -> None:
    assert orders._line(3 * A + 2) == (3, 2) and orders._line(number(7)) == (0, 7)
    assert orders._line(A * A) is orders._line(1 / A) is orders._line(E * A) is None
    found = orders._line(log(number(2)) * A)
    assert (
        found is not None and found[1] == 0 and found[0] < F(693147180560, 10**12) < found[0] + F(1, 10**11)
    )


def test_bounds_by_hand() -> None:
    """D_α of (1/2, 1/2) and (1/4, 3/4): log(4/3) at α = 2; log(28/27·…) … and log(2) < 7/10 at most."""
    P, Q = [HALF, HALF], [QUARTER, F(3, 4)]
    assert Bound((number(F(7, 10)),), Orders.read("(1, oo)")).broken(P, Q) is None
    found = Bound((number(F(1, 2)),), Orders.read("(1, oo)")).broken(P, Q)
    assert found is not None and found[0] > 2
    exactly = log(number(F(4, 3)))
    assert Bound((exactly,), Orders.read("2")).broken(P, Q) is None
    assert Bound((exactly - F(1, 10**9),), Orders.read("2")).broken(P, Q) == (2, {})
    assert Bound((exactly + 1, exactly - F(1, 10**9)), Orders.read("2")).broken(P, Q) == (2, {})
    assert Bound((exactly + F(1, 10**3),), Orders.read("(1, 2]")).broken(P, Q) is None
    over = Bound((exactly - F(1, 100),), Orders.read("(1, 2]")).broken(P, Q)
    assert over is not None and 1 < over[0] <= 2
    impossible = [F(0), F(1)]
    for text, order in (("(1, oo)", 2), ("(1, 2]", F(3, 2)), ("3", 3)):
        assert Bound((number(99),), Orders.read(text)).broken(P, impossible) == (order, {})
        assert Bound((INFINITY,), Orders.read(text)).broken(P, impossible) is None
    assert Bound.of(least(E, ONE), ALL).parts == (E, ONE) or Bound.of(least(E, ONE), ALL).parts == (ONE, E)
    assert Bound.of(E + 1, ALL).parts == (E + 1,)


def test_bounds_of_truncated_zcdp() -> None:
    for tau in (letter("t", UP_TO_1), ONE, number(2), number(-1)):
        with pytest.raises(NotDecided, match="rational omega"):
            orders.of_multiples_up_to({"rho": ONE, "tau": tau}, None)
    assert orders.of_multiples_up_to({"rho": ONE, "tau": ZERO}, None) == Bound((A,), ALL)
    with pytest.raises(NotDecided, match="orders"):
        orders.of_divergences({"epsilon": ONE}, None)


def test_bounds_with_parameters_are_compared_at_one_order() -> None:
    P, Q = (
        [entries.read(term(entry)) for entry in row]
        for row in (["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"], ["1/(1 + exp(e))", "exp(e)/(1 + exp(e))"])
    )
    assert Bound((2 * E,), Orders.read("2")).broken(P, Q) is None
    assert Bound((E / 9,), Orders.read("2")).broken(P, Q) is not None
    with pytest.raises(NotDecided, match="without parameters"):
        Bound((A,), ALL).broken(P, Q)
    with pytest.raises(NotDecided, match="depends on the parameters"):
        Bound((E,), Orders.read("5/2")).broken(P, Q)


# entries


@pytest.mark.parametrize(
    ("text", "value"),
    [("2/4", "1/2"), ("(1/2)**3", "1/8"), ("2**(-3)", "1/8"), ("1/3 + 1/6", "1/2"), ("2/3*3/4", "1/2")],
)
def test_entries_that_are_numbers(text: str, value: str) -> None:
    assert entries.read(term(text)) == F(value)


def test_entries_that_are_not_read() -> None:
    for text in ("e", "sqrt(2)", "log(2)", "exp(1/x)", "exp(sqrt(e))", "max(1, exp(e))"):
        with pytest.raises(NotExponential, match="computed exactly"):
            entries.read(term(text))
    for text in ("1/(1 - exp(e))", "1/(exp(x) - 1)"):
        with pytest.raises(NotExponential, match="positive"):
            entries.read(term(text))
    assert entries.is_polynomial(term("2*e*x + 1/e")) and not entries.is_polynomial(term("1/x"))
    assert not entries.is_polynomial(term("sqrt(e)")) and ALPHA == "alpha"


# how much a promise is broken


def near(found: Any, value: str) -> bool:
    return (
        found is not None and abs(found.low - F(value)) < F(1, 10**6) and found.high - found.low < F(1, 10**6)
    )


def test_how_much_a_promise_is_broken() -> None:
    """P = 2/3 and Q = 1/6 of the event: log 4, 2/3 − e^(1/2)/6, and Φ(Φ⁻¹(1/6) + 1) = 0.51295…"""
    P, Q, event = [F(2, 3), THIRD], [F(1, 6), F(5, 6)], promises.Broken((0,), "")
    half = {"epsilon": number(HALF), "delta": number(F(1, 10)), "mu": ONE}
    words, limit, there = promises.measured("pure", P, Q, half, event) or ("", None, None)
    assert words == "loss" and near(limit, "0.5") and near(there, "1.3862944")
    words, limit, there = promises.measured("approximate", P, Q, half, event) or ("", None, None)
    assert words == "delta" and near(limit, "0.1") and near(there, "0.3918797")
    words, limit, there = promises.measured("gaussian", P, Q, half, event) or ("", None, None)
    assert words == "probability of an event" and near(limit, "0.5129946") and near(there, "0.6666667")
    never = [F(0), F(1)]
    found = promises.measured("pure", P, never, half, event)
    assert (
        found is not None
        and found[2] is None
        and promises.measured("gaussian", P, never, half, event) is None
    )
    for notion, broken in (("pure", promises.Broken((), "")), ("zcdp", event)):
        assert promises.measured(notion, P, Q, {"rho": ONE, **half}, broken) is None
    order = promises.Broken((), "", {}, F(2))
    words, limit, there = promises.measured("zcdp", P, Q, {"rho": number(F(1, 4))}, order) or ("", None, None)
    assert words == "divergence of order 2" and near(limit, "0.5") and near(there, "1.0296194")  # log(14/5)
    assert (promises.measured("zcdp", P, never, {"rho": ONE}, order) or (0, 0, 0))[2] is None
