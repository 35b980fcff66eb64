"""The explorer: what follows changes with the part of a record, the neighbours and the claim."""

from __future__ import annotations

import re

import pytest

import dpcompose as dpc
from dpcompose.front.drawings.explorer import NEIGHBOURS, Exploration

START = Exploration({"a": 1, "b": 2, "c": 0}, "bounded")


def test_what_follows_is_that_of_the_study() -> None:
    html = START.html()
    assert r"\varepsilon_{1} + \varepsilon_{2}" in html and "<b>refuted</b>" in html and "<svg" in html
    assert "bounded neighbours move the inputs by at most (1, 1)" in html
    assert "D = a" in html  # the counterexample in the picture


@pytest.mark.parametrize(
    ("exploration", "says", "verdict"),
    [
        (START.moved("c", 1), r"\varepsilon_{1} + \varepsilon_{2}", "refuted"),
        (
            Exploration(START.parts, "unbounded"),
            r"\max\left(\varepsilon_{1}, \varepsilon_{2}\right)",
            "proved",
        ),
        (Exploration(START.parts, "bounded", "e1 + e2"), r"\varepsilon_{1} + \varepsilon_{2}", "proved"),
        (Exploration({"a": 1, "b": 1}, "bounded", "e1"), r"bounded $\varepsilon_{1}$-DP", "proved"),
        (Exploration({"a": 1, "b": 1}, "bounded"), "inputs by at most (1, 0)", "proved"),
    ],
    ids=["c moved", "add or remove", "the sum", "one reads all", "the other reads nothing"],
)
def test_it_changes(exploration: Exploration, says: str, verdict: str) -> None:
    html = exploration.html()
    assert says in html and f"<b>{verdict}</b>" in html


def test_what_cannot_be_decided_is_told() -> None:
    assert "No mechanism reads anything" in Exploration({"a": 0}).html()
    assert "e3 is no parameter of the mechanisms" in Exploration(START.parts, "bounded", "e3").html()
    html = Exploration(START.parts, "bounded", "max(e1, <b>").html()
    assert "&lt;b&gt;" in html and "<b>" not in html
    assert "e7" in Exploration(START.parts, "bounded", "e7").html()


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_all_neighbours_that_are_offered_can_be_explored(neighbours: str) -> None:
    assert re.search("<b>(proved|refuted)</b>", Exploration(START.parts, neighbours).html())


def test_the_widget_shows_what_was_moved() -> None:
    pytest.importorskip("ipywidgets")
    widget = dpc.explorer("ab", 2, "bounded")
    _, b, neighbours, claim, shown = widget.children
    assert "<b>refuted</b>" in shown.value
    b.value = 1
    assert "<b>refuted</b>" not in shown.value
    b.value, neighbours.value = 2, "unbounded"
    assert "<b>proved</b>" in shown.value
    claim.value = "min(e1, e2)"
    assert "<b>refuted</b>" in shown.value
    with pytest.raises(ValueError, match="one to six records can be explored, not 7"):
        dpc.explorer("abcdefg")
