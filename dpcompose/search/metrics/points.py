"""Points at which a comparison of metrics may fail: those where terms of it did, then simple databases."""

from __future__ import annotations

import math
import random
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product

import sympy

from dpcompose.language import formulas
from dpcompose.proof.metrics.cells import Cells
from dpcompose.proof.metrics.composition import Composition
from dpcompose.proof.metrics.letters import Case, numbered
from dpcompose.search import parameters
from dpcompose.spaces.points import Points, letter

Point = dict[str, Fraction]

MOST_SIMPLE = 200
"""How many simple points of the parameters are gone through."""
MOST_POINTS = 120
"""At how many points a comparison that is not proved is looked at."""
FEW_POINTS = 90
"""At how many simple points a comparison is looked at before those that the solver found."""
MOST_FAILING = 30
"""At how many simple databases, for each of a few parameters, it is looked whether a comparison fails."""
FEW_PARAMETERS = 4
"""At how many points of the parameters simple databases are tried."""


@dataclass(frozen=True)
class Open:
    """A comparison that was not proved: the case, a point of its letters if one fails, or why not."""

    case: Case | None
    point: Mapping[str, Fraction]
    reason: str


@dataclass(frozen=True, eq=False)
class Trials:
    """Values of the letters and parameters at which comparisons are looked at."""

    composition: Composition

    @cached_property
    def parameters(self) -> Sequence[Mapping[str, Fraction]]:
        """Simple points of the parameters at which holds what is assumed."""
        setting = self.composition.setting
        return list(islice(parameters.points(setting.domains, setting.assume), MOST_SIMPLE))

    @property
    def _directed(self) -> bool:
        """Whether it may matter which of two databases comes first."""
        return any(one.lost is not None for one in self.composition.setting.mechanisms)

    def first(self, databases: str) -> Iterator[Point]:
        """A few simple databases at the usual point of the parameters."""
        for usual in self.parameters[:1]:
            yield from self.databases(usual, databases, FEW_POINTS)

    def few(self, databases: str) -> Iterator[Point]:
        """A few simple databases at each of a few points of the parameters."""
        for one in self.parameters[:FEW_PARAMETERS]:
            yield from islice(self.databases(one, databases, FEW_POINTS), MOST_FAILING)

    def near(self, seen: Sequence[tuple[Open, sympy.Expr]], databases: str) -> Iterator[Point]:
        """Points at which a comparison may fail: those that were seen, then simple ones.

        seen -- what was not proved, with the factor of its group: it counts where the factor is large.
        """
        simple = self.parameters
        for one, factor in seen:
            large = {str(x) for x in factor.free_symbols}
            above = [point for point in simple if large and _is_above(point, large)][:FEW_PARAMETERS]
            if one.case is not None and one.point:
                for parameters in [one.point, *above]:
                    yield from self._translated(one.case, {**one.point, **parameters}, databases)
                for usual in simple[:1]:  # where the point's were equal
                    there = {name: one.point.get(name, x) for name, x in usual.items()}
                    yield from self.databases(there, databases, FEW_POINTS)
            for parameters in above:
                yield from self.databases(parameters, databases, FEW_POINTS)
        for most in (FEW_POINTS, MOST_POINTS):
            for parameters in simple[:FEW_PARAMETERS]:
                yield from self.databases(parameters, databases, most)

    def _translated(self, case: Case, point: Mapping[str, Fraction], databases: str) -> Iterator[Point]:
        full = {name: point.get(name, x) for usual in self.parameters[:1] for name, x in usual.items()}
        inside = {name: Fraction(0) for name in self.composition.letters.domains} | full | dict(point)
        for name in self.composition.setting.databases.intervals:
            for who in databases:
                x = letter(name, who)
                value = formulas.evaluate(case.of.get(x, x), inside)
                if value is None:
                    return
                full[str(x)] = value
        for cells in self.composition.letters.cells.values():
            for cell in cells.cells:
                full |= {str(one): self._count(cells, one, inside) for one in cell.counts}
        yield full | dict(case.at)

    def _count(self, cells: Cells, one: sympy.Symbol, inside: Mapping[str, Fraction]) -> Fraction:
        """How many records of a kind differ, where those that go and come may be told in pairs."""
        return inside[str(one)] + sum((inside[str(moved)] for moved in cells.moved_by(one)), Fraction(0))

    def databases(self, parameters: Mapping[str, Fraction], databases: str, most: int) -> Iterator[Point]:
        """Simple databases at a point of the parameters, so many: mixtures of a few values of each letter.

        Where few are wanted, D has the first values, and the others small ones.
        """
        few = most <= FEW_POINTS
        choices: list[list[Point]] = []
        try:
            places = [
                some
                for _, part in self.composition.setting.databases.points
                for some in _places(part, parameters)
            ]
        except formulas.FormulaError:
            return
        for some, who in product(places, databases):
            there = [{str(letter(name, who)): x for name, x in place.items()} for place in some]
            choices.append(there[: 1 if who == "D" else 3 ** len(there[0])] if few else there)
        for cells in self.composition.letters.cells.values():
            for cell in cells.cells:
                *others, last = [[{str(one): Fraction(n)} for n in (0, 1, 2)] for one in cell.counts]
                choices += [*(one[:1] for one in others), last[:2]] if few else [*others, last]
        for part, listing in self.composition.letters.listings.items():
            names = numbered(part)
            every = [order for i, j in listing.rows.values() for order in dict.fromkeys([(i, j), (j, i)])]
            asked = every if self._directed else listing.rows.values()
            apart = [dict(zip(names, map(Fraction, pair), strict=True)) for pair in asked]
            choices.append(apart)
        if math.prod(map(len, choices)) <= most:
            for chosen in product(*choices):
                yield {**parameters, **dict(ChainMap(*chosen))}
            return
        mixed = random.Random(1)
        for _ in range(most):
            yield {**parameters, **dict(ChainMap(*map(mixed.choice, choices)))}


def _is_above(point: Mapping[str, Fraction], large: Set[str]) -> bool:
    """Whether some parameters are larger than all others at a point."""
    others = [value for name, value in point.items() if name not in large]
    return all(point[name] > max(others, default=Fraction(0)) for name in large)


def _places(part: Points, parameters: Mapping[str, Fraction]) -> Iterator[list[Point]]:
    """A few values of each coordinate, or of both coordinates of a disc.  Raises formulas.FormulaError."""
    if part.disc is not None:
        r = formulas.evaluate(part.disc / 2, parameters) or Fraction(0)
        yield [dict(zip(part.coordinates, (r * x, r * y), strict=True)) for x, y in IN_A_DISC]
        return
    for name, interval in zip(part.coordinates, part.box, strict=True):
        ends = (interval.least, interval.greatest)
        low, high = (None if x is None else formulas.evaluate(x, parameters) for x in ends)
        yield [{name: x} for x in _few(low, high)]


def _few(low: Fraction | None, high: Fraction | None) -> list[Fraction]:
    """A few values in an interval, simple ones first: its ends, or its middle."""
    if low is not None and high is not None:
        return [low, high, (low + high) / 2, low + (high - low) / 4, low + (high - low) / 1000]
    if low is not None:
        return [low + one for one in SIZES]
    if high is not None:
        return [high - one for one in SIZES]
    return [*SIZES, Fraction(-2)]


def _turned(x: str, y: str) -> list[tuple[Fraction, Fraction]]:
    """A vector, turned by right angles."""
    a, b = Fraction(x), Fraction(y)
    return [(a, b), (-a, -b), (-b, a), (b, -a)]


IN_A_DISC = (
    (Fraction(0), Fraction(0)),
    *_turned("1", "0"),
    *_turned("20/29", "21/29"),
    *_turned("3/5", "4/5"),
    *_turned("1/1000", "0"),
)
"""Points of the disc of radius 1: its middle, and points of its rim and near the middle."""
SIZES = (Fraction(0), Fraction(1), Fraction(3), Fraction(1000), Fraction(10**9), Fraction(1, 1000))
"""How far into an interval without an end simple points lie."""
