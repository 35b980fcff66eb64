"""Rules by hand and at random: what is accepted is true, for every choice of the lesser side."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shares import seeds

from dpcompose.language import forms, formulas, orders
from dpcompose.language.forms import Form
from dpcompose.language.symbols import Domain, symbol
from dpcompose.proof import certificates, rules
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.rules import Affine, Choices, Remainder, Rule
from dpcompose.search import covering

F = Fraction
WORDS = {
    "a": "positive",
    "b": "positive",
    "c": "nonnegative",
    "d": "nonnegative",
    "x": "real",
    "y": "real",
    "n": "integer >= 2",
    "p": "in (0,1)",
}
DOMAINS = {name: Domain.read(words) for name, words in WORDS.items()}


def form(text: str) -> Form:
    symbols = {name: symbol(name, domain) for name, domain in DOMAINS.items()}
    return forms.read(formulas.parse(text, symbols), DOMAINS)


def affine(text: str) -> Affine:
    """ "1/2 + z1 - z3" as {0: 1/2, 1: 1, 3: -1}."""
    found: dict[int, Fraction] = {}
    for part in text.replace("- ", "+ -").split(" + ") if text else []:
        number, _, choice = part.strip().rpartition("z")
        if not choice or "z" not in part:
            found[0] = F(part)
        else:
            found[int(choice)] = F({"": 1, "-": -1}.get(number, number.rstrip("*")))
    return found


def rule(*weights: dict[int, str], bounds: tuple[tuple[str, str, str], ...] = ()) -> Rule:
    return Rule(
        tuple(tuple((j, affine(f)) for j, f in of.items()) for of in weights),
        tuple((name, end, affine(f)) for name, end, f in bounds),
    )


HALVES = rule({0: "1/2*z1", 1: "1/2*z2", 2: "1/2*z3"})
GOOD: list[tuple[str, str, Rule]] = [
    ("a + b + c", "top(2, a, b, c)", rule()),
    ("2*max(a, b, c)", "top(2, a, b, c)", HALVES),
    ("max(a, b, c) + max(a, b, c)", "top(2, a, b, c)", HALVES),
    ("top(3, a, b, c, d)", "top(2, a, b, c, d)", rule({0: "z1", 1: "z2", 2: "z3", 3: "z4"})),
    ("2*max(x, y, a)", "top(2, x, y, a)", HALVES),
    ("max(a, b) + max(c, d)", "a/2 + b/2 + c", rule({0: "1/2", 1: "1/2"}, {0: "1"})),
    ("top(2, a, b, c, d)", "max(a, b) + max(c, d)", rule({0: "z1", 1: "z2", 2: "z3", 3: "z4"})),
    ("2*max(a, b, c, d)", "top(2, a, max(b, c), d)", rule({0: "1/2*z1", 1: "1/2*z4", 2: "1/2*z5", 3: "1/2*z2"})),
    ("max(a, 2 - n)", "max(2 - n, 0)", rule({0: "z2", 1: "z1"})),
    ("2", "max(p, 2*p)", rule(bounds=(("p", "greatest", "z1 + 2*z2"),))),
    ("n", "max(p, 2*p)", rule(bounds=(("p", "greatest", "z1 + 2*z2"), ("n", "least", "1")))),
    ("max(a - top(1, b, c), d)", "0", rule({1: "1"}, )),
    ("a + b", "max(a - max(a, b), b - max(b, c))", rule({}, {})),
    ("max(a, b + max(c, d))", "max(a, b + c)", rule({0: "z1", 1: "z2"}, {0: "z2"})),
]  # fmt: skip


@pytest.mark.parametrize("greater, lesser, given", GOOD, ids=[f"{g} >= {l}" for g, l, _ in GOOD])
def test_good_rules(greater: str, lesser: str, given: Rule) -> None:
    if "top(1, b, c)" in greater:
        with pytest.raises(BadCertificate, match="subtracted inside of one that is added"):
            certificates.check_at_least(form(greater), form(lesser), DOMAINS, given)
        return
    certificates.check_at_least(form(greater), form(lesser), DOMAINS, given)
    assert certificates.from_data(certificates.to_data(given)) == given
    with pytest.raises(BadCertificate):
        certificates.check_at_least(form(greater), form(f"{lesser} + 1/1000"), DOMAINS, given)


TWICE = ("2*max(a, b, c)", "top(2, a, b, c)")
SOME = "for some choice "
BAD: list[tuple[str, str, Rule, str]] = [
    (*TWICE, rule(), "the rule has weights for 0 worst cases, not 1"),
    (*TWICE, rule({}, {}), "the rule has weights for 2 worst cases, not 1"),
    (*TWICE, rule({}), SOME + "the term -1*a is not seen to be >= 0"),
    (*TWICE, rule({0: "1/2*z1", 1: "1/2*z2", 2: "1/3*z3"}), SOME + "the term -1/3*c is not seen to be >= 0"),
    (*TWICE, rule({0: "1/2", 1: "1/2", 2: "1/2"}), SOME + "the weights of a worst case have a sum above 1"),
    (*TWICE, rule({0: "z1", 1: "z2", 2: "z3"}), SOME + "the weights of a worst case have a sum above 1"),
    (*TWICE, rule({0: "2*z1", 1: "-1*z2"}), SOME + "a weight is larger than 1"),
    (*TWICE, rule({0: "1/2*z1", 1: "-1*z2"}), SOME + "a weight is negative"),
    (*TWICE, rule({0: "1/2*z1", 3: "1/2*z2"}), "the rule's weights do not fit the worst case"),
    (*TWICE, rule({-1: "1/2*z1"}), "the rule's weights do not fit the worst case"),
    (*TWICE, Rule((((0, {}), (0, {})),)), "the rule's weights do not fit the worst case"),
    (*TWICE, rule({0: "1/2*z4"}), "the rule speaks of a choice that there is not"),
    (*TWICE, Rule((((0, {-1: F(1)}),),)), "the rule speaks of a choice that there is not"),
    ("a + b", "top(2, a, b, c)", rule(), SOME + "the term -1*c is not seen to be >= 0"),
    ("x + y + a", "top(2, x, y, a)", rule(), SOME + "the term 1*x is not seen to be >= 0"),
    (
        "2*max(x, y, a)",
        "max(x, y)",
        rule({0: "1/2*z1", 1: "1/2*z2"}),
        SOME + "the weights of a worst case that may be negative have a sum below 1",
    ),
    ("n", "max(n, 3)", rule(), SOME + "the term -3*1 is not seen to be >= 0"),
    (
        "n", "max(1, 2)", rule(bounds=(("n", "least", "-1"),)),
        SOME + "a multiple of the least value of n is negative",
    ),
    ("n", "2", rule(bounds=(("n", "greatest", "1"),)), "n has no greatest value"),
    ("n", "2", rule(bounds=(("q", "least", "1"),)), "the rule has a multiple of q, which is no parameter"),
    (
        "max(a, b + max(c, d))", "max(a, b + c)", rule({0: "z1", 1: "z2"}, {0: "z1"}),
        SOME + "a weight is larger than 1",
    ),
]  # fmt: skip


@pytest.mark.parametrize("greater, lesser, given, message", BAD)
def test_bad_rules(greater: str, lesser: str, given: Rule, message: str) -> None:
    with pytest.raises(BadCertificate) as refused:
        certificates.check_at_least(form(greater), form(lesser), DOMAINS, given)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"weights": []},
        {"bounds": []},
        {"weights": [], "bounds": [], "more": 1},
        {"weights": 1, "bounds": []},
        {"weights": [1], "bounds": []},
        {"weights": [[1]], "bounds": []},
        {"weights": [[[0, 1]]], "bounds": []},
        {"weights": [[[0, [[1, 1]]]]], "bounds": []},
        {"weights": [[[0, [[1, "1/0"]]]]], "bounds": []},
        {"weights": [[[0, [[1, "x"]]]]], "bounds": []},
        {"weights": [[[0, [[1.5, "1"]]]]], "bounds": []},
        {"weights": [[[0, [[True, "1"]]]]], "bounds": []},
        {"weights": [[["0", [[1, "1"]]]]], "bounds": []},
        {"weights": [[[0, [[1, "1"], [1, "1"]]]]], "bounds": []},
        {"weights": [], "bounds": [["n", "least"]]},
        {"weights": [], "bounds": [["n", "least", "1"]]},
        {"weights": None, "bounds": None},
    ],
)
def test_unreadable_rules(data: Any) -> None:
    with pytest.raises(BadCertificate, match="the rule cannot be read"):
        certificates.from_data(data)


# the least value of an affine function, by going through all choices


def random_choices(rng: random.Random) -> tuple[Choices, list[tuple[int, int, range]]]:
    choices, groups = Choices(), []
    for _ in range(rng.randint(1, 3)):
        inside = rng.randrange(len(choices.group_of))
        n = rng.randint(2, 3)
        m = rng.randint(1, n - 1)
        groups.append((inside, m, choices.among(inside, m, n)))
    return choices, groups


def all_choices(groups: list[tuple[int, int, range]], made: frozenset[int]) -> Iterator[frozenset[int]]:
    if not groups:
        yield made
        return
    (inside, m, members), *rest = groups
    if inside and inside not in made:
        yield from all_choices(rest, made)
        return
    for some in combinations(members, m):
        yield from all_choices(rest, made | frozenset(some))


@pytest.mark.parametrize("seed", range(200))
def test_the_least_value_over_all_choices(seed: int) -> None:
    rng = random.Random(seed)
    choices, groups = random_choices(rng)
    f = {
        i: F(rng.randint(-4, 4), rng.choice([1, 2]))
        for i in range(len(choices.group_of))
        if rng.random() < 0.7
    }
    brute = min(
        sum((c for i, c in f.items() if i == 0 or i in made), F(0))
        for made in all_choices(groups, frozenset())
    )
    assert choices.least(f) == brute
    assert choices.never_negative(f) == (brute >= 0)


# random comparisons: what is accepted is true


NONNEGATIVE = ["a", "b", "c", "d", "n"]


def linear(rng: random.Random, names: list[str], depth: int) -> Form:
    total = Form.constant(rng.choice([0, 0, 0, 0, 1, F(-1, 2)]))
    for _ in range(rng.randint(1, 2)):
        c = F(rng.choice([1, 1, 2]), rng.choice([1, 2]))
        if depth and rng.random() < 0.7:
            inner = [linear(rng, names, depth - 1) for _ in range(rng.randint(2, 4))]
            total = total + forms.top(rng.choice([1, 1, 2]), inner).scaled(c)
        else:
            total = total + Form.parameter(rng.choice(names)).scaled(c)
    return total


def value(one: Form, point: Mapping[str, Fraction]) -> Fraction:
    total = F(0)
    for term, c in one.terms:
        if isinstance(term, forms.Peak):
            total += c * sum(sorted((value(inner, point) for inner in term.of), reverse=True)[: term.m])
        else:
            for name, power in term:
                c *= point[name] ** power
            total += c
    return total


def random_value(rng: random.Random, domain: Domain) -> Fraction:
    while True:
        drawn = F(rng.randint(-9, 12), rng.choice([1, 1, 2, 3, 1000])) * rng.choice([1, 1, 1, 100])
        if domain.contains(drawn):
            return drawn


def holds_at_random_points(rng: random.Random, greater: Form, lesser: Form) -> bool:
    points = ({name: random_value(rng, domain) for name, domain in DOMAINS.items()} for _ in range(40))
    corners = (dict(zip(DOMAINS, some, strict=True)) for some in product(*CORNERS.values()))
    return all(value(greater, at) >= value(lesser, at) for points in (points, corners) for at in points)


CORNERS = {
    name: [F(1, 1000), F(50)] if name in "abcd" else [F(2), F(90)] if name == "n" else [F(1, 2)]
    for name in DOMAINS
}


def spoiled(rng: random.Random, given: Rule) -> Rule:
    """The rule with one of its numbers changed."""
    data = rules.to_data(given)
    functions = [f for of in data["weights"] for _, f in of] + [f for _, _, f in data["bounds"]]
    functions = [f for f in functions if f]
    if not functions:
        return given
    entry = rng.choice(rng.choice(functions))
    entry[1] = str(F(entry[1]) + rng.choice([F(1, 2), F(-1, 2), F(1, 4), F(-1, 4), F(1)]))
    return rules.from_data(data)


@seeds(4, 8)
def test_random_rules_prove_only_what_is_true(seed: int) -> None:
    rng = random.Random(seed)
    found = accepted = refused = 0
    for _ in range(120):
        names = rng.sample(NONNEGATIVE, 3)
        greater, lesser = linear(rng, names, 1), linear(rng, names, 2)
        greater = greater.scaled(F(rng.choice([2, 3, 5, 8])))
        made = covering.find(greater - lesser, DOMAINS)
        if not isinstance(made, Rule):
            continue
        found += 1
        certificates.check_at_least(greater, lesser, DOMAINS, made)
        assert holds_at_random_points(rng, greater, lesser), (greater, lesser)
        for _ in range(4):
            other = linear(rng, names, 2) if rng.random() < 0.2 else lesser
            try:
                certificates.check_at_least(greater, other, DOMAINS, spoiled(rng, made))
            except BadCertificate:
                refused += 1
            else:
                accepted += 1
                assert holds_at_random_points(rng, greater, other), (greater, other)
    assert found > 5 and accepted > 5 and refused > 5, (found, accepted, refused)


@pytest.mark.parametrize("seed", range(4))
def test_a_rule_gives_the_weights_of_every_piece(seed: int) -> None:
    """For flat comparisons: at each choice the weights lie in [0, 1], and no coefficient is negative."""
    rng = random.Random(seed)
    seen = 0
    for _ in range(200):
        names = ["a", "b", "c", "d"]
        n = rng.randint(3, 4)
        y = [
            sum((Form.parameter(name) for name in rng.sample(names, rng.randint(1, 2))), Form())
            for _ in range(n)
        ]
        greater = forms.top(rng.choice([1, 2]), y).scaled(F(rng.randint(1, 4), 2))
        lesser = forms.top(2, [Form.parameter(name) for name in names])
        made = covering.find(greater - lesser, DOMAINS)
        if not isinstance(made, Rule) or len((greater - lesser).peaks) != 2:
            continue
        seen += 1
        ((peak, c),) = [one for one in (greater - lesser).peaks if one[1] > 0]
        ((other, _),) = [one for one in (greater - lesser).peaks if one[1] < 0]
        for chosen in combinations(range(4), 2):
            at = {0} | {i + 1 for i in chosen}
            weights = {j: sum((b for i, b in f.items() if i in at), F(0)) for j, f in made.weights[0]}
            assert all(0 <= w <= 1 for w in weights.values()) and sum(weights.values()) <= peak.m
            rest = sum((peak.of[j].scaled(c * w) for j, w in weights.items()), Form())
            rest = rest - sum((other.of[i] for i in chosen), Form())
            assert all(d > 0 for _, d in rest.terms)
    assert seen > 5


# these tests can fail


@pytest.mark.parametrize("skipped", ["sum above", "negative", "larger than"])
def test_a_skipped_requirement_lets_falsehoods_pass(skipped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    false = {
        "sum above": ("max(a, b, c)", "top(2, a, b, c)", rule({0: "z1", 1: "z2", 2: "z3"})),
        "negative": ("max(a, b)", "max(a, 2*a - b)", rule({0: "1 + z2", 1: "-1*z2"})),
        "larger than": ("max(a, b)", "max(2*a - b, 0)", rule({0: "2*z2", 1: "-1*z2"})),
    }[skipped]
    greater, lesser, given = form(false[0]), form(false[1]), false[2]
    with pytest.raises(BadCertificate):
        certificates.check_at_least(greater, lesser, DOMAINS, given)
    whole = Remainder.of

    def without(*args: Any) -> Remainder:
        made = whole(*args)
        words = {"negative": ["negative", "larger than"], "larger than": ["larger than", "negative"]}
        dropped = words.get(skipped, [skipped])
        made.needed = [(f, text) for f, text in made.needed if not any(word in text for word in dropped)]
        return made

    monkeypatch.setattr(Remainder, "of", staticmethod(without))
    certificates.check_at_least(greater, lesser, DOMAINS, given)


# maxima over all subsets, and largest rows


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_maximum_over_all_sums_is_one_worst_case(data: st.DataObject) -> None:
    n, m = data.draw(st.sampled_from([(6, 2), (7, 2), (6, 3), (7, 5)]))
    x = [Form.parameter(f"e{i}").scaled(F(data.draw(st.integers(1, 3)))) for i in range(n)]
    shared = data.draw(st.sampled_from([Form(), Form.parameter("s"), Form.constant(2)]))
    sums = [shared + sum(some, Form()) for some in combinations(x, m)]
    data.draw(st.randoms()).shuffle(sums)
    assert forms.top(1, sums) == shared + forms.top(m, x)
    point = {f"e{i}": F(data.draw(st.integers(0, 9))) for i in range(n)} | {"s": F(1)}
    assert forms.top(1, sums).at(point) == max(one.at(point) for one in sums)
    for fewer in (sums[1:], [*sums[1:], sums[0] + x[0]], [*sums[1:], Form.parameter("t")]):
        assert forms.top(1, fewer).at(point | {"t": F(7)}) == max(
            one.at(point | {"t": F(7)}) for one in fewer
        )
        assert not any(peak.m > 1 for peak, _ in forms.top(1, fewer).peaks)


ROWS = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.integers(-2, 3).filter(bool)), max_size=9, unique_by=str
)


@given(ROWS, st.sets(st.sampled_from("abcd")))
@settings(max_examples=300, deadline=None)
def test_undominated_rows(rows: list[dict[str, int]], equal: set[str]) -> None:
    rows = [row for n, row in enumerate(rows) if row not in rows[:n]]

    def dominates(s: dict[str, int], r: dict[str, int]) -> bool:
        entries = [(key, s.get(key, 0), r.get(key, 0)) for key in "abcd"]
        return s != r and all(a == b if key in equal else a >= b for key, a, b in entries)

    kept = [n for n, r in enumerate(rows) if not any(dominates(s, r) for s in rows)]
    assert orders.undominated(rows, 0, lambda key: key not in equal) == kept
