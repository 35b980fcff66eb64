"""Policies on numbers: hand values, finite windows with every record listed, enumeration, and refusals."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from policies_at_random import agrees, said
from rechecks import saved
from second_checker import verdicts as second
from shares import starts

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems

F = Fraction


def problem(
    numbers: dict[str, Any],
    reads: list[Any],
    theta: str = "1",
    stated: list[tuple[str, str]] | None = None,
    target: Any = "near",
    size: str = "any",
    more: dict[str, Any] | None = None,
    near: bool = True,
) -> dict[str, Any]:
    """Mechanisms that read some ranges; stated -- their distances (of the target where left out) and domains."""
    policies = {"near": {"replace": {"within-distance": theta, "norm": "L1"}}} if near else {}
    policies |= more or {}
    mechanisms = []
    for i, (one, (what, domain)) in enumerate(
        zip(reads, stated or [("near", "common")] * len(reads), strict=True), 1
    ):
        if what not in ("bounded", "unbounded") and what not in policies:
            policies[f"within {what}"] = {"replace": {"within-distance": what, "norm": "L1"}}
            what = f"within {what}"
        guarantee = {"notion": "pure", "epsilon": f"e{i}", "granularity": what, "domain": domain}
        mechanisms.append({"name": f"M{i}", "reads": one, "guarantee": guarantee})
    return {
        "format": 1,
        "databases": {"kind": "multisets", "size": size, **numbers},
        "granularities": policies,
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


def bound(*given: Any, **more: Any) -> str:
    """The pure guarantee of a problem."""
    found = Study(problems.read_data(problem(*given, **more)).setting).proofs.guarantee("pure").main
    assert found.optimal
    return ", ".join(formulas.to_text(term) for _, term in found.says.values)


REALS, INTEGERS = {"records": {"reals": "all"}}, {"records": {"integers": "all"}}


def bins(*ends: int) -> list[Any]:
    """The bins [a, b) between ends that follow each other."""
    return [{"between": f"[{a}, {b})"} for a, b in pairwise(ends)]


EVERY_TWO = "max(e1 + e2, e1 + e3, e2 + e3)"


# the table of mathematics 8.1: a step within theta touches bins i < j where (j - i - 1)w < theta on the reals,
# and (j - i - 1)w + 1 <= theta on the integers


@pytest.mark.parametrize(
    ("numbers", "theta", "reads", "says"),
    [
        (REALS, "10", bins(0, 10, 20, 30), "max(e1 + e2, e2 + e3)"),  # w < theta is needed for i, i + 2
        (REALS, "10.5", bins(0, 10, 20, 30), EVERY_TWO),
        (REALS, "1/1000", bins(0, 1, 2, 3), "max(e1 + e2, e2 + e3)"),
        (INTEGERS, "10", bins(0, 10, 20, 30), "max(e1 + e2, e2 + e3)"),  # 9 and 20 are 11 apart
        (INTEGERS, "11", bins(0, 10, 20, 30), EVERY_TWO),
        (INTEGERS, "1", bins(0, 10, 20, 30), "max(e1 + e2, e2 + e3)"),
        (INTEGERS, "1", [{"between": "(-oo, 0)"}, {"between": "[0, oo)"}], "e1 + e2"),
        # a gap between what is read: ends decide at equality
        (REALS, "1", [{"between": "[0, 1]"}, {"between": "[2, 3]"}], "e1 + e2"),
        (REALS, "1", [{"between": "[0, 1)"}, {"between": "[2, 3]"}], "max(e1, e2)"),
        (REALS, "1", [{"between": "[0, 1]"}, {"between": "(2, 3]"}], "max(e1, e2)"),
        (INTEGERS, "1", [{"between": "[0, 1]"}, {"between": "[3, 4]"}], "max(e1, e2)"),
        (INTEGERS, "2", [{"between": "[0, 1]"}, {"between": "[3, 4]"}], "e1 + e2"),
        # unions of ranges, and half-lines beside them
        (REALS, "1", [{"between": ["[0, 1]", "[5, 6]"]}, {"between": "(1, 5)"}], "e1 + e2"),
        (INTEGERS, "1/2", bins(0, 10, 20), "0"),  # no other integer is so near: there are no neighbours
    ],
)  # fmt: skip
def test_bins_by_hand(numbers: dict[str, Any], theta: str, reads: list[Any], says: str) -> None:
    assert bound(numbers, reads, theta) == says


@pytest.mark.parametrize(
    ("numbers", "theta", "stated", "says"),
    [
        (REALS, "1", "1/2", "2*e1"),  # the distance over theta, rounded up
        (REALS, "1", "2/5", "3*e1"),
        (REALS, "1", "3", "e1"),
        (INTEGERS, "5", "2", "3*e1"),
        (INTEGERS, "5", "5/2", "3*e1"),  # on the integers theta is its floor
        (INTEGERS, "5", "9/10", "oo"),
        ({"records": {"reals": ["[0, 1]", "[3, 4]"]}}, "5", "1", "oo"),  # a gap: no steps of 1 lead across
        ({"records": {"reals": ["[0, 1]", "[3, 4]"]}}, "5", "2", "3*e1"),  # 0, 1, 3, 4
        ({"records": {"reals": ["[0, 1)", "[3, 4]"]}}, "5", "2", "oo"),
        ({"records": {"reals": [0, 100]}}, "5", "2", "3*e1"),
    ],
)  # fmt: skip
def test_distances_by_hand(numbers: dict[str, Any], theta: str, stated: str, says: str) -> None:
    assert bound(numbers, ["everything"], theta, [(stated, "own")]) == says


def test_own_and_common_domains_of_a_range() -> None:
    """Out of [0, 2] no path leads on the own domain; on the common one what leaves it becomes nothing."""
    inside = [{"between": [0, 2]}]
    assert bound(REALS, inside, "2", [("1", "own")]) == "oo"
    assert bound(REALS, inside, "2", [("1", "common")]) == "2*e1"
    # from 5 to 7, both deep in [0, 12], steps of 1/2: by 4 of these, or out of the range and in again by more
    assert bound(REALS, [{"between": [0, 12]}], "2", [("1/2", "common")]) == "4*e1"
    # [0, 1] and [9, 10] are far apart: by one step each to nothing, which is elsewhere in between
    apart = [{"between": ["[0, 1]", "[9, 10]"]}]
    assert bound(REALS, apart, "10", [("1", "own")]) == "oo"
    assert bound(REALS, apart, "10", [("1", "common")]) == "2*e1"


@pytest.mark.parametrize("norm", ["L1", "max", "L2"])
def test_boxes_of_a_grid_by_hand(norm: str) -> None:
    """Boxes that meet at a corner only share a budget under the moves of a king."""
    corner = [
        {"where": {"x": {"between": [0, 9]}, "y": {"between": [0, 9]}}},
        {"where": {"x": {"between": [10, 19]}, "y": {"between": [10, 19]}}},
    ]
    grid = {"attributes": {"x": {"integers": "all"}, "y": {"integers": "all"}}}
    step = {"step": {"replace": {"within-distance": "1", "norm": norm, "of": ["x", "y"]}}}
    both = [("step", "common")] * 2
    says = bound(grid, corner, stated=both, target="step", more=step)
    assert says == ("e1 + e2" if norm == "max" else "max(e1, e2)")
    side = [corner[0], {"where": {"x": {"between": [10, 19]}, "y": {"between": [5, 7]}}}]
    assert bound(grid, side, stated=both, target="step", more=step) == "e1 + e2"


YEAR = {"year": {"replace": {"within-distance": "1", "norm": "L1", "of": ["age"]}}}
HOME = {"home": {"replace": {"changes": ["county"]}}}
MOVE = {"move": {"replace": {"changes": ["county", "name"]}}}


def people(last: str = "120]") -> dict[str, Any]:
    """Persons with an age, and others attributes."""
    return {"attributes": {"age": {"integers": f"[0, {last}"}, "county": ["n", "s"], "name": "any"}}


def of_people(target: Any, stated: list[tuple[str, str]], last: str = "120]") -> str:
    """The bound for the old, for those in the north if three are asked, and for the young."""
    old, north = {"where": {"age": {"between": "[65, oo)"}}}, {"where": {"county": ["n"]}}
    young = {"where": {"age": {"between": "[0, 65)"}, "county": ["n", "s"]}}
    reads = [old, north, young] if len(stated) == 3 else [old, young]
    return bound(people(last), reads, "1", stated, target, more=YEAR | HOME | MOVE, near=False)


def test_an_attribute_with_numbers_beside_others() -> None:
    assert of_people("year", [("year", "common")] * 3) == "e1 + e2 + e3"
    assert of_people("home", [("home", "common")] * 3) == "max(e1 + e2, e2 + e3)"
    assert of_people("year", [("year", "common"), ("move", "common"), ("year", "common")]) == "e1 + 2*e2 + e3"


def test_an_end_that_is_far_away_may_matter() -> None:
    """Who moves at 120 is 56 steps from 64, which is not read, and as many from there; of any age: no bound."""
    assert of_people("home", [("year", "common")] * 2) == "max(112*e1, 130*e2)"
    with pytest.raises(problems.ProblemError, match="has no limit on the integers"):
        of_people("home", [("year", "common")] * 2, "oo)")
    # on the own domain no path leads there
    assert of_people("home", [("year", "own")] * 2, "oo)") == "oo"


def test_records_that_come_or_go_as_what_is_not_read() -> None:
    """5 becomes -1 or 10, outside of [0, 9], in five steps; then it is gone from what is read."""
    more = {"star": {"add-remove": "all"}}
    some = [{"between": [0, 9]}]
    fits = {"records": {"integers": [-20, 20]}}
    assert bound(fits, some, "1", [("near", "common")], "star", more=more) == "5*e1"
    with pytest.raises(problems.ProblemError, match="or none that is known"):
        bound(INTEGERS, some, "1", [("near", "common")], "star", more=more)
    # any two replace each other: from 0 to 100 in 50 steps of 2
    assert (
        bound({"records": {"reals": [0, 100]}}, ["everything"], "2", [("near", "own")], "bounded") == "50*e1"
    )
    with pytest.raises(problems.ProblemError, match="has no limit on the real numbers"):
        bound(REALS, ["everything"], "2", [("near", "own")], "bounded")


# random settings


def random_range(rng: random.Random, low: int, high: int, halves: bool) -> str:
    """An interval with ends between two numbers, whole ones or halves, open or closed; sometimes a half-line."""
    a, b = sorted(rng.sample(range(2 * low, 2 * high + 1), 2)) if halves else (0, 0)
    if not halves:
        a, b = (2 * x for x in sorted(rng.sample(range(low, high + 1), 2)))
    left, right = f"{rng.choice('[(')}{F(a, 2)}", f"{F(b, 2)}{rng.choice('])')}"
    if rng.random() < 0.15:
        left = "(-oo"
    elif rng.random() < 0.15:
        right = "oo)"
    return f"{left}, {right}"


def random_numbers(seed: int, whole: bool, low: int, high: int, within: str) -> dict[str, Any]:
    """Up to three mechanisms that read ranges, or unions of them, with distances of their own."""
    rng = random.Random(seed)
    lengths = ["1", "2", "3"] if whole else ["1/2", "1", "3/2"]
    reads: list[Any] = []
    for _ in range(rng.randint(1, 3)):
        some = [random_range(rng, low, high, not whole) for _ in range(rng.choice([1, 1, 2]))]
        reads.append("everything" if rng.random() < 0.15 else {"between": some})
    stated = [
        (rng.choice([*lengths, "near", "coming", "unbounded"]), rng.choice(["own", "common"])) for _ in reads
    ]
    theta = rng.choice(lengths)
    more = {
        "coming": {"replace": {"within-distance": rng.choice(lengths), "norm": "L1"}, "add-remove": "all"}
    }
    target: Any = rng.choice(["near", "near", "coming", {"union": ["near", "coming"]}])
    numbers = {"records": {"integers" if whole else "reals": within}}
    return problem(numbers, reads, theta, stated, target, rng.choice(["any", "<= 2", "= 2"]), more)


def listed(given: dict[str, Any], records: list[F]) -> dict[str, Any]:
    """The same with all records listed."""
    from dpcompose.spaces.classes.lines import read_ranges

    found = {**given, "databases": {**given["databases"], "records": [str(x) for x in records]}}
    found["mechanisms"] = [dict(one) for one in given["mechanisms"]]
    for one in found["mechanisms"]:
        if one["reads"] != "everything":
            ranges = read_ranges(one["reads"]["between"])
            one["reads"] = {"records": [str(x) for x in records if any(x in some for some in ranges)]}
    return found


def readable(given: dict[str, Any]) -> bool:
    """Whether a problem is a setting: a range may have no integer in it."""
    try:
        return bool(problems.read_data(given).setting)
    except problems.ProblemError:
        return False


@starts(3, range(0, 60, 15))
def test_integers_say_what_a_wide_window_says(start: int) -> None:
    for seed in range(start, start + 15):
        within = random.Random(seed).choice(["all", "[-1, oo)", "[-2, 9]"])
        given = random_numbers(seed, True, -2, 9, within)
        low, high = {"all": (-25, 33), "[-1, oo)": (-1, 33), "[-2, 9]": (-2, 9)}[within]
        window = listed(given, [F(x) for x in range(low, high + 1)])
        if readable(given) and readable(window):
            assert said(given) == said(window), given


@starts(1, range(0, 40, 10))
def test_few_integers_stand_for_many(start: int) -> None:
    """Ends are far apart, so that most integers are left out; those in the window are all there."""
    few = 0
    for seed in range(start, start + 10):
        rng = random.Random(seed)
        given = random_numbers(seed, True, 0, 3, "[-40, 100]")
        given["granularities"]["star"] = {"add-remove": "all"}
        if rng.random() < 0.3:
            given["target"]["granularity"] = rng.choice(["star", "bounded", {"union": ["near", "star"]}])
        for one in given["mechanisms"]:
            if one["reads"] != "everything":
                ranges = (
                    re.sub(r"\d+", lambda n: str(20 * int(n[0])), some) for some in one["reads"]["between"]
                )
                one["reads"] = {"between": list(ranges)}
        window = listed(given, [F(x) for x in range(-40, 101)])
        if readable(given) and readable(window):
            assert said(given) == said(window), given
            few += len(problems.read_data(given).setting.databases.records) < 100
    assert few >= 5


@starts(1, range(0, 48, 6))
def test_reals_say_what_a_fine_window_says(start: int) -> None:
    """Ends are multiples of 1/2: six steps in each half tell open ends from closed ones."""
    for seed in range(start, start + 6):
        within = random.Random(seed).choice(["all", "[0, oo)", "(0, 4]"])
        given = random_numbers(seed, False, 0, 4, within)
        low, high = {"all": (-7, 11), "[0, oo)": (0, 11), "(0, 4]": (F(1, 12), 4)}[within]
        fine = [F(x, 12) for x in range(int(12 * low), int(12 * high) + 1)]
        window = listed(given, fine)
        if readable(given) and readable(window):
            assert said(given) == said(window), given


@starts(2, range(0, 30, 10))
def test_integers_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few integers, listed, are enumerated; and the same as an interval."""
    for seed in range(start, start + 10):
        given = random_numbers(seed, True, 0, 4, "[0, 4]")
        given["databases"]["size"] = random.Random(seed).choice(["<= 2", "= 2", "<= 1"])
        window = listed(given, [F(x) for x in range(5)])
        if readable(given) and readable(window):
            agrees(window, monkeypatch)
            assert said(given) == said(window), given


@pytest.mark.parametrize("whole", [True, False])
def test_the_second_checker_reads_numbers(whole: bool) -> None:
    for seed in range(4):
        given = random_numbers(seed, whole, 0, 3, "all" if whole else "[0, 3]")
        if readable(given):
            found = second.check(saved(Study(problems.read_data(given).setting)))
            assert found.outcome == "ACCEPTED", (given, found)


def test_what_is_listed_is_not_walked() -> None:
    """z is 0 or 3, and steps of 1 lead from neither: only by 0, far away, does a path lead across."""
    near = {
        "z": {"replace": {"within-distance": "3", "norm": "L1", "of": ["z"]}},
        "a": {"replace": {"within-distance": "1", "norm": "L1", "of": ["a"]}},
        "short": {"replace": {"within-distance": "1", "norm": "L1", "of": ["z"]}},
    }
    old = [{"where": {"a": {"between": "[50, oo)"}}}]
    for last, says in [("60]", "22*e1"), ("oo)", "")]:
        numbers = {"attributes": {"a": {"integers": f"[0, {last}"}, "z": ["0", "3"]}}
        given = problem(numbers, old, stated=[("a", "common")], target="z", more=near, near=False)
        given["mechanisms"][0]["guarantee"]["granularity"] = {"union": ["a", "short"]}
        if says:
            found = Study(problems.read_data(given).setting).proofs.guarantee("pure").main
            assert [formulas.to_text(term) for _, term in found.says.values] == [says]
        else:
            with pytest.raises(problems.ProblemError, match="has no limit on the integers"):
                problems.read_data(given)


@pytest.mark.parametrize("size", ["any", "<= 5", "= 2", "2..n"])
def test_ranges_in_which_no_number_lies_are_of_one_value(size: str) -> None:
    """No integer lies in [1/3, 0.7): what reads these never moves, and is said to read no numbers."""
    reads = [{"between": "[1/3, 0.7)"}, {"between": "(2, 3]"}]
    stated = [("unbounded", "common"), ("unbounded", "common")]
    data = problem(
        {"records": {"integers": ["[0, 1]", "[3, oo)"]}}, reads, stated=stated, target="bounded", size=size
    )
    data["parameters"] = {"n": "integer >= 3"}
    found = Study(problems.read_data(data).setting).guarantee()
    assert str(found.epsilon) == ("oo" if size == "= 2" else "e2")
    assert size == "= 2" or "over no numbers" in str(found.derivation)


@pytest.mark.slow
def test_large_groups_of_numbers_are_single_steps_taken_as_often() -> None:
    """Two steps of 3 and a county differ in 81,458 ways: these are not written down, but one step, twice."""
    near = {"replace": {"within-distance": "3", "norm": "L1", "of": ["x"]}}
    numbers = {"attributes": {"x": {"integers": "all"}, "c": ["u", "v"]}}
    reads = [{"where": {"x": {"between": "(-oo, 2)"}}}]
    target = {"group": 2, "of": "step"}
    data = problem(
        numbers, reads, stated=[("step", "common")], target=target, more={"step": near}, near=False
    )
    found = Study(problems.read_data(data).setting).guarantee()
    assert str(found.epsilon) == "2*e1" and found.optimal
    assert "types of a single step, 2 times" in " ".join(str(found.derivation).split())


# refusals


@pytest.mark.parametrize(
    ("numbers", "reads", "words"),
    [
        ({"records": {"reals": "all", "integers": "all"}}, "everything", "numbers are { integers"),
        ({"records": {"reals": "[0, 10"}}, "everything", "'[0, 10' is no interval: an interval is"),
        ({"records": {"reals": "[-oo, 10]"}}, "everything", "infinity is no number"),
        ({"records": {"reals": "(1, 1]"}}, "everything", "no number lies in (1, 1]"),
        ({"records": {"integers": "(1, 2)"}}, "everything", "there are no integers in (1, 2)"),
        (REALS, {"between": [3, 1]}, "no number lies in [3, 1]"),
        (REALS, {"records": ["1"]}, "records are numbers here, which are read in ranges"),
        ({"records": ["1", "2"]}, {"between": [0, 1]}, "ranges are read where records are numbers"),
        ({"attributes": {"a": {"reals": "all"}}}, {"where": {"a": ["x"]}}, "the value 'x' of a, which is none of"),
        ({"attributes": {"a": ["1"]}}, {"where": {"a": {"between": [0, 1]}}}, "a range of a, whose values are no"),
        ({"attributes": {"a": {"reals": "all"}, "b": {"reals": "all"}}}, "everything", "of several attributes"),
        ({"kind": "sets", "records": {"reals": "all"}}, "everything", "records that are numbers are those of"),
    ],
)  # fmt: skip
def test_refusals_say_what_would_fit(numbers: dict[str, Any], reads: Any, words: str) -> None:
    with pytest.raises(problems.ProblemError, match=re.escape(words)):
        problems.read_data(problem(numbers, [reads]))
