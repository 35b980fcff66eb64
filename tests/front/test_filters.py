"""Filters that account as one goes, over parts: what they let pass keeps the total, whatever is asked."""

from __future__ import annotations

from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front.studies import filters
from dpcompose.front.studies.filters import WHOLE, Filter, Stopped

ON = dpc.multisets({"a", "b", "n"}, size="<= 2")
PARTS = {name: dpc.restriction([name]) for name in ("a", "b")}
SETTINGS: dict[str, dict[str, Any]] = {
    "own budgets": {"target": dpc.unbounded, "domain": "own"},
    "shared": {"target": dpc.bounded, "domain": "common"},
    "in steps": {"target": dpc.bounded, "stated": dpc.unbounded, "domain": "own"},
}


def over_parts(setting: str, total: Any) -> Filter:
    return dpc.filter(total, PARTS, on=ON, **SETTINGS[setting])


def answered(F: Filter, *asked: tuple[Any, str]) -> list[bool]:
    found = []
    for question, of in asked:
        kept = F.keeps(question, of)
        try:
            F.ask(question, of)
            assert kept
        except Stopped:
            assert not kept
        found.append(kept)
    return found


@pytest.mark.parametrize(
    ("setting", "kept"),
    [("own budgets", [True, True, True, False]), ("shared", [True, False, False, True])],
)
def test_parts_have_budgets_of_their_own_or_share_one(setting: str, kept: list[bool]) -> None:
    """Add/remove touches one part, and each has 1; a replacement touches both: 3/4 + 1/2 > 1, 3/4 + 1/4 = 1."""
    F = over_parts(setting, dpc.pure(1))
    asked = [("3/4", "a"), ("3/4", "b"), ("1/4" if setting == "own budgets" else "1/2", "b"), ("1/4", "b")]
    assert answered(F, *((dpc.pure(e), of) for e, of in asked)) == kept
    assert F.left("b") is None


def test_a_record_of_no_part_counts_once() -> None:
    """A record of a becomes another of a: two steps of add/remove, but D|{a} is the same: (1, 1) and (1, 0)."""
    F = over_parts("in steps", dpc.pure(1))
    F.ask(dpc.pure("1/2"), "a")
    F.ask(dpc.pure("1/2"), "b")
    assert not F.keeps(dpc.pure("1/100"), "a")


@pytest.mark.parametrize(
    ("total", "first", "second", "third"),
    [
        (dpc.zcdp("1/2"), dpc.zcdp("1/4"), dpc.zcdp("1/4"), dpc.zcdp("1/1000")),
        (dpc.gaussian(5), dpc.gaussian(3), dpc.gaussian(4), dpc.gaussian("1/1000")),
        (dpc.gaussian("sqrt(2)"), dpc.gaussian(1), dpc.gaussian(1), dpc.gaussian("1/1000")),
        (dpc.approximate(1, "1e-6"), *(dpc.approximate("1/2", "5e-7"),) * 2, dpc.approximate(0, "1e-9")),
        (dpc.approximate(1, "1e-6"), *(dpc.approximate("1/2", "1e-8"),) * 2, dpc.approximate("1e-9", 0)),
        (dpc.pure("log(3)"), dpc.pure("log(2)"), dpc.pure("log(3/2)"), dpc.pure("1/1000")),
        (
            dpc.approximate("log(4)", "1/10"),
            *(dpc.approximate("log(2)", "1/20"),) * 2,
            dpc.approximate("1e-9", 0),
        ),
    ],
)
def test_the_total_is_reached_exactly(total: Any, first: Any, second: Any, third: Any) -> None:
    F = dpc.filter(total)
    F.ask(first)
    F.ask(second)
    with pytest.raises(Stopped, match="of the database is not answered: with it"):
        F.ask(third)
    assert set(F.spent) == {WHOLE}


def test_optimal_composition_is_no_filter() -> None:
    """Ten answers of (1/10, 0) are (0.7, δ)-DP together with a δ below 1/10 where they are fixed in advance; a
    filter adds up."""
    F = dpc.filter(dpc.approximate("7/10", "1/10"))
    for _ in range(7):
        F.ask(dpc.approximate("1/10", 0))
    with pytest.raises(Stopped, match="with it epsilon would be 4/5"):
        F.ask(dpc.approximate("1/10", 0))


def test_what_is_told() -> None:
    F = over_parts("shared", dpc.pure(1))
    F.ask(dpc.pure("3/4"), of="a")
    with pytest.raises(Stopped) as raised:
        F.ask(dpc.pure("1/2"), of="b")
    assert str(raised.value) == (
        "pure (1/2) of b is not answered: with it the interaction would be bounded (5/4)-DP, D = {a}, D' = {b}; "
        "at most 1/4 is left for b"
    )
    assert repr(F) == "a filter at bounded pure (1): spent bounded pure (3/4) of a"
    assert repr(F.guarantee()).startswith("bounded (3/4)-DP")
    assert {page.id for page in F.study.bound.relies_on} >= {"filters"}


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda: dpc.filter(dpc.pure("e")), ValueError, "epsilon of a total is a number"),
        (lambda: dpc.filter(1), TypeError, "a total is a guarantee"),
        (lambda: dpc.filter(dpc.pure(1, dpc.bounded)), ValueError, "say it without any"),
        (lambda: dpc.filter(dpc.pure(1), PARTS), TypeError, "say the class"),
        (lambda: dpc.filter(dpc.pure(1), on=ON), TypeError, "go with parts"),
        (lambda: dpc.filter(dpc.pure(1), PARTS, on=ON, target=dpc.bounded), ValueError, "domain"),
        (
            lambda: over_parts("shared", dpc.pure(1)).ask(dpc.pure(1)),
            ValueError,
            "say which part is asked: a, b",
        ),
        (lambda: over_parts("shared", dpc.pure(1)).ask(dpc.pure(1), "c"), ValueError, "there is no part 'c'"),
        (lambda: dpc.filter(dpc.pure(1)).ask(dpc.zcdp(1)), ValueError, "counts in pure privacy"),
        (
            lambda: dpc.filter(dpc.pure(1)).ask(dpc.pure("oo")),
            ValueError,
            "epsilon of a question is a number",
        ),
        (lambda: dpc.filter(dpc.pure(1)).ask(dpc.pure("-1")), ValueError, "a number ≥ 0"),
        (lambda: dpc.filter(dpc.f_dp("max(0, 1 - 2*alpha)")), ValueError, "by a filter of its own"),
        (
            lambda: dpc.filter(dpc.renyi(1, "4")).ask(dpc.renyi("1/2", "3")),
            ValueError,
            "counts at orders 4, and not at 3",
        ),
    ],
)
def test_mistakes(wrong: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        wrong()


IN_GROUPS: dict[str, Any] = {"target": dpc.group(2, dpc.unbounded), "stated": dpc.unbounded, "domain": "own"}


@pytest.mark.parametrize(
    ("total", "orders", "asked", "kept"),
    [
        # order 3 gives 2 * (9/4 - 1) = 5/2 times as much at order 9/5, and one step in each part the same once
        (
            "2",
            "9/5; 3",
            [("1/2", "a"), ("3/10", "a"), ("3/10", "b"), ("1/1000", "a")],
            [True, True, True, False],
        ),
        # 4 rho alpha up to half of the orders; of one step in each part the sum
        (
            "alpha",
            "(1, 4]; (1, 8]",
            [("alpha/4", "a"), ("alpha/4", "b"), ("alpha/99", "b")],
            [True, True, False],
        ),
        ("alpha", "(1, 8]; (1, 8]", [("alpha/99", "a")], [False]),  # nothing is known beyond 64/15
        ("1", "(1, oo); (1, oo)", [("1/2", "a"), ("1/2", "b"), ("1/99", "a")], [True, True, False]),
    ],
)
def test_divergences_at_several_steps(total: str, orders: str, asked: list[Any], kept: list[bool]) -> None:
    of_total, of_questions = orders.split("; ")
    F = dpc.filter(dpc.renyi(total, of_total), PARTS, on=ON, **IN_GROUPS)
    assert answered(F, *((dpc.renyi(value, of_questions), of) for value, of in asked)) == kept


def test_a_sum_that_is_a_multiple_of_the_order_only_as_a_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of multiples r² is known as the factor at r steps; of functions that only add up to one it is not."""
    monkeypatch.setattr(
        filters, "_check_numbers", lambda *_: None
    )  # nothing seen to be at least 0 adds up so
    F = dpc.filter(dpc.renyi("99*alpha", "2"), PARTS, on=ON, **IN_GROUPS)
    F.ask(dpc.renyi("alpha/2 + 1", "(1, 8]"), "a")
    with pytest.raises(ValueError, match="which not each of them is"):
        F.ask(dpc.renyi("alpha - 1", "(1, 8]"), "a")
    with pytest.raises(ValueError, match="counts at orders"):
        F.ask(dpc.renyi("1/9", "3"), "a")


@pytest.mark.parametrize(
    ("total", "answered", "refused"),
    [
        (dpc.renyi("1/2", "4"), [dpc.renyi("1/4", "4")] * 2, dpc.renyi("1/100", "4")),
        (
            dpc.renyi("alpha", "(1, 8]"),
            [dpc.renyi("min(1, alpha/2)", "(1, 8]")],
            dpc.renyi("3*alpha/4", "(1, 8]"),
        ),
        (dpc.tcdp("1/2", "8"), [dpc.tcdp("1/4", "9"), dpc.tcdp("1/4", "8")], dpc.tcdp("1/100", "8")),
        (dpc.tcdp("1/2", "8"), [dpc.tcdp("1/4", "9")], dpc.tcdp("1/100", "7")),
        (dpc.f_dp("L(1)"), [dpc.f_dp("L(1/2)")] * 2, dpc.f_dp("L(1/100)")),
    ],
)
def test_in_other_notions(total: Any, answered: Any, refused: Any) -> None:
    F = dpc.filter(total)
    for one in answered:
        F.ask(one)
    assert not F.keeps(refused)


def test_a_filter_that_spent_nothing_says_so() -> None:
    budget = dpc.filter(dpc.pure(1), {"all": dpc.everything}, on=dpc.multisets(), target=dpc.unbounded)
    assert repr(budget).endswith("spent nothing")
