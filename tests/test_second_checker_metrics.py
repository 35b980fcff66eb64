"""What the second checker finds without certificates: combinations of vectors, and comparisons that hold everywhere."""

from __future__ import annotations

from fractions import Fraction

import pytest
from second_checker.algebra import Algebra
from second_checker.everywhere import Everywhere
from second_checker.linear import is_combination


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
