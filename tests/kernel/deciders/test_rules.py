"""Rules and rays by hand, and random ones: what they show, what they do not, and that what is accepted is true."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from shares import seeds

from dpcompose.kernel.comparison import check_at_least
from dpcompose.kernel.deciders.families import rays
from dpcompose.kernel.deciders.families.rules import Choices, Remainder
from dpcompose.kernel.expressions import forms, formulas
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term, letter, over
from dpcompose.search.comparisons import covering
from dpcompose.search.comparisons.weights import value_at

F = Fraction
WORDS = {
    "a": "positive",
    "b": "positive",
    "c": "positive",
    "d": "nonnegative",
    "x": "real",
    "y": "real",
    "n": "integer >= 2",
    "p": "in (0,1)",
    "k": "integer >= 1",
    "l": "integer >= 3",
    "e[i]": "nonnegative",
    "f[i]": "nonnegative",
    "z[i]": "real",
}
SYMBOLS = {name: letter(name, Domain.read(words)) for name, words in WORDS.items()}


def read(text: str) -> Term:
    return formulas.parse(text, SYMBOLS)


def affine(text: str) -> list[list[Any]]:
    """1/2 + 2*z1 - z3 as data."""
    found = {}
    for sign, number, z in re.findall(r"([+-]?)\s*([0-9/]*)\*?(z[0-9]+)?", text.replace(" ", "")):
        if number or z:
            found[int(z[1:]) if z else 0] = sign.replace("+", "") + (number or "1")
    return [[i, c] for i, c in found.items()]


def choose(m: int, inside: int, *members: str) -> list[Any]:
    return ["choose", m, inside, list(members)]


def weigh(peak: str, **weights: str) -> list[Any]:
    return ["weigh", peak, [[one.replace("_", " + "), affine(f)] for one, f in weights.items()]]


def certificate(greater: str, lesser: str, follow: list[Any], bounds: Any = ()) -> dict[str, Any]:
    names = sorted(read(greater).letters | read(lesser).letters)
    written = [[name, end, affine(f)] for name, end, f in bounds]
    return {
        "letters": {name: WORDS[name] for name in names},
        "difference": f"{greater} - ({lesser})",
        "proof": {"rule": {"follow": follow} | ({"bounds": written} if written else {})},
    }


TWO = choose(2, 0, "a", "b", "c")
HALVES = weigh("max(a, b, c)", a="z1", b="z2", c="z3")
TWICE = ("2*max(a, b, c)", "top(2, a, b, c)")
GOOD: list[tuple[str, str, list[Any], Any]] = [
    ("a + b + c", "top(2, a, b, c)", [TWO], ()),
    (*TWICE, [TWO, HALVES], ()),
    ("top(3, a, b, c, d)", "top(2, a, b, c, d)", [choose(2, 0, "a", "b", "c", "d"), weigh("top(3, a, b, c, d)", a="z1", b="z2", c="z3", d="z4")], ()),
    ("2*max(x, y, a)", "top(2, x, y, a)", [choose(2, 0, "x", "y", "a"), weigh("max(x, y, a)", x="z1", y="z2", a="z3")], ()),
    ("max(a, b) + max(c, d)", "a/2 + b/2 + c", [weigh("max(a, b)", a="1/2", b="1/2"), weigh("max(c, d)", c="1")], ()),
    (
        "2*max(a, b, c, d)", "top(2, a, max(b, c), d)",
        [choose(2, 0, "a", "d", "max(b, c)"), choose(1, 3, "b", "c"), weigh("max(a, b, c, d)", a="z1", b="z4", c="z5", d="z2")], (),
    ),
    ("2", "max(p, 2*p)", [choose(1, 0, "p", "2*p")], [("p", "greatest", "z1 + 2*z2")]),
    ("n", "max(p, 2*p)", [choose(1, 0, "p", "2*p")], [("p", "greatest", "z1 + 2*z2"), ("n", "least", "1")]),
    ("max(a, b + max(c, d))", "max(a, b + c)", [choose(1, 0, "a", "b + c"), weigh("max(a, b + max(c, d))", **{"a": "z1", "b_max(c, d)": "z2"}), weigh("max(c, d)", c="z2")], ()),
    ("max(a, b)", "0", [], ()),
]  # fmt: skip


@pytest.mark.parametrize("greater, lesser, follow, bounds", GOOD, ids=[f"{g} >= {l}" for g, l, *_ in GOOD])
def test_good_rules(greater: str, lesser: str, follow: list[Any], bounds: Any) -> None:
    data = json.loads(json.dumps(certificate(greater, lesser, follow, bounds)))
    assert check_at_least(read(greater), read(lesser), data) == {"rules"}
    more = f"{lesser} + 1/1000"
    with pytest.raises(BadCertificate):
        check_at_least(read(greater), read(more), certificate(greater, more, follow, bounds))


SOME = "for some choice "
BAD: list[tuple[str, str, list[Any], Any, str]] = [
    (*TWICE, [], (), SOME + "-top(2, a, b, c) is not seen to be >= 0"),
    (*TWICE, [TWO], (), SOME + "-a is not seen to be >= 0"),
    (*TWICE, [TWO, weigh("max(a, b, c)", a="z1", b="z2", c="2/3*z3")], (), SOME + "-c/3 is not seen to be >= 0"),
    (*TWICE, [TWO, weigh("max(a, b, c)", a="1", b="1", c="1")], (), SOME + "the weights of a worst case have too large a sum"),
    (*TWICE, [TWO, weigh("max(a, b, c)", a="3*z1", b="-1*z2")], (), SOME + "a weight is too large"),
    (*TWICE, [TWO, weigh("max(a, b, c)", a="z1", b="-1*z2")], (), SOME + "a weight is negative"),
    (*TWICE, [TWO, weigh("max(a, b, c)", a="z4")], (), "the rule speaks of a choice that there is not"),
    (*TWICE, [TWO, HALVES, HALVES], (), SOME + "a weight is too large"),
    (*TWICE, [TWO, TWO, HALVES], (), "a worst case is chosen from that is not subtracted"),
    (*TWICE, [choose(1, 0, "a", "b", "c")], (), "a worst case is chosen from that is not subtracted"),
    (*TWICE, [choose(2, 1, "a", "b", "c")], (), "the rule speaks of a choice that there is not"),
    (*TWICE, [choose(2, 0, "a", "b", "b")], (), "a worst case is chosen from that is not subtracted"),
    (*TWICE, [choose(2, 0, "a", "b")], (), "a rule speaks of what is no worst case"),
    (*TWICE, [weigh("a")], (), "a rule speaks of what is no worst case"),
    (*TWICE, [["take", "a", []]], (), "a rule has no take"),
    (*TWICE, [TWO, weigh("max(a, b, c)", a_b="1/2")], (), "the rule's weights do not fit the worst case"),
    ("a + b", "top(2, a, b, d)", [choose(2, 0, "a", "b", "d")], (), SOME + "-d is not seen to be >= 0"),
    ("x + y + a", "top(2, x, y, a)", [choose(2, 0, "x", "y", "a")], (), SOME + "x is not seen to be >= 0"),
    ("2*max(x, y, a)", "max(x, y)", [choose(1, 0, "x", "y"), weigh("max(x, y, a)", x="z1", y="z2")], (), SOME + "the weights of a worst case that may be negative have too small a sum"),
    ("n", "max(n, 3)", [choose(1, 0, "n", "3")], (), SOME + "-3 is not seen to be >= 0"),
    ("n", "2", [], [("n", "least", "-1")], SOME + "a multiple of a bound is negative"),
    ("n", "2", [], [("n", "greatest", "1")], "there is no greatest value"),
    ("max(a, b + max(c, d))", "max(a, b + c)", [choose(1, 0, "a", "b + c"), weigh("max(a, b + max(c, d))", **{"a": "z1", "b_max(c, d)": "z2"}), weigh("max(c, d)", c="z1")], (), SOME + "a weight is too large"),
]  # fmt: skip


@pytest.mark.parametrize("greater, lesser, follow, bounds, message", BAD)
def test_bad_rules(greater: str, lesser: str, follow: list[Any], bounds: Any, message: str) -> None:
    with pytest.raises(BadCertificate) as refused:
        check_at_least(read(greater), read(lesser), certificate(greater, lesser, follow, bounds))
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "data",
    [None, {}, [], {"follow": 1}, {"follow": [1]}, {"follow": [[]]}, {"follow": [["choose"]]}, {"follow": [], "more": 1},
     {"follow": [["choose", True, 0, ["a", "b"]]]}, {"follow": [["choose", 1, -1, ["a", "b"]]]}, {"follow": [["weigh", "max(a, b)", [["a", 1]]]]},
     {"follow": [["weigh", "max(a, b)", [["a", [[0, "1/0"]]]]]]}, {"follow": [["weigh", "max(a, b)", [["a", [[0, "1"], [0, "1"]]]]]]},
     {"follow": [["weigh", "max(a, b)", [["a", [["0", "1"]]]]]]}, {"follow": [], "bounds": [["a", "least"]]}],
)  # fmt: skip
def test_unreadable_rules(data: Any) -> None:
    shown = certificate("max(a, b)", "0", [])
    check_at_least(read("max(a, b)"), read("0"), shown)
    with pytest.raises(BadCertificate):
        check_at_least(read("max(a, b)"), read("0"), {**shown, "proof": {"rule": data}})


@pytest.mark.parametrize("skipped", ["too large a sum", "negative", "weight is too large"])
def test_a_skipped_requirement_lets_falsehoods_pass(skipped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests can fail: without one of the requirements, what is false is accepted."""
    greater, lesser, follow = {
        "too large a sum": (
            "max(a, b, c)", "top(2, a, b, c)", [TWO, weigh("max(a, b, c)", a="z1", b="z2", c="z3")],
        ),
        "negative": ("max(a, b)", "2*a - b", [weigh("max(a, b)", a="2", b="-1")]),
        "weight is too large": ("max(a, b)", "2*a - b", [weigh("max(a, b)", a="2", b="-1")]),
    }[skipped]  # fmt: skip
    with pytest.raises(BadCertificate):
        check_at_least(read(greater), read(lesser), certificate(greater, lesser, follow))
    need = Remainder.need

    def without(self: Remainder, f: Any, message: str) -> None:
        words = ["negative", "weight is too large"] if skipped != "too large a sum" else [skipped]
        if not any(word in message for word in words):
            need(self, f, message)

    monkeypatch.setattr(Remainder, "need", without)
    check_at_least(read(greater), read(lesser), certificate(greater, lesser, follow))


# the least value of an affine function, by going through all choices


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


@pytest.mark.parametrize("seed", range(20))
def test_the_least_value_over_all_choices(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        choices, groups = Choices(), []
        for _ in range(rng.randint(1, 3)):
            inside = rng.randrange(len(choices.group_of))
            n = rng.randint(2, 3)
            m = rng.randint(1, n - 1)
            groups.append((inside, m, choices.among(inside, m, n)))
        numbers = [i for i in range(len(choices.group_of)) if rng.random() < 0.7]
        f = {i: F(rng.randint(-4, 4), rng.choice([1, 2])) for i in numbers}
        brute = min(
            sum((c for i, c in f.items() if i == 0 or i in made), F(0))
            for made in all_choices(groups, frozenset())
        )
        assert choices.least(f) == brute
        assert choices.never_negative(f) == (brute >= 0)


# random comparisons: what is accepted is true


def linear(rng: random.Random, names: list[str], depth: int) -> str:
    parts = [str(rng.choice(["0", "0", "0", "1", "(-1/2)"]))]
    for _ in range(rng.randint(1, 2)):
        c = f"{rng.choice([1, 1, 2])}/{rng.choice([1, 2])}"
        if depth and rng.random() < 0.7:
            inner = [linear(rng, names, depth - 1) for _ in range(rng.randint(2, 4))]
            parts.append(f"{c}*top({rng.choice([1, 1, 2])}, {', '.join(inner)})")
        else:
            parts.append(f"{c}*{rng.choice(names)}")
    return "(" + " + ".join(parts) + ")"


def drawn(rng: random.Random, domain: Domain) -> Fraction:
    while True:
        x = F(rng.randint(-9, 12), rng.choice([1, 1, 2, 3, 1000])) * rng.choice([1, 1, 1, 100])
        if domain.contains(x):
            return x


def spoiled(rng: random.Random, data: Any) -> Any:
    """The rule with one of its numbers changed."""
    data = json.loads(json.dumps(data))
    functions = [f for kind, *of in data["follow"] if kind == "weigh" for _, f in of[1]]
    functions = [f for f in functions + [f for *_, f in data.get("bounds", [])] if f]
    if functions:
        entry = rng.choice(rng.choice(functions))
        entry[1] = str(F(entry[1]) + rng.choice([F(1, 2), F(-1, 2), F(1, 4), F(-1, 4), F(1)]))
    return data


@seeds(1, 12)
def test_random_rules_prove_only_what_is_true(seed: int) -> None:
    rng = random.Random(seed)
    found = accepted = refused = 0
    for _ in range(40):
        names = rng.sample(["a", "b", "c", "d", "n"], 3)
        greater = f"{rng.choice([2, 3, 5, 8])}*{linear(rng, names, 1)}"
        lesser = linear(rng, names, 2)
        made = covering.find(forms.read(read(greater)) - forms.read(read(lesser)))
        if isinstance(made, list):
            continue
        found += 1
        for n in range(4):
            other = linear(rng, names, 2) if rng.random() < 0.2 and n else lesser
            data = certificate(greater, other, [])
            data["proof"] = {"rule": made["rule"] if not n else spoiled(rng, made["rule"])}
            try:
                check_at_least(read(greater), read(other), data)
            except BadCertificate:
                assert n
                refused += 1
                continue
            accepted += 1
            for _ in range(30):
                point = {name: drawn(rng, Domain.read(WORDS[name])) for name in names}
                more, less = (formulas.evaluate(read(side), point) for side in (greater, other))
                assert more is not None and less is not None and more >= less, (greater, other, point)
    assert found > 2 and accepted > 5 and refused > 5, (found, accepted, refused)


# rays


def on_rays(text: str, *named: list[str]) -> str:
    form, *_ = rays.on_rays(forms.read(read(text)), list(named), SYMBOLS)
    return formulas.to_text(forms.write(form))


E, EF = ["e[i]", "k", "r"], ["e[i] + f[i]", "k", "s"]


def test_what_is_on_rays() -> None:
    assert on_rays("max(e[i], i, 1, k)", E) == "r_1 + r_all"
    assert on_rays("top(2, e[i], i, 1, k)", E) == "r_1 + 2*r_2 + 2*r_all"
    assert on_rays("sum(e[i], i, 1, k)", E) == "r_1 + r_all + r_all_more"
    assert on_rays("sum(e[i], i, 1, l) - top(2, e[i], i, 1, l)", ["e[i]", "l", "r"]) == "r_all + r_all_more"
    assert on_rays("k*max(e[i], i, 1, k)", E) == "r_1 + r_1_more + r_all + r_all_more"
    assert on_rays("sum(e[i], i, 1, 5)", ["e[i]", "5", "r"]) == "r_1 + 5*r_all"
    assert on_rays("top(2, e[i] + f[i], i, 1, k)", EF) == "s_1 + 2*s_2 + 2*s_all"
    apart = on_rays("-max(e[i] + f[i], i, 1, k)", E, ["f[i]", "k", "s"])
    assert apart == "-r_1 - r_all - s_1 - s_all"
    squares = on_rays("max(e[i], i, 1, k)**2", ["e[i]**2", "k", "r"])
    assert squares == "r_1 + r_all"


@pytest.mark.parametrize(
    "text, named, message",
    [
        ("max(e[i], i, 1, k)", [], "the families are others"),
        ("max(e[i], i, 1, k)", [E, EF], "the families are others"),
        ("max(z[i], i, 1, k)", [["z[i]", "k", "r"]], "the members of a family"),
        ("max(e[i], i, 1, k)", [["e[i]", "l", "r"]], "the families are others"),
        ("max(e[i], i, 1, k)", [["e[i]", "k", "r r"]], "a new letter has the name of another one"),
        ("max(e[i], i, 1, k) + max(f[i], i, 1, k)", [E, ["f[i]", "k", "r"]], "the families are others"),
        ("k*sum(e[i], i, 1, k)", [E], "multiplied by the number of its members"),
        ("-max(e[i], i, 1, k)**2", [E], "raised to a power"),
        ("top(2000, e[i], i, 1, k)", [E], "a sum of that many largest members"),
    ],
)
def test_rays_that_are_refused(text: str, named: list[list[str]], message: str) -> None:
    with pytest.raises((BadCertificate, forms.NotAForm), match=message):
        on_rays(text, *named)


def test_a_parameter_may_not_be_called_like_a_ray() -> None:
    """Else r_1 would stand for two things."""
    own = letter("r_1", Domain.read("nonnegative"))
    e, k = SYMBOLS["e[i]"], SYMBOLS["k"]
    greater, lesser = own + 1, over(1, e, k)
    proof = {"rays": [E], "difference": "r_1 + 1 - r_1 - r_all", "proof": {"rest": "1 - r_all"}}
    data = {
        "letters": {"e[i]": "nonnegative", "k": "integer >= 1", "r_1": "nonnegative"},
        "difference": "r_1 + 1 - max(e[i], i, 1, k)",
        "proof": proof,
    }
    with pytest.raises(BadCertificate, match="a new letter has the name of another one"):
        check_at_least(greater, lesser, data)


@pytest.mark.parametrize("seed", range(3))
def test_every_vector_lies_on_rays(seed: int) -> None:
    """For random members there are values of the rays' letters with the same T_m and S."""
    rng = random.Random(seed)
    for _ in range(30):
        k, most = rng.randint(1, 6), rng.randint(1, 4)
        members = sorted((F(rng.randint(0, 9)) for _ in range(k)), reverse=True)
        alpha = [members[j] - (members[j + 1] if j + 1 < k else 0) for j in range(k)]
        values = {f"r_{j}": F(0) for j in range(1, most + 1)} | {"r_all": F(0)}
        for j, c in enumerate(alpha, start=1):
            if j < most:
                values[f"r_{j}"] += c
            else:  # between most and k members: a mixture of both
                share = F(j - most, k - most) if k > most else F(0)
                values["r_all"] += c * share
                values[f"r_{most}"] += c * (1 - share)
        for j in [*range(1, most + 1), "all"]:
            least = max(1, most if j == "all" else int(j))
            values[f"r_{j}_more"] = (k - least) * values[f"r_{j}"]
        for text in [f"top({most}, e[i], i, 1, k)", "max(e[i], i, 1, k)", "sum(e[i], i, 1, k)"]:
            sums = f"{text} + 0*k" if most == 1 else text
            form = forms.read(read(sums)) + forms.read(read(f"top({most}, e[i], i, 1, k)"))
            on, *_ = rays.on_rays(form, [E], SYMBOLS)
            point = {f"e[{j}]": x for j, x in enumerate(members, start=1)} | {"k": F(k)}
            exact = sum(
                (formulas.evaluate(read(one), point) or F(0)) for one in (text, f"top({most}, e[i], i, 1, k)")
            )
            assert value_at(on, values | {"k": F(k)}) == exact
