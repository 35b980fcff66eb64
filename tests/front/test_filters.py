"""Filters that account as one goes, over parts: what they let pass keeps the total, whatever is asked."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
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


# against all strategies

ODDS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3))
"""Randomised response on whether a part is empty: e^ε of each, exactly."""


def views(analyst: str, total: Fraction, setting: str, D: tuple[str, ...]) -> dict[tuple[Any, ...], Fraction]:
    """The probability of each view of an analyst, who chooses part and odds by the answers so far."""
    found: dict[tuple[Any, ...], Fraction] = {}

    def go(seen: tuple[Any, ...], p: Fraction) -> None:
        rng = random.Random(f"{analyst} {seen}")
        part, odds = rng.choice("ab"), rng.choice(ODDS)
        asked = [(one, o) for one, o, _ in seen] + [(part, odds)]
        if len(asked) > 4 or not allowed(total, setting, asked):
            found[seen] = p
            return
        moves = D.count(part) % 2 if setting == "in steps" else min(D.count(part), 1)
        for answer in (0, 1):
            go((*seen, (part, odds, answer)), p * (odds if answer == moves else 1) / (1 + odds))

    go((), Fraction(1))
    return found


KNOWN: dict[Any, bool] = {}


def allowed(total: Fraction, setting: str, asked: list[tuple[str, Fraction]]) -> bool:
    """Whether the filter answers all of these, one after the other; asked once for each sums."""
    key = (total, setting, tuple(asked))
    if key not in KNOWN:
        F = over_parts(setting, dpc.pure(f"log({total})"))
        try:
            for part, odds in asked:
                F.ask(dpc.pure(f"log({odds})"), part)
            KNOWN[key] = True
        except Stopped:
            KNOWN[key] = False
    return KNOWN[key]


def steps_apart(D: tuple[str, ...], E: tuple[str, ...], target: str) -> bool:
    counts = [(D.count(x), E.count(x)) for x in "abn"]
    gone, come = sum(max(0, x - y) for x, y in counts), sum(max(0, y - x) for x, y in counts)
    return (gone, come) in ({(1, 0), (0, 1)} if target == "unbounded" else {(1, 1)})


DATABASES = [D for size in range(3) for D in itertools.combinations_with_replacement("abn", size)]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 20))])
def test_no_strategy_loses_more_than_the_total(setting: str, part: int) -> None:
    """Random analysts: the ratio of the probabilities of each view at two neighbours, exactly."""
    rng, target, worst = random.Random(f"{setting} {part}"), str(SETTINGS[setting]["target"]), Fraction(0)
    total = rng.choice([Fraction(3), Fraction(4), Fraction(6)])
    for n in range(3):
        every = {D: views(f"{part} {n}", total, setting, D) for D in DATABASES}
        for D, E in itertools.permutations(DATABASES, 2):
            if steps_apart(D, E, target):
                assert sum(every[D].values()) == 1 and set(every[D]) == set(every[E])
                worst = max(worst, *(every[D][v] / every[E][v] for v in every[D]))
    assert 1 < worst <= total, math.log(worst)


def divergence(order: float, p: Sequence[float], q: Sequence[float]) -> float:
    return math.log(math.fsum(x**order * y ** (1 - order) for x, y in zip(p, q, strict=True))) / (order - 1)


@cache
def kept_in_groups(*spent: Fraction) -> bool:
    """Whether a filter lets so much pass at order 3 on each part, where two at order 9/5 is the total."""
    F = dpc.filter(dpc.renyi(2, "9/5"), PARTS, on=ON, **IN_GROUPS)
    return all(answered(F, *((dpc.renyi(s, "3"), of) for s, of in zip(spent, PARTS, strict=True) if s)))


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 60))])
def test_no_strategy_diverges_by_more_at_two_steps(part: int) -> None:
    """Random analysts ask yes or no, with odds by how many records a part has, of which order 3 is known."""
    rng, worst = random.Random(f"two steps {part}"), 0.0
    chains = []
    for _ in range(6):
        odds = itertools.accumulate([rng.uniform(-2, 2), rng.uniform(-0.7, 0.7), rng.uniform(-0.7, 0.7)])
        yes = [1 / (1 + math.exp(-x)) for x in odds]
        pairs = [(yes[m], yes[n]) for m, n in ((0, 1), (1, 0), (1, 2), (2, 1))]
        most = max(divergence(3, (p, 1 - p), (q, 1 - q)) for p, q in pairs)
        chains.append((yes, Fraction(math.ceil(5 * most + 1e-9), 5)))

    def views(D: tuple[int, int], seen: tuple[Any, ...], p: float) -> Iterator[float]:
        analyst = random.Random(f"{part} {seen}")
        of, n = analyst.randrange(2), analyst.randrange(len(chains))
        asked = [*((x, m) for x, m, _ in seen), (of, n)]
        if len(asked) > 6 or not kept_in_groups(
            *(sum(chains[m][1] for x, m in asked if x == i) for i in (0, 1))
        ):
            yield p
            return
        q = chains[n][0][D[of]]
        for answer in (0, 1):
            yield from views(D, (*seen, (of, n, answer)), p * (q if answer else 1 - q))

    databases = [(x, y) for x in range(3) for y in range(3 - x)]
    every = {D: [*views(D, (), 1.0)] for D in databases}
    for D, E in itertools.permutations(every, 2):
        if abs(D[0] - E[0]) + abs(D[1] - E[1]) <= 2:
            worst = max(worst, divergence(9 / 5, every[D], every[E]))
    assert 0 < worst <= 2


def test_a_filter_that_spent_nothing_says_so() -> None:
    budget = dpc.filter(dpc.pure(1), {"all": dpc.everything}, on=dpc.multisets(), target=dpc.unbounded)
    assert repr(budget).endswith("spent nothing")
