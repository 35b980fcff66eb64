"""The page that runs dpcompose under Pyodide, in a headless Chromium, from a local server.

    pip install -e '.[test,browser]' && pytest -m slow tests/test_page_in_the_browser.py

Needs chromium with its driver, and npm for the runtime, or DPCOMPOSE_PYODIDE and DPCOMPOSE_WHEELS: folders as
notebooks/site/build.py takes them.  DPCOMPOSE_SCREENSHOTS is a folder for what the browser showed.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import browsers
import pytest
from browsers import GIVEN, screenshot, until
from shipped import SHIPPED

from dpcompose.front import cli

SITE = Path(__file__).resolve().parents[1] / "notebooks" / "site"
pytestmark = browsers.WITH_A_RUNTIME

TWENTY = [*SHIPPED[::8], *(file for file in SHIPPED if file.name.startswith(("05-", "46-", "201-")))]
"""Every eighth file, and those on finite classes, for which networkx is fetched."""

OWN = """\
format = 1
title = "<img src=x onerror=alert(1)> & Söhne"
[databases]
kind = "multisets"
records = ["a", "<b>"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M <i>1</i>"
reads = { records = ["a"] }
guarantee = { notion = "pure", epsilon = "e", granularity = "bounded", domain = "common" }
[[claims]]
notion = "pure"
epsilon = "e/2"
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the page, built and served."""
    spec = spec_from_file_location("build", SITE / "build.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    public = tmp_path_factory.mktemp("public")
    module.build(public, *(None if x is None else Path(x) for x in GIVEN.values()))
    with browsers.served(public) as found:
        yield found


@pytest.fixture(scope="module")
def page(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    browser = browsers.chromium(tmp_path_factory.mktemp("chromium"))
    try:
        browser.get(address)
        answered(browser)
        yield browser
    finally:
        browser.quit()


def answered(browser: Any) -> str:
    """The verdict, once all of the answer is there."""
    until(lambda: browser.execute_script("return document.body.dataset.state") in ("answered", "failed"))
    assert browser.execute_script("return document.body.dataset.state") == "answered"
    return str(browser.execute_script("return document.getElementById('verdict').textContent"))


def asked(browser: Any, text: str) -> str:
    """The verdict on a text that is put into the editor."""
    put = "const p = document.getElementById('problem'); p.value = arguments[0]; document.getElementById('run').click()"
    browser.execute_script(put, text)
    return answered(browser)


def printed(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> str:
    """What the command prints of the same text."""
    monkeypatch.chdir(folder)
    (folder / "problem.toml").write_text(text, encoding="utf-8")
    capsys.readouterr()
    cli.main(["verify", "problem.toml"])
    said = capsys.readouterr()
    return str(said.out + said.err)


def test_the_first_verdict_comes_by_itself(page: Any, record_property: Any) -> None:
    """The time is recorded, not judged: it depends on what else the machine does."""
    milliseconds = page.execute_script("return performance.getEntriesByName('verdict')[0].startTime")
    record_property("first verdict, seconds", milliseconds / 1000)
    print(f"first verdict after {milliseconds / 1000:.1f} s")
    assert "REFUTED" in page.find_element("id", "verdict").text
    assert "[given]" in page.find_element("id", "derivation").text
    until(lambda: page.find_elements("css selector", "#derivation li > mjx-container"))
    assert page.find_elements("css selector", "#picture svg title")
    screenshot(page, page.find_element("css selector", "main"), "page-wide")


@pytest.mark.parametrize("file", TWENTY, ids=lambda file: file.stem)
def test_the_text_is_that_of_the_command(
    page: Any, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    text = file.read_text(encoding="utf-8")
    assert asked(page, text) == printed(text, tmp_path, monkeypatch, capsys)


def test_what_is_wrong_with_a_file_is_told(
    page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    text = OWN.replace('kind = "multisets"', 'kind = "multisetz"')
    said = asked(page, text)
    assert said == printed(text, tmp_path, monkeypatch, capsys) and "multisets" in said
    assert not page.find_elements("css selector", "#picture svg")


def test_names_are_text(page: Any) -> None:
    said = asked(page, OWN)
    assert said.startswith("<img src=x onerror=alert(1)> & Söhne") and "REFUTED" in said
    assert not page.find_elements("css selector", "img, i")
    assert page.find_elements("css selector", "#picture svg")


def test_a_link_holds_the_problem(page: Any, address: str) -> None:
    link = address + "#" + base64.urlsafe_b64encode(OWN.encode()).decode().rstrip("=")
    asked(page, SHIPPED[1].read_text(encoding="utf-8"))
    page.get("about:blank")
    page.get(link)
    assert "Söhne" in answered(page)
    assert page.execute_script("return document.getElementById('problem').value") == OWN
    assert page.execute_script("return location.href") == link


def test_an_example_is_chosen_and_typed_over(page: Any) -> None:
    choose = (
        """const s = document.getElementById('example'); s.value = arguments[0]; s.onchange({ target: s })"""
    )
    page.execute_script(choose, SHIPPED[1].name)
    said = answered(page)
    assert page.execute_script("return document.getElementById('problem').value") == SHIPPED[1].read_text()
    problem = page.find_element("id", "problem")
    problem.send_keys('\n[[claims]]\nnotion = "pure"\nepsilon = "0"\nexpect = "refuted"\n')
    until(lambda: answered(page) != said)
    assert answered(page).rstrip().startswith(said.rstrip())


def test_a_narrow_page_has_one_column(page: Any) -> None:
    page.set_window_size(420, 1600)
    try:
        editor, verdict = (page.find_element("id", name).rect for name in ("problem", "verdict"))
        assert verdict["y"] > editor["y"] + editor["height"] and editor["width"] > 300
        screenshot(page, page.find_element("css selector", "main"), "page-narrow")
    finally:
        page.set_window_size(1400, 2400)
