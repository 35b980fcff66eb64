"""The first notebook in JupyterLab, in a headless Chromium: what a reader sees is there.

    pip install -e '.[test,browser]' && pytest -m slow tests/test_in_the_browser.py

Needs Debian's chromium and chromium-driver, or others on the path; skipped where they are absent.  Set
DPCOMPOSE_SCREENSHOTS to a folder to look at what the browser showed.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import pytest
from browsers import screenshot, until

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "01-parallel-composition.ipynb"
pytestmark = browsers.MARKS


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab that shows a copy of the notebook."""
    pytest.importorskip("jupyterlab")
    folder = tmp_path_factory.mktemp("lab")
    shutil.copy(NOTEBOOK, folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    options = ["--no-browser", f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, "--allow-root", f"--notebook-dir={folder}"],
        env={**os.environ, **settings, "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}/lab"
    try:
        until(lambda: answers(address))
        yield address
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def page(lab: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The notebook, opened, all of its cells rendered."""
    browser = browsers.chromium(tmp_path_factory.mktemp("chromium"))
    try:
        browser.get(f"{lab}/tree/{NOTEBOOK.name}")
        until(lambda: browser.find_elements("css selector", ".jp-Notebook .jp-Cell"))
        show_everything(browser)
        yield browser
    finally:
        browser.quit()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def show_everything(browser: Any) -> None:
    """Scrolls through the notebook: JupyterLab renders a cell when it comes into view."""
    scroll = """
        const pane = document.querySelector('.jp-WindowedPanel-outer') || document.querySelector('.jp-Notebook');
        pane.scrollTop = arguments[0];
        return pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 2;
    """
    for n in range(200):
        if browser.execute_script(scroll, 600 * n):
            break
        time.sleep(0.3)


def first(browser: Any, selector: str) -> Any:
    """The first element of the notebook that fits, scrolled to where need be."""
    pane = ".jp-WindowedPanel-outer"
    for n in range(200):
        if found := browser.find_elements("css selector", f".jp-Notebook {selector}"):
            return found[0]
        browser.execute_script(f"document.querySelector('{pane}').scrollTop = {400 * n}")
        time.sleep(0.3)
    raise AssertionError(f"the notebook shows no {selector}")


def test_mathematics_is_typeset(page: Any) -> None:
    formula = first(page, ".jp-OutputArea-output mjx-container")
    assert screenshot(page, formula, "mathematics")
    size = formula.size
    assert size["width"] > 20 and size["height"] > 8
    assert not page.find_elements("css selector", "mjx-merror"), "a formula that MathJax cannot read"


def test_derivations_fold(page: Any) -> None:
    fold = first(page, ".jp-OutputArea-output details")
    screenshot(page, fold, "derivation")
    before, opened = fold.size["height"], fold.get_attribute("open")
    fold.find_element("css selector", "summary").click()
    until(lambda: fold.get_attribute("open") != opened)
    after = fold.size["height"]
    screenshot(page, fold, "derivation-other-way")
    assert (after > before) == (opened is None) and after != before


def test_a_theorem_opens_in_a_derivation_and_its_mathematics_is_typeset(page: Any) -> None:
    """A line of a derivation opens to the page it is by, that to its proof; the tree to lines below lines."""
    derivation = first(page, ".jp-OutputArea-output details")
    if derivation.get_attribute("open") is None:
        derivation.find_element("css selector", "summary").click()
    for start in ("[by ", "proof", "as a tree", "(9) "):
        folds = derivation.find_elements("css selector", "summary")
        fold = next(one for one in folds if one.is_displayed() and one.text.startswith(start))
        page.execute_script("arguments[0].scrollIntoView({block: 'center'})", fold)
        fold.click()
        opened = fold.find_element("xpath", "..")
        assert opened.get_attribute("open") is not None
        formulas = opened.find_elements("css selector", "mjx-container")
        assert start == "as a tree" or any(one.size["height"] > 8 for one in formulas if one.is_displayed())
        assert "$" not in opened.text
    screenshot(page, derivation, "theorem")


def test_pictures_show(page: Any) -> None:
    picture = first(page, ".jp-OutputArea-output img, .jp-OutputArea-output svg:not(mjx-container svg)")
    screenshot(page, picture, "picture")
    assert picture.size["width"] > 150 and picture.size["height"] > 100
    drawn = "return arguments[0].tagName != 'IMG' || (arguments[0].complete && arguments[0].naturalWidth > 0)"
    assert page.execute_script(drawn, picture)


def test_nothing_is_shown_as_an_error(page: Any) -> None:
    assert not page.find_elements("css selector", ".jp-RenderedText[data-mime-type*='error']")
    assert not page.find_elements("css selector", ".jp-OutputArea-output .jp-mod-error")
