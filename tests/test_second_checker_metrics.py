"""What the second checker finds without certificates: combinations of vectors, and comparisons that hold everywhere."""

from __future__ import annotations

from fractions import Fraction

import pytest
from second_checker.algebra import Algebra
from second_checker.everywhere import Everywhere
from second_checker.linear import is_combination
from second_checker.slopes import slopes_of


@pytest.mark.parametrize(
    ("wanted", "some", "so"),
    [
        ({"x": 3, "y": 1}, [{"x": 1}, {"x": 1, "y": 1}], True),
        ({"x": 1, "y": 3}, [{"x": 1}, {"x": 1, "y": 1}], False),
        ({"x": -1}, [{"x": 1}], False),
        ({}, [{"x": 1}], True),
        ({"x": 1}, [{"x": 1, "y": 2}, {"y": -3}], True),
    ],
)
def test_combinations_of_vectors(wanted: dict[str, int], some: list[dict[str, int]], so: bool) -> None:
    vectors = [{key: Fraction(x) for key, x in one.items()} for one in (wanted, *some)]
    assert is_combination(vectors[0], vectors[1:]) == so


LETTERS = {"u": "nonnegative", "v": "nonnegative", "x": "real"}
PARAMETERS = dict.fromkeys(("e", "f", "r", "w"), "positive")
LENGTH = "sqrt(u**2 + v**2)"


@pytest.mark.parametrize(
    ("greater", "lesser", "fact", "so"),
    [
        ("(e + f)*(u + v)", f"e*(u + v) + f*{LENGTH}", None, True),
        (f"(e + f)*{LENGTH}", f"e*(u + v) + f*{LENGTH}", None, False),
        (f"sqrt(2)*{LENGTH}", "u + v", None, True),
        (f"141/100*{LENGTH}", "u + v", None, False),
        (f"sqrt(e**2 + f**2)*{LENGTH}", "e*u + f*v", None, True),
        ("3*max(u, v)", "u + 2*v", None, True),
        ("3*max(u, v)", "2*u + 2*v", None, False),
        ("sqrt(2)*e*r + min(f*r, w)", f"e*(u + v) + min(f*{LENGTH}, w)", f"r - {LENGTH}", True),
        ("e*r + min(f*r, w)", f"e*(u + v) + min(f*{LENGTH}, w)", f"r - {LENGTH}", False),
        ("min(u, 1)", "abs(min(max(x + u, 0), 1) - min(max(x, 0), 1))", None, True),
        ("min(u, 1)/2", "abs(min(max(x + u, 0), 1) - min(max(x, 0), 1))", None, False),
    ],
)
def test_comparisons_that_hold_everywhere(greater: str, lesser: str, fact: str | None, so: bool) -> None:
    algebra = Algebra({**LETTERS, **PARAMETERS})
    facts = [] if fact is None else [algebra.read(fact)]
    assert Everywhere(algebra, facts).is_at_least(algebra.read(greater), algebra.read(lesser)) == so


WHOLE, SIZE = "abs(x__D - x__E) + abs(y__D - y__E)", "abs(({}) - ({}))"


@pytest.mark.parametrize(
    ("value", "steep", "so"),
    [
        ("x*y", "max(a, b)", True),
        ("x*y", "min(a, b)", False),
        ("x*y", "(a + b)/2", False),
        ("min(x, c)**2", "2*c", True),
        ("min(x, c)**2", "19*c/10", False),
        ("max(x, y)", "1", True),
        ("max(x, 2*y)", "1", False),
        ("abs(x - y)", "1", True),
        ("abs(x - y)*x", "2*a + b", True),
        ("x + min(y, x*y/a)", "1 + b/a + 1", True),
        ("(x + y)/2 + min(x, y)/2", "1", True),
        ("(x + y)/2 + min(x, y)", "1", False),
    ],
)
def test_slopes(value: str, steep: str, so: bool) -> None:
    """How far v moves for each unit of x and y, x in [0, a] and y in [0, b]."""
    ends = [value.replace("max", "MAX").replace("x", f"x__{who}").replace("y", f"y__{who}") for who in "DE"]
    formula = SIZE.format(*ends).replace("MAX", "max")
    core = {
        "parameters": dict.fromkeys(("a", "b", "c"), "positive"),
        "databases": {
            "parts": {"": {"kind": "points", "coordinates": ["x", "y"], "box": [["0", "a"], ["0", "b"]]}}
        },
        "distances": {"d__L1": {"formula": WHOLE}, "d__v": {"formula": formula}},
    }
    algebra = Algebra({**core["parameters"], "d__L1": "nonnegative", "d__v": "nonnegative"})
    told = slopes_of(core, algebra.read(f"d__L1*({steep})"), algebra.read("d__v"), algebra)
    assert told is not None and told.are_covered() == so and told.are_exceeded() != so
