"""What is said of random formulas in distances -- which grow, are never negative, convex or metrics, and their values
where distances are infinite -- is so at random distances.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

import pytest
from drawn_formulas import Drawn, drawn

from dpcompose.kernel import infinity
from dpcompose.kernel.expressions import formulas, metrics, terms
from dpcompose.kernel.expressions.terms import INFINITY, Term

D, E, W = metrics.letter("d__d"), metrics.letter("d__e"), terms.letter("w")
SYMBOLS = {"d": D, "e": E, "w": W}
LENGTHS = (0.0, 0.01, 0.5, 1.0, 1.7, 4.0)


def value(one: Drawn, d: float, e: float, w: float = 0.7) -> float | None:
    """The value of a formula at distances, if it has one."""
    try:
        return one.value({"d": d, "e": e, "w": w})
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def pairs(one: Drawn) -> Iterator[tuple[float, float, float]]:
    """Distances at which a formula has a value, and that."""
    for d in LENGTHS:
        for e in LENGTHS:
            found = value(one, d, e)
            if found is not None:
                yield d, e, found


def room(*some: float) -> float:
    """How much rounding may take away."""
    return 1e-9 * max(1.0, *map(abs, some))


@pytest.mark.parametrize("seed", range(6))
def test_what_grows_and_what_is_never_negative(seed: int) -> None:
    grown = positive = 0
    for one in drawn(300 + seed, 250, SYMBOLS):
        there = {(d, e): found for d, e, found in pairs(one)}
        try:
            grows, never_negative = metrics.grows(one.term), metrics.is_positive_part(one.term)
        except terms.TermError:  # at 0 it has no value
            continue
        if grows:
            grown += 1
            for (d, e), small in there.items():
                for (far, away), large in there.items():
                    if d <= far and e <= away:
                        assert small <= large + room(small, large), (one.text, (d, e), (far, away))
        if never_negative:
            positive += 1
            assert all(found >= -room(found) for found in there.values()), one.text
    assert grown > 30 and positive > 20


@pytest.mark.parametrize("seed", range(6))
def test_what_is_convex(seed: int) -> None:
    """Of formulas that grow."""
    convex = 0
    for one in drawn(400 + seed, 250, SYMBOLS):
        try:
            if not metrics.is_convex(one.term) or not metrics.grows(one.term):
                continue
        except terms.TermError:  # at 0 it has no value
            continue
        convex += 1
        there = list(pairs(one))
        for d, e, x in there:
            for far, away, y in there:
                between = value(one, (d + far) / 2, (e + away) / 2)
                assert between is not None and between <= (x + y) / 2 + room(x, y), (
                    one.text,
                    (d, e),
                    (far, away),
                )
    assert convex > 20


@pytest.mark.parametrize("seed", range(6))
def test_what_is_a_metric(seed: int) -> None:
    """Where d and e are distances on two lines: 0 at 0, and no way round is shorter."""
    draw, found = random.Random(seed), 0
    for one in drawn(500 + seed, 400, SYMBOLS):
        try:
            if not metrics.is_metric(one.term):
                continue
        except terms.TermError:  # at 0 it has no value
            continue
        found += 1
        assert abs(value(one, 0, 0) or 0) < 1e-12, one.text
        for _ in range(12):
            points = [(draw.choice(LENGTHS), draw.choice(LENGTHS)) for _ in range(3)]
            for (a, x), (b, y), (c, z) in permutations(points):
                sides = [
                    value(one, abs(p - q), abs(r - s))
                    for p, q, r, s in ((a, c, x, z), (a, b, x, y), (b, c, y, z))
                ]
                if None not in sides:
                    straight, first, second = sides
                    assert straight <= first + second + room(straight), (one.text, points)
    assert found > 20


def far_away(one: Drawn, found: Term) -> None:
    """A formula comes the nearer, the larger a distance is, to what is said of it where that is infinite."""
    for e in (0.5, 2.0):
        near, far = value(one, 1e6, e), value(one, 1e12, e)
        if near is None or far is None or "w" in found.letters:
            continue
        if found == INFINITY:
            assert far > max(near, 3.0), (one.text, near, far)
        elif (said := formulas.evaluate(found, {"d__e": Fraction(e)})) is not None:
            away = abs(float(said) - far)
            assert away <= abs(float(said) - near) + 1e-3 and away < 0.3, (one.text, found, far)


@pytest.mark.parametrize("seed", range(6))
def test_values_where_a_distance_is_infinite(seed: int) -> None:
    said = 0
    for one in drawn(600 + seed, 250, SYMBOLS):
        if "d__d" not in one.term.letters or "log" in one.text:  # logarithms grow too slowly to see how far
            continue
        try:
            found = infinity.at(one.term, {"d__d": INFINITY})
        except (infinity.NoValue, terms.TermError):
            continue
        said += 1
        far_away(one, found)
    assert said > 20


def test_of_what_is_minus_infinite_none_is_among_the_largest_while_there_are_others() -> None:
    two_fall = [-D, -2 * D, E]
    assert infinity.at(terms.top(1, two_fall), {"d__d": INFINITY}) == E
    with pytest.raises(infinity.NoValue):
        infinity.at(terms.top(2, two_fall), {"d__d": INFINITY})
