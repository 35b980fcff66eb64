"""Records that are dealt to inputs at random: verdicts, refusals, and the truth by enumeration of all deals."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest
import rechecks
from golden_results import THEORY
from second_checker import verdicts

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel import saved as kernel
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy import problems, writing

PAGES = Theory(THEORY.pages)
FILE = """
format = 1
[parameters]
k = "integer >= 2"
[databases]
kind = "multisets"
size = "{size}"
[target]
granularity = {target}
"""
DEALT = """
[[mechanisms]]
name = "{name}"
index = "i"
count = "k"
reads = {{ random-part = "i", of = "k" }}
guarantee = {{ notion = "{notion}", {value}, granularity = "{stated}", domain = "own" }}
"""


def dealt(
    name: str = "M", stated: str = "bounded", notion: str = "pure", value: str = 'epsilon = "e[i]"'
) -> str:
    return DEALT.format(name=name, stated=stated, notion=notion, value=value)


def judged(mechanisms: str, *claims: str, target: str = '"bounded"', size: str = "any", **more: str) -> Any:
    """The study, and what becomes of claims of a parameter."""
    (notion, key) = more.get("notion", "pure"), more.get("key", "epsilon")
    said = "".join(f'[[claims]]\nnotion = "{notion}"\n{key} = "{claim}"\n' for claim in claims)
    read = problems.read_text(FILE.format(target=target, size=size) + mechanisms + said)
    made = Study(read.setting, THEORY)
    return made, [made.check(one.guarantee) for one in read.claims]


MOST, MEAN, SUM = "max(e[i], i, 1, k)", "sum(e[i], i, 1, k)/k", "sum(e[i], i, 1, k)"


@pytest.mark.parametrize(
    ("stated", "target", "size", "claims", "optimal"),
    [
        ("bounded", '"bounded"', "any", {MOST: "proved", MEAN: "refuted"}, True),
        ("bounded", '"bounded"', "= 3", {MOST: "proved", MEAN: "refuted"}, True),
        ("unbounded", '"bounded"', "any", {f"2*{MOST}": "proved", MOST: "refuted"}, True),
        ("bounded", '"unbounded"', "any", {SUM: "refuted", "oo": "proved"}, True),
        ("unbounded", '"unbounded"', "any", {f"9*{SUM}": "refuted", "oo": "proved"}, True),
        (
            "unbounded",
            '"unbounded"',
            "<= 3",
            {SUM: "undecided", f"5*{MOST}": "undecided", "oo": "proved"},
            False,
        ),
    ],
)
def test_verdicts(stated: str, target: str, size: str, claims: dict[str, str], optimal: bool) -> None:
    made, found = judged(dealt(stated=stated), *claims, target=target, size=size)
    assert [one.verdict for one in found] == list(claims.values())
    assert bool(made.guarantee().optimal) is optimal


def test_records_that_are_replaced_together_may_be_dealt_to_one_input() -> None:
    """Whatever the permutation, r records change the inputs by r in all; the sizes may be such that one input
    has them all."""
    for r in (2, 50):
        claims = (f"{r}*{MOST}", f"{r - 1}*{MOST}", f"top({r}, e[i], i, 1, k)")
        made, found = judged(dealt(), *claims, target=f'{{ group = {r}, of = "bounded" }}')
        assert [one.verdict for one in found] == ["proved", "refuted", "refuted"] and made.guarantee().optimal
        example = found[1].counterexample
        assert example is not None and min(map(len, example.pair)) >= r


def test_any_two_databases_are_not_decided() -> None:
    _, (found,) = judged(dealt(), f"2*{MOST}", target='"free-lunch"')
    assert found.verdict == "undecided" and "random parts are known for neighbours by one step only" in str(
        found
    )


def test_two_deals_are_independent_and_others_add_up() -> None:
    other = '[[mechanisms]]\nname = "N"\nguarantee = { notion = "pure", epsilon = "f", granularity = "bounded" }\n'
    some = dealt() + dealt("L", value='epsilon = "g[i]"') + other
    both = f"{MOST} + max(g[i], i, 1, k) + f"
    _, found = judged(some, both, "max(e[i] + g[i], i, 1, k) + f")
    assert [(one.verdict, one.loose) for one in found] == [("proved", False), ("refuted", None)]


def test_other_notions() -> None:
    some = dealt(notion="zcdp", value='rho = "e[i]"')
    _, found = judged(some, MOST, MEAN, notion="zcdp", key="rho")
    assert [(one.verdict, one.loose) for one in found] == [("proved", False), ("refuted", None)]


def test_it_is_read_written_and_checked_again() -> None:
    made, found = judged(dealt(), MOST, MEAN)
    again = problems.read_data(writing.to_data(made.setting)).setting
    assert again.mechanisms == made.setting.mechanisms
    data = json.loads(json.dumps(rechecks.saved(made, found)))
    assert rechecks.check(data, THEORY).verdicts == ("proved", "refuted")
    assert {"random-parts", "mixtures"} <= kernel.check(data, PAGES).rests_on.pages
    assert verdicts.check(data).outcome == "ACCEPTED"
    del data["derivation"]["pages"]["random-parts"]
    with pytest.raises(kernel.Refused):
        kernel.check(data, PAGES)


def composed(*mechanisms: Any, on: Any = None) -> Any:
    return dpc.compose(*mechanisms, on=on or dpc.multisets("ab"), target=dpc.bounded)


def python(count: Any, domain: str = "own") -> Any:
    return dpc.mechanism("M", dpc.pure("e", dpc.bounded, domain), reads=dpc.random_part(2), count=count)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: composed(python(None)), "family of as many"),
        (lambda: composed(python(3)), "family of as many"),
        (lambda: composed(python(2, "common")), 'domain = "own"'),
        (lambda: composed(python(2), on=dpc.tuples(size="= 3")), "are not dealt"),
        (lambda: judged(dealt().replace('"k"', '"1"')), "two inputs or more"),
        (lambda: judged(dealt().replace('part = "i"', 'part = "j"')), "needs random-part = "),
        (lambda: judged(dealt().replace(', of = "k" }', " }")), "a part is read as"),
    ],
)
def test_mistakes(wrong: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        wrong()


# by enumeration of all deals

ODDS = Fraction(3)


def law(D: str, first: int, tables: list[dict[str, Fraction]], published: bool) -> dict[Any, Fraction]:
    """The distribution of both outputs, of which each table has the probability of 1, where `first` records are
    dealt to the first mechanism; and of the deal of positions, where that is published."""
    orders = list(permutations(range(len(D))))
    found: dict[Any, Fraction] = {}
    for order in orders:
        parts = ["".join(sorted(D[i] for i in some)) for some in (order[:first], order[first:])]
        for bits in product((0, 1), repeat=2):
            p = Fraction(1, len(orders))
            for part, table, bit in zip(parts, tables, bits, strict=True):
                p *= table[part] if bit else 1 - table[part]
            key = (order, bits) if published else bits
            found[key] = found.get(key, Fraction(0)) + p
    return found


def table(rng: random.Random) -> dict[str, Fraction]:
    """By replacement at most e^ε = 3 apart: of each size a power of 3 that changes by one a record at most."""
    found = {}
    for size in range(5):
        base, sign = rng.randrange(2), rng.choice((-1, 1))
        for b in range(size + 1):
            steps = min(b, rng.randrange(1, 3))
            found["a" * (size - b) + "b" * b] = Fraction(1, 2) / ODDS ** (base + 2 + sign * steps)
    return found


@pytest.mark.parametrize("published", [True, False])
def test_a_replaced_record_costs_what_one_part_does(published: bool) -> None:
    rng, worst = random.Random(1), Fraction(0)
    for _ in range(6):
        tables = [table(rng), table(rng)]
        for one in tables:  # they are as private as is claimed, by replacement
            pairs = [
                (x, y) for x in one for y in one if len(x) == len(y) and abs(x.count("b") - y.count("b")) == 1
            ]
            if not all(one[x] <= ODDS * one[y] and 1 - one[x] <= ODDS * (1 - one[y]) for x, y in pairs):
                break
        else:
            for first in range(4):
                P, Q = (law(D, first, tables, published) for D in ("aab", "abb"))
                worst = max(worst, *(max(P[o] / Q[o], Q[o] / P[o]) for o in P))
    assert 1 < worst <= ODDS


def test_all_records_in_one_part_lose_as_much() -> None:
    one = {"a" * (n - b) + "b" * b: ODDS**b / 1000 for n in range(4) for b in range(n + 1)}
    P, Q = (law(D, 3, [one, one], False) for D in ("aab", "abb"))
    assert max(Q[o] / P[o] for o in P) == ODDS


def test_cut_in_half_where_a_record_comes() -> None:
    """As on the page: fifteen times as likely, with e^ε = 3 in both parts."""
    c = Fraction(1, 100)
    first = {"": c, "x": 3 * c, "y": 3 * c}
    second = {"": 3 * c, "x": c, "y": 9 * c}
    at = [law(D, len(D) // 2, [first, second], False)[1, 1] for D in ("x", "xy")]
    assert at[1] / at[0] == 15


@pytest.mark.parametrize(("metric", "bound"), [("e[i]*d_bounded", MOST), ("e[i]*d_unbounded", f"2*{MOST}")])
def test_a_number_times_one_metric_is_a_guarantee_for_neighbours(metric: str, bound: str) -> None:
    """One input has one record replaced: it is 1 bounded step, and 2 unbounded ones, away."""
    stated = dealt().replace('epsilon = "e[i]", granularity = "bounded"', f'metric = "{metric}"')
    _, answers = judged(stated, bound, f"{bound}/2")
    assert [answer.verdict for answer in answers] == ["proved", "refuted"]
    several = stated.replace(metric, "min(e[i]*d_unbounded, e[i])")
    with pytest.raises(problems.ProblemError, match="a number times one canonical metric"):
        judged(several, MOST)


def test_claims_in_the_metric_of_groups_with_a_name() -> None:
    """Two records that one input is dealt are replaced: one group of two, but two steps of its guarantee; where two
    inputs are dealt one each, each loses all that it has for a group."""
    pairs = '[granularities.two]\ngroup = 2\nof = "bounded"\n'
    most = [f"{MOST}*d_two", f"2*{MOST}*d_two", f"{MOST}*d_bounded"]
    single = ["refuted", "proved", "proved"]
    groups = dealt().replace('granularity = "bounded"', 'granularity = "two"')
    for stated, words in ((dealt(), single), (groups, ["undecided", "undecided", "proved"])):
        claims = "".join(f'[[claims]]\nnotion = "pure"\nmetric = "{one}"\n' for one in most)
        read = problems.read_text(FILE.format(target='"bounded"', size="any") + pairs + stated + claims)
        made = Study(read.setting, THEORY)
        assert [made.check(one.guarantee).verdict for one in read.claims] == words
