"""The strategies that random settings are written with, drawn by a random number generator alone.

Hypothesis keeps what it draws, to make what fails smaller; a million settings have no use for that, and it takes
most of the time.  Whoever imports `strategies` with this in place of `hypothesis.strategies` (see `settings`) has
the same settings, several times as fast: what is drawn depends on the seed alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MOST = 4
"""How long lists and sets are, where no length is said."""


@dataclass(frozen=True)
class Strategy:
    """What is drawn with a random number generator."""

    draw: Callable[[random.Random], Any]

    def __class_getitem__(cls, of: Any) -> type[Strategy]:
        return cls

    def map(self, f: Callable[[Any], Any]) -> Strategy:
        """The values of a function at what is drawn."""
        return Strategy(lambda rng: f(self.draw(rng)))


SearchStrategy = Strategy
DrawFn = Callable[[Strategy], Any]


def composite(f: Callable[..., Any]) -> Callable[..., Strategy]:
    """A function that draws is a strategy."""
    return lambda *given, **named: Strategy(lambda rng: f(lambda one: one.draw(rng), *given, **named))


def just(value: Any) -> Strategy:
    """Always the same."""
    return Strategy(lambda rng: value)


def none() -> Strategy:
    """Always None."""
    return just(None)


def booleans() -> Strategy:
    """True or False."""
    return sampled_from([False, True])


def integers(least: int, most: int) -> Strategy:
    """A whole number, both ends included."""
    return Strategy(lambda rng: rng.randint(least, most))


def sampled_from(values: Sequence[Any]) -> Strategy:
    """One of some values."""
    return Strategy(lambda rng: rng.choice(values))


def one_of(*strategies: Strategy) -> Strategy:
    """One of some strategies."""
    return Strategy(lambda rng: rng.choice(strategies).draw(rng))


def permutations(values: Sequence[Any]) -> Strategy:
    """The values in any order."""
    return Strategy(lambda rng: rng.sample(list(values), len(values)))


def lists(of: Strategy, min_size: int = 0, max_size: int | None = None, unique: bool = False) -> Strategy:
    """A list of some length; unique -- what is drawn again is left out."""
    most = min_size + MOST if max_size is None else max_size

    def draw(rng: random.Random) -> list[Any]:
        drawn = [of.draw(rng) for _ in range(rng.randint(min_size, most))]
        return list(dict.fromkeys(drawn)) if unique else drawn

    return Strategy(draw)


def sets(of: Strategy, min_size: int = 0, max_size: int | None = None) -> Strategy:
    """A set of what is drawn, as large as it happens to be."""
    return lists(of, min_size, max_size).map(set)


def builds(f: Callable[..., Any], *given: Strategy, **named: Strategy) -> Strategy:
    """The values of a function at what is drawn."""
    return Strategy(
        lambda rng: f(*(one.draw(rng) for one in given), **{k: one.draw(rng) for k, one in named.items()})
    )


def fixed_dictionaries(of: Mapping[str, Strategy]) -> Strategy:
    """A value for each name."""
    return Strategy(lambda rng: {name: one.draw(rng) for name, one in of.items()})


def fractions(min_value: Any, max_value: Any, max_denominator: int) -> Strategy:
    """A fraction between two, with a denominator that is not too large."""

    def draw(rng: random.Random) -> Fraction:
        q = rng.randint(1, max_denominator)
        least, most = -(-Fraction(min_value) * q // 1), Fraction(max_value) * q // 1
        return Fraction(rng.randint(int(least), int(most)), q)

    least, most = Fraction(min_value), Fraction(max_value)
    return Strategy(lambda rng: min(max(draw(rng), least), most))


def data() -> Strategy:
    """What draws as it goes."""
    return Strategy(lambda rng: Data(rng))


@dataclass(frozen=True)
class Data:
    """Draws from strategies as they come."""

    rng: random.Random

    def draw(self, strategy: Strategy) -> Any:
        """What a strategy gives."""
        return strategy.draw(self.rng)


DataObject = Data
