"""Deciders at their edges, by hand: what is just false is not accepted, and what cannot be read is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest
from kernel.deciders.test_tables import check, table, term

from dpcompose.kernel import infinity, written_out
from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumption, NotAssumed
from dpcompose.kernel.core.classes import Points
from dpcompose.kernel.core.orders import Curve as OfDivergences
from dpcompose.kernel.core.orders import NotThere, Orders
from dpcompose.kernel.covers.blocks import by_cell, fewest_blocks
from dpcompose.kernel.deciders.calculus import coordinates, elementary, steps
from dpcompose.kernel.deciders.curves import below_normal, equalities
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.deciders.tables import divergences, entries, promises
from dpcompose.kernel.deciders.tables import orders as table_orders
from dpcompose.kernel.expressions import metrics, polynomials, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import read, write
from dpcompose.kernel.expressions.formulas import evaluate
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, letter, number
from dpcompose.kernel.library.theory import Theory

F = Fraction


@pytest.mark.parametrize(
    ("epsilon", "rho", "holds"),
    [
        ("1/2", "0.1225", True),  # 1/2·tanh(1/4) = 0.12245
        ("1/2", "0.1224", False),
        ("2", "1.5232", True),  # 2·tanh(1) = 1.523188
        ("2", "1.5231", False),
        ("e", "e**2/2", True),  # e·tanh(e/2), which is e²/2 for small e
        ("e", "e**2/3", False),
    ],
)
def test_zcdp_of_randomized_response(epsilon: str, rho: str, holds: bool) -> None:
    row = [f"exp({epsilon})/(1 + exp({epsilon}))", f"1/(1 + exp({epsilon}))"]
    found = check(table({0: row, 1: row[::-1]}), "zcdp", rho)
    assert found.verdict == ("proved" if holds else "refuted")
    assert promises._shows_zcdp(entries.read(term(f"exp({epsilon})")), term(rho)) is holds


@pytest.mark.parametrize(
    ("delta", "verdict"), [("1", "proved"), ("(exp(x) - 1)/(exp(x) + 1)", "refuted"), ("0", "refuted")]
)
def test_an_outcome_may_be_in_the_worst_event_for_some_parameters(delta: str, verdict: str) -> None:
    """A coin whose heads are the more likely ones for x > 0 only."""
    row = ["exp(x)/(1 + exp(x))", "1/(1 + exp(x))"]
    assert check(table({0: row, 1: row[::-1]}), "approximate", 0, delta).verdict == verdict
    P, Q = ([entries.read(term(entry)) for entry in side] for side in (row, row[::-1]))
    assert [found.event for found in divergences.excesses(P, Q, F(1))] == [(), (0,), (1,), (0, 1)]


def test_the_middle_of_laplace_noise_is_written_out_up_to_its_ends() -> None:
    """Beyond a no loss is: the least delta is 0, and the formula has something."""
    for epsilon in (F(-1), F(0), F(1, 2), F(1), F(5, 4), F(-5, 4)):
        root = ONE - terms.exp(number((epsilon - 1) / 2))
        delta = root * root / (ONE - terms.exp(-ONE))
        assert equalities._is_of_middle(ONE, number(epsilon), delta) is (abs(epsilon) <= 1)


def test_an_interval_of_losses_at_0() -> None:
    """(1 − e^(−w/2))²/(1 − e^−w) = tanh(w/4)."""
    found = enclosure(written_out._of_interval(number(4), ZERO, ()), 64)
    assert F(761594155, 10**9) < found.low <= found.high < F(761594156, 10**9)
    assert written_out._of_interval(number(4), number(4), ()) == ZERO
    with pytest.raises(NoLoss):
        written_out._of_interval(number(4), number(5), ())


@pytest.mark.parametrize(("deltas", "all_in_all"), [((F(1, 3),), F(1, 3)), ((F(1, 3), F(1, 2)), F(2, 3))])
def test_what_is_lost_without_a_limit_adds_up_like_a_probability(
    deltas: tuple[Fraction, ...], all_in_all: Fraction
) -> None:
    """1 − Π(1 − δ), of several guarantees of each, and of one besides."""
    three = terms.log(number(3))
    each = tuple(Together(((three, number(d)), (ZERO, number(F(9, 10))))) for d in deltas)
    tiny = F(1, 10**15)
    assert abs(Curve((), together=each).without_limit(64) - all_in_all) < tiny
    more = Curve((Part(ONE, number(F(1, 2))),), together=each).without_limit(64)
    assert abs(more - (1 + all_in_all) / 2) < tiny


def test_an_open_end_is_one_of_a_distance_too() -> None:
    """x − 1 for x > 1, and for x ≥ 2: what is above 0, and at least 1."""

    def far(domain: Domain, rest: int, strictly: bool = False) -> Domain:
        return assumptions._distances(domain, F(1), read(number(rest)), strictly, False)

    assert far(Domain(F(1), True), -1) == Domain(F(0), True)
    assert far(Domain(F(1)), -1) == Domain(F(0)) and far(Domain(F(2)), -1) == Domain(F(1))
    assert far(Domain(F(0)), -1) == Domain(F(0)) and far(Domain(F(1)), -1, True) == Domain(F(0), True)
    turned = assumptions._distances(Domain(F(0), False, F(1), True), F(-1), read(ONE), False, False)
    assert turned == Domain(F(0), True, F(1))


def test_a_point_has_a_value_for_each_letter_that_is_assumed() -> None:
    e, f = letter("e"), letter("f")
    with pytest.raises(NotAssumed, match="no value for f"):
        assumptions.check_at((Assumption(e, "<=", f),), {"e": F(1)})


@pytest.mark.parametrize("text", ["1e3", "3_0", "+2", "2 0/0", "-2", "1", "(1, 8", "[2, 1]"])
def test_what_is_no_order_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="orders"):
        Orders.read(text)


@pytest.mark.parametrize("factors", [(("x", 1, "+"), ("x", 1, "?")), (("x", 2, "+"), ("x", 0, "+"))])
def test_factors_have_signs_and_exponents(factors: tuple[tuple[str, int, str], ...]) -> None:
    """x², of which another sign, or an exponent 0, says nothing."""
    x = elementary.parameter("x")
    read_ = tuple((elementary.parameter(name), n, sign) for name, n, sign in factors)
    with pytest.raises(BadCertificate, match="cannot be read"):
        steps._factors(x * x, {"x": Domain(F(0), True)}, F(1), read_)


@pytest.mark.parametrize(
    "blocks",
    [
        [{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 1}],
        [{1, 2, 3}, {3, 4, 5}, {5, 6, 1}, {2, 4, 6}],
        [{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 5}, {2, 6}, {3, 7}, {4, 8}],
        [{1, 2}, {3, 4}, {1, 3}, {2, 4}, {5, 1}, {5, 2}, {5, 3}],
    ],
)
def test_the_fewest_blocks_of_all(blocks: list[set[int]]) -> None:
    every = [frozenset(block) for block in blocks]
    cells = sorted(frozenset().union(*every))
    for n in range(1, len(cells) + 1):
        for wanted in map(frozenset, combinations(cells, n)):
            fewest = next(
                m
                for m in range(1, len(every) + 1)
                if any(wanted <= frozenset().union(*some) for some in combinations(every, m))
            )
            assert fewest_blocks(by_cell(every), wanted) == fewest


def test_a_maximum_of_sums_is_a_sum_of_the_largest() -> None:
    """s + the two largest of x, y, z, and no more: 7 + 3 + 2 at 1, 2, 3."""
    x, y, z, s = map(letter, "xyzs")
    form = read(terms.largest(s + x + y, s + x + z, s + y + z))
    at = {"x": F(1), "y": F(2), "z": F(3), "s": F(7)}
    assert evaluate(write(form), at) == 12
    sums = polynomials._as_sums([read(s + x + y), read(s + x + z), read(s + y + z)])
    assert sums is not None and evaluate(write(sums), at) == 12


def test_a_disc_has_half_its_diameter_on_either_side() -> None:
    disc = Points(("x", "y"), ((None, None), (None, None)), number(3))
    assert [*coordinates.intervals([disc])] == [(name, (number(F(-3, 2)), number(F(3, 2)))) for name in "xy"]


def mechanisms(*counts: Term | None) -> Any:
    return SimpleNamespace(mechanisms=[SimpleNamespace(count=count, partition="P") for count in counts])


def test_a_family_loses_what_its_largest_member_does() -> None:
    """Beside one mechanism, which of them is the family is told by its own place."""
    k, e, d = letter("k", Domain.read("integer >= 1")), letter("e"), letter("d[i]")
    moves: Any = ((1, ((1, ONE),)), (2, ((1, ONE),)))
    some = [*losses.summands(moves, mechanisms(None, k), lambda i, _: e if i == 1 else d)]
    assert some == [e, terms.over(1, d, k)]
    some = [*losses.summands(moves, mechanisms(k, None), lambda i, _: d if i == 1 else e)]
    assert sorted(map(repr, some)) == sorted(map(repr, [terms.over(1, d, k), e]))


def test_lemmas_of_lemmas_are_told_once() -> None:
    """a rests on b, b on c and a; d is about another notion."""

    def page(*ids: str, notions: tuple[str, ...] = ()) -> Any:
        return SimpleNamespace(head=SimpleNamespace(rests_on=ids, notions=notions, kind="lemma"))

    pages = {"a": page("b", "d"), "b": page("c", "b"), "c": page("b"), "d": page(notions=("zcdp",))}
    theory = Theory(pages)
    assert theory.lemmas(["a"], "pure") == {"b", "c"} and theory.lemmas(["a"], "zcdp") == {"b", "c", "d"}


@pytest.mark.parametrize(("limit", "below"), [("5", True), ("59/10", True), ("61/10", False), ("9", False)])
def test_far_out_a_curve_is_below_that_of_less_noise(
    limit: str, below: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """μ² = 4 in all, of 4: (8 − T)/2 − 1 ≥ 8/4 − 2 from ε = 8 on where T ≤ 6."""
    monkeypatch.setattr(below_normal, "above", lambda *_: F(0))
    monkeypatch.setattr(below_normal, "square_of", lambda _: number(4))
    curve = Curve((), Normal(number(4), ZERO))
    assert below_normal._is_below_far_out(curve, F(4), number(8), number(F(limit)), 64) is below
    assert not below_normal._is_below_far_out(curve, F(1), number(8), number(F(limit)), 64)
    with_zcdp = Curve((), Normal(number(4), ONE))
    assert not below_normal._is_below_far_out(with_zcdp, F(4), number(8), number(5), 64)


def test_nothing_equals_what_has_no_known_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a loss is above ε is asked of each of them."""
    half = Part(terms.log(number(3)), ZERO)
    assert equalities.is_least(Curve((half,)), ZERO, number(F(1, 2)))
    monkeypatch.setattr(equalities, "sign", lambda _: None)
    assert not equalities.is_least(Curve((half,)), ZERO, number(F(1, 2)))


@pytest.mark.parametrize("ratio", ["2*exp(e)", "exp(e) + 1", "(exp(e) + 1)/2"])
def test_a_ratio_that_is_no_power_of_e_shows_no_zcdp(ratio: str) -> None:
    assert not promises._shows_zcdp(entries.read(term(ratio)), term("e**2/1000"))


def test_of_truncated_zcdp_the_orders_end_where_it_says() -> None:
    """ω = 4: below 4, and not from 4 on."""
    values: Any = {"rho": number(3), "tau": number(F(1, 4))}
    bound = table_orders.of_multiples_up_to(values, None)
    assert bound.orders == Orders.read("(1, 4)") and bound.parts == (number(3) * bound.orders.order,)


def test_divergences_of_some_orders_say_nothing_of_lower_ones() -> None:
    """Two steps need all orders from 1 on."""
    from_1, from_2 = Orders.read("(1, oo)"), Orders.read("(2, oo)")
    assert OfDivergences(from_1, 3 * from_1.order).at(from_1, number(2)) == 12 * from_1.order
    with pytest.raises(NotThere):
        OfDivergences(from_2, 3 * from_2.order).at(from_2, number(2))


def test_signs_of_infinite_factors() -> None:
    """−∞ twice is ∞; three times it is −∞, of which nothing is said."""
    far = {f"d__{name}": INFINITY for name in "abc"}
    a, b, c = (-metrics.letter(name) - 1 for name in far)
    assert infinity.at(a * b, far) == infinity.at(2 * a * b, far) == INFINITY
    assert infinity.at(-a, far) == infinity.at(-2 * a * b * c, far) == INFINITY
    for below in (a, a * b * c, -a * b):
        with pytest.raises(infinity.NoValue):
            infinity.at(below, far)
