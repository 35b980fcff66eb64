"""A named theorem prints on one page of A4, and no formula leaves its column: in a headless Chromium.

    pip install -e '.[test,browser,docs]' && pytest -m slow tests/test_handouts_in_the_browser.py

Needs chromium with its driver, sphinx, and DPCOMPOSE_MATHJAX, the npm package mathjax@3, unpacked.
DPCOMPOSE_SCREENSHOTS is a folder for the pages.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import browsers
import pytest
from browsers import until

ROOT = Path(__file__).resolve().parents[1]
MATHJAX = browsers.GIVEN["mathjax"]
NAMED = sorted((ROOT / "theorems" / "named").glob("*.md"))
pytestmark = [
    *browsers.MARKS,
    pytest.mark.skipif(
        find_spec("myst_nb") is None or MATHJAX is None, reason="there is no sphinx or MathJax"
    ),
]
TYPESET = "return document.readyState === 'complete' && !!document.querySelector('mjx-container')"
TOO_WIDE = """
    const all = [...document.querySelectorAll('div.body mjx-container')];
    return all.filter((one) => one.scrollWidth > one.parentElement.clientWidth + 2).map((one) => one.textContent);
"""
A4 = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
TEXT = {"width": 688, "height": 1030, "deviceScaleFactor": 1, "mobile": False}
"""What is left of A4 between its margins, in pixels."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser that shows what would be printed, and where the theorems are."""
    folder = tmp_path_factory.mktemp("site")
    only = ["-D", "include_patterns=theorems/named/**.md,notebooks/site/index.md"]
    own = ["-D", "mathjax_path=mathjax/tex-mml-chtml.js", "-c", ROOT / "notebooks" / "site"]
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-b", "html", *own, *only, ROOT, folder]
    subprocess.run(sphinx, check=True, capture_output=True)
    shutil.copytree(Path(str(MATHJAX)) / "es5", folder / "_static" / "mathjax")
    browser = browsers.chromium(tmp_path_factory.mktemp("chromium"))
    try:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", TEXT)
        with browsers.served(folder) as address:
            yield browser, f"{address}theorems/named/"
    finally:
        browser.quit()


@pytest.mark.parametrize("theorem", NAMED, ids=lambda path: path.stem)
def test_a_theorem_prints_on_one_page(page: Any, theorem: Path) -> None:
    browser, address = page
    browser.get(f"{address}{theorem.stem}.html")
    until(partial(browser.execute_script, TYPESET))
    assert browser.execute_script(TOO_WIDE) == []
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", A4)["data"])
    if folder := os.environ.get("DPCOMPOSE_SCREENSHOTS"):
        (Path(folder) / f"{theorem.stem}.pdf").write_bytes(printed)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
