"""Nothing that is said of random settings contradicts what they lose by definition.

`python tests/shadow.py FOLDER` looks at many more, and writes down what is wrong.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import mpmath
import pytest
import shadow
import shadow_noise
import shadow_settings
import shadow_truth
from shadow_settings import NOTIONS
from shadow_truth import Member, Truth

from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import Theorem
from dpcompose.search.proofs import Proofs, Proved
from dpcompose.search.verdicts import Verdict

EACH = 13
"""How many settings of each notion are drawn in a normal run, one of each kind at least among all: it looks at
every other one."""
MANY = 400
STEP = 10
"""The normal run takes every so many settings, of each notion other ones: kinds stand next to one another."""
DECIDED = {"pure": 0.97, "approximate": 0.9, "zcdp": 0.75, "gaussian": 0.75, "mixed": 0.75}
"""Which share of the claims is decided at least."""


def some_of(notion: str) -> range:
    """The numbers of the settings of a notion that a normal run looks at."""
    first = (list(NOTIONS).index(notion) + 1) * STEP // len(NOTIONS)
    return range(first, first + EACH * STEP, STEP)


def looked_at(notion: str, numbers: range) -> list[shadow.Looked]:
    drawn = (shadow.setting(notion, n) for n in numbers)
    return [found for one in drawn if one is not None and (found := shadow.look(one)) is not None]


@pytest.mark.parametrize("notion", NOTIONS)
def test_some_random_settings(notion: str) -> None:
    some = some_of(notion)[::4]
    found = looked_at(notion, some)
    assert [(one.name, words) for one in found for words in one.wrong] == []
    counted = sum((one.counted for one in found), Counter[str]())
    assert len(found) > 2 / 3 * len(some) and counted["claims"] > 3 * len(found)
    assert counted["proved"] + counted["refuted"] >= DECIDED[notion] * counted["claims"], counted


@pytest.mark.slow
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("part", range(4))
def test_many_random_settings(notion: str, part: int) -> None:
    found = looked_at(notion, range(part * MANY // 4, (part + 1) * MANY // 4))
    assert [(one.name, words) for one in found for words in one.wrong] == []


def test_what_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all claims are said to be proved, some are violated."""
    said = Theorem("", Satisfies("pure", ()), "")
    monkeypatch.setattr(Proofs, "verdict", lambda *_: Proved("proved", None, Verdict({}, "proved"), (said,)))
    assert any(one.wrong for one in looked_at("pure", range(0, 5 * STEP, STEP)))


@pytest.mark.slow
def test_all_kinds_of_settings_are_drawn() -> None:
    kinds, words = Counter[str](), Counter[str]()
    for notion in NOTIONS:
        for n in some_of(notion):
            one = shadow.setting(notion, n)
            if one is not None:
                kinds[one.name.split("-", 2)[2]] += 1
                words.update(key for key in ("adaptive", "studies", "tables") if key in one.problem)
                words["known"] += one.truth is not None
    assert set(kinds) == set(shadow_settings.WEIGHTS) - {"ordered-functions"} or set(kinds) == set(
        shadow_settings.WEIGHTS
    )
    assert min(words[one] for one in ("adaptive", "studies", "tables")) > 1
    assert words["known"] > 3 / 4 * kinds.total()


# the truth itself


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/3 + 2*x", Fraction(7, 3)),
        ("-x**2", -1),
        ("top(2, e[i], i, 1, k)", 7),
        ("sum(e[i]*e[1], i, 1, k)", 18),
        ("max(e[i], i, 1, 2) - min(x, 5)", 2),
        ("top(2, x, 5, 3)", 8),
        ("max(x, k, x, k)", 3),
        ("abs(x - 4)", 3),
    ],
)
def test_values_of_formulas(text: str, expected: Any) -> None:
    point = {"x": 1, "k": 3, "e[1]": 2, "e[2]": 3, "e[3]": 4}
    with mpmath.workdps(50):
        assert abs(shadow_truth.value(text, point) - shadow_truth.mp(expected)) < shadow_truth.CLOSE


CASES: list[tuple[str, tuple[str, ...], Any, str, str]] = [
    ("pure", ("e",), 2, "pure", "2"),
    ("zcdp", ("e",), 2, "zcdp", "4"),
    ("gaussian", ("e",), 3, "gaussian", "3"),
    ("gaussian", ("e",), 2, "zcdp", "2"),
    ("laplace", ("2",), 3, "pure", "3/2"),
    ("normal", ("2",), 3, "gaussian", "3/2"),
    ("randomized-response", ("1/4",), 1, "pure", "log(3)"),
    ("randomized-response", ("3/4",), 1, "zcdp", "log(3)/2"),
    ("approximate", ("e", "0"), 2, "pure", "2"),
]


@pytest.mark.parametrize(("notion", "given", "r", "claimed", "exact"), CASES)
def test_what_one_mechanism_loses(
    notion: str, given: tuple[str, ...], r: Any, claimed: str, exact: str
) -> None:
    truth = Truth(lambda at: [Member(notion, given)], lambda at: [(r,)])
    key, point = shadow_settings.KEYS[claimed][0], {"e": Fraction(1)}
    with mpmath.workdps(50):
        assert abs(truth.exact(claimed, point) - shadow_truth.value(exact, point)) < shadow_truth.CLOSE
    less, more = {key: f"{exact} - 1/100"}, {key: f"{exact} + 1/100"}
    assert truth.violated(claimed, less, point) and not truth.holds(claimed, less, point)
    assert truth.holds(claimed, more, point) and not truth.violated(claimed, more, point)
    assert list(shadow_truth.against(truth, "proved", {"notion": claimed} | less, [point], None))
    assert list(shadow_truth.against(truth, "refuted", {"notion": claimed} | more, [], point))


def test_what_a_delta_is_needed_for() -> None:
    point = {"e": Fraction(1), "d": Fraction(1, 10)}
    one = Truth(lambda at: [Member("approximate", ("e", "d"))], lambda at: [(1,)])
    assert one.holds("approximate", {"epsilon": "e", "delta": "d + 1/10**9"}, point)
    assert one.violated("approximate", {"epsilon": "e", "delta": "d - 1/1000"}, point)
    assert one.violated("approximate", {"epsilon": "100*e", "delta": "0"}, point)
    assert not one.violated("approximate", {"epsilon": "100*e", "delta": "d"}, point)
    normal = Truth(lambda at: [Member("gaussian", ("e",))], lambda at: [(1,)])
    far = Truth(lambda at: [Member("gaussian", ("9*e",)), Member("pure", ("99*e",))], lambda at: [(9, 9)])
    assert not far.violated("approximate", {"epsilon": "9999*e", "delta": "0"}, point)
    assert normal.violated("approximate", {"epsilon": "e", "delta": "1/1000"}, point)
    assert normal.holds("approximate", {"epsilon": "10*e", "delta": "1/1000"}, point)
    assert not normal.holds("approximate", {"epsilon": "e", "delta": "1/10"}, point)


def test_counts_of_records_that_noise_settings_change() -> None:
    usual: dict[str, Any] = {"databases": {"size": "<= 2"}, "target": {"granularity": "unbounded"}}
    assert shadow_noise.counts(usual) == [(0, 1), (1, 0)]
    two = {"granularity": {"group": 2, "of": "bounded"}}
    assert shadow_noise.counts(usual | {"target": two}) == [(1, 1), (2, 2)]
    assert shadow_noise.counts(usual | {"databases": {"size": "= 3"}}) == []
