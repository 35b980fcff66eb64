"""Formulas at random: as they are written, as terms of the kernel, and their values by Python's mathematics."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term

Point = Mapping[str, Fraction]
WORDS = {
    "e": "positive",
    "c": "nonnegative",
    "x": "real",
    "p": "in (0,1)",
    "q": "in [1/2, 3]",
    "n": "integer >= 2",
}
SYMBOLS = {name: terms.letter(name, Domain.read(words)) for name, words in WORDS.items()}
AT = {
    "e": (Fraction(1, 1000), Fraction(1, 2), Fraction(7, 5), Fraction(4)),
    "c": (Fraction(0), Fraction(1, 1000), Fraction(2, 3), Fraction(3)),
    "x": (Fraction(-3), Fraction(-1), Fraction(-1, 100), Fraction(0), Fraction(1, 100), Fraction(5, 4)),
    "p": (Fraction(1, 1000), Fraction(1, 3), Fraction(999, 1000)),
    "q": (Fraction(1, 2), Fraction(1), Fraction(3)),
    "n": (Fraction(2), Fraction(3), Fraction(7)),
}
"""Values of each letter, near all its ends."""


@dataclass(frozen=True)
class Drawn:
    """A formula as it is written, the term that the kernel makes of it, and its value at points."""

    text: str
    term: Term
    value: Callable[[Mapping[str, float]], float]


def atom(draw: random.Random, symbols: Mapping[str, Term]) -> Drawn:
    """A letter or a small number."""
    if draw.random() < 0.65:
        name = draw.choice(list(symbols))
        return Drawn(name, symbols[name], lambda at: at[name])
    number = Fraction(draw.randint(-4, 6), draw.choice((1, 1, 2, 3)))
    return Drawn(f"({number})", terms.number(number), lambda at: float(number))


def formula(draw: random.Random, deep: int, symbols: Mapping[str, Term] = SYMBOLS) -> Drawn:
    """A formula that is so deep at most.  Raises TermError, TooLarge."""
    if deep == 0:
        return atom(draw, symbols)
    x, y = formula(draw, deep - 1, symbols), formula(draw, draw.randrange(deep), symbols)
    n, half = draw.choice((2, 3, -1, -2)), draw.random() < 0.5
    f, g = x.value, y.value
    return draw.choice(
        [
            lambda: Drawn(f"({x.text} + {y.text})", x.term + y.term, lambda at: f(at) + g(at)),
            lambda: Drawn(f"({x.text} - {y.text})", x.term - y.term, lambda at: f(at) - g(at)),
            lambda: Drawn(f"({x.text})*({y.text})", x.term * y.term, lambda at: f(at) * g(at)),
            lambda: Drawn(f"({x.text})/({y.text})", x.term / y.term, lambda at: f(at) / g(at)),
            lambda: Drawn(
                f"max({x.text}, {y.text})", terms.largest(x.term, y.term), lambda at: max(f(at), g(at))
            ),
            lambda: Drawn(
                f"min({x.text}, {y.text})", terms.least(x.term, y.term), lambda at: min(f(at), g(at))
            ),
            lambda: Drawn(
                f"top(2, {x.text}, {y.text}, 1)",
                terms.top(2, [x.term, y.term, terms.ONE]),
                lambda at: f(at) + g(at) + 1 - min(f(at), g(at), 1),
            ),
            lambda: Drawn(f"(-({x.text}) - +({y.text}))", -x.term - y.term, lambda at: -f(at) - g(at)),
            lambda: Drawn(f"abs({x.text})", terms.largest(x.term, -x.term), lambda at: abs(f(at))),
            lambda: Drawn(f"exp({x.text})", terms.exp(x.term), lambda at: math.exp(f(at))),
            lambda: Drawn(f"log({x.text})", terms.log(x.term), lambda at: math.log(f(at))),
            lambda: (
                Drawn(f"({x.text})**({n})", terms.power(x.term, n), lambda at: f(at) ** n)
                if half
                else Drawn(f"sqrt({x.text})", terms.sqrt(x.term), lambda at: math.sqrt(f(at)))
            ),
        ]
    )()


def drawn(seed: int, many: int, symbols: Mapping[str, Term] = SYMBOLS) -> Iterator[Drawn]:
    """So many formulas at most, some of which have values."""
    draw = random.Random(seed)
    for _ in range(many):
        try:
            yield formula(draw, draw.choice((1, 2, 2, 3)), symbols)
        except (terms.TermError, terms.TooLarge, ZeroDivisionError):
            continue


def points(seed: object, one: Drawn, many: int) -> Iterator[tuple[Point, float]]:
    """Points, and the values that a formula has there."""
    draw = random.Random(f"{seed} {one.text}")
    for _ in range(many):
        point = {name: draw.choice(some) for name, some in AT.items()}
        try:
            value = one.value({name: float(x) for name, x in point.items()})
        except (ValueError, OverflowError, ZeroDivisionError):
            continue
        if abs(value) < 1e12:
            yield point, value
