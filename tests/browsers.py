"""A headless Chromium for tests: Debian's chromium and chromium-driver, or others on the path."""

from __future__ import annotations

import os
import shutil
import time
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


def chromium(folder: Path) -> Any:
    """A browser with a profile of its own; the test is skipped where selenium is not installed."""
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


def until(happened: Any) -> Any:
    """What a call returns once that is something; fails after SHOWN seconds."""
    end = time.monotonic() + SHOWN
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
