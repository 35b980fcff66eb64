"""The least δ by formulas: against enumeration of all outcomes in fractions, and by hand in powers of e."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.equalities import MOST_MECHANISMS, is_least
from dpcompose.kernel.deciders.curves.pieces import is_loose, is_proved, is_refuted
from dpcompose.kernel.expressions import formulas, terms


def part(x: Fraction, delta: Fraction, count: int = 1) -> Part:
    return Part(terms.log(terms.number(x)), terms.number(delta), 1, count)


def enumerated(some: list[tuple[Fraction, Fraction]], c: Fraction) -> Fraction:
    """H_c of randomized responses that tell all with probability δ: P(y) − c·Q(y) over all outputs y."""
    pairs = [
        [
            (d, Fraction(0)),
            ((1 - d) * x / (1 + x), (1 - d) / (1 + x)),
            ((1 - d) / (1 + x), (1 - d) * x / (1 + x)),
        ]
        for x, d in some
    ]
    return sum(
        (max(Fraction(0), prod(p for p, _ in y) - c * prod(q for _, q in y)) for y in product(*pairs)),
        Fraction(0),
    )


def test_against_enumeration() -> None:
    draw = random.Random("equalities")
    for _ in range(40):
        some = [
            (Fraction(draw.randint(5, 20), 5), Fraction(draw.choice([0, 0, draw.randint(1, 9)]), 20))
            for _ in range(draw.randint(1, 4))
        ]
        c = draw.choice([Fraction(1), Fraction(draw.randint(4, 30), 4), some[0][0]])
        curve, epsilon = (
            Curve.of(part(*one) for one in some),
            terms.log(terms.number(c)) if c > 1 else terms.ZERO,
        )
        least = enumerated(some, max(c, Fraction(1)))
        assert is_least(curve, epsilon, terms.number(least))
        for other in (least + Fraction(1, 10**90), least - Fraction(1, 10**90)):
            assert not is_least(curve, epsilon, terms.number(other))
        assert is_proved([curve], epsilon, terms.number(least), 128)
        assert not is_refuted([curve], epsilon, terms.number(least), 128)


@pytest.mark.parametrize(
    ("parts", "epsilon", "delta"),
    [
        ([("1", "0", 1, 1)], "0", "tanh(1/2)"),
        ([("1", "0", 1, 1)], "0", "(exp(1) - 1)/(exp(1) + 1)"),
        ([("1", "1/10", 1, 1), ("1", "0", 1, 1)], "0", "1/10 + 9/10*tanh(1/2)"),
        ([("1", "0", 1, 2)], "1", "exp(2)/(1 + exp(1))**2*(1 - exp(-1))"),
        (
            [("1/2", "0", 1, 1), ("1/3", "0", 1, 1)],
            "1/2",
            "exp(5/6)/((1 + exp(1/2))*(1 + exp(1/3)))*(1 - exp(-1/3))",
        ),
        ([("log(3)", "0", 1, 2), ("1", "0", 1, 1)], "1 + log(3)", "3/8*exp(1)/(1 + exp(1))"),
        ([("log(3)", "0", 2, 1)], "log(3)", "1/2"),  # losses 2·log(3), 0 and less: 3/4·(1 − 1/3)
        ([("0", "1/4", 1, 3)], "0", "37/64"),
        ([("1", "2", 1, 1)], "1", "1"),
    ],
)
def test_by_hand(parts: list[tuple[str, str, int, int]], epsilon: str, delta: str) -> None:
    e, d = formulas.parse(epsilon, {}), formulas.parse(delta, {})
    curve = Curve.of(Part(formulas.parse(x, {}), formulas.parse(y, {}), r, k) for x, y, r, k in parts)
    assert is_least(curve, e, d)
    assert not is_least(curve, e, d + Fraction(1, 10**80)) and not is_least(curve, e, d - Fraction(1, 10**80))
    assert is_proved([curve], e, d, 128)
    assert is_loose([curve], e, d, 128) is (d == terms.ONE)


def test_what_has_no_formula() -> None:
    many = Curve.of([part(Fraction(3), Fraction(0), MOST_MECHANISMS + 1)])
    assert not is_least(many, terms.ZERO, terms.ONE)
    apart = Curve.of([Part(terms.ONE, terms.ZERO, 2)])  # at two steps powers of e have no digits that end
    assert not is_least(apart, terms.number(2), terms.ZERO)
