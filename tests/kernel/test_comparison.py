"""Certificates by hand: what each kind of step shows, what it does not, and what is refused."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from shares import seeds

from dpcompose.kernel import comparison
from dpcompose.kernel.comparison import BadCertificate, check_at_least, check_point
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.expressions import forms, formulas
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import INFINITY, Term, letter
from dpcompose.search.comparisons.weights import chosen_peak, pieces

F = Fraction
WORDS = {
    "a": "positive",
    "b": "positive",
    "c": "nonnegative",
    "x": "real",
    "y": "real",
    "n": "integer >= 2",
    "m": "integer >= -3",
    "p": "in (0,1)",
    "q": "in (0,1)",
    "k": "integer >= 1",
    "e[i]": "nonnegative",
}
SYMBOLS = {name: letter(name, Domain.read(words)) for name, words in WORDS.items()}


def read(text: str) -> Term:
    return formulas.parse(text, SYMBOLS)


def certificate(greater: str, lesser: str, proof: Any, known: Any = ()) -> dict[str, Any]:
    names = sorted(read(greater).letters | read(lesser).letters)
    data = {"letters": {name: WORDS[name] for name in names}, "difference": f"{greater} - ({lesser})"}
    return data | {"proof": proof} | ({"known": list(known)} if known else {})


def rest(text: str, **more: Any) -> dict[str, Any]:
    return more | {"rest": text}


def weights(text: str, *shares: tuple[str, str]) -> list[Any]:
    return [text, [[one, share] for one, share in shares]]


HALVES = [weights("max(a, b)", ("a", "1/2"), ("b", "1/2"))]
GOOD: list[tuple[str, str, Any]] = [
    ("a + b", "a", rest("b")),
    ("a", "a", rest("0")),
    ("0", "0", rest("0")),
    ("a*b", "0", rest("a*b")),
    ("(a + b)**2", "a**2 + b**2", rest("2*a*b")),
    ("a*b*c + c", "c", rest("a*b*c")),
    ("x**2", "0", rest("x**2")),
    ("x**2*a + y**4", "0", rest("y**4 + a*x**2")),
    ("a + b", "max(a, b)", {"choose": "max(a, b)", "cases": [["a", rest("b")], ["b", rest("a")]]}),
    ("a + b", "max(b, a)", {"choose": "max(a, b)", "cases": [["b", rest("a")], ["a", rest("b")]]}),
    (
        "a + b + c",
        "top(2, a, b, c)",
        {"choose": "top(2, a, b, c)", "cases": [["a + b", rest("c")], ["b + c", rest("a")], ["a + c", rest("b")]]},
    ),
    ("max(a, b)", "a", rest("0", weights=[weights("max(a, b)", ("a", "1"))])),
    ("max(a, b)", "a/2 + b/2", rest("0", weights=HALVES)),
    ("2*max(a, b)", "a + b", rest("0", weights=HALVES)),
    ("3*max(a, b)", "a + 2*b", rest("0", weights=[weights("max(a, b)", ("a", "1/3"), ("b", "2/3"))])),
    (
        "top(2, a, b, c)",
        "2*a/3 + 2*b/3 + 2*c/3",
        rest("0", weights=[weights("top(2, a, b, c)", ("a", "2/3"), ("b", "2/3"), ("c", "2/3"))]),
    ),
    ("top(2, a, a, b)", "2*a", rest("0", weights=[weights("top(2, a, a, b)", ("a", "2"))])),
    ("max(a, b)", "0", rest("max(a, b)")),
    ("max(x, -x)", "0", rest("0", weights=[weights("abs(x)", ("x", "1/2"), ("-x", "1/2"))])),
    ("max(x, -x)", "x", rest("0", weights=[weights("abs(x)", ("x", "1"))])),
    (
        "max(2*a, b + max(a, b))",
        "a + b",
        rest(
            "0",
            weights=[
                weights("max(2*a, b + max(a, b))", ("b + max(a, b)", "1")),
                weights("max(a, b)", ("a", "1")),
            ],
        ),
    ),
    ("n", "2", rest("0", bounds=[["n", "least", "1"]])),
    ("3*n + m", "3", rest("0", bounds=[["n", "least", "3"], ["m", "least", "1"]])),
    ("n*a", "0", rest("a*n")),
    ("1", "p", rest("0", bounds=[["p", "greatest", "1"]])),
    ("n", "1 + p", rest("0", bounds=[["n", "least", "1"], ["p", "greatest", "1"]])),
    ("p + q", "p*q", rest("p + q - p*q", unit=["p", "q"])),
    ("p", "p**2", rest("p - p**2", unit=["p"])),
    ("sqrt(a) + b", "sqrt(a)", rest("b")),
    ("exp(x)", "0", rest("exp(x)")),
    ("log(1 + c)", "0", rest("log(1 + c)")),
    ("1/(1 - p)", "0", rest("1/(1 - p)")),
    ("(sqrt(2) - 1)*a", "0", rest("sqrt(2)*a - a")),
    ("a", "min(a, b)", rest("0", weights=[weights("max(-a, -b)", ("-a", "1"))])),
    ("min(a, b)", "0", {"choose": "max(-a, -b)", "cases": [["-a", rest("a")], ["-b", rest("b")]]}),
    (
        "max(a - max(b, c), 0)",
        "0",
        {
            "choose": "max(b, c)",
            "cases": [
                ["b", rest("0", weights=[weights("max(a - b, 0)", ("0", "1"))])],
                ["c", rest("0", weights=[weights("max(a - c, 0)", ("0", "1"))])],
            ],
        },
    ),
    ("n*a", "2*a", {"shift": [["n", "least", "n1"]], "difference": "n1*a", "proof": rest("n1*a")}),
    ("p", "p**2", {"shift": [["p", "greatest", "z"]], "difference": "z - z**2", "proof": rest("z - z**2", unit=["z"])}),
]  # fmt: skip
IDS = [f"{g} >= {l}" for g, l, _ in GOOD]


@pytest.mark.parametrize("greater, lesser, proof", GOOD, ids=IDS)
def test_good_certificates(greater: str, lesser: str, proof: Any) -> None:
    assert check_at_least(read(greater), read(lesser), certificate(greater, lesser, proof)) == frozenset()


@pytest.mark.parametrize("greater, lesser, proof", GOOD, ids=IDS)
def test_a_good_certificate_shows_nothing_more(greater: str, lesser: str, proof: Any) -> None:
    """Neither for another difference, nor with the difference corrected."""
    more = f"{lesser} + 1/1000"
    with pytest.raises(BadCertificate, match="the difference of the certificate is another one"):
        check_at_least(read(greater), read(more), certificate(greater, lesser, proof))
    with pytest.raises(BadCertificate):
        check_at_least(read(greater), read(more), certificate(greater, more, proof))


def spoiled(data: Any) -> Iterator[Any]:
    """The data with one of its parts changed, left out or doubled."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield {other: one for other, one in data.items() if other != key}
            yield from ({**data, key: one} for one in spoiled(value))
        yield {**data, "more": 1}
    elif isinstance(data, list):
        for n, value in enumerate(data):
            yield [*data[:n], *data[n + 1 :]]
            yield from ([*data[:n], one, *data[n + 1 :]] for one in spoiled(value))
        yield [*data, 0]
    else:
        yield from (
            None,
            1,
            0.5,
            True,
            [],
            {},
            "",
            "2",
            "-1",
            "1/0",
            "9" * 3000,
            "x y",
            "z9",
            "(" * 80,
            "1e999",
        )


@pytest.mark.parametrize("greater, lesser, proof", GOOD, ids=IDS)
def test_spoiled_certificates(greater: str, lesser: str, proof: Any) -> None:
    """Whatever is changed: it is refused with the one error, or it shows the same."""
    good = certificate(greater, lesser, proof)
    refused = 0
    for data in spoiled(good):
        try:
            check_at_least(read(greater), read(lesser), data)
        except BadCertificate:
            refused += 1
    assert refused > 30


REAL = {"x": "real"}
SUM, FIT = "the weights of a worst case do not have the sum 1", "the weights do not fit the worst case"
BAD: list[tuple[str, str, Any, str]] = [
    ("x**2 + x", "x**2", rest("x"), "x is not seen to be >= 0"),
    ("a", "a + b", rest("-b"), "-b is not seen to be >= 0"),
    ("a", "2", rest("a - 2"), "-2 is not seen to be >= 0"),
    ("x**3", "0", rest("x**3"), "x**3 is not seen to be >= 0"),
    ("x*y", "0", rest("x*y"), "x*y is not seen to be >= 0"),
    ("a*x**2*y", "0", rest("a*x**2*y"), "a*x**2*y is not seen to be >= 0"),
    ("m", "0", rest("m"), "m is not seen to be >= 0"),
    ("sqrt(a)", "sqrt(b)", rest("sqrt(a) - sqrt(b)"), "-sqrt(b) is not seen to be >= 0"),
    ("log(a)", "0", rest("log(a)"), "log(a) is not seen to be >= 0"),
    ("log(x)", "log(x)", rest("0"), "x is not known to be > 0"),
    ("sqrt(x)", "0", rest("sqrt(x)"), "x is not known to be >= 0"),
    ("1/x", "1/x", rest("0"), "x is not known to be != 0"),
    ("a", "0", rest("2*a"), "what is left is not 2*a"),
    ("a + b", "max(a, b)", rest("a + b - max(a, b)"), "-max(a, b) is not seen to be >= 0"),
    ("a + b", "max(a, b)", {"choose": "max(a, b)", "cases": [["a", rest("b")]]}, "the cases are not those of max(a, b)"),
    ("a + b", "max(a, b)", {"choose": "a", "cases": []}, "a is no worst case"),
    ("a + b", "max(a, b)", {"choose": "2*max(a, b)", "cases": []}, "2*max(a, b) is no worst case"),
    (
        "2*max(a, b)", "a + b",
        {"choose": "max(a, b)", "cases": [["a", rest("a - b")], ["b", rest("b - a")]]},
        "what is left is not a - b",
    ),
    ("a + b", "max(a, b)", rest("0", weights=HALVES), "a worst case that is subtracted has weights"),
    ("2*max(a, b)", "a + b", rest("0", weights=[weights("max(a, b)", ("a", "1/2"))]), SUM),
    ("2*max(a, b)", "a + b", rest("0", weights=[weights("max(a, b)", ("a", "1"), ("b", "1"))]), SUM),
    ("2*max(a, b)", "a + b", rest("0", weights=[weights("max(a, b)", ("a", "3/2"), ("b", "-1/2"))]), FIT),
    ("2*max(a, b)", "a + b", rest("0", weights=[weights("max(a, b)", ("a", "1/2"), ("a", "1/2"))]), FIT),
    ("2*max(a, b)", "a + b", rest("0", weights=[weights("max(a, b)", ("a", "1/2"), ("2*b", "1/2"))]), FIT),
    ("top(2, a, b, c)", "2*a", rest("0", weights=[weights("top(2, a, b, c)", ("a", "2"))]), FIT),
    ("top(2, a, a, b)", "3*a", rest("0", weights=[weights("top(2, a, a, b)", ("a", "3"))]), FIT),
    ("n", "3", rest("-1", bounds=[["n", "least", "1"]]), "-1 is not seen to be >= 0"),
    ("n", "2", rest("2*n - 4", bounds=[["n", "least", "-1"]]), "-1 is no allowed multiple"),
    ("n", "2", rest("0", bounds=[["n", "greatest", "1"]]), "there is no greatest value"),
    ("n", "2", rest("0", bounds=[["n", "middle", "1"]]), "there is no middle value"),
    ("n", "2", rest("0", bounds=[["z", "least", "1"]]), "z is no letter here"),
    ("x", "0", rest("0", bounds=[["x", "least", "1"]]), "there is no least value"),
    ("a", "a**2", rest("a - a**2", unit=["a"]), "a is no letter in [0, 1]"),
    ("p**2", "p", rest("p**2 - p", unit=["p"]), "-1/2 is not seen to be >= 0"),
    ("max(p, q)", "0", rest("max(p, q)", unit=["p"]), "a worst case is no polynomial"),
    ("n*a", "2*a", {"shift": [["n", "least", "a"]], "difference": "a**2", "proof": rest("a**2")}, "n cannot be shifted to a"),
    ("n*a", "2*a", {"shift": [["n", "least", "z"]], "difference": "(z + 1)*a", "proof": rest("z*a + a")}, "the difference after a shift is another one"),
    ("x*a", "0", {"shift": [["x", "least", "z"]], "difference": "z*a", "proof": rest("z*a")}, "there is no least value"),
]  # fmt: skip


@pytest.mark.parametrize(
    "greater, lesser, proof, message", BAD, ids=[f"{g} >= {l}: {m}" for g, l, _, m in BAD]
)
def test_bad_certificates(greater: str, lesser: str, proof: Any, message: str) -> None:
    with pytest.raises(BadCertificate) as refused:
        check_at_least(read(greater), read(lesser), certificate(greater, lesser, proof))
    assert str(refused.value) == message


NOT_LESS = (Assumption(SYMBOLS["a"], ">=", SYMBOLS["b"]),)


@pytest.mark.parametrize(
    ("greater", "lesser", "factor"), [("a", "b", "1"), ("c*a", "c*b", "c"), ("a**2", "a*b", "a")]
)
def test_multiples_of_what_is_assumed(greater: str, lesser: str, factor: str) -> None:
    proof = rest("0", assumed=[[0, factor]])
    assert (
        check_at_least(read(greater), read(lesser), certificate(greater, lesser, proof), NOT_LESS) is not None
    )


@pytest.mark.parametrize(
    ("greater", "lesser", "factor", "n", "message"),
    [
        ("b", "a", "-1", 0, "-1 is no allowed multiple"),
        ("a*b", "a**2", "-a", 0, "-a is no allowed multiple"),
        ("x*a", "x*b", "x", 0, "x is no allowed multiple"),
        ("2*a*b", "a**2 + b**2", "b - a", 0, "b - a is no allowed multiple"),
        ("a", "b", "1", 1, "there is no assumption 1"),
    ],
)
def test_no_multiple_below_0_of_what_is_assumed(
    greater: str, lesser: str, factor: str, n: int, message: str
) -> None:
    """Each would show what is false where a > b, but for the last."""
    proof = rest("0", assumed=[[n, factor]])
    with pytest.raises(BadCertificate, match=message):
        check_at_least(read(greater), read(lesser), certificate(greater, lesser, proof), NOT_LESS)


def test_a_letter_means_its_domain() -> None:
    """x² + x ≥ x² holds for x ≥ 0, and the certificate for that says so."""
    for words in ("nonnegative", "positive", "integer >= 0", "in (0,1)"):
        x = letter("x", Domain.read(words))
        shown = {"letters": {"x": words}, "difference": "x", "proof": {"rest": "x"}}
        check_at_least(x**2 + x, x**2, shown)
        for other in ("real", "integer >= -1", "positive", "nonnegative", "in (0,1)", "integer >= 0"):
            if other != words:
                y = letter("x", Domain.read(other))
                with pytest.raises(BadCertificate, match="about other letters, or other values"):
                    check_at_least(y**2 + y, y**2, shown)
    real = letter("x", Domain.read("real"))
    with pytest.raises(BadCertificate, match="x is not seen to be >= 0"):
        check_at_least(real**2 + real, real**2, {**shown, "letters": {"x": "real"}})
    with pytest.raises(BadCertificate, match="x is both"):
        check_at_least(real**2 + x, real**2, shown)


def test_letters_of_the_certificate_are_those_of_both_sides() -> None:
    a, b = SYMBOLS["a"], SYMBOLS["b"]
    shown = {"letters": {"a": "positive"}, "difference": "a", "proof": rest("a")}
    check_at_least(a, a - a, shown)
    with pytest.raises(BadCertificate, match="about other letters"):
        check_at_least(a + b, b, shown)
    with pytest.raises(BadCertificate, match="about other letters"):
        check_at_least(a, a - a, {**shown, "letters": {"a": "positive", "b": "positive"}})


def test_oo_is_compared_by_nobody() -> None:
    shown = {"letters": {}, "difference": "0", "proof": rest("0")}
    with pytest.raises(BadCertificate, match="oo is no number"):
        check_at_least(INFINITY, INFINITY, shown)
    with pytest.raises(BadCertificate, match="oo has no value"):
        check_point(letter("a"), INFINITY, {"a": "1"})


def test_deep_and_large_data() -> None:
    proof: Any = rest("b")
    for _ in range(5_000):
        proof = {"choose": "max(a, b)", "cases": [["a", proof], ["b", proof]]}
    with pytest.raises(BadCertificate):
        check_at_least(read("a + b"), read("max(a, b)"), certificate("a + b", "max(a, b)", proof))
    for size in (200_000,):
        with pytest.raises(BadCertificate):
            data = rest("b", bounds=[["a", "least", "1"]] * size)
            check_at_least(read("a + b"), read("a"), certificate("a + b", "a", data))


def test_too_many_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "MOST_CASES", 1)
    with pytest.raises(BadCertificate):
        check_at_least(read(GOOD[8][0]), read(GOOD[8][1]), certificate(*GOOD[8]))


# points

POINTS: list[tuple[str, str, dict[str, Any], str | None]] = [
    ("a", "b", {"a": "1", "b": "2"}, None),
    ("max(a, b)", "a + b", {"a": "1", "b": "1"}, None),
    ("max(a, b)", "a + b", {"a": "1/1000000000", "b": "1/1000000000"}, None),
    ("x", "0", {"x": "-1/1000000"}, None),
    ("n", "2*p + 1", {"n": "2", "p": "3/4"}, None),
    ("a", "sqrt(b)", {"a": "1", "b": "4"}, None),
    ("a", "sqrt(b)", {"a": "7/5", "b": "2"}, None),
    ("exp(a)", "exp(a) + exp(-100*a)", {"a": "1"}, None),
    ("max(e[i], i, 1, k)", "sum(e[i], i, 1, k)", {"k": "2", "e[1]": "1", "e[2]": "1/2"}, None),
    ("a", "b", {"a": "2", "b": "2"}, "the comparison holds at the point"),
    ("a", "b", {"a": "2", "b": "1"}, "the comparison holds at the point"),
    ("a", "b", {"a": "0", "b": "1"}, "a = 0 is not allowed: a is positive"),
    ("c", "1", {"c": "-1"}, "c = -1 is not allowed: c is nonnegative"),
    ("n", "3", {"n": "5/2"}, "n = 5/2 is not allowed: n is integer >= 2"),
    ("n", "3", {"n": "1"}, "n = 1 is not allowed: n is integer >= 2"),
    ("0", "m", {"m": "-4"}, "m = -4 is not allowed: m is integer >= -3"),
    ("1/2", "p", {"p": "1"}, "p = 1 is not allowed: p is in (0,1)"),
    ("a", "b", {"a": "1"}, "the point has no value for b"),
    ("a", "b", {"a": "1", "b": "2", "z": "1"}, "z is no parameter"),
    ("a", "sqrt(b)", {"a": "3/2", "b": "2"}, "the comparison holds at the point"),
    ("a", "sqrt(b)", {"a": "1"}, "the point has no value for b"),
    ("a", "b", {}, "the point has no value for a"),
    ("1/x", "1", {"x": "0"}, "1/x has no real value at x = 0"),
    ("sqrt(x)", "1", {"x": "-1"}, "sqrt(x) has no real value at x = -1"),
    ("exp(log(x)/2)", "a", {"x": "-1", "a": "9"}, "sqrt(x) has no real value at x = -1"),
    ("max(e[i], i, 1, k)", "sum(e[i], i, 1, k)", {"k": "2", "e[1]": "1"}, "no value is given for e[2]"),
    ("max(e[i], i, 1, k)", "sum(e[i], i, 1, k)", {"k": "2", "e[i]": "1"}, "e[i] is no parameter"),
    ("max(e[i], i, 1, k)", "sum(e[i], i, 1, k)", {"k": "1", "e[1]": "-1"}, "e[1] = -1 is not allowed: e[1] is nonnegative"),
    ("log(2*a) - log(a)", "log(2)", {"a": "3"}, "the values at the point are too close to one another to tell"),
]  # fmt: skip


@pytest.mark.parametrize("greater, lesser, point, message", POINTS)
def test_points(greater: str, lesser: str, point: dict[str, str], message: str | None) -> None:
    if message is None:
        check_point(read(greater), read(lesser), point)
        check_point(read(greater), read(lesser), {name: F(x) for name, x in point.items()})
        with pytest.raises(BadCertificate):
            check_point(read(lesser), read(greater), point)
        return
    with pytest.raises(BadCertificate) as refused:
        check_point(read(greater), read(lesser), point)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "data", [None, 1, [], "a", [["a", "1"]], {"a": None}, {"a": "x"}, {"a": []}, {"a": "1/0"}, {"a": "nan"},
             {"a": float("nan")}, {"a": float("inf")}, {"a": {}}, {"a": "9" * 5000}, {"a": 1}, {"a": True}, {1: "1"}]
)  # fmt: skip
def test_unreadable_points(data: Any) -> None:
    with pytest.raises(BadCertificate, match="cannot be read"):
        check_point(read("a"), read("a + 1"), data)


# random certificates: what is accepted is true


def random_text(rng: random.Random, depth: int) -> str:
    parts = [str(rng.choice([0, 0, 1, -1]))]
    for _ in range(rng.randint(1, 2)):
        c = f"{rng.choice([1, 1, 2, -1, -2])}/{rng.choice([1, 1, 2])}"
        if depth and rng.random() < 0.5:
            inner = ", ".join(random_text(rng, depth - 1) for _ in range(rng.randint(2, 3)))
            parts.append(f"{c}*{rng.choice(['max', 'min'])}({inner})")
        elif rng.random() < 0.8:
            parts.append(f"{c}*{rng.choice('abcxyp')}")
        else:
            parts.append(f"{c}*{rng.choice('abcxyp')}*{rng.choice('abcxyp')}")
    return "(" + " + ".join(parts) + ")"


def random_proof(rng: random.Random, difference: Term) -> Any:
    """A proof of the right shape, whose weights are drawn: it may show nothing."""
    form = forms.read(difference)
    peak = chosen_peak(form)
    if peak is not None:
        from itertools import combinations

        whole = formulas.to_text(forms.write(forms.Form(((peak, F(1)),))))
        cases = []
        for some in combinations(peak.of, peak.m):
            chosen = forms.total(some)
            after = forms.write(forms.replaced(form, peak, chosen))
            cases.append([formulas.to_text(forms.write(chosen)), random_proof(rng, after)])
        return {"choose": whole, "cases": cases}
    given = []
    while form.peaks and rng.random() < 0.95:
        peak, c = form.peaks[0]
        shares = {inner: F(0) for inner in peak.of}
        for _ in range(rounds := rng.randint(1, 3)):
            for inner in rng.sample(list(peak.of), peak.m):
                shares[inner] += F(1, rounds)
        if rng.random() < 0.2:
            shares[rng.choice(list(shares))] += rng.choice([F(1, 2), F(-1, 2), F(-1)])
        whole = formulas.to_text(forms.write(forms.Form(((peak, F(1)),))))
        given.append([whole, [[formulas.to_text(forms.write(x)), str(w)] for x, w in shares.items() if w]])
        form = forms.total([form - forms.Form(((peak, c),)), *(x.scaled(c * w) for x, w in shares.items())])
    return {"weights": given, "rest": formulas.to_text(forms.write(form))}


def drawn(rng: random.Random, domain: Domain) -> Fraction:
    while True:
        x = F(rng.randint(-9, 9), rng.choice([1, 2, 3, 10, 1000]))
        if domain.contains(x):
            return x


@seeds(1, 8)
def test_random_certificates_show_only_what_is_true(seed: int) -> None:
    rng = random.Random(seed)
    accepted = refused = 0
    for _ in range(50):
        lesser = random_text(rng, 2)
        greater = random_text(rng, 2) if rng.random() < 0.3 else f"{lesser} + max({random_text(rng, 1)}, 0)"
        g, l = read(greater), read(lesser)
        if pieces(forms.read(g - l), 40) is None:
            continue
        shown = certificate(greater, lesser, random_proof(rng, g - l))
        try:
            check_at_least(g, l, copy.deepcopy(shown))
        except BadCertificate:
            refused += 1
            continue
        accepted += 1
        for _ in range(20):
            point = {name: drawn(rng, domain) for name, domain in (g.letters | l.letters).items()}
            more, less = formulas.evaluate(g, point), formulas.evaluate(l, point)
            assert more is not None and less is not None and more >= less, (greater, lesser, point)
    assert accepted > 5 and refused > 5, (accepted, refused)
