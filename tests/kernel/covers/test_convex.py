"""Which formulas in numbers of records are taken to be convex, and by what a mechanism is given."""

from __future__ import annotations

import pytest
from kernel.covers.test_covers import REPLACE, multisets, reads

from dpcompose.kernel.composition import given
from dpcompose.kernel.core import reading
from dpcompose.kernel.covers import records
from dpcompose.kernel.expressions import formulas, terms

LETTERS = {name: terms.letter(name) for name in "abc"}


@pytest.mark.parametrize(
    ("formula", "convex"),
    [
        ("a", True),
        ("a + b", True),
        ("max(a, b + c)", True),
        ("a*b", False),
        ("a + b*c", False),
        ("max(a, b*c)", False),
        ("2*a", False),  # no sum of letters as it is written
        ("min(a, b)", False),
    ],
)
def test_sums_and_maxima_of_letters_are_convex(formula: str, convex: bool) -> None:
    assert records._is_convex(formulas.parse(formula, LETTERS)) == convex


def test_letters_of_a_query_need_values() -> None:
    """A sum of attributes between a and b moves by them, as much as by the parameter of the noise."""
    values = {"lower": "x", "upper": "y"}
    noise = {"query": {"page": "sum", "values": values}, "page": "laplace", "parameter": "b"}
    data = {
        "parameters": {"x": "positive", "y": "positive", "b": "positive"},
        "databases": multisets(["a"]),
        "target": REPLACE,
        "mechanisms": [{"name": "M", **reads(None, REPLACE), "noise": noise}],
    }
    del data["mechanisms"][0]["stated"]  # type: ignore[index, attr-defined]
    setting = reading.read(data)
    found: set[str] = {name for term in given.letters(setting.mechanisms[0]) for name in term.letters}
    assert found >= {"x", "y", "b"}
