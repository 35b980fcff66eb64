"""Formulas as the second checker reads them have the values that they have as they are written."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from second_checker.algebra import Algebra
from second_checker.forms import Form
from second_checker.outcomes import NotRead, Rejected
from second_checker.pairs import simple
from second_checker.samples import inward

DOMAINS = {
    "a": "positive",
    "b": "positive",
    "c": "nonnegative",
    "d": "in (0,1)",
    "n": "integer >= 2",
    "x": "real",
}


def largest(m: int, *values: Fraction) -> Fraction:
    return sum(sorted(values)[-m:], Fraction(0))


MEANS: dict[str, Any] = {"max": max, "min": min, "abs": abs, "top": largest, "__builtins__": {}}


def formula(draw: random.Random, deep: int) -> str:
    """A random formula in numbers, letters, products and worst cases."""
    if deep == 0 or draw.random() < 0.15:
        return draw.choice([*DOMAINS, "1", "2", "3"])
    some = [formula(draw, deep - 1) for _ in range(3)]
    kind = draw.choice(
        ["+", "-", "*", "*", "*", "max", "min", "max", "min", "top", "abs", "power", "max of two"]
    )
    match kind:
        case "+" | "-" | "*":
            return f"({some[0]}) {kind} ({some[1]})"
        case "top":
            return f"top(2, {', '.join(some)})"
        case "abs":
            return f"abs({some[0]})"
        case "power":
            return f"({some[0]})**{draw.choice([2, 3])}"
        case "max of two":
            return f"max({some[0]}, {some[1]})"
    return f"{kind}({', '.join(some)})"


def points(draw: random.Random) -> dict[str, Fraction]:
    """An allowed value of each letter."""
    point = {name: Fraction(draw.randrange(1, 30), draw.randrange(1, 9)) for name in DOMAINS}
    return point | {
        "d": Fraction(draw.randrange(1, 9), 9),
        "n": Fraction(draw.randrange(2, 9)),
        "x": point["x"] - 2,
    }


@pytest.mark.parametrize("seed", range(12))
def test_values_are_kept(seed: int) -> None:
    draw, algebra, known = random.Random(seed), Algebra(DOMAINS), 0
    for _ in range(40):
        text = formula(draw, 3)
        forms: list[Form] = []
        try:
            forms = [algebra.read(text)]
            forms += [simple(algebra, forms[0]), inward(algebra, forms[0])]
        except (NotRead, Rejected):
            continue
        known += 1
        for point in (points(draw) for _ in range(4)):
            value = Fraction(eval(text, MEANS, point))
            for form in forms:
                low, high = algebra.enclose(form, point)
                assert low <= value <= high, text
            sign = algebra.sign(forms[0])
            assert (sign < 1 or value >= 0) and (sign < 2 or value > 0), text
            assert (sign > -1 or value <= 0) and (sign > -2 or value < 0), text
    assert known > 15
