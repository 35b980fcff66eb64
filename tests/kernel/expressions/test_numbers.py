"""Numbers without terms: values at points, roots by whole numbers, and signs of differences, by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from math import isqrt

import pytest

from dpcompose.kernel import computed
from dpcompose.kernel.expressions import formulas, rationals, terms
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure, difference, enclosure
from dpcompose.kernel.expressions.terms import HALF, Term, letter, number, power, sqrt

X, Y = letter("x"), letter("y")


def at(x: str, y: str = "1") -> dict[str, Fraction]:
    return {"x": Fraction(x), "y": Fraction(y)}


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (X / Y - X, "2/3"),
        ((X - 1) ** -2, "9/4"),
        ((X - 1) ** -3, "-27/8"),
        (terms.largest(X, Y) * terms.least(X, -Y), "-1/4"),
        (terms.top(2, [X, Y, X + Y, -X]), "4/3"),
        (X * (X - Y) / (Y - X), "-1/3"),
    ],
)
def test_values_by_hand(term: Term, value: str) -> None:
    """At x = 1/3, y = 1/2 … but for the first, where y = 1/3."""
    there = at("1/3", "1/3") if term == X / Y - X else at("1/3", "1/2")
    assert rationals.value(term, there) == Fraction(value) == formulas.evaluate(term, there)


def test_what_has_no_value_has_none() -> None:
    assert rationals.value(1 / (X - Y), at("1")) is None
    with pytest.raises(FormulaError):
        computed.is_more(1 / (X - Y), X, at("1"))
    with pytest.raises(FormulaError):  # √(x − y) at x < y
        computed.is_at_least(sqrt(X - Y), number(-1), at("1", "2"))


def test_roots_lie_between_neighbouring_numbers() -> None:
    """Of squares they are exact; of others their squares lie around the number, 2^−60 apart."""
    drawn = random.Random(5)
    for _ in range(200):
        x = Fraction(drawn.randrange(10 ** drawn.randrange(1, 40)), drawn.randrange(1, 10**9))
        root = Interval.of(x).root(64)
        assert root.low**2 <= x <= root.high**2
        assert root.high - root.low <= root.high / 2**60
        assert Interval.of(x * x).root(64) == Interval.of(x)
    with pytest.raises(NoEnclosure):
        Interval(Fraction(-1), Fraction(1)).root(64)


@pytest.mark.parametrize("bits", [16, 64, 256])
@pytest.mark.parametrize("times", [1, 3, 5, -1, -3])
def test_powers_of_roots_enclose(bits: int, times: int) -> None:
    """2^(n/2) by ⌊√(2^n·4^300)⌋."""
    found = enclosure(power(number(2), Fraction(times, 2)), bits)
    whole = Fraction(isqrt(2 ** abs(times) << 600), 1 << 300)
    below, above = whole, whole + Fraction(1, 1 << 300)
    low, high = (below, above) if times > 0 else (1 / above, 1 / below)
    assert found.low <= low < high <= found.high
    assert found.high - found.low <= found.high / 2 ** (bits - 4)


def test_signs_of_differences_at_points() -> None:
    """√2 + √3 = √(5 + 2√6) is seen by no interval, and left to the exact way, which tells neither."""
    equal, there = sqrt(5 + 2 * sqrt(X)), {"x": Fraction(6)}
    both = sqrt(number(2)) + sqrt(number(3))
    assert difference(equal, both, there) is None
    assert not computed.is_more(equal, both, there) and not computed.is_more(both, equal, there)
    tiny = Fraction(1, 2**50)
    assert difference(equal, both - tiny, there) == 1 and difference(equal - tiny, both, there) == -1
    assert computed.is_more(equal, both - tiny, there) and not computed.is_at_least(equal - tiny, both, there)
    assert difference(sqrt(X), X * HALF, at("4")) == 0 and computed.is_at_least(sqrt(X), X * HALF, at("4"))
    with pytest.raises(ValueError, match="oo"):
        computed.is_more(terms.INFINITY, X, at("1"))


def test_equal_terms_are_found_whichever_way_they_were_made() -> None:
    drawn = random.Random(3)
    letters = [letter(name) for name in "xyz"]
    for _ in range(100):
        some = [
            drawn.choice(letters) ** drawn.choice((1, 2, HALF)) * drawn.randrange(-3, 4) for _ in range(6)
        ]
        again = drawn.sample(some, len(some))
        one, two = terms.add(some), terms.add([terms.add(again[:2]), *again[2:]])
        assert one == two and hash(one) == hash(two) and {one: 1}[two] == 1
        some = [x for x in some if x != terms.ZERO]
        one, two = terms.multiply(some), terms.multiply([*reversed(some)])
        assert one == two and hash(one) == hash(two)
