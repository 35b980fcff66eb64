"""For which orders a curve of divergences says something further away: ends that belong to it, and that do not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcompose.kernel.core.orders import Curve, NotThere, Orders
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import enclosure

R = terms.letter("r")


def curve(orders: str) -> Curve:
    """r times alpha, for some orders."""
    found = Orders.read(orders)
    return Curve(found, R * found.order)


@pytest.mark.parametrize(
    ("known", "asked", "by_multiples"),
    [
        ("(1, 8]", "(1, 4]", True),
        ("(1, 8]", "(1, 4)", True),
        ("(1, 8)", "(1, 4)", True),
        ("(1, 8)", "(1, 4]", False),  # 8 itself is needed, and nothing is said of it
        ("(1, 8)", "(1, 7/2]", True),
        ("(1, 8]", "(1, 9/2)", False),
        ("(1, oo)", "(1, 9)", True),
    ],
)
def test_twice_the_orders_at_distance_2(known: str, asked: str, by_multiples: bool) -> None:
    """Multiples of alpha give four times as much where all of (1, 2a] is known; else the other formula does."""
    orders = Orders.read(asked)
    try:
        found = curve(known).at(orders, terms.number(2))
    except NotThere:
        assert not by_multiples
        return
    assert (found == 4 * R * orders.order) == by_multiples


@pytest.mark.parametrize(
    ("known", "asked", "said"),
    [
        ("(1, 8]", "(1, 8]", True),
        ("(1, 8)", "(1, 8)", True),
        ("(1, 8)", "(1, 8]", False),
        ("(1, 8]", "(1, 8)", True),
    ],
)
def test_the_same_orders_at_distance_1(known: str, asked: str, said: bool) -> None:
    orders = Orders.read(asked)
    if said:
        assert curve(known).at(orders) == R * orders.order
    else:
        with pytest.raises(NotThere, match="nothing is said of all orders"):
            curve(known).at(orders)


@pytest.mark.parametrize(("known", "asked", "said"), [("(1, 2]", "(1, 4/3]", True), ("(1, 2)", "(1, 4/3]", False), ("(1, 2)", "(1, 4/3)", True), ("(1, 2]", "(1, 3/2)", False)])  # fmt: skip
def test_orders_that_are_just_needed_at_distance_2(known: str, asked: str, said: bool) -> None:
    """A = 1/(1 - (1 - 1/a)^(1/2)) is 2 for a = 4/3: where nothing is a multiple of alpha, 2 has to be known."""
    found = Orders.read(known)
    constant = Curve(found, R)
    if said:
        assert constant.at(Orders.read(asked), terms.number(2))
    else:
        with pytest.raises(NotThere, match="nothing is known of all orders"):
            constant.at(Orders.read(asked), terms.number(2))


@pytest.mark.parametrize("text", ["[3, 2]", "(3, 2)", "(2, 2)", "(2, 2]", "[2, 2)"])
def test_orders_between_which_no_number_lies(text: str) -> None:
    with pytest.raises(ValueError, match="are no orders: no number lies there"):
        Orders.read(text)


def test_one_order_as_an_interval() -> None:
    assert Orders.read("[2, 2]").only == 2


def test_what_is_needed_two_steps_further_by_hand() -> None:
    """Of one order 8: 7*((8/7)^2 - 1) = 15/7 times as much; of all from 1 on that of order A = 2 + sqrt(2) is needed
    for order 2, and counts A - 1 times."""
    two, order = terms.number(2), Orders.read("2")
    single = Curve(Orders.read("8"), R)
    assert single.at(order, two) == R * terms.number(Fraction(15, 7))
    several = Curve(Orders.read("(1, 9]"), R)
    found = enclosure(several.at(order, two) / R, 64)
    root = enclosure(terms.sqrt(two), 64)
    assert abs(found.low - root.low - 1) < Fraction(1, 10**15)
