"""Conversion pages with limits: the textbook's normal noise, by hand and against the curve."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry

HEAD = """format = 1
{}
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
query = "count"
noise = {{ gaussian = "{}" }}
[[claims]]
notion = "approximate"
epsilon = "{}"
delta = "{}"
"""
LETTERS = '''assume = ["e <= {}"]
[parameters]
d = "in (0,1)"
e = "positive"'''


def verdict(head: str, scale: str, epsilon: str = "e", delta: str = "d") -> str:
    problem = problems.read_data(problems.parsed(HEAD.format(head, scale, epsilon, delta), "here"))
    (claim,) = problem.claims
    return Study(problem.setting, registry.standard()).check(claim).verdict


@pytest.mark.parametrize(
    ("most", "scale", "epsilon", "delta", "word"),
    [
        ("1", "sqrt(2*log(1.25/d))/e", "e", "d", "proved"),
        ("1", "2*sqrt(log(1.25/d))/e", "e", "d", "proved"),
        pytest.param("1", "sqrt(2*log(2/d))/e", "e", "d", "proved", marks=pytest.mark.slow),
        ("1/2", "sqrt(2*log(1.25/d))/e", "2*e", "d", "proved"),
        ("1", "sqrt(2*log(2.5/d))/e", "e", "d/2", "proved"),
        ("1/3", "sqrt(2*log(125))/e", "e", "1/100", "proved"),
        ("10", "sqrt(2*log(1.25/d))/e", "e", "d", "refuted"),
        ("1", "sqrt(log(1.25/d))/(4*e)", "e", "d", "refuted"),
    ],
)
def test_the_textbook(most: str, scale: str, epsilon: str, delta: str, word: str) -> None:
    assert verdict(LETTERS.format(most), scale, epsilon, delta) == word


def test_without_a_limit_it_is_wrong() -> None:
    assert verdict(LETTERS.replace("e <= {}", "e >= 1/100"), "sqrt(2*log(1.25/d))/e") == "refuted"


def test_the_formula_lies_above_the_curve() -> None:
    """At 60 points the least δ of such noise is below δ, as the page proves: by a factor of 1/0.31 and more."""
    draw = random.Random("textbook")
    for _ in range(60):
        epsilon = Fraction(draw.randint(1, 100), 100)
        delta = draw.choice([Fraction(draw.randint(1, 999), 1000), Fraction(1, 10 ** draw.randint(2, 12))])
        square = formulas.parse(f"({epsilon})**2/(2*log(5/(4*{delta.numerator}/{delta.denominator})))", {})
        assert Normal(square).above(epsilon, 128) < delta * Fraction(31, 100)
        assert enclosure(square, 64).low > 0
