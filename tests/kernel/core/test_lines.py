"""Trade-off functions as straight lines, by hand: which (epsilon, delta) they are, and what is no line."""

from __future__ import annotations

import pytest

from dpcompose.kernel.core.lines import RATE, NoLines, pairs
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import Domain

LETTERS = {"alpha": RATE} | {
    name: terms.letter(name, Domain.read(text))
    for name, text in (("e", "positive"), ("d", "in (0,1)"), ("x", "real"))
}


@pytest.mark.parametrize(
    "function, told",
    [
        ("1 - alpha", {("0", "0")}),
        ("max(0, 1/2 - alpha)", {("0", "1/2")}),
        ("1/2 - 2*alpha", {("log(2)", "1/2")}),
        ("1/2 - alpha/2", {("log(2)", "0")}),
        ("max(1/2 - 2*alpha, 1/4 - alpha/2)", {("log(2)", "1/2")}),  # one in both orders
        ("max(1 - 3*alpha, 1/3 - alpha/3, 3/4 - alpha)", {("log(3)", "0"), ("0", "1/4")}),
        ("max(0, 1 - d - exp(e)*alpha, exp(-e)*(1 - d - alpha))", {("e", "d")}),
        ("max(-1/9, 1 - alpha)", {("0", "0")}),
        ("(sqrt(2) - 1)*(1 - alpha)", {("log(1/(sqrt(2) - 1))", "0")}),
        ("max(sqrt(2) - 3/2, 1 - alpha)", {("0", "0")}),
        ("0", set()),
        ("-1/9", set()),
    ],
)
def test_lines_and_what_they_say(function: str, told: set[tuple[str, str]]) -> None:
    found = pairs(formulas.parse(function, LETTERS))
    wanted = {tuple(formulas.parse(one, LETTERS) for one in pair) for pair in told}
    assert {*found} == wanted and len(found) == len(wanted)


@pytest.mark.parametrize(
    "function, words",
    [
        ("oo", "is finite"),
        ("1 - alpha**2", "no straight line"),
        ("max(0, 1 - sqrt(alpha))", "no straight line"),
        ("1/9", "more than 1 - alpha at 1"),
        ("max(1 - alpha, d)", "more than 1 - alpha at 1"),
        ("max(1 - alpha, x)", "more than 1 - alpha at 1"),
        ("1/2 + alpha", "falls by -1"),
        ("1 - exp(x)*alpha", "not known whether a line that falls by"),
    ],
)
def test_what_is_no_largest_of_lines(function: str, words: str) -> None:
    with pytest.raises(NoLines, match=words):
        pairs(formulas.parse(function, LETTERS))
