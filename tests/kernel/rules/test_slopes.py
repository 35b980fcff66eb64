"""How far values move by how steep they are: hand values, what is refused, and what no slopes say."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from core_metrics import on_product

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.rules import slopes
from dpcompose.search.metrics import slopes as search

LETTERS = {f"{x}_{who}": coordinate(x, who) for x in "xy" for who in "DE"}


def setting(box: Any) -> Setting:
    """About two coordinates in intervals, with the parameters c and w."""
    parts = {"P": {"kind": "points", "coordinates": ["x", "y"], "box": box}}
    norm = {"formula": "abs(x__D - x__E)"}
    data = on_product(parts, {"d__x": norm}, "d__x")
    return reading.read(data | {"parameters": {"c": "positive", "w": "positive"}})


def read(text: str, there: Setting) -> Term:
    return formulas.parse(text, {**there.symbols, **LETTERS})


def check(there: Setting, greater: str, lesser: str, shown: Any) -> frozenset[str]:
    sides = read(greater, there), read(lesser, there)
    return slopes.check(*sides, there.databases.points, shown, there.assumed, there.symbols)


def found(there: Setting, greater: str, lesser: str) -> Any:
    proof = search.proof(there, read(greater, there), read(lesser, there))
    return None if proof is None else proof["slopes"]


ALL = [[None, None], [None, None]]
UNIT = [["0", "1"], ["0", "1"]]
WIDE = [["0", "w"], ["0", "c"]]
X, Y = "abs(x_D - x_E)", "abs(y_D - y_E)"
CLIPPED = "abs(min(max(x_D, 0), c)**2 - min(max(x_E, 0), c)**2)"
RIGHT = [
    (UNIT, f"2*{X}", "abs(x_D**2 - x_E**2)"),
    (WIDE, f"2*w*{X}", "abs(x_D**2 - x_E**2)"),
    (UNIT, f"exp(1)*{X}", "abs(exp(x_D) - exp(x_E))"),
    (ALL, f"2*c*{X}", CLIPPED),
    (ALL, f"2*sqrt(c)*{X}", "abs(min(x_D**2, c) - min(x_E**2, c))"),
    (WIDE, f"c*{X} + w*{Y}", "abs(x_D*y_D - x_E*y_E)"),
    (WIDE, f"(c + w)*max({X}, {Y})", "abs(x_D*y_D - x_E*y_E)"),  # the slopes c and w add up
    (UNIT, "2*sqrt(2)*sqrt((x_D - x_E)**2 + (y_D - y_E)**2)", "abs(x_D**2 + y_D**2 - x_E**2 - y_E**2)"),
    (UNIT, f"3*({X} + {Y})", "abs(x_D**2 - x_E**2) + abs(x_D*y_D - x_E*y_E)"),  # 2x + y
    (UNIT, f"sqrt(5)*{X}", "sqrt((x_D - x_E)**2 + (x_D**2 - x_E**2)**2)"),  # 1 and 2x
]
WRONG = [
    (UNIT, f"19*{X}/10", "abs(x_D**2 - x_E**2)"),
    (UNIT, f"27*{X}/10", "abs(exp(x_D) - exp(x_E))"),  # e = 2.718
    (ALL, f"19*c*{X}/10", CLIPPED),
    (ALL, f"99*c*{X}", "abs(x_D**2 - x_E**2)"),  # there is no bound
    (WIDE, f"c*max({X}, {Y})", "abs(x_D*y_D - x_E*y_E)"),
    (UNIT, f"2*{X}", "abs(x_D**2 + y_D - x_E**2 - y_E)"),  # y moves, too
    (UNIT, f"28*({X} + {Y})/10", "abs(x_D**2 - x_E**2) + abs(x_D*y_D - x_E*y_E)"),
    (UNIT, f"2*{X}", "sqrt((x_D - x_E)**2 + (x_D**2 - x_E**2)**2)"),
]
UNFIT = [
    (UNIT, "2*(x_D - x_E)**2", "abs(x_D**2 - x_E**2)"),  # no norm: 0 near the diagonal
    (UNIT, f"2*{X}", "abs(x_D*x_E - x_E**2)"),  # no value at one point
    (UNIT, f"2*{X}", "abs(x_D**2 - x_E**2 + 1/8)"),  # 1/8 where nothing moves
    (UNIT, f"2*{X}", "abs(x_D**2 - y_E**2)"),
    (UNIT, f"2*{X}", "max(0, x_D**2 - x_E**2)"),
]


@pytest.mark.parametrize(("box", "greater", "lesser"), RIGHT)
def test_values_move_as_far_as_they_are_steep(box: Any, greater: str, lesser: str) -> None:
    there = setting(box)
    check(there, greater, lesser, found(there, greater, lesser))


@pytest.mark.parametrize(("box", "greater", "lesser"), [*WRONG, *UNFIT])
def test_less_is_not_shown(box: Any, greater: str, lesser: str) -> None:
    """Nor by what shows the same with a factor that is large enough."""
    there = setting(box)
    assert found(there, greater, lesser) is None
    for _, more, less in RIGHT:
        with_other = found(setting(UNIT), more, less) if "c" not in more and "w" not in more else None
        with pytest.raises(BadCertificate):
            check(there, greater, lesser, with_other)


def test_slopes_without_a_value_are_none() -> None:
    """1/x jumps within [-1, 1], and its slope is 1/x**2 nowhere bounded; beyond 1/2 it is at most 4."""
    there = setting([["-1", "1"], ["0", "1"]])
    assert found(there, f"9*{X}", "abs(1/x_D - 1/x_E)") is None
    there = setting([["1/2", "1"], ["0", "1"]])
    assert found(there, f"4*{X}", "abs(1/x_D - 1/x_E)") is not None


def test_cells_and_the_largest_are_as_they_are_said() -> None:
    there, bound = setting(ALL), f"2*c*{X}"
    right = found(there, bound, CLIPPED)
    assert right["cuts"] == {"x": ["0", "c"]} and len(right["cells"]) == 3

    def refused(change: Any) -> None:
        wrong = copy.deepcopy(right)
        change(wrong)
        with pytest.raises(BadCertificate):
            check(there, bound, CLIPPED, wrong)

    refused(lambda data: data["cells"].pop())
    refused(lambda data: data["cells"].reverse())
    refused(lambda data: data["cuts"].update(x=["c", "0"]))
    refused(lambda data: data["cuts"].update(x=["0"]))
    refused(lambda data: data["cuts"].update(z=["0"]))
    refused(lambda data: data["cuts"].update(y=["c"]))
    refused(lambda data: data["cells"][0].update(largest=1 - data["cells"][0]["largest"]))
    refused(lambda data: data["cells"][2].update(because=[]))
    refused(lambda data: data.update(cells=[{"cases": []}] * 3))
