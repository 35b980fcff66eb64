"""Noise around values at D and at D', which mechanisms of counterexamples add: density, loss, and draws."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.symbols import REAL, symbol
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.proof.counterexamples import densities

if TYPE_CHECKING:
    import sympy


def _exponential(chance: random.Random, scale: float) -> float:
    return chance.expovariate(1 / scale) - chance.expovariate(1 / scale)


def _whole(chance: random.Random, scale: float) -> float:
    """The difference of two numbers of failures, each more being e^(−1/scale) times as likely."""
    first, second = (math.floor(chance.expovariate(1 / scale)) for _ in range(2))
    return first - second


DRAWS: Mapping[str, Callable[[random.Random, float], float]] = {
    "laplace": _exponential,
    "gaussian": lambda chance, scale: chance.gauss(0, scale),
    "geometric": _whole,
}
"""By the word of noise of a scale a number of it, drawn."""


@frozen
class Spread:
    """Noise of some scale on each entry of a value, which is `at_D` at D and `at_E` at D'."""

    noise: Noise
    at_D: tuple[Term, ...]
    at_E: tuple[Term, ...]

    @staticmethod
    def of(noise: Noise, at_D: Sequence[Term], at_E: Sequence[Term]) -> Spread | None:
        """The same, None for noise that is none of a scale on values."""
        known = noise.word in DRAWS and not noise.besides and noise.own is None
        return Spread(noise, tuple(at_D), tuple(at_E)) if known else None

    def density(self, at_D: bool) -> sympy.Expr:
        """The density of the output in y, or in y1, y2, … for its entries; of whole numbers probabilities."""
        import sympy

        about, letters = densities.density(self.noise), densities.letters()
        values = self.at_D if at_D else self.at_E
        several = len(values) > 1
        return sympy.prod(
            about.density.xreplace(
                {
                    letters["x"]: formulas.expression(value),
                    letters["y"]: symbol(f"y{n}", REAL) if several else letters["y"],
                }
            )
            for n, value in enumerate(values, start=1)
        )

    @property
    def loss(self) -> sympy.Expr:
        """The largest logarithm of the ratio of both densities; oo where it grows with the output."""
        import sympy

        about, letters = densities.density(self.noise), densities.letters()
        moved = [(x, z) for x, z in zip(self.at_D, self.at_E, strict=True) if x != z]
        if moved and letters["y"] in about.at_most.free_symbols:
            return sympy.oo
        ends = [(formulas.expression(x), formulas.expression(z)) for x, z in moved]
        return sum(
            (about.at_most.xreplace({letters["x"]: x, letters["z"]: z}) for x, z in ends), sympy.Integer(0)
        )

    def alone(self) -> Spread:
        """That of the first entry that differs."""
        ends = zip(self.at_D, self.at_E, strict=True)
        x, z = next((pair for pair in ends if pair[0] != pair[1]), (self.at_D[0], self.at_E[0]))
        return Spread(self.noise, (x,), (z,))

    def sample(self, at_D: bool, size: int, chance: random.Random) -> list[tuple[float, ...]]:
        """Outputs, drawn: numbers of floating point."""
        scale = float(formulas.expression(self.noise.term))
        values = [float(formulas.expression(x)) for x in (self.at_D if at_D else self.at_E)]
        draw = DRAWS[self.noise.word]
        return [tuple(x + draw(chance, scale) for x in values) for _ in range(size)]
