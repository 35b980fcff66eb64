"""Certificates by hand: what each kind shows, what it does not, and random ones that must be sound."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form
from dpcompose.language.symbols import Domain, symbol
from dpcompose.proof import certificates
from dpcompose.proof.certificates import BadCertificate, PieceProof, Proof, Weights

WORDS = {
    "a": "positive",
    "b": "positive",
    "c": "nonnegative",
    "x": "real",
    "y": "real",
    "n": "integer >= 2",
    "m": "integer >= -3",
    "p": "in (0,1)",
}
DOMAINS = {name: Domain.read(words) for name, words in WORDS.items()}
F = Fraction


def form(text: str) -> Form:
    symbols = {name: symbol(name, domain) for name, domain in DOMAINS.items()}
    return forms.read(formulas.parse(text, symbols), DOMAINS)


def weights(of: dict[str, Any], peak: forms.Peak) -> Weights:
    """Weights by the text of what is weighted: {"2*a": "1/2", "b + max(a, b)": ("1/2", {"a": 1})}."""
    entries = []
    for text, given in of.items():
        share, inside = given if isinstance(given, tuple) else (given, None)
        j = peak.of.index(form(text))
        inner = () if inside is None else tuple(weights(inside, p) for p, _ in peak.of[j].peaks)
        entries.append((j, F(share), inner))
    return Weights(tuple(entries))


def proof(greater: str, lesser: str, *pieces: Any) -> Proof:
    """A proof by the texts of what is weighted; a piece is (weights of its peaks, multiples of bounds)."""
    proofs = []
    found = forms.pieces(form(greater) - form(lesser), 100)
    assert found is not None
    for piece, (of, bounds) in zip(found, pieces, strict=True):
        given = tuple(weights(one, peak) for one, (peak, _) in zip(of, piece.peaks, strict=True))
        proofs.append(PieceProof(given, tuple((name, end, F(factor)) for name, end, factor in bounds)))
    return tuple(proofs)


NOTHING: Any = ([], [])
GOOD: list[tuple[str, str, list[Any]]] = [
    ("a + b", "a", [NOTHING]),
    ("a", "a", [NOTHING]),
    ("0", "0", [NOTHING]),
    ("a*b", "0", [NOTHING]),
    ("(a + b)**2", "a**2 + b**2", [NOTHING]),
    ("a*b*c + c", "c", [NOTHING]),
    ("x**2", "0", [NOTHING]),
    ("x**2*a + y**4", "0", [NOTHING]),
    ("a + b", "max(a, b)", [NOTHING, NOTHING]),
    ("a + b + c", "top(2, a, b, c)", [NOTHING] * 3),
    ("max(a, b)", "a", [([{"a": "1"}], [])]),
    ("max(a, b)", "a/2 + b/2", [([{"a": "1/2", "b": "1/2"}], [])]),
    ("2*max(a, b)", "a + b", [([{"a": "1/2", "b": "1/2"}], [])]),
    ("3*max(a, b)", "a + 2*b", [([{"a": "1/3", "b": "2/3"}], [])]),
    ("top(2, a, b, c)", "2*a/3 + 2*b/3 + 2*c/3", [([{"a": "2/3", "b": "2/3", "c": "2/3"}], [])]),
    ("top(2, a, b, c)", "a + b", [([{"a": "1", "b": "1"}], [])]),
    ("top(2, a, a, b)", "a + b", [([{"a": "1", "b": "1"}], [])]),
    ("max(x, -x)", "0", [([{"x": "1/2", "-x": "1/2"}], [])]),
    ("max(x, -x)", "x", [([{"x": "1"}], [])]),
    ("max(2*a, b + max(a, b))", "a + b", [([{"2*a": 0, "b + max(a, b)": (1, {"a": 1})}], [])]),
    ("max(2*a, b + top(2, a, b, c))", "a + b + c", [([{"b + top(2, a, b, c)": (1, {"a": 1, "c": 1})}], [])]),
    ("n", "2", [([], [("n", "least", "1")])]),
    ("3*n + m", "3", [([], [("n", "least", "3"), ("m", "least", "1")])]),
    ("n*a", "0", [NOTHING]),
    ("1", "p", [([], [("p", "greatest", "1")])]),
    ("n", "1 + p", [([], [("n", "least", "1"), ("p", "greatest", "1")])]),
    ("p", "0", [NOTHING]),
    ("sqrt(a) + b", "sqrt(a)", [NOTHING]),
    ("exp(x)", "0", [NOTHING]),
    ("max(sqrt(a), b)", "sqrt(a)/2 + b/2", [([{"sqrt(a)": "1/2", "b": "1/2"}], [])]),
    ("a", "min(a, b)", [([{"-a": "1"}], [])]),
    ("a/2 + b/2", "min(a, b)", [([{"-a": "1/2", "-b": "1/2"}], [])]),
    ("min(a, b)", "0", [NOTHING, NOTHING]),
    ("min(a + c, b + c)", "c", [NOTHING, NOTHING]),
]


@pytest.mark.parametrize("greater, lesser, pieces", GOOD, ids=[f"{g} >= {l}" for g, l, _ in GOOD])
def test_good_certificates(greater: str, lesser: str, pieces: list[Any]) -> None:
    found = proof(greater, lesser, *pieces)
    certificates.check_at_least(form(greater), form(lesser), DOMAINS, found)
    again = certificates.from_data(certificates.to_data(found))
    assert again == found


@pytest.mark.parametrize("greater, lesser, pieces", GOOD, ids=[f"{g} >= {l}" for g, l, _ in GOOD])
def test_a_good_certificate_shows_nothing_more(greater: str, lesser: str, pieces: list[Any]) -> None:
    """The same certificate does not show that the greater side is larger by a constant."""
    found = proof(greater, lesser, *pieces)
    with pytest.raises(BadCertificate):
        certificates.check_at_least(form(greater), form(f"{lesser} + 1/1000"), DOMAINS, found)


def halves(*entries: tuple[int, str]) -> Proof:
    return (PieceProof((Weights(tuple((j, F(w), ()) for j, w in entries)),)),)


def bounds(*entries: tuple[str, str, str]) -> Proof:
    return (PieceProof((), tuple((name, end, F(c)) for name, end, c in entries)),)


EMPTY: Proof = (PieceProof(()),)
SUM = "piece 1: the weights of a worst case do not lie in [0, 1] with sum 1"
SHORT = "piece 1: the term -1/3*a is not seen to be >= 0"
FIT = "piece 1: the weights do not fit the worst case"
BAD: list[tuple[str, str, Proof, str]] = [
    ("a", "a + b", EMPTY, "piece 1: the term -1*b is not seen to be >= 0"),
    ("a", "2", EMPTY, "piece 1: the term -2*1 is not seen to be >= 0"),
    ("x", "0", EMPTY, "piece 1: the term 1*x is not seen to be >= 0"),
    ("-x", "0", EMPTY, "piece 1: the term -1*x is not seen to be >= 0"),
    ("x**3", "0", EMPTY, "piece 1: the term 1*x**3 is not seen to be >= 0"),
    ("x*y", "0", EMPTY, "piece 1: the term 1*x*y is not seen to be >= 0"),
    ("a*x**2*y", "0", EMPTY, "piece 1: the term 1*a*x**2*y is not seen to be >= 0"),
    ("m", "0", EMPTY, "piece 1: the term 1*m is not seen to be >= 0"),
    ("sqrt(a)", "sqrt(b)", EMPTY, "piece 1: the term -1*sqrt(b) is not seen to be >= 0"),
    ("log(a)", "0", EMPTY, "piece 1: the term 1*log(a) is not seen to be >= 0"),
    ("2*max(a, b)", "a + b", (), "piece 1 has no proof"),
    ("a + b", "max(a, b)", EMPTY, "piece 2 has no proof"),
    ("a + b", "max(a, b)", EMPTY * 3, "3 proofs for 2 pieces"),
    ("2*max(a, b)", "a + b", EMPTY, "piece 1: 0 weights for 1 worst cases"),
    ("a", "0", halves((0, "1")), "piece 1: 1 weights for 0 worst cases"),
    ("2*max(a, b)", "a + b", halves(), SUM),
    ("2*max(a, b)", "a + b", halves((0, "1/2")), SUM),
    ("2*max(a, b)", "a + b", halves((0, "1/2"), (1, "1/2000")), SUM),
    ("2*max(a, b)", "a + b", halves((0, "3/2"), (1, "-1/2")), SUM),
    ("2*max(a, b)", "a + b", halves((0, "2"), (1, "-1")), SUM),
    ("2*max(a, b)", "a + b", halves((0, "1"), (1, "1")), SUM),
    ("2*max(a, b)", "a + b", halves((0, "1/2"), (0, "1/2")), FIT),
    ("2*max(a, b)", "a + b", halves((0, "1/2"), (2, "1/2")), FIT),
    ("2*max(a, b)", "a + b", halves((0, "1/2"), (-1, "1/2")), FIT),
    ("2*max(a, b)", "a + b", halves((0, "1")), "piece 1: the term -1*b is not seen to be >= 0"),
    (
        "2*max(a, b)",
        "a + b",
        halves((0, "1/3"), (1, "2/3")),
        "piece 1: the term -1/3*a is not seen to be >= 0",
    ),
    ("top(2, a, b, c)", "2*a", halves((0, "2")), SUM.replace("sum 1", "sum 2")),
    ("n", "3", bounds(("n", "least", "1")), "piece 1: the term -1*1 is not seen to be >= 0"),
    ("n", "2", bounds(("n", "least", "-1")), "piece 1: -1 times the least value of n is no allowed multiple"),
    ("n", "2", bounds(("n", "greatest", "1")), "n has no greatest value"),
    ("n", "2", bounds(("n", "middle", "1")), "n has no middle value"),
    ("n", "2", bounds(("q", "least", "1")), "piece 1: 1 times the least value of q is no allowed multiple"),
    ("x", "0", bounds(("x", "least", "1")), "x has no least value"),
    ("n", "2", bounds(("n", "least", "2")), "piece 1: the term -1*n is not seen to be >= 0"),
    ("p", "1", bounds(("p", "greatest", "1")), "piece 1: the term -2*1 is not seen to be >= 0"),
]


@pytest.mark.parametrize(
    "greater, lesser, given, message", BAD, ids=[f"{g} >= {l}: {m}" for g, l, _, m in BAD]
)
def test_bad_certificates(greater: str, lesser: str, given: Proof, message: str) -> None:
    with pytest.raises(BadCertificate) as refused:
        certificates.check_at_least(form(greater), form(lesser), DOMAINS, given)
    assert str(refused.value) == message


def test_an_atom_has_no_bounds() -> None:
    with pytest.raises(BadCertificate):
        certificates.check_at_least(form("sqrt(a)"), form("1"), DOMAINS, bounds(("sqrt(a)", "least", "1")))


def test_weights_inside_a_weighted_form_are_checked() -> None:
    greater, lesser = form("max(2*a, b + max(a, b))"), form("a + b")
    ((peak, _),) = greater.peaks
    j = peak.of.index(form("b + max(a, b)"))
    for inner, message in [
        ((), "piece 1: 0 weights for 1 worst cases"),
        ((Weights(((0, F(1, 2), ()),)),), SUM),
        ((Weights(((0, F(1), ()), (1, F(0), ()), (2, F(0), ()))),), FIT),
    ]:
        with pytest.raises(BadCertificate) as refused:
            certificates.check_at_least(
                greater, lesser, DOMAINS, (PieceProof((Weights(((j, F(1), inner),)),)),)
            )
        assert str(refused.value) == message


def test_too_many_pieces_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MOST_PIECES", 2)
    with pytest.raises(BadCertificate) as refused:
        certificates.check_at_least(form("a + b + c"), form("max(a, b, c)"), DOMAINS, EMPTY * 3)
    assert str(refused.value) == "the comparison has more than 2 pieces"


# points

POINTS: list[tuple[str, str, dict[str, Any], str | None]] = [
    ("a", "b", {"a": 1, "b": 2}, None),
    ("max(a, b)", "a + b", {"a": 1, "b": 1}, None),
    ("max(a, b)", "a + b", {"a": "1e-9", "b": "1e-9"}, None),
    ("x", "0", {"x": "-1/1000000"}, None),
    ("n", "2*p + 1", {"n": 2, "p": "3/4"}, None),
    ("a", "sqrt(b)", {"a": 1, "b": 4}, None),
    ("a", "b", {"a": 2, "b": 2}, "the comparison holds at the point"),
    ("a", "b", {"a": 2, "b": 1}, "the comparison holds at the point"),
    ("a", "b", {"a": 0, "b": 1}, "a = 0 is not allowed: a is positive"),
    ("c", "1", {"c": -1}, "c = -1 is not allowed: c is nonnegative"),
    ("n", "3", {"n": "5/2"}, "n = 5/2 is not allowed: n is integer >= 2"),
    ("n", "3", {"n": 1}, "n = 1 is not allowed: n is integer >= 2"),
    ("0", "m", {"m": -4}, "m = -4 is not allowed: m is integer >= -3"),
    ("1/2", "p", {"p": 1}, "p = 1 is not allowed: p is in (0,1)"),
    ("p", "1/2", {"p": 0}, "p = 0 is not allowed: p is in (0,1)"),
    ("a", "b", {"a": 1}, "the point has no value for b"),
    ("a", "b", {"a": 1, "b": 2, "z": 1}, "z is no parameter"),
    ("a", "sqrt(b)", {"a": 2, "b": 2}, "the comparison holds at the point"),
    ("a", "b", {}, "the point has no value for a"),
]


@pytest.mark.parametrize("greater, lesser, point, message", POINTS)
def test_points(greater: str, lesser: str, point: Mapping[str, Any], message: str | None) -> None:
    at = {name: F(value) for name, value in point.items()}
    if message is None:
        certificates.check_point(form(greater), form(lesser), DOMAINS, at)
        return
    with pytest.raises(BadCertificate) as refused:
        certificates.check_point(form(greater), form(lesser), DOMAINS, at)
    assert str(refused.value) == message


def test_a_point_must_say_the_letters_inside_atoms() -> None:
    with pytest.raises(BadCertificate):
        certificates.check_point(form("a"), form("sqrt(b)"), DOMAINS, {"a": F(1)})


# data


@pytest.mark.parametrize(
    "data",
    [
        None,
        1,
        True,
        "x",
        [1],
        [None],
        ["weights"],
        [{}],
        [{"weights": []}],
        [{"bounds": []}],
        [{"weights": 1, "bounds": []}],
        [{"weights": [], "bounds": 1}],
        [{"weights": [], "bounds": [["n", "least"]]}],
        [{"weights": [], "bounds": [["n", "least", "x"]]}],
        [{"weights": [], "bounds": [["n", "least", None]]}],
        [{"weights": [], "bounds": [["n", "least", float("inf")]]}],
        [{"weights": [], "bounds": [["n", "least", float("nan")]]}],
        [{"weights": [], "bounds": [["n", "least", "1/0"]]}],
        [{"weights": [[[0, "1"]]], "bounds": []}],
        [{"weights": [[["a", "1", []]]], "bounds": []}],
        [{"weights": [[[0, "one", []]]], "bounds": []}],
        [{"weights": [[[0, float("inf"), []]]], "bounds": []}],
        [{"weights": [[[float("inf"), "1", []]]], "bounds": []}],
        [{"weights": [[[None, "1", []]]], "bounds": []}],
        [{"weights": [[[[], "1", []]]], "bounds": []}],
        [{"weights": [[[0, [], []]]], "bounds": []}],
        [{"weights": [[[0, "1", 1]]], "bounds": []}],
        [{"weights": [[[0, "9" * 5000, []]]], "bounds": []}],
    ],
)
def test_unreadable_proofs(data: Any) -> None:
    with pytest.raises(BadCertificate, match="cannot be read"):
        certificates.from_data(data)


@pytest.mark.parametrize(
    "data", [None, 1, [], "a", [["a", "1"]], {"a": None}, {"a": "x"}, {"a": []}, {"a": "1/0"}, {"a": "nan"},
             {"a": float("nan")}, {"a": float("inf")}, {"a": {}}, {"a": "9" * 5000}]
)  # fmt: skip
def test_unreadable_points(data: Any) -> None:
    with pytest.raises(BadCertificate) as refused:
        certificates.point_from_data(data)
    assert str(refused.value) == "the point cannot be read"


# random certificates: what is accepted is true


def random_form(rng: random.Random, depth: int) -> Form:
    total = Form.constant(rng.choice([0, 0, 1, -1, F(1, 2)]))
    for _ in range(rng.randint(1, 3)):
        c = F(rng.choice([1, 1, 1, 2, -1, -2]), rng.choice([1, 1, 2]))
        kind = rng.random()
        if depth and kind < 0.5:
            inner = [random_form(rng, depth - 1) for _ in range(rng.randint(2, 3))]
            total = total + forms.top(rng.choice([1, 1, 2]), inner).scaled(c)
        elif kind < 0.9:
            total = total + Form.parameter(rng.choice(list(DOMAINS))).scaled(c)
        else:
            x, y = (Form.parameter(rng.choice(list(DOMAINS))) for _ in "xy")
            total = total + (x * y).scaled(c)
    return total


def random_weights(rng: random.Random, peak: forms.Peak) -> Weights:
    """Allowed weights: a mixture of choices of m forms."""
    shares: dict[int, Fraction] = {}
    choices = rng.choice([1, 1, 2, 3])
    for _ in range(choices):
        for j in rng.sample(range(len(peak.of)), peak.m):
            shares[j] = shares.get(j, F(0)) + F(1, choices)
    return Weights(
        tuple((j, w, tuple(random_weights(rng, p) for p, _ in peak.of[j].peaks)) for j, w in shares.items())
    )


def spoiled(rng: random.Random, given: Weights) -> Weights:
    """The weights with one of them changed."""
    entries = list(given.of)
    i = rng.randrange(len(entries))
    j, w, inner = entries[i]
    entries[i] = (
        rng.choice([j, j + 1, -1]),
        w + rng.choice([F(0), F(1), F(-1), F(1, 2), F(-2)]),
        tuple(spoiled(rng, one) for one in inner) if rng.random() < 0.3 else inner,
    )
    return Weights(tuple(entries))


def lower_bound(piece: Form, of: tuple[Weights, ...]) -> Form:
    """What remains of a piece with its worst cases replaced by the weighted sums."""
    total = Form(piece.monomials)
    for (peak, c), given in zip(piece.peaks, of, strict=True):
        for j, w, inner in given.of:
            total = total + lower_bound(peak.of[j], inner).scaled(c * w)
    return total


def random_value(rng: random.Random, domain: Domain) -> Fraction:
    while True:
        drawn = F(rng.randint(-9, 12), rng.choice([1, 1, 2, 3, 7, 1000])) * rng.choice([1, 1, 1, 100])
        if domain.contains(drawn):
            return drawn


def at_random_points(rng: random.Random, greater: Form, lesser: Form) -> None:
    for _ in range(25):
        point = {name: random_value(rng, domain) for name, domain in DOMAINS.items()}
        assert value(greater, point) >= value(lesser, point), (greater, lesser, point)


def value(one: Form, point: Mapping[str, Fraction]) -> Fraction:
    """The value of a form, by its meaning."""
    total = F(0)
    for term, c in one.terms:
        if isinstance(term, forms.Peak):
            total += c * sum(sorted((value(inner, point) for inner in term.of), reverse=True)[: term.m])
        else:
            for name, power in term:
                c *= point[name] ** power
            total += c
    return total


def test_random_certificates_are_sound() -> None:
    """Whatever proof is accepted, the inequality holds at random points; spoiled weights are no exception."""
    rng = random.Random(5)
    accepted = refused = 0
    for _ in range(500):
        greater = random_form(rng, 2)
        pieces = forms.pieces(greater, 30)
        if pieces is None:
            continue
        proofs, rests = [], []
        for piece in pieces:
            of = tuple(random_weights(rng, peak) for peak, _ in piece.peaks)
            if rng.random() < 0.2:
                of = tuple(spoiled(rng, one) for one in of)
            try:
                rests.append(lower_bound(piece, of))
            except (IndexError, ValueError):  # there is no form of that number, or it has other peaks
                rests.append(piece)
            proofs.append(PieceProof(of))
        # the lesser side is what the proofs reach, or somewhat more
        reached = {t for rest in rests for t, _ in rest.monomials}
        lesser = Form.constant(rng.choice([0, 0, 0, 1]))
        for t in sorted(reached):
            lesser = lesser + Form(((t, F(1)),)).scaled(
                min(dict(rest.monomials).get(t, F(0)) for rest in rests)
            )
        try:
            certificates.check_at_least(greater, lesser, DOMAINS, tuple(proofs))
        except BadCertificate:
            refused += 1
            continue
        accepted += 1
        at_random_points(rng, greater, lesser)
    assert accepted > 100 and refused > 100


def test_random_linear_proofs_prove_only_what_is_true() -> None:
    """A proof that was made for one comparison is accepted for another one only where that one is true."""
    rng = random.Random(9)
    names = ["a", "b", "c"]
    accepted = 0
    for _ in range(400):
        peak = [
            sum((Form.parameter(n).scaled(F(rng.randint(0, 3))) for n in names), Form()) for _ in range(3)
        ]
        greater = forms.top(rng.choice([1, 2]), peak).scaled(F(rng.randint(1, 2)))
        lesser = sum((Form.parameter(n).scaled(F(rng.randint(0, 3), 2)) for n in names), Form())
        pieces = list(forms.pieces(greater - lesser, 60) or ())
        given = []
        for piece in pieces:
            of = tuple(random_weights(rng, p) for p, _ in piece.peaks)
            given.append(PieceProof(tuple(spoiled(rng, one) for one in of) if rng.random() < 0.5 else of))
        try:
            certificates.check_at_least(greater, lesser, DOMAINS, tuple(given))
        except BadCertificate:
            continue
        accepted += 1
        at_random_points(rng, greater, lesser)
    assert accepted > 50


# these tests can fail


def test_without_the_range_of_weights_falsehoods_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """max(a, b) >= 2*a - b is false; a checker that lets weights be negative accepts it."""
    ((peak, _),) = form("max(a, b)").peaks
    given = (PieceProof((weights({"a": 2, "b": -1}, peak),)),)
    with pytest.raises(BadCertificate):
        certificates.check_at_least(form("max(a, b)"), form("2*a - b"), DOMAINS, given)
    monkeypatch.setattr(certificates, "all", lambda _: True, raising=False)
    certificates.check_at_least(form("max(a, b)"), form("2*a - b"), DOMAINS, given)
