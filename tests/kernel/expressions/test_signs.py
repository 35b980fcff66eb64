"""Signs of terms: by hand, and none that a value at random numbers does not have."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.formulas import parse, to_text
from dpcompose.kernel.expressions.terms import ONE, Term, exp, largest, letter, log, number, power

E = letter("e")
X = letter("x", Domain.read("real"))


@pytest.mark.parametrize(
    ("term", "nonnegative", "positive"),
    [
        (exp(E) - ONE, True, True),
        (exp(E) - 2, False, False),
        (3 - 2 * exp(-E), True, True),  # 1 + 2·(1 − e^−e)
        (1 - exp(E), False, False),
        (exp(X) - ONE, False, False),
        (exp(X * X) - ONE, True, False),
        (log(ONE + E), True, True),
        (log(2 + X * X), True, True),
        (log(E), False, False),
        (largest(X, -X), True, False),
        (largest(X, ONE), True, True),
        (log(ONE + E * (exp(E) - 1)), True, True),
    ],
)
def test_signs_by_hand(term: Term, nonnegative: bool, positive: bool) -> None:
    assert (term.nonnegative, term.positive) == (nonnegative, positive)


def test_the_root_of_a_square_is_an_absolute_value() -> None:
    assert power(X * X, number(1) / 2) == largest(X, -X) == power(power(X, 4), number(1) / 4)
    assert power(power(log(ONE + E), 2), number(1) / 2) == log(ONE + E)
    assert power(power(X, 3), number(1) / 3) != X  # at −1 it has no value


@pytest.mark.parametrize(("even", "broken"), [(2, "1/2"), (2, "-1/2"), (4, "1/4"), (4, "-1/3"), (6, "-5/6")])
def test_what_is_written_is_read_as_the_same(even: int, broken: str) -> None:
    term = power(power(X - 2, even), Fraction(broken))
    assert parse(to_text(term), {"x": X}) == term


def value(term: Term, at: dict[str, float]) -> float:
    """At numbers, by Python's mathematics."""
    some = [value(part, at) for part in term.parts]
    means = {
        "number": lambda: float(term.of[0]),
        "letter": lambda: at[term.of[0]],
        "sum": lambda: sum(some),
        "product": lambda: math.prod(some),
        "power": lambda: some[0] ** some[1],
        "exp": lambda: math.exp(some[0]),
        "log": lambda: math.log(some[0]),
        "top": lambda: sum(sorted(some)[-term.of[0] :]),
    }
    found = means[term.kind]()
    if isinstance(found, complex):
        raise ValueError("no real value")
    return float(found)


def some_term(draw: random.Random, deep: int) -> Term:
    if deep == 0:
        return draw.choice([E, X, number(draw.randint(-3, 3)), number(draw.randint(-3, 3)) / 2])
    one, other = some_term(draw, deep - 1), some_term(draw, deep - 1)
    kind = draw.randrange(8)
    if kind < 6:
        return [one + other, one - other, one * other, exp(one), largest(one, other), -largest(one, -one)][
            kind
        ]
    return log(one) if kind == 6 else power(one, number(draw.choice([1, 2, 3, 4])) / draw.choice([1, 2]))


@pytest.mark.parametrize("seed", range(8))
def test_no_sign_is_seen_that_a_value_has_not(seed: int) -> None:
    draw, seen = random.Random(seed), 0
    for _ in range(300):
        try:
            term = some_term(draw, draw.randint(1, 4))
        except (terms.TermError, terms.TooLarge):
            continue
        if not term.nonnegative:
            continue
        for _ in range(6):
            at = {"e": draw.uniform(0.001, 4), "x": draw.uniform(-3, 3)}
            try:
                found = value(term, at)
            except (ValueError, OverflowError, ZeroDivisionError):
                continue
            seen += 1
            assert found > -1e-9 * max(1.0, abs(found)), (to_text(term), at, found)
            if term.positive and found < 1e-300:
                assert found >= 0, (to_text(term), at, found)
    assert seen > 100
