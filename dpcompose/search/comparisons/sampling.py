"""Values of elementary functions at sample points, as floating-point numbers, and points where they are low.

They say only what is worth trying; whatever is found is confirmed exactly by others.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from dpcompose.kernel.deciders.calculus import elementary
from dpcompose.kernel.deciders.calculus.elementary import Box, Elementary, Letter
from dpcompose.kernel.expressions.domains import Domain

Values = Mapping[str, float]
Ends = tuple[float | None, float | None]
"""Between which numbers a letter lies, where there are such."""
_Powers = tuple[tuple[int, int | float], ...]
_Terms = tuple[tuple[float, tuple[int, ...], _Powers], ...]
"""Of each term the number in front, and its letters by their numbers: alone where none has a power."""
_Made = list[tuple[str, Any, list[_Terms]]]
"""Letters in an order in which each needs earlier ones only, with the sums inside of it."""


def value(f: Elementary, point: Values) -> tuple[float, float] | None:
    """About f at a point, and the sum of its terms' magnitudes; None where that is no number."""
    return values_of(f)(point)


def values_of(f: Elementary) -> Callable[[Values], tuple[float, float] | None]:
    """The same of very many points."""
    try:
        return partial(_value, *_program(f))
    except (ArithmeticError, ValueError):  # a fraction may be none of the numbers that floats are
        return lambda point: None


def _value(made: _Made, terms: _Terms, point: Values) -> tuple[float, float] | None:
    try:
        known: list[float] = []
        for kind, of, within in made:
            if kind in "xy":
                known.append(point[of])
                continue
            known.append(_of_letter(kind, of, [_total(one, known)[0] for one in within]))
            if kind == "l" and within[0][0] == (1, (), ()):  # more exact than log(1 + x) where x is small
                known[-1] = math.log1p(_total(within[0][1:], known)[0])
        total, size = _total(terms, known)
    except (ArithmeticError, ValueError):
        return None
    return (total, size) if math.isfinite(total) and math.isfinite(size) else None


@lru_cache(maxsize=4096)
def _program(f: Elementary) -> tuple[_Made, _Terms]:
    """How to compute f: its letters, and its terms."""
    places: dict[Letter, int] = {}
    made: _Made = []

    def place(letter: Letter) -> int:
        if letter not in places:
            within = [terms(one) for one in elementary.inside(letter)]
            places[letter] = len(made)
            made.append((*letter, within))
        return places[letter]

    def terms(one: Elementary) -> _Terms:
        found = []
        for term, c in one.terms:
            powers = tuple((place(letter), int(r) if r.denominator == 1 else float(r)) for letter, r in term)
            plain = all(r == 1 for _, r in powers)
            alone = tuple(n for n, _ in powers) if plain else ()
            found.append((c.numerator / c.denominator, alone, () if plain else powers))
        return tuple(found)

    whole = terms(f)
    return made, whole


def _total(terms: _Terms, known: list[float]) -> tuple[float, float]:
    total = size = float(0)
    for c, alone, powers in terms:
        product = c
        for n in alone:
            product *= known[n]
        for n, r in powers:
            x = known[n]
            product *= x if r == 1 else x**r if type(r) is int else math.pow(x, r)
        total += product
        size += abs(product)
    return total, size


def _of_letter(kind: str, of: Any, within: list[float]) -> float:
    if kind == "p":
        return float(of)
    if kind == "e":
        return math.exp(within[0])
    if kind == "l":
        return math.log(within[0])
    return within[0] if kind == "s" else sum(sorted(within, reverse=True)[: of[0]])


def samples(
    box: Box, names: Iterable[str], count: int, seed: int = 0, smallest: int = -4
) -> Iterator[dict[str, float]]:
    """Points of the box: of all sizes from 10^smallest on, near its ends, and in its middle."""
    rng = random.Random(seed)
    chosen = [(name, box[name], _ends(box[name])) for name in sorted(names)]
    for _ in range(count):
        yield {name: _drawn(domain, ends, rng, smallest) for name, domain, ends in chosen}


def _ends(domain: Domain) -> Ends:
    low = None if domain.least is None else float(domain.least)
    return low, None if domain.greatest is None else float(domain.greatest)


def _drawn(domain: Domain, ends: Ends, rng: random.Random, smallest: int) -> float:
    low, high = ends
    size = 10 ** rng.uniform(smallest, 2) if not domain.integer else 10 ** rng.uniform(0, 2) - 1
    if low is not None and high is not None:
        share = rng.random() if rng.random() < 1 / 2 else 10 ** rng.uniform(smallest, 0)
        x = low + (high - low) * (share if rng.random() < 1 / 2 else 1 - share)
    elif low is not None:
        x = low + size
    elif high is not None:
        x = high - size
    else:
        x = size if rng.random() < 1 / 2 else -size
    if not domain.integer:
        return x
    whole = math.floor(x)
    return float(max(whole, int(domain.least)) if domain.least is not None else whole)


ROUNDING = float(Fraction(1, 10**13))
"""What a value at a point may be below 0 by rounding alone: such points are not looked at."""
FEW_TRIALS = 200


def points(difference: Elementary, box: Box, trials: int, confirmed: int) -> Iterator[dict[str, Fraction]]:
    """Rational points at which the difference seems to be negative, the most negative ones first."""
    names, at = sorted(difference.names), values_of(difference)
    seen: list[tuple[float, dict[str, float]]] = []
    for point in samples(box, names, trials, seed=trials, smallest=-9 if trials > FEW_TRIALS else -4):
        found = at(point)
        if found is not None:
            seen.append((found[0] / (found[1] or 1), point))
    seen.sort(key=lambda one: one[0])
    for relative, point in seen[:confirmed]:
        if relative < -ROUNDING:
            yield _rational(point, box)
    for _, point in seen[:confirmed]:
        low = lowest(difference, box, point)
        found = at(low)
        if found is not None and found[0] < -ROUNDING * found[1]:
            for digits in (10, 10**3, 10**9):
                yield _rational(low, box, digits)


def _rational(point: Values, box: Box, digits: int = 1000) -> dict[str, Fraction]:
    return {name: rational(x, box[name], digits) for name, x in point.items()}


def rational(x: float, domain: Domain, digits: int) -> Fraction:
    """A short rational number of the domain near to x."""
    exact = Fraction(x)
    if domain.integer:
        return Fraction(round(exact))
    near = exact.limit_denominator(digits)
    while near != exact and (not domain.contains(near) or abs(near - exact) * digits > abs(exact) * 10):
        digits *= 10
        near = exact.limit_denominator(digits)
    return near


def lowest(f: Elementary, box: Box, start: Values, rounds: int = 60) -> dict[str, float]:
    """A point near `start` where f is small beside the size of its terms, by trying steps both ways."""

    at = values_of(f)

    def relative(point: Values) -> float:
        found = at(point)
        return math.inf if found is None else found[0] / (found[1] or 1)

    here = dict(start)
    least = relative(here)
    ends = {name: _ends(box[name]) for name in here if not box[name].integer}
    steps = {name: max(abs(x), 1 / 10) / 2 for name, x in here.items()}
    for _ in range(rounds):
        for name, (low, high) in ends.items():
            for step in (steps[name], -steps[name]):
                x = here[name] + step
                if (low is not None and x <= low) or (high is not None and x >= high):
                    continue
                there = {**here, name: x}
                now = relative(there)
                if now < least:
                    here, least = there, now
                    steps[name] *= 3 / 2
                    break
            else:
                steps[name] /= 2
    return here
