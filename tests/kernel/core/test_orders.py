"""For which orders a curve of divergences says something further away: ends that belong to it, and that do not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.core.orders import Curve, NotThere, Orders, reciprocal
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
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


ORDERS = [
    # as written, as shown; the least and the greatest, and whether these do not belong to them
    ("(1, oo)", "(1, oo)", (1, None), (True, False)),
    ("[2,oo)", "[2, oo)", (2, None), (False, False)),
    ("(1, 8]", "(1, 8]", (1, 8), (True, False)),
    ("[1.5, 8)", "[3/2, 8)", (Fraction(3, 2), 8), (False, True)),
    ("3/2", "3/2", (Fraction(3, 2), Fraction(3, 2)), (False, False)),
    (" 2.5 ", "5/2", (Fraction(5, 2), Fraction(5, 2)), (False, False)),
]


@pytest.mark.parametrize(("text", "shown", "ends", "open_ends"), ORDERS)
def test_orders_are_read(text: str, shown: str, ends: Any, open_ends: Any) -> None:
    found = Orders.read(text)
    domain = found.domain
    assert str(found) == shown and Orders.read(shown) == found
    assert (domain.least, domain.greatest) == ends
    assert (domain.open_least, domain.open_greatest) == open_ends
    assert found.all == (text == "(1, oo)")
    alone = ends[0] == ends[1]
    assert found.only == (ends[0] if alone else None) and found.letters == (
        {} if alone else {"alpha": domain}
    )
    assert found.order == (terms.number(ends[0]) if alone else terms.letter("alpha", domain))


DIGITS = "1" * 60


@pytest.mark.parametrize(
    "text",
    [
        *[
            "",
            "x",
            "1",
            "1/2",
            "[1, 2]",
            "(0, 2]",
            "(1/2, oo)",
            "(1, oo]",
            "(1 2)",
            "(1, 2",
            "1, 2]",
            "2/0",
            "(1, 2/0)",
            "-2",
            "oo",
            "(1, -2)",
            "2.",
            ".5",
        ],
        *(f"{DIGITS}1", f"2.{DIGITS}1", f"(1, {DIGITS}1]", "((1, 2)", "2 3x"),
    ],
)
def test_what_are_no_orders(text: str) -> None:
    with pytest.raises(ValueError, match="are no orders"):
        Orders.read(text)
    assert Orders.read(DIGITS).only == int(DIGITS) and Orders.read("(1, 1.1]").domain.greatest == Fraction(
        11, 10
    )


@pytest.mark.parametrize(
    ("some", "others", "within"),
    [
        ("(1, 8]", "(1, 8]", True),
        ("(1, 8)", "(1, 8]", True),
        ("(1, 8]", "(1, 8)", False),
        ("(1, 8)", "(1, 8)", True),
        ("(1, 7]", "(1, 8)", True),
        ("(1, 9)", "(1, 8]", False),
        ("(1, oo)", "(1, 8]", False),
        ("(1, 8]", "(1, oo)", True),
        ("(1, oo)", "(1, oo)", True),
        ("[2, 8]", "(2, 8]", False),
        ("(2, 8]", "[2, 8]", True),
        ("(2, 8]", "(2, 8]", True),
        ("[2, 8]", "[2, 8]", True),
        ("[2, 8]", "(1, 8]", True),
        ("(1, 8]", "[2, 8]", False),
        ("2", "[2, 8]", True),
        ("2", "(2, 8]", False),
        ("8", "(1, 8)", False),
        ("8", "8", True),
        ("7", "8", False),
    ],
)
def test_orders_that_are_among_others(some: str, others: str, within: bool) -> None:
    assert Orders.read(some).within(Orders.read(others)) is within


def said(orders: str, value: str) -> Curve:
    """A curve by a formula in alpha, or in the number of the one order, and r."""
    known = Orders.read(orders)
    return Curve(known, formulas.parse(value, {"alpha": known.order, "r": R}))


@pytest.mark.parametrize(
    ("curve", "asked", "value"),
    [
        # what is said of one order holds at all smaller ones
        (said("8", "r"), "8", "r"),
        (said("8", "r"), "2", "r"),
        (said("8", "r"), "(1, 8]", "r"),
        (said("8", "r"), "(1, 9]", None),
        (said("8", "r"), "(1, oo)", None),
        (said("[8, oo)", "r*alpha"), "(1, 8]", "8*r"),
        (said("(8, oo)", "r*alpha"), "8", None),
        (said("(8, oo)", "r*alpha"), "9", "9*r"),
        (said("(1, 8]", "r*alpha"), "9", None),
        (said("[2, 8]", "r*alpha + 1"), "2", "2*r + 1"),
        (said("[2, 8]", "r*alpha + 1"), "3/2", "2*r + 1"),
        (said("[2, 8]", "r*alpha + 1"), "5", "5*r + 1"),
        (said("(1, oo)", "oo"), "2", "oo"),
    ],
)
def test_what_a_curve_says_of_neighbours(curve: Curve, asked: str, value: str | None) -> None:
    orders = Orders.read(asked)
    if value is None:
        with pytest.raises(NotThere, match="nothing is said of all orders"):
            curve.at(orders)
        return
    assert curve.at(orders) == formulas.parse(value, {"r": R, "alpha": orders.order})
    assert curve.at(orders, terms.ZERO) == terms.ZERO and curve.at(orders, terms.INFINITY) == terms.INFINITY


@pytest.mark.parametrize(
    ("curve", "asked", "r", "value"),
    [
        # a bound for all orders up to oo is one of the largest loss, which adds up
        (said("(1, oo)", "r"), "2", "3", "3*r"),
        (said("[5, oo)", "r"), "2", "3/2", "3/2*r"),
        (said("(1, oo)", "r*alpha"), "2", "3/2", "9/2*r"),
        (said("(1, oo)", "r*alpha"), "2", "k", "2*k**2*r"),
        (said("(1, 6]", "r*alpha"), "2", "3", "18*r"),
        (said("(1, 6)", "r*alpha"), "2", "3/2", "9/2*r"),
        (said("(1, 6]", "r*alpha"), "2", "k", None),
        (said("(1, 6]", "r*alpha"), "(1, oo)", "2", None),
        (said("[2, oo)", "r*alpha"), "2", "3/2", None),
        (said("(1, oo)", "r*alpha**2"), "2", "3/2", None),
        # (B - 1)*((B/(B - 1))**r - 1) = 5*(36/25 - 1) = 11/5 at one order B = 6
        (said("6", "r"), "2", "2", "11/5*r"),
        (said("6", "r"), "36/11", "2", "11/5*r"),
        (said("6", "r"), "37/11", "2", None),  # 1/(1 - (5/6)**2) = 36/11
        (said("[6, 7]", "r"), "2", "2", None),  # less than 6 may be needed
        # A = 1/(1 - (1 - 16/25)**(1/2)) = 5/2 for 25/16, and (A - 1)/(25/16 - 1) = 8/3
        (said("(1, 3]", "r*alpha**2"), "25/16", "2", "50/3*r"),
        (said("(1, 5/2]", "r*alpha**2"), "25/16", "2", "50/3*r"),
        (said("(1, 5/2)", "r*alpha**2"), "25/16", "2", None),
        (said("(1, 5/2)", "r"), "(1, 25/16)", "2", "A"),
    ],
)
def test_what_a_curve_says_further_away(curve: Curve, asked: str, r: str, value: str | None) -> None:
    orders, letters = Orders.read(asked), {"k": terms.letter("k", Domain.read("integer >= 1")), "r": R}
    far = formulas.parse(r, letters)
    if value is None:
        with pytest.raises(NotThere):
            curve.at(orders, far)
    elif value == "A":
        assert curve.at(orders, far).letters.keys() == {"r", "alpha"}
    else:
        assert substitution.expanded(curve.at(orders, far)) == formulas.parse(value, letters)


def test_a_curve_is_promised_where_it_is_seen_to_be_at_least_0() -> None:
    """A value that is too close to 0 to tell its sign may be below 0, and then no mechanism has it."""
    for value, seen in (("r*alpha", True), ("0", True), ("oo", True), ("(r - 1)*alpha", False)):
        assert said("(1, oo)", value).nonnegative_at({"r": Fraction(0), "alpha": Fraction(2)}) is seen
    assert said("(1, oo)", "(r - 1)*alpha").nonnegative_at({"r": Fraction(1)})
    assert said("(1, oo)", "(r - 1)*alpha").nonnegative_at({"r": Fraction(2)})
    assert not said("(1, oo)", "(r - 1)*alpha").nonnegative_at({})
    assert not said("(1, oo)", "r*alpha - 1").nonnegative_at({"r": Fraction(9)})
    close = said("(1, oo)", "(sqrt(2) + sqrt(r) - sqrt(5 + 2*sqrt(6)))*alpha")
    assert not close.nonnegative_at({"r": Fraction(3)}) and close.nonnegative_at({"r": Fraction(4)})


def test_the_slope_that_a_curve_says_or_lies_above() -> None:
    """Of one value for all orders up to 8, or of order 8 alone, an eighth; of more than a multiple none."""
    for curve, slope, below in (
        (said("(1, oo)", "r*alpha"), "r", "r"),
        (said("(1, 8]", "r*alpha"), "r", "r"),
        (said("(1, 8]", "r"), None, "r/8"),
        (said("8", "2*r"), "r/4", "r/4"),
        (said("(1, oo)", "r"), None, None),
        (said("(1, 8]", "r*alpha + 1"), None, None),
    ):
        found = [curve.slope, curve.slope_below]
        assert found == [None if one is None else formulas.parse(one, {"r": R}) for one in (slope, below)]


def test_one_over_a_term() -> None:
    letters = {
        "v": terms.letter("v", Domain.read("positive")),
        "w": terms.letter("w", Domain.read("positive")),
    }
    for text, value in (
        ("oo", "0"),
        ("0", "oo"),
        ("2", "1/2"),
        ("max(v, w)", "min(1/v, 1/w)"),
        ("min(v, w)", "max(1/v, 1/w)"),
        ("max(0, v)", "1/v"),
        ("v*w", "1/(v*w)"),
    ):
        assert reciprocal(formulas.parse(text, letters)) == formulas.parse(value, letters)


@pytest.mark.parametrize(
    ("orders", "which", "last"),
    [
        ("(1, oo)", {"all", "large"}, None),
        ("(2, oo)", {"large"}, None),
        ("(1, 8]", {"first"}, 8),
        ("(1, 8)", {"first"}, 8),
        ("[2, 8]", set(), 8),
        ("2", set(), 2),
    ],
)
def test_which_orders_these_are(orders: str, which: set[str], last: int | None) -> None:
    read = Orders.read(orders)
    assert {word for word in ("all", "large", "first") if read.are(word)} == which and read.last == last
