"""How far values move, part by part: norms, differences of values, cells, and the slopes in them; by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from kernel.rules.test_slopes import ALL, UNIT, WIDE, X, Y, read, setting

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term, letter, number, sqrt
from dpcompose.kernel.rules import slopes

HERE, WITHIN = setting(ALL), setting(WIDE)
C, W = letter("c"), letter("w")
ROOT = "sqrt((x_D - x_E)**2 + (y_D - y_E)**2)"


def here(text: str) -> Term:
    return read(text, HERE)


@pytest.mark.parametrize(
    ("text", "norm"),
    [
        (X, ("", ("x",))),
        ("abs(y_E - y_D)", ("", ("y",))),
        (f"max({X}, {Y})", ("largest", ("x", "y"))),
        ("max(x_D - x_E, x_E - x_D, y_D - y_E, y_E - y_D)", ("largest", ("x", "y"))),
        (ROOT, ("root", ("x", "y"))),
    ],
)
def test_norms_of_coordinates(text: str, norm: Any) -> None:
    assert slopes._norm(here(text)) == norm


@pytest.mark.parametrize(
    "text",
    [
        "abs(x_D)",
        "abs(x_D + x_E)",
        "abs(x_D - y_E)",
        "abs(x_D - x_E + y_D - y_E)",
        "max(x_D - x_E, y_D - y_E)",
        "max(x_D - x_E, x_E - x_D, y_D - y_E)",
        f"max({X}, 1)",
        f"top(2, {X}, {Y})",
        "sqrt((x_D - x_E)**2 + 2*(y_D - y_E)**2)",
        "sqrt((x_D - x_E)**2 + 1)",
        "sqrt((x_D - x_E)**2 + (y_D + y_E)**2)",
        f"{X}**2",
        "c",
    ],
)
def test_what_is_no_norm_of_coordinates(text: str) -> None:
    with pytest.raises(NotAForm, match="no norm of coordinates"):
        slopes._norm(here(text))


def test_factors_before_distances() -> None:
    """They are >= 0 in the parameters."""
    far, r = here(X), letter("r", Domain.read("real"))
    assert slopes._apart(2 * C * far, ()) == (2 * C, far) and slopes._apart(far, ()) == (ONE, far)
    for factor in (-ONE, r, C - W):
        with pytest.raises(NotAForm, match="a factor is not seen to be at least 0"):
            slopes._apart(terms.multiply([factor, far]), ())


@pytest.mark.parametrize(
    ("greater", "weights", "norm"),
    [
        (f"2*{X} + c*{Y}", {"x": number(2), "y": C}, ""),
        (f"{X} + 2*{X}", {"x": number(3)}, ""),
        (f"c*{X} + 2*{X}", {"x": C + 2}, ""),
        (f"3*max({X}, {Y})", {"x": number(3), "y": number(3)}, "largest"),
        (f"max({X}, {Y}) + c*max({X}, {Y})", {"x": C + 1, "y": C + 1}, "largest"),
        (f"c*{ROOT}", {"x": C, "y": C}, "root"),
    ],
)
def test_the_greater_side(greater: str, weights: Mapping[str, Term], norm: str) -> None:
    found = slopes.read(here(greater), here("abs(x_D**2 - x_E**2)"), ())
    assert (found.weights, found.norm) == (weights, norm)


@pytest.mark.parametrize(
    "greater", [f"{X} + max({X}, {Y})", f"{ROOT} + max({X}, {Y})", f"{X} + {ROOT}", f"{X} + 1"]
)
def test_no_single_norm(greater: str) -> None:
    with pytest.raises(NotAForm):
        slopes.read(here(greater), here("abs(x_D**2 - x_E**2)"), ())


@pytest.mark.parametrize(
    ("lesser", "vectors"),
    [
        ("2*abs(x_D**2 - x_E**2)", [("2", ["x_D**2"])]),
        (f"c*{X} + {Y}", [("c", ["x_D"]), ("1", ["y_D"])]),
        ("3*sqrt((x_D - x_E)**2 + (2*y_D - 2*y_E)**2)", [("3", ["x_D", "2*y_D"])]),
        ("abs(x_D*y_D - c*x_D - x_E*y_E + c*x_E)", [("1", ["x_D*y_D - c*x_D"])]),
    ],
)
def test_the_lesser_side(lesser: str, vectors: Any) -> None:
    """Factors, and values at D, each up to its sign."""
    found = slopes.read(here(X), here(lesser), ()).vectors

    def told(some: Any) -> Any:
        return sorted((repr(a), sorted(min(repr(v), repr(-v)) for v in vector)) for a, vector in some)

    assert told(found) == told([(here(a), [here(v) for v in some]) for a, some in vectors])


@pytest.mark.parametrize(
    "lesser",
    [
        "abs(x_D**2 - y_E**2)",
        "abs(x_D*y_E - x_E*y_D)",
        "abs(x_D - x_E + c)",
        "abs(x_D - 2*x_E)",
        "abs(x_D + x_E)",
        "abs(x_D)",
        "sqrt(abs(x_D - x_E))",
        "sqrt((x_D - x_E)**2 + (x_D - x_E)**4)",
        "(x_D - x_E)**2",
        "-abs(x_D - x_E)",
        "c",
    ],
)
def test_what_is_no_distance_of_values(lesser: str) -> None:
    with pytest.raises(NotAForm):
        slopes.read(here(X), here(lesser), ())


HALF, TWO = number(Fraction(1, 2)), number(2)


def test_pieces_between_cuts() -> None:
    assert slopes._pieces((ZERO, ONE), [], ()) == [(ZERO, ONE)]
    assert slopes._pieces((ZERO, ONE), [HALF], ()) == [(ZERO, HALF), (HALF, ONE)]
    assert slopes._pieces((None, None), [ZERO, C], ()) == [(None, ZERO), (ZERO, C), (C, None)]
    assert slopes._pieces((ZERO, ONE), [HALF, HALF], ())[1] == (HALF, HALF)
    for ends, cuts in (
        ((ZERO, ONE), [TWO]),
        ((ONE, None), [HALF]),
        ((None, None), [C, W]),
        ((None, None), [TWO, ONE]),
    ):
        with pytest.raises(NotAForm, match="not seen to be in order"):
            slopes._pieces(ends, cuts, ())


def test_lengths_of_vectors() -> None:
    x = letter("x")
    assert slopes._length([]) == ZERO == slopes._length([ZERO, ZERO])
    assert slopes._length([number(-3)]) == number(3) == slopes._length([ZERO, number(-3)])
    assert slopes._length([number(3), ZERO, number(-4)]) == number(5)
    assert slopes._length([x, ONE]) == sqrt(x**2 + 1)
    assert slopes._moves([(ONE, [ZERO, x])]) and not slopes._moves([(ONE, [ZERO]), (C, [])])


@pytest.mark.parametrize(
    ("box", "greater", "lesser", "cuts", "wanted"),
    [
        (UNIT, f"3*{X}", "abs(x_D**2 - x_E**2)", {}, [[(3, 2)]]),
        (WIDE, f"2*w*{X}", "abs(x_D**2 - x_E**2)", {}, [[(8, 8)]]),  # 2w·w, and the slope 2x·w
        (WIDE, f"c*{X} + w*{Y}", "abs(x_D*y_D - x_E*y_E)", {}, [[(6, 6), (6, 6)]]),
        (WIDE, f"c*{X}", "abs(x_D*y_D - x_E*y_E)", {}, [[(6, 6), (0, 6)]]),
        (WIDE, f"(c + w)*max({X}, {Y})", "abs(x_D*y_D - x_E*y_E)", {}, [[(5, 5)]]),
        (WIDE, f"4*{ROOT}", "3*abs(x_D*y_D - x_E*y_E)", {}, [[(16, 117)]]),  # 9·(2² + 3²)
        (WIDE, f"4*{ROOT}", f"3*{X} + sqrt((x_D**2 - x_E**2)**2 + (3*y_D - 3*y_E)**2)", {}, [[(4, 8)]]),
        (UNIT, f"3*{X}", "abs(x_D**2 - x_E**2)", {"x": ["1/3"]}, [[(1, "2/9")], [(2, "4/3")]]),
        (ALL, f"3*{X}", "abs(2*x_D - 2*x_E)", {"x": ["0", "c"]}, [[(3, 2)], [(9, 6)], [(3, 2)]]),
        (
            UNIT,
            f"{X}",
            "abs(x_D**2 - x_E**2)",
            {"x": ["1/2"], "y": ["1/2"]},
            [[("1/2", "1/2")]] * 2 + [[("1/2", 1)]] * 2,
        ),
    ],
)
def test_comparisons_in_cells(
    box: Any, greater: str, lesser: str, cuts: Mapping[str, Sequence[str]], wanted: Any
) -> None:
    """With w = 2 and c = 3, at the upper ends of cells, where slopes are largest."""
    there = setting(box)
    moved = slopes.read(read(greater, there), read(lesser, there), ())
    made = {name: [read(text, there) for text in some] for name, some in cuts.items()}
    found = []
    for cell in slopes.cells(there.databases.points, made, moved, ()):
        every = slopes.cases(moved, cell, cell.vectors, ())
        names = {name for pair in every for term in pair for name in term.letters}
        at = {name: Fraction({"w": 2, "c": 3}.get(name, 1)) for name in names}
        found.append([tuple(formulas.evaluate(term, at) for term in pair) for pair in every])
    assert found == [[tuple(map(Fraction, pair)) for pair in some] for some in wanted]


def test_cells_that_are_none() -> None:
    moved = slopes.read(read(X, WITHIN), read("abs(x_D**2 - x_E**2)", WITHIN), ())
    places = WITHIN.databases.points
    assert len(slopes.cells(places, {}, moved, ())) == 1
    with pytest.raises(NotAForm, match="no formula in the parameters"):
        slopes.cells(HERE.databases.points, {"x": [here("x_D")]}, moved, ())
    with pytest.raises(NotAForm, match="more than 64 cells"):
        slopes.cells(places, {"x": [ZERO] * 64}, moved, ())
    flat = slopes.Cell({"x": ZERO, "y": ONE}, ())
    far = slopes.read(read(f"max({X}, {Y})", WITHIN), read(X, WITHIN), ())
    with pytest.raises(NotAForm, match="an interval may be a point"):
        slopes.cases(far, flat, (), ())
    other = slopes.read(read(f"max({X}, {X})", WITHIN), read(Y, WITHIN), ())
    assert other.norm == ""  # of one coordinate it is no maximum


def test_the_innermost_maximum_is_the_first() -> None:
    x, y = letter("x__F"), letter("y__F")
    inner = terms.largest(x, y)
    outer = terms.largest(inner + x**2, ONE)
    assert slopes.worst_case(((ONE, (x,)),)) is None
    assert slopes.worst_case(((ONE, (x, outer)),)) == inner
    assert slopes.replaced(((C, (outer, y)),), inner, y) == ((C, (terms.largest(y + x**2, ONE), y)),)
