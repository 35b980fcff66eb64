"""A headless Chromium for tests: Debian's chromium and chromium-driver, or others on the path."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,2400",
)
SHOWN = 120
"""How many seconds something may take to show."""

MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="there is no chromium with its driver"),
]

GIVEN = {name: os.environ.get(f"DPCOMPOSE_{name.upper()}") for name in ("pyodide", "wheels", "mathjax")}
"""The folders of what runs in the browser; where they are not given npm and pip get it."""

WITH_A_RUNTIME = [
    *MARKS,
    pytest.mark.skipif(shutil.which("npm") is None and not GIVEN["pyodide"], reason="there is no npm"),
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def chromium(folder: Path) -> Any:
    """A browser with a profile of its own; the test is skipped where selenium is not installed."""
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


def until(happened: Any, seconds: float = SHOWN) -> Any:
    """What a call returns once that is something; fails after some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := happened():
            return found
        time.sleep(0.25)
    raise AssertionError("it did not show in time")


def screenshot(browser: Any, element: Any, name: str) -> bytes:
    """The picture of an element, also kept where DPCOMPOSE_SCREENSHOTS names a folder."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    time.sleep(1)
    if folder := os.environ.get("DPCOMPOSE_SCREENSHOTS"):
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))
    return bytes(element.screenshot_as_png)
