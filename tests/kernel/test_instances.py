"""Instances: what holds for every x > 0 holds of a term that is > 0; by hand, forged, and as claims are made."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.kernel.comparison import check_at_least
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import REAL, Domain
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import Term, letter, over
from dpcompose.kernel.saved import Refused
from dpcompose.search.comparisons.instances import instances
from dpcompose.search.comparisons.parameters import at_least

B, C, E, U = letter("b"), letter("c"), letter("e[i]"), letter("u", REAL)
K = letter("k", Domain.read("integer >= 1"))
SUM = over(K, E, K)


def shown(general: str, letters: dict[str, str], rest: str) -> dict[str, Any]:
    return {"letters": letters, "difference": general, "proof": {"rest": rest}}


SQUARE = {
    "letter": "x",
    "instead": "c/b",
    "relation": "> 0",
    "greater": "x**2 + x",
    "lesser": "x",
    "shown": shown("x**2", {"x": "positive"}, "x**2"),
}


def test_a_quotient_by_hand() -> None:
    assert check_at_least((C / B) ** 2 + C / B, C / B, SQUARE) == frozenset()


def with_sum(**more: str) -> dict[str, Any]:
    of = {"x": "positive", "e[i]": "positive", "k": "integer >= 1"}
    return {**SQUARE, **more, "shown": shown("0", of, "0")}


X = {"greater": "x + 1", "lesser": "1", "shown": shown("x", {"x": "positive"}, "x")}
MEMBER = with_sum(instead="e[i]", greater="sum(x*e[i], i, 1, k)", lesser="x*sum(e[i], i, 1, k)")
FORGED = [
    # u may be below 0, and so is the square root of what may be below 0 no number
    (U + 1, terms.ONE, {**SQUARE, **X, "instead": "u"}, "u is not seen to be > 0"),
    (terms.sqrt(U) + 1, terms.ONE, {**SQUARE, **X, "instead": "sqrt(u)"}, "is not known to be >= 0"),
    # it is another one, or for a letter that is there already
    ((C / B) ** 2 + 2 * C / B, C / B, SQUARE, "is something else there"),
    ((C / B) ** 2 + C / B, C / B, {**SQUARE, "letter": "c"}, "no new letter"),
    ((C / B) ** 2 + C / B, C / B, {**SQUARE, "letter": "x[i]"}, "no new letter"),
    ((C / B) ** 2 + C / B, C / B, {**SQUARE, "relation": "> 1"}, "no new letter"),
    # ≥ 0 is shown, and x > 0 is used
    (B + 1, terms.ONE, {**SQUARE, **X, "instead": "b", "relation": ">= 0"}, "other values of them"),
    # Σ e_i² ≥ e_i·Σ e_j is false; that Σ x·e_i = x·Σ e_i for numbers x says nothing of it
    (over(K, E * E, K), E * SUM, MEMBER, "is one member's"),
]


@pytest.mark.parametrize(("greater", "lesser", "certificate", "message"), FORGED)
def test_what_shows_nothing(greater: Term, lesser: Term, certificate: Any, message: str) -> None:
    with pytest.raises(BadCertificate, match=message):
        check_at_least(greater, lesser, certificate)


LETTERS = {"b": B, "c": C, "k": K, "e[i]": E}


@pytest.mark.parametrize(
    ("greater", "lesser"),
    [
        ("1/(2*b)", "tanh(1/(2*b))"),
        ("k/(2*b)", "1 - exp(-k/(2*b))"),
        ("sum(e[i], i, 1, k)/2", "tanh(sum(e[i], i, 1, k)/2)"),
        ("1/(2*b**2)", "1/b + exp(-1/b) - 1"),
        ("c/b + 1", "1 + log(c/b + 1)"),
    ],
)
def test_what_is_found(greater: str, lesser: str) -> None:
    more, less = (formulas.parse(text, LETTERS) for text in (greater, lesser))
    found = at_least(more, less)
    assert found is not None and "instead" in found
    check_at_least(more, less, found)


def test_what_is_found_holds_at_points() -> None:
    """Random comparisons of x with 1/b, c/b or b·c in its place: a proof is right at all points looked at."""
    rng, proved = random.Random(7), 0
    shapes = ["x", "x/2", "tanh(x/2)", "1 - exp(-x)", "exp(x) - 1", "log(1 + x)", "x**2/2", "sqrt(x)"]
    for _ in range(40):
        inside = rng.choice(["(1/b)", "(c/b)", "(b*c)", "(1/b**2)"])
        texts = [
            shape.replace("exp", "E").replace("x", inside).replace("E", "exp")
            for shape in rng.sample(shapes, 2)
        ]
        more, less = (formulas.parse(text, LETTERS) for text in texts)
        if (found := at_least(more, less)) is None:
            continue
        proved += "instead" in found
        for _ in range(10):
            point = {name: Fraction(rng.randint(1, 90), 10) for name in "bc"}
            assert enclosure(formulas.at(more - less, point), 64).high >= 0
    assert proved > 5


def test_the_new_letter_is_none_of_what_is_assumed() -> None:
    assumed = (Assumption(letter("x"), ">", C),)
    found = at_least(1 / (2 * B), 1 - terms.exp(-1 / (2 * B)), assumed=assumed)
    assert found is not None and found["letter"] == "x0"


def test_nothing_is_an_instance_of_itself() -> None:
    assert not list(instances(B + C, B)) and not list(instances(terms.exp(E * B), terms.ONE))


def test_a_claim_with_the_scale_of_noise(tmp_path: Path) -> None:
    """k counts with Laplace noise have a total variation of at most k/(2b); what is saved is checked again."""
    M = dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("b"), count="k")
    study = dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded)
    assert study.check(dpc.approximate("0", "k/(2*b)")).verdict == "proved"
    assert study.check(dpc.approximate("0", "k/(4*b)")).verdict == "refuted"
    path = tmp_path / "d.json"
    study.save(path, [study.check(dpc.approximate("0", "k/(2*b)"))])
    text = path.read_text(encoding="utf-8")
    assert '"instead": "k/b"' in text
    path.write_text(text.replace('"instead": "k/b"', '"instead": "2*k/b"'), encoding="utf-8")
    with pytest.raises(Refused):
        dpc.recheck(path)
