"""Which losses are convex in the distance and 0 at 0, and which are not."""

import pytest

from dpcompose.kernel.composition import seen
from dpcompose.kernel.expressions import formulas, terms

R, B = terms.letter("r"), terms.letter("b")


@pytest.mark.parametrize(
    ("text", "convex"),
    [
        ("r/b", True),
        ("3*r**2", True),
        ("r/b + exp(-r/b) - 1", True),  # the second derivative is exp(-r/b)/b**2
        ("r + r**2", True),
        ("(log(3) - 1)*r", True),
        ("(log(2) - 1)*r", False),  # below 0
        ("r**2 - r", False),  # below 0 up to 1
        ("r + 1", False),  # not 0 at 0
        ("1 - exp(-r/b)", False),  # concave
        ("sqrt(r)", False),
        ("min(r, 1)", False),
        ("log(1 + r**2)", False),  # convex up to 1 only
        ("1/r", False),
    ],
)
def test_a_function_is_convex_where_its_second_derivative_shows_it(text: str, convex: bool) -> None:
    assert seen.is_convex(formulas.parse(text, {"r": R, "b": B}), R) is convex
