"""The course in JupyterLite, in a headless Chromium, from a local server: it says what it is committed with.

    pip install -e '.[test,browser]' && pytest -m slow tests/test_course_in_the_browser.py

Needs chromium with its driver, and npm for the runtime, or DPCOMPOSE_PYODIDE and DPCOMPOSE_WHEELS: folders as
notebooks/site/course.py takes them.  DPCOMPOSE_SCREENSHOTS is a folder for what the browser showed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import browsers
import nbformat
import pytest
from browsers import GIVEN, screenshot, until
from test_notebooks import NOTEBOOKS, code, joined

COURSE = Path(__file__).resolve().parents[1] / "notebooks" / "site" / "course.py"
pytestmark = [
    *browsers.WITH_A_RUNTIME,
    pytest.mark.skipif(find_spec("jupyterlite_pyodide_kernel") is None, reason="there is no jupyterlite"),
]

OPENED = """
    const notebook = window.jupyterapp?.shell.currentWidget;
    return !!notebook?.context?.isReady && notebook.sessionContext?.session?.kernel?.status === 'idle';
"""
RUN = """
    window.ran = undefined;
    const done = (answer) => (window.ran = String(answer));
    window.jupyterapp.commands.execute('notebook:run-all-cells').then(done, done);
"""
CELLS = "return window.jupyterapp.shell.currentWidget.context.model.toJSON()"
SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook"
FETCHED = "return performance.getEntriesByType('resource').map((one) => new URL(one.name).host)"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the course, built by the command and served."""
    public = tmp_path_factory.mktemp("course")
    given = [f"--{name}={GIVEN[name]}" for name in ("pyodide", "wheels") if GIVEN[name]]
    subprocess.run([sys.executable, COURSE, public, *given], check=True, capture_output=True)
    with browsers.served(public) as found:
        yield found


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """A browser that has seen no notebook: it would open those again."""
    browser = browsers.chromium(tmp_path / "chromium")
    try:
        yield browser
    finally:
        browser.quit()


def texts(cell: Any) -> list[str]:
    """What a cell says in plain text."""
    outputs = joined([nbformat.from_dict(output) for output in cell["outputs"]])  # type: ignore[no-untyped-call]
    said = [one.get("text") or one.get("data", {}).get("text/plain") or one["evalue"] for one in outputs]
    return ["".join(text).rstrip("\n") for text in said]


def said(page: Any) -> list[list[str]]:
    """What the cells of the notebook in front say."""
    cells = page.execute_script(CELLS)["cells"]
    return [texts(cell) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_says_in_the_browser_what_it_is_committed_with(
    page: Any, address: str, path: Path
) -> None:
    page.get(f"{address}lab/index.html?path={path.name}")
    until(partial(page.execute_script, OPENED), 600)
    committed = [texts(cell) for cell in code(nbformat.read(path, as_version=4))]  # type: ignore[no-untyped-call]
    assert said(page) == committed, "as it is opened"
    page.execute_script(RUN)
    until(lambda: page.execute_script("return window.ran") is not None, 600)
    assert said(page) == committed
    assert set(page.execute_script(FETCHED)) == {address.split("/")[2]}, "something is fetched from elsewhere"
    screenshot(page, page.find_element("css selector", SHOWN), f"course-{path.stem}")


EXPLORE = """
    const run = (name) => window.jupyterapp.commands.execute(`notebook:${name}`);
    const source = 'import dpcompose as dpc\\ndpc.explorer("ab", 2, "bounded")';
    run('insert-cell-below').then(() => {
        window.jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.setSource(source);
        run('run-cell');
    });
"""
SHOWN_BY_WIDGETS = (
    "return [...document.querySelectorAll('.jupyter-widgets')].map((one) => one.textContent).join(' ')"
)


def test_records_are_dragged_in_the_browser(page: Any, address: str) -> None:
    from selenium.webdriver import ActionChains, Keys

    page.get(f"{address}lab/index.html?path={NOTEBOOKS[0].name}")
    until(partial(page.execute_script, OPENED), 600)
    page.execute_script(EXPLORE)
    until(lambda: "by GB:IV.13" in page.execute_script(SHOWN_BY_WIDGETS), 600)
    record, part = (
        page.find_element("css selector", f".dpcompose-board {one}")
        for one in ('[data-record="b"]', '[data-part="1"]')
    )
    ActionChains(page).drag_and_drop(record, part).perform()
    until(lambda: "by GB:IV.11" in page.execute_script(SHOWN_BY_WIDGETS), 600)
    screenshot(page, page.find_element("css selector", SHOWN), "explorer")
    record.send_keys(Keys.ARROW_RIGHT)
    until(lambda: "by GB:IV.13" in page.execute_script(SHOWN_BY_WIDGETS), 600)
