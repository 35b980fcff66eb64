"""The explorer: what follows changes with the part of a record, the neighbours and the claim."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
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


@pytest.mark.parametrize("missing", ["", "anywidget"])
def test_the_widget_shows_what_was_moved(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget")
    if missing:
        monkeypatch.setitem(sys.modules, missing, None)
    widget = dpc.explorer("ab", 2, "bounded")
    records, neighbours, claim, shown = widget.children
    assert "<b>refuted</b>" in shown.value and records.parts == {"a": 1, "b": 2}
    if missing:
        records.children[1].value = 1
    else:
        records.set_state({"parts": {"a": 1, "b": 1}})  # what a browser sends
    assert records.parts == {"a": 1, "b": 1} and "<b>refuted</b>" not in shown.value
    records.parts, neighbours.value = {"a": 1, "b": 2}, "unbounded"
    assert "<b>proved</b>" in shown.value
    claim.value = "min(e1, e2)"
    assert "<b>refuted</b>" in shown.value
    with pytest.raises(ValueError, match="one to six records can be explored, not 7"):
        dpc.explorer("abcdefg")


def test_without_widgets_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match="the explorer needs ipywidgets"):
        dpc.explorer("ab")


def test_what_the_browser_gets_came_along() -> None:
    widget = pytest.importorskip("anywidget") and dpc.explorer("<>", 3)
    board = widget.children[0]
    assert "export default { render }" in board._esm and ".dpcompose-board" in board._css
    assert board.names == ["nobody", "M1", "M2", "M3"] and len(board.looks) == 4


PAGE = """<!doctype html><meta charset="utf-8"><style>{css}</style><div id="board"></div><script type="module">
import board from "./board.js";
const state = {state}, listeners = [];
window.saved = [];
board.render({{ el: document.getElementById("board"), model: {{
  get: (name) => state[name],
  set: (name, value) => {{ state[name] = value; }},
  save_changes: () => {{ window.saved.push(state.parts); for (const call of listeners) call(); }},
  on: (_, call) => listeners.push(call),
}} }});
</script>"""


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    """A browser that shows the records <b> and c, of two mechanisms."""
    from dpcompose.front.drawings.explorer import HERE

    pytest.importorskip("anywidget")
    board = dpc.explorer(["<b>", "c"], 2).children[0]
    (tmp_path / "board.js").write_text(board._esm, encoding="utf-8")
    state = {name: getattr(board, name) for name in ("parts", "names", "looks")}
    css = (HERE / "board.css").read_text(encoding="utf-8")
    (tmp_path / "index.html").write_text(PAGE.format(css=css, state=json.dumps(state)), encoding="utf-8")
    found = browsers.chromium(tmp_path / "chromium")
    try:
        with browsers.served(tmp_path) as address:
            found.get(address)
            yield found
    finally:
        found.quit()


@pytest.mark.slow
@pytest.mark.skipif(browsers.DRIVER is None, reason="there is no chromium with its driver")
def test_a_record_is_dragged_with_the_mouse(browser: Any) -> None:
    from selenium.webdriver import ActionChains, Keys

    def record(name: str) -> Any:
        return browser.find_element("css selector", f'[data-record="{name}"]')

    def part(number: int) -> Any:
        return browser.find_element("css selector", f'[data-part="{number}"]')

    def saved() -> Any:
        return browser.execute_script("return window.saved")

    browsers.until(lambda: browser.find_elements("css selector", ".record"))
    assert part(1).text == "M1<b>" and part(2).text == "M2c"
    ActionChains(browser).click_and_hold(record("c")).move_to_element(part(1)).perform()
    browsers.screenshot(browser, browser.find_element("id", "board"), "board")
    assert "over" in part(1).get_attribute("class") and not saved()
    ActionChains(browser).release().perform()
    assert part(1).text == "M1<b>c" and saved() == [{"<b>": 1, "c": 1}]
    ActionChains(browser).drag_and_drop_by_offset(record("c"), 0, 500).perform()  # on no part
    assert len(saved()) == 1 and part(1).text == "M1<b>c"
    record("<b>").send_keys(Keys.ARROW_LEFT)
    assert saved()[-1] == {"<b>": 0, "c": 1} and part(0).text == "nobody<b>"
    record("<b>").send_keys(Keys.ARROW_LEFT)
    assert saved()[-1] == {"<b>": 2, "c": 1}
